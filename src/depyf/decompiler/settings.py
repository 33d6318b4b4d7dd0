"""What a caller can ask of the decompiler, as one value that every stage can read."""

from __future__ import annotations

from typing import FrozenSet, NamedTuple


class Settings(NamedTuple):
    """How to decompile.

    ``strict``: a lone code object that is refused raises DecompilationError; otherwise its source is a ``raise`` with
    the reason and the instructions as comments.
    ``skip_transforms``: names of transforms in ``polish`` that are switched off.
    ``proof_budget``: how many steps a proof may take before the result is called unproven; a limit, not a verdict.
    """

    strict: bool = True
    skip_transforms: FrozenSet[str] = frozenset()
    proof_budget: int = 200_000


DEFAULT = Settings()
