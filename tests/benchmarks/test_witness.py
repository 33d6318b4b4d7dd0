"""The second witness objects to what differs, and to nothing else."""

from __future__ import annotations

import pytest

import dis_steps
import witness


def function(source):
    module = compile(source, "<test>", "exec")
    return next(c for c in module.co_consts if hasattr(c, "co_code"))


def objection(one, other, level="exact", method="instructions"):
    return witness.disagreement(function(one), function(other), level, method, alone=False)


@pytest.mark.parametrize(
    "one, other",
    [
        ("def f(a): return a + 1", "def f(a): return a + 1.0"),
        ("def f(a): return 0.0", "def f(a): return -0.0"),
        ("def f(a): return a and 1", "def f(a): return a or 1"),
        ("def f(a): return a < b", "def f(a): return a > b"),
        ("def f(a): return a", "def f(a, b): return a"),
        ("def f(a): return a", "def f(*a): return a"),
        ("def f(a): return a", "def f(*, a): return a"),
        ("def f(a):\n 'doc'", "def f(a):\n 'other'"),
        ("def f(a): yield a", "def f(a): return a"),
        ("def f(a):\n try: g()\n except E: h()", "def f(a):\n try: g(); h()\n except E: pass"),
        ("def f(a):\n for x in a: g(x)", "def f(a):\n for x in a: h(x)"),
        ("def f(a): return g(x=a)", "def f(a): return g(y=a)"),
    ],
)
def test_objects_to_a_difference(one, other):
    assert objection(one, other)
    assert not objection(one, one)


@pytest.mark.parametrize(
    "one, other",
    [
        ("def f(a): return a + 1", "def f(a):\n\n    return (a +\n  1)"),
        ("def f(a):\n if a: pass\n return {1, 2}", "def f(a):\n if a:\n  pass\n return {1, 2}"),
        ("def f(a): return a in {1, 2, 3}", "def f(a): return a in {3, 2, 1}"),
    ],
)
def test_does_not_object_to_layout(one, other):
    assert not objection(one, other)


@pytest.mark.parametrize("field, value", [("co_stacksize", 99), ("co_names", ("h", "g")), ("co_consts", (None, True))])
def test_identical_code_has_equal_attributes(field, value):
    original = function("def f(a): return g(1) or h")
    assert not witness.disagreement(original, original, "identical", "", alone=False)
    changed = original.replace(**{field: value})
    assert f"{field} is another one" == witness.disagreement(original, changed, "identical", "", alone=False)


def test_lock_step_may_change_layout_but_not_what_is_done():
    one = "def f(a):\n if a: return g()\n return h()"
    turned = "def f(a):\n if not a: return h()\n return g()"
    assert not objection(one, turned, "equivalent", "lock-step")
    assert objection(one, turned.replace("not ", ""))
    assert "LOAD_GLOBAL 'k'" in objection(one, turned.replace("h()", "k()"), "equivalent", "lock-step")


def test_pairs_code_objects_by_place_and_leaves_out_the_uncertain():
    one = compile("def f(): pass\ndef g(): return lambda: 1\n", "<test>", "exec")
    other = compile("def f(): pass\ndef g(): return lambda: 1, lambda: 2\n", "<test>", "exec")
    assert [(a.co_name, b.co_name) for a, b in witness.pairs(one, one)] == [
        ("<module>", "<module>"), ("g", "g"), ("<lambda>", "<lambda>"), ("f", "f")
    ]  # fmt: skip
    assert ("<lambda>", "<lambda>") not in [(a.co_name, b.co_name) for a, b in witness.pairs(one, other)]



def test_control_is_followed_through_unconditional_jumps():
    code = function("def f(a):\n for x in a:\n  if g(): continue\n  h()")
    steps = dis_steps.steps(code)
    assert not [step for step in steps if step.op.startswith("JUMP")]
    (test,) = [step for step in steps if step.op == "POP_JUMP_IF_TRUE"]
    assert steps[test.ways[0]].op == "FOR_ITER"
    assert (steps[test.ways[1]].op, steps[test.ways[1]].operand) == ("LOAD_GLOBAL", "h")


def test_an_endless_loop_arrives_nowhere():
    steps = dis_steps.steps(function("def f():\n while True: pass"))
    assert dis_steps.reached(steps) == {0}
    assert not objection("def f():\n while True: pass", "def f():\n while 1: pass")
    assert objection("def f():\n while True: pass", "def f():\n while 1: a()")


def test_lambdas_of_a_text_in_another_order_have_no_certain_counterpart():
    def made(text):
        return compile(text, "<text>", "exec").co_consts[0]

    before = made("def f():\n a = lambda: 1\n b = lambda: 2")
    after = made("def f():\n b = lambda: 2\n a = lambda: 1")
    assert [one.co_name for one, _ in witness.pairs(before, after)] == ["f", "<lambda>", "<lambda>"]
    assert [one.co_name for one, _ in witness.pairs(before, after, {id(before)})] == ["f"]


# In 3.8 the bodies of `finally` are subroutines, and what stands behind their end may never be reached.
NEVER_RETURNS = """
def f():
    try:
        {}
        return
    finally:
        try:
            g()
        finally:
            pass
        return
"""
TWO_CLAUSES = """
def f():
    for a in b:
        try:
            g()
        except E:
            raise
        except F as e:
            h(e)
            {}
"""
BEHIND_A_RETURN = """
def f():
    try:
        try:
            g()
        except E as e:
            try:
                return h()
            finally:
                k()
        return 1
        {}
    finally:
        m()
"""


@pytest.mark.filterwarnings("ignore::SyntaxWarning")  # `return` in `finally`, from 3.14 on
@pytest.mark.parametrize(
    "text, other, level",
    [
        (NEVER_RETURNS.format("return 'x'"), NEVER_RETURNS.format("return"), "equivalent"),
        (TWO_CLAUSES.format("continue"), TWO_CLAUSES.format("pass"), "equivalent"),
        (BEHIND_A_RETURN.format("n()"), BEHIND_A_RETURN.format("pass"), "exact"),
    ],
)
def test_bodies_of_finally_go_on_where_control_came_from(text, other, level):
    assert not objection(text, other, level, "lock-step")
    assert objection(text, other.replace("g()", "k()"), level, "lock-step")


def test_a_cell_that_only_dead_code_shares_is_a_local_variable():
    assert not objection("def f(a):\n return a\n return lambda: a", "def f(a): return a")


def test_a_cell_that_live_code_shares_is_compared():
    found = objection("def f(a, b):\n b = lambda: a\n return a", "def f(a, b):\n b = lambda: b\n return a")
    assert found == "shared variables are ('a',), recompiled ('b',)"
