"""The stack machine: a stack of values, and a table that says what each operation does with it."""

from __future__ import annotations

from typing import Any, Callable, List, Mapping, Union

from ..bytecode import Instruction, RawCode
from ..names.spelling import Spelling, identifier
from ..names.words import PLAIN, Words
from ..syntax import nodes as n
from .state import EventResult, Value
from .writer import Writer

Definition = Union[n.FunctionDef, n.AsyncFunctionDef]
Nested = Callable[[RawCode], Definition]
"""Gives the definition of nested code; raises DecompilationError if it has none."""

Upcoming = Callable[[int], List[Instruction]]
"""Returns at most that many instructions, starting at `Machine.next_index`, that certainly execute next: without a jump
to them, and in the same exception ranges."""

Handler = Callable[["Machine", Any], None]
"""Executes one operation, given its argument."""

Handlers = Mapping[str, Handler]


class Machine(Writer):
    """Executes instructions one by one: those that neither jump nor leave.

    ``stage`` is the room that its errors name. ``handlers`` has a function for each operation; whoever owns the machine
    says by it which operations it takes, and how. Some operations, such as imports, are one statement together with
    instructions after them: these look at the ``upcoming`` ones and advance ``next_index`` past those they execute.
    ``words`` are what new variables are called.
    """

    def __init__(
        self,
        raw: RawCode,
        spelling: Spelling,
        stage: str,
        handlers: Handlers,
        upcoming: Upcoming,
        nested: Nested | None = None,
        words: Words = PLAIN,
    ) -> None:
        super().__init__(raw, spelling, stage)
        self.handlers = handlers
        self.upcoming = upcoming
        self.nested = nested
        self.words = words
        self.next_index = 0
        """The index of the next instruction."""
        self.iterators: list[n.Call] = []  # what GET_ITER is written as outside of a for statement
        self.asynchronous: list[n.Name] = []  # the functions of calls that must become part of an ``async for``
        self.kinds: dict[Value, str] = {}  # what BUILD_SET and BUILD_MAP have made: "members" or "mapping"
        self.folded = 0

    def execute(self, ins: Instruction) -> None:
        """Execute one instruction. Raises DecompilationError if the table has no handler for its operation."""
        if ins.line is not None:
            self.line = ins.line
        handler = self.handlers.get(ins.op)
        if handler is None:
            raise self.error(f"{ins.op} is not understood outside the shapes that a compiler makes")
        handler(self, ins.arg)

    def push(self, value: Value) -> None:
        """Push one value."""
        self.state.stack.append(value)

    def pop(self) -> Value:
        """Pop one value."""
        if not self.state.stack:
            raise self.error("the evaluation stack is empty")
        return self.state.stack.pop()

    def pop_many(self, count: int) -> list[Value]:
        """Pop so many values, the deepest first."""
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
        value = EventResult(build(*texts), identifier(hint, "value"), self.line)
        self.state.pending.append(value)
        self.push(value)

    def next_are(self, *operations: str) -> bool:
        """Whether these operations come next."""
        return [ins.op for ins in self.upcoming(len(operations))] == list(operations)
