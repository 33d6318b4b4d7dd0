"""Suggested variable names for values, by their origin. They only serve readability."""

from __future__ import annotations

import re
from typing import Any

from ..names.naming_hints import NamingHints, Patterns
from ..names.spelling import is_name

_VAGUE = re.compile(r"(out|out_\d+|tmp|value|item|result|instance)")


def is_vague(name: str) -> bool:
    """Whether a name says little about its value."""
    return bool(_VAGUE.fullmatch(name))


def attribute_hint(naming: NamingHints, name: str) -> str:
    """Return a variable name for the value of an attribute."""
    return _first(naming.attributes, name) or name.strip("_") or "value"


def global_hint(naming: NamingHints, name: str) -> str:
    """Return a variable name for the value of a global name."""
    return _first(naming.globals, name) or name.strip("_") or "value"


def call_hint(naming: NamingHints, callee: str, argument: str = "") -> str:
    """Return a variable name for the result of a call, from the callee, or from the argument of a conversion."""
    if callee.lstrip("_").startswith("as_") and is_name(argument) and not is_vague(argument):
        return argument
    hint = _first(naming.results, callee)
    if hint is None and callee[:1].isupper() and not callee.isupper():
        hint = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", callee).lower()  # a class
    return hint or "result"


def item_hint(naming: NamingHints, owner: str, key: Any) -> str:
    """Return a variable name for the item at ``key`` of the value of ``owner``."""
    if type(key) is str and is_name(key):
        return key
    if type(key) is str and key.isdigit() and owner.endswith("s"):
        return f"{owner[:-1]}_{key}"
    if type(key) is not int or key < 0 or is_vague(owner):
        return "item"
    numbered = naming.numbered and owner.startswith(naming.numbered)
    return f"out_{key}" if numbered else f"{owner}_{key}"


def _first(table: Patterns, name: str) -> str | None:
    for pattern, hint in table:
        match = pattern.fullmatch(name)
        if match:
            return str(match.expand(hint))
    return None
