"""Hints for the names of new variables, taken from the names in the code."""

from __future__ import annotations

from typing import Callable, NamedTuple, Pattern, Tuple

Patterns = Tuple[Tuple[Pattern[str], str], ...]
"""Patterns of names, each with a name for their values (a template for `re.Match.expand`)."""


class NamingHints(NamedTuple):
    """The naming conventions of the tool that made the code.

    ``is_made_up``: whether the tool made up this name of a local variable, so that it can be dropped. ``local_hint``: a
    better name for such a variable. ``globals``, ``attributes`` and ``results``: names for the values of global names,
    of attributes, and of calls, by the name of the callee. ``numbered``: the variable whose items are distinguished
    only by number.
    """

    is_made_up: Callable[[str], bool] = lambda name: False
    local_hint: Callable[[str], str] = lambda name: name
    globals: Patterns = ()
    attributes: Patterns = ()
    results: Patterns = ()
    numbered: str = ""


NO_HINTS = NamingHints()
"""For code whose names are all the author's."""
