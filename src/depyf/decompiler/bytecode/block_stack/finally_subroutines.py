"""3.8's ``finally`` bodies, which are subroutines, and its ends of with statements, which have the same form.

BEGIN_FINALLY and CALL_FINALLY push where the body continues when it is done, an exception pushes itself;
END_FINALLY dispatches on what it finds. A separate kind of entry represents the former. It takes no slot on the
canonical stack, and since it records its origin, each entry edge of the body gets a copy of the body.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .loop_blocks import unwind
from .state import CONTINUATIONS, EXITED, EXITED_FOR, StackEntry
from .steps import call_exit, handled, leave_handler, on, reraise

if TYPE_CHECKING:
    from .unwind import Step


@on("BEGIN_FINALLY")
def _begin_finally(step: Step) -> None:
    step.push(StackEntry("return", step.index, False))


@on("CALL_FINALLY")
def _call_finally(step: Step) -> None:
    step.push(StackEntry("return", step.index, False))
    step.falls = step.instruction.target


@on("END_FINALLY")
def _end_finally(step: Step) -> None:
    if handled(step):
        reraise(step)
        return
    entry = step.pop()
    if entry.kind == "swallowed":
        _swallow(step)
    elif entry.kind in ("returning", "breaking", "continuing"):
        unwind(step, entry.kind, entry.owner)
    elif entry.kind != "return":
        raise step.error(f"END_FINALLY finds something else than a way on ({entry.kind})")
    elif step.code[entry.owner].op == "CALL_FINALLY":
        step.falls = entry.owner + 1


@on("POP_FINALLY")
def _pop_finally(step: Step) -> None:
    """``return``, ``break`` or ``continue`` in a ``finally`` body: discard where it would have continued."""
    kept = [step.pop()] if step.instruction.arg else []
    if step.stack and step.stack[-1].kind == "return":
        step.pop()
    elif not handled(step) or step.blocks[-1].purpose != "handle":
        raise step.error("POP_FINALLY outside a finally body")
    else:
        del step.stack[-3:]
        step.emit_all(["SWAP", "POP", "SWAP"] if kept and kept[0].counts else ["POP"])
        leave_handler(step, step.pop_block())
    step.push(*kept)


@on("WITH_CLEANUP_START")
def _with_cleanup_start(step: Step) -> None:
    if handled(step) and step.blocks[-1].purpose == "with":
        step.emit("WITH_EXCEPT_START")
        step.push(EXITED_FOR, EXITED)
        return
    entry = step.pop()
    if entry.kind == "returning":
        step.emit("SWAP", 2)
        step.stack[-2:] = step.stack[:-3:-1]
    if entry.kind not in CONTINUATIONS or not step.stack or step.stack[-1].kind != "exit":
        raise step.error("WITH_CLEANUP_START outside a with statement")
    call_exit(step, [step.instruction] * 4)
    step.stack[-1:] = [entry, EXITED_FOR, EXITED]


@on("WITH_CLEANUP_FINISH")
def _with_cleanup_finish(step: Step) -> None:
    step.values(1)
    if step.pop() != EXITED_FOR:
        raise step.error("WITH_CLEANUP_FINISH without its WITH_CLEANUP_START")
    if step.stack and step.stack[-1].kind in CONTINUATIONS:
        step.emit("POP")
        return
    if not handled(step) or step.blocks[-1].purpose != "with":
        raise step.error("WITH_CLEANUP_FINISH outside a with statement")
    step.push(StackEntry("swallowed", step.index + 1, False))
    step.emit("POP_JUMP_IF_TRUE", target=step.index + 1)
    step.pop()


def _swallow(step: Step) -> None:
    """Drop the exception that __exit__ suppressed, and all that the with statement kept on the stack."""
    if not handled(step) or step.blocks[-1].purpose != "with":
        raise step.error("an exception is swallowed outside a with statement")
    del step.stack[-3:]
    step.emit("POP")
    leave_handler(step, step.pop_block())
    if step.pop().kind != "exit":
        raise step.error("a with statement without its __exit__")
    step.emit("POP")
