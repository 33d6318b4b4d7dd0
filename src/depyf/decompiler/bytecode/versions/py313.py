"""CPython 3.13: its opcodes, as differences to 3.12. Numbers and names as in 3.13.0; a test asks every interpreter."""

from __future__ import annotations

from . import py312
from .table import INTERNAL, Meaning, changed, make_table

NUMBERS: dict[str, int] = {
    "CACHE": 0, "BEFORE_ASYNC_WITH": 1, "BEFORE_WITH": 2, "BINARY_SLICE": 4, "BINARY_SUBSCR": 5, "CHECK_EG_MATCH": 6,
    "CHECK_EXC_MATCH": 7, "CLEANUP_THROW": 8, "DELETE_SUBSCR": 9, "END_ASYNC_FOR": 10, "END_FOR": 11, "END_SEND": 12,
    "EXIT_INIT_CHECK": 13, "FORMAT_SIMPLE": 14, "FORMAT_WITH_SPEC": 15, "GET_AITER": 16, "RESERVED": 17,
    "GET_ANEXT": 18, "GET_ITER": 19, "GET_LEN": 20, "GET_YIELD_FROM_ITER": 21, "INTERPRETER_EXIT": 22,
    "LOAD_ASSERTION_ERROR": 23, "LOAD_BUILD_CLASS": 24, "LOAD_LOCALS": 25, "MAKE_FUNCTION": 26, "MATCH_KEYS": 27,
    "MATCH_MAPPING": 28, "MATCH_SEQUENCE": 29, "NOP": 30, "POP_EXCEPT": 31, "POP_TOP": 32, "PUSH_EXC_INFO": 33,
    "PUSH_NULL": 34, "RETURN_GENERATOR": 35, "RETURN_VALUE": 36, "SETUP_ANNOTATIONS": 37, "STORE_SLICE": 38,
    "STORE_SUBSCR": 39, "TO_BOOL": 40, "UNARY_INVERT": 41, "UNARY_NEGATIVE": 42, "UNARY_NOT": 43,
    "WITH_EXCEPT_START": 44, "BINARY_OP": 45, "BUILD_CONST_KEY_MAP": 46, "BUILD_LIST": 47, "BUILD_MAP": 48,
    "BUILD_SET": 49, "BUILD_SLICE": 50, "BUILD_STRING": 51, "BUILD_TUPLE": 52, "CALL": 53, "CALL_FUNCTION_EX": 54,
    "CALL_INTRINSIC_1": 55, "CALL_INTRINSIC_2": 56, "CALL_KW": 57, "COMPARE_OP": 58, "CONTAINS_OP": 59,
    "CONVERT_VALUE": 60, "COPY": 61, "COPY_FREE_VARS": 62, "DELETE_ATTR": 63, "DELETE_DEREF": 64, "DELETE_FAST": 65,
    "DELETE_GLOBAL": 66, "DELETE_NAME": 67, "DICT_MERGE": 68, "DICT_UPDATE": 69, "ENTER_EXECUTOR": 70,
    "EXTENDED_ARG": 71, "FOR_ITER": 72, "GET_AWAITABLE": 73, "IMPORT_FROM": 74, "IMPORT_NAME": 75, "IS_OP": 76,
    "JUMP_BACKWARD": 77, "JUMP_BACKWARD_NO_INTERRUPT": 78, "JUMP_FORWARD": 79, "LIST_APPEND": 80, "LIST_EXTEND": 81,
    "LOAD_ATTR": 82, "LOAD_CONST": 83, "LOAD_DEREF": 84, "LOAD_FAST": 85, "LOAD_FAST_AND_CLEAR": 86,
    "LOAD_FAST_CHECK": 87, "LOAD_FAST_LOAD_FAST": 88, "LOAD_FROM_DICT_OR_DEREF": 89, "LOAD_FROM_DICT_OR_GLOBALS": 90,
    "LOAD_GLOBAL": 91, "LOAD_NAME": 92, "LOAD_SUPER_ATTR": 93, "MAKE_CELL": 94, "MAP_ADD": 95, "MATCH_CLASS": 96,
    "POP_JUMP_IF_FALSE": 97, "POP_JUMP_IF_NONE": 98, "POP_JUMP_IF_NOT_NONE": 99, "POP_JUMP_IF_TRUE": 100,
    "RAISE_VARARGS": 101, "RERAISE": 102, "RETURN_CONST": 103, "SEND": 104, "SET_ADD": 105,
    "SET_FUNCTION_ATTRIBUTE": 106, "SET_UPDATE": 107, "STORE_ATTR": 108, "STORE_DEREF": 109, "STORE_FAST": 110,
    "STORE_FAST_LOAD_FAST": 111, "STORE_FAST_STORE_FAST": 112, "STORE_GLOBAL": 113, "STORE_NAME": 114, "SWAP": 115,
    "UNPACK_EX": 116, "UNPACK_SEQUENCE": 117, "YIELD_VALUE": 118, "RESUME": 149, "INSTRUMENTED_RESUME": 236,
    "INSTRUMENTED_END_FOR": 237, "INSTRUMENTED_END_SEND": 238, "INSTRUMENTED_RETURN_VALUE": 239,
    "INSTRUMENTED_RETURN_CONST": 240, "INSTRUMENTED_YIELD_VALUE": 241, "INSTRUMENTED_LOAD_SUPER_ATTR": 242,
    "INSTRUMENTED_FOR_ITER": 243, "INSTRUMENTED_CALL": 244, "INSTRUMENTED_CALL_KW": 245,
    "INSTRUMENTED_CALL_FUNCTION_EX": 246, "INSTRUMENTED_INSTRUCTION": 247, "INSTRUMENTED_JUMP_FORWARD": 248,
    "INSTRUMENTED_JUMP_BACKWARD": 249, "INSTRUMENTED_POP_JUMP_IF_TRUE": 250, "INSTRUMENTED_POP_JUMP_IF_FALSE": 251,
    "INSTRUMENTED_POP_JUMP_IF_NONE": 252, "INSTRUMENTED_POP_JUMP_IF_NOT_NONE": 253, "INSTRUMENTED_LINE": 254,
}  # fmt: skip

MEANINGS: dict[str, Meaning] = changed(
    py312.MEANINGS,
    removed=[
        "LOAD_CLOSURE", "FORMAT_VALUE", "KW_NAMES",
    ],
    added={
        "CALL_INTRINSIC_2": ("intrinsic 2", 6),
        "ENTER_EXECUTOR": INTERNAL,
        "EXIT_INIT_CHECK": INTERNAL,
        "END_FOR": ("plain", "END_FOR_THEN_POP"),
        "COMPARE_OP": ("comparison", 5),
        "LOAD_GLOBAL": ("global or null", "LOAD_GLOBAL"),
        "TO_BOOL": ("plain", "TO_BOOL"),
        "CALL_KW": ("call keywords", "CALL"),
        "CONVERT_VALUE": ("conversion", "CONVERT_VALUE"),
        "FORMAT_SIMPLE": ("fixed", ("FORMAT_VALUE", ("", False))),
        "FORMAT_WITH_SPEC": ("fixed", ("FORMAT_VALUE", ("", True))),
        "LOAD_FAST_LOAD_FAST": ("two locals", ("LOAD_FAST", "LOAD_FAST")),
        "STORE_FAST_LOAD_FAST": ("two locals", ("STORE_FAST", "LOAD_FAST")),
        "STORE_FAST_STORE_FAST": ("two locals", ("STORE_FAST", "STORE_FAST")),
        "MAKE_FUNCTION": ("fixed", ("MAKE_FUNCTION", ())),
        "SET_FUNCTION_ATTRIBUTE": ("function attribute", 4),
    },
)  # fmt: skip

CACHES: dict[str, int] = {
    **py312.CACHES, "CONTAINS_OP": 1, "JUMP_BACKWARD": 1, "TO_BOOL": 3, "POP_JUMP_IF_TRUE": 1, "POP_JUMP_IF_FALSE": 1,
    "POP_JUMP_IF_NONE": 1, "POP_JUMP_IF_NOT_NONE": 1,
}  # fmt: skip

BEHAVIOR = py312.BEHAVIOR.changed(
    drops_overwritten_stores=True,  # flowgraph.c, optimize_basic_block (gh-104635)
    some_releases_iterate_twice=True,  # compile.c: 3.13.1 to 3.13.3, and 3.13.5 on (gh-125038, gh-135171)
    delegation_is_told_by="operand",  # bytecodes.c, YIELD_VALUE
    close_is_told_by="resume",  # genobject.c, gen_close
    resume_depth1_mask=4,  # pycore_opcode_utils.h, RESUME_OPARG_DEPTH1_MASK
    frames_are_left_before_their_call=True,  # pycore_frame.h: prev_instr became instr_ptr (gh-109094)
)

TABLE = make_table(
    version=(3, 13),
    meanings=MEANINGS,
    numbers=NUMBERS,
    caches=CACHES,
    behavior=BEHAVIOR,
)
