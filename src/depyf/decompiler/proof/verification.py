"""The public check: do these two do the same, and if not, where do they first differ?"""

from __future__ import annotations

import types
from typing import Any, Union

from ...errors import DepyfError
from ..bytecode import RawCode, load
from .callables import CallersView, function_of
from .prove import prove_all
from .verdict import Difference, Level, Verdict

Code = Union[types.CodeType, RawCode]


def verify(a: Any, b: Any) -> Verdict:
    """Whether ``a`` and ``b`` do the same: a Verdict, proven only if everything nested in them is proven too.

    The codes are compared in everything that a program can observe except line numbers: instructions, constants with
    their types, exception handlers, parameters and their kinds, flags, free variables and their order, names and
    docstrings. So is what a caller sees of two objects: default values, contents of cells, bound ``self``, arguments of
    partials, the functions inside decorated ones, and of classes names, bases and members. There, literals are compared
    by value and type, functions and classes by their codes, containers and objects of Python classes by their contents,
    other objects by identity. Annotations are not compared. What the verdict takes for granted, as that two lists that
    are equal now are changed alike, or that two globals of one name are alike, is in ``Verdict.assumptions``.

    If the verdict is not proven, ``reasons`` list all findings, and ``difference`` is where the two first differ; its
    text reads like "f: different operands: at line 3 `LOAD_GLOBAL print` against line 4 `LOAD_GLOBAL input`". Not
    proven means that no proof was found, not that there is none.

    Args:
        a: a function, a method, a class, a partial, anything else with ``__code__``, ``__func__`` or ``__wrapped__``, a
            code object, or a RawCode of any supported version.
        b: the same.

    Raises:
        TypeError: one of them has no code.
        DepyfError: they are of two versions of Python, whose instructions can't be compared.
        DecompilationError: the bytecode can't be read.

    Example:
        >>> one, other = (compile(text, "", "eval") for text in ("a + 1", "a + 1.0"))
        >>> verdict = depyf.verify(one, other)
        >>> verdict.proven
        False
        >>> print(verdict.difference.what, verdict.difference.left, verdict.difference.right)
        different operands CONST 1 CONST 1.0
    """
    for x, which in ((a, "first"), (b, "second")):
        if not function_of(x)[1]:
            raise TypeError(_no_code(x, which))
    comparison = CallersView(_verify)
    comparison.compare(a, b)
    return _combined(comparison)


def _combined(comparison: CallersView) -> Verdict:
    """The verdict of two objects from those of all codes that they lead to."""
    verdicts, reasons = comparison.verdicts, tuple(comparison.reasons)
    failed = [one for one in verdicts if not one.proven]
    pairs = verdicts[0].pairs if verdicts else ()
    if failed or reasons:
        difference = next((one.difference for one in failed), None) or Difference(reasons[0])
        reasons = (*(reason for one in failed for reason in one.reasons), *reasons)
        return Verdict(Level.UNPROVEN, "", reasons, pairs=pairs, difference=difference)
    weakest = verdicts[0] if verdicts else Verdict(Level.EQUIVALENT, "members")
    for one in verdicts:
        weakest = one if one.level.is_weaker(weakest.level) else weakest
    assumptions = dict.fromkeys([*(a for one in verdicts for a in one.assumptions), *comparison.assumptions])
    return weakest._replace(assumptions=tuple(assumptions), pairs=pairs)


def _verify(a: Code, b: Code) -> Verdict:
    """The verdict of two code objects and all that is nested in them."""
    original = a if isinstance(a, RawCode) else load(a)
    other = b if isinstance(b, RawCode) else load(b)
    if original.version != other.version:
        raise DepyfError(
            f"can't compare {original.qualname}, bytecode of CPython {_dotted(original)}, with {other.qualname}, "
            f"bytecode of CPython {_dotted(other)}: their instructions differ by version; compile both with one"
        )
    return _verify_code(original, other)


def _no_code(x: Any, which: str) -> str:
    if isinstance(x, type) or callable(x):
        hint = f"{getattr(x, '__name__', 'it')} is implemented in C, or an object that no function implements"
    else:
        hint = "give a function, a method, a class or a code object"
    return f"verify: the {which} argument, of type {type(x).__name__}, has no bytecode; {hint}"


def _verify_code(original: RawCode, other: RawCode) -> Verdict:
    proofs = prove_all(original, other)
    verdict = proofs[original][0]
    failed = [(raw, proof) for raw, (proof, _) in proofs.items() if not proof.proven]
    if not failed:
        weakest = verdict
        for proof, _ in proofs.values():
            weakest = proof if proof.level.is_weaker(weakest.level) else weakest
        assumptions = dict.fromkeys(a for p, _ in proofs.values() for a in p.assumptions)
        return weakest._replace(assumptions=tuple(assumptions), pairs=verdict.pairs)
    reasons = tuple(
        reason if reason.startswith(raw.qualname) else f"{raw.qualname}: {reason}"
        for raw, proof in failed
        for reason in proof.reasons
    )
    first = next((proof.difference for _, proof in failed if proof.difference is not None), None)
    difference = first or Difference(failed[0][1].reasons[0], failed[0][0].qualname)
    return Verdict(Level.UNPROVEN, "", reasons, pairs=verdict.pairs, difference=difference)


def _dotted(raw: RawCode) -> str:
    return f"{raw.version[0]}.{raw.version[1]}"
