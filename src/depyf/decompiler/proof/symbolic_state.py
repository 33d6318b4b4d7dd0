"""What the symbolic proof knows at a pair of program points.

Values are tuples, equal exactly if they are known to be the same object at run time (constants: equal constants):

    ("v", n)          a value that both sides have; what an event gave
    ("k", key)        a constant (the object itself is in ``CONSTANTS``)
    ("a", n)          a container or function that one side has built and let nobody else see; its parts are in the heap
    ("is", a, b)      whether a is b          ("not", b)    the negation of a truth value
    ("slice", ...)    a slice                 ("star", v)   all items of v (only among the items of a container)
    ("cell", name)    the cell itself         ("null",)     the empty slot of a call
    ("h0",)           the exception handled by the caller, ("lasti",) what a handler gets besides the exception
"""

from __future__ import annotations

import itertools
from typing import Any, Dict, Iterable, NamedTuple, Tuple

from ..bytecode import RawCode
from .constants import constant_key

Term = Tuple[Any, ...]
Heap = Dict[Term, Tuple[Any, Tuple[Term, ...]]]

NULL: Term = ("null",)
LASTI: Term = ("lasti",)
OUTER_EXCEPTION: Term = ("h0",)
_LITERALS = (bool, int, float, complex, str, bytes, tuple, frozenset, type(None), type(Ellipsis))


class NotUnderstood(Exception):
    """The proof does not know an operation in this place; the text says which."""


class Event(NamedTuple):
    """What a side does next that can be seen.

    ``results``: how many values it gives (the last one on top of the stack). ``kind``: "plain", "branch" (goes on at
    the next instruction, or, exhausted, at the jump's target), "test" (gives the truth value for the jump), "return",
    "raise" (gives an exception that is raised), "left" (an exception has left the code).
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
        """Whether the truth value and items of the constant can be had without running foreign code."""
        return term[0] == "k" and type(self.value[term]) in _LITERALS


class Side:
    """One of the two codes at one point: where it is, its stack and variables, the exception it handles."""

    __slots__ = ("pc", "stack", "locals", "handled", "raised", "test")

    def __init__(self) -> None:
        self.pc = 0
        self.stack: list[Term] = []
        self.locals: dict[str, Term] = {}
        self.handled: Term = OUTER_EXCEPTION
        self.raised: Term | None = None  # set when the code is left by this exception
        self.test: Term | None = None  # the truth value of what a jump at pc tests, once it is known

    def copy(self) -> Side:
        new = Side()
        new.pc, new.stack, new.locals = self.pc, self.stack[:], dict(self.locals)
        new.handled, new.raised, new.test = self.handled, self.raised, self.test
        return new


class Pair:
    """Both sides, the private heap, and what was decided about truth values on the way."""

    __slots__ = ("sides", "heap", "facts")

    def __init__(self, left: Side, right: Side) -> None:
        self.sides = (left, right)
        self.heap: Heap = {}
        self.facts: dict[Term, bool] = {}

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
            if term[0] in ("is", "not", "slice", "star"):
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

    def key(self, live: tuple[frozenset[str], frozenset[str]], booleans: set[Term]) -> Any:
        """Equal for pairs from which the same can happen: dead variables left out, values numbered as they are met.

        Which values are known to be True or False is part of it: to test such a value is no event.
        """
        number: dict[Term, int] = {}
        tokens: list[Term] = []

        def canonical(term: Term) -> Any:
            kind = term[0]
            if kind == "v" or kind == "a":
                if term not in number:
                    number[term] = len(number)
                    if kind == "a" and term in self.heap:
                        tokens.append(term)
                return (kind, number[term], term in booleans)
            if kind in ("is", "not", "slice", "star"):
                return (kind, *[canonical(part) for part in term[1:]])
            return term

        parts: list[Any] = []
        for side, names in zip(self.sides, live):
            parts.append(side.pc)
            parts.append(tuple(canonical(term) for term in side.stack))
            parts.append(tuple((name, canonical(term)) for name, term in sorted(side.locals.items()) if name in names))
            parts.append(canonical(side.handled))
            parts.append(canonical(side.raised) if side.raised is not None else None)
            parts.append(canonical(side.test) if side.test is not None else None)
        position = 0
        while position < len(tokens):
            kind, items = self.heap[tokens[position]]
            parts.append((kind, tuple(canonical(item) for item in items)))
            position += 1
        known = [
            (canonical(term), truth)
            for term, truth in sorted(self.facts.items(), key=repr)
            if all(part in number or part[0] == "k" for part in term[1:])
        ]
        parts.append(tuple(known))
        return tuple(parts)


class Numbers:
    """New values and new private containers."""

    def __init__(self) -> None:
        self._count = itertools.count(1)
        self.booleans: set[Term] = set()

    def value(self, boolean: bool = False) -> Term:
        """A value that is none of those known; ``boolean``: it is True or False."""
        term = ("v", next(self._count))
        if boolean:
            self.booleans.add(term)
        return term

    def container(self, heap: Heap, kind: Any, items: Iterable[Term]) -> Term:
        """A new private container."""
        term = ("a", next(self._count))
        heap[term] = (kind, tuple(items))
        return term
