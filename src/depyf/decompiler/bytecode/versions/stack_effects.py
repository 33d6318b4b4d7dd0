"""The stack effect of each raw opcode, as the interpreter of each version has it.

``(pops, pushes)``, or a function from the operand to that; EFFECTS is for the edge that falls through, JUMPS for the
jumping edge, where it differs. ``dis.stack_effect`` agrees except for NOT_AS_DIS; tests/bytecode/test_stack_effects.py
asks every interpreter. For 3.7 to 3.10 only opcodes that don't use the block stack are listed.
"""

from __future__ import annotations

from typing import Callable, Dict, Iterable, Tuple, Union

from . import py37

Effect = Union[Tuple[int, int], Callable[[int], Tuple[int, int]]]
Effects = Dict[str, Effect]


def _each(names: str, effect: Effect) -> Effects:
    return dict.fromkeys(names.split(), effect)


def _bits(number: int) -> int:
    return bin(number).count("1")


_3_7: Effects = {
    **_each(
        "NOP SETUP_ANNOTATIONS EXTENDED_ARG JUMP_FORWARD JUMP_ABSOLUTE DELETE_NAME DELETE_GLOBAL DELETE_FAST "
        "DELETE_DEREF",
        (0, 0),
    ),
    **_each(
        "LOAD_CONST LOAD_NAME LOAD_GLOBAL LOAD_FAST LOAD_CLOSURE LOAD_DEREF LOAD_CLASSDEREF LOAD_BUILD_CLASS "
        "FOR_ITER IMPORT_FROM GET_ANEXT",
        (0, 1),
    ),
    **_each(
        "POP_TOP STORE_NAME STORE_GLOBAL STORE_FAST STORE_DEREF DELETE_ATTR PRINT_EXPR IMPORT_STAR RETURN_VALUE "
        "POP_JUMP_IF_FALSE POP_JUMP_IF_TRUE JUMP_IF_FALSE_OR_POP JUMP_IF_TRUE_OR_POP LIST_APPEND SET_ADD",
        (1, 0),
    ),
    **_each(
        "UNARY_POSITIVE UNARY_NEGATIVE UNARY_NOT UNARY_INVERT GET_ITER GET_YIELD_FROM_ITER GET_AITER GET_AWAITABLE "
        "LOAD_ATTR YIELD_VALUE",
        (1, 1),
    ),
    **_each("STORE_ATTR DELETE_SUBSCR MAP_ADD", (2, 0)),
    **_each("BINARY_SUBSCR COMPARE_OP IMPORT_NAME YIELD_FROM", (2, 1)),
    **{f"{kind}_{name}": (2, 1) for kind in ("BINARY", "INPLACE") for name in py37.OPERATOR_NAMES},
    "STORE_SUBSCR": (3, 0),
    "ROT_TWO": (2, 2),
    "ROT_THREE": (3, 3),
    "DUP_TOP": (1, 2),
    "DUP_TOP_TWO": (2, 4),
    "LOAD_METHOD": (1, 2),
    "UNPACK_SEQUENCE": lambda n: (1, n),
    "UNPACK_EX": lambda n: (1, (n & 0xFF) + 1 + (n >> 8)),
    **_each(
        "BUILD_TUPLE BUILD_LIST BUILD_SET BUILD_STRING BUILD_LIST_UNPACK BUILD_MAP_UNPACK "
        "BUILD_TUPLE_UNPACK BUILD_SET_UNPACK BUILD_MAP_UNPACK_WITH_CALL BUILD_TUPLE_UNPACK_WITH_CALL",
        lambda n: (n, 1),
    ),
    "BUILD_SLICE": lambda n: (3 if n == 3 else 2, 1),
    "BUILD_MAP": lambda n: (2 * n, 1),
    "BUILD_CONST_KEY_MAP": lambda n: (n + 1, 1),
    "RAISE_VARARGS": lambda n: (n, 0),
    "CALL_FUNCTION": lambda n: (n + 1, 1),
    "CALL_FUNCTION_KW": lambda n: (n + 2, 1),
    "CALL_METHOD": lambda n: (n + 2, 1),
    "CALL_FUNCTION_EX": lambda n: (2 + (n & 1), 1),
    "MAKE_FUNCTION": lambda n: (2 + _bits(n & 15), 1),
    "FORMAT_VALUE": lambda n: (1 + (n & 4 != 0), 1),
}
_3_8: Effects = {**_3_7, "ROT_FOUR": (4, 4)}
_3_9: Effects = {
    **_3_8,
    **_each("LIST_EXTEND SET_UPDATE DICT_UPDATE DICT_MERGE", (1, 0)),
    **_each("IS_OP CONTAINS_OP", (2, 1)),
    "LIST_TO_TUPLE": (1, 1),
    "LOAD_ASSERTION_ERROR": (0, 1),
    "JUMP_IF_NOT_EXC_MATCH": (2, 0),
}
_3_10: Effects = {
    **_3_9,
    **_each("GET_LEN MATCH_MAPPING MATCH_SEQUENCE", (0, 1)),
    "MATCH_KEYS": (0, 2),
    "MATCH_CLASS": (3, 2),
    "COPY_DICT_WITHOUT_KEYS": (1, 1),
    "ROT_N": lambda n: (n, n),
    "GEN_START": (1, 0),
}
_3_11: Effects = {
    **_3_10,
    **_each(
        "CACHE RESUME PRECALL KW_NAMES MAKE_CELL COPY_FREE_VARS JUMP_BACKWARD JUMP_BACKWARD_NO_INTERRUPT", (0, 0)
    ),
    **_each("PUSH_NULL RETURN_GENERATOR WITH_EXCEPT_START MATCH_KEYS COPY", (0, 1)),
    **{
        f"POP_JUMP_{direction}_IF_{what}": (1, 0)
        for direction in ("FORWARD", "BACKWARD")
        for what in ("TRUE", "FALSE", "NONE", "NOT_NONE")
    },
    **_each("BEFORE_WITH BEFORE_ASYNC_WITH PUSH_EXC_INFO", (1, 2)),
    **_each("RERAISE POP_EXCEPT", (1, 0)),
    **_each("CHECK_EXC_MATCH CHECK_EG_MATCH SEND", (2, 2)),
    **_each("BINARY_OP PREP_RERAISE_STAR", (2, 1)),
    "ASYNC_GEN_WRAP": (1, 1),
    "END_ASYNC_FOR": (2, 0),
    "MATCH_CLASS": (3, 1),
    "SWAP": lambda n: (n, n),
    "LOAD_GLOBAL": lambda n: (0, 1 + (n & 1)),
    "CALL": lambda n: (n + 2, 1),
    "CALL_FUNCTION_EX": lambda n: (3 + (n & 1), 1),
    "MAKE_FUNCTION": lambda n: (1 + _bits(n & 15), 1),
}
_3_12: Effects = {
    **_3_11,
    **_each("LOAD_LOCALS LOAD_FAST_CHECK LOAD_FAST_AND_CLEAR", (0, 1)),
    **_each("POP_JUMP_IF_FALSE POP_JUMP_IF_TRUE POP_JUMP_IF_NONE POP_JUMP_IF_NOT_NONE", (1, 0)),
    **_each("LOAD_FROM_DICT_OR_GLOBALS LOAD_FROM_DICT_OR_DEREF CALL_INTRINSIC_1", (1, 1)),
    **_each("END_SEND CALL_INTRINSIC_2", (2, 1)),
    "RETURN_CONST": (0, 0),
    "END_FOR": (2, 0),
    "BINARY_SLICE": (3, 1),
    "STORE_SLICE": (4, 0),
    "CLEANUP_THROW": (3, 2),
    "LOAD_ATTR": lambda n: (1, 1 + (n & 1)),
    "LOAD_SUPER_ATTR": lambda n: (3, 1 + (n & 1)),
}
_3_13: Effects = {
    **_3_12,
    **_each("TO_BOOL CONVERT_VALUE FORMAT_SIMPLE MAKE_FUNCTION", (1, 1)),
    **_each("FORMAT_WITH_SPEC SET_FUNCTION_ATTRIBUTE", (2, 1)),
    "END_FOR": (1, 0),
    "CALL_KW": lambda n: (n + 3, 1),
    "LOAD_FAST_LOAD_FAST": (0, 2),
    "STORE_FAST_LOAD_FAST": (1, 1),
    "STORE_FAST_STORE_FAST": (2, 0),
}
_3_14: Effects = {
    **_3_13,
    "NOT_TAKEN": (0, 0),
    "BUILD_SLICE": lambda n: (n, 1),
    **_each("LOAD_COMMON_CONSTANT LOAD_FAST_BORROW LOAD_SMALL_INT", (0, 1)),
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": (0, 2),
    "BUILD_INTERPOLATION": lambda n: (2 + (n & 1), 1),
    "BUILD_TEMPLATE": (2, 1),
    "CALL_FUNCTION_EX": (4, 1),
    "LOAD_SPECIAL": (1, 2),
    "POP_ITER": (1, 0),
}
_3_15: Effects = {
    **_3_14,
    "GET_ITER": (1, 2),
    "POP_ITER": (2, 0),
    "SEND": (3, 3),
    "END_SEND": (3, 1),
    "CLEANUP_THROW": (4, 3),
}
EFFECTS: dict[tuple[int, int], Effects] = {
    (3, 7): _3_7, (3, 8): _3_8, (3, 9): _3_9, (3, 10): _3_10, (3, 11): _3_11, (3, 12): _3_12, (3, 13): _3_13,
    (3, 14): _3_14, (3, 15): _3_15,
}  # fmt: skip

_OR_POP: Effects = dict.fromkeys(("JUMP_IF_FALSE_OR_POP", "JUMP_IF_TRUE_OR_POP"), (0, 0))


def _jumps(versions: Iterable[tuple[int, int]], effects: Effects) -> dict[tuple[int, int], Effects]:
    return dict.fromkeys(versions, effects)


JUMPS: dict[tuple[int, int], Effects] = {
    # FOR_ITER jumps past END_FOR and the pop after that (ENDS_OF_LOOPS), and pops its iterator.
    **_jumps([(3, minor) for minor in range(7, 11)], {**_OR_POP, "FOR_ITER": (1, 0)}),
    (3, 11): {**_OR_POP, "FOR_ITER": (1, 0), "SEND": (2, 1)},
    **_jumps([(3, 12), (3, 13), (3, 14)], {"FOR_ITER": (1, 0)}),
    (3, 15): {"FOR_ITER": (2, 0)},
}

ENDS_OF_LOOPS: dict[tuple[int, int], tuple[str, ...]] = {
    (3, 12): ("END_FOR",), (3, 13): ("END_FOR", "POP_TOP"), (3, 14): ("END_FOR", "POP_ITER"),
    (3, 15): ("END_FOR", "POP_ITER"),
}  # fmt: skip
"""The instructions at the target of FOR_ITER that are part of its jump."""

READS: dict[str, Callable[[int], int]] = {
    "COPY": lambda n: n,
    "FOR_ITER": lambda n: 1,
    "GET_ANEXT": lambda n: 1,
    "IMPORT_FROM": lambda n: 1,
    "GET_LEN": lambda n: 1,
    "MATCH_MAPPING": lambda n: 1,
    "MATCH_SEQUENCE": lambda n: 1,
    "MATCH_KEYS": lambda n: 2,
    "LIST_APPEND": lambda n: n + 1,
    "SET_ADD": lambda n: n + 1,
    "MAP_ADD": lambda n: n + 2,
    "LIST_EXTEND": lambda n: n + 1,
    "SET_UPDATE": lambda n: n + 1,
    "DICT_UPDATE": lambda n: n + 1,
    "DICT_MERGE": lambda n: n + 1,
    "WITH_EXCEPT_START": lambda n: 4,
    "RERAISE": lambda n: n + 1,
}
"""The stack depth needed by opcodes that read more entries than they pop."""

_LAST = (9, 9)
NOT_AS_DIS: dict[str, tuple[tuple[int, int], tuple[int, int], str]] = {
    "RETURN_GENERATOR": ((3, 11), (3, 12), "the compiler counts the value that is sent first with its POP_TOP"),
    "PRECALL": ((3, 11), (3, 11), "the compiler counts the arguments here, the interpreter pops them in CALL"),
    "CALL": ((3, 11), (3, 11), "see PRECALL"),
    "RETURN_VALUE": ((3, 14), _LAST, "the interpreter pushes the value to the caller's stack, which dis counts"),
    "FOR_ITER": ((3, 12), _LAST, "the compiler counts an item that END_FOR pops; the interpreter jumps past both"),
}
"""Opcodes whose effect here differs from ``dis.stack_effect``: the first and the last such version, and why."""
