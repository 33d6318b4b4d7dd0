"""What a caller can ask of the decompiler, as one value that every stage can read."""

from __future__ import annotations

from types import MappingProxyType
from typing import FrozenSet, Mapping, NamedTuple, Sequence


class Settings(NamedTuple):
    """How to decompile.

    ``strict``: a lone code object that is refused raises DecompilationError; otherwise its source is a ``raise`` with
    the reason and the instructions as comments.
    ``skip_transforms``: names of transforms in ``polish`` that are switched off.
    ``result_names``: for functions that give tuples, by their global names: what the items would be called. They name
    variables that have no names in the bytecode.
    ``searches``: what is proven but not exact is spelled in other ways, for a second or so, until one is exact. Code
    that tools made, such as Dynamo's, never is.
    """

    strict: bool = True
    skip_transforms: FrozenSet[str] = frozenset()
    result_names: Mapping[str, Sequence[str]] = MappingProxyType({})
    searches: bool = True


DEFAULT = Settings()
