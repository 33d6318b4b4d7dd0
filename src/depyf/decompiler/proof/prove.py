"""The acceptance test: is the recompiled code the same as the original, or does it do the same?"""

from __future__ import annotations

import types
from typing import Any, Callable, Dict, Optional, Tuple

from ...errors import DecompilationError
from ..bytecode import RawCode, load
from .bisimulation import lock_step, nested_pairs, same_instructions
from .constants import constant_key
from .metadata import metadata_differences
from .normalize import NotComparable, normalize
from .verdict import Level, Verdict, unproven

SymbolicProof = Callable[[RawCode, RawCode], Verdict]
Proofs = Dict[RawCode, Tuple[Verdict, Optional[RawCode]]]


def prove(
    original: RawCode, recompiled: RawCode, *, symbolic: SymbolicProof | None = None, names: bool = True
) -> Verdict:
    """The verdict for one code object; code nested in it is opaque here and comes back as ``Verdict.pairs``.

    Equal instructions first, then the lock-step walk, then ``symbolic``, a proof for code that lock-step can't show
    (temporaries, other stack shapes). ``names=False``: name and qualified name need not be equal.
    Raises nothing: code that can't be read or compared is unproven, with the reason.
    """
    differences = metadata_differences(original, recompiled, names=names)
    if differences:
        return Verdict(Level.UNPROVEN, "", differences)
    if _identical(original, recompiled):
        pairs = tuple(dict.fromkeys(zip(original.nested, recompiled.nested)))
        return Verdict(Level.EXACT, "instructions", pairs=pairs)
    verdict = _compare(original, recompiled)
    if verdict.proven or symbolic is None:
        return verdict
    other = symbolic(original, recompiled)
    if other.proven:
        return other
    return verdict._replace(reasons=verdict.reasons + other.reasons)


def _compare(original: RawCode, recompiled: RawCode) -> Verdict:
    try:
        a, b = normalize(original), normalize(recompiled)
    except (NotComparable, DecompilationError) as error:
        return unproven(str(error))
    if same_instructions(a, b):
        return Verdict(Level.EXACT, "instructions", pairs=nested_pairs(a, b))
    comparison = lock_step(a, b)
    if comparison.difference is None:
        return Verdict(Level.EQUIVALENT, "lock-step", assumptions=comparison.assumptions, pairs=comparison.pairs)
    reason = str(comparison.difference)
    return Verdict(Level.UNPROVEN, "", (reason,), pairs=comparison.pairs, difference=comparison.difference)


def _identical(a: RawCode, b: RawCode) -> bool:
    """Whether both are the same byte for byte: the common case, decided without reading the instructions."""
    return (
        a.bytecode == b.bytecode
        and a.names == b.names
        and a.localsplus == b.localsplus
        and a.cellvars == b.cellvars
        and a.exception_table == b.exception_table
        and len(a.consts) == len(b.consts)
        and all(constant_key(x) == constant_key(y) for x, y in zip(a.consts, b.consts))
    )


def prove_all(
    original: RawCode, recompiled: RawCode, *, symbolic: SymbolicProof | None = None, names: bool = True
) -> Proofs:
    """Proofs for ``original`` and everything nested in it: code object -> (verdict, what it was compared with).

    The pairs to prove are those met at the same place of a parent. Below a parent that is unproven the rest is
    paired by name and order, so that one bad function does not hide the others. Code that only dead code mentions
    has nobody to compare with: its verdict says so, and it is not needed. Where one original was met with several
    recompiled ones, the worst verdict is kept. ``names=False`` holds for the outermost; nested ones are then compared
    by what follows the outermost's qualified name.
    """
    proofs: Proofs = {}
    done: set[tuple[RawCode, RawCode]] = set()
    todo = [(original, recompiled)]
    while todo:
        left, right = todo.pop()
        if (left, right) in done:
            continue
        done.add((left, right))
        verdict = prove(left, right, symbolic=symbolic, names=False)
        wrong_names = _wrong_names(left, right, original, recompiled, names)
        if wrong_names:
            verdict = verdict._replace(level=Level.UNPROVEN, method="", reasons=verdict.reasons + wrong_names)
        if left not in proofs or not verdict.proven:
            proofs[left] = (verdict, right)
        elif proofs[left][0].level is Level.EXACT:
            proofs[left] = (verdict, right)
        pairs = dict.fromkeys(verdict.pairs)
        if not verdict.proven:
            met = {a for a, _ in pairs}
            pairs.update(dict.fromkeys(pair for pair in _by_name(left, right) if pair[0] not in met))
        todo.extend(reversed(list(pairs)))
    _add_unmet(original, proofs)
    return proofs


def _wrong_names(
    left: RawCode, right: RawCode, original: RawCode, recompiled: RawCode, strict: bool
) -> tuple[str, ...]:
    if left is original and not strict:
        return ()
    mine, other = (left.name, left.qualname), (right.name, right.qualname)
    if not strict:
        mine = (left.name, _below(left.qualname, original.qualname))
        other = (right.name, _below(right.qualname, recompiled.qualname))
    if mine == other:
        return ()
    return (f"names: the original is {mine[0]!r} ({mine[1]}), the recompiled source {other[0]!r} ({other[1]})",)


def _below(qualname: str, root: str) -> str:
    return "..." + qualname[len(root) :] if qualname.startswith(root + ".") else qualname


def _by_name(left: RawCode, right: RawCode) -> list[tuple[RawCode, RawCode]]:
    """Nested code objects of both, paired by name and order."""
    others: dict[str, list[RawCode]] = {}
    for raw in right.nested:
        others.setdefault(raw.name, []).append(raw)
    pairs = []
    for raw in left.nested:
        rest = others.get(raw.name)
        if rest:
            pairs.append((raw, rest.pop(0)))
    return pairs


def _add_unmet(original: RawCode, proofs: Proofs) -> None:
    """Verdicts for nested code that was met nowhere: not needed below a proven parent, unproven below another."""
    todo: list[tuple[RawCode, bool]] = [(original, True)]
    seen: set[RawCode] = set()
    while todo:
        raw, needed = todo.pop()
        if raw in seen:
            continue
        seen.add(raw)
        if raw not in proofs:
            if needed:
                proofs[raw] = (unproven("the recompiled source has no code for it"), None)
            else:
                proofs[raw] = (Verdict(Level.EQUIVALENT, "", ("only dead code mentions it: not needed",)), None)
        needed_below = not proofs[raw][0].proven
        todo.extend((child, needed_below) for child in raw.nested)


def verify(a: Any, b: Any) -> Verdict:
    """Whether two functions do the same: a Verdict, proven only if everything nested in them is proven too.

    ``a`` and ``b`` are functions, methods, anything with ``__code__``, or code objects. Compares code: default values,
    globals and the contents of closures are not part of it. Names and docstrings are. Raises TypeError for anything
    else, DecompilationError if the running Python's bytecode can't be read.
    """
    original, recompiled = load(_code_of(a)), load(_code_of(b))
    proofs = prove_all(original, recompiled)
    verdict = proofs[original][0]
    failed = [(raw, proof) for raw, (proof, _) in proofs.items() if not proof.proven]
    if not failed:
        weakest = next((p for p, _ in proofs.values() if p.level is not Level.EXACT), verdict)
        assumptions = dict.fromkeys(a for p, _ in proofs.values() for a in p.assumptions)
        return weakest._replace(assumptions=tuple(assumptions), pairs=verdict.pairs)
    reasons = tuple(
        reason if reason.startswith(raw.qualname) else f"{raw.qualname}: {reason}"
        for raw, proof in failed
        for reason in proof.reasons
    )
    return Verdict(Level.UNPROVEN, "", reasons, pairs=verdict.pairs, difference=failed[0][1].difference)


def _code_of(x: Any) -> types.CodeType:
    for _ in range(3):
        if isinstance(x, types.CodeType):
            return x
        x = getattr(x, "__code__", None) or getattr(x, "__func__", None) or getattr(x, "__wrapped__", x)
    raise TypeError(f"{type(x).__name__} has no code object to compare; give a function or a code object")
