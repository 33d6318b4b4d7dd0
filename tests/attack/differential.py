"""Functions beside what the decompiler made of them, on stand-ins: the same log, or a bug. No proof takes part."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from typing import Any, Dict, List, Tuple

import standins

import depyf
from attack.children import in_child
from attack.observed import compiled, first_difference
from attack.subjects import Subject, construct_subjects, subjects

SEEDS = 24
NOT_PROVEN = "not proven: "


def compare(subject: Subject, seeds: int = SEEDS) -> str:
    """How the decompiled subject differs from the original; '' if it does not."""
    code = compiled(subject.tree)
    if code is None:
        return NOT_PROVEN + "does not compile"
    result = depyf.analyze(code)
    unproven = [r for r in result.walk() if not r.verdict.proven]
    if unproven:
        return NOT_PROVEN + unproven[0].verdict.describe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = compile(result.source, "<decompiled>", "exec", dont_inherit=True, optimize=0)
    for seed in range(seeds):
        one, other = (standins.run_module(c, seed, subject.plan) for c in (code, again))
        if one != other:
            return f"seed {seed}: {first_difference(one, other)}\n{result.source}"
    return ""


def check(count: int, seed: int) -> Dict[str, Any]:
    """All constructs and ``count`` definitions of the library."""
    todo: List[Subject] = list(construct_subjects())
    total = len(todo) + count
    for subject in subjects(random.Random(seed)):
        if len(todo) >= total:
            break
        if not subject.name.startswith("constructs."):
            todo.append(subject)
    results = in_child([lambda s=s: compare(s) for s in todo])
    return summary(list(zip([s.name for s in todo], results)))


def summary(results: List[Tuple[str, str]]) -> Dict[str, Any]:
    reasons: Counter[str] = Counter()
    different = []
    for name, result in results:
        if result.startswith(NOT_PROVEN) or result == "endless":
            reasons[result.split("\n")[0][:160]] += 1
        elif result:
            different.append(f"{name}: {result}")
    not_run = sum(reasons.values())
    same = len(results) - len(different) - not_run
    return {"same": same, "different": different, "not_run": not_run, "reasons": dict(reasons.most_common())}
