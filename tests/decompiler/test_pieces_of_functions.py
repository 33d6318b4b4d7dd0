"""Statements of a refused function: each is what it is in the whole function, and the others are marked."""

from __future__ import annotations

import pytest

from depyf.decompiler.bytecode import load
from depyf.decompiler.driver import units
from depyf.decompiler.driver.decompilation import Decompilation
from depyf.decompiler.driver.refusals.by_kind import partial_body
from depyf.decompiler.driver.refusals.marks import tree_around
from depyf.decompiler.lift.handlers import HANDLERS
from depyf.decompiler.limits.budget import Budget
from depyf.decompiler.pipeline import analyze, decompile
from depyf.decompiler.printing.printer import print_tree
from depyf.decompiler.proof import prove_all
from depyf.decompiler.syntax import nodes
from depyf.errors import DecompilationError

WHOLE = '''
def f(a, b, *c, d=1, **e):
    """What it does."""
    x = a + 1
    if not x:
        return 3
    for i in b:
        print(i, x)
    y = (lambda: x)()
    with open(y) as file:
        w = file.read()
    try:
        k(w)
    except ValueError as error:
        return error
    finally:
        done()
    q = w.attribute{subscript}
    def inner(): return q, y
    if x:
        return inner
    while b:
        b.pop()
        if c: break
    else:
        return 4
    del x
    return w, q
'''
FUNCTIONS = {
    "whole": WHOLE.format(subscript=""),
    "returns": "def f(a):\n    if a: return\n    if not g(a): return 1\n    g(a + 1)\n"
    "    if g(2): return None\n    g(3)\n",
    "generator": "def f(a):\n    b = yield a\n    c = g(b)\n    if c: return b\n    yield from c\n"
    "    yield lambda: b\n",
    "coroutine": "async def f(a):\n    b = await a\n    g(b)\n    async with b as c:\n        g(c)\n    return c\n",
    "asynchronous generator": "async def f(a):\n    g(a)\n    async for b in a:\n        yield b\n"
    "    g(b)\n    yield a\n",
    "declarations": "def f(a):\n    global b\n    b = a\n    import c.d as e\n    b = e.g(a)\n    class C:\n"
    "        x = a\n        def m(self): return super().m(e)\n    del e\n    return C\n",
    "unbound": "def f(a):\n    g(x)\n    x = a\n    g(x)\n    del x\n    g(x)\n    x = 1\n    return lambda: a\n",
    "branches": "def f(a):\n    g(a)\n    if a: g(1)\n    elif a > 1: return g(2)\n    else: g(3)\n    g(4)\n"
    "    if g(5): raise a\n    if not a: g(6)\n    else: return g(7)\n    return g(8)\n",
}


def compiled(source):
    return load(compile(source, "<module>", "exec", dont_inherit=True))


def put_together(source):
    """A function, and its text made of pieces that were decompiled one by one."""
    work = Decompilation(compiled(source))
    (raw,) = work.root.nested

    def alone(code):
        is_part = code not in raw.nested
        enclosing = frozenset() if is_part else work.nesting.bound[raw]
        return Decompilation(code, outer=work, is_part=is_part, enclosing=enclosing).run()

    with Budget(10**6).counted():
        found = partial_body(raw, DecompilationError("not as a whole", stage="test"), alone)
    return work, raw, found, print_tree(tree_around(raw, found.body), grammar=work.shared.grammar)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_pieces_of_a_function_are_the_function(name):
    work, raw, found, text = put_together(FUNCTIONS[name])
    assert found.proven == found.pieces > 2, text
    verdict, _ = prove_all(raw, work.compile(raw, text), names=False)[raw]
    assert verdict.proven, (text, verdict.reasons)


@pytest.fixture
def no_subscripts(monkeypatch):
    for operation in ("BINARY_SUBSCR", "BINARY_OP_SUBSCR"):
        monkeypatch.delitem(HANDLERS, operation, raising=False)
    monkeypatch.setattr(units, "FUNCTION_STRATEGIES", units.STRATEGIES)


def test_one_statement_is_marked_and_the_others_are_there(no_subscripts):
    result = analyze(compiled(WHOLE.format(subscript="[1]")))
    of_f = next(one for one in result.walk() if one.qualname == "f")
    assert of_f.verdict.level.value == "refused" and of_f.form == "refused"
    assert "statements are proven by themselves" in of_f.verdict.reasons[-1]
    lines = [line.strip() for line in result.source.splitlines()]
    assert result.source.count("raise NotImplementedError(") == 1
    for line in WHOLE.strip().splitlines():
        parts = [part.strip() for part in line.replace("if c: break", "if c:\n break").split("\n")]
        parts = ["def inner():", "return q, y"] if "inner():" in line else parts
        assert "subscript" in line or all(part in lines for part in parts), line
    assert "q = None" in lines  # so that `inner` does not read a global


def test_a_refused_function_alone_is_an_error_still(no_subscripts):
    names = {}
    exec(compile("def f(a):\n    g(a)\n    return a[1]\n", "<test>", "exec", dont_inherit=True), names)
    with pytest.raises(DecompilationError, match="BINARY_SUBSCR"):
        decompile(names["f"])
    text = decompile(names["f"], strict=False)
    assert text.index("g(a)") < text.index("raise NotImplementedError(")


def test_a_part_that_goes_on_from_several_places_is_not_shown_as_going_on_at_its_end(monkeypatch):
    from depyf.decompiler.driver.refusals import by_kind

    monkeypatch.setattr(by_kind._Function, "statements_of", lambda self, result, run: result.tree.body)
    _, _, _, text = put_together(FUNCTIONS["returns"])
    assert by_kind._END in text  # what tells them apart
    monkeypatch.undo()
    _, _, found, text = put_together(FUNCTIONS["returns"])
    assert by_kind._END not in text
    assert not any(isinstance(one, nodes.Raise) for one in nodes.walk(nodes.Module(found.body)))
