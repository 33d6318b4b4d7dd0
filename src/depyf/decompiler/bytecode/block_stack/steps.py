"""The effect of each operation of CPython 3.7 to 3.10 on both stacks, and the canonical instructions it becomes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

from ..instruction import EMPTY_BODY, NAME_STORES, unbound_name
from .state import CONTINUATIONS, ENTERED, EXITED, EXITED_FOR, PURPOSES, VALUE, BlockEntry, StackEntry, depth

if TYPE_CHECKING:
    from ..instruction import Instruction
    from .unwind import Step

Handle = Callable[["Step"], None]
STEPS: dict[str, Handle] = {}
"""By operation, the functions below and those in finally_subroutines.py; all other operations only move values."""
MOVES_VALUES = frozenset({"CONST", "POP", *NAME_STORES})
"""These too only move values if what they pop is a value; but the constant None may begin something else."""


def on(*operations: str) -> Callable[[Handle], Handle]:
    """Register the decorated function for ``operations``."""

    def register(function: Handle) -> Handle:
        for operation in operations:
            STEPS[operation] = function
        return function

    return register


# Blocks


@on("SETUP_FINALLY", "SETUP_EXCEPT")
def _setup_finally(step: Step) -> None:
    purpose = _purpose(step)
    if purpose in ("handle", "finally"):
        step.emit("NOP")  # where `try:` is
    step.push_block("try", step.instruction.target, len(step.stack), purpose)


def _purpose(step: Step) -> str:
    """What the handler of a SETUP_FINALLY is for."""
    if step.code[step.instruction.target].op == "END_ASYNC_FOR":
        return "end async for"
    if unbinds(step.code, step.index) and step.blocks and step.blocks[-1].kind == "handling":
        return "unbind"
    return "finally" if step.converter.loops_are_blocks and step.instruction.op == "SETUP_FINALLY" else "handle"


def unbinds(code: list[Instruction], index: int) -> bool:
    """Whether the handler of the SETUP_FINALLY at ``index`` unbinds the name of ``except ... as name``.

    The name has just been bound to the exception; a finally clause of the same shape starts later than that.
    """
    start = code[index].target
    handler, before = code[start : start + 4], code[max(index - 2, 0) : index]
    return (
        len(handler) == 4
        and unbound_name(handler[:3]) is not None
        and handler[3].op in ("RERAISE", "END_FINALLY")
        and [i.op for i in before] == [handler[1].op, "POP"]
        and before[0].arg == handler[1].arg
    )


@on("SETUP_WITH")
def _setup_with(step: Step) -> None:
    step.values(1)
    step.emit("BEFORE_WITH")
    step.push(StackEntry("exit"))
    step.push_block("try", step.instruction.target, len(step.stack), "with")
    step.push(VALUE)


@on("BEFORE_ASYNC_WITH")
def _before_async_with(step: Step) -> None:
    step.values(1)
    step.emit("BEFORE_ASYNC_WITH")
    step.push(StackEntry("exit"), ENTERED)


@on("SETUP_ASYNC_WITH")
def _setup_async_with(step: Step) -> None:
    if len(step.stack) < 2 or step.stack[-2].kind != "exit":
        raise step.error("SETUP_ASYNC_WITH without BEFORE_ASYNC_WITH")
    step.push_block("try", step.instruction.target, len(step.stack) - 1, "with")


@on("POP_BLOCK")
def _pop_block(step: Step) -> None:
    before = step.index - 1
    while before > 0 and step.code[before].op == "NOP":
        before -= 1
    if before >= 0 and step.code[before].op in ("SETUP_FINALLY", "SETUP_EXCEPT"):
        step.emit("NOP", EMPTY_BODY)
    block = step.pop_block()
    level = block.level + (block.purpose == "end async for")  # with the item
    if block.kind == "handling" or step.converter.loops_are_blocks and len(step.stack) != level:
        raise step.error("POP_BLOCK of a block that is still needed")


@on("POP_EXCEPT")
def _pop_except(step: Step) -> None:
    block = step.pop_block()
    if block.kind != "handling":
        raise step.error("POP_EXCEPT where no exception is handled")
    leave_handler(step, block)


def leave_handler(step: Step, block: BlockEntry) -> None:
    """Pop the previously handled exception; ``block`` has been popped from the block stack."""
    entries = [step.pop().kind for _ in range(3)]
    if entries != ["previous type", "previous value", "previous traceback"] or len(step.stack) < block.level:
        raise step.error("the exception that was handled before is not on top of the stack")
    purpose = PURPOSES[block.purpose]
    if purpose.pushes_exc_info:
        step.emit("POP_EXCEPT")
    if purpose.lasti:
        step.emit("POP")


# Exceptions


@on("COPY")
def _copy(step: Step) -> None:
    count = step.instruction.arg
    if count > len(step.stack):
        raise step.error("the stack is too short")
    slot = step.stack[-count]
    if slot.kind == "type" and count == 1:
        step.push(StackEntry("type copy", slot.owner, False))  # CHECK_EXC_MATCH takes the exception itself
    elif slot.kind in ("value", "exit"):
        step.emit("COPY", depth(tuple(step.stack[-count:])))
        step.push(VALUE)
    else:
        raise step.error(f"a copy of what a statement keeps on the stack ({slot.kind})")


@on("EXCEPTION_MATCH")
def _exception_match(step: Step) -> None:
    _check_match(step)
    step.push(VALUE)


@on("JUMP_IF_NOT_EXC_MATCH")
def _jump_if_not_match(step: Step) -> None:
    _check_match(step)
    step.emit("POP_JUMP_IF_FALSE", target=step.instruction.target)


def _check_match(step: Step) -> None:
    step.values(1)
    copy = step.pop()
    if copy.kind != "type copy" or not step.stack or step.stack[-1] != StackEntry("type", copy.owner, False):
        raise step.error("an exception match against something else than the exception")
    step.emit("CHECK_EXC_MATCH")


@on("RERAISE")
def _reraise(step: Step) -> None:
    if not handled(step):
        raise step.error("RERAISE without its exception on top of the stack")
    reraise(step)


def handled(step: Step) -> bool:
    """Whether the innermost handler's exception is on top of the stack, the previously handled one below it."""
    block = step.blocks[-1] if step.blocks else None
    kinds = [slot.kind for slot in step.stack[-3:]]
    return (
        block is not None
        and block.kind == "handling"
        and kinds == ["traceback", "exception", "type"]
        and step.stack[-1].owner == block.start
        and len(step.stack) == block.level + 6
    )


def reraise(step: Step) -> None:
    """Reraise the exception on top to the enclosing handlers."""
    purpose = PURPOSES[step.blocks[-1].purpose]
    if step.instruction.op == "RERAISE" and step.instruction.arg and not purpose.lasti:
        raise step.error("RERAISE that restores the place of an exception, which is not on the stack")
    step.emit("RERAISE", (2 if purpose.pushes_exc_info else 1) if purpose.lasti else 0)
    step.falls = -1


@on("END_ASYNC_FOR")
def _end_async_for(step: Step) -> None:
    if not handled(step) or step.blocks[-1].purpose != "end async for":
        raise step.error("END_ASYNC_FOR without its exception on top of the stack")
    step.emit("END_ASYNC_FOR")
    del step.stack[-6:]
    step.pop_block()
    step.values(1)


@on("WITH_EXCEPT_START")
def _with_except_start(step: Step) -> None:
    if not handled(step) or step.blocks[-1].purpose != "with":
        raise step.error("WITH_EXCEPT_START outside the handler of a with statement")
    step.emit("WITH_EXCEPT_START")
    step.push(EXITED)


# Values


@on("POP")
def _pop(step: Step) -> None:
    slot = step.pop()
    if slot.kind.startswith("previous"):
        raise step.error("a handler drops the exception that was handled before")
    if slot == EXITED_FOR or slot.kind in CONTINUATIONS:
        raise step.error(f"POP_TOP of what only the end of a statement may take ({slot.kind})")
    if slot.counts:
        step.emit("POP")


@on(*NAME_STORES)
def _store(step: Step) -> None:
    if not step.stack or step.stack[-1].kind != "exception":
        step.values(1)
    else:
        step.pop()
    step.emit(step.instruction.op, step.instruction.arg)


@on("SWAP")
def _swap(step: Step) -> None:
    stack, count = step.stack, step.instruction.arg
    if count > len(stack):
        raise step.error("the stack is too short")
    between = depth(tuple(stack[len(stack) - count + 1 : -1])) if count > 1 else 0
    lower, upper = stack[-count].counts, stack[-1].counts
    if lower and upper:
        step.emit("SWAP", between + 2)
    elif upper:  # moves below the entries between
        for depth_from_top in range(between + 1, 1, -1):
            step.emit("SWAP", depth_from_top)
    elif lower:  # moves to the top
        for depth_from_top in range(2, between + 2):
            step.emit("SWAP", depth_from_top)
    stack[-count], stack[-1] = stack[-1], stack[-count]


@on("CONST")
def _const(step: Step) -> None:
    call = step.code[step.index : step.index + 4]
    if (
        step.instruction.arg is None
        and [i.op for i in call] == ["CONST", "COPY", "COPY", "CALL_FUNCTION"]
        and call[3].arg == (3, ())
        and step.stack
        and step.stack[-1].kind == "exit"
    ):
        call_exit(step, call)
        step.falls = step.index + 4
    elif _unbinds_first(step):
        step.pop()
        leave_handler(step, step.pop_block())
        for unbinding in step.code[step.index : step.index + 3]:
            step.emit(unbinding.op, unbinding.arg, at=unbinding)
        step.falls = step.index + 5
    elif step.instruction.arg is None and _enters_finally(step):
        step.push(StackEntry("return", step.index, False))
    elif step.instruction.arg is None and step.converter.copies and step.code[step.index + 1].op == "SETUP_FINALLY":
        step.push(StackEntry("padding", step.index, False))  # pushed for the compiler's stack depth calculation
    else:
        step.emit("CONST", step.instruction.arg)
        step.push(VALUE)


def _enters_finally(step: Step) -> bool:
    """Whether the None here tells the ``finally`` body that follows it that nothing is pending (3.7)."""
    return step.converter.loops_are_blocks and step.index + 1 in step.converter.handlers


def _unbinds_first(step: Step) -> bool:
    """Whether a name is unbound here, at the end of its except clause, with POP_EXCEPT next.

    Only 3.8 has this order; other exits from the clause, and the other compilers, pop the exception first.
    """
    after, entry = step.code[step.index + 3 : step.index + 5], step.stack[-1] if step.stack else None
    return (
        step.index in step.converter.unbinding
        and entry is not None
        and entry.kind == "return"
        and step.code[entry.owner].op != "CALL_FINALLY"
        and [i.op for i in after] == ["END_FINALLY", "POP_EXCEPT"]
        and bool(step.blocks)
        and step.blocks[-1].kind == "handling"
    )


def call_exit(step: Step, sources: list[Any]) -> None:
    """``__exit__(None, None, None)`` of the method on top, emitted at the four ``sources``."""
    step.pop()
    for source in sources[:3]:
        step.emit("CONST", None, at=source)
    step.emit("CALL", (2, ()), at=sources[-1])
    step.push(EXITED)


@on("GET_AWAITABLE")
def _get_awaitable(step: Step) -> None:
    (slot,) = step.values(1)
    step.emit("GET_AWAITABLE", {"entered": 1, "exited": 2}.get(slot.kind, 0))
    step.push(VALUE)
