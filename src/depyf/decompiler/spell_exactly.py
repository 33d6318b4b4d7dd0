"""Code that is proven but not exact: another spelling of it may be.

Before: the text does what the original does. After: the body is one that compiles to the original's instructions, or
it is as it was. Nothing here is believed: an exact proof of the new text is the only ground to change the old one.
"""

from __future__ import annotations

import difflib
from typing import Any, Callable, Optional

from ..errors import DecompilationError
from .bytecode import RawCode, known_instructions
from .other_spellings import Change, changes
from .proof import Level, prove
from .proof.normalize import NotComparable, normalize
from .syntax import nodes
from .units import kind_of

Text = Callable[[], Optional[str]]
"""Prints the code object with its body as it is now; gives None if it has no text."""
Compile = Callable[[RawCode, str], RawCode]
"""Compiles a text that is to be the same as the code object; raises DecompilationError if it is no Python."""

WORK = 150_000
"""For all spellings of one code object together: instructions that are compared, a quarter of the text's characters."""
DEPTH = 4
"""The most changes of one body."""
WIDTH = 3
"""How many of the bodies that are nearest to the original are changed further."""


def spell_exactly(body: list[nodes.Statement], raw: RawCode, printed: Text, compiled: Compile) -> list[Change]:
    """Change ``body`` so that it is exact; returns what was changed, in order, nothing if no spelling is found.

    The changes that come nearest are tried on first.
    """
    size = sum(len(known_instructions(part)) for part in raw.walk())
    budget = WORK
    waiting: list[list[Change]] = [[]]
    seen: set[str] = set()
    for _ in range(DEPTH):
        found: list[tuple[float, list[Change]]] = []
        for made in waiting:
            for change in made:
                change.make()
            for change in list(changes(body, kind_of(raw))):
                if budget <= 0:
                    break
                change.make()
                text = printed()
                far = None
                budget -= size + len(text or "") // 4
                if text is not None and text not in seen:
                    seen.add(text)
                    far = distance(raw, text, compiled)
                if far == 0.0:
                    return [*made, change]
                change.undo()
                if far is not None:
                    found.append((far, [*made, change]))
            for change in reversed(made):
                change.undo()
        found.sort(key=lambda pair: pair[0])
        waiting = [made for _, made in found[:WIDTH]]
    return []


def distance(raw: RawCode, text: str, compiled: Compile) -> float | None:
    """How much ``raw`` and what ``text`` compiles to differ: 0.0 if not at all, near 1.0 if in nearly all, None if
    that can't be told.
    """
    try:
        other = compiled(raw, text)
    except (DecompilationError, RecursionError):
        return None
    if prove(raw, other, names=False).level is Level.EXACT:
        return 0.0
    try:
        left, right = _steps(raw), _steps(other)
    except (NotComparable, DecompilationError):
        return None
    ratio = difflib.SequenceMatcher(None, left, right, autojunk=False).ratio()
    return max(1.0 - ratio, 1e-6)


def _steps(raw: RawCode) -> list[Any]:
    form = normalize(raw)
    jumps = (target - index if target >= 0 else None for index, target in enumerate(form.target))
    return list(zip(form.ops, form.args, jumps))
