"""How the symbolic proof treats each canonical operation: followed in detail, as an opaque event, or refused.

An opaque event does the same as the same operation on the same operands on the other side: its results, exceptions and
effects depend only on its operands and on earlier events, which are the same on both sides.
"""

from __future__ import annotations

PEEKS = {
    "IMPORT_FROM": 1, "GET_LEN": 1, "MATCH_MAPPING": 1, "MATCH_SEQUENCE": 1, "MATCH_KEYS": 2,
    "MATCH_KEYS_AND_TEST": 2, "COPY_DICT_WITHOUT_KEYS": 2,
}  # fmt: skip
"""Operations that read entries without popping them -> the number of operands from the top."""

INTO = frozenset({"SET_ADD", "SET_UPDATE", "DICT_UPDATE", "DICT_MERGE", "LIST_EXTEND", "LIST_APPEND", "MAP_ADD"})
"""Operations whose operand is the depth of the container that they change."""

EVENTS = frozenset(
    {"LOAD_CLASSDEREF", "LOAD_LOCALS", "LOAD_FROM_DICT_OR_DEREF", "LOAD_FROM_DICT_OR_GLOBALS", "STORE_GLOBAL",
     "DELETE_GLOBAL", "LOAD_NAME", "STORE_NAME", "DELETE_NAME", "STORE_FIRST_LINE", "STORE_STATIC_ATTRIBUTES",
     "LOAD_SUPER_ATTR", "STORE_ATTR", "DELETE_ATTR", "BUILD_SET", "BUILD_SET_UNPACK", "BUILD_STRING", "SET_UPDATE",
     "SET_ADD", "FORMAT_VALUE", "CONVERT_VALUE", "BUILD_INTERPOLATION", "BUILD_TEMPLATE", "UNPACK_EX",
     "LOAD_BUILD_CLASS", "INTRINSIC", "STOPITERATION_ERROR", "IMPORT_NAME", "LAZY_IMPORT_NAME", "EAGER_IMPORT_NAME",
     "IMPORT_FROM", "IMPORT_STAR", "SETUP_ANNOTATIONS", "PRINT_EXPR", "RETURN_GENERATOR", "LETS_STOP_ITERATION_PASS",
     "GET_ITER", "GET_AITER", "GET_YIELD_FROM_ITER", "GET_AWAITABLE", "YIELD_VALUE", "YIELD_FROM", "BEFORE_WITH",
     "BEFORE_ASYNC_WITH", "PREP_RERAISE_STAR", "GET_LEN", "MATCH_MAPPING", "MATCH_SEQUENCE", "MATCH_KEYS",
     "MATCH_CLASS", "MATCH_KEYS_AND_TEST", "MATCH_CLASS_AND_TEST", "COPY_DICT_WITHOUT_KEYS"}
)  # fmt: skip
"""Opaque events."""

PARTS = frozenset({"MATCH_KEYS", "MATCH_CLASS", "MATCH_KEYS_AND_TEST", "MATCH_CLASS_AND_TEST"})
"""Those of them that give a new tuple of the parts that a pattern names, or, if it does not match, None."""

NOT_UNDERSTOOD = {
    "MAKE_CELL": "an inlined comprehension makes a cell of its own",
    "LOAD_SPECIAL": "a method is looked up for a with statement outside the shape that the compiler gives it",
    "GET_ANEXT": "an asynchronous iteration outside the shape that the compiler gives it",
    "END_ASYNC_FOR": "an asynchronous iteration outside the shape that the compiler gives it",
}
"""Operations that no proof supports, with the reason."""

RESULTS = {
    "CONTAINS_OP": ("bool",), "CHECK_EXC_MATCH": ("bool",), "MATCH_MAPPING": ("bool",), "MATCH_SEQUENCE": ("bool",),
    "MATCH_KEYS_AND_TEST": ("", "bool"), "MATCH_CLASS_AND_TEST": ("", "bool"), "BOOL": ("bool",),
    "GET_ITER": ("iterator",),
}  # fmt: skip
"""The tags of the results of events (see ``Numbers``)."""
