"""The evaluation stack and the block stack of CPython 3.7 to 3.10, as far as exception handling needs them.

On entering a handler, these versions push three entries for the previously handled exception and three for the
new one (traceback, value, type); 3.11 and the canonical instructions have one for each. So every entry records
whether it *counts*, that is, has a counterpart on the canonical stack: of the three, only the value does.
Where the canonical handler expects the offset of the raising instruction on the stack (``lasti``), the lowest of the
three previous entries is its counterpart.
"""

from __future__ import annotations

from typing import Dict, NamedTuple, Tuple


class StackEntry(NamedTuple):
    """One entry of the evaluation stack.

    ``owner`` is the index of the instruction that pushed the entry; for the entries on the stack when a handler
    starts, the handler's first instruction.
    """

    kind: str
    owner: int = -1
    counts: bool = True


VALUE = StackEntry("value")
ENTERED = StackEntry("entered")  # what __aenter__ returned, to be awaited
EXITED = StackEntry("exited")  # what __exit__ or __aexit__ returned
EXITED_FOR = StackEntry("exited for", counts=False)  # 3.7 and 3.8: the exception, or None, below EXITED
PLAIN = frozenset({"value", "entered", "exited"})
"""Kinds of entries that any operation may use."""
CONTINUATIONS = frozenset({"return", "returning", "breaking", "continuing", "swallowed"})
"""Kinds of entries that say where a ``finally`` body continues; each owner of such an entry gets its own copy."""


class BlockEntry(NamedTuple):
    """One entry of the block stack.

    ``kind`` is 'try' for a block that catches exceptions, 'handling' for one whose exception was caught, 'loop'
    for 3.7's loops. ``start`` is the handler's first instruction (for a loop, the one after it), ``level`` the stack
    depth to which unwinding cuts, ``purpose`` what the handler is for, one of PURPOSES.
    """

    kind: str
    start: int
    level: int
    purpose: str


class Purpose(NamedTuple):
    """``pushes_exc_info``: entered by PUSH_EXC_INFO; ``lasti``: pushes the offset of the raising instruction."""

    pushes_exc_info: bool
    lasti: bool


PURPOSES = {
    "handle": Purpose(True, False),  # except clauses; finally but in 3.7
    "finally": Purpose(True, False),  # 3.7's
    "with": Purpose(True, True),
    "unbind": Purpose(False, True),  # the name of `except ... as name`
    "end async for": Purpose(False, False),
}


class StackState:
    """Both stacks before an instruction. There is one object per content (see StackStates), so they compare fast.

    ``moves`` caches the states after plain instructions, by what they pop and push; ``copies`` are the copies of
    ``finally`` bodies that contain the instruction; ``size`` is the number of entries of both.
    """

    __slots__ = ("stack", "blocks", "moves", "copies", "size")

    def __init__(self, stack: tuple[StackEntry, ...], blocks: tuple[BlockEntry, ...]) -> None:
        self.stack = stack
        self.blocks = blocks
        self.size = len(stack) + len(blocks)
        self.moves: dict[tuple[int, int], StackState] = {}
        self.copies = [slot.owner for slot in stack if slot.kind in CONTINUATIONS]


class StackStates(Dict[Tuple[Tuple[StackEntry, ...], Tuple[BlockEntry, ...]], StackState]):
    """The states of one code object, by what is on the stacks."""

    def __missing__(self, stacks: tuple[tuple[StackEntry, ...], tuple[BlockEntry, ...]]) -> StackState:
        state = self[stacks] = StackState(*stacks)
        return state


def depth(stack: tuple[StackEntry, ...]) -> int:
    """The depth of the canonical stack."""
    return [slot.counts for slot in stack].count(True)


def caught(block: BlockEntry) -> tuple[StackEntry, ...]:
    """The six entries pushed on entry to a handler: the previously handled exception, the one caught."""
    purpose, start = PURPOSES[block.purpose], block.start
    return (
        StackEntry("previous traceback", start, purpose.lasti),
        StackEntry("previous value", start, purpose.pushes_exc_info),
        StackEntry("previous type", start, False),
        StackEntry("traceback", start, False),
        StackEntry("exception", start),
        StackEntry("type", start, False),
    )


def enter_handler(
    stack: tuple[StackEntry, ...], blocks: tuple[BlockEntry, ...]
) -> tuple[tuple[StackEntry, ...], tuple[BlockEntry, ...]]:
    """Both stacks at the start of the innermost block's handler (a 'try'), for an exception raised with these."""
    block = blocks[-1]
    return stack[: block.level] + caught(block), (*blocks[:-1], block._replace(kind="handling"))
