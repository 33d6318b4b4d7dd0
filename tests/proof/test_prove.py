"""What proofs report: levels, methods, pairs of nested code, the first difference in words."""

from __future__ import annotations

import dis

import pytest
from recorded_compilers import RecordedCompilers, found_or_recorded

from depyf.decompiler.bytecode import RawCode, disassemble
from depyf.decompiler.proof import Level, Verdict, prove, prove_all, scaffold, verify
from depyf.decompiler.proof.lockstep import normalize
from depyf.decompiler.proof.scaffold import compile_source

BLOCKS_END_BY_AN_INSTRUCTION = list(found_or_recorded([(3, 8), (3, 9), (3, 10)]))


def by_name(proofs):
    return {raw.qualname: verdict for raw, (verdict, _) in proofs.items()}


def test_the_first_difference_names_both_instructions_offsets_and_lines(compile_text):
    left = compile_text("def f(a):\n    b = a\n    return g(b)").nested[0]
    right = compile_text("def f(a):\n    b = a\n\n    return h(b)").nested[0]
    verdict = prove(left, right)
    assert verdict.level is Level.UNPROVEN and not verdict.proven
    difference = verdict.difference
    assert (difference.left, difference.right) == ("LOAD_GLOBAL g", "LOAD_GLOBAL h")
    assert (difference.left_line, difference.right_line) == (3, 4)
    opcode = left.bytecode[difference.left_offset]
    assert dis.opname[opcode] == "LOAD_GLOBAL"
    assert verdict.reasons == (str(difference),)
    assert "f: different operands: at line 3 `LOAD_GLOBAL g` against line 4 `LOAD_GLOBAL h`" in verdict.describe()


def test_unequal_metadata_needs_no_look_at_the_instructions(compile_text):
    left, right = compile_text("def f(a, *b): pass").nested[0], compile_text("def g(a, b): pass").nested[0]
    reasons = "; ".join(prove(left, right).reasons)
    assert "flags: *args against none of it" in reasons
    assert "number of positional parameters: 1 against 2" in reasons
    assert "name: 'f' against 'g'" in reasons
    assert "name:" not in "; ".join(prove(left, right, names=False).reasons)


def test_nested_code_is_opaque_to_prove_and_comes_back_in_pairs(compile_text):
    left = compile_text("def f():\n def g(): return 1\n return g, lambda: 2")
    right = compile_text("def f():\n def g(): return 3\n return g, lambda: 2")
    verdict = prove(left.nested[0], right.nested[0])
    assert verdict.proven
    assert [(a.name, b.name) for a, b in verdict.pairs] == [("g", "g"), ("<lambda>", "<lambda>")]
    assert {name: v.proven for name, v in by_name(prove_all(left, right)).items()} == {
        "<module>": True,
        "f": True,
        "f.<locals>.g": False,
        "f.<locals>.<lambda>": True,
    }


def test_a_bad_parent_does_not_hide_its_children(compile_text):
    left = compile_text("x = 1\ndef f(): return 1\nx = 3\ndef g(): return 1")
    right = compile_text("x = 2\ndef f(): return 1\nx = 3\ndef g(): return 2")
    assert {name: v.proven for name, v in by_name(prove_all(left, right)).items()} == {
        "<module>": False,
        "f": True,
        "g": False,
    }


def test_a_child_that_is_missing_is_unproven_below_a_bad_parent(compile_text):
    verdicts = by_name(prove_all(compile_text("def f():\n return lambda: 1"), compile_text("def f(): return 2")))
    assert not verdicts["f"].proven
    assert verdicts["f.<locals>.<lambda>"].reasons == ("the second has no code for it",)


def test_code_that_only_dead_code_mentions_is_not_needed(compile_text):
    left = compile_text("def f():\n return 1\n g = lambda: 2")
    proofs = prove_all(left, compile_text("def f(): return 1"))
    assert all(verdict.proven for verdict, _ in proofs.values())


def test_names_of_a_unit_may_be_left_out_but_not_those_below_it(compile_text):
    left = compile_text("def f():\n def g(): pass\n return g").nested[0]
    other_name = compile_text("def h():\n def g(): pass\n return g").nested[0]
    other_inside = compile_text("def h():\n def k(): pass\n return k").nested[0]
    assert all(v.proven for v in by_name(prove_all(left, other_name, names=False)).values())
    assert not by_name(prove_all(left, other_name))["f"].proven
    assert not by_name(prove_all(left, other_inside, names=False))["f.<locals>.g"].proven


def test_nested_code_of_a_unit_that_was_given_another_name(compile_text):
    """Dynamo's resume functions: code nested in them still has the qualified name that the whole function gave it."""
    text = "def {0}(a):\n def g(b):\n  return lambda: (a, b)\n return g"
    left, right = compile_text(text.format("f")).nested[0], compile_text(text.format("resume_in_f")).nested[0]
    left.name = left.qualname = "resume_in_f"
    assert [raw.qualname for raw in left.walk()][1] == "f.<locals>.g"
    assert all(v.proven for v in by_name(prove_all(left, right, names=False)).values())
    assert not all(v.proven for v in by_name(prove_all(left, right)).values())
    right.nested[0].name = "h"
    assert not by_name(prove_all(left, right, names=False))["f.<locals>.g"].proven


def test_the_symbolic_proof_is_asked_last(compile_text):
    asked = []

    def symbolic(left, right):
        asked.append((left.name, right.name))
        return Verdict(Level.EQUIVALENT, "symbolic", assumptions=("an axiom",))

    def powerless(left, right):
        return Verdict(Level.UNPROVEN, "", ("no idea",))

    left, same = (compile_text("def f(a): return g(a)").nested[0] for _ in range(2))
    other = compile_text("def f(a):\n b = g(a)\n return b").nested[0]
    assert prove(left, same, symbolic=symbolic).identical and asked == []
    verdict = prove(left, other, symbolic=symbolic)
    assert asked == [("f", "f")] and verdict.describe() == "equivalent (by symbolic); assuming an axiom"
    assert prove(left, other, symbolic=powerless).reasons[0] == "no idea"


def test_stack_without_a_normal_form_is_unproven(compile_text, monkeypatch):
    raw, broken = (compile_text("def f(a): b = a").nested[0] for _ in range(2))
    broken.names += ("unused",)

    def with_an_empty_slot_for_a_value(code):
        instructions = disassemble(code)
        for instruction in instructions:
            if code is broken and instruction.op == "LOAD_FAST":
                instruction.op, instruction.arg = "NULL", None
        return instructions

    for reader in (vars(normalize), prove.__globals__):
        monkeypatch.setitem(reader, "known_instructions", with_an_empty_slot_for_a_value)
    assert "STORE_FAST takes an empty slot" in prove(broken, raw).describe()


def test_what_differs_in_unused_constants_is_exact_without_a_normal_form(compile_text, monkeypatch):
    text = "def f(a):\n def g(): return a\n return 1, g, {k: [v] for k, v in a if k}"
    left, right, other = (compile_text(source).nested[0] for source in (text, text, text.replace("1", "True")))
    right.consts += ("unused",)
    monkeypatch.setitem(prove.__globals__, "normalize", None)
    verdict = prove(left, right)
    assert verdict.exact and verdict.pairs == tuple(zip(left.nested, right.nested))
    monkeypatch.undo()
    other.consts += ("unused",)
    assert "1" in prove(left, other).describe() and not prove(left, other).proven


def test_a_finally_subroutine_called_is_not_exactly_one_that_is_fallen_into(compile_text, monkeypatch):
    left, right = (compile_text(text).nested[0] for text in ("def f(a): return a(1)", "def f(a):  return a(1)"))
    right.names += ("unused",)  # not equal byte for byte
    assert prove(left, right).exact
    monkeypatch.setattr(RawCode, "finally_calls", property(lambda raw: int(raw is left)))
    assert prove(left, right).level is Level.EQUIVALENT


def test_calls_of_finally_subroutines_are_read_from_the_bytecode_of_its_version():
    raw = RawCode()
    raw.bytecode = bytes([162, 0, 53, 0, 162, 4])
    raw.version = (3, 8)
    assert raw.finally_calls == ["CALL_FINALLY", "BEGIN_FINALLY", "CALL_FINALLY"]
    raw.version = (3, 9)
    assert raw.finally_calls == []


def test_what_stands_behind_calls_of_finally_subroutines_may_be_cut_short():
    raw = RawCode()
    raw.version, raw.consts = (3, 8), ("a", "b")
    returns = bytes([162, 2, 1, 0, 100, 1, 83, 0])
    for size, found in ((8, ["b"]), (7, ["b"]), (6, []), (4, []), (2, [])):
        raw.bytecode = returns[:size]
        assert raw.returned_after_finally_calls == found
    raw.bytecode = bytes([162, 2, 100, 9, 83, 0])
    assert raw.returned_after_finally_calls == []


def test_keyword_names_that_are_no_text_are_no_crash():
    code = compile("f(a, k=1)", "text", "exec")
    consts = tuple((b"k",) if constant == ("k",) else constant for constant in code.co_consts)
    verdict = verify(code, code.replace(co_consts=consts))
    assert verdict.level.value == "unproven"
    assert "no names" in verdict.describe() or "constant names" in verdict.describe()


@pytest.mark.parametrize(("version", "recorded"), BLOCKS_END_BY_AN_INSTRUCTION)
def test_a_constant_that_is_loaded_before_a_block_ends_is_not_exactly_one_loaded_behind(version, recorded, monkeypatch):
    if recorded:
        monkeypatch.setattr(scaffold, "POOL", RecordedCompilers())
    conditional, statements = (
        compile_source("def f(a):\n try:\n  {}\n except a:\n  pass".format(text), version, filename="file").nested[0]
        for text in ("return 1 if a() else 2", "if a(): return 1\n  return 2")
    )
    assert prove(conditional, conditional).identical and prove(statements, statements).identical
    assert prove(conditional, statements).level is Level.EQUIVALENT
