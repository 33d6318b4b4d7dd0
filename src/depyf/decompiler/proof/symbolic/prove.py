"""The symbolic proof: two codes of different shape do the same things, in the same order, with the same values.

Both codes are run side by side over unknown values. Between *events* (everything that other code can see, or that can
fail) each side runs independently; at an event both must do the same with the same values, while the same exception is
being handled, and each result is one new value for both. At a branch on an unknown truth value, both outcomes are
followed; where an exception may be raised, the handlers of both sides are. A state covered by a followed one is not
followed again, which also handles loops (coinduction: codes that agree up to every event agree).
"""

from __future__ import annotations

from ....errors import DecompilationError
from ...bytecode import Instruction, RawCode, disassemble, stack_use
from ...limits.budget import spend
from ..metadata import metadata_differences
from ..verdict import Difference, Level, Verdict, unproven
from .calls import BUILTINS
from .lifetimes import HELD_ELSEWHERE, Lifetimes, held_by, takes_long
from .matching import Matching, VariablesExposed
from .memo import Live, Memo
from .operations import RESULTS
from .state import LOOKS, Constants, NotUnderstood, Numbers, Pair, ProofEvent, Side, Term
from .steps import Split, SymbolicStepper

METHOD = "symbolic"
LOOK_AT_VARIABLES = frozenset({"locals", "vars", "dir", "eval", "exec"})
"""Builtins by which code sees which variables it has; ``super`` sees only the first one."""
UNSEEN = "no callee reads this frame's variables"
"""Assumed where bound variables, or their values, differ between the two codes while other code runs, which might find
the frame (``sys._getframe``, ``builtins.locals`` by whatever name)."""
DIFFERING = "while other code runs these variables differ"
"""The start of the reason that lists them."""
LOOK_AT_FRAMES = frozenset({"_getframe", "currentframe"})
"""Code that gets its own frame can see all variables, and from 3.13 on change them: refused."""
_FEWEST_STATES = 3_000
_STATES_OF_ONE = 40
"""The limit of followed states, per instruction of the two codes, before the proof gives up."""


class _Different(Exception):
    """The two codes do not do the same; carries the difference."""

    def __init__(self, difference: Difference) -> None:
        super().__init__(str(difference))
        self.difference = difference


def prove_symbolic(original: RawCode, recompiled: RawCode, *, budget: int | None = None) -> Verdict:
    """EQUIVALENT if ``recompiled`` does what ``original`` does, else UNPROVEN with the first difference.

    Nested functions made by both are opaque and returned as ``Verdict.pairs``. ``budget`` bounds the number of states;
    by default it grows with the codes. The caller compares names and qualified names.
    """
    differences = metadata_differences(original, recompiled, names=False)
    if differences:
        return Verdict(Level.UNPROVEN, "", differences)
    try:
        codes = (disassemble(original), disassemble(recompiled))
    except DecompilationError as error:
        return unproven(f"the symbolic proof gave up: {error}")
    return prove_instructions((original, recompiled), codes, budget=budget)


def prove_instructions(
    raws: tuple[RawCode, RawCode],
    codes: tuple[list[Instruction], list[Instruction]],
    *,
    budget: int | None = None,
) -> Verdict:
    """The same with canonical instructions in place of those of ``raws``."""
    if budget is None:
        budget = _FEWEST_STATES + _STATES_OF_ONE * (len(codes[0]) + len(codes[1]))
    proof = _with_same_variables(raws, codes, budget)
    reasons: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    if proof is None:
        try:
            try:
                proof = _Proof(raws, codes, budget)
                proof.run()
            except VariablesExposed:
                proof = _Proof(raws, codes, budget, seen_by_all=True)
                proof.run()
        except _Different as found:
            return unproven(str(found.difference), found.difference)
        except NotUnderstood as error:
            return unproven(f"the symbolic proof gave up: {error}")
        if proof.differing:
            reasons = (f"{DIFFERING}: {', '.join(sorted(proof.differing))}",)
        unseen = (UNSEEN,)
    steppers, matching = proof.steppers, proof.matching
    known = {**steppers[0].assumptions, **steppers[1].assumptions, **matching.assumptions}
    assumptions = (*known, *unseen)
    return Verdict(Level.EQUIVALENT, METHOD, reasons, assumptions, tuple(matching.codes), held=proof.lifetimes.held)


def _is_comprehension_of_dynamo(raw: RawCode, code: list[Instruction]) -> bool:
    """Whether it is a function that Dynamo made of a comprehension alone, with NULL in place of a variable."""
    null = raw.table.opcodes.get("PUSH_NULL")
    cleared = (ins.offset for ins in code if ins.op == "LOAD_FAST_AND_CLEAR")
    return any(offset < len(raw.bytecode) and raw.bytecode[offset] == null for offset in cleared)


def _with_same_variables(
    raws: tuple[RawCode, RawCode], codes: tuple[list[Instruction], list[Instruction]], budget: int
) -> _Proof | None:
    """A proof that both also have the same variables whenever other code runs; None if there is none."""
    stored, others = ({ins.arg for ins in code if ins.op in ("STORE_FAST", "STORE_DEREF")} for code in codes)
    if stored != others:
        return None
    try:
        proof = _Proof(raws, codes, budget, seen_by_all=True, watched=True)
        proof.run()
    except (_Different, NotUnderstood, VariablesExposed):
        return None
    return proof


class _Proof:
    def __init__(
        self,
        raws: tuple[RawCode, RawCode],
        codes: tuple[list[Instruction], list[Instruction]],
        budget: int,
        seen_by_all: bool = False,
        watched: bool = False,
    ) -> None:
        """``seen_by_all``: every event may see the variables; ``watched``: also if the code names no such builtin."""
        self.raws = raws
        self.budget = budget
        self.constants, self.numbers = Constants(), Numbers()
        left, right = (SymbolicStepper(raw, code, self.constants, self.numbers) for raw, code in zip(raws, codes))
        self.steppers = (left, right)
        left.shared_cells = right.shared_cells = frozenset(left.handed_out() | right.handed_out())
        right.builtins = frozenset(BUILTINS) - left.named("LOAD_GLOBAL", "STORE_GLOBAL", "DELETE_GLOBAL", "LOAD_NAME")
        self.matching = Matching(self.constants, self.numbers)
        self.is_comprehension = _is_comprehension_of_dynamo(raws[0], codes[0])
        self.memo = Memo(self.constants, self.numbers, self.matching.share)
        mine, others = (frozenset(stepper.liveness.names) for stepper in self.steppers)
        self.memo.own_variables = (mine - others, others - mine)
        self.lifetimes = Lifetimes()
        self.differing: set[str] = set()  # variables that only one side has, or whose values differ, at some event
        self.todo: list[Pair] = []
        names = left.named("LOAD_GLOBAL", "LOAD_NAME") | right.named("LOAD_GLOBAL", "LOAD_NAME")
        frames = LOOK_AT_FRAMES & (left.named("LOAD_ATTR", "IMPORT_FROM") | right.named("LOAD_ATTR", "IMPORT_FROM"))
        if frames:
            raise NotUnderstood(f"the code looks at its own frame, by {sorted(frames)[0]}")
        self.variables_seen = watched or bool(names & LOOK_AT_VARIABLES)
        self.seen_by_all = seen_by_all
        # super() reads the current value of the first parameter where it is called.
        self.first = raws[0].parameters[:1] if "super" in names else ()

    def run(self) -> None:
        left, right = Side(), Side()
        for name in self.raws[0].parameters:
            left.locals[name] = right.locals[name] = self.numbers.value()
        self.todo.append(Pair(left, right))
        looked_at = 0
        while self.todo:
            pair: Pair | None = self.todo.pop()
            assert pair is not None
            looked_at += 1
            size = sum(len(side.stack) + len(side.locals) for side in pair.sides) + len(pair.heap) + len(pair.facts)
            spend(5 + size / 5, "the symbolic proof")
            if looked_at > self.budget:
                raise NotUnderstood(f"more than {self.budget} states")
            if any(side.joined for side in pair.sides):
                pair = self.memo.settle(pair, self.live(pair))
                if pair is None:
                    continue
                for side in pair.sides:
                    side.joined = False
            self.follow(pair)

    def live(self, pair: Pair) -> Live:
        """The variables of both sides that may still matter."""
        if self.variables_seen:
            return frozenset(pair.sides[0].locals), frozenset(pair.sides[1].locals)
        mine, other = (stepper.liveness.at(side.pc) for stepper, side in zip(self.steppers, pair.sides))
        return (mine.union(self.first), other.union(self.first)) if self.first else (mine, other)

    def follow(self, pair: Pair) -> None:
        """Run both sides to their next events, match these, and add the following states to the work list."""
        events: list[ProofEvent] = []
        for stepper, number in zip(self.steppers, (0, 1)):
            found = stepper.advance(pair, number)
            if isinstance(found, Split):
                self.split(pair, found.condition)
                return
            events.append(found)
        for number in (0, 1):
            event, other = events[number], events[1 - number]
            given = number == 1 and self.is_comprehension and self.matching.skips_iter_of_given(event, other)
            if given or self.matching.skips_iter(pair, event, other):
                self.advance_side(pair, number, list(events[number].operands))
                self.todo.append(pair)
                return
        if self.matching.skips_handler(*events):
            self.advance_side(pair, 0, [])
            self.todo.append(pair)
            return
        left, right = self.matching.reconcile(events[0], events[1])
        self.match(pair, left, right)
        self.after(pair, left, right)

    def split(self, pair: Pair, condition: Term) -> None:
        """Follow both outcomes of an undecided truth value, known to both sides."""
        for truth in (True, False):
            copy = pair.copy()
            outcome, opposite = self.constants.term(truth), self.constants.term(not truth)
            copy.substitute({condition: outcome, ("not", condition): opposite})
            copy.facts = {fact: holds for fact, holds in copy.facts.items() if fact[0] in ("is", "iterator")}
            if condition[0] == "is":
                copy.facts[condition] = truth
                value, other = condition[1], condition[2]
                if truth and value[0] == "v" and other[0] == "k":
                    copy.substitute({value: other})
                elif truth and value[0] == "k" and other[0] == "v":
                    copy.substitute({other: value})
            self.todo.append(copy)

    # Matching

    def match(self, pair: Pair, left: ProofEvent, right: ProofEvent) -> None:
        if not self.matching.same_operation(left, right):
            raise self.different(pair, "not the same operation", left, right)
        one, two = pair.sides
        if one.handled != two.handled:
            raise self.different(pair, "while another exception is being handled", left, right)
        same = list(zip(left.operands, right.operands))
        if left.kind not in ("return", "left"):
            same += self.seen(pair, left)
            self.differing.update(_differing(*pair.sides))
        held = held_by(pair.sides[0], pair.heap) if takes_long(left) else None
        if not self.matching.unify(pair, same):
            raise self.different(pair, "not the same values", left, right)
        if left.kind == "items" and self.filled(pair, 0) not in pair.heap:
            raise NotUnderstood("other code sees a container in a variable while it is filled")
        if held is not None:
            mine, other = (stepper.instructions[side.pc] for stepper, side in zip(self.steppers, pair.sides))
            self.lifetimes.compare(pair, held, (mine, other), self.numbers.tags)

    def seen(self, pair: Pair, left: ProofEvent) -> list[tuple[Term, Term]]:
        """The variables of both sides that the code may look at during an event."""
        one, two = (side.locals for side in pair.sides)
        nothing: Term = ("unbound",)
        looks = self.variables_seen and (self.seen_by_all or self.matching.looks(pair, left))
        names = sorted(one.keys() | two.keys()) if looks else self.first
        return [(one.get(name, nothing), two.get(name, nothing)) for name in names]

    def different(self, pair: Pair, what: str, left: ProofEvent, right: ProofEvent) -> _Different:
        instructions = []
        for stepper, side in zip(self.steppers, pair.sides):
            here = 0 <= side.pc < len(stepper.instructions)
            instructions.append(stepper.instructions[side.pc] if here else None)
        first, second = instructions
        return _Different(
            Difference(
                what,
                self.raws[0].qualname,
                _described(first),
                _described(second),
                first.offset if first else -1,
                second.offset if second else -1,
                first.line if first else None,
                second.line if second else None,
            )
        )

    # After an event

    def after(self, pair: Pair, left: ProofEvent, right: ProofEvent) -> None:
        if left.kind in ("return", "left"):
            return
        if left.kind == "branch" and left.operands[0][0] == "v":
            pair.facts[("iterator", left.operands[0])] = True
        self.fail(pair, left, right)
        if left.kind == "raise":
            return
        if left.kind == "branch":
            exhausted = pair.copy()
            for stepper, side in zip(self.steppers, exhausted.sides):
                side.stack.pop()
                stepper.go(side, stepper.instructions[side.pc].target)
            self.todo.append(exhausted)
        tags = RESULTS.get(left.op, ())
        count = max(left.results, right.results, 1)
        results = [self.numbers.value(tags[n] if n < len(tags) else "") for n in range(count)]
        if left.op in ("LOAD_GLOBAL", "LOAD_NAME") and left.static in LOOK_AT_VARIABLES:
            self.numbers.tags[results[0]] = LOOKS + left.static
        if left.op in HELD_ELSEWHERE:
            self.lifetimes.held_elsewhere.update(results)
        if left.kind == "group":
            self.split_group(pair, left, right, results)
            return
        if left.kind == "parts":
            self.split_parts(pair, left, right)
            return
        for number, event in enumerate((left, right)):
            self.finish(pair, number, event, results)
        self.todo.append(pair)

    def fail(self, pair: Pair, left: ProofEvent, right: ProofEvent) -> None:
        """Both raise: add the state at the handlers to the work list."""
        if all(stepper.instructions[side.pc].handler is None for stepper, side in zip(self.steppers, pair.sides)):
            return  # it leaves both codes
        exception = self.numbers.value("exception")
        failed = pair.copy()
        for event, stepper, side in zip((left, right), self.steppers, failed.sides):
            if event.kind == "items":
                # It is unknown how many of them are in the container by now.
                owner = self.filled(failed, self.steppers.index(stepper))
                failed.heap[owner] = (f"filled in part {self.numbers.value()}", ())
            stepper.raise_(side, exception)
        self.todo.append(failed)

    def filled(self, pair: Pair, number: int) -> Term:
        """The container that receives all items of an operand, on one side."""
        side = pair.sides[number]
        position: int = self.steppers[number].instructions[side.pc].arg
        return side.stack[-1 - position]

    def split_group(self, pair: Pair, left: ProofEvent, right: ProofEvent, results: list[Term]) -> None:
        """CHECK_EG_MATCH: without a match, None; a match becomes the exception being handled."""
        none = self.constants.term(None)
        for matched in (False, True):
            copy = pair.copy()
            rest = [results[0], results[1] if matched else none]
            for number, event in enumerate((left, right)):
                self.finish(copy, number, event, rest)
            if matched:
                copy.facts[self.constants.identity(results[1], none)] = False
                for side in copy.sides:
                    side.handled = results[1]
            self.todo.append(copy)

    def split_parts(self, pair: Pair, left: ProofEvent, right: ProofEvent) -> None:
        """MATCH_CLASS and MATCH_KEYS: a new tuple of all parts, or None; 3.10's also tell which."""
        names = len(self.constants.value[left.operands[-1]])
        items = tuple(self.numbers.value() for _ in range(names + (left.static or 0)))
        for matched in (False, True):
            copy = pair.copy()
            for number, event in enumerate((left, right)):
                other = self.constants.term(None)
                if event.op == "MATCH_CLASS_AND_TEST":
                    other = copy.sides[number].stack[-3]  # the subject
                parts = self.steppers[number].new_tuple(copy.heap, items) if matched else other
                self.finish(copy, number, event, [parts, self.constants.term(matched)])
            self.todo.append(copy)

    def finish(self, pair: Pair, number: int, event: ProofEvent, results: list[Term]) -> None:
        """Complete the event on one side: store its results where that side has them."""
        stepper, side = self.steppers[number], pair.sides[number]
        ins = stepper.instructions[side.pc]
        if event.kind == "test":
            side.test = results[0]
            return
        if event.kind == "not":
            results = [("not", results[0])]
        elif event.kind == "items":
            owner = self.filled(pair, number)
            kind, items = pair.heap[owner]
            pair.heap[owner] = (kind, (*items, ("star", results[0])))
        elif event.kind == "extend":
            results = [side.stack[-stack_use(ins)[0]]]
        elif ins.op == "CONTAINS_OP" and ins.arg == "not in":
            results = [stepper.negation(results[0])]
        self.advance_side(pair, number, results)

    def advance_side(self, pair: Pair, number: int, results: list[Term]) -> None:
        """Advance one side past its instruction: pop its operands and push ``results``."""
        stepper, side = self.steppers[number], pair.sides[number]
        pops, pushes = stack_use(stepper.instructions[side.pc])
        del side.stack[len(side.stack) - pops :]
        side.stack.extend(results[:pushes])
        stepper.go(side, side.pc + 1)


def _differing(left: Side, right: Side) -> set[str]:
    """The names of variables that only one side has bound, or whose values differ."""
    mine, others = left.locals, right.locals
    both = mine.keys() & others.keys()
    other_value = {name for name in both if mine[name] != others[name] and (mine[name][0], others[name][0]) != _PRIVATE}
    return (mine.keys() ^ others.keys()) | other_value


_PRIVATE = ("a", "a")
"""A pair of kinds whose terms are never equal, though the containers may be the same."""


def _described(ins: Instruction | None) -> str:
    return "the end by an exception" if ins is None else repr(ins)
