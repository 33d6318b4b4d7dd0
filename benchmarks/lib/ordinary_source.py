"""Random functions of statements that people write: no dead code, no odd tests. tests/random_source.py writes the odd.

The functions are compiled and never run, so nothing in them has to exist.
"""

from __future__ import annotations

import random
import sys
from typing import Callable

INDENT = "    "
SIMPLE = (
    "f({})", "x = {}", "self.y = {}", "result = g({})", "d[{}] = a", "del d[{}]", "x += {}", "x, y = g({}), a",
    "x = a if b({}) else c", "x = [i for i in c if i > {}]", "x = f'{{a}} {}'", "assert a, {}", "f({}, *a, **d)",
    "x = a or g({})", "x = lambda: a + {}", "global_{} = d", "x = not a in g({})",
)  # fmt: skip
TESTS = (
    "a", "b(1)", "not a", "a == 3", "a in c", "c not in b", "a and b(2)", "a or c", "a is None", "d.e", "not b.c",
    "a and not b", "(a or b) and c", "a and b or c", "0 < a <= 3", "isinstance(a, (b, c))", "a is not None and a.b",
    "not (a and b)", "any(i for i in c)",
)  # fmt: skip
LEAVES = ("return", "return x", "return True", "return None", "return g(a)", "raise E", "raise E(a) from None")
PATTERNS = ("1", "'a' | 'b'", "[x, *_]", "{'k': x}", "g(x, y=1)", "None", "d.e", "(x, 1)")
MATCHES = sys.version_info >= (3, 10)


def ordinary_function(dice: random.Random, depth: int = 3) -> str:
    """The text of one function ``f``, whose statements are nested ``depth`` deep at most."""
    body = _Source(dice).body(depth, in_loop=False, in_finally=False)
    return "\n".join(["def f(self, a, b, c, d):", *body]) + "\n"


class _Source:
    """Writes one function; ``number`` tells its statements apart."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.number = 0
        self.kinds: list[Callable[[int, bool, bool], list[str]]] = [
            *[self._if] * 6, *[self._for] * 2, *[self._while] * 2, *[self._with] * 2, *[self._try] * 4, self._def,
            *[self._match] * MATCHES,
        ]  # fmt: skip

    def body(self, depth: int, in_loop: bool, in_finally: bool) -> list[str]:
        lines: list[str] = []
        for _ in range(self.dice.choice((1, 1, 2, 3))):
            if depth and self.dice.random() < 0.65:
                lines += self.dice.choice(self.kinds)(depth - 1, in_loop, in_finally)
            else:
                self.number += 1
                lines.append(self.dice.choice(SIMPLE).format(self.number))
        if self.dice.random() < (0.05 if in_finally else 0.25):  # a warning since 3.14
            lines.append(self.dice.choice(LEAVES + ("break", "continue") * 3 * (in_loop and not in_finally)))
        return [INDENT + line for line in lines]

    def _maybe(self, chance: float, head: str, depth: int, in_loop: bool, in_finally: bool) -> list[str]:
        return [head, *self.body(depth, in_loop, in_finally)] if self.dice.random() < chance else []

    def _if(self, depth: int, in_loop: bool, in_finally: bool) -> list[str]:
        lines = [f"if {self.dice.choice(TESTS)}:", *self.body(depth, in_loop, in_finally)]
        while self.dice.random() < 0.25:
            lines += [f"elif {self.dice.choice(TESTS)}:", *self.body(depth, in_loop, in_finally)]
        return lines + self._maybe(0.45, "else:", depth, in_loop, in_finally)

    def _for(self, depth: int, in_loop: bool, in_finally: bool) -> list[str]:
        lines = [self.dice.choice(("for i in c:", "for i, x in g(a):", "for i in range(3):"))]
        return lines + self.body(depth, True, False) + self._maybe(0.15, "else:", depth, in_loop, in_finally)

    def _while(self, depth: int, in_loop: bool, in_finally: bool) -> list[str]:
        return [f"while {self.dice.choice((*TESTS, *['True'] * 9))}:", *self.body(depth, True, False)]

    def _with(self, depth: int, in_loop: bool, in_finally: bool) -> list[str]:
        head = self.dice.choice(("with w():", "with w() as v:", "with w() as v, a.b(c):"))
        return [head, *self.body(depth, in_loop, in_finally)]

    def _try(self, depth: int, in_loop: bool, in_finally: bool) -> list[str]:
        lines = ["try:", *self.body(depth, in_loop, in_finally)]
        handlers = self.dice.choice(((), *[("E",)] * 4, ("E as e",), ("E, F",), ("E", "F as e"), ("",)))
        for handler in handlers:
            head = f"except ({handler}):" if "," in handler else f"except {handler}:".replace(" :", ":")
            lines += [head, *self.body(depth, in_loop, in_finally)]
        lines += self._maybe(0.35 * bool(handlers), "else:", depth, in_loop, in_finally)
        return lines + self._maybe(0.25 if handlers else 1, "finally:", depth, in_loop, True)

    def _def(self, depth: int, in_loop: bool, in_finally: bool) -> list[str]:
        return ["def g(h, *, k=1):", *self.body(depth, False, False)]

    def _match(self, depth: int, in_loop: bool, in_finally: bool) -> list[str]:
        lines = ["match a:"]
        for _ in range(self.dice.choice((1, 2, 2, 3))):
            guard = self.dice.choice(("", "", "", f" if {self.dice.choice(TESTS)}"))
            case = [f"case {self.dice.choice(PATTERNS)}{guard}:", *self.body(depth, in_loop, in_finally)]
            lines += [INDENT + line for line in case]
        default = self._maybe(0.4, "case _:", depth, in_loop, in_finally)
        return lines + [INDENT + line for line in default]
