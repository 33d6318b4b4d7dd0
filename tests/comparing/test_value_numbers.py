"""Which values of a graph after a pass are those of the graph before it."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402

from depyf.comparing.graphs.graph_copies import GraphCopy  # noqa: E402
from depyf.comparing.graphs.value_numbers import ValueNumbers  # noqa: E402

aten = torch.ops.aten


def traced(function):
    return make_fx(function, tracing_mode="fake")(torch.randn(4, 6), torch.randn(4, 6))


def numbers(before, after, inputs=None):
    known = {}
    copies = GraphCopy(before.graph, {}), GraphCopy(after.graph, {})
    return ValueNumbers(*copies, inputs or {}, known), *copies, known


def are_equal(before, after):
    found, left, right, _ = numbers(traced(before), traced(after))
    (one,), (other,) = left.results.values(), right.results.values()
    return found.are_equal(one, other)


def test_views_and_sums_of_products_are_known_without_computing():
    def before(x, y):
        z = x.view(24).view(6, 4).clone().permute(1, 0).permute(1, 0)
        return torch.ops.aten.add(torch.mm(z, x), torch.mm(y, y.permute(1, 0)).sum())

    def after(x, y):
        z = x.reshape(6, 4)
        return torch.addmm(torch.mm(y, y.permute(1, 0)).sum(), z, x)

    found, left, right, known = numbers(traced(before), traced(after))
    (one,), (other,) = left.results.values(), right.results.values()
    assert found.are_equal(one, other) and not known


@pytest.mark.parametrize(
    "before, after, is_equal",
    [
        (lambda x, y: (x + y) * 2, lambda x, y: x * 2 + y * 2, True),
        (lambda x, y: (x + y) * 2, lambda x, y: x * 2 + y * 2.001, False),
        (lambda x, y: torch.sqrt(x) * torch.sqrt(x), lambda x, y: torch.sqrt(x).square(), True),
        (lambda x, y: torch.log(x) + torch.log(y), lambda x, y: torch.log(x * y), False),  # of negative ones
        (lambda x, y: torch.where(x < 0, 0, x), lambda x, y: torch.relu(x), True),
        (lambda x, y: torch.relu(x), lambda x, y: torch.abs(x), False),
        (lambda x, y: x * 0, lambda x, y: torch.zeros_like(x), False),  # but for NaN and infinities
        (lambda x, y: torch.full((), 2.0) * x, lambda x, y: torch.full((), 3.0) * x, False),
        (lambda x, y: y.t().contiguous().as_strided((4,), (1,)), lambda x, y: y.t().as_strided((4,), (1,)), False),
        (lambda x, y: y.t().contiguous().as_strided((4,), (1,)), lambda x, y: y.t().reshape(24)[:4], True),
        (lambda x, y: x @ y.t(), lambda x, y: torch.select_scatter(x @ y.t(), (x @ y.t())[0] * 1.01, 0, 0), False),
        (lambda x, y: torch.sqrt(-x * x) * y, lambda x, y: torch.sqrt(-x * x) * y * 2, False),
        (lambda x, y: x.view(24)[:12], lambda x, y: x.view(24)[12:], False),
    ],
)
def test_what_a_pass_rewrote_is_computed_on_random_values(before, after, is_equal):
    assert are_equal(before, after) is is_equal


def test_a_part_that_many_layers_have_is_computed_once():
    def layers(x, y):
        for _ in range(6):
            x = torch.sin((x + y) * 2)
        return x

    module, changed = traced(layers), traced(layers)
    for node in list(changed.graph.nodes):
        if node.target is aten.mul.Tensor:
            x, y = node.args[0].args
            with changed.graph.inserting_before(node):
                parts = [changed.graph.call_function(aten.mul.Tensor, (one, 2)) for one in (x, y)]
                new = changed.graph.call_function(aten.add.Tensor, tuple(parts))
            for one, like in zip((*parts, new), (x, y, node)):
                one.meta["val"] = like.meta["val"]
            node.replace_all_uses_with(new)
            changed.graph.erase_node(node)
    found, left, right, known = numbers(module, changed)
    (one,), (other,) = left.results.values(), right.results.values()
    assert found.are_equal(one, other) and list(known.values()) == [True]
    assert found.twin(other) is one


def test_what_reads_memory_after_a_write_is_another_value():
    def function(x, y):
        z = x * 2
        return z + 1, z * 3

    module, changed = traced(function), traced(function)
    (node,) = [node for node in changed.graph.nodes if node.target is aten.add.Tensor]
    node.target = aten.add_.Tensor
    found, left, right, _ = numbers(module, changed)
    assert not found.are_equal(left.results["1"], right.results["1"])


def test_integers_are_the_programs_own():
    index = torch.tensor([3, 0, 2, 1])

    module = make_fx(lambda x, i: x[i] * 2, tracing_mode="fake")(torch.randn(4, 6), index)
    changed = make_fx(lambda x, i: (x * 2)[i], tracing_mode="fake")(torch.randn(4, 6), index)
    for inputs, is_equal in (({"i_1": index}, True), ({}, False)):
        found, left, right, _ = numbers(module, changed, inputs)
        (one,), (other,) = left.results.values(), right.results.values()
        assert found.are_equal(one, other) is is_equal
