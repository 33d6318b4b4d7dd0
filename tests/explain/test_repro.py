"""Each captured graph as a program of its own, which compiles and runs it without the user's."""

import runpy
import sys

import pytest
import torch
from torch.testing._internal.two_tensor import TwoTensor

import depyf

WEIGHT = torch.nn.Parameter(torch.randn(4, 4))
LINEAR = torch.nn.Linear(4, 4)


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad):
        return 2 * grad


def parameters(x):
    return torch.nn.functional.relu(LINEAR(x) @ WEIGHT)


def changed_in_place(x):
    y = x * 2
    y.add_(1)
    torch._dynamo.graph_break()
    y.mul_(3)
    return y.t()


def indices(x):
    return torch.nn.functional.embedding(torch.tensor([0, 1]), x)


def branches(x):
    return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))


def without_gradients(x):
    with torch.no_grad():
        y = x + 1
    return y * x


def lost(x):
    return torch.nn.functional.dropout(x, 0.5)


def transposed(x):
    return x.t().contiguous().view(-1) + x.t().reshape(-1)


def recorded(tmp_path, function, *calls, backend="eager"):
    torch._dynamo.reset()
    with depyf.prepare_debug(tmp_path) as session:
        for given in calls:
            torch.compile(function, backend=backend)(*given)
    return session


def ran(tmp_path, capsys, monkeypatch, backend="eager"):
    """What the programs print."""
    torch._dynamo.reset()
    for path in sorted(tmp_path.glob("*.repro.py")):
        monkeypatch.setattr(sys, "argv", [str(path), backend])
        runpy.run_path(str(path), run_name="__main__")
    return capsys.readouterr().out.splitlines()


X = torch.randn(4, 4, requires_grad=True)


@pytest.mark.parametrize(
    "function", [parameters, changed_in_place, indices, branches, without_gradients, lost, transposed]
)
def test_a_graph_runs_by_itself(function, tmp_path, capsys, monkeypatch):
    session = recorded(tmp_path, function, (X,))
    graphs = [graph for frame in session.frames for entry in frame.entries for graph in entry.graphs]
    told = ran(tmp_path, capsys, monkeypatch)
    assert graphs and len(told) == len(graphs) == len(list(tmp_path.glob("*.repro.py")))
    assert all(line.startswith("eager computes what eager does: ") for line in told)
    assert any("0 results" not in line for line in told)


def test_inputs_have_shapes_strides_and_gradients_of_the_programs(tmp_path):
    recorded(tmp_path, lambda x, y: x.t() + y, (X.t(), torch.ones(4, dtype=torch.float64)))
    (path,) = tmp_path.glob("*.repro.py")
    made = runpy.run_path(str(path))["inputs"]()
    assert [(one.shape, one.stride(), one.dtype, one.requires_grad, one.is_leaf) for one in made] == [
        ((4, 4), (1, 4), torch.float32, True, False), ((4,), (1,), torch.float64, False, True),
    ]  # fmt: skip


def test_sizes_that_vary_are_those_of_the_call_that_compiled(tmp_path, capsys, monkeypatch):
    recorded(tmp_path, lambda x, n: x * n, (torch.ones(3, 2), 3), (torch.ones(5, 2), 5))
    assert len(ran(tmp_path, capsys, monkeypatch, "aot_eager")) == 2
    texts = [path.read_text() for path in tmp_path.glob("*.repro.py")]
    assert sorted("dynamic=True" in text for text in texts) == [False, True]


def test_the_modes_are_those_of_the_call(tmp_path, capsys, monkeypatch):
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        recorded(tmp_path, lambda x: x @ x, (X,))
    (path,) = tmp_path.glob("*.repro.py")
    module = runpy.run_path(str(path))
    (result,), _ = module["run"](next(module[name] for name in module if name.startswith("__compiled_fn")))
    assert result.dtype == torch.bfloat16 and "set_grad_enabled(False)" in path.read_text()


def test_what_needs_the_program_is_named(tmp_path):
    session = recorded(tmp_path, lambda x, two: x + two, (torch.eye(3), TwoTensor(torch.eye(3), torch.eye(3))))
    assert not list(tmp_path.glob("*.repro.py"))
    (missing,) = [one for one in session.artifacts if one.kind == "repro"]
    assert missing.status == "missing" and missing.reason.startswith("nothing like L_two_ can be made")
    assert missing.reason in (tmp_path / "README.md").read_text() and not session.failures
