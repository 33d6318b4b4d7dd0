"""The differences between the .pyc files of CPython's versions, as data: one row per version.

For a new version add a row: its magic numbers are in CPython's Include/internal/pycore_magic_number.h (until 3.13 in
Lib/importlib/_bootstrap_external.py), the fields of a code object in Python/marshal.c, the line table in
Objects/lnotab_notes.txt and Objects/locations.md.
"""

from __future__ import annotations

from typing import NamedTuple

from .line_table import Decoder, read_line_ranges, read_lnotab, read_locations

_FIELDS_37 = (
    "argcount", "kwonlyargcount", "nlocals", "stacksize", "flags", "bytecode", "consts", "names", "varnames",
    "freevars", "cellvars", "filename", "name", "firstlineno", "linetable",
)  # fmt: skip
_FIELDS_38 = ("argcount", "posonlyargcount", *_FIELDS_37[1:])
_FIELDS_311 = (
    "argcount", "posonlyargcount", "kwonlyargcount", "stacksize", "flags", "bytecode", "consts", "names",
    "localsplus", "localsplus_kinds", "filename", "name", "qualname", "firstlineno", "linetable", "exception_table",
)  # fmt: skip


class FileFormat(NamedTuple):
    """How one version of CPython writes its .pyc files.

    ``magic_numbers`` are those of the final releases and of pre-releases that differ only in what their compilers
    emit; ``first_magic`` is that of the first alpha, the lowest number of this version. ``code_fields`` are the fields
    of a code object in order. ``has_slices``: slices can be constants. ``hash_rounds``: the number of SipHash rounds
    per block where the header holds a hash of the source (bpo-29410). ``marks_vary``: which objects are marked with
    FLAG_REF varies between runs of one compiler. ``sorts_sets``: sets are written sorted by their elements' bytes, not
    in their own order (bpo-37596). ``makes_sets_once``: the compiler creates a set constant once, and not again when
    it merges equal constants (compile.c's merge_const_one, bpo-34100).
    """

    first_magic: int
    magic_numbers: frozenset[int]
    code_fields: tuple[str, ...]
    line_table: Decoder
    has_slices: bool = False
    hash_rounds: int = 1
    marks_vary: bool = False
    sorts_sets: bool = True
    makes_sets_once: bool = False


FORMATS: dict[tuple[int, int], FileFormat] = {
    (3, 7): FileFormat(3390, frozenset({3394}), _FIELDS_37, read_lnotab, hash_rounds=2, marks_vary=True,
                       sorts_sets=False, makes_sets_once=True),
    (3, 8): FileFormat(3400, frozenset({3413}), _FIELDS_38, read_lnotab, hash_rounds=2, marks_vary=True,
                       sorts_sets=False),
    (3, 9): FileFormat(3420, frozenset({3425}), _FIELDS_38, read_lnotab, hash_rounds=2, marks_vary=True,
                       sorts_sets=False),
    (3, 10): FileFormat(3430, frozenset({3439}), _FIELDS_38, read_line_ranges, hash_rounds=2, marks_vary=True,
                        sorts_sets=False),
    (3, 11): FileFormat(3450, frozenset({3494, 3495}), _FIELDS_311, read_locations),
    (3, 12): FileFormat(3500, frozenset({3531}), _FIELDS_311, read_locations),
    (3, 13): FileFormat(3550, frozenset({3570, 3571}), _FIELDS_311, read_locations),
    (3, 14): FileFormat(3600, frozenset({3624, 3625, 3626, 3627}), _FIELDS_311, read_locations, has_slices=True,
                        makes_sets_once=True),
    (3, 15): FileFormat(3650, frozenset({3666}), _FIELDS_311, read_locations, has_slices=True, makes_sets_once=True),
}

END_OF_KNOWN_MAGIC = 3700
"""The first magic number of the version after the last in FORMATS."""
