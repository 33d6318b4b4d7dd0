"""Folds the rigid sequences behind ``await``, ``yield from`` and ``async for`` into single operations.

``SEND end; YIELD_VALUE; JUMP back`` is one YIELD_FROM. The awaited ``__anext__`` whose only handler is an
END_ASYNC_FOR is one ASYNC_FOR_ITER that jumps to what follows the handler, as FOR_ITER does.
"""

from __future__ import annotations

from .edit import ErrorMaker, without
from .instruction import Instruction


def fold_awaits(instructions: list[Instruction], error: ErrorMaker) -> list[Instruction]:
    """``instructions`` with the sequences folded; ``error(reason, offset)`` makes the exception to raise."""
    if not any(i.op == "SEND" for i in instructions):
        return instructions
    return _fold_async_for(_fold_sends(instructions, error), error)


def _fold_sends(instructions: list[Instruction], error: ErrorMaker) -> list[Instruction]:
    dropped: set[int] = set()
    for index, send in enumerate(instructions):
        if send.op != "SEND":
            continue
        loop = instructions[index : index + 3]
        if [i.op for i in loop] != ["SEND", "YIELD_VALUE", "JUMP"] or loop[2].target != index:
            raise error("SEND without its loop", send.offset)
        if loop[1].handler != send.handler:
            raise error("SEND whose loop has another handler", send.offset)
        if send.target != index + 3:
            raise error("SEND does not leave its loop at the end", send.offset)
        dropped.update((index + 1, index + 2))
        send.op, send.target = "YIELD_FROM", -1
    return without(instructions, dropped, error)


def _fold_async_for(instructions: list[Instruction], error: ErrorMaker) -> list[Instruction]:
    dropped: set[int] = set()
    for index, get in enumerate(instructions):
        if get.op != "GET_ANEXT":
            continue
        steps = instructions[index : index + 3]
        handler = get.handler
        if [i.op for i in steps] != ["GET_ANEXT", "CONST", "YIELD_FROM"] or handler is None or steps[1].arg is not None:
            raise error("GET_ANEXT outside an async for", get.offset)
        end = instructions[handler.target]
        if end.op != "END_ASYNC_FOR" or any(i.handler != handler for i in steps):
            raise error("GET_ANEXT whose handler does not end an async for", get.offset)
        dropped.update((index + 1, index + 2, handler.target))
        get.op, get.target, get.handler = "ASYNC_FOR_ITER", handler.target + 1, end.handler
    if any(i.op == "END_ASYNC_FOR" and index not in dropped for index, i in enumerate(instructions)):
        raise error("END_ASYNC_FOR without its loop", -1)
    return without(instructions, dropped, error)
