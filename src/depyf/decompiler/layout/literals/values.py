"""Values of literals, and their other texts."""

from __future__ import annotations

import ast
import re
from typing import Iterator

from .numbers import rare_spellings, spellings_of_number
from .strings import rare_spellings_of_string, spellings_of_string

ARITHMETIC = frozenset("+ - * / // % @ ** << >> & | ^ ~ .".split())
"""Operators that may bind tighter than one in the text of a number beside them."""
_PLAIN = re.compile(r"""'[^'\\\n]*'|"[^"\\\n]*\"""")
"""A literal that is what it reads, which needs no parser."""
BINDS_LESS = re.compile(r"<<|[-+/]|(?<!\*)\*(?!\*)")
"""Operators in a spelling of a number that an adjacent operator may bind tighter than."""


def value_of(text: str) -> object:
    """Return the value of a literal; None for a formatted string."""
    if _PLAIN.fullmatch(text) is not None:
        return text[1:-1]
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return None


def spellings_of(value: object, text: str) -> Iterator[str]:
    """Yield other literals of the value of ``text``."""
    if isinstance(value, (str, bytes)):
        yield from spellings_of_string(value, text)
    elif isinstance(value, (int, float)):
        yield from spellings_of_number(value)


def rare_spellings_of(value: object, text: str, width: int | None = None) -> Iterator[str]:
    """Yield literals that fewer people write; ``width``: others are of no use."""
    if isinstance(value, (str, bytes)):
        yield from rare_spellings_of_string(value, text, width)
    elif isinstance(value, (int, float)):
        yield from rare_spellings(value)
