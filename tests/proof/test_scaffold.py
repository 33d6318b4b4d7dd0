"""Source compiled alone has to come out as it would in its place: names, closures, classes, future statements."""

from __future__ import annotations

import ast
import textwrap

import pytest
from syntax_from_ast import from_ast

from depyf.decompiler.printing.printer import print_tree
from depyf.decompiler.proof import Level, compile_module, compile_unit, prove, prove_all
from depyf.errors import DecompilationError

# The unit is the innermost definition or lambda after the mark; its own text must compile to the same code.
PLACES = {
    "module": "def unit(a): return unit(a, b)",
    "decorated": "@deco\ndef unit(a=lambda: 1, *b: (lambda: 2)) -> int:\n 'doc'\n return lambda: unit",
    "asynchronous": "async def unit(a):\n async with a: return [b async for b in a]",
    "method": "class C:\n def unit(self): return self.__a, __b, C",
    "private": "class C:\n def __unit(self, __a=1): return self.__unit, __a",
    "underscores": "class __C:\n def unit(self): return self.__a, _unit__b",
    "method with super": "class C:\n def unit(self): return super().unit()",
    "method with __class__": "class C:\n def unit(self): return __class__, C",
    "static method in nested class": "class C:\n class D:\n  @staticmethod\n  def unit(a): return __class__.__x, C, D",
    "closure": "def f(a, b):\n def unit(c): return b, a, c, f\n return unit",
    "recursive closure": "def f(a):\n def unit(): return unit, a\n return unit",
    "deep closure": "def f(a):\n def g(b):\n  def h(c):\n   def unit():\n    nonlocal a\n    a = lambda: c",
    "closure over nothing": "def f():\n def unit(): return f, unit2\n return unit",
    "method in function": "def f(a):\n class C:\n  def unit(self): return a, self.__b, super().c, __class__\n return C",
    "generator": "def f(a):\n def unit(): yield from a",
    "class": "class unit(A, k=1):\n 'doc'\n x: int = 1\n def f(self): return __class__, super().f",
    "class in function": "def f(a):\n class unit:\n  b = a\n  def g(self): return a, self.__x",
    "class in class": "class C:\n class unit:\n  def f(self): return C, unit, self.__x",
    "global declared": "def f():\n global unit\n def unit(): return unit",
    "function in lambda": "f = lambda a: [unit for unit in a]\ndef unit(): return lambda: (unit for unit in unit)",
    "stores a global": "def unit():\n global unit, x\n x = 1\n unit = 2",
    "annotated, future": "from __future__ import annotations\ndef unit(a: b):\n c: d = 1\n def g(e: f): pass",
    "a text over several lines": "class C:\n def unit(self):\n  return '''\nx\n   y''', f'''{\nself}'''",
}


def find(raw, tree):
    """The RawCode and the node of what is named `unit`."""
    name = "__unit" if any(r.name == "__unit" for r in raw.walk()) else "unit"
    nodes = [n for n in ast.walk(tree) if getattr(n, "name", "") == name]
    raws = [r for r in raw.walk() if r.name == name]
    assert len(nodes) == len(raws) == 1
    return raws[0], nodes[0]


@pytest.mark.parametrize("name", PLACES)
def test_definition_compiled_alone(name, compile_text):
    raw, node = find(compile_text(PLACES[name]), ast.parse(PLACES[name]))
    text = print_tree(from_ast(node))
    proofs = prove_all(raw, compile_unit(text, raw))
    assert all(v.exact for v, _ in proofs.values())
    assert all(other is not None for _, other in proofs.values())


@pytest.mark.parametrize("name", ["a text over several lines", "method", "method in function"])
def test_a_wrong_text_stays_wrong(name, compile_text):
    raw, node = find(compile_text(PLACES[name]), ast.parse(PLACES[name]))
    text = print_tree(from_ast(node)).replace("return ", "return not ")
    assert not prove(raw, compile_unit(text, raw)).proven


def test_lambda_and_comprehensions(compile_text):
    module = compile_text(
        "def f(a):\n"
        " x = lambda b=(lambda: 1): (a, b)\n"
        " y = [a for b in [c for c in a]]\n"
        " z = {a: (lambda: b) for b in a}\n"
        " return (b async for b in a), {b for b in {b for b in a}}"
    )
    found = {}
    for raw in module.nested[0].nested:
        found.setdefault(raw.name, []).append(raw)
    cases = {
        "lambda b=(lambda: 1): (a, b)": found["<lambda>"][1],
        "(b async for b in a)": found["<genexpr>"][0],
    }
    if "<listcomp>" in found:  # else the compiler writes them into the function
        cases["[a for b in [c for c in a]]"] = found["<listcomp>"][0]
        cases["{a: (lambda: b) for b in a}"] = found["<dictcomp>"][0]
        cases["{b for b in {b for b in a}}"] = found["<setcomp>"][0]
    for text, raw in cases.items():
        proofs = prove_all(raw, compile_unit(text, raw))
        assert all(v.exact for v, _ in proofs.values()), text


def test_comprehensions_that_await(compile_text):
    module = compile_text("async def f(a):\n return [b async for b in a], {b: await b for b in a}")
    for raw in (one for one in module.nested[0].nested if one.name in ("<listcomp>", "<dictcomp>")):
        text = "[b async for b in a]" if raw.name == "<listcomp>" else "{b: await b for b in a}"
        for place in ("f.<locals>." + raw.name, raw.name):
            raw.qualname = place
            assert all(v.exact for v, _ in prove_all(raw, compile_unit(text, raw)).values()), text


def test_class_given_by_the_caller_mangles(compile_text):
    raw = compile_text("class C:\n def f(self): return self.__a").nested[0].nested[0]
    raw.qualname = "f"
    assert not prove(raw, compile_unit("def f(self): return self.__a", raw)).proven
    assert prove(raw, compile_unit("def f(self): return self.__a", raw, enclosing_class="C")).proven


CALLS = {
    "imported": "import m\ndef f(x): return m.g(x.m, m.h(*x), n=x.g())",
    "not imported": "m = 1\ndef f(x): return m.g(x.m, m.h(*x))",
    "imported in the function": "def f(x):\n import m\n @m.d\n def g(): return x\n return m.g(g, n.i(m.h))",
    "a decorator of a class": "def f(x):\n import m\n class C:\n  @m.d\n  def g(): pass\n return m.g(C)",
    "in a nested function": "from a import m\ndef f(x): return lambda: m.g(x), x.m()",
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_of_what_the_module_imports_are_identical(name, compile_text):
    """The compiler makes no methods of these, and a function has no imports around it."""
    raw = compile_text(CALLS[name]).nested[0]
    text = CALLS[name][CALLS[name].index("def ") :]
    proofs = prove_all(raw, compile_unit(text, raw))
    assert {verdict.level for verdict, _ in proofs.values()} == {Level.IDENTICAL}


def test_free_variable_that_nothing_reads_is_kept(compile_text):
    raw = compile_text("def f(a, b):\n def g():\n  return a\n  b\n return g").nested[0].nested[0]
    assert raw.freevars == ("a", "b")
    assert prove(raw, compile_unit("def g(): return a", raw)).exact


def test_qualified_name_that_no_scaffold_makes(compile_text):
    raw = compile_text("f = lambda: (lambda a: [lambda: a])").nested[0].nested[0]
    assert raw.qualname == "<lambda>.<locals>.<lambda>"
    proofs = prove_all(raw, compile_unit("lambda a: [lambda: a]", raw))
    assert all(v.exact for v, _ in proofs.values())


def test_definition_is_chosen_by_name(compile_text):
    raw = compile_text("def f(): return 1").nested[0]
    text = "import x\ndef f(): return 1\ndef g(): return 2"
    assert prove(raw, compile_unit(text, raw)).proven
    assert compile_unit(text, raw, name="g").name == "g"


def test_coroutine_by_decorator(compile_text):
    import types

    from depyf.decompiler.bytecode import load

    @types.coroutine
    def f(a):
        yield a

    raw = load(f.__code__)
    assert prove(raw, compile_unit("def f(a):\n    yield a", raw)).proven


def test_optimisation_level(compile_text):
    raw = compile_text("def f(a): assert a").nested[0]
    assert prove(raw, compile_unit("def f(a): assert a", raw)).proven
    assert not prove(raw, compile_unit("def f(a): assert a", raw, optimize=1)).proven


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def f(:", "does not compile: .* \\(line 1\\)"),
        ("def f():\n    return\n  x", "does not compile"),
        ("x = 1", "no definition"),
        ("", "no definition"),
        ("def f():\n    nonlocal q", "does not compile: no binding for nonlocal 'q' found"),
        ("def f(): return " + "(" * 300 + ")" * 300, "does not compile|too deep"),
        ("def f(): return " + "-" * 50000 + "1", "too deep|does not compile"),
        ("def f(): return '\ud800'", "can't be compiled"),
        ("def f(): return '\0'", "can't be compiled|does not compile"),
    ],
    ids=["syntax", "indentation", "nothing", "empty", "nonlocal", "nested", "deep", "surrogate", "null byte"],
)
def test_text_that_does_not_compile(text, reason, compile_text):
    raw = compile_text("class C:\n def f(self): pass").nested[0].nested[0]
    with pytest.raises(DecompilationError, match=reason) as error:
        compile_unit(text, raw)
    assert (error.value.stage, error.value.where) == ("recompile", "C.f")


def test_module_with_future_statements(compile_text):
    text = textwrap.dedent("""\
        from __future__ import annotations
        def f(a: b): pass
        """)
    raw = compile_text(text)
    without = "\n".join(text.splitlines()[1:])
    assert raw.flags & 0x1000000
    assert compile_module(without, raw).flags == raw.flags
    assert all(v.proven for v, _ in prove_all(raw, compile_module(text, raw)).values())
    assert not prove(raw, compile_module(without)).proven


def test_syntax_warnings_are_kept_quiet(recwarn, compile_text):
    raw = compile_text("def f(): pass").nested[0]
    compile_unit("def f(): return 'a'() is 1", raw)
    assert list(recwarn) == []
