"""The normal form as steps of a walk: each instruction with its test, its successors and its handler.

Different encodings of a test become the same step: inverted jumps (the successors are named for the truth of the
test, not for the jump), a ``not`` before a jump, ``is not`` and ``not in`` before a jump, ``is None`` as comparison or
as jump, and a kept copy of the tested value.
"""

from __future__ import annotations

from typing import Any

from ...bytecode import Handler, Instruction, RawCode
from ...bytecode.instruction import shown
from ..ignored import CANNOT_RAISE
from .normalize import NormalForm

TRUTH = "test the truth"  # pops the value, calls bool() on it
NONE = "test for None"
IS = "test the identity"
IN = "test membership"
KEEP_IF_FALSE = "test the truth, keeping a false value"
KEEP_IF_TRUE = "test the truth, keeping a true value"

_JUMPS = {
    # Jump operation -> (step, whether the jumping edge is that of a true test).
    "POP_JUMP_IF_TRUE": (TRUTH, True),
    "POP_JUMP_IF_FALSE": (TRUTH, False),
    "POP_JUMP_IF_NONE": (NONE, True),
    "POP_JUMP_IF_NOT_NONE": (NONE, False),
    "JUMP_IF_TRUE_OR_POP": (KEEP_IF_TRUE, True),
    "JUMP_IF_FALSE_OR_POP": (KEEP_IF_FALSE, False),
}
_SILENT_STEPS = frozenset({NONE, IS}) | frozenset(CANNOT_RAISE)


TESTED_TWICE = "testing the truth of a value twice in a row gives what testing it once gives"
"""The assumption of CPython's own jump threading; which jumps it threads depends on source lines."""


class Steps:
    """``NormalForm`` as parallel lists: ``ops``, ``args``, the successors ``yes`` and ``no`` (-1 for none; an
    instruction without a test has only ``yes``), the ``handlers``, and whether a step ``raises``.

    With ``threaded``, a value kept by one test and tested again by the next leads directly to the second test's
    successor: valid only under TESTED_TWICE. ``changed``: whether that made a difference.
    """

    __slots__ = ("form", "ops", "args", "yes", "no", "handlers", "raises", "changed")

    def __init__(self, form: NormalForm, *, threaded: bool = False) -> None:
        self.form = form
        self.changed = False
        self.ops: list[str] = list(form.ops)
        self.args: list[Any] = list(form.args)
        self.yes: list[int] = list(form.next)
        self.no: list[int] = list(form.target)
        self.handlers: list[Handler | None] = list(form.handlers)
        for index, op in enumerate(form.ops):
            if op in _JUMPS:
                self.ops[index], jumps_if_true = _JUMPS[op]
                if jumps_if_true:
                    self.yes[index], self.no[index] = self.no[index], self.yes[index]
        if threaded:
            for index, op in enumerate(form.ops):
                if op in ("JUMP_IF_TRUE_OR_POP", "JUMP_IF_FALSE_OR_POP"):
                    self.thread(index)
        for index, op in enumerate(form.ops):
            if op in _FUSERS:
                _FUSERS[op](self, index)
        self.raises: list[bool] = [op not in _SILENT_STEPS for op in self.ops]

    def description(self, index: int) -> str:
        """The step as text: the instruction, and the test that it begins, if longer."""
        text = _described(self.form.sources[index])
        fused = self.ops[index] != self.form.ops[index] and self.form.ops[index] not in _JUMPS
        return f"{text}, to {self.ops[index]}" if fused else text

    def thread(self, index: int) -> None:
        """Redirect the edge that keeps the value of the test at ``index`` past the tests that it reaches."""
        kept_if_true = self.ops[index] == KEEP_IF_TRUE
        at = self.yes[index] if kept_if_true else self.no[index]
        kept = True
        for _ in range(len(self.ops)):
            if not kept or self.ops[at] not in (TRUTH, KEEP_IF_TRUE, KEEP_IF_FALSE):
                break
            self.changed = True
            kept = self.ops[at] == self.ops[index]
            at = self.yes[at] if kept_if_true else self.no[at]
        if kept_if_true:
            self.yes[index] = at
        else:
            self.no[index] = at
        if not kept:
            self.ops[index] = TRUTH

    def become(self, index: int, op: str, arg: Any, yes: int, no: int) -> None:
        self.ops[index], self.args[index], self.yes[index], self.no[index] = op, arg, yes, no


_MOST_TEXT = 200
"""The limit of characters of a constant in a message."""


def _described(instruction: Instruction) -> str:
    """Operation and operand, without parts that need the list of instructions to understand."""
    op, arg = instruction.op, instruction.arg
    if op == "CALL":
        count, keywords = arg
        return f"CALL {count}" + (f" with keywords {', '.join(keywords)}" if keywords else "")
    if op == "CONST":
        text = f"code of {arg.qualname}" if isinstance(arg, RawCode) else shown(arg)
        return f"CONST {text if len(text) <= _MOST_TEXT else text[:_MOST_TEXT] + '...'}"
    if arg is None:
        return op
    return f"{op} {', '.join(map(str, arg)) if isinstance(arg, tuple) else arg}"


def _truth_after(steps: Steps, index: int) -> tuple[int, int] | None:
    """The successors (if true, if false) when the value pushed at ``index`` is only tested; otherwise None.

    The value must be an exact bool: then testing it, and any number of ``not``, runs no code.
    """
    ops, form = steps.ops, steps.form
    swapped = False
    at = form.next[index]
    for _ in range(len(ops)):
        if ops[at] != "UNARY_OP" or form.args[at] != "not":
            break
        swapped = not swapped
        at = form.next[at]
    if ops[at] != TRUTH:
        return None
    yes, no = steps.yes[at], steps.no[at]
    return (no, yes) if swapped else (yes, no)


def _fuse_not(steps: Steps, index: int) -> None:
    if steps.form.args[index] == "not":
        after = _truth_after(steps, index)
        if after is not None:
            steps.become(index, TRUTH, None, after[1], after[0])


def _fuse_is(steps: Steps, index: int) -> None:
    after = _truth_after(steps, index)
    if after is not None:
        yes, no = after if steps.form.args[index] == "is" else after[::-1]
        steps.become(index, IS, None, yes, no)


def _fuse_in(steps: Steps, index: int) -> None:
    after = _truth_after(steps, index)
    if after is not None:
        yes, no = after if steps.form.args[index] == "in" else after[::-1]
        steps.become(index, IN, None, yes, no)


def _fuse_none(steps: Steps, index: int) -> None:
    form = steps.form
    after = form.next[index]
    if form.args[index] is None and form.ops[after] == "IS_OP":
        where = _truth_after(steps, after)
        if where is not None:
            yes, no = where if form.args[after] == "is" else where[::-1]
            steps.become(index, NONE, None, yes, no)


def _fuse_copy(steps: Steps, index: int) -> None:
    """Fuse ``COPY 1``, a test, and a POP on one edge, as JUMP_IF_FALSE_OR_POP and JUMP_IF_TRUE_OR_POP do."""
    form = steps.form
    test = form.next[index]
    if form.args[index] != 1 or form.ops[test] not in ("POP_JUMP_IF_TRUE", "POP_JUMP_IF_FALSE"):
        return
    yes, no = steps.yes[test], steps.no[test]
    if form.ops[yes] == "POP":
        steps.become(index, KEEP_IF_FALSE, None, form.next[yes], no)
    elif form.ops[no] == "POP":
        steps.become(index, KEEP_IF_TRUE, None, yes, form.next[no])
    else:
        return
    steps.handlers[index] = form.handlers[test]


_FUSERS = {
    "UNARY_OP": _fuse_not,
    "IS_OP": _fuse_is,
    "CONTAINS_OP": _fuse_in,
    "CONST": _fuse_none,
    "COPY": _fuse_copy,
}
