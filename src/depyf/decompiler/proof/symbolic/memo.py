"""The states already followed at each pair of points: a state that another one covers is not followed again.

A state covers its instances: its values are unknown, so whatever is proven from it holds for all objects they may be,
as long as all its facts hold for these. Where the states at one pair of points keep multiplying (a loop), a more
general one is followed instead, which keeps only what the last two have in common.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Callable, List, Tuple

from .state import (
    COMPOUND,
    LOOKS,
    NO_OBJECTS,
    Constants,
    Facts,
    Heap,
    NotUnderstood,
    Numbers,
    Pair,
    Term,
    values_of,
)

Live = Tuple["frozenset[str]", "frozenset[str]"]
Layout = Tuple[Any, List[Term]]

_GENERALISE_AFTER = 4
"""The number of states at a pair of points before they are generalised."""
_GENERALISE_ALL_AFTER = 16
"""The same for states that differ in their layout (bound variables, integers), one of each kind."""
_MOST_STATES = 64
ABSENT: Term = ("absent",)
"""The value of an unbound variable that only the text has: a state without it covers those that have it. Reading it
would raise, which the original never does for a variable that it lacks."""
_MOST_LOOKS = 2
_MOST_LOOKS_IN_ALL = 500
"""How often a covered state is followed again, only to find what is held on its path."""


class _Seen:
    """A followed state. ``held``: the variables that held something then (see Memo.holds)."""

    def __init__(self, slots: list[Term], heap: Heap, facts: Facts, held: set[str]) -> None:
        self.slots, self.heap, self.facts, self.held = slots, dict(heap), dict(facts), held
        self.looks = 0


class Memo:
    """The states of one proof. ``share`` turns private containers that both sides have into shared values.

    ``own_variables``: those of each side that the other code lacks.
    """

    def __init__(self, constants: Constants, numbers: Numbers, share: Callable[[Pair], bool]) -> None:
        self.constants, self.numbers, self.share = constants, numbers, share
        self.own_variables: Live = (frozenset(), frozenset())
        self.seen: dict[Any, list[_Seen]] = {}
        self.at: Counter[tuple[int, int]] = Counter()  # states of each pair of points
        self.looks = 0

    def settle(self, pair: Pair, live: Live) -> Pair | None:
        """The state to follow: ``pair`` or a more general one; None if a followed one covers it."""
        group, slots = self.layout(pair, live)
        states = self.seen.setdefault(group, [])
        held = self.holds(pair, live)
        self.forget(pair, slots)
        for seen in states:
            if self.covers(seen, slots, pair):
                if held <= seen.held or seen.looks >= _MOST_LOOKS or self.looks >= _MOST_LOOKS_IN_ALL:
                    return None
                self.looks += 1
                seen.held |= held
                seen.looks += 1
                return pair
        if len(states) >= _MOST_STATES:
            raise NotUnderstood("too many states at one place")
        point = (pair.sides[0].pc, pair.sides[1].pc)
        if len(states) >= (1 if self.at[point] >= _GENERALISE_ALL_AFTER else _GENERALISE_AFTER):
            wider = self.wider(states[-1], pair, live, slots)
            if wider is None and self.share(pair):
                return self.settle(pair, live)
            if wider is not None:
                pair, slots = wider, self.layout(wider, live)[1]
        states.append(_Seen(slots, pair.heap, pair.facts, held))
        self.at[point] += 1
        return pair

    def layout(self, pair: Pair, live: Live) -> Layout:
        """What two states must have in common to be compared, and the terms to compare, in order.

        Integers in variables that only one of the codes has are part of the former: they select the branch of a
        dispatch loop.
        """
        shape: list[Any] = []
        slots: list[Term] = []
        values = self.constants.value
        for number, (side, own) in enumerate(zip(pair.sides, self.own_variables)):
            names = self.variables(pair, live, number)
            shape += (side.pc, len(side.stack), names, side.raised is None, side.test is None)
            chosen = [side.locals.get(name, ABSENT) if name in own else ABSENT for name in names]
            shape += [t if t[0] == "k" and type(values[t]) is int else None for t in chosen]
            slots += side.stack
            slots += [side.locals.get(name, ABSENT) for name in names]
            slots.append(side.handled)
            slots += [term for term in (side.raised, side.test) if term is not None]
        return tuple(shape), slots

    def variables(self, pair: Pair, live: Live, number: int) -> tuple[str, ...]:
        """The variables of one side that are part of a state: bound ones, and all generated ones."""
        made_up = self.own_variables[1] if number else frozenset()
        return tuple(sorted(name for name in live[number] if name in made_up or name in pair.sides[number].locals))

    def holds(self, pair: Pair, live: Live) -> set[str]:
        """The variables of the second side that matter for lifetimes but not for behaviour."""
        left, right = pair.sides
        alive = live[1]
        dead = {name for name, term in right.locals.items() if name not in alive and term[0] in ("v", "a")}
        if not dead:
            return dead
        mine = values_of([*left.locals.values(), *left.stack], pair.heap)
        return {name for name in dead if not values_of([right.locals[name]], pair.heap) <= mine}

    def forget(self, pair: Pair, slots: list[Term]) -> None:
        """Drop facts about values that are no longer reachable."""
        if pair.facts:
            alive = values_of(slots, pair.heap)
            pair.facts = {
                fact: truth for fact, truth in pair.facts.items() if values_of(fact[1:], pair.heap) <= alive
            }

    # Covering

    def covers(self, seen: _Seen, slots: list[Term], pair: Pair) -> bool:
        """Whether ``seen`` covers the state of ``pair``."""
        image: dict[Term, Term] = {}
        owned: set[Term] = set()
        todo = list(zip(seen.slots, slots))
        while todo:
            a, b = todo.pop()
            kind = a[0]
            if a == ABSENT:
                continue
            if b == ABSENT:
                return False
            if kind == "v" or kind == "a":
                known = image.get(a)
                if known is not None:
                    if known != b:
                        return False
                    continue
                if b[0] == "a":
                    if b in owned:
                        return False
                    owned.add(b)
                if kind == "a":
                    if b[0] != "a" or a not in seen.heap or b not in pair.heap:
                        return False
                    (mine, items), (other, others) = seen.heap[a], pair.heap[b]
                    if mine != other or len(items) != len(others):
                        return False
                    todo.extend(zip(items, others))
                elif not self.is_such(self.numbers.tags.get(a, ""), b, pair.facts):
                    return False
                image[a] = b
            elif kind in COMPOUND:
                if b[0] != kind or len(a) != len(b):
                    return False
                todo.extend(zip(a[1:], b[1:]))
            elif a != b:
                return False
        return all(self.knows(pair.facts, fact, truth, image) for fact, truth in seen.facts.items())

    def is_such(self, tag: str, term: Term, facts: Facts) -> bool:
        """Whether ``tag`` holds for the object."""
        if term[0] in NO_OBJECTS:
            return False
        known = self.numbers.tags.get(term, "")
        if tag.startswith(LOOKS) or known.startswith(LOOKS):
            return tag == known
        if tag == "bool":
            return self.numbers.is_bool(term) or term[0] == "k" and type(self.constants.value[term]) is bool
        if tag == "iterator" and ("iterator", term) in facts:
            return True
        return not tag or known == tag

    def knows(self, facts: Facts, fact: Term, truth: bool, image: dict[Term, Term]) -> bool:
        parts: list[Term] = [image[part] if part in image else part for part in fact[1:]]
        if fact[0] == "iterator":
            return self.is_such("iterator", parts[0], facts)
        if any(part[0] == "slice" for part in parts):
            return False
        term = self.constants.identity(parts[0], parts[1])
        return facts.get(term) is truth or term == self.constants.term(truth)

    # Generalising

    def wider(self, seen: _Seen, pair: Pair, live: Live, slots: list[Term]) -> Pair | None:
        """A state that covers both; None if their private containers differ in shape."""
        merger = _Merger(self, seen, pair)
        try:
            merged = [merger.merge(a, b) for a, b in zip(seen.slots, slots)]
        except _NothingInCommon:
            return None
        new = pair.copy()
        new.heap.update(merger.heap)
        terms = iter(merged)
        for number, side in enumerate(new.sides):
            names = self.variables(pair, live, number)
            side.stack = [next(terms) for _ in side.stack]
            side.locals = {name: merger.renamed.get(term, term) for name, term in side.locals.items()}
            for name in names:
                side.locals[name] = next(terms)
                if side.locals[name] == ABSENT:
                    del side.locals[name]
            side.handled = next(terms)
            side.raised = next(terms) if side.raised is not None else None
            side.test = next(terms) if side.test is not None else None
        new.facts = merger.facts()
        return new


class _NothingInCommon(Exception):
    """Two states have no generalisation."""


class _Merger:
    """Builds the generalisation of two states: for each pair of terms met, one term."""

    def __init__(self, memo: Memo, seen: _Seen, pair: Pair) -> None:
        self.memo, self.seen, self.pair = memo, seen, pair
        self.numbers = memo.numbers
        self.heap: Heap = {}
        self.made: dict[tuple[Term, Term], Term] = {}
        self.renamed: dict[Term, Term] = {}
        self.partner: dict[tuple[int, Term], Term] = {}

    def merge(self, a: Term, b: Term) -> Term:
        if a == b and a[0] not in ("v", "a") and a[0] not in COMPOUND:
            return a
        if ABSENT in (a, b):
            return ABSENT
        found = self.made.get((a, b))
        if found is not None:
            return found
        if a[0] == "a" and b[0] == "a":
            return self.container(a, b)
        if a[0] == b[0] and a[0] in COMPOUND and a[0] != "is":
            return (a[0], *[self.merge(x, y) for x, y in zip(a[1:], b[1:])])
        if {a[0], b[0]} & NO_OBJECTS or "a" in (a[0], b[0]) or "slice" in (a[0], b[0]):
            raise _NothingInCommon
        new = self.numbers.value(self.common_tag(a, b))
        self.made[a, b] = new
        self.renamed.setdefault(b, new)
        return new

    def container(self, a: Term, b: Term) -> Term:
        if self.partner.setdefault((0, a), b) != b or self.partner.setdefault((1, b), a) != a:
            raise _NothingInCommon
        if a not in self.seen.heap or b not in self.pair.heap:
            raise _NothingInCommon
        (kind, items), (other, others) = self.seen.heap[a], self.pair.heap[b]
        if kind != other or len(items) != len(others):
            raise _NothingInCommon
        new = self.numbers.container(self.heap, kind, ())
        self.made[a, b] = new
        self.renamed.setdefault(b, new)
        self.heap[new] = (kind, tuple(self.merge(x, y) for x, y in zip(items, others)))
        return new

    def common_tag(self, a: Term, b: Term) -> str:
        looks = {tag for tag in (self.numbers.tags.get(term, "") for term in (a, b)) if tag.startswith(LOOKS)}
        if looks:
            return looks.pop() if len(looks) == 1 else LOOKS  # may be either, so may look
        for tag in ("bool", "list", "map", "iterator", "exception"):
            if self.memo.is_such(tag, a, self.seen.facts) and self.memo.is_such(tag, b, self.pair.facts):
                return tag
        return ""

    def facts(self) -> Facts:
        """The facts of both states about the terms they have in common."""
        images: dict[Term, list[tuple[Term, Term]]] = {}
        for (a, b), new in self.made.items():
            images.setdefault(a, []).append((b, new))

        def choices(term: Term) -> list[tuple[Term, Term]]:
            return [(term, term)] if term[0] not in ("v", "a") else images.get(term, [])

        found: Facts = {}
        for fact, truth in self.seen.facts.items():
            if fact[0] != "is":
                continue  # an iterator: its tag says so
            for b1, new1 in choices(fact[1]):
                for b2, new2 in choices(fact[2]):
                    if self.pair.facts.get(self.memo.constants.identity(b1, b2)) is truth:
                        term = self.memo.constants.identity(new1, new2)
                        if term[0] == "is":
                            found[term] = truth
        return found
