"""Graphs that are compiled outside of a compilation of Dynamo's: compiled autograd, `aot_compile`."""


import pytest
from forks import TORCH

pytest.importorskip("torch")

PROGRAM = """
import os
import sys

import torch

import depyf


def f(x, w):
    return torch.relu(x @ w).sum()


def g(x):
    return x.sin() + 1


x, w = torch.ones(4, 4, requires_grad=True), torch.ones(4, 4)
with depyf.prepare_debug(os.path.join(sys.argv[1], "autograd")):
    with torch._dynamo.config.patch(compiled_autograd=True):
        loss = torch.compile(f, backend="eager")(x, w)
        backward = torch.compile(lambda: loss.backward(), backend="eager")
        backward()
    print(x.grad.sum().item())

with depyf.prepare_debug(os.path.join(sys.argv[1], "aot")):
    compiled = torch.compile(g, fullgraph=True)
    if hasattr(compiled, "aot_compile"):
        compiled.aot_compile(((torch.ones(3),), {}))
"""


@pytest.fixture(scope="module")
def dumps(tmp_path_factory):
    home = tmp_path_factory.mktemp("other")
    (home / "program.py").write_text(PROGRAM)
    done = TORCH.run(home / "program.py", home)
    assert done.stdout == "64.0\n", done.stderr[-3000:]
    return {name: sorted(path.name for path in (home / name).iterdir()) for name in ("autograd", "aot")}


def test_compiled_autograd_compiles_nothing_of_ours(dumps):
    pages = [name for name in dumps["autograd"] if name.startswith("full_code_for_")]
    assert pages == ["full_code_for_f_0.py", "full_code_for_forward_0.py", "full_code_for_lambda_0.py"]
    assert "__no_compiled_fn.Compiled_autograd_graph.0.py" in dumps["autograd"]


def test_what_aot_compile_makes_belongs_to_its_graph(dumps):
    graphs = {name.partition(".")[0] for name in dumps["aot"] if name.startswith("__") and "compiled_fn" in name}
    assert len(graphs) == 1 and "__no_compiled_fn" not in graphs
    stages = {name.split(".")[1] for name in dumps["aot"] if "compiled_fn" in name}
    assert stages == {"Captured_Graph", "Forward_graph", "AFTER_POST_GRAD", "kernel_0", "repro"}
