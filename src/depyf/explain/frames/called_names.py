"""What a program calls the function whose code Dynamo compiles: ``GPT2LMHeadModel.forward``, not ``wrapper``."""

from __future__ import annotations

from types import CodeType
from typing import Any, Mapping

from ..containment import contained
from ..model import Frame, Session

__all__ = ["called_name", "note_called_name"]


def note_called_name(session: Session, frame: Frame, variables: Mapping[str, Any] | None) -> None:
    """Give ``frame`` its name in titles, if it has none yet and this call shows one."""
    if frame.code is not None and not frame.called:
        with contained(session, f"the name of {frame.name}", "its name in titles"):
            frame.called = called_name(frame.code, variables or {})


def called_name(code: CodeType, variables: Mapping[str, Any]) -> str:
    """The class of the first argument and the name under which it has ``code``; "" if ``code`` is no method of it.

    A code object knows where it was written: in a base class, or, for a method that a decorator has replaced, in that
    decorator.

    Args:
        code: of the function.
        variables: those of a call of it.
    """
    if not code.co_argcount or code.co_varnames[0] not in variables:
        return ""
    owner = type(variables[code.co_varnames[0]])
    for base in type.__dict__["__mro__"].__get__(owner):
        for name, value in vars(base).items():
            if getattr(value, "__code__", None) is code:
                return f"{owner.__name__}.{name}"
    return ""
