"""The grammar of the running Python, each construct in each scope and in each other construct, decompiled and compared.

    python benchmarks/attack/every_construct.py --sample 2000             so many of the programs of lib/grammar.py
    python benchmarks/attack/every_construct.py --sample 2000 --all       on each of CPython 3.8 to 3.15 that is found
    python benchmarks/attack/every_construct.py --seed 3 -j 2             all of them, in scopes and modes of that seed
    python benchmarks/attack/every_construct.py --show 4711               one program, and what came of it

*No packages*. Each program is compiled in a mode that the seed draws: on one line or many, optimised or not, without
line tables or with, in either layout, with `from __future__ import annotations`, with private names. What this Python
can't compile is left out. Every code object must be proven, and the second witness of roundtrip.py must agree. Exit
status 1 if one is wrong, unproven or crashes; what is refused is listed.
"""

from __future__ import annotations

import argparse
import collections
import functools
import json
import logging
import random
import sys
import time
import warnings
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Tuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("src", "benchmarks/lib", "benchmarks/measure")]

import grammar  # noqa: E402
import roundtrip  # noqa: E402
import workers  # noqa: E402
from chosen import on_every_python  # noqa: E402
from depyf.decompiler.pipeline import analyze, standalone  # noqa: E402

BATCH = 100
WORST_FIRST = ("wrong", "crash", "unproven", "refused", "equivalent", "exact", "identical")
BAD = WORST_FIRST[:3]


class Batch(NamedTuple):
    """Numbers of programs of a seed."""

    seed: int
    numbers: Tuple[int, ...]


class Found(NamedTuple):
    """What became of one program: its worst code object's outcome, how many objects there are, and the reason."""

    number: int
    outcome: str
    objects: int = 1
    reason: str = ""


@functools.lru_cache(maxsize=1)
def programs(seed: int) -> List[grammar.Program]:
    return grammar.programs(seed)


def compiled(number: int, seed: int) -> Any:
    """The text, the mode and the code object of a program; None if this Python can't compile it."""
    program = programs(seed)[number]
    mode = grammar.mode_of(program, seed)
    text = grammar.text_of(program, mode, seed)
    try:
        code = compile(text, f"<program {number}>", "exec", dont_inherit=True, optimize=mode.optimize)
    except (SyntaxError, ValueError, SystemError):  # the last from the compiler itself, which some programs break
        return None
    return text, mode, roundtrip.strip(code) if mode.stripped else code


def work(batch: Batch) -> List[Found]:
    """What a worker process does with a batch: the programs that this Python compiles."""
    warnings.simplefilter("ignore")
    return [found for number in batch.numbers for found in _one(number, batch.seed)]


def _one(number: int, seed: int) -> Iterator[Found]:
    made = compiled(number, seed)
    if made is None:
        return
    _, mode, code = made
    of_layout = functools.partial(analyze, layout=mode.layout)
    log = _Log()
    logging.getLogger("depyf").addHandler(log)
    rows, _, result = roundtrip.examine(code, str(number), of_layout, standalone)
    logging.getLogger("depyf").removeHandler(log)
    worst = min(rows, key=lambda row: WORST_FIRST.index(row.outcome))
    outcome, reason = worst.outcome, "" if worst.outcome in roundtrip.PROVEN else worst.reason
    if log.internal_errors:
        outcome, reason = "crash", log.internal_errors[0]
    elif result.text.meant or result.text.own:
        # No compiler gave a name that text can't give: it is a kind of code that was taken for another.
        outcome, reason = "unproven", "names that are put back"
    yield Found(number, outcome, len(rows), reason)


class _Log(logging.Handler):
    """Internal errors that cost no proof: another spelling or layout is not found."""

    def __init__(self) -> None:
        super().__init__()
        self.internal_errors: List[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if "internal error" in record.getMessage():
            self.internal_errors.append(record.getMessage())


def measure(options: argparse.Namespace) -> Dict[str, Any]:
    """The programs that the options choose, on the running interpreter."""
    start = time.monotonic()
    numbers = list(range(len(programs(options.seed))))
    if options.sample is not None:
        numbers = sorted(random.Random(options.seed).sample(numbers, min(options.sample, len(numbers))))
    batches = [Batch(options.seed, tuple(numbers[at : at + BATCH])) for at in range(0, len(numbers), BATCH)]
    found: List[Found] = []
    again: List[Batch] = []
    for answer in workers.run(work, batches, processes=options.jobs, limit=300.0, memory=4096 << 20):
        if answer.failure:
            again += [Batch(options.seed, (number,)) for number in answer.item.numbers]
        else:
            found += answer.value
    for answer in workers.run(work, again, processes=options.jobs, limit=60.0, memory=4096 << 20):
        number = answer.item.numbers[0]
        found += [Found(number, "crash", 1, answer.failure)] if answer.failure else answer.value
    counts = collections.Counter(one.outcome for one in found)
    return {
        "version": sys.version.split()[0], "chosen": len(numbers), "programs": len(found),
        "objects": sum(one.objects for one in found), "seconds": time.monotonic() - start,
        "counts": {kind: counts[kind] for kind in reversed(WORST_FIRST)},
        "bad": [one._asdict() for one in found if one.outcome in (*BAD, "refused")],
    }  # fmt: skip


def report(table: Dict[str, Any], options: argparse.Namespace) -> None:
    """Prints the table of one interpreter: a row, and what is not proven by reason, with an example."""
    cells = [table["version"], table["chosen"], table["programs"], table["objects"], *table["counts"].values()]
    print("| " + " | ".join(map(str, cells)) + f" |  {table['seconds']:.0f} s", flush=True)
    by_reason: Dict[Tuple[str, str], List[int]] = collections.defaultdict(list)
    for one in table["bad"]:
        by_reason[one["outcome"], one["reason"].splitlines()[0][:110]].append(one["number"])
    for (outcome, reason), numbers in sorted(by_reason.items(), key=lambda one: -len(one[1]))[: options.reasons]:
        print(f"  {len(numbers):6}  {outcome}: {reason} ({', '.join(map(str, numbers[:3]))})", flush=True)


def everywhere() -> int:
    """The same on every interpreter, one after the other; the worst exit status."""
    print("| CPython | chosen | programs | code objects | " + " | ".join(reversed(WORST_FIRST)) + " |")
    print("|---" * (4 + len(WORST_FIRST)) + "|", flush=True)
    return on_every_python(__file__, [a for a in sys.argv[1:] if a != "--all"])


def show(number: int, seed: int) -> None:
    """One program, and what came of it."""
    made = compiled(number, seed)
    program = programs(seed)[number]
    if made is None:
        mode = grammar.mode_of(program, seed)
        print(f"{grammar.text_of(program, mode, seed)}\n# this Python can't compile it")
        return
    text, mode, code = made
    print(f"# {number}: {mode}\n{text}")
    for one in _one(number, seed):
        print(f"# {one.outcome} {one.reason}\n{analyze(code, layout=mode.layout).source}")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sample", type=int, metavar="N", help="only N of the programs, chosen at random")
    parser.add_argument("--seed", type=int, default=0, help="of the scopes, the modes and the sample (default 0)")
    parser.add_argument("--all", action="store_true", help="on every CPython from 3.8 to 3.15 that is found")
    parser.add_argument("--show", type=int, nargs="+", metavar="NUMBER", help="programs, and what came of them")
    parser.add_argument("--reasons", type=int, default=20, metavar="N", help="reasons to list (default 20)")
    parser.add_argument("--json", metavar="FILE", help="write the table")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="processes (default 1)")
    options = parser.parse_args()
    if options.all:
        return everywhere()
    if options.show:
        warnings.simplefilter("ignore")
        for number in options.show:
            show(number, options.seed)
        return 0
    table = measure(options)
    report(table, options)
    if options.json:
        Path(options.json).write_text(json.dumps(table, indent=1), encoding="utf-8")
    return 1 if any(table["counts"][kind] for kind in BAD) else 0


if __name__ == "__main__":
    sys.exit(main())
