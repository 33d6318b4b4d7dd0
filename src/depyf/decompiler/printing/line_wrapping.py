"""Breaks long lines inside brackets, as a formatter does.

The printers mark their text with control characters where a line may be broken; no literal contains them,
because control characters are escaped there. Most lines fit, and for those `flatten` removes the marks. The
others are split at the brackets that leave the shortest first line; the text within them gets a separate
line, and if that is too long, it is split at its loosest delimiters, one item per line.
"""

from __future__ import annotations

import re

# Marks around the content of brackets. After OPEN_ITEMS a comma may follow the last item.
OPEN, OPEN_ITEMS, CLOSE = "\x01", "\x02", "\x03"
# Marks around an expression that can be put in parentheses if it is too long.
OPEN_INVISIBLE, OPEN_INVISIBLE_ITEMS, CLOSE_INVISIBLE = "\x04", "\x05", "\x17"
# The same, with every item on a separate line, however short they are.
OPEN_SPREAD, OPEN_INVISIBLE_SPREAD = "\x18", "\x19"
# Marks instead of a space, loosest first. Those of operators come before the operator, the others after
# the comma.
CLAUSE, COMMA, TERNARY, LOGIC, COMPARISON = "\x06", "\x07", "\x08", "\x0e", "\x0f"
BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, PRODUCT = "\x10", "\x11", "\x12", "\x13", "\x14", "\x15"
ADJACENT = "\x16"  # between the literals that make up a string

_DELIMITERS = CLAUSE + COMMA + TERNARY + LOGIC + COMPARISON + BIT_OR + BIT_XOR + BIT_AND
_DELIMITERS += SHIFT + SUM + PRODUCT + ADJACENT
_SPREAD = OPEN_SPREAD + OPEN_INVISIBLE_SPREAD
_INVISIBLE = OPEN_INVISIBLE + OPEN_INVISIBLE_ITEMS + OPEN_INVISIBLE_SPREAD
_OPENING = OPEN + OPEN_ITEMS + OPEN_SPREAD + _INVISIBLE
_CLOSING = CLOSE + CLOSE_INVISIBLE
_WITH_COMMA = OPEN_ITEMS + OPEN_INVISIBLE_ITEMS + _SPREAD
_MARK = re.compile(f"[{_OPENING}{_CLOSING}{_DELIMITERS}]")
_AS_IT_IS: dict[int, int | str | None] = {number: number for number in range(128)}  # what is missing costs an exception
_GLUED = {**_AS_IT_IS, **{ord(mark): " " for mark in _DELIMITERS}}
_FLAT = {**_GLUED, **{ord(mark): None for mark in _OPENING + _CLOSING}}  # None is faster than ""
_NO_INVISIBLE = {**_AS_IT_IS, **{ord(mark): None for mark in _INVISIBLE + CLOSE_INVISIBLE}}

INDENT = "    "


def flatten(text: str) -> str:
    """The text on one line, without marks."""
    if text.isascii():
        return text.translate(_FLAT)
    return _MARK.sub(lambda mark: " " if mark[0] in _DELIMITERS else "", text)  # translate is slow on what is not ASCII


def glue(text: str) -> str:
    """The text without line break marks, for text that reads badly when broken, such as a lambda."""
    return text if _is_spread(text) else text.translate(_GLUED)


def wrap(text: str, indent: str, width: int) -> list[str]:
    """The lines of a marked text, indented by `indent`, none longer than `width` if possible."""
    flat = indent + (text.translate(_FLAT) if text.isascii() else flatten(text))
    if len(flat) <= width and OPEN_SPREAD not in text and OPEN_INVISIBLE_SPREAD not in text:
        return [flat]
    lines: list[str] = []
    _split(text, indent, width, False, lines)
    return lines


def _fits(flat: str, width: int) -> bool:
    if "\n" in flat:  # a literal that spans lines; only its first line is indented
        return all(len(line) <= width for line in flat.split("\n"))
    return len(flat) <= width


def _is_spread(text: str) -> bool:
    return OPEN_SPREAD in text or OPEN_INVISIBLE_SPREAD in text


def _split(text: str, indent: str, width: int, inside: bool, lines: list[str]) -> None:
    """Append the lines of `text`. Inside brackets it may be broken at its own delimiters too."""
    flat = indent + flatten(text)
    if _fits(flat, width) and not _is_spread(text):
        lines.append(flat)
        return
    text = text.translate(_NO_INVISIBLE) if inside else _without_useless_parentheses(text)
    delimiters, groups = _scan(text)
    if inside and delimiters:
        for piece in _pieces(text, delimiters):
            _split(piece, indent, width, True, lines)
        return
    if not groups:
        lines.append(flat)
        return
    opening, closing = _choose(text, groups, indent, width)
    mark, body = text[opening], text[opening + 1 : closing].translate(_NO_INVISIBLE)
    bracket, end = ("(", ")") if mark in _INVISIBLE else ("", "")
    _split(text[:opening] + bracket, indent, width, False, lines)
    inner = indent + INDENT
    delimiters, _ = _scan(body)
    broken = mark in _SPREAD or _is_spread(body) or not _fits(inner + flatten(body), width)
    if mark in _WITH_COMMA and broken and delimiters and min(body[position] for position in delimiters) == COMMA:
        body += ","
    for piece in _pieces(body, delimiters) if mark in _SPREAD else [body]:
        _split(piece, inner, width, True, lines)
    _split(end + text[closing + 1 :], indent, width, False, lines)


def _pieces(text: str, delimiters: list[int]) -> list[str]:
    """The text cut at its loosest delimiters; ``delimiters`` are the positions of all."""
    loosest = min((text[position] for position in delimiters), default="")
    ends = [position for position in delimiters if text[position] == loosest]
    return [text[start:end] for start, end in zip([0, *[end + 1 for end in ends]], [*ends, len(text)])]


def _scan(text: str) -> tuple[list[int], list[tuple[int, int]]]:
    """The positions of the delimiters outside any bracket, and the outermost non-empty brackets."""
    delimiters: list[int] = []
    groups: list[tuple[int, int]] = []
    depth = opening = 0
    for match in _MARK.finditer(text):
        mark, position = match[0], match.start()
        if mark in _OPENING:
            if not depth:
                opening = position
            depth += 1
        elif mark in _CLOSING:
            depth -= 1
            if not depth and position > opening + 1:
                groups.append((opening, position))
        elif not depth:
            delimiters.append(position)
    return delimiters, groups


def _without_useless_parentheses(text: str) -> str:
    """The text without invisible parentheses around text that has no delimiter: they would not help."""
    useless: list[int] = []
    open_groups: list[tuple[int, bool]] = []  # position, whether there was a delimiter directly within
    for match in _MARK.finditer(text):
        mark, position = match[0], match.start()
        if mark in _OPENING:
            open_groups.append((position, False))
        elif mark in _CLOSING:
            opening, delimited = open_groups.pop()
            if mark == CLOSE_INVISIBLE:
                if not delimited:
                    useless += (opening, position)
                elif open_groups:  # transparent: its delimiters count for the enclosing group
                    open_groups[-1] = (open_groups[-1][0], True)
        elif open_groups:
            open_groups[-1] = (open_groups[-1][0], True)
    for position in sorted(useless, reverse=True):
        text = text[:position] + text[position + 1 :]
    return text


def _choose(text: str, groups: list[tuple[int, int]], indent: str, width: int) -> tuple[int, int]:
    """The last brackets that leave a line that fits before and after them, or else the longest ones."""
    for opening, closing in groups:
        if _is_spread(text[opening:closing]):
            return opening, closing
    room = width - len(indent)
    for opening, closing in reversed(groups):
        body = len(flatten(text[opening:closing]))
        if body > 3 and len(flatten(text[:opening])) <= room and len(flatten(text[closing:])) <= room:
            return opening, closing
    return max(groups, key=lambda group: group[1] - group[0])
