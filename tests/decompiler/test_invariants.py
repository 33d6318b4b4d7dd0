"""A pass that is broken on purpose: its invariant says so, and names the pass."""

from __future__ import annotations

import importlib
from typing import Any, Callable, List

import pytest
from assembler.assemble import assemble
from assembler.generate import generate

from depyf import cli
from depyf.decompiler.bytecode import disassemble as disassemble_function
from depyf.decompiler.bytecode import load
from depyf.decompiler.bytecode.block_stack.unwind import USES_BLOCKS
from depyf.decompiler.bytecode.canonical.loop_ends import LOOP_ENDS
from depyf.decompiler.bytecode.instruction import Instruction
from depyf.decompiler.definitions.resolve import Definitions
from depyf.decompiler.driver import passes
from depyf.decompiler.driver.settings import DEFAULT
from depyf.decompiler.passes import BrokenInvariant, broken
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.syntax import nodes

SOURCE = """
def f(a, b):
    for x in a:
        try:
            if x and b:
                g(x)
        finally:
            h(b)
    def inner():
        return a
    return inner
"""
CHECKED = DEFAULT._replace(checks=True)


def function() -> Any:
    names: dict = {}
    exec(SOURCE, names)
    return names["f"]


def breaking(name: str, break_it: Callable[..., None]) -> Callable[[pytest.MonkeyPatch], None]:
    """Patches the function ``name`` that a pass calls, so that ``break_it`` runs after it on its result or argument."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        original = getattr(passes, name)

        def broken_pass(*arguments: Any, **options: Any) -> Any:
            result = original(*arguments, **options)
            break_it(arguments[0] if result is None else result)
            return result

        monkeypatch.setattr(passes, name, broken_pass)

    return patch


def lose_a_block(graph: Any) -> None:
    del graph.blocks[1]


def go_on_behind_a_jump(graph: Any) -> None:
    block = next(block for block in graph.blocks if block.target is not None and block.fall is None)
    block.fall = graph.blocks[-1]


def forget_a_pop(graph: Any) -> None:
    block = next(block for block in graph.blocks if "POP" in block.operations()[:-1])
    del block.instructions[[i.op for i in block.instructions].index("POP")]


def move_a_statement(graph: Any) -> None:
    region = next(block.region for block in graph.blocks if block.region is not None)
    region.parent = type(region)("except", region.handler)


def forget_a_predecessor(blocks: List[Any]) -> None:
    next(block for block in blocks if block.predecessors).predecessors.clear()


def forget_a_test(blocks: List[Any]) -> None:
    branch = next(block for block in blocks if block.kind == "branch")
    branch.terminator = branch.terminator._replace(test=None)


def leave_the_analysis_behind(flow: Any) -> None:
    branch = next(node for node in flow.nodes if node.kind == "branch")
    branch.terminator = branch.terminator._replace(true=flow.entry, false=flow.entry)


def add_a_break(body: List[nodes.Statement]) -> None:
    body.append(nodes.Break())


PLANTED = [
    ("undo_optimiser:breaks", "no block is lost", breaking("separate_breaks", lose_a_block)),
    ("flowgraph:build", "edges are those", breaking("build_flowgraph", go_on_behind_a_jump)),
    ("undo_optimiser:abandoned_values", "stack heights agree", breaking("drop_abandoned_values", forget_a_pop)),
    ("undo_optimiser:breaks", "every handler region is closed", breaking("separate_breaks", move_a_statement)),
    ("lift:fold", "edges are symmetric", breaking("fold", forget_a_predecessor)),
    ("lift:lift", "every successor is there", breaking("lift", forget_a_test)),
    ("structure:outer_loops", "edges are symmetric", breaking("separate_outer_loops", leave_the_analysis_behind)),
    ("structure:structure", "no jump is left", breaking("structure", add_a_break)),
    ("polish:end", "no jump is left", breaking("end", add_a_break)),
]


@pytest.mark.parametrize(("name", "invariant", "patch"), PLANTED, ids=[f"{n} {i}" for n, i, _ in PLANTED])
def test_a_broken_pass_is_named(name, invariant, patch, monkeypatch):
    patch(monkeypatch)
    with pytest.raises(BrokenInvariant, match=rf"after {name} in f[\w.<>]*: {invariant}"):
        analyze(function(), settings=CHECKED)


@pytest.mark.parametrize("patch", [patch for _, _, patch in PLANTED])
def test_nobody_looks_unless_asked(patch, monkeypatch):
    """What the bug costs then is the code object, or nothing where the proof holds all the same."""
    patch(monkeypatch)
    analyze(function())


def test_a_placeholder_that_is_left_is_seen(monkeypatch):
    monkeypatch.setattr(Definitions, "resolve", lambda self, body: body)
    with pytest.raises(BrokenInvariant, match="after polish:definitions in f: no placeholder is left: a Function"):
        analyze(function(), settings=CHECKED)


def test_a_definition_without_a_body_is_seen(monkeypatch):
    monkeypatch.setattr(Definitions, "put_in_bodies", lambda self: None)
    with pytest.raises(BrokenInvariant, match="after polish:bodies in f: no body is empty: a FunctionDef"):
        analyze(function(), settings=CHECKED)


def instructions_after(name: str, change: Callable[[List[Instruction]], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let ``change`` have what the pass that calls ``name`` has left."""
    module = importlib.import_module("depyf.decompiler.bytecode.disassemble")
    original = getattr(module, name)

    def changed(instructions, *arguments, **options):
        result = original(instructions, *arguments, **options)
        change(instructions if result is None else result)
        return result

    monkeypatch.setattr(module, name, changed)


def test_a_jump_that_leads_nowhere_is_seen(monkeypatch):
    def lead_away(instructions):
        next(i for i in instructions if i.op == "FOR_ITER").target = 1000

    instructions_after("fold_conditions", lead_away, monkeypatch)
    with pytest.raises(BrokenInvariant, match="after disassemble:conditions in f: jumps and handlers lead to instr"):
        analyze(function(), settings=CHECKED)


@pytest.mark.parametrize(("name", "operation"), [
    ("block_stack", sorted(USES_BLOCKS)[0]), ("loop_ends", sorted(LOOP_ENDS)[0]), ("awaits", "SEND"),
    ("second_slots", "LOAD_SPECIAL"),
])  # fmt: skip
def test_an_operation_that_a_pass_has_left_is_seen(name, operation):
    one = next(one for one in passes.STAGES[1].passes if one.name == name)

    class Left:
        instructions = disassemble_function(load(function().__code__))

    assert broken(one, Left) == ""
    Left.instructions[1] = Instruction(operation, None, -1, None, 4, 1, None)
    assert "is left: " in broken(one, Left)
    assert operation in broken(one, Left)


def test_a_dropped_instruction_is_seen_by_the_depths(monkeypatch):
    def drop(instructions):
        next(i for i in instructions if i.op == "POP").op = "NOP"

    def calls(a):
        if a:
            a()

    instructions_after("fold_conditions", drop, monkeypatch)
    with pytest.raises(BrokenInvariant, match=r"after disassemble:canonical in .*: the canonical stack is as deep"):
        analyze(calls, settings=CHECKED)


def test_the_engines_for_other_code_are_checked_too(monkeypatch):
    from depyf.decompiler.unstructured import decompile

    def with_break(original):
        def polished(out, *arguments):
            original(out, *arguments)
            add_a_break(out)

        return polished

    found: dict = {}
    seeds = iter(range(1000000, 1000200))
    while not found.keys() >= {"events", "nested blocks"}:
        code = assemble(generate(next(seeds)))
        found[analyze(code).form] = code
    monkeypatch.setattr(decompile, "polish", with_break(decompile.polish))
    with pytest.raises(BrokenInvariant, match=r"after events:polish in .*: no jump is left"):
        analyze(found["events"], settings=CHECKED)
    with pytest.raises(BrokenInvariant, match=r"after dispatch:polish in .*: no jump is left"):
        analyze(found["nested blocks"], settings=CHECKED)


def test_the_command_says_it(monkeypatch, tmp_path, capsys):
    path = tmp_path / "f.py"
    path.write_text(SOURCE)
    assert cli.main(["decompile", str(path), "--check"]) == cli.PROVEN
    breaking("fold", forget_a_predecessor)(monkeypatch)
    assert cli.main(["decompile", str(path), "--check"]) == cli.FAILED
    assert "depyf: after lift:fold in f: edges are symmetric: " in capsys.readouterr().err
