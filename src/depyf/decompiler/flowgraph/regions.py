"""What each exception handler is for: ``except``, ``finally`` or ``with``; and which blocks are in which body."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator

from ...errors import DecompilationError
from ..limits.budget import STEP, spend

if TYPE_CHECKING:
    from .control_flow_graph import BasicBlock, ControlFlowGraph

_UNBIND = {"STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF"}
_RESTORE = {"STORE_FAST"}


class Region:
    """The body of a try or with statement.

    ``kind`` is 'except', 'finally' or 'with'; ``handler`` the block that its exceptions go to; ``parent`` the region
    that the whole statement is in.
    """

    __slots__ = ("kind", "handler", "parent", "names", "depth", "lasti")

    def __init__(self, kind: str, handler: BasicBlock) -> None:
        self.kind = kind
        self.handler = handler
        self.parent: Region | None = None
        self.depth = 0  # how much of the stack the handler keeps
        self.lasti = False  # whether it finds the place of the exception on the stack
        self.names: set[str] = set()  # bound by `except ... as name`, found while lifting

    def chain(self) -> Iterator[Region]:
        """This region and those around it, innermost first."""
        region: Region | None = self
        while region is not None:
            spend(STEP, "reading the flow graph")
            yield region
            region = region.parent

    def __repr__(self) -> str:
        return f"{self.kind}@{self.handler.start}"


def chain(region: Region | None) -> list[Region]:
    """``region`` and those around it, innermost first; empty for None."""
    found = []
    while region is not None:
        spend(STEP, "reading the flow graph")
        found.append(region)
        region = region.parent
    return found


def mark_regions(graph: ControlFlowGraph) -> list[Region]:
    """Give every block its region; returns the regions, inner ones before the ones around them.

    The handlers that only clean up (``COPY 3; POP_EXCEPT; RERAISE``, the unbinding of ``except ... as name``, and what
    puts back the variables that an inlined comprehension hides) are no regions: what they cover belongs to the
    region around. Raises DecompilationError for other handlers.
    """
    regions: dict[BasicBlock, Region | None] = {}
    for block in graph.blocks:
        block.region = _meaning(block, regions)
    for region in list(regions.values()):
        if region is not None:
            region.parent = _meaning(region.handler, regions)
            if region in chain(region.parent):
                raise DecompilationError("a handler that covers itself", stage="undo_optimiser")
    found = [region for region in regions.values() if region is not None]
    return sorted(found, key=lambda region: -len(chain(region)))


def separate_with_exits(graph: ControlFlowGraph, regions: list[Region]) -> None:
    """Cut blocks after the code that ends a with statement whose exception was swallowed (POP; POP_EXCEPT; POP; POP).

    What follows there is the code after the statement.
    """
    for region in regions:
        if region.kind != "with":
            continue
        swallowed = region.handler
        while swallowed.last is None or not swallowed.last.op.startswith("POP_JUMP_IF_"):
            spend(STEP, "reading the flow graph")
            if swallowed.fall is None:
                raise DecompilationError("a with statement without a test of __exit__", stage="undo_optimiser")
            swallowed = swallowed.fall
        block = swallowed.target if swallowed.last.op == "POP_JUMP_IF_TRUE" else swallowed.fall
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


def _meaning(block: BasicBlock, regions: dict[BasicBlock, Region | None]) -> Region | None:
    """The region that ``block`` is in, seeing through handlers that only clean up."""
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
    """The start of each block of an inlined comprehension, and the offset of the handler that puts variables back."""
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
    return "except" if _tests_the_exception(handler) else "finally"


def _tests_the_exception(handler: BasicBlock) -> bool:
    """Whether control meets a CHECK_EXC_MATCH before it leaves the handler: only ``except`` clauses have one."""
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
