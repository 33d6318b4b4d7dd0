"""Other spellings of what is proven, but not exact or not identical: looked for when all of a text is proven."""

from __future__ import annotations

import functools
import logging
from typing import TYPE_CHECKING

from ..bytecode import RawCode
from ..bytecode.kinds import kind_of
from ..limits.budget import OutOfBudget, part_for
from ..proof import Verdict
from ..surface_forms.changes import FormChange
from ..surface_forms.exact import spell_exactly
from ..surface_forms.identical import spell_identically
from .units import BUGS

if TYPE_CHECKING:
    from .decompilation import Decompilation

log = logging.getLogger("depyf")


def spelled_exactly(work: Decompilation, proofs: dict[RawCode, Verdict]) -> dict[RawCode, Verdict]:
    """The proofs of a text with other spellings of what was not exact or not identical, where such are found."""
    chosen = []
    is_made_up = work.settings.origin.is_made_up
    for raw, verdict in proofs.items():
        if verdict.identical or not verdict.proven or raw in work.refused or work.forms.get(raw) != "structured":
            continue
        if kind_of(raw) in ("function", "class", "module") and not any(map(is_made_up, raw.varnames)):
            try:
                with part_for(("search", raw), len(raw.bytecode) // 2):
                    found = _spelled_better(work, raw, verdict)
            except (OutOfBudget, RecursionError):
                continue
            except BUGS as error:
                log.warning("%s: no exact spelling is looked for: internal error: %r", raw.qualname, error)
                continue
            for change in found:
                change.make()
            chosen += found
    if not chosen:
        return proofs
    tree, text, lines, changes = work.tree(), work.text, work.lines, work.changes
    better = work.prove() if work.print(tree) else {}
    kept = all(_as_good(better.get(raw), proofs[raw]) for raw in proofs)
    if kept and work.changes == changes:
        return better
    for change in reversed(chosen):
        change.undo()
    work.text, work.lines = text, lines
    return proofs


def _spelled_better(work: Decompilation, raw: RawCode, verdict: Verdict) -> list[FormChange]:
    """The changes that make ``raw`` exact, or identical if it is exact; none if none are found."""
    printed = functools.partial(work.text_of, raw)
    if not verdict.exact:
        return spell_exactly(work.body(raw), raw, printed, work.compile)
    if "code" not in verdict.differs or kind_of(raw) != "function":
        return []
    return spell_identically(work.body(raw), raw, work.recompiled[raw], printed, work.compile)


def _as_good(better: Verdict | None, before: Verdict) -> bool:
    """Whether another spelling lost no proof, and nothing of what was exact."""
    if better is None:
        return not before.proven
    return better.exact if before.exact else better.proven
