"""What a caller can ask of the decompiler, as one value that every stage can read."""

from __future__ import annotations

from types import MappingProxyType
from typing import Callable, Mapping, NamedTuple, Sequence

from ..limits.budget import DEFAULT_STEPS
from ..names.dynamo import DYNAMO_HINTS
from ..names.naming_hints import NamingHints


class Origin(NamedTuple):
    """The tool that made the code, as whoever asks knows it: names alone do not tell.

    ``is_made_up``: whether a local variable of this name is the tool's, so that it may be left out or renamed.
    ``naming``: hints for new variables where code is written as a sequence of effects. Dynamo's by default, as most
    code without an origin that no compiler made is Dynamo's.
    """

    is_made_up: Callable[[str], bool]
    naming: NamingHints = DYNAMO_HINTS


COMPILER = Origin(lambda name: False)
"""A compiler made it: every name is the author's."""


class Settings(NamedTuple):
    """How to decompile.

    ``skip_transforms``: names of transforms in ``polish`` that are switched off.
    ``skip_rules``: names of rules of the structurer that are switched off, to see what each is worth.
    ``result_names``: for functions that give tuples, by their global names: what the items would be called. They name
    variables that have no names in the bytecode.
    ``searches``: what is proven but not exact is spelled in other ways, for a second or so, until one is exact. Code
    that tools made, such as Dynamo's, never is.
    ``origin``: which tool made the code. What a compiler made is structured first, which keeps all names.
    ``budget``: the most work, in steps of some ten microseconds, for all code objects together; each has a step more
    for every 2,000 of them and each of its instructions. What takes more is refused, and says so.
    ``rewritten_asserts``: what pytest has made of an assert stays as long as it is.
    ``layout``: 'author' puts tokens on the lines and in the columns that the line table has for them.
    ``checks``: after every pass, what must hold there is checked; BrokenInvariant says where it does not.
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
