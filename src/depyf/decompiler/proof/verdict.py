"""The verdict of a proof: a level, the method, the reasons, and the first difference if there is one."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..bytecode import RawCode

ITER = "iter() of an iterator gives the iterator itself"
"""An assumption of both the lock-step walk and the symbolic proof."""


class Level(enum.Enum):
    """The certainty that the source means the same as the bytecode, highest first."""

    IDENTICAL = "identical"  # the recompiled code object equals the original, except for lines and nested code
    EXACT = "exact"  # the recompiled instructions are the same
    EQUIVALENT = "equivalent"  # they differ, and were shown to do the same
    UNPROVEN = "unproven"  # nothing is known
    REFUSED = "refused"  # there is no source

    def is_weaker(self, other: Level) -> bool:
        """Whether ``other`` is stronger."""
        return _ORDER[self] > _ORDER[other]


_ORDER = {level: rank for rank, level in enumerate(Level)}


class Difference(NamedTuple):
    """The first point where two code objects do not do the same.

    ``what`` says what differs and ``where`` in which code object, by its qualified name. ``left`` and ``right`` are
    the instructions as text ('' for a difference outside of instructions), the offsets are bytes into each code object
    and the lines source lines (None if unknown).
    """

    what: str
    where: str = ""
    left: str = ""
    right: str = ""
    left_offset: int = -1
    right_offset: int = -1
    left_line: int | None = None
    right_line: int | None = None

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        if self.left or self.right:
            left = _location(self.left, self.left_offset, self.left_line)
            text += f": at {left} against {_location(self.right, self.right_offset, self.right_line)}"
        return text


class Held(NamedTuple):
    """A value that the recompiled code holds at one instruction, and the original no longer holds there.

    ``variable`` is the local variable of the recompiled code that has it, directly or in a private container; '' if
    only its stack has it. ``instruction`` (as text), ``line`` and ``offset`` are its location in the recompiled code,
    before which the value should have been released. ``original_offset`` is the same point in the original.
    """

    variable: str
    instruction: str
    line: int | None = None
    offset: int = -1
    original_offset: int = -1

    def __str__(self) -> str:
        return f"{self.variable or 'the stack'} at {_location(self.instruction, self.offset, self.line)}"


def _location(text: str, offset: int, line: int | None) -> str:
    location = f"line {line}" if line is not None else f"offset {offset}" if offset >= 0 else "the end"
    return f"{location} `{text}`"


class Verdict(NamedTuple):
    """The result of a proof for one code object.

    ``method`` is "instructions", "lock-step", "symbolic" or "", and for refused code the stage that refused it.
    ``reasons`` say why it is not proven, or what is notable; ``assumptions`` are the axioms, beyond the documented
    ones, that the proof needed. ``pairs`` are the nested code objects (original, recompiled) met at the same
    instruction: they need separate proofs.
    ``held`` lists values that, by a symbolic proof, live longer than in the original (symbolic/lifetimes.py).
    ``differs`` names the fields of the code object that prevent exact code from being identical.
    ``lines`` and ``columns``, for text in its author's layout: whether the code is identical and each instruction has
    the line, or line and columns, of the original. None if not requested, or if the original has no columns.
    """

    level: Level
    method: str = ""
    reasons: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    pairs: tuple[tuple[RawCode, RawCode], ...] = ()
    difference: Difference | None = None
    held: tuple[Held, ...] = ()
    differs: tuple[str, ...] = ()
    lines: bool | None = None
    columns: bool | None = None

    @property
    def identical(self) -> bool:
        """Whether the recompiled code object equals the original."""
        return self.level is Level.IDENTICAL

    @property
    def exact(self) -> bool:
        """Whether the recompiled instructions are the same: exact or identical."""
        return self.level is Level.EXACT or self.level is Level.IDENTICAL

    @property
    def proven(self) -> bool:
        """Whether source and bytecode were shown to do the same."""
        return self.level in (Level.IDENTICAL, Level.EXACT, Level.EQUIVALENT)

    def describe(self) -> str:
        """A one-line description."""
        text = self.level.value
        if self.method:
            text += f" (in {self.method})" if self.level is Level.REFUSED else f" (by {self.method})"
        if self.reasons:
            text += ": " + "; ".join(self.reasons)
        if self.assumptions:
            text += "; assuming " + "; ".join(self.assumptions)
        if self.held:
            text += "; held longer than in the original: " + ", ".join(map(str, self.held))
        return text


def unproven(reason: str, difference: Difference | None = None) -> Verdict:
    """An UNPROVEN verdict for one reason."""
    return Verdict(Level.UNPROVEN, "", (reason,), difference=difference)
