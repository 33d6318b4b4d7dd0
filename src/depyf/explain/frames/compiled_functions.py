"""From what a user has in hand to the Python functions whose frames Dynamo may have compiled for it.

A function, a method, a module, what `torch.compile` returned for one, a partial, a decorated function, an object with
``__call__``: each leads to functions, the likeliest first. Nothing is called, and no property is evaluated.
"""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any, Callable, Iterable

from ..code_objects import cell_contents

__all__ = ["called_from", "functions_of", "is_disabled"]

_MOST = 200  # things looked at: a program reaches itself as a whole sooner or later
_ORIGINAL = "_torchdynamo_orig_callable"  # how `torch.compile` and `torch.compiler.disable` keep what they were given


def functions_of(thing: Any) -> list[types.FunctionType]:
    """Python functions that `thing` wraps or calls, the likeliest to be compiled first; empty if there are none."""
    found: list[types.FunctionType] = []
    waiting: list[Any] = [thing]
    seen: set[int] = set()
    while waiting and len(seen) < _MOST:
        at = waiting.pop(0)
        if at is None or id(at) in seen:
            continue
        seen.add(id(at))
        attributes = _attributes(at)
        compiled = attributes.get(_ORIGINAL)
        inner = attributes.get("_orig_mod") or (attributes.get("_modules") or {}).get("_orig_mod")
        if isinstance(at, (types.MethodType, staticmethod, classmethod)):
            waiting.append(at.__func__)
        elif isinstance(at, (functools.partial, functools.partialmethod)):
            waiting.append(at.func)
        elif isinstance(at, property):
            waiting.append(at.fget)
        elif compiled is not None:
            waiting += [inner, attributes.get("forward"), compiled]
        elif isinstance(at, types.FunctionType):
            found.append(at)
            waiting.append(attributes.get("__wrapped__"))
        elif isinstance(at, type):
            waiting.append(_of_class(at, "forward"))
        elif _of_class(type(at), "forward") is not None or "forward" in attributes:  # a module
            waiting += [inner, attributes.get("forward") or _of_class(type(at), "forward")]
            waiting.append(attributes.get("_compiled_call_impl"))
        else:
            waiting += [attributes.get("__wrapped__"), _of_class(type(at), "__call__")]
    return found


def called_from(
    thing: Any, functions: Iterable[types.FunctionType], is_compiled: Callable[[types.FunctionType], bool]
) -> list[types.FunctionType]:
    """Compiled functions which these mention, directly or through others that are not compiled.

    Args:
        thing: what the user has; of a module, the modules inside it count.
        functions: those that it runs.
        is_compiled: whether there is something to show for a function.
    """
    found: list[types.FunctionType] = []
    owner = getattr(thing, "__self__", thing)
    waiting: list[tuple[types.FunctionType, Any]] = [(function, owner) for function in functions]
    for inner in _modules_inside(thing):
        waiting += [(function, inner) for function in functions_of(inner)]
    seen: set[int] = set()
    while waiting and len(seen) < _MOST:
        function, owner = waiting.pop(0)
        if id(function.__code__) in seen:
            continue
        seen.add(id(function.__code__))
        if is_compiled(function):
            found.append(function)
            continue
        for mentioned in _mentioned(function, owner):
            waiting += [(callee, getattr(mentioned, "__self__", mentioned)) for callee in functions_of(mentioned)]
    return found


def is_disabled(thing: Any) -> bool:
    """Whether `torch.compiler.disable` made it, which marks what it returns."""
    while thing is not None:
        attributes = _attributes(thing)
        if attributes.get("_torchdynamo_disable") is True:
            return True
        thing = attributes.get("__wrapped__") or getattr(thing, "__func__", None)
    return False


def _attributes(thing: Any) -> dict[str, Any]:
    found = getattr(thing, "__dict__", None)
    return found if isinstance(found, dict) else {}


def _of_class(cls: type, name: str) -> Any | None:
    """A function of a class by its name, inherited ones too; None for those that are not Python's."""
    found = inspect.getattr_static(cls, name, None)
    return found if isinstance(found, (types.FunctionType, staticmethod, classmethod)) else None


def _modules_inside(thing: Any) -> list[Any]:
    waiting: list[Any] = [getattr(thing, "__self__", thing)]
    found: list[Any] = []
    while waiting and len(found) < _MOST:
        at = waiting.pop(0)
        children = _attributes(at).get("_modules")
        if isinstance(children, dict):
            found.append(at)
            waiting += list(children.values())
    return found[1:]


def _mentioned(function: types.FunctionType, owner: Any) -> list[Any]:
    """What a function's names may refer to: its globals, its closure, and attributes of the object it belongs to."""
    found: list[Any] = list(cell_contents(function).values())
    attributes = _attributes(owner)
    children = attributes.get("_modules")
    for name in function.__code__.co_names:
        found += [function.__globals__.get(name), attributes.get(name)]
        if not isinstance(owner, (types.FunctionType, types.ModuleType)):
            found.append(_of_class(owner if isinstance(owner, type) else type(owner), name))
        if isinstance(children, dict):
            found.append(children.get(name))
    return [one for one in found if callable(one) or isinstance(one, (staticmethod, classmethod))]
