"""Annotations that ``from __future__ import annotations`` made text, as source that gives this text."""

from __future__ import annotations

import ast
import re
from typing import Iterator

from ..printing.string_text import SINGLE_LINE_QUOTES, TRIPLE_QUOTES, escaped
from ..syntax import nodes


def annotation(value: nodes.Expression, stringified: bool) -> nodes.Expression:
    """An annotation; with ``from __future__ import annotations`` its constant is the text itself."""
    if stringified and isinstance(value, nodes.Constant) and isinstance(value.value, str):
        return nodes.Raw(_with_escapes_outside(_FOLDED.sub(_with_ellipsis, value.value)))
    return value


def _with_ellipsis(index: re.Match[str]) -> str:
    text = _ELLIPSIS.sub(lambda found: found[1] or "...", index[1])
    return index[0] if text == index[1] else f"[{text}]"


_ELLIPSIS = re.compile(r"""('[^']*'|"[^"]*")|\bEllipsis\b""")
_FOLDED = re.compile(r"""\[\(((?:'[^']*'|"[^"]*"|[^][()'"])*)\)\]""")
"""An index in an annotation's text that 3.8 folded to a constant: ``[..., None]`` became ``[(Ellipsis, None)]``."""
_STRING = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_FORMATTED = re.compile(rf"""(?<!\w)([ft]?)({_STRING})""", re.DOTALL)
_TEXT = re.compile(r"(?:[^{}]|\{\{|\}\})+")
_SPECIFICATION = re.compile(r"[^{}]+")
_TOKEN = re.compile(rf"{_STRING}|.", re.DOTALL)


def _with_escapes_outside(text: str) -> str:
    """``text`` with formatted strings whose expressions are as in source.

    CPython escapes such a string as a whole, the expressions in it as well (ast_unparse.c, append_joinedstr).
    """
    return _FORMATTED.sub(_formatted, text) if "\\" in text and "{" in text else text


def _formatted(found: re.Match[str]) -> str:
    prefix, literal = found.groups()
    if not prefix or "\\" not in literal:
        return found[0]
    pieces = list(_pieces(ast.literal_eval(literal)))
    code = "".join(text for text, is_code in pieces if is_code)
    kinds = (literal[0], *SINGLE_LINE_QUOTES, *TRIPLE_QUOTES)
    quote = next((kind for kind in kinds if kind not in code), literal[0])  # nested where the version allows it
    return prefix + quote + "".join(text if is_code else escaped(text, quote) for text, is_code in pieces) + quote


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """The pieces of a formatted string, each with whether it is an expression or punctuation around one."""
    at = specifications = 0
    while at < len(text):
        found = (_SPECIFICATION if specifications else _TEXT).match(text, at)
        if found is not None:
            yield found[0], False
            at = found.end()
        elif text[at] == "}":
            yield "}", True
            at, specifications = at + 1, specifications - 1
        else:
            end = _end_of_expression(text, at)
            yield _with_escapes_outside(text[at:end]), True
            at, specifications = end, specifications + (text[end - 1] == ":")


def _end_of_expression(text: str, start: int) -> int:
    """The index behind the brace or colon that ends the expression after the brace at ``start``."""
    depth = 0
    for token in _TOKEN.finditer(text, start + 1):
        if not depth and token[0] in (":", "}"):
            return token.end()
        depth += (token[0] in "([{") - (token[0] in ")]}")
    return len(text)
