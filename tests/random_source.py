"""Random functions: statements and conditions in each other in every way, with every way out.

They decide nothing by themselves: ``t(n)`` answers (see scripted_runs.py). Names may be unbound where they are read.
"""

from __future__ import annotations

import random
import sys
from typing import Callable, List, Tuple

NAMES = ("a", "b", "c", "d")
DEEPEST = 3
BEFORE_310: Tuple[str, ...] = ("match",) if sys.version_info < (3, 10) else ()
BEFORE_311: Tuple[str, ...] = ("try_star",) if sys.version_info < (3, 11) else ()


def random_function(dice: random.Random) -> str:
    """The text of one function ``f()``. ``dice`` may be any object with the methods of random.Random."""
    return "\n".join(["def f():", *_Source(dice).body(0, in_loop=False)])


class _Source:
    """Writes one function; ``number`` counts the questions."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.number = 0
        self.may_leave = True  # not within an except* clause
        known = ("if_", "while_", "for_", "try_", "finally_", "with_", "match", "try_star", "endless", "nested")
        self.compound = [name for name in known if name not in (*BEFORE_310, *BEFORE_311)]

    def ask(self) -> str:
        self.number += 1
        return f"t({self.number})"

    def body(self, depth: int, in_loop: bool) -> List[str]:
        """The lines of a block, indented."""
        lines: List[str] = []
        for _ in range(self.dice.choice((1, 1, 1, 2, 2))):
            if depth < DEEPEST and self.dice.random() < 0.6 - 0.12 * depth:
                write: Callable[[int, bool], List[str]] = getattr(self, self.dice.choice(self.compound))
                lines += write(depth, in_loop)
            else:
                lines += self.simple()
        if self.dice.random() < 0.35:
            lines += self.way_out(in_loop)
        return ["    " + line for line in lines]

    # ---- simple statements

    def simple(self) -> List[str]:
        kind = self.dice.choice(("ask", "assign", "augment", "assert", "delete", "unpack", "use", "walrus"))
        name = self.dice.choice(NAMES)
        return {
            "ask": [self.ask()],
            "assign": [f"{name} = {self.value()}"],
            "augment": [f"{name} += 1"],
            "assert": [f"assert {self.condition(0)}, {self.ask()}"],
            "delete": [f"del {name}"],
            "unpack": [f"{', '.join(self.dice.sample(NAMES, 2))} = {self.ask()}, {self.value()}"],
            "use": [f"t({name})"],
            "walrus": [f"t({name} := {self.value()})"],
        }[kind]

    def way_out(self, in_loop: bool) -> List[str]:
        ways = ["raise KeyError", "pass"]
        if self.may_leave:
            ways += ["return", "return 1", f"return {self.value()}"]
            ways += ["break", "continue"] * 2 * in_loop
        return [self.dice.choice(ways)]

    # ---- expressions

    def value(self) -> str:
        kind = self.dice.choice(("constant", "name", "ask", "ask", "choice", "and", "list", "format"))
        return {
            "constant": self.dice.choice(("0", "1", "None", "'x'", "(1, 2)")),
            "name": self.dice.choice(NAMES),
            "ask": self.ask(),
            "choice": f"({self.ask()} if {self.condition(0)} else {self.ask()})",
            "and": f"({self.condition(0)})",
            "list": f"[t(x) for x in items({self.number}) if {self.condition(1)}]",
            "format": f"f'{{{self.ask()}}}-{{{self.ask()}!r}}'",
        }[kind]

    def condition(self, depth: int) -> str:
        kind = self.dice.choice(("ask", "ask", "not", "and", "or", "compare", "is", "choice", "constant", "name"))
        if depth > 2 or kind == "ask":
            return self.ask()
        if kind == "constant":
            return self.dice.choice(("True", "False", "0", "1", "__debug__"))
        if kind == "name":
            return self.dice.choice(NAMES)
        one, other = self.condition(depth + 1), self.condition(depth + 1)
        return {
            "not": f"not ({one})",
            "and": f"({one} and {other})",
            "or": f"({one} or {other})",
            "compare": f"0 <= ({one}) < ({other})",
            "is": f"({one}) is None",
            "choice": f"(({one}) if {self.ask()} else ({other}))",
        }[kind]

    # ---- compound statements

    def if_(self, depth: int, in_loop: bool) -> List[str]:
        lines = [f"if {self.condition(0)}:", *self.body(depth + 1, in_loop)]
        for _ in range(self.dice.choice((0, 0, 0, 1, 2))):
            lines += [f"elif {self.condition(0)}:", *self.body(depth + 1, in_loop)]
        return lines + self.maybe("else:", depth, in_loop)

    def while_(self, depth: int, in_loop: bool) -> List[str]:
        condition = self.condition(0)
        asked = [] if condition.startswith("t(") else [f"    {self.ask()}"]  # or it might go on for ever
        lines = [f"while {condition}:", *asked, *self.body(depth + 1, True)]
        return lines + self.maybe("else:", depth, in_loop)

    def endless(self, depth: int, in_loop: bool) -> List[str]:
        way = "return" if self.may_leave and self.dice.random() < 0.3 else "break"
        return ["while True:", f"    if {self.ask()}: {way}", *self.body(depth + 1, True)]

    def for_(self, depth: int, in_loop: bool) -> List[str]:
        target = self.dice.choice((*NAMES, "a, *b"))
        source = f"items({self.number})" if "*" not in target else "[(1, 2)] * 2"
        lines = [f"for {target} in {source}:", *self.body(depth + 1, True)]
        return lines + self.maybe("else:", depth, in_loop)

    def try_(self, depth: int, in_loop: bool) -> List[str]:
        lines = ["try:", *self.body(depth + 1, in_loop)]
        handled = (("ValueError",), ("KeyError as a", "ValueError"), ("(KeyError, ValueError) as b",))
        for kind in self.dice.choice(handled):
            lines += [f"except {kind}:", *self.body(depth + 1, in_loop)]
        if self.dice.random() < 0.2:
            lines += ["except:", *self.body(depth + 1, in_loop)]
        lines += self.maybe("else:", depth, in_loop)
        return lines + self.maybe("finally:", depth, in_loop, 0.2)

    def finally_(self, depth: int, in_loop: bool) -> List[str]:
        return ["try:", *self.body(depth + 1, in_loop), "finally:", *self.body(depth + 1, in_loop)]

    def try_star(self, depth: int, in_loop: bool) -> List[str]:
        lines = ["try:", *self.body(depth + 1, in_loop), "except* ValueError:"]
        before, self.may_leave = self.may_leave, False
        lines += self.body(depth + 1, False)
        self.may_leave = before
        return lines

    def with_(self, depth: int, in_loop: bool) -> List[str]:
        managers = self.dice.choice(("manager({})", "manager({}) as a", "manager({}), manager(0) as b"))
        return [f"with {managers.format(self.number)}:", *self.body(depth + 1, in_loop)]

    def match(self, depth: int, in_loop: bool) -> List[str]:
        patterns = ["True", "0 | 1", "None", "[a, *_]", "{'k': b}", "int(c)", "(1, d) | (d, 1)", "str() as d"]
        lines = [f"match {self.value()}:"]
        for _ in range(self.dice.choice((1, 1, 2))):
            guard = f" if {self.condition(1)}" if self.dice.random() < 0.3 else ""
            case = [f"case {self.dice.choice(patterns)}{guard}:", *self.body(depth + 1, in_loop)]
            lines += ["    " + line for line in case]
        if self.dice.random() < 0.5:
            lines += ["    " + line for line in ["case _:", *self.body(depth + 1, in_loop)]]
        return lines

    def nested(self, depth: int, in_loop: bool) -> List[str]:
        before, self.may_leave = self.may_leave, True
        names = ", ".join(sorted({self.dice.choice(NAMES), self.dice.choice(NAMES)}))
        body = self.body(DEEPEST - 1, in_loop=False)
        self.may_leave = before
        return ["def g():", *[f"    nonlocal {names}"] * (self.dice.random() < 0.4), *body, "t(g())"]

    def maybe(self, head: str, depth: int, in_loop: bool, chance: float = 0.3) -> List[str]:
        return [head, *self.body(depth + 1, in_loop)] if self.dice.random() < chance else []


def compiles(text: str) -> bool:
    """Whether this Python takes the text: a name may be nonlocal that no function around has, and so on."""
    try:
        compile(text, "<random>", "exec")
    except SyntaxError:
        return False
    return True
