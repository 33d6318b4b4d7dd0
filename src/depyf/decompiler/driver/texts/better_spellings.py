"""Searches other spellings of code that is proven, but not exact or not identical, once the whole text is proven."""

from __future__ import annotations

import functools
import logging
from typing import TYPE_CHECKING, Collection, Sequence

from ....errors import DecompilationError
from ...bytecode import RawCode
from ...bytecode.kinds import kind_of
from ...limits.budget import OutOfBudget, part_for
from ...printing.printer import PrintError, print_tree
from ...printing.statement_printer import Known
from ...proof import Verdict, prove
from ...proof.identical import differ_in_first_line
from ...proof.side_conditions.real_names import ANY_ORDER
from ...surface_forms.changes import FormChange
from ...surface_forms.dead_code import spell_dead_code, spell_loop_tests, spell_order_of_variables
from ...surface_forms.kinds import Search
from ...surface_forms.search import Texts, spell_better
from ..units import BUGS

if TYPE_CHECKING:
    from ..decompilation import Decompilation

log = logging.getLogger("depyf")

_OF_CONSTANTS = ("constants", "order of constants")
_OF_DEAD_CODE = frozenset({"constants", "names", "order of names", "variables", "order of variables"})
"""The fields in which dead code leaves traces."""


def spelled_exactly(
    work: Decompilation, proofs: dict[RawCode, Verdict], may_differ: Collection[RawCode] = ()
) -> dict[RawCode, Verdict]:
    """Respell what is not exact or not identical, where a better spelling is found; return the proofs of the text.

    Those that ``may_differ`` are only made exact.
    """
    chosen: dict[RawCode, Sequence[FormChange]] = {}
    is_made_up = work.settings.origin.is_made_up
    for raw, verdict in proofs.items():
        if verdict.identical or not verdict.proven or raw in work.refused or work.tries[raw].form != "structured":
            continue
        if verdict.exact and raw in may_differ:
            continue
        if kind_of(raw) in ("function", "class", "module") and not any(map(is_made_up, raw.varnames)):
            try:
                with part_for(("search", raw), len(raw.bytecode) // 2):
                    search = work.tries[raw].search = Search(work.settings.skip_rules)
                    found = _spelled_better(work, raw, verdict, search)
            except (OutOfBudget, RecursionError):
                continue
            except BUGS as error:
                log.warning("%s: no exact spelling is looked for: internal error: %r", raw.qualname, error)
                continue
            for change in found:
                change.make()
            search.found = tuple(found)
            if found:
                chosen[raw] = found
    before, changes = work.candidate, work.changes
    while chosen:
        better = work.prove() if work.print(work.tree()) else {}
        if work.changes != changes or not all(_as_good(better.get(raw), proofs[raw]) for raw in proofs):
            break
        # Jumps depend on lines too: what is identical alone may not be in the whole text. Then it stays as it was.
        idle = [raw for raw in chosen if not _is_better(better.get(raw), proofs[raw])]
        if not idle:
            return better
        for raw in idle:
            _take_back(work, raw, chosen.pop(raw))
    for raw, found in reversed(list(chosen.items())):
        _take_back(work, raw, found)
    work.candidate = before
    return proofs


def _text_of(work: Decompilation, raw: RawCode, known: Known) -> str | None:
    """``raw`` printed alone; None if it has no text."""
    try:
        return print_tree(work.tree_of(raw), grammar=work.shared.grammar, known=known)
    except (DecompilationError, PrintError, RecursionError):
        return None


def _take_back(work: Decompilation, raw: RawCode, found: Sequence[FormChange]) -> None:
    for change in reversed(found):
        change.undo()
    search = work.tries[raw].search
    assert search is not None
    search.found = ()


def _spelled_better(work: Decompilation, raw: RawCode, verdict: Verdict, search: Search) -> Sequence[FormChange]:
    """The changes that make ``raw`` exact, or identical if it is already exact; empty if none are found."""
    texts = Texts(work.body(raw), raw, functools.partial(_text_of, work, raw, {}), work.compile, search)
    recompiled = work.candidate.recompiled.get(raw)
    found: list[FormChange] = []
    if recompiled is None or differ_in_first_line(raw, recompiled):
        return found
    if ANY_ORDER in verdict.assumptions:
        found = spell_order_of_variables(texts)
    if not found and verdict.exact and any(field in verdict.differs for field in _OF_CONSTANTS):
        found = spell_loop_tests(texts)
    if not found and verdict.exact and not _OF_DEAD_CODE.isdisjoint(verdict.differs):
        found = spell_dead_code(texts, recompiled)
    if not found and (not verdict.exact or "code" in verdict.differs):
        plain = _without_columns(work, raw)
        other = texts.with_changes(plain) if plain is not None else None
        if plain is not None and other is not None and (texts.is_identical(other) or not verdict.exact):
            if prove(raw, other, names=False).exact:
                return [plain]
        found = spell_better(texts, recompiled, is_exact=verdict.exact)
    return found


def _without_columns(work: Decompilation, raw: RawCode) -> FormChange | None:
    """The change that undoes the decisions made by columns in ``raw``; None if there are none. Columns may be wrong."""
    if not work.tries[raw].is_by_columns or "columns:undone" in work.settings.skip_rules:
        return None
    body = work.body(raw)
    try:
        after = work.finished(raw, work.strategy(raw)._replace(reads_columns=False))
    except DecompilationError:
        return None
    return FormChange(body, body[:], after, "columns:undone")


def _as_good(better: Verdict | None, before: Verdict) -> bool:
    """Whether another spelling loses no proof, and no exactness."""
    if better is None:
        return not before.proven
    return better.exact if before.exact else better.proven


def _is_better(better: Verdict | None, before: Verdict) -> bool:
    return better is not None and (better.identical or better.exact and not before.exact)
