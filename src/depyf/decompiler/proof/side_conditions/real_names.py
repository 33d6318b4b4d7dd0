"""The real names of local variables, where proofs compare others.

Proofs identify slots by name. Where a code object has one name for two slots the reader makes up names
(``RawCode.renamed``), as does the decompiler for names that no source can spell. Equal names then pair slots; here the
real ones are compared, as far as a program may observe them.
"""

from __future__ import annotations

from ...bytecode import RawCode, known_instructions
from ..symbolic.prove import LOOK_AT_VARIABLES, UNSEEN
from ..verdict import Difference, Level, Verdict

ANY_ORDER = "the order of this frame's variables does not matter"


def with_real_names(verdict: Verdict, original: RawCode, recompiled: RawCode) -> Verdict:
    """``verdict`` of a proof that used the names in ``original`` and ``recompiled``."""
    if not verdict.proven or not original.renamed and not recompiled.renamed:
        return verdict
    for what, left, right in (
        ("parameters", original.parameters, recompiled.parameters),
        ("free variables", original.freevars, recompiled.freevars),
    ):
        mine, other = _real(original, left), _real(recompiled, right)
        if mine != other:
            return _unproven(verdict, original, f"{what}: {mine!r} against {other!r}")
    both = _bound(original) & _bound(recompiled)
    differing = [name for name in sorted(both) if _real(original, (name,)) != _real(recompiled, (name,))]
    if not differing and _order(original, both) == _order(recompiled, both):
        return verdict
    pairs = [f"{_real(original, (name,))[0]!r} against {_real(recompiled, (name,))[0]!r}" for name in differing]
    reason = f"names of local variables: {', '.join(pairs)}" if pairs else "the order of local variables of one name"
    if not LOOK_AT_VARIABLES.isdisjoint((*original.names, *recompiled.names)):
        return _unproven(verdict, original, reason)
    reasons = (*verdict.reasons, reason)
    assumptions = tuple(dict.fromkeys((*verdict.assumptions, UNSEEN)))
    return verdict._replace(level=Level.EQUIVALENT, reasons=reasons, assumptions=assumptions)


def with_order_of_variables(verdict: Verdict, original: RawCode, recompiled: RawCode) -> Verdict:
    """``verdict``, with an assumption if `locals()` or its like is named and shows the variables in another order."""
    if not verdict.proven or verdict.identical or LOOK_AT_VARIABLES.isdisjoint(original.names):
        return verdict
    both = {*original.localsplus} & {*recompiled.localsplus}
    ours, theirs = ([name for name in raw.localsplus if name in both] for raw in (original, recompiled))
    if ours == theirs:
        return verdict
    assumptions = tuple(dict.fromkeys((*verdict.assumptions, ANY_ORDER)))
    return verdict._replace(level=Level.EQUIVALENT, assumptions=assumptions, differs=())


def _real(raw: RawCode, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(raw.renamed.get(name, name) for name in names)


def _bound(raw: RawCode) -> set[str]:
    """The variables that are bound at some time."""
    stored = {i.arg for i in known_instructions(raw) if i.op in ("STORE_FAST", "STORE_DEREF", "LOAD_FAST_AND_CLEAR")}
    return stored.union(raw.parameters, raw.freevars)


def _order(raw: RawCode, names: set[str]) -> dict[str, list[str]]:
    """The slots of each shared name: `locals()` shows the last, and nothing if that is unbound."""
    slots: dict[str, list[str]] = {}
    for name in raw.localsplus:
        slots.setdefault(raw.renamed.get(name, name), []).append(name)
    return {name: found for name, found in slots.items() if len(found) > 1 and not names.isdisjoint(found)}


def _unproven(verdict: Verdict, original: RawCode, reason: str) -> Verdict:
    return verdict._replace(
        level=Level.UNPROVEN, method="", reasons=(*verdict.reasons, reason),
        difference=Difference(reason, original.qualname),
    )  # fmt: skip
