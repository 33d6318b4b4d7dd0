"""Invariants between the passes over one code object: checks for tests and for ``--check``.

Each check returns a description of what is wrong in a Work, '' if nothing is. They find mistakes of passes; code that
no compiler made may break one before any pass has run.
"""

from __future__ import annotations

from typing import Any

from ..bytecode import CONDITIONAL_JUMPS, NO_FALL_THROUGH, stack_use
from ..bytecode.disassemble import has_given_instructions
from ..bytecode.instruction import NEVER_RAISES
from ..bytecode.stack_depths import depth_difference
from ..flowgraph import BasicBlock
from ..lift.values import Comprehension, Placeholder
from ..passes import Invariant
from ..syntax.checks import empty_body, stray_jump, unfinished
from .work import Work


def _depths(work: Work) -> str:
    return "" if has_given_instructions(work.raw) else depth_difference(work.raw)


def _lost_block(work: Work) -> str:
    known = set(work.graph.blocks)
    if len(known) < len(work.graph.blocks):
        return "a block is there twice"
    for block in work.graph.blocks:
        for following in (*block.successors, block.handler_block):
            if following is not None and following not in known:
                return f"{block} leads to {following}, which is not in the graph"
    return ""


def _wrong_ends(work: Work) -> str:
    for block in work.graph.blocks:
        for instruction in block.instructions[:-1]:
            if instruction.op in NO_FALL_THROUGH or instruction.op in CONDITIONAL_JUMPS:
                return f"{block} continues after {instruction}"
        tests = block.last is not None and block.last.op in CONDITIONAL_JUMPS
        if tests and len(block.successors) < 2 or not tests and len(block.successors) > 1:
            return f"{block} ends with {block.last} and has {len(block.successors)} successors"
    return ""


def _heights(work: Work) -> str:
    """A block has the same stack height on every edge into it."""
    graph = work.graph
    found: dict[BasicBlock, int] = {graph.entry: 0}
    todo = [graph.entry]

    def arrive(block: BasicBlock, height: int, source: BasicBlock) -> str:
        if height < 0:
            return f"{source} takes more than the stack holds"
        if block not in found:
            found[block] = height
            todo.append(block)
        elif found[block] != height:
            return f"{block} is reached with {found[block]} entries, and from {source} with {height}"
        return ""

    while todo:
        block = todo.pop()
        height = found[block]
        raises = any(i.op not in NEVER_RAISES for i in block.instructions)
        if raises and block.handler_block is not None and block.handler is not None:
            wrong = arrive(block.handler_block, block.handler.depth + 1 + block.handler.lasti, block)
            if wrong:
                return wrong
        for instruction in block.instructions[:-1]:
            pops, pushes = stack_use(instruction)
            height += pushes - pops
        for following, jump in ((block.fall, False), (block.target, True)):
            if following is not None:
                pops, pushes = stack_use(block.last, jump=jump) if block.last is not None else (0, 0)
                wrong = arrive(following, height + pushes - pops, block)
                if wrong:
                    return wrong
    return ""


def _open_region(work: Work) -> str:
    """Every region of a block has its handler in the graph, and the statement around the handler is its parent."""
    known = set(work.graph.blocks)
    for block in work.graph.blocks:
        region = block.region
        seen = set()
        while region is not None:
            if region in seen:
                return f"{region} is around itself"
            seen.add(region)
            if region.handler not in known:
                return f"the handler of {region}, around {block}, is not in the graph"
            if region.handler.region is not region.parent:
                return f"the handler of {region} is in {region.handler.region}, the statement in {region.parent}"
            region = region.parent
    return ""


def _lifted_edges(work: Work) -> str:
    known = set(work.blocks)
    for block in known:
        for successor in block.successors:
            if successor not in known:
                return f"{block} leads to {successor}, which is lost"
            if block not in successor.predecessors:
                return f"{block} leads to {successor}, which does not know it"
        for source in block.predecessors:
            if source in known and block not in source.successors:
                return f"{block} is not reached from {source}, its predecessor"
    return ""


def _successors(work: Work) -> str:
    """A conditional block has a test and two successors; every other that continues has one."""
    for block in work.blocks:
        count = len(block.successors)
        if block.kind in ("branch", "or_pop", "for") and (count != 2 or block.test is None):
            return f"{block} is a {block.kind} with {count} successors and the test {block.test!r}"
        if block.kind == "goto" and count != 1:
            return f"{block} goes nowhere"
    return ""


def _flow_edges(work: Work) -> str:
    flow = work.flow
    for node in flow.order:
        for successor in node.successors:
            if successor not in flow.sources:
                return f"{node} leads to {successor}, which is lost"
            if node not in flow.sources[successor] and node not in flow.back.get(successor, ()):
                return f"{node} leads to {successor}, which does not know it"
    return ""


STACK_DEPTHS = Invariant("the canonical stack is as deep as the raw one", _depths)
NO_LOST_BLOCK = Invariant("no block is lost", _lost_block)
ENDS = Invariant("edges are those of the last instruction", _wrong_ends)
HEIGHTS = Invariant("stack heights agree", _heights)
REGIONS = Invariant("every handler region is closed", _open_region)
LIFTED_EDGES = Invariant("edges are symmetric", _lifted_edges)
SUCCESSORS = Invariant("every successor is there", _successors)
FLOW_EDGES = Invariant("edges are symmetric", _flow_edges)
NO_STRAY_JUMP: Invariant[Any] = Invariant("no jump is left but those of loops", lambda work: stray_jump(work.body))
NO_PLACEHOLDER: Invariant[Any] = Invariant(
    "no placeholder is left", lambda work: unfinished(work.body, (Placeholder, Comprehension))
)
NO_EMPTY_BODY: Invariant[Any] = Invariant("no body is empty", lambda work: empty_body(work.body))
