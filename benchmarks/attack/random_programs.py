"""Random programs, decompiled and compiled again: nothing may be wrong, whatever nobody would write.

    python benchmarks/attack/random_programs.py 10000                      functions of nested statements and conditions
    python benchmarks/attack/random_programs.py 10000 --all -j 2           on each of CPython 3.8 to 3.15 that is found
    python benchmarks/attack/random_programs.py 1 --seed 77 --show         one function, and what came of it

Functions (tests/random_source.py) are run beside the original on a script that answers and raises, with 12 seeds.
Exit status 1 if one is wrong, unproven or crashes.
"""

from __future__ import annotations

import argparse
import collections
import json
import random
import sys
import time
import warnings
from pathlib import Path
from typing import Any, Iterator, NamedTuple, Sequence

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("src", "tests", "benchmarks/lib", "benchmarks/measure")]

# The tests' own modules are not on mypy's path.
from random_source import compiles, random_function  # type: ignore[import-not-found] # noqa: E402
from scripted_runs import function_of, outcome  # type: ignore[import-not-found] # noqa: E402

import roundtrip  # noqa: E402
import workers  # noqa: E402
from chosen import on_every_python  # noqa: E402
from depyf.decompiler.pipeline import analyze, standalone  # noqa: E402
from depyf.decompiler.recompile import recompile  # noqa: E402

RUNS = 12
BATCH = 50
WORST_FIRST = ("wrong", "crash", "unproven", "refused", "equivalent", "exact", "identical")
BAD = WORST_FIRST[:3]


class Found(NamedTuple):
    """What became of one program, and why if it is no proof."""

    number: int
    outcome: str
    reason: str = ""


def work(seeds: Sequence[int]) -> list[Found]:
    """What a worker process does with a batch of functions."""
    warnings.simplefilter("ignore")
    return [found for seed in seeds for found in _one(seed)]


def _one(seed: int) -> Iterator[Found]:
    text = random_function(random.Random(seed))
    if not compiles(text):
        return
    code = compile(text, f"<program {seed}>", "exec", dont_inherit=True)
    rows, _, result = roundtrip.examine(code, str(seed), analyze, standalone)
    worst = min(rows, key=lambda row: WORST_FIRST.index(row.outcome))
    if all(one.verdict.level.value in roundtrip.PROVEN for one in result.walk()):
        # 3.8 and 3.9 look `__debug__` up in assignment expressions: the text has another name for it.
        again = function_of(recompile(result.source, like=code) if result.text.meant else result.source)
        original = function_of(text)
        for run in range(RUNS):
            if outcome(original, run) != outcome(again, run):
                yield Found(seed, "wrong", f"run {run} differs: {outcome(original, run)}, {outcome(again, run)}")
                return
    yield Found(seed, worst.outcome, worst.reason if worst.outcome not in roundtrip.PROVEN else "")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """All programs on the running interpreter."""
    start = time.monotonic()
    found: list[Found] = []
    again: list[list[int]] = []
    seeds = range(options.seed, options.seed + options.count)
    batches = [seeds[at : at + BATCH] for at in range(0, len(seeds), BATCH)]
    for answer in workers.run(work, batches, processes=options.jobs, limit=120.0, memory=4096 << 20):
        if answer.failure:
            again += [[seed] for seed in answer.item]
        else:
            found += answer.value
    for answer in workers.run(work, again, processes=options.jobs, limit=60.0, memory=4096 << 20):
        found += [Found(answer.item[0], "crash", answer.failure)] if answer.failure else answer.value
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


def show(seed: int) -> None:
    text = random_function(random.Random(seed))
    print(text, "\n")
    for one in _one(seed):
        print(one.outcome, one.reason, "\n")
    print(analyze(compile(text, "<program>", "exec", dont_inherit=True)).source)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("count", type=int, nargs="?", default=1000, help="how many programs (default 1000)")
    parser.add_argument("--seed", type=int, default=0, help="of the first function (default 0)")
    parser.add_argument("--all", action="store_true", help="on every CPython from 3.8 to 3.15 that is found")
    parser.add_argument("--show", action="store_true", help="one function and its source")
    parser.add_argument("--reasons", type=int, default=12, metavar="N", help="reasons to list (default 12)")
    parser.add_argument("--json", metavar="FILE", help="write the table")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="processes (default 1)")
    options = parser.parse_args()
    if options.show:
        show(options.seed)
        return 0
    if options.all:
        return on_every_python(__file__, [a for a in sys.argv[1:] if a != "--all"])
    table = measure(options)
    report(table, options.reasons)
    if options.json:
        Path(options.json).write_text(json.dumps(table, indent=1), encoding="utf-8")
    return 1 if table["bad"] else 0


if __name__ == "__main__":
    sys.exit(main())
