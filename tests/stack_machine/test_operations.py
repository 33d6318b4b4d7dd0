"""What each operation leaves on the stack and writes: a table of short programs, with all operations in it."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from depyf.decompiler.bytecode import Instruction, RawCode, load, stack_use
from depyf.decompiler.names.spelling import Spelling
from depyf.decompiler.printing.printer import print_tree
from depyf.decompiler.stack_machine import HANDLERS, Machine
from depyf.decompiler.stack_machine.state import Const, Null, Opaque, Pure, Raised, Value
from depyf.decompiler.syntax import nodes as n
from depyf.decompiler.unstructured.operations import CARRIED
from depyf.decompiler.unstructured.operations import HANDLERS as OF_THE_ROOM
from depyf.decompiler.unstructured.patterns import HANDLERS as OF_PATTERNS
from depyf.errors import DecompilationError


def outer(free):
    def f(a, b, c):
        x = cell = 1

        def g(p=1):
            return cell

        return (x for x in a), lambda: 1, g, free, x, u, v  # noqa: F821

    return f


RAW = load(outer(1).__code__)
CODES = {"$" + raw.name.strip("<>"): raw for raw in RAW.nested}
AWAIT = "CONST None; YIELD_FROM"
CELLS = "LOAD_CLOSURE cell; BUILD_TUPLE 1"

CASES = [
    # a program; the entries of the stack at its end; the statements that it has written
    # The stack
    ("NOP", "", ""),
    ("LETS_STOP_ITERATION_PASS None", "", ""),
    ("CONST 1; CONST (1, 'two')", "1 | (1, 'two')", ""),
    ("NULL", "NULL", ""),
    ("LOAD_FAST a; POP", "", ""),
    ("LOAD_GLOBAL u; POP", "", "u"),
    ("LOAD_FAST a; LOAD_FAST b; COPY 2", "a | b | a", ""),
    ("LOAD_FAST a; LOAD_FAST b; LOAD_FAST c; SWAP 3", "c | b | a", ""),
    # Names
    ("LOAD_FAST x", "x", ""),
    ("LOAD_FAST a; STORE_FAST x; LOAD_FAST x", "a", "x = a"),
    ("DELETE_FAST a", "", "del a"),
    ("LOAD_FAST a; DELETE_FAST a", "a_1", "a_1 = a; del a"),
    ("LOAD_CLOSURE cell", "(lambda: cell).__closure__[0]", ""),
    ("LOAD_DEREF cell", "cell", ""),
    ("LOAD_FAST a; STORE_DEREF free", "", "free = a"),
    ("DELETE_DEREF free", "", "del free"),
    ("LOAD_GLOBAL u", "u", ""),
    ("LOAD_FAST a; STORE_GLOBAL u", "", "u = a"),
    ("DELETE_GLOBAL u", "", "del u"),
    ("LOAD_FAST a; LOAD_ATTR y", "a.y", ""),
    ("LOAD_FAST a; LOAD_FAST b; STORE_ATTR y", "", "b.y = a"),
    ("LOAD_FAST a; DELETE_ATTR y", "", "del a.y"),
    # Subscripts
    ("LOAD_FAST a; LOAD_FAST b; BINARY_SUBSCR", "a[b]", ""),
    ("LOAD_FAST a; LOAD_FAST b; BUILD_LIST 2; CONST 1; BINARY_SUBSCR", "b", ""),
    ("LOAD_FAST a; LOAD_FAST b; CONST None; BUILD_SLICE 2; BINARY_SUBSCR", "a[b:]", ""),
    ("LOAD_FAST a; LOAD_FAST b; LOAD_FAST c; STORE_SUBSCR", "", "b[c] = a"),
    ("LOAD_FAST a; LOAD_FAST b; DELETE_SUBSCR", "", "del a[b]"),
    # Operators
    ("LOAD_FAST a; UNARY_OP -", "-a", ""),
    ("CONST 1; UNARY_OP -", "-constant", "constant = 1"),
    ("LOAD_FAST a; LOAD_FAST b; BINARY_OP +", "a + b", ""),
    ("LOAD_FAST a; LOAD_FAST b; BINARY_OP +=", "value", "value = a; value += b"),
    ("LOAD_FAST a; BUILD_LIST 1; LOAD_FAST b; BUILD_LIST 1; BINARY_OP +", "[a, b]", ""),
    ("LOAD_FAST a; LOAD_FAST b; COMPARE_OP <", "a < b", ""),
    ("LOAD_FAST a; LOAD_FAST b; CONTAINS_OP 'not in'", "a not in b", ""),
    ("LOAD_FAST a; CONST None; IS_OP 'is not'", "a is not None", ""),
    ("CONST None; CONST None; IS_OP 'is not'", "False", ""),
    ("LOAD_FAST a; TO_BOOL", "not not a", ""),
    # Displays
    ("LOAD_FAST a; LOAD_FAST b; BUILD_LIST 2", "[a, b]", ""),
    ("LOAD_FAST a; LOAD_FAST b; BUILD_TUPLE 2", "(a, b)", ""),
    ("CONST 1; CONST 2; BUILD_TUPLE 2", "(1, 2)", ""),
    ("CONST 1; LOAD_FAST a; BUILD_MAP 1", "{1: a}", ""),
    ("LOAD_FAST a; LOAD_FAST b; BUILD_MAP 1", "{a: b}", ""),
    ("LOAD_FAST a; CONST ('k',); BUILD_CONST_KEY_MAP 1", "{'k': a}", ""),
    ("LOAD_FAST a; LOAD_FAST b; BUILD_SET 2", "{a, b}", ""),
    ("CONST 1; CONST 2; CONST 3; BUILD_SET 3", "{1, 2, constant}", "constant = 3"),
    ("LOAD_FAST a; LOAD_FAST b; BUILD_SLICE 2", "slice(a, b)", ""),
    ("LOAD_FAST a; BUILD_LIST 1; LIST_TO_TUPLE", "(a,)", ""),
    ("LOAD_FAST a; LIST_TO_TUPLE", "(*a,)", ""),
    # Additions
    ("BUILD_LIST 0; LOAD_FAST a; BUILD_TUPLE 1; LIST_EXTEND 1", "[a]", ""),
    ("BUILD_LIST 0; LOAD_FAST a; LIST_EXTEND 1", "[*items]", "items = [*a]"),
    ("BUILD_LIST 0; LOAD_FAST a; LIST_APPEND 1", "[a]", ""),
    ("BUILD_SET 0; LOAD_FAST a; SET_ADD 1", "members", "members = {*()}; members |= {a}"),
    ("LOAD_FAST a; BUILD_SET 1; LOAD_FAST b; SET_UPDATE 1", "{a, *b}", ""),
    ("LOAD_FAST a; LOAD_FAST b; BUILD_MAP 1; LOAD_FAST b; LOAD_FAST c; MAP_ADD 1", "mapping",
     "mapping = {a: b}; mapping[b] = c"),
    ("BUILD_MAP 0; LOAD_FAST a; DICT_UPDATE 1", "{**a}", ""),
    ("BUILD_MAP 0; CONST 'k'; LOAD_FAST a; BUILD_MAP 1; DICT_MERGE 1", "{'k': a}", ""),
    # Unpacking
    ("LOAD_FAST a; UNPACK_SEQUENCE 2", "a_1 | a_0", "a_0, a_1 = a"),
    ("LOAD_FAST a; LOAD_FAST b; BUILD_TUPLE 2; UNPACK_SEQUENCE 2", "b | a", ""),
    ("LOAD_FAST a; UNPACK_EX (1, 1)", "a_2 | a_1 | a_0", "a_0, *a_1, a_2 = a"),
    ("LOAD_FAST a; LOAD_FAST b; BUILD_LIST 1; BUILD_LIST_UNPACK 2", "[*a, b]", ""),
    ("LOAD_FAST a; LOAD_FAST b; BUILD_LIST 1; BUILD_TUPLE_UNPACK 2", "(*a, b)", ""),
    ("LOAD_FAST a; LOAD_FAST b; BUILD_SET_UNPACK 2", "{*a, *b}", ""),
    ("LOAD_FAST a; CONST 'k'; LOAD_FAST b; BUILD_MAP 1; BUILD_MAP_UNPACK 2", "{**a, 'k': b}", ""),
    ("CONST (1,); LOAD_FAST a; BUILD_TUPLE_UNPACK_WITH_CALL 2", "(1, *a)", ""),
    ("LOAD_FAST a; LOAD_FAST b; BUILD_MAP_UNPACK_WITH_CALL 2", "{**a, **b}", ""),
    # Formatted strings
    ("LOAD_FAST a; FORMAT_VALUE (None, False)", "f'{a}'", ""),
    ("LOAD_FAST a; LOAD_FAST b; FORMAT_VALUE ('r', True)", "f'{a!r:{b}}'", ""),
    ("LOAD_FAST a; CONVERT_VALUE s; FORMAT_VALUE (None, False)", "f'{a!s}'", ""),
    ("CONST 'no. '; LOAD_FAST a; FORMAT_VALUE (None, False); BUILD_STRING 2", "f'no. {a}'", ""),
    # Calls
    ("LOAD_FAST a; NULL; LOAD_FAST b; CALL (1, ())", "a(b)", ""),
    ("NULL; LOAD_FAST a; LOAD_FAST b; LOAD_FAST c; CALL (2, ('k',))", "a(b, k=c)", ""),
    ("LOAD_FAST a; LOAD_FAST b; CALL (0, ())", "a(b)", ""),
    ("LOAD_FAST a; LOAD_FAST b; CALL_FUNCTION (1, ())", "a(b)", ""),
    ("NULL; LOAD_FAST a; LOAD_FAST b; CALL_EX False", "a(*b)", ""),
    ("LOAD_FAST a; LOAD_FAST b; BUILD_TUPLE 1; CONST 'k'; LOAD_FAST c; BUILD_MAP 1; CALL_FUNCTION_EX True",
     "a(b, k=c)", ""),
    ("LOAD_GLOBAL super; LOAD_FAST a; LOAD_FAST b; LOAD_SUPER_ATTR ('y', True)", "super(a, b).y", ""),
    # Functions
    (f"{CELLS}; CONST $g; MAKE_FUNCTION ('closure',); STORE_FAST g; LOAD_FAST g", "g", "def g(p):\n    pass"),
    (f"CONST (5,); {CELLS}; CONST $g; MAKE_FUNCTION ('defaults', 'closure'); STORE_FAST x", "",
     "def g_1(p=5):\n    pass; x = g_1"),
    ("CONST $lambda; MAKE_FUNCTION ()", "lambda: 1", ""),
    ("CONST $genexpr; MAKE_FUNCTION (); LOAD_FAST a; GET_ITER; CALL (0, ())", "(x for x in a)", ""),
    # Iteration
    ("LOAD_FAST a; GET_ITER", "iter(a)", ""),
    ("LOAD_FAST a; GET_AITER", "aiter(a)", ""),
    ("LOAD_FAST a; YIELD_VALUE", "yield a", ""),
    (f"LOAD_FAST a; GET_YIELD_FROM_ITER; {AWAIT}", "yield from a", ""),
    (f"LOAD_FAST a; GET_AWAITABLE 0; {AWAIT}", "await a", ""),
    # Exceptions
    ("RAISED; PUSH_EXC_INFO", "RAISED | RAISED", ""),
    ("RAISED; PUSH_EXC_INFO; POP; POP_EXCEPT", "", ""),
    ("LOAD_ASSERTION_ERROR; LOAD_FAST a; CALL (0, ()); RAISE_VARARGS 1", "AssertionError(a)", ""),
    # Imports
    ("CONST 0; CONST None; IMPORT_NAME m; STORE_FAST x", "", "import m as m; x = m"),
    ("CONST 0; CONST None; IMPORT_NAME p.m; STORE_FAST p", "", "import p.m"),
    ("CONST 0; CONST None; IMPORT_NAME p.m; IMPORT_FROM m; SWAP 2; POP; STORE_FAST x", "", "import p.m as m; x = m"),
    ("CONST 1; CONST ('y',); IMPORT_NAME m; IMPORT_FROM y; STORE_FAST x; POP", "", "from .m import y as x"),
    ("CONST 0; CONST None; EAGER_IMPORT_NAME m", "m", "import m as m"),
    # The order of effects
    ("LOAD_GLOBAL u; LOAD_GLOBAL v; BINARY_OP +", "u + v", ""),
    ("LOAD_GLOBAL u; LOAD_GLOBAL v; SWAP 2; BINARY_OP +", "v + u_1", "u_1 = u"),
    ("LOAD_GLOBAL u; LOAD_FAST a; STORE_GLOBAL v", "u_1", "u_1 = u; v = a"),
    ("LOAD_FAST a; LOAD_ATTR y; COPY 1; BINARY_OP +", "y + y", "y = a.y"),
]  # fmt: skip


def parsed(program: str) -> list[Instruction]:
    """``OPERATION argument; ...``: the argument is a literal, a code object ($name), or else a string."""
    found = []
    for part in program.split("; "):
        op, _, text = part.partition(" ")
        try:
            arg: Any = CODES[text] if text in CODES else ast.literal_eval(text) if text else None
        except (SyntaxError, ValueError):
            arg = text
        found.append(Instruction(op, arg))
    return found


def nested(raw: RawCode) -> n.FunctionDef:
    """Some definition: what stands in it is not the machine's business."""
    clause = n.comprehension(n.Name("x"), n.Name("y"), [], False)
    bodies = {"<lambda>": n.Return(n.Constant(1)), "<genexpr>": n.Return(n.GeneratorExp(n.Name("x"), [clause]))}
    parameters = n.arguments()
    parameters.args = [n.arg(name) for name in raw.parameters if raw.name == "g"]
    return n.FunctionDef(raw.name, parameters, [bodies.get(raw.name, n.Pass())])


class Run:
    """A machine that has executed a program in a function with the parameters a, b and c."""

    def __init__(self, program: str, handlers: Any = HANDLERS) -> None:
        self.instructions = parsed(program)
        self.machine = Machine(RAW, Spelling(RAW), "a test", {**handlers, "RAISED": raised}, self.upcoming, nested)
        self.machine.all_uses_known = True
        state = self.machine.state
        for name in ("a", "b", "c"):
            state.locals[name] = value = Opaque(name)
            state.names[value] = [name]
        self.heights = []
        """The height of the stack before and after each instruction that stands for itself."""
        while self.machine.next_index < len(self.instructions):
            ins = self.instructions[self.machine.next_index]
            self.machine.next_index += 1
            if ins.op == "RAISE_VARARGS":
                break
            before, height = self.machine.next_index, len(state.stack)
            self.machine.execute(ins)
            if self.machine.next_index == before and ins.op != "RAISED":
                self.heights.append((ins, height, len(state.stack)))

    def upcoming(self, count: int) -> list[Instruction]:
        return self.instructions[self.machine.next_index : self.machine.next_index + count]

    @property
    def stack(self) -> str:
        values = self.machine.state.stack
        return " | ".join(self.text(value) for value in values)

    def text(self, value: Value) -> str:
        if isinstance(value, (Null, Raised)):
            return type(value).__name__.upper()
        if isinstance(value, Pure) and value.kind == "AssertionError":
            return f"AssertionError({', '.join(map(self.text, value.operands))})"
        if isinstance(value, Const) and isinstance(value.value, RawCode):
            return value.value.name
        return print_tree(n.Expr(self.machine.text(value))).strip()

    @property
    def written(self) -> str:
        return "; ".join(print_tree(statement).rstrip() for statement in self.machine.out)


def raised(machine: Machine, hint: str | None) -> None:
    """Not an operation: what lies on the stack where a handler begins, or below the body of a with statement."""
    machine.push(Raised(hint or "exception"))


@pytest.mark.parametrize("program, stack, written", CASES)
def test_what_it_leaves_and_writes(program: str, stack: str, written: str):
    run = Run(program)
    assert (run.stack, run.written) == (stack, written)


@pytest.mark.parametrize("program", [program for program, _, _ in CASES])
def test_the_stack_has_the_height_that_the_operations_say(program: str):
    for ins, before, after in Run(program).heights:
        pops, pushes = stack_use(ins)
        assert after - before == pushes - pops, ins.op


def test_every_operation_is_in_the_table():
    assert {ins.op for program, _, _ in CASES for ins in parsed(program)} >= set(HANDLERS)


DIFFERENT = {
    # for each operation a program; what stack and statements, or what error, all operations make of it, then those of
    # unstructured/
    "CALL": ("RAISED exit; CONST None; CONST None; CONST None; CALL (2, ())",
             "no expression gives this value (Raised)", "RAISED; "),
    "GET_AWAITABLE": (f"RAISED; GET_AWAITABLE 1; {AWAIT}", "no expression gives this value (Raised)", "RAISED; "),
    "POP_EXCEPT": ("LOAD_FAST a; POP_EXCEPT", "POP_EXCEPT finds no exception", "; "),
    "JUMP": ("JUMP", "JUMP is not understood outside the shapes that a compiler makes", "; "),
}  # fmt: skip


def told(program: str, handlers: Any) -> str:
    try:
        run = Run(program, handlers)
    except DecompilationError as error:
        return error.reason
    return f"{run.stack}; {run.written}"


@pytest.mark.parametrize("operation", DIFFERENT)
def test_where_the_room_differs(operation: str):
    program, every, of_the_room = DIFFERENT[operation]
    assert told(program, HANDLERS) == every
    assert told(program, OF_THE_ROOM) == of_the_room


def test_the_room_differs_only_there():
    own = {op for op, handler in OF_THE_ROOM.items() if handler is not HANDLERS.get(op)}
    assert own == {*DIFFERENT, *OF_PATTERNS}  # tests/assembler makes programs with operations of patterns


@pytest.mark.parametrize("operation", sorted(set(OF_THE_ROOM) - set(CARRIED)))
def test_what_is_left_to_other_strategies(operation: str):
    program = next(program for program, _, _ in CASES if operation in [ins.op for ins in parsed(program)])
    assert told(program, CARRIED) == f"{operation} is not understood outside the shapes that a compiler makes"
