"""The symbolic proof: two codes of different shape do the same things, in the same order, with the same values.

Both codes are run side by side over unknown values. Between *events* (all that other code can see, or that can fail)
each side moves at its own pace; at an event both must do the same with the same values, and what it gives is one new
value for both. Where a truth value decides, both outcomes are followed; where an exception may come, both handlers
are. A pair of points that was met before with the same knowledge is not followed again, so loops are covered too.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from ...errors import DecompilationError
from ..bytecode import RawCode
from .lifetimes import HELD_ELSEWHERE, LONG, Lifetimes
from .metadata import metadata_differences
from .symbolic_state import NULL, Constants, Event, NotUnderstood, Numbers, Pair, Side, Term
from .symbolic_steps import BOOLEAN_RESULTS, Split, Stepper
from .verdict import Difference, Level, Verdict, unproven

METHOD = "symbolic"
LOOK_AT_VARIABLES = frozenset({"locals", "vars", "dir", "eval", "exec"})
"""Builtins through which code sees which variables it has; ``super`` sees the first one only."""
LOOK_AT_FRAMES = frozenset({"_getframe", "currentframe"})
_BUDGET = 3_000
_MOST_VISITS = 300
"""States looked at for one pair of points: more means that something grows in a loop, or too many paths."""


class _Different(Exception):
    """The two codes do not do the same; carries the difference."""

    def __init__(self, difference: Difference) -> None:
        super().__init__(str(difference))
        self.difference = difference


def prove_symbolic(original: RawCode, recompiled: RawCode, *, budget: int = _BUDGET) -> Verdict:
    """EQUIVALENT if ``recompiled`` does what ``original`` does, else UNPROVEN with the first difference.

    Nested functions that both make are opaque and come back as ``Verdict.pairs``. ``budget`` bounds the number of
    pairs of points that are looked at. Names and qualified names are the caller's to compare.
    """
    differences = metadata_differences(original, recompiled, names=False)
    if differences:
        return Verdict(Level.UNPROVEN, "", differences)
    try:
        proof = _Proof(original, recompiled, budget)
        proof.run()
    except _Different as found:
        return unproven(str(found.difference), found.difference)
    except (NotUnderstood, DecompilationError) as error:
        return unproven(f"the symbolic proof gave up: {error}")
    assumptions = tuple({**proof.steppers[0].assumptions, **proof.steppers[1].assumptions, **proof.assumptions})
    return Verdict(Level.EQUIVALENT, METHOD, (), assumptions, tuple(proof.pairs), held=proof.lifetimes.held)


class _Proof:
    def __init__(self, original: RawCode, recompiled: RawCode, budget: int) -> None:
        self.raws = (original, recompiled)
        self.budget = budget
        self.constants, self.numbers = Constants(), Numbers()
        self.steppers = (
            Stepper(original, self.constants, self.numbers),
            Stepper(recompiled, self.constants, self.numbers),
        )
        shared = frozenset(self.steppers[0].handed_out() | self.steppers[1].handed_out())
        for stepper in self.steppers:
            stepper.shared_cells = shared
            stepper.has_loop = any(other.jumps_back() for other in self.steppers)
        # The text writes slice(a, b) for a slice that is used as a value; the original has no such name then.
        self.steppers[1].slice_is_builtin = "slice" not in original.names
        self.assumptions: dict[str, None] = {}
        self.lifetimes = Lifetimes()
        globals_used = [stepper.loaded("LOAD_GLOBAL", "LOAD_NAME") for stepper in self.steppers]
        attributes = [stepper.loaded("LOAD_ATTR", "IMPORT_FROM") for stepper in self.steppers]
        looks = globals_used[0] & LOOK_AT_VARIABLES | attributes[0] & LOOK_AT_FRAMES
        looks |= globals_used[1] & LOOK_AT_VARIABLES | attributes[1] & LOOK_AT_FRAMES
        if looks:
            raise NotUnderstood(f"the code looks at its own variables, by {sorted(looks)[0]}")
        # super() reads the first parameter where it is called, whatever has been stored there.
        self.first = original.parameters[:1] if "super" in globals_used[0] | globals_used[1] else ()
        self.pairs: dict[tuple[RawCode, RawCode], None] = {}
        self.seen: set[Any] = set()
        self.visits: Counter[tuple[int, int]] = Counter()
        self.todo: list[Pair] = []

    def run(self) -> None:
        left, right = Side(), Side()
        for name in self.raws[0].parameters:
            left.locals[name] = right.locals[name] = self.numbers.value()
        self.todo.append(Pair(left, right))
        while self.todo:
            pair = self.todo.pop()
            mine, other = (stepper.live_at(side) for stepper, side in zip(self.steppers, pair.sides))
            key = pair.key((mine.union(self.first), other.union(self.first)), self.numbers.booleans)
            if key in self.seen:
                continue
            self.seen.add(key)
            place = (pair.sides[0].pc, pair.sides[1].pc)
            self.visits[place] += 1
            if self.visits[place] > _MOST_VISITS:
                raise NotUnderstood("too many states at one place")
            if len(self.seen) > self.budget:
                raise NotUnderstood(f"more than {self.budget} pairs of points")
            self.follow(pair)

    def follow(self, pair: Pair) -> None:
        """Run both sides to their next events, match these, and put what may come next on the list."""
        events: list[Event] = []
        for number in (0, 1):
            found = self.steppers[number].advance(pair, number)
            if isinstance(found, Split):
                self.split(pair, found.condition)
                return
            events.append(found)
        left, right = self.reconcile(pair, events[0], events[1])
        self.match(pair, left, right)
        self.after(pair, left, right)

    def split(self, pair: Pair, condition: Term) -> None:
        """Follow both outcomes of an undecided truth value, known to both sides."""
        for truth in (True, False):
            copy = pair.copy()
            known, opposite = self.constants.term(truth), self.constants.term(not truth)
            copy.substitute({condition: known, ("not", condition): opposite})
            if condition[0] == "is":
                copy.facts[condition] = truth
                value, other = condition[1], condition[2]
                if truth and value[0] == "v" and other[0] == "k":
                    copy.substitute({value: other})
                elif truth and value[0] == "k" and other[0] == "v":
                    copy.substitute({other: value})
            copy.facts = {term: fact for term, fact in copy.facts.items() if term[0] == "is"}
            self.todo.append(copy)

    # Matching

    def reconcile(self, pair: Pair, left: Event, right: Event) -> tuple[Event, Event]:
        """Where two ways of writing the same operation differ in form, bring both to one form."""
        if left.op == "EXTEND" and right.op == "BINARY_OP" and right.static == "+=":
            self.assumptions["a list extended by an object that is no iterable: the text of the error may differ"] = (
                None
            )
            return left, Event("EXTEND", None, right.operands, 1)
        return left, right

    def match(self, pair: Pair, left: Event, right: Event) -> None:
        same = left.op == right.op and left.static == right.static and len(left.operands) == len(right.operands)
        if same and left.kind != right.kind and {left.kind, right.kind} - {"test", "not"}:
            same = left.kind in ("plain", "extend") and right.kind in ("plain", "extend")
        if same and left.kind not in ("return", "left"):
            observed = [(pair.sides[0].handled, pair.sides[1].handled)]
            for name in self.first:
                observed.append((pair.sides[0].locals.get(name, NULL), pair.sides[1].locals.get(name, NULL)))
            same = self.unify(pair, observed)
        if not same:
            raise self.different(pair, "not the same operation", left, right)
        if not self.unify(pair, list(zip(left.operands, right.operands))):
            raise self.different(pair, "not the same values", left, right)
        if left.op in LONG:
            mine, other = (stepper.instructions[side.pc] for stepper, side in zip(self.steppers, pair.sides))
            self.lifetimes.compare(pair, (mine, other), self.numbers.booleans)

    def unify(self, pair: Pair, todo: list[tuple[Term, Term]]) -> bool:
        """Whether the terms are the same in pairs; private containers of both sides become one value."""
        same: dict[Term, Term] = {}
        while todo:
            a, b = todo.pop(0)
            a, b = same.get(a, a), same.get(b, b)
            if a == b:
                continue
            if a[0] != b[0] or len(a) != len(b):
                return False
            if a[0] == "a":
                if a not in pair.heap or b not in pair.heap:
                    return False
                (kind, items), (other, others) = pair.heap[a], pair.heap[b]
                if not self.same_kind(kind, other) or len(items) != len(others):
                    return False
                same[a] = same[b] = self.numbers.value()
                todo.extend(zip(items, others))
            elif a[0] in ("slice", "star", "one", "not"):
                todo.extend(zip(a[1:], b[1:]))
            else:
                return False
        pair.substitute(same)
        return True

    def same_kind(self, kind: Any, other: Any) -> bool:
        if isinstance(kind, tuple) and isinstance(other, tuple) and kind[:2] == other[:2]:
            codes = self.constants.value[kind[2]], self.constants.value[other[2]]
            if codes[0].code is None or codes[0].code is not codes[1].code:
                self.pairs[codes] = None
            return True
        return bool(kind == other)

    def different(self, pair: Pair, what: str, left: Event, right: Event) -> _Different:
        instructions = []
        for stepper, side in zip(self.steppers, pair.sides):
            here = 0 <= side.pc < len(stepper.instructions)
            instructions.append(stepper.instructions[side.pc] if here else None)
        first, second = instructions
        return _Different(
            Difference(
                what,
                self.raws[0].qualname,
                _words(left, first),
                _words(right, second),
                first.offset if first else -1,
                second.offset if second else -1,
                first.line if first else None,
                second.line if second else None,
            )
        )

    # What comes after an event

    def after(self, pair: Pair, left: Event, right: Event) -> None:
        if left.kind in ("return", "left"):
            return
        exception = self.numbers.value()
        failed = pair.copy()
        for stepper, side in zip(self.steppers, failed.sides):
            stepper.raise_(side, exception)
        if any(side.raised is None for side in failed.sides):
            self.todo.append(failed)
        if left.kind == "raise":
            return
        if left.kind == "branch":
            exhausted = pair.copy()
            for stepper, side in zip(self.steppers, exhausted.sides):
                side.stack.pop()
                side.pc = stepper.instructions[side.pc].target
            self.todo.append(exhausted)
        boolean = left.op in BOOLEAN_RESULTS or left.op == "BOOL"
        results = [self.numbers.value(boolean) for _ in range(max(left.results, 1))]
        if left.op in HELD_ELSEWHERE:
            self.lifetimes.held_elsewhere.update(results)
        for number, event in enumerate((left, right)):
            self.finish(pair, number, event, results[: max(event.results, 1)])
        self.todo.append(pair)

    def finish(self, pair: Pair, number: int, event: Event, results: list[Term]) -> None:
        """The event has happened on one side: its results go where that side has them."""
        stepper, side = self.steppers[number], pair.sides[number]
        ins = stepper.instructions[side.pc]
        if event.kind == "test":
            side.test = results[0]
            return
        if event.kind == "not":
            side.stack[-1] = ("not", results[0])
        elif event.kind == "branch":
            side.stack.append(results[0])
        elif event.kind == "items":
            side.stack.pop()
            owner = side.stack[-ins.arg]
            kind, items = pair.heap[owner]
            pair.heap[owner] = (kind, (*items, ("star", results[0])))
        elif event.kind == "extend":
            more = side.stack.pop()
            del more
        else:
            pops, pushes = _stack_use(ins)
            del side.stack[len(side.stack) - pops :]
            if event.op == "EXTEND":
                side.stack.append(event.operands[0])
            else:
                side.stack.extend(results[:pushes])
                if ins.arg == "not in":
                    side.stack[-1] = stepper.negation(results[0])
        side.pc += 1


def _stack_use(ins: Any) -> tuple[int, int]:
    from ..bytecode import stack_use

    return stack_use(ins)


def _words(event: Event, ins: Any) -> str:
    if ins is None:
        return "the end by an exception"
    return repr(ins)
