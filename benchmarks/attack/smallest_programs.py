"""Ordinary functions that do not come back identical, each made as small as it can be, and each kind once.

    python benchmarks/attack/smallest_programs.py 1000                      the code, with layout="compact"
    python benchmarks/attack/smallest_programs.py 1000 --layout author      lines and columns too
    python benchmarks/attack/smallest_programs.py 1000 --depth 4 --seed 7   deeper ones, others

Prints each small program, its verdict, and what came back. Two of them are of one kind if they differ in their simple
statements alone. Needs CPython 3.9. Exit status 1 if one is refused, unproven or crashes; identical is not promised.
"""

from __future__ import annotations

import argparse
import collections
import random
import re
import sys
import time
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("src", "benchmarks/lib")]

import depyf  # noqa: E402
from ordinary_source import ordinary_function  # noqa: E402
from reducing import has_dead_code, reduced, without_dead_code  # noqa: E402

PROVEN = ("identical", "exact", "equivalent")


def outcome(text: str, layout: str) -> str:
    """The level of the worst verdict, "lines" or "columns" if only those differ, "crash", or "" for no program."""
    try:
        code = compile(text, "<program>", "exec", dont_inherit=True)
        if has_dead_code(text):
            return ""
    except (SyntaxError, ValueError):
        return ""
    try:
        # Of the module the line of `def` may differ, which ast.unparse has made up.
        verdicts = [one.verdict for one in depyf.analyze(code, layout=layout).walk()][1:]
    except Exception:
        return "crash"
    for level in ("refused", "unproven", "equivalent", "exact"):
        if any(verdict.level.value == level for verdict in verdicts):
            return level
    if layout == "author" and not all(verdict.lines for verdict in verdicts):
        return "lines"
    if layout == "author" and any(verdict.columns is False for verdict in verdicts):
        return "columns"
    return "identical"


def kind_of(text: str) -> str:
    """The program without what its simple statements say."""
    heads = r"(?:if|elif|else|for|while|with|try|except|finally|def|match|case)\b.*:"
    leaves = r"return|break|continue|raise"
    return re.sub(rf"^( *)(?!{heads}$)(?!{leaves})\S.*$", r"\1S", re.sub(r"\d+", "1", text), flags=re.MULTILINE)


def smallest(number: int, options: argparse.Namespace) -> tuple[str, str]:
    """The outcome of one program, and the program, small, if it is not identical."""
    text = without_dead_code(ordinary_function(random.Random(number), options.depth))
    found = outcome(text, options.layout)
    if found in ("", "identical"):
        return found, ""
    # A refusal must stay one: it is worse than what else the program may have.
    same = (found,) if found not in PROVEN else (*PROVEN[1:], "lines", "columns")
    small = reduced(text, lambda smaller: outcome(smaller, options.layout) in same)
    return found, small


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("count", type=int, nargs="?", default=300, help="how many functions (default 300)")
    parser.add_argument("--seed", type=int, default=0, help="of the first function (default 0)")
    parser.add_argument("--depth", type=int, default=3, help="how deep statements are nested (default 3)")
    parser.add_argument("--layout", choices=("compact", "author"), default="compact", help="default compact")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    start = time.monotonic()
    counts: collections.Counter[str] = collections.Counter()
    kinds: set[str] = set()
    for number in range(options.seed, options.seed + options.count):
        found, small = smallest(number, options)
        counts[found] += 1
        if small and kind_of(small) not in kinds:
            kinds.add(kind_of(small))
            print(f"##### {number}: {found}\n{small}", flush=True)
            if found != "crash":
                code = compile(small, "<program>", "exec", dont_inherit=True)
                print(f"----- came back as\n{depyf.analyze(code, layout=options.layout).source}", flush=True)
    del counts[""]
    worst = ", ".join(f"{count} {found}" for found, count in counts.most_common())
    seconds = time.monotonic() - start
    print(f"{sys.version.split()[0]}: {sum(counts.values())} functions in {seconds:.0f} s: {worst}; {len(kinds)} kinds")
    return 1 if set(counts) & {"refused", "unproven", "crash"} else 0


if __name__ == "__main__":
    sys.exit(main())
