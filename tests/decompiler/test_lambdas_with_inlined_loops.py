"""From 3.14 on ``any(... for ...)`` and its kin have a loop of their own, which makes no statement of a lambda.

A lambda that was taken for a function made every other one of its module suspect: they came back as functions under
decorators, or not at all.
"""

from __future__ import annotations

import pytest

from depyf.decompiler.pipeline import analyze

TEXT = """
found = words.map(lambda word: not ({}(use(part) for part in word))).filter(lambda word: word != "")


class Kept:
    field = make(lambda: None)
    other = choose(lambda: {}(one for one in ()))


def takes(values, key=lambda value: {}(part for part in value)):
    chosen = values.filter(lambda value: key(value) or {}(part.known for part in value))
    return chosen
"""


@pytest.mark.parametrize("builtin", ["all", "any", "list", "set", "sum", "tuple"])
def test_lambdas_stay_lambdas(builtin):
    text = TEXT.replace("{}", builtin)
    result = analyze(compile(text, "f", "exec"))
    assert result.source.count("lambda") == text.count("lambda")
    assert {part.verdict.level.value for part in result.walk()} <= {"identical", "exact"}


def test_a_loop_of_statements_is_no_lambda():
    code = compile("def f(a):\n    for b in a:\n        if b:\n            return b", "f", "exec")
    function = code.co_consts[0].replace(co_name="<lambda>")
    result = analyze(code.replace(co_consts=(function, *code.co_consts[1:])))
    assert "def f(a):" in result.source
