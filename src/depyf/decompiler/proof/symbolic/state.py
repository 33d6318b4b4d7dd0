"""The state of the symbolic proof at a pair of program points.

Values are tuples, equal only if they are known to be the same object at run time (constants: equal constants):

    ("v", n)          a value that both sides have; a result of an event
    ("k", key)        a constant (the object itself is in ``Constants``)
    ("a", n)          a private container or function, built by one side and not published; its parts are in the heap
    ("is", a, b)      whether a is b          ("not", b)    the negation of a truth value
    ("slice", ...)    a slice                 ("star", v)   all items of v (only among the items of a container)
    ("cell", name)    the cell itself         ("null",)     the empty slot of a call
    ("common", name)  an object that the interpreter loads directly, such as AssertionError
    ("one", v), ("copy", v)   in a call: the items of ``*v``, a fresh copy of the mapping v
    ("h0",)           the exception handled by the caller, ("lasti",) what a handler gets besides the exception
    ("before", e)     what a handler keeps on the stack: the exception that was handled before it
"""

from __future__ import annotations

import itertools
import types
from typing import Any, Dict, Iterable, NamedTuple, Tuple

from ...bytecode import RawCode
from ..constants import constant_key

Term = Tuple[Any, ...]
Heap = Dict[Term, Tuple[Any, Tuple[Term, ...]]]
Facts = Dict[Term, bool]

NULL: Term = ("null",)
LASTI: Term = ("lasti",)
OUTER_EXCEPTION: Term = ("h0",)
COMPOUND = frozenset({"is", "not", "slice", "star", "before"})
"""Kinds of terms composed of terms."""
NO_OBJECTS = frozenset({"null", "lasti", "h0", "before", "star", "one", "copy"})
"""Kinds of terms that are not objects accessible to a program."""
LOOKS = "looks, as "
"""The prefix of the tag of a value that may be a builtin which sees its caller's variables."""
CELLS = "cells, "
"""The prefix of the tag of a tuple of cells, which a function has as its closure."""
_LITERALS = (bool, int, float, complex, str, bytes, tuple, frozenset, type(None), type(Ellipsis))
_TRUE = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, RawCode)
"""Types whose objects are always true: they define neither ``__bool__`` nor a length."""
_SINGLETONS = (None, True, False, Ellipsis)


class NotUnderstood(Exception):
    """The proof does not support an operation here; the text says which."""


class ProofEvent(NamedTuple):
    """The next visible action of a side.

    ``results``: the number of result values (the last one on top of the stack). ``kind``: "plain", "branch" (continues
    at the next instruction, or, exhausted, at the jump's target), "test" (gives the truth value for the jump), "bool"
    and "not" (give it, or its negation, as a value), "items" (adds all items of the operand to a private container),
    "extend" (changes the first operand, and gives it), "group" (gives the rest and the match of an exception group),
    "return", "raise" (gives an exception that is raised), "left" (an exception has left the code).
    """

    op: str
    static: Any
    operands: tuple[Term, ...]
    results: int
    kind: str = "plain"


class Constants:
    """Constants by their terms."""

    def __init__(self) -> None:
        self.value: dict[Term, Any] = {}

    def term(self, value: Any) -> Term:
        """The term of a constant."""
        if isinstance(value, RawCode):
            key: Any = ("code", id(value.code) if value.code is not None else id(value))
        else:
            key = constant_key(value)
        term = ("k", key)
        self.value.setdefault(term, value)
        return term

    def is_literal(self, term: Term) -> bool:
        """Whether the constant's truth value, and its items if it is a tuple, are known without running other code."""
        return term[0] == "k" and type(self.value[term]) in _LITERALS

    def truth(self, term: Term) -> bool | None:
        """The constant's truth value, None if finding it runs other code, or for anything but a constant."""
        if self.is_literal(term):
            return bool(self.value[term])
        return True if term[0] == "k" and type(self.value[term]) in _TRUE else None

    def is_plain_key(self, term: Term) -> bool:
        """Whether the constant can be hashed and compared without running other code."""
        return term[0] == "k" and _is_plain(self.value[term])

    def identity(self, a: Term, b: Term) -> Term:
        """The term for ``a is b``."""
        if a == b and a[0] in ("v", "a", "cell", "common"):
            return self.term(True)
        if "a" in (a[0], b[0]):
            return self.term(False)  # a private object
        if "slice" in (a[0], b[0]):
            raise NotUnderstood("the identity of a slice")
        if a[0] == "k" and b[0] == "k":
            left, right = self.value[a], self.value[b]
            if any(left is one or right is one for one in _SINGLETONS):
                return self.term(left is right)
        return ("is", *sorted((a, b), key=repr))


def _is_plain(value: Any) -> bool:
    if type(value) is tuple or type(value) is frozenset:
        return all(map(_is_plain, value))
    return type(value) in _LITERALS


class Side:
    """The state of one of the two codes: its position, stack and variables, and the exception it handles."""

    __slots__ = ("pc", "stack", "locals", "handled", "raised", "test", "joined")

    def __init__(self) -> None:
        self.pc = 0
        self.stack: list[Term] = []
        self.locals: dict[str, Term] = {}
        self.handled: Term = OUTER_EXCEPTION
        self.raised: Term | None = None  # set when the code is left by this exception
        self.test: Term | None = None  # the truth value tested by a jump at pc, once known
        self.joined = True  # whether it has passed a join point

    def copy(self) -> Side:
        new = Side()
        new.pc, new.stack, new.locals = self.pc, self.stack[:], dict(self.locals)
        new.handled, new.raised, new.test, new.joined = self.handled, self.raised, self.test, self.joined
        return new


class Pair:
    """Both sides, the private heap, and the facts found on the path.

    ``facts``: whether ("is", a, b); ("iterator", v) for a value that was iterated over directly.
    """

    __slots__ = ("sides", "heap", "facts")

    def __init__(self, left: Side, right: Side) -> None:
        self.sides = (left, right)
        self.heap: Heap = {}
        self.facts: Facts = {}

    def copy(self) -> Pair:
        new = Pair(self.sides[0].copy(), self.sides[1].copy())
        new.heap, new.facts = dict(self.heap), dict(self.facts)
        return new

    def substitute(self, new_term: dict[Term, Term]) -> None:
        """Replace terms by others everywhere."""
        if not new_term:
            return

        def replaced(term: Term) -> Term:
            found = new_term.get(term)
            if found is not None:
                return found
            if term[0] in COMPOUND or term[0] == "iterator":
                return (term[0], *[replaced(part) for part in term[1:]])
            return term

        for side in self.sides:
            side.stack = [replaced(term) for term in side.stack]
            side.locals = {name: replaced(term) for name, term in side.locals.items()}
            side.handled = replaced(side.handled)
            side.raised = replaced(side.raised) if side.raised is not None else None
            side.test = replaced(side.test) if side.test is not None else None
        self.heap = {
            token: (kind, tuple(replaced(item) for item in items))
            for token, (kind, items) in self.heap.items()
            if token not in new_term
        }
        self.facts = {replaced(term): truth for term, truth in self.facts.items()}


class Numbers:
    """New values and new private containers. ``tags`` has permanent facts about values.

    "bool": it is True or False; "list", "map": it is a plain list or dictionary that the code has built;
    "iterator": a result of GET_ITER; "exception": it was raised. LOOKS and a name: the value of a global of that name;
    CELLS and cells: a tuple of these.
    """

    def __init__(self) -> None:
        self._count = itertools.count(1)
        self.tags: dict[Term, str] = {}
        self.cells: dict[Term, tuple[Term, ...]] = {}  # the items of tuples of cells

    def tuple_of_cells(self, cells: tuple[Term, ...]) -> Term:
        """A new value for a tuple of cells that both sides have published."""
        term = self.value(CELLS + repr(cells))
        self.cells[term] = cells
        return term

    def value(self, tag: str = "") -> Term:
        """A new value."""
        term = ("v", next(self._count))
        if tag:
            self.tags[term] = tag
        return term

    def container(self, heap: Heap, kind: Any, items: Iterable[Term]) -> Term:
        """A new private container."""
        term = ("a", next(self._count))
        heap[term] = (kind, tuple(items))
        return term

    def is_bool(self, term: Term) -> bool:
        """Whether the term is a bool, whose value may be unknown; not for constants."""
        return term[0] in ("is", "not") or self.tags.get(term) == "bool"


def values_of(terms: Iterable[Term], heap: Heap) -> set[Term]:
    """The values in ``terms`` and in their parts, including items of private containers."""
    found: set[Term] = set()
    seen: set[Term] = set()
    todo = list(terms)
    while todo:
        term = todo.pop()
        kind = term[0]
        if kind == "v":
            found.add(term)
        elif kind == "a":
            if term not in seen:
                seen.add(term)
                todo.extend(heap[term][1] if term in heap else ())
        elif kind in COMPOUND:
            todo.extend(term[1:])
    return found
