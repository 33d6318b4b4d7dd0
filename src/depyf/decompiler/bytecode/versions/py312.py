"""CPython 3.12: its opcodes, as differences to 3.11. Numbers and names as in 3.12.1; a test asks every interpreter."""

from __future__ import annotations

from . import py311
from .table import INTERNAL, Meaning, changed, make_table

NUMBERS: dict[str, int] = {
    "CACHE": 0, "POP_TOP": 1, "PUSH_NULL": 2, "INTERPRETER_EXIT": 3, "END_FOR": 4, "END_SEND": 5, "NOP": 9,
    "UNARY_NEGATIVE": 11, "UNARY_NOT": 12, "UNARY_INVERT": 15, "RESERVED": 17, "BINARY_SUBSCR": 25,
    "BINARY_SLICE": 26, "STORE_SLICE": 27, "GET_LEN": 30, "MATCH_MAPPING": 31, "MATCH_SEQUENCE": 32,
    "MATCH_KEYS": 33, "PUSH_EXC_INFO": 35, "CHECK_EXC_MATCH": 36, "CHECK_EG_MATCH": 37, "WITH_EXCEPT_START": 49,
    "GET_AITER": 50, "GET_ANEXT": 51, "BEFORE_ASYNC_WITH": 52, "BEFORE_WITH": 53, "END_ASYNC_FOR": 54,
    "CLEANUP_THROW": 55, "STORE_SUBSCR": 60, "DELETE_SUBSCR": 61, "GET_ITER": 68, "GET_YIELD_FROM_ITER": 69,
    "LOAD_BUILD_CLASS": 71, "LOAD_ASSERTION_ERROR": 74, "RETURN_GENERATOR": 75, "RETURN_VALUE": 83,
    "SETUP_ANNOTATIONS": 85, "LOAD_LOCALS": 87, "POP_EXCEPT": 89, "STORE_NAME": 90, "DELETE_NAME": 91,
    "UNPACK_SEQUENCE": 92, "FOR_ITER": 93, "UNPACK_EX": 94, "STORE_ATTR": 95, "DELETE_ATTR": 96, "STORE_GLOBAL": 97,
    "DELETE_GLOBAL": 98, "SWAP": 99, "LOAD_CONST": 100, "LOAD_NAME": 101, "BUILD_TUPLE": 102, "BUILD_LIST": 103,
    "BUILD_SET": 104, "BUILD_MAP": 105, "LOAD_ATTR": 106, "COMPARE_OP": 107, "IMPORT_NAME": 108, "IMPORT_FROM": 109,
    "JUMP_FORWARD": 110, "POP_JUMP_IF_FALSE": 114, "POP_JUMP_IF_TRUE": 115, "LOAD_GLOBAL": 116, "IS_OP": 117,
    "CONTAINS_OP": 118, "RERAISE": 119, "COPY": 120, "RETURN_CONST": 121, "BINARY_OP": 122, "SEND": 123,
    "LOAD_FAST": 124, "STORE_FAST": 125, "DELETE_FAST": 126, "LOAD_FAST_CHECK": 127, "POP_JUMP_IF_NOT_NONE": 128,
    "POP_JUMP_IF_NONE": 129, "RAISE_VARARGS": 130, "GET_AWAITABLE": 131, "MAKE_FUNCTION": 132, "BUILD_SLICE": 133,
    "JUMP_BACKWARD_NO_INTERRUPT": 134, "MAKE_CELL": 135, "LOAD_CLOSURE": 136, "LOAD_DEREF": 137, "STORE_DEREF": 138,
    "DELETE_DEREF": 139, "JUMP_BACKWARD": 140, "LOAD_SUPER_ATTR": 141, "CALL_FUNCTION_EX": 142,
    "LOAD_FAST_AND_CLEAR": 143, "EXTENDED_ARG": 144, "LIST_APPEND": 145, "SET_ADD": 146, "MAP_ADD": 147,
    "COPY_FREE_VARS": 149, "YIELD_VALUE": 150, "RESUME": 151, "MATCH_CLASS": 152, "FORMAT_VALUE": 155,
    "BUILD_CONST_KEY_MAP": 156, "BUILD_STRING": 157, "LIST_EXTEND": 162, "SET_UPDATE": 163, "DICT_MERGE": 164,
    "DICT_UPDATE": 165, "CALL": 171, "KW_NAMES": 172, "CALL_INTRINSIC_1": 173, "CALL_INTRINSIC_2": 174,
    "LOAD_FROM_DICT_OR_GLOBALS": 175, "LOAD_FROM_DICT_OR_DEREF": 176, "INSTRUMENTED_LOAD_SUPER_ATTR": 237,
    "INSTRUMENTED_POP_JUMP_IF_NONE": 238, "INSTRUMENTED_POP_JUMP_IF_NOT_NONE": 239, "INSTRUMENTED_RESUME": 240,
    "INSTRUMENTED_CALL": 241, "INSTRUMENTED_RETURN_VALUE": 242, "INSTRUMENTED_YIELD_VALUE": 243,
    "INSTRUMENTED_CALL_FUNCTION_EX": 244, "INSTRUMENTED_JUMP_FORWARD": 245, "INSTRUMENTED_JUMP_BACKWARD": 246,
    "INSTRUMENTED_RETURN_CONST": 247, "INSTRUMENTED_FOR_ITER": 248, "INSTRUMENTED_POP_JUMP_IF_FALSE": 249,
    "INSTRUMENTED_POP_JUMP_IF_TRUE": 250, "INSTRUMENTED_END_FOR": 251, "INSTRUMENTED_END_SEND": 252,
    "INSTRUMENTED_INSTRUCTION": 253, "INSTRUMENTED_LINE": 254,
}  # fmt: skip

MEANINGS: dict[str, Meaning] = changed(
    py311.MEANINGS,
    removed=[
        "UNARY_POSITIVE", "PRINT_EXPR", "LIST_TO_TUPLE", "IMPORT_STAR", "ASYNC_GEN_WRAP", "PREP_RERAISE_STAR",
        "JUMP_IF_FALSE_OR_POP", "JUMP_IF_TRUE_OR_POP", "POP_JUMP_FORWARD_IF_FALSE", "POP_JUMP_FORWARD_IF_TRUE",
        "POP_JUMP_FORWARD_IF_NOT_NONE", "POP_JUMP_FORWARD_IF_NONE", "LOAD_CLASSDEREF", "LOAD_METHOD", "PRECALL",
        "POP_JUMP_BACKWARD_IF_NOT_NONE", "POP_JUMP_BACKWARD_IF_NONE", "POP_JUMP_BACKWARD_IF_FALSE",
        "POP_JUMP_BACKWARD_IF_TRUE",
    ],
    added={
        "RESERVED": INTERNAL,
        "INTERPRETER_EXIT": INTERNAL,
        "COMPARE_OP": ("comparison", 4),
        "END_FOR": ("plain", "END_FOR"),
        "END_SEND": ("plain", "END_SEND"),
        "BINARY_SLICE": ("slice", "BINARY_SUBSCR"),
        "STORE_SLICE": ("slice", "STORE_SUBSCR"),
        "CLEANUP_THROW": ("plain", "CLEANUP_THROW"),
        "LOAD_LOCALS": ("plain", "LOAD_LOCALS"),
        "RETURN_CONST": ("return const", ""),
        "LOAD_FAST_CHECK": ("local", "LOAD_FAST"),
        "LOAD_FAST_AND_CLEAR": ("slot", "LOAD_FAST_AND_CLEAR"),
        "POP_JUMP_IF_FALSE": ("jump by", "POP_JUMP_IF_FALSE"),
        "POP_JUMP_IF_TRUE": ("jump by", "POP_JUMP_IF_TRUE"),
        "POP_JUMP_IF_NONE": ("jump by", "POP_JUMP_IF_NONE"),
        "POP_JUMP_IF_NOT_NONE": ("jump by", "POP_JUMP_IF_NOT_NONE"),
        "LOAD_ATTR": ("attribute or method", "LOAD_ATTR"),
        "LOAD_SUPER_ATTR": ("super attribute", "LOAD_SUPER_ATTR"),
        "CALL_INTRINSIC_1": ("intrinsic 1", 12),
        "CALL_INTRINSIC_2": ("intrinsic 2", 5),
        "LOAD_FROM_DICT_OR_GLOBALS": ("name", "LOAD_FROM_DICT_OR_GLOBALS"),
        "LOAD_FROM_DICT_OR_DEREF": ("cell slot", "LOAD_FROM_DICT_OR_DEREF"),
    },
)  # fmt: skip

CACHES: dict[str, int] = {
    "BINARY_SUBSCR": 1, "STORE_SUBSCR": 1, "UNPACK_SEQUENCE": 1, "FOR_ITER": 1, "STORE_ATTR": 4, "LOAD_ATTR": 9,
    "COMPARE_OP": 1, "LOAD_GLOBAL": 4, "BINARY_OP": 1, "SEND": 1, "LOAD_SUPER_ATTR": 1, "CALL": 3,
}  # fmt: skip

BEHAVIOR = py311.BEHAVIOR.changed(
    handlers_are_last=True,  # flowgraph.c, push_cold_blocks_to_end (gh-93356)
    generators_have_a_handler=True,  # compile.c, wrap_in_stopiteration_handler
    tests_jump_on_line_of_statement=False,  # compile.c, compiler_jump_if: the location of the test
    asserts_have_lines_of_comparisons=False,  # compile.c, compiler_jump_if: the location is an argument
    close_is_told_by="operand",  # genobject.c, gen_close
    comprehensions_in_classes_save_all=True,  # compile.c, push_inlined_comprehension_state: in_class_block
)

TABLE = make_table(
    version=(3, 12),
    meanings=MEANINGS,
    numbers=NUMBERS,
    caches=CACHES,
    behavior=BEHAVIOR,
)
