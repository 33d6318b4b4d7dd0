"""The verdict above exact: what keeps a code object from being the original, and that no reader is asked."""

from __future__ import annotations

import copy
import types

import pytest

from depyf.decompiler.bytecode import load
from depyf.decompiler.bytecode.code.raw_code import ExceptionEntry
from depyf.decompiler.proof import Level, Verdict, metadata, prove, prove_all
from depyf.decompiler.proof.identical import differing_fields

TEXT = """
def f(a, b=1, *, c):
    'a docstring'
    d = [a, 1.5, (2, b'x'), 'text', g.h, a.i, ...]
    try:
        return lambda: (a, d)
    finally:
        d(c)
"""


@pytest.fixture
def pair(compile_text):
    """The same function, compiled twice."""
    return compile_text(TEXT).nested[0], compile_text("\n\n" + TEXT).nested[0]


def swapped(values, left=0, right=1):
    values = list(values)
    values[left], values[right] = values[right], values[left]
    return tuple(values)


def test_the_same_text_on_other_lines_is_identical(pair):
    original, recompiled = pair
    verdict = prove(original, recompiled)
    assert verdict.level is Level.IDENTICAL and verdict.identical and verdict.exact and verdict.proven
    assert verdict.describe() == "identical"
    assert verdict.pairs == tuple(zip(original.nested, recompiled.nested))


def test_it_is_decided_without_a_reader(pair, monkeypatch):
    for name in ("known_instructions", "normalize", "disassemble", "_paired"):
        monkeypatch.setitem(prove.__globals__, name, None)
    assert prove(*pair).identical


def test_bytecode_that_can_not_be_read_is_identical_to_itself(pair):
    for raw in pair:
        raw.bytecode = b"\xff" * len(raw.bytecode)
    assert prove(*pair).identical
    pair[1].bytecode = b"\xff" * (len(raw.bytecode) - 2)
    assert prove(*pair).level is Level.UNPROVEN


CHANGES = {
    "stack size": lambda raw: setattr(raw, "stacksize", raw.stacksize + 1),
    "order of constants": lambda raw: setattr(raw, "consts", swapped(raw.consts, 1, 2)),
    "constants": lambda raw: setattr(raw, "consts", (*raw.consts, None)),
    "order of names": lambda raw: setattr(raw, "names", swapped(raw.names)),
    "names": lambda raw: setattr(raw, "names", (*raw.names, "unused")),
    "order of variables": lambda raw: setattr(raw, "localsplus", swapped(raw.localsplus)),
    "variables": lambda raw: setattr(raw, "varnames", (*raw.varnames, "unused")),
    "flags": lambda raw: setattr(raw, "flags", raw.flags ^ 1 << 40),
    "exception table": lambda raw: setattr(
        raw, "exception_table", (*raw.exception_table, ExceptionEntry(0, 0, 0, 0, False))
    ),
    "code": lambda raw: setattr(raw, "bytecode", raw.bytecode + raw.bytecode[-2:]),
    "number of positional parameters": lambda raw: setattr(raw, "argcount", 1),
    "number of positional-only parameters": lambda raw: setattr(raw, "posonlyargcount", 1),
    "number of keyword-only parameters": lambda raw: setattr(raw, "kwonlyargcount", 0),
    "version of the bytecode": lambda raw: setattr(raw, "version", (3, 7)),
}


@pytest.mark.parametrize("field", CHANGES)
def test_a_field_that_differs_is_named(pair, field):
    original, recompiled = pair
    CHANGES[field](recompiled)
    assert list(differing_fields(original, recompiled)) == [field]
    assert not prove(original, recompiled).identical


@pytest.mark.parametrize("field", ["cellvars", "freevars"])
def test_cells_and_free_variables_are_compared_in_order(pair, field):
    for raw in pair:
        setattr(raw, field, ("x", "y"))
    setattr(pair[1], field, ("y", "x"))
    assert list(differing_fields(*pair)) == ["order of variables"]


def test_what_keeps_exact_code_from_being_identical_is_in_the_verdict(pair):
    original, recompiled = pair
    recompiled.stacksize += 1
    recompiled.consts += ("unused",)
    verdict = prove(original, recompiled)
    assert verdict.level is Level.EXACT and verdict.exact and not verdict.identical
    assert verdict.differs == ("constants", "stack size")


@pytest.mark.parametrize(
    "one, other",
    [(1, True), (1, 1.0), (0.0, -0.0), ("a", b"a"), ((1,), (True,)), (1j, complex(-0.0, 1)), ((0.0,), (-0.0,))],
)
def test_constants_differ_by_type_and_sign_even_where_nothing_loads_them(pair, one, other):
    for raw, value in zip(pair, (one, other)):
        raw.consts += (value,)
    assert prove(*pair).differs == ("constants",)


def test_a_flag_that_the_proof_tolerates_makes_it_exact(pair, monkeypatch):
    unused = 1 << 40
    monkeypatch.setattr(metadata, "derived_flags", lambda version: unused)
    pair[1].flags |= unused
    assert prove(*pair).differs == ("flags",)


def test_metadata_wins(pair):
    pair[1].name = "other"
    assert prove(*pair).level is Level.UNPROVEN
    assert prove(*pair, names=False).identical


def test_code_that_has_run_is_identical_to_what_was_just_compiled(compile_text):
    text = """
        def f(a):
            total = 0
            for x in a:
                total += len(str(x)) + x.real
                if total > 5:
                    total = total - a[0]
            return [total, {y for y in a}]
    """
    fresh = compile_text(text).nested[0]
    assert isinstance(fresh.code, types.CodeType)
    warm = types.FunctionType(fresh.code, {"len": len, "str": str})
    for _ in range(3000):
        warm([1, 2, 3])
    assert prove(load(warm.__code__), compile_text(text).nested[0]).identical


def test_of_several_meetings_the_weakest_counts(compile_text):
    """One original that its parent makes at two places, and the recompiled parent makes from two code objects."""
    original = compile_text("def f(): return 1\ndef f(): return 1")
    recompiled = compile_text("def f(): return 1\ndef f(): return 1")
    first, second = original.nested[0], recompiled.nested
    original.consts = tuple(first if value in original.nested else value for value in original.consts)
    for weaker in range(2):
        other = copy.copy(recompiled)
        changed = copy.copy(second[weaker])
        changed.stacksize += 1
        other.consts = tuple(changed if value is second[weaker] else value for value in recompiled.consts)
        other.disassembled = original.disassembled = None
        assert prove_all(original, other)[first][0].level is Level.EXACT
    original.disassembled = None
    assert prove_all(original, recompiled)[first][0].identical


def test_only_identical_code_has_proofs_if_asked(compile_text):
    original = compile_text(TEXT)
    recompiled = compile_text("\n" + TEXT)
    assert prove_all(original, recompiled, only_identical=True) == prove_all(original, recompiled)
    for text in (TEXT.replace("g.h", "h.g"), TEXT + "if 0: lambda: 1\n", TEXT + "x = 1\n"):
        assert prove_all(original, compile_text(text), only_identical=True) == {}


def test_levels_are_ordered():
    for place, level in enumerate(Level):
        assert [other for other in Level if level.is_weaker(other)] == list(Level)[:place]
    assert [level for level in Level if Verdict(level).exact] == [Level.IDENTICAL, Level.EXACT]
    assert [level for level in Level if Verdict(level).proven] == [Level.IDENTICAL, Level.EXACT, Level.EQUIVALENT]
