"""CPython 3.10: its opcodes, as differences to 3.9. Numbers and names as in 3.10.13; a test asks every interpreter."""

from __future__ import annotations

from . import py39
from .table import Meaning, changed, make_table

NUMBERS: dict[str, int] = {
    **py39.NUMBERS,
    "GET_LEN": 30, "MATCH_MAPPING": 31, "MATCH_SEQUENCE": 32, "MATCH_KEYS": 33, "COPY_DICT_WITHOUT_KEYS": 34,
    "ROT_N": 99, "RERAISE": 119, "GEN_START": 129, "MATCH_CLASS": 152,
}  # fmt: skip

MEANINGS: dict[str, Meaning] = changed(
    py39.MEANINGS,
    removed=[

    ],
    added={
        "RERAISE": ("count to 1", "RERAISE"),
        "ROT_N": ("rotate by", ""),
        "GEN_START": ("generator start 3 10", ""),
        "GET_LEN": ("plain", "GET_LEN"),
        "MATCH_MAPPING": ("plain", "MATCH_MAPPING"),
        "MATCH_SEQUENCE": ("plain", "MATCH_SEQUENCE"),
        "MATCH_KEYS": ("plain", "MATCH_KEYS_AND_TEST"),
        "MATCH_CLASS": ("count", "MATCH_CLASS_AND_TEST"),
        "COPY_DICT_WITHOUT_KEYS": ("plain", "COPY_DICT_WITHOUT_KEYS"),
    },
)  # fmt: skip

BEHAVIOR = py39.BEHAVIOR.changed(
    exits_are_copied=True,  # compile.c, duplicate_exits_without_lineno and extend_block
    loop_tests_are_copied=True,  # compile.c, compiler_while (bpo-42246)
    lines_leave_nops=True,  # compile.c, clean_basic_block (bpo-42246)
    folds_constant_tests=True,  # compile.c, optimize_basic_block
    joins_long_strings=True,  # compile.c, compiler_joined_str
    asserts_have_lines_of_comparisons=True,  # compile.c, compiler_jump_if: sets the location, does not restore it
)

TABLE = make_table(
    version=(3, 10),
    meanings=MEANINGS,
    numbers=NUMBERS,
    behavior=BEHAVIOR,
)
