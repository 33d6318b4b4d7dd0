"""`with a: with b: ...` as `with a, b: ...`.

Before: each context manager has a with statement of its own; the instructions are the same for both forms.
After: with statements that were on one line, and of which one is all that is in the other, are one
statement.
"""

from __future__ import annotations

from .. import nodes as n
from .tail_positions import DEFINITIONS


def merge_with_items(body: list[n.Statement], kind: str) -> None:
    """Merge with statements of the same line, innermost first, so that a chain of them becomes one."""
    n.rewrite_bodies(body, _merge, DEFINITIONS)


def _merge(body: list[n.Statement]) -> None:
    for outer in body:
        if not isinstance(outer, (n.With, n.AsyncWith)) or len(outer.body) != 1:
            continue
        inner = outer.body[0]
        if not isinstance(inner, (n.With, n.AsyncWith)) or type(inner) is not type(outer):
            continue
        if outer.line is not None and outer.line == inner.line and not inner.comments:
            outer.items += inner.items
            outer.body = inner.body
