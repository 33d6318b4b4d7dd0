"""Forms of the graph that are tried where plain structuring finds no words, and the shapes that need none of them."""

from __future__ import annotations

from collections import Counter

import pytest
from assembler.assemble import assemble
from assembler.examine import differs
from assembler.notation import program
from structure.labelled_exits import jumps, nesting

from depyf.decompiler.driver import units
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.recompile import recompile
from depyf.decompiler.surface_forms import search

OUT_OF_A_WITH = """
function()
    LOAD_GLOBAL_CALLABLE t
    CONST 1
    CALL 1
    SETUP_WITH handler
    POP
    SETUP_FINALLY caught
    LOAD_GLOBAL_CALLABLE t
    CONST 2
    CALL 1
    POP_JUMP_IF_FALSE on
    POP_BLOCK
    POP_BLOCK
    EXIT_WITH
    JUMP end
on:
    POP_BLOCK
    JUMP after
caught:
    COPY_EXC
    LOAD_GLOBAL E0
    JUMP_IF_NOT_MATCH other
    POP
    POP_EXCEPT
    JUMP after
other:
    RERAISE
after:
    LOAD_GLOBAL_CALLABLE t
    CONST 3
    CALL 1
    POP
    POP_BLOCK
    EXIT_WITH
    JUMP end
handler:
    WITH_EXCEPT
end:
    LOAD_GLOBAL_CALLABLE t
    CONST 4
    CALL 1
    RETURN_VALUE
"""
"""A try statement in a with statement: its body leaves both at once."""

OUT_OF_TWO_LOOPS = """
function()
outer:
    LOAD_GLOBAL_CALLABLE t
    CONST 1
    CALL 1
    POP_JUMP_IF_FALSE end
inner:
    LOAD_GLOBAL_CALLABLE t
    CONST 2
    CALL 1
    POP_JUMP_IF_FALSE outer
    LOAD_GLOBAL_CALLABLE t
    CONST 3
    CALL 1
    POP_JUMP_IF_TRUE end
    LOAD_GLOBAL_CALLABLE t
    CONST 7
    CALL 1
    POP_JUMP_IF_TRUE outer
    LOAD_GLOBAL_CALLABLE t
    CONST 4
    CALL 1
    POP
    JUMP inner
end:
    LOAD_GLOBAL_CALLABLE t
    CONST 5
    CALL 1
    POP
    LOAD_GLOBAL_CALLABLE t
    CONST 6
    CALL 1
    RETURN_VALUE
"""

INTO_A_LOOP = """
function()
    LOAD_GLOBAL_CALLABLE t
    CONST 1
    CALL 1
    POP_JUMP_IF_TRUE middle
head:
    LOAD_GLOBAL_CALLABLE t
    CONST 2
    CALL 1
    POP_JUMP_IF_FALSE end
middle:
    LOAD_GLOBAL_CALLABLE t
    CONST 3
    CALL 1
    POP
    JUMP head
end:
    CONST None
    RETURN_VALUE
"""

INTO_A_TRY = """
function()
    LOAD_GLOBAL_CALLABLE t
    CONST 1
    CALL 1
    POP_JUMP_IF_TRUE later
    SETUP_FINALLY caught
    LOAD_GLOBAL_CALLABLE t
    CONST 2
    CALL 1
    POP
    JUMP middle
later:
    SETUP_FINALLY caught
    JUMP middle
middle:
    LOAD_GLOBAL_CALLABLE t
    CONST 3
    CALL 1
    POP
    POP_BLOCK
    JUMP end
caught:
    COPY_EXC
    LOAD_GLOBAL E0
    JUMP_IF_NOT_MATCH other
    POP
    LOAD_GLOBAL_CALLABLE t
    CONST 4
    CALL 1
    POP
    POP_EXCEPT
    JUMP end
other:
    RERAISE
end:
    LOAD_GLOBAL_CALLABLE t
    CONST 5
    CALL 1
    RETURN_VALUE
"""

FORMS = [
    ("one-trip loop", OUT_OF_A_WITH),
    ("tail duplication", OUT_OF_TWO_LOOPS),
    ("loop rotation", INTO_A_LOOP),
    ("loop rotation", INTO_A_TRY),
]

SOURCES = [
    "try:\n    b = a()\nexcept KeyError:\n    if c:\n        return None\n    try:\n        b = a(1)\n"
    "    except KeyError:\n        return None\nreturn b()",
    "while True:\n    try:\n        b = a()\n    except OSError:\n        break\n    else:\n        if b:\n"
    "            c()\n    a(b)",
    "if b:\n    try:\n        a(b)\n        return b(c)\n    except KeyError:\n        del b.c\nreturn b(c)",
    "try:\n    b = a.b\nexcept KeyError:\n    pass\nelse:\n    return b()\nfinally:\n    del a.b",
    "try:\n    a()\nfinally:\n    raise",
    "for x in a:\n    try:\n        if x:\n            return x()\n    finally:\n        raise b(x)\nreturn c",
    "if b:\n    return c()\nelse:\n    try:\n        a()\n    except KeyError:\n        b()\n    finally:\n"
    "        try:\n            a(b)\n        finally:\n            c()",
    "try:\n    if b:\n        a()\n    elif c:\n        c()\nfinally:\n    try:\n        if b:\n            a(b)\n"
    "    finally:\n        c(b)",
    "try:\n    return a()\nexcept KeyError:\n    b()\n    try:\n        if c:\n            b = a.b = c()\n"
    "        else:\n            b = c\n    finally:\n        c(a)\n    return b",
    "try:\n    a()\n    b(1 if c else 2)\nexcept KeyError:\n    pass",
    "try:\n    return a(), [b] if c else []\nexcept KeyError:\n    return 3",
    "try:\n    return a()\nfinally:\n    while b.a:\n        try:\n            b()\n        except KeyError:\n"
    "            c()\n            break",
    "for x in a:\n    if x(b):\n        break\nelse:\n    raise ValueError(b)\nreturn x, b",
    "for x in a:\n    if b(x):\n        return c\n    c(x)\nreturn c",
    "while True:\n    b = a()\n    if b:\n        break\n    if c:\n        raise ValueError(b)\nb(c)",
    "while True:\n    a(b)\n    if b:\n        while True:\n            b = a(c)\n            if b:\n"
    "                c(a)\n                break\n            elif not c:\n"
    "                c(b)\n                break\n    elif not c:\n        break\na(c)",
]


@pytest.fixture
def no_events(monkeypatch):
    """Nothing but structuring and its ladder."""
    monkeypatch.setattr(units, "FUNCTION_STRATEGIES", units.STRATEGIES)


@pytest.mark.parametrize("form, text", FORMS)
def test_what_has_no_words_gets_another_form(no_events, form, text):
    code = assemble(program(text))
    result = analyze(code)
    assert (result.form, result.verdict.proven) == (form, True), result.source
    assert result.rung == result.form  # its earlier name
    assert differs(code, recompile(result.source, code), 40) == ""


@pytest.mark.parametrize("body", SOURCES)
def test_what_has_words_needs_no_other_form(no_events, body):
    names: dict = {}
    exec("def f(a, b, c):\n" + "\n".join("    " + line for line in body.splitlines()), names)
    result = analyze(names["f"])
    assert (result.form, result.verdict.proven) == ("structured", True), result.source
    assert result.source.count("while True") == body.count("while True")


@pytest.mark.parametrize("make, refused", [(nesting, 8), (jumps, 5)])
def test_any_jumps_are_proven_and_do_the_same(no_events, monkeypatch, make, refused):
    monkeypatch.setattr(search, "WORK", search.WORK // 10)  # no author wrote these: few have an exact spelling
    forms: Counter = Counter()
    for seed in range(60):
        code = assemble(make(seed))
        result = analyze(code)
        forms[result.form] += 1
        if result.form != "refused":
            assert result.verdict.proven
            assert differs(code, recompile(result.source, code), 4) == "", result.source
    assert forms["refused"] <= refused
    assert forms["structured"] < 60 - forms["refused"]


def test_an_edit_that_another_makes_needless_is_taken_back(no_events):
    source = analyze(assemble(program(OUT_OF_TWO_LOOPS))).source
    assert source.count("while") == 2
