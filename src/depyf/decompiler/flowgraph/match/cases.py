"""Finds match statements and replaces the code of each pattern with one test.

The result is a chain of tests, each of which branches to the body of its case or to the next test. The subject is no
longer on the stack: ``MATCH_SUBJECT`` pops it, ``MATCH_CASE`` tests a pattern, and ``MATCH_ELSE`` precedes the body of
an irrefutable pattern.
"""

from __future__ import annotations

import contextlib
import sys
from typing import Iterator, NamedTuple

from ....errors import DecompilationError
from ...bytecode import Instruction, stack_use
from ...limits.budget import STEP, spend
from ...syntax import nodes
from ..control_flow_graph import BasicBlock, ControlFlowGraph
from .exits import Position, is_copied, is_same_exit, landing, past_jumps, past_nops
from .parts import NoCase
from .patterns import PatternReader

_MAX_BLOCKS = 200
_MAX_TARGETS = 20
_COMPARES = (("COMPARE_OP", "=="), ("IS_OP", "is"))
_TESTS = frozenset(
    {"COPY", "MATCH_SEQUENCE", "MATCH_MAPPING", "MATCH_CLASS", "MATCH_CLASS_AND_TEST"}
    | {"POP_JUMP_IF_FALSE", "POP_JUMP_IF_TRUE", "POP_JUMP_IF_NONE", "POP_JUMP_IF_NOT_NONE"}
)
_COPY = ("COPY", 1)
_NON_POPPING_TESTS = ("GET_LEN", "MATCH_SEQUENCE", "MATCH_MAPPING")


class Case(NamedTuple):
    """One case, given by the first instructions of its parts.

    ``pops`` pop the subject after the guard. ``next`` is where control continues if the case does not match, None if it
    is irrefutable; ``has_default``: ``case _`` is there, if this is the last case. ``copied``: the
    position of the body where it may be a copy. ``is_unreached``: the guard is a false constant, so there is no body;
    ``unreached`` are the patterns of such cases before this one.
    """

    start: Instruction
    line: int | None
    pattern: nodes.pattern
    body: Instruction
    is_guarded: bool
    pops: list[Instruction]
    next: Instruction | None
    has_default: bool = False
    copied: Position | None = None
    is_unreached: bool = False
    unreached: tuple[nodes.pattern, ...] = ()


def find_match_statements(graph: ControlFlowGraph) -> bool:
    """Rewrite every match statement in ``graph``, outer ones first. Return whether there are any."""
    number = 0
    operations = {i.op for block in graph.blocks for i in block.instructions}
    if operations.isdisjoint(_TESTS):
        return False
    while True:
        cases = next(filter(None, map(_read, _candidates(graph))), None)
        if cases is None:
            return number > 0
        _CaseRewriter(graph).rewrite(cases, number)
        number += 1
        graph.remove_unreachable()  # remains of the patterns must not look like another match statement


def _candidates(graph: ControlFlowGraph) -> Iterator[Position]:
    """Yield where a first case may begin: where code takes the value on top of the stack apart, or tests something else
    before it does.
    """
    for block in graph.blocks:
        before = block.instructions[-1] if block.instructions else None
        is_test = before is not None and before.op.startswith("POP_JUMP_IF")
        for index, instruction in enumerate(block.instructions):
            if is_test and index and before is not None and (before.line or sys.maxsize) < (instruction.line or 0):
                if _is_guard_below(block.instructions, index):
                    yield Position(block, index)
            before = instruction
            if instruction.op == "COPY" and instruction.arg == 1:
                # An except* clause of 3.11.2 copies and tests what matched, as a case does its subject.
                if not index or block.instructions[index - 1].op != "CHECK_EG_MATCH":
                    yield Position(block, index)
            elif instruction.op in ("MATCH_SEQUENCE", "MATCH_MAPPING"):
                yield Position(block, index)
            elif instruction.op in ("MATCH_CLASS", "MATCH_CLASS_AND_TEST"):
                yield Position(block, _start_of_name(block, index - 1))
            elif (instruction.op, instruction.arg) in _COMPARES or instruction.op == "POP_JUMP_IF_NOT_NONE":
                start = index if instruction.op == "POP_JUMP_IF_NOT_NONE" else _start_of_name(block, index)
                if start > 0 and _is_below(instruction, block.instructions[start - 1]):
                    yield Position(block, start)


def _start_of_name(block: BasicBlock, end: int) -> int:
    """Return where the load before the instruction ``end`` begins: of a constant, or of a name with attributes."""
    start = end - 1
    while start > 0 and block.instructions[start].op == "LOAD_ATTR":
        start -= 1
    return max(start, 0)


def _is_below(test: Instruction, subject: Instruction) -> bool:
    """Whether a value is tested on a later line than its own, as only a ``case`` does: a comparison has the line of
    its left operand.
    """
    return test.line is not None and subject.line is not None and test.line > subject.line


def _is_guard_below(instructions: list[Instruction], start: int) -> bool:
    """Whether the test from ``start`` on may be the guard of a first ``case _``, of whose pattern nothing is left (3.12
    on): on a line below the subject, which it does not use.
    """
    if not stack_use(instructions[start - 1])[1]:
        return False
    depth = 0
    for instruction in instructions[start:]:
        taken, pushed = stack_use(instruction)
        if taken > depth:
            return False
        depth += pushed - taken
    return not depth


def _read(position: Position) -> list[Case]:
    """Return the cases of the match statement whose first case begins at ``position``; empty if there is none."""
    cases: list[Case] = []
    following: Position | None = position
    while following is not None:
        spend(STEP, "reading the flow graph")
        before = cases[-1] if cases else None
        try:
            case, following = _any_case(following, before)
        except NoCase:
            return []
        if before is not None and before.is_unreached:
            cases.pop()
            case = case._replace(start=before.start, unreached=(*before.unreached, before.pattern))
        cases.append(case)
    while len(cases) > 1 and _is_same_body(cases[-2], cases[-1]):
        first, last = cases[-2:]
        pattern = _either(first.pattern, last.pattern)
        cases[-2:] = [last._replace(start=first.start, pattern=pattern, unreached=first.unreached)]
    return cases


def _either(one: nodes.pattern, other: nodes.pattern) -> nodes.pattern:
    ours, theirs = (pattern.patterns if isinstance(pattern, nodes.MatchOr) else [pattern] for pattern in (one, other))
    return nodes.MatchOr([*ours, *theirs])


def _is_same_body(one: Case, other: Case) -> bool:
    """Whether two cases are alternatives of the last one, with a copy of its body after each.

    Copies have the lines of the original. Cases before the last one keep the subject while they try alternatives.
    """
    if one.next is None or one.copied is None or other.copied is None or other.unreached:
        return False
    return is_same_exit(one.copied, other.copied, with_lines=True)


def _any_case(position: Position, before: Case | None) -> tuple[Case, Position | None]:
    """Return the case that begins at ``position``, and the position of the next one."""
    try:
        return _case(position, before is not None)
    except NoCase:  # a guard, and nothing of a pattern before it: `case _` (3.12 on)
        start = _at(position)
        if start.line is None or before is not None and (before.line is None or start.line <= before.line):
            raise
        pops, after = _guard(position, None)
        if _at(after).op == "POP":
            raise NoCase("a guard that keeps the subject for nothing") from None
        return Case(start, start.line, nodes.MatchAs(), start, True, pops, _at(after)), after


def _case(position: Position, is_later: bool) -> tuple[Case, Position | None]:
    """Return the case that begins at ``position``, and the position of the next one."""
    reader = PatternReader(position)
    end = reader.read()
    pattern = reader.subject.pattern()
    start = position.block.instructions[position.offset]
    matches_always = not reader.exits and not any(isinstance(part, nodes.MatchOr) for part in nodes.walk([pattern]))
    if matches_always and not is_later and (not reader.stack or _at(end).op == "POP"):
        raise NoCase("a first pattern that always matches")
    if not reader.stack:
        if not reader.exits:
            after = _after_guard(end) if is_later and start.op == "POP" else None
            following, default = (_at(after), _is_default(after, start)) if after is not None else (None, False)
            return Case(start, reader.line, pattern, _at(end), after is not None, [], following, default), None
        over, pops = _join_of_exits(reader, 0), []
        if all(one.depth for one in reader.exits):
            over = _join_of_exits(reader, 1)
            pops = [_at(over)]
        default = _is_default(_after(over) if pops else over, start)
        is_guarded = _is_guarded(reader, end, _after(over) if pops else over, default)
        return Case(start, reader.line, pattern, _at(end), is_guarded, pops, _at(over), default), None
    if _at(end).op == "POP":
        body = _after(end)
        if not reader.exits:  # the last alternative is irrefutable
            return Case(start, reader.line, pattern, _at(body), False, [], None, False, body), None
        after = _join_of_exits(reader, 1)
        if is_copied(end, after):  # the last alternative is `_`, of which nothing is left
            pattern = _either(pattern, nodes.MatchAs())
            return Case(start, reader.line, pattern, _at(body), False, [], None, False, body), None
        # The POP of an alternative that fails has the line of its pattern.
        is_next = _keeps_the_subject(position, pattern) and not _is_on(after, reader.line)
        is_next = is_next and _after_guard(_after(after)) is not None
        if _at(after).op == "POP" and not is_next:  # a POP that is next is `case _` with a guard
            last = _at(after)
            default = _is_default(_after(after), start)
            return Case(start, reader.line, pattern, _at(body), False, [last], last, default, body), None
        return Case(start, reader.line, pattern, _at(body), False, [], _at(after), False, body), after
    return _guarded_case(reader, pattern, start, end, is_later)


def _guarded_case(
    reader: PatternReader, pattern: nodes.pattern, start: Instruction, end: Position, is_later: bool
) -> tuple[Case, Position | None]:
    """Return a case that keeps the subject while its guard, at ``end``, is evaluated, and the position of the next."""
    failed = _join_of_exits(reader, 1) if reader.exits else None
    unreached = Case(start, reader.line, pattern, start, True, [], None, is_unreached=True)
    if failed is not None and past_nops(end) == past_nops(failed):
        return unreached, failed
    try:
        pops, after = _guard(end, failed)
    except NoCase:
        if failed is not None or not is_later:  # `match (name := subject):` looks like a first one
            raise
        return unreached, end
    return Case(start, reader.line, pattern, _at(end), True, pops, _at(after)), after


def _is_guarded(reader: PatternReader, end: Position, over: Position, default: bool) -> bool:
    """Whether a guard follows the pattern of the last case, by its line; before ``case _``, or without lines, because
    what is tested there leads to ``over`` too, as a pattern that does not match does.
    """
    if _is_on(end, reader.line) or _is_on(end, reader.last_line):
        return True
    failed = _after_guard(end) if default or reader.line is None else None
    return failed is not None and past_jumps(failed) == past_jumps(over)


def _keeps_the_subject(position: Position, pattern: nodes.pattern) -> bool:
    """Whether the case at ``position`` begins with one copy more than its ``pattern`` needs: it is not the last one.

    Alternatives, and a pattern with a name, begin with a copy of their own.
    """
    block, index = position
    copies = 0
    while index < len(block.instructions) and (block.instructions[index].op, block.instructions[index].arg) == _COPY:
        copies, index = copies + 1, index + 1
    first: nodes.pattern | None = pattern
    while copies and isinstance(first, (nodes.MatchOr, nodes.MatchAs)):
        first = first.patterns[0] if isinstance(first, nodes.MatchOr) else first.pattern
        copies -= first is not None
    return copies > 0


def _after_guard(position: Position) -> Position | None:
    """Return where control goes if the guard at ``position`` is false; None if there is no test.

    A ``case _`` that pops the subject has a guard: for a last one without, the case before leaves no subject.
    """
    block: BasicBlock | None = position.block
    while block is not None and block.last is not None:
        if block.target is not None:
            is_exit = block.last.op in ("POP_JUMP_IF_FALSE", "POP_JUMP_IF_NONE", "POP_JUMP_IF_NOT_NONE")
            if is_exit:
                return Position(block.target, 0)
            if block.last.op != "POP_JUMP_IF_TRUE":
                return None
        block = block.fall
    return None


def _join_of_exits(reader: PatternReader, depth: int) -> Position:
    """Return where all exits of a pattern join with ``depth`` values on the stack."""
    positions = [landing(one, depth) for one in reader.exits]
    known = [one for one in positions if one is not None]
    if len(known) < len(positions):
        raise NoCase("an exit that does more than to pop values")
    found = max(known, key=lambda one: (one.block.start, one.offset))
    if not all(one == found or is_same_exit(one, found) for one in known):
        # Each may pop the subject by itself.
        if not depth or len({landing(one, 0) or one for one in reader.exits}) > 1:
            raise NoCase("exits that lead to different places")
    return found


def _guard(start: Position, after: Position | None) -> tuple[list[Instruction], Position]:
    """Return the instructions that pop the subject if the guard at ``start`` is true, and the target if it is false.

    ``after`` is that target if the pattern tells it.
    """
    if after is None:
        for target in _targets(start):
            with contextlib.suppress(NoCase):
                return _guard(start, target)
        raise NoCase("no guard")
    pops: list[Instruction] = []
    todo, seen = [(start, 0)], {start.block}
    while todo:
        (block, index), depth = todo.pop()
        while index < len(block.instructions):
            instruction = block.instructions[index]
            if depth == 0 and instruction.op == "POP":
                pops.append(instruction)
                break
            if _reads_below(instruction, depth):
                raise NoCase("a guard that reads the subject")
            last = index == len(block.instructions) - 1
            taken, pushed = stack_use(instruction)
            if last and block.target is not None:
                jumped, left = stack_use(instruction, jump=True)
                reached = (Position(block.target, 0), depth - jumped + left)
                if reached[1] != 0 or past_jumps(reached[0]) != past_jumps(after):
                    _push(todo, seen, *reached)
            if taken > depth or instruction.op in ("RETURN_VALUE", "RAISE_VARARGS", "RERAISE"):
                raise NoCase("a guard that takes the subject from the stack")
            depth += pushed - taken
            index += 1
        else:
            if block.fall is not None:
                _push(todo, seen, Position(block.fall, 0), depth)
    if not pops:
        raise NoCase("no guard")
    return pops, after


def _targets(start: Position) -> list[Position]:
    """Return where the tests from ``start`` on jump, each once, the first tests first."""
    found: dict[Position, None] = {}
    blocks = {start.block: None}
    todo = [start.block]
    while todo and len(blocks) < _MAX_BLOCKS and len(found) < _MAX_TARGETS:
        block = todo.pop(0)
        spend(STEP, "reading match statements")
        if block.target is not None and block.fall is not None:
            found[past_jumps(Position(block.target, 0))] = None
        todo += [one for one in block.successors if one not in blocks]
        blocks.update(dict.fromkeys(block.successors))
    return [*found]


def _reads_below(instruction: Instruction, depth: int) -> bool:
    """Whether ``instruction`` moves, copies or tests an entry below the ``depth`` topmost ones, and leaves it there."""
    if instruction.op in ("COPY", "SWAP"):
        return instruction.arg > depth  # type: ignore[no-any-return]
    return depth == 0 and instruction.op in _NON_POPPING_TESTS


def _push(todo: list[tuple[Position, int]], seen: set[BasicBlock], position: Position, depth: int) -> None:
    if len(seen) > _MAX_BLOCKS:
        raise NoCase("a guard without an end")
    if position.block not in seen:
        seen.add(position.block)
        todo.append((position, depth))


def _at(position: Position) -> Instruction:
    block, index = position
    while index == len(block.instructions):
        if block.fall is None:
            raise NoCase("control runs out of the code")
        block, index = block.fall, 0
    return block.instructions[index]


def _after(position: Position) -> Position:
    return Position(position.block, position.offset + 1)


def _is_on(position: Position, line: int | None) -> bool:
    """Whether the code at ``position`` is on the line of the pattern: it is a guard."""
    return line is not None and _at(position).line == line


def _is_default(position: Position, start: Instruction) -> bool:
    """Whether ``case _`` is at ``position``, after the case that begins with ``start``: if its line has no other code,
    the compiler keeps a NOP as wide as the name.

    Without columns, ``try`` and a statement that leaves a with statement have such NOPs: the handler changes there.
    """
    position = past_jumps(position)
    nop = _at(position)
    if nop.op != "NOP" or nop.line is None:
        return False
    columns = nop.position[2:4] if nop.position is not None else ()
    if columns and None not in columns:
        return bool(columns[1] - columns[0] == len("_"))
    block, index = position
    while index == len(block.instructions):
        assert block.fall is not None, "the NOP follows"
        block, index = block.fall, 0
    return nop.handler == start.handler or _at(_after(Position(block, index))).op == "NOP"


def _make(case: Case, op: str, arg: object = None) -> Instruction:
    start = case.start
    return Instruction(op, arg, handler=start.handler, offset=start.offset, line=case.line, position=start.position)


class _CaseRewriter:
    """Splits blocks at instructions; ``block_of`` maps instructions to blocks, ``replaced`` to their replacements."""

    def __init__(self, graph: ControlFlowGraph) -> None:
        self.graph = graph
        self.block_of = {id(one): block for block in graph.blocks for one in block.instructions}
        self.replaced: dict[int, Instruction] = {}

    def find(self, instruction: Instruction) -> Position:
        """Return the position of an instruction. Raises DecompilationError if it was also part of a pattern."""
        block = self.block_of[id(instruction)]
        for index, one in enumerate(block.instructions):
            if one is instruction:
                return Position(block, index)
        raise DecompilationError("cases of a match statement that share code", stage="undo_optimiser")

    def block_at(self, instruction: Instruction) -> BasicBlock:
        """Return the block that begins with ``instruction``."""
        block, index = self.find(self.replaced.get(id(instruction), instruction))
        rest = self.graph.split(block, index)
        self.block_of.update((id(one), rest) for one in rest.instructions)
        return rest

    def before(self, instruction: Instruction) -> Instruction | None:
        """Return the instruction before ``instruction`` in its block."""
        block, index = self.find(self.replaced.get(id(instruction), instruction))
        return block.instructions[index - 1] if index else None

    def rewrite(self, cases: list[Case], number: int) -> None:
        subject = self.before(cases[0].start)
        for case_number, case in enumerate(cases):
            block = self.block_at(case.start)
            if case.body is case.start:  # a guard with no pattern before it
                block.instructions.insert(0, case.start.as_nop())
                body = self.graph.split(block, 1)
                self.block_of.update((id(one), body) for one in body.instructions)
                self.graph.number()
            else:
                body = self.block_at(case.body)
            following = self.block_at(case.next) if case.next is not None else None
            self.replace(case.pops)
            new = []
            if case_number == 0:
                unreached = [(one, case.pattern) for case in cases for one in case.unreached]
                new = [_make(case, "MATCH_SUBJECT", (number, cases[-1].has_default, unreached))]
                new[0].position = subject.position if subject is not None else None
            if following is None:
                new.append(_make(case, "MATCH_ELSE", (number, case.pattern)))
                block.fall, block.target = body, None
            else:
                new.append(_make(case, "MATCH_CASE", (number, case.pattern, case.is_guarded)))
                new.append(_make(case, "POP_JUMP_IF_FALSE"))
                block.fall, block.target = body, following
            block.instructions = new

    def replace(self, pops: list[Instruction]) -> None:
        for pop in pops:
            block, index = self.find(pop)
            nop = pop.as_nop()
            block.instructions[index] = self.replaced[id(pop)] = nop
            self.block_of[id(nop)] = block
