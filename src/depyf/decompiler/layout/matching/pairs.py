"""Pair the corresponding instructions of two code objects."""

from __future__ import annotations

import difflib
import operator
from collections import Counter
from typing import Any, Iterator, List, Mapping, Protocol, Tuple

from ...bytecode import Instruction, RawCode, readable_instructions
from ...bytecode.instruction import Position
from ...bytecode.kinds import kind_of
from ...proof.constants import constant_key
from .folded import Folding, may_be_folded, origins
from .runs import RunsOf

_LARGEST = 3000
"""The most instructions to align with difflib; of longer code, only the common prefix and suffix are paired."""

_END_OF_CLASS = frozenset({"STORE_STATIC_ATTRIBUTES", "LOAD_CLOSURE", "COPY"})
_NAMES_OF_CLASS = ("__classcell__", "__static_attributes__", "__classdictcell__")
_TUPLES = frozenset({"BUILD_TUPLE", "LIST_TO_TUPLE", "UNPACK_SEQUENCE", "UNPACK_EX"})
FUSED = frozenset({"LOAD_FAST", "STORE_FAST"})
"""Instructions that the compiler fuses in pairs."""

_fields = operator.attrgetter("names", "varnames", "cellvars", "freevars", "localsplus", "exception_table")

Pairs = List[Tuple[Instruction, Instruction]]


class Nops(Protocol):
    """What is known of the NOPs of two code objects, asked if one side has more of them."""

    def learn(self, originals: list[Instruction], ours: list[Instruction]) -> None:
        """Take note of what the NOPs of one construct have in common."""

    def fits(self, original: Instruction, ours: Instruction) -> bool:
        """Whether both may be paired."""

    def width(self, ours: Instruction) -> int | None:
        """The columns that the construct takes on one line; None if it takes more lines."""

    def begins(self, original: Instruction, ours: Instruction) -> list[int]:
        """The tokens that may begin the line of ``original``, if both are paired."""

    def after(self, ours: Instruction) -> int:
        """The token after the comma that follows the construct."""


def same_code(left: RawCode, right: RawCode) -> bool:
    """Whether both have the same instructions, so that those at equal offsets correspond.

    Constants may have other indices, and a class body may store the line that it begins on, as ``__firstlineno__``.
    """
    if _fields(left) != _fields(right):
        return False
    ours, theirs = left.consts, right.consts
    lines = (left.firstlineno, right.firstlineno) if "__firstlineno__" in left.names else None
    if left.bytecode == right.bytecode:
        if len(ours) != len(theirs):
            return False
        return all(_same_constant(*both) or both == lines for both in zip(ours, theirs))
    names = ([one.name for one in raw.nested] for raw in (left, right))
    if left.bytecode[::2] != right.bytecode[::2] or next(names) != next(names):
        return False
    differing = {both for both in zip(left.bytecode[1::2], right.bytecode[1::2]) if both[0] != both[1]} - {lines}
    return all(
        mine < len(ours) and other < len(theirs) and _same_constant(ours[mine], theirs[other])
        for mine, other in differing
    )


def _same_constant(left: Any, right: Any) -> bool:
    if type(left) is RawCode or type(right) is RawCode:
        return type(left) is type(right) and left.name == right.name
    return left is right or constant_key(left) == constant_key(right)


def aligned(left: RawCode, right: RawCode, known: Nops | None = None) -> Pairs:
    """Return the pairs of corresponding instructions."""
    (ours, our_nops), (theirs, their_nops) = map(_apart, (left, right))
    keys, others = (list(map(_key, side)) for side in (ours, theirs))
    if keys == others:
        matches = [(number, number) for number in range(len(keys))]
    else:
        matches = _common(keys, others)
    pairs: Pairs = []
    before = (-1, -1)
    for mine, other in matches:
        if our_nops and mine in our_nops and other in their_nops and (mine - 1, other - 1) == before:
            nops_before, others_before = our_nops[mine], their_nops[other]
            above = _above(others_before, theirs[other])
            if above and above == _above(nops_before, ours[mine]):  # statements of their own
                pairs += zip(nops_before[:above], others_before[:above])
                nops_before, others_before = nops_before[above:], others_before[above:]
            has_columns = any(nop.position is not None and nop.position[2] is not None for nop in nops_before)
            if has_columns or len(nops_before) == len(others_before):
                pairs += _paired_nops(nops_before, others_before, known)
            else:
                pairs += _spread_nops(left, right, nops_before, others_before)
        pairs.append((ours[mine], theirs[other]))
        before = mine, other
    return pairs


def _apart(raw: RawCode) -> tuple[list[Instruction], dict[int, list[Instruction]]]:
    """Return the instructions other than NOPs, and the NOPs by the index of the instruction they precede."""
    steps: list[Instruction] = []
    nops: dict[int, list[Instruction]] = {}
    for instruction in readable_instructions(raw):
        if instruction.op == "NOP":
            nops.setdefault(len(steps), []).append(instruction)
        else:
            steps.append(instruction)
    return steps, nops


def _above(before: list[Instruction], instruction: Instruction) -> int:
    """Return how many NOPs are on lines above that of the ``instruction`` that follows them."""
    line = instruction.line or 0
    return next((number for number, nop in enumerate(before) if (nop.line or line) >= line), len(before))


def _paired_nops(ours: list[Instruction], theirs: list[Instruction], known: Nops | None) -> Pairs:
    """Pair the NOPs before one instruction.

    One side may have more of them, as the compiler keeps only the last of each line: then pair those of equal width,
    from the end. Each line begins after the NOP of the line above.
    """
    if len(ours) == len(theirs):
        return list(zip(ours, theirs))
    pairs: Pairs = []
    begun: list[int] = []
    limit = len(theirs)
    if known is not None and ours and theirs:
        known.learn(ours, theirs)
    widths = list(map(known.width if known is not None else _width, theirs))
    for nop in reversed(ours):
        same = [other for other in range(limit - 1, -1, -1) if _width(nop) == widths[other]]
        fitting = [other for other in same if known is not None and known.fits(nop, theirs[other])] or same
        if fitting:
            above = [other for other in fitting if known is not None and known.after(theirs[other]) in begun]
            limit = (above or fitting)[0]
            pairs.append((nop, theirs[limit]))
            begun = known.begins(nop, theirs[limit]) if known is not None else []
    return pairs[::-1]


def _spread_nops(left: RawCode, right: RawCode, ours: list[Instruction], theirs: list[Instruction]) -> Pairs:
    """Pair NOPs without widths: ``left`` has one per line, ``right`` one per constant; use each line's first constant.

    The NOP of a line was the load of its last constant, and still has its index as argument. Of the splits that fit
    these, take the one with the most even lines.
    """
    wanted, known = [_number_of(left, nop) for nop in ours], [_number_of(right, nop) for nop in theirs]
    count, last = len(ours), len(theirs) - 1
    best: dict[int, tuple[float, list[int]]] = {-1: (0.0, [])}  # last constant so far -> (unevenness, ends)
    for index, number in enumerate(wanted):
        better: dict[int, tuple[float, list[int]]] = {}
        even = (index + 1) * len(theirs) / count - 1
        for end, other in enumerate(known):
            if other != number or index + 1 == count and end != last:
                continue
            before = min((one for at, one in best.items() if at < end), default=None)
            if before is not None:
                better[end] = before[0] + abs(end - even), [*before[1], end]
        best = better
    if last not in best:
        return []
    starts = [0, *(end + 1 for end in best[last][1][:-1])]
    return [(nop, theirs[start]) for nop, start in zip(ours, starts)]


def _number_of(raw: RawCode, nop: Instruction) -> object:
    """Return the key of the constant whose load became ``nop``."""
    argument = raw.bytecode[nop.offset + 1 : nop.offset + 2]  # none if a pass of ours made the NOP
    return constant_key(raw.consts[argument[0]]) if argument and argument[0] < len(raw.consts) else None


def _width(instruction: Instruction) -> int | None:
    line, end_line, column, end_column = instruction.position or (None, None, None, None)
    return end_column - column if line == end_line and column is not None and end_column is not None else None


def _common(keys: list[Any], others: list[Any]) -> list[tuple[int, int]]:
    """Return the pairs of indices of a long common subsequence."""
    shorter = min(len(keys), len(others))
    start = 0
    while start < shorter and keys[start] == others[start]:
        start += 1
    end = 0
    while end < shorter - start and keys[-1 - end] == others[-1 - end]:
        end += 1
    found = [(number, number) for number in range(start)]
    middle, other_middle = keys[start : len(keys) - end], others[start : len(others) - end]
    if middle and other_middle and max(len(middle), len(other_middle)) <= _LARGEST:
        matcher = difflib.SequenceMatcher(None, middle, other_middle, autojunk=False)
        for block in matcher.get_matching_blocks():
            found += [(start + block.a + step, start + block.b + step) for step in range(block.size)]
    return found + [(len(keys) - end + step, len(others) - end + step) for step in range(end)]


def _key(instruction: Instruction) -> Any:
    arg = instruction.arg
    if type(arg) is RawCode:
        return instruction.op, arg.name
    if instruction.op == "CONST":
        return instruction.op, constant_key(arg)
    try:
        hash(arg)
    except TypeError:
        return instruction.op, repr(arg)
    return instruction.op, arg


def nops(raw: RawCode) -> list[Instruction]:
    return [instruction for instruction in readable_instructions(raw) if instruction.op == "NOP"]


def second_halves(raw: RawCode) -> set[int]:
    """Return the ids of instructions that are the second half of a fused one: they have no position of their own."""
    return _second_halves(readable_instructions(raw))


def _second_halves(instructions: list[Instruction]) -> set[int]:
    return {
        id(second)
        for first, second in zip(instructions, instructions[1:])
        if first.offset == second.offset and first.op in FUSED and second.op in FUSED
    }


def _tuples_after_nops(instructions: list[Instruction]) -> set[int]:
    """Return the ids of instructions that load a tuple the compiler folded from constants on other lines."""
    return {
        id(after)
        for before, after in zip(instructions, instructions[1:])
        if before.op == "NOP" and after.op == "CONST" and type(after.arg) is tuple
    }


def _implicit_ends(raw: RawCode, instructions: list[Instruction]) -> set[int]:
    """Return the ids of instructions of ``raw`` that may belong to an implicit return at the end of the body."""
    found: set[int] = set()
    if kind_of(raw) == "lambda":
        return found
    for number in [number for number, one in enumerate(instructions) if one.op == "RETURN_VALUE"]:
        found.add(id(instructions[number]))
        before = instructions[number - 1] if number else None
        if before is not None and before.op == "CONST" and before.arg is None:
            found.add(id(before))
    if not raw.is_function:
        for instruction in reversed(instructions):
            if id(instruction) not in found:
                if instruction.op not in _END_OF_CLASS and instruction.arg not in _NAMES_OF_CLASS:
                    break
                found.add(id(instruction))
    return found


class CodePair:
    """A code object of the original, and its counterpart compiled from our text.

    ``runs_of``: what compares their line tables; if that works, ``runs`` are known, and the rest once it is ``read``.
    ``position_pairs``: the pairs of positions of an instruction in the original and in ours, with their number;
    ``ends``: the same, in order, for instructions that may belong to an implicit return. ``tuples``: the positions of
    our instructions that build or unpack a tuple. ``second_halves``: for the second half of a fused instruction, its
    line, the position of the first half in our text, the variable, and whether it is stored. ``spread``: the positions
    of our constant tuples that the original has after NOPs, left from the lines of their elements. ``origins``: by the
    positions of our constants, whether they were folded in the original. ``hides``: whether some positions may only be
    found with one token per line.
    """

    def __init__(self, original: RawCode, ours: RawCode, runs_of: RunsOf | None = None) -> None:
        self.original, self.ours = original, ours
        self.is_same = same_code(original, ours)
        self.ends: list[tuple[Position, Position]] = []
        self.tuples: list[Position] = []
        self.second_halves: list[tuple[int, Position, Any, bool]] = []
        self.nested: list[tuple[RawCode, RawCode]] = []
        self.spread: list[Position] = []
        self.origins: dict[Position, Folding] = {}
        self.position_pairs: Counter[tuple[Position, Position]] = Counter()
        instructions = readable_instructions(original)
        self.runs = runs_of(original, ours) if runs_of is not None and self.is_same else None
        # If none can be folded, what is known of constants only matters for those that are read.
        is_later = self.runs is not None and original.bytecode == ours.bytecode and not may_be_folded(original)
        self._origins = origins(original, ours, instructions) if not is_later else None
        if self.is_same:
            self.nested = list(zip(original.nested, ours.nested))
            self._place_origins()
            if self.runs is None:
                self.position_pairs = self._same_positions(instructions)
        else:
            self.position_pairs = self._paired_positions(instructions, aligned(original, ours))
        self.hides = not self.is_same and bool(nops(original) or second_halves(ours))

    def read(self, done: Mapping[int | None, int]) -> None:
        """Read the runs, but those within one of the statements ``done``, which are given by the lines of our text."""
        if self.runs is None:
            return
        self.ends, self.tuples, self.second_halves = [], [], []
        wanted = bytearray(len(self.original.bytecode) // 2)
        for line, last, _, start, end in self.runs:
            if line not in done or done[line] != done.get(last):
                wanted[start:end] = b"\1" * (end - start)
        if any(wanted):
            instructions = readable_instructions(self.original)
            if self._origins is None:
                self._origins = origins(self.original, self.ours, instructions)
                self._place_origins()
            self.position_pairs = self._same_positions([one for one in instructions if wanted[one.offset >> 1]])

    def _place_origins(self) -> None:
        if self._origins:
            mine = self.ours.positions()
            found = ((offset >> 1, origin) for offset, origin in self._origins.items())
            self.origins = {mine[unit]: origin for unit, origin in found if unit < len(mine)}

    def _same_positions(self, instructions: list[Instruction]) -> Counter[tuple[Position, Position]]:
        theirs, mine = self.original.positions(), self.ours.positions()
        size = min(len(theirs), len(mine))
        ends = _implicit_ends(self.original, readable_instructions(self.original))
        found = []
        before, offset_before = "", -1
        for a in instructions:
            op, offset = a.op, a.offset
            unit = offset >> 1
            is_second_half = offset == offset_before and op in FUSED and before in FUSED
            before, offset_before = op, offset
            if not 0 <= unit < size:
                continue
            if is_second_half:
                if theirs[unit][0] is not None:
                    self.second_halves.append((theirs[unit][0], mine[unit], a.arg, op == "STORE_FAST"))
            elif id(a) in ends:
                self.ends.append((theirs[unit], mine[unit]))
            else:
                found.append((theirs[unit], mine[unit]))
                if op in _TUPLES or op == "CONST" and type(a.arg) is tuple:
                    self.tuples.append(mine[unit])
        return Counter(found)

    def _paired_positions(
        self, instructions: list[Instruction], pairs: Pairs
    ) -> Counter[tuple[Position, Position]]:
        theirs, mine = self.original.positions(), self.ours.positions()
        size, own_size = len(theirs), len(mine)
        ends = _implicit_ends(self.original, instructions)
        spread = _tuples_after_nops(instructions)
        fused, own_fused = _second_halves(instructions), second_halves(self.ours)
        found = []
        for a, b in pairs:
            unit, own_unit = a.offset >> 1, b.offset >> 1
            if not (0 <= unit < size and 0 <= own_unit < own_size):
                continue
            if self._origins and a.offset in self._origins:
                self.origins[mine[own_unit]] = self._origins[a.offset]
            if own_fused and id(b) in own_fused:
                if id(a) in fused and theirs[unit][0] is not None:
                    self.second_halves.append((theirs[unit][0], mine[own_unit], b.arg, b.op == "STORE_FAST"))
            elif id(a) in fused:
                pass
            elif id(a) in ends:
                self.ends.append((theirs[unit], mine[own_unit]))
            else:
                found.append((theirs[unit], mine[own_unit]))
                if id(a) in spread:
                    self.spread.append(mine[own_unit])
                arg = a.arg
                if type(arg) is tuple and a.op == "CONST" or a.op in _TUPLES:
                    self.tuples.append(mine[own_unit])
                elif type(arg) is RawCode and type(b.arg) is RawCode:
                    self.nested.append((arg, b.arg))
        return Counter(found)


def objects(original: RawCode, ours: RawCode, runs_of: RunsOf) -> Iterator[CodePair]:
    """Yield the pair, and those of nested code, matched by the instructions that load it."""
    todo = [(original, ours)]
    seen = set()
    while todo:
        left, right = todo.pop()
        if (left, right) in seen:
            continue
        seen.add((left, right))
        pair = CodePair(left, right, runs_of)
        yield pair
        todo += pair.nested
