"""f-strings and t-strings.

Before 3.12 the text within the braces of an f-string may contain neither a backslash nor the quotes of the
enclosing string. So the quotes are chosen by the content: each kind is tried, and the strings inside are
written without escapes in the remaining kinds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

from ..syntax import nodes as n
from .constant_text import PrintError
from .line_wrapping import flatten
from .string_text import (
    TRIPLE_QUOTES,
    escaped,
    in_order,
    reads_better_in_lines,
    without_escapes,
)

if TYPE_CHECKING:
    from .expression_printer import ExpressionPrinter

_CONVERSIONS = {-1: "", ord("s"): "!s", ord("r"): "!r", ord("a"): "!a"}


class QuotesExhausted(PrintError):
    """No kind of quotes is left for the content of an f-string's braces."""


def formatted_string(printer: ExpressionPrinter, prefix: str, values: Sequence[n.Node]) -> str:
    """The text of an f-string (prefix `f`) or a t-string (prefix `t`).

    Raises QuotesExhausted if no choice of quotes is possible and the printer may not nest equal quotes, and
    PrintError if a value can't be part of such a string.
    """
    nested = printer.quotes is not None
    for quote in _candidates(printer, values):
        inner = [kind for kind in _all_kinds(printer) if not _closes(kind, quote)]
        try:
            text = _parts(printer.within(inner), values, quote)
        except QuotesExhausted:
            continue
        if not (nested and "\\" in text):
            return prefix + quote + text + quote
    if printer.grammar.nested_quotes:
        quote = printer.quote
        return prefix + quote + _parts(printer.within(None), values, quote) + quote
    raise QuotesExhausted("the braces of an f-string need more kinds of quotes than Python 3.11 reads")


def _closes(inner: str, quote: str) -> bool:
    """Whether quotes within the braces would end the enclosing string."""
    return inner == quote or inner[0] == quote


def string_within_braces(value: str, quotes: Sequence[str]) -> str:
    """A string constant within the braces of an f-string, in one of the kinds of quotes that are left."""
    text = without_escapes(value, quotes)
    if text is None:
        raise QuotesExhausted(f"{value!r} can't be written in the braces of an f-string of Python 3.11")
    return text


def _all_kinds(printer: ExpressionPrinter) -> Sequence[str]:
    return (*in_order(printer.quote), *TRIPLE_QUOTES) if printer.quotes is None else printer.quotes


def _candidates(printer: ExpressionPrinter, values: Sequence[n.Node]) -> list[str]:
    """The kinds of quotes to try: those that need no escapes in the literal parts come first."""
    literal = "".join(one.value for one in values if isinstance(one, n.Constant) and isinstance(one.value, str))
    in_lines = printer.quotes is None and reads_better_in_lines(literal)
    kinds = sorted(_all_kinds(printer), key=lambda kind: (len(kind) == 1) == in_lines)
    return sorted(kinds, key=lambda kind: len(kind) == 1 and kind in literal) if not in_lines else kinds


def _parts(printer: ExpressionPrinter, values: Sequence[n.Node], quote: str, in_specification: bool = False) -> str:
    """The text between the quotes; `printer` writes the expressions."""
    pieces = []
    for value in values:
        if isinstance(value, n.Constant) and isinstance(value.value, str):
            pieces.append(_literal(value.value, quote, in_specification, is_last=value is values[-1]))
        elif isinstance(value, (n.FormattedValue, n.Interpolation)):
            pieces.append(_replacement(printer, value, quote))
        else:
            raise PrintError(f"no part of a formatted string: {type(value).__name__}")
    return "".join(pieces)


def _literal(value: str, quote: str, in_specification: bool, is_last: bool) -> str:
    text = escaped(value, quote) if is_last else escaped(value + " ", quote)[:-1]  # a last quote would end the string
    if "{" in text or "}" in text:
        if in_specification:
            raise PrintError("a format specification cannot contain braces that are text")
        text = text.replace("{", "{{").replace("}", "}}")
    return text


def _replacement(printer: ExpressionPrinter, node: n.FormattedValue | n.Interpolation, quote: str) -> str:
    """The expression in its braces, with conversion and format specification."""
    if node.conversion not in _CONVERSIONS:
        raise PrintError(f"no conversion of a formatted string: {node.conversion}")
    text = flatten(printer.expression(node.value))
    if isinstance(node, n.Interpolation) and isinstance(node.str, str):
        text = node.str  # visible to the program: it must not change
    elif _has_open_lambda(text):
        text = f"({text})"  # its colon would start the format specification
    if printer.quotes is not None and ("\\" in text or quote in text or ("\n" in text and len(quote) == 1)):
        raise QuotesExhausted("an expression can't be written in the braces of an f-string of Python 3.11")
    if text.startswith("{"):
        text = " " + text
    return f"{{{text}{_CONVERSIONS[node.conversion]}{_specification(printer, node.format_spec, quote)}}}"


def _has_open_lambda(text: str) -> bool:
    """Whether a lambda may be outside of brackets."""
    if "lambda" not in text:
        return False
    if not set(text).isdisjoint("'\"#"):
        return True  # brackets in a string can't be told from others
    depth = 0
    for part in text.split("lambda")[:-1]:
        depth += sum(part.count(mark) for mark in "([{") - sum(part.count(mark) for mark in ")]}")
        if depth == 0:
            return True
    return False


def _specification(printer: ExpressionPrinter, node: n.Expression | None, quote: str) -> str:
    if node is None:
        return ""
    values = node.values if isinstance(node, (n.JoinedStr, n.TemplateStr)) else [node]
    return ":" + _parts(printer, values, quote, in_specification=True)
