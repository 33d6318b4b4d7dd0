"""The canonical instruction, which all later rooms work on, whatever Python made the bytecode."""

from __future__ import annotations

import itertools
from typing import Any, Iterable, NamedTuple, Sequence, Tuple

from ...escapes import printable

Position = Tuple[Any, Any, Any, Any]
"""(line, end line, column, end column), each an int or None, as ``code.co_positions()`` gives them."""


class Handler(NamedTuple):
    """Where control goes when an instruction raises.

    The evaluation stack is cut to ``depth`` entries, the offset of the raising instruction is pushed if
    ``lasti``, then the exception; execution continues at instruction index ``target``.
    """

    target: int
    depth: int
    lasti: bool


class Instruction:
    """One canonical instruction.

    ``op`` is a canonical operation (see OPERATIONS), ``arg`` its decoded operand (a name, a constant, a count, an
    operator; never an index into a table), ``target`` the index of the instruction that a jump goes to (-1 if it
    does not jump), ``handler`` what happens if it raises, ``offset`` the byte offset of the raw instruction,
    ``line`` its source line (None if the compiler gave none) and ``position`` its columns.
    """

    __slots__ = ("op", "arg", "target", "handler", "offset", "line", "position")

    def __init__(
        self,
        op: str,
        arg: Any = None,
        target: int = -1,
        handler: Handler | None = None,
        offset: int = -1,
        line: int | None = None,
        position: Position | None = None,
    ) -> None:
        self.op = op
        self.arg = arg
        self.target = target
        self.handler = handler
        self.offset = offset
        self.line = line
        self.position = position

    def as_nop(self) -> Instruction:
        """A NOP with the position and handler of this."""
        return Instruction("NOP", None, -1, self.handler, self.offset, self.line, self.position)

    def __repr__(self) -> str:
        text = self.op
        if self.arg is not None or self.op == "CONST":
            text += f" {shown(self.arg)}"
        if self.target >= 0:
            text += f" -> {self.target}"
        return text


def jump_sources(instructions: Iterable[Instruction]) -> dict[int, list[int]]:
    """The indices of the jumps to each target, in order."""
    found: dict[int, list[int]] = {}
    for index, one in enumerate(instructions):
        if one.target >= 0:
            found.setdefault(one.target, []).append(index)
    return found


def copies(instructions: Iterable[Instruction]) -> list[Instruction]:
    """Copies of the instructions, which may be changed."""
    return [Instruction(i.op, i.arg, i.target, i.handler, i.offset, i.line, i.position) for i in instructions]


def shown(operand: Any) -> str:
    """``operand`` for a listing or message."""
    try:
        return printable(f"<code {operand.qualname}>") if hasattr(operand, "qualname") else repr(operand)
    except Exception:  # nested too deep, an int with more digits than Python converts, an object of a class that fails
        return f"<{type(operand).__name__}, too large to show>"


EMPTY_BODY = "pass"
"""The operand of a NOP that is the whole body of a try statement, whose handler exists but is unreachable."""

NAME_STORES = frozenset({"STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF"})


def unbound_name(steps: Sequence[Instruction]) -> str | None:
    """The name of ``except ... as name`` that the three ``steps`` unbind (``name = None; del name``); None if not."""
    if len(steps) != 3 or steps[0].op != "CONST" or steps[0].arg is not None:
        return None
    store, delete = steps[1:]
    unbinds = store.op in NAME_STORES and delete.op == store.op.replace("STORE", "DELETE") and store.arg == delete.arg
    return str(store.arg) if unbinds else None


# The stack use of every canonical operation, (pops, pushes), or a function from the operand to that.
# For a conditional jump this is the fall-through edge; JUMP_EDGE has the other.
OPERATIONS: dict[str, Any] = {
    "NOP": (0, 0),
    "LETS_STOP_ITERATION_PASS": (0, 0),  # a generator's code, from 3.12 on, that does not turn it into RuntimeError
    "CONST": (0, 1),
    "NULL": (0, 1),  # the empty slot that marks "no self" in a call
    "POP": (1, 0),
    "COPY": (0, 1),  # push a copy of the entry `arg` from the top, 1 = the top
    "SWAP": (0, 0),  # exchange the top with the entry `arg` from the top
    "LOAD_FAST": (0, 1),
    "STORE_FAST": (1, 0),
    "DELETE_FAST": (0, 0),
    "LOAD_DEREF": (0, 1),
    "STORE_DEREF": (1, 0),
    "DELETE_DEREF": (0, 0),
    "LOAD_CLASSDEREF": (0, 1),  # the class namespace first, then the cell
    "LOAD_CLOSURE": (0, 1),  # the cell itself
    "LOAD_LOCALS": (0, 1),  # the namespace of a class body
    "LOAD_FROM_DICT_OR_DEREF": (1, 1),  # arg: the cell's name
    "LOAD_FROM_DICT_OR_GLOBALS": (1, 1),
    "LOAD_FAST_AND_CLEAR": (0, 1),  # the local or, if unbound, NULL; unbound afterwards (inlined comprehensions)
    "MAKE_CELL": (0, 0),  # of an inlined comprehension
    "LOAD_GLOBAL": (0, 1),
    "STORE_GLOBAL": (1, 0),
    "DELETE_GLOBAL": (0, 0),
    "LOAD_NAME": (0, 1),
    "STORE_NAME": (1, 0),
    "DELETE_NAME": (0, 0),
    "STORE_FIRST_LINE": (0, 0),  # of a class body, as the compiler does; arg: 'nonlocal' or 'global' if declared so
    "STORE_STATIC_ATTRIBUTES": (0, 0),  # arg: the names, sorted
    "LOAD_ATTR": (1, 1),
    "LOAD_SUPER_ATTR": (3, 1),  # super, the class, self; arg: (name, written with both arguments)
    "STORE_ATTR": (2, 0),
    "DELETE_ATTR": (1, 0),
    "BINARY_SUBSCR": (2, 1),
    "STORE_SUBSCR": (3, 0),
    "DELETE_SUBSCR": (2, 0),
    "UNARY_OP": (1, 1),
    "TO_BOOL": (1, 1),
    "BINARY_OP": (2, 1),  # arg: '+' or, in place, '+='
    "COMPARE_OP": (2, 1),
    "IS_OP": (2, 1),  # arg: 'is' or 'is not'
    "CONTAINS_OP": (2, 1),  # arg: 'in' or 'not in'
    "BUILD_TUPLE": (lambda n: (n, 1)),
    "BUILD_LIST": (lambda n: (n, 1)),
    "BUILD_SET": (lambda n: (n, 1)),
    "BUILD_MAP": (lambda n: (2 * n, 1)),
    "BUILD_CONST_KEY_MAP": (lambda n: (n + 1, 1)),
    "BUILD_LIST_UNPACK": (lambda n: (n, 1)),  # of n iterables (3.8)
    "BUILD_TUPLE_UNPACK": (lambda n: (n, 1)),
    "BUILD_TUPLE_UNPACK_WITH_CALL": (lambda n: (n, 1)),
    "BUILD_SET_UNPACK": (lambda n: (n, 1)),
    "BUILD_MAP_UNPACK": (lambda n: (n, 1)),
    "BUILD_MAP_UNPACK_WITH_CALL": (lambda n: (n, 1)),
    "BUILD_STRING": (lambda n: (n, 1)),
    "BUILD_SLICE": (lambda n: (n, 1)),
    "LIST_TO_TUPLE": (1, 1),
    "LIST_EXTEND": (1, 0),  # into the entry `arg` from the top, after the pop
    "SET_UPDATE": (1, 0),
    "DICT_UPDATE": (1, 0),
    "DICT_MERGE": (1, 0),
    "LIST_APPEND": (1, 0),
    "SET_ADD": (1, 0),
    "MAP_ADD": (2, 0),
    "FORMAT_VALUE": (lambda a: (2 if a[1] else 1, 1)),  # arg: (conversion: '', 's', 'r' or 'a'; has a format spec)
    "CONVERT_VALUE": (1, 1),  # arg: 's', 'r' or 'a'; FORMAT_VALUE comes after it
    "BUILD_INTERPOLATION": (lambda a: (3 if a[1] else 2, 1)),  # arg: as FORMAT_VALUE
    "BUILD_TEMPLATE": (2, 1),
    "UNPACK_SEQUENCE": (lambda n: (1, n)),
    "UNPACK_EX": (lambda a: (1, a[0] + 1 + a[1])),  # arg: (before the star, after it)
    "CALL": (lambda a: (a[0] + 2, 1)),  # arg: (number of arguments, names of the last ones)
    "CALL_FUNCTION": (lambda a: (a[0] + 1, 1)),  # as CALL, on the callable alone (3.10 and before)
    "CALL_FUNCTION_EX": (lambda kw: (3 if kw else 2, 1)),
    "CALL_EX": (lambda kw: (4 if kw else 3, 1)),  # NULL and callable, iterable[, mapping]; arg: has a mapping
    "MAKE_FUNCTION": (
        lambda a: (len(a) + 1, 1)
    ),  # arg: what lies below the code, of 'defaults' 'kwdefaults' 'annotations' 'closure'
    "LOAD_BUILD_CLASS": (0, 1),
    "LOAD_ASSERTION_ERROR": (0, 1),
    "LOAD_COMMON_CONSTANT": (0, 1),  # arg: the name of a builtin that the interpreter holds itself
    "INTRINSIC": (lambda a: (a[1], 1)),  # arg: (name, number of operands)
    "STOPITERATION_ERROR": (1, 1),
    "LOAD_SPECIAL": (1, 2),
    "IMPORT_NAME": (2, 1),
    "LAZY_IMPORT_NAME": (2, 1),
    "EAGER_IMPORT_NAME": (2, 1),
    "IMPORT_FROM": (0, 1),
    "IMPORT_STAR": (1, 0),
    "SETUP_ANNOTATIONS": (0, 0),
    "PRINT_EXPR": (1, 0),
    "RETURN_GENERATOR": (0, 0),  # makes the generator; only where something runs before (3.15's genexpr iterates)
    "GET_ITER": (1, 1),
    "GET_AITER": (1, 1),
    "GET_YIELD_FROM_ITER": (1, 1),
    "GET_AWAITABLE": (1, 1),  # arg: 0 plain await, 1 __aenter__, 2 __aexit__ (only the error message differs)
    "GET_ANEXT": (0, 1),
    "YIELD_VALUE": (1, 1),
    "YIELD_FROM": (2, 1),  # the whole SEND loop: receiver, first value -> result
    "FOR_ITER": (0, 1),  # target: exhausted; the iterator is popped on that edge
    "ASYNC_FOR_ITER": (0, 1),  # the awaited __anext__ with its StopAsyncIteration handler, as FOR_ITER
    "END_ASYNC_FOR": (2, 0),
    "JUMP": (0, 0),
    "POP_JUMP_IF_FALSE": (1, 0),
    "POP_JUMP_IF_TRUE": (1, 0),
    "POP_JUMP_IF_NONE": (1, 0),
    "POP_JUMP_IF_NOT_NONE": (1, 0),
    "JUMP_IF_FALSE_OR_POP": (1, 0),
    "JUMP_IF_TRUE_OR_POP": (1, 0),
    "RETURN_VALUE": (1, 0),
    "RAISE_VARARGS": (lambda n: (n, 0)),
    "RERAISE": (1, 0),
    "BEFORE_WITH": (1, 2),
    "BEFORE_ASYNC_WITH": (1, 2),
    "WITH_EXCEPT_START": (0, 1),
    "PUSH_EXC_INFO": (0, 1),  # arg None; the exception stays on top of the one handled before
    "POP_EXCEPT": (1, 0),
    "CHECK_EXC_MATCH": (1, 1),
    "CHECK_EG_MATCH": (2, 2),
    "PREP_RERAISE_STAR": (2, 1),
    "GET_LEN": (0, 1),
    "MATCH_MAPPING": (0, 1),
    "MATCH_SEQUENCE": (0, 1),
    "MATCH_KEYS": (0, 1),
    "MATCH_CLASS": (3, 1),
    "MATCH_KEYS_AND_TEST": (0, 2),  # 3.10's: the values or None, and whether there are values
    "MATCH_CLASS_AND_TEST": (3, 2),  # 3.10's: the attributes or the subject again, and whether it matched
    "COPY_DICT_WITHOUT_KEYS": (1, 1),  # 3.10's: replaces the keys on top by the rest of the mapping below
}

JUMP_EDGE: dict[str, tuple[int, int]] = {
    # Stack use on the jumping edge, where it differs from that on the fall-through edge.
    "FOR_ITER": (1, 0),
    "ASYNC_FOR_ITER": (1, 0),
    "JUMP_IF_FALSE_OR_POP": (0, 0),
    "JUMP_IF_TRUE_OR_POP": (0, 0),
}

CONDITIONAL_JUMPS = frozenset(
    {
        "POP_JUMP_IF_FALSE",
        "POP_JUMP_IF_TRUE",
        "POP_JUMP_IF_NONE",
        "POP_JUMP_IF_NOT_NONE",
        "JUMP_IF_FALSE_OR_POP",
        "JUMP_IF_TRUE_OR_POP",
        "FOR_ITER",
        "ASYNC_FOR_ITER",
    }
)
"""Operations with two successors: the next instruction and ``target``."""

NO_FALL_THROUGH = frozenset({"JUMP", "RETURN_VALUE", "RAISE_VARARGS", "RERAISE"})
"""Operations after which the next instruction is not reached."""

EXITS = frozenset({"RETURN_VALUE", "RAISE_VARARGS", "RERAISE"})
"""Operations that leave the code object, or lead to a handler."""

LOADS = frozenset(
    {"CONST", "LOAD_FAST", "LOAD_NAME", "LOAD_GLOBAL", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_CLOSURE",
     "LOAD_BUILD_CLASS", "LOAD_ASSERTION_ERROR"}
)  # fmt: skip
"""Operations that push a plain value, and neither read nor pop another: by far the most frequent."""

NEVER_RAISES = frozenset(
    {"NOP", "CONST", "NULL", "POP", "COPY", "SWAP", "STORE_FAST", "STORE_DEREF", "LOAD_CLOSURE", "JUMP", "BUILD_TUPLE",
     "BUILD_LIST", "LIST_TO_TUPLE", "LIST_APPEND", "BUILD_SLICE", "IS_OP", "LOAD_BUILD_CLASS", "LOAD_ASSERTION_ERROR",
     "POP_JUMP_IF_NONE", "POP_JUMP_IF_NOT_NONE", "PUSH_EXC_INFO", "POP_EXCEPT", "MAKE_FUNCTION", "RETURN_VALUE"}
)  # fmt: skip
"""Operations that can't raise, memory and signals aside. LOAD_FAST is not here: it raises for an unbound local."""


IMPORTS = frozenset({"IMPORT_NAME", "LAZY_IMPORT_NAME", "EAGER_IMPORT_NAME"})

# Emitted by flowgraph/match/ for patterns; no code object has them.
PATTERN_OPERATIONS: dict[str, tuple[int, int]] = {"MATCH_SUBJECT": (1, 0), "MATCH_CASE": (0, 1), "MATCH_ELSE": (0, 0)}


def stack_use(instruction: Instruction, *, jump: bool = False) -> tuple[int, int]:
    """The entries ``instruction`` pops and pushes, on the fall-through edge or (``jump=True``) on the jumping one."""
    op = instruction.op
    if jump and op in JUMP_EDGE:
        return JUMP_EDGE[op]
    use = OPERATIONS[op] if op in OPERATIONS else PATTERN_OPERATIONS[op]
    pair: tuple[int, int] = use if use.__class__ is tuple else use(instruction.arg)  # type: ignore[operator]
    return pair


def reached(instructions: list[Instruction]) -> list[Instruction]:
    """The instructions that are reachable, by jumps or by exceptions."""
    count = len(instructions)
    found = bytearray(count)
    todo = [0]
    handler = None
    while todo:
        index = todo.pop()
        while index < count and not found[index]:
            found[index] = True
            instruction = instructions[index]
            if instruction.handler is not handler:
                handler = instruction.handler
                if handler is not None:
                    todo.append(handler.target)
            if instruction.target >= 0:
                todo.append(instruction.target)
            if instruction.op in NO_FALL_THROUGH:
                break
            index += 1
    return list(itertools.compress(instructions, found))
