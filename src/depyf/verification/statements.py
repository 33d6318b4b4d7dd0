"""The differences between a compiled file and its source as statements: compares their decompiled texts."""

from __future__ import annotations

import difflib
import re
from typing import Iterator, Sequence

from ..decompiler.bytecode import RawCode
from ..decompiler.driver.result import Result
from ..decompiler.limits.deep_stack import with_room
from ..decompiler.look_alikes import with_warnings
from ..decompiler.pipeline import analyze
from ..decompiler.proof import verify
from ..errors import DepyfError
from ..escapes import printable
from .comparison import CodeDifference
from .report import Change

BUDGET = 100_000
"""The decompiler's budget for one text: see `depyf.analyze`."""

_MOST_COMPARED = 4_000_000
"""The limit of line pairs that are compared one by one."""
_DEFINITION = re.compile(r"\s*(?:async\s+def|def|class)\s+(\w+)")

Lines = Sequence[str]


def changes(ours: RawCode, source: RawCode, found: Sequence[CodeDifference]) -> list[Change]:
    """The differences, as statements where the texts differ, otherwise as descriptions."""
    result: list[Change] = []
    for left, right, inside in _outermost(ours, source, found):
        shown = list(changed_statements(left, right))
        result += shown
        texts = dict.fromkeys(str(difference) for difference in inside)
        if not shown:
            result += [Change(where.where, str(where)) for where in inside]
            result += _instructions(left, right)
        elif not any(change.lines or change.source_lines for change in shown):
            result += [Change("", text) for text in texts]
    return result


def text_of(raw: RawCode) -> str:
    """The decompiled text of a file; if there is none, a comment with the reason."""
    try:
        return with_warnings(with_room(lambda: analyze(raw, budget=BUDGET).source))
    except DepyfError as error:
        return f"# {printable(str(error))}\n"


def _outermost(
    ours: RawCode, source: RawCode, found: Sequence[CodeDifference]
) -> Iterator[tuple[RawCode, RawCode, list[CodeDifference]]]:
    """The smallest pairs of code objects, none nested in another, that contain all differences."""
    shown = [one for one in found if not one.lines_alone]
    pairs = [one for one in shown if one.ours is not None and one.source is not None]
    if any(one.ours is None or one.source is None for one in shown) or not pairs:
        yield ours, source, shown
        return
    covered: set[int] = set()
    for one in pairs:
        assert one.ours is not None and one.source is not None
        if id(one.ours) in covered:
            continue
        inner = set(map(id, one.ours.walk()))
        covered |= inner
        yield one.ours, one.source, [other for other in shown if id(other.ours) in inner]


def changed_statements(left: RawCode, right: RawCode) -> Iterator[Change]:
    """Where the decompiled texts of two codes differ; nothing if one of them is refused."""
    ours, theirs = _result(left), _result(right)
    if ours is None or theirs is None:
        return
    mine, other = ours.source.splitlines(), theirs.source.splitlines()
    around = left.qualname.rpartition(".")[0] if left.is_function else ""
    qualnames = _qualnames(mine, around), _qualnames(other, around)
    for start, end, other_start, other_end in _hunks(mine, other):
        groups = _grouped(mine, qualnames[0], start, end), _grouped(other, qualnames[1], other_start, other_end)
        for where in dict.fromkeys([*groups[0], *groups[1]]):
            numbers, others = groups[0].get(where, []), groups[1].get(where, [])
            yield Change(
                where or left.qualname, "", tuple(mine[at] for at in numbers), tuple(other[at] for at in others),
                _first_line(ours.line_map, numbers), _first_line(theirs.line_map, others),
            )  # fmt: skip


def unproven(raw: RawCode) -> list[str]:
    """The qualified names of code objects whose text is not proven, or missing."""
    result = _result(raw)
    if result is None:
        return [raw.qualname]
    return [one.qualname for one in result.walk() if not one.verdict.proven]


def _result(raw: RawCode) -> Result | None:
    """The decompiled text; None if all of it is refused."""
    try:
        result = with_room(lambda: analyze(raw, budget=BUDGET))
    except (DepyfError, RecursionError, MemoryError):
        return None
    return None if result.form == "refused" else result


def _hunks(left: Lines, right: Lines) -> Iterator[tuple[int, int, int, int]]:
    """The ranges in which two texts differ: begin and end in each."""
    start, end, other_end = 0, len(left), len(right)
    while start < min(end, other_end) and left[start] == right[start]:
        start += 1
    while min(end, other_end) > start and left[end - 1] == right[other_end - 1]:
        end, other_end = end - 1, other_end - 1
    if (end - start) * (other_end - start) > _MOST_COMPARED:
        yield start, end, start, other_end
        return
    matcher = difflib.SequenceMatcher(None, left[start:end], right[start:other_end], autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            yield start + a, start + b, start + c, start + d


def _qualnames(text: Lines, around: str) -> list[str]:
    """For each line the qualified name of the enclosing definition; for a header that of the outer one."""
    found: list[str] = []
    open_ones: list[tuple[int, str]] = []
    for line in text:
        indent = len(line) - len(line.lstrip())
        while line.strip() and open_ones and indent <= open_ones[-1][0]:
            open_ones.pop()
        found.append(".".join(filter(None, [around, *(name for _, name in open_ones)])))
        definition = _DEFINITION.match(line)
        if definition:
            open_ones.append((indent, definition.group(1)))
    return found


def _grouped(text: Lines, qualnames: list[str], start: int, end: int) -> dict[str, list[int]]:
    """The lines from ``start`` to ``end`` by qualified name; those of a definition among them are grouped with it."""
    groups: dict[str, list[int]] = {}
    inside: int | None = None
    where = ""
    for at in range(start, end):
        line = text[at]
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        if inside is None or indent <= inside:
            where = qualnames[at]
            inside = indent if _DEFINITION.match(line) else None
        groups.setdefault(where, []).append(at)
    return groups


def _first_line(line_map: dict[int, int], numbers: list[int]) -> int | None:
    return min((line_map[at + 1] for at in numbers if at + 1 in line_map), default=None)


def _instructions(left: RawCode, right: RawCode) -> list[Change]:
    """The first instruction that differs, where no text shows it."""
    try:
        difference = verify(left, right).difference
    except (DepyfError, RecursionError):
        return []
    if difference is None or not (difference.left or difference.right):
        return []
    return [Change(difference.where, str(difference), line=difference.left_line, source_line=difference.right_line)]
