"""CPython 3.11: its opcodes, as differences to 3.10. Numbers and names as in 3.11.7; a test asks every interpreter."""

from __future__ import annotations

from . import py310
from .table import INTERNAL, Meaning, changed, make_table

NUMBERS: dict[str, int] = {
    "CACHE": 0, "POP_TOP": 1, "PUSH_NULL": 2, "NOP": 9, "UNARY_POSITIVE": 10, "UNARY_NEGATIVE": 11, "UNARY_NOT": 12,
    "UNARY_INVERT": 15, "BINARY_SUBSCR": 25, "GET_LEN": 30, "MATCH_MAPPING": 31, "MATCH_SEQUENCE": 32,
    "MATCH_KEYS": 33, "PUSH_EXC_INFO": 35, "CHECK_EXC_MATCH": 36, "CHECK_EG_MATCH": 37, "WITH_EXCEPT_START": 49,
    "GET_AITER": 50, "GET_ANEXT": 51, "BEFORE_ASYNC_WITH": 52, "BEFORE_WITH": 53, "END_ASYNC_FOR": 54,
    "STORE_SUBSCR": 60, "DELETE_SUBSCR": 61, "GET_ITER": 68, "GET_YIELD_FROM_ITER": 69, "PRINT_EXPR": 70,
    "LOAD_BUILD_CLASS": 71, "LOAD_ASSERTION_ERROR": 74, "RETURN_GENERATOR": 75, "LIST_TO_TUPLE": 82,
    "RETURN_VALUE": 83, "IMPORT_STAR": 84, "SETUP_ANNOTATIONS": 85, "YIELD_VALUE": 86, "ASYNC_GEN_WRAP": 87,
    "PREP_RERAISE_STAR": 88, "POP_EXCEPT": 89, "STORE_NAME": 90, "DELETE_NAME": 91, "UNPACK_SEQUENCE": 92,
    "FOR_ITER": 93, "UNPACK_EX": 94, "STORE_ATTR": 95, "DELETE_ATTR": 96, "STORE_GLOBAL": 97, "DELETE_GLOBAL": 98,
    "SWAP": 99, "LOAD_CONST": 100, "LOAD_NAME": 101, "BUILD_TUPLE": 102, "BUILD_LIST": 103, "BUILD_SET": 104,
    "BUILD_MAP": 105, "LOAD_ATTR": 106, "COMPARE_OP": 107, "IMPORT_NAME": 108, "IMPORT_FROM": 109,
    "JUMP_FORWARD": 110, "JUMP_IF_FALSE_OR_POP": 111, "JUMP_IF_TRUE_OR_POP": 112, "POP_JUMP_FORWARD_IF_FALSE": 114,
    "POP_JUMP_FORWARD_IF_TRUE": 115, "LOAD_GLOBAL": 116, "IS_OP": 117, "CONTAINS_OP": 118, "RERAISE": 119,
    "COPY": 120, "BINARY_OP": 122, "SEND": 123, "LOAD_FAST": 124, "STORE_FAST": 125, "DELETE_FAST": 126,
    "POP_JUMP_FORWARD_IF_NOT_NONE": 128, "POP_JUMP_FORWARD_IF_NONE": 129, "RAISE_VARARGS": 130, "GET_AWAITABLE": 131,
    "MAKE_FUNCTION": 132, "BUILD_SLICE": 133, "JUMP_BACKWARD_NO_INTERRUPT": 134, "MAKE_CELL": 135,
    "LOAD_CLOSURE": 136, "LOAD_DEREF": 137, "STORE_DEREF": 138, "DELETE_DEREF": 139, "JUMP_BACKWARD": 140,
    "CALL_FUNCTION_EX": 142, "EXTENDED_ARG": 144, "LIST_APPEND": 145, "SET_ADD": 146, "MAP_ADD": 147,
    "LOAD_CLASSDEREF": 148, "COPY_FREE_VARS": 149, "RESUME": 151, "MATCH_CLASS": 152, "FORMAT_VALUE": 155,
    "BUILD_CONST_KEY_MAP": 156, "BUILD_STRING": 157, "LOAD_METHOD": 160, "LIST_EXTEND": 162, "SET_UPDATE": 163,
    "DICT_MERGE": 164, "DICT_UPDATE": 165, "PRECALL": 166, "CALL": 171, "KW_NAMES": 172,
    "POP_JUMP_BACKWARD_IF_NOT_NONE": 173, "POP_JUMP_BACKWARD_IF_NONE": 174, "POP_JUMP_BACKWARD_IF_FALSE": 175,
    "POP_JUMP_BACKWARD_IF_TRUE": 176,
}  # fmt: skip

MEANINGS: dict[str, Meaning] = changed(
    py310.MEANINGS,
    removed=[
        "ROT_TWO", "ROT_THREE", "DUP_TOP", "DUP_TOP_TWO", "ROT_FOUR", "BINARY_MATRIX_MULTIPLY",
        "INPLACE_MATRIX_MULTIPLY", "BINARY_POWER", "BINARY_MULTIPLY", "BINARY_MODULO", "BINARY_ADD",
        "BINARY_SUBTRACT", "BINARY_FLOOR_DIVIDE", "BINARY_TRUE_DIVIDE", "INPLACE_FLOOR_DIVIDE",
        "INPLACE_TRUE_DIVIDE", "COPY_DICT_WITHOUT_KEYS", "INPLACE_ADD", "INPLACE_SUBTRACT", "INPLACE_MULTIPLY",
        "INPLACE_MODULO", "BINARY_LSHIFT", "BINARY_RSHIFT", "BINARY_AND", "BINARY_XOR", "BINARY_OR", "INPLACE_POWER",
        "YIELD_FROM", "INPLACE_LSHIFT", "INPLACE_RSHIFT", "INPLACE_AND", "INPLACE_XOR", "INPLACE_OR", "POP_BLOCK",
        "ROT_N", "JUMP_ABSOLUTE", "POP_JUMP_IF_FALSE", "POP_JUMP_IF_TRUE", "JUMP_IF_NOT_EXC_MATCH", "SETUP_FINALLY",
        "GEN_START", "CALL_FUNCTION", "CALL_FUNCTION_KW", "SETUP_WITH", "SETUP_ASYNC_WITH", "CALL_METHOD",
    ],
    added={
        "CACHE": INTERNAL,
        "PUSH_NULL": ("plain", "NULL"),
        "PUSH_EXC_INFO": ("plain", "PUSH_EXC_INFO"),
        "CHECK_EXC_MATCH": ("plain", "CHECK_EXC_MATCH"),
        "CHECK_EG_MATCH": ("plain", "CHECK_EG_MATCH"),
        "BEFORE_WITH": ("plain", "BEFORE_WITH"),
        "RETURN_GENERATOR": ("generator start", "RETURN_GENERATOR"),
        "ASYNC_GEN_WRAP": ("async gen wrap", ""),
        "PREP_RERAISE_STAR": ("plain", "PREP_RERAISE_STAR"),
        "SWAP": ("count", "SWAP"),
        "COPY": ("count", "COPY"),
        "LOAD_GLOBAL": ("null or global", "LOAD_GLOBAL"),
        "BINARY_OP": ("binary by number", "BINARY_OP"),
        "SEND": ("jump by", "SEND"),
        "LOAD_FAST": ("local", "LOAD_FAST"),
        "STORE_FAST": ("local", "STORE_FAST"),
        "DELETE_FAST": ("local", "DELETE_FAST"),
        "GET_AWAITABLE": ("count to 2", "GET_AWAITABLE"),
        "YIELD_VALUE": ("yield", "YIELD_VALUE"),
        "RERAISE": ("count to 2", "RERAISE"),
        "MAKE_FUNCTION": ("function", "MAKE_FUNCTION"),
        "JUMP_IF_FALSE_OR_POP": ("jump by", "JUMP_IF_FALSE_OR_POP"),
        "JUMP_IF_TRUE_OR_POP": ("jump by", "JUMP_IF_TRUE_OR_POP"),
        "POP_JUMP_FORWARD_IF_FALSE": ("jump by", "POP_JUMP_IF_FALSE"),
        "POP_JUMP_FORWARD_IF_TRUE": ("jump by", "POP_JUMP_IF_TRUE"),
        "POP_JUMP_FORWARD_IF_NONE": ("jump by", "POP_JUMP_IF_NONE"),
        "POP_JUMP_FORWARD_IF_NOT_NONE": ("jump by", "POP_JUMP_IF_NOT_NONE"),
        "POP_JUMP_BACKWARD_IF_FALSE": ("jump back", "POP_JUMP_IF_FALSE"),
        "POP_JUMP_BACKWARD_IF_TRUE": ("jump back", "POP_JUMP_IF_TRUE"),
        "POP_JUMP_BACKWARD_IF_NONE": ("jump back", "POP_JUMP_IF_NONE"),
        "POP_JUMP_BACKWARD_IF_NOT_NONE": ("jump back", "POP_JUMP_IF_NOT_NONE"),
        "JUMP_BACKWARD": ("jump back", "JUMP"),
        "JUMP_BACKWARD_NO_INTERRUPT": ("jump back", "JUMP"),
        "MAKE_CELL": ("make cell", "MAKE_CELL"),
        "COPY_FREE_VARS": ("copy free vars", ""),
        "RESUME": ("resume", ""),
        "LOAD_CLOSURE": ("cell slot", "LOAD_CLOSURE"),
        "LOAD_DEREF": ("cell slot", "LOAD_DEREF"),
        "STORE_DEREF": ("cell slot", "STORE_DEREF"),
        "DELETE_DEREF": ("cell slot", "DELETE_DEREF"),
        "LOAD_CLASSDEREF": ("cell slot", "LOAD_CLASSDEREF"),
        "CALL_FUNCTION_EX": ("flag", "CALL_EX"),
        "MATCH_KEYS": ("plain", "MATCH_KEYS"),
        "MATCH_CLASS": ("count", "MATCH_CLASS"),
        "PRECALL": ("precall", ""),
        "END_ASYNC_FOR": ("plain", "END_ASYNC_FOR"),
        "CALL": ("call", "CALL"),
        "KW_NAMES": ("keyword names", ""),
    },
)  # fmt: skip

CACHES: dict[str, int] = {
    "BINARY_SUBSCR": 4, "STORE_SUBSCR": 1, "UNPACK_SEQUENCE": 1, "STORE_ATTR": 4, "LOAD_ATTR": 4, "COMPARE_OP": 2,
    "LOAD_GLOBAL": 5, "BINARY_OP": 1, "LOAD_METHOD": 10, "PRECALL": 1, "CALL": 4,
}  # fmt: skip

BEHAVIOR = py310.BEHAVIOR.changed(
    else_is_last=False,  # compile.c, compiler_try_except
    folds_percent_formats=True,  # ast_opt.c, optimize_format (bpo-28307)
    functions_of_imports_are_no_methods=True,  # compile.c, is_import_originated
    delegation_is_told_by="resume",  # genobject.c, _PyGen_yf
)

TABLE = make_table(
    version=(3, 11),
    meanings=MEANINGS,
    numbers=NUMBERS,
    caches=CACHES,
    behavior=BEHAVIOR,
)
