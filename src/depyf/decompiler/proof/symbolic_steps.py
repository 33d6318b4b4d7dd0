"""Runs one side of the symbolic proof over its silent steps, to the next event.

Silent is what nobody can see and what can't fail: moving values, constants, building and editing containers that
nobody else has. All else is an event, described by ``Event``: the operation, what stands in the instruction, and the
values that go in.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..bytecode import CONDITIONAL_JUMPS, Instruction, RawCode, disassemble, stack_use
from .symbolic_containers import Containers
from .symbolic_state import (
    LASTI,
    NULL,
    OUTER_EXCEPTION,
    Constants,
    Event,
    Heap,
    NotUnderstood,
    Numbers,
    Pair,
    Side,
    Term,
)

NO_KEYWORDS: tuple[str, ...] = ()
_PEEKS = {"IMPORT_FROM": 1, "GET_LEN": 1, "MATCH_MAPPING": 1, "MATCH_SEQUENCE": 1, "MATCH_KEYS": 2, "GET_ANEXT": 1}
_TRUTHS = frozenset({"CONTAINS_OP", "CHECK_EXC_MATCH", "MATCH_MAPPING", "MATCH_SEQUENCE"})
_INTO = frozenset({"SET_ADD", "SET_UPDATE", "DICT_UPDATE", "DICT_MERGE", "LIST_EXTEND", "LIST_APPEND", "MAP_ADD"})
_SILENT_LOOPS = 10_000


class Split(NamedTuple):
    """A side is at a jump whose condition may be either."""

    condition: Term


class Stepper(Containers):
    """Executes the instructions of one side."""

    def __init__(self, raw: RawCode, constants: Constants, numbers: Numbers) -> None:
        self.raw = raw
        self.constants = constants
        self.numbers = numbers
        self.instructions = disassemble(raw)
        self.shared_cells: frozenset[str] = frozenset()
        self.slice_is_builtin = False
        self.has_loop = False  # then a list may grow without end: what is appended is an event
        self.assumptions: dict[str, None] = {}
        self.facts: dict[Term, bool] = {}  # those of the pair that is being advanced
        self.live = _liveness(self.instructions)

    def handed_out(self) -> set[str]:
        """Cells that other code may get."""
        return {ins.arg for ins in self.instructions if ins.op == "LOAD_CLOSURE"}

    def loaded(self, *operations: str) -> set[str]:
        """The names that instructions of these kinds load."""
        return {ins.arg for ins in self.instructions if ins.op in operations}

    def jumps_back(self) -> bool:
        """Whether the code may have a loop."""
        return any(0 <= ins.target <= index for index, ins in enumerate(self.instructions))

    def live_at(self, side: Side) -> frozenset[str]:
        return self.live[side.pc] if 0 <= side.pc < len(self.live) else frozenset()

    def is_variable(self, name: str) -> bool:
        """Whether only this code can see the variable: a cell that is never handed out counts."""
        return name not in self.raw.freevars and name not in self.shared_cells

    # Leaving

    def raise_(self, side: Side, exception: Term) -> None:
        """The instruction at ``side.pc`` raises."""
        handler = self.instructions[side.pc].handler
        side.test = None
        if handler is None:
            side.pc, side.raised, side.stack, side.locals = -1, exception, [], {}
            return
        del side.stack[handler.depth :]
        if handler.lasti:
            side.stack.append(LASTI)
        side.stack.append(exception)
        side.pc = handler.target

    # Silent steps

    def advance(self, pair: Pair, number: int) -> Event | Split:
        """Run one side of ``pair`` to its next event or undecided branch."""
        side = pair.sides[number]
        self.facts = pair.facts
        for _ in range(_SILENT_LOOPS):
            if side.raised is not None:
                return Event("LEFT", None, (side.raised,), 0, "left")
            if not 0 <= side.pc < len(self.instructions):
                raise NotUnderstood("control leaves the code")
            ins = self.instructions[side.pc]
            try:
                found = self.step(side, pair, ins)
            except IndexError:
                raise NotUnderstood(f"{ins.op} stands on too small a stack") from None
            if found is not None:
                return found
        raise NotUnderstood("a loop in which nothing happens")

    def step(self, side: Side, pair: Pair, ins: Instruction) -> Event | Split | None:
        """One instruction: None if it was silent, else the event it is (nothing is done yet)."""
        op = ins.op
        if op in CONDITIONAL_JUMPS:
            return self.conditional(side, pair, ins)
        if op == "JUMP":
            side.pc = ins.target
            return None
        if op == "RETURN_VALUE":
            return Event(op, None, (side.stack[-1],), 0, "return")
        if op == "RERAISE":
            self.raise_(side, side.stack[-1])
            return None
        if op == "RAISE_VARARGS":
            return self.raise_statement(side, ins)
        method = getattr(self, "do_" + op, None)
        event: Event | None
        event = method(side, pair.heap, ins.arg) if method is not None else self.generic(side, ins)
        if event is None:
            side.pc += 1
        return event

    def generic(self, side: Side, ins: Instruction) -> Event:
        pops, pushes = stack_use(ins)
        stack = side.stack
        if pops > len(stack):
            raise IndexError
        operands = tuple(stack[len(stack) - pops :])
        if ins.op in _PEEKS:
            operands = tuple(stack[len(stack) - _PEEKS[ins.op] :])
        elif ins.op in _INTO:
            operands = (stack[len(stack) - pops - ins.arg], *operands)
        elif ins.op == "CHECK_EXC_MATCH":
            operands = (stack[-2], stack[-1])
        elif ins.op == "WITH_EXCEPT_START":
            operands = (stack[-4], stack[-1])
        elif ins.op in ("END_ASYNC_FOR", "MATCH_CLASS") or ins.op not in _GENERIC:
            raise NotUnderstood(f"{ins.op} is not understood")
        return Event(ins.op, ins.arg, operands, pushes)

    def raise_statement(self, side: Side, ins: Instruction) -> Event | None:
        if ins.arg == 0:
            if side.handled == OUTER_EXCEPTION:
                return Event("RAISE", 0, (), 0, "raise")
            self.raise_(side, side.handled)
            return None
        return Event("RAISE", ins.arg, tuple(side.stack[-ins.arg :]), 0, "raise")

    # Branches

    def conditional(self, side: Side, pair: Pair, ins: Instruction) -> Event | Split | None:
        if ins.op in ("FOR_ITER", "ASYNC_FOR_ITER"):
            return Event(ins.op, None, (side.stack[-1],), 1, "branch")
        value = side.stack[-1]
        if side.test is not None:
            test: Term = side.test
        elif "NONE" in ins.op:
            test = self.identity(value, self.constants.term(None))
        else:
            test = value
        truth = self.truth(test, pair)
        if truth is None:
            return Event("BOOL", None, (value,), 0, "test")
        if not isinstance(truth, bool):
            return Split(truth)
        if "NONE" in ins.op:
            jumps = truth != ins.op.endswith("NOT_NONE")
        else:
            jumps = truth == ("IF_TRUE" in ins.op)
        side.test = None
        if not (jumps and ins.op.endswith("OR_POP")):
            side.stack.pop()
        side.pc = ins.target if jumps else side.pc + 1
        return None

    def truth(self, term: Term, pair: Pair) -> Any:
        """True or False, the term to decide on, or None if to know it is an event."""
        kind = term[0]
        if kind == "not":
            inner = self.truth(term[1], pair)
            return not inner if isinstance(inner, bool) else inner
        if kind == "is":
            return pair.facts.get(term, term)
        if kind == "k" and self.constants.is_literal(term):
            return bool(self.constants.value[term])
        if kind == "v" and term in self.numbers.booleans:
            return term
        if kind == "a" and pair.heap[term][0] in ("list", "tuple", "map"):
            items = pair.heap[term][1]
            if not items:
                return False
            return True if any(item[0] != "star" for item in items) else None
        return None

    def identity(self, a: Term, b: Term) -> Term:
        """The term for ``a is b``."""
        if a == b and a[0] in ("v", "a"):
            return self.constants.term(True)
        if "a" in (a[0], b[0]) or {a[0], b[0]} == {"k", "slice"}:
            return self.constants.term(False)
        if a[0] == "k" and b[0] == "k":
            left, right = self.constants.value[a], self.constants.value[b]
            singletons = (None, True, False, Ellipsis)
            if any(left is one or right is one for one in singletons):
                return self.constants.term(left is right)
        return ("is", *sorted((a, b), key=repr))

    # Single operations: None if silent, else the event

    def do_NOP(self, side: Side, heap: Heap, arg: Any) -> None:
        pass

    def do_CONST(self, side: Side, heap: Heap, arg: Any) -> None:
        side.stack.append(self.constants.term(arg))

    def do_NULL(self, side: Side, heap: Heap, arg: Any) -> None:
        side.stack.append(NULL)

    def do_POP(self, side: Side, heap: Heap, arg: Any) -> None:
        side.stack.pop()

    def do_COPY(self, side: Side, heap: Heap, arg: int) -> None:
        side.stack.append(side.stack[-arg])

    def do_SWAP(self, side: Side, heap: Heap, arg: int) -> None:
        stack = side.stack
        stack[-1], stack[-arg] = stack[-arg], stack[-1]

    def do_LOAD_FAST(self, side: Side, heap: Heap, name: str) -> Event | None:
        if name not in side.locals:
            return Event("UNBOUND", name, (), 0, "raise")
        side.stack.append(side.locals[name])
        return None

    def do_STORE_FAST(self, side: Side, heap: Heap, name: str) -> None:
        side.locals[name] = side.stack.pop()

    def do_DELETE_FAST(self, side: Side, heap: Heap, name: str) -> Event | None:
        if name not in side.locals:
            return Event("UNBOUND", name, (), 0, "raise")
        del side.locals[name]
        return None

    def do_LOAD_DEREF(self, side: Side, heap: Heap, name: str) -> Event | None:
        if self.is_variable(name):
            return self.do_LOAD_FAST(side, heap, name)
        return Event("LOAD_DEREF", name, (), 1)

    def do_STORE_DEREF(self, side: Side, heap: Heap, name: str) -> Event | None:
        if self.is_variable(name):
            side.locals[name] = side.stack.pop()
            return None
        return Event("STORE_DEREF", name, (side.stack[-1],), 0)

    def do_DELETE_DEREF(self, side: Side, heap: Heap, name: str) -> Event | None:
        if self.is_variable(name):
            return self.do_DELETE_FAST(side, heap, name)
        return Event("DELETE_DEREF", name, (), 0)

    def do_LOAD_CLOSURE(self, side: Side, heap: Heap, name: str) -> None:
        side.stack.append(("cell", name))

    def do_LOAD_GLOBAL(self, side: Side, heap: Heap, name: str) -> Event | None:
        if name == "slice" and self.slice_is_builtin:
            self.assumptions["the global name slice is the builtin"] = None
            side.stack.append(self.constants.term(slice))
            return None
        return Event("LOAD_GLOBAL", name, (), 1)

    def do_LOAD_ATTR(self, side: Side, heap: Heap, name: str) -> Event | None:
        owner = side.stack[-1]
        if name == "__closure__" and owner in heap and heap[owner][0][0] == "function":
            kind, items = heap[owner]
            if "closure" in kind[1]:
                side.stack[-1] = items[kind[1].index("closure")]
                return None
        return Event("LOAD_ATTR", name, (owner,), 1)

    def do_IS_OP(self, side: Side, heap: Heap, operator: str) -> None:
        b, a = side.stack.pop(), side.stack.pop()
        term = self.identity(a, b)
        if term in self.facts:
            term = self.constants.term(self.facts[term])
        side.stack.append(term if operator == "is" else self.negation(term))

    def do_CONTAINS_OP(self, side: Side, heap: Heap, operator: str) -> Event:
        # `not in` gives the negation of what `in` gives, an exact bool.
        return Event("CONTAINS_OP", "in", (side.stack[-2], side.stack[-1]), 1)

    def negation(self, term: Term) -> Term:
        if term[0] == "k":
            return self.constants.term(not self.constants.value[term])
        return term[1] if term[0] == "not" else ("not", term)

    def do_UNARY_OP(self, side: Side, heap: Heap, operator: str) -> Event | None:
        operand = side.stack[-1]
        if operator == "not":
            boolean = operand[0] in ("is", "not") or operand in self.numbers.booleans
            if boolean or self.constants.is_literal(operand):
                truth = self.negation(operand) if boolean else None
                side.stack[-1] = truth or self.constants.term(not self.constants.value[operand])
                return None
            return Event("BOOL", None, (operand,), 1, "not")
        return Event("UNARY_OP", operator, (operand,), 1)

    # Calls

    def do_CALL(self, side: Side, heap: Heap, arg: Any) -> Event | None:
        count, names = arg
        values = side.stack[len(side.stack) - count - 2 :]
        if len(values) != count + 2:
            raise IndexError
        called = [value for value in values[:2] if value != NULL]
        event = self.call([*called, *values[2:]], names, count + 2)
        if event.op == "CALL" and event.operands[0] == self.constants.term(slice) and self.slice_is_builtin:
            if not names and 2 <= len(event.operands) <= 4:
                del side.stack[len(side.stack) - count - 2 :]
                parts = list(event.operands[1:])
                side.stack.append(self.slice(parts if len(parts) > 1 else [self.constants.term(None), *parts]))
                return None
        return event

    def call(self, operands: list[Term], names: tuple[str, ...], pops: int) -> Event:
        return Event("CALL", (len(operands) - 1, names), tuple(operands), 1)

    def do_CALL_EX(self, side: Side, heap: Heap, has_mapping: bool) -> Event:
        values = side.stack[-4 if has_mapping else -3 :]
        called = [value for value in values[:2] if value != NULL]
        if len(called) != 1:
            raise NotUnderstood("CALL_EX without the empty slot")
        iterable = values[2]
        named: tuple[str, ...] | None = ()
        keywords: list[Term] = []
        mapping: Term | None = None
        if has_mapping:
            mapping = values[3]
            named = self.keyword_names(heap, mapping)
            if named is not None:
                keywords = list(heap[mapping][1][1::2])
        items = self.items(heap, iterable)
        if items is not None and named is not None:
            return self.call([called[0], *items, *keywords], named, len(values))
        arguments: tuple[Term, ...] = (("one", iterable),)
        known = self.items(heap, iterable, stars=True)
        if known is not None:
            arguments = known
        rest: tuple[Term, ...] = tuple(keywords)
        static: Any = (len(arguments), named)
        if mapping is not None and named is None:
            rest = (mapping,)
            if mapping in heap:
                parts = heap[mapping][1]
                if len(parts) == 1 and parts[0][0] == "star":
                    rest = (parts[0][1],)
                    self.assumptions["a callee that gets **mapping does not keep or change the dictionary"] = None
        return Event("CALL_EX", static, (called[0], *arguments, *rest), 1)

    def keyword_names(self, heap: Heap, mapping: Term) -> tuple[str, ...] | None:
        """The keywords of a call with this private dictionary, None if they are not known."""
        if mapping not in heap or heap[mapping][0] != "map":
            return None
        keys = heap[mapping][1][::2]
        if any(key[0] != "k" for key in keys):
            return None
        names = [self.constants.value[key] for key in keys]
        if len(set(names)) < len(names) or any(type(name) is not str for name in names):
            return None
        return tuple(names)

    # Exceptions

    def do_PUSH_EXC_INFO(self, side: Side, heap: Heap, arg: Any) -> None:
        exception = side.stack[-1]
        side.stack[-1:] = [side.handled, exception]
        side.handled = exception

    def do_POP_EXCEPT(self, side: Side, heap: Heap, arg: Any) -> None:
        side.handled = side.stack.pop()


_GENERIC = frozenset(
    {"LOAD_CLASSDEREF", "STORE_GLOBAL", "DELETE_GLOBAL", "LOAD_NAME", "STORE_NAME", "DELETE_NAME", "STORE_ATTR",
     "DELETE_ATTR", "COMPARE_OP", "BUILD_SET", "BUILD_STRING", "FORMAT_VALUE", "UNPACK_EX",
     "LOAD_BUILD_CLASS", "LOAD_ASSERTION_ERROR", "IMPORT_NAME", "GET_ITER", "GET_AITER", "GET_YIELD_FROM_ITER",
     "GET_AWAITABLE", "YIELD_VALUE", "YIELD_FROM", "BEFORE_WITH", "BEFORE_ASYNC_WITH", "IMPORT_STAR",
     "SETUP_ANNOTATIONS", "PRINT_EXPR"}
)  # fmt: skip
BOOLEAN_RESULTS = _TRUTHS


def _liveness(instructions: list[Instruction]) -> list[frozenset[str]]:
    """The variables that may still be read (or found unbound) at each instruction."""
    count = len(instructions)
    uses: list[str | None] = [None] * count
    kills: list[str | None] = [None] * count
    predecessors: list[list[int]] = [[] for _ in range(count)]
    for index, ins in enumerate(instructions):
        if ins.op in ("LOAD_FAST", "DELETE_FAST", "LOAD_DEREF", "DELETE_DEREF"):
            uses[index] = ins.arg
        elif ins.op in ("STORE_FAST", "STORE_DEREF"):
            kills[index] = ins.arg
        successors = []
        if ins.op not in ("JUMP", "RETURN_VALUE", "RAISE_VARARGS", "RERAISE"):
            successors.append(index + 1)
        if ins.target >= 0:
            successors.append(ins.target)
        if ins.handler is not None:
            successors.append(ins.handler.target)
        for target in successors:
            if target < count:
                predecessors[target].append(index)
    live_out: list[frozenset[str]] = [frozenset()] * count
    live_in: list[frozenset[str]] = [frozenset()] * count
    todo = list(range(count))
    while todo:
        index = todo.pop()
        live = set(live_out[index])
        # A handler sees the variable as it was before a store: keep it live if the handler needs it.
        handler = instructions[index].handler
        if kills[index] is not None:
            live.discard(kills[index])
        if handler is not None:
            live |= live_in[handler.target]
        if uses[index] is not None:
            live.add(uses[index])  # type: ignore[arg-type]
        new = frozenset(live)
        if new != live_in[index]:
            live_in[index] = new
            for before in predecessors[index]:
                if not new <= live_out[before]:
                    live_out[before] |= new
                todo.append(before)
    return live_in
