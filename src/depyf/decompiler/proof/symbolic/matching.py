"""Matches events: the same operation on the same values, in the same circumstances."""

from __future__ import annotations

from typing import Tuple

from ...bytecode import RawCode
from ..verdict import ITER
from .state import LOOKS, Constants, NotUnderstood, Numbers, Pair, ProofEvent, Term, values_of

TERMS = Tuple[Term, Term]

NO_ITERABLE = "a list extended by an object that is no iterable: the text of the error may differ"
COPIED = "a callee that gets **mapping does not keep or change the dictionary"
GIVEN_ITERATOR = "what this code is given to iterate over is an iterator, and iter() gives the iterator itself"
NO_STOP = "nothing in this generator or coroutine raises StopIteration, which would leave the original as it is"

_LOOK_AT_ARGUMENTS = frozenset({"vars", "dir"})
"""The builtins that, given an argument, only look at that."""
_NO_OPERANDS = frozenset({"null", "lasti", "h0", "before"})
_ANY_TRUTH = {"test", "not", "bool"}
_PARTS_OF = frozenset({"slice", "star", "one", "not", "copy"})


class VariablesExposed(Exception):
    """A builtin that sees its caller's variables may be called by other code: every event may see them."""


class Matching:
    """Compares the values of two sides, and replaces containers that both publish by one known value."""

    def __init__(self, constants: Constants, numbers: Numbers) -> None:
        self.constants, self.numbers = constants, numbers
        self.assumptions: dict[str, None] = {}
        self.codes: dict[tuple[RawCode, RawCode], None] = {}  # of functions made by both

    # Events

    def reconcile(self, left: ProofEvent, right: ProofEvent) -> tuple[ProofEvent, ProofEvent]:
        """Bring two forms of the same operation to one form."""
        known = self.numbers.tags.get(left.operands[0]) == "list" if left.op == "EXTEND" else False
        if known and right.op == "BINARY_OP" and right.static == "+=":
            self.assumptions[NO_ITERABLE] = None
            return left, ProofEvent("EXTEND", None, right.operands, 1, "extend")
        return left, right

    def same_operation(self, left: ProofEvent, right: ProofEvent) -> bool:
        """Whether both are the same except for their values."""
        for event in (left, right):
            if any(operand[0] in _NO_OPERANDS for operand in event.operands):
                raise NotUnderstood("an entry of the stack that is no object is used as a value")
        if left.op != right.op or left.static != right.static or len(left.operands) != len(right.operands):
            return False
        return left.kind == right.kind or {left.kind, right.kind} <= _ANY_TRUTH

    def skips_iter(self, pair: Pair, event: ProofEvent, other: ProofEvent) -> bool:
        """Whether ``event`` calls iter() on an iterator, and the other side does not.

        An iterator is a result of GET_ITER, or a value that was iterated over directly before: FOR_ITER raises
        TypeError for anything else, unlike a ``for`` in the text.
        """
        if event.op != "GET_ITER" or event == other:
            return False
        value = event.operands[0]
        if ("iterator", value) not in pair.facts and self.numbers.tags.get(value) != "iterator":
            return False
        self.assumptions[ITER] = None
        return True

    def skips_iter_of_given(self, event: ProofEvent, other: ProofEvent) -> bool:
        """Whether ``event``, of the text, calls iter() on what the original iterates over now.

        Only where Dynamo made a function of a comprehension alone: nothing else is given an iterator.
        """
        if event.op != "GET_ITER" or other.op != "FOR_ITER" or other.operands[0] != event.operands[0]:
            return False
        self.assumptions[GIVEN_ITERATOR] = None
        return True

    def skips_handler(self, left: ProofEvent, right: ProofEvent) -> bool:
        """Whether only the original lacks the handler that turns StopIteration into RuntimeError: Dynamo drops it."""
        if left.op != "LETS_STOP_ITERATION_PASS" or left.static is not None or left == right:
            return False
        self.assumptions[NO_STOP] = None
        return True

    def looks(self, pair: Pair, event: ProofEvent) -> bool:
        """Whether the event may see which variables exist. Raises VariablesExposed if that can no longer be determined.

        A tag says which builtin a value may be. With arguments, some of them only look at these.
        """
        tags = self.numbers.tags
        if event.op in ("CALL", "CALL_EX"):
            called, rest = tags.get(event.operands[0], ""), event.operands[1:]
        else:
            called, rest = "", event.operands
        if any(tags.get(value, "").startswith(LOOKS) for value in values_of(rest, pair.heap)):
            raise VariablesExposed
        if not called.startswith(LOOKS):
            return False
        return called[len(LOOKS) :] not in _LOOK_AT_ARGUMENTS or event.op != "CALL" or event.static[0] == 0

    # Values

    def unify(self, pair: Pair, todo: list[TERMS]) -> bool:
        """Whether the terms are pairwise the same; private containers of both sides become one value."""
        same: dict[Term, Term] = {}
        codes: dict[tuple[RawCode, RawCode], None] = {}
        todo = todo[::-1]
        while todo:
            a, b = todo.pop()
            a, b = same.get(a, a), same.get(b, b)
            if a == b:
                if a[0] == "a":
                    return False  # both sides can't have the same private container
                continue
            if a[0] != b[0] or len(a) != len(b):
                if a[0] == "copy" or b[0] == "copy":
                    # One passes the mapping and the other a copy of it.
                    self.assumptions[COPIED] = None
                    todo.append((a[1] if a[0] == "copy" else a, b[1] if b[0] == "copy" else b))
                    continue
                return False
            if a[0] == "a":
                if a not in pair.heap or b not in pair.heap:
                    return False
                (kind, items), (other, others) = pair.heap[a], pair.heap[b]
                if not self.same_kind(kind, other, codes) or len(items) != len(others):
                    return False
                same[a] = same[b] = self.published(kind, items)
                todo.extend(reversed(list(zip(items, others))))
            elif a[0] in _PARTS_OF:
                todo.extend(zip(a[:0:-1], b[:0:-1]))
            else:
                return False
        pair.substitute(same)
        self.codes.update(codes)
        return True

    def published(self, kind: object, items: tuple[Term, ...]) -> Term:
        """The value that a private container of both sides becomes."""
        if kind == "tuple" and items and all(item[0] == "cell" for item in items):
            return self.numbers.tuple_of_cells(items)
        return self.numbers.value(kind if isinstance(kind, str) and kind in ("list", "map") else "")

    def same_kind(self, kind: object, other: object, codes: dict[tuple[RawCode, RawCode], None]) -> bool:
        if isinstance(kind, tuple) and isinstance(other, tuple) and kind[:2] == other[:2]:
            left, right = self.constants.value[kind[2]], self.constants.value[other[2]]
            if left.code is None or left.code is not right.code:
                codes[left, right] = None
            return True
        return kind == other

    def share(self, pair: Pair) -> bool:
        """Turn containers that both sides have, with the same items, into shared values: lists and dictionaries, or,
        if there are none, tuples. Return whether there were any.

        They are not published, but from then on operations on them are events.
        """
        return self.share_kinds(pair, ("list", "map")) or self.share_kinds(pair, ("tuple",))

    def share_kinds(self, pair: Pair, kinds: tuple[str, ...]) -> bool:
        mine, others = (_containers(side.stack + list(side.locals.values()), pair, kinds) for side in pair.sides)
        shared = False
        for a in mine:
            for b in others:
                if a not in pair.heap or b not in pair.heap or pair.heap[a][0] != pair.heap[b][0]:
                    continue
                copy = pair.copy()
                if self.unify(copy, [(a, b)]):
                    self.unify(pair, [(a, b)])
                    shared = True
                    break
        return shared


def _containers(terms: list[Term], pair: Pair, kinds: tuple[str, ...]) -> list[Term]:
    """The private containers of these kinds in ``terms``, nested ones included, in order."""
    found: dict[Term, None] = {}
    todo = terms[::-1]
    while todo:
        term = todo.pop()
        if term[0] == "a" and term in pair.heap and term not in found:
            found[term] = None
            todo.extend(reversed(pair.heap[term][1]))
    return [term for term in found if pair.heap[term][0] in kinds]
