"""Infer parentheses that no position covers: an extra column before an operand, or a line break in an expression
outside of brackets.

They are added only if they do not change how the expression parses.
"""

from __future__ import annotations

from typing import Iterator

from .literals.expressions import operators_of
from .literals.strings import width_of
from .matching.tokens import CLOSING, OPENING
from .writing.item import Item

_LOOSEST, _CONDITIONAL, _NOT, _COMPARISON, _UNARY, _POWER, _TIGHTEST = 0, 1, 4, 5, 12, 13, 14
_BINARY = {
    "if": _CONDITIONAL, "else": _CONDITIONAL, "or": 2, "and": 3, "|": 6, "^": 7, "&": 8, "<<": 9, ">>": 9,
    "+": 10, "-": 10, "*": 11, "/": 11, "//": 11, "%": 11, "@": 11, "**": _POWER,
    **dict.fromkeys(("in", "not", "is", "<", ">", "<=", ">=", "==", "!="), _COMPARISON),
}  # fmt: skip
_ASSIGNMENTS = frozenset("= += -= *= /= //= %= @= &= |= ^= >>= <<= **=".split())
_BEFORE_EXPRESSION = frozenset("return assert raise yield".split())
_BEFORE_TEST = frozenset("if elif while".split())
_KEYWORDS = frozenset("return if elif while not and or in is assert raise yield else".split())
_STOPS = frozenset((",", ":", "=", "for", "async", "as", "from", ":=", ";", "!", "lambda", "await", *_ASSIGNMENTS))


def add_parentheses(items: list[Item], indent: int, *, is_closed: bool = False) -> None:
    """Insert the parentheses into the items of a logical line, which begins in column ``indent``. ``is_closed``: none
    can follow the last item.
    """
    number = 1
    while number < len(items):
        found = next(_groups(items, number, indent), None) if _begins_operand(items, number) else None
        is_negated = found is not None and _is_negated_operand(items, number, found)
        if found is None or is_closed and found == len(items) or is_negated and _begins_broken(items, number - 1):
            number += 1
            continue
        start = number - is_negated
        first = items[start]
        items.insert(found, Item(")", None, None, 0, False, first.in_string))
        items.insert(start, Item("(", None, None, first.space, False, first.in_string))
        first.space = 0
        number += 1
    _around_line_ends(items, indent, is_closed=is_closed)
    _replace_split_expressions(items)


def _is_negated_operand(items: list[Item], number: int, end: int) -> bool:
    """Whether ``not`` before ``number`` is in its parentheses: ``(not a) or b``; few write ``not (a) or b``."""
    negation, before = items[number - 1], items[number - 2].symbol if number > 1 else ""
    if negation.symbol != "not" or negation.line is not None or before == "is":
        return False
    beside = {before, *(one.symbol for one in items[end : end + 1])}
    depth = 0
    for item in items[number:end]:
        if not depth and item.symbol in _BINARY:
            return False
        depth += (item.symbol in OPENING) - (item.symbol in CLOSING)
    return not beside.isdisjoint(("and", "or"))


def _begins_broken(items: list[Item], number: int) -> bool:
    """Whether ``number`` begins an expression that a line break outside of brackets is in: a parenthesis before it is
    rather around all of that.
    """
    if items[number - 1].symbol not in _ASSIGNMENTS | _BEFORE_EXPRESSION | _BEFORE_TEST:
        return False
    return _breaks(items, number, _end_of_expression(items, number))


def _replace_split_expressions(items: list[Item]) -> None:
    """Write constants as literals where an operator beside them would take a part of their expression."""
    for number, item in enumerate(items):
        if item.otherwise is None:
            continue
        own = min((_BINARY.get(operator, _UNARY) for operator in operators_of(item.text)), default=_TIGHTEST)
        before = _precedence_before(items, number - 1) if number else -1
        after = _precedence_of(items, number + 1) if number + 1 < len(items) else -1
        if after is None:  # a call, an attribute
            after = _TIGHTEST if items[number + 1].symbol in (".", "[", "(") else -1
        if not before < own >= after or after == _POWER:
            item.text = item.otherwise
            item.width = width_of(item.text)


def _begins_operand(items: list[Item], number: int) -> bool:
    before = items[number - 1].symbol
    if before in ("*", "**", "@", ".", "lambda", "import", "def", "class", "as"):
        return False
    return before in _BINARY or before in OPENING or before in _STOPS or before in _KEYWORDS or before == "~"


def _ends_operand(item: Item) -> bool:
    text = item.symbol
    if text in CLOSING or text == "...":
        return True
    return (text[0].isalnum() or text[0] in "_\"'" or not text[0].isascii()) and text not in _NO_OPERANDS


_NO_OPERANDS = frozenset((*_BINARY, *_STOPS, *_KEYWORDS))


def _groups(items: list[Item], number: int, indent: int) -> Iterator[int]:
    """Yield where a parenthesis opened before ``number`` may close, likeliest first; nothing if none opens there."""
    surplus = _surplus(items, number, indent)
    if surplus < 1 or items[number].symbol in CLOSING or items[number].is_glued:
        return
    if surplus == 1 and items[number - 1].symbol == "=" and _is_tuple(items[number:]):
        yield len(items)  # one that is unpacked, which has no position
        return
    ends = [end for end in ends_of_group(items, number) if not _is_refuted(items, number, end)]
    for end in ends:
        if _closes(items, number, end):
            yield end
            return
    last = ends[-1] if ends else 0
    keyword = items[number - 1].symbol in _KEYWORDS
    if last - number > (not keyword and not items[number].is_joined) and surplus == 1:
        open_end = _first_known(items, last) is None or _line_of(items, last) != _line_before(items, last)
        whole = last == len(items) and items[number - 1].symbol in _ASSIGNMENTS
        if open_end and (keyword or whole or _breaks(items, number, last)):
            yield last


def _is_refuted(items: list[Item], number: int, end: int) -> bool:
    """Whether a parenthesis from ``number`` to ``end`` would be inside of an expression that begins or ends with what
    is in it, without room for the parenthesis.
    """
    first, last = items[number], items[end - 1]
    if first.token is None or last.token is None:
        return False
    return first.reach is not None and first.reach > last.token or last.since is not None and last.since < first.token


def _is_tuple(items: list[Item]) -> bool:
    """Whether they have a comma outside of brackets, and are the last value of an assignment."""
    depth, commas = 0, 0
    for item in items:
        depth += (item.symbol in OPENING) - (item.symbol in CLOSING)
        if depth < 0 or not depth and item.symbol in _ASSIGNMENTS:
            return False
        commas += not depth and item.symbol == ","
    return commas > 0


def _surplus(items: list[Item], number: int, indent: int | None = None) -> int:
    """Return how many columns farther right than usual ``number`` is; 0 if unknown.

    ``indent``: the column of the first item, if that has no location.
    """
    item = items[number]
    if item.column is None or item.line is None:
        return 0
    width = item.space
    for before in range(number - 1, -1, -1):
        one = items[before]
        if one.line is not None:
            if one.column is None or one.end_line != item.line:
                return 0
            end = one.column + one.width if "\n" not in one.text else one.width
            return item.column - end - width
        width += one.width + (one.space if before else 0)
    return item.column - indent - width if indent is not None else 0


def ends_of_group(items: list[Item], number: int) -> Iterator[int]:
    """Yield the ends of groups that begin with ``number`` and can be in parentheses without changing the parse."""
    left = _precedence_before(items, number - 1)
    depth, loosest = 0, _TIGHTEST
    index = number
    expects_operand = True
    while index < len(items):
        text = items[index].symbol
        if depth == 0 and index > number and not expects_operand:
            right = _precedence_of(items, index)
            if right is not None:
                if loosest > left and loosest >= right and not (loosest == right == _COMPARISON):
                    yield index
                if right <= left or text in CLOSING or text in _STOPS:
                    return
                loosest = min(loosest, right)
                expects_operand = True
                if text in ("not", "is") and items[index + 1].symbol in ("in", "not"):
                    index += 1
                index += 1
                continue
        if depth == 0 and expects_operand:
            if text == "not":
                loosest = min(loosest, _NOT)
            elif text in ("-", "+", "~"):
                loosest = min(loosest, _UNARY)
            elif text in _STOPS:
                return
            else:
                expects_operand = False
        depth += (text in OPENING) - (text in CLOSING)
        if depth < 0:
            return
        index += 1
    if loosest > left:
        yield len(items)


def _precedence_before(items: list[Item], number: int) -> int:
    """Return the precedence of the operator before an operand."""
    text = items[number].symbol
    if text not in _BINARY or text in ("if", "in") and number in (0, 1):
        return _NOT if text == "~" else -1
    if number and not _ends_operand(items[number - 1]):
        if text == "not":
            return _COMPARISON if items[number - 1].symbol == "is" else _NOT - 1
        return _UNARY
    if text in ("in",) and items[0].symbol in ("for", "async"):
        return -1
    return _BINARY[text]


def _precedence_of(items: list[Item], number: int) -> int | None:
    text = items[number].symbol
    if text in CLOSING or text in _STOPS:
        return -1
    return _BINARY.get(text)


def _first_known(items: list[Item], end: int) -> int | None:
    for number in range(end, len(items)):
        if items[number].line is not None:
            return number
    return None


def _line_of(items: list[Item], end: int) -> int | None:
    known = _first_known(items, end)
    return items[known].line if known is not None else None


def _line_before(items: list[Item], end: int) -> int | None:
    return next((one.end_line for one in reversed(items[:end]) if one.end_line is not None), None)


def _closes(items: list[Item], number: int, end: int) -> bool:
    """Whether there is room for a closing parenthesis after the group."""
    known = _first_known(items, end)
    if known is None or _breaks_between(items, end, known):
        return False
    return end - number >= 1 and _surplus(items, known) >= 1 and (end - number > 1 or known > end)


def _breaks_between(items: list[Item], end: int, known: int) -> bool:
    return items[known].line != _line_before(items, end)


def _breaks(items: list[Item], number: int, end: int) -> bool:
    """Whether there is a line break within the group, outside of brackets."""
    depth = 0
    line = items[number].line
    for item in items[number:end]:
        if depth == 0 and (item.is_joined or item.line is not None and line is not None and item.line > line):
            return True
        depth += (item.symbol in OPENING) - (item.symbol in CLOSING)
        line = item.end_line or line
    return False


def _around_line_ends(items: list[Item], indent: int, *, is_closed: bool) -> None:
    """Parenthesize expressions that continue on another line outside of brackets, if there is room. If none can follow
    the last item, a backslash is written later.
    """
    depth = 0
    line: int | None = None
    number = 0
    while number < len(items):
        item = items[number]
        if depth == 0 and number and (_is_below(item, line) or _is_left_of(items, number, indent)):
            start = _start_of_expression(items, number)
            if start is not None and _has_room(items, start, number, indent):
                end = _end_of_expression(items, number)
                if is_closed and end == len(items):
                    number += 1
                    continue
                first = items[start]
                items.insert(end, Item(")", None, None, 0, False, False))
                items.insert(start, Item("(", None, None, first.space, False, False))
                first.space = 0
                number = end + 1
                continue
        depth += (item.symbol in OPENING) - (item.symbol in CLOSING)
        line = item.end_line or line
        number += 1


def _is_below(item: Item, line: int | None) -> bool:
    return item.line is not None and line is not None and item.line > line


def _is_left_of(items: list[Item], number: int, indent: int) -> bool:
    """Whether the column of the item shows that it is not on the line of the keyword, and perhaps a ``not``, before it.
    """
    keyword, column = items[0], items[number].column
    if number > 2 or column is None or keyword.line is not None or keyword.symbol not in _BEFORE_TEST:
        return False
    between = items[1].width + 1 if number == 2 and items[1].symbol == "not" else 0
    return column < indent + keyword.width + 1 + between and (number == 1 or bool(between))


def _start_of_expression(items: list[Item], number: int) -> int | None:
    """Return the first item of the expression that continues at ``number``; None if it can't be parenthesized."""
    depth = 0
    is_loop = items[0].symbol in ("for", "async")
    for index in range(number - 1, -1, -1):
        text = items[index].symbol
        depth += (text in CLOSING) - (text in OPENING)
        if depth < 0 or depth == 0 and text in (",", "lambda", ":", "from", "as", ":="):
            return None
        if depth == 0:
            begins = text in _ASSIGNMENTS or text in _BEFORE_EXPRESSION or not index and text in _BEFORE_TEST
            if begins or is_loop and text == "in":
                return index + 1
    return None


def _end_of_expression(items: list[Item], number: int) -> int:
    depth = lambdas = 0
    for index in range(number, len(items)):
        text = items[index].symbol
        if depth == 0 and text == ":" and lambdas:
            lambdas -= 1
        elif depth == 0 and (text in (":", ",", "from") or text in _ASSIGNMENTS) and not lambdas:
            return index
        lambdas += depth == 0 and text == "lambda"
        depth += (text in OPENING) - (text in CLOSING)
    return len(items)


def _has_room(items: list[Item], start: int, number: int, indent: int) -> bool:
    """Whether a parenthesis fits before the item: it begins a line, or has an extra column before it."""
    known = _first_known(items, start)
    if known is None or known >= number or items[known].column is None:
        return True
    return _surplus(items, known, indent) >= 1
