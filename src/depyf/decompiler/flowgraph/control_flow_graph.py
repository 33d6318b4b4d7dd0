"""Basic blocks and the edges between them."""

from __future__ import annotations

from typing import Collection, Container, Iterator

from ..bytecode import CONDITIONAL_JUMPS, NO_FALL_THROUGH, OPPOSITE, Handler, Instruction
from ..bytecode.instruction import EMPTY_BODY, Position, jump_sources
from .regions import Region


class BasicBlock:
    """Consecutive instructions without a jump between them, all with the same exception handler.

    ``start`` is the index of the first one in the code object; blocks sort by it into layout order. ``fall`` is the
    fall-through successor, ``target`` the jump target; each is None if there is no such edge. ``handler`` is the raw
    handler, ``handler_block`` its target, ``region`` the try or with statement that it implements. ``follows_copy``:
    the copy of a ``finally`` body directly before this block was stripped. ``copy_end`` is the last instruction of
    that copy if control entered it by falling off the end of the statement, not by a ``return`` or the like;
    ``follows_long_copy``: it is longer than what the compiler copies to replace a jump. ``ends_loops``: the first
    blocks of the loops that end here, where the code never jumps back; up to 3.9 dead jumps show it.
    """

    __slots__ = (
        "start", "instructions", "fall", "target", "handler", "handler_block", "region", "copy_end", "follows_copy",
        "follows_long_copy", "ends_loops",
    )  # fmt: skip

    def __init__(self, start: int, instructions: list[Instruction], handler: Handler | None) -> None:
        self.start = start
        self.instructions = instructions
        self.fall: BasicBlock | None = None
        self.target: BasicBlock | None = None
        self.handler = handler
        self.handler_block: BasicBlock | None = None
        self.region: Region | None = None
        self.copy_end: Instruction | None = None
        self.follows_copy = False
        self.follows_long_copy = False
        self.ends_loops: list[BasicBlock] = []

    @property
    def successors(self) -> list[BasicBlock]:
        """The successors without exceptional edges."""
        return [block for block in (self.fall, self.target) if block is not None]

    def edges(self) -> list[BasicBlock]:
        """The successors with the handler."""
        return [block for block in (self.fall, self.target, self.handler_block) if block is not None]

    @property
    def last(self) -> Instruction | None:
        """The last instruction, if there is one."""
        return self.instructions[-1] if self.instructions else None

    def operations(self) -> list[str]:
        """Return the operations without NOPs, for comparison with a pattern."""
        return [i.op for i in self.instructions if i.op != "NOP" or i.arg == EMPTY_BODY]

    def __repr__(self) -> str:
        return f"<block {self.start}>"


class ControlFlowGraph:
    """The blocks of one code object, in layout order, the entry first."""

    def __init__(self, blocks: list[BasicBlock]) -> None:
        self.blocks = blocks
        self.sources: dict[BasicBlock, set[BasicBlock]] = {}
        """While they are `watch`ed, the blocks of the graph, each with those that lead to it, also by exceptions."""
        self.added: list[BasicBlock] = []

    def watch(self) -> None:
        """Keep ``sources``, and in ``added`` the blocks that are made, until edges are changed otherwise."""
        self.sources = {block: set() for block in self.blocks}
        for source in self.blocks:
            for following in source.edges():
                self.sources[following].add(source)

    @property
    def entry(self) -> BasicBlock:
        return self.blocks[0]

    def split(self, block: BasicBlock, position: int) -> BasicBlock:
        """Split ``block`` before its instruction ``position``. Return the new second half (``block`` itself for 0)."""
        if position == 0:
            return block
        rest = BasicBlock(block.start + position, block.instructions[position:], block.handler)
        rest.fall, rest.target = block.fall, block.target
        rest.handler_block, rest.region = block.handler_block, block.region
        rest.ends_loops, block.ends_loops = block.ends_loops, []
        block.instructions = block.instructions[:position]
        block.fall, block.target = rest, None
        self.blocks.insert(self._index_of(block) + 1, rest)
        if self.sources:
            self.added.append(rest)
            self.sources[rest] = {block}
            for following in rest.edges():
                if following is not block.handler_block:
                    self.sources[following].discard(block)
                self.sources[following].add(rest)
        return rest

    def _index_of(self, block: BasicBlock) -> int:
        """Return the index of ``block``, by bisection over the starts: code may be split very often."""
        low, high = 0, len(self.blocks)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self.blocks[middle].start < block.start else (low, middle)
        return self.blocks.index(block, low if low < len(self.blocks) and self.blocks[low] is block else 0)

    def add_empty(self, region: Region | None, fall: BasicBlock | None = None) -> BasicBlock:
        """Append a new block without instructions; without ``fall`` it represents what follows an endless loop."""
        last = self.blocks[-1]
        block = BasicBlock(last.start + max(1, len(last.instructions)), [], None)
        block.region, block.fall = region, fall
        self.blocks.append(block)
        if self.sources:
            self.added.append(block)
            self.sources[block] = set()
            if fall is not None:
                self.sources[fall].add(block)
        return block

    def number(self) -> None:
        """Renumber the starts of the blocks after a change of their order."""
        start = 0
        for block in self.blocks:
            block.start = start
            start += len(block.instructions) or 1

    def remove_unreachable(self) -> None:
        """Remove the blocks that control cannot reach, not even through handlers. A jump back becomes the mark of the
        block before it.
        """
        seen = reached_from(self.entry)
        kept: list[BasicBlock] = []
        for block in self.blocks:
            if block in seen:
                kept.append(block)
            else:
                _mark_end_of_loop(block, kept[-1])
        self.blocks = kept

    def remove_unreachable_from(self, left: Collection[BasicBlock], reached: set[BasicBlock]) -> None:
        """The same where edges led to ``left`` before, and now to those ``reached``, without a look at other blocks."""
        gone: set[BasicBlock] = set()
        borders: set[BasicBlock] = set()
        todo = list(left)
        while todo:
            block = todo.pop()
            if block in gone:
                continue
            if self.sources[block] or block is self.entry:
                borders.add(block)
            else:
                gone.add(block)
                for following in block.edges():
                    self.sources[following].discard(block)
                    todo.append(following)
        if borders - gone - reached:  # perhaps a loop that nothing enters
            self.remove_unreachable()
            self.watch()
            return
        for block in sorted(gone, key=lambda one: one.start):
            index = self._index_of(block)
            _mark_end_of_loop(block, self.blocks[index - 1])
            del self.blocks[index]
            del self.sources[block]

    def reached_without_exceptions(self) -> set[BasicBlock]:
        """Return the blocks that control reaches if nothing is raised."""
        return reached_from(self.entry, with_handlers=False)

    def predecessors(self) -> dict[BasicBlock, list[BasicBlock]]:
        """Return the predecessors of each block, in layout order, without exceptional edges."""
        found: dict[BasicBlock | None, list[BasicBlock]] = {block: [] for block in self.blocks}
        for block in self.blocks:
            for following in {block.target, block.fall} - {None}:
                found[following].append(block)
        return found  # type: ignore[return-value]

    def render(self) -> str:
        """Return the graph as text, for the stepper."""
        lines = []
        for block in self.blocks:
            edges = [
                f"fall {block.fall.start}" if block.fall else "",
                f"jump {block.target.start}" if block.target else "",
            ]
            handler = f" raises to {block.handler_block.start}" if block.handler_block else ""
            region = f" in {block.region}" if block.region else ""
            lines.append(f"block {block.start}{region}{handler}: {', '.join(filter(None, edges)) or 'exit'}")
            lines += [f"    {i.offset:5d}  {i}" for i in block.instructions]
        return "\n".join(lines)


def _mark_end_of_loop(gone: BasicBlock, before: BasicBlock) -> None:
    if gone.target is not None and gone.target.start <= before.start and gone.operations() == ["JUMP"]:
        before.ends_loops.append(gone.target)


def reached_from(
    first: BasicBlock, borders: Container[BasicBlock] = (), *, with_handlers: bool = True
) -> set[BasicBlock]:
    """Return the blocks reachable from ``first``, through handlers too, without passing one of the ``borders``."""
    found = {first}
    todo = [first]
    for block in todo:  # grows along
        for successor in (block.fall, block.target, block.handler_block if with_handlers else None):
            if successor is not None and successor not in found and successor not in borders:
                found.add(successor)
                todo.append(successor)
    return found


def build_flowgraph(instructions: list[Instruction], *, loop_tests_are_copied: bool = True) -> ControlFlowGraph:
    """Split ``instructions`` into blocks at jumps, jump targets and the borders of exception ranges.

    ``loop_tests_are_copied``: a loop at the beginning of an endless one has a test of its own at the bottom.
    """
    _cover_ends_of_async_for(instructions)
    loop_nops = _loop_start_nops(instructions)
    _cover_uncovered(instructions, loop_nops)
    graph = ControlFlowGraph(_split(instructions))
    block_at = {block.start: block for block in graph.blocks}
    for block, following in zip(graph.blocks, [*graph.blocks[1:], None]):
        last = block.instructions[-1]
        if last.target >= 0:
            block.target = block_at[loop_nops.get(last.target, last.target)]
        if last.op not in NO_FALL_THROUGH:
            block.fall = following
        if block.handler is not None:
            block.handler_block = block_at[block.handler.target]
    outer = [] if loop_tests_are_copied else [*_starts_of_outer_loops(graph)]
    for start in outer:
        _cover_as_outside(block_at[start], graph.blocks)
    _skip_empty_blocks(graph, {*loop_nops.values(), *outer})
    graph.remove_unreachable()
    return graph


def _cover_uncovered(instructions: list[Instruction], loop_nops: dict[int, int]) -> None:
    """Give instructions that the compiler leaves out of the exception ranges the handler of the body around them, lest
    they look like exits from it: NOPs, jumps after a chained comparison, and the jump from a test at the bottom of a
    loop to what follows it. A NOP left of a statement that jumps becomes a jump.
    """
    breaks = {*_breaks_before_copies(instructions), *_breaks_at_ends(instructions)}
    empty_arms = set(_empty_arms(instructions))
    jumped_from: dict[int, list[Handler | None]] = {}
    for one in instructions:
        if one.target >= 0:
            jumped_from.setdefault(one.target, []).append(one.handler)
    for index in reversed(range(len(instructions) - 1)):
        instruction = instructions[index]
        if instruction.op == "NOP" and instruction.arg != EMPTY_BODY and index not in loop_nops:
            if index in empty_arms:
                instruction.op, instruction.arg, instruction.target = "JUMP", EMPTY_BODY, index + 1
                instruction.handler = instructions[index - 1].handler
            elif index in breaks or index and _is_left_of("break", instructions, index):
                # From 3.14 on the rest of the loop is laid out before, so no jump over it is left.
                instruction.op, instruction.target = "JUMP", index + 1
                handler = instructions[index - 1].handler
                is_inside = all(one == handler for one in jumped_from.get(index, ()))
                instruction.handler = handler if is_inside else instructions[index + 1].handler
            else:
                instruction.handler = instructions[index + 1].handler
        elif instruction.op == "JUMP" and instruction.handler is None and index > 1:
            before, target = instructions[index - 1], instruction.target
            ends_chained_comparison = before.op == "POP" and instructions[index - 2].op == "JUMP"
            is_loop_exit = before.op in CONDITIONAL_JUMPS and instructions[target - 1].handler == before.handler
            if (ends_chained_comparison or is_loop_exit) and instructions[target].handler == before.handler:
                instruction.handler = before.handler


def _cover_ends_of_async_for(instructions: list[Instruction]) -> None:
    """Give the jump after each async for loop the loop's handler, if it has none."""
    for loop in [i for i in instructions if i.op == "ASYNC_FOR_ITER"]:
        end = instructions[loop.target]
        if end.op == "JUMP" and end.handler is None:
            end.handler = loop.handler


def _is_left_of(keyword: str, instructions: list[Instruction], index: int) -> bool:
    """Whether the instruction at ``index`` is a NOP left of ``keyword``, by its width, and what follows below is left
    of it. The ``False`` of a test is as wide as ``break``, but an odd number of columns further right, or in no loop.
    """
    position, after = instructions[index].position, instructions[index + 1].position
    if position is None or after is None or None in position or None in after or position[0] != position[1]:
        return False
    if position[3] - position[2] != len(keyword) or after[0] <= position[0]:
        return False
    column = after[2]
    for instruction in instructions[index + 1 :]:
        if instruction.position is None or instruction.position[0] != after[0] or instruction.position[2] is None:
            break
        if instruction.op in CONDITIONAL_JUMPS:  # up to 3.11, it has the position of the statement
            column = min(column - len("if "), instruction.position[2])
            break
        column = min(column, instruction.position[2])
    in_loop = keyword != "break" or any(0 <= one.target <= min(at, index) for at, one in enumerate(instructions))
    return bool(in_loop and column < position[2] and (position[2] - column) % 2 == 0)


def _breaks_before_copies(instructions: list[Instruction]) -> Iterator[int]:
    """Yield the indices of the NOPs left of a ``break``, in place of whose jump is a copy of a short return that
    follows the loop, on a later line. Without columns (3.10) nothing else is a NOP there, for no one writes a ``pass``
    above a return.
    """
    targets = {instruction.target for instruction in instructions}
    top = len(instructions)  # the lowest target of a jump below
    for index in reversed(range(1, len(instructions))):
        nop = instructions[index]
        if nop.target >= 0:
            top = min(top, nop.target)
        if nop.op != "NOP" or nop.arg is not None or nop.position is None or nop.position[2] is not None:
            continue
        copy = instructions[index + 1 : index + 2 + MAX_COPY_SIZE]
        end = next((at for at, one in enumerate(copy) if one.op == "RETURN_VALUE"), None)
        if end is None or index in targets or top > index or nop.line is None:
            continue
        if all(i.handler == nop.handler and i.op not in _ENDS_BLOCK and (i.line or 0) > nop.line for i in copy[:end]):
            yield index


def _breaks_at_ends(instructions: list[Instruction]) -> Iterator[int]:
    """Yield the indices of the NOPs left of a ``break`` that ends the body of an endless loop, as far as lines show it
    (3.10): only tests in the loop lead there, past the last jump back.
    """
    found = [
        index
        for index, nop in enumerate(instructions[1:-1], 1)
        if nop.op == "NOP" and nop.position is not None and nop.position[2] is None and nop.line is not None
        and instructions[index - 1].op == "JUMP" and nop.line < (instructions[index + 1].line or 0)
    ]  # fmt: skip
    if not found:
        return
    sources = jump_sources(instructions)
    for index in found:
        top = instructions[index - 1].target
        if not 0 <= top < index or max(sources[top]) > index:
            continue
        if all(top <= at < index and instructions[at].op in OPPOSITE for at in sources.get(index, [-1])):
            yield index


def _empty_arms(instructions: list[Instruction]) -> Iterator[int]:
    """Yield the indices of the NOPs left of ``else: pass``: a test jumps there, and the other arm past it, or a copy of
    what follows ends that arm. A NOP that has the position of the test is what is left of the end of a try statement.
    """
    tested: dict[int, list[Position | None]] = {}
    for one in instructions:
        if one.op in CONDITIONAL_JUMPS:
            tested.setdefault(one.target, []).append(one.position)
    tops = {one.target for index, one in enumerate(instructions) if 0 <= one.target <= index}
    for index in range(1, len(instructions) - 1):
        nop, before = instructions[index], instructions[index - 1]
        if nop.op != "NOP" or nop.arg is not None or index not in tested or before.handler != nop.handler:
            continue
        if before.op == "JUMP":
            is_own = nop.position not in tested[index]
            if before.target == index + 1 and before.line != nop.line is not None and is_own:
                yield index
        elif before.op == "RETURN_VALUE" and tops.isdisjoint((index, index + 1)):
            if _is_left_of("pass", instructions, index):
                yield index


def _loop_start_nops(instructions: list[Instruction]) -> dict[int, int]:
    """Return the NOPs before a try statement that is the whole body of an endless loop, with the first NOP of each run.

    The back edge from inside the statement leaves it, so the NOPs get the handler around the statement.
    """
    found: dict[int, int] = {}
    for index, instruction in enumerate(instructions):
        first = instruction.target
        if not 0 <= first <= index or instructions[first].op != "NOP":
            continue
        end = first
        while end < index and instructions[end].op == "NOP":
            end += 1
        inside, around = instructions[end].handler, _enclosing_handlers(instructions, instruction.handler)
        if inside not in around:
            continue
        outside = around[around.index(inside) + 1 :]
        own, before = instructions[first].handler, instructions[first - 1]
        begins_before = before.op not in NO_FALL_THROUGH and inside in _enclosing_handlers(instructions, before.handler)
        if begins_before or not {*outside}.issuperset(_enclosing_handlers(instructions, own)[:1]):
            continue  # they are in the statement, or end one in it, and the jump is that of a handler moved below
        for nop in range(first, end):
            instructions[nop].handler = outside[0] if outside else None
            found[nop] = first
    return {nop: found.get(nop - 1, first) for nop, first in sorted(found.items())}


def _enclosing_handlers(instructions: list[Instruction], handler: Handler | None) -> list[Handler]:
    """Return ``handler`` and those of the enclosing statements, without handlers that only unwind others."""
    found: list[Handler] = []
    seen: set[Handler] = set()
    while handler is not None and handler not in seen:
        seen.add(handler)
        if instructions[handler.target].op != "COPY":
            found.append(handler)
        handler = instructions[handler.target].handler
    return found


def _starts_of_outer_loops(graph: ControlFlowGraph) -> Iterator[int]:
    """Yield the starts of the blocks left of ``while True`` whose body begins with a loop: both jump back, to different
    blocks, and the test of the inner one is deeper by the indentation, which that of an ``if`` is not.
    """
    again = {
        following.start
        for block in graph.blocks
        for following in (block.fall, block.target)
        if following is not None and following.start <= block.start
    }
    for block in graph.blocks:
        following = block.fall
        if block.start not in again or not _is_empty(block) or _begins_try(block):
            continue
        while following is not None and following.start not in again and _is_empty(following):
            following = following.fall if not _begins_try(following) else None
        if following is not None and following.start in again and following.start > block.start:
            if _column_of_first(following) - _column_of_first(block) in _DEEPER:
                yield block.start


def _cover_as_outside(outer: BasicBlock, blocks: list[BasicBlock]) -> None:
    """Give ``outer``, the NOP of a loop, the handler of the code that jumps back to it, if that is not the one of what
    follows: a try statement with which its body begins.
    """
    again = [one for one in blocks if outer in one.successors and one.start >= outer.start]
    handlers = {one.handler for one in again}
    if len(handlers) == 1 and outer.handler not in handlers:
        outer.handler, outer.handler_block = again[0].handler, again[0].handler_block


def _begins_try(block: BasicBlock) -> bool:
    """Whether one of the NOPs is that of a try statement, which is over lines."""
    return any(one.position is not None and one.position[0] != one.position[1] for one in block.instructions)


def _column_of_first(block: BasicBlock) -> int:
    position = block.instructions[0].position if block.instructions else None
    return position[2] if position is not None and position[2] is not None else 0


_DEEPER = (4, 4 + len("("), 4 + len("not "))
"""How much deeper the test of a loop is than that of a loop around it, as most people indent."""


def _skip_empty_blocks(graph: ControlFlowGraph, kept: Container[int]) -> None:
    """Redirect edges past blocks that contain only NOPs, except those that start in ``kept``."""

    def is_skipped(block: BasicBlock) -> bool:
        return block.fall is not None and block.start not in kept and _is_empty(block)

    empty = {block for block in graph.blocks if block.instructions[0].op == "NOP" and is_skipped(block)}
    for block in reversed(graph.blocks if empty else []):
        while block.fall in empty and block.fall is not None:
            block.fall = block.fall.fall
        while block.target in empty and block.target is not None:
            block.target = block.target.fall
    while is_skipped(graph.entry):
        graph.blocks.remove(graph.entry)


MAX_COPY_SIZE = 4
"""The most instructions that the compiler copies to replace a jump (MAX_COPY_SIZE)."""


def _is_empty(block: BasicBlock) -> bool:
    return not [one for one in block.instructions if one.op != "NOP" or one.arg == EMPTY_BODY]


_ENDS_BLOCK = CONDITIONAL_JUMPS | NO_FALL_THROUGH


def _split(instructions: list[Instruction]) -> list[BasicBlock]:
    leaders = {0}
    before: Handler | None = None
    for index, instruction in enumerate(instructions):
        op, handler = instruction.op, instruction.handler
        if instruction.target >= 0:
            leaders.add(instruction.target)
        if op in _ENDS_BLOCK:
            leaders.add(index + 1)
            if op in ("FOR_ITER", "ASYNC_FOR_ITER"):
                leaders.add(index)  # a loop has a header of its own, even if nothing jumps back to it
        if handler is not before:
            if handler is not None:
                leaders.add(handler.target)
            if handler != before:
                leaders.add(index)
            before = handler
    order = sorted(leaders | {len(instructions)})
    return [BasicBlock(at, instructions[at:end], instructions[at].handler) for at, end in zip(order, order[1:])]
