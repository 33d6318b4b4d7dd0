"""The attack: mutants of proven pairs, and for each that the proof accepts, runs of both sides on stand-ins."""

from __future__ import annotations

import ast
import random
import types
from collections import Counter
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Tuple

import canonical_machine
import standins
from mutations import code_objects
from mutations import instructions as instruction_mutants
from mutations.source import mutant
from standins import Plan

from attack.children import in_child
from attack.machine_runs import machine_run
from attack.observed import compiled, first_difference
from attack.rewritings import rewritten
from attack.subjects import Subject, some_functions, subjects
from attack.symbolic import recorded_attack, recorded_pairs, symbolic_attack
from depyf.decompiler.bytecode import RawCode, disassemble, load
from depyf.decompiler.proof import prove_all, verify
from depyf.decompiler.proof.lockstep.bisimulation import lock_step
from depyf.decompiler.proof.lockstep.normalize import NormalForm, NotComparable, normalize, normalize_instructions
from depyf.decompiler.proof.symbolic.prove import prove_symbolic
from depyf.errors import DecompilationError

SEEDS = 32
MORE_SEEDS = 128
"""Seeds of a comparison: at least the first number, the second if that takes no more than so many events."""
EVENTS = 8000
MUTANTS_OF_ONE = 10
LOOKED_AT = 0.02
"""The part of the rejected mutants whose runs are compared, too: it tells how much the stand-ins see."""
NOT_RUN = "not run"
TWICE = "testing the truth of a value twice in a row gives what testing it once gives"


class Tried(NamedTuple):
    """One mutant: whether the proof accepts it, and a task that says how the runs of both sides differ ('' if not)."""

    kind: str
    name: str
    accepted: bool
    compare: Callable[[], str]


class Report:
    """Counts, in all and for each kind of mutation, and every harmful mutant that was accepted."""

    def __init__(self) -> None:
        self.tried: Counter[str] = Counter()
        self.accepted: Counter[str] = Counter()
        self.harmful: Counter[str] = Counter()
        self.not_run: Counter[str] = Counter()
        self.examples: List[str] = []
        self.looked_at = self.told_apart = 0

    def add(self, batch: List[Tried], dice: random.Random) -> None:
        """Count the mutants of ``batch``, and run those that the proof accepts and some of the others."""
        looked_at = [t for t in batch if t.accepted or dice.random() < LOOKED_AT]
        self.tried.update(t.kind for t in batch)
        for tried, difference in zip(looked_at, in_child([t.compare for t in looked_at])):
            if not tried.accepted:
                self.looked_at += 1
                self.told_apart += bool(difference) and not difference.startswith(("endless", NOT_RUN))
                continue
            self.accepted[tried.kind] += 1
            if difference.startswith(("endless", NOT_RUN)):
                self.not_run[tried.kind] += 1
            elif difference:
                self.harmful[tried.kind] += 1
                self.examples.append(f"{tried.name}: {tried.kind}: {difference}")

    def as_dict(self) -> Dict[str, Any]:
        kinds = {
            kind: {
                "tried": self.tried[kind], "accepted": self.accepted[kind],
                "harmful": self.harmful[kind], "not_run": self.not_run[kind],
            }
            for kind in sorted(self.tried)
        }  # fmt: skip
        counts = {n: sum(getattr(self, n).values()) for n in ("tried", "accepted", "harmful", "not_run")}
        rest = {"rejected_run": self.looked_at, "rejected_told_apart": self.told_apart}
        return {**counts, **rest, "kinds": kinds, "examples": self.examples}


def attack(count: int, seed: int, only: str = "") -> Report:
    """Try ``count`` mutants at least: of source, of instructions, and of instructions in another shape ("symbolic")."""
    dice = random.Random(seed)
    report = Report()
    batch: List[Tried] = []
    made = 0
    recorded = recorded_pairs(dice)
    for subject in subjects(dice):
        found: List[Tried] = []
        if only in ("", "source"):
            found += source_attack(subject, dice)
            found += code_attack(subject, dice)
        if only in ("", "instructions"):
            found += instruction_attack(subject, dice)
        if only in ("", "symbolic"):
            found += [Tried(*one) for one in symbolic_attack(subject, dice)]
            found += [Tried(*one) for one in recorded_attack(recorded, dice)]
        made += len(found)
        batch += found
        if made >= count or len(batch) > 400:
            report.add(batch, dice)
            batch = []
        if made >= count:
            return report
    return report


def source_attack(subject: Subject, dice: random.Random, limit: int = MUTANTS_OF_ONE) -> Iterator[Tried]:
    """Mutants of a subject's source, or of another way to write it that is proven to do the same."""
    original = compiled(subject.tree)
    if original is None or not verify(original, original).proven:
        return
    base = subject.tree
    if dice.random() < 0.5:
        base = rewritten(subject.tree, dice, dice.choice((1, 2, 4)))
        code = compiled(base)
        if code is None or not proven(original, code, symbolic=True)[0]:
            base = subject.tree
    for _ in range(limit):
        made = mutant(base, dice)
        if made is None:
            return
        kind, tree = made
        if dice.random() < 0.15:
            again = mutant(tree, dice)
            kind, tree = (kind, tree) if again is None else ("two edits", again[1])
        code = compiled(tree)
        if code is None or same_code(original, code):
            continue
        accepted, assumed = proven(original, code, symbolic=dice.random() < 0.3)
        told = steady(subject.plan) if TWICE in assumed else subject.plan
        yield Tried(kind, subject.name, accepted, comparison(original, code, told, tree))


def proven(original: types.CodeType, code: types.CodeType, symbolic: bool = False) -> Tuple[bool, Tuple[str, ...]]:
    """Whether the proof accepts, and what it had to assume; ``symbolic`` lets it use its last means, too."""
    if not symbolic:
        verdict = verify(original, code)
        return verdict.proven, verdict.assumptions
    verdicts = [v for v, _ in prove_all(load(original), load(code), symbolic=prove_symbolic).values()]
    return all(v.proven for v in verdicts), tuple(text for v in verdicts for text in v.assumptions)


def code_attack(subject: Subject, dice: random.Random, limit: int = MUTANTS_OF_ONE // 3) -> Iterator[Tried]:
    """Mutants of the fields of code objects."""
    original = compiled(subject.tree)
    if original is None:
        return
    for _ in range(limit):
        made = code_objects.mutant(original, dice)
        if made is None or same_code(original, made[1]):
            continue
        accepted, _ = proven(original, made[1])
        yield Tried(made[0], subject.name, accepted, comparison(original, made[1], subject.plan, subject.tree))


def steady(plan: Plan) -> Plan:
    return Plan(plan.exceptions, plan.lengths, plan.matches, steady=True)


def same_code(a: Any, b: Any) -> bool:
    """Whether nothing was changed: the same bytes, constants and names all through."""
    if not isinstance(a, types.CodeType):
        return type(a) is type(b) and repr(a) == repr(b)
    fields = ("co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_flags", "co_argcount", "co_name")
    more = ("co_posonlyargcount", "co_kwonlyargcount", "co_exceptiontable")
    return (
        isinstance(b, types.CodeType)
        and all(getattr(a, f, None) == getattr(b, f, None) for f in fields + more)
        and len(a.co_consts) == len(b.co_consts)
        and all(same_code(x, y) for x, y in zip(a.co_consts, b.co_consts))
    )


def comparison(a: types.CodeType, b: types.CodeType, plan: Plan, tree: ast.Module) -> Callable[[], str]:
    def compare() -> str:
        events = 0
        for seed in range(MORE_SEEDS):
            left, right = standins.run_module(a, seed, plan), standins.run_module(b, seed, plan)
            if left != right:
                return f"seed {seed}: {first_difference(left, right)}\n{text_of(tree)}"
            events += len(left)
            if seed >= SEEDS and events > EVENTS:
                break
        return ""

    return compare


def text_of(tree: ast.Module) -> str:
    return str(ast.unparse(tree)) if hasattr(ast, "unparse") else ast.dump(tree)


# Instructions


def instruction_attack(subject: Subject, dice: random.Random, limit: int = MUTANTS_OF_ONE) -> Iterator[Tried]:
    """Mutants of the canonical instructions of the functions in a subject, one instruction changed in each."""
    for raw in some_functions(subject, dice):
        try:
            instructions, form = disassemble(raw), normalize(raw)
        except (NotComparable, DecompilationError):
            continue
        for _ in range(limit):
            made = instruction_mutants.mutate(instructions, dice)
            if made is None:
                continue
            accepted = accepts(form, raw, made.instructions)
            task = machine_comparison(raw, instructions, made, subject.plan)
            yield Tried("instruction: " + made.change, f"{subject.name}: {raw.qualname}", accepted, task)


def accepts(form: NormalForm, raw: RawCode, instructions: List[Any]) -> bool:
    try:
        return lock_step(form, normalize_instructions(raw, instructions)).difference is None
    except NotComparable:
        return False


def machine_comparison(raw: RawCode, instructions: List[Any], made: Any, plan: Plan) -> Callable[[], str]:
    def compare() -> str:
        events = 0
        for seed in range(MORE_SEEDS):
            try:
                left = machine_run(raw, instructions, seed, plan)
                right = machine_run(raw, made.instructions, seed, plan)
            except canonical_machine.CannotRun as error:
                return f"{NOT_RUN}: {error}"
            if left != right:
                line = f"at {made.at}: {instructions[made.at]} became {made.instructions[made.at]}"
                return f"{line}; seed {seed}: {first_difference(left, right)}"
            events += len(left)
            if seed >= SEEDS and events > EVENTS:
                break
        return ""

    return compare
