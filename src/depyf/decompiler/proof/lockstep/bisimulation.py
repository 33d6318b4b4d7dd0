"""Compares two normal forms: are they the same, and if not, do they do the same in lock-step?

Lock-step: both codes start with equal stacks and locals, and keep them equal as long as each step of one is the step
of the other (same operation, same operand, same order). So it suffices to walk the pairs of instructions that can be
reached together; each pair is visited once, since the walk proves or refutes every pair it visits (coinduction).
Instructions that raise must lead to paired handlers, with the same depth of the stack kept on both sides.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

from ...bytecode import Handler, RawCode
from ..constants import CODE
from ..verdict import Difference
from .normalize import NormalForm
from .steps import TESTED_TWICE, Steps
from .unbound import LOCAL_OPERATIONS, may_be_unbound


class Comparison(NamedTuple):
    """``difference`` is None if both do the same; ``pairs`` are the nested code objects met together.

    ``assumptions`` are those that the proof needs.
    """

    difference: Difference | None
    pairs: tuple[tuple[RawCode, RawCode], ...]
    assumptions: tuple[str, ...] = ()


def same_instructions(a: NormalForm, b: NormalForm) -> bool:
    """Whether the normal forms are equal: same instructions in the same layout, same jumps, same handlers."""
    return (
        a.ops == b.ops
        and a.args == b.args
        and a.next == b.next
        and a.target == b.target
        and a.entry == b.entry
        and a.handlers == b.handlers
    )


def nested_pairs(a: NormalForm, b: NormalForm) -> tuple[tuple[RawCode, RawCode], ...]:
    """The nested code objects of two forms with the same instructions, in layout order."""
    return tuple(dict.fromkeys((raw, b.code_at[index]) for index, raw in a.code_at.items()))


def lock_step(a: NormalForm, b: NormalForm) -> Comparison:
    """Walk both forms together, every path up to its first difference; report the one with the first line."""
    left, right = _steps(a, False), _steps(b, False)
    comparison = _LockstepWalk(left, right).run()
    if comparison.difference is None:
        return comparison
    left, right = _steps(a, True), _steps(b, True)
    if left.changed or right.changed:
        threaded = _LockstepWalk(left, right).run()
        if threaded.difference is None:
            return threaded._replace(assumptions=(TESTED_TWICE,))
    return comparison


def _steps(form: NormalForm, threaded: bool) -> Steps:
    key = "threaded steps" if threaded else "steps"
    steps = form.cache.get(key)
    if steps is None:
        steps = form.cache[key] = Steps(form, threaded=threaded)
    result: Steps = steps
    return result


class _LockstepWalk:
    def __init__(self, left: Steps, right: Steps) -> None:
        self.left, self.right = left, right
        self.a, self.b = a, b = left.form, right.form
        self.pairs: dict[tuple[RawCode, RawCode], None] = {}
        self.todo: list[tuple[int, int]] = [(a.entry, b.entry)]
        self.found: list[Difference] = []

    def run(self) -> Comparison:
        self.walk()
        return Comparison(min(self.found, key=_location, default=None), tuple(self.pairs))

    def walk(self) -> None:
        left, right, todo = self.left, self.right, self.todo
        ops, other_ops, args, other_args = left.ops, right.ops, left.args, right.args
        yes, other_yes, no, other_no = left.yes, right.yes, left.no, right.no
        guarded = self.a.guarded or self.b.guarded
        seen: set[tuple[int, int]] = set()
        # Real code has about as many pairs as instructions; the limit keeps crafted code from taking quadratic time.
        limit = 1000 + 64 * (len(ops) + len(other_ops))
        while todo:
            i, j = todo.pop()
            while (i, j) not in seen:
                seen.add((i, j))
                if ops[i] != other_ops[j]:
                    self.differ("different instructions", i, j)
                    break
                if args[i] != other_args[j]:
                    self.differ("different operands", i, j)
                    break
                if args[i] is CODE:
                    self.pairs[self.a.code_at[i], self.b.code_at[j]] = None
                if guarded and left.raises[i]:
                    problem = self.handlers(i, j)
                    if problem:
                        self.differ(problem, i, j)
                        break
                if no[i] >= 0:
                    todo.append((no[i], other_no[j]))
                i, j = yes[i], other_yes[j]
                if i < 0:
                    break
            if len(seen) > limit:
                self.found.append(
                    Difference("the codes are too different in shape to be walked together", self.a.raw.qualname)
                )
                return

    def handlers(self, i: int, j: int) -> str:
        """The mismatch of the handlers of a pair of raising steps; if '', their targets are added to the walk."""
        mine: Handler | None = self.left.handlers[i]
        other: Handler | None = self.right.handlers[j]
        if mine is None and other is None:
            return ""
        if self.left.ops[i] in LOCAL_OPERATIONS and not (i in may_be_unbound(self.a) and j in may_be_unbound(self.b)):
            return ""  # shown to be bound on one side, and the locals of both sides are equal
        if mine is None:
            return "only the second handles an exception raised here"
        if other is None:
            return "only the first handles an exception raised here"
        if mine.depth != other.depth:
            return f"handlers keep {mine.depth} and {other.depth} entries of the stack"
        if mine.lasti != other.lasti:
            return "only one of the handlers restores the place of the exception"
        self.todo.append((mine.target, other.target))
        return ""

    def differ(self, what: str, i: int, j: int) -> None:
        mine, other = self.a.sources[i], self.b.sources[j]
        one, two = self.left.description(i), self.right.description(j)
        where = self.a.raw.qualname
        self.found.append(Difference(what, where, one, two, mine.offset, other.offset, mine.line, other.line))


def _location(difference: Difference) -> tuple[int, int]:
    """The sort key of a difference: those with a location first, by line."""
    if difference.left_offset < 0:
        return sys.maxsize, 0
    return difference.left_line or 0, difference.left_offset
