"""Docstrings that no source of CPython 3.13 and later can have: its compiler encodes them."""

from __future__ import annotations

import pytest

from depyf.decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter
from depyf.decompiler.bytecode.versions import TABLES
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.proof.scaffold import compile_source
from depyf.decompiler.recompile import recompile

VERSIONS = [one for one in sorted(TABLES) if one >= (3, 8) and (one == HOST_VERSION or find_interpreter(one))]
TEXT = """
'doc'
def f():
    'doc'
    return h('?', '??')
class C:
    'doc'
    def g(self):
        'doc'
"""


def with_surrogates(raw):
    for code in raw.walk():
        code.consts = tuple("\ud800" if one == "doc" else one for one in code.consts)
    return raw


@pytest.mark.parametrize("version", VERSIONS, ids=str)
def test_they_come_back_and_take_nothing_with_them(version):
    result = analyze(with_surrogates(compile_source(TEXT, version)))
    assert all(part.verdict.proven for part in result.walk()), result.source
    assert "h('?', '??')" in result.source


def test_recompile_puts_them_back():
    code = changed(compile(TEXT, "file", "exec"))
    again = recompile(analyze(code).source, like=code)
    docstrings = [[one.co_consts[0] for one in functions(module)] for module in (code, again)]
    assert docstrings == [["\ud800"] * 2] * 2


def changed(code):
    nested = (changed(one) if hasattr(one, "co_code") else one for one in code.co_consts)
    return code.replace(co_consts=tuple("\ud800" if one == "doc" else one for one in nested))


def functions(code):
    for one in code.co_consts:
        if hasattr(one, "co_code"):
            yield from [one] if one.co_name != "C" else functions(one)
