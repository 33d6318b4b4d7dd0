"""Small named transforms of a finished tree towards idiomatic source.

Takes: the body of one code object, whose nested definitions are already transformed. Gives: the same list,
changed in place, with the same meaning. Each transform is one idea in one file; a transform may change which
instructions the text compiles to where several forms mean the same, so the pipeline can disable each by
name.
Imports ``node.py``, ``nodes.py`` and ``traverse.py``.
"""

from __future__ import annotations

from typing import Callable, Collection, List

from .. import nodes as n
from ..node import Statement
from .elif_chains import chain_elifs
from .merge_with_items import merge_with_items
from .one_line import join_lines
from .redundant_continue import (
    drop_redundant_continue,
    drop_redundant_continue_in_while,
)
from .redundant_return import drop_redundant_return
from .return_none import shorten_return_none

__all__ = ["TRANSFORMS", "Transform", "check_names"]

# A transform changes the body in place; it gets the kind of its code object: function, class or module.
Transform = Callable[[List[Statement], str], None]

TRANSFORMS: list[tuple[str, Transform, set[type[Statement]]]] = [
    # Statements added by the compiler, and jumps with the same target as falling through
    ("redundant-return", drop_redundant_return, {n.Return}),
    ("redundant-continue", drop_redundant_continue, {n.Continue}),
    ("redundant-continue-in-while", drop_redundant_continue_in_while, {n.Continue}),
    # Spelling
    ("return-none", shorten_return_none, {n.Return}),
    ("merge-with-items", merge_with_items, {n.With, n.AsyncWith}),
    ("elif-chains", chain_elifs, {n.If}),
    ("one-line", join_lines, {n.Import}),
]
"""Each with its name, and the classes of statements without which it changes nothing."""


def check_names(disabled: Collection[str]) -> None:
    """Raises ValueError for a name that no transform has."""
    unknown = set(disabled) - {name for name, *_ in TRANSFORMS}
    if unknown:
        raise ValueError(f"no transform: {', '.join(sorted(unknown))}")
