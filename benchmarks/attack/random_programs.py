"""Random programs, decompiled and compiled again: nothing may be wrong, whatever nobody would write.

    python benchmarks/attack/random_programs.py 10000                      functions of nested statements and conditions
    python benchmarks/attack/random_programs.py 10000 --all -j 2           on each of CPython 3.8 to 3.15 that is found
    python benchmarks/attack/random_programs.py --write programs.json 5000  modules of hypothesmith's, for --read
    python benchmarks/attack/random_programs.py --write programs.json 300 --by pysource-codegen   of another generator's
    python benchmarks/attack/random_programs.py --write programs.json 1000 --by grafts   real functions, mixed
    python benchmarks/attack/random_programs.py --read programs.json       those that this Python compiles
    python benchmarks/attack/random_programs.py 1 --seed 77 --show         one function, and what came of it

Functions (tests/random_source.py) are run beside the original on a script that answers and raises, with 12 seeds.
Modules go through the second witness of roundtrip.py alone. Exit status 1 if one is wrong, unproven or crashes.
"""

from __future__ import annotations

import argparse
import collections
import importlib
import json
import random
import subprocess
import sys
import sysconfig
import time
import warnings
from pathlib import Path
from typing import Any, Iterable, Iterator, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("src", "tests", "benchmarks/lib", "benchmarks/measure")]

# The tests' own modules are not on mypy's path.
from random_source import compiles, random_function  # type: ignore[import-not-found] # noqa: E402
from scripted_runs import function_of, outcome  # type: ignore[import-not-found] # noqa: E402

import grafts  # noqa: E402
import roundtrip  # noqa: E402
import workers  # noqa: E402
from depyf.decompiler.bytecode.interpreters import find_interpreter  # noqa: E402
from depyf.decompiler.bytecode.versions import HOSTS  # noqa: E402
from depyf.decompiler.pipeline import analyze, standalone  # noqa: E402
from depyf.decompiler.recompile import recompile  # noqa: E402

RUNS = 12
BATCH = 50
WORST_FIRST = ("wrong", "crash", "unproven", "refused", "equivalent", "exact", "identical")
BAD = WORST_FIRST[:3]


class Batch(NamedTuple):
    """Some programs: seeds of functions, or texts of modules by number."""

    programs: tuple[tuple[int, str], ...]


class Found(NamedTuple):
    """What became of one program, and why if it is no proof."""

    number: int
    outcome: str
    reason: str = ""


def work(batch: Batch) -> list[Found]:
    """What a worker process does with a batch. A program without text is the function of its number."""
    warnings.simplefilter("ignore")
    return [found for number, text in batch.programs for found in _one(number, text)]


def _one(number: int, text: str) -> Iterator[Found]:
    is_function = not text
    text = text or random_function(random.Random(number))
    if not compiles(text):
        return
    code = compile(text, f"<program {number}>", "exec", dont_inherit=True)
    rows, _, result = roundtrip.examine(code, str(number), analyze, standalone)
    worst = min(rows, key=lambda row: WORST_FIRST.index(row.outcome))
    if is_function and all(one.verdict.level.value in roundtrip.PROVEN for one in result.walk()):
        # 3.8 and 3.9 look `__debug__` up in assignment expressions: the text has another name for it.
        again = function_of(recompile(result.source, like=code) if result.text.meant else result.source)
        original = function_of(text)
        for seed in range(RUNS):
            if outcome(original, seed) != outcome(again, seed):
                yield Found(number, "wrong", f"run {seed} differs: {outcome(original, seed)}, {outcome(again, seed)}")
                return
    yield Found(number, worst.outcome, worst.reason if worst.outcome not in roundtrip.PROVEN else "")


def batches(options: argparse.Namespace) -> Iterator[Batch]:
    if options.read:
        texts = json.loads(Path(options.read).read_text(encoding="utf-8"))
        programs: Iterable[tuple[int, str]] = enumerate(texts)
    else:
        programs = ((seed, "") for seed in range(options.seed, options.seed + options.count))
    waiting: list[tuple[int, str]] = []
    for program in programs:
        waiting.append(program)
        if len(waiting) == BATCH:
            yield Batch(tuple(waiting))
            waiting = []
    yield Batch(tuple(waiting))


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """All programs on the running interpreter."""
    start = time.monotonic()
    found: list[Found] = []
    again: list[Batch] = []
    for answer in workers.run(work, batches(options), processes=options.jobs, limit=120.0, memory=4096 << 20):
        if answer.failure:
            again += [Batch((program,)) for program in answer.item.programs]
        else:
            found += answer.value
    for answer in workers.run(work, again, processes=options.jobs, limit=60.0, memory=4096 << 20):
        number = answer.item.programs[0][0]
        found += [Found(number, "crash", answer.failure)] if answer.failure else answer.value
    counts = collections.Counter(one.outcome for one in found)
    reasons = collections.Counter((one.outcome, one.reason.split(":")[0][:100]) for one in found if one.reason)
    examples = {(one.outcome, one.reason.split(":")[0][:100]): one.number for one in reversed(found) if one.reason}
    return {
        "version": sys.version.split()[0], "programs": len(found), "seconds": time.monotonic() - start,
        "counts": {kind: counts[kind] for kind in reversed(WORST_FIRST)},
        "reasons": [(count, *key, examples[key]) for key, count in reasons.most_common(30)],
        "bad": [one._asdict() for one in found if one.outcome in BAD],
    }  # fmt: skip


def report(table: dict[str, Any], most: int) -> None:
    """Prints the table of one interpreter."""
    counts = ", ".join(f"{count} {kind}" for kind, count in table["counts"].items())
    print(f"{table['version']}: {table['programs']} programs in {table['seconds']:.0f} s: {counts}")
    for count, kind, reason, example in table["reasons"][:most]:
        print(f"  {count:6}  {kind}: {reason} ({example}, say)")
    for one in table["bad"][:10]:
        print(f"  {one['outcome'].upper()} {one['number']}: {one['reason']}")


def everywhere(options: argparse.Namespace) -> int:
    """The same on every interpreter, one after the other; the worst exit status."""
    status = 0
    arguments = [a for a in sys.argv[1:] if a != "--all"]
    for version in HOSTS:
        python = find_interpreter(version)
        if python is None:
            print("{}.{}: not found".format(*version))
            continue
        status = max(status, subprocess.run([python, __file__, *arguments], check=False).returncode)
    return status


def write(path: str, texts: list[str]) -> None:
    Path(path).write_text(json.dumps(texts), encoding="utf-8")
    print(f"{len(texts)} different texts")


def by_hypothesmith(count: int, seed: int) -> list[str]:
    """Modules by the grammar, or of the nodes of a concrete syntax tree; the seed is hypothesis' own."""
    from hypothesis import HealthCheck, given, settings

    hypothesmith = importlib.import_module("hypothesmith")  # no part of what the tests install

    warnings.simplefilter("ignore")
    texts: dict[str, None] = {}

    @settings(max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(hypothesmith.from_grammar() | hypothesmith.from_node())
    def gather(text: str) -> None:
        texts[text] = None

    gather()
    return list(texts)


def by_pysource_codegen(count: int, seed: int) -> list[str]:
    """Modules made of the syntax nodes of the Python that runs this, in any mixture that compiles."""
    generate = importlib.import_module("pysource_codegen").generate  # no part of what the tests install
    return [generate(number, node_limit=300, depth_limit=8) for number in range(seed, seed + count)]


def by_grafting(count: int, seed: int) -> list[str]:
    """Functions of this Python's library with statements of others put in."""
    return list(grafts.grafts(count, seed, Path(sysconfig.get_path("stdlib"))))


GENERATORS = {"hypothesmith": by_hypothesmith, "pysource-codegen": by_pysource_codegen, "grafts": by_grafting}


def show(seed: int) -> None:
    text = random_function(random.Random(seed))
    print(text, "\n")
    for one in _one(seed, ""):
        print(one.outcome, one.reason, "\n")
    print(analyze(compile(text, "<program>", "exec", dont_inherit=True)).source)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("count", type=int, nargs="?", default=1000, help="how many programs (default 1000)")
    parser.add_argument("--seed", type=int, default=0, help="of the first function or module (default 0)")
    parser.add_argument("--all", action="store_true", help="on every CPython from 3.8 to 3.15 that is found")
    parser.add_argument("--read", metavar="FILE", help="modules that --write made")
    parser.add_argument("--write", metavar="FILE", help="have a generator of modules make so many")
    parser.add_argument("--by", choices=GENERATORS, default="hypothesmith", help="the generator (default hypothesmith)")
    parser.add_argument("--show", action="store_true", help="one function and its source")
    parser.add_argument("--reasons", type=int, default=12, metavar="N", help="reasons to list (default 12)")
    parser.add_argument("--json", metavar="FILE", help="write the table")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="processes (default 1)")
    options = parser.parse_args()
    if options.write:
        write(options.write, GENERATORS[options.by](options.count, options.seed))
        return 0
    if options.show:
        show(options.seed)
        return 0
    if options.all:
        return everywhere(options)
    table = measure(options)
    report(table, options.reasons)
    if options.json:
        Path(options.json).write_text(json.dumps(table, indent=1), encoding="utf-8")
    return 1 if table["bad"] else 0


if __name__ == "__main__":
    sys.exit(main())
