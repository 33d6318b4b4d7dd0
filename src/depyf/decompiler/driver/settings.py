"""The decompiler's settings, as one value that every stage can read."""

from __future__ import annotations

from types import MappingProxyType
from typing import Callable, Mapping, NamedTuple, Sequence

from ..limits.budget import DEFAULT_STEPS
from ..names.dynamo import DYNAMO_HINTS
from ..names.naming_hints import NamingHints


class Origin(NamedTuple):
    """The tool that made the code, as known to the caller: names alone don't show it.

    ``is_made_up``: whether a local variable of this name is the tool's, so it may be dropped or renamed.
    ``naming``: hints for new variables where code is written as a sequence of effects. Dynamo's by default, as most
    code without an origin that no compiler made is Dynamo's.
    """

    is_made_up: Callable[[str], bool]
    naming: NamingHints = DYNAMO_HINTS


COMPILER = Origin(lambda name: False)
"""Made by a compiler: every name is the author's."""


class Settings(NamedTuple):
    """How to decompile.

    ``skip_transforms``: names of transforms in ``polish`` to skip.
    ``skip_rules``: names of rules of the structurer to skip, to measure the worth of each.
    ``result_names``: for functions that return tuples, by their global names: names for the items, used for variables
    that have no names in the bytecode.
    ``searches``: search other spellings of what is proven but not exact, for a second or so, until one is exact. Code
    that tools made, such as Dynamo's, never is.
    ``origin``: the tool that made the code. Compiled code is structured first, which keeps all names.
    ``budget``: the limit of work, in steps of some ten microseconds, for all code objects together; each adds one step
    for every 2,000 of them and one for each of its instructions. Code that exceeds it is refused with that reason.
    ``rewritten_asserts``: keep the statements that pytest has rewritten an assert to.
    ``layout``: 'author' puts tokens on the lines and in the columns that the line table has for them.
    ``checks``: check the invariants after every pass; BrokenInvariant names the one that does not hold.
    """

    skip_transforms: frozenset[str] = frozenset()
    skip_rules: frozenset[str] = frozenset()
    result_names: Mapping[str, Sequence[str]] = MappingProxyType({})
    searches: bool = True
    origin: Origin = COMPILER
    budget: int = DEFAULT_STEPS
    rewritten_asserts: bool = False
    checks: bool = False
    layout: str = "compact"


LAYOUTS = ("compact", "author")

DEFAULT = Settings()
