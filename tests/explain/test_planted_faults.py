"""A fault planted in functions of the recorder and its writers, one at a time: the program does not notice.

`benchmarks/attack/planted_faults.py` is the same in all functions, with any program, before every statement, with
other exceptions.
"""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import depyf
import planted_faults

ROOT = Path(__file__).parent.parent.parent
EXPLAIN = Path(depyf.__file__).parent / "explain"
EDGES = {
    node.name: node
    for path in EXPLAIN.rglob("*.py")
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    if isinstance(node, ast.FunctionDef) and planted_faults.is_edge(node)
}
TORCHS_OWN = {"before", "load", "original", "graph_formatter"}  # as the stand-ins in patches.py call it
CANNOT_FAIL = {"isinstance", "Session", "ExitStack", "get", "append"}
MEANT = {"TypeError", "format", "require_torch"}  # what prepare_debug says of its arguments, and of a missing torch


def plant(*arguments):
    command = [sys.executable, "-W", "ignore", str(ROOT / "benchmarks" / "attack" / "planted_faults.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    return int(done.stdout.splitlines()[-1].split()[0])


@pytest.mark.parametrize("program", ["closure", "exception_of_the_user"])
def test_in_functions(program):
    assert plant("--functions", "--program", program, "--sample", "75") == 75


@pytest.mark.parametrize("kind", ["KeyboardInterrupt", "StopIteration"])
def test_other_exceptions(kind):
    assert plant("--program", "exception_of_the_user", "--sample", "12", "--kind", kind) == 12


@pytest.mark.parametrize("name", sorted(EDGES))
def test_an_edge_has_nothing_which_can_fail(name):
    contained = {
        id(node) for attempt in ast.walk(EDGES[name]) if isinstance(attempt, ast.Try)
        and [handler.type.id for handler in attempt.handlers] in (["Exception"], ["BaseException"])
        for statement in attempt.body for node in ast.walk(statement)
    }
    calls = [node for statement in EDGES[name].body for node in ast.walk(statement) if isinstance(node, ast.Call)]
    for call in calls:
        if id(call) in contained or isinstance(call.func, ast.Call):
            continue
        called = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id
        assert called in set(EDGES) | TORCHS_OWN | CANNOT_FAIL | MEANT


def test_what_torch_calls_are_edges():
    assert {"hook", "graph_was_formatted", "load_by_key_path", "_exec_with_source", "prepare_debug"} <= set(EDGES)
