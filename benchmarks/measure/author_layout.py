"""How much of the author's layout comes back: decompile files with layout="author" and compile the text again.

    python benchmarks/measure/author_layout.py FILE_OR_FOLDER ...
    python benchmarks/measure/author_layout.py --stdlib --tests --sample 60
    python benchmarks/measure/author_layout.py --stdlib --sample 60 --show 20     the first difference of each failure
    python benchmarks/measure/author_layout.py --packages FOLDER --sample 100     ten packages that a seed chose, which
                                                                                 pip downloads into FOLDER

What the interpreter itself says of its code objects is compared, without depyf's proof. An object counts if the
recompiled one is the original field by field (nested code aside), then if each instruction has the same line too, then
if it has the same columns. A module counts if all of its objects do. The words are the author's lines of code that are
the same on the same line, comments aside, and the same with quotes of either kind. The cost is the CPU time that the
layout adds to decompiling, over that of compile().

Exit status 1 if a verdict claims more than the interpreter finds, if a verdict is weaker than that of the compact
layout, or if anything is raised.
"""

from __future__ import annotations

import argparse
import io
import sys
import time
import tokenize
import types
import warnings
from pathlib import Path
from typing import Any, Iterator, List, NamedTuple, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

import packages
import same_tree
import workers
from roundtrip import add_file_options, chosen_files

COUNTS = ("modules", "objects", "compact", "code", "lines", "columns", "module_code", "module_lines", "module_columns",
          "words", "words_same", "words_quoted", "functions", "trees")  # fmt: skip
HAVE_COLUMNS = hasattr(types.CodeType, "co_positions")


class Measured(NamedTuple):
    """Of one file: the counts, seconds for compile(), compact and author; what is wrong; the first differences."""

    counts: Tuple[int, ...]
    seconds: Tuple[float, float, float]
    wrong: Tuple[str, ...]
    differences: Tuple[str, ...]


def positions(code: types.CodeType) -> List[Tuple[Any, ...]]:
    """For each code unit its place: line, end line, column, end column, or the line alone."""
    if hasattr(code, "co_positions"):
        return list(code.co_positions())
    if hasattr(code, "co_lines"):
        return [(line,) for start, end, line in code.co_lines() for _ in range(start, end, 2)]
    line, at = code.co_firstlineno, 0
    found: List[Tuple[Any, ...]] = []
    for step, lines in zip(code.co_lnotab[::2], code.co_lnotab[1::2]):
        at += step
        found += [(line,)] * (at // 2 - len(found))
        line += lines - 256 if lines > 127 else lines
    return found + [(line,)] * (len(code.co_code) // 2 - len(found))


def pairs(code: types.CodeType, other: types.CodeType | None) -> Iterator[Tuple[types.CodeType, types.CodeType | None]]:
    """Both, and the code nested in them: by name and order."""
    yield code, other
    left = [one for one in other.co_consts if isinstance(one, types.CodeType)] if other is not None else []
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            found = next((n for n, candidate in enumerate(left) if candidate.co_name == one.co_name), None)
            yield from pairs(one, left.pop(found) if found is not None else None)


_FIELDS = ("co_code", "co_names", "co_varnames", "co_cellvars", "co_freevars", "co_flags", "co_stacksize",
           "co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_name", "co_exceptiontable",
           "co_qualname")  # fmt: skip


def is_same(code: types.CodeType, other: types.CodeType) -> bool:
    """Whether the fields are the same, but for nested code and places."""
    if any(getattr(code, field, None) != getattr(other, field, None) for field in _FIELDS):
        return False
    ours, theirs = (
        [None if isinstance(one, types.CodeType) else (type(one), _shown(one)) for one in each.co_consts]
        for each in (code, other)
    )
    return ours == theirs


def _shown(constant: Any) -> str:
    """Its text; that of a set does not depend on the order in which it was filled."""
    return repr(sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant)


def words_of(source: str) -> dict[int, str]:
    """The lines that have code, without comments; those within string literals are left out."""
    lines = source.split("\n")
    found = {}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row = token.start[0]
            found[row] = lines[row - 1][: token.start[1]].rstrip()
        elif token.string.strip() and token.start[0] == token.end[0]:
            found.setdefault(token.start[0], lines[token.start[0] - 1].rstrip())
    return {row: text for row, text in found.items() if text}


def unquoted(text: str) -> str:
    return text.replace('"', "'")


def measure(path: str) -> Measured | None:
    """One file; None if this Python can't compile it."""
    from depyf.decompiler.pipeline import analyze

    with open(path, "rb") as file:
        source = file.read()
    start = time.process_time()
    try:
        code = compile(source, path, "exec", dont_inherit=True)
        text = source.decode(tokenize.detect_encoding(io.BytesIO(source).readline)[0]).replace("\r\n", "\n")
    except (SyntaxError, ValueError):
        return None
    compiled = time.process_time()
    plain = analyze(code)
    compact = time.process_time()
    result = analyze(code, layout="author")
    end = time.process_time()
    count = dict.fromkeys(COUNTS, 0)
    wrong, differences = [], []
    count["modules"] = 1
    try:
        other = compile(result.source, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        other, wrong = None, [f"{path}: the text does not compile: {error}"]
    verdicts = {id(part.code): part.verdict for part in result.walk()}
    compare = {id(part.code): part.verdict for part in plain.walk()}
    for original, recompiled in pairs(code, other):
        verdict = verdicts.get(id(original))
        where = f"{path}: {original.co_name} (line {original.co_firstlineno})"
        count["objects"] += 1
        before = compare.get(id(original))
        count["compact"] += before is not None and before.identical
        if verdict is not None and before is not None and verdict.level.is_weaker(before.level):
            wrong.append(f"{where}: {verdict.level.value}, and {before.level.value} if compact")
        same = recompiled is not None and is_same(original, recompiled)
        ours = positions(original)
        theirs = positions(recompiled) if recompiled is not None else []
        lines = same and [place[0] for place in ours] == [place[0] for place in theirs]
        columns = lines and ours == theirs and any(None not in place for place in ours) and len(ours[0]) > 1
        count["code"] += same
        count["lines"] += lines
        count["columns"] += columns
        if verdict is not None and (verdict.lines and not lines or verdict.columns and not columns):
            wrong.append(f"{where}: the verdict claims lines {verdict.lines} and columns {verdict.columns}")
        if not (columns if len(ours[0]) > 1 else lines):
            differences.append(_difference(where, verdict, ours, theirs, text, result.source))
    for name in ("code", "lines", "columns"):
        count["module_" + name] = int(count[name] == count["objects"])
    mine = result.source.split("\n")
    for row, line in words_of(text).items():
        there = mine[row - 1].rstrip() if row <= len(mine) else ""
        count["words"] += 1
        count["words_same"] += line == there
        count["words_quoted"] += unquoted(line) == unquoted(there)
    trees = same_tree.compare(source, result.source if other is not None else "", is_strict=True)
    count["functions"], count["trees"] = trees.functions, trees.same
    seconds = compiled - start, compact - compiled, end - compact
    return Measured(tuple(count[name] for name in COUNTS), seconds, tuple(wrong), tuple(differences))


def _difference(where: str, verdict: Any, ours: List[Any], theirs: List[Any], author: str, text: str) -> str:
    """The first place that is another, with the line that each text has there."""
    level = verdict.level.value if verdict is not None else "no verdict"
    for left, right in zip(ours, theirs):
        if left != right:
            shown = [
                f"{row[0]}: {lines[row[0] - 1].strip()}" if row[0] and row[0] <= len(lines) else "nowhere"
                for row, lines in ((left, author.split("\n")), (right, text.split("\n")))
            ]
            return f"{where}: {level}\n    {left} {shown[0]}\n    {right} {shown[1]}"
    return f"{where}: {level}"


def row(measured: List[Measured]) -> str:
    """The row of a table."""
    total = dict(zip(COUNTS, (sum(column) for column in zip(*(one.counts for one in measured)))))
    compiling, compact, author = (sum(column) for column in zip(*(one.seconds for one in measured)))

    def share(name: str, of: str = "objects") -> str:
        return f"{100 * total[name] / max(total[of], 1):.1f}"

    cells = [
        sys.version.split()[0], f"{total['modules']}", f"{total['objects']:,}", share("compact"), share("code"),
        share("lines"), share("columns") if HAVE_COLUMNS else "-",
        " / ".join(share("module_" + name, "modules") for name in ("code", "lines", "columns")[: 2 + HAVE_COLUMNS]),
        share("trees", "functions"), f"{share('words_same', 'words')} ({share('words_quoted', 'words')})",
        f"{(author - compact) / max(compiling, 1e-9):.1f}",
    ]  # fmt: skip
    return "| " + " | ".join(cells) + " |"


HEADER = """\
| CPython | modules | objects | code, compact | code | lines | columns | modules: code / lines / columns \
| trees | words (either quotes) | cost |
|---|---|---|---|---|---|---|---|---|---|---|"""


def main(arguments: List[str] | None = None) -> int:
    """Exit status 1 if a verdict is wrong or anything failed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_file_options(parser)
    parser.add_argument("-j", "--jobs", type=int, default=1, help="processes (default 1)")
    parser.add_argument("--limit", type=float, default=120, help="seconds per file (default 120)")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="first differences to show")
    parser.add_argument("--packages", type=Path, metavar="FOLDER", help="ten packages that --seed chooses")
    options = parser.parse_args(arguments)
    if options.packages is not None:
        names = packages.chosen(options.seed)
        print(", ".join(names))
        packages.download(names, options.packages)
        files = packages.files_of(names, options.packages, options.sample, options.seed)
    else:
        files = chosen_files(options)
    warnings.simplefilter("ignore")
    measured: List[Measured] = []
    failed = []
    for answer in workers.run(measure, files, processes=options.jobs, limit=options.limit):
        if answer.failure:
            failed.append(f"{answer.item}: {answer.failure}")
        elif answer.value is not None:
            measured.append(answer.value)
    for line in failed + [line for one in measured for line in one.wrong]:
        print(line)
    for line in [line for one in measured for line in one.differences][: options.show]:
        print(line)
    if measured:
        print(HEADER)
        print(row(measured))
    return 1 if failed or any(one.wrong for one in measured) else 0


if __name__ == "__main__":
    sys.exit(main())
