"""What a call leaves behind: what it returns, and its arguments, free variables and globals afterwards.

Each value has an expression, such as ``self.layers[0].weight``, so that those of two processes can be compared.
"""

from __future__ import annotations

import types
from typing import Any, Iterable, Iterator, Mapping

from ...explain.code_objects import with_nested
from ..rounding import same
from ..stages import copies, version_of

__all__ = ["RESULT", "UNCHANGED", "agree", "differing", "globals_of", "left_behind", "tensors", "versions", "widen"]

RESULT = "what it returns"
UNCHANGED = "unchanged"
_MOST = 50_000  # objects of a call
_PLAIN = (type(None), bool, int, float, complex, str, bytes)
_CODE = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.CodeType)
_SHARED = (list, dict, set)
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE
_NOT_OPENED = ("builtins", "io", "_io", "logging", "threading", "_thread", "weakref", "random")


def left_behind(roots: Mapping[str, Any], before: Mapping[int, int]) -> dict[str, tuple[str, Any]]:
    """All that can be reached from some values, as copies, by expression.

    Args:
        before: versions of tensors before the call; one that still has its version is only said to be unchanged.
    """
    found: dict[str, tuple[str, Any]] = {}
    known: dict[int, str] = {}
    for path, value in _reachable(roots, known):
        if known.get(id(value), path) != path:
            found[path] = ("is", f"the same tensor as {known[id(value)]}")
        elif type(value).__module__ == "numpy":
            found[path] = _of_numpy(value)
        elif _is_dense(value):
            is_old = before.get(id(value), -1) == version_of(value) != -1
            changed = not is_old or path.startswith(RESULT)
            found[path] = ("tensor", value.detach().clone()) if changed else (UNCHANGED, None)
            found[f"{path}.requires_grad"] = ("value", value.requires_grad)
        elif type(value) in _PLAIN:
            found[path] = ("value", value)
        else:
            found[path] = ("is", _kind(value))
    return found


def tensors(roots: Mapping[str, Any]) -> dict[str, Any]:
    """All tensors that can be reached, by expression."""
    return {path: value for path, value in _reachable(roots) if _is_dense(value)}


def versions(found: Mapping[str, Any]) -> dict[int, int]:
    """The versions of tensors, by identity."""
    return {id(value): version_of(value) for value in found.values()}


def widen(roots: Mapping[str, Any]) -> None:
    """All tensors that can be reached become fp64; those that share memory share it again."""
    found = list(tensors(roots).values())
    for one, wide in zip(found, copies(found, wide=True)):
        one.data = wide


def globals_of(code: types.CodeType, values: Mapping[str, Any]) -> dict[str, Any]:
    """The data among the globals that a function or one that is defined in it names."""
    names = [name for one in with_nested(code) for name in one.co_names if name in values]
    return {name: values[name] for name in names
            if not isinstance(values[name], _CODE) or _is_of_the_program(values[name])}  # fmt: skip


def differing(mine: Mapping[str, tuple[str, Any]], other: Mapping[str, tuple[str, Any]]) -> list[str]:
    """Expressions whose values differ, or that one side lacks, in order."""
    return [path for path in {**mine, **other} if not agree(mine.get(path), other.get(path))]


def agree(one: tuple[str, Any] | None, other: tuple[str, Any] | None) -> bool:
    """Whether two values are the same, bit for bit."""
    if one is None or other is None or one[0] != other[0]:
        return False
    if one[0] == "tensor":
        a, b = one[1], other[1]
        return a.shape == b.shape and a.dtype == b.dtype and same(a, b)
    return type(one[1]) is type(other[1]) and (one[1] == other[1] or one[1] != one[1] and other[1] != other[1])


def _reachable(roots: Mapping[str, Any], again: dict[int, str] | None = None) -> Iterator[tuple[str, Any]]:
    """Breadth first, each object once: its shortest expression is the one that a reader knows.

    Args:
        again: tensors are given at each of their expressions; gets the first of them, by identity.
    """
    waiting, seen = list(roots.items()), set()
    for path, value in waiting:
        if type(value) not in _PLAIN:
            if id(value) in seen:
                if again and id(value) in again:
                    yield path, value
                continue
            seen.add(id(value))
            if again is not None and _is_dense(value):
                again[id(value)] = path
        yield path, value
        if len(waiting) < _MOST:
            waiting += _inside(path, value)


def _inside(path: str, value: Any) -> Iterable[tuple[str, Any]]:
    import torch

    if isinstance(value, type) and _is_of_the_program(value):
        return [(_attribute(path, name), one) for name, one in vars(value).items()
                if type(one) in (*_PLAIN, *_SHARED) and not name.startswith("__")]  # fmt: skip
    if isinstance(value, (torch.Tensor, *_CODE)):
        return []
    if isinstance(value, dict):
        return [(f"{path}[{_key(at, key)}]", one) for at, (key, one) in enumerate(value.items())]
    if isinstance(value, (list, tuple)):
        return [(f"{path}[{at}]", one) for at, one in enumerate(value)]
    if isinstance(value, torch.nn.Module):
        base = vars(torch.nn.Module())
        own = {name: one for name, one in vars(value).items() if name not in base or name == "training"}
        for kind in ("_parameters", "_buffers", "_modules"):
            own.update(vars(value).get(kind) or {})
        own.update(_of_its_class(value, own))
        return [(_attribute(path, name), one) for name, one in own.items()]
    if type(value).__module__.partition(".")[0] in (*_NOT_OPENED, "torch"):
        return []
    attributes = getattr(value, "__dict__", None)
    if not isinstance(attributes, dict):
        return []
    return [(_attribute(path, name), one) for name, one in {**_of_its_class(value, attributes), **attributes}.items()]


def _attribute(path: str, name: str) -> str:
    """Expressions are evaluated (`Changes`), and what was read from a file may be the name of an attribute."""
    return f"{path}.{name}" if name.isidentifier() else f"{path}[{name if name.isdigit() else repr(name)}]"


def _of_its_class(value: Any, own: Mapping[str, Any]) -> dict[str, Any]:
    """What all objects of a class share, and may change."""
    found: dict[str, Any] = {}
    for base in filter(_is_of_the_program, type(value).__mro__):
        for name, one in vars(base).items():
            if type(one) in _SHARED and not name.startswith("__") and name not in own:
                found.setdefault(name, one)
    return found


def _is_of_the_program(value: Any) -> bool:
    """Whether it is a class that is written in Python, and none of torch's."""
    is_class = isinstance(value, type) and bool(value.__flags__ & _HEAP_TYPE)
    return is_class and value.__module__.partition(".")[0] not in (*_NOT_OPENED, "torch", "abc", "enum", "typing")


def _key(at: int, key: Any) -> str:
    return repr(key) if type(key) in _PLAIN else f"key {at}"


def _of_numpy(value: Any) -> tuple[str, Any]:
    import torch

    try:
        return ("tensor", torch.as_tensor(value).clone())
    except (TypeError, ValueError):  # strings, objects, negative strides
        return ("is", f"a {type(value).__qualname__}")


def _kind(value: Any) -> str:
    import torch

    if isinstance(value, (torch.dtype, torch.device, torch.layout, torch.memory_format)):
        return repr(value)
    if isinstance(value, (frozenset, set)) and all(type(one) in _PLAIN for one in value):
        return f"the set {sorted(map(repr, value))}"
    name = type(value).__qualname__
    return f"a {name} of {len(value)}" if isinstance(value, (list, tuple, dict, set, frozenset)) else f"a {name}"


def _is_dense(value: Any) -> bool:
    """Whether it is a tensor whose values can be copied."""
    import torch
    from torch.utils._python_dispatch import is_traceable_wrapper_subclass

    return (isinstance(value, torch.Tensor) and value.layout == torch.strided and value.device.type == "cpu"
            and not is_traceable_wrapper_subclass(value) and not value.is_quantized)  # fmt: skip
