"""What kernels cost: the bytes that are live at each call, the lines that own the peak, and times on demand."""

import ast
import contextlib
import importlib
import json
import subprocess
import sys
import types

import pytest

from depyf.comparing.facts import CACHES
from depyf.explain.kernel_costs import bytes_words, time_words
from depyf.explain.kernels.memory import kernel_calls
from depyf.explain.kernels.timing import KernelTimers
from depyf.explain.model import Kernel, Session
from depyf.explain.report.remarks.costs import cost_remarks

torch = pytest.importorskip("torch")

WRAPPER = """
cpp_fused_add_0 = async_compile.cpp_pybinding([], r'''
''')
class Runner:
    def call(self, args):
        arg0_1, = args
        buf0 = empty_strided_cpu((8, ), (1, ), torch.float32)
        cpp_fused_add_0(arg0_1, buf0)
        del arg0_1
        buf1 = extern_kernels.mm(buf0, buf0)
        buf2 = buf0; del buf0  # reuse
        triton_poi_fused_add_0.run(buf1, buf2, stream=stream0)
        return (buf1, buf2.item(), )
"""


def test_calls_of_kernels_are_found_and_nothing_else():
    found = [(call.kernel, call.place) for call in kernel_calls(ast.parse(WRAPPER))]
    assert found == [("cpp_fused_add_0", 8), ("extern_kernels.mm", 10), ("triton_poi_fused_add_0", 12)]
    assert kernel_calls(ast.parse("cpp_wrapper_src = '''void call();'''\n")) == []


@pytest.mark.parametrize("number, words", [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (80 << 20, "80.0 MiB"),
                                           (3 << 30, "3.0 GiB")])  # fmt: skip
def test_bytes_in_words(number, words):
    assert bytes_words(number) == words


def test_times_in_words():
    assert time_words(1, 0.0123, 0.0123, None) == "1 call, 12.3 ms"
    assert time_words(4, 196e-6, 60e-6, 12e-6) == (
        "4 calls, 196 us: 60 us in the first run, then a median of 12 us"
    )


def test_all_lines_of_a_kernel_have_all_of_its_time():
    row = {"kernel": "cpp_fused_0", "graph": "__compiled_fn_3", "direction": "backward", "calls": 4, "seconds": 96e-6,
           "first": 60e-6, "median": 12e-6, "lines": [["a.py", 2], ["a.py", 5], ["b.py", 7]]}  # fmt: skip
    found = {(one.file, one.line): one.words for one in cost_remarks([], [row])}
    time = ", 4 calls, 96 us: 60 us in the first run, then a median of 12 us"
    assert found == {
        ("a.py", 2): "graph 3 (backward): cpp_fused_0 (with lines 5, b.py:7)" + time,
        ("a.py", 5): "graph 3 (backward): cpp_fused_0 (with lines 2, b.py:7)" + time,
        ("b.py", 7): "graph 3 (backward): cpp_fused_0 (with lines a.py:2, a.py:5)" + time,
    }


@pytest.mark.parametrize("source, why", [
    ("def call(args):\n    stream0 = get_raw_stream(0)\n    triton_0.run(buf0, stream=stream0)\n", "run on a GPU"),
    ("cpp_wrapper_src = '''void call();'''\n", "not in Python"),
])  # fmt: skip
def test_kernels_without_times_are_told(source, why):
    session, kernel = Session(), Kernel("k", path="k.py", source=source, calls=kernel_calls(ast.parse(source)))
    KernelTimers(session, contextlib.ExitStack()).put_into(types.ModuleType("generated"), kernel, "k.py", 0)
    assert len(session.notes) == 1 and why in session.notes[0]


# ---- what Inductor generates: operators of libraries alone, so that no C++ is compiled


def products(x, w):
    first = x @ w
    second = first @ w
    third = second @ w
    return second @ third


def ordered(x):
    values, places = torch.sort(x @ x)
    return values @ x, places


@pytest.fixture
def recorded(tmp_path):
    """Compiles a function and calls it: the model of its one generated module, and the folder of the dump."""
    import depyf

    def record(function, *inputs, times=1, results=None, **options):
        torch._dynamo.reset()
        with contextlib.ExitStack() as undo:
            for module, option in CACHES:
                config = importlib.import_module(module)
                if hasattr(config, option):
                    undo.enter_context(config.patch({option: False}))
            session = undo.enter_context(depyf.prepare_debug(tmp_path / "dump", time=times > 1))
            compiled = torch.compile(function, **options)
            results = [] if results is None else results
            results += [compiled(*inputs) for _ in range(times)]
        compiled(*inputs)  # the recording has ended: not timed
        graphs = [graph for frame in session.frames for entry in frame.entries for graph in entry.graphs]
        (kernel,) = graphs[0].kernels
        return kernel, tmp_path / "dump"

    return record


def number_of(kernel):
    """That of its graph: Dynamo counts through all tests."""
    return kernel.path.partition(".")[0].rpartition("_")[2]


def test_live_bytes_the_peak_and_its_lines(recorded):
    """Of four products of 256 bytes the third takes the first's memory, and owns it at the peak."""
    kernel, dump = recorded(products, torch.ones(8, 8), torch.ones(8, 8))
    assert [(call.during, call.after) for call in kernel.calls] == [(256, 256), (512, 512), (512, 512), (768, 256)]
    first = products.__code__.co_firstlineno
    assert kernel.memory.peak == 768 and kernel.memory.kept == 256
    assert sorted((one.line.line - first, one.bytes) for one in kernel.memory.owners) == [(2, 256), (3, 256), (4, 256)]
    assert "peak 768 B, in extern_kernels.mm; 256 B at the end" in (dump / "README.md").read_text()
    remarks = json.loads((dump / "remarks.json").read_text())["remarks"]
    said = {one["line"] - first: one["words"] for one in remarks if one["kind"] == "memory"}
    words = f"graph {number_of(kernel)}: 256 B of 768 B at the peak: mm"
    assert said == {2: words, 3: words, 4: words}


def test_a_tuple_has_the_bytes_of_its_parts(recorded):
    """`sort` gives 64 floats and 64 integers of 8 bytes beside its input."""
    kernel, _ = recorded(ordered, torch.ones(8, 8))
    during = {call.kernel.rpartition(".")[2]: call.during for call in kernel.calls}
    assert [call.during for call in kernel.calls] == [256, 256 + 256 + 512, 256 + 512 + 256], during
    assert kernel.memory.kept == 512 + 256


def test_sizes_that_are_not_fixed_are_those_of_the_first_call(recorded):
    kernel, _ = recorded(ordered, torch.ones(6, 6), dynamic=True)
    assert kernel.memory.peak == 6 * 6 * (4 + 4 + 8)
    assert " bytes with " in kernel.memory.formula and " = 6" in kernel.memory.formula


def test_what_fails_costs_no_file(recorded, monkeypatch):
    from depyf.explain.kernels import memory

    monkeypatch.setattr(memory, "current_graph", lambda: None)
    kernel, dump = recorded(products, torch.ones(8, 8), torch.ones(8, 8))
    assert kernel.memory is None and (dump / kernel.path).exists()
    assert f"the memory of __compiled_fn_{number_of(kernel)}: AttributeError" in (dump / "README.md").read_text()


def test_times_of_each_call_until_the_recording_ends(recorded):
    kernel, dump = recorded(products, torch.ones(8, 8), torch.ones(8, 8), times=3)
    assert [call.calls for call in kernel.calls] == [3, 3, 3, 3]
    assert all(0 < call.first < call.seconds for call in kernel.calls)
    (row,) = json.loads((dump / "compile_times.json").read_text())["kernels"]
    assert (row["calls"], len(row["lines"])) == (12, 4)
    assert row["first"] == pytest.approx(sum(call.first for call in kernel.calls))
    low, high = sorted(seconds for call in kernel.calls for seconds in call.later)[3:5]
    assert low <= row["median"] <= high
    assert row["seconds"] == pytest.approx(sum(call.seconds for call in kernel.calls))


def test_timing_changes_neither_results_nor_what_is_generated(recorded):
    plain, timed, inputs = [], [], (torch.randn(8, 8), torch.randn(8, 8))
    without, dump = recorded(products, *inputs, results=plain)
    assert not any(call.calls for call in without.calls)
    assert "kernels" not in json.loads((dump / "compile_times.json").read_text())
    kernel, _ = recorded(products, *inputs, results=timed, times=3)
    assert kernel.source.splitlines()[1:] == without.source.splitlines()[1:]  # the first counts the graphs
    assert all(torch.equal(one, plain[0]) for one in timed)


PROGRAM = """
import torch

@torch.compile
def step(x, w):
    return (x @ w) @ x

x, w = torch.randn(8, 8), torch.randn(8, 8, requires_grad=True)
for _ in range(3):
    step(x, w).sum().backward()
"""


def test_forward_and_backward_are_timed_by_the_command(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "depyf", "run", "-q", "-o", "dump", "--time", "program.py"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    rows = json.loads((tmp_path / "dump" / "compile_times.json").read_text())["kernels"]
    assert {(row["direction"], row["calls"]) for row in rows} == {("forward", 6), ("backward", 6)}
