"""A proven text in the lines and columns of its author, as far as the code has them: the last step."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Tuple

from ....errors import DecompilationError
from ...bytecode import RawCode
from ...layout.compare import same_columns, same_lines
from ...layout.lay_out import Layout
from ...layout.matching.tokens import CannotCut
from ...limits.budget import OutOfBudget, part_for, spend
from ...printing.printer import NO_WRAPPING, WIDTH, PrintError
from ...proof import NoInterpreter, Verdict
from ..units import BUGS
from .better_spellings import spelled_exactly
from .candidate import Candidate

if TYPE_CHECKING:
    from ..decompilation import Decompilation

log = logging.getLogger("depyf")

_STEPS = 6
"""Cost per instruction of laying out the whole text and proving it again."""
_ATTEMPTS = 4
_MOST_ERRORS = 12
"""The limit of statements that are invalid once laid out: above it, no statement is laid out."""
_LARGE_STEP = 255
_LINES = re.compile(r"\bline (\d+)")
"""Line numbers in compilers' messages: of the unmatched opening bracket, and of the error."""


def identical_at_once(work: Decompilation) -> dict[RawCode, Verdict]:
    """Lay out the text of ``work`` before it is proven; return its proofs if all code is identical, otherwise none.

    That is so for most files. The text that was not laid out needs no proof then.
    """
    if work.settings.layout != "author" or work.refused:
        return {}
    before = _state(work)
    try:
        with part_for("layout", work.nesting.size, work.root.qualname):
            work.compile_candidate()
            spend(_STEPS * work.nesting.size, "laying the text out")
            layout = _layout_of(work)
            recompiled = _compiled(work, layout, set(), set())
            if recompiled is not None:
                proofs = work.prove_against(recompiled, only_identical=True)
                if proofs:
                    return _as_laid_out(work, layout, proofs)
    except NoInterpreter:
        raise
    except (CannotCut, DecompilationError, PrintError, RecursionError, *BUGS) as error:
        log.debug("%s: no layout at once: %r", work.root.qualname, error)
    _restore(work, before)
    return {}


def spelled_and_laid_out(work: Decompilation, proofs: dict[RawCode, Verdict]) -> dict[RawCode, Verdict]:
    """Do both for the text of ``work`` and return its proofs. Other spellings are searched for what is not identical
    in the author's lines: elsewhere it may be the line breaks that differ. Where these do not matter, they are searched
    before anything is laid out.
    """
    searched = {raw for raw in proofs if not _line_breaks_matter(work, raw)}
    proofs = spelled_exactly(work, proofs, proofs.keys() - searched)
    before = _state(work)
    better = laid_out(work, proofs)
    if all(verdict.identical or raw in searched for raw, verdict in better.items()):
        return better
    found = _state(work)
    _restore(work, before)
    spelled = spelled_exactly(work, proofs, {raw for raw, verdict in better.items() if verdict.identical})
    if spelled is not proofs:
        return laid_out(work, spelled)
    _restore(work, found)
    return better


def _line_breaks_matter(work: Decompilation, raw: RawCode) -> bool:
    """Whether other line breaks may change the code that the text of ``raw`` compiles to.

    To 3.9, the compiler only gives up optimising code with a large step in its line table (peephole.c, 255).
    """
    other = work.candidate.recompiled.get(raw)
    if raw.table.behavior.lines_leave_nops or other is None:
        return True
    return _LARGE_STEP in raw.linetable or _LARGE_STEP in other.linetable


def wrapped_instead(work: Decompilation, proofs: dict[RawCode, Verdict]) -> dict[RawCode, Verdict]:
    """Wrap the text of ``work`` if it may not be proven only because a line of it is long: such code is not optimised.
    Return the proofs of the text. What is laid out is the text that is not wrapped.
    """
    work.is_wrapped = False
    compiled = work.candidate.compiled
    if work.settings.layout != "author" or compiled is None or work.root.table.behavior.lines_leave_nops:
        return proofs
    unproven = {raw.qualname for raw, verdict in proofs.items() if not verdict.proven}
    if not any(_LARGE_STEP in other.linetable for other in compiled.walk() if other.qualname in unproven):
        return proofs
    work.is_wrapped = True
    return work.prove() if work.print(work.tree(), width=WIDTH) else proofs


def laid_out(work: Decompilation, proofs: dict[RawCode, Verdict]) -> dict[RawCode, Verdict]:
    """Lay out the text of ``work`` as its author did and return its proofs; keep the text if no layout is as good."""
    if not all(verdict.proven for raw, verdict in proofs.items() if not _is_refused(work, raw)):
        return _wrapped(work, proofs)
    before = _state(work)
    try:
        spend(_STEPS * work.nesting.size, "laying the text out")
        better = _laid_out(work, proofs)
    except (CannotCut, DecompilationError, OutOfBudget, PrintError, RecursionError) as error:
        log.debug("%s: no layout: %s", work.root.qualname, error)
        better = None
    except BUGS as error:
        log.warning("%s: no layout: internal error: %r", work.root.qualname, error)
        better = None
    if better is None:
        _restore(work, before)
        return _wrapped(work, proofs)
    if 2 * sum(bool(verdict.lines) for verdict in better.values()) > len(better):
        return better
    # The lines are wrong. Line breaks affect some instructions: compact text may be identical where this is not.
    laid = _state(work)
    _restore(work, before)
    compact = _wrapped(work, proofs)
    if any(raw in better and better[raw].level.is_weaker(one.level) for raw, one in compact.items()):
        return compact
    _restore(work, laid)
    return better


_State = Tuple[Candidate, int]


def _state(work: Decompilation) -> _State:
    """What is restored when another text is no better."""
    return work.candidate, work.changes


def _restore(work: Decompilation, state: _State) -> None:
    work.candidate, work.changes = state


def _wrapped(work: Decompilation, proofs: dict[RawCode, Verdict]) -> dict[RawCode, Verdict]:
    """Wrap long lines of the text of ``work`` if that is as good; return the proofs."""
    before = _state(work)
    tree = work.tree()
    if work.print(tree, width=WIDTH) and work.candidate.text != before[0].text:
        better = work.prove()
        if work.changes == before[1] and all(_as_good(better.get(raw), one) for raw, one in proofs.items()):
            return better
    _restore(work, before)
    return proofs


def _laid_out(work: Decompilation, proofs: dict[RawCode, Verdict]) -> dict[RawCode, Verdict] | None:
    if work.is_wrapped and not work.print(work.tree(), width=NO_WRAPPING):
        return None
    layout = _layout_of(work)
    plain: set[RawCode] = set()
    without = {raw for raw in proofs.keys() | work.refused.keys() if _is_refused(work, raw)}
    for _ in range(_ATTEMPTS):
        recompiled = _compiled(work, layout, without, plain)
        if recompiled is None:
            if len(plain) == len(proofs):
                return None
            plain |= proofs.keys()
            continue
        better = work.prove_against(recompiled)
        worse = {raw for raw, before in proofs.items() if before.proven and not _as_good(better.get(raw), before)}
        if not worse:
            return _as_laid_out(work, layout, better)
        if not better or worse <= without:
            return None
        without |= worse & plain
        plain |= worse
    return None


def _as_laid_out(work: Decompilation, layout: Layout, proofs: dict[RawCode, Verdict]) -> dict[RawCode, Verdict]:
    """The proofs of the text, which is laid out, with whether lines and columns are identical."""
    last = work.candidate
    last.lines = {number: number + layout.moved[0] for number in _lines(last.text)}
    last.is_laid_out = True
    return {raw: _compared(verdict, raw, work, layout) for raw, verdict in proofs.items()}


def _layout_of(work: Decompilation) -> Layout:
    """The layout of the text of ``work``, which may have been laid out before."""
    last = work.candidate
    if last.layout is None:
        last.layout = Layout(last.text, work.root, lambda one: work.compile(work.root, one), last.compiled)
    return last.layout


def _compiled(
    work: Decompilation, layout: Layout, without: set[RawCode], plain: set[RawCode]
) -> RawCode | None:
    """Lay out the text and compile it; statements that become syntax errors are printed in compact form."""
    is_whole = not without and not plain
    if is_whole and layout.compiled is not None:
        text, recompiled = layout.compiled
        work.candidate = Candidate(text)
        work.candidate.compiled = recompiled
        return recompiled
    for _ in range(_MOST_ERRORS):
        work.candidate = Candidate(text := layout.text(without, plain))
        try:
            recompiled = work.compile_candidate()
            layout.compiled = (text, recompiled) if is_whole else layout.compiled
            return recompiled
        except DecompilationError as error:
            log.debug("%s: the laid-out text does not compile: %s", work.root.qualname, error)
            lines = [int(line) for line in _LINES.findall(error.reason)]
            if not any(map(layout.loosen, lines)):
                break
    return None


def _is_refused(work: Decompilation, raw: RawCode) -> bool:
    """Whether ``raw`` or enclosing code is refused, so that the text lacks it."""
    if not work.refused:
        return False
    return raw in work.refused or not work.refused.keys().isdisjoint(work.nesting.ancestors(raw))


def _compared(verdict: Verdict, raw: RawCode, work: Decompilation, layout: Layout) -> Verdict:
    other = work.candidate.recompiled.get(raw)
    if other is None or not verdict.identical:
        return verdict._replace(lines=False, columns=False if layout.has_columns else None)
    lines = same_lines(raw, other, layout.moved)
    columns = lines and same_columns(raw, other, layout.moved) if layout.has_columns else None
    return verdict._replace(lines=lines, columns=columns)


def _lines(text: str) -> list[int]:
    return [number for number, line in enumerate(text.split("\n"), 1) if line.strip()]


def _as_good(better: Verdict | None, before: Verdict) -> bool:
    if better is None:
        return False
    return better.proven and not better.level.is_weaker(before.level)
