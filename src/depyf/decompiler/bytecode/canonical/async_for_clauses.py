"""3.7's ``async for`` -> the form of 3.8.

3.7 compiles the end of an ``async for`` to an except clause that could be in the source: it compares the exception with
the global StopAsyncIteration, and the target is stored inside the try block. 3.8 uses END_ASYNC_FOR for the clause,
and leaves the block before the store.
"""

from __future__ import annotations

from ..edit import without
from ..instruction import Instruction

_AWAIT = ["SETUP_EXCEPT", "GET_ANEXT", "CONST", "YIELD_FROM"]
_CLAUSE = ["COPY", "LOAD_GLOBAL", "EXCEPTION_MATCH", "POP_JUMP_IF_TRUE", "END_FINALLY"]
_LEAVE = ["POP", "POP", "POP", "POP_EXCEPT", "POP"]


def plain_async_for(instructions: list[Instruction]) -> list[Instruction]:
    """Return ``instructions`` (blocks not yet unwound) with every such loop in 3.8's form."""
    dropped: set[int] = set()
    for index, setup in enumerate(instructions):
        if setup.op == "SETUP_EXCEPT" and _operations(instructions, index, 4) == _AWAIT:
            dropped.update(_rewrite(instructions, index))
    return without(instructions, dropped) if dropped else instructions


def _rewrite(instructions: list[Instruction], index: int) -> list[int]:
    """Rewrite the loop whose SETUP_EXCEPT is at ``index`` in place; return the indices to drop, [] for other code."""
    setup = instructions[index]
    clause, first = setup.target, index + len(_AWAIT)
    pop, jump = clause - 2, clause - 1
    if not first <= pop or _operations(instructions, pop, 2 + len(_CLAUSE)) != ["POP_BLOCK", "JUMP", *_CLAUSE]:
        return []
    end = instructions[clause + 3].target
    if instructions[clause + 1].arg != "StopAsyncIteration" or _operations(instructions, end, len(_LEAVE)) != _LEAVE:
        return []
    setup.op, setup.target = "SETUP_FINALLY", end
    instructions[end].op = "END_ASYNC_FOR"
    for instruction in instructions[first:pop]:
        if first <= instruction.target < pop:
            instruction.target += 1
    instructions[first : pop + 1] = [instructions[pop], *instructions[first:pop]]
    falls = instructions[jump].target == clause + 5  # otherwise the body is only a jump
    return [*([jump] if falls else []), *range(clause, clause + 5), *range(end + 1, end + 5)]


def _operations(instructions: list[Instruction], start: int, count: int) -> list[str]:
    return [i.op for i in instructions[start : start + count]]
