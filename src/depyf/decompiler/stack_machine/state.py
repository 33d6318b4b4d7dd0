"""The state of the symbolic execution at one point of one path.

A *value* is the content of a stack entry or local variable. It is one of:

* a constant, or a term without side effects (``x is None``, a cell): written wherever it is used;
* held by variables: ``MachineState.names`` lists them;
* not yet written: the result of a *pending event* (a call, an attribute, a global read ...), an expression in
  ``MachineState.pending``. Events happen in that order: a text that uses some must use the last ones, in order;
* a *private container*, built by this code and not visible outside: its items are in ``MachineState.heap``.
"""

from __future__ import annotations

from typing import Any, Iterable, Iterator, Sequence

from ..syntax import nodes as n


class Value:
    """One value, compared by identity. ``hint`` is a suggested name, ``line`` that of its creation."""

    __slots__ = ("hint", "line")
    has_parts = False
    """Whether its text may contain those of other values."""

    def __init__(self, hint: str = "value", line: int | None = None) -> None:
        self.hint = hint
        self.line = line


class Const(Value):
    """A constant."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class Null(Value):
    """The NULL of a call."""

    __slots__ = ()


class Opaque(Value):
    """A value that some variable holds: a parameter, or the result of a join."""

    __slots__ = ()


class Unbound(Value):
    """The value of a local variable that may be unbound."""

    __slots__ = ()


class Raised(Value):
    """The exception of a handler, or an entry that PUSH_EXC_INFO or ``lasti`` leaves on the stack below it."""

    __slots__ = ()


class ComprehensionFunction(Value):
    """The function of a comprehension, called with the iterator; ``definition`` returns the comprehension.

    ``iterates``: it is called with the iterable, and calls ``iter`` itself.
    """

    __slots__ = ("definition", "iterates")

    def __init__(self, definition: n.FunctionDef | n.AsyncFunctionDef, iterates: bool) -> None:
        super().__init__("items")
        self.definition = definition
        self.iterates = iterates


class EventResult(Value):
    """The result of an event, an operation with a side effect; ``expression`` is the text that executes it."""

    __slots__ = ("expression",)

    def __init__(self, expression: n.Expression, hint: str, line: int | None) -> None:
        super().__init__(hint, line)
        self.expression = expression


class Pure(Value):
    """A term over other values without side effect or identity: ``is``, a slice, a cell."""

    __slots__ = ("kind", "operands", "arg")
    has_parts = True

    def __init__(self, kind: str, operands: tuple[Value, ...], arg: Any = None) -> None:
        super().__init__(kind)
        self.kind = kind
        self.operands = operands
        self.arg = arg


class Container(Value):
    """A list, tuple or dictionary built by this code; its items are in the state's heap while it is private.

    Items are values, or a ``Star`` for all items of an iterable. Those of a ``map`` are keys and values alternately.
    """

    __slots__ = ("kind",)
    has_parts = True

    def __init__(self, kind: str, line: int | None) -> None:
        super().__init__(kind, line)
        self.kind = kind


class Star(Value):
    """``*iterable`` among the items of a container, ``**mapping`` among those of a map."""

    __slots__ = ("iterable",)
    has_parts = True

    def __init__(self, iterable: Value) -> None:
        super().__init__()
        self.iterable = iterable


class MachineState:
    """The state of one path; ``copy`` it before a branch. Values are shared between copies, and immutable."""

    __slots__ = ("stack", "locals", "names", "pending", "heap")

    def __init__(self) -> None:
        self.stack: list[Value] = []
        self.locals: dict[str, Value] = {}
        self.names: dict[Value, list[str]] = {}
        self.pending: list[EventResult] = []
        self.heap: dict[Value, list[Value]] = {}

    def copy(self) -> MachineState:
        """Return an independent copy."""
        new = MachineState()
        new.stack = self.stack[:]
        new.locals = dict(self.locals)
        new.names = {value: names[:] for value, names in self.names.items()}
        new.pending = self.pending[:]
        new.heap = {value: items[:] for value, items in self.heap.items()}
        return new

    def parts(self, value: Value) -> Sequence[Value]:
        """Return the values whose texts an unnamed ``value`` contains."""
        if self.names.get(value):
            return ()
        if isinstance(value, Pure):
            return value.operands
        if isinstance(value, Star):
            return (value.iterable,)
        if isinstance(value, Container):
            return self.heap.get(value, ())
        return ()

    def tree(self, values: Iterable[Value]) -> Iterator[Value]:
        """Yield ``values`` and all values in their texts, in evaluation order."""
        work = list(values)[::-1]
        steps = 0
        while work:
            value = work.pop()
            yield value
            steps += 1
            if steps > 100_000:
                raise RecursionError("a private container that contains itself")
            parts = self.parts(value)
            if parts:
                work.extend(parts[::-1])

    def all_of(self, values: Iterable[Value]) -> set[Value]:
        """Return ``values`` and all values in their texts: as `tree`, as a set."""
        found = set(values)
        work = [value for value in found if value.has_parts]
        while work:
            new = set(self.parts(work.pop())) - found
            found |= new
            work.extend(value for value in new if value.has_parts)
        return found

    def held(self, values: Iterable[Value]) -> dict[Value, None]:
        """Return ``values`` and everything in containers among them, in order."""
        found = dict.fromkeys(values)
        work = [value for value in found if value.has_parts]
        while work:
            value = work.pop()
            parts: Iterable[Value]
            if isinstance(value, Pure):
                parts = value.operands
            elif isinstance(value, Star):
                parts = (value.iterable,)
            else:
                parts = self.heap.get(value, ())
            for part in parts:
                if part not in found:
                    found[part] = None
                    if part.has_parts:
                        work.append(part)
        return found

    def private(self, value: Value) -> list[Value] | None:
        """Return the items of ``value`` if it is a private container, else None."""
        return self.heap.get(value) if not self.names.get(value) else None

    def has_name(self, value: Value) -> bool:
        """Whether a variable holds ``value``."""
        return bool(self.names.get(value))
