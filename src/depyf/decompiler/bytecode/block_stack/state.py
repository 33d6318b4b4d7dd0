"""The evaluation stack and the block stack of CPython 3.7 to 3.10, as far as exception handling needs them.

Entering a handler, these versions push three entries for the exception that was handled before and three for the
new one (traceback, value, type); 3.11 and the canonical instructions have one for each. So every entry here knows
whether it *counts*, that is, whether the canonical stack has an entry in its place: of three, only the value does.
Where the canonical handler wants the place of the exception on the stack (``lasti``), the lowest of the three old
entries stands for it.
"""

from __future__ import annotations

from typing import Dict, NamedTuple, Tuple


class Slot(NamedTuple):
    """One entry of the evaluation stack.

    ``owner`` is the index of the instruction that the entry comes from: for the entries that a handler finds, its
    first instruction.
    """

    kind: str
    owner: int = -1
    counts: bool = True


VALUE = Slot("value")
ENTERED = Slot("entered")  # what __aenter__ returned, to be awaited
EXITED = Slot("exited")  # what __exit__ or __aexit__ returned
EXITED_FOR = Slot("exited for", counts=False)  # 3.7 and 3.8 keep the exception, or None, below that
PLAIN = frozenset({"value", "entered", "exited"})
"""Kinds of entries that any operation may use."""
WAYS = frozenset({"return", "returning", "breaking", "continuing", "swallowed"})
"""Kinds of entries that say where a ``finally`` body goes on; each owner of such an entry has a copy of its own."""


class Block(NamedTuple):
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


class State:
    """What is on both stacks before an instruction. There is one for each content (see States): they compare fast.

    ``moves`` are the states to which plain instructions lead, by what they pop and push; ``copies`` says of which
    copies of ``finally`` bodies the instruction is part.
    """

    __slots__ = ("stack", "blocks", "moves", "copies")

    def __init__(self, stack: tuple[Slot, ...], blocks: tuple[Block, ...]) -> None:
        self.stack = stack
        self.blocks = blocks
        self.moves: dict[tuple[int, int], State] = {}
        self.copies = [slot.owner for slot in stack if slot.kind in WAYS]


class States(Dict[Tuple[Tuple[Slot, ...], Tuple[Block, ...]], State]):
    """The states of one code object, by what is on the stacks."""

    def __missing__(self, stacks: tuple[tuple[Slot, ...], tuple[Block, ...]]) -> State:
        state = self[stacks] = State(*stacks)
        return state


def depth(stack: tuple[Slot, ...]) -> int:
    """The number of entries that the canonical stack has."""
    return sum(slot.counts for slot in stack)


def caught(block: Block) -> tuple[Slot, ...]:
    """The six entries that a handler finds on the stack: the exception handled before, the one caught."""
    purpose, start = PURPOSES[block.purpose], block.start
    return (
        Slot("previous traceback", start, purpose.lasti),
        Slot("previous value", start, purpose.informs),
        Slot("previous type", start, False),
        Slot("traceback", start, False),
        Slot("exception", start),
        Slot("type", start, False),
    )


def enter_handler(stack: tuple[Slot, ...], blocks: tuple[Block, ...]) -> tuple[tuple[Slot, ...], tuple[Block, ...]]:
    """Both stacks where the innermost block, a 'try', finds an exception of an instruction that has these."""
    block = blocks[-1]
    return stack[: block.level] + caught(block), (*blocks[:-1], block._replace(kind="handling"))
