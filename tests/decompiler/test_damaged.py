"""Code that no compiler makes, as damaged files hold it: an answer all the same, and a text that compiles."""

from __future__ import annotations

import types
from typing import Any

import pytest

import depyf
from depyf.decompiler.bytecode import Instruction, load
from depyf.decompiler.bytecode.dead_code import _described
from depyf.decompiler.limits.budget import Budget, OutOfBudget
from depyf.decompiler.unstructured import decompile_unstructured


def compiled(text: str) -> types.CodeType:
    return compile(text, "<damaged>", "exec", dont_inherit=True)


def inner(code: types.CodeType, **fields: Any) -> types.CodeType:
    """``code`` with fields of the first code object in it changed."""
    place = next(n for n, value in enumerate(code.co_consts) if isinstance(value, types.CodeType))
    changed = code.co_consts[place].replace(**fields)
    return code.replace(co_consts=(*code.co_consts[:place], changed, *code.co_consts[place + 1 :]))


def text_of(code: types.CodeType) -> str:
    source = depyf.analyze(code).source
    compile(source, "<text>", "exec")
    return source


@pytest.mark.parametrize("flag", [0x20, 0x200])
def test_a_class_body_that_says_it_is_a_generator(flag):
    assert "class A" in text_of(inner(compiled("class A:\n    x = 1\n"), co_flags=flag))


def test_constants_without_a_hash():
    code = inner(compiled("def f():\n    return a.b, (1, 2)\n"), co_names=("a", "if"), co_consts=(None, ({1}, [2])))
    assert "return a.if_, (set_constant, list_constant)" in text_of(code)


def test_names_with_line_ends_in_a_reason():
    code = inner(compiled("class A:\n    def f(self): self.x = 1\n"), co_names=("\r\nx", "\0", "y"))
    assert "\r" not in text_of(code) and "\0" not in text_of(code)


def test_dead_code_may_jump_anywhere():
    assert _described([Instruction("NOP"), Instruction("JUMP", target=7)], 1) is None


def test_nested_loops_are_written_within_the_budget():
    def f(a):
        pass

    loops: list[Instruction] = []
    for _ in range(80):
        loops += [Instruction("LOAD_FAST", "a"), Instruction("GET_ITER"), Instruction("FOR_ITER"), Instruction("POP")]
    for head in reversed(range(2, len(loops), 4)):
        loops.append(Instruction("JUMP", target=head))
        loops[head].target = len(loops)
    loops += [Instruction("CONST", None), Instruction("RETURN_VALUE")]
    budget = Budget(2_000)
    with budget.counted(), budget.part("f", 2_000), pytest.raises(OutOfBudget):
        decompile_unstructured(load(f.__code__), carries=True, instructions=loops)
