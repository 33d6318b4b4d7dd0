"""Passes and invariants, and the loop that runs them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Generic, Iterable, TypeVar

from ...errors import DepyfError

W = TypeVar("W")


class BrokenInvariant(DepyfError):
    """A pass has left what must not be. A bug of depyf's, which only checking finds.

    Not a DecompilationError, nor anything else that makes the decompiler try another way.
    """


@dataclass(frozen=True)
class Invariant(Generic[W]):
    """What holds from a pass on. ``check`` says how it is broken; '' if it holds."""

    name: str
    check: Callable[[W], str]


@dataclass(frozen=True)
class Pass(Generic[W]):
    """A step that changes a work.

    ``why`` says what it does, and why in this place. Where it does not apply it is not run, and nobody is told; with
    None it always does.
    ``holds`` are the invariants of the work from here on, until its representation is another one. ``into`` is the
    attribute of the work that ``run`` computes, if it is one.
    """

    name: str
    run: Callable[[W], Any]
    why: str
    applies: Callable[[W], bool] | None = None
    holds: tuple[Invariant[W], ...] = ()
    into: str = ""


Observer = Callable[[Pass[Any], Any], None]
"""Is told of each pass that has run, with the work."""


def run_passes(passes: Iterable[Pass[W]], work: W, after: Observer | None = None) -> None:
    """Run those of the ``passes`` that apply, in their order."""
    for one in passes:
        if one.applies is None or one.applies(work):
            result = one.run(work)
            if one.into:
                setattr(work, one.into, result)
            if after is not None:
                after(one, work)


def broken(one: Pass[W], work: W) -> str:
    """How the first of the invariants that ``one`` leaves is broken, with its name; '' if all hold."""
    for invariant in one.holds:
        reason = invariant.check(work)
        if reason:
            return f"{invariant.name}: {reason}"
    return ""
