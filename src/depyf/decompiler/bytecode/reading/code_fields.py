"""Reads the fields of a marshalled code object, whatever their order, and checks them as CPython would."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generator

from ..code.exception_table import read_exception_table
from ..code.flags import CO_VARARGS, CO_VARKEYWORDS
from ..code.raw_code import RawCode
from ..code.slot_names import make_slot_names_distinct

if TYPE_CHECKING:
    from .marshal import MarshalReader

NUMBERS = frozenset({"argcount", "posonlyargcount", "kwonlyargcount", "nlocals", "stacksize", "flags", "firstlineno"})
NAMES = frozenset({"names", "varnames", "freevars", "cellvars", "localsplus"})
TYPES: dict[str, Any] = {
    "bytecode": bytes, "consts": tuple, "names": tuple, "varnames": tuple, "freevars": tuple, "cellvars": tuple,
    "localsplus": tuple, "localsplus_kinds": bytes, "filename": str, "name": str, "qualname": str,
    "linetable": bytes, "exception_table": bytes,
}  # fmt: skip
KIND_LOCAL, KIND_CELL, KIND_FREE = 0x20, 0x40, 0x80
"""Bits of a byte of ``localsplus_kinds``: CPython's CO_FAST_LOCAL, CO_FAST_CELL, CO_FAST_FREE."""
STORED = ("nlocals", "localsplus_kinds", "exception_table")
"""Fields that RawCode has in another form, or not at all; kept unchanged for comparing files."""


def build_code(reader: MarshalReader) -> Generator[None, Any, RawCode]:
    """A code object from its fields. Its ``qualname`` is its name where the file has none (see qualnames.py)."""
    start = reader.at
    fields: dict[str, Any] = {"posonlyargcount": 0, "exception_table": ()}
    stored: dict[str, Any] = {}
    for field in reader.format.code_fields:
        value = reader.integer() if field in NUMBERS else (yield)
        if field in STORED:
            stored[field] = value
        fields[field] = value if field in NUMBERS else _checked(reader, field, value)
    if "localsplus" in fields:
        _split_locals(reader, fields, start)
    raw = RawCode()
    raw.version = reader.version
    for field in ("argcount", "posonlyargcount", "kwonlyargcount", "stacksize", "flags"):
        if fields[field] < 0:
            reader.fail(f"code object {fields['name']!r} has {field} {fields[field]}", start)
        setattr(raw, field, fields[field])
    for field in ("bytecode", "consts", "names", "varnames", "cellvars", "freevars", "filename", "name", "linetable"):
        setattr(raw, field, fields[field])
    raw.firstlineno = fields["firstlineno"]
    raw.qualname = fields.get("qualname", raw.name)
    raw.localsplus = fields.get("localsplus") or joined_locals(raw)
    raw.exception_table = fields["exception_table"]
    raw.code = None
    raw.notes = []
    raw.stored = stored
    reason = _contradiction(raw)
    if reason:
        reader.fail(f"code object {raw.name!r}: {reason}", start)
    try:
        make_slot_names_distinct(raw)
    except ValueError as error:
        reader.fail(f"code object {raw.name!r}: {error}", start)
    return raw


def _checked(reader: MarshalReader, field: str, value: Any) -> Any:
    if type(value) is not TYPES[field]:
        reader.fail(f"expected the {field} of a code object, found {type(value).__name__}")
    if field in NAMES and not all(type(name) is str for name in value):
        reader.fail(f"expected the {field} of a code object, found a tuple that holds something else than strings")
    if field == "exception_table":
        try:
            return read_exception_table(value)
        except ValueError as error:
            reader.fail(str(error))
    return value


def _split_locals(reader: MarshalReader, fields: dict[str, Any], start: int) -> None:
    names, kinds = fields["localsplus"], fields["localsplus_kinds"]
    if len(names) != len(kinds):
        reader.fail(f"code object {fields['name']!r} has {len(names)} local variables of {len(kinds)} kinds", start)
    for field, bit in (("varnames", KIND_LOCAL), ("cellvars", KIND_CELL), ("freevars", KIND_FREE)):
        fields[field] = tuple(name for name, kind in zip(names, kinds) if kind & bit)


def joined_locals(raw: RawCode) -> tuple[str, ...]:
    """All local variables of a code object whose slots CPython numbers by kind.

    A parameter that is also a cell has one slot, among the locals; the other cells and the free variables follow.
    """
    arguments = set(raw.varnames)
    return raw.varnames + tuple(name for name in raw.cellvars if name not in arguments) + raw.freevars


def _contradiction(raw: RawCode) -> str:
    """Why CPython would refuse to make a code object of the fields; '' if it would not."""
    if raw.argcount < raw.posonlyargcount:
        return f"{raw.posonlyargcount} of {raw.argcount} parameters are positional only"
    count = raw.argcount + raw.kwonlyargcount + bool(raw.flags & CO_VARARGS) + bool(raw.flags & CO_VARKEYWORDS)
    if count > len(raw.varnames):
        return f"{count} parameters, but {len(raw.varnames)} local variables"
    if len(raw.bytecode) % 2:
        return f"its bytecode has an odd length, {len(raw.bytecode)}"
    return ""
