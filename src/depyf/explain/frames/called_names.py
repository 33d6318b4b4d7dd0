"""What a program calls the function whose code Dynamo compiles: ``GPT2LMHeadModel.forward``, not ``wrapper``."""

from __future__ import annotations

import functools
import inspect
import sys
from types import CodeType, FunctionType, MethodType
from typing import Any, Mapping

from ..containment import contained
from ..model import Frame, Session

__all__ = ["called_name", "is_wrapper", "note_called_name"]

_PASSES_ON = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
_DYNAMOS_FRAME = "torch/_dynamo/external_utils.py"
_GIVEN = "the compiled function"
_MOST_NAMES = 3


def note_called_name(session: Session, frame: Frame, variables: Mapping[str, Any] | None) -> None:
    """Give ``frame`` its name in titles, if it has none yet and this call shows one; a wrapper has all it wraps."""
    if frame.code is not None and (not frame.called or is_wrapper(frame.code)):
        with contained(session, f"the name of {frame.name}", "its name in titles"):
            known = frame.called.split(", ") if frame.called else []
            name = called_name(frame.code, variables or {})
            if name and name not in known and len(known) < _MOST_NAMES:
                frame.called = ", ".join([*known, name])
                new = _passed_on(frame.code, variables or {})
                alike = {key: one for key, one in new.items() if not known or frame.passed_on.get(key) == one}
                frame.passed_on = {**dict.fromkeys([*new][:1], _GIVEN), **alike}


def is_wrapper(code: CodeType) -> bool:
    """Whether a function made in another takes any arguments and names none: ``def wrapper(*args, **kwargs)``."""
    takes_any = code.co_flags & _PASSES_ON == _PASSES_ON and not code.co_argcount + code.co_kwonlyargcount
    return takes_any and bool(code.co_freevars)


def called_name(code: CodeType, variables: Mapping[str, Any]) -> str:
    """The class of the first argument and the name under which it has ``code``; "" if ``code`` is no method of it.

    A code object knows where it was written: in a base class, or, for a method that a decorator has replaced, in that
    decorator.

    Args:
        code: of the function.
        variables: those of a call of it.
    """
    wrapped = _wrapped(code, variables) if is_wrapper(code) else ""
    if wrapped or not code.co_argcount or code.co_varnames[0] not in variables:
        return wrapped
    owner = type(variables[code.co_varnames[0]])
    for base in type.__dict__["__mro__"].__get__(owner):
        for name, value in vars(base).items():
            if getattr(value, "__code__", None) is code:
                return f"{owner.__name__}.{name}"
    return ""


def _wrapped(code: CodeType, variables: Mapping[str, Any]) -> str:
    """What a wrapper calls: the one function, method or module that it closes over; "" if these are several."""
    found = {name: variables[name] for name in code.co_freevars if name in variables}
    beside = getattr(code, "co_qualname", "").rpartition(".")[0]  # a function made there as well is not wrapped
    names = [name for name in map(_name_of, found.values()) if name]
    called = [one for one in found.values() if isinstance(_method_of(one), FunctionType)]
    names = names or [f"{type(one).__name__}.__call__" for one in called]
    names = [name for name in names if not beside or name.rpartition(".")[0] != beside]
    return names[0].rpartition("<locals>.")[2] if len(names) == 1 else ""


def _passed_on(code: CodeType, variables: Mapping[str, Any]) -> dict[str, str]:
    """What Dynamo's own frame around a module or a function has, by the names of that function: ``args[0]``: ``x``."""
    if not code.co_filename.replace("\\", "/").endswith(_DYNAMOS_FRAME):
        return {}
    [name] = [one for one in code.co_freevars if one in variables][:1] or [""]
    value = variables.get(name)
    function = value if isinstance(value, FunctionType) else _method_of(value)
    if not isinstance(function, FunctionType):
        return {name: _GIVEN}
    parameters = list(function.__code__.co_varnames[: function.__code__.co_argcount])
    found = {name: _GIVEN if function is value else parameters.pop(0)}
    return {**found, **{f"args[{at}]": one for at, one in enumerate(parameters)}}


def _name_of(value: Any) -> str:
    """Of a function or method its name in its class, of a module ``Sequential.forward``. Runs no code of it."""
    if isinstance(value, functools.partial):
        value = value.func
    if isinstance(value, MethodType):
        value = value.__func__
    if isinstance(value, FunctionType):
        return value.__qualname__
    torch = sys.modules.get("torch")
    return f"{type(value).__name__}.forward" if torch is not None and isinstance(value, torch.nn.Module) else ""


def _method_of(value: Any) -> Any:
    """What a call of a module or an object runs."""
    return inspect.getattr_static(type(value), "forward", inspect.getattr_static(type(value), "__call__", None))
