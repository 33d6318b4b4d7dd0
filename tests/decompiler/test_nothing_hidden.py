"""A refused code object hides no other: what is proven by itself is in the text, and the text says what is not."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "attack"))

import lost_code
from depyf.decompiler.bytecode import known_instructions, load
from depyf.decompiler.bytecode.interpreters import find_interpreter
from depyf.decompiler.bytecode.versions import HOSTS
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.proof.scaffold import compile_source

SOURCES = dict(lost_code.nested_sources())
QUICK = ("class, function, lambda", "generator, class, genexpr", "coroutine, generator, listcomp",
         "function, coroutine, dictcomp")  # fmt: skip


def damaged(source: str, qualname: str):
    """The result for ``source`` where the code object of this name has an operation that no Python has."""
    root = load(compile(source, "<module>", "exec", dont_inherit=True))
    victim = next(raw for raw in root.walk() if raw.qualname == qualname)
    lost_code.damage(victim, "unknown", random.Random(0))
    return analyze(root)


def refused(result) -> set[str]:
    """The names of refused code; annotations by themselves have no text at all."""
    found = {one.qualname for one in result.walk() if one.verdict.level.value == "refused"}
    return {name for name in found if not name.endswith("__annotate__")}


def executed(result) -> dict:
    names: dict = {}
    exec(result.source, names)
    return names


def hides_nothing(source: str) -> None:
    code = compile(source, "<module>", "exec", dont_inherit=True)
    for number in range(len(list(load(code).walk()))):
        root = load(code)
        parts = list(root.walk())
        lost_code.damage(parts[number], "unknown", random.Random(number))
        result = analyze(root)
        assert not result.proven
        among = lost_code.shown(result.source)
        missing = [raw for raw in parts if raw is not parts[number] and not lost_code.is_shown(raw, among)]
        assert [raw.qualname for raw in missing if lost_code.is_proven_alone(raw)] == [], parts[number].qualname


@pytest.mark.parametrize("name", QUICK)
def test_no_code_object_hides_another(name):
    hides_nothing(SOURCES[name])


@pytest.mark.parametrize("name", sorted(SOURCES.keys() - {*QUICK})[::4])
def test_no_code_object_hides_another_in_other_scopes(name):
    hides_nothing(SOURCES[name])


def test_a_refused_lambda_raises_when_it_is_called_and_its_function_is_proven():
    result = damaged("def f(a):\n    g = lambda b: (a, b)\n    return a, g\n", "f.<locals>.<lambda>")
    assert refused(result) == {"f.<locals>.<lambda>"}
    assert "# depyf could not decompile <lambda> in this: " in result.source
    value, function = executed(result)["f"](3)
    assert value == 3
    with pytest.raises(NotImplementedError, match=r"depyf: f\.<locals>\.<lambda>: "):
        function(4)


def test_a_refused_generator_expression_raises_when_it_is_used():
    result = damaged("def f(a):\n    return (a + b for b in a)\n", "f.<locals>.<genexpr>")
    assert refused(result) == {"f.<locals>.<genexpr>"}
    generator = executed(result)["f"]([3])
    with pytest.raises(NotImplementedError, match="genexpr"):
        next(generator)


def test_code_in_a_refused_lambda_is_shown_in_it():
    source = "f = lambda a, *, b=1: (a, lambda: a + b, [c for c in a])\n"
    result = damaged(source, "<lambda>")
    assert refused(result) == {"<lambda>"}
    assert "lambda: a + b" in result.source


def test_functions_in_a_refused_function_follow_the_raise_and_share_its_variables():
    source = (
        "def f(a):\n    b = g(a)\n    async def first(): return b\n"
        "    class C:\n        def method(self): return a, b\n    return first, C\n"
    )
    result = damaged(source, "f")
    assert refused(result) == {"f"}
    text = result.source
    assert text.index("raise NotImplementedError(") < text.index("b = None") < text.index("async def first(")
    assert "return a, b" in text
    with pytest.raises(NotImplementedError):
        executed(result)["f"](1)


def test_a_function_in_a_refused_one_that_declares_a_variable_of_an_outer_one():
    source = (
        "def f():\n    x = 1\n    def g():\n        nonlocal x\n        def x(): return 2\n"
        "        def h():\n            nonlocal x\n            x = 3\n    return g, x\n"
    )
    result = damaged(source, "f.<locals>.g")
    assert refused(result) == {"f.<locals>.g"}
    assert "nonlocal x\n\n        def x():" in result.source


def test_a_refused_function_with_a_generic_type():
    for version in filter(find_interpreter, HOSTS):
        if version < (3, 12):
            continue
        root = compile_source("def f(a):\n    type X[T] = T\n    def g(): return a, X\n    return g\n", version)
        lost_code.damage(next(raw for raw in root.walk() if raw.qualname == "f"), "unknown", random.Random(0))
        result = analyze(root)
        assert "f" in refused(result)
        assert "type X[T]" in result.source
        assert "return a, X" in result.source


def test_methods_of_an_unreadable_class_and_functions_of_an_unreadable_module():
    source = (
        "from __future__ import annotations\nclass C(B):\n    y = 1\n    def a(self): return super().a()\n"
        "def g(x: int) -> C: return x\n"
    )
    for victim in ("C", "<module>"):
        result = damaged(source, victim)
        assert refused(result) == {victim}
        assert "return super().a()" in result.source
        assert "def g(x" in result.source
    assert result.source.index("from __future__") < result.source.index("class C")


def test_a_method_that_is_not_readable_does_not_spoil_the_others():
    source = "class C:\n    def a(self): self.x = 1\n    def b(self): self.y = self.x\n    z = 3\n"
    assert refused(damaged(source, "C.b")) == {"C.b"}


def test_what_has_the_text_of_other_code_is_not_called_proven():
    source = "class C:\n    def a(self): return 1\n    def b(self, other): return 2\n"
    root = load(compile(source, "<module>", "exec", dont_inherit=True))
    (body,) = root.nested
    makes = [one.offset for one in known_instructions(body) if one.op == "MAKE_FUNCTION"]
    if body.version < (3, 11):
        makes = [offset - 2 for offset in makes]  # before the qualified name
    # The function `b` is stored as `a`, again and again.
    if "JUMP_ABSOLUTE" in body.table.opcodes:
        jump = [body.table.opcodes["JUMP_ABSOLUTE"], makes[0] // (2 if body.version >= (3, 10) else 1)]
    else:
        jump = [body.table.opcodes["JUMP_BACKWARD"], 0, 0, 0][: 4 if body.version >= (3, 13) else 2]
        jump[1] = (makes[1] + len(jump) - makes[0]) // 2
    data = bytearray(body.bytecode)
    data[makes[1] : makes[1] + len(jump)] = bytes(jump)
    body.bytecode, body.code, body.disassembled = bytes(data), None, None
    result = analyze(root)
    levels = {one.qualname: one.verdict for one in result.walk()}
    assert not levels["C"].proven
    assert levels["C.a"].proven and levels["C.b"].proven
    assert "return 1" in result.source and "return 2" in result.source


@pytest.mark.parametrize("name", [QUICK[0], "coroutine, class, dictcomp"])
def test_text_with_marks_can_be_laid_out(name):
    code = compile(SOURCES[name], "<module>", "exec", dont_inherit=True)
    for number in range(len(list(load(code).walk()))):
        root = load(code)
        lost_code.damage(list(root.walk())[number], "unknown", random.Random(number))
        text = analyze(root, layout="author").source
        compile(text, "<text>", "exec", dont_inherit=True)
        assert "depyf: " in text
