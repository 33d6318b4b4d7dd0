"""Where the original has what stands in a span of our text: both are compiled code, and their instructions are paired.

With columns in the line table a span of our text is met by a span of the original. Without them our text is compiled
with one token on each line: then a line names a token, whatever a version takes for the line of a construct.
"""

from __future__ import annotations

import difflib
from collections import Counter
from typing import Any, Callable, Dict, Iterator, List, Tuple

from ...errors import DecompilationError
from ..bytecode import Instruction, RawCode, known_instructions
from ..proof.constants import constant_key
from .tokens import Tokens

Place = Tuple[int, int]
"""(line, column)."""
Span = Tuple[int, int]
"""The first and the last token."""
Extent = Tuple[int, int, int, int]
"""(line, column, end line, end column)."""

_LARGEST = 3000
"""Instructions that are aligned by their longest common parts; what is longer is paired where it is the same."""
_END_OF_CLASS = frozenset({"STORE_STATIC_ATTRIBUTES", "LOAD_CLOSURE", "COPY"})
_NAMES_OF_CLASS = ("__classcell__", "__static_attributes__", "__classdictcell__")
_TUPLES = frozenset({"BUILD_TUPLE", "UNPACK_SEQUENCE", "UNPACK_EX"})
_FUSED = frozenset({"LOAD_FAST", "STORE_FAST"})


class Anchors:
    """What is known of our tokens.

    ``extents``: for a span of our text the places that the original has for it, with how many instructions say so;
    ``lines``: for a token the lines of instructions whose construct begins with it. ``tuples``: spans that build or
    take apart a tuple. ``ends``: where the original has the return that nobody wrote, for the statement of ours that
    begins with a token: the place of the last statement, or of the header.
    """

    def __init__(self) -> None:
        self.extents: dict[Span, Counter[Extent]] = {}
        self.lines: dict[int, Counter[int]] = {}
        self.tuples: set[Span] = set()
        self.ends: dict[int, Extent] = {}

    def extent(self, span: Span, where: Extent) -> None:
        self.extents.setdefault(span, Counter())[where] += 1

    def line(self, token: int, line: int) -> None:
        self.lines.setdefault(token, Counter())[line] += 1

    def add(self, other: Anchors, moved: Place = (0, 0)) -> None:
        """Add those of ``other``, moved up and to the left."""
        up, left = moved
        for span, extents in other.extents.items():
            for (line, column, end_line, end_column), count in extents.items():
                where = (line - up, column - left, end_line - up, end_column - left)
                self.extents.setdefault(span, Counter())[where] += count
        for token, lines in other.lines.items():
            for line, count in lines.items():
                self.lines.setdefault(token, Counter())[line - up] += count
        self.tuples |= other.tuples
        for token, (line, column, end_line, end_column) in other.ends.items():
            self.ends[token] = (line - up, column - left, end_line - up, end_column - left)


NO_COLUMN = -1

ByObject = Dict[RawCode, Anchors]
"""The anchors that the instructions of each code object of the original give."""


class Text:
    """Our text as its compiler sees it: which token begins or ends at a place; which has a line if each has its own."""

    def __init__(self, cut: Tokens) -> None:
        self.cut = cut
        self.starts = {(token.line, token.column): n for n, token in enumerate(cut.tokens)}
        self.ends = {(token.end_line, token.end_column): n for n, token in enumerate(cut.tokens)}
        self.exploded: dict[int, int] = {}

    def explode(self) -> str:
        """The text with each token on a line of its own."""
        pieces: list[str] = []
        line = 1
        literals: list[tuple[str, str]] = []  # what the formatted strings around begin and end with
        braces = 0
        for statement in self.cut.statements:
            pieces.append("    " * statement.depth)
            for number in range(statement.start, statement.end):
                token = self.cut.tokens[number]
                if token.kind == "string_end":
                    literals.pop()
                if number > statement.start:
                    if len(literals) == 1 and token.text == "{" and not braces:
                        # Literals side by side are one: so fields get lines of their own.
                        pieces.append("{} \\\n{}".format(*literals[0]))
                        line += 1
                        self.exploded[line] = number + 1
                    elif token.in_string:
                        pieces.append(" " * token.space)
                    else:
                        pieces.append(" \\\n")
                        line += 1
                self.exploded.setdefault(line, number)
                if len(literals) == 1:
                    braces += (token.text == "{") - (token.text == "}")
                if token.kind == "string_start":
                    quote = token.text.lstrip("rRfFtT")
                    literals.append((quote, token.text))
                pieces.append(token.text)
                line += token.text.count("\n")
            pieces.append("\n")
            line += 1
        return "".join(pieces)


def has_columns(raw: RawCode) -> bool:
    """Whether any of the line tables of ``raw`` has columns."""
    return any(place[2] is not None for part in raw.walk() for place in part.positions())


def anchors_by_columns(original: RawCode, ours: RawCode, text: Text) -> ByObject:
    """The anchors of the text that ``ours`` was compiled from."""
    all_found: ByObject = {}
    tokens = text.cut.tokens
    first_of_line = {tokens[one.start].line: one.start for one in text.cut.statements}
    for left, right, paired in _objects(original, ours):
        found = all_found.setdefault(left, Anchors())
        if right.firstlineno in first_of_line and left.name != "<module>":
            found.line(first_of_line[right.firstlineno], left.firstlineno)
        theirs, mine = left.positions(), right.positions()
        fused, fused_of_ours = _second_halves(left), _second_halves(right)
        ends = _implicit_ends(left)
        for a, b in paired:
            where, here = _at(theirs, a), _at(mine, b)
            if where is None or here is None or id(a) in fused or id(b) in fused_of_ours:
                continue
            start = text.starts.get((here[0], here[2]))
            end = text.ends.get((here[1], here[3]))
            if start is None or end is None or end < start:
                continue
            if id(a) in ends and tokens[start].text != "return":
                extent = (where[0], where[2], where[1], where[3])
                if tokens[start].text == "None" and start and tokens[start - 1].text == "return":
                    # Of the constant alone, where there is one.
                    found.extent((start - (where[3] - where[2] == len("return")), end), extent)
                else:
                    found.ends[start] = extent
                continue
            if where[2:] == (0, 0):  # what stands in front of a body has the place of no text
                continue
            if a.op in _TUPLES or type(a.arg) is tuple and a.op == "CONST":
                found.tuples.add((start, end))
            found.extent((start, end), (where[0], where[2], where[1], where[3]))
    return all_found


def add_hidden(all_found: ByObject, original: RawCode, exploded: RawCode, text: Text) -> None:
    """Add the anchors of what shows only where each token has a line: variables whose instructions are one with others
    in our text, and constants of which the compiler leaves a NOP where they have a line of their own."""
    tokens = text.cut.tokens
    for left, right, paired in _objects(original, exploded):
        if not _may_hide(left, right):
            continue
        found = all_found.setdefault(left, Anchors())
        theirs = left.positions()
        fused = _second_halves(left)
        if _nops(left) != _nops(right):
            paired = aligned(left, right, _Header(found, text).fits)
        for a, b in paired:
            if a.op != "NOP" and a.op not in _FUSED or b.position is None:
                continue
            where, token = _at(theirs, a), text.exploded.get(b.line or 0)
            end = text.exploded.get(b.position[1] or 0)
            if where is None or token is None or end is None or a.op != "NOP" and tokens[token].text != a.arg:
                continue
            if id(a) in fused:
                found.line(token, where[0])
            elif a.op != "NOP" or token == end or (token, end) not in found.extents:
                found.extent((token, end), (where[0], where[2], where[1], where[3]))


class _Header:
    """Tells of default values, which the compiler left NOPs of, whether they stand in a column.

    On the line of the ``def`` it is the usual one, on others usual from a parameter on that begins the line.
    """

    def __init__(self, found: Anchors, text: Text) -> None:
        self.text = text
        self.of_statement: dict[int, Extent] = {}
        for (start, _), extents in found.extents.items():
            if text.cut.tokens[start].text in ("def", "async"):
                self.of_statement[start] = min(extents)
        self.statements = {
            number: one.start for one in text.cut.statements if one.start in self.of_statement
            for number in range(one.start, one.end)
        }  # fmt: skip

    def fits(self, original: Instruction, ours: Instruction) -> bool:
        """Whether ``original`` may stand for the token of ``ours``, each of which is a line of the exploded text."""
        token = self.text.exploded.get(ours.line or 0)
        start = self.statements.get(token) if token is not None else None
        if original.position is None or token is None or start is None:
            return False
        tokens, (line, column, *_) = self.text.cut.tokens, self.of_statement[start]
        there = original.position[2]
        if original.line == line:
            return bool(there - column == tokens[token].column - tokens[start].column)
        opening = next((n for n in range(start, token) if tokens[n].text == "("), start)
        aligned_at = column + tokens[opening].end_column - tokens[start].column
        for number in range(token, opening, -1):
            if tokens[number - 1].text in ("(", ",") and number > opening:
                begins = there - (tokens[token].column - tokens[number].column)
                if begins in (aligned_at, column + 4, column + 8):
                    return True
        return False


def _instructions(raw: RawCode) -> list[Instruction]:
    """None of code that can't be read: it is refused, and what is around it has places all the same."""
    try:
        return known_instructions(raw)
    except DecompilationError:
        return []


def has_hidden(original: RawCode, ours: RawCode) -> bool:
    """Whether anything may show only where each token has a line."""
    return any(_nops(part) for part in original.walk()) or any(_second_halves(part) for part in ours.walk())


def _may_hide(original: RawCode, exploded: RawCode) -> bool:
    return _nops(original) > 0 or any(i.op in _FUSED for i in _instructions(exploded))


def _nops(raw: RawCode) -> int:
    return sum(i.op == "NOP" for i in _instructions(raw))


def _second_halves(raw: RawCode) -> set[int]:
    """The ids of instructions that are the second half of one: they have no place of their own."""
    found: set[int] = set()
    before = None
    for instruction in _instructions(raw):
        if before is not None and instruction.offset == before.offset and before.op in _FUSED:
            if instruction.op in _FUSED:
                found.add(id(instruction))
        before = instruction
    return found


def _implicit_ends(raw: RawCode) -> set[int]:
    """The ids of instructions that may be the return at the end of a body that has none, or what goes with it."""
    found: set[int] = set()
    if raw.name == "<lambda>":
        return found
    instructions = _instructions(raw)
    for number, instruction in enumerate(instructions):
        if instruction.op == "RETURN_VALUE":
            found.add(id(instruction))
            before = instructions[number - 1] if number else instruction
            if before.op == "CONST" and before.arg is None:
                found.add(id(before))
    if not raw.is_function:
        for instruction in reversed(instructions):
            if id(instruction) not in found:
                if instruction.op not in _END_OF_CLASS and instruction.arg not in _NAMES_OF_CLASS:
                    break
                found.add(id(instruction))
    return found


def _at(positions: Any, instruction: Instruction) -> Any:
    unit = instruction.offset // 2
    if not 0 <= unit < len(positions):
        return None
    place = positions[unit]
    return None if None in place else place


def anchors_by_lines(original: RawCode, ours: RawCode, text: Text) -> ByObject:
    """The anchors of the text whose exploded form ``ours`` was compiled from."""
    all_found: ByObject = {}
    tokens = text.cut.tokens
    for left, right, paired in _objects(original, ours):
        found = all_found.setdefault(left, Anchors())
        first = text.exploded.get(right.firstlineno)
        if first is not None and left.name != "<module>":
            found.line(first, left.firstlineno)
        ends = _implicit_ends(left)
        for a, b in paired:
            if a.line is None or b.line is None:
                continue
            token = text.exploded.get(b.line)
            if token is None:
                continue
            if id(a) in ends and tokens[token].text != "return":
                column = 0 if a.line == left.firstlineno else NO_COLUMN
                found.ends[token] = (a.line, column, a.line, column)
                continue
            found.line(token, a.line)
    return all_found


def _objects(original: RawCode, ours: RawCode) -> Iterator[tuple[RawCode, RawCode, Pairs]]:
    """Both, and the code nested in them, paired by the instructions that load it; with their instructions, paired."""
    todo = [(original, ours)]
    seen = set()
    while todo:
        left, right = todo.pop()
        if (left, right) in seen:
            continue
        seen.add((left, right))
        paired = aligned(left, right)
        yield left, right, paired
        for a, b in paired:
            if type(a.arg) is RawCode and type(b.arg) is RawCode:
                todo.append((a.arg, b.arg))


Pairs = List[Tuple[Instruction, Instruction]]
Fits = Callable[[Instruction, Instruction], bool]


def aligned(left: RawCode, right: RawCode, fits: Fits | None = None) -> Pairs:
    """The instructions of both that do the same at the same place of their code.

    ``fits`` tells whether two NOPs may be paired where one side has more of them.
    """
    (ours, our_nops), (theirs, their_nops) = map(_apart, (left, right))
    keys, others = (list(map(_key, side)) for side in (ours, theirs))
    if keys == others:
        places = [(number, number) for number in range(len(keys))]
    else:
        places = _common(keys, others)
    pairs: Pairs = []
    before = (-1, -1)
    for mine, other in places:
        if our_nops and mine in our_nops and other in their_nops and (mine - 1, other - 1) == before:
            pairs += _paired_nops(our_nops[mine], their_nops[other], fits)
        pairs.append((ours[mine], theirs[other]))
        before = mine, other
    return pairs


def _apart(raw: RawCode) -> tuple[list[Instruction], dict[int, list[Instruction]]]:
    """The instructions that do something, and the others by the number of the one that follows."""
    steps: list[Instruction] = []
    nops: dict[int, list[Instruction]] = {}
    for instruction in _instructions(raw):
        if instruction.op == "NOP":
            nops.setdefault(len(steps), []).append(instruction)
        else:
            steps.append(instruction)
    return steps, nops


def _paired_nops(ours: list[Instruction], theirs: list[Instruction], fits: Fits | None) -> Pairs:
    """The NOPs in front of one instruction. Where one side has more, as the last of each line stays, those of one
    width are paired, from the end."""
    if len(ours) == len(theirs):
        return list(zip(ours, theirs))
    pairs: Pairs = []
    place = len(theirs)
    for nop in reversed(ours):
        same = [other for other in range(place - 1, -1, -1) if _width(nop) == _width(theirs[other])]
        fitting = [other for other in same if fits is not None and fits(nop, theirs[other])] or same
        if fitting:
            place = fitting[0]
            pairs.append((nop, theirs[place]))
    return pairs[::-1]


def _width(instruction: Instruction) -> int | None:
    line, end_line, column, end_column = instruction.position or (None, None, None, None)
    return end_column - column if line == end_line and column is not None and end_column is not None else None


def _common(keys: list[Any], others: list[Any]) -> list[tuple[int, int]]:
    """The places of a long common subsequence."""
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
