"""Code that is proven but not exact: another spelling of it may be.

Before: the text does what the original does. After: the body is one that compiles to the original's instructions, or
it is as it was. Nothing here is believed: an exact proof of the new text is the only ground to change the old one.
"""

from __future__ import annotations

import contextlib
import difflib
import heapq
import itertools
from typing import Any, Callable, Iterator, Optional

from ...errors import DecompilationError
from ..bytecode import RawCode, known_instructions
from ..bytecode.kinds import kind_of
from ..limits.budget import spend
from ..proof import prove
from ..proof.lockstep.normalize import NotComparable, normalize
from ..syntax import nodes
from .changes import FormChange, changes

Text = Callable[[], Optional[str]]
"""Prints the code object with its body as it is now; gives None if it has no text."""
Compile = Callable[[RawCode, str], RawCode]
"""Compiles a text that is to be the same as the code object; raises DecompilationError if it is no Python."""

WORK = 60_000
"""For all spellings of one code object together: instructions that are compared, a quarter of the text's characters."""
_STEPS = 0.8
"""Of the decompiler's budget, for each of these."""
DEPTH = 4
"""The most changes of one body."""
COST = 2
"""How many other instructions each change but the first counts like."""
AT_ONCE = 12
"""How many changes of a body are tried before others that are as near to the original get their turn."""


def spell_exactly(body: list[nodes.Statement], raw: RawCode, printed: Text, compiled: Compile) -> list[FormChange]:
    """The changes of ``body``, to be made in their order, with which it is exact; none if no spelling is found.

    The bodies that come nearest are changed on, first where their instructions differ. Afterwards
    ``body`` is as it was.
    """
    size = sum(len(known_instructions(part)) for part in raw.walk())
    budget = WORK
    seen: set[str] = set()
    order = itertools.count(1)
    abandoned = [nodes.Constant(value) for value in raw.returned_after_finally_calls if value is not None]
    far = distance(raw, printed() or "", compiled) or 1.0
    # The distance from the original, the order among equals, what was changed, how many more changes were tried.
    waiting: list[tuple[float, int, list[FormChange], int]] = [(far, 0, [], 0)]
    while waiting and budget > 0:
        far, _, chosen, tried = heapq.heappop(waiting)
        with made(chosen):
            lines = _lines_that_differ(raw, printed(), compiled)
            options = sorted(changes(body, kind_of(raw), abandoned), key=lambda change: _away(change.line, lines))
            for change in options[tried : tried + AT_ONCE]:
                with made([change]):
                    text = printed()
                    budget -= size + len(text or "") // 4
                    spend(_STEPS * (size + len(text or "") // 4), "the search for another spelling")
                    if text is None or text in seen:
                        continue
                    seen.add(text)
                    other = distance(raw, text, compiled)
                if other == 0.0:
                    return [*chosen, change]
                if other is not None and len(chosen) + 1 < DEPTH:
                    further = other + COST * len(chosen) / size
                    heapq.heappush(waiting, (further, next(order), [*chosen, change], 0))
        if tried + AT_ONCE < len(options):
            heapq.heappush(waiting, (far, next(order), chosen, tried + AT_ONCE))
    return []


@contextlib.contextmanager
def made(chosen: list[FormChange]) -> Iterator[None]:
    """The tree with these changes, until the end of the block."""
    for change in chosen:
        change.make()
    try:
        yield
    finally:
        for change in reversed(chosen):
            change.undo()


def distance(raw: RawCode, text: str, compiled: Compile) -> float | None:
    """How much ``raw`` and what ``text`` compiles to differ: 0.0 if not at all, near 1.0 if in nearly all, None if
    that can't be told.
    """
    try:
        other = compiled(raw, text)
    except (DecompilationError, RecursionError):
        return None
    if prove(raw, other, names=False).exact:
        return 0.0
    try:
        left, right = _steps(raw), _steps(other)
    except (NotComparable, DecompilationError):
        return None
    ratio = difflib.SequenceMatcher(None, left, right, autojunk=False).ratio()
    return max(1.0 - ratio, 1e-6)


def _lines_that_differ(raw: RawCode, text: str | None, compiled: Compile) -> list[int]:
    """The lines of the instructions of ``raw`` that what ``text`` compiles to does not have."""
    try:
        other = compiled(raw, text or "")
        matcher = difflib.SequenceMatcher(None, _steps(raw), _steps(other), autojunk=False)
        sources = normalize(raw).sources
    except (DecompilationError, NotComparable, RecursionError):
        return []
    parts = [(start, end) for tag, start, end, _, _ in matcher.get_opcodes() if tag != "equal"]
    lines = {source.line for start, end in parts for source in sources[start : max(end, start + 1)]}
    return [line for line in lines if line is not None]


def _away(line: int | None, lines: list[int]) -> int:
    """How many lines ``line`` is from the nearest of ``lines``; 0 if nothing is known."""
    return min((abs(line - other) for other in lines), default=0) if line is not None else 0


def _steps(raw: RawCode) -> list[Any]:
    form = normalize(raw)
    jumps = (target - index if target >= 0 else None for index, target in enumerate(form.target))
    return list(zip(form.ops, form.args, jumps))
