"""The walk against thousands of one-instruction mutants: what it accepts must show the same in every made-up run."""

from __future__ import annotations

import random
from collections import Counter

from mutations import instructions as mutants

from depyf.decompiler.bytecode import disassemble
from depyf.decompiler.bytecode.instruction import CONDITIONAL_JUMPS, EXITS, NEVER_RAISES
from depyf.decompiler.proof.lockstep.bisimulation import lock_step
from depyf.decompiler.proof.lockstep.normalize import NotComparable, normalize, normalize_instructions

MODULES = ("constructs", "contextlib.py", "tarfile.py")
RUNS = 120
LOCK_STEP_PAIRS = {
    # Original and recompiled differ in their instructions, so that the walk and not the fast comparison decides.
    "continue": (
        "def f(a):\n for b in a:\n  if b: continue\n  try: b()\n  except E: g(b)\n  finally: del b",
        "def f(a):\n for b in a:\n  if not b:\n   try: b()\n   except E: g(b)\n   finally: del b",
    ),
    "tail": (
        "def f(a):\n if a: g(1)\n else: g(2)\n with a as b: h(a)\n return k(a, b)",
        "def f(a):\n if a:\n  g(1)\n  with a as b: h(a)\n  return k(a, b)\n g(2)\n with a as b: h(a)\n return k(a, b)",
    ),
    "peeled": (
        "def f(a, b):\n while a(b):\n  b = b or g(b)\n  if b[0] < b[1] < b[2]: break\n return b",
        "def f(a, b):\n if a(b):\n  b = b or g(b)\n  if not b[0] < b[1] < b[2]:\n"
        "   while a(b):\n    b = b or g(b)\n    if b[0] < b[1] < b[2]: break\n return b",
    ),
}


def accepted(form, raw, mutant):
    try:
        return lock_step(form, normalize_instructions(raw, mutant.instructions)).difference is None
    except NotComparable:
        return False


def test_accepted_mutants_are_harmless(sources, compile_text):
    dice = random.Random(20)
    made, passed, harmful = 0, [], []
    for module in MODULES:
        for raw in compile_text(sources[module]).walk():
            instructions, form = disassemble(raw), normalize(raw)
            for mutant in mutants.mutants(instructions, dice, 60):
                made += 1
                if accepted(form, raw, mutant):
                    line = f"{raw.qualname}: {mutant.change} at {mutant.at}: {instructions[mutant.at]}"
                    passed.append((mutant.change, line, instructions, mutant, raw))
                    if not mutants.same_traces(instructions, mutant.instructions, raw, RUNS):
                        harmful.append(line)
    assert harmful == []
    assert made > 4000
    unexplained = [
        line
        for change, line, instructions, mutant, raw in passed
        if not _meaningless(change, instructions, mutant)
        and mutant.at in mutants.ever_reached(instructions, raw, 5 * RUNS)
    ]
    assert unexplained == []
    assert len(passed) < 0.07 * made, Counter(change for change, *_ in passed)


def _meaningless(change, instructions, mutant):
    """Whether the change, by its kind alone, has no meaning."""
    one, changed = instructions[mutant.at], mutant.instructions[mutant.at]
    if change in ("handler", "no handler", "depth", "lasti"):
        if one.op in NEVER_RAISES or one.op in ("LOAD_FAST", "DELETE_FAST"):  # the latter: where bound
            return True
        if one.op in CONDITIONAL_JUMPS and instructions[mutant.at - 1].op in mutants.MAKES_BOOL:
            return True
        return change == "handler" and _same_tail(instructions, one.handler.target, changed.handler.target)
    if change == "swap":
        other = instructions[mutant.at + 1]
        return {"NOP", "NULL"} & {one.op, other.op} or (one.op, one.arg) == (other.op, other.arg)
    if change == "drop":  # an exit in front of the same one
        return one.op in EXITS and _same_tail(instructions, mutant.at, mutant.at + 1)
    return change == "target" and _same_tail(instructions, one.target, changed.target)


def _same_tail(instructions, left, right):
    """Whether the same straight code leads from both places out of the code, or to one place."""
    for _ in range(10):
        while instructions[left].op in ("NOP", "JUMP"):
            left = instructions[left].target if instructions[left].op == "JUMP" else left + 1
        while instructions[right].op in ("NOP", "JUMP"):
            right = instructions[right].target if instructions[right].op == "JUMP" else right + 1
        a, b = instructions[left], instructions[right]
        if left == right:
            return True
        if (a.op, a.arg, a.handler) != (b.op, b.arg, b.handler) or a.target >= 0:
            return False
        if a.op in EXITS:
            return True
        left, right = left + 1, right + 1
    return False


def test_mutants_of_pairs_that_only_lock_step_proves(compile_text):
    dice = random.Random(21)
    made, harmful = 0, []
    for name, (left, right) in LOCK_STEP_PAIRS.items():
        original, recompiled = compile_text(left).nested[0], compile_text(right).nested[0]
        form, instructions = normalize(original), disassemble(recompiled)
        assert lock_step(form, normalize(recompiled)).difference is None
        assert mutants.same_traces(disassemble(original), instructions, original, RUNS)
        for mutant in mutants.mutants(instructions, dice, 600):
            made += 1
            if accepted(form, recompiled, mutant) and not mutants.same_traces(
                disassemble(original), mutant.instructions, original, RUNS
            ):
                harmful.append(f"{name}: {mutant.change} at {mutant.at}: {instructions[mutant.at]}")
    assert harmful == []
    assert made > 600


def test_the_oracle_sees_most_mutants(sources, compile_text):
    """It would prove little to agree with an oracle that sees no differences."""
    dice = random.Random(22)
    rejected = seen = 0
    for raw in compile_text(sources["constructs"]).walk():
        instructions, form = disassemble(raw), normalize(raw)
        for mutant in mutants.mutants(instructions, dice, 40):
            if not accepted(form, raw, mutant):
                rejected += 1
                seen += not mutants.same_traces(instructions, mutant.instructions, raw, RUNS)
    assert rejected > 200
    assert seen > 0.9 * rejected
