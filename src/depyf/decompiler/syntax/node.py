"""The base classes of the syntax tree, with structural equality and a readable representation."""

from __future__ import annotations

import re
from operator import attrgetter
from types import CodeType
from typing import TYPE_CHECKING, Any, ClassVar

_PLAIN = re.compile(r"((str|int|bool|object|None|list\[str\])( \| )?)+")
"""Types of fields, as they are annotated, that hold no nodes."""

_HOLD_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")
NODES: set[type[Any]] = set()
"""All classes of nodes: looking a class up in a set takes less time than an `isinstance` that fails."""


class Node:
    """A piece of syntax. `fields` names its parts in the order of the constructor's parameters.

    Two nodes are equal when they have the same class and equal fields; lines and comments don't count.
    Constants are compared with their types (`1`, `1.0` and `True` differ, `0.0` and `-0.0` differ, `nan`
    equals `nan`). Nodes are mutable and therefore not hashable: use `id(node)` as a key.
    """

    __slots__ = ()
    fields: ClassVar[tuple[str, ...]] = ()
    holds_bodies: ClassVar[tuple[str, ...]] = ()  # the fields with statements, or with nodes that have a body
    suites: ClassVar[Any]  # of a node, what these hold, and last something else
    last_first: ClassVar[tuple[str, ...]] = ()  # the fields that may hold nodes, in the reverse order: for walks
    held: ClassVar[Any]  # of a node, what these hold, and last something that is no node
    is_placeholder: ClassVar[bool] = False  # whether it has no text yet, see `lift` and `definitions`

    def __init_subclass__(cls) -> None:
        NODES.add(cls)
        types = getattr(cls.__init__, "__annotations__", {})
        cls.holds_bodies = tuple(field for field in cls.fields if field in _HOLD_BODIES)
        cls.suites = staticmethod(attrgetter(*cls.holds_bodies, "fields"))  # with two names at least it gives a tuple
        cls.last_first = tuple(field for field in cls.fields[::-1] if not _PLAIN.fullmatch(types.get(field, "")))
        cls.held = staticmethod(attrgetter(*cls.last_first, "fields"))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        return _equal(self, other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        values = [getattr(self, field) for field in self.fields]
        while values and (values[-1] is None or values[-1] == []):
            values.pop()
        return f"{type(self).__name__}({', '.join(map(repr, values))})"


class Expression(Node):
    """Anything that has a value."""

    __slots__ = ()


class Statement(Node):
    """A statement, its original line and column (None: unknown), and comments to print above it (without `#`).

    The column is in bytes. A parenthesis that the statement begins with may be further to the left.
    """

    __slots__ = ("column", "comments", "line", "written")
    line: int | None
    comments: list[str]
    column: int | None
    written: str | None
    """The source form of a statement that only leaves the code, or of an ``if`` in an ``else`` clause, if known."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> None:
            """Constructors don't set the column and the source form: most statements have none."""
            if name not in ("column", "written"):
                raise AttributeError(name)
            setattr(self, name, None)


class pattern(Node):
    """What follows `case`."""

    __slots__ = ()


class type_param(Node):
    """A type parameter of a function, a class or a type alias."""

    __slots__ = ()


def _equal(left: object, right: object) -> bool:
    """Compare two trees with a work list: trees may be deeper than the host's recursion limit."""
    work = [(left, right)]
    while work:
        a, b = work.pop()
        if a is b:
            continue
        if type(a) is not type(b):
            return False
        if isinstance(a, Node):
            work.extend((getattr(a, field), getattr(b, field)) for field in a.fields)
        elif isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b):
                return False
            work.extend(zip(a, b))
        elif not same_constant(a, b):
            return False
    return True


def same_constant(left: object, right: object) -> bool:
    """Whether the constants are the same to the compiler; objects that are no constants must be identical."""
    return left is right or constant_key(left) == constant_key(right)


def constant_key(value: object) -> object:
    """A hashable key for the constant, equal only for equal constants of equal types."""
    kind = type(value)
    if kind in (int, str, bytes, bool, CodeType):
        return kind, value
    if kind in (float, complex):
        return kind, repr(value)  # distinguishes -0.0 from 0.0, and makes nan equal to itself
    if isinstance(value, tuple) and kind is tuple:
        return kind, tuple(map(constant_key, value))
    if isinstance(value, frozenset) and kind is frozenset:
        return kind, frozenset(map(constant_key, value))
    if isinstance(value, slice):
        return kind, *map(constant_key, (value.start, value.stop, value.step))
    return kind, id(value)
