"""`return None` in a function that returns nothing else.

Before: every return has the value that the instructions load. After: a function that only returns None uses `return`;
in all others `return None` stays, next to the other values. Where the width shows the source form, that is kept.
"""

from __future__ import annotations

from .. import nodes as n
from .redundant_return import returns_none
from .tail_positions import DEFINITIONS


def shorten_return_none(body: list[n.Statement], kind: str) -> None:
    """Spell the returns of None to match the function's other returns."""
    returns = [
        statement for inner in n.bodies(body, DEFINITIONS) for statement in inner if statement.__class__ is n.Return
    ]
    has_value = not all(map(returns_none, returns))
    for statement in returns:
        if returns_none(statement):
            is_long = has_value if statement.written is None else statement.written == "return None"
            statement.value = n.Constant(None) if is_long else None
