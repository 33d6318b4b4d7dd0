"""CPython 3.9: its opcodes, as differences to 3.8. Numbers and names as in 3.9.18; a test asks every interpreter."""

from __future__ import annotations

from . import py38
from .table import Meaning, changed, make_table

NUMBERS: dict[str, int] = {
    **py38.NUMBERS,
    "RERAISE": 48, "WITH_EXCEPT_START": 49, "LOAD_ASSERTION_ERROR": 74, "LIST_TO_TUPLE": 82, "IS_OP": 117,
    "CONTAINS_OP": 118, "JUMP_IF_NOT_EXC_MATCH": 121, "LIST_EXTEND": 162, "SET_UPDATE": 163, "DICT_MERGE": 164,
    "DICT_UPDATE": 165,
}  # fmt: skip

MEANINGS: dict[str, Meaning] = changed(
    py38.MEANINGS,
    removed=[
        "BEGIN_FINALLY", "WITH_CLEANUP_START", "WITH_CLEANUP_FINISH", "END_FINALLY", "BUILD_LIST_UNPACK",
        "BUILD_MAP_UNPACK", "BUILD_MAP_UNPACK_WITH_CALL", "BUILD_TUPLE_UNPACK", "BUILD_SET_UNPACK",
        "BUILD_TUPLE_UNPACK_WITH_CALL", "CALL_FINALLY", "POP_FINALLY",
    ],
    added={
        "COMPARE_OP": ("comparison", 0),
        "IS_OP": ("is", "IS_OP"),
        "CONTAINS_OP": ("in", "CONTAINS_OP"),
        "JUMP_IF_NOT_EXC_MATCH": ("jump to", "JUMP_IF_NOT_EXC_MATCH"),
        "LOAD_ASSERTION_ERROR": ("plain", "LOAD_ASSERTION_ERROR"),
        "RERAISE": ("fixed", ("RERAISE", 0)),
        "WITH_EXCEPT_START": ("plain", "WITH_EXCEPT_START"),
        "LIST_TO_TUPLE": ("plain", "LIST_TO_TUPLE"),
        "LIST_EXTEND": ("count", "LIST_EXTEND"),
        "SET_UPDATE": ("count", "SET_UPDATE"),
        "DICT_MERGE": ("count", "DICT_MERGE"),
        "DICT_UPDATE": ("count", "DICT_UPDATE"),
    },
)  # fmt: skip

BEHAVIOR = py38.BEHAVIOR.changed(
    mappings_are_copied=True,  # compile.c, compiler_call_helper (bpo-39320)
)

TABLE = make_table(
    version=(3, 9),
    meanings=MEANINGS,
    numbers=NUMBERS,
    jump_unit=1,
    behavior=BEHAVIOR,
)
