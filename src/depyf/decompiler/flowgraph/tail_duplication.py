"""Duplicates code for one of its entries: tail duplication, and the building blocks of node splitting.

Blocks keep their ``start`` when others are copied, so that it identifies them across attempts; ``spread`` makes room
for the copies, which are laid out after the block that leads to them.
"""

from __future__ import annotations

from typing import Iterable

from ..bytecode import Instruction
from .control_flow_graph import BasicBlock, ControlFlowGraph
from .dominators import dominator_tree
from .regions import Region, chain

_ROOM = 1 << 32
_INVERSE = {
    "POP_JUMP_IF_TRUE": "POP_JUMP_IF_FALSE",
    "POP_JUMP_IF_FALSE": "POP_JUMP_IF_TRUE",
    "POP_JUMP_IF_NONE": "POP_JUMP_IF_NOT_NONE",
    "POP_JUMP_IF_NOT_NONE": "POP_JUMP_IF_NONE",
}


def spread(graph: ControlFlowGraph) -> None:
    """Renumber the starts of the blocks with room between them."""
    for number, block in enumerate(graph.blocks):
        block.start = number * _ROOM


def size(blocks: Iterable[BasicBlock]) -> int:
    """Return the number of instructions in ``blocks``, ignoring NOPs."""
    return sum(len(block.operations()) for block in blocks)


class Dominance:
    """The dominator tree, including paths through handlers."""

    def __init__(self, graph: ControlFlowGraph) -> None:
        self.order, self.dominator = dominator_tree(graph.entry, exits)
        self.children: dict[BasicBlock, list[BasicBlock]] = {block: [] for block in self.order}
        for block in self.order[1:]:
            self.children[self.dominator[block]].append(block)

    def dominated(self, block: BasicBlock) -> list[BasicBlock]:
        """Return ``block`` and all blocks that it dominates."""
        found = [block]
        for member in found:
            found.extend(self.children.get(member, ()))
        return found

    def nearest(self, block: BasicBlock, starts: set[int]) -> int:
        """Return the start of the nearest dominator, or ``block`` itself, that is in ``starts``; -1 if none is."""
        while block.start not in starts:
            if self.dominator.get(block, block) is block:
                return -1
            block = self.dominator[block]
        return block.start


def exits(block: BasicBlock) -> list[BasicBlock]:
    """Return the successors of ``block``, followed by the handlers of the enclosing statements."""
    return [*block.successors, *(region.handler for region in chain(block.region))]


def entering(graph: ControlFlowGraph, target: BasicBlock, within: set[BasicBlock]) -> list[BasicBlock]:
    """Return the predecessors of ``target`` that are not in ``within``."""
    return [block for block in graph.blocks if block not in within and target in block.successors]


def duplicate(graph: ControlFlowGraph, sources: list[BasicBlock], target: BasicBlock, piece: set[BasicBlock]) -> bool:
    """Redirect ``sources`` to a copy of ``piece``, whose entry is ``target``. Return False if that is impossible.

    Statements that are not wholly in ``piece`` must contain the sources as well.
    """
    whole = {block.region for block in piece if block.region is not None and block.region.handler in piece}
    around = {region for block in piece for region in chain(block.region)} - whole
    if any(region not in chain(source.region) for region in around for source in sources):
        return False
    ordered = [block for block in graph.blocks if block in piece]
    copies = {block: BasicBlock(block.start, list(block.instructions), block.handler) for block in ordered}
    regions = _copied_regions(copies)
    for block, new in copies.items():
        new.region = regions.get(block.region, block.region) if block.region is not None else None
        _connect(block, new, copies)
    for source in sources:
        _redirect(source, target, copies[target])
    _insert(graph, min(sources, key=lambda block: block.start), list(copies.values()))
    return True


def _copied_regions(copies: dict[BasicBlock, BasicBlock]) -> dict[Region, Region]:
    """Return the regions whose handlers were copied, with their copies."""
    regions: dict[Region, Region] = {}
    for block in copies:
        for region in chain(block.region):
            if region.handler in copies and region not in regions:
                regions[region] = _copied(region, copies[region.handler])
    for region, copy in regions.items():
        copy.parent = regions.get(region.parent, region.parent) if region.parent is not None else None
    return regions


def _connect(block: BasicBlock, new: BasicBlock, copies: dict[BasicBlock, BasicBlock]) -> None:
    """Connect ``new``, the copy of ``block``, to the copies of its successors, or to the originals if not copied."""
    new.handler_block = block.handler_block and copies.get(block.handler_block, block.handler_block)
    new.target = block.target and copies.get(block.target, block.target)
    new.fall = block.fall and copies.get(block.fall, block.fall)
    if new.fall is not None and new.fall is block.fall and new.target is None:
        new.instructions.append(Instruction("JUMP", None, new.fall.start, block.handler, line=_line(block)))
        new.fall, new.target = None, new.fall


def _copied(region: Region, handler: BasicBlock) -> Region:
    copy = Region(region.kind, handler)
    copy.depth, copy.lasti, copy.names = region.depth, region.lasti, region.names
    return copy


def _line(block: BasicBlock) -> int | None:
    return block.last.line if block.last is not None else None


def _redirect(source: BasicBlock, target: BasicBlock, copy: BasicBlock) -> None:
    if source.fall is target:
        source.fall = copy
    if source.target is target:
        source.target = copy
        last = source.last
        if last is not None and last.op in _INVERSE and source.fall is not copy:
            # The copy comes next in the layout: control falls into it.
            source.instructions[-1] = inverse = Instruction(_INVERSE[last.op], last.arg, last.target)
            inverse.handler, inverse.offset, inverse.line = last.handler, last.offset, last.line
            inverse.position = last.position
            source.fall, source.target = copy, source.fall


def _insert(graph: ControlFlowGraph, source: BasicBlock, copies: list[BasicBlock]) -> None:
    index = graph.blocks.index(source) + 1
    end = graph.blocks[index].start if index < len(graph.blocks) else source.start + _ROOM
    step = (end - source.start) // (len(copies) + 1)
    for number, copy in enumerate(copies, 1):
        copy.start = source.start + number * step
    graph.blocks[index:index] = copies
