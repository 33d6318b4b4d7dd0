"""Removes side entries: into a loop (loop rotation) and into the body of a try statement.

The code from such an entry to the loop's header, or to the end of the statement, is duplicated before it.
"""

from __future__ import annotations

from .components import cyclic_components
from .control_flow_graph import BasicBlock, ControlFlowGraph
from .dominators import reverse_postorder
from .regions import Region, chain
from .tail_duplication import Dominance, duplicate, entering, exits, size

MAX_COPIED = 200
"""The most instructions in a copy."""


def rotate_loops(graph: ControlFlowGraph) -> bool:
    """Give every loop a single entry. Return whether that changed anything."""
    changed = False
    for _ in range(8):
        found = _second_entry(graph)
        if found is None:
            break
        sources, entry, piece = found
        if size(piece) > MAX_COPIED or not duplicate(graph, sources, entry, piece):
            break
        changed = True
    return changed


def duplicate_from(graph: ControlFlowGraph, entry: BasicBlock, region: Region) -> bool:
    """Duplicate the statement of ``region`` from ``entry`` on, for the edges that enter it there."""
    inside = {block for block in graph.blocks if region in chain(block.region)}
    for first in sorted(inside, key=lambda block: block.start):
        sources = entering(graph, first, inside)
        if not sources or _past_jumps(first) is not entry:
            continue
        piece = {*Dominance(graph).dominated(region.handler), first}
        todo = [first]
        while todo:
            for following in exits(todo.pop()):
                if following in inside and following not in piece:
                    piece.add(following)
                    todo.append(following)
        return duplicate(graph, sources, first, piece)
    return False


def _past_jumps(block: BasicBlock) -> BasicBlock:
    """Follow ``block`` while it only jumps, without leaving the statement."""
    for _ in range(1000):
        following = block.target or block.fall
        if block.operations() not in ([], ["JUMP"]) or following is None or following.region is not block.region:
            break
        block = following
    return block


def _second_entry(graph: ControlFlowGraph) -> tuple[list[BasicBlock], BasicBlock, set[BasicBlock]] | None:
    """Return a loop's second entry: its predecessors, the entry, and the blocks from there to the header."""
    for loop in _loops(graph):
        entries = [block for block in graph.blocks if block in loop and entering(graph, block, loop)]
        if graph.entry in loop and graph.entry not in entries:
            entries.insert(0, graph.entry)
        if len(entries) < 2:
            continue
        header = _header(entries, loop)
        entry = next(block for block in entries if block is not header)
        piece = {entry}
        todo = [entry]
        while todo:
            for following in todo.pop().successors:
                if following in loop and following is not header and following not in piece:
                    piece.add(following)
                    todo.append(following)
        return entering(graph, entry, loop), entry, piece
    return None


def _header(entries: list[BasicBlock], loop: set[BasicBlock]) -> BasicBlock:
    """Return the entry with the most back edges; the first in layout order of those."""
    return max(entries, key=lambda entry: sum(entry in block.successors for block in loop))


def _loops(graph: ControlFlowGraph) -> list[set[BasicBlock]]:
    """Return the loops with several entries: strongly connected components, also inside loops with a single one."""
    found: list[set[BasicBlock]] = []
    todo = [set(reverse_postorder(graph.entry, exits))]
    while todo:
        for part in _cycles(todo.pop()):
            entries = [block for block in part if entering(graph, block, part) or block is graph.entry]
            if len(entries) > 1:
                found.append(part)
            elif entries:
                todo.append(part - set(entries))
    return found


def _cycles(blocks: set[BasicBlock]) -> list[set[BasicBlock]]:
    """Return the strongly connected components of ``blocks``."""
    roots = sorted(blocks, key=lambda block: block.start)
    return cyclic_components(roots, lambda block: [one for one in exits(block) if one in blocks])
