"""Search for an exact spelling of code that is proven but not exact.

On entry, the text does what the original does. On exit, the body compiles to the original's instructions, or is
unchanged. No change is trusted: only an exact proof of the new text justifies replacing the old one.
"""

from __future__ import annotations

import contextlib
import difflib
import heapq
import itertools
from typing import Any, Callable, Iterator, Optional, Sequence

from ...errors import DecompilationError
from ..bytecode import RawCode, readable_instructions
from ..bytecode.kinds import kind_of
from ..limits.budget import spend
from ..proof import prove
from ..proof.lockstep.normalize import NormalForm, NotComparable, normalize
from ..syntax import nodes
from .changes import FormChange, TreeChange, changes
from .kinds import Search

Text = Callable[[], Optional[str]]
"""Prints the code object with its current body; returns None if it has no text."""
Compile = Callable[[RawCode, str], RawCode]
"""Compiles a text that should be equal to the code object; raises DecompilationError if it is not valid Python."""

WORK = 90_000
"""The budget for all spellings of one code object: compared instructions, plus a quarter of the text's characters."""
_STEPS = 0.8
"""How much of the decompiler's budget each unit of work spends."""
DEPTH = 4
"""The maximum number of changes to one body."""
COST = 2
"""The number of differing instructions that each change after the first costs as much as."""
LONGEST = 500
"""The number of instructions that are aligned, which takes much longer the more there are; more are only counted."""
AT_ONCE = 12
"""The number of changes of a body to try before moving on to other bodies that are as close to the original."""


def spell_exactly(
    body: list[nodes.Statement], raw: RawCode, printed: Text, compiled: Compile, search: Search | None = None
) -> list[FormChange]:
    """Return the changes, to be made in order, that make ``body`` exact; an empty list if no spelling is found.

    The search extends the closest bodies first, and tries changes near differing instructions first. ``body`` is
    restored at the end.
    """
    search = search or Search()
    size = sum(len(readable_instructions(part)) for part in raw.walk())
    budget = WORK
    seen: set[str] = set()
    order = itertools.count(1)
    abandoned = [nodes.Constant(value) for value in raw.returned_after_finally_calls if value is not None]
    far = distance(raw, printed() or "", compiled) or 1.0
    # The distance from the original, a tie-breaker, the changes made, how many further changes were tried.
    waiting: list[tuple[float, int, list[FormChange], int]] = [(far, 0, [], 0)]
    while waiting and budget > 0:
        far, _, chosen, tried = heapq.heappop(waiting)
        with made(chosen):
            lines = _lines_that_differ(raw, printed(), compiled)
            proposed = search.proposed(changes(body, kind_of(raw), abandoned))
            options = sorted(proposed, key=lambda one: _line_distance(one.line, lines))
            for change in options[tried : tried + AT_ONCE]:
                with made([change]):
                    text = printed()
                    budget -= size + len(text or "") // 4
                    spend(_STEPS * (size + len(text or "") // 4), "the search for another spelling")
                    if text is None or text in seen:
                        continue
                    seen.add(text)
                    search.tries(change)
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
def made(chosen: Sequence[TreeChange]) -> Iterator[None]:
    """Apply these changes to the tree until the end of the with block."""
    for change in chosen:
        change.make()
    try:
        yield
    finally:
        for change in reversed(chosen):
            change.undo()


def compiled_with(change: TreeChange, raw: RawCode, printed: Text, compiled: Compile) -> RawCode | None:
    """Return the code of the text with ``change``; None if that does not compile."""
    with made([change]):
        try:
            return compiled(raw, printed() or "")
        except (DecompilationError, RecursionError):
            return None


def distance(raw: RawCode, text: str, compiled: Compile) -> float | None:
    """Return how much the code that ``text`` compiles to differs from ``raw``: 0.0 if not at all, near 1.0 if almost
    everywhere, None if unknown.
    """
    try:
        other = compiled(raw, text)
    except (DecompilationError, RecursionError):
        return None
    try:
        left, right = normalize(raw), normalize(other)
    except (NotComparable, DecompilationError):
        return 0.0 if prove(raw, other, names=False).exact else None
    # Most texts of a search have other operations; only the rest is worth a proof.
    if left.ops == right.ops and prove(raw, other, names=False).exact:
        return 0.0
    _, ours, theirs = _between(_steps(left), _steps(right))
    matcher = difflib.SequenceMatcher(None, ours, theirs, autojunk=False)
    alike = matcher.ratio() if max(len(ours), len(theirs)) <= LONGEST else matcher.quick_ratio()
    return max((1.0 - alike) * (len(ours) + len(theirs)) / (len(left.ops) + len(right.ops)), 1e-6)


def _lines_that_differ(raw: RawCode, text: str | None, compiled: Compile) -> list[int]:
    """Return the lines of the instructions of ``raw`` that the code compiled from ``text`` lacks."""
    try:
        other = compiled(raw, text or "")
        original = normalize(raw)
        before, ours, theirs = _between(_steps(original), _steps(normalize(other)))
    except (DecompilationError, NotComparable, RecursionError):
        return []
    matcher = difflib.SequenceMatcher(None, ours[:LONGEST], theirs[:LONGEST], autojunk=False)
    parts = [(before + start, before + end) for tag, start, end, _, _ in matcher.get_opcodes() if tag != "equal"]
    lines = {source.line for start, end in parts for source in original.sources[start : max(end, start + 1)]}
    return [line for line in lines if line is not None]


def _line_distance(line: int | None, lines: list[int]) -> int:
    """Return the distance from ``line`` to the nearest of ``lines``; 0 if unknown."""
    return min((abs(line - other) for other in lines), default=0) if line is not None else 0


def _between(ours: list[Any], theirs: list[Any]) -> tuple[int, list[Any], list[Any]]:
    """Return how many steps both begin with, and the rest of each without those that both end with."""
    least = min(len(ours), len(theirs))
    start = next((at for at in range(least) if ours[at] != theirs[at]), least)
    end = next((at for at in range(least - start) if ours[-1 - at] != theirs[-1 - at]), least - start)
    return start, ours[start : len(ours) - end], theirs[start : len(theirs) - end]


def _steps(form: NormalForm) -> list[Any]:
    jumps = (target - index if target >= 0 else None for index, target in enumerate(form.target))
    return list(zip(form.ops, form.args, jumps))
