"""Classifies exception handlers as ``except``, ``finally`` or ``with``, and finds the blocks of each body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import DecompilationError
from ..limits.budget import STEP, spend

if TYPE_CHECKING:
    from ..bytecode import Instruction
    from .control_flow_graph import BasicBlock, ControlFlowGraph

_UNBIND = {"STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF"}
_RESTORE = {"STORE_FAST"}


class Region:
    """The body of a try or with statement.

    ``kind`` is 'except', 'finally' or 'with'; ``handler`` is the block that handles its exceptions; ``parent`` is the
    region around the whole statement; ``line``, ``end_line`` and ``column`` are those of the whole try statement, if
    known.
    """

    __slots__ = ("kind", "handler", "parent", "names", "depth", "lasti", "line", "end_line", "column")

    def __init__(self, kind: str, handler: BasicBlock) -> None:
        self.kind = kind
        self.handler = handler
        self.parent: Region | None = None
        self.depth = 0  # the stack depth that the handler keeps
        self.lasti = False  # whether the offset of the raising instruction is pushed
        self.names: set[str] = set()  # bound by `except ... as name`, found while lifting
        self.line: int | None = None
        self.end_line: int | None = None
        self.column: int | None = None

    def __repr__(self) -> str:
        return f"{self.kind}@{self.handler.start}"


def chain(region: Region | None) -> list[Region]:
    """Return ``region`` and those around it, innermost first; empty for None."""
    found = []
    while region is not None:
        found.append(region)
        region = region.parent
        if region is not None:
            spend(STEP, "reading the flow graph")
    return found


def mark_regions(graph: ControlFlowGraph) -> list[Region]:
    """Set the region of every block. Return the regions, inner ones before outer ones.

    Handlers that only clean up are no regions: ``COPY 3; POP_EXCEPT; RERAISE``, the unbinding of ``except ... as
    name``, the restoration of variables that an inlined comprehension hides. What they cover belongs to the region
    around. Raises DecompilationError for other handlers.
    """
    regions: dict[BasicBlock, Region | None] = {}
    for block in graph.blocks:
        block.region = _region_of(block, regions) if block.handler_block is not None else None
    for region in list(regions.values()):
        if region is not None:
            region.parent = _region_of(region.handler, regions)
            if region in chain(region.parent):
                raise DecompilationError("a handler that covers itself", stage="undo_optimiser")
    found = [region for region in regions.values() if region is not None]
    if found:
        _mark_lines(graph)
    return sorted(found, key=lambda region: -len(chain(region)))


def _mark_lines(graph: ControlFlowGraph) -> None:
    """Set the lines of the try statements, from the NOPs where their bodies begin.

    ``try`` with both ``except`` and ``finally`` is two regions with the same line, and may have a single NOP.
    """
    jumped_to = {block.target for block in graph.blocks}
    nops: list[Instruction] = []
    around: list[Region] = []
    for block in graph.blocks:
        if block in jumped_to:
            nops = []
        at = 0 if block.instructions and block.instructions[0].op != "NOP" else _past_nops(block)
        nops += block.instructions[:at]
        if at is not None:
            here = chain(block.region)
            begun = [one for one in here if one not in around and one.kind != "with" and one.line is None]
            if begun:
                _set_lines(begun, block.instructions[at], nops)
            around, nops = here, []


def _past_nops(block: BasicBlock) -> int | None:
    """Return the index of the first instruction that is none; None if all are."""
    return next((index for index, one in enumerate(block.instructions) if one.op != "NOP"), None)


def _set_lines(regions: list[Region], inner: Instruction, nops: list[Instruction]) -> None:
    """Set the lines of ``regions``, inner ones first, from those of the ``nops`` whose statements contain ``inner``.

    Without columns, all do, and there is one for each region, or none is known.
    """
    positions = [nop.position for nop in reversed(nops)]
    if inner.line is None or any(position is None or None in position for position in positions):
        if len(nops) == len(regions):
            for region, nop in zip(regions, reversed(nops)):
                region.line = nop.line
        return
    spans = [p[:3] for p in positions if p is not None and p[0] <= inner.line <= p[1]]
    at, before = 0, None
    for region in regions:
        may_share = before is None or (before.kind, region.kind) == ("except", "finally")
        at += not may_share
        handled = first_line(region.handler)
        while at < len(spans) and handled is not None and spans[at][1] < handled:
            at += 1
        if at == len(spans):
            return
        region.line, region.end_line, region.column = spans[at]
        before = region


def first_line(handler: BasicBlock) -> int | None:
    """Return the first line of the handler."""
    block: BasicBlock | None = handler
    while block is not None:
        spend(STEP, "reading the flow graph")
        line = next((i.line for i in block.instructions if i.line is not None), None)
        if line is not None:
            return line
        block = block.fall
    return None


def separate_with_exits(graph: ControlFlowGraph, regions: list[Region]) -> None:
    """Split blocks after the end of a with statement that suppressed an exception (POP; POP_EXCEPT; POP; POP).

    The rest of such a block is the code after the statement.
    """
    for region in regions:
        if region.kind != "with":
            continue
        suppressed = region.handler
        while suppressed.last is None or not suppressed.last.op.startswith("POP_JUMP_IF_"):
            spend(STEP, "reading the flow graph")
            if suppressed.fall is None:
                raise DecompilationError("a with statement without a test of __exit__", stage="undo_optimiser")
            suppressed = suppressed.fall
        block = suppressed.target if suppressed.last.op == "POP_JUMP_IF_TRUE" else suppressed.fall
        wanted = ["POP", "POP_EXCEPT", "POP", "POP"]
        while block is not None and wanted:
            spend(STEP, "reading the flow graph")
            position = 0
            while position < len(block.instructions) and wanted:
                operation = block.instructions[position].op
                if operation == wanted[0]:
                    wanted.pop(0)
                elif operation != "NOP":
                    raise DecompilationError("a with statement that ends in another way", stage="undo_optimiser")
                position += 1
            if not wanted and position < len(block.instructions) and block.instructions[position].op != "JUMP":
                graph.split(block, position)
            block = block.fall


def _region_of(block: BasicBlock, regions: dict[BasicBlock, Region | None]) -> Region | None:
    """Return the region of ``block``, looking through handlers that only clean up."""
    for _ in range(1000):
        handler = block.handler_block
        if handler is None:
            return None
        if handler not in regions:
            kind = _kind(handler)
            regions[handler] = None if kind == "cleanup" else Region(kind, handler)
        region = regions[handler]
        if region is not None:
            if block.handler is not None:
                region.depth, region.lasti = block.handler.depth, block.handler.lasti
            return region
        block = handler
    raise DecompilationError("handlers that clean up in a circle", stage="undo_optimiser")


def restoring_handlers(graph: ControlFlowGraph) -> list[tuple[int, int]]:
    """Return the start of each block of an inlined comprehension, with the offset of its restoring handler."""
    return [
        (block.start, block.handler_block.instructions[0].offset)
        for block in graph.blocks
        if block.handler_block is not None and _restores(block.handler_block.operations())
    ]


def _restores(operations: list[str]) -> bool:
    begins, ends = operations[:3] == ["SWAP", "POP", "SWAP"], operations[-1] == "RERAISE"
    return begins and ends and set(operations[3:-1]) == _RESTORE


def _kind(handler: BasicBlock) -> str:
    operations = handler.operations()
    if operations[:3] == ["COPY", "POP_EXCEPT", "RERAISE"]:
        return "cleanup"
    if operations[0] == "CONST" and operations[-1] == "RERAISE" and operations[1] in _UNBIND and len(operations) == 4:
        return "cleanup"
    if _restores(operations):
        return "cleanup"
    if operations[0] != "PUSH_EXC_INFO":
        raise DecompilationError(f"a handler that begins with {operations[0]}", stage="undo_optimiser")
    if operations[1:2] == ["WITH_EXCEPT_START"]:
        return "with"
    if operations[1:2] == ["POP"]:
        return "except"
    return "except" if _tests_exception(handler) else "finally"


def _tests_exception(handler: BasicBlock) -> bool:
    """Whether the handler reaches a CHECK_EXC_MATCH, which only ``except`` clauses have."""
    seen = {handler}
    todo = [handler]
    while todo:
        block = todo.pop()
        operations = block.operations()
        if "CHECK_EXC_MATCH" in operations:
            return True
        for successor in block.successors:
            if successor not in seen:
                seen.add(successor)
                todo.append(successor)
    return False
