"""Moves handlers back after the bodies they belong to.

Since 3.12 the compiler moves cold blocks, reached only by exceptions, to the end of the code, keeping their order.
Later rooms read the layout as source order, so each handler returns to its original position.
"""

from __future__ import annotations

from collections import deque
from typing import Iterable

from ..bytecode import unbound_name
from .control_flow_graph import BasicBlock, ControlFlowGraph, reached_from
from .regions import Region, chain

_ENDS = frozenset({"NOP", "CONST", "POP", "SWAP", "JUMP", "RETURN_VALUE"})
"""Operations after the last covered instruction of a body that still belong to it: a jump, a return of a value."""


def move_handlers_back(graph: ControlFlowGraph, regions: list[Region]) -> None:
    """Move the handlers of ``regions``, inner ones first, after their bodies; every block gets a new ``start``."""
    warm = graph.reached_without_exceptions()
    order = [block for block in graph.blocks if block in warm]
    cold = [block for block in graph.blocks if block not in warm]
    extents = _extents(order)
    predecessors = graph.predecessors()
    begins = {region.handler: region for region in regions if region in extents}
    groups: dict[Region, list[BasicBlock]] = {}
    rest: list[BasicBlock] = []
    group = rest
    for block in cold:
        if block in begins:
            group = groups[begins[block]] = []
        group.append(block)
    # The last of the outermost statements first, so that most other indices stay valid.
    moved = [region for region in regions if region in groups]
    moved.sort(key=lambda region: -extents[chain(region)[-1]].last)
    waiting = deque(dict.fromkeys(extents[chain(region)[-1]] for region in moved))
    for region in moved:
        extent = extents[chain(region)[-1]]
        if waiting and waiting[0] is extent:
            waiting.popleft()
        end = _end_of(region, order, extent, predecessors)
        after = {block for block in groups[region] if _follows_statement(region, block)}
        own = reached_from(region.handler, warm | after if after else warm)
        group = [block for block in groups[region] if block in own]
        order[end:end] = group
        _shift(waiting, end, len(group))
        others = [block for block in groups[region] if block not in own]
        if others:  # reached only from an earlier handler, or from code after the statement that one leads to
            end = _index_after_loops(end + len(group), order, others[0])
            order[end:end] = others
            _shift(waiting, end, len(others))
        extent.last += len(groups[region])
    graph.blocks = order + rest
    _cover_jumps(graph.blocks, set(cold), predecessors)
    graph.number()


def _cover_jumps(
    blocks: list[BasicBlock], cold: set[BasicBlock], predecessors: dict[BasicBlock, list[BasicBlock]]
) -> None:
    """Give a jump from moved code to the next block the region around both.

    The compiler adds this jump when it moves the code (push_cold_blocks_to_end), and leaves its handler unset.
    """
    for block, after in zip(blocks, blocks[1:]):
        if block in cold and block.handler is None and block.target is after and block.operations() == ["JUMP"]:
            if all(predecessor.region is after.region for predecessor in predecessors.get(block, ())):
                block.region, block.handler, block.handler_block = after.region, after.handler, after.handler_block


def _follows_statement(region: Region, block: BasicBlock) -> bool:
    """Whether ``block``, reached from the handler of ``region``, is code after that statement rather than its exit."""
    around = region.parent
    handled = block.handler_block is (around.handler if around is not None else None)
    return (handled or around is not None and around not in chain(block.region)) and not _only_leaves(block)


def _index_after_loops(start: int, order: list[BasicBlock], first: BasicBlock) -> int:
    """Return the index in ``order``, at or after ``start``, past the loops around it that do not contain ``first``."""
    before = set(order[:start])
    for index in reversed(range(start, len(order))):
        end = order[index]
        begins = [successor for successor in end.successors if successor in before]
        if any(end not in reached_from(first, {begin}) for begin in begins):
            return index + 1
    return start


class _Extent:
    """The indices of the first and last block of a statement's body, in an order of blocks.

    For an outermost statement ``last`` is updated as blocks are inserted, so that no search has to look further.
    """

    def __init__(self, first: int) -> None:
        self.first = self.last = first


def _extents(order: list[BasicBlock]) -> dict[Region, _Extent]:
    found: dict[Region, _Extent] = {}
    for index, block in enumerate(order):
        for region in chain(block.region):
            found.setdefault(region, _Extent(index)).last = index
    return found


def _shift(extents: Iterable[_Extent], index: int, count: int) -> None:
    """Account for ``count`` blocks inserted at ``index``. ``extents`` are sorted by descending ``last``."""
    for extent in extents:
        if extent.last < index:
            break
        extent.last += count
        if extent.first >= index:
            extent.first += count


def _end_of(
    region: Region, order: list[BasicBlock], extent: _Extent, predecessors: dict[BasicBlock, list[BasicBlock]]
) -> int:
    """Return the index in ``order`` after the body of ``region``, which is within ``extent``."""
    indices = range(extent.last, extent.first - 1, -1)
    end = next(index for index in indices if region in chain(order[index].region)) + 1
    added: set[BasicBlock] = set()
    while end < len(order):
        block = order[end]
        ends_here = block.instructions and block.instructions[-1].op in ("JUMP", "RETURN_VALUE")
        if not ends_here or not all(one in added or region in chain(one.region) for one in predecessors.get(block, ())):
            break
        instructions = enumerate(block.instructions)
        if any(i.op not in _ENDS and not _leaves_with(block, position) for position, i in instructions):
            break
        added.add(block)
        end += 1
    return end


def _only_leaves(block: BasicBlock) -> bool:
    """Whether ``block`` only ends statements: jumps, returns, unbinding of names, calls of __exit__."""
    ends = _ENDS | {"POP_EXCEPT", "GET_AWAITABLE", "YIELD_FROM", "COPY", "RERAISE"}
    instructions = block.instructions
    unbinds = {start + 2 for start in range(len(instructions)) if unbound_name(instructions[start : start + 3])}
    return all(
        i.op in ends or _follows_nones(block, position) or not unbinds.isdisjoint((position, position + 1))
        for position, i in enumerate(instructions)
    )


def _leaves_with(block: BasicBlock, position: int) -> bool:
    """Whether the instruction calls __exit__ with a return value kept below: a return from a with statement."""
    return _follows_nones(block, position) and block.instructions[0].op == "SWAP"


def _follows_nones(block: BasicBlock, position: int) -> bool:
    before = block.instructions[max(position - 3, 0) : position]
    nones = len(before) == 3 and all(i.op == "CONST" and i.arg is None for i in before)
    return nones and block.instructions[position].op == "CALL"
