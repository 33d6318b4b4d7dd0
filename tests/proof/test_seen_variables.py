"""Any code that is called may read its caller's variables: where these differ the verdict says that it must not."""

from __future__ import annotations

import builtins
import sys
import types

import pytest

from depyf.decompiler.bytecode import RawCode, load
from depyf.decompiler.driver.settings import Settings
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.proof import Level, prove
from depyf.decompiler.proof.symbolic.prove import UNSEEN, prove_symbolic
from depyf.decompiler.recompile import recompile
from depyf.explain.transformed.origin import DYNAMO


def raw(body: str, **names: str) -> RawCode:
    space: dict = {}
    exec("def f(a, b, c):\n    " + body.replace("\n", "\n    "), space)
    code = space["f"].__code__
    return load(code.replace(co_names=tuple(names.get(name, name) for name in code.co_names)))


LOOKS = [
    pytest.param("return builtins.locals()", id="attribute of builtins"),
    pytest.param("return py_builtins.locals()", id="pytest's alias"),
    pytest.param("return look()", id="a callee that asks for its caller's frame"),
    pytest.param("return a.b", id="an attribute"),
    pytest.param("return a + b", id="an operator"),
    pytest.param("yield", id="a generator's frame"),
    pytest.param("import m", id="a module that is imported"),
    pytest.param("if a:\n    return b", id="a truth value"),
    pytest.param("for x in a: pass", id="an iteration"),
]


@pytest.mark.parametrize("look", LOOKS)
def test_other_variables_are_named_and_an_assumption(look: str):
    left, right = (raw(text + look, py_builtins="@py_builtins") for text in ("x = a()\ny = x\n", "y = x_1 = a()\n"))
    verdict = prove_symbolic(left, right)
    assert verdict.level is Level.EQUIVALENT and verdict.assumptions == (UNSEEN,)
    assert verdict.reasons == ("while other code runs these variables differ: x, x_1",)


@pytest.mark.parametrize("look", LOOKS)
def test_another_lifetime_is_one_too(look: str):
    verdict = prove_symbolic(raw("x = a()\nb(x)\n" + look), raw("x = a()\nb(x)\ndel x\n" + look))
    assert verdict.assumptions == (UNSEEN,) and verdict.reasons[0].endswith("differ: x")
    assert prove_symbolic(raw("x = a()\n" + look), raw("x = b\nx = a()\n" + look)).assumptions == (UNSEEN,)


@pytest.mark.parametrize("look", LOOKS)
def test_the_same_variables_need_no_assumption(look: str):
    verdict = prove_symbolic(raw("x = y = a()\n" + look), raw("x = a()\ny = x\n" + look))
    assert verdict.proven and not verdict.assumptions and not verdict.reasons
    assert not prove(raw("x = a()\n" + look), raw("x = a()\n" + look)).assumptions


@pytest.mark.parametrize("look", ["return locals()", "g = locals\nreturn g()", "return b(locals)", "return eval(b)"])
def test_a_builtin_that_is_named_sees_all(look: str):
    assert not prove_symbolic(raw("x = a()\n" + look), raw("x_1 = a()\n" + look)).proven
    assert not prove_symbolic(raw("x = a()\n" + look), raw("a()\n" + look)).proven
    verdict = prove_symbolic(raw("x = y = a()\n" + look), raw("x = a()\ny = x\n" + look))
    assert verdict.proven and not verdict.assumptions


def look() -> list[str]:
    return sorted(sys._getframe(1).f_locals)


SEEING = [
    "return look()",
    "return sorted(builtins.locals())",
    "return sorted((lambda: sys._getframe(1))().f_locals)",
    "g = builtins.locals\n    return sorted(g())",
]


@pytest.mark.parametrize("seeing", SEEING)
def test_code_that_sees_its_variables_runs_as_it_did_or_has_the_assumption(seeing: str):
    space: dict = {"look": look, "builtins": builtins, "sys": sys}
    exec(f"def f(a):\n    tmp_1 = a()\n    {seeing}\n", space)
    function = space["f"]
    plain = analyze(function.__code__)
    assert plain.proven and not plain.verdict.assumptions
    for result in (plain, analyze(function.__code__, settings=Settings(origin=DYNAMO))):
        code = recompile(result.source, function.__code__)
        again = types.FunctionType(code, space)
        assert again(int) == function(int) or UNSEEN in result.verdict.assumptions, result.source
    assert again(int) != function(int)
    assert "tmp_1" in "".join(result.verdict.reasons)
