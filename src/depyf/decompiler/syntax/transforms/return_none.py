"""`return None` in a function that returns nothing else.

Before: every return has the value that the instructions load. After: a function, none of whose returns has
another value than None, says `return`; in all others `return None` stays, next to the values that it is an
alternative to. Where the width tells what was written, that is kept.
"""

from __future__ import annotations

from .. import nodes as n
from .redundant_return import returns_none
from .tail_positions import DEFINITIONS


def shorten_return_none(body: list[n.Statement], kind: str) -> None:
    """Spell the returns of None in the way that suits the function's other returns."""
    returns = [
        statement for inner in n.bodies(body, DEFINITIONS) for statement in inner if isinstance(statement, n.Return)
    ]
    has_value = not all(map(returns_none, returns))
    for statement in returns:
        if returns_none(statement):
            is_long = has_value if statement.written is None else statement.written == "return None"
            statement.value = n.Constant(None) if is_long else None
