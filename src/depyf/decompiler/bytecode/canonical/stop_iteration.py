"""The handler around the whole code of a generator or coroutine that turns StopIteration into RuntimeError (3.12 on).

Before 3.12 the interpreter does that itself, so the handler is dropped from code whose every exception ends in it.
Code without it (the compiler makes none for a lambda) begins with LETS_STOP_ITERATION_PASS instead; so does code
with tests that it does not cover (see uncovered_tests.py), with their numbers as operand.
"""

from __future__ import annotations

from typing import Collection

from ..edit import ErrorMaker, prepended, without
from ..instruction import NEVER_RAISES, NO_FALL_THROUGH, Instruction
from .uncovered_tests import THREADED, uncovered_tests


def drop_stop_iteration_handler(
    instructions: list[Instruction], error: ErrorMaker, *, expected: bool
) -> list[Instruction]:
    """Return ``instructions`` without the handler; ``expected``: whether this kind of code and version has one."""
    found = [index for index, i in enumerate(instructions) if i.op == "STOPITERATION_ERROR"]
    if not found:
        if expected and any(i.op not in NEVER_RAISES for i in instructions):
            return prepended(Instruction("LETS_STOP_ITERATION_PASS"), instructions)
        return instructions
    wrapper = found[0]
    start = _checked(instructions, wrapper, error)
    uncovered = uncovered_tests(instructions)
    _release(instructions, start, wrapper, uncovered, error)
    rest = without(instructions, {wrapper, wrapper + 1})
    if not uncovered:
        return rest
    for index in uncovered:
        instructions[index].arg = THREADED
    return prepended(Instruction("LETS_STOP_ITERATION_PASS", tuple(uncovered)), rest)


def _checked(instructions: list[Instruction], wrapper: int, error: ErrorMaker) -> int:
    """The index where the generator's own code begins; raises ``error`` if the handler is not at ``wrapper``."""
    offset = instructions[wrapper].offset
    ends = instructions[wrapper:]
    if [i.op for i in ends] != ["STOPITERATION_ERROR", "RERAISE"] or ends[0].handler or ends[1].handler:
        raise error("a handler of StopIteration in another form", offset)
    if not wrapper or instructions[wrapper - 1].op not in NO_FALL_THROUGH:
        raise error("control runs into the handler of StopIteration", offset)
    # Code that runs before the generator is made (3.15's generator expressions call iter() there) is not part of it.
    start = next((index + 1 for index, i in enumerate(instructions) if i.op == "RETURN_GENERATOR"), 0)
    if any(i.target >= 0 or i.handler is not None for i in instructions[:start]):
        raise error("a generator is made inside a statement", offset)
    return start


def _release(
    instructions: list[Instruction], start: int, wrapper: int, uncovered: Collection[int], error: ErrorMaker
) -> None:
    """Remove the handler from the instructions it covers; raises ``error`` if it is not the outermost of each."""
    for index, instruction in enumerate(instructions[start:wrapper], start):
        handler = instruction.handler
        raises = handler is None and instruction.op not in NEVER_RAISES and index not in uncovered
        if instruction.target >= wrapper or raises:
            raise error("the handler of StopIteration is not the last for every exception", instruction.offset)
        if handler is not None and handler.target >= wrapper:
            if handler.target > wrapper or handler.depth > start or not handler.lasti:
                raise error("a handler of StopIteration in another form", instructions[wrapper].offset)
            instruction.handler = None
