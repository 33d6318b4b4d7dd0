"""Runs one side of the symbolic proof over its silent steps, to the next event.

A step is silent if it is not observable and can't fail: moving values, constants, comparing integer constants, building
and editing private containers. Everything else is a ``ProofEvent``: the operation, its operand in the instruction, and
the input values.
"""

from __future__ import annotations

import operator as operators
from typing import Any, NamedTuple

from ...bytecode import CONDITIONAL_JUMPS, Instruction, RawCode, stack_use
from ...bytecode.instruction import OPERATIONS
from .calls import Calls
from .liveness import Liveness
from .operations import EVENTS, INTO, NOT_UNDERSTOOD, PARTS, PEEKS
from .state import (
    LASTI,
    NULL,
    OUTER_EXCEPTION,
    Constants,
    Heap,
    NotUnderstood,
    Numbers,
    Pair,
    ProofEvent,
    Side,
    Term,
)

_COMPARISONS = {
    "<": operators.lt, "<=": operators.le, "==": operators.eq, "!=": operators.ne, ">": operators.gt,
    ">=": operators.ge,
}  # fmt: skip


class Split(NamedTuple):
    """A side is at a branch on a truth value that both know, and that is undecided."""

    condition: Term


class SymbolicStepper(Calls):
    """Executes the instructions of one side."""

    def __init__(
        self, raw: RawCode, instructions: list[Instruction], constants: Constants, numbers: Numbers
    ) -> None:
        self.raw = raw
        self.instructions = instructions
        self.constants = constants
        self.numbers = numbers
        self.shared_cells: frozenset[str] = frozenset()
        self.builtins = frozenset()
        self.assumptions = {}
        self.facts: dict[Term, bool] = {}  # those of the pair being advanced
        self.pops = [stack_use(ins)[0] if ins.op in OPERATIONS else 0 for ins in instructions]
        self.cells = frozenset(raw.cellvars) | frozenset(raw.freevars)
        self.liveness = Liveness(instructions)
        self.most_silent_steps = 1000 + 10 * len(instructions)

    def handed_out(self) -> set[str]:
        """Cells that other code may access, or that an event reads."""
        return self.named("LOAD_CLOSURE", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF")

    def named(self, *operations: str) -> set[str]:
        """The names in the instructions of these kinds."""
        return {ins.arg for ins in self.instructions if ins.op in operations}

    def is_variable(self, name: str) -> bool:
        """Whether only this code can access the cell's content: the cell is never handed out."""
        if name not in self.cells:
            raise NotUnderstood("a variable that is no cell is used as one")
        return name not in self.raw.freevars and name not in self.shared_cells

    def plain(self, name: str) -> str:
        """The name of a local variable that is not a cell."""
        if name in self.cells:
            raise NotUnderstood("a cell is used as a variable that is none")
        return name

    # Leaving

    def raise_(self, side: Side, exception: Term) -> None:
        """The instruction at ``side.pc`` raises."""
        handler = self.instructions[side.pc].handler
        side.test = None
        if handler is None:
            side.pc, side.raised, side.stack, side.locals = -1, exception, [], {}
            return
        if handler.depth > len(side.stack):
            raise NotUnderstood("a handler keeps more of the stack than there is")
        del side.stack[handler.depth :]
        if handler.lasti:
            side.stack.append(LASTI)
        side.stack.append(exception)
        self.go(side, handler.target)

    def go(self, side: Side, index: int) -> None:
        """Continue at this instruction."""
        side.pc = index
        if index in self.liveness.joins:
            side.joined = True

    # Silent steps

    def advance(self, pair: Pair, number: int) -> ProofEvent | Split:
        """Run one side of ``pair`` to its next event or undecided branch.

        A loop that returns to the same state without an event is itself an event, the last one.
        """
        side = pair.sides[number]
        self.facts = pair.facts
        been: set[Any] = set()
        for count in range(2 * self.most_silent_steps):
            if side.raised is not None:
                return ProofEvent("LEFT", None, (side.raised,), 0, "left")
            if not 0 <= side.pc < len(self.instructions):
                raise NotUnderstood("control leaves the code")
            if count >= self.most_silent_steps and side.pc in self.liveness.joins:
                here = (side.pc, tuple(side.stack), tuple(side.locals.items()), side.handled, tuple(pair.heap.items()))
                if here in been:
                    return ProofEvent("SPIN", None, (), 0, "return")
                been.add(here)
            ins = self.instructions[side.pc]
            try:
                found = self.step(side, pair, ins)
            except IndexError:
                raise NotUnderstood(f"{ins.op} stands on too small a stack") from None
            if found is not None:
                return found
        raise NotUnderstood("a loop in which nothing can be seen to happen")

    def step(self, side: Side, pair: Pair, ins: Instruction) -> ProofEvent | Split | None:
        """Run one instruction: None if it was silent, else its event (not executed yet)."""
        op = ins.op
        if self.pops[side.pc] > len(side.stack):
            raise IndexError
        if op in CONDITIONAL_JUMPS:
            return self.conditional(side, pair, ins)
        if op == "JUMP":
            self.go(side, ins.target)
            return None
        if op == "RETURN_VALUE":
            return ProofEvent(op, None, (side.stack[-1],), 0, "return")
        if op == "RERAISE":
            if side.stack[-1][0] != "v":
                raise NotUnderstood("RERAISE of what is no exception")
            self.raise_(side, side.stack[-1])
            return None
        if op == "RAISE_VARARGS":
            return self.raise_statement(side, ins)
        if op in PARTS:
            return self.parts(side, ins)
        method = getattr(self, "do_" + op, None)
        event: ProofEvent | Split | None
        event = method(side, pair.heap, ins.arg) if method is not None else self.generic(side, ins)
        if event is None:
            self.go(side, side.pc + 1)
        return event

    def generic(self, side: Side, ins: Instruction) -> ProofEvent:
        if ins.op not in EVENTS:
            raise NotUnderstood(f"{ins.op}: {NOT_UNDERSTOOD.get(ins.op, 'no such operation is known')}")
        pops, pushes = stack_use(ins)
        return ProofEvent(ins.op, ins.arg, self.operands(side, ins.op, pops, ins.arg), pushes)

    def operands(self, side: Side, op: str, pops: int, arg: Any) -> tuple[Term, ...]:
        """The operands of an operation: what it pops, and for some the entries below."""
        stack = side.stack
        reads = PEEKS.get(op, pops)
        if reads > len(stack):
            raise IndexError
        operands = tuple(stack[len(stack) - reads :])
        if op in INTO:
            if not 0 < arg <= len(stack) - pops:
                raise IndexError
            operands = (stack[len(stack) - pops - arg], *operands)
        return operands

    def raise_statement(self, side: Side, ins: Instruction) -> ProofEvent | None:
        if ins.arg == 0:
            if side.handled == OUTER_EXCEPTION:
                return ProofEvent("RAISE", 0, (), 0, "raise")
            self.raise_(side, side.handled)
            return None
        return ProofEvent("RAISE", ins.arg, tuple(side.stack[-ins.arg :]), 0, "raise")

    # Branches

    def conditional(self, side: Side, pair: Pair, ins: Instruction) -> ProofEvent | Split | None:
        value = side.stack[-1]
        if ins.op in ("FOR_ITER", "ASYNC_FOR_ITER"):
            return ProofEvent(ins.op, None, (value,), 1, "branch")
        if side.test is not None:
            test: Term = side.test
        elif "NONE" in ins.op:
            test = self.constants.identity(value, self.constants.term(None))
        else:
            test = value
        truth = self.truth(test, pair)
        if truth is None:
            return ProofEvent("BOOL", None, (value,), 0, "test")
        if not isinstance(truth, bool):
            return Split(truth)
        if "NONE" in ins.op:
            jumps = truth != ins.op.endswith("NOT_NONE")
        else:
            jumps = truth == ("IF_TRUE" in ins.op)
        side.test = None
        if not (jumps and ins.op.endswith("OR_POP")):
            side.stack.pop()
        self.go(side, ins.target if jumps else side.pc + 1)
        return None

    def truth(self, term: Term, pair: Pair) -> Any:
        """True or False, the term to branch on, or None if finding it is an event."""
        kind = term[0]
        if kind == "not":
            inner = self.truth(term[1], pair)
            return not inner if isinstance(inner, bool) else inner
        if kind == "is":
            return pair.facts.get(term, term)
        if kind == "k":
            return self.constants.truth(term)
        if kind == "v" and self.numbers.is_bool(term):
            return term
        if kind == "a" and term in pair.heap and pair.heap[term][0] in ("list", "tuple", "map"):
            items = pair.heap[term][1]
            if not items:
                return False
            return True if any(item[0] != "star" for item in items) else None
        return None

    # Single operations: None if silent, else the event

    def do_NOP(self, side: Side, heap: Heap, arg: Any) -> None:
        if arg is not None:
            self.assumptions[arg] = None

    def do_CONST(self, side: Side, heap: Heap, arg: Any) -> None:
        if type(arg) is slice:  # as if built here: no code can tell the difference
            side.stack.append(self.slice([self.constants.term(part) for part in (arg.start, arg.stop, arg.step)]))
            return
        side.stack.append(self.constants.term(arg))

    def do_LOAD_COMMON_CONSTANT(self, side: Side, heap: Heap, name: str) -> None:
        side.stack.append(("common", name))

    def do_LOAD_ASSERTION_ERROR(self, side: Side, heap: Heap, arg: Any) -> None:
        side.stack.append(("common", "AssertionError"))

    def do_NULL(self, side: Side, heap: Heap, arg: Any) -> None:
        side.stack.append(NULL)

    def do_POP(self, side: Side, heap: Heap, arg: Any) -> None:
        side.stack.pop()

    def do_COPY(self, side: Side, heap: Heap, arg: int) -> None:
        if arg < 1:
            raise IndexError
        side.stack.append(side.stack[-arg])

    def do_SWAP(self, side: Side, heap: Heap, arg: int) -> None:
        stack = side.stack
        if arg < 1:
            raise IndexError
        stack[-1], stack[-arg] = stack[-arg], stack[-1]

    def do_LOAD_FAST(self, side: Side, heap: Heap, name: str) -> ProofEvent | None:
        return self.load(side, self.plain(name))

    def do_STORE_FAST(self, side: Side, heap: Heap, name: str) -> None:
        value = side.stack.pop()
        if value == NULL:  # an inlined comprehension restores that it was unbound
            side.locals.pop(self.plain(name), None)
        else:
            side.locals[self.plain(name)] = value

    def do_DELETE_FAST(self, side: Side, heap: Heap, name: str) -> ProofEvent | None:
        return self.delete(side, self.plain(name))

    def do_LOAD_FAST_AND_CLEAR(self, side: Side, heap: Heap, name: str) -> None:
        side.stack.append(side.locals.pop(self.plain(name), NULL))

    def load(self, side: Side, name: str) -> ProofEvent | None:
        if name not in side.locals:
            return ProofEvent("UNBOUND", name, (), 0, "raise")
        side.stack.append(side.locals[name])
        return None

    def delete(self, side: Side, name: str) -> ProofEvent | None:
        if name not in side.locals:
            return ProofEvent("UNBOUND", name, (), 0, "raise")
        del side.locals[name]
        return None

    def do_LOAD_DEREF(self, side: Side, heap: Heap, name: str) -> ProofEvent | None:
        return self.load(side, name) if self.is_variable(name) else ProofEvent("LOAD_DEREF", name, (), 1)

    def do_STORE_DEREF(self, side: Side, heap: Heap, name: str) -> ProofEvent | None:
        if not self.is_variable(name):
            return ProofEvent("STORE_DEREF", name, (side.stack[-1],), 0)
        side.locals[name] = side.stack.pop()
        return None

    def do_DELETE_DEREF(self, side: Side, heap: Heap, name: str) -> ProofEvent | None:
        return self.delete(side, name) if self.is_variable(name) else ProofEvent("DELETE_DEREF", name, (), 0)

    def do_LOAD_CLOSURE(self, side: Side, heap: Heap, name: str) -> None:
        side.stack.append(("cell", name))

    def do_LOAD_GLOBAL(self, side: Side, heap: Heap, name: str) -> ProofEvent | None:
        builtin = self.builtin(name)
        if builtin is None:
            return ProofEvent("LOAD_GLOBAL", name, (), 1)
        side.stack.append(builtin)
        return None

    def do_LOAD_ATTR(self, side: Side, heap: Heap, name: str) -> ProofEvent | None:
        owner = side.stack[-1]
        if name == "__closure__" and owner in heap and heap[owner][0][0] == "function":
            kind, items = heap[owner]
            if "closure" in kind[1]:
                side.stack[-1] = items[kind[1].index("closure")]
                return None
        return ProofEvent("LOAD_ATTR", name, (owner,), 1)

    def do_IS_OP(self, side: Side, heap: Heap, operator: str) -> Split | None:
        a, b = side.stack[-2:]
        for part in (a, b):
            if part[0] in ("is", "not"):
                # Split on the truth value of the operand.
                return Split(part[1] if part[0] == "not" else part)
        term = self.constants.identity(a, b)
        if term in self.facts:
            term = self.constants.term(self.facts[term])
        side.stack[-2:] = [term if operator == "is" else self.negation(term)]
        return None

    def do_COMPARE_OP(self, side: Side, heap: Heap, operator: str) -> ProofEvent | None:
        a, b = side.stack[-2:]
        if a[0] == "k" and b[0] == "k" and operator in _COMPARISONS:
            left, right = self.constants.value[a], self.constants.value[b]
            if type(left) is int and type(right) is int:
                side.stack[-2:] = [self.constants.term(_COMPARISONS[operator](left, right))]
                return None
        return ProofEvent("COMPARE_OP", operator, (a, b), 1)

    def do_CONTAINS_OP(self, side: Side, heap: Heap, operator: str) -> ProofEvent:
        # `not in` gives the negation of the result of `in`, an exact bool.
        return ProofEvent("CONTAINS_OP", "in", (side.stack[-2], side.stack[-1]), 1)

    def negation(self, term: Term) -> Term:
        if term[0] == "k":
            return self.constants.term(not self.constants.value[term])
        return term[1] if term[0] == "not" else ("not", term)

    def do_UNARY_OP(self, side: Side, heap: Heap, operator: str) -> ProofEvent | None:
        operand = side.stack[-1]
        if operator != "not":
            return ProofEvent("UNARY_OP", operator, (operand,), 1)
        known = self.constants.truth(operand)
        if known is not None:
            side.stack[-1] = self.constants.term(not known)
        elif self.numbers.is_bool(operand):
            side.stack[-1] = self.negation(operand)
        else:
            return ProofEvent("BOOL", None, (operand,), 1, "not")
        return None

    def do_TO_BOOL(self, side: Side, heap: Heap, arg: Any) -> ProofEvent | None:
        operand = side.stack[-1]
        known = self.constants.truth(operand)
        if known is not None:
            side.stack[-1] = self.constants.term(known)
        elif not self.numbers.is_bool(operand):
            return ProofEvent("BOOL", None, (operand,), 1, "bool")
        return None

    # Exceptions

    def do_PUSH_EXC_INFO(self, side: Side, heap: Heap, arg: Any) -> None:
        exception = side.stack[-1]
        side.stack[-1:] = [("before", side.handled), exception]
        side.handled = exception

    def do_POP_EXCEPT(self, side: Side, heap: Heap, arg: Any) -> None:
        before = side.stack.pop()
        if before[0] != "before":
            raise NotUnderstood("POP_EXCEPT of what no handler has kept")
        side.handled = before[1]

    def do_CHECK_EXC_MATCH(self, side: Side, heap: Heap, arg: Any) -> ProofEvent | None:
        exception, kind = side.stack[-2:]
        if kind == self.constants.term(BaseException) and self.numbers.tags.get(exception) == "exception":
            side.stack[-1] = self.constants.term(True)
            return None
        return ProofEvent("CHECK_EXC_MATCH", None, (exception, kind), 1)

    def do_CHECK_EG_MATCH(self, side: Side, heap: Heap, arg: Any) -> ProofEvent:
        # A match becomes the exception being handled.
        return ProofEvent("CHECK_EG_MATCH", None, (side.stack[-2], side.stack[-1]), 2, "group")

    def do_WITH_EXCEPT_START(self, side: Side, heap: Heap, arg: Any) -> ProofEvent:
        return ProofEvent("WITH_EXCEPT_START", None, (side.stack[-4], side.stack[-1]), 1)

    def parts(self, side: Side, ins: Instruction) -> ProofEvent:
        """MATCH_CLASS and MATCH_KEYS, which look up what constants name: they give a tuple of these parts, or None."""
        event = self.generic(side, ins)
        names = self.constants.value.get(event.operands[-1])
        return event._replace(kind="parts") if type(names) is tuple else event
