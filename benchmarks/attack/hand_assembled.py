"""Random bytecode that no compiler made, through depyf and back.

    python benchmarks/attack/hand_assembled.py 1000                   a thousand programs on the running interpreter
    python benchmarks/attack/hand_assembled.py 20000 --all            on 3.8, 3.11, 3.13 and 3.15
    python benchmarks/attack/hand_assembled.py 1000 --patterns        with the operations of patterns (3.10 on)
    python benchmarks/attack/hand_assembled.py 1 --seed 77 --show     one of them: its listing and what came of it

The programs are control flow of any shape: loops with several entries, values left on the stack across branches,
handlers that are entered from several places and left to anywhere, unfinished calls. For each: what ``depyf.analyze``
says; and if that is a proof, whether the recompiled source does the same as the program on recording stand-ins.
Exit status 1 if one of them is wrong, unproven or kills the interpreter, or if more than --most-refused are refused.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, Dict, List, Tuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

# The tests' own modules are not on mypy's path.
import assembler.examine as examine  # type: ignore[import-not-found] # noqa: E402
from assembler.assemble import assemble  # type: ignore[import-not-found] # noqa: E402
from assembler.generate import generate  # type: ignore[import-not-found] # noqa: E402
from assembler.notation import listing  # type: ignore[import-not-found] # noqa: E402
from assembler.shrink import shrunk  # type: ignore[import-not-found] # noqa: E402

import depyf  # noqa: E402
from depyf.decompiler.bytecode.interpreters import find_interpreter  # noqa: E402

FOUR = ((3, 8), (3, 11), (3, 13), (3, 15))
FOUR_OF_PATTERNS = ((3, 10), (3, 11), (3, 13), (3, 15))
BAD = ("wrong", "unproven", "broken")
Table = Dict[str, Any]


def measure(options: argparse.Namespace) -> Table:
    """The table of the running interpreter."""
    start = time.monotonic()
    seeds = range(options.seed, options.seed + options.count)
    found = examine.outcomes([lambda seed=seed: _one(seed, options) for seed in seeds])
    kinds: Counter[str] = Counter(outcome.kind for outcome in found)
    forms: Counter[str] = Counter(outcome.form for outcome in found if outcome.kind == "proven")
    reasons: Counter[Tuple[str, str]] = Counter()
    examples: Dict[Tuple[str, str], int] = {}
    for seed, outcome in zip(seeds, found):
        if outcome.kind != "proven":
            why = (outcome.kind, examine.general(outcome))
            reasons[why] += 1
            examples.setdefault(why, seed)
    spent = sorted(outcome.milliseconds for outcome in found)
    failures = [(seed, outcome) for seed, outcome in zip(seeds, found) if outcome.kind in BAD]
    return {
        "version": "{}.{}.{}".format(*sys.version_info[:3]), "programs": len(found), "kinds": dict(kinds),
        "forms": dict(forms.most_common()), "reasons": [(n, *why, examples[why]) for why, n in reasons.most_common(40)],
        "mean": sum(spent) / len(spent), "median": spent[len(spent) // 2], "most": spent[-1],
        "seconds": time.monotonic() - start,
        "failures": [(seed, outcome.kind, outcome.reason, small(seed, options)) for seed, outcome in failures],
    }  # fmt: skip


def _one(seed: int, options: argparse.Namespace) -> Any:
    return examine.examine_seed(seed, engine=options.engine, patterns=options.patterns)


def _generated(seed: int, options: argparse.Namespace) -> Any:
    return generate(seed, patterns=examine.PATTERNS if options.patterns else 0)


def small(seed: int, options: argparse.Namespace) -> str:
    """The listing of the smallest program found that fails as the one of ``seed`` does."""
    program = _generated(seed, options)
    if options.shrink <= 0:
        return ""
    options.shrink -= 1
    same = examine.same_as(program, options.engine)
    text: str = listing(shrunk(program, lambda candidate: same(examine.try_program(candidate, options.engine))))
    return text


def show(seed: int, options: argparse.Namespace) -> None:
    """A program, what came of it, and its source."""
    program = _generated(seed, options)
    print(listing(program))
    (outcome,) = examine.outcomes([lambda: _one(seed, options)])
    print(outcome.kind, outcome.form, outcome.reason)
    code = assemble(program)
    print((depyf.analyze(code) if options.engine == "ladder" else examine.dispatched(code)).source)


def report(table: Table, *, shown: int) -> str:
    kinds, total = table["kinds"], table["programs"]
    refused = kinds.get("refused", 0)
    lines = [
        f"CPython {table['version']}: {total} programs in {table['seconds']:.0f} s; analysis mean {table['mean']:.1f} "
        f"ms, median {table['median']:.1f} ms, most {table['most']:.0f} ms",
        f"  proven {kinds.get('proven', 0)}, refused {refused} ({100 * refused / total:.2f} %), "
        + ", ".join(f"{kind} {kinds.get(kind, 0)}" for kind in BAD),
        "  proven by form: " + ", ".join(f"{form} {number}" for form, number in table["forms"].items()),
    ]
    for number, kind, why, seed in table["reasons"][:shown]:
        lines.append(f"  {number:6} {kind}, such as seed {seed}: {why}")
    for seed, kind, reason, text in table["failures"][:shown]:
        lines += [f"  seed {seed} {kind}: {reason}", text]
    return "\n".join(lines)


def is_good(table: Table, most_refused: float) -> bool:
    kinds = table["kinds"]
    refused = 100 * kinds.get("refused", 0) / table["programs"]
    return refused <= most_refused and not any(kinds.get(kind) for kind in BAD)


def on_others(options: argparse.Namespace) -> List[Table]:
    """The tables of the four interpreters."""
    tables = []
    for version in FOUR_OF_PATTERNS if options.patterns else FOUR:
        python = find_interpreter(version)
        if python is None:
            print("not on this machine: {}.{}".format(*version))
            continue
        arguments = [str(options.count), "--seed", str(options.seed), "--json", "-", "--shrink", str(options.shrink)]
        arguments += ["--engine", options.engine, *["--patterns"] * options.patterns]
        done = subprocess.run([python, __file__, *arguments], stdout=subprocess.PIPE, check=False)
        tables.append(json.loads(done.stdout.decode().splitlines()[-1]))
        print(report(tables[-1], shown=options.shown), flush=True)
    return tables


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("count", type=int, help="how many programs")
    parser.add_argument("--seed", type=int, default=0, help="of the first one; the next has the next")
    parser.add_argument("--all", action="store_true", help="on 3.8 (with --patterns 3.10), 3.11, 3.13 and 3.15")
    parser.add_argument("--patterns", action="store_true", help="use the operations of patterns, too")
    parser.add_argument("--show", action="store_true", help="print each program and what came of it")
    parser.add_argument("--shown", type=int, default=25, help="how many reasons and failures are printed")
    parser.add_argument("--shrink", type=int, default=5, help="how many failures are made smaller (default 5)")
    parser.add_argument("--most-refused", type=float, default=1.0, metavar="PERCENT", help="default 1")
    parser.add_argument("--engine", choices=("ladder", "dispatch"), default="ladder", help="all ways, or the last one")
    parser.add_argument("--json", metavar="FILE", help="write the tables there too; - writes only them, to the output")
    options = parser.parse_args()
    if options.show:
        for seed in range(options.seed, options.seed + options.count):
            show(seed, options)
        return 0
    if options.all:
        tables = on_others(options)
    else:
        tables = [measure(options)]
        if options.json == "-":
            print(json.dumps(tables[0]))
            return 0
        print(report(tables[0], shown=options.shown))
    if options.json:
        Path(options.json).write_text(json.dumps(tables), encoding="utf-8")
    return 0 if tables and all(is_good(table, options.most_refused) for table in tables) else 1


if __name__ == "__main__":
    sys.exit(main())
