"""Code objects compared, and the functions inside Dynamo's code kept as the very objects that they are.

Dynamo's code may make functions: the user's inner functions, and, where cells are involved, its own resume functions
(torch 2.2 to 2.9 make these with ``MAKE_FUNCTION``, later ones with a helper). A code object compiled from our text
does the same, but is another one: Dynamo knows its resume functions by identity (`ContinueExecutionCache` in
resume_execution.py) and keeps compiled code per code object, and a traceback, `inspect.getsource` or a breakpoint of
the user leads to the file that a code object names.
"""

from __future__ import annotations

import inspect
from types import CodeType, FunctionType
from typing import Any, Iterator

__all__ = [
    "CALLING", "RETURNS_AT_ONCE", "cell_contents", "parameters_of", "same_instructions", "with_nested",
    "with_nested_of",
]  # fmt: skip

RETURNS_AT_ONCE = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
CALLING = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS | RETURNS_AT_ONCE

_SHAPE = ("co_freevars", "co_argcount", "co_posonlyargcount", "co_kwonlyargcount")


def with_nested(code: CodeType) -> Iterator[CodeType]:
    """The code object and those in it, a level at a time."""
    waiting = [code]
    while waiting:
        at = waiting.pop(0)
        yield at
        waiting += [constant for constant in at.co_consts if isinstance(constant, CodeType)]


def parameters_of(code: CodeType) -> list[str]:
    """Names of all parameters, in the order of the local variables: `args` and `kwargs` of `*args, **kwargs` last."""
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return list(code.co_varnames[:count])


def cell_contents(function: FunctionType) -> dict[str, Any]:
    """The values of the free variables of a function, by name; those not assigned yet are left out."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            continue
    return found


def same_instructions(one: CodeType, other: CodeType) -> bool:
    """Whether two code objects do the same: all but names of files and places in them."""
    return (
        one.co_code == other.co_code
        and one.co_names == other.co_names
        and one.co_varnames == other.co_varnames
        and one.co_freevars == other.co_freevars
        and one.co_argcount == other.co_argcount
        and len(one.co_consts) == len(other.co_consts)
        and all(_same_constant(a, b) for a, b in zip(one.co_consts, other.co_consts))
    )


def _same_constant(one: Any, other: Any) -> bool:
    if isinstance(one, CodeType) and isinstance(other, CodeType):
        return same_instructions(one, other)
    return type(one) is type(other) and repr(one) == repr(other)


def with_nested_of(ours: CodeType, theirs: CodeType) -> CodeType:
    """`ours` with the nested code objects of `theirs` in place of those compiled from text.

    That the two do the same has been proven, the functions in them included. A nested one is exchanged where it is the
    only one of its name in both, or where its instructions are the same; and where it takes the same cells.
    """
    waiting: dict[str, list[CodeType]] = {}
    for constant in theirs.co_consts:
        if isinstance(constant, CodeType):
            waiting.setdefault(constant.co_name, []).append(constant)
    names = [constant.co_name for constant in ours.co_consts if isinstance(constant, CodeType)]

    def exchanged(constant: Any) -> Any:
        if not isinstance(constant, CodeType):
            return constant
        candidates = waiting.get(constant.co_name, [])
        if any(constant is one for one in candidates):
            return constant
        alone = len(candidates) == 1 and names.count(constant.co_name) == 1
        for one in candidates:
            if _takes_the_same(constant, one) and (alone or same_instructions(constant, one)):
                return one
        return constant

    if not waiting:
        return ours
    return ours.replace(co_consts=tuple([exchanged(one) for one in ours.co_consts]))


def _takes_the_same(one: CodeType, other: CodeType) -> bool:
    return (
        all(getattr(one, name) == getattr(other, name) for name in _SHAPE)
        and one.co_flags & CALLING == other.co_flags & CALLING
    )
