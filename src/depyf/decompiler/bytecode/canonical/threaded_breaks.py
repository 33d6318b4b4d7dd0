"""``break`` and ``continue`` statements past which, up to 3.9, the compiler made tests jump.

A test that would jump to a ``break`` jumps where that leads. In ``while a: ... if b: x`` with a ``break`` below, the
graph then looks as if the ``break`` were in the body of the ``if``; the one in ``else: break`` is dead code.
"""

from __future__ import annotations

from typing import NamedTuple

from ..instruction import CONDITIONAL_JUMPS, NO_FALL_THROUGH, Instruction, jump_sources

_ENDS_STATEMENT = ("STORE_", "DELETE_")
_FARTHEST = 1000
"""How many instructions an ``if`` may have."""
_MOST_JUMPS = 8
"""How many jumps may lead from one to the next."""


def unthread_breaks(instructions: list[Instruction]) -> None:
    """Make tests jump to the ``break`` or ``continue`` that they jumped to before the compiler threaded the jumps."""
    loops = {one.target: index for index, one in enumerate(instructions) if 0 <= one.target <= index}
    if not loops:
        return
    code = _Code(instructions, jump_sources(instructions))
    around: list[int] = []  # the first instructions of the loops around
    for index, jump in enumerate(instructions):
        if index in loops:
            around.append(index)
        while around and loops[around[-1]] < index:
            around.pop()
        if jump.op != "JUMP" or not around or not index:
            continue
        is_break = not around[-1] <= jump.target <= loops[around[-1]]
        has_own_line = jump.line != instructions[index - 1].line
        if index not in code.sources and instructions[index - 1].op in NO_FALL_THROUGH:
            if is_break and has_own_line:
                code.unthread_else(index)
        elif is_break and instructions[index - 1].target == index + 1:
            code.unthread_or(index)
        elif (is_break or has_own_line and jump.target == around[-1]) and not code.has_dead_jump(index):
            code.unthread_below(index)


class _Code(NamedTuple):
    """The instructions, and from where control jumps to each of them."""

    instructions: list[Instruction]
    sources: dict[int, list[int]]

    def redirect(self, at: int, index: int) -> None:
        self.instructions[at].target = index
        self.sources.setdefault(index, []).append(at)

    def is_threaded(self, at: int, index: int) -> bool:
        """Whether the jump at ``at`` may have led to the one at ``index``: both lead to the same place."""
        target = self.instructions[at].target
        return target >= 0 and not at < target <= index and self.goal(target) == self.goal(index) >= 0

    def goal(self, index: int) -> int:
        """Return where control gets from ``index``, past jumps; -1 if they are too many, or never end."""
        for _ in range(_MOST_JUMPS):
            if self.instructions[index].op != "JUMP":
                return index
            index = self.instructions[index].target
        return -1

    def has_dead_jump(self, index: int) -> bool:
        """Whether dead code directly after the jump at ``index`` jumps to the same place."""
        for at in range(index + 1, len(self.instructions)):
            if at in self.sources or self.instructions[at].op != "JUMP":
                return False
            if self.goal(at) == self.goal(index):
                return True
        return False

    def unthread_below(self, index: int) -> None:
        """Redirect the tests before the jump at ``index`` between which and it nothing goes elsewhere: it is below an
        ``if`` with these tests.
        """
        first = min(self.sources.get(index, [index]))
        for at in reversed(range(max(index - _FARTHEST, 0), index)):
            one = self.instructions[at]
            is_threaded = self.is_threaded(at, index)
            if is_threaded and at + 1 < index:
                is_arm = one.op == "JUMP" and self.ends_an_arm(at, index)
                if is_arm or one.op in CONDITIONAL_JUMPS and first >= at:
                    self.redirect(at, index)
            elif one.target >= 0 and not at < one.target <= index and not is_threaded:
                return
            first = min(first, *self.sources.get(at, [at]))

    def ends_an_arm(self, at: int, index: int) -> bool:
        """Whether the jump at ``at`` has the line of the statement before and the target of that at ``index``, and an
        ``else`` follows it.
        """
        one = self.instructions[at]
        is_same = one.target == self.instructions[index].target
        return is_same and at + 1 in self.sources and one.line == self.instructions[max(at - 1, 0)].line

    def unthread_or(self, index: int) -> None:
        """Redirect the tests of ``if a or b`` with the jump at ``index`` in its body."""
        line = self.instructions[index - 1].line
        for at in reversed(range(max(index - _FARTHEST, 0), index - 1)):
            one = self.instructions[at]
            if _ends_statement(one):
                return
            if one.op in CONDITIONAL_JUMPS and self.is_threaded(at, index):
                if one.line == line or one.op == "POP_JUMP_IF_TRUE":
                    self.redirect(at, index)

    def unthread_else(self, index: int) -> None:
        """Redirect the tests of the ``if`` whose ``else`` is the dead jump at ``index``, after its body."""
        after = self.goal(index - 1)
        first, found = index, False
        for at in reversed(range(max(index - _FARTHEST, 0), index)):
            one = self.instructions[at]
            if found and _ends_statement(one):
                return
            if one.op in CONDITIONAL_JUMPS and first >= at and self.is_threaded(at, index):
                self.redirect(at, index)
                found = True
            elif one.target > index or one.op in CONDITIONAL_JUMPS and 0 <= one.target <= at:
                if self.goal(one.target) not in (after, self.goal(index)):
                    return
            first = min(first, *self.sources.get(at, [at]))


def _ends_statement(instruction: Instruction) -> bool:
    op = instruction.op
    return op in ("POP", "NOP") or op in NO_FALL_THROUGH or op.startswith(_ENDS_STATEMENT)
