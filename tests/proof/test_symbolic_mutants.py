"""Planted bugs: the symbolic proof rejects them, or they change nothing that stand-ins can see."""

from __future__ import annotations

import pytest
import recorded_dynamo
import standins
from mutations import source
from one_engine import analyze

from depyf.decompiler.bytecode import load
from depyf.decompiler.proof import prove_all
from depyf.decompiler.proof.symbolic.prove import prove_symbolic
from depyf.decompiler.recompile import recompile
from depyf.errors import DecompilationError

CASES = [case for case in recorded_dynamo.cases(sample=80) if len(case.code.co_code) < 1200]
EVERY = 31
"""One mutant of so many is tried, another one for each case."""


@pytest.mark.parametrize("part", range(4))
def test_no_planted_bug_is_proven(part: int):
    rejected = passed = 0
    for number, case in enumerate(CASES):
        if number % 4 != part:
            continue
        try:
            text = analyze(case.code).text
        except DecompilationError:
            continue
        original = load(case.code)
        for kind, mutant in source.texts(text, number % EVERY, EVERY):
            try:
                code = recompile(mutant, case.code, "<mutant>")
            except DecompilationError:
                continue
            proofs = prove_all(original, load(code), symbolic=prove_symbolic)
            if all(verdict.proven for verdict, _ in proofs.values()):
                passed += 1
                assert standins.same(case.code, code, seeds=8), (case.label, kind, mutant)
            else:
                rejected += 1
    assert rejected > 50
    assert passed < rejected  # dead stores, deletions, silent statements in another order
