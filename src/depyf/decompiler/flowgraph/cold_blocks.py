"""Puts handlers back behind the bodies they belong to.

From 3.12 on the compiler moves the code that only exceptions lead to behind all other code, in the order it had. Later
rooms read the layout as the order of the source, so each handler gets the place that it had before.
"""

from __future__ import annotations

from .control_flow_graph import BasicBlock, ControlFlowGraph
from .regions import Region, chain

_ENDS = frozenset({"NOP", "CONST", "POP", "SWAP", "JUMP", "RETURN_VALUE"})
"""What stands behind the last covered instruction of a body and still belongs to it: a jump, a return of a value."""


def move_handlers_back(graph: ControlFlowGraph, regions: list[Region]) -> None:
    """Move the handlers of ``regions``, inner ones first, behind their bodies; every block gets a new ``start``."""
    usual = graph.reached_without_exceptions()
    order = [block for block in graph.blocks if block in usual]
    cold = [block for block in graph.blocks if block not in usual]
    begins = {region.handler: region for region in regions if _has_body_in(region, order)}
    groups: dict[Region, list[BasicBlock]] = {}
    rest: list[BasicBlock] = []
    group = rest
    for block in cold:
        if block in begins:
            group = groups[begins[block]] = []
        group.append(block)
    for region in regions:
        if region in groups:
            end = _end_of(region, order, graph)
            order[end:end] = groups[region]
    graph.blocks = order + rest
    start = 0
    for block in graph.blocks:
        block.start = start
        start += max(1, len(block.instructions))


def _has_body_in(region: Region, blocks: list[BasicBlock]) -> bool:
    return any(region in chain(block.region) for block in blocks)


def _end_of(region: Region, order: list[BasicBlock], graph: ControlFlowGraph) -> int:
    """The place in ``order`` behind the body of ``region``."""
    inside = {block for block in order if region in chain(block.region)}
    end = max(index for index, block in enumerate(order) if block in inside) + 1
    while end < len(order):
        block = order[end]
        sources = [source for source in graph.blocks if block in source.successors]
        ends_here = block.instructions and block.instructions[-1].op in ("JUMP", "RETURN_VALUE")
        if not ends_here or not all(source in inside for source in sources):
            break
        if any(i.op not in _ENDS and not _leaves_with(block, at) for at, i in enumerate(block.instructions)):
            break
        inside.add(block)
        end += 1
    return end


def _leaves_with(block: BasicBlock, at: int) -> bool:
    """Whether the instruction calls __exit__ of a with statement that is left with a value below it: by a return."""
    before = block.instructions[max(at - 3, 0) : at]
    nones = len(before) == 3 and all(i.op == "CONST" and i.arg is None for i in before)
    return nones and block.instructions[at].op == "CALL" and block.instructions[0].op == "SWAP"
