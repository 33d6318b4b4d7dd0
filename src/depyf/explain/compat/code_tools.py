"""Small functions on code objects and callables, kept for callers of earlier releases."""

from __future__ import annotations

import functools
import inspect
import os
from types import CodeType
from typing import Any

__all__ = [
    "collect_all_code_objects",
    "decompile_ensure",
    "get_code_owner",
    "get_function_signature",
    "safe_create_directory",
]


def get_function_signature(code_obj: CodeType, overwite_fn_name: str | None = None) -> str:
    """The ``def`` line of a code object, defaults left out: they belong to the function.

    Args:
        code_obj: the code.
        overwite_fn_name: another name for it (spelt as it always was).
    """
    names = [name.replace(".", "comp_arg_") for name in code_obj.co_varnames]
    positional, count = code_obj.co_posonlyargcount, code_obj.co_argcount
    parts = names[:count]
    if positional:
        parts.insert(positional, "/")
    after = count + code_obj.co_kwonlyargcount
    if code_obj.co_flags & inspect.CO_VARARGS:
        parts.append("*" + names[after])
    elif code_obj.co_kwonlyargcount:
        parts.append("*")
    parts += names[count:after]
    if code_obj.co_flags & inspect.CO_VARKEYWORDS:
        parts.append("**" + names[after + bool(code_obj.co_flags & inspect.CO_VARARGS)])
    return "def {}({}):\n".format(overwite_fn_name or code_obj.co_name, ", ".join(parts))


def collect_all_code_objects(code: CodeType) -> list[CodeType]:
    """`code` and every code object among its constants, outer ones first."""
    found, waiting = [], [code]
    while waiting:
        one = waiting.pop(0)
        found.append(one)
        waiting = [constant for constant in one.co_consts if isinstance(constant, CodeType)] + waiting
    return found


def safe_create_directory(path: str) -> None:
    """Makes a directory, its parents too; several processes may do so at once. Raises OSError."""
    os.makedirs(path, exist_ok=True)


def get_code_owner(fn: Any) -> Any:
    """The function whose ``__code__`` a callable runs: of methods, partials, wrappers and callable objects."""
    for _ in range(1000):  # a wrapper that wraps itself must not hang us
        if hasattr(fn, "__func__"):
            fn = fn.__func__
        elif hasattr(fn, "__wrapped__"):
            fn = fn.__wrapped__
        elif isinstance(fn, functools.partial):
            fn = fn.func
        elif hasattr(getattr(fn, "__call__", None), "__func__"):  # noqa: B004  (its function is wanted)
            fn = fn.__call__.__func__
        else:
            break
    return fn


def decompile_ensure(fn: Any, overwite_fn_name: str | None = None) -> str:
    """The source of a code object; when there is none, a ``def`` which says so. Never raises `DecompilationError`."""
    from ...decompiler import Decompiler
    from ...errors import DecompilationError

    try:
        return Decompiler(fn).decompile(overwite_fn_name=overwite_fn_name)
    except DecompilationError as error:
        return get_function_signature(fn, overwite_fn_name) + f"    {str(error)!r}\n"
