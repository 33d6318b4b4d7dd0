"""The acceptance test: is the recompiled code the same as the original, or does it do the same?"""

from __future__ import annotations

from typing import Callable, Dict, Mapping, Optional, Tuple

from ...errors import DecompilationError
from ..bytecode import Instruction, RawCode, disassemble, known_instructions
from ..bytecode.code.flags import context_flags
from ..bytecode.stack_depths import depth_difference
from .constants import constant_key
from .identical import but_constants, differ_in_first_line, differing_fields
from .lockstep.bisimulation import lock_step, nested_pairs, same_instructions
from .lockstep.empty_sets import BUILT, settle_empty_sets
from .lockstep.normalize import NormalForm, NotComparable, normalize, normalize_instructions
from .lockstep.repeated_iterators import without_repeated_iterators
from .lockstep.static_swaps import settle_swaps
from .metadata import metadata_differences
from .side_conditions.call_slots import misplaced_slot
from .side_conditions.handler_rows import split_instruction
from .side_conditions.real_names import with_order_of_variables, with_real_names
from .side_conditions.same_constants import NANS, other_nans, other_nans_loaded, unclear_identity
from .side_conditions.unchecked import unchecked_load, unchecked_only_in_original
from .verdict import ITER, Difference, Level, Verdict, unproven

SymbolicProof = Callable[[RawCode, RawCode], Verdict]
Pairs = Tuple[Tuple[RawCode, RawCode], ...]
Proofs = Dict[RawCode, Tuple[Verdict, Optional[RawCode]]]


def prove(
    original: RawCode,
    recompiled: RawCode,
    *,
    symbolic: SymbolicProof | None = None,
    names: bool = True,
    only_identical: bool = False,
) -> Verdict:
    """The verdict for one code object; nested code is opaque here and returned as ``Verdict.pairs``.

    Tries equal code objects first, then equal instructions, then ``symbolic``, a proof for code that lock-step can't
    handle (temporaries, other stack shapes), then the lock-step walk. ``names=False``: name and qualified name need not
    be equal. ``only_identical``: nothing is tried but equal code objects. Never raises: code that can't be read or
    compared is unproven, with the reason.
    """
    verdict = with_real_names(_prove(original, recompiled, symbolic, names, only_identical), original, recompiled)
    return with_order_of_variables(verdict, original, recompiled)


def _prove(
    original: RawCode, recompiled: RawCode, symbolic: SymbolicProof | None, names: bool, only_identical: bool
) -> Verdict:
    differs = tuple(differing_fields(original, recompiled))
    differences = metadata_differences(original, recompiled, names=names) if differs or names else ()
    if differences:
        return Verdict(Level.UNPROVEN, "", differences, difference=Difference(differences[0], original.qualname))
    found = _without_reading(original, recompiled, differs, only_identical)
    if found is not None:
        return found
    try:
        doubt = reading_in_doubt(original)
        alike = None if doubt else _paired(original, recompiled)
        if not doubt and (alike is None or not _have_same_depths(original, recompiled)):
            doubt = depth_difference(recompiled)
        doubt = doubt or recompiled.unclear
        if doubt:
            return unproven(doubt)
        if other_nans_loaded(original, recompiled):
            return unproven(NANS)
        if alike is not None and _same_finally_calls(original, recompiled):
            unchecked = unchecked_only_in_original(original, recompiled)
            if unchecked:
                return unproven(unchecked)
            return Verdict(Level.EXACT, "instructions", pairs=alike, differs=differs)
        unchecked = unchecked_load(original)
        if unchecked:
            return unproven(unchecked)
        a, b = normalize(original), normalize(recompiled)
    except (NotComparable, DecompilationError) as error:
        verdict = unproven(str(error))
        return verdict if symbolic is None else _or_else(symbolic(original, recompiled), verdict)
    if same_instructions(a, b) and _same_finally_calls(original, recompiled) and _leave_blocks_alike(a, b):
        return Verdict(Level.EXACT, "instructions", pairs=nested_pairs(a, b), differs=differs)
    if symbolic is None:
        return _in_lock_step(a, b)
    # Where it may be needed it is tried first: it proves everything that lock-step does.
    other = symbolic(original, recompiled)
    return other if other.proven else _or_else(other, _in_lock_step(a, b))


def _without_reading(
    original: RawCode, recompiled: RawCode, differs: tuple[str, ...], only_identical: bool
) -> Verdict | None:
    """The verdict, if it is the same whatever the instructions mean."""
    if differs and only_identical:
        return unproven("not identical")
    if differs and not differ_in_first_line(original, recompiled):
        return None
    if other_nans(original, recompiled):
        return unproven(NANS)
    level, method = (Level.EXACT, "instructions") if differs else (Level.IDENTICAL, "")
    pairs = tuple(dict.fromkeys(zip(original.nested, recompiled.nested)))
    return Verdict(level, method, pairs=pairs, differs=differs)


def reading_in_doubt(raw: RawCode) -> str:
    """Why the decoded instructions may not be what ``raw`` does; '' if there is no doubt.

    Cached for each RawCode, which is proven against many texts. Raises DecompilationError if it can't be read.
    """
    instructions = known_instructions(raw)
    if raw.doubt is None or raw.doubt[0] is not instructions:
        doubt = raw.unclear or depth_difference(raw) or misplaced_slot(raw)
        doubt = doubt or split_instruction(raw) or unclear_identity(raw)
        raw.doubt = instructions, doubt
    return raw.doubt[1]


def _have_same_depths(a: RawCode, b: RawCode) -> bool:
    """Whether all that the depth of the stack follows from is the same, as in most code with other constants: then it
    need not be checked a second time. Their instructions are alike.
    """
    left, right = known_instructions(a), known_instructions(b)
    return but_constants(a) == but_constants(b) and [i.offset for i in left] == [i.offset for i in right]


def _same_finally_calls(a: RawCode, b: RawCode) -> bool:
    """Whether both call ``finally`` subroutines alike (3.8), including those that never return."""
    if a.finally_calls != b.finally_calls:
        return False
    ours, theirs = (list(map(constant_key, raw.returned_after_finally_calls)) for raw in (a, b))
    return ours == theirs


def _leave_blocks_alike(a: NormalForm, b: NormalForm) -> bool:
    """Whether each constant is loaded before or after the same end of a block, where blocks end by an instruction.

    ``return None`` leaves a try statement first, ``return x if y else None`` loads the constant first.
    """
    if not a.raw.table.has_block_stack:
        return True
    ours, theirs = ([i.handler is None for i in form.sources if i.op == "CONST"] for form in (a, b))
    return ours == theirs


def _or_else(symbolic: Verdict, other: Verdict) -> Verdict:
    """The one of two verdicts that is a proof, else an unproven one with the reasons of both."""
    if symbolic.proven or other.proven:
        return symbolic if symbolic.proven else other
    difference = symbolic.difference or other.difference
    return other._replace(reasons=symbolic.reasons + other.reasons, difference=difference)


_SETTLED = BUILT | {"SWAP"}


def _in_lock_step(a: NormalForm, b: NormalForm) -> Verdict:
    comparison = lock_step(a, b)
    if comparison.difference is not None and not _SETTLED.isdisjoint((*a.ops, *b.ops)):
        settled = lock_step(*(normalize_instructions(form.raw, _settled(form)) for form in (a, b)))
        if settled.difference is None:
            comparison = settled
    if comparison.difference is not None and _differ_in_iterators(a, b):
        lists = ((form.raw, without_repeated_iterators(form.raw, _settled(form))) for form in (a, b))
        once = lock_step(*(normalize_instructions(raw, instructions) for raw, instructions in lists))
        if once.difference is None:
            comparison = once._replace(assumptions=(*once.assumptions, ITER))
    if comparison.difference is None:
        return Verdict(Level.EQUIVALENT, "lock-step", assumptions=comparison.assumptions, pairs=comparison.pairs)
    reason = str(comparison.difference)
    return Verdict(Level.UNPROVEN, "", (reason,), pairs=comparison.pairs, difference=comparison.difference)


def _differ_in_iterators(a: NormalForm, b: NormalForm) -> bool:
    """Whether one code makes more iterators, and comes from a version whose releases differ in that."""
    if not a.raw.table.behavior.some_releases_iterate_twice:
        return False
    return a.ops.count("GET_ITER") != b.ops.count("GET_ITER")


def _settled(form: NormalForm) -> list[Instruction]:
    return settle_empty_sets(settle_swaps(disassemble(form.raw)))


def _paired(a: RawCode, b: RawCode) -> Pairs | None:
    """The nested code of both, if they have the same instructions at the same indices; otherwise None.

    Most code that is not identical differs only in unused constants and their order: this avoids making the normal
    form, which costs more.
    """
    left, right = known_instructions(a), known_instructions(b)
    if len(left) != len(right) or set(a.cellvars) != set(b.cellvars):
        return None
    pairs: dict[tuple[RawCode, RawCode], None] = {}
    for mine, other in zip(left, right):
        if mine.op != other.op or mine.target != other.target or mine.handler != other.handler:
            return None
        if mine.op != "CONST":
            if mine.arg != other.arg:
                return None
        elif mine.arg is not other.arg and constant_key(mine.arg) != constant_key(other.arg):
            return None
        elif type(mine.arg) is RawCode:
            pairs[mine.arg, other.arg] = None
    return tuple(pairs)


def prove_all(
    original: RawCode,
    recompiled: RawCode,
    *,
    symbolic: SymbolicProof | None = None,
    names: bool = True,
    only_identical: bool = False,
    are_put_back: bool = False,
) -> Proofs:
    """Proofs for ``original`` and everything nested in it: code object -> (verdict, the code it was compared with).

    Pairs are those met at the same instruction of a parent. Below an unproven parent the rest is paired by name and
    order, so that one bad function does not hide the others. Code that only dead code mentions has no counterpart: its
    verdict says so, and it is not needed. If one original was paired with several recompiled ones, the worst verdict is
    kept. ``names=False`` applies to the outermost; the names of nested ones are then compared by the part after the
    qualified name of the parent. ``only_identical``: none at all, and little work, unless everything is identical.
    ``are_put_back``: `recompile` gives variables the real names that those of ``original`` have.
    """
    proofs: Proofs = {}
    done: set[tuple[RawCode, RawCode]] = set()
    todo: list[tuple[RawCode, RawCode, str, str]] = [(original, recompiled, "", "")]
    while todo:
        left, right, *parents = todo.pop()
        if (left, right) in done:
            continue
        done.add((left, right))
        # A qualified name that does not extend the parent's, as Dynamo makes them, can't be written: `recompile`
        # restores it in functions. The text of a module is compiled unchanged.
        nested = left is not original
        elsewhere = nested and not names and original.is_function and _below(left.qualname, parents[0]) == left.qualname
        if elsewhere:
            context = context_flags(left.version)
            right.flags = right.flags & ~context | left.flags & context
        _give_real_names(right, left.renamed if are_put_back else {})
        verdict = prove(left, right, symbolic=symbolic, names=False, only_identical=only_identical)
        if names:
            verdict = _named(verdict, left.name, right.name)
            verdict = _named(verdict, left.qualname, right.qualname, "qualified name")
        elif not nested:
            verdict = _renamed(verdict, left, right)
        elif elsewhere:
            verdict = _moved(_named(verdict, left.name, right.name), left, right)
        else:
            verdict = _named(verdict, left.name, right.name)
            mine, other = _below(left.qualname, parents[0]), _below(right.qualname, parents[1])
            verdict = _named(verdict, mine, other, "qualified name")
        if only_identical and not verdict.identical:
            return {}
        if left not in proofs or not verdict.proven or verdict.level.is_weaker(proofs[left][0].level):
            proofs[left] = (verdict, right)
        pairs = dict.fromkeys(verdict.pairs)
        if not verdict.proven:
            met = {a for a, _ in pairs}
            pairs.update(dict.fromkeys(pair for pair in _by_name(left, right) if pair[0] not in met))
        todo.extend((a, b, left.qualname, right.qualname) for a, b in reversed(list(pairs)))
    _add_unreached(original, proofs)
    if only_identical and not all(verdict.identical for verdict, _ in proofs.values()):
        return {}
    return proofs


def _give_real_names(code: RawCode, names: Mapping[str, str]) -> None:
    if names:
        code.renamed = {name: names[name] for name in code.localsplus if name in names}


def _named(verdict: Verdict, left: str, right: str, what: str = "name") -> Verdict:
    """``verdict``, but unproven if the names differ."""
    if left == right:
        return verdict
    reason = f"{what}: {left!r} against {right!r}"
    difference = verdict.difference or Difference(reason)
    return verdict._replace(
        level=Level.UNPROVEN, method="", reasons=(*verdict.reasons, reason), difference=difference, differs=()
    )


def _renamed(verdict: Verdict, left: RawCode, right: RawCode) -> Verdict:
    """``verdict`` for the outermost code: a lambda that can't be one in text is a function with another name there."""
    if not verdict.proven or left.name != "<lambda>" or right.name == "<lambda>":
        return verdict
    return _put_back(verdict, f"a name that the text can't have, put back: {left.name!r} for {right.name!r}")


def _moved(verdict: Verdict, left: RawCode, right: RawCode) -> Verdict:
    """``verdict`` for code whose qualified name does not extend its parent's."""
    if not verdict.proven or left.qualname == right.qualname:
        return verdict
    names = f"{left.qualname!r} for {right.qualname!r}"
    return _put_back(verdict, f"a qualified name that the text can't give, put back: {names}")


def _put_back(verdict: Verdict, reason: str) -> Verdict:
    return verdict._replace(level=Level.EQUIVALENT, reasons=(*verdict.reasons, reason))


def _below(qualname: str, parent: str) -> str:
    """The part of a qualified name after its parent's; all of it if it does not extend that."""
    return qualname[len(parent) :] if qualname.startswith(parent + ".") else qualname


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


def _add_unreached(original: RawCode, proofs: Proofs) -> None:
    """Add verdicts for nested code that was not reached: not needed below a proven parent, otherwise unproven."""
    todo: list[tuple[RawCode, bool]] = [(original, True)]
    seen: set[RawCode] = set()
    while todo:
        raw, needed = todo.pop()
        if raw in seen:
            continue
        seen.add(raw)
        if raw not in proofs:
            if needed:
                proofs[raw] = (unproven("the second has no code for it"), None)
            else:
                proofs[raw] = (Verdict(Level.EQUIVALENT, "", ("only dead code mentions it: not needed",)), None)
        needed_below = not proofs[raw][0].proven
        todo.extend((child, needed_below) for child in raw.nested)
