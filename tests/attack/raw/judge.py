"""What becomes of a mutant: what `depyf.analyze` says of it, and whether its text, compiled, does the same as it.

Everything happens in child processes, since a mutant may kill or hang the interpreter. What looks harmful, or crashes,
is tried again in a child of its own: a mutant that has destroyed memory may have changed what came after it.
"""

from __future__ import annotations

import functools
import json
import types
import warnings
from typing import Any, Callable, Dict, List, NamedTuple, Sequence, Tuple

import standins

import depyf
from attack.children import in_child
from attack.observed import first_difference
from attack.raw.mutants import Mutant
from depyf.decompiler.proof.symbolic.prove import UNSEEN
from depyf.errors import DepyfError

SEEDS = (8, 32)
EVENTS = 4000
"""Seeds of a comparison: the first number at least, the second if that takes no more than so many events."""
SECONDS_TO_ANALYSE = 20
SECONDS_TO_RUN = 10
BATCH = 40
KINDS = ("harmful", "proven", "crashed", "refused", "slow", "broken")


class Outcome(NamedTuple):
    """``kind`` is one of KINDS.

    proven: both sides did the same; harmful: they did not; crashed: proven, but the mutant kills or hangs the
    interpreter, or does not do the same twice; refused: not proven; slow: no answer in time; broken: an exception that
    is not depyf's, or a proven text that does not compile.
    """

    kind: str
    reason: str = ""
    text: str = ""
    levels: str = ""


class Analysed(NamedTuple):
    """``levels`` are those of all code objects; empty if one of them is not proven."""

    text: str
    levels: Tuple[str, ...]
    assumptions: Tuple[str, ...]
    reason: str = ""
    broken: bool = False
    spelled: bool = False
    mode: str = "exec"  # of compile(), for the text


def outcomes(mutants: Sequence[Mutant], seeds: Tuple[int, int] = SEEDS) -> List[Outcome]:
    found: List[Outcome] = []
    for first in range(0, len(mutants), BATCH):
        found += _of_batch(mutants[first : first + BATCH], seeds)
    return found


def _of_batch(batch: Sequence[Mutant], seeds: Tuple[int, int]) -> List[Outcome]:
    answers = in_child([functools.partial(analysed, one) for one in batch], SECONDS_TO_ANALYSE)
    results: Dict[int, Outcome] = {}
    to_run: Dict[int, Analysed] = {}
    for place, answer in enumerate(answers):
        if not answer.startswith("{"):
            kind = "slow" if answer == "endless" else "broken"
            results[place] = Outcome(kind, f"analysis: {answer}")
            continue
        one = Analysed(**json.loads(answer))
        if one.broken:
            results[place] = Outcome("broken", one.reason, one.text)
        elif not one.levels:
            results[place] = Outcome("refused", one.reason, one.text)
        else:
            to_run[place] = one
    tasks = [functools.partial(compared, batch[place], one, seeds) for place, one in to_run.items()]
    for (place, one), answer in zip(to_run.items(), in_child(tasks, SECONDS_TO_RUN)):
        outcome = Outcome("proven", "", one.text, " ".join(one.levels))
        results[place] = confirmed(batch[place], one, seeds, outcome) if answer else outcome
    return [results[place] for place in range(len(batch))]


def confirmed(mutant: Mutant, one: Analysed, seeds: Tuple[int, int], outcome: Outcome) -> Outcome:
    """The outcome of a mutant whose runs were not the same or did not end, each question in a child of its own."""
    (alone,) = in_child([functools.partial(runs, mutant, one, seeds, True)], SECONDS_TO_RUN)
    if alone:
        return outcome._replace(kind="crashed", reason=f"the mutant: {alone}")
    (answer,) = in_child([functools.partial(compared, mutant, one, seeds)], SECONDS_TO_RUN)
    if not answer:
        return outcome
    if answer.startswith(("endless", "died")):
        (other,) = in_child([functools.partial(runs, mutant, one, seeds, False)], SECONDS_TO_RUN)
        if not other:
            return outcome._replace(kind="crashed", reason=f"only both together: {answer}")
        answer = f"the text: {other}"
    if answer.startswith("broken"):
        return outcome._replace(kind="broken", reason=answer)
    return outcome._replace(kind="harmful", reason=answer)


# In children


def analysed(mutant: Mutant) -> str:
    try:
        result = depyf.analyze(mutant.code)
        verdicts = [part.verdict for part in result.walk()]
        unproven = [verdict for verdict in verdicts if not verdict.proven]
        levels = () if unproven else tuple(sorted({verdict.level.value for verdict in verdicts}))
        assumptions = tuple(sorted({text for verdict in verdicts for text in verdict.assumptions}))
        reason = "; ".join(unproven[0].reasons) if unproven else ""
        put_back = any("put back" in reason for verdict in verdicts for reason in verdict.reasons)
        spelled = put_back or any(part.spelled for part in result.walk())
        found = Analysed(result.source, levels, assumptions, reason, spelled=spelled, mode=result.mode)
    except DepyfError as error:
        found = Analysed("", (), (), str(error))
    except BaseException as error:
        found = Analysed("", (), (), f"{type(error).__name__}: {error}", True)
    return as_json(found)


def as_json(found: Analysed) -> str:
    return json.dumps(found._asdict())


def code_of_text(mutant: Mutant, one: Analysed) -> types.CodeType:
    """The text's code, by CPython alone.

    By `depyf.recompile` for a function that is not on a module's own level, or where the text marks names or constants.
    """
    if not mutant.source.plain or one.spelled:
        return depyf.recompile(one.text, mutant.code)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = compile(one.text, "<text>", one.mode, dont_inherit=True, optimize=0)
    if not mutant.source.alone:
        return module
    functions = [value for value in module.co_consts if isinstance(value, types.CodeType)]
    return functions[-1]


def runner(mutant: Mutant) -> Callable[..., Tuple[Any, ...]]:
    return standins.run if mutant.source.alone else standins.run_module


def compared(mutant: Mutant, one: Analysed, seeds: Tuple[int, int]) -> str:
    """The first difference between runs of both sides; '' if there is none."""
    try:
        code = code_of_text(mutant, one)
    except Exception as error:
        return f"broken: {type(error).__name__}: {error}"
    run, plan, events = runner(mutant), plan_of(mutant, one), 0
    for seed in range(seeds[1]):
        left, right = run(mutant.code, seed, plan), run(code, seed, plan)
        if left != right:
            difference = first_difference(left, right).replace("mutant's", "text's")
            return f"seed {seed}: {difference}"
        events += len(left)
        if seed >= seeds[0] and events > EVENTS:
            break
    return ""


def runs(mutant: Mutant, one: Analysed, seeds: Tuple[int, int], of_mutant: bool) -> str:
    """Runs one side alone, twice with each seed; '' if it ends each time and does the same both times."""
    code = mutant.code if of_mutant else code_of_text(mutant, one)
    run, plan, events = runner(mutant), plan_of(mutant, one), 0
    for seed in range(seeds[1]):
        log = run(code, seed, plan)
        if log != run(code, seed, plan):
            return f"seed {seed}: not the same twice"
        events += len(log)
        if seed >= seeds[0] and events > EVENTS:
            break
    return ""


def plan_of(mutant: Mutant, one: Analysed) -> standins.Plan:
    """Callees look at their caller's variables, unless a verdict says that they are assumed not to."""
    plan = mutant.source.plan
    return standins.Plan(plan.exceptions, plan.lengths, plan.matches, iterators=plan.iterators, peeks=peeks(one))


def peeks(one: Analysed) -> bool:
    return UNSEEN not in one.assumptions
