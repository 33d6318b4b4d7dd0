"""Functions on the canonical machine beside CPython's own runs of the same code objects: the same log, or a bug.

What this checks is the reading of bytecode: that canonical instructions mean what the code object does.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any, Dict, Iterator, List, Tuple

import canonical_machine
import standins
from standins import Plan

from attack.children import in_child
from attack.observed import compiled, first_difference
from attack.subjects import Subject, construct_subjects, subjects
from depyf.decompiler.bytecode import Instruction, RawCode, disassemble, load
from depyf.errors import DecompilationError

SEEDS = 10
CANNOT = "cannot run: "
REFUSED = "refused: "


def machine_run(raw: RawCode, instructions: List[Instruction], seed: int, plan: Plan) -> Tuple[Any, ...]:
    """The log of a run on the canonical machine. Raises CannotRun for an operation that the machine lacks."""

    def caller(code: Any, namespace: Any, cells: Any, positional: Any, named: Any) -> Any:
        bound = canonical_machine.variables(raw, positional, named)
        return canonical_machine.call(raw, instructions, bound, namespace, cells, unknown.append)

    unknown: List[str] = []
    assert raw.code is not None
    log = standins.run(raw.code, seed, plan, caller)
    if unknown:
        raise canonical_machine.CannotRun(unknown[0])
    return log


def compare(raw: RawCode, plan: Plan, seeds: int = SEEDS) -> str:
    """How the machine's runs of one function differ from CPython's; '' if they do not."""
    assert raw.code is not None
    try:
        instructions = disassemble(raw)
        for seed in range(seeds):
            ours, native = machine_run(raw, instructions, seed, plan), standins.run(raw.code, seed, plan)
            if ours != native:
                return f"seed {seed}: CPython and the machine: {first_difference(native, ours)}"
    except DecompilationError as error:
        return f"{REFUSED}{error}"
    except canonical_machine.CannotRun as error:
        return f"{CANNOT}{error}"
    return ""


def functions(subject: Subject) -> Iterator[RawCode]:
    """The functions of a subject."""
    code = compiled(subject.tree)
    if code is not None:
        yield from (raw for raw in load(code).walk() if raw.is_function)


def check(count: int, seed: int) -> Dict[str, Any]:
    """All constructs and ``count`` functions of the library."""
    todo: List[Tuple[str, RawCode, Plan]] = []
    for subject in construct_subjects():
        todo.extend((subject.name, raw, subject.plan) for raw in functions(subject))
    constructs = len(todo)
    for subject in subjects(random.Random(seed)):
        if len(todo) - constructs >= count:
            break
        if not subject.name.startswith("constructs."):  # all of them are there already
            todo.extend((subject.name, raw, subject.plan) for raw in functions(subject))
    same, different = 0, []
    reasons: Counter[str] = Counter()
    results = in_child([lambda raw=raw, plan=plan: compare(raw, plan) for _, raw, plan in todo])
    for (name, raw, _), result in zip(todo, results):
        if result.startswith((CANNOT, REFUSED, "endless")):
            reasons[result] += 1
        elif result:
            different.append(f"{name}: {raw.qualname}: {result}")
        else:
            same += 1
    not_run = sum(reasons.values())
    return {"same": same, "different": different, "not_run": not_run, "reasons": dict(reasons.most_common())}
