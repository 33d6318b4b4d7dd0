"""`with a: with b: ...` as `with a, b: ...`.

Before: each context manager has a separate with statement; the instructions are the same for both forms.
After: a with statement is merged with one that is its whole body, if both were on one line, or if the inner one is not
indented deeper than the outer one.
"""

from __future__ import annotations

from .. import nodes as n
from .tail_positions import DEFINITIONS


def merge_with_items(body: list[n.Statement], kind: str) -> None:
    """Merge nested with statements, outermost first: only of the first item is the column that of the statement."""
    for one in n.bodies(body, DEFINITIONS):
        _merge(one)


def _merge(body: list[n.Statement]) -> None:
    for outer in body:
        if not isinstance(outer, (n.With, n.AsyncWith)):
            continue
        line = outer.line
        while len(outer.body) == 1:
            inner = outer.body[0]
            if not isinstance(inner, (n.With, n.AsyncWith)) or type(inner) is not type(outer):
                break
            if not _is_one(outer, inner, line) or inner.comments:
                break
            outer.items += inner.items
            outer.body, line = inner.body, inner.line


def _is_one(outer: n.With | n.AsyncWith, inner: n.With | n.AsyncWith, line: int | None) -> bool:
    """Whether ``inner`` is an item of ``outer``, whose last item is on ``line``."""
    if line is None or inner.line is None:
        return False
    if line == inner.line:
        return True
    if outer.column is None or inner.column is None:
        return False
    # A nested statement would be indented deeper, and its body as much deeper again, or more by a parenthesis. An item
    # on a separate line counts as if `with` were before it.
    indented = inner.column - outer.column
    # A return after the exits has their line, which is the outer statement's.
    after = (one for one in inner.body if one.line is not None and one.line > inner.line)
    body = [one.column for one in after if one.column is not None]
    return indented <= 0 or bool(body) and min(body) - inner.column not in (indented, indented + 1)
