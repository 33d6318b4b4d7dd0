"""Where logical lines begin: their indentation, and the rows that their items show."""

from __future__ import annotations

from collections import Counter

from .item import INDENT, Item
from .items import Line


def first_line(line: Line, indent: int | None = None) -> int | None:
    """Return the row where the line should begin; None if unknown."""
    item, width = first_known(line)
    if item is None or item.line is None:
        return None
    if indent is not None and item.column is not None and item.column < indent + width and width:
        return max(item.line - 1, 1)
    return item.line


def first_known(line: Line) -> tuple[Item | None, int]:
    """Return the first item whose row is known, and the usual width of the items before it."""
    width = 0
    for item in line.items:
        if item is not line.items[0]:
            width += item.space
        if item.line is not None:
            return item, width
        width += item.width
    return None, width


def last_line(line: Line) -> int | None:
    found = None
    for item in line.items:
        if item.line is not None:
            found = item.end_line
    return found


_SURE = 3
"""Votes of a line whose first token has a column; others follow from a later token, if no parenthesis precedes it."""


def indents_of(lines: list[Line], *, has_columns: bool) -> list[int]:
    """Return the indentation of each line, by a majority vote in its block."""
    if not has_columns:
        return [line.depth * INDENT for line in lines]
    votes: dict[int, Counter[int]] = {}
    sure: set[tuple[int, int]] = set()  # blocks, and columns for which a first token votes
    previous: int | None = None
    for line in lines:
        item, width = first_known(line)
        if item is not None and item.column is not None and item.line != previous and item.column >= width:
            block, column = line.parent, item.column - width
            if block not in votes:
                votes[block] = Counter()
            votes[block][column] += 1 if width else _SURE
            if not width:
                sure.add((block, column))
        previous = last_line(line)
    inside: dict[int, int] = {}  # the least column of the blocks in a block
    for block, column in sure:
        if block >= 0:
            around = lines[block].parent
            inside[around] = min(column, inside.get(around, column))
    unit = _unit(lines, votes)
    found: list[int] = []
    of_block: dict[int, int] = {-1: 0}
    for line in lines:
        block = line.parent
        if block not in of_block:
            base = found[block]
            fitting = {column: count for column, count in votes.get(block, {}).items() if column > base}
            if not fitting or base + unit in fitting:
                best = base + unit
            else:
                best = max(fitting, key=lambda column: (fitting[column], -column))
                if (block, best) not in sure and (best == base + unit + 1 or best >= inside.get(block, best + 1)):
                    best = base + unit  # the first token is behind a parenthesis, or on a row below
            of_block[block] = best
        found.append(of_block[block])
    return found


def _unit(lines: list[Line], votes: dict[int, Counter[int]]) -> int:
    """Return the usual step of the indentation, by the blocks whose column is sure."""
    sure = {block: counter.most_common(1)[0] for block, counter in votes.items()}
    columns = {block: column for block, (column, count) in sure.items() if count >= _SURE}
    steps: Counter[int] = Counter()
    for block, column in columns.items():
        if block < 0:
            continue
        depth, around = 1, lines[block].parent
        while around >= 0 and around not in columns:
            depth, around = depth + 1, lines[around].parent
        step, rest = divmod(column - columns.get(around, 0), depth)
        if not rest:
            steps[step] += 1
    best = steps.most_common(1)
    return best[0][0] if best and best[0][0] > 0 else INDENT
