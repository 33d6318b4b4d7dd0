"""The last way to source: what it writes does the same as the code that it was given."""

from __future__ import annotations

import types
from typing import Any, Callable, List

import pytest
import random_graphs
import standins
from attack.machine_runs import machine_run
from one_engine import dispatched

from depyf.decompiler.bytecode import Instruction, RawCode, disassemble, load
from depyf.decompiler.definitions.unused import mention_the_unused
from depyf.decompiler.printing.printer import print_tree
from depyf.decompiler.proof.symbolic.prove import prove_instructions, prove_symbolic
from depyf.decompiler.recompile import recompile
from depyf.decompiler.syntax import nodes as n
from depyf.decompiler.unstructured import DecompiledCode, decompile_unstructured
from depyf.errors import DecompilationError

PLAN = standins.Plan(exceptions=frozenset({"E0", "E1"}))
SEEDS = 6
GRAPHS = 60
PROVEN = 20


def no_nested(raw: RawCode) -> n.FunctionDef:
    raise AssertionError("no functions are made")


def whole_text(result: DecompiledCode, raw: RawCode, instructions: List[Instruction]) -> str:
    """The text with what keeps a generator without a yield one."""
    mention_the_unused(result.tree.body, raw, instructions)
    return print_tree(result.tree)


def graph_result(seed: int) -> str:
    """How the text for a random graph stands up to the graph itself: its form, 'refused: ...' or 'WRONG ...'."""
    raw, instructions = random_graphs.random_graph(seed)
    try:
        result = decompile_unstructured(raw, no_nested, carries=False, instructions=instructions)
    except DecompilationError as error:
        return f"refused: {error.reason}"
    assert raw.code is not None
    code = recompile(whole_text(result, raw, instructions), raw.code, "<graph>")
    for run in range(SEEDS):
        if machine_run(raw, instructions, run, PLAN) != standins.run(code, run, PLAN):
            return f"WRONG {seed}\n{result.text}"
    if seed < PROVEN:
        again = load(code)
        verdict = prove_instructions((raw, again), (instructions, disassemble(again)))
        if not verdict.proven:
            return f"WRONG {seed}: {verdict.reasons}\n{result.text}"
    return result.form


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # some catch GeneratorExit
def test_random_graphs_do_the_same():
    results: List[str] = [graph_result(seed) for seed in range(GRAPHS)]
    assert [result for result in results if result.startswith(("WRONG", "refused"))] == []
    assert {"nested blocks", "state variable", "dispatch loop"} == set(results)


# Ordinary functions, written this way though they need not be


def branches(a, b):
    if a and b or a.c:
        a.d()
    elif b:
        return a
    return b if a else (a or b)


def loops(a, b):
    for x in a:
        if x:
            continue
        while b.next():
            if x.y:
                break
            if a:
                return x
        else:
            b.end()
    else:
        a.exhausted()
    return b


def handlers(a, b):
    for x in a:
        try:
            x()
        except KeyError as error:
            b(error)
            continue
        except (a.Error, TypeError):
            break
        finally:
            b.close()
    return x


def raising(a, b):
    try:
        a()
    except b.E:
        raise
    except ValueError as error:
        raise TypeError(a) from error
    assert b, a
    del a.x, b
    return a


def generator(a, b):
    try:
        got = yield a
        while got:
            got = yield from b(got)
    finally:
        yield b


async def coroutine(a, b):
    try:
        x = await a
        async for y in b:
            x = await y(x)
    except Exception as error:
        return error
    return x


def imports(a, b):
    import os.path
    import xml.etree.ElementTree as tree
    from sys import argv
    from sys import path as where

    return os, tree, argv, where


def nested(a, b):
    def inner(c=a, *, d=b):
        return a, c

    return lambda e: inner(e)


def displays(a, b):
    x = [a, *b]
    y = {**a, "k": b}
    z = {a, b} | {*x}
    return f"{a!r:>{b}} {x}", y, z, a(*x, **y)


class Base:
    def method(self, a):
        with super().manager(a) as x:
            if x:
                return x.y
        return super().method


def managers(a, b):
    for x in a:
        with x.open() as y, b:
            if y:
                break
            if b.c:
                continue
            y.read()
    return x


def loop_within_two_managers(a, b):
    with a, b:
        while a.x if b.y else b.z or 1:
            a.next()
        return  # what the inner one swallows goes on behind both


ORDINARY = [
    branches, loops, handlers, raising, generator, coroutine, imports, nested, displays, Base.method, managers,
    loop_within_two_managers,
]  # fmt: skip


@pytest.mark.parametrize("function", ORDINARY)
def test_ordinary_functions_do_the_same(function: Callable[..., Any]):
    code = function.__code__
    result: DecompiledCode = dispatched(load(code))
    assert result.form in ("nested blocks", "state variable")
    again = recompile(whole_text(result, load(code), disassemble(load(code))), code, "<test>")
    assert standins.same(code, again, SEEDS), result.text
    verdict = prove_symbolic(load(code), load(again))
    assert verdict.proven, (verdict.reasons, result.text)


def test_a_class_body_is_refused():
    module = compile("class A:\n    x = 1", "<test>", "exec")
    body = next(constant for constant in module.co_consts if isinstance(constant, types.CodeType))
    with pytest.raises(DecompilationError, match="no function"):
        dispatched(load(body))
