"""Whole modules against their own text, printed anew: lines differ, everything else is proven."""

from __future__ import annotations

import ast

from syntax_from_ast import from_ast

from depyf.decompiler.bytecode import disassemble, load
from depyf.decompiler.bytecode.interpreters import HOST_VERSION
from depyf.decompiler.printing.printer import print_tree
from depyf.decompiler.proof import compile_module, compile_unit, prove, prove_all
from depyf.decompiler.proof.lockstep.bisimulation import lock_step, same_instructions
from depyf.decompiler.proof.lockstep.normalize import normalize
from depyf.decompiler.syntax.grammar import grammar_of

GRAMMAR = grammar_of(HOST_VERSION)


def compiled(text):
    return load(compile(text, "text", "exec", dont_inherit=True, optimize=0))


def test_everything_is_exact(sources):
    verdicts = []
    for text in sources.values():
        raw = compiled(text)
        proofs = prove_all(raw, compile_module(print_tree(from_ast(ast.parse(text)), grammar=GRAMMAR), raw))
        assert set(proofs) == set(raw.walk())
        verdicts += [verdict for verdict, _ in proofs.values()]
    assert all(verdict.exact for verdict in verdicts)
    assert sum(verdict.identical for verdict in verdicts) > 0.9 * len(verdicts)  # bodies of classes may hold a line


def test_every_code_has_a_normal_form_that_walks_with_itself(sources):
    for text in sources.values():
        for raw in compiled(text).walk():
            form = normalize(raw)
            assert same_instructions(form, form)
            comparison = lock_step(form, form)
            assert comparison.difference is None
            assert {a for a, b in comparison.pairs} == {b for a, b in comparison.pairs} <= set(raw.nested)
            assert not {"NOP", "JUMP", "NULL"} & set(form.ops)
            assert len(form.ops) <= len(disassemble(raw)) + 1


def test_different_functions_are_never_proven_equal(sources):
    """Names apart, two functions of one module are proven equal only if they have the same bytecode."""
    for name in ("constructs", "typing.py"):
        raws = [raw for raw in compiled(sources[name]).walk() if raw.is_function]
        for raw in raws:
            for other in raws:
                if prove(raw, other, names=False).proven and raw.bytecode != other.bytecode:
                    assert (raw.names, raw.varnames) == (other.names, other.varnames)


def test_every_definition_compiled_alone_is_exact(sources):
    count = 0
    for text in sources.values():
        raws: dict[tuple[str, int], list[object]] = {}
        for raw in compiled(text).walk():
            raws.setdefault((raw.name, raw.firstlineno), []).append(raw)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                line = min([node.lineno, *[decorator.lineno for decorator in node.decorator_list]])
                (raw,) = raws[node.name, line]
                verdict = prove(raw, compile_unit(print_tree(from_ast(node), grammar=GRAMMAR), raw))
                assert verdict.exact, (raw, verdict.describe())
                count += 1
    assert count > 500
