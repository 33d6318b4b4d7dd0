"""Puts handlers back after the bodies they belong to.

From 3.12 on the compiler moves the code that only exceptions lead to after all other code, in the order it had. Later
rooms read the layout as the order of the source, so each handler gets the place that it had before.
"""

from __future__ import annotations

from collections import deque
from typing import Iterable

from ..bytecode import unbound_name
from .control_flow_graph import BasicBlock, ControlFlowGraph, reached_from
from .regions import Region, chain

_ENDS = frozenset({"NOP", "CONST", "POP", "SWAP", "JUMP", "RETURN_VALUE"})
"""What comes after the last covered instruction of a body and still belongs to it: a jump, a return of a value."""


def move_handlers_back(graph: ControlFlowGraph, regions: list[Region]) -> None:
    """Move the handlers of ``regions``, inner ones first, after their bodies; every block gets a new ``start``."""
    usual = graph.reached_without_exceptions()
    order = [block for block in graph.blocks if block in usual]
    cold = [block for block in graph.blocks if block not in usual]
    extents = _extents(order)
    sources = graph.sources()
    begins = {region.handler: region for region in regions if region in extents}
    groups: dict[Region, list[BasicBlock]] = {}
    rest: list[BasicBlock] = []
    group = rest
    for block in cold:
        if block in begins:
            group = groups[begins[block]] = []
        group.append(block)
    # The last of the outermost statements first, so that the places of most others stay.
    moved = [region for region in regions if region in groups]
    moved.sort(key=lambda region: -extents[chain(region)[-1]].last)
    waiting = deque(dict.fromkeys(extents[chain(region)[-1]] for region in moved))
    for region in moved:
        extent = extents[chain(region)[-1]]
        if waiting and waiting[0] is extent:
            waiting.popleft()
        end = _end_of(region, order, extent, sources)
        after = {block for block in groups[region] if _stands_after(region, block)}
        own = reached_from(region.handler, usual | after if after else usual)
        group = [block for block in groups[region] if block in own]
        order[end:end] = group
        _shift(waiting, end, len(group))
        behind = [block for block in groups[region] if block not in own]
        if behind:  # only a handler before this one leads there, or what it leads to outside of the statement
            end = _behind_loops(end + len(group), order, behind[0])
            order[end:end] = behind
            _shift(waiting, end, len(behind))
        extent.last += len(groups[region])
    graph.blocks = order + rest
    _cover_jumps(graph.blocks, set(cold), sources)
    graph.number()


def _cover_jumps(
    blocks: list[BasicBlock], cold: set[BasicBlock], sources: dict[BasicBlock, list[BasicBlock]]
) -> None:
    """Give a jump from moved code to what comes next the region around both.

    The compiler adds it when it moves the code (push_cold_blocks_to_end), and gives it no handler.
    """
    for block, after in zip(blocks, blocks[1:]):
        if block in cold and block.handler is None and block.target is after and block.operations() == ["JUMP"]:
            if all(source.region is after.region for source in sources.get(block, ())):
                block.region, block.handler, block.handler_block = after.region, after.handler, after.handler_block


def _stands_after(region: Region, block: BasicBlock) -> bool:
    """Whether ``block``, to which the handler of ``region`` leads, comes after that statement, and does something."""
    around = region.parent
    handled = block.handler_block is (around.handler if around is not None else None)
    return (handled or around is not None and around not in chain(block.region)) and not _only_leaves(block)


def _behind_loops(place: int, order: list[BasicBlock], first: BasicBlock) -> int:
    """The place in ``order``, from ``place`` on, after the loops around it that do not have ``first`` in them."""
    before = set(order[:place])
    for index in reversed(range(place, len(order))):
        end = order[index]
        begins = [successor for successor in end.successors if successor in before]
        if any(end not in reached_from(first, {begin}) for begin in begins):
            return index + 1
    return place


class _Extent:
    """The places in an order of blocks where the body of a statement has its first and its last block.

    Of an outermost one ``last`` is counted on by what is put in there, so that nothing else need be looked through.
    """

    def __init__(self, first: int) -> None:
        self.first = self.last = first


def _extents(order: list[BasicBlock]) -> dict[Region, _Extent]:
    found: dict[Region, _Extent] = {}
    for place, block in enumerate(order):
        for region in chain(block.region):
            found.setdefault(region, _Extent(place)).last = place
    return found


def _shift(extents: Iterable[_Extent], place: int, count: int) -> None:
    """So many blocks were put at ``place``; of ``extents`` those that end last come first."""
    for extent in extents:
        if extent.last < place:
            break
        extent.last += count
        if extent.first >= place:
            extent.first += count


def _end_of(
    region: Region, order: list[BasicBlock], extent: _Extent, sources: dict[BasicBlock, list[BasicBlock]]
) -> int:
    """The place in ``order`` after the body of ``region``, which lies in ``extent``."""
    places = range(extent.last, extent.first - 1, -1)
    end = next(place for place in places if region in chain(order[place].region)) + 1
    added: set[BasicBlock] = set()
    while end < len(order):
        block = order[end]
        ends_here = block.instructions and block.instructions[-1].op in ("JUMP", "RETURN_VALUE")
        if not ends_here or not all(one in added or region in chain(one.region) for one in sources.get(block, ())):
            break
        if any(i.op not in _ENDS and not _leaves_with(block, at) for at, i in enumerate(block.instructions)):
            break
        added.add(block)
        end += 1
    return end


def _only_leaves(block: BasicBlock) -> bool:
    """Whether nothing is in ``block`` but ends of statements: their jumps, and their calls of __exit__."""
    ends = _ENDS | {"POP_EXCEPT", "GET_AWAITABLE", "YIELD_FROM", "COPY", "RERAISE"}
    unbinds = {at + 2 for at in range(len(block.instructions)) if unbound_name(block.instructions[at : at + 3])}
    return all(
        i.op in ends or _follows_nones(block, at) or not unbinds.isdisjoint((at, at + 1))
        for at, i in enumerate(block.instructions)
    )


def _leaves_with(block: BasicBlock, at: int) -> bool:
    """Whether the instruction calls __exit__ of a with statement that is left with a value below it: by a return."""
    return _follows_nones(block, at) and block.instructions[0].op == "SWAP"


def _follows_nones(block: BasicBlock, at: int) -> bool:
    before = block.instructions[max(at - 3, 0) : at]
    nones = len(before) == 3 and all(i.op == "CONST" and i.arg is None for i in before)
    return nones and block.instructions[at].op == "CALL"
