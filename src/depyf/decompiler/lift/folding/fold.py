"""The folding rules, and the order in which they are tried."""

from __future__ import annotations

from operator import attrgetter
from typing import Callable, Sequence

from ..lifted_block import LiftedBlock
from ..values import Marker, Matches, is_value
from .chained_comparisons import fold_chained_comparison
from .comprehensions import fold_comprehension
from .conditions import (
    fold_arms,
    fold_boolean_statement,
    fold_boolean_value,
    fold_condition,
    fold_jump,
    fold_kept_values,
    fold_useless_test,
    join_copied_arms,
)
from .loop_tests import undo_loop_test
from .shapes import bind_slots
from .threaded_arms import unthread_arm

RULES: dict[str, tuple[Callable[[LiftedBlock], bool], ...]] = {
    "branch": (
        fold_chained_comparison,
        fold_condition,
        fold_arms,
        fold_jump,
        unthread_arm,
        fold_useless_test,
    ),
    "or_pop": (fold_chained_comparison, fold_boolean_value, fold_boolean_statement, fold_kept_values, unthread_arm),
    "for": (fold_comprehension,),
}
"""By the kind of a block's terminator, in the order in which they are tried."""


def fold(blocks: list[LiftedBlock]) -> list[LiftedBlock]:
    """Apply the rules until none fires; return the remaining blocks in layout order."""
    roots = {block for block in blocks if not block.predecessors or block is blocks[0]}
    for block in blocks:
        join_copied_arms(block)
    for _ in range(50):
        changed = False
        for block in sorted(blocks, key=attrgetter("layout"), reverse=True):
            if not block.predecessors and block not in roots:
                continue
            while _fold_once(block, roots):
                changed = True
            header, left = undo_loop_test(block) if block.kind == "branch" else (None, [])
            if header is not None:
                changed = True
                if header is not block:
                    blocks.append(header)
                _detach(left, roots)
        _drop_dead(blocks, roots)
        if not changed:
            break
    for block in blocks:
        if block.entry and len(block.predecessors) == 1:
            (source,) = block.predecessors
            if source.kind == "goto":
                bind_slots(block, source.exit)
    return sorted(blocks, key=attrgetter("layout"))


def _fold_once(block: LiftedBlock, roots: set[LiftedBlock]) -> bool:
    if block.kind == "goto":
        return _merge(block, roots)
    rules = RULES[block.kind] if block.kind in RULES else ()
    before = block.successors
    for rule in rules:
        if rule(block):
            _detach(before, roots)
            return True
    return False


def _merge(block: LiftedBlock, roots: set[LiftedBlock]) -> bool:
    """Merge ``block`` with its successor if that has no other predecessor.

    Merge across a jump only if a value is on the stack: the layout is evidence for the structure room.
    """
    following = block.next
    if following is None or following is block or following in roots:
        return False
    if following.predecessors != {block} or following.region is not block.region or following.kind == "for":
        return False
    if following.evidence.is_repeated:
        return False
    chooses = isinstance(following.test, Matches)  # the test of an except clause begins the handler
    if not chooses and _statements_around(block.entry) != _statements_around(following.entry):
        return False
    if block.fall is not following and not _carries_value(block):
        return False
    bind_slots(following, block.exit)
    for dropped in following.statements[:1]:  # from 3.13 on, what drops a value after a comprehension has no line
        dropped.line = block.evidence.exit_line if dropped.line is None else dropped.line
    block.statements += following.statements
    block.exit = following.exit
    block.evidence = block.evidence.ending_as(following.evidence)
    block.become(following.terminator)
    _detach([following], roots)
    return True


def _statements_around(stack: Sequence[object]) -> list[object]:
    return [(value.kind, value.owner) for value in stack if isinstance(value, Marker) and value.kind != "exception"]


def _carries_value(block: LiftedBlock) -> bool:
    return any(map(is_value, block.exit))


def _detach(candidates: list[LiftedBlock], roots: set[LiftedBlock]) -> None:
    """Remove the outgoing edges of blocks that have become unreachable."""
    todo = list(candidates)
    while todo:
        block = todo.pop()
        if block.predecessors or block in roots:
            continue
        for successor in block.successors:
            if block in successor.predecessors:
                successor.predecessors.discard(block)
                todo.append(successor)


def _drop_dead(blocks: list[LiftedBlock], roots: set[LiftedBlock]) -> None:
    reached = set(roots)
    todo = list(roots)
    for block in todo:  # grows along
        for successor in block.successors:
            if successor not in reached:
                reached.add(successor)
                todo.append(successor)
    for block in blocks:
        block.predecessors &= reached
    blocks[:] = [block for block in blocks if block in reached]
