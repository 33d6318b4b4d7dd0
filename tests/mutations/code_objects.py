"""Mutants of code objects: one field of one code object changed, of those that are no instructions.

Among them are changes that no source makes, such as constants that are equal to others but of another type inside a
frozenset, and names and parameters that a compiler would never give.
"""

from __future__ import annotations

import random
import types
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

FLAGS = {"varargs": 0x04, "varkeywords": 0x08, "nested": 0x10, "future": 0x1000000, "iterable coroutine": 0x100}


def mutant(code: types.CodeType, dice: random.Random) -> Optional[Tuple[str, types.CodeType]]:
    """``code`` with one field changed, of itself or of code nested in it; None if the dice finds nothing to change."""
    nested = [place for place, constant in enumerate(code.co_consts) if isinstance(constant, types.CodeType)]
    if nested and dice.random() < 0.8:
        place = dice.choice(nested)
        found = mutant(code.co_consts[place], dice)
        if found is None:
            return None
        consts = (*code.co_consts[:place], found[1], *code.co_consts[place + 1 :])
        return found[0], code.replace(co_consts=consts)
    name = dice.choice(sorted(_FIELDS))
    changes = list(_FIELDS[name](code))
    if not changes:
        return None
    try:
        return f"code object: {name}", code.replace(**dice.choice(changes))
    except (ValueError, TypeError, SystemError):  # the last: fields that do not fit, on 3.14
        return None


def _constants(code: types.CodeType) -> Iterator[Dict[str, Any]]:
    for place, constant in enumerate(code.co_consts):
        for twin in _twins(constant):
            yield {"co_consts": (*code.co_consts[:place], twin, *code.co_consts[place + 1 :])}


def _twins(value: Any) -> List[Any]:
    """Constants that are easily taken for ``value``."""
    kind = type(value)
    if kind is tuple:
        return [(*value[:n], twin, *value[n + 1 :]) for n, item in enumerate(value) for twin in _twins(item)]
    if kind is frozenset:
        items = list(value)
        swapped = [frozenset([twin if x is item else x for x in items]) for item in items for twin in _twins(item)]
        return [*swapped, frozenset(reversed(items))]
    if kind is int:
        return [float(value), bool(value), complex(value)] if abs(value) < 2**53 else [value + 1]
    if kind is bool:
        return [int(value), float(value)]
    if kind is float:
        return [-value, complex(value), complex(value, -0.0)]
    if kind is complex:
        return [complex(-value.real, value.imag), complex(value.real, -value.imag)]
    if kind is str:
        return [value.encode("utf-8", "surrogatepass"), value + "\0"]
    return [value.decode("latin-1"), bytearray(value)] if kind is bytes else []


def _swapped(items: Tuple[Any, ...]) -> Iterator[Tuple[Any, ...]]:
    for place in range(len(items) - 1):
        yield (*items[:place], items[place + 1], items[place], *items[place + 2 :])


def _names(code: types.CodeType) -> Iterator[Dict[str, Any]]:
    for names in _swapped(code.co_names):
        yield {"co_names": names}


def _constants_swapped(code: types.CodeType) -> Iterator[Dict[str, Any]]:
    for consts in _swapped(code.co_consts):
        yield {"co_consts": consts}


def _variables(code: types.CodeType) -> Iterator[Dict[str, Any]]:
    for names in _swapped(code.co_varnames):
        yield {"co_varnames": names}
    for place, name in enumerate(code.co_varnames):
        yield {"co_varnames": (*code.co_varnames[:place], name + "_x", *code.co_varnames[place + 1 :])}


def _closure(code: types.CodeType) -> Iterator[Dict[str, Any]]:
    for names in _swapped(code.co_freevars):
        yield {"co_freevars": names}
    for names in _swapped(code.co_cellvars):
        yield {"co_cellvars": names}


def _parameters(code: types.CodeType) -> Iterator[Dict[str, Any]]:
    if code.co_argcount:
        yield {"co_argcount": code.co_argcount - 1, "co_kwonlyargcount": code.co_kwonlyargcount + 1}
        yield {"co_posonlyargcount": (code.co_posonlyargcount + 1) % (code.co_argcount + 1)}
    if code.co_kwonlyargcount:
        yield {"co_argcount": code.co_argcount + 1, "co_kwonlyargcount": code.co_kwonlyargcount - 1}


def _flags(code: types.CodeType) -> Iterator[Dict[str, Any]]:
    for bit in FLAGS.values():
        yield {"co_flags": code.co_flags ^ bit}


def _name(code: types.CodeType) -> Iterator[Dict[str, Any]]:
    yield {"co_name": code.co_name + "_x"}
    if hasattr(code, "co_qualname"):
        yield {"co_qualname": code.co_qualname + "_x"}


def _bookkeeping(code: types.CodeType) -> Iterator[Dict[str, Any]]:
    yield {"co_stacksize": code.co_stacksize + 3}
    yield {"co_firstlineno": code.co_firstlineno + 3}
    yield {"co_filename": "other"}
    yield {"co_consts": (*code.co_consts, "never used")}
    yield {"co_names": (*code.co_names, "never_used")}


_FIELDS: Dict[str, Callable[[types.CodeType], Iterator[Dict[str, Any]]]] = {
    "constants": _constants, "constants swapped": _constants_swapped, "names": _names, "variables": _variables,
    "closure": _closure, "parameters": _parameters, "flags": _flags, "name": _name, "bookkeeping": _bookkeeping,
}  # fmt: skip
