"""Qualified names are those that a running program sees, also where code objects store none (before 3.11)."""

from __future__ import annotations

import pytest

from depyf.decompiler.bytecode import load

TEXT = """
def f(a):
    def g(): return lambda: a
    class C:
        def h(self): return [lambda: b for b in a]
        class D:
            def i(self): pass
    global declared
    def declared():
        def j(): pass
        return j
    return g, C
class K:
    def m(self):
        def n(): pass
        return n
    o = lambda: 1
"""

MODULE = compile(TEXT, "text", "exec", dont_inherit=True)
SPACE: dict = {}
exec(MODULE, SPACE)
G, C = SPACE["f"]([1])
FUNCTIONS = {
    "a function": SPACE["f"],
    "a function in it": G,
    "a lambda in that": G(),
    "a method of a class in a function": C.h,
    "a lambda in a comprehension": C().h()[0],
    "a class in a class": C.D.i,
    "a function declared global": SPACE["declared"],
    "a function in that": SPACE["declared"](),
    "a method": SPACE["K"].m,
    "a function in a method": SPACE["K"]().m(),
    "a lambda in a class": SPACE["K"].o,
}


@pytest.mark.parametrize("place", FUNCTIONS)
def test_the_names_of_all_code_in_a_module(place):
    function = FUNCTIONS[place]
    (raw,) = [raw for raw in load(MODULE).walk() if raw.code is function.__code__]
    assert raw.qualname == function.__qualname__


@pytest.mark.parametrize("place", ["a function in it", "a function declared global", "a method"])
def test_code_with_functions_in_it_knows_its_own_name(place):
    function = FUNCTIONS[place]
    raw = load(function.__code__)
    assert raw.qualname == function.__qualname__
    (nested,) = raw.nested
    assert nested.qualname == f"{raw.qualname}.<locals>.{nested.name}"
