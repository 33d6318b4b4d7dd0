"""The attack on the symbolic proof: mutants, one instruction each, of code in another shape than the original."""

from __future__ import annotations

import random
from typing import Any, Callable, Iterator, List, Tuple

import canonical_machine
import recorded_dynamo
from mutations import instructions as instruction_mutants
from one_engine import analyze
from standins import Plan

from attack.machine_runs import machine_run
from attack.observed import first_difference
from attack.reshaped import reshaped
from attack.subjects import Subject, some_functions
from depyf.decompiler.bytecode import NO_FALL_THROUGH, Instruction, RawCode, disassemble, load, stack_use
from depyf.decompiler.proof.symbolic.prove import prove_instructions
from depyf.errors import DecompilationError

Code = Tuple[RawCode, List[Instruction]]
Found = Tuple[str, str, bool, Callable[[], str]]
"""Kind of the mutant, name of the subject, whether the proof accepts it, and a task that says how the runs differ."""


def accepts(original: Code, other: Code) -> bool:
    """Whether the symbolic proof takes both for the same."""
    return prove_instructions((original[0], other[0]), (original[1], other[1])).proven


def pairs_of(subject: Subject, dice: random.Random) -> Iterator[Tuple[str, Code, Code]]:
    """Functions of a subject, and the same in another shape."""
    for raw in some_functions(subject, dice):
        try:
            instructions = disassemble(raw)
        except DecompilationError:
            continue
        yield f"{subject.name}: {raw.qualname}", (raw, instructions), (raw, reshaped(instructions, dice))


def recorded_pairs(dice: random.Random) -> Iterator[Tuple[str, Code, Code]]:
    """Dynamo's code objects of the running Python without end, each with what its source was compiled to."""
    cases = [case for case in recorded_dynamo.cases() if len(case.code.co_code) < 1500]
    while cases:
        case = dice.choice(cases)
        try:
            found = analyze(case.code)
        except Exception:  # nothing is decompiled here: not what this attack is about
            continue
        assert found.code is not None
        original, other = load(case.code), load(found.code)
        yield case.label, (original, disassemble(original)), (other, disassemble(other))


def symbolic_attack(subject: Subject, dice: random.Random, limit: int = 5) -> Iterator[Found]:
    """Mutants of the functions of a subject in another shape."""
    for name, original, other in pairs_of(subject, dice):
        if accepts(original, other):
            yield from mutants_of(name, original, other, subject.plan, dice, limit)


def recorded_attack(pairs: Iterator[Tuple[str, Code, Code]], dice: random.Random, limit: int = 10) -> Iterator[Found]:
    """Mutants of what one more of Dynamo's codes was decompiled and compiled to."""
    for name, original, other in pairs:
        if accepts(original, other):
            yield from mutants_of(name, original, other, Plan(), dice, limit)
            return


def mutants_of(
    name: str, original: Code, other: Code, plan: Plan, dice: random.Random, limit: int
) -> Iterator[Found]:
    """Mutants of ``other``, which is proven to do what ``original`` does."""
    for _ in range(limit):
        made = instruction_mutants.mutate(other[1], dice) if dice.random() < 0.9 else delayed(other[1], dice)
        if made is not None and is_code(made.instructions[made.at]):
            accepted = accepts(original, (other[0], made.instructions))
            yield f"symbolic: {made.change}", name, accepted, comparison(original, other, made, plan)


def delayed(instructions: List[Instruction], dice: random.Random) -> Any:
    """A handler ends later, or earlier: one POP_EXCEPT changes places with what leaves the stack as it was."""
    places = [index for index, ins in enumerate(instructions) if ins.op == "POP_EXCEPT"]
    if not places:
        return None
    at = dice.choice(places)
    near = range(max(0, at - 12), min(len(instructions), at + 12))
    ends = [end for end in near if end != at and balanced(instructions[end:at] or instructions[at + 1 : end + 1])]
    if not ends:
        return None
    end = dice.choice(ends)
    changed = instruction_mutants.copies(instructions)
    changed.insert(end, changed.pop(at))
    return instruction_mutants.Mutant("delayed", at, changed)


def balanced(instructions: List[Instruction]) -> bool:
    """Whether these run one after the other, touch nothing below them on the stack, and leave nothing there."""
    depth = 0
    for ins in instructions:
        pops, pushes = stack_use(ins)
        if ins.target >= 0 or ins.op in NO_FALL_THROUGH or depth < pops or ins.op in ("SWAP", "COPY"):
            return False
        depth += pushes - pops
    return depth == 0


def is_code(ins: Instruction) -> bool:
    """Whether there is such an instruction: the dice gives operations operands of others."""
    named = ins.op.endswith(("_FAST", "_DEREF", "_NAME", "_GLOBAL", "_CLOSURE", "_ATTR"))
    return not named or type(ins.arg) is str or ins.op == "LOAD_SUPER_ATTR"


def comparison(original: Code, other: Code, made: Any, plan: Plan, seeds: int = 24) -> Callable[[], str]:
    """A task: how runs of the mutant differ from those of the original; '' if they do not."""

    def compare() -> str:
        for seed in range(seeds):
            try:
                left = machine_run(*original, seed, plan)
                right = machine_run(other[0], made.instructions, seed, plan)
            except canonical_machine.CannotRun as error:
                return f"not run: {error}"
            if left != right:
                line = f"at {made.at}: {other[1][made.at]} became {made.instructions[made.at]}"
                return f"{line}; seed {seed}: {first_difference(left, right)}"
        return ""

    return compare
