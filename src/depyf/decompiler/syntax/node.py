"""The base classes of the syntax tree, with structural equality and a readable representation."""

from __future__ import annotations

import re
from operator import attrgetter
from types import CodeType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

_PLAIN = re.compile(r"((str|int|bool|object|None|list\[str\])( \| )?)+")
"""Types of fields, as they are annotated, that hold no nodes."""

_HOLD_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")
_REQUIRED = object()
NODES: set[type[Any]] = set()
"""All classes of nodes: looking a class up in a set takes less time than an `isinstance` that fails."""


class _Field(NamedTuple):
    """How the constructor sets an attribute: to an argument, to a default value, or not at all."""

    default: Any = _REQUIRED
    default_factory: Any = None
    init: bool = True
    kw_only: bool = False

    def parameter(self, name: str) -> str:
        if self.default_factory is not None:
            return f"{name}=None"
        return name if self.default is _REQUIRED else f"{name}={self.default!r}"

    def statement(self, name: str) -> str:
        if self.default_factory is not None:
            return f"self.{name} = [] if {name} is None else {name}" if self.init else f"self.{name} = []"
        if self.init:
            return f"self.{name} = {name}"
        return f"self.{name} = {self.default!r}" if self.default is not _REQUIRED else "pass"


if TYPE_CHECKING:
    from typing_extensions import dataclass_transform

    def field(*, default: Any = ..., default_factory: Any = ..., init: bool = True, kw_only: bool = False) -> Any:
        """Is to a node what `dataclasses.field` is to a dataclass; the only factory is ``list``."""

else:
    field = _Field

    def dataclass_transform(**_):
        return lambda made: made


@dataclass_transform(eq_default=False, field_specifiers=(field,))
class NodeType(type):
    """Makes slots and a constructor from a node's annotations, as `dataclasses` does, with slots from 3.10 on only.

    What the constructor takes by position are the fields of the node, unless the class names them itself.
    """

    def __new__(cls, name: str, bases: tuple[Any, ...], namespace: dict[str, Any]) -> Any:
        types = namespace.get("__annotations__", {})
        own = {key: namespace.pop(key, _REQUIRED) for key, kind in types.items() if not kind.startswith("ClassVar")}
        attributes = {key: one if isinstance(one, _Field) else _Field(one) for key, one in own.items()}
        attributes.update((key, one) for base in bases for key, one in base.attributes.items())
        namespace.update(__slots__=tuple(own), attributes=attributes)
        if own:
            if not any(base.is_opaque for base in bases):
                by_position = [key for key, one in attributes.items() if one.init and not one.kw_only]
                namespace.setdefault("fields", tuple(by_position))
            namespace.setdefault("__init__", _constructor(attributes))
        made: Any = super().__new__(cls, name, bases, namespace)
        made.holds_bodies = tuple(one for one in made.fields if one in _HOLD_BODIES)
        made.suites = staticmethod(attrgetter(*made.holds_bodies, "fields"))  # with two names at least it gives a tuple
        if "fields" in namespace:
            made.last_first = tuple(one for one in made.fields[::-1] if not _PLAIN.fullmatch(types.get(one, "")))
        made.held = staticmethod(attrgetter(*made.last_first, "fields"))
        NODES.add(made)
        return made


def _constructor(attributes: dict[str, _Field]) -> Any:
    taken = {key: one for key, one in attributes.items() if one.init}
    by_position = [one.parameter(key) for key, one in taken.items() if not one.kw_only]
    by_keyword = [one.parameter(key) for key, one in taken.items() if one.kw_only]
    parameters = ", ".join(["self", *by_position, *["*"][: len(by_keyword)], *by_keyword])
    statements = "\n    ".join(one.statement(key) for key, one in attributes.items())
    made: dict[str, Any] = {}
    exec(f"def __init__({parameters}):\n    {statements}", made)
    return made["__init__"]


class Node(metaclass=NodeType):
    """A piece of syntax. `fields` names its parts in the order of the constructor's parameters.

    Two nodes are equal when they have the same class and equal fields; lines and comments don't count.
    Constants are compared with their types (`1`, `1.0` and `True` differ, `0.0` and `-0.0` differ, `nan`
    equals `nan`). Nodes are mutable and therefore not hashable: use `id(node)` as a key.
    """

    attributes: ClassVar[dict[str, _Field]]  # all that it has, the fields first
    fields: ClassVar[tuple[str, ...]] = ()
    holds_bodies: ClassVar[tuple[str, ...]]  # the fields with statements, or with nodes that have a body
    suites: ClassVar[Any]  # of a node, what these hold, and last something else
    last_first: ClassVar[tuple[str, ...]]  # the fields that may hold nodes, in the reverse order: for walks
    held: ClassVar[Any]  # of a node, what these hold, and last something that is no node
    is_placeholder: ClassVar[bool] = False  # whether it has no text yet, see `lift` and `definitions`
    is_opaque: ClassVar[bool] = False  # whether what it has are no fields

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


class Statement(Node):
    """A statement, its original line and column (None: unknown), and comments to print above it (without `#`).

    The column is in bytes. A parenthesis that the statement begins with may be further to the left.
    """

    line: int | None = field(default=None, kw_only=True)
    comments: list[str] = field(default_factory=list, init=False)
    column: int | None = field(init=False)
    written: str | None = field(init=False)
    """The source form of a statement that only leaves the code, or of an ``if`` in an ``else`` clause, if known."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> None:
            """Constructors don't set the column and the source form: most statements have none."""
            if name not in ("column", "written"):
                raise AttributeError(name)
            setattr(self, name, None)


class pattern(Node):
    """What follows `case`."""


class type_param(Node):
    """A type parameter of a function, a class or a type alias."""


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
