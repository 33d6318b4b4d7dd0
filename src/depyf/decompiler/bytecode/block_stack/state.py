"""The evaluation stack and the block stack of CPython 3.7 to 3.10, as far as exception handling needs them.

Entering a handler, these versions push three entries for the exception that was handled before and three for the
new one (traceback, value, type); 3.11 and the canonical instructions have one for each. So every entry here knows
whether it *counts*, that is, whether the canonical stack has an entry in its place: of three, only the value does.
Where the canonical handler wants the place of the exception on the stack (``lasti``), the lowest of the three old
entries stands for it.
"""

from __future__ import annotations

from typing import Dict, NamedTuple, Tuple


class StackEntry(NamedTuple):
    """One entry of the evaluation stack.

    ``owner`` is the index of the instruction that the entry comes from: for the entries that a handler finds, its
    first instruction.
    """

    kind: str
    owner: int = -1
    counts: bool = True


VALUE = StackEntry("value")
ENTERED = StackEntry("entered")  # what __aenter__ returned, to be awaited
EXITED = StackEntry("exited")  # what __exit__ or __aexit__ returned
EXITED_FOR = StackEntry("exited for", counts=False)  # 3.7 and 3.8 keep the exception, or None, below that
PLAIN = frozenset({"value", "entered", "exited"})
"""Kinds of entries that any operation may use."""
CONTINUATIONS = frozenset({"return", "returning", "breaking", "continuing", "swallowed"})
"""Kinds of entries that say where a ``finally`` body continues; each owner of such an entry has a copy of its own."""


class BlockEntry(NamedTuple):
    """One entry of the block stack.

    ``kind`` is 'try' for what catches exceptions, 'handling' for what an exception that was caught left behind,
    'loop' for 3.7's loops; ``start`` the handler's first instruction (a loop's: what follows it), ``level`` the
    height of the evaluation stack that it keeps, ``purpose`` what the handler is for, one of PURPOSES.
    """

    kind: str
    start: int
    level: int
    purpose: str


class Purpose(NamedTuple):
    """``informs``: entered by PUSH_EXC_INFO; ``lasti``: the place of the exception is on the stack."""

    informs: bool
    lasti: bool


PURPOSES = {
    "handle": Purpose(True, False),  # except clauses; finally but in 3.7
    "finally": Purpose(True, False),  # 3.7's
    "with": Purpose(True, True),
    "unbind": Purpose(False, True),  # the name of `except ... as name`
    "end async for": Purpose(False, False),
}


class StackState:
    """What is on both stacks before an instruction. There is one for each content (see States): they compare fast.

    ``moves`` are the states to which plain instructions lead, by what they pop and push; ``copies`` says of which
    copies of ``finally`` bodies the instruction is part.
    """

    __slots__ = ("stack", "blocks", "moves", "copies")

    def __init__(self, stack: tuple[StackEntry, ...], blocks: tuple[BlockEntry, ...]) -> None:
        self.stack = stack
        self.blocks = blocks
        self.moves: dict[tuple[int, int], StackState] = {}
        self.copies = [slot.owner for slot in stack if slot.kind in CONTINUATIONS]


class StackStates(Dict[Tuple[Tuple[StackEntry, ...], Tuple[BlockEntry, ...]], StackState]):
    """The states of one code object, by what is on the stacks."""

    def __missing__(self, stacks: tuple[tuple[StackEntry, ...], tuple[BlockEntry, ...]]) -> StackState:
        state = self[stacks] = StackState(*stacks)
        return state


def depth(stack: tuple[StackEntry, ...]) -> int:
    """The number of entries that the canonical stack has."""
    return sum(slot.counts for slot in stack)


def caught(block: BlockEntry) -> tuple[StackEntry, ...]:
    """The six entries that a handler finds on the stack: the exception handled before, the one caught."""
    purpose, start = PURPOSES[block.purpose], block.start
    return (
        StackEntry("previous traceback", start, purpose.lasti),
        StackEntry("previous value", start, purpose.informs),
        StackEntry("previous type", start, False),
        StackEntry("traceback", start, False),
        StackEntry("exception", start),
        StackEntry("type", start, False),
    )


def enter_handler(
    stack: tuple[StackEntry, ...], blocks: tuple[BlockEntry, ...]
) -> tuple[tuple[StackEntry, ...], tuple[BlockEntry, ...]]:
    """Both stacks where the innermost block, a 'try', finds an exception of an instruction that has these."""
    block = blocks[-1]
    return stack[: block.level] + caught(block), (*blocks[:-1], block._replace(kind="handling"))
