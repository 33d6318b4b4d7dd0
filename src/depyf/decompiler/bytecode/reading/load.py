"""Live code object -> RawCode. Code in files is read by pyc.py."""

from __future__ import annotations

import sys
import types

from ....errors import DecompilationError
from ..code.exception_table import read_exception_table
from ..code.raw_code import RawCode
from ..code.slot_names import make_slot_names_distinct
from ..versions import TABLES, supported_versions
from .code_fields import joined_locals
from .qualnames import compute_qualnames

HOST_VERSION = sys.version_info[:2]
_HAS_QUALNAME, _HAS_LINETABLE = hasattr(types.CodeType, "co_qualname"), hasattr(types.CodeType, "co_linetable")


def load(code: types.CodeType, qualname: str | None = None, *, is_compiled_here: bool = False) -> RawCode:
    """``code``, an object of the running interpreter, and all code nested in it as plain data.

    ``qualname`` is that of the function it is from, for versions whose code has none (before 3.11).
    ``is_compiled_here``: a compiler has just made it, so its tables are valid.
    Raises DecompilationError if there is no opcode table for this version of Python yet.
    """
    if HOST_VERSION not in TABLES:
        raise DecompilationError(
            f"bytecode of CPython {HOST_VERSION[0]}.{HOST_VERSION[1]} can't be read yet; "
            f"supported: {supported_versions()}",
            stage="load",
            where=code.co_name,
        )
    raw = _read(code, is_compiled_here)
    if not hasattr(code, "co_qualname"):
        raw.qualname = qualname or code.co_name
        compute_qualnames(raw)
    return raw


def _read(code: types.CodeType, is_compiled_here: bool) -> RawCode:
    raw = RawCode()
    raw.is_compiled_here = is_compiled_here
    raw.version = HOST_VERSION
    raw.name = code.co_name
    raw.qualname = code.co_qualname if _HAS_QUALNAME else code.co_name
    raw.filename = code.co_filename
    raw.firstlineno = code.co_firstlineno
    raw.argcount = code.co_argcount
    raw.posonlyargcount = code.co_posonlyargcount
    raw.kwonlyargcount = code.co_kwonlyargcount
    raw.flags = code.co_flags
    raw.bytecode = code.co_code
    # A generator would fill the C stack.
    raw.consts = tuple([_read(one, is_compiled_here) if type(one) is types.CodeType else one for one in code.co_consts])
    raw.names = code.co_names
    raw.varnames = code.co_varnames
    raw.cellvars = code.co_cellvars
    raw.freevars = code.co_freevars
    raw.localsplus = joined_locals(raw)
    try:
        raw.exception_table = read_exception_table(getattr(code, "co_exceptiontable", b""))
    except ValueError as error:
        raise DecompilationError(str(error), stage="load", where=raw.qualname) from error
    raw.stacksize = code.co_stacksize
    raw.linetable = code.co_linetable if _HAS_LINETABLE else code.co_lnotab
    raw.code = code
    raw.notes = []
    try:
        make_slot_names_distinct(raw)
    except ValueError as error:
        raise DecompilationError(str(error), stage="load", where=raw.qualname) from error
    return raw
