"""Qualified names of code before 3.11, which had no ``co_qualname``: read from the instructions that hold them.

MAKE_FUNCTION pops the qualified name of a function from the stack, a class body stores that of the class.
"""

from __future__ import annotations

import sys
import types
from typing import Any, Mapping

from ..code.raw_code import RawCode
from ..versions import TABLES

LOCALS = "<locals>"
_FIRST_UNITS = 16
"""A class body stores its names within so many units of two bytes."""


def compute_qualnames(raw: RawCode) -> None:
    """Set ``qualname`` of ``raw`` (if its instructions show it) and of all nested code (if need be from the nesting).

    On entry ``raw.qualname`` holds the best known name, at least the name of the code.
    """
    if "." not in raw.qualname:
        raw.qualname = _own(raw) or raw.qualname
    todo, seen = [raw], {raw}
    while todo:
        outer = todo.pop()
        parts = outer.nested
        if not parts:
            continue
        given = _given(outer)
        inside = f"{outer.qualname}.{LOCALS}." if outer.is_function else f"{outer.qualname}."
        if outer is raw and not outer.is_function and _stored(outer) is None:
            inside = ""  # the code of a module
        for nested in parts:
            if nested in seen:
                continue  # equal lambdas on one line may share their code
            seen.add(nested)
            name = given.get(id(nested))
            name = _own(nested) if name is None else name
            nested.qualname = inside + nested.name if name is None else name
            todo.append(nested)


def _own(raw: RawCode) -> str | None:
    """The qualified name of a class body by its own store, or of a function by those of its nested functions."""
    if not raw.is_function:
        return _stored(raw)
    inside = raw.nested
    given = _given(raw) if inside else {}
    for nested in inside:
        name = given.get(id(nested)) or _stored(nested)
        end = f"{raw.name}.{LOCALS}.{nested.name}"
        if name is not None and (name == end or name.endswith("." + end)):
            return name[: -len(f".{LOCALS}.{nested.name}")]
    return None


def _stored(raw: RawCode) -> str | None:
    """The constant that a class body stores as ``__qualname__``."""
    store = TABLES[raw.version].opcodes["STORE_NAME"]
    for unit, operation in enumerate(raw.bytecode[: 2 * _FIRST_UNITS : 2]):
        if operation != store:
            continue
        argument, before = _argument(raw, unit)
        if raw.names[argument : argument + 1] == ("__qualname__",):
            constant = _loaded(raw, before)[0]
            return constant if isinstance(constant, str) else None
    return None


def _given(raw: RawCode) -> dict[int, str]:
    """The qualified names that MAKE_FUNCTION gives, by the identity of the code."""
    found: dict[int, str] = {}
    make, operations = TABLES[raw.version].opcodes["MAKE_FUNCTION"], raw.bytecode[::2]
    if make not in operations:
        return found
    for unit, operation in enumerate(operations):
        if operation != make:
            continue
        qualname, before = _loaded(raw, _argument(raw, unit)[1])
        code, _ = _loaded(raw, before)
        if isinstance(code, RawCode) and isinstance(qualname, str) and code.is_function:
            known = found.setdefault(id(code), qualname)
            if known != qualname:  # no compiler gives two names to one code object
                found[id(code)] = f"{known} or {qualname}"
    return found


def give_qualnames(code: types.CodeType, wanted: Mapping[int, str]) -> types.CodeType:
    """``code`` of a version before 3.11, with these names for the nested code at these indices of its constants."""
    rows = TABLES[sys.version_info[:2]].rows
    consts, bytecode = list(code.co_consts), bytearray(code.co_code)
    names = [getattr(rows.get(operation), "name", "") for operation in bytecode[::2]]
    for unit in range(2, len(names)):
        if names[unit - 2 : unit + 1] != ["LOAD_CONST", "LOAD_CONST", "MAKE_FUNCTION"]:
            continue
        name = wanted.get(bytecode[2 * unit - 3])
        before = names[unit - 3] if unit > 2 else ""
        if name is None or before == "EXTENDED_ARG":
            continue
        index = next((i for i, value in enumerate(consts) if type(value) is str and value == name), len(consts))
        if index < 256:
            consts[index:] = consts[index:] or [name]
            bytecode[2 * unit - 1] = index
    return code.replace(co_consts=tuple(consts), co_code=bytes(bytecode))


def _loaded(raw: RawCode, unit: int) -> tuple[Any, int]:
    """The constant that the instruction in this two-byte unit loads, None if it loads none, and the unit before it."""
    if unit < 0:
        return None, unit
    argument, before = _argument(raw, unit)
    is_constant = raw.bytecode[2 * unit] == TABLES[raw.version].opcodes["LOAD_CONST"]
    return raw.consts[argument] if is_constant and argument < len(raw.consts) else None, before


def _argument(raw: RawCode, unit: int) -> tuple[int, int]:
    """The argument of the instruction in this unit, and the unit before its first EXTENDED_ARG."""
    code, extended = raw.bytecode, TABLES[raw.version].opcodes["EXTENDED_ARG"]
    argument, shift = code[2 * unit + 1], 8
    while unit > 0 and code[2 * unit - 2] == extended:
        unit -= 1
        argument |= code[2 * unit + 1] << shift
        shift += 8
    return argument, unit - 1
