"""How the time for a code object grows with its size: CPU per instruction of large code over that of small code.

    python benchmarks/measure/growth.py                 every shape, about 1,000 and 100,000 instructions, or as many as
                                                        the compiler takes
    python benchmarks/measure/growth.py elif match      some shapes
    python benchmarks/measure/growth.py --large 20000

A function of each shape is decompiled with its proof in two sizes; printed are microseconds per instruction, their
ratio, and what was proven. Exit status 1 if a ratio is above --most (1.5), or something is not proven.
"""

from __future__ import annotations

import argparse
import dis
import gc
import sys
import time
import types
from pathlib import Path
from typing import Callable, Dict, Iterator, List, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))


def _indented(lines: List[str], depth: int = 1) -> List[str]:
    return ["    " * depth + line for line in lines]


def straight(count: int) -> List[str]:
    return [f"x = g(x, {n % 250})" for n in range(count)]


def ifs(count: int) -> List[str]:
    return [line for n in range(count) for line in (f"if x > {n % 250}:", f"    x = g({n % 250})")]


def elifs(count: int) -> List[str]:
    lines = ["if x == 'a':", "    y = 1"]
    for n in range(count):
        lines += [f"elif x == 'k{n}':", f"    y = g({n % 250})"]
    return [*lines, "return y"]


def match(count: int) -> List[str]:
    lines = ["match x:"]
    for n in range(count):
        lines += [f"    case [{n % 250}, a]:", f"        y = g(a, {n % 250})"]
    return [*lines, "    case _:", "        y = 0", "return y"]


def trys(count: int) -> List[str]:
    return [line for n in range(count) for line in ("try:", f"    x = g({n % 250})", "except ValueError:", "    x = 0")]


def loops(count: int) -> List[str]:
    return [line for n in range(count) for line in (f"for i in g({n % 250}):", "    if i:", "        x = i")]


def whiles(count: int) -> List[str]:
    lines: List[str] = []
    for n in range(max(1, count // 3)):
        lines += [f"while g({n % 250}):", "    if x: break", "else:", "    x = 2"]
        lines += ["while True:", "    if g(x): break", "    x = 1", f"while g({n % 250}):", "    x = 3"]
    return lines


def comprehensions(count: int) -> List[str]:
    return [f"x = [i for i in g(x) if i > {n % 250}]" for n in range(count)]


def deep(count: int) -> List[str]:
    """Deep expressions, as deep as every compiler takes them."""
    return [f"x = {'(1 + ' * 60}x{')' * 60}" for _ in range(max(1, count // 60))]


def long_expression(count: int) -> List[str]:
    return ["x = [" + ", ".join(f"g({n % 250})" for n in range(count)) + "]"]


def conditions(count: int) -> List[str]:
    return [f"x = {' and '.join(f'g({n % 250})' for n in range(20))}" for _ in range(max(1, count // 20))]


def nested(count: int) -> List[str]:
    """Blocks as deep as the compiler takes them, as often as needed."""
    lines: List[str] = []
    for _ in range(max(1, count // 18)):
        for depth in range(18):
            lines += _indented([("if g(x):", "while g(x):", "for x in g(x):")[depth % 3]], depth)
        lines += _indented(["x = g(x)"], 18)
    return lines


def indents(count: int) -> List[str]:
    """One hundred `if` within each other: the limit of the tokenizer is higher than that of nested loops."""
    lines: List[str] = []
    for _ in range(max(1, count // 90)):
        lines += [line for depth in range(90) for line in _indented(["if g(x):"], depth)]
        lines += _indented(["x = g(x)"], 90)
    return lines


def methods(count: int) -> List[str]:
    return ["class C:", *_indented([line for n in range(count) for line in (f"def m{n}(self):", "    return self.x")])]


def breaks(count: int) -> List[str]:
    return [line for n in range(count) for line in ("while 1:", f"    if x > {n % 250}: break")]


def returns(count: int) -> List[str]:
    """Each with a copy of the `finally` body."""
    lines = [line for n in range(count) for line in (f"if x == {n % 250}:", f"    return g({n})")]
    return ["try:", *_indented(lines), "finally:", "    g()"]


SHAPES: Dict[str, Callable[[int], List[str]]] = {
    "straight": straight, "ifs": ifs, "elif": elifs, "match": match, "trys": trys, "loops": loops, "whiles": whiles,
    "comprehensions": comprehensions, "deep": deep, "long": long_expression, "conditions": conditions, "nested": nested,
    "indents": indents, "methods": methods, "breaks": breaks, "returns": returns,
}  # fmt: skip


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def of_size(shape: Callable[[int], List[str]], wanted: int) -> Tuple[types.CodeType, int]:
    """Code of a function of this shape, of about as many instructions, and how many it has."""
    count = 50
    for _ in range(4):
        lines = ["def f(x):", *_indented(shape(count))]
        module = compile("\n".join(lines) + "\n", "<growth>", "exec")
        code = next(constant for constant in module.co_consts if isinstance(constant, types.CodeType))
        size = sum(1 for one in _codes(code) for _ in dis.get_instructions(one))
        if abs(size - wanted) < wanted / 10:
            break
        count = max(1, count * wanted // size)
    return code, size


def largest_of(shape: Callable[[int], List[str]], wanted: int) -> Tuple[types.CodeType, int]:
    """As `of_size`, or half as large as often as it takes: of some shapes the compiler does not take as much."""
    while True:
        try:
            return of_size(shape, wanted)
        except (RecursionError, MemoryError):
            wanted //= 2


def measure(code: types.CodeType, size: int, times: int) -> Tuple[float, str]:
    """Microseconds of the processor per instruction, the shortest of some; what the verdict is."""
    from depyf.decompiler.pipeline import analyze

    best, verdict = 0.0, ""
    for _ in range(times):
        gc.collect()
        start = time.process_time()
        result = analyze(code)
        seconds = time.process_time() - start
        verdict = result.verdict.level.value
        best = min(best, seconds) if best else seconds
    return 1e6 * best / size, verdict


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("shapes", nargs="*", help="of: " + ", ".join(SHAPES))
    parser.add_argument("--small", type=int, default=1000)
    parser.add_argument("--large", type=int, default=100_000)
    parser.add_argument("--most", type=float, default=1.5, help="ratio allowed (default 1.5)")
    options = parser.parse_args()
    unknown = set(options.shapes) - set(SHAPES)
    if unknown:
        parser.error(f"no shapes: {', '.join(sorted(unknown))}")
    good = True
    print(f"Python {sys.version.split()[0]}: microseconds per instruction")
    for name in options.shapes or SHAPES:
        try:
            (small, few), (large, many) = (largest_of(SHAPES[name], n) for n in (options.small, options.large))
        except SyntaxError:
            print(f"{name:12} this Python does not have it")
            continue
        measure(small, few, 1)
        (before, one), (after, other) = measure(small, few, 5), measure(large, many, 1)
        fine = after / before <= options.most and {one, other} <= {"identical", "exact", "equivalent"}
        good = good and fine
        print(f"{name:12}{few:8}: {before:7.1f} {one:11}{many:8}: {after:7.1f} {other:11} ratio {after / before:.2f}"
              + ("" if fine else "  TOO MUCH"), flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
