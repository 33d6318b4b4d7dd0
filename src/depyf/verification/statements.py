"""What differs between a compiled file and its source, in statements: both are decompiled, their texts are compared."""

from __future__ import annotations

import difflib
import re
from typing import Dict, Iterator, List, Optional, Sequence, Tuple

from ..decompiler.bytecode import RawCode
from ..decompiler.driver.result import Result
from ..decompiler.limits.deep_stack import with_room
from ..decompiler.pipeline import analyze
from ..decompiler.proof import verify
from ..errors import DepyfError
from .comparison import CodeDifference
from .report import Change

BUDGET = 100_000
"""Work of the decompiler for one text: see `depyf.analyze`."""

_MOST_COMPARED = 4_000_000
"""Pairs of lines that are compared one by one."""
_DEFINITION = re.compile(r"\s*(?:async\s+def|def|class)\s+(\w+)")

Lines = Sequence[str]


def changes(ours: RawCode, source: RawCode, found: Sequence[CodeDifference]) -> List[Change]:
    """What differs, in statements where the texts differ, else in words."""
    result: List[Change] = []
    for left, right, inside in _outermost(ours, source, found):
        shown = list(_of_pair(left, right))
        result += shown
        words = dict.fromkeys(str(difference) for difference in inside)
        if not shown:
            result += [Change(where.where, str(where)) for where in inside]
            result += _instructions(left, right)
        elif not any(change.lines or change.source_lines for change in shown):
            result += [Change("", text) for text in words]
    return result


def text_of(raw: RawCode) -> str:
    """The decompiled text of a file; why there is none, as a comment."""
    try:
        return with_room(lambda: analyze(raw, budget=BUDGET).source)
    except DepyfError as error:
        return f"# {error}\n"


def _outermost(
    ours: RawCode, source: RawCode, found: Sequence[CodeDifference]
) -> Iterator[Tuple[RawCode, RawCode, List[CodeDifference]]]:
    """The smallest pairs of code objects, none in another, that have all the differences in them."""
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


def _of_pair(left: RawCode, right: RawCode) -> Iterator[Change]:
    ours, theirs = _result(left), _result(right)
    if ours is None or theirs is None:
        return
    mine, other = ours.source.splitlines(), theirs.source.splitlines()
    prefix = left.qualname.rpartition(".")[0] if left.is_function and left.name != "<module>" else ""
    for start, end, other_start, other_end in _hunks(mine, other):
        text, at = (mine, start) if start < end else (other, other_start)
        where = ".".join(filter(None, [prefix, *_around(text, at)])) or left.qualname
        yield Change(
            where, "", tuple(mine[start:end]), tuple(other[other_start:other_end]),
            _first_line(ours.line_map, start, end), _first_line(theirs.line_map, other_start, other_end),
        )  # fmt: skip


def _result(raw: RawCode) -> Optional[Result]:
    """The decompiled text; None if all of it is refused."""
    try:
        result = with_room(lambda: analyze(raw, budget=BUDGET))
    except (DepyfError, RecursionError, MemoryError):
        return None
    return None if result.rung == "refused" else result


def _hunks(left: Lines, right: Lines) -> Iterator[Tuple[int, int, int, int]]:
    """Where two texts differ: begin and end in each."""
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


def _around(text: Lines, at: int) -> List[str]:
    """The names of the definitions around a line, which may begin one itself."""
    names: List[str] = []
    line = text[at] if at < len(text) else ""
    level = len(line) - len(line.lstrip())
    for before in reversed(text[:at]):
        indent = len(before) - len(before.lstrip())
        if before.strip() and indent < level:
            level = indent
            found = _DEFINITION.match(before)
            names += [found.group(1)] if found else []
    return names[::-1]


def _first_line(line_map: Dict[int, int], start: int, end: int) -> Optional[int]:
    known = [line_map[line] for line in range(start + 1, end + 1) if line in line_map]
    return min(known, default=None)


def _instructions(left: RawCode, right: RawCode) -> List[Change]:
    """The first instruction that differs, where no text shows it."""
    try:
        difference = verify(left, right).difference
    except (DepyfError, RecursionError):
        return []
    if difference is None or not (difference.left or difference.right):
        return []
    return [Change(difference.where, str(difference), line=difference.left_line, source_line=difference.right_line)]
