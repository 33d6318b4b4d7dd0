"""Lifetimes: values that the recompiled code still holds at an operation where the original has released them.

At each operation of LONG, a side holds the values of its bound local variables (whether read again or not), its stack,
including operands of the operation, and the items of private containers among these. A value that only the recompiled
side holds is reported; that does not change what the code does, so it does not affect the verdict.

While an exception is handled nothing is compared: its traceback keeps the frame and all its variables alive.
Not compared: constants, truth values, and values held elsewhere in any case: globals, contents of cells, modules.
An operand that the recompiled side also holds in a variable counts as held by both: both have it on the stack.
"""

from __future__ import annotations

from ...bytecode import Instruction
from ..verdict import Held
from .state import OUTER_EXCEPTION, Heap, Pair, ProofEvent, Side, Term, values_of

LONG = frozenset(
    {"CALL", "CALL_EX", "BINARY_OP", "UNARY_OP", "COMPARE_OP", "CONTAINS_OP", "BINARY_SUBSCR", "STORE_SUBSCR",
     "DELETE_SUBSCR", "EXTEND", "ITEMS", "FOR_ITER", "ASYNC_FOR_ITER", "YIELD_VALUE", "YIELD_FROM", "BEFORE_WITH",
     "BEFORE_ASYNC_WITH", "WITH_EXCEPT_START", "IMPORT_NAME"}
)  # fmt: skip
"""Operations that may run long, or allocate: calls, operators, subscripts, iteration, with, yield, import. Excluded are
reading and storing attributes and names, reading at a constant index or key, truth tests and formatting."""

HELD_ELSEWHERE = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "IMPORT_NAME"})
"""Operations whose results are held elsewhere: holding them longer keeps nothing alive."""


def takes_long(event: ProofEvent) -> bool:
    """Whether to compare lifetimes at this event."""
    if event.op == "BINARY_SUBSCR":
        return bool(event.operands[1][0] != "k")
    return event.op in LONG


def held_by(side: Side, heap: Heap) -> set[Term]:
    """The values that one side holds."""
    return values_of([*side.locals.values(), *side.stack], heap)


class Lifetimes:
    """Collects the findings of one proof; ``held`` has each variable once for each instruction."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, int], Held] = {}
        self.held_elsewhere: set[Term] = set()

    @property
    def held(self) -> tuple[Held, ...]:
        """The findings, ordered by offset in the recompiled code."""
        return tuple(self.found[key] for key in sorted(self.found, key=lambda key: (key[1], key[0])))

    def compare(
        self, pair: Pair, before: set[Term], instructions: tuple[Instruction, Instruction], tags: dict[Term, str]
    ) -> None:
        """Compare both sides of ``pair`` before the same event, at these instructions.

        ``before``: what the original held when its operands were still private; an operand includes its items.
        """
        left, right = pair.sides
        if right.handled != OUTER_EXCEPTION:
            return
        surplus = held_by(right, pair.heap) - before
        surplus = {term for term in surplus if term not in self.held_elsewhere and tags.get(term) != "bool"}
        if surplus:
            surplus -= held_by(left, pair.heap)
        if surplus:
            self.report(right, pair.heap, surplus, instructions)

    def report(self, side: Side, heap: Heap, surplus: set[Term], instructions: tuple[Instruction, Instruction]) -> None:
        variables = [name for name, term in sorted(side.locals.items()) if surplus & values_of([term], heap)]
        original, ours = instructions
        for variable in variables or [""]:
            held = Held(variable, repr(ours), ours.line, ours.offset, original.offset)
            self.found.setdefault((variable, ours.offset), held)
