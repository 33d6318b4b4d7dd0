"""3.7's block stack, which also holds loops: ``break``, ``continue`` and ``return`` unwind it like an exception.

Unwinding runs the ``finally`` bodies (and ends of with statements) on its path, with its reason on the stack
(CPython's WHY codes), and END_FINALLY continues it. As in finally_subroutines.py, the reason is an entry without a
canonical slot, and each entry edge of a body gets a copy of the body; what is unwound is popped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .state import StackEntry
from .steps import leave_handler, on

if TYPE_CHECKING:
    from .state import BlockEntry
    from .unwind import Step

_FINALLY = frozenset({"finally", "with", "unbind"})


@on("SETUP_LOOP")
def _setup_loop(step: Step) -> None:
    step.push_block("loop", step.instruction.target, len(step.stack), "loop")


@on("RETURN_VALUE")
def _return_value(step: Step) -> None:
    if step.converter.loops_are_blocks:
        step.push(*step.values(1))
        unwind(step, "returning", step.index)
    else:
        step.move_values()


@on("BREAK_LOOP")
def _break_loop(step: Step) -> None:
    unwind(step, "breaking", step.index)


@on("CONTINUE_LOOP")
def _continue_loop(step: Step) -> None:
    unwind(step, "continuing", step.index)


def unwind(step: Step, reason: str, origin: int) -> None:
    """Unwind the block stack for the instruction at ``origin``, up to where control continues."""
    keep = reason == "returning"
    while step.blocks:
        block = step.blocks[-1]
        if block.kind == "loop" and reason == "continuing":
            step.falls = step.code[origin].target
            return
        step.blocks.pop()
        if block.kind == "handling":
            _leave(step, block, keep)
            continue
        _drop(step, block.level, keep)
        if block.purpose == "unbind" and step.blocks[-1].kind == "handling":
            # As in all other versions: the exception is popped before its name is unbound.
            _leave(step, step.blocks.pop(), keep)
            for unbinding in step.code[block.start : block.start + 3]:
                step.emit(unbinding.op, unbinding.arg, at=unbinding)
            continue
        if block.kind == "loop" and reason == "breaking":
            step.falls = block.start
            return
        if block.purpose in _FINALLY:
            step.push(StackEntry(reason, origin, False))
            step.falls = block.start
            return
    if not keep:
        raise step.error("break or continue outside a loop")
    _drop(step, 0, True)
    step.emit("RETURN_VALUE", at=step.code[origin])
    step.falls = -1


def _leave(step: Step, handling: BlockEntry, keep: bool) -> None:
    """Drop the exception of the handler being left, and what its body kept on the stack."""
    _drop(step, handling.level + 3, keep)
    kept = [step.pop()] if keep else []
    step.emit_all(["SWAP"] if keep else [])
    leave_handler(step, handling)
    step.push(*kept)


def _drop(step: Step, level: int, keep: bool) -> None:
    """Cut the stack to ``level`` entries; with ``keep``, the top entry stays on top of them."""
    kept = [step.pop()] if keep else []
    while len(step.stack) > level:
        if step.pop().counts:
            step.emit_all(["SWAP", "POP"] if keep else ["POP"])
    step.push(*kept)
