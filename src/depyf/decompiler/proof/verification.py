"""The public check: do these two do the same, and if not, where do they first differ?"""

from __future__ import annotations

import reprlib
import types
from typing import Any, Union

from ...errors import DepyfError
from ..bytecode import RawCode, load
from .constants import constant_key
from .prove import prove_all
from .verdict import Difference, Level, Verdict

Code = Union[types.CodeType, RawCode]


def verify(a: Any, b: Any) -> Verdict:
    """Whether ``a`` and ``b`` do the same: a Verdict, proven only if everything nested in them is proven too.

    The codes are compared in everything that a program can observe except line numbers: instructions, constants with
    their types, exception handlers, parameters and their kinds, flags, free variables and their order, names and
    docstrings. For two function objects also the default values: literals by value and type, other objects by identity.
    Globals, annotations and the contents of closures are not compared.

    If the verdict is not proven, ``reasons`` list all findings, and ``difference`` is where the two first differ; its
    text reads like "f: different operands: at line 3 `LOAD_GLOBAL print` against line 4 `LOAD_GLOBAL input`". Not
    proven means that no proof was found, not that there is none.

    Args:
        a: a function, a method, anything else with ``__code__``, ``__func__`` or ``__wrapped__``, a code object, or a
            RawCode of any supported version.
        b: the same.

    Raises:
        TypeError: one of them has no code.
        DepyfError: they are of two versions of Python, whose instructions can't be compared.
        DecompilationError: the bytecode can't be read.
    """
    first, second = _code_of(a, "first"), _code_of(b, "second")
    original = first if isinstance(first, RawCode) else load(first)
    other = second if isinstance(second, RawCode) else load(second)
    if original.version != other.version:
        raise DepyfError(
            f"can't compare {original.qualname}, bytecode of CPython {_dotted(original)}, with {other.qualname}, "
            f"bytecode of CPython {_dotted(other)}: their instructions differ by version; compile both with one"
        )
    return _with_defaults(_verify_code(original, other), a, b, original)


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


def _with_defaults(verdict: Verdict, a: Any, b: Any, raw: RawCode) -> Verdict:
    """``verdict``, but unproven if both are functions whose default values differ."""
    one, two = _unwrapped(a), _unwrapped(b)
    if not isinstance(one, types.FunctionType) or not isinstance(two, types.FunctionType):
        return verdict
    mine, other = _defaults(one), _defaults(two)
    reasons = tuple(
        f"{raw.qualname}: default of {name}: {_shown(mine, name)} against {_shown(other, name, 'another')}"
        for name in dict.fromkeys([*mine, *other])
        if (name in mine) != (name in other) or constant_key(mine[name]) != constant_key(other[name])
    )
    if not reasons:
        return verdict
    difference = verdict.difference or Difference(reasons[0])
    return Verdict(Level.UNPROVEN, "", (*verdict.reasons, *reasons), pairs=verdict.pairs, difference=difference)


def _defaults(function: types.FunctionType) -> dict[str, Any]:
    code, values = function.__code__, function.__defaults__ or ()
    found = dict(zip(code.co_varnames[code.co_argcount - len(values) : code.co_argcount], values))
    found.update(function.__kwdefaults__ or {})
    return found


def _shown(defaults: dict[str, Any], name: str, article: str = "an") -> str:
    return _literal(defaults[name], article) if name in defaults else "none"


def _literal(value: Any, article: str) -> str:
    """The text of a literal, for other objects only the type: their repr may contain an address."""
    if type(value) is tuple:
        return f"({', '.join(_literal(item, article) for item in value)})"
    key = constant_key(value)
    is_object = type(key) is tuple and key[0] == "object"
    return f"{article} object of type {type(value).__qualname__}" if is_object else reprlib.repr(value)


def _unwrapped(x: Any) -> Any:
    """The function or code that ``x`` wraps; ``x`` itself if it wraps none."""
    for _ in range(100):
        if isinstance(x, (types.CodeType, types.FunctionType, RawCode)):
            return x
        inner = getattr(x, "__func__", None) or getattr(x, "__wrapped__", None) or getattr(x, "__code__", None)
        if inner is None:
            return x
        x = inner
    return x


def _code_of(x: Any, which: str) -> Code:
    found = _unwrapped(x)
    if isinstance(found, types.FunctionType):
        return found.__code__
    if isinstance(found, (types.CodeType, RawCode)):
        return found
    kind = type(x).__name__
    if isinstance(x, type):
        hint = f"{x.__name__} is a class: give its functions, one at a time"
    elif callable(x):
        hint = f"{getattr(x, '__name__', 'it')} is implemented in C, or an object that no function implements"
    else:
        hint = "give a function, a method or a code object"
    raise TypeError(f"verify: the {which} argument, of type {kind}, has no bytecode; {hint}")


def _dotted(raw: RawCode) -> str:
    return f"{raw.version[0]}.{raw.version[1]}"
