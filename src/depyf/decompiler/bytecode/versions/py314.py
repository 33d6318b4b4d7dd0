"""CPython 3.14: its opcodes, as differences to 3.13. Numbers and names as in 3.14.8; a test asks every interpreter."""

from __future__ import annotations

from . import py313
from .table import BINARY_OPERATORS, Meaning, changed, make_table

NUMBERS: dict[str, int] = {
    "CACHE": 0, "BINARY_SLICE": 1, "BUILD_TEMPLATE": 2, "CALL_FUNCTION_EX": 4, "CHECK_EG_MATCH": 5,
    "CHECK_EXC_MATCH": 6, "CLEANUP_THROW": 7, "DELETE_SUBSCR": 8, "END_FOR": 9, "END_SEND": 10,
    "EXIT_INIT_CHECK": 11, "FORMAT_SIMPLE": 12, "FORMAT_WITH_SPEC": 13, "GET_AITER": 14, "GET_ANEXT": 15,
    "GET_ITER": 16, "RESERVED": 17, "GET_LEN": 18, "GET_YIELD_FROM_ITER": 19, "INTERPRETER_EXIT": 20,
    "LOAD_BUILD_CLASS": 21, "LOAD_LOCALS": 22, "MAKE_FUNCTION": 23, "MATCH_KEYS": 24, "MATCH_MAPPING": 25,
    "MATCH_SEQUENCE": 26, "NOP": 27, "NOT_TAKEN": 28, "POP_EXCEPT": 29, "POP_ITER": 30, "POP_TOP": 31,
    "PUSH_EXC_INFO": 32, "PUSH_NULL": 33, "RETURN_GENERATOR": 34, "RETURN_VALUE": 35, "SETUP_ANNOTATIONS": 36,
    "STORE_SLICE": 37, "STORE_SUBSCR": 38, "TO_BOOL": 39, "UNARY_INVERT": 40, "UNARY_NEGATIVE": 41, "UNARY_NOT": 42,
    "WITH_EXCEPT_START": 43, "BINARY_OP": 44, "BUILD_INTERPOLATION": 45, "BUILD_LIST": 46, "BUILD_MAP": 47,
    "BUILD_SET": 48, "BUILD_SLICE": 49, "BUILD_STRING": 50, "BUILD_TUPLE": 51, "CALL": 52, "CALL_INTRINSIC_1": 53,
    "CALL_INTRINSIC_2": 54, "CALL_KW": 55, "COMPARE_OP": 56, "CONTAINS_OP": 57, "CONVERT_VALUE": 58, "COPY": 59,
    "COPY_FREE_VARS": 60, "DELETE_ATTR": 61, "DELETE_DEREF": 62, "DELETE_FAST": 63, "DELETE_GLOBAL": 64,
    "DELETE_NAME": 65, "DICT_MERGE": 66, "DICT_UPDATE": 67, "END_ASYNC_FOR": 68, "EXTENDED_ARG": 69, "FOR_ITER": 70,
    "GET_AWAITABLE": 71, "IMPORT_FROM": 72, "IMPORT_NAME": 73, "IS_OP": 74, "JUMP_BACKWARD": 75,
    "JUMP_BACKWARD_NO_INTERRUPT": 76, "JUMP_FORWARD": 77, "LIST_APPEND": 78, "LIST_EXTEND": 79, "LOAD_ATTR": 80,
    "LOAD_COMMON_CONSTANT": 81, "LOAD_CONST": 82, "LOAD_DEREF": 83, "LOAD_FAST": 84, "LOAD_FAST_AND_CLEAR": 85,
    "LOAD_FAST_BORROW": 86, "LOAD_FAST_BORROW_LOAD_FAST_BORROW": 87, "LOAD_FAST_CHECK": 88,
    "LOAD_FAST_LOAD_FAST": 89, "LOAD_FROM_DICT_OR_DEREF": 90, "LOAD_FROM_DICT_OR_GLOBALS": 91, "LOAD_GLOBAL": 92,
    "LOAD_NAME": 93, "LOAD_SMALL_INT": 94, "LOAD_SPECIAL": 95, "LOAD_SUPER_ATTR": 96, "MAKE_CELL": 97, "MAP_ADD": 98,
    "MATCH_CLASS": 99, "POP_JUMP_IF_FALSE": 100, "POP_JUMP_IF_NONE": 101, "POP_JUMP_IF_NOT_NONE": 102,
    "POP_JUMP_IF_TRUE": 103, "RAISE_VARARGS": 104, "RERAISE": 105, "SEND": 106, "SET_ADD": 107,
    "SET_FUNCTION_ATTRIBUTE": 108, "SET_UPDATE": 109, "STORE_ATTR": 110, "STORE_DEREF": 111, "STORE_FAST": 112,
    "STORE_FAST_LOAD_FAST": 113, "STORE_FAST_STORE_FAST": 114, "STORE_GLOBAL": 115, "STORE_NAME": 116, "SWAP": 117,
    "UNPACK_EX": 118, "UNPACK_SEQUENCE": 119, "YIELD_VALUE": 120, "RESUME": 128, "INSTRUMENTED_END_FOR": 234,
    "INSTRUMENTED_POP_ITER": 235, "INSTRUMENTED_END_SEND": 236, "INSTRUMENTED_FOR_ITER": 237,
    "INSTRUMENTED_INSTRUCTION": 238, "INSTRUMENTED_JUMP_FORWARD": 239, "INSTRUMENTED_NOT_TAKEN": 240,
    "INSTRUMENTED_POP_JUMP_IF_TRUE": 241, "INSTRUMENTED_POP_JUMP_IF_FALSE": 242,
    "INSTRUMENTED_POP_JUMP_IF_NONE": 243, "INSTRUMENTED_POP_JUMP_IF_NOT_NONE": 244, "INSTRUMENTED_RESUME": 245,
    "INSTRUMENTED_RETURN_VALUE": 246, "INSTRUMENTED_YIELD_VALUE": 247, "INSTRUMENTED_END_ASYNC_FOR": 248,
    "INSTRUMENTED_LOAD_SUPER_ATTR": 249, "INSTRUMENTED_CALL": 250, "INSTRUMENTED_CALL_KW": 251,
    "INSTRUMENTED_CALL_FUNCTION_EX": 252, "INSTRUMENTED_JUMP_BACKWARD": 253, "INSTRUMENTED_LINE": 254,
    "ENTER_EXECUTOR": 255,
}  # fmt: skip

MEANINGS: dict[str, Meaning] = changed(
    py313.MEANINGS,
    removed=[
        "BEFORE_ASYNC_WITH", "BEFORE_WITH", "BINARY_SUBSCR", "LOAD_ASSERTION_ERROR", "BUILD_CONST_KEY_MAP",
        "RETURN_CONST",
    ],
    added={
        "BUILD_INTERPOLATION": ("interpolation", "BUILD_INTERPOLATION"),
        "BUILD_TEMPLATE": ("plain", "BUILD_TEMPLATE"),
        "SET_FUNCTION_ATTRIBUTE": ("function attribute", 5),
        "CALL_FUNCTION_EX": ("call with mapping or null", "CALL_EX"),
        "LOAD_COMMON_CONSTANT": ("common constant", "LOAD_COMMON_CONSTANT"),
        "LOAD_FAST_BORROW": ("local", "LOAD_FAST"),
        "LOAD_FAST_BORROW_LOAD_FAST_BORROW": ("two locals", ("LOAD_FAST", "LOAD_FAST")),
        "LOAD_SMALL_INT": ("small int", "CONST"),
        "LOAD_SPECIAL": ("special method", "LOAD_SPECIAL"),
        "NOT_TAKEN": ("skip", ""),
        "POP_ITER": ("plain", "POP_ITER"),
    },
)  # fmt: skip

CACHES: dict[str, int] = {
    **py313.CACHES, "BINARY_OP": 5, "CALL_KW": 3,
}  # fmt: skip

BEHAVIOR = py313.BEHAVIOR.changed(
    loop_tests_are_copied=False,  # codegen.c, codegen_while (gh-122821)
    keeps_not=True,  # constants are folded in flowgraph.c, no longer in the tree (gh-126835)
    folded_tests_stay=True,  # codegen.c, codegen_jump_if drops constants before flowgraph.c folds (gh-126835)
    folded_constants_are_last=True,  # flowgraph.c, fold_const_binop, remove_unused_consts (gh-126835)
    slices_are_constants=True,  # codegen.c, codegen_slice (gh-125063)
    folds_beginnings_of_displays=True,  # flowgraph.c, optimize_lists_and_sets (gh-126835)
    annotations_are_lazy=True,  # codegen.c, codegen_function_annotations (gh-119180)
    some_releases_iterate_twice=False,  # codegen.c, codegen_comprehension (gh-135171)
    comprehensions_in_classes_save_all=False,  # compile.c, push_inlined_comprehension_locals: DEF_LOCAL
)

TABLE = make_table(
    version=(3, 14),
    meanings=MEANINGS,
    numbers=NUMBERS,
    caches=CACHES,
    binary_operators=(*BINARY_OPERATORS, "[]"),
    common_constants=("AssertionError", "NotImplementedError", "tuple", "all", "any"),
    behavior=BEHAVIOR,
)
