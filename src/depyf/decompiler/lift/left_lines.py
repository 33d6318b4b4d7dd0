"""Lines of statements that left nothing else, where there are no columns (CPython 3.10)."""

from __future__ import annotations

from ..flowgraph import BasicBlock
from .exit_evidence import ExitEvidence

_LEAVES_HANDLER = frozenset({"POP_EXCEPT", "CONST", "STORE_FAST", "STORE_NAME", "DELETE_FAST", "DELETE_NAME"})


def left_line(exits: ExitEvidence, block: BasicBlock) -> int | None:
    """Return the line of what a ``break`` left before ``block``: the NOP that it begins with, or the end of a handler.

    None if the rest of ``block`` is on that line, too.
    """
    left, rest = block.instructions[:1], block.instructions[1:]
    if left and left[0].op != "NOP":
        sources = exits.sources.get(block, [])
        left, rest = exits.without_unbinding(sources[0].instructions)[-1:] if len(sources) == 1 else [], left
        if not left or left[0].op != "POP_EXCEPT" or not exits.instructions_on[left[0].line] <= _LEAVES_HANDLER:
            return None
    if not left or not rest or left[0].position is None or left[0].position[2] is not None:
        return None
    return left[0].line if left[0].line != rest[0].line else None
