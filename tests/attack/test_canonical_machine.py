"""CPython runs the code object, the machine runs the canonical instructions: the same log."""

from __future__ import annotations

import random
import sys
import threading

import pytest
import standins

from attack.machine_runs import check, compare, machine_run
from attack.subjects import construct_subjects
from depyf.decompiler.bytecode import disassemble, load


def test_functions_do_on_the_machine_what_they_do_in_cpython():
    result = check(100, 7)
    assert result["different"] == []
    assert result["same"] > 150
    assert result["not_run"] < result["same"] / 20


def function(text):
    return load(compile(text, "<text>", "exec", dont_inherit=True)).nested[0]


BENT = {
    # A change of the instructions that the machine must notice: from one operand or operation to another.
    "operand": ("def f(a): return a + 1", "BINARY_OP", lambda i: setattr(i, "arg", "-")),
    "constant": ("def f(a): return a(1)", "CONST", lambda i: setattr(i, "arg", True)),
    "handler": ("def f(a):\n try: return a()\n except: return 1", "CALL", lambda i: setattr(i, "handler", None)),
    "jump": (
        "def f(a):\n if a: return 1\n return 2",
        "POP_JUMP_IF_FALSE",
        lambda i: setattr(i, "op", "POP_JUMP_IF_TRUE"),
    ),
    "handled": (
        "def f(a):\n try: a()\n except E as e: pass\n a()",
        "POP_EXCEPT",
        lambda i: (setattr(i, "op", "SWAP"), setattr(i, "arg", 1)),
    ),
    "yield": ("def f(a):\n b = yield a\n a(b)", "YIELD_VALUE", lambda i: setattr(i, "op", "NOP")),
}


@pytest.mark.parametrize("name", BENT)
def test_the_machine_notices_bent_instructions(name):
    text, op, bend = BENT[name]
    raw = function(text)
    plan = standins.Plan(frozenset("E"))
    assert compare(raw, plan, 30) == ""
    instructions = disassemble(raw)
    bend(next(i for i in reversed(instructions) if i.op == op))
    assert any(machine_run(raw, instructions, s, plan) != standins.run(raw.code, s, plan) for s in range(30))


def test_runs_on_stand_ins_reach_most_of_the_code():
    reached = total = 0
    for subject in construct_subjects():
        code = compile(subject.tree, "<construct>", "exec")
        lines = {line for raw in load(code).walk() for _, line in _lines(raw)}
        seen: set[int] = set()
        for seed in range(32):
            seen |= _traced(code, seed, subject.plan)
        total += len(lines)
        reached += len(lines & seen)
    assert reached > 0.9 * total


def _lines(raw):
    return [(i.offset, i.line) for i in disassemble(raw) if i.line]


def _traced(code, seed, plan):
    seen = set()

    def trace(frame, event, arg):
        if frame.f_code.co_filename != "<construct>":
            return None
        if event == "line":
            seen.add(frame.f_lineno)
        return trace

    threading.settrace(trace)
    try:
        standins.run_module(code, seed, plan)
    finally:
        threading.settrace(None)
        sys.settrace(None)
    return seen


def test_logs_depend_on_the_seed_alone():
    dice = random.Random(1)
    for subject in dice.sample(list(construct_subjects()), 12):
        code = compile(subject.tree, "<construct>", "exec")
        logs = [standins.run_module(code, seed, subject.plan) for seed in range(8)]
        assert logs == [standins.run_module(code, seed, subject.plan) for seed in range(8)]
        assert len(set(map(repr, logs))) > 1
