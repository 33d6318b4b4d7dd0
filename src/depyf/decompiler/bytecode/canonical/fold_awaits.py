"""Folds the fixed sequences of ``await``, ``yield from`` and ``async for`` into single operations.

``SEND end; YIELD_VALUE; JUMP back; end:`` is one YIELD_FROM. From 3.12 on YIELD_VALUE has a handler of its own,
CLEANUP_THROW, which continues after the loop when the exception thrown in ended the inner iterator, and END_SEND
ends it. The awaited ``__anext__`` whose only handler is an END_ASYNC_FOR is one ASYNC_FOR_ITER that, like FOR_ITER,
jumps past the loop, here to what follows the handler; in 3.7's form it stays an except clause and a loop.
"""

from __future__ import annotations

from ..edit import ErrorMaker, referred, without
from ..instruction import EXITS, NEVER_RAISES, NO_FALL_THROUGH, Instruction


def fold_awaits(instructions: list[Instruction], error: ErrorMaker) -> list[Instruction]:
    """Return ``instructions`` with the sequences folded; ``error(reason, offset)`` makes the exception to raise."""
    return _fold_async_for(_fold_sends(instructions, error), error)


def _fold_sends(instructions: list[Instruction], error: ErrorMaker) -> list[Instruction]:
    dropped: set[int] = set()
    cleanups: list[int] = []
    ends: set[int] = set()
    for index, send in enumerate(instructions):
        if send.op != "SEND":
            continue
        loop = instructions[index : index + 3]
        if [i.op for i in loop] != ["SEND", "YIELD_VALUE", "JUMP"] or loop[2].target != index:
            raise error("SEND without its loop", send.offset)
        thrown = loop[1].handler
        if thrown is not None and instructions[thrown.target].op == "CLEANUP_THROW":
            cleanup = instructions[thrown.target]
            if thrown.lasti or cleanup.handler != send.handler or instructions[send.target].op != "END_SEND":
                raise error("SEND whose loop has a clean-up of another form", send.offset)
            if not _same_exit(instructions, thrown.target + 1, send.target):
                raise error("CLEANUP_THROW does not go on where its SEND does", cleanup.offset)
            if any(i.op != "CLEANUP_THROW" for i in instructions[index + 3 : send.target]):
                raise error("SEND does not leave its loop at the end", send.offset)
            cleanups.append(thrown.target)
        elif loop[1].handler != send.handler:
            raise error("SEND whose loop has another handler", send.offset)
        elif instructions[send.target].op == "END_SEND":
            raise error("SEND does not leave its loop at the end", send.offset)
        elif send.target != index + 3:
            loop[2].target = send.target  # to a copy of a short exit; the one after the loop is that of another path
        dropped.add(index + 1)
        if loop[2].target == index:
            dropped.add(index + 2)
        ends.add(send.target)
        send.op, send.target = "YIELD_FROM", -1
    if cleanups:
        return _without_cleanups(instructions, dropped, cleanups, ends, error)
    return without(instructions, dropped, error)


def _same_exit(instructions: list[Instruction], left: int, right: int) -> bool:
    """Whether both indices continue alike: they are the same, or one is the compiler's copy of a short exit."""
    for _ in range(100):
        left, right = _past_jumps(instructions, left), _past_jumps(instructions, right)
        if left == right or max(left, right) >= len(instructions):
            return left == right
        ours, theirs = instructions[left], instructions[right]
        if ours.op != theirs.op or ours.target >= 0 or theirs.target >= 0:
            return False
        if ours.arg is not theirs.arg and (ours.op == "CONST" or ours.arg != theirs.arg):
            return False  # a copy has the same constant objects as the original
        if ours.handler != theirs.handler and ours.op not in NEVER_RAISES and ours.op != "END_SEND":
            return False
        if ours.op in EXITS:
            return True
        left, right = left + 1, right + 1
    return False


def _past_jumps(instructions: list[Instruction], index: int) -> int:
    for _ in range(100):
        if index >= len(instructions):
            break
        if instructions[index].op == "JUMP":
            index = instructions[index].target
        elif instructions[index].op == "NOP":
            index += 1
        else:
            break
    return index


def _without_cleanups(
    instructions: list[Instruction], dropped: set[int], cleanups: list[int], ends: set[int], error: ErrorMaker
) -> list[Instruction]:
    """Drop the clean-ups, the code that only they reach, and every END_SEND."""
    for index in dropped:
        instructions[index].handler = None  # nothing leads to the clean-up any more
    referred_to = ends | referred([i for index, i in enumerate(instructions) if index not in dropped])
    for index in cleanups:
        while index < len(instructions) and index not in referred_to and index not in dropped:
            dropped.add(index)
            if instructions[index].op in NO_FALL_THROUGH:
                break
            index += 1
    stray = next((i for index, i in enumerate(instructions) if i.op == "CLEANUP_THROW" and index not in dropped), None)
    if stray is not None:
        raise error("CLEANUP_THROW without its SEND", stray.offset)
    folded = {index for index in dropped if instructions[index].op != "END_SEND"}
    if any(i.target in folded for index, i in enumerate(instructions) if index not in dropped):
        raise error("jump into the middle of a folded sequence", -1)
    dropped.update(index for index, i in enumerate(instructions) if i.op == "END_SEND")
    return without(instructions, dropped)


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
        if end.op == "PUSH_EXC_INFO":
            continue  # 3.7 compiles the handler of StopAsyncIteration to an except clause
        if end.op != "END_ASYNC_FOR" or any(i.handler != handler for i in steps):
            raise error("GET_ANEXT whose handler does not end an async for", get.offset)
        dropped.update((index + 1, index + 2, handler.target))
        get.op, get.target, get.handler = "ASYNC_FOR_ITER", handler.target + 1, end.handler
    if any(i.op == "END_ASYNC_FOR" and index not in dropped for index, i in enumerate(instructions)):
        raise error("END_ASYNC_FOR without its loop", -1)
    return without(instructions, dropped, error)
