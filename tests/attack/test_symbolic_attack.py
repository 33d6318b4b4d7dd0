"""A small attack on the symbolic proof, and attacks on symbolic proofs with a planted weakness, which must succeed."""

from __future__ import annotations

import random

import pytest
import standins

from attack import children
from attack.attack import attack
from attack.reshaped import STATE, reshaped
from attack.subjects import construct_subjects
from attack.symbolic import accepts, mutants_of, pairs_of, recorded_attack, recorded_pairs
from depyf.decompiler.bytecode import disassemble, load
from depyf.decompiler.proof.symbolic import liveness as symbolic_liveness
from depyf.decompiler.proof.symbolic import matching as symbolic_matching
from depyf.decompiler.proof.symbolic import memo as symbolic_memo
from depyf.decompiler.proof.symbolic import prove as symbolic
from depyf.decompiler.proof.symbolic import state as symbolic_state
from depyf.decompiler.proof.symbolic import steps as steps

PLAN = standins.Plan(frozenset("EF"))


def test_no_accepted_mutant_is_harmful():
    report = attack(250, 11, "symbolic").as_dict()
    assert report["examples"] == []
    assert report["tried"] >= 250
    assert report["accepted"] > 10
    assert report["not_run"] <= report["accepted"] / 10


def test_nearly_all_code_in_another_shape_is_proven():
    dice = random.Random(4)
    tried = proven = states = 0
    for one in construct_subjects():
        for _, original, other in pairs_of(one, dice):
            tried += 1
            proven += accepts(original, other)
            states += any(i.op == "LOAD_FAST" and i.arg.startswith(STATE) for i in other[1])
    assert proven > 0.9 * tried
    assert states > 5


def forget_types_of_constants(monkeypatch):
    monkeypatch.setattr(symbolic_state, "constant_key", lambda value: value)


def forget_what_stands_in_the_instruction(monkeypatch):
    def same(self, left, right):
        return left.op == right.op and left.kind == right.kind and len(left.operands) == len(right.operands)

    monkeypatch.setattr(symbolic_matching.Matching, "same_operation", same)


def forget_operands(monkeypatch):
    unify = symbolic_matching.Matching.unify

    def forgetful(self, pair, terms):
        return unify(self, pair, [(a, b) for a, b in terms if a[0] not in ("v", "k")])

    monkeypatch.setattr(symbolic_matching.Matching, "unify", forgetful)


def forget_what_is_handled(monkeypatch):
    push = steps.SymbolicStepper.do_PUSH_EXC_INFO

    def forgetful(self, side, heap, arg):
        handled = side.handled
        push(self, side, heap, arg)
        side.handled = handled

    monkeypatch.setattr(steps.SymbolicStepper, "do_PUSH_EXC_INFO", forgetful)


def forget_handlers(monkeypatch):
    monkeypatch.setattr(symbolic._Proof, "fail", lambda self, pair, left, right: None)


def follow_one_outcome(monkeypatch):
    split = symbolic._Proof.split

    def forgetful(self, pair, condition):
        split(self, pair, condition)
        self.todo.pop()

    monkeypatch.setattr(symbolic._Proof, "split", forgetful)


def forget_exhaustion(monkeypatch):
    after = symbolic._Proof.after

    def forgetful(self, pair, left, right):
        before = len(self.todo)
        after(self, pair, left, right)
        if left.kind == "branch":
            del self.todo[before:-1]

    monkeypatch.setattr(symbolic._Proof, "after", forgetful)


def forget_live_variables(monkeypatch):
    monkeypatch.setattr(symbolic_liveness.Liveness, "at", lambda self, index: frozenset())


def cover_all_states(monkeypatch):
    monkeypatch.setattr(symbolic_memo.Memo, "covers", lambda self, seen, slots, pair: True)


def loads_never_raise(monkeypatch):
    load_ = steps.SymbolicStepper.load

    def forgetful(self, side, name):
        side.locals.setdefault(name, self.constants.term(None))
        return load_(self, side, name)

    monkeypatch.setattr(steps.SymbolicStepper, "load", forgetful)


def iterate_over_anything(monkeypatch):
    monkeypatch.setattr(
        symbolic_matching.Matching, "skips_iter", lambda self, pair, event, other: event.op == "GET_ITER"
    )


def containers_stay_private(monkeypatch):
    substitute = symbolic_state.Pair.substitute

    def forgetful(self, new_term):
        substitute(self, {term: new for term, new in new_term.items() if term[0] != "a"})

    monkeypatch.setattr(symbolic_state.Pair, "substitute", forgetful)


def forget_kinds_of_containers(monkeypatch):
    monkeypatch.setattr(
        symbolic_matching.Matching, "same_kind", lambda self, kind, other, codes: type(kind) is type(other)
    )


FOUND_BY_MUTANTS = (forget_operands, forget_handlers, follow_one_outcome)
FOUND_BY_PAIRS = (
    forget_types_of_constants, forget_what_stands_in_the_instruction, forget_what_is_handled, forget_handlers,
    forget_exhaustion, forget_live_variables, cover_all_states, loads_never_raise, containers_stay_private,
    forget_kinds_of_containers, iterate_over_anything,
)  # fmt: skip
"""Those that a random mutant seldom meets, too."""
SHORT = ("tries", "stores", "calls", "whiles", "booleans", "handler_in_loop")


@pytest.mark.parametrize("weaken", FOUND_BY_MUTANTS)
def test_a_weak_proof_is_found_out(weaken, monkeypatch):
    """Until the first harmful mutant; a weakness that this does not find would make the attack worth nothing."""
    weaken(monkeypatch)
    monkeypatch.setattr(children, "SECONDS", 1)
    dice = random.Random(3)
    chosen = [one for one in construct_subjects() if one.name.partition(".")[2] in SHORT]
    for _ in range(30):
        tried = []
        for one in dice.sample(chosen, 3):
            for name, original, other in pairs_of(one, dice):
                tried += mutants_of(name, original, other, one.plan, dice, 8)
        found = children.in_child([compare for _, _, accepted, compare in tried if accepted][:6])
        if any(difference.startswith("at ") for difference in found):
            return
    pytest.fail("not found")


PAIRS = {
    # Functions that do not do the same, and look so to a proof that forgets something.
    "type of a constant": ("def f(a): return a(1)", "def f(a): return a(True)"),
    "attribute": ("def f(a): return a.b", "def f(a): return a.c"),
    "handler": ("def f(a, b):\n try: return a()\n except E: return b()", "def f(a, b): return a()"),
    "after the last time": ("def f(a, b):\n for x in a: b(x)\n b()", "def f(a, b):\n for x in a: b(x)\n b(1)"),
    "unbound": ("def f(a, b):\n if a: x = b\n return x", "def f(a, b):\n x = None\n if a: x = b\n return x"),
    "called while an exception is handled": (
        "def f(a, b):\n try: a()\n except E: return b()",
        "def f(a, b):\n x = 0\n try: a()\n except E: x = 1\n if x: return b()",
    ),
    "second time round": (
        "def f(a, b, c):\n x, y = a, b\n while c():\n  c()\n  x()\n  x, y = y, x",
        "def f(a, b, c):\n x = a\n while c():\n  c()\n  x()",
    ),
    "list given away": ("def f(a, b):\n x = [b]\n a(x)\n a(x)", "def f(a, b):\n a([b])\n a([b])"),
    "list for tuple": ("def f(a, b): return a([b])", "def f(a, b): return a((b,))"),
    "no iterator yet": (
        "def f(a, b):\n for x in a: b(x)",
        "def f(a, b):\n while True:\n  for x in a: break\n  else: return\n  b(x)",
    ),
}


def functions(name):
    """Both functions of a pair, as code objects."""
    codes = [compile(text, "<pair>", "exec", dont_inherit=True).co_consts for text in PAIRS[name]]
    return [next(c for c in consts if getattr(c, "co_name", "") == "f") for consts in codes]


@pytest.mark.parametrize("name", PAIRS)
def test_pairs_differ(name):
    left, right = functions(name)
    assert not symbolic.prove_symbolic(load(left), load(right)).proven
    assert not standins.same(left, right, 40, PLAN)


@pytest.mark.parametrize("weaken", FOUND_BY_PAIRS)
def test_a_weak_proof_takes_a_pair_for_the_same(weaken, monkeypatch):
    weaken(monkeypatch)
    pairs = [map(load, functions(name)) for name in PAIRS]
    assert any(symbolic.prove_symbolic(left, right).proven for left, right in pairs)


def test_shapes_differ():
    raw = load((lambda a: [b for b in a if b() or a]).__code__)
    instructions = disassemble(raw)
    shapes = {repr(reshaped(instructions, random.Random(seed))) for seed in range(20)}
    assert len(shapes) > 10


def test_recorded_codes_are_attacked():
    dice = random.Random(2)
    pairs = recorded_pairs(dice)
    first = next(pairs, None)
    if first is not None:  # on the Pythons that there are recordings of
        assert len(list(recorded_attack(pairs, dice, 40))) > 3
