"""Kernels: their sources, which line became which, and what is dumped of those that come out of Inductor's caches."""

import os
import re
import subprocess
import sys

import pytest

from depyf.explain.kernels.files import kernel_parts
from depyf.explain.kernels.provenance import Provenance, kernel_lines_text
from depyf.explain.model import Graph, Node, SourceLine

pytest.importorskip("torch")

PROGRAM = """
import sys

import torch

import depyf


@torch.compile
def f(x, w):
    y = torch.relu(x @ w)
    z = y.sin() + 1
    return (z * y).sum()


with depyf.prepare_debug(sys.argv[1]):
    torch.manual_seed(0)
    x, w = torch.randn(4, 8, requires_grad=True), torch.randn(8, 4, requires_grad=True)
    f(x, w).backward()
    print(x.grad.sum().item())
"""


@pytest.fixture(scope="module")
def dumps(tmp_path_factory):
    """The dumps of a run which fills Inductor's caches, and of one which finds everything there."""
    home = tmp_path_factory.mktemp("kernels")
    (home / "program.py").write_text(PROGRAM)
    environment = dict(os.environ, TORCHINDUCTOR_CACHE_DIR=str(home / "cache"))
    for name in ("TORCHINDUCTOR_FX_GRAPH_CACHE", "TORCHINDUCTOR_AUTOGRAD_CACHE"):
        environment.pop(name, None)
    printed, found = [], []
    for name in ("cold", "warm"):
        command = [sys.executable, str(home / "program.py"), str(home / name)]
        done = subprocess.run(command, env=environment, capture_output=True)
        assert done.returncode == 0, done.stderr.decode()[-3000:]
        printed.append(done.stdout)
        found.append({path.name: path.read_text() for path in (home / name).iterdir()})
    assert printed[0] == printed[1]
    return found


def test_the_second_run_found_the_graphs_in_the_cache(dumps):
    cold, warm = dumps
    assert "from Inductor's cache" not in cold["README.md"]
    assert warm["README.md"].count("from Inductor's cache") == 7  # five graphs, two wrappers


def test_what_comes_out_of_a_cache_is_dumped_all_the_same(dumps):
    cold, warm = dumps
    assert sorted(cold) == sorted(warm)
    for name in cold:
        if name.endswith((".py", ".cpp")):
            what = operations if "_graph" in name or "_GRAD" in name else without_comments
            assert what(cold[name]) == what(warm[name]), name


@pytest.mark.parametrize("at", [0, 1], ids=["cold", "warm"])
def test_every_line_is_led_to_its_kernels(dumps, at):
    page = dumps[at]["full_code_for_f_0.py"]
    rows = [line.strip("# ") for line in page.splitlines() if " -> " in line]
    for line, kernel, operation in [
        ("y = torch.relu(x @ w)", "extern_kernels.mm", "mm"),
        ("y = torch.relu(x @ w)", "cpp_fused_", "relu"),
        ("z = y.sin() + 1", "cpp_fused_", "sin, add"),
        ("return (z * y).sum()", "cpp_fused_", "mul, sum"),
    ]:
        assert any(line in row and kernel in row and row.endswith(operation) for row in rows), (line, kernel, rows)


@pytest.mark.parametrize("at", [0, 1], ids=["cold", "warm"])
def test_the_source_of_each_kernel_is_a_file(dumps, at):
    sources = {name: text for name, text in dumps[at].items() if name.endswith(".cpp")}
    assert [name.split(".")[1] for name in sorted(sources)] == ["kernel_0", "kernel_1"]
    for name, text in sources.items():
        assert 'extern "C"' in text
        assert "program.py" in text
        assert name in dumps[at]["README.md"]


def test_a_wrapper_for_triton_has_its_kernels_taken_out():
    wrapper = "triton_poi_fused_add_0 = async_compile.triton('triton_poi_fused_add_0', '''\nimport triton\n" \
        "@triton.jit\ndef triton_poi_fused_add_0(x):\n    pass\n''', device_str='cuda')\n"
    (part,) = kernel_parts(wrapper)
    assert (part.name, part.language, part.suffix) == ("triton_poi_fused_add_0", "Triton", "py")
    assert part.text(["about"]) == "# about\nimport triton\n@triton.jit\ndef triton_poi_fused_add_0(x):\n    pass\n"


def test_lines_are_found_by_the_comments_above_calls():
    graph = Graph("g", nodes=[Node("call_function", "linear", "linear", SourceLine("f.py", 3, "y = linear(x)"))])
    source = """
def call(args):
    # Topologically Sorted Source Nodes: [linear], Original ATen: [aten.addmm]
    extern_kernels.addmm(a, b, out=buf0)
    # Topologically Sorted Source Nodes: [], Original ATen: []
    triton_fused_0.run(buf0)
"""
    lines = Provenance().take(source, graph)
    assert kernel_lines_text(lines) == ["f.py:3  y = linear(x)  -> extern_kernels.addmm: addmm"]


def operations(text):
    return re.findall(r"torch\.ops\.[\w.]+\(", text)


def without_comments(text):
    return [line for line in text.splitlines() if not line.lstrip().startswith(("#", "//"))]


def test_the_memory_of_a_graph_is_told_by_the_run_that_generates_its_code(dumps):
    cold, warm = dumps
    assert re.search(r"__compiled_fn_\d, forward, of `f` .*: peak \d+ B, in \w+", cold["README.md"])
    assert warm["README.md"].count("not known, as Inductor's cache had its code") == 2
