"""What the symbolic execution knows at one point of one path.

A *value* is what the evaluation stack or a local variable holds. Where it is to be found in the text being written:

* a constant, or a term without effect (``x is None``, a cell): written wherever it is used;
* in variables: ``MachineState.names`` lists those that hold it;
* nowhere yet: the result of a *pending event* (a call, an attribute, a global read ...), an expression in
  ``MachineState.pending``. They happen in this order: a text that uses some of them must use the last ones, in order;
* a *private container*, built here and seen by nobody else: its items, in ``MachineState.heap``.
"""

from __future__ import annotations

from typing import Any, Iterable, Iterator, Sequence

from ..syntax import nodes as n


class Value:
    """One value; compared by identity. ``hint`` is a name that would suit it, ``line`` where it was made."""

    __slots__ = ("hint", "line")
    has_parts = False
    """Whether its text may be made of other values."""

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
    """The empty slot of a call."""

    __slots__ = ()


class Opaque(Value):
    """A value that some variable holds: a parameter, or what comes out of a join."""

    __slots__ = ()


class Unbound(Value):
    """What a local variable holds that may have no value."""

    __slots__ = ()


class Raised(Value):
    """The exception of a handler, or what PUSH_EXC_INFO and ``lasti`` leave on the stack below it."""

    __slots__ = ()


class Exit(Raised):
    """The exit function of a context manager, below the body of its with statement."""

    __slots__ = ()


class ComprehensionFunction(Value):
    """The function of a comprehension, which gets the iterator; ``definition`` returns the comprehension.

    ``iterates``: it gets what is iterated over, and asks for the iterator itself.
    """

    __slots__ = ("definition", "iterates")

    def __init__(self, definition: n.FunctionDef | n.AsyncFunctionDef, iterates: bool) -> None:
        super().__init__("items")
        self.definition = definition
        self.iterates = iterates


class EventResult(Value):
    """The result of something that happens at one moment; ``expression`` is the text that makes it happen."""

    __slots__ = ("expression",)

    def __init__(self, expression: n.Expression, hint: str, line: int | None) -> None:
        super().__init__(hint, line)
        self.expression = expression


class Pure(Value):
    """A term over other values without effect and identity: ``is``, a slice, a cell."""

    __slots__ = ("kind", "operands", "arg")
    has_parts = True

    def __init__(self, kind: str, operands: tuple[Value, ...], arg: Any = None) -> None:
        super().__init__(kind)
        self.kind = kind
        self.operands = operands
        self.arg = arg


class Container(Value):
    """A list, tuple or dictionary built by this code; its items are in the state's heap while it is private.

    Items are values, or a ``Star`` for all items of an iterable. Those of a ``map`` are (key, value) in turn.
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
    """One path's knowledge; ``copy`` before a branch. Values are shared between copies, never changed."""

    __slots__ = ("stack", "locals", "names", "pending", "heap")

    def __init__(self) -> None:
        self.stack: list[Value] = []
        self.locals: dict[str, Value] = {}
        self.names: dict[Value, list[str]] = {}
        self.pending: list[EventResult] = []
        self.heap: dict[Value, list[Value]] = {}

    def copy(self) -> MachineState:
        """An independent copy."""
        new = MachineState()
        new.stack = self.stack[:]
        new.locals = dict(self.locals)
        new.names = {value: names[:] for value, names in self.names.items()}
        new.pending = self.pending[:]
        new.heap = {value: items[:] for value, items in self.heap.items()}
        return new

    def parts(self, value: Value) -> Sequence[Value]:
        """What the text of an unnamed ``value`` is made of."""
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
        """``values`` and all that their text is made of, in the order in which the text evaluates it."""
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
        """``values`` and all that their text is made of: as `tree`, in any order and each once."""
        found = set(values)
        work = [value for value in found if value.has_parts]
        while work:
            new = set(self.parts(work.pop())) - found
            found |= new
            work.extend(value for value in new if value.has_parts)
        return found

    def held(self, values: Iterable[Value]) -> set[Value]:
        """``values`` and all that is in containers among them."""
        found = set(values)
        work = [value for value in found if value.has_parts]
        while work:
            value = work.pop()
            if isinstance(value, Pure):
                new = set(value.operands) - found
            elif isinstance(value, Star):
                new = {value.iterable} - found
            else:
                new = set(self.heap.get(value, ())) - found
            found |= new
            work.extend(value for value in new if value.has_parts)
        return found

    def private(self, value: Value) -> list[Value] | None:
        """The items of ``value`` if it is a private container."""
        return self.heap.get(value) if not self.names.get(value) else None

    def has_name(self, value: Value) -> bool:
        """Whether a variable holds ``value``."""
        return bool(self.names.get(value))
