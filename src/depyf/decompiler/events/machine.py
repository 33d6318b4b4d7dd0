"""The stack machine: how instructions are dispatched, operations on the stack, on names and on attributes."""

from __future__ import annotations

from typing import Any, Callable

from ..bytecode import Instruction
from ..names.spelling import identifier
from ..syntax import nodes as n
from .hints import attribute_hint, global_hint
from .state import Const, Event, Null, Pure, Unbound, Value
from .writer import Writer


class Machine(Writer):
    """Executes instructions one by one."""

    def execute(self, ins: Instruction) -> None:
        """One instruction that neither jumps nor leaves."""
        if ins.line is not None:
            self.line = ins.line
        method = getattr(self, "op_" + ins.op, None)
        if method is None:
            raise self.error(f"{ins.op} is not understood outside the shapes that a compiler makes")
        method(ins.arg)

    # Helpers

    def push(self, value: Value) -> None:
        self.state.stack.append(value)

    def pop(self) -> Value:
        if not self.state.stack:
            raise self.error("the evaluation stack is empty")
        return self.state.stack.pop()

    def pop_many(self, count: int) -> list[Value]:
        stack = self.state.stack
        if count > len(stack):
            raise self.error("the evaluation stack is empty")
        values = stack[len(stack) - count :]
        del stack[len(stack) - count :]
        return values

    def event(
        self, operands: list[Value], build: Callable[..., n.Expression], hint: str, long: bool = True
    ) -> None:
        """Something that happens now and has a result: pushed, and pending until it is written."""
        if long:
            self.settle(operands)
        texts = self.texts(operands)
        self.escape(operands)
        value = Event(build(*texts), identifier(hint, "value"), self.line)
        self.state.pending.append(value)
        self.push(value)

    # The stack

    def op_NOP(self, arg: Any) -> None:
        pass

    def op_LETS_STOP_ITERATION_PASS(self, uncovered: Any) -> None:
        """No text says so of a function; the proof lists what that takes for granted."""
        if uncovered is not None:
            raise self.error("a handler of StopIteration covers a part of the code")

    def op_CONST(self, arg: Any) -> None:
        self.push(Const(arg))

    def op_NULL(self, arg: Any) -> None:
        self.push(Null())

    def op_POP(self, arg: Any) -> None:
        self.discard(self.pop())

    def op_COPY(self, arg: int) -> None:
        self.push(self.state.stack[-arg])

    def op_SWAP(self, arg: int) -> None:
        stack = self.state.stack
        stack[-1], stack[-arg] = stack[-arg], stack[-1]

    # Names

    def op_LOAD_FAST(self, name: str) -> None:
        value = self.state.locals.get(name)
        text = self.spelling.variable(name)
        if value is None or isinstance(value, Unbound):
            # Reading it raises, or not: that happens now.
            self.event([], lambda: n.Name(text), text, long=False)
        else:
            self.push(value)

    def op_STORE_FAST(self, name: str) -> None:
        value = self.pop()
        if name not in self.parked:
            self.store(self.spelling.variable(name), value)
        self.state.locals[name] = value

    def op_DELETE_FAST(self, name: str) -> None:
        if name not in self.parked:
            self.delete(self.spelling.variable(name))
        self.state.locals.pop(name, None)

    def op_LOAD_CLOSURE(self, name: str) -> None:
        self.push(Pure("cell", (), self.spelling.variable(name)))

    def op_LOAD_DEREF(self, name: str) -> None:
        text = self.spelling.variable(name)
        self.event([], lambda: n.Name(text), text, long=False)

    def op_STORE_DEREF(self, name: str) -> None:
        text = self.spelling.variable(name)
        if name in self.raw.freevars:
            self.nonlocals_stored[text] = None
        self.statement([self.pop()], lambda value: n.Assign([n.Name(text)], value))

    def op_DELETE_DEREF(self, name: str) -> None:
        text = self.spelling.variable(name)
        if name in self.raw.freevars:
            self.nonlocals_stored[text] = None
        self.statement([], lambda: n.Delete([n.Name(text)]))

    def op_LOAD_GLOBAL(self, name: str) -> None:
        text = self.spelling.name(name)
        self.event([], lambda: n.Name(text), global_hint(text), long=False)

    def op_STORE_GLOBAL(self, name: str) -> None:
        text = self.spelling.name(name)
        self.globals_stored[text] = None
        self.statement([self.pop()], lambda value: n.Assign([n.Name(text)], value))

    def op_DELETE_GLOBAL(self, name: str) -> None:
        text = self.spelling.name(name)
        self.globals_stored[text] = None
        self.statement([], lambda: n.Delete([n.Name(text)]))

    def op_LOAD_ATTR(self, name: str) -> None:
        text = self.spelling.name(name)
        self.name_if_kept(self.state.stack[-1:])
        self.event([self.pop()], lambda owner: n.Attribute(owner, text), attribute_hint(text), long=False)

    def op_STORE_ATTR(self, name: str) -> None:
        text = self.spelling.name(name)
        self.statement(self.pop_many(2), lambda value, owner: n.Assign([n.Attribute(owner, text)], value))

    def op_DELETE_ATTR(self, name: str) -> None:
        text = self.spelling.name(name)
        self.statement([self.pop()], lambda owner: n.Delete([n.Attribute(owner, text)]))
