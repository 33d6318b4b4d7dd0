"""Joins the copies of short exit blocks again.

Where control would jump to a few instructions that return or raise, CPython 3.10 and 3.12 or later emit a copy of
them instead; 3.8 and 3.9 copy only a RETURN_VALUE. Copies have the lines of the original, which distinguishes them
from code that was written twice. Without a line table they are joined where the stack shows that they are copies.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Callable, Dict, Iterable, Set, Tuple

from ..bytecode import EXITS, Instruction, RawCode
from ..bytecode.instruction import Position, unbound_name
from ..syntax.node import constant_key
from .control_flow_graph import MAX_COPY_SIZE, BasicBlock, ControlFlowGraph
from .regions import chain
from .stack_entries import Entries, entries_after, entries_at_starts
from .written_returns import written_return

_NOT_COUNTED = ("NOP", "NULL")
_LATEST = 1 << 30
_DROPS_OPERAND = [("SWAP", 2), ("POP", None)]
_UNWINDS = ("SWAP", "RETURN_VALUE")
"""Operations right after the evaluation of a ``return`` value; two of them may follow each other."""

_KeyOf = Callable[[Instruction], Any]
_Values = Dict[int, Set[Tuple[int, int]]]
_Copied = Callable[[BasicBlock, BasicBlock, Dict[BasicBlock, Entries], _KeyOf], int]


def join_exit_copies(graph: ControlFlowGraph, *, exits_are_copied: bool = True) -> None:
    """Redirect control from all copies to the last one.

    ``exits_are_copied``: whether the compiler copies more than a RETURN_VALUE.
    """
    _split_off_returns(graph)
    groups: dict[Any, list[BasicBlock]] = {}
    ends = _ends(graph, None if exits_are_copied else graph.predecessors())
    if len(ends) < 2:
        return
    sources = graph.predecessors()
    has_lines = any(i.line is not None for block in graph.blocks for i in block.instructions)
    handlers = {block.handler_block for block in graph.blocks}
    for block, last in ends:
        if last.line is not None or not has_lines:
            # The handlers of two inlined comprehensions are no copies of each other.
            handler_position = last.position if block in handlers else None
            written = written_return(block, sources) or _before_with_exit(block, sources.get(block, ()))
            key_of_group = _key_of_end(last), handler_position, block.handler, block.region, _after_copy(block), written
            groups.setdefault(key_of_group, []).append(block)
    groups = {key: blocks for key, blocks in groups.items() if len(blocks) > 1}
    if not groups:
        return
    starts = entries_at_starts(graph)
    assert all(block in starts for blocks in groups.values() for block in blocks), "unreachable blocks are gone"
    key = _key_of_end if exits_are_copied else _key_by_offset
    values = _values(graph)
    copied: _Copied = (
        partial(_copied, receivers=_receivers(graph, starts), values=values)
        if has_lines
        else partial(
            _copied_without_lines,
            after_statements=_after_statements(graph),
            handlers=handlers,
            arms=[block.successors for block in graph.blocks if block.fall is not None],
            values=values,
        )
    )
    for blocks in groups.values():
        _join(graph, blocks, starts, key, copied)
    if not has_lines:
        graph.remove_unreachable()
        return
    for blocks in _before_exits(graph, groups):
        starts = entries_at_starts(graph)
        _join(graph, blocks, starts, key, partial(_copied, receivers=_receivers(graph, starts), values={}))
    graph.remove_unreachable()


def _split_off_returns(graph: ControlFlowGraph) -> None:
    """Make each return after the end of a handler a block of its own if the lines show that it is not in the handler.

    A ``return`` in the handler ends it on its own line. With columns the compiler did not move the return here.
    """
    for block in list(graph.blocks):
        instructions, last = block.instructions[:-2], block.instructions[-1] if block.instructions else None
        if last is None or last.op != "RETURN_VALUE" or block.instructions[-2:][0].op != "CONST":
            continue
        if last.line is None or last.position is not None and last.position[2] is not None:
            continue
        if unbound_name(instructions[-3:]) is not None:
            instructions = instructions[:-3]
        end = instructions[-1] if instructions else last
        if end.op == "POP_EXCEPT" and end.line is not None and end.line != last.line:
            graph.split(block, len(block.instructions) - 2)


def _ends(
    graph: ControlFlowGraph, sources: dict[BasicBlock, list[BasicBlock]] | None
) -> list[tuple[BasicBlock, Instruction]]:
    """Return the blocks that end with an exit, with it: not one below a test that leads to it, one of its ``sources``.

    Where only a RETURN_VALUE is copied it is for a conditional expression, and has the line of the ``return``: no test
    in the value is on an earlier line.
    """
    found = []
    for block in graph.blocks:
        last = block.instructions[-1] if block.instructions else None
        if last is None or last.op not in EXITS:
            continue
        before = sources.get(block, ()) if sources is not None else ()
        tests = [one.last for one in before if one.target is not None and one.fall is not None]
        if not [one for one in tests if one is not None and (one.line or _LATEST) < (last.line or 0)]:
            found.append((block, last))
    return found


def _before_with_exit(block: BasicBlock, sources: Iterable[BasicBlock]) -> Position | None:
    """Return the position of the code before the call of ``__exit__`` in ``block``, if it returns a constant inside of
    the with statement: the return itself has the position of that.
    """
    last, value = block.last, block.instructions[-2] if len(block.instructions) > 1 else None
    if last is None or value is None or value.op != "CONST" or value.arg is None or value.position != last.position:
        return None
    if not any(one.op == "CALL" and one.position == last.position for one in block.instructions):
        return None
    before = [source.last for source in sources if source.last is not None] + block.instructions
    return next((one.position for one in reversed(before) if one.position != last.position), None)


def _after_copy(block: BasicBlock) -> int | None:
    """Return None unless the exit has the position of the ``finally`` copy stripped before it: it is not in the source.

    After a long copy it is the only exit of one ``return`` statement, so the answer differs for each of them.
    """
    last = block.last
    if block.follows_copy and block.follows_long_copy and block.copy_end is None and last is not None:
        return block.start if last.line is not None else None  # a ``return`` jumps there
    if block.copy_end is None or last is None or last.position is None or block.copy_end.position != last.position:
        return None
    return block.start if block.follows_long_copy else -1


def _before_exits(graph: ControlFlowGraph, ends: dict[Any, list[BasicBlock]]) -> list[list[BasicBlock]]:
    """Return groups of blocks that end with copies too, but in another try statement than the exits after them."""
    found: dict[Any, list[BasicBlock]] = {}
    number = {block: index for index, blocks in enumerate(ends.values()) for block in blocks}
    for block in graph.blocks:
        instructions = [i for i in block.instructions if i.op != "JUMP"]
        after = block.fall or block.target
        if len(block.successors) != 1 or after not in number or not instructions or instructions[-1].line is None:
            continue
        if block.region is not after.region or block.handler != after.handler:
            found.setdefault((_key(instructions[-1]), block.handler, block.region, number[after]), []).append(block)
    groups = [blocks for blocks in found.values() if len(blocks) > 1]
    for block in (block for blocks in groups for block in blocks):
        block.instructions = [i for i in block.instructions if i.op != "JUMP"]
        block.fall, block.target = block.fall or block.target, None
    return groups


def _join(
    graph: ControlFlowGraph,
    blocks: list[BasicBlock],
    starts: dict[BasicBlock, Entries],
    key: _KeyOf,
    copied: _Copied,
) -> None:
    """Join each of ``blocks`` with a later one: that with the longest copy, the last of those."""
    ends = list(blocks)
    shared = _shared(ends, key)
    for index, block in enumerate(ends):
        length, best = 0, index
        compared: set[int] = set()
        for depth in range(min(len(shared[index]), len(block.instructions)), 0, -1):
            if length > depth:
                break  # no other block has a longer copy
            for other in reversed(shared[index][depth - 1]):
                if other <= index:
                    break
                if other in compared:
                    continue
                compared.add(other)
                found = copied(block, ends[other], starts, key)
                length, best = max((length, best), (found, other))
                if found == depth:
                    break  # no earlier block has a longer one
        if not length:
            continue
        end = ends[best]
        if length < len(end.instructions):
            entries = _before(end, length, starts)
            ends[best] = end = graph.split(end, len(end.instructions) - length)
            starts[end] = entries
        _redirect(block, len(block.instructions) - length, end)


def _shared(blocks: list[BasicBlock], key: _KeyOf) -> list[list[list[int]]]:
    """Return, for each block, the indices of those with the same last instruction, the same last two, and so on.

    This avoids quadratic comparison in a function with thousands of copies.
    """
    found: list[list[list[int]]] = [[] for _ in blocks]
    parts, depth = [list(range(len(blocks)))], 0
    while parts:
        depth += 1
        parted: list[list[int]] = []
        for part in parts:
            by_key: dict[Any, list[int]] = {}
            for index in part:
                instructions = blocks[index].instructions
                if len(instructions) >= depth:
                    by_key.setdefault(key(instructions[-depth]), []).append(index)
            parted += [indices for indices in by_key.values() if len(indices) > 1]
        for indices in parted:
            for index in indices:
                found[index].append(indices)
        parts = parted
    return found


def _redirect(block: BasicBlock, position: int, end: BasicBlock) -> None:
    first = block.instructions[position]
    jump = Instruction("JUMP", None, end.start, block.handler, first.offset, first.line, first.position)
    block.instructions = [*block.instructions[:position], jump]
    block.fall, block.target = None, end


def _receivers(graph: ControlFlowGraph, starts: dict[BasicBlock, Entries]) -> set[BasicBlock]:
    """Return the blocks that receive a value by falling through alone: a statement ends between the two."""
    joins = {block.target for block in graph.blocks if block.fall is not None}  # of the operands of an expression
    return {
        block.fall
        for block in graph.blocks
        if block.fall in starts and not all(starts[block.fall]) and block.target is None and block.fall not in joins
    }


def _copied(
    block: BasicBlock,
    other: BasicBlock,
    starts: dict[BasicBlock, Entries],
    key: _KeyOf,
    receivers: set[BasicBlock],
    values: _Values,
) -> int:
    """Return how many of the last instructions of both are copies of the same code; 0 if none."""
    ours, theirs = block.instructions, other.instructions
    longest = _longest(ours, theirs, key)
    whole = next((length for length in range(longest, 0, -1) if _between_statements(block, other, length, starts)), 0)
    if not all(starts[block]) and not all(starts[other]):
        # Both begin inside one expression, and the copied code with one more value: `return f(a if c else b, 5)`.
        # If a try statement ends after the value, the copies are separate blocks.
        # If one begins with the copied code, control comes from another value of it: `x = a and b < c < d`.
        wanted = [(*starts[block], False), (*starts[other], False)]
        wanted += [starts[one] for one in (block, other) if longest == len(one.instructions)]
        wanted += _without_operand((block, other), starts)
        for length in range(longest, whole, -1):
            before = _before(block, length, starts)
            if before in wanted and before == _before(other, length, starts) and is_short(ours[-length:]):
                return length
    if all(starts[block]) and other in receivers or all(starts[other]) and block in receivers:
        return whole  # a return from a with statement, and the exit after a suppressed exception
    if None not in (ours[-1].position or (None,)):
        # Two operands have columns of their own, so what has the same ones comes after: `return (a if c else b).x`.
        # A comprehension in one of them is still open where its block begins.
        value = (*min(starts[block], starts[other], key=len), False)
        for length in range(longest, whole, -1):
            if _before(block, length, starts) == value == _before(other, length, starts):
                return length if not _begin_with_one_constant(ours, theirs) else whole
    else:
        whole = max(whole, _of_one_value(block, other, starts, values, longest))
    length = len(ours) - _consumption(block, starts)
    if whole <= length <= longest and length in (len(theirs) - _consumption(other, starts), len(theirs)):
        # They differ only in a value on the stack: `z = a if c else b; return z`.
        is_one = _before(block, length, starts) == _before(other, length, starts)
        if length and is_one and not _begin_with_one_constant(ours, theirs):
            return length
    return whole


def _begin_with_one_constant(ours: list[Instruction], theirs: list[Instruction]) -> bool:
    """Whether both begin with a constant at the same position.

    The operands of a conditional expression have different positions; the values that two returns load after copies
    of a ``finally`` body both have the position of the body's last instruction.
    """
    mine, its = ours[0], theirs[0]
    return mine.op == its.op == "CONST" and mine.position == its.position and None not in (mine.position or (None,))


def _without_operand(blocks: tuple[BasicBlock, ...], starts: dict[BasicBlock, Entries]) -> list[Entries]:
    """Return, for each block that begins by dropping the kept operand of a chained comparison, the stack without it.

    A chained comparison that is false early drops the operand that it kept for the next comparison.
    """
    return [starts[one][:-1] for one in blocks if [(i.op, i.arg) for i in one.instructions[:2]] == _DROPS_OPERAND]


def is_short(instructions: list[Instruction]) -> bool:
    """Whether the compiler copies that many instructions, and they are not the end of another expression.

    3.10 copies a block of any length if it begins without a line of its own.
    """
    counted = [i for i in instructions if i.op not in _NOT_COUNTED]
    first = counted[0].op if counted else ""
    if first == "MAP_ADD":
        return True
    return len({i.offset for i in counted}) <= MAX_COPY_SIZE and first != "SWAP"


def _copied_without_lines(
    block: BasicBlock,
    other: BasicBlock,
    starts: dict[BasicBlock, Entries],
    key: _KeyOf,
    after_statements: set[BasicBlock],
    handlers: set[BasicBlock | None],
    arms: list[list[BasicBlock]],
    values: _Values,
) -> int:
    """Return how many of the last instructions of both are equal and follow, or are inside, one statement; 0 if none.

    Two blocks that begin inside an expression belong to the same one, and so do those that lead to one of ``values``;
    the ``arms`` of one test are no copies of each other, alike as they may be. A ``return`` evaluates its value before
    it leaves the enclosing statements, so anything evaluated later, except a constant, is code after the statement: a
    whole block of ``after_statements``, or the code after a statement has popped what it kept on the stack.
    """
    tail = block.instructions
    are_arms = [block, other] in arms or [other, block] in arms
    shorter, longer = sorted((starts[block], starts[other]), key=len)
    inside = not all(shorter) and longer[: len(shorter)] == shorter
    longest = _longest(tail, other.instructions, key)
    of_value = _of_one_value(block, other, starts, values, longest)
    dropped = _without_operand((block, other), starts)
    for length in range(longest, 0, -1):
        before = _before(block, length, starts)
        if before != _before(other, length, starts):
            continue
        operations = [i.op for i in tail[-length:] if i.op not in _NOT_COUNTED]
        if operations[-1] == "RERAISE" and len(operations) <= MAX_COPY_SIZE and handlers.isdisjoint((block, other)):
            return length  # implicit: the end of one handler
        if before == shorter and are_arms:
            continue
        if inside or length == of_value or before in dropped and not all(before):
            return length if operations[0] not in _UNWINDS else 0
        left = any(
            len(before) < len(starts[one]) or one in after_statements and length == len(one.instructions)
            for one in (block, other)
        )
        if left and all(before):
            return length if len(operations) <= MAX_COPY_SIZE and operations != ["CONST", "RETURN_VALUE"] else 0
    return 0


def _after_statements(graph: ControlFlowGraph) -> set[BasicBlock]:
    """Return the blocks that control enters when it leaves the body of a try or with statement."""
    return {
        after
        for block in graph.blocks
        for after in block.successors
        if block.region is not None and block.region not in chain(after.region)
    }


def _values(graph: ControlFlowGraph) -> _Values:
    """Return, for each exit by the offset of its last instruction, the tests that keep a value for an exit after them,
    each with the length of that.

    All that follows such a test computes the other values for that exit, or a copy: ``x = a and (b if c else d)``.
    """
    found: _Values = {}
    for test in graph.blocks:
        if test.last is None or not test.last.op.endswith("_OR_POP"):
            continue
        if test.target is None or test.target.last is None or test.target.last.op not in EXITS:
            continue
        key = test.start, len(test.target.instructions)
        seen, todo = {test.target}, [test.target, test.fall]
        while todo:
            block = todo.pop()
            if block is None or block.last is None:
                continue
            found.setdefault(block.last.offset, set()).add(key)
            todo += [one for one in block.successors if one not in seen]
            seen.update(block.successors)
    return found


def _of_one_value(
    block: BasicBlock, other: BasicBlock, starts: dict[BasicBlock, Entries], values: _Values, longest: int
) -> int:
    """Return the length of the exit for which both compute values, at most ``longest``; 0 if there is none."""
    ours, theirs = (values.get(one.instructions[-1].offset, set()) for one in (block, other))
    for length in sorted({length for _, length in ours & theirs if length <= longest}, reverse=True):
        before = _before(block, length, starts)
        if not all(before) and before == _before(other, length, starts):
            return length
    return 0


def _longest(ours: list[Instruction], theirs: list[Instruction], key: _KeyOf) -> int:
    """Return the length of the common suffix of both."""
    length = 0
    while length < min(len(ours), len(theirs)) and key(ours[-1 - length]) == key(theirs[-1 - length]):
        length += 1
    return length


def _between_statements(
    block: BasicBlock, other: BasicBlock, length: int, starts: dict[BasicBlock, Entries]
) -> bool:
    """Whether the last ``length`` instructions of both begin a statement: only enclosing statements use the stack."""
    before = _before(block, length, starts)
    return all(before) and before == _before(other, length, starts)


def _consumption(block: BasicBlock, starts: dict[BasicBlock, Entries]) -> int:
    """Return the position of the instruction that consumes the value computed by those before it; the length if none.

    A SWAP counts: a ``return`` keeps its value below while it leaves the enclosing statements. A store to an attribute
    or an item begins with the operands that it pushes.
    """
    entries = starts[block]
    base, computed = len(entries), len(block.instructions)
    for position, instruction in enumerate(block.instructions):
        after = entries_after(instruction, entries)
        if len(entries) == base + 1:
            computed = position
            if len(after) <= base or instruction.op == "SWAP":
                return position
        if instruction.op in ("STORE_ATTR", "STORE_SUBSCR") and len(after) <= base:
            return computed
        entries = after
    return len(block.instructions)


def _before(block: BasicBlock, length: int, starts: dict[BasicBlock, Entries]) -> Entries:
    """Return the stack before the last ``length`` instructions."""
    entries = starts[block]
    for instruction in block.instructions[:-length]:
        entries = entries_after(instruction, entries)
    return entries


def _key(instruction: Instruction) -> Any:
    argument: Any = instruction.arg
    value = id(argument) if isinstance(argument, RawCode) else constant_key(argument)
    # Two loads in one instruction share a position; in a copy where a variable may be unbound they are separate.
    position = instruction.line if instruction.op == "LOAD_FAST" else instruction.position
    if instruction.op == "MAP_ADD":
        position = None  # its position is that of the value, which may be one of two
    return instruction.op, type(argument), value, position


def _key_of_end(instruction: Instruction) -> Any:
    """Return the key where exits are copied. A RERAISE has the position of the preceding code, so it is ignored."""
    return (instruction.op, instruction.arg) if instruction.op == "RERAISE" else _key(instruction)


def _key_by_offset(instruction: Instruction) -> Any:
    """Return the key where only a RETURN_VALUE is copied: any other one is identified by its offset."""
    return _key_of_end(instruction), instruction.op == "RETURN_VALUE" or instruction.offset
