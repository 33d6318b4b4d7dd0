"""Random nestings of statements left by jumps to the end of any statement around, as programs of the assembler.

No source without flags says most of them: there ``break`` only leaves the innermost loop. Every decision asks ``t(n)``.
"""

from __future__ import annotations

import random
from typing import List, NamedTuple, Tuple

from assembler.notation import Program, program

_INNER = ("call", "if", "leave", "for", "while", "try", "with", "block")


class Exit(NamedTuple):
    """Where control may go: a label, and how many of the statements around keep something there."""

    label: str
    depth: int


class _Writer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: List[str] = []
        self.calls = self.labels = 0

    def label(self) -> str:
        self.labels += 1
        return f"L{self.labels}"

    def ask(self) -> None:
        self.calls += 1
        self.lines += ["LOAD_GLOBAL_CALLABLE t", f"CONST {self.calls}", "CALL 1"]

    def place(self, label: str) -> None:
        self.lines.append(label + ":")

    def jump(self, around: Tuple[str, ...], goal: Exit) -> None:
        leave = {"for": ["POP"], "try": ["POP_BLOCK"], "handler": ["POP_EXCEPT"], "with": ["POP_BLOCK", "EXIT_WITH"]}
        for kind in reversed(around[goal.depth :]):
            self.lines += leave[kind]
        self.lines.append(f"JUMP {goal.label}")

    def body(self, around: Tuple[str, ...], goals: Tuple[Exit, ...], deep: int) -> None:
        for _ in range(self.random.randint(1, 2)):
            kind = self.random.choice(_INNER if deep else _INNER[:3:2])
            getattr(self, f"write_{kind}")(around, goals, deep - 1)

    def write_call(self, around: Tuple[str, ...], goals: Tuple[Exit, ...], deep: int) -> None:
        self.ask()
        self.lines.append("POP")

    def write_if(self, around: Tuple[str, ...], goals: Tuple[Exit, ...], deep: int) -> None:
        end = self.label()
        self.ask()
        self.lines.append(f"POP_JUMP_IF_FALSE {end}")
        self.body(around, goals, deep)
        self.place(end)

    def write_leave(self, around: Tuple[str, ...], goals: Tuple[Exit, ...], deep: int) -> None:
        if goals:
            end = self.label()
            self.ask()
            self.lines.append(f"POP_JUMP_IF_FALSE {end}")
            self.jump(around, self.random.choice(goals))
            self.place(end)

    def write_block(self, around: Tuple[str, ...], goals: Tuple[Exit, ...], deep: int) -> None:
        end = self.label()
        self.body(around, (*goals, Exit(end, len(around))), deep)
        self.place(end)

    def write_for(self, around: Tuple[str, ...], goals: Tuple[Exit, ...], deep: int) -> None:
        head, exhausted, end = self.label(), self.label(), self.label()
        self.ask()
        self.lines.append("GET_ITER")
        self.place(head)
        self.lines += [f"FOR_ITER {exhausted}", "STORE_FAST x"]
        inner = (Exit(end, len(around)), Exit(head, len(around) + 1))
        self.body((*around, "for"), (*goals, *inner), deep)
        self.lines.append(f"JUMP {head}")
        self.place(exhausted)
        if self.random.random() < 0.3:
            self.write_call(around, goals, deep)
        self.place(end)

    def write_while(self, around: Tuple[str, ...], goals: Tuple[Exit, ...], deep: int) -> None:
        head, end = self.label(), self.label()
        self.place(head)
        self.ask()
        self.lines.append(f"POP_JUMP_IF_FALSE {end}")
        self.body(around, (*goals, Exit(end, len(around)), Exit(head, len(around))), deep)
        self.lines.append(f"JUMP {head}")
        self.place(end)

    def write_try(self, around: Tuple[str, ...], goals: Tuple[Exit, ...], deep: int) -> None:
        handler, end, other = self.label(), self.label(), self.label()
        inner = (*goals, Exit(end, len(around)))
        self.lines.append(f"SETUP_FINALLY {handler}")
        self.body((*around, "try"), inner, deep)
        self.lines += ["POP_BLOCK", f"JUMP {end}"]
        self.place(handler)
        self.lines += ["COPY_EXC", "LOAD_GLOBAL E0", f"JUMP_IF_NOT_MATCH {other}", "POP"]
        self.body((*around, "handler"), inner, deep)
        self.lines += ["POP_EXCEPT", f"JUMP {end}"]
        self.place(other)
        self.lines.append("RERAISE")
        self.place(end)

    def write_with(self, around: Tuple[str, ...], goals: Tuple[Exit, ...], deep: int) -> None:
        handler, end = self.label(), self.label()
        self.ask()
        self.lines += [f"SETUP_WITH {handler}", "POP"]
        self.body((*around, "with"), (*goals, Exit(end, len(around))), deep)
        self.lines += ["POP_BLOCK", "EXIT_WITH", f"JUMP {end}"]
        self.place(handler)
        self.lines.append("WITH_EXCEPT")
        self.place(end)


def nesting(seed: int, deep: int = 3) -> Program:
    """The program of this seed, statements nested up to ``deep``."""
    writer = _Writer(seed)
    writer.body((), (), deep)
    writer.ask()
    writer.lines.append("RETURN_VALUE")
    return program("\n".join(["function() locals(x)", *writer.lines]))


def jumps(seed: int, blocks: int = 7) -> Program:
    """The program of this seed: blocks that go on to the next one or, asked, to any other but the first."""
    choose = random.Random(seed)
    lines = ["function()"]
    for number in range(blocks):
        lines += [f"b{number}:", "LOAD_GLOBAL_CALLABLE t", f"CONST {number}", "CALL 1"]
        kind = choose.random()
        if number == blocks - 1 or kind < 0.12:
            lines.append("RETURN_VALUE")
        elif kind < 0.75:
            lines.append(f"POP_JUMP_IF_{choose.choice(['TRUE', 'FALSE'])} b{choose.randrange(1, blocks)}")
        else:
            lines += ["POP", f"JUMP b{choose.randrange(1, blocks)}"]
    return program("\n".join(lines))
