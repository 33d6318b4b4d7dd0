"""Programs with more than one fault: each is told, at its line and in its stage, whatever else is wrong."""

from __future__ import annotations

import contextlib
import itertools

import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402

import depyf  # noqa: E402
from planted_numerics import decomposition, dynamo, functionalisation, graph_pass, lowering  # noqa: E402

aten = torch.ops.aten


def kernel(x):
    h = x * 2
    return torch.sigmoid(h) + 1  # kernel


def decomposed(x):
    h = x - 1
    return F.hardswish(h) * 2  # decomposition


def rewritten(x):
    h = x + 3
    return torch.cos(h) - 1  # graph pass


def functional(x):
    h = x / 2
    return F.leaky_relu(h, 0.1) + 2  # AOTAutograd


def captured(x):
    h = x + 0.5
    return torch.tan(h) + 3  # Dynamo


def swapped(node):
    if "aten.cos" not in str(node.target):
        return False
    node.target = aten.sin.default
    return True


STAGES = {kernel: "kernel", decomposed: "decomposition", rewritten: "graph pass", functional: "AOTAutograd",
          captured: "Dynamo"}  # fmt: skip
FAULTS = {
    kernel: lowering("sigmoid"),
    decomposed: decomposition("hardswish"),
    rewritten: graph_pass(swapped),
    functional: functionalisation("leaky_relu", lambda args, kwargs: ((args[0], 0.2), kwargs)),
    captured: dynamo(lambda target, args: (torch.atan if target is torch.tan else target, args)),
}


def compared(folder, *functions):
    torch._dynamo.reset()
    with contextlib.ExitStack() as plants, depyf.compare(folder) as report:
        for plant in FAULTS.values():
            plants.enter_context(plant())
        for function in functions:
            torch.compile(function)(torch.linspace(-1, 1, 24).view(4, 6))
    return sorted((one.text.rpartition("# ")[2], one.stage) for one in report.findings)


@pytest.mark.parametrize("one, other", [*itertools.permutations(FAULTS, 2)])
def test_a_fault_hides_no_other(tmp_path, one, other):
    report = compared(tmp_path, one, other)
    assert report == sorted((stage, stage) for stage in map(STAGES.get, (one, other)))


def twice(x):
    first = F.hardswish(x + 1)  # first
    second = F.hardswish(first - x)  # second
    return first * second


def once_more(x):
    return F.hardswish(x) - 1  # third


def test_a_wrong_decomposition_is_told_at_each_line(tmp_path):
    found = [line for line, _ in compared(tmp_path, twice, once_more)]
    assert found == ["first", "second", "third"]


def calls_kernel(x):
    torch._dynamo.graph_break()
    return kernel(x) * 2


def test_what_a_finding_may_explain_is_not_told_again_nor_called_right(tmp_path):
    torch._dynamo.reset()
    with FAULTS[kernel](), depyf.compare(tmp_path) as report:
        torch.compile(kernel)(torch.ones(3))
        torch.compile(calls_kernel)(torch.ones(3))
    assert {one.text.rpartition("# ")[2] for one in report.findings} == {"kernel"}
    calls = [one.words for one in report.verdicts if one.graph.endswith(" call")]
    assert len(calls) == 2 and all("differs from eager, maybe because of what is wrong above" in one for one in calls)


def writes(x, state, other):
    h = torch.relu(x @ x)
    y = h.sin() + 1
    state.mul_(0.5)
    state.add_(y)  # state
    other.copy_(h * 2)  # other
    return y.sum() + h


@pytest.mark.parametrize("name", ["state", "other"])
def test_a_write_that_a_pass_drops_is_at_its_line(tmp_path, name):
    def drop(graph):
        inputs = [node for node in graph.nodes if node.op == "placeholder"]
        last = [node for node in graph.nodes if "copy_" in str(node.target) and node.args[0] in inputs]
        graph.erase_node(last["state other".split().index(name)])

    torch._dynamo.reset()
    with torch._inductor.config.patch(post_grad_custom_post_pass=drop), depyf.compare(tmp_path) as report:
        torch.compile(writes)(torch.randn(8, 8), torch.randn(8, 8), torch.randn(8, 8))
    (finding,) = report.findings
    assert finding.text.endswith(f"# {name}") and finding.stage == "graph pass" and not finding.others


def test_a_write_that_a_pass_adds_is_found(tmp_path):
    def add(graph):
        first = next(iter(graph.nodes))
        *_, output = graph.nodes
        with graph.inserting_before(output):
            (sine,) = (node for node in graph.nodes if "sin" in node.name)
            graph.call_function(aten.copy_.default, (first, sine)).meta = dict(sine.meta)

    torch._dynamo.reset()
    with torch._inductor.config.patch(post_grad_custom_post_pass=add), depyf.compare(tmp_path) as report:
        torch.compile(lambda x: torch.sin(x) * 2)(torch.randn(8, 8))
    (finding,) = report.findings
    assert finding.stage == "graph pass"


@pytest.mark.parametrize("write", [lambda y: y.fill_diagonal_(3.0), lambda y: y.diagonal().copy_(y[0].clone())])
def test_a_pass_that_changes_what_is_written_in_place_later_is_at_its_line(tmp_path, write):
    def function(x):
        y = torch.cos(x * 2)  # here
        write(y)
        return y

    torch._dynamo.reset()
    with graph_pass(swapped)(), depyf.compare(tmp_path) as report:
        torch.compile(function)(torch.randn(6, 6))
    (finding,) = report.findings
    assert finding.text.endswith("# here") and finding.stage == "graph pass"
