"""What the flags of this interpreter's code objects say is what the table of facts says."""

from __future__ import annotations
import __future__

import dis
import textwrap
import types

import pytest

from depyf.decompiler.bytecode import load
from depyf.decompiler.bytecode.code.flags import (
    context_flags,
    derived_flags,
    docstring_flag,
    flag_names,
    future_annotations_flag,
)
from depyf.decompiler.bytecode.interpreters import HOST_VERSION

TEXT = '''
def plain(): pass
def documented(): "text"
def first_constant(): return "text"
def empty_docstring(): ""
async def coroutine(): "text"
def outer(a):
    def inner(): return a
    return inner
class C:
    def method(self): "text"
    method.attribute = lambda: "text"
    made = list("text" + a for a in "text")
'''


def codes(text: str) -> dict[str, types.CodeType]:
    todo, found = [compile(textwrap.dedent(text), "text", "exec", dont_inherit=True, optimize=0)], {}
    while todo:
        code = todo.pop()
        found[code.co_name] = code
        todo.extend(constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    return found


@pytest.mark.parametrize("name", codes(TEXT))
def test_docstring_is_what_the_function_shows(name):
    code = codes(TEXT)[name]
    if not code.co_flags & 1 or name == "<genexpr>":  # no program sees the function of a comprehension
        assert load(code).docstring is None
    else:
        closure = tuple(types.CellType() for _ in code.co_freevars)
        assert load(code).docstring == types.FunctionType(code, {}, "f", None, closure).__doc__


def test_flags_of_a_place():
    found = codes(TEXT)
    flags = context_flags(HOST_VERSION)
    assert found["plain"].co_flags & flags == 0
    assert found["inner"].co_flags & flags == 0x10
    # A method differs from a function by nothing but flags of the place, the docstring and names.
    outside = found["documented"].co_flags
    assert (found["method"].co_flags ^ outside) & ~flags == 0


def test_derived_flags_repeat_what_else_is_there():
    found = codes(TEXT)
    derived = derived_flags(HOST_VERSION)
    plain = found["plain"].co_flags
    assert (plain ^ found["documented"].co_flags) & ~derived == 0
    assert (plain ^ found["outer"].co_flags) & ~derived == 0
    assert (plain ^ found["coroutine"].co_flags) & ~derived == 0x80


def test_future_annotations_flag():
    assert future_annotations_flag(HOST_VERSION) == __future__.annotations.compiler_flag
    assert load(compile("from __future__ import annotations", "text", "exec")).has_future_annotations
    assert not load(compile("", "text", "exec", dont_inherit=True)).has_future_annotations


def test_every_flag_that_dis_names_has_a_word():
    for flag in dis.COMPILER_FLAG_NAMES:
        if flag & ~derived_flags(HOST_VERSION) | docstring_flag(HOST_VERSION) and flag != 0x40:
            (word,) = flag_names(flag, HOST_VERSION)
            assert not word.startswith("0x")
