"""What the names in code tell of its values: words for variables that the code does not have."""

from __future__ import annotations

from typing import Callable, NamedTuple, Pattern, Tuple

Patterns = Tuple[Tuple[Pattern[str], str], ...]
"""Patterns of names, each with the word for what they give (a template for `re.Match.expand`)."""


class Words(NamedTuple):
    """How the tool that made the code names things.

    ``is_made_up``: whether it gave a local variable this name, so that nobody misses it. ``local_hint``: a better name
    for such a variable. ``globals``, ``attributes`` and ``results``: words for what global names, attributes and
    calls of what has such a name give. ``numbered``: the variable whose items are told apart by their numbers alone.
    """

    is_made_up: Callable[[str], bool] = lambda name: False
    local_hint: Callable[[str], str] = lambda name: name
    globals: Patterns = ()
    attributes: Patterns = ()
    results: Patterns = ()
    numbered: str = ""


PLAIN = Words()
"""All names are the author's."""
