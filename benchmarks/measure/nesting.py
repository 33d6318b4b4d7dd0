"""How deep code may be nested: the deepest that CPython compiles, and the deepest that comes back proven.

    python benchmarks/measure/nesting.py                 every shape, up to 1,500 levels
    python benchmarks/measure/nesting.py attributes --most 300

Exit status 1 if what CPython compiles does not come back.
"""

from __future__ import annotations

import argparse
import sys
import types
from pathlib import Path
from typing import Callable, Dict, Optional

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))


def _each_inside(head: str) -> Callable[[int], str]:
    return lambda depth: "".join(" " * n + head + "\n" for n in range(depth)) + " " * depth + "return x"


SHAPES: Dict[str, Callable[[int], str]] = {
    "attributes": lambda depth: "return x" + ".a" * depth,
    "calls": lambda depth: "return x" + "()" * depth,
    "methods": lambda depth: "return x" + ".a(1)" * depth,
    "subscripts": lambda depth: "return x" + "[0]" * depth,
    "sums": lambda depth: "return x" + "+x" * depth,
    "powers": lambda depth: "return x" + "**x" * depth,
    "not": lambda depth: "return " + "not " * depth + "x",
    "minus": lambda depth: "return " + "-" * depth + "x",
    "arguments": lambda depth: "return " + "g(" * depth + "x" + ")" * depth,
    "lists": lambda depth: "return " + "[" * depth + "x" + "]" * depth,
    "dictionaries": lambda depth: "return " + "{1: " * depth + "x" + "}" * depth,
    "conditions": lambda depth: "return " + "x and (y or " * depth + "x" + ")" * depth,
    "comparisons": lambda depth: "return x" + " < x" * depth,
    "lambdas": lambda depth: "return " + "lambda: " * depth + "x",
    "functions": _each_inside("def f():"),
    "ifs": _each_inside("if g(x):"),
    "loops": _each_inside("while g(x):"),
    "elif": lambda depth: "if x == 'a':\n y = 1\n" + "".join(
        f"elif x == 'k{n}':\n y = g({n})\n" for n in range(depth)
    ) + "return y",
}  # fmt: skip


def nested(shape: Callable[[int], str], depth: int) -> Optional[types.CodeType]:
    """The code of a function with something nested ``depth`` deep in it; None if CPython does not compile it."""
    lines = shape(depth).split("\n")
    try:
        module = compile("def f(x, y, g):\n" + "".join(f" {line}\n" for line in lines), "<nesting>", "exec")
    except (SyntaxError, RecursionError, MemoryError):
        return None
    return next(constant for constant in module.co_consts if isinstance(constant, types.CodeType))


def deepest(shape: Callable[[int], str], most: int) -> int:
    """How deep CPython compiles it, up to ``most``: what is found is at most 5 per cent too little."""
    low, high = 1, most + 1
    while high - low > max(1, low // 20):
        middle = (low + high) // 2
        low, high = (low, middle) if nested(shape, middle) is None else (middle, high)
    return low


def proven(code: types.CodeType) -> str:
    """'proven', or why something in it is not."""
    from depyf.decompiler.pipeline import analyze

    for result in analyze(code).walk():
        if not result.verdict.proven:
            return result.verdict.describe()
    return "proven"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("shapes", nargs="*", help="of: " + ", ".join(SHAPES))
    parser.add_argument("--most", type=int, default=1500, help="levels (default 1500)")
    options = parser.parse_args()
    unknown = set(options.shapes) - set(SHAPES)
    if unknown:
        parser.error(f"no shapes: {', '.join(sorted(unknown))}")
    good = True
    print(f"Python {sys.version.split()[0]}: levels that CPython compiles, and whether they come back")
    for name in options.shapes or SHAPES:
        depth = deepest(SHAPES[name], options.most)
        code = nested(SHAPES[name], depth)
        assert code is not None
        verdict = proven(code)
        good = good and verdict == "proven"
        print(f"{name:14}{depth:6}  {verdict[:80]}", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
