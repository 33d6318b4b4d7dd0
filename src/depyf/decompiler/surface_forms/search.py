"""Search for a spelling of proven code that is exact or, if it is exact, identical.

On entry, the text does what the original does. On exit, the body compiles to the original's instructions, or to its
code object, or is unchanged. No change is trusted: only the proof of the new text justifies replacing the old one.
"""

from __future__ import annotations

import contextlib
import difflib
import functools
import heapq
import itertools
from collections import Counter
from typing import Any, Callable, Iterator, NamedTuple, Optional, Sequence

from ...errors import DecompilationError
from ..bytecode import RawCode, readable_instructions
from ..bytecode.dead_code import DeadCode, differing_parts, first_dead_difference
from ..bytecode.kinds import kind_of
from ..limits.budget import spend
from ..proof import prove
from ..proof.identical import differing_fields
from ..proof.lockstep.bisimulation import same_instructions
from ..proof.lockstep.normalize import NormalForm, NotComparable, normalize
from ..syntax import nodes
from .changes import TRIES, FormChange, changes, last_line
from .kinds import Search

Text = Callable[[], Optional[str]]
"""Prints the code object with its current body; returns None if it has no text."""
Compile = Callable[[RawCode, str], RawCode]
"""Compiles a text that should be equal to the code object; raises DecompilationError if it is not valid Python."""

TEXTS = 8
"""So many texts cost about as much as the decompilation of the code object: a search compiles no more of them."""
WORK = 24_000
"""A search of small code may do so much anyway: compared instructions, plus a quarter of the text's characters."""
_STEPS = 0.8
"""How much of the decompiler's budget each unit of work spends."""
_DEPTH = 8
"""The maximum number of changes to one body."""
_COST = 2
"""The number of differing instructions that each change after the first costs as much as."""
_LONGEST = 500
"""The number of instructions that are aligned, which takes much longer the more there are; more are only counted."""
_AT_ONCE = 12
"""The number of changes of a body to try before moving on to other bodies that are as close to the original."""
_LATEST = 1 << 30
_OF_DEAD_CODE = {
    True: ("if:rest-into-else", "try:rest-into-else", "if:else-below-jump", "end:jump-added", "if:else-pass"),
    False: (
        "if:else-below-jump", "if:else-below", "try:rest-into-else-without-jumps", "if:rest-into-else-without-jump",
        "try:else-below", "try:last-into-else", "try:jump-below", "end:jump-dropped",
    ),
}  # fmt: skip
"""The kinds of changes that leave a dead jump, and those that remove one, the most frequent first."""


class Texts:
    """The texts of ``body``, the body of ``raw``, with other spellings, as code. It is restored after each of them."""

    def __init__(
        self, body: list[nodes.Statement], raw: RawCode, printed: Text, compiled: Compile, search: Search
    ) -> None:
        self.body, self.raw, self.printed, self.search = body, raw, printed, search
        self._compile = compiled
        self._seen: set[str] = set()
        self._size = sum(len(readable_instructions(part)) for part in raw.walk())
        self._left: float | None = None

    def current(self) -> RawCode | None:
        """The code of the current text; None if it has none."""
        return self._compiled(self.printed())

    def _compiled(self, text: str | None) -> RawCode | None:
        with contextlib.suppress(DecompilationError, RecursionError):
            return self._compile(self.raw, text) if text is not None else None
        return None

    def with_changes(self, *chosen: FormChange) -> RawCode | None:
        """The code of the text with these changes; None if it is known, does not compile, or there were enough."""
        if self.is_spent:
            return None
        with made(chosen):
            text = self.printed()
            if text is None or text in self._seen:
                return None
            self._seen.add(text)
            work = self._size + len(text) // 4
            self._left = (max(TEXTS * work, WORK) if self._left is None else self._left) - work
            spend(_STEPS * work, "the search for another spelling")
            self.search.tries(chosen[-1])
            return self._compiled(text)

    @property
    def is_spent(self) -> bool:
        """Whether there were as many texts as the code object is worth."""
        return self._left is not None and self._left <= 0

    @functools.cached_property
    def normal_form(self) -> NormalForm:
        """That of the original, with which many texts are compared."""
        return normalize(self.raw)

    def is_identical(self, other: RawCode | None) -> bool:
        """Whether ``other`` is the original."""
        return other is not None and not any(differing_fields(self.raw, other))


class Near(NamedTuple):
    """How ``far`` code is from the original, in instructions, and the ``lines`` or the ``dead`` code that differ.

    Other changes than those that mend dead code are tried too unless the text ``is_exact``.
    """

    far: int
    lines: Sequence[int] = ()
    dead: DeadCode | None = None
    is_exact: bool = True


def spell_better(texts: Texts, recompiled: RawCode, *, is_exact: bool) -> list[FormChange]:
    """Return the changes, to be made in order, that make the text exact, and identical if they are found too; an empty
    list if the text stays as it is. ``recompiled`` is its code.
    """
    chosen: list[FormChange] = []
    if not is_exact:
        chosen = _nearest(texts, recompiled, distance)
        with made(chosen):
            exact = texts.current() if chosen else None
        if exact is None:
            return chosen
        recompiled = exact
    with made(chosen):
        return [*chosen, *_nearest(texts, recompiled, _dead_distance)]


def _nearest(
    texts: Texts, recompiled: RawCode, measure: Callable[[Texts, RawCode], Near | None]
) -> list[FormChange]:
    """Return the changes after which nothing differs. The closest bodies are extended first."""
    order = itertools.count()
    abandoned = [nodes.Constant(value) for value in texts.raw.returned_after_finally_calls if value is not None]
    first = measure(texts, recompiled)
    # The distance from the original, a tie-breaker, the changes made, further ones (None: all), what differs.
    waiting: list[tuple[int, int, list[FormChange], list[FormChange] | None, Near]] = []
    if first is not None and first.far:
        waiting.append((first.far, next(order), [], None, first))
    while waiting and not texts.is_spent:
        far, _, chosen, options, near = heapq.heappop(waiting)
        with made(chosen):
            if options is None:
                target = near.dead.target if near.dead is not None else None
                kinds = _mending(near.dead) if near.is_exact else None
                found_in = changes(texts.body, kind_of(texts.raw), abandoned, target, kinds)
                options = _likeliest_first(texts.search.proposed(found_in), near)
            for change in options[:_AT_ONCE]:
                other = texts.with_changes(change)
                found = measure(texts, other) if other is not None else None
                if found is None:
                    continue
                if not found.far:
                    return [*chosen, change]
                if len(chosen) + 1 < _DEPTH:
                    cost = found.far + _COST * len(chosen)
                    heapq.heappush(waiting, (cost, next(order), [*chosen, change], None, found))
        if _AT_ONCE < len(options):
            heapq.heappush(waiting, (far + _COST, next(order), chosen, options[_AT_ONCE:], near))
    return []


def _likeliest_first(proposed: Iterator[FormChange], near: Near) -> list[FormChange]:
    """Return the changes next to what differs, those next to it first."""
    dead, mending = near.dead, _mending(near.dead)
    if dead is None or mending is None:
        return sorted(proposed, key=lambda one: min((abs((one.line or 0) - line) for line in near.lines), default=0))
    found, others = [], []
    for change in proposed:
        line = change.line or 0
        is_above = change.kind in mending and (dead.line is None or line <= dead.line)
        jumps = not change.kind.startswith("end:") or nodes.Continue() in (change.before[-1], change.after[-1])
        if is_above and jumps:
            ends = dead.line in _last_lines(change)
            found.append(((not ends, (dead.line or _LATEST) - line, mending.index(change.kind)), change))
        elif not near.is_exact:
            others.append(change)
    return [change for _, change in sorted(found, key=lambda one: one[0])] + others


def _mending(dead: DeadCode | None) -> list[str] | None:
    """Return the kinds of changes that may mend dead code, the most frequent first; None if it is not dead code."""
    return dead and [kind for way in (dead.missing, not dead.is_extra) for kind in _OF_DEAD_CODE[way]]


def _last_lines(change: FormChange) -> set[int | None]:
    """Return the last line of the part of the statement that precedes its ``else``, and of what follows."""
    of = change.of
    branch = of.body if isinstance(of, nodes.If) else []
    if isinstance(of, TRIES):
        branch = of.handlers[-1].body if of.handlers else of.body
    place = next((at for at, one in enumerate(change.before) if one is of), len(change.before))
    return {last_line(branch), last_line(change.before[place + 1 :])}


@contextlib.contextmanager
def made(chosen: Sequence[FormChange]) -> Iterator[None]:
    """Apply these changes to the tree until the end of the with block."""
    for change in chosen:
        change.make()
    try:
        yield
    finally:
        for change in reversed(chosen):
            change.undo()


def distance(texts: Texts, other: RawCode) -> Near | None:
    """Return how far ``other`` is from having the instructions of the original; None if unknown."""
    raw = texts.raw
    try:
        left, right = texts.normal_form, normalize(other)
    except (NotComparable, DecompilationError):
        return Near(0) if prove(raw, other, names=False).exact else None
    # Most texts of a search have other instructions; only the rest is worth a proof.
    if same_instructions(left, right):
        if prove(raw, other, names=False).exact:
            return Near(0)
        return Near(1, dead=first_dead_difference(raw, other), is_exact=False)
    start, ours, theirs = differing_parts(_steps(left), _steps(right))
    matcher = difflib.SequenceMatcher(None, ours[:_LONGEST], theirs[:_LONGEST], autojunk=False)
    parts = [(start + begin, start + end) for tag, begin, end, _, _ in matcher.get_opcodes() if tag != "equal"]
    lines = {source.line for begin, end in parts for source in left.sources[begin : max(end, begin + 1)]}
    alike = sum(block.size for block in matcher.get_matching_blocks())
    alike += sum((Counter(ours[_LONGEST:]) & Counter(theirs[_LONGEST:])).values())
    return Near(max(len(ours) + len(theirs) - 2 * alike, 1), [line for line in lines if line is not None])


def _dead_distance(texts: Texts, other: RawCode) -> Near | None:
    """Return how far ``other``, which is exact, is from the original in its dead code; None if it differs elsewhere."""
    if texts.is_identical(other):
        return Near(0)
    dead = first_dead_difference(texts.raw, other)
    return Near(max(dead.far, 1), dead=dead) if dead is not None else None


def _steps(form: NormalForm) -> list[Any]:
    jumps = [target - index if target >= 0 else None for index, target in enumerate(form.target)]
    return list(zip(form.ops, form.args, jumps))
