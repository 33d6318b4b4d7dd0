"""Dynamo's names of globals, with and without the uuid.

The code that runs must name ``__compiled_fn_1_<uuid>``; text must say ``__compiled_fn_1``. So the names in a code
object are exchanged before it is decompiled, and exchanged back in what was compiled from the text. Instructions
refer to names by index: an exchange of ``co_names`` changes nothing else, and both functions check that.
"""

from __future__ import annotations

import itertools
from types import CodeType
from typing import Any

from ...without_source.modules import walk
from ..names import stable

__all__ = ["NameClash", "with_names", "with_own_name", "without_uuids"]


class NameClash(Exception):
    """A name without its uuid is in use already: the exchange would not be one to one."""


def without_uuids(code: CodeType) -> dict[str, str]:
    """Stable name -> real name, for every global of Dynamo's in `code` and the code in it whose name has a uuid.

    Raises NameClash when two names would become one.
    """
    names = _all_names(code)
    found: dict[str, str] = {}
    for real in names:
        name = stable(real)
        if name == real:
            continue
        if name in names or name in found:
            raise NameClash(f"{name} would replace two names")
        found[name] = real
    return found


def with_names(code: CodeType, new_name: dict[str, str]) -> CodeType:
    """`code` with the names in `new_name` (old -> new) exchanged, in nested code as well.

    Raises NameClash when anything but names would differ.
    """
    if not new_name:
        return code
    changed = code.replace(
        co_names=tuple(new_name.get(name, name) for name in code.co_names),
        co_consts=tuple(_constant_with_names(constant, new_name) for constant in code.co_consts),
    )
    if changed.co_code != code.co_code or len(set(changed.co_names)) != len(set(code.co_names)):
        raise NameClash(f"exchanging names changed more than names in {stable(code.co_name)}")
    return changed


def with_own_name(code: CodeType, name: str) -> CodeType:
    """`code` as a function called `name`: Dynamo's code for a lambda is no single expression, its text is a ``def``."""
    if code.co_name == name:
        return code
    changed: dict[str, Any] = {"co_name": name}
    if hasattr(code, "co_qualname"):  # 3.11 and later
        prefix, dot, _ = code.co_qualname.rpartition(".")
        changed["co_qualname"] = prefix + dot + name
    return code.replace(**changed)


def _constant_with_names(constant: Any, new_name: dict[str, str]) -> Any:
    return with_names(constant, new_name) if isinstance(constant, CodeType) else constant


def _all_names(code: CodeType) -> dict[str, None]:
    """In an order that no address has a part in: of names that differ by an id, the first is the first everywhere."""
    names = (one.co_names + one.co_varnames + one.co_cellvars + one.co_freevars for one in walk(code))
    return dict.fromkeys(itertools.chain.from_iterable(names))
