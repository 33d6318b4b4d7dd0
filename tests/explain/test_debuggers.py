"""Breakpoints under pdb and under debugpy, which is spoken to over its socket as an editor does.

In one run, with Dynamo on: the files of the dump are the same in every run, so a run without a debugger makes them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Callable, Dict, List, Tuple

import pytest
from debug_adapter_client import DebugSession

PROGRAM = Path(__file__).with_name("debugged_program.py")
RESULTS = ["result 2.5 2.0", "result 7.5 2.0"]
TRANSFORMED = "__transformed_code_0_for_toy_example.py"


class Dumps(Dict[str, Path]):
    """A dump for each backend that is asked for, by a run without a debugger."""

    def __init__(self, make_folder: Callable[[str], Path]) -> None:
        self.make_folder = make_folder

    def __missing__(self, backend: str) -> Path:
        self[backend] = self.make_folder(backend)
        done = subprocess.run([sys.executable, str(PROGRAM), backend, str(self[backend])], capture_output=True,
                              text=True, timeout=600)
        assert done.stdout.splitlines()[:2] == RESULTS, done.stdout + done.stderr
        return self[backend]


@pytest.fixture(scope="module")
def dumps(tmp_path_factory) -> Dict[str, Path]:
    return Dumps(tmp_path_factory.mktemp)


def place(path: Path, text: str) -> Tuple[str, int]:
    """The file and the first line in it with `text`."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return str(path), next(number for number, line in enumerate(lines, 1) if text in line)


def at(*places: Tuple[str, int]) -> Dict[str, List[int]]:
    breakpoints: Dict[str, List[int]] = {}
    for file, line in places:
        breakpoints.setdefault(file, []).append(line)
    return breakpoints


def debugged(dumps: Dict[str, Path], backend: str, *more: str, late: bool = False) -> DebugSession:
    return DebugSession.of_program([str(PROGRAM), backend, str(dumps[backend]), *more], late=late)


def test_debugpy_stops_in_lines_of_the_program(dumps):
    first, condition, count = (place(PROGRAM, text) for text in ("x = a /", "if b.sum", "count = 3"))
    with debugged(dumps, "eager") as session:
        assert all(session.start(at(first)).values())
        stop = session.wait_for_stop()
        assert (stop.place, stop.function) == (first, "toy_example")
        assert set(session.variables(stop)) == {"a", "b"}
        stop = session.next(stop)
        assert stop.place == count and session.evaluate(stop, "x.sum().item()") == "5.0"
        stop = session.next(stop)
        assert stop.place == condition and session.variables(stop)["count"] == "3"
        session.set_breakpoints(*place_and_lines(place(PROGRAM, "return halved")))
        session.resume(stop)
        stop = session.step_in(session.wait_for_stop())
        assert stop.function == "halved" and session.evaluate(stop, "x.sum().item()") == "5.0"
        session.set_breakpoints(str(PROGRAM), [])
        session.resume(stop)
        output = session.wait_for_end().splitlines()
    assert output[:2] == RESULTS
    assert output[-1] == "graphs 2"  # Dynamo was on: the other function, and what came before the `if`, were compiled


def place_and_lines(found: Tuple[str, int]) -> Tuple[str, List[int]]:
    return found[0], [found[1]]


def test_debugpy_stops_in_a_function_that_was_inlined(dumps):
    inside = place(PROGRAM, "half = x / 2")
    with debugged(dumps, "aot_eager") as session:
        session.start(at(inside))
        stop = session.wait_for_stop()
        assert (stop.place, stop.function) == (inside, "halved")
        assert session.evaluate(stop, "x.sum().item()") == "5.0"
        session.set_breakpoints(str(PROGRAM), [])
        session.resume(stop)
        assert session.wait_for_end().splitlines()[:2] == RESULTS


@pytest.mark.parametrize(
    ("backend", "graph", "text", "function", "value"),
    [
        ("eager", "__compiled_fn_1.Captured_Graph.0.py", "sum_1:", "forward", "x.sum().item()"),
        ("aot_eager", "__compiled_fn_1.Forward_graph.0.py", "sum_1:", "forward", "div.sum().item()"),
    ],
)
def test_debugpy_stops_in_transformed_code_and_in_what_it_calls(dumps, backend, graph, text, function, value):
    transformed = place(dumps[backend] / TRANSFORMED, "graph_out = ")
    inside = place(dumps[backend] / graph, text)
    with debugged(dumps, backend) as session:
        assert all(session.start(at(transformed, inside)).values())
        stop = session.wait_for_stop()
        assert (stop.place, stop.function) == (transformed, "toy_example")
        assert session.evaluate(stop, "a.sum().item()") == "10.0" and "b" in session.variables(stop)
        session.resume(stop)
        stop = session.wait_for_stop()
        assert (stop.place, stop.function) == (inside, function)
        assert session.evaluate(stop, value) == "5.0"
        assert session.next(stop).place == (inside[0], inside[1] + 1)
        stop = session.step_out(stop)
        while stop.place[0] != transformed[0]:  # through torch's own frames, if they are shown
            stop = session.step_out(stop)
        stop = session.next(stop)
        assert session.evaluate(stop, "len(graph_out)") == "2"
        for file in (transformed[0], inside[0]):
            session.set_breakpoints(file, [])
        session.resume(stop)
        assert session.wait_for_end().splitlines()[:2] == RESULTS


def test_debugpy_that_attaches_late_stops_in_inductors_wrapper(dumps):
    kernel, transformed = (dumps["inductor"] / name for name in ("__compiled_fn_1.kernel_0.py", TRANSFORMED))
    before, wrapper = place(transformed, "graph_out = "), place(kernel, "del arg0_1")
    with debugged(dumps, "inductor", "after", late=True) as session:
        assert all(session.start(at(before, wrapper)).values())
        session.resume(session.wait_for_stop())  # depyf.debug()
        stop = session.wait_for_stop()
        assert stop.place == before and session.evaluate(stop, "a.sum().item()") == "10.0"
        session.resume(stop)
        stop = session.wait_for_stop()
        assert (stop.place, stop.function) == (wrapper, "call")
        assert session.evaluate(stop, "arg0_1.sum().item()") == "10.0"
        assert session.next(stop).place == (wrapper[0], wrapper[1] + 1)
        for file, _ in (before, wrapper):
            session.set_breakpoints(file, [])
        session.resume(stop)
        assert "compiled again 0" in session.wait_for_end()


def test_debugpy_stops_in_all_places_under_debug(dumps):
    written, transformed = place(PROGRAM, "return halved"), place(dumps["eager"] / TRANSFORMED, "graph_out = ")
    other = place(dumps["eager"] / "__transformed_code_0_for_unrelated.py", "return")
    with debugged(dumps, "eager", "after") as session:
        session.start({})
        stop = session.wait_for_stop()  # depyf.debug()
        for one in (written, transformed, other):
            session.set_breakpoints(*place_and_lines(one))
        session.resume(stop)
        stop = session.wait_for_stop()
        assert stop.place == written and session.evaluate(stop, "x.sum().item()") == "5.0"
        session.resume(stop)
        stop = session.wait_for_stop()
        assert stop.place == other and session.evaluate(stop, "a.item()") == "1.0"
        for file, _ in (written, other):
            session.set_breakpoints(file, [])
        session.resume(stop)
        stop = session.wait_for_stop()  # behind the block: what was compiled runs again
        assert stop.place == transformed
        session.set_breakpoints(transformed[0], [])
        session.resume(stop)
        output = session.wait_for_end().splitlines()
    assert "compiled again 0" in output and "as before True 2.5" in output


def under_pdb(dumps: Dict[str, Path], backend: str, commands: List[str], *more: str, module: bool = True) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONBREAKPOINT"}
    program = [str(PROGRAM), backend, str(dumps[backend]), *more]
    done = subprocess.run(
        [sys.executable, *(["-m", "pdb"] if module else []), *program],
        input="".join(command + "\n" for command in commands), capture_output=True, text=True, timeout=600,
        env=environment,
    )
    return done.stdout


def test_pdb_stops_everywhere_in_the_first_run(dumps):
    written = place(PROGRAM, "return halved")
    commands = ["b {}:{}".format(*written), "b {}:{}".format(*place(dumps["eager"] / TRANSFORMED, "graph_out = ")),
                "c", "p ('x', x.sum().item(), count)", "s", "s", "p ('in', x.sum().item())", "cl 1", "c", "q"]
    output = under_pdb(dumps, "eager", commands)
    assert "> {}({})toy_example()".format(*written) in output
    assert "('x', 5.0, 3)" in output and "('in', 5.0)" in output
    assert all(result in output for result in RESULTS)


def test_pdb_stops_in_lines_of_the_program_under_debug(dumps):
    written = place(PROGRAM, "b = b * -count")
    show = ["p ('count', count)", "n", "p ('b', b.sum().item())", "cl 1", "c"]
    output = under_pdb(dumps, "aot_eager", ["b {}:{}".format(*written), "c", *show], "after", module=False)
    assert "> {}({})toy_example()".format(*written) in output
    assert "('count', 3)" in output and "('b', 30.0)" in output
    assert "compiled again 0" in output and "as before True 2.5" in output


INSTRUCTIONS = '''
import sys
import torch
import depyf


@torch.compile(backend="eager")
def f(x):
    return x + 1


with depyf.prepare_debug(sys.argv[1]) as session, torch._dynamo.bytecode_debugger.debug():
    print("result", f(torch.ones(2)).tolist())
print("ours", session.frames[0].entries[0].runs_decompiled)
'''


def test_torchs_debugger_of_instructions_steps_through_the_code_that_runs(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(INSTRUCTIONS)
    done = subprocess.run([sys.executable, str(program), str(tmp_path / "dump")], input="n\nn\nn\nlocals\nc\n",
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert ">>>   3 " in done.stdout and "  x = tensor([1., 1.])" in done.stdout
    assert "STORE_FAST compiled_fn" in done.stdout  # a name of our text: it is that code which is stepped through
    assert "result [2.0, 2.0]" in done.stdout and "ours True" in done.stdout
