"""Joins consecutive tests with common targets into one test with ``and`` or ``or``."""

from __future__ import annotations

from ..stack_machine.conditions import negation
from ..syntax import nodes as n
from .analysis import Analysis, DispatchNode
from .blocks import DispatchBlock, Successor


def join_tests(blocks: list[DispatchBlock]) -> list[DispatchBlock]:
    """Return the blocks, less those whose test became part of another block's test."""
    jumps: dict[int, int] = {}
    for block in blocks:
        for target in [one.target for one in block.successors] + [handler for handler, _ in block.node.handlers]:
            jumps[target.number] = jumps.get(target.number, 0) + 1
    block_of = {block.node: block for block in blocks}
    joined: set[DispatchBlock] = set()
    for block in reversed(blocks):
        while block not in joined and block.test is not None:
            second = _join_with_successor(block, block_of, jumps)
            if second is None:
                break
            joined.add(second)
            block_of.pop(second.node)
    return [block for block in blocks if block not in joined]


def skip_empty(analysis: Analysis, blocks: list[DispatchBlock]) -> list[DispatchBlock]:
    """Return the blocks that do something, and lead those that lead to others to what comes after these."""
    block_of = {block.node: block for block in blocks}

    def after(node: DispatchNode) -> DispatchNode:
        seen: set[DispatchNode] = set()
        while node not in seen:
            seen.add(node)
            block = block_of[node]
            if block.statements or len(block.successors) != 1 or block.successors[0].statements:
                break
            target = block.successors[0].target
            if target.levels != node.levels:
                break
            node = target
        return node

    for block in blocks:
        for successor in block.successors:
            successor.target = after(successor.target)
    for body, handler in analysis.handler_of.items():
        if body[-1].kind == "with" and handler in block_of:
            analysis.handler_of[body] = after(handler)
    kept = {successor.target for block in blocks for successor in block.successors} | set(analysis.handler_of.values())
    return [block for block in blocks if block.node in kept or block.node is analysis.entry]


def _join_with_successor(
    block: DispatchBlock, block_of: dict[DispatchNode, DispatchBlock], jumps: dict[int, int]
) -> DispatchBlock | None:
    """Join the test of ``block`` with that of a successor that only tests. Return the successor."""
    for number, successor in enumerate(block.successors):
        second = block_of.get(successor.target)
        if second is None or second is block or jumps[successor.target.number] != 1 or successor.statements:
            continue
        if second.test is None or second.statements or second.node.levels != block.node.levels:
            continue
        assert block.test is not None
        other = block.successors[1 - number]
        if _same(other, second.successors[1 - number]):
            first = block.test  # a and b, or a or b
        elif _same(other, second.successors[number]):
            first = negation(block.test)  # not a or b, or not a and b
            number = 1 - number
        else:
            continue
        block.test = n.BoolOp("or" if number else "and", [first, second.test])
        jumps[other.target.number] -= 1
        block.successors = second.successors
        return second
    return None


def _same(a: Successor, b: Successor) -> bool:
    return a.target is b.target and len(a.statements) == len(b.statements) and a.statements == b.statements
