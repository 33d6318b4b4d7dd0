"""Decompile every code object in Python files, and count what came of it.

    python benchmarks/measure/roundtrip.py FILE_OR_FOLDER ...
    python benchmarks/measure/roundtrip.py --stdlib -j 2 --json result.json
    python benchmarks/measure/roundtrip.py --stdlib --sample 60 --ratchet benchmarks/measure/ratchet.json
    python benchmarks/measure/roundtrip.py --stdlib --tests --author      beside what the authors' own source reaches
    python benchmarks/measure/roundtrip.py --stdlib --differences 20      what keeps exact ones from being identical
    python benchmarks/measure/roundtrip.py --stdlib --strip               without line tables
    python benchmarks/measure/roundtrip.py --stdlib --optimize 2          as python -OO compiles it

Each file is compiled and decompiled as a whole; each code object in it is one row with one outcome:

    identical    the recompiled code object is the original
    exact        recompiled instructions are equal
    equivalent   proven to behave the same
    unproven     source was found, the proof was not
    refused      no source, with a reason
    wrong        called proven, but its text does not compile, or a second witness (witness.py) disagrees
    crash        the decompiler raised what it must not raise, hung, died or ate the memory
"""

from __future__ import annotations
import __future__

import argparse
import collections
import functools
import inspect
import json
import os
import random
import sys
import sysconfig
import time
import types
import warnings
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

import ceiling
import same_tree
import witness
import workers

OUTCOMES = ("identical", "exact", "equivalent", "unproven", "refused", "wrong", "crash")
PROVEN = OUTCOMES[:3]
EXACT = OUTCOMES[:2]
"""Exact at least."""


class Row(NamedTuple):
    """What became of one code object; the ``reason`` of what is exact says what is not identical."""

    file: str
    qualname: str
    line: int
    outcome: str
    method: str
    reason: str
    witnessed: bool = False


class Item(NamedTuple):
    """A file, or the code object number ``place`` of it (in the order of ``all_codes``); -1 is the whole file.

    It is compiled with ``optimize``, as for compile(); ``stripped`` takes the line tables away; ``author`` compares
    with what the author's source reaches.
    """

    path: str
    place: int = -1
    optimize: int = 0
    stripped: bool = False
    author: bool = False


class Measured(NamedTuple):
    """Rows of one item, and the CPU seconds that compile() and depyf took for it."""

    rows: list[Row]
    compile_seconds: float
    seconds: float
    ceiling: ceiling.Ceiling = ceiling.Ceiling()
    trees: same_tree.Trees = same_tree.Trees()


def all_codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """``code`` and all code objects nested in it, each before the ones it contains."""
    todo = [code]
    while todo:
        code = todo.pop()
        yield code
        todo.extend(reversed([c for c in code.co_consts if isinstance(c, types.CodeType)]))


def read(item: Item) -> bytes:
    with open(item.path, "rb") as file:
        return file.read()


def compile_item(item: Item, source: bytes) -> types.CodeType | None:
    """The code object of the whole module; None if this Python can't compile the file."""
    try:
        return compile(source, item.path, "exec", dont_inherit=True, optimize=item.optimize)
    except (SyntaxError, ValueError):
        return None


def strip(code: types.CodeType) -> types.CodeType:
    """The same without line tables, nested code too."""
    table = "co_linetable" if hasattr(code, "co_linetable") else "co_lnotab"
    consts = tuple(strip(one) if isinstance(one, types.CodeType) else one for one in code.co_consts)
    fields: dict[str, Any] = {"co_consts": consts, table: b""}
    return code.replace(**fields)


def measure(item: Item, analyze: Callable[[types.CodeType], Any], standalone: Callable[[Any], str]) -> Measured:
    """Decompile one item in this process. Whatever ``analyze`` raises passes through.

    ``standalone`` gives the text of a result in a form that is valid Python by itself.
    """
    source = read(item)
    start = time.process_time()
    module = compile_item(item, source)
    compile_seconds = time.process_time() - start
    if module is None:
        return Measured([], 0.0, 0.0)
    whole = module
    if item.stripped:
        module = strip(module)
    code = module if item.place < 0 else list(all_codes(module))[item.place]
    rows, seconds, result = examine(code, item.path, analyze, standalone, nested=item.place < 0)
    measured = Measured(rows, compile_seconds, seconds)
    if item.author and item.place < 0:
        measured = measured._replace(
            ceiling=ceiling.ceiling(source, whole, item.optimize), trees=same_tree.compare(source, result.source)
        )
    return measured


def examine(
    code: types.CodeType,
    path: str,
    analyze: Callable[[types.CodeType], Any],
    standalone: Callable[[Any], str],
    nested: bool = True,
) -> tuple[list[Row], float, Any]:
    """The rows of ``code`` and of what is ``nested`` in it, the CPU seconds that ``analyze`` took, and its result."""
    start = time.process_time()
    result = analyze(code)
    seconds = time.process_time() - start
    results = {id(r.code): r for r in result.walk()}
    checked = Witnessed(code, result, results, standalone)
    codes = all_codes(code) if nested else [code]
    return [_row(path, c, results.get(id(c)), checked) for c in codes], seconds, result


class Witnessed:
    """The second witness' view of a result: ``objections`` by id of the original code object, '' for none."""

    def __init__(
        self, code: types.CodeType, result: Any, results: dict[int, Any], standalone: Callable[[Any], str]
    ) -> None:
        self.objections: dict[int, str] = {}
        whole = _compiled(result.source, code.co_filename)
        if isinstance(whole, str) and code.co_name == "<module>":
            self.objections[id(code)] = whole
        elif not isinstance(whole, str):
            self._compare(code, whole, results)
        for key, nested in results.items():
            # What the whole text does not show (its enclosing code was refused) is compiled by itself.
            if key not in self.objections and nested.verdict.level.value in PROVEN:
                if not _is_compiled_alone(nested.code):
                    continue
                alone = _compiled(standalone(nested), code.co_filename, nested.code.co_flags)
                if isinstance(alone, str):
                    self.objections[key] = alone
                else:
                    found = [c for c in all_codes(alone) if c.co_name == nested.code.co_name]
                    if found:
                        self._object(nested, found[0], alone=True)

    def _compare(self, code: types.CodeType, whole: types.CodeType, results: dict[int, Any]) -> None:
        shuffled = {key for key, nested in results.items() if nested.verdict.level.value not in EXACT}
        for original, recompiled in witness.pairs(code, whole, shuffled):
            nested = results.get(id(original))
            if nested is not None and original.co_name == recompiled.co_name:
                self._object(nested, recompiled, alone=False)

    def _object(self, nested: Any, recompiled: types.CodeType, alone: bool) -> None:
        verdict = nested.verdict
        self.objections[id(nested.code)] = witness.disagreement(
            nested.code, recompiled, verdict.level.value, verdict.method, alone, nested.raw.kind != "late"
        )


def _is_compiled_alone(code: types.CodeType) -> bool:
    """Whether a ``def`` makes ``code``, not a class, a comprehension, annotations or a type parameter."""
    parameters = code.co_varnames[: code.co_argcount]
    is_function = bool(code.co_flags & inspect.CO_OPTIMIZED) and all(name.isidentifier() for name in parameters)
    return is_function and not code.co_name.startswith(("<", "__annotate__"))


def _compiled(text: str, filename: str, flags: int = 0) -> types.CodeType | str:
    """The text compiled, or why it is not Python; with the kind of annotations that code with ``flags`` has."""
    try:
        flags &= __future__.annotations.compiler_flag
        code: types.CodeType = compile(text, filename, "exec", flags, dont_inherit=True, optimize=0)
        return code
    except (SyntaxError, ValueError) as error:
        return f"text does not compile: {error}"


def _row(path: str, code: types.CodeType, result: Any, checked: Witnessed) -> Row:
    name = getattr(code, "co_qualname", code.co_name)
    make = functools.partial(Row, path, name, code.co_firstlineno)
    if result is None:
        return make("refused", "", "no result of its own")
    level, method = result.verdict.level.value, result.verdict.method
    reasons = result.verdict.reasons
    reason = reasons[0] if level == "refused" else "; ".join(reasons or result.verdict.differs)
    objection = checked.objections.get(id(code))
    if level in PROVEN and objection:
        return make("wrong", method, f"called {level}, but {objection}", True)
    crashes = [one for one in reasons if "internal error" in one]
    if level == "refused" and crashes:
        return make("crash", method, crashes[0])
    return make(level, method, reason, objection is not None and level in PROVEN)


def work(item: Item) -> Measured:
    """What a worker process does with an item."""
    from depyf.decompiler.pipeline import analyze, standalone

    sys.setrecursionlimit(1000)  # the default: users have no other
    warnings.simplefilter("ignore")  # the tests have code that the compiler warns of
    return measure(item, analyze, standalone)


class Report:
    """All rows so far, and the table made of them."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.compile_seconds = 0.0
        self.seconds = 0.0
        self.times: dict[str, tuple[float, float]] = {}
        self.ceilings: list[ceiling.Ceiling] = []
        self.trees: list[same_tree.Trees] = []

    def add(self, path: str, measured: Measured) -> None:
        self.rows += measured.rows
        self.compile_seconds += measured.compile_seconds
        self.seconds += measured.seconds
        self.times[path] = (measured.seconds, measured.compile_seconds)
        self.ceilings += [measured.ceiling] if measured.ceiling.codes else []
        self.trees.append(measured.trees)

    def counts(self) -> dict[str, int]:
        found = collections.Counter(row.outcome for row in self.rows)
        return {outcome: found[outcome] for outcome in OUTCOMES}

    def percent(self, *outcomes: str) -> float:
        counts = self.counts()
        return 100 * sum(counts[outcome] for outcome in outcomes) / max(1, len(self.rows))

    def table(self, wall: float) -> str:
        counts, total = self.counts(), max(1, len(self.rows))
        lines = [f"{outcome:12}{count:8}{100 * count / total:8.2f} %" for outcome, count in counts.items()]
        witnessed = sum(row.witnessed for row in self.rows)
        lines.append(f"{'all':12}{len(self.rows):8}   in {len({row.file for row in self.rows})} files")
        lines.append(f"proven {self.percent(*PROVEN):.2f} %; {witnessed} of these seen by the second witness")
        lines.append(
            f"{len(self.rows) / max(1e-9, self.seconds):.0f} objects per CPU second, "
            f"{self.seconds / max(1e-9, self.compile_seconds):.1f} times compile(); {wall:.0f} s on the clock"
        )
        modules = collections.defaultdict(set)
        for row in self.rows:
            modules[row.file].add(row.outcome)
        lines.append(f"exact at least: {self.percent(*EXACT):.2f} %")
        for words, levels in (("identical", EXACT[:1]), ("exact at least,", EXACT)):
            whole = sum(outcomes <= set(levels) for outcomes in modules.values())
            lines.append(f"{100 * whole / max(1, len(modules)):.1f} % of the modules are {words} as a whole")
        return "\n".join(lines + self.beside_the_author())

    def beside_the_author(self) -> list[str]:
        """What the author's own source reaches, and how much of our text is the same; nothing if not measured."""
        lines = []
        if self.ceilings:
            codes = sum(one.codes for one in self.ceilings)
            for level in ("identical", "exact"):
                reached = sum(getattr(one, level) for one in self.ceilings)
                whole = sum(one.codes == getattr(one, level) for one in self.ceilings)
                lines.append(
                    f"the authors' own source by ast.unparse: {100 * reached / codes:.2f} % {level}, "
                    f"{100 * whole / len(self.ceilings):.1f} % of the modules"
                )
        functions, same = sum(one.functions for one in self.trees), sum(one.same for one in self.trees)
        if functions:
            lines.append(f"{100 * same / functions:.2f} % of {functions} functions have the author's syntax tree")
            found = collections.Counter(what for one in self.trees for _, what in one.differences)
            lines += [f"{count:8}  {what}" for what, count in found.most_common(20)]
        return lines

    def slowest(self, most: int) -> str:
        """The files that took longest, with the seconds of depyf's and compile()'s."""
        times = sorted(self.times.items(), key=lambda one: -one[1][0])[:most]
        return "\n".join(
            f"{seconds:8.2f} s, {seconds / max(1e-9, compiling):6.1f} times compile()  {path}"
            for path, (seconds, compiling) in times
        )

    def reasons(self, most: int) -> str:
        found = collections.Counter(
            f"{row.outcome}: {row.reason.splitlines()[0][:90] if row.reason else 'no reason given'}"
            for row in self.rows
            if row.outcome not in PROVEN
        )
        return "\n".join(f"{count:8}  {reason}" for reason, count in found.most_common(most))

    def differences(self, most: int) -> str:
        """In which fields code objects that are exact differ from the original, with some examples of each."""
        found: dict[str, list[Row]] = collections.defaultdict(list)
        for row in self.rows:
            if row.outcome == "exact":
                found[row.reason].append(row)
        lines = []
        for reason, rows in sorted(found.items(), key=lambda one: -len(one[1]))[:most]:
            lines.append(f"{len(rows):8}  {reason}")
            lines += [f"{'':12}{row.file}:{row.line}  {row.qualname}" for row in rows[:: max(1, len(rows) // 3)][:3]]
        return "\n".join(lines)

    def failures(self, most: int) -> str:
        order = ("wrong", "crash", "unproven", "refused")
        rows = sorted((r for r in self.rows if r.outcome in order), key=lambda r: order.index(r.outcome))
        return "\n".join(
            f"{row.outcome}  {row.file}:{row.line}  {row.qualname}\n    {row.reason or 'no reason given'}"
            for row in rows[:most]
        )


def measure_all(
    items: Iterable[Item], run_work: Callable[[Item], Measured], processes: int, limit: float, memory: int
) -> Report:
    """The report over all files. A file that fails as a whole is taken again, one code object at a time."""
    report = Report()
    retry: list[tuple[Item, str]] = []
    options: dict[str, Any] = {"processes": processes, "limit": limit, "memory": memory}
    for answer in workers.run(run_work, items, **options):
        if answer.failure:
            retry.append((answer.item, answer.failure))
        else:
            report.add(answer.item.path, answer.value)
    for item, failure in retry:
        report.add(item.path, retry_file(item, failure, run_work, options))
    return report


def retry_file(
    item: Item, failure: str, run_work: Callable[[Item], Measured], options: dict[str, Any]
) -> Measured:
    """What a file gives whose analysis as a whole failed: find the code objects that make it fail.

    One that fails only because of what it contains is not blamed: the innermost failing one is the crash.
    """
    module = compile_item(item, read(item))
    assert module is not None, "a file that does not compile gives no rows and can't fail"
    codes = list(all_codes(module))
    rows: dict[int, Row] = {}
    failed: dict[int, str] = {}
    seconds = 0.0
    for answer in workers.run(run_work, [item._replace(place=i) for i in range(len(codes))], **options):
        if answer.failure:
            failed[answer.item.place] = answer.failure
        else:
            rows[answer.item.place] = answer.value.rows[0]
            seconds += answer.value.seconds
    if not failed:  # only the file as a whole does it, the sum is too much
        failed[0] = f"{failure} (each code object alone is fine)"
    at = {id(code): index for index, code in enumerate(codes)}
    for index, reason in failed.items():
        inside = [at[id(c)] for c in all_codes(codes[index]) if c is not codes[index]]
        blamed = not any(other in failed for other in inside)
        outcome, text = ("crash", reason) if blamed else ("refused", "contains a code object that crashes")
        code = codes[index]
        name = getattr(code, "co_qualname", code.co_name)
        rows[index] = Row(item.path, name, code.co_firstlineno, outcome, "", text)
    return Measured([rows[index] for index in sorted(rows)], 0.0, seconds)


def add_file_options(parser: argparse.ArgumentParser) -> None:
    """The options that say which files to measure, for `chosen_files`."""
    parser.add_argument("paths", nargs="*", help="Python files and folders")
    parser.add_argument("--stdlib", action="store_true", help="the running Python's standard library")
    parser.add_argument("--tests", action="store_true", help="with its tests")
    parser.add_argument("--sample", type=int, metavar="N", help="only N of the files, chosen at random")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (default 1)")


def chosen_files(options: argparse.Namespace) -> list[str]:
    """The files that the options of `add_file_options` mean. Raises FileNotFoundError as `find_files`."""
    files = find_files(options.paths, options.stdlib, options.tests)
    if options.sample is not None and options.sample < len(files):
        files = sorted(random.Random(options.seed).sample(files, options.sample))
    return files


def find_files(paths: Iterable[str], stdlib: bool, tests: bool) -> list[str]:
    """All Python files meant by the arguments. Raises FileNotFoundError for a path that does not exist."""
    found: list[str] = []
    for path in paths:
        if os.path.isdir(path):
            found += _python_files(path, {"__pycache__"})
        elif os.path.exists(path):
            found.append(path)
        else:
            raise FileNotFoundError(f"no such file or folder: {path}")
    if stdlib:
        skipped = {"__pycache__", "site-packages", "dist-packages"}
        skipped |= set() if tests else {"test", "tests", "idle_test"}
        found += _python_files(sysconfig.get_paths()["stdlib"], skipped)
    return found


def _python_files(folder: str, skipped: set[str]) -> list[str]:
    found = []
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in skipped)
        paths = [os.path.join(where, name) for name in sorted(names) if name.endswith(".py")]
        found += [path for path in paths if os.path.exists(path)]  # not links that lead nowhere
    return found


def check_ratchet(report: Report, path: str) -> list[str]:
    """What falls behind the promises in the file, which has them by version of Python.

    At least so much exact and proven, at most so many wrong and crashed.
    """
    version = "{}.{}".format(*sys.version_info)
    with open(path, encoding="utf-8") as file:
        promised = json.load(file).get(version)
    if promised is None:
        return [f"{path} promises nothing for Python {version}"]
    counts = report.counts()
    broken = []
    for name, outcomes in (("identical", EXACT[:1]), ("exact", EXACT), ("proven", PROVEN)):
        if report.percent(*outcomes) < promised[name + "_percent"]:
            broken.append(f"{report.percent(*outcomes):.2f} % {name}, promised {promised[name + '_percent']} %")
    for outcome in ("wrong", "crash"):
        if counts[outcome] > promised[outcome]:
            broken.append(f"{counts[outcome]} {outcome}, promised at most {promised[outcome]}")
    return broken


def parse_arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add_file_options(parser)
    parser.add_argument("--optimize", type=int, default=0, choices=(0, 1, 2), help="1: as -O, 2: as -OO compiles")
    parser.add_argument("--strip", action="store_true", help="take the line tables away")
    parser.add_argument("--author", action="store_true", help="compare with what the authors' own source reaches")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="processes (default 1)")
    parser.add_argument("--limit", type=float, default=60, help="seconds per file (default 60)")
    parser.add_argument("--memory", type=int, default=4096, help="MiB per process (default 4096)")
    parser.add_argument("--reasons", type=int, default=20, metavar="N", help="most frequent reasons to list")
    parser.add_argument("--slowest", type=int, default=20, metavar="N", help="slowest files to list")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="failures to show, with the first difference")
    parser.add_argument("--differences", type=int, default=0, metavar="N", help="why what is exact is not identical")
    parser.add_argument("--json", metavar="FILE", help="write every row")
    parser.add_argument("--ratchet", metavar="FILE", help="fail if the result is worse than this file promises")
    options = parser.parse_args(arguments)
    if not options.paths and not options.stdlib:
        parser.error("nothing to do: name files or folders, or give --stdlib")
    return options


def main(arguments: list[str] | None = None, run_work: Callable[[Item], Measured] = work) -> int:
    """Exit status 0, or 1 if something is wrong or crashed, or the ratchet is broken."""
    options = parse_arguments(arguments)
    files = chosen_files(options)
    start = time.monotonic()
    items = [Item(path, -1, options.optimize, options.strip, options.author) for path in files]
    report = measure_all(items, run_work, options.jobs, options.limit, options.memory << 20)
    print(f"Python {sys.version.split()[0]}, {len(files)} files")
    print(report.table(time.monotonic() - start))
    if options.reasons and report.reasons(options.reasons):
        print(f"\nmost frequent reasons\n{report.reasons(options.reasons)}")
    if options.slowest:
        print(f"\nslowest\n{report.slowest(options.slowest)}")
    if options.show:
        print(f"\n{report.failures(options.show)}")
    if options.differences:
        print(f"\nexact, not identical\n{report.differences(options.differences)}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"counts": report.counts(), "rows": [row._asdict() for row in report.rows]}, file, indent=1)
    if options.ratchet:
        broken = check_ratchet(report, options.ratchet)
        print("".join(f"\nratchet: {line}" for line in broken) or "\nratchet: kept")
        return 1 if broken else 0
    return 1 if report.counts()["wrong"] or report.counts()["crash"] else 0


if __name__ == "__main__":
    sys.exit(main())
