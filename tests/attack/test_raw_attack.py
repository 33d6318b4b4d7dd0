"""A small raw attack on the running interpreter, and raw attacks on a depyf with a planted weakness."""

from __future__ import annotations

import ast
import dis
import random

import pytest
import standins

from attack.raw import exception_table, judge, mutants, shrink, tables
from attack.raw.instructions import units
from attack.subjects import Subject, construct_subjects
from depyf.decompiler.bytecode.decoding.rules import RULES
from depyf.decompiler.proof.symbolic.matching import ITER, Matching

SEED, NUMBERS = 32, 100
SUBJECTS = {subject.name.partition(".")[2]: subject for subject in construct_subjects()}
for name, text in {
    "comparisons": "def f(a, b):\n if a < b: return a(1)\n return a == b, a >= b",
}.items():
    SUBJECTS[name] = Subject(name, ast.parse(text), standins.Plan(frozenset({"E"})))


def attacked(name, kinds, count, seed=1):
    """Mutants of one construct, and what became of each."""
    dice = random.Random(seed)
    source = mutants.source_of(SUBJECTS[name], dice, alone=False)
    made = [one for one in (mutants.mutant_of(source, dice, kinds) for _ in range(count)) if one is not None]
    return list(zip(made, judge.outcomes(made)))


def test_no_proven_mutant_is_harmful():
    made = [one for one in (mutants.mutant(SEED, number) for number in range(NUMBERS)) if one is not None]
    counts: tables.Counts = {}
    harmful = []
    for one, outcome in zip(made, judge.outcomes(made)):
        tables.count(counts, one.kind, outcome.kind)
        if outcome.kind == "harmful":
            harmful.append((one.title, outcome.reason))
    assert harmful == []
    total = tables.total(counts)
    assert total["tried"] > 0.9 * NUMBERS
    assert total["proven"] - total["crashed"] > total["tried"] / 5
    assert total["slow"] <= total["tried"] / 50
    assert len(counts) > 12


def iterators_are_taken_for_granted(monkeypatch):
    def skips_iter(self, pair, event, other):
        if event.op != "GET_ITER" or event == other:
            return False
        self.assumptions[ITER] = None
        return True

    monkeypatch.setattr(Matching, "skips_iter", skips_iter)


def reader_forgets_operators(monkeypatch):
    """All comparisons are read as the one that the version numbers first."""
    for name, rule in RULES.items():
        if name.startswith("comparison"):
            forgetful = lambda decoder, row, argument, offset, rule=rule: rule(decoder, row, 0, offset)  # noqa: E731
            monkeypatch.setitem(RULES, name, forgetful)


WEAKNESSES = {
    # Each with a construct that suffers from it, and the kind of change.
    iterators_are_taken_for_granted: ("handler_in_loop", "NOP"),
    reader_forgets_operators: ("comparisons", "another operand"),
}


@pytest.mark.parametrize("weaken", WEAKNESSES)
def test_a_weakness_is_found_out(weaken, monkeypatch):
    name, kind = WEAKNESSES[weaken]
    assert "harmful" not in {outcome.kind for _, outcome in attacked(name, [kind], 30)}
    weaken(monkeypatch)
    assert "harmful" in {outcome.kind for _, outcome in attacked(name, [kind], 30)}


def source(text):
    code = compile(text, "<test>", "exec", dont_inherit=True)
    return mutants.Source("test", code, False, True, standins.Plan())


def unchanged(text):
    given = source(text)
    return mutants.Mutant(0, 0, "none", "none", "<module>", given, given.code, {})


PROVEN = ("exact",)


@pytest.mark.parametrize(
    "mutant, text, kind",
    [
        ("def f(a): return a(1)", "def f(a): return a(1)", "proven"),
        ("def f(a): return a(1)", "def f(a): return a(1.0)", "harmful"),
        ("def f(a): return a(1)", "def f(a): return a(1", "broken"),
        ("def f(a): return a(1)", "def f(a):\n while True: pass", "harmful"),
        ("def f(a):\n while True: pass", "def f(a): return 1", "crashed"),
        ("import os\ndef f(a):\n f.__globals__['os']._exit(1)", "def f(a): return 1", "harmful"),
    ],
)
def test_what_the_judge_says(mutant, text, kind, monkeypatch):
    monkeypatch.setattr(judge, "SECONDS_TO_RUN", 1)
    monkeypatch.setattr(judge, "analysed", lambda one: judge.as_json(judge.Analysed(text, PROVEN, ())))
    (outcome,) = judge.outcomes([unchanged(mutant)])
    assert outcome.kind == kind, outcome.reason


def test_an_expression_is_compiled_as_one():
    """What looks like a docstring is the value that the code returns."""
    given = source("pass")
    made = mutants.Mutant(0, 0, "none", "none", "<module>", given, compile("'text'", "<test>", "eval"), {})
    (outcome,) = judge.outcomes([made])
    assert outcome.kind == "proven", outcome.reason


def test_a_callee_sees_the_variables_of_its_caller():
    text = "def f(a):\n b = a\n return a()"
    code, other = source(text).code, source(text.replace("b", "c")).code
    seen, blind = standins.Plan(peeks=True), standins.Plan()
    assert any(standins.run_module(code, seed, seen) != standins.run_module(other, seed, seen) for seed in range(9))
    assert all(standins.run_module(code, seed, blind) == standins.run_module(other, seed, blind) for seed in range(9))


def test_a_number_gives_the_same_mutant_each_time():
    one, other = mutants.mutant(3, 5), mutants.mutant(3, 5)
    assert (one.title, one.code.co_code) == (other.title, other.code.co_code)
    assert len({mutants.mutant(3, number).title.partition(" ")[2] for number in range(12)}) > 10


def test_a_mutant_differs_from_its_original_in_its_fields_alone():
    for number in range(20):
        one = mutants.mutant(8, number)
        assert one.fields
        before = [mutants.part_at(one.source.code, path) for path in mutants.paths(one.source.code)]
        after = [mutants.part_at(one.code, path) for path in mutants.paths(one.code)]
        if len(before) == len(after):
            changed = {
                field for a, b in zip(before, after) for field in FIELDS if getattr(a, field) != getattr(b, field)
            }
            assert changed <= set(one.fields) | {"co_consts"}


FIELDS = ("co_code", "co_names", "co_varnames", "co_flags", "co_stacksize", "co_name", "co_argcount", "co_consts")


def test_code_is_divided_as_dis_divides_it():
    code = compile("def f(a):\n for x in a:\n  with x: a.b(x)[1] = 2", "<test>", "exec").co_consts[0]
    found = [(unit.offset, unit.opcode) for unit in units(code.co_code)]
    assert [(i.offset, i.opcode) for i in dis.get_instructions(code) if i.opname != "CACHE"] == found


def test_exception_tables_are_read_and_written():
    rows = [exception_table.Row(1, 70, 5000, 3, True), exception_table.Row(70, 71, 9, 0, False)]
    assert exception_table.parse(exception_table.write(rows)) == rows
    code = compile("try: a()\nfinally: b()", "<test>", "exec")
    table = getattr(code, "co_exceptiontable", b"")
    assert exception_table.write(exception_table.parse(table)) == table


def test_a_harmful_mutant_is_made_smaller(monkeypatch):
    """Here harmful is whatever calls its argument with 7."""
    kinds = {True: "harmful", False: "proven"}
    judged = lambda made: [judge.Outcome(kinds[calls_with_seven(one)]) for one in made]  # noqa: E731
    monkeypatch.setattr(shrink, "outcomes", judged)
    one = unchanged("def f(a):\n a(1)\n a(7)\n return a(2)")
    small, outcome = shrink.shrunk(one)
    assert outcome.kind == "harmful"
    assert calls_with_seven(small)
    left = [i.opname for i in dis.get_instructions(small.code.co_consts[0]) if i.opname not in ("NOP", "CACHE")]
    assert len(left) <= 2


def calls_with_seven(one):
    functions = [value for value in one.code.co_consts if hasattr(value, "co_code")]
    return any(i.argval == 7 for i in dis.get_instructions(functions[0])) if functions else False


def test_the_table_has_a_row_for_each_version_and_kind():
    counts: tables.Counts = {}
    for outcome in ("proven", "harmful", "crashed", "refused"):
        tables.count(counts, "NOP", outcome)
    text = tables.markdown({"3.11": counts, "3.12": counts})
    assert "| 3.11 | 4 | 3 | 1 | 1 | 1 | 0 | 0 |" in text
    assert "| all | 8 | 6 | 2 | 2 | 2 | 0 | 0 |" in text
    assert "| NOP | 8 | 6 | 2 | 2 | 2 | 0 | 0 |" in text
