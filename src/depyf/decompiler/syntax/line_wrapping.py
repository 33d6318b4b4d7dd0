"""Long lines are broken inside brackets, the way a formatter does it.

The printers mark their text with control characters where a line may be broken; no literal contains them,
because control characters are escaped there. Most lines fit, and for those `flatten` removes the marks. The
others are split at the brackets that leave the first line shortest; what is within them goes on a line of
its own, and if that is too long, it is split at its loosest delimiters, one item per line.
"""

from __future__ import annotations

# Marks around the inside of a bracket. After OPEN_ITEMS a comma may follow the last item.
OPEN, OPEN_ITEMS = "\x01", "\x02"
# Marks around an expression that can be put in parentheses if it is too long.
OPEN_INVISIBLE, OPEN_INVISIBLE_ITEMS = "\x03", "\x04"
CLOSE = "\x05"
# Marks in place of a blank, loosest first. Those of operators come before the operator, the others after
# the comma.
CLAUSE, COMMA, TERNARY, LOGIC, COMPARISON = "\x06", "\x07", "\x08", "\x0e", "\x0f"
BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, PRODUCT = "\x10", "\x11", "\x12", "\x13", "\x14", "\x15"
ADJACENT = "\x16"  # between the literals that make up a string

_OPENING = OPEN + OPEN_ITEMS + OPEN_INVISIBLE + OPEN_INVISIBLE_ITEMS
_INVISIBLE = OPEN_INVISIBLE + OPEN_INVISIBLE_ITEMS
_WITH_COMMA = OPEN_ITEMS + OPEN_INVISIBLE_ITEMS
_DELIMITERS = CLAUSE + COMMA + TERNARY + LOGIC + COMPARISON + BIT_OR + BIT_XOR + BIT_AND
_DELIMITERS += SHIFT + SUM + PRODUCT + ADJACENT
_GLUED = {ord(mark): " " for mark in _DELIMITERS}
_FLAT = {**_GLUED, **{ord(mark): "" for mark in _OPENING + CLOSE}}

INDENT = "    "


def flatten(text: str) -> str:
    """The text on one line, without marks."""
    return text.translate(_FLAT)


def glue(text: str) -> str:
    """The text without places to break it: for what reads badly when it is broken, such as a lambda."""
    return text.translate(_GLUED)


def wrap(text: str, indent: str, width: int) -> list[str]:
    """The lines of a marked text, indented by `indent`, none longer than `width` if that is possible."""
    flat = indent + flatten(text)
    if len(flat) <= width:
        return [flat]
    lines: list[str] = []
    _split(text, indent, width, False, lines)
    return lines


def _fits(flat: str, width: int) -> bool:
    if "\n" in flat:  # a literal that spans lines; only its first line is indented
        return all(len(line) <= width for line in flat.split("\n"))
    return len(flat) <= width


def _split(text: str, indent: str, width: int, inside: bool, lines: list[str]) -> None:
    """Append the lines of `text`. Inside brackets it may be broken at its own delimiters too."""
    flat = indent + flatten(text)
    if _fits(flat, width):
        lines.append(flat)
        return
    delimiters, groups = _scan(text, inside)
    if inside and delimiters:
        loosest = min(text[position] for position in delimiters)
        start = 0
        for position in delimiters:
            if text[position] == loosest:
                _split(text[start:position], indent, width, True, lines)
                start = position + 1
        _split(text[start:], indent, width, True, lines)
        return
    if not groups:
        lines.append(flat)
        return
    opening, closing = _choose(text, groups, indent, width)
    mark, body = text[opening], text[opening + 1 : closing]
    bracket, end = ("(", ")") if mark in _INVISIBLE else ("", "")
    _split(text[:opening] + bracket, indent, width, False, lines)
    inner = indent + INDENT
    if mark in _WITH_COMMA and not _fits(inner + flatten(body), width):
        delimiters, _ = _scan(body, True)
        if delimiters and min(body[position] for position in delimiters) == COMMA:
            body += ","
    _split(body, inner, width, True, lines)
    _split(end + text[closing + 1 :], indent, width, False, lines)


def _scan(text: str, inside: bool) -> tuple[list[int], list[tuple[int, int]]]:
    """The positions of the delimiters outside any bracket, and the outermost non-empty brackets.

    Invisible parentheses are seen through where they would not help: within brackets, and around a text
    that has no delimiter of its own.
    """
    delimiters: list[int] = []
    groups: list[tuple[int, int]] = []
    position, end = 0, len(text)
    while position < end:
        char = text[position]
        if char in _OPENING:
            closing = _matching(text, position)
            if closing < 0:  # the first part of something that was split further inside
                position += 1
                continue
            if char in _INVISIBLE:
                own, inner = _scan(text[position + 1 : closing], True)
                if inside or not own:
                    shift = position + 1
                    delimiters.extend(shift + place for place in own)
                    groups.extend((shift + first, shift + last) for first, last in inner)
                    position = closing + 1
                    continue
            if closing > position + 1:
                groups.append((position, closing))
            position = closing
        elif char in _DELIMITERS:
            delimiters.append(position)
        position += 1
    return delimiters, groups


def _matching(text: str, position: int) -> int:
    """Where the group that opens here ends, or -1."""
    depth = 0
    for place in range(position, len(text)):
        char = text[place]
        if char in _OPENING:
            depth += 1
        elif char == CLOSE:
            depth -= 1
            if not depth:
                return place
    return -1


def _choose(text: str, groups: list[tuple[int, int]], indent: str, width: int) -> tuple[int, int]:
    """The last brackets that leave a line that fits before and after them, or else the longest ones."""
    room = width - len(indent)
    for opening, closing in reversed(groups):
        body = len(flatten(text[opening:closing]))
        if body > 3 and len(flatten(text[:opening])) <= room and len(flatten(text[closing:])) <= room:
            return opening, closing
    return max(groups, key=lambda group: group[1] - group[0])
