"""Random programs are ordinary, dead code is seen, and a fault survives the reduction with nothing around it."""

from __future__ import annotations

import argparse
import ast
import random

import pytest

import smallest_programs
from ordinary_source import ordinary_function
from reducing import has_dead_code, reduced, without_dead_code


def has_continue_in_try(text: str) -> bool:
    try:
        compile(text, "x.py", "exec")
    except SyntaxError:
        return False
    tries = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Try))
    return any(isinstance(inner, ast.Continue) for one in tries for inner in ast.walk(one))


def test_programs_compile_and_are_the_same_for_a_seed():
    texts = [ordinary_function(random.Random(seed)) for seed in range(200)]
    for text in texts:
        compile(text, "x.py", "exec")
    assert texts == [ordinary_function(random.Random(seed)) for seed in range(200)]
    assert len(set(texts)) > 190


def test_a_program_is_reduced_to_the_fault():
    text = """
def f(a):
    x = 1
    for i in a:
        if a and b(3):
            with c as d:
                try:
                    e()
                    continue
                except F as g:
                    h()
        else:
            i()
    return x
"""
    assert reduced(text, has_continue_in_try) == (
        "def f(a):\n    for i in a:\n        try:\n            continue\n        except F:\n            f()"
    )


@pytest.mark.parametrize(
    "body",
    [
        "return a\n    b()", "while True:\n        b()\n    c()", "while a:\n        return b",
        "try:\n        return a()\n    except B:\n        raise\n    c()",
        "try:\n        pass\n    except B:\n        c()",
        "if a:\n        return\n    else:\n        raise\n    b()", "for i in a:\n        b()\n        break",
        "for i in a:\n        b()\n    else:\n        return\n    c()",
        "try:\n        a()\n    finally:\n        return",
    ],
)  # fmt: skip
def test_dead_code_is_seen_and_what_follows_a_jump_can_be_dropped(body: str):
    text = f"def f():\n    {body}\n"
    assert has_dead_code(text)
    if body.endswith("c()") and "pass" not in body or body.endswith("\n    b()"):
        assert not has_dead_code(without_dead_code(text))


@pytest.mark.parametrize(
    "body",
    [
        "if a:\n        return\n    b()", "while True:\n        if a:\n            break\n    c()",
        "for i in a:\n        if i:\n            continue\n        return i\n    b()",
        "try:\n        return a()\n    except B:\n        pass\n    c()", "with a:\n        raise B\n    c()",
        "for i in a:\n        while True:\n            break\n    else:\n        return\n",
    ],
)  # fmt: skip
def test_other_code_is_not_dead(body: str):
    text = f"def f():\n    {body}\n"
    assert without_dead_code(text) == ast.unparse(ast.parse(text))
    assert has_dead_code(text) == ("while True:\n            break" in body)


def test_the_kind_of_a_program_is_its_statements():
    one = "def f(a):\n    if a:\n        x = 1\n        return\n    g(3)"
    assert smallest_programs.kind_of(one) == smallest_programs.kind_of(one.replace("x = 1", "h().i = a"))
    assert smallest_programs.kind_of(one) != smallest_programs.kind_of(one.replace("return", "raise A"))


def test_a_program_that_does_not_come_back_is_found(monkeypatch: pytest.MonkeyPatch):
    options = argparse.Namespace(depth=3, layout="compact")
    assert smallest_programs.outcome("def f():\n    return 1\n", "author") == "identical"
    assert smallest_programs.outcome("def f():\n    return 1\n    g()\n", "compact") == ""
    assert smallest_programs.outcome("def f(:\n", "compact") == ""

    def outcome(text: str, layout: str) -> str:
        return "exact" if has_continue_in_try(text) else "identical"

    monkeypatch.setattr(smallest_programs, "outcome", outcome)
    found = [smallest_programs.smallest(number, options) for number in range(40)]
    small = {text for _, text in found if text}
    assert small and all(text.count("\n") <= 6 and "continue" in text for text in small)


def test_a_refusal_stays_one(monkeypatch: pytest.MonkeyPatch):
    def outcome(text: str, layout: str) -> str:
        return "refused" if "while" in text else "exact"

    monkeypatch.setattr(smallest_programs, "outcome", outcome)
    options = argparse.Namespace(depth=3, layout="compact")
    found = [smallest_programs.smallest(number, options) for number in range(20)]
    assert {"refused", "exact"} == {kind for kind, _ in found}
    assert all("while" in text for kind, text in found if kind == "refused")
