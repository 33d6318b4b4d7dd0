"""How each CPython version spells the operations of the notation, as differences to the version before.

A spelling is raw instructions, separated by semicolons. Their operands: a number; ``arg``, the operation's own;
``name``, ``const``, ``local``, ``cell`` (indices; ``name2`` leaves the lowest bit free, ``name2+1`` sets it);
``None``, the constant; ``target``; ``.x``, a place ``.x:`` in the same spelling. A word ``?NAME`` stands for the
spelling of an operation that depends on more than the version, by the method of that name in assemble.py.
``WIDTHS`` are the slots of the stack that an entry of each kind takes, where that is not one.
"""

from __future__ import annotations

from typing import Dict, Tuple

from depyf.decompiler.bytecode.reading.load import HOST_VERSION

Version = Tuple[int, int]
Spellings = Dict[str, str]

WORDS = {
    "@": "MATRIX_MULTIPLY", "**": "POWER", "*": "MULTIPLY", "%": "MODULO", "+": "ADD", "-": "SUBTRACT",
    "//": "FLOOR_DIVIDE", "/": "TRUE_DIVIDE", "<<": "LSHIFT", ">>": "RSHIFT", "&": "AND", "^": "XOR", "|": "OR",
}  # fmt: skip
NUMBERED = ("+", "&", "//", "<<", "@", "*", "%", "|", "**", ">>", "-", "/", "^")
COMPARISONS = ("<", "<=", "==", "!=", ">", ">=")

_38: Spellings = {
    "NOP": "NOP", "CONST": "LOAD_CONST const", "NULL": "", "CALLABLE": "", "POP": "POP_TOP",
    "POP e": "POP_TOP; POP_TOP; POP_TOP",
    "POP x": "POP_TOP", "POP i": "POP_TOP",
    "COPY 1": "DUP_TOP", "COPY 2": "DUP_TOP_TWO; POP_TOP", "SWAP 2": "ROT_TWO", "SWAP 3": "ROT_THREE; ROT_TWO",
    "SWAP 4": "ROT_FOUR; ROT_THREE; ROT_THREE", "SWAP p": "ROT_FOUR",
    "LOAD_FAST": "LOAD_FAST local", "LOAD_FAST unbound": "LOAD_FAST local", "STORE_FAST": "STORE_FAST local",
    "STORE_FAST e": "POP_TOP; STORE_FAST local; POP_TOP", "DELETE_FAST": "DELETE_FAST local",
    "LOAD_DEREF": "LOAD_DEREF cell", "STORE_DEREF": "STORE_DEREF cell", "DELETE_DEREF": "DELETE_DEREF cell",
    "LOAD_CLOSURE": "LOAD_CLOSURE cell", "LOAD_GLOBAL": "LOAD_GLOBAL name", "LOAD_GLOBAL_CALLABLE": "LOAD_GLOBAL name",
    "STORE_GLOBAL": "STORE_GLOBAL name", "LOAD_ATTR": "LOAD_ATTR name", "LOAD_METHOD": "LOAD_METHOD name",
    "STORE_ATTR": "STORE_ATTR name", "DELETE_ATTR": "DELETE_ATTR name", "BINARY_SUBSCR": "BINARY_SUBSCR",
    "STORE_SUBSCR": "STORE_SUBSCR", "DELETE_SUBSCR": "DELETE_SUBSCR",
    "UNARY_OP -": "UNARY_NEGATIVE", "UNARY_OP +": "UNARY_POSITIVE", "UNARY_OP ~": "UNARY_INVERT",
    "UNARY_OP not": "UNARY_NOT",
    **{f"BINARY_OP {operator}": f"BINARY_{word}" for operator, word in WORDS.items()},
    **{f"BINARY_OP {operator}=": f"INPLACE_{word}" for operator, word in WORDS.items()},
    **{f"COMPARE_OP {operator}": f"COMPARE_OP {number}" for number, operator in enumerate(COMPARISONS)},
    "CONTAINS_OP in": "COMPARE_OP 6", "CONTAINS_OP not in": "COMPARE_OP 7",
    "IS_OP is": "COMPARE_OP 8", "IS_OP is not": "COMPARE_OP 9",
    **{op: f"{op} arg" for op in ("BUILD_TUPLE", "BUILD_LIST", "BUILD_SET", "BUILD_MAP", "UNPACK_SEQUENCE",
                                  "RAISE_VARARGS")},
    "CALL c": "CALL_FUNCTION arg", "CALL m": "CALL_METHOD arg", "CALL names": "LOAD_CONST names; CALL_FUNCTION_KW arg",
    "CALL_EX 0": "CALL_FUNCTION_EX 0", "CALL_EX 1": "CALL_FUNCTION_EX 1",
    "GET_ITER": "GET_ITER", "ITERATOR": "", "FOR_ITER": "FOR_ITER target", "YIELD_VALUE": "YIELD_VALUE",
    "RETURN_VALUE": "RETURN_VALUE", "RERAISE": "END_FINALLY", "JUMP": "?jump",
    "POP_JUMP_IF_FALSE": "POP_JUMP_IF_FALSE target", "POP_JUMP_IF_TRUE": "POP_JUMP_IF_TRUE target",
    "POP_JUMP_IF_NONE": "LOAD_CONST None; COMPARE_OP 8; POP_JUMP_IF_TRUE target",
    "POP_JUMP_IF_NOT_NONE": "LOAD_CONST None; COMPARE_OP 8; POP_JUMP_IF_FALSE target",
    "JUMP_IF_FALSE_OR_POP": "JUMP_IF_FALSE_OR_POP target", "JUMP_IF_TRUE_OR_POP": "JUMP_IF_TRUE_OR_POP target",
    "COPY_EXC": "DUP_TOP", "JUMP_IF_NOT_MATCH": "COMPARE_OP 10; POP_JUMP_IF_FALSE target",
    "SETUP_FINALLY": "SETUP_FINALLY target", "SETUP_WITH": "SETUP_WITH target", "POP_BLOCK": "POP_BLOCK",
    "POP_EXCEPT": "POP_EXCEPT", "WITH_EXCEPT": "WITH_CLEANUP_START; WITH_CLEANUP_FINISH; END_FINALLY",
    "EXIT_WITH": "BEGIN_FINALLY; WITH_CLEANUP_START; WITH_CLEANUP_FINISH; END_FINALLY",
    "BUILD_CLOSURE": "BUILD_TUPLE arg",
    "MAKE_FUNCTION": "LOAD_CONST code; LOAD_CONST qualname; MAKE_FUNCTION 0",
    "MAKE_FUNCTION closure": "LOAD_CONST code; LOAD_CONST qualname; MAKE_FUNCTION 8",
}  # fmt: skip
_39: Spellings = {
    **_38, "CONTAINS_OP in": "CONTAINS_OP 0", "CONTAINS_OP not in": "CONTAINS_OP 1", "IS_OP is": "IS_OP 0",
    "IS_OP is not": "IS_OP 1", "RERAISE": "RERAISE",
    "POP_JUMP_IF_NONE": "LOAD_CONST None; IS_OP 0; POP_JUMP_IF_TRUE target",
    "POP_JUMP_IF_NOT_NONE": "LOAD_CONST None; IS_OP 0; POP_JUMP_IF_FALSE target",
    "JUMP_IF_NOT_MATCH": "JUMP_IF_NOT_EXC_MATCH target",
    "WITH_EXCEPT": "WITH_EXCEPT_START; POP_JUMP_IF_TRUE .swallow; RERAISE; .swallow:; POP_TOP; POP_TOP; POP_TOP; "
    "POP_EXCEPT; POP_TOP",
    "EXIT_WITH": "LOAD_CONST None; DUP_TOP; DUP_TOP; CALL_FUNCTION 3; POP_TOP",
}  # fmt: skip
_310: Spellings = {
    **_39, "RERAISE": "RERAISE 0",
    **{op: op for op in ("MATCH_SEQUENCE", "MATCH_MAPPING", "GET_LEN")},
    "MATCH_CLASS": "LOAD_CONST names; MATCH_CLASS arg; POP_TOP",
    "MATCHES_CLASS": "LOAD_CONST names; MATCH_CLASS arg; ROT_TWO; POP_TOP",
    "MATCH_KEYS": "MATCH_MAPPING; POP_JUMP_IF_FALSE target; GET_LEN; LOAD_CONST length; COMPARE_OP 5; "
    "POP_JUMP_IF_FALSE target; LOAD_CONST const; MATCH_KEYS; POP_JUMP_IF_TRUE .found; POP_TOP; POP_TOP; ?jump; "
    ".found:; ROT_TWO; POP_TOP",
    "WITH_EXCEPT": _39["WITH_EXCEPT"].replace("RERAISE;", "RERAISE 1;"),
}  # fmt: skip
_311: Spellings = {
    **_310, "MATCH_CLASS": "LOAD_CONST names; MATCH_CLASS arg",
    "MATCHES_CLASS": "LOAD_CONST names; MATCH_CLASS arg; LOAD_CONST None; IS_OP 1",
    "MATCH_KEYS": "MATCH_MAPPING; ?test FALSE; GET_LEN; LOAD_CONST length; COMPARE_OP 5; ?test FALSE; "
    "LOAD_CONST const; MATCH_KEYS; COPY 1; POP_JUMP_FORWARD_IF_NOT_NONE .found; POP_TOP; POP_TOP; ?jump; "
    ".found:; SWAP 2; POP_TOP",
    "NULL": "PUSH_NULL", "CALLABLE": "PUSH_NULL; SWAP 2", "CALLABLE n": "", "POP e": "POP_TOP",
    "COPY": "COPY arg", "SWAP": "SWAP arg", "SWAP p": "SWAP 2", "STORE_FAST e": "STORE_FAST local",
    "LOAD_DEREF": "LOAD_DEREF local", "STORE_DEREF": "STORE_DEREF local", "DELETE_DEREF": "DELETE_DEREF local",
    "LOAD_CLOSURE": "LOAD_CLOSURE local", "LOAD_GLOBAL": "LOAD_GLOBAL name2",
    "LOAD_GLOBAL_CALLABLE": "LOAD_GLOBAL name2+1",
    **{f"BINARY_OP {operator}": f"BINARY_OP {number}" for number, operator in enumerate(NUMBERED)},
    **{f"BINARY_OP {operator}=": f"BINARY_OP {number + 13}" for number, operator in enumerate(NUMBERED)},
    "CALL c": "PRECALL arg; CALL arg", "CALL m": "PRECALL arg; CALL arg",
    "CALL names": "KW_NAMES names; PRECALL arg; CALL arg",
    "YIELD_VALUE": "YIELD_VALUE; RESUME 1", "RERAISE": "RERAISE 0",
    **{f"POP_JUMP_IF_{test}": f"?test {test}" for test in ("FALSE", "TRUE", "NONE", "NOT_NONE")},
    "JUMP_IF_NOT_MATCH": "CHECK_EXC_MATCH; ?test FALSE",
    "COPY_EXC": "", "SETUP_FINALLY": "NOP", "SETUP_FINALLY less": "NOP", "SETUP_WITH": "BEFORE_WITH", "POP_BLOCK": "",
    "WITH_EXCEPT": "WITH_EXCEPT_START; POP_JUMP_FORWARD_IF_TRUE .swallow; RERAISE 2; .swallow:; POP_TOP; POP_EXCEPT; "
    "POP_TOP; POP_TOP",
    "EXIT_WITH": "LOAD_CONST None; LOAD_CONST None; LOAD_CONST None; PRECALL 2; CALL 2; POP_TOP",
    "MAKE_FUNCTION": "LOAD_CONST code; MAKE_FUNCTION 0", "MAKE_FUNCTION closure": "LOAD_CONST code; MAKE_FUNCTION 8",
    **{f"JUMP_IF_{test}_OR_POP": f"?keep {test}" for test in ("FALSE", "TRUE")},
}  # fmt: skip
_312: Spellings = {
    **_311, "LOAD_FAST unbound": "LOAD_FAST_CHECK local", "LOAD_ATTR": "LOAD_ATTR name2",
    "LOAD_METHOD": "LOAD_ATTR name2+1", "UNARY_OP +": "CALL_INTRINSIC_1 5",
    **{f"COMPARE_OP {operator}": f"COMPARE_OP {number << 4 | mask}"
       for number, (operator, mask) in enumerate(zip(COMPARISONS, (2, 10, 8, 7, 4, 12)))},
    "CALL c": "CALL arg", "CALL m": "CALL arg", "CALL names": "KW_NAMES names; CALL arg",
    "YIELD_VALUE": "YIELD_VALUE depth; RESUME 1", "FOR_ITER end": "END_FOR",
    "WITH_EXCEPT": _311["WITH_EXCEPT"].replace("_FORWARD", ""),
    "MATCH_KEYS": _311["MATCH_KEYS"].replace("_FORWARD", "").replace("COMPARE_OP 5", "COMPARE_OP 92"),
    "EXIT_WITH": "LOAD_CONST None; LOAD_CONST None; LOAD_CONST None; CALL 2; POP_TOP",
}  # fmt: skip
_313: Spellings = {
    **_312, "NULL": "", "CALLABLE": "PUSH_NULL", "CALLABLE n": "PUSH_NULL", "LOAD_CLOSURE": "LOAD_FAST local",
    **{f"COMPARE_OP {operator}": f"COMPARE_OP {number << 5 | mask}"
       for number, (operator, mask) in enumerate(zip(COMPARISONS, (2, 10, 8, 7, 4, 12)))},
    "CALL names": "LOAD_CONST names; CALL_KW arg", "YIELD_VALUE": "YIELD_VALUE 0; RESUME resume",
    "FOR_ITER end": "END_FOR; POP_TOP", "UNARY_OP not": "TO_BOOL; UNARY_NOT",
    "WITH_EXCEPT": _312["WITH_EXCEPT"].replace("POP_JUMP", "TO_BOOL; POP_JUMP"),
    "MATCH_KEYS": _312["MATCH_KEYS"].replace("COMPARE_OP 92", "COMPARE_OP 172"),
    "MAKE_FUNCTION": "LOAD_CONST code; MAKE_FUNCTION",
    "MAKE_FUNCTION closure": "LOAD_CONST code; MAKE_FUNCTION; SET_FUNCTION_ATTRIBUTE 8",
}  # fmt: skip
_314: Spellings = {
    **_313, "BINARY_SUBSCR": "BINARY_OP 26",
    "CALL_EX 0": "PUSH_NULL; CALL_FUNCTION_EX", "CALL_EX 1": "CALL_FUNCTION_EX",
    "FOR_ITER end": "END_FOR; POP_ITER", "POP i": "POP_ITER", "POP x": "POP_TOP; POP_TOP",
    "SETUP_WITH": "COPY 1; LOAD_SPECIAL 1; SWAP 2; SWAP 3; LOAD_SPECIAL 0; CALL 0",
    "WITH_EXCEPT": _313["WITH_EXCEPT"] + "; POP_TOP",
    "EXIT_WITH": "LOAD_CONST None; LOAD_CONST None; LOAD_CONST None; CALL 3; POP_TOP",
}  # fmt: skip
_315: Spellings = {**_314, "ITERATOR": "PUSH_NULL", "GET_ITER": "GET_ITER 0"}

_EXCEPTIONS = {"e": 3, "p": 3, "n": 0, "l": 0, "m": 2}
_ONE_ENTRY = {"c": 2, "m": 2, "t": 0}
WIDTHS: Dict[Version, Dict[str, int]] = {
    (3, 8): _EXCEPTIONS, (3, 9): _EXCEPTIONS, (3, 10): _EXCEPTIONS, (3, 11): _ONE_ENTRY, (3, 12): _ONE_ENTRY,
    (3, 13): {**_ONE_ENTRY, "n": 0}, (3, 14): {**_ONE_ENTRY, "n": 0, "x": 2},
    (3, 15): {**_ONE_ENTRY, "n": 0, "x": 2, "i": 2},
}  # fmt: skip
SPELLINGS: Dict[Version, Spellings] = {
    (3, 8): _38, (3, 9): _39, (3, 10): _310, (3, 11): _311, (3, 12): _312, (3, 13): _313, (3, 14): _314, (3, 15): _315,
}  # fmt: skip

SPELLING = SPELLINGS[HOST_VERSION]
"""Of the running interpreter."""
WIDTH = WIDTHS[HOST_VERSION]


def width(kinds: Tuple[str, ...]) -> int:
    """How many slots of the running interpreter's stack entries of these kinds take."""
    return sum(WIDTH.get(kind, 1) for kind in kinds)
