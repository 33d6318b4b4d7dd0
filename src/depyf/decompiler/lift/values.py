"""Symbolic stack entries other than ordinary expressions.

None may remain in a finished tree: each is consumed by the statement or expression it belongs to.
"""

from __future__ import annotations

from typing import Any, List

from ..bytecode import RawCode
from ..bytecode.code.flags import CO_COROUTINE
from ..syntax import nodes
from ..syntax.node import field, same_constant


class Placeholder(nodes.Expression):
    """An expression that has no text; compared by identity."""

    is_placeholder = True
    is_opaque = True

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class Null(Placeholder):
    """The empty slot of a call."""


class Marker(Placeholder):
    """An entry that a statement keeps on the stack while its body runs, which shows where the body ends.

    ``kind`` is 'iterator' (owner: index of the loop's header), 'exit' (of a with statement, owner: index of the
    block it starts in), 'handled' (the exception being handled, owner: the region), 'exception' (its value), 'lasti',
    'swallow' (what __exit__ returned) or 'accumulator' (the container of a comprehension, owner: its kind or loop).
    """

    kind: str
    owner: Any

    def __repr__(self) -> str:
        return f"<{self.kind} {self.owner}>"


def is_value(entry: nodes.Expression) -> bool:
    """Whether a stack entry is a value of an unfinished expression, rather than what a statement keeps."""
    return not isinstance(entry, (Marker, Given, Null, Iterated))


class Slot(Placeholder):
    """A stack entry at the start of a block, whose value is known once the blocks before it are folded."""

    depth: int
    value: nodes.Expression | None = field(default=None, init=False)

    def __repr__(self) -> str:
        return f"<slot {self.depth}>" if self.value is None else f"<slot {self.depth} = {self.value!r}>"


class Given(Placeholder):
    """A value that a statement gives: the item of a loop ('item'), what __enter__ returned ('enter')."""

    kind: str
    owner: Any


class Saved(Placeholder):
    """The value (or unbound state) of a local variable that an inlined comprehension hides, until it is restored.

    ``load`` is the operation that loads its name everywhere in the code of a module or class, '' if there are several;
    ``is_cell``: whether a function in the comprehension shares the variable that hides it.
    """

    name: str
    load: str = ""
    is_cell: bool = field(default=False, init=False)


class Stored(nodes.NamedExpr):
    """A value stored to ``target`` and used again: by `:=` or, with any target, by a chained assignment."""

    is_placeholder = True


class Unpacked(Placeholder):
    """One of the values of an unpacking; the group collects the targets."""

    group: UnpackGroup
    index: int


class UnpackGroup:
    """The targets of one UNPACK instruction, filled as they are stored to."""

    def __init__(self, value: nodes.Expression, count: int, star: int | None = None) -> None:
        self.value = value
        self.targets: list[nodes.Expression | None] = [None] * count
        self.star = star
        self.spread = False  # whether an overwritten store was kept, since it was on another line

    def was_stored_to(self, target: nodes.Expression, index: int) -> bool:
        """Whether the value before the one at ``index`` was stored to the same variable."""
        before = self.targets[index - 1] if index else None
        return isinstance(before, nodes.Name) and before == target


class Iterated(Placeholder):
    """``iter(value)``, to be consumed by its loop or comprehension."""

    value: nodes.Expression
    is_async: bool = False


class Awaitable(Placeholder):
    """The result of GET_AWAITABLE or GET_YIELD_FROM_ITER, to be consumed by YIELD_FROM."""

    value: nodes.Expression
    awaited: bool


class ImportedModule(Placeholder):
    """An imported module, to be consumed by a store or by IMPORT_FROM."""

    name: str
    level: int
    fromlist: Any
    is_lazy: bool = False
    aliases: list[nodes.alias] = field(default_factory=list, init=False)
    path: list[str] = field(default_factory=list, init=False)


class Member(Placeholder):
    """A name imported from a module."""

    module: ImportedModule
    name: str


class Converted(Placeholder):
    """``value`` with ``!s``, ``!r`` or ``!a``, to be consumed by an f-string."""

    value: nodes.Expression
    conversion: str


class InPlace(Placeholder):
    """``left op= right`` before it is stored."""

    left: nodes.Expression
    op: str
    right: nodes.Expression


class Function(Placeholder):
    """A function object made from ``raw``, with what MAKE_FUNCTION attached to it."""

    raw: RawCode
    parts: dict[str, nodes.Expression]
    type_params: list[nodes.Expression] = field(default_factory=list, init=False)

    def __eq__(self, other: object) -> bool:
        # Two copies of a loop's test both hold the same lambda.
        return isinstance(other, Function) and self.raw.same_as(other.raw) and self.parts == other.parts

    __hash__ = object.__hash__


class Comprehension(nodes.Expression):
    """A comprehension: its function and its iterable; the pipeline replaces it by the real node.

    ``is_coroutine``: it is asynchronous, and what the call gives was not awaited.
    """

    is_placeholder = True

    function: Function
    iterated: Iterated
    is_coroutine: bool = field(init=False)

    def __init__(self, function: Function, iterated: Iterated) -> None:
        self.function = function
        self.iterated = iterated
        self.is_coroutine = bool(function.raw.flags & CO_COROUTINE)


class Class(Placeholder):
    """A class statement before it is stored."""

    function: Function
    name: str
    bases: list[nodes.Expression]
    keywords: list[nodes.keyword]


class TypeParameter(Placeholder):
    """A type parameter: its node type, and the functions that return its bound and its default value."""

    kind: type[nodes.type_param]
    name: str
    bound: Function | None
    has_constraints: bool = field(kw_only=True)
    default: Function | None = field(default=None, init=False)


class Alias(Placeholder):
    """What a type statement stores; ``value`` is the function that returns the type."""

    name: str
    type_params: list[nodes.Expression]
    value: Function


class Generic(Placeholder):
    """A definition with type parameters: the call of the function that makes both, with the defaults as arguments."""

    function: Function
    arguments: list[nodes.Expression]


class GenericBase(Placeholder):
    """The base class that the compiler adds to a class with type parameters."""


class BuildClass(Placeholder):
    """``__build_class__``."""


class AssertionClass(Placeholder):
    """The AssertionError of an assert statement.

    ``on_lines_of_comparisons``: whether its line may be that of the end of the test.
    """

    on_lines_of_comparisons: bool


class CommonConstant(Placeholder):
    """A builtin that the interpreter loads directly, so that no assignment to its name can change it."""

    name: str


class Cell(Placeholder):
    """A cell, to be consumed by a closure."""

    name: str


class Namespace(Placeholder):
    """The dictionary of a class body, for the scopes of its annotations."""


def is_namespace(entry: nodes.Expression) -> bool:
    """Whether a name is looked up in the entry first, a class's dictionary."""
    return isinstance(entry, Namespace) or entry == nodes.Name("__classdict__")


class Matches(Placeholder):
    """Whether the handled exception matches ``type``; ``of_group``: the matching part of a group (``except*``)."""

    type: nodes.Expression
    of_group: bool = False


class CaseTest(Placeholder):
    """Whether the subject of the match statement ``number`` matches a pattern; ``is_guarded``: a guard follows."""

    number: int
    pattern: nodes.pattern
    is_guarded: bool


def case_of(test: object) -> CaseTest | None:
    """The case test that ``test`` begins with, if it is the test of a case."""
    first = test.values[0] if type(test) is nodes.BoolOp else test
    return first if type(first) is CaseTest else None


def opens_clause(test: object) -> bool:
    """Whether ``test`` is that of an ``except`` clause or begins with that of a case: it can't be joined to another."""
    return test.__class__ is Matches or case_of(test) is not None


class Subject(nodes.Statement):
    """The start of the match statement ``number``. ``has_default``: it ends with ``case _``.

    ``unreached`` are patterns whose guards are false constants, each with the pattern that it is before.
    """

    fields = ("number", "has_default", "value")
    number: int
    has_default: bool
    unreached: list[tuple[nodes.pattern, nodes.pattern]]
    value: nodes.Expression


class CaseElse(nodes.Statement):
    """The start of the body of a case that always matches."""

    number: int
    pattern: nodes.pattern


class Append(nodes.Statement):
    """The addition of an element by a comprehension; ``key`` is that of a dict's, None for an unpacked mapping."""

    key: nodes.Expression | None
    value: nodes.Expression


class Reached(nodes.Statement):
    """A module or class records that it has reached the annotation with this number."""

    number: int


class Truth(Placeholder):
    """The result of TO_BOOL: ``not not value``, unless it is only tested."""

    value: nodes.Expression


class ArgumentTuple(nodes.Tuple):
    """A tuple made from a list by LIST_TO_TUPLE: the arguments of a call, or a display with a star."""

    is_placeholder = True


class OfOneConstant(List[nodes.Expression]):
    """The elements of a display that is compiled to one ``constant``."""

    def __init__(self, elements: list[nodes.Expression], constant: nodes.Constant) -> None:
        super().__init__(elements)
        self.constant = constant


def resolved(value: nodes.Expression) -> nodes.Expression:
    """``value``, or the value of a resolved slot."""
    while value.__class__ is Slot and value.value is not None:
        value = value.value
    return value


def same_expression(left: object, right: object, known: tuple[object, object] | None = None) -> bool:
    """Whether two trees that may contain placeholders are equal: copies of one expression made by the compiler.

    ``known`` are two nodes, one of each tree, to treat as equal.
    """
    work = [(left, right)]
    while work:
        a, b = work.pop()
        a, b = resolved(a) if a.__class__ is Slot else a, resolved(b) if b.__class__ is Slot else b
        if a is b or (known is not None and a is known[0] and b is known[1]):
            continue
        if type(a) is not type(b):
            return False
        if isinstance(a, Placeholder):
            if isinstance(a, (Iterated, Awaitable, InPlace, Truth, Cell)):
                work.extend((getattr(a, name), getattr(b, name)) for name in a.attributes)
            elif a != b and not isinstance(a, AssertionClass):
                return False
        elif isinstance(a, nodes.Node):
            work.extend((getattr(a, field), getattr(b, field)) for field in a.fields)
        elif isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b):
                return False
            work.extend(zip(a, b))
        elif not same_constant(a, b):
            return False
    return True


def fingerprint(value: object) -> tuple[object, ...]:
    """What is equal for two trees that are the same; a tree may be large, so only some of its nodes are looked at."""
    found: list[object] = []
    work = [value]
    while work and len(found) < _LOOKED_AT:
        one = work.pop()
        one = resolved(one) if isinstance(one, Slot) else one
        found.append(type(one))
        if isinstance(one, nodes.Node) and not isinstance(one, Placeholder):
            work.extend(getattr(one, field) for field in one.fields)
        elif isinstance(one, list):
            found.append(len(one))
            work.extend(one)
        elif isinstance(one, (str, int)):
            found.append(one)
    return tuple(found)


_LOOKED_AT = 40


def is_marker(value: object) -> bool:
    """Whether a stack entry belongs to an enclosing statement."""
    return isinstance(value, Marker)
