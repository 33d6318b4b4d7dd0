"""The class of earlier releases: what its callers rely on."""

from __future__ import annotations

import types

import pytest

import depyf
from depyf import Decompiler


def counter():
    first = second = 0

    def count(step):
        nonlocal first, second
        first, second = second, first + step
        return first, second

    return count


def in_its_place(function, code):
    return types.FunctionType(code, function.__globals__, "f", function.__defaults__, function.__closure__)


def test_recompiled_code_takes_the_place_of_the_original(tmp_path):
    function = counter()
    template = str(tmp_path / "__transformed_code_%s_for_count.py")
    code = Decompiler.decompile_and_compile_like(function.__code__, function.__code__, filepath_template=template)
    assert code.co_freevars == function.__code__.co_freevars
    assert code.co_name == "__transformed_code_0_for_count"
    assert code.co_filename == template % 0
    again = in_its_place(function, code)
    assert [again(1), again(1), function(1)] == [(0, 1), (1, 1), (1, 2)]
    text = (tmp_path / "__transformed_code_0_for_count.py").read_text()
    compile(text, "file", "exec")
    assert "def __transformed_code_0_for_count(step):" in text


def test_the_same_function_is_written_once_and_another_one_beside_it(tmp_path):
    template = str(tmp_path / "f_%s.py")
    function = counter()
    for _ in range(2):
        Decompiler.decompile_and_compile_like(function.__code__, function.__code__, filepath_template=template)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f_0.py"]
    code = counter.__code__
    assert Decompiler.decompile_and_compile_like(code, code, filepath_template=template).co_filename == template % 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f_0.py", "f_1.py"]


def test_without_a_file_the_name_is_that_of_the_reference():
    function = counter()
    code = Decompiler.decompile_and_compile_like(function.__code__, function.__code__.replace(co_name="g"))
    assert code.co_name == "g"


def test_other_free_variables_are_an_error():
    function = counter()
    with pytest.raises(depyf.DecompilationError, match="free variables"):
        Decompiler.decompile_and_compile_like(function.__code__, counter.__code__)


def test_constants_without_a_literal_are_the_very_same_objects():
    marker = object()
    code = (lambda x: (x, "here")).__code__.replace(co_name="pair")
    code = code.replace(co_consts=tuple(marker if value == "here" else value for value in code.co_consts))
    text = depyf.decompile(code)
    again = depyf.recompile(text, like=code)
    assert types.FunctionType(again, {})(1) == (1, marker)
    assert again.co_filename == "<decompiled>"
