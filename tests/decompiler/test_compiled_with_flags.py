"""Modules that compile() was told more of than their text says: await outside of functions, future features."""

from __future__ import annotations
import __future__

import ast
import types

import pytest

from depyf.decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter
from depyf.decompiler.bytecode.versions import HOSTS
from depyf.decompiler.pipeline import analyze, decompile
from depyf.decompiler.proof.scaffold import compile_source
from depyf.decompiler.recompile import recompile

COROUTINE = 0x80
VERSIONS = [one for one in HOSTS if one == HOST_VERSION or find_interpreter(one)]
AWAITS = (
    "await z\n", "x = await z\n", "x = [await w for w in v]\n", "x = [w async for w in v]\n",
    "async with a as b:\n    c\n", "async for i in j:\n    await i\n", "if 0:\n    await x\n",
    "def f():\n    return 1\n\n\nawait f()\n", "try:\n    await x\nexcept E:\n    y = await z\nfinally:\n    w\n",
    "x = {i: await j async for i in k if await i}\n", "while await x:\n    if await y:\n        break\n",
)  # fmt: skip


@pytest.mark.parametrize("source", AWAITS)
@pytest.mark.parametrize("layout", ["compact", "author"])
def test_await_outside_of_functions(source, layout):
    for version in VERSIONS:
        code = compile_source(source, version, flags=COROUTINE)
        assert code.flags & COROUTINE
        result = analyze(code, layout=layout)
        assert all(one.verdict.proven for one in result.walk()), (version, result.source)
        assert result.verdict.reasons == ("compiled with ast.PyCF_ALLOW_TOP_LEVEL_AWAIT",)
        assert "# To be compiled with ast.PyCF_ALLOW_TOP_LEVEL_AWAIT\n" in result.source
        again = compile_source(result.source, version, flags=COROUTINE)
        assert again.flags & COROUTINE and again.bytecode == code.bytecode


def test_what_it_does_is_the_same():
    code = compile("x = [await w for w in v]\n", "cell", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, True)

    async def given(value):
        return value

    for one in (code, recompile(decompile(code), code)):
        space = {"v": [given(1), given(2)]}
        with pytest.raises(StopIteration):
            types.FunctionType(one, space)().send(None)
        assert space["x"] == [1, 2]


FEATURES = ("annotations", "barry_as_FLUFL", "generator_stop", "division")


@pytest.mark.parametrize("feature", FEATURES)
def test_future_features_of_no_statement(feature):
    flag = getattr(__future__, feature).compiler_flag
    code = compile("exec('x: y')\n", "m.py", "exec", flag, True)
    result = analyze(code)
    assert result.source == f"# To be compiled with the future feature {feature}\nexec('x: y')\n"
    assert result.verdict.identical and result.verdict.reasons == (f"compiled with the future feature {feature}",)
    stated = compile(f"from __future__ import {feature}\nexec('x: y')\n", "m.py", "exec", 0, True)
    assert analyze(stated).verdict.reasons == () and "#" not in decompile(stated)


def test_a_feature_that_changes_nothing_is_not_told():
    flag = __future__.annotations.compiler_flag
    for source, is_told in (("x = f(1)\n", False), ("x: y = 1\n", True), ("def f() -> int: pass\n", True),
                            ("def f(a: int): pass\n", True), ("def f(): eval(x)\n", True)):  # fmt: skip
        verdict = analyze(compile(source, "m.py", "exec", flag, True)).verdict
        assert verdict.proven and bool(verdict.reasons) == is_told, source


def test_several_are_listed_and_others_are_imported():
    flags = __future__.annotations.compiler_flag | __future__.generator_stop.compiler_flag
    source = "from __future__ import generator_stop\nx: int = await f(1)\n"
    code = compile(source, "m.py", "exec", flags | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, True)
    assert decompile(code).splitlines()[0] == (
        "# To be compiled with the future feature annotations and ast.PyCF_ALLOW_TOP_LEVEL_AWAIT"
    )


def test_functions_and_files_say_nothing():
    code = compile("from __future__ import annotations\nasync def f(a: b):\n    await a\n", "m.py", "exec", 0, True)
    assert all(one.verdict.reasons == () for one in analyze(code).walk())
    [function] = [one for one in code.co_consts if isinstance(one, types.CodeType) and one.co_name == "f"]
    assert "To be compiled" not in decompile(function)
