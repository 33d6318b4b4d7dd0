"""Functions with try, with and loop statements in each other, and every way out of them, made by a dice."""

from __future__ import annotations

import random
from typing import List

LEAST = 6  # lines of a function's body
EXITS = ("break", "continue")


def function(dice: random.Random, name: str) -> str:
    """The text of one function of ``t``, which it calls with a number for every event."""
    writer = _Writer(dice)
    lines: List[str] = []
    while len(lines) < LEAST:
        lines += writer.statement(3, False, False)
    return f"def {name}(t):\n" + "".join(f" {line}\n" for line in lines)


class _Writer:
    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.events = 0

    def event(self) -> str:
        self.events += 1
        return f"t({self.events})"

    def chance(self) -> bool:
        return self.dice.random() < 0.3

    def block(self, depth: int, loop: bool, cleaning: bool) -> List[str]:
        lines: List[str] = []
        for _ in range(self.dice.choice((1, 1, 2, 3))):
            lines += self.statement(depth, loop, cleaning)
        return [" " + line for line in lines]

    def statement(self, depth: int, loop: bool, cleaning: bool) -> List[str]:
        """``cleaning``: in a finally clause, where 3.7 has no continue."""
        kinds = ["call", "call", "return", "value", "if"] + ["leave", "may leave"] * loop
        kinds += ["for", "while", "with", "except", "named", "finally", "all"] * 2 * (depth > 0)
        kind = self.dice.choice(kinds)
        exits = EXITS[:1] if cleaning else EXITS
        if kind == "call":
            return [self.event()]
        if kind == "return":
            return [f"if {self.event()}: return {self.events}"]
        if kind == "value":
            return [f"if {self.event()}: return {self.event()}"]
        if kind == "leave":
            return [self.dice.choice(exits)]
        if kind == "may leave":
            return [f"if {self.event()}: {self.dice.choice(exits)}"]
        inner = max(depth - 1, 0)
        if kind in ("for", "while"):
            head = f"for x in {self.event()}:" if kind == "for" else f"while {self.event()}:"
            tail = ["else:", *self.block(inner, loop, cleaning)] if self.chance() else []
            return [head, *self.block(inner, True, False), *tail]
        if kind in ("if", "with"):
            head = f"if {self.event()}:" if kind == "if" else f"with {self.event()} as w:"
            return [head, *self.block(inner, loop, cleaning)]
        lines = ["try:", *self.block(inner, loop, cleaning)]
        if kind == "named":
            lines += ["except E as e:", *self.block(inner, loop, cleaning)]
        if kind in ("except", "all"):
            lines += ["except:" if kind == "all" else "except E:", *self.block(inner, loop, cleaning)]
        if kind in ("named", "except") and self.chance():
            lines += ["else:", *self.block(inner, loop, cleaning)]
        if kind in ("finally", "all"):
            lines += ["finally:", *self.block(inner, loop, True)]
        return lines
