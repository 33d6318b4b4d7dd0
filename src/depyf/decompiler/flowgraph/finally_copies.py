"""Strips the copies of ``finally`` bodies.

The compiler emits the body of ``finally`` once for the exception and once for each other exit from the ``try``. Each
edge that leaves the region must enter a copy: copy and handler are walked in lock step, and the edge is redirected past
the copy. What the walk can't match is refused here; a wrong match is found by the proof.
"""

from __future__ import annotations

from typing import Tuple

from ...errors import DecompilationError
from ..bytecode import EXITS, OPPOSITE, PATTERN_OPERATIONS, Instruction, RawCode
from ..bytecode.kinds import CONDITIONAL_ANNOTATIONS
from .control_flow_graph import BasicBlock, ControlFlowGraph
from .exit_copies import is_short
from .regions import Region, chain
from .stack_entries import entries_at_starts
from .written_returns import ends_statement, is_as_wide_as_return

_Location = Tuple[BasicBlock, int]


def strip_finally_copies(graph: ControlFlowGraph, regions: list[Region]) -> None:
    """Redirect every edge out of a ``finally`` region past its copy. ``regions`` are sorted inner ones first.

    A region waits for those in its handler and copies: either all of them still have their own copies, or none has.
    Raises DecompilationError if an edge does not enter a copy.
    """
    waiting = [region for region in regions if region.kind == "finally"]
    done: set[tuple[Region, BasicBlock, str]] = set()
    unreached: dict[tuple[Region, int], BasicBlock] = {}
    left: set[BasicBlock] = set()
    if not waiting:
        return
    graph.watch()
    inside = _Inside(graph)
    try:
        while waiting:
            failures: list[tuple[Region, DecompilationError]] = []
            for region in waiting:
                try:
                    _strip(graph, region, inside, done, unreached, left)
                except DecompilationError as error:
                    failures.append((region, error))
            if len(failures) == len(waiting):
                raise failures[0][1]
            waiting = [region for region, _ in failures]
    finally:
        graph.sources = {}
    graph.remove_unreachable()


class _Inside:
    """The blocks in each region, in layout order, while the graph changes."""

    def __init__(self, graph: ControlFlowGraph) -> None:
        self._graph = graph
        self._blocks: dict[Region, list[BasicBlock]] = {}
        self._add(graph.blocks)

    def _add(self, blocks: list[BasicBlock]) -> None:
        for block in blocks:
            for region in chain(block.region):
                self._blocks.setdefault(region, []).append(block)

    def of(self, region: Region) -> list[BasicBlock]:
        self._add(self._graph.added)
        self._graph.added = []
        known = self._blocks.get(region, [])
        return sorted(
            (block for block in dict.fromkeys(known) if block in self._graph.sources), key=lambda one: one.start
        )


def _strip(
    graph: ControlFlowGraph,
    region: Region,
    inside: _Inside,
    done: set[tuple[Region, BasicBlock, str]],
    unreached: dict[tuple[Region, int], BasicBlock],
    left: set[BasicBlock],
) -> None:
    if region.handler not in graph.sources:
        return  # the handlers in a copy of an outer body are gone with the copy
    graph.split(region.handler, region.handler.instructions.index(_push(region)) + 1)
    left_from: set[BasicBlock] = set()
    reached: set[BasicBlock] = set()
    try:
        _redirect(graph, region, _copies(inside.of(region), region, done), done, unreached, left, left_from, reached)
    finally:
        graph.remove_unreachable_from(left_from, reached)


def _redirect(
    graph: ControlFlowGraph,
    region: Region,
    copies: dict[BasicBlock, list[tuple[BasicBlock, str]]],
    done: set[tuple[Region, BasicBlock, str]],
    unreached: dict[tuple[Region, int], BasicBlock],
    left: set[BasicBlock],
    left_from: set[BasicBlock],
    reached: set[BasicBlock],
) -> None:
    """Redirect the edges to each of the ``copies``; add those to ``left_from``, and where the edges lead now to
    ``reached``.
    """
    ends: set[BasicBlock] = set()  # where control gets without such a jump
    for copy, sources in copies.items():
        for block, edge in sources:
            rest = _past_copy(graph, region, copy)
            if rest is None:
                rest = graph.add_empty(region.parent)
                if len(sources) > 1 or not _is_left_by_jump(block, edge, copy, region.handler):
                    # One block after the statement for all paths of one depth: a return has its value on the stack.
                    depth = len(entries_at_starts(graph)[copy])
                    rest = unreached.setdefault((region, depth), rest)
            if region in chain(rest.region):  # the statement is the whole body of a loop
                rest = graph.add_empty(region.parent, rest)
            if getattr(block, edge) is not copy:  # ``block`` was split
                assert block.fall is not None
                block = block.fall
            statement = _statement(copy, sources) if rest is not copy else None
            if statement is not None:
                rest = _begun_with(statement, rest, graph, region)
            leaves = _only_unwinds(block, left) or _is_left_by_jump(block, edge, copy, region.handler)
            if statement is not None or len(sources) == 1 and leaves and rest not in ends:
                rest.copy_end = None
                left.add(rest)
            else:
                ends.add(rest)
            rest.follows_copy = True
            if _has_left_another(block) and rest.operations() == ["RETURN_VALUE"]:
                rest.follows_long_copy = True  # what follows the value begins there
            setattr(block, edge, rest)
            if copy not in block.edges():
                graph.sources[copy].discard(block)
            graph.sources[rest].add(block)
            left_from.add(copy)
            reached.add(rest)
            done.add((region, block, edge))


def _copies(
    blocks: list[BasicBlock], region: Region, done: set[tuple[Region, BasicBlock, str]]
) -> dict[BasicBlock, list[tuple[BasicBlock, str]]]:
    """Return where control leaves ``region``, each with the edges that lead there, except for those that are done."""
    copies: dict[BasicBlock, list[tuple[BasicBlock, str]]] = {}
    for block in blocks:
        for edge in ("fall", "target"):
            after = getattr(block, edge)
            if after is not None and region not in chain(after.region) and (region, block, edge) not in done:
                copies.setdefault(after, []).append((block, edge))
    return copies


def _only_unwinds(block: BasicBlock, left: set[BasicBlock]) -> bool:
    """Whether ``block``, which follows the copy of an inner statement, is one of those ``left`` by a jump, and is part
    of it.
    """
    return block in left and all(one.op in _UNWINDS for one in block.instructions)


def _has_left_another(block: BasicBlock) -> bool:
    """Whether ``block`` ends with what leaves a with statement, or drops the iterator of a loop."""
    return block.last is not None and block.last.op == "POP"


def _is_left_by_jump(block: BasicBlock, edge: str, copy: BasicBlock, handler: BasicBlock) -> bool:
    """Whether ``return``, ``break`` or ``continue`` leaves from ``block`` to ``copy``, a copy for this exit alone.

    The compiler keeps a NOP with the line of such a jump unless another instruction has that line. An exhausted loop
    and a statement at the end of the body leave a NOP too, but with their own position.
    """
    last, first = block.last, copy.instructions[0] if copy.instructions else None
    if last is None or last.op == "NOP" or edge == "fall" and block.target is not None:
        return True
    body = handler.fall
    while body is not None and not body.instructions:
        body = body.fall
    begins = body.instructions[0].line if body is not None else None
    jumps = (*_ITERATES, "JUMP")  # JUMP: past the other handlers at the end of an except clause
    if first is None or edge == "target" and last.op in jumps and first.line == last.line:
        return False
    return first.op == "NOP" and first.line != begins and first.position != last.position


_ITERATES = ("FOR_ITER", "ASYNC_FOR_ITER")
_UNWINDS = frozenset({"NOP", "POP", "SWAP", "POP_EXCEPT"})


def _begun_with(statement: Instruction, rest: BasicBlock, graph: ControlFlowGraph, region: Region) -> BasicBlock:
    """Begin ``rest`` with the NOP of a statement, which shows how that is written; not if control never comes there.
    Return where it begins: a ``break`` leads to what also follows the loop.
    """
    if _width(statement) == len("break") and len([one for one in graph.sources[rest] if rest in one.successors]) > 1:
        rest = graph.add_empty(region.parent, rest)
    is_reached = bool(rest.instructions) or rest.fall is not None
    if is_reached and statement not in rest.instructions[:1]:
        rest.instructions.insert(0, statement)
    return rest


def _statement(copy: BasicBlock, sources: list[tuple[BasicBlock, str]]) -> Instruction | None:
    """Return the NOP of the ``return``, ``break`` or ``continue`` by which all ``sources`` leave to ``copy``, if there
    is one.
    """
    first = copy.instructions[0] if copy.instructions else None
    if first is None or first.op != "NOP" or first.position is None or None in first.position:
        return None
    if any(ends_statement(first.position, block.instructions) for block, _ in sources):
        return None
    lasts = [block.last for block, _ in sources if block.last is not None]
    if any(one.op in _ITERATES and one.line == first.line for one in lasts):
        return None  # the end of a loop
    is_loop_jump = _width(first) in (len("break"), len("continue"))
    return first if is_loop_jump or is_as_wide_as_return(first.position) else None


def _width(instruction: Instruction) -> int | None:
    """Return the number of columns of ``instruction`` if it is on one line, which is known."""
    position = instruction.position
    if position is None or None in position or position[0] != position[1]:
        return None
    return int(position[3] - position[2])


def _push(region: Region) -> Instruction:
    return next(i for i in region.handler.instructions if i.op == "PUSH_EXC_INFO")


def _past_copy(graph: ControlFlowGraph, region: Region, copy: BasicBlock) -> BasicBlock | None:
    """Return the block after the copy that begins at ``copy``; None if control never reaches its end."""
    ends, copy_end = _walk(region, copy, through_handlers=False)
    if not ends:  # a loop that only an exception ends: ``try: while True: ...``
        ends, copy_end = _walk(region, copy, through_handlers=True)
    if not ends:
        return None
    if any(not same_exit(ends[0], end) for end in ends[1:]):
        raise DecompilationError("a copy of a `finally` body has several ends", stage="undo_optimiser")
    block, position = ends[0]
    is_long = block is not copy or not is_short(block.instructions[: position + 1])
    rest = graph.split(block, position)
    rest.follows_long_copy = is_long
    if copy_end is not None:
        rest.copy_end = copy_end
    return rest


def _walk(region: Region, copy: BasicBlock, through_handlers: bool) -> tuple[list[_Location], Instruction | None]:
    """Walk the handler's body and ``copy`` in lock step. Return the ends of the copy, and its last instruction.

    ``through_handlers``: also walk the handlers of try statements in the body.
    """
    body = region.handler.fall
    assert body is not None  # the handler was split after PUSH_EXC_INFO
    ends: list[_Location] = []
    copy_end: Instruction | None = None
    todo = [((body, 0), (copy, 0), False)]  # whether the body has been left, and the exception dropped
    seen = {todo[0]: copy_end}
    while todo:
        original, copied, has_left = pair = todo.pop()
        ours, theirs = _skip_nops(original), _skip_nops(copied)
        if ours == theirs:
            continue  # the body never falls off its end here
        instruction = ours[0].instructions[ours[1]]
        if instruction.op == "RERAISE" and not has_left:
            if through_handlers and ours[0].handler != body.handler:
                continue  # no clause of an inner try statement matches
            block, position = end = _end_of_copy(copied, region, seen[pair])
            if not ends:
                # After a case whose body is `pass`, the code after both copies has its position.
                is_of_pass = instruction.position == block.instructions[position].position
                copy_end = instruction if is_of_pass else seen[pair]
            ends.append(end)
            continue
        other = theirs[0].instructions[theirs[1]]
        left = _past_exception_pops(ours)
        if left is not None and _past_exception_pops(theirs) is None:
            entered = left, _past_value_pop(theirs, left), True
            if entered not in seen:  # an empty loop
                todo.append(entered)
                seen[entered] = seen[pair]
            continue
        same = _same_operands(instruction, other) or _are_numbers_of_annotations(ours, theirs)
        if _normalized_op(instruction) != _normalized_op(other) or not same:
            raise DecompilationError(
                f"a way out of `try` does not run the `finally` body: {instruction} against {other}",
                stage="undo_optimiser",
                where=f"offset {other.offset}",
            )
        inner = _handlers(ours[0], theirs[0], region) if through_handlers else []
        for following in ((*after, has_left) for after in (*_following(ours, theirs), *inner)):
            if following not in seen:
                seen[following] = other
                todo.append(following)
    return ends, copy_end


def _end_of_copy(location: _Location, region: Region, last: Instruction | None) -> _Location:
    """Return where the copy ends that has no operations from ``location`` on, after ``last``.

    A jump may lead back into ``region``, but one out of a try statement in the copy belongs to the copy.
    """
    passed: set[BasicBlock] = set()
    while True:
        block, position = _skip_nops(location, jumps=False)
        if region.parent is not None and region.parent not in chain(block.region):
            # The statement around is left: a NOP there with a position of its own is of what leaves it.
            nop = block.instructions[position - 1] if position else None
            if nop is not None and nop.op == "NOP" and (last is None or nop.position != last.position):
                position -= 1
        inner = set(chain(block.region)).difference(chain(region.parent))
        if not inner or region in inner or block.instructions[position].op != "JUMP" or block in passed:
            return block, position
        if block.target is None or not inner.isdisjoint(chain(block.target.region)):
            return block, position
        passed.add(block)
        location = block.target, 0


def _handlers(ours: BasicBlock, theirs: BasicBlock, region: Region) -> list[tuple[_Location, _Location]]:
    """Return the handlers of both copies of a try statement in the body."""
    mine, its = ours.region, theirs.region
    if mine is None or its is None or region.parent in (mine, its):
        return []
    return [((mine.handler, 0), (its.handler, 0))]


def _normalized_op(instruction: Instruction) -> str:
    """Return the operation, with opposite conditional jumps as one, and both kinds of import as one.

    A copy that leaves the statement jumps at once, where the handler's copy drops the exception first. 3.15 compiles an
    import to another operation inside a try statement, as the handler's copy is.
    """
    if instruction.op == "EAGER_IMPORT_NAME":
        return "IMPORT_NAME"
    return min(instruction.op, OPPOSITE.get(instruction.op, instruction.op))


def _same_operands(ours: Instruction, theirs: Instruction) -> bool:
    """Whether the operands are the same; of those of match statements, only patterns count: the rest are numbers, and
    what the code after a copy tells of guards and defaults.
    """
    if ours.op in PATTERN_OPERATIONS:
        return bool(ours.op == "MATCH_SUBJECT" or ours.arg[1] == theirs.arg[1])
    if ours.target >= 0:
        return True  # a jump's operand only records jump threading (THREADED)
    return same_operand(ours.arg, theirs.arg)


def _are_numbers_of_annotations(ours: _Location, theirs: _Location) -> bool:
    """Whether both are numbers that the body of a module or class records (3.14 on): each copy has its own."""
    return all(
        [i.op for i in block.instructions[position : position + 2]] == ["CONST", "SET_ADD"]
        and block.instructions[position - 1].arg == CONDITIONAL_ANNOTATIONS
        for block, position in (ours, theirs)
    )


def _past_exception_pops(location: _Location) -> _Location | None:
    """Return the location after instructions that drop the exception; None if they are not next.

    A ``return``, ``break`` or ``continue`` in the ``finally`` body drops it, in the handler's copy alone.
    """
    for wanted in (("POP", "POP_EXCEPT"), ("SWAP", "POP", "SWAP", "POP_EXCEPT")):
        at = location
        for op in wanted:
            block, position = _skip_nops(at)
            if block.instructions[position].op != op:
                break
            at = block, position + 1
        else:
            return at
    return None


def _past_value_pop(theirs: _Location, ours: _Location) -> _Location:
    """Return the location after the instructions that drop the value of a ``return`` in the body of ``try``, if any.

    What leaves the ``finally`` body drops that value, where the handler's copy drops the exception: from ``ours`` on
    it drops one value less, such as the iterator of a loop.
    """
    after = _past_pop(theirs)
    mine, its = _past_pop(ours), after
    while mine is not None and its is not None:
        mine, its = _past_pop(mine), _past_pop(its)
    return after if after is not None and its is not None else theirs


def _past_pop(location: _Location) -> _Location | None:
    """Return the location after the next instructions if they drop a value, perhaps below the topmost one."""
    block, position = _skip_nops(location)
    for wanted in (["POP"], ["SWAP", "POP"]):
        if [i.op for i in block.instructions[position : position + len(wanted)]] == wanted:
            return block, position + len(wanted)
    return None


def _skip_nops(location: _Location, jumps: bool = True) -> _Location:
    """Return the next location whose instruction is no NOP; follow unconditional jumps if ``jumps``.

    In an empty endless loop, that is the first that comes again.
    """
    block, position = location
    passed: set[_Location] = set()
    for _ in range(10_000):
        if position >= len(block.instructions):
            if block.fall is None:
                raise DecompilationError("control runs out of the code", stage="undo_optimiser")
            block, position = block.fall, 0
            continue
        op = block.instructions[position].op
        if op not in ("NOP", "JUMP") or (op == "JUMP" and not jumps) or (block, position) in passed:
            return block, position
        passed.add((block, position))
        if op == "NOP":
            position += 1
        else:
            assert block.target is not None
            block, position = block.target, 0
    raise DecompilationError("an empty endless loop", stage="undo_optimiser")


def _following(ours: _Location, theirs: _Location) -> list[tuple[_Location, _Location]]:
    (block, position), (other, other_position) = ours, theirs
    instruction, copied = block.instructions[position], other.instructions[other_position]
    if instruction.op in EXITS or instruction.op in ("NOP", "JUMP"):  # an empty endless loop
        return []
    after, its_after = (block, position + 1), (other, other_position + 1)
    is_last = after[1] == len(block.instructions) and its_after[1] == len(other.instructions)
    if not is_last or block.target is None or other.target is None:
        return [(after, its_after)]
    if instruction.op == copied.op:
        return [((block.target, 0), (other.target, 0)), (after, its_after)]
    return [((block.target, 0), its_after), (after, (other.target, 0))]  # opposite conditional jumps


def same_exit(left: _Location, right: _Location) -> bool:
    """Whether two locations are equal, or execute the same few instructions and leave the code object."""
    for _ in range(8):
        left, right = _skip_nops(left), _skip_nops(right)
        if left == right:
            return True
        ours, theirs = left[0].instructions[left[1]], right[0].instructions[right[1]]
        if ours.op != theirs.op or not same_operand(ours.arg, theirs.arg) or ours.target >= 0:
            return False
        if ours.op in EXITS:
            return True
        left, right = (left[0], left[1] + 1), (right[0], right[1] + 1)
    return False


def same_operand(left: object, right: object) -> bool:
    """Whether two operands are the same; nested code objects must be the same constant or equal ones."""
    if isinstance(left, RawCode) and isinstance(right, RawCode):
        return left.same_as(right)
    return type(left) is type(right) and (left is right or left == right)
