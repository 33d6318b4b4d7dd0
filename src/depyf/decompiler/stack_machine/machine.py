"""The stack machine: a stack of values, and a table of the handlers of operations."""

from __future__ import annotations

from typing import Any, Callable, List, Mapping, Union

from ..bytecode import Instruction, RawCode
from ..names.naming_hints import NO_HINTS, NamingHints
from ..names.spelling import Spelling, identifier
from ..syntax import nodes as n
from .state import EventResult, Value
from .writer import Writer

Definition = Union[n.FunctionDef, n.AsyncFunctionDef]
Nested = Callable[[RawCode], Definition]
"""Returns the definition of nested code; raises DecompilationError if it has none."""

Upcoming = Callable[[int], List[Instruction]]
"""Returns at most that many instructions, starting at `Machine.next_index`, that certainly execute next: without a jump
to them, and in the same exception ranges."""

Handler = Callable[["Machine", Any], None]
"""Executes one operation, given its argument."""

Handlers = Mapping[str, Handler]


class Machine(Writer):
    """Executes instructions one by one, except jumps and those that leave the code.

    ``stage`` is the room that its errors name. ``handlers`` has a function for each operation that the owner of the
    machine accepts. Some operations, such as imports, form one statement with the instructions after them: their
    handlers look at the ``upcoming`` ones and advance ``next_index`` past those they execute. ``naming`` are hints for
    the names of new variables.
    """

    def __init__(
        self,
        raw: RawCode,
        spelling: Spelling,
        stage: str,
        handlers: Handlers,
        upcoming: Upcoming,
        nested: Nested | None = None,
        naming: NamingHints = NO_HINTS,
    ) -> None:
        super().__init__(raw, spelling, stage)
        self.handlers = handlers
        self.upcoming = upcoming
        self.nested = nested
        self.naming = naming
        self.next_index = 0
        """The index of the next instruction."""
        self.iterators: list[n.Call] = []  # the texts of GET_ITER outside of for statements
        self.asynchronous: list[n.Name] = []  # callees of calls that must become part of an ``async for``
        self.kinds: dict[Value, str] = {}  # results of BUILD_SET and BUILD_MAP: "members" or "mapping"
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
        """Pop ``count`` values; the deepest comes first in the result."""
        stack = self.state.stack
        if count > len(stack):
            raise self.error("the evaluation stack is empty")
        values = stack[len(stack) - count :]
        del stack[len(stack) - count :]
        return values

    def event(
        self, operands: list[Value], build: Callable[..., n.Expression], hint: str, long: bool = True
    ) -> None:
        """Push the result of an operation that happens now; it is pending until it is written."""
        if long:
            self.name_stale_events(operands)
        texts = self.texts(operands)
        self.escape(operands)
        value = EventResult(build(*texts), identifier(hint, "value"), self.line)
        self.state.pending.append(value)
        self.push(value)

    def next_are(self, *operations: str) -> bool:
        """Whether these operations come next."""
        return [ins.op for ins in self.upcoming(len(operations))] == list(operations)
