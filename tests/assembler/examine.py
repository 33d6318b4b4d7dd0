"""One program through depyf and back: what was proven, and whether both codes do the same on stand-ins."""

from __future__ import annotations

import json
import re
import time
import types
from typing import Callable, List, NamedTuple, Sequence

import standins
from attack.children import in_child
from attack.observed import first_difference

import depyf
from assembler.assemble import Unspellable, assemble
from assembler.flow import Invalid
from assembler.generate import EXCEPTIONS, ITERATORS, OF_PATTERNS, generate
from assembler.notation import Program
from depyf.decompiler.bytecode import RawCode, load
from depyf.decompiler.driver.decompilation import Decompilation, Strategy, strategies_of
from depyf.decompiler.driver.result import Result
from depyf.decompiler.proof import Level
from depyf.errors import DecompilationError

PLAN = standins.Plan(frozenset(EXCEPTIONS), (2,), iterators=frozenset(ITERATORS))
PATTERNS = 0.3
"""How often programs of patterns use their operations."""
MATCHED = standins.Plan(frozenset(EXCEPTIONS), (2,), matches=True, iterators=frozenset(ITERATORS))
MOST_EVENTS = 250
"""After so many events a run is stopped: many of the programs have endless loops."""
SEEDS = 12
BATCH = 25


class Outcome(NamedTuple):
    """``kind``: proven, refused, unproven, wrong (proven, but the runs differ, or no code came of it), or broken."""

    kind: str
    form: str = ""
    reason: str = ""
    milliseconds: float = 0.0


def plan_of(program: Program) -> standins.Plan:
    return MATCHED if any(op.op in OF_PATTERNS for op in program.ops) else PLAN


def examine(program: Program, seeds: int = SEEDS, engine: str = "ladder") -> Outcome:
    """What becomes of ``program``. Runs made-up code: only in a child process.

    ``engine`` is 'ladder', for ``depyf.analyze``, or 'dispatch' for its last strategy alone.
    """
    return examine_code(assemble(program), seeds, engine, plan_of(program))


def examine_code(
    code: types.CodeType, seeds: int = SEEDS, engine: str = "ladder", plan: standins.Plan = PLAN
) -> Outcome:
    start = time.perf_counter()
    result = depyf.analyze(code) if engine == "ladder" else dispatched(code)
    spent = 1000 * (time.perf_counter() - start)
    reason = "; ".join(result.verdict.reasons)
    if result.verdict.level is Level.REFUSED:
        return Outcome("refused", "refused", result.verdict.reasons[-1], spent)
    try:
        again = depyf.recompile(result.source, code, "<again>")
    except DecompilationError as error:
        return Outcome("wrong", result.form, f"{error}\n{result.source}", spent)
    difference = differs(code, again, seeds, plan)
    if difference:
        proven = "proven, but " if result.proven else ""
        return Outcome("wrong", result.form, f"{proven}{difference}\n{result.source}", spent)
    if not result.proven:
        nested = [f"{part.qualname}: {part.verdict.describe()}" for part in result.walk() if not part.proven]
        return Outcome("unproven", result.form, "; ".join([reason, *nested]), spent)
    return Outcome("proven", result.form, result.verdict.level.name, spent)


class LastRung(Decompilation):
    """Decompiles the function, not those in it, in the last way alone."""

    def strategy(self, raw: RawCode) -> Strategy:
        return strategies_of(raw)[-1] if raw is self.root else super().strategy(raw)

    def failed(self, raw: RawCode, error: DecompilationError) -> bool:
        if raw is self.root:
            self.failures[raw] = [error] * (len(strategies_of(raw)) - 1)  # there is no other way to try
        return super().failed(raw, error)


def dispatched(code: types.CodeType) -> Result:
    """The last strategy's source of ``code``, with what is proven of it."""
    return LastRung(load(code)).run()


def differs(code: types.CodeType, again: types.CodeType, seeds: int, plan: standins.Plan = PLAN) -> str:
    """How runs of two codes on stand-ins differ; '' if they do not."""
    usual, standins.MOST_EVENTS = standins.MOST_EVENTS, MOST_EVENTS
    try:
        for seed in range(seeds):
            left, right = standins.run(code, seed, plan), standins.run(again, seed, plan)
            if left != right:
                return f"run {seed}: {first_difference(left, right)}"
    finally:
        standins.MOST_EVENTS = usual
    return ""


def examine_seed(seed: int, seeds: int = SEEDS, engine: str = "ladder", patterns: bool = False) -> Outcome:
    return examine(generate(seed, patterns=PATTERNS if patterns else 0), seeds, engine)


def outcomes(tasks: Sequence[Callable[[], Outcome]], batch: int = BATCH) -> List[Outcome]:
    """What the tasks give, each run in a child process; 'broken' for one that died or did not end."""
    found: List[Outcome] = []
    for first in range(0, len(tasks), batch):
        some = tasks[first : first + batch]
        texts = in_child([lambda task=task: json.dumps(task()) for task in some])  # type: ignore[misc]
        for text in texts:
            found.append(Outcome(*json.loads(text)) if text[0] == "[" else Outcome("broken", "", text))
    return found


def same_as(program: Program, engine: str = "ladder") -> Callable[[Outcome], bool]:
    """For the shrinker: whether another outcome is of the same kind as that of ``program``."""
    (wanted,) = outcomes([lambda: examine(program, engine=engine)])
    return lambda outcome: (outcome.kind, general(outcome)) == (wanted.kind, general(wanted))


def general(outcome: Outcome) -> str:
    """The reason without places and names, so that equal causes count as one."""
    if outcome.kind in ("wrong", "broken"):
        return outcome.kind
    reason = outcome.reason.splitlines()[0].split("; ")[-1] if outcome.reason else ""
    cut = " ".join("N" if any(c.isdigit() for c in word) else word for word in reason.split())
    return re.sub("'.*?'", "'...'", cut).replace("cannot decompile in function, ", "")[:100]


def try_program(program: Program, engine: str = "ladder") -> Outcome:
    """As ``examine``, in a child process; an invalid program gives the kind 'invalid'."""
    try:
        assemble(program)
    except (Invalid, Unspellable, KeyError, ValueError, IndexError) as error:
        return Outcome("invalid", "", repr(error))
    (outcome,) = outcomes([lambda: examine(program, engine=engine)])
    return outcome
