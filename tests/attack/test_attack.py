"""A small attack on the proof, and attacks on proofs with a planted weakness, which must succeed."""

from __future__ import annotations

import ast
import importlib
import mmap
import os
import random
import threading

import pytest
import standins
from mutations.source import edits, mutant

from attack import children
from attack.attack import attack, comparison, instruction_attack, proven, source_attack
from attack.observed import compiled
from attack.rewritings import rewritten
from attack.subjects import Subject, construct_subjects
from depyf.decompiler.proof import constants, metadata
from depyf.decompiler.proof.lockstep import bisimulation, normalize, steps

prove = importlib.import_module("depyf.decompiler.proof.prove")  # the package has a function of that name

PLAN = standins.Plan(frozenset("EF"))


def test_no_accepted_mutant_is_harmful():
    report = attack(400, 11).as_dict()
    assert report["examples"] == []
    assert report["tried"] >= 400
    assert report["accepted"] > 10
    assert report["not_run"] <= report["accepted"] / 10
    assert report["rejected_told_apart"] > report["rejected_run"] / 2
    assert len(report["kinds"]) > 50


def forget_argument_kinds(monkeypatch):
    monkeypatch.setattr(prove, "metadata_differences", lambda a, b, names=True: ())


def forget_types_of_constants(monkeypatch):
    untyped = lambda value: constants.CODE if hasattr(value, "qualname") else value  # noqa: E731
    monkeypatch.setattr(prove, "constant_key", untyped)
    monkeypatch.setattr(normalize, "constant_key", untyped)


def forget_operands(monkeypatch):
    monkeypatch.setattr(prove, "differing_fields", lambda a, b: ["code"])
    monkeypatch.setattr(prove, "same_instructions", lambda a, b: False)
    init = steps.Steps.__init__

    def forgetful(self, form, **options):
        init(self, form, **options)
        self.args = [None if op == "LOAD_ATTR" else arg for op, arg in zip(self.ops, self.args)]

    monkeypatch.setattr(steps.Steps, "__init__", forgetful)


def loads_never_raise(monkeypatch):
    silent = steps._SILENT_STEPS | {"LOAD_FAST"}
    monkeypatch.setattr(steps, "_SILENT_STEPS", silent)
    monkeypatch.setattr(prove, "same_instructions", lambda a, b: False)


def nothing_is_unbound(monkeypatch):
    monkeypatch.setattr(bisimulation, "may_be_unbound", lambda form: frozenset())


def forget_handlers(monkeypatch):
    monkeypatch.setattr(bisimulation._LockstepWalk, "handlers", lambda self, i, j: "")
    monkeypatch.setattr(prove, "same_instructions", lambda a, b: False)


def forget_false_edges(monkeypatch):
    walk = bisimulation._LockstepWalk.walk

    def forgetful(self):
        self.left.no, self.right.no = [-1] * len(self.left.no), [-1] * len(self.right.no)
        return walk(self)

    monkeypatch.setattr(bisimulation._LockstepWalk, "walk", forgetful)
    monkeypatch.setattr(prove, "same_instructions", lambda a, b: False)


def forget_nested_code(monkeypatch):
    monkeypatch.setattr(prove, "nested_pairs", lambda a, b: ())
    monkeypatch.setattr(prove, "differing_fields", lambda a, b: ["code"])


def forget_flags(monkeypatch):
    monkeypatch.setattr(metadata, "_own_flags", lambda raw: 0)


WEAKNESSES = {
    # Each with constructs that suffer from it; the attack at large meets all of them.
    forget_argument_kinds: ("positional", "closures"),
    forget_types_of_constants: ("constants", "loops_over_constants"),
    forget_operands: ("stores", "calls"),
    loads_never_raise: ("unbound", "unbound_by_handler", "deleted_cell", "unbound_in_loop"),
    nothing_is_unbound: ("unbound", "unbound_by_handler", "handler_in_loop"),
    forget_handlers: ("tries", "nested_tries"),
    forget_false_edges: ("whiles", "booleans"),
    forget_nested_code: ("closures", "comprehensions"),
    forget_flags: ("generator", "calls"),
}


@pytest.mark.parametrize("weaken", WEAKNESSES)
def test_a_weak_proof_is_found_out(weaken, monkeypatch):
    """Until the first harmful mutant; a weakness that this does not find would make the attack worth nothing."""
    weaken(monkeypatch)
    dice = random.Random(3)
    names = [f"constructs.{name}" for name in WEAKNESSES[weaken]]
    chosen = [one for one in construct_subjects() if one.name in names]
    assert len(chosen) == len(names)
    for _ in range(60):
        for one in chosen:
            tried = [*source_attack(one, dice, 6), *instruction_attack(one, dice, 6)]
            accepted = [t for t in tried if t.accepted and t.kind != "local made cell"][:12]
            found = children.in_child([t.compare for t in accepted])
            if any(difference.startswith(("seed", "at ")) for difference in found):
                return
    pytest.fail("not found")


def subject(text):
    return Subject("text", ast.parse(text), PLAN)


def test_every_kind_of_edit_fits_somewhere():
    kinds = {kind for subject in construct_subjects() for kind, _ in edits(subject.tree)}
    assert len(kinds) > 100


def test_an_edit_changes_a_copy():
    tree = ast.parse("def f(a):\n if a: return 1\n return 2")
    before = ast.dump(tree)
    dice = random.Random(1)
    assert len({ast.dump(mutant(tree, dice)[1]) for _ in range(60)}) > 15
    assert ast.dump(tree) == before


def test_most_rewritings_are_proven():
    dice = random.Random(5)
    found = changed = 0
    for one in [*construct_subjects()] * 3:
        other = rewritten(one.tree, dice, 2)
        original, code = compiled(one.tree), compiled(other)
        if original is not None and code is not None and ast.dump(other) != ast.dump(one.tree):
            changed += 1
            found += proven(original, code, symbolic=True)[0]
    assert changed > 10
    assert found > 0.7 * changed


HARMFUL = {
    "moved into a handler": (
        "def f(a):\n try: return a()\n except E: pass\n return a(1)",
        "def f(a):\n try: return a()\n except E: return a(1)",
    ),
    "unbound": (
        "def f(a):\n if a: b = 1\n try: a()\n except: return 2\n return b",
        "def f(a):\n if a: b = 1\n try:\n  a()\n  return b\n except: return 2",
    ),
    "signature": ("def f(a, b): pass", "def f(a, /, b): pass"),
    "constant": ("def f(a): return a(0.0)", "def f(a): return a(-0.0)"),
    "docstring": ("def f(a): 'x'", "def f(a): 'y'"),
    "generator": ("def f(a): return iter([a])", "def f(a): yield a"),
    "cause": ("def f(a): raise E from None", "def f(a): raise E"),
    "nested": ("def f(a): return lambda: a", "def f(a): return lambda: a()"),
    "method of a class": ("class C:\n def f(self): return 1", "class C:\n def f(self): return 2"),
    "genexpr": ("def f(a): return (b for b in a)", "def f(a): return (b for b in a if b)"),
    "coroutine": ("async def f(a): await a", "async def f(a): await a(1)"),
    "asynchronous generator": ("async def f(a): yield a", "async def f(a): yield a()"),
    "decorator": ("@a\n@b\ndef f(): pass", "@b\n@a\ndef f(): pass"),
    "order of dictionary": ("def f(a): return {1: a, 2: a}", "def f(a): return {2: a, 1: a}"),
    "swallowing": ("def f(a):\n with a: a()\n return 1", "def f(a):\n with a:\n  a()\n  return 1"),
}


@pytest.mark.parametrize("name", HARMFUL)
def test_stand_ins_see_the_difference(name):
    left, right = map(subject, HARMFUL[name])
    one, other = compiled(left.tree), compiled(right.tree)
    assert comparison(one, one, PLAN, left.tree)() == ""
    assert comparison(one, other, PLAN, right.tree)() != ""


def test_a_run_without_end_is_cut_off():
    tree = ast.parse("def f(a):\n while True:\n  try: a()\n  except: pass")
    first, second = (standins.run_module(compiled(tree), 1) for _ in range(2))
    assert first == second
    assert len(first) == standins.MOST_EVENTS


def test_a_child_that_dies_or_hangs_costs_one_result(monkeypatch):
    monkeypatch.setattr(children, "SECONDS", 1)

    def hang():
        while True:
            pass

    results = children.in_child([lambda: "a", lambda: os._exit(3), lambda: "b", hang, lambda: "c"])
    assert results[0] == "a" and results[1].startswith("died") and results[2:] == ["b", "endless", "c"]


def test_a_task_in_a_large_process_may_start_a_thread(monkeypatch):
    monkeypatch.setattr(children, "SECONDS", 1)

    def task():
        thread = threading.Thread(target=len, args=("",))
        thread.start()
        thread.join()
        return "a"

    with mmap.mmap(-1, 6 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)):
        assert children.in_child([task]) == ["a"]
    assert children.in_child([lambda: "" if bytearray(2 * children.BYTES) else "b"])[0].startswith("died")
