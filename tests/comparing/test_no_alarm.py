"""Programs that gave a false alarm, an unchecked value or an error of ours before."""

from __future__ import annotations

import contextlib
import gc
import os
import threading

import pytest

torch = pytest.importorskip("torch")

import depyf  # noqa: E402
from depyf.comparing.calls.call_values import CallValues  # noqa: E402
from depyf.comparing.calls.left_behind import RESULT, differing, left_behind  # noqa: E402
from depyf.comparing.graphs import first_graph_calls  # noqa: E402
from depyf.comparing.graphs.evaluate import Cannot  # noqa: E402
from depyf.comparing.stages import copies, widening  # noqa: E402
from planted_numerics import lowering  # noqa: E402


def compared(folder, function, *inputs):
    torch._dynamo.reset()
    with depyf.compare(folder) as report, contextlib.suppress(KeyError):
        result = torch.compile(function)(*inputs)
        result = result[0] if isinstance(result, tuple) else result
        if result.requires_grad:
            result.sum().backward()
    assert "comparing" not in (folder / "README.md").read_text().partition("## Failures")[2]
    return report


def verdict_of(report, name):
    return next(one for one in report.verdicts if one.graph == name)


def step_of(**options):
    layer = torch.nn.Linear(5, 3)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1, momentum=0.9, **options)
    layer(torch.randn(4, 5)).square().sum().backward()

    def step():
        optimizer.step()
        return torch.zeros(())

    return step


def test_a_step_that_reads_the_parameters_it_writes_is_compared_with_those_of_before(tmp_path):
    assert compared(tmp_path, step_of(weight_decay=0.01, nesterov=True)).findings == []


def own_memory(shape):
    """Of all tensors of a shape, where their elements are."""
    gc.collect()
    tensors = [one for one in gc.get_objects() if type(one) in (torch.Tensor, torch.nn.Parameter)]
    return {one.untyped_storage().data_ptr() for one in tensors if one.shape == shape}


@pytest.mark.parametrize("every", [0, 2])
def test_copies_of_parameters_are_not_kept_after_the_call(tmp_path, every):
    layer = torch.nn.Linear(23, 29)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1, momentum=0.9, nesterov=True)
    layer(torch.randn(4, 23)).square().sum().backward()
    torch._dynamo.reset()
    with depyf.compare(tmp_path, every=every) as report:
        step = torch.compile(optimizer.step)
        for _ in range(4):
            step()
        held = [layer.weight, layer.weight.grad, optimizer.state[layer.weight]["momentum_buffer"]]
        assert own_memory(layer.weight.shape) == {one.untyped_storage().data_ptr() for one in held}
    assert report.findings == []


def test_a_buffer_that_another_operation_of_its_kernel_writes_into_is_not_its_own_operation_s(tmp_path):
    def hessian(x):
        return torch.func.hessian(lambda x: (x**3).sum() + x.prod())(x)

    report = compared(tmp_path, hessian, torch.linspace(0.5, 2, 4))
    assert report.findings == [] and verdict_of(report, "0/0 inference").outputs == (1, 1)


def test_inputs_whose_elements_share_memory_are_copied_as_they_are():
    expanded, overlapping = torch.randn(1, 5).expand(4, 5), torch.randn(12).as_strided((4, 5), (2, 1))
    for one, copy in zip((expanded, overlapping), copies([expanded, overlapping], wide=True)):
        assert torch.equal(copy, one.double()) and copy.stride() == one.stride()
        assert copy.untyped_storage().nbytes() == 2 * one.untyped_storage().nbytes()


class Answers:
    """A process in which a value is eager's again, or another, by the seed."""

    def __init__(self, others):
        self.others = others

    def run(self, **request):
        return {"values": {RESULT: ("tensor", torch.tensor([request.get("seed") in self.others]))}}


@pytest.mark.parametrize("others", [(1,), (2, 5), (7,)])
def test_one_random_number_of_a_few_varies_though_some_seeds_give_eager_s(others):
    values = CallValues(Answers(others), {RESULT: ("tensor", torch.tensor([True]))},
                        {RESULT: ("tensor", torch.tensor([False]))})  # fmt: skip
    with pytest.raises(Cannot, match="random numbers"):
        values.judge(RESULT)


def test_a_number_that_no_seed_changes_is_wrong():
    values = CallValues(Answers(()), {RESULT: ("tensor", torch.tensor([True]))},
                        {RESULT: ("tensor", torch.tensor([False]))})  # fmt: skip
    assert values.judge(RESULT).wrong == "integer"


def test_a_long_sum_in_another_order_is_rounding(tmp_path):
    values = (torch.rand(1 << 20, generator=torch.Generator().manual_seed(0)) + 0.5).bfloat16()
    assert compared(tmp_path, lambda x: (x.float().sum(), x.float().square().sum()), values).findings == []


@pytest.mark.parametrize("seed", [0, 1])
def test_rounding_of_batch_norms_grows_over_layers_and_changes_branches(tmp_path, capfd, seed):
    """Also of the statistics, which they write, and of those results of an operation that has several."""
    torch.manual_seed(seed)
    layers = [torch.nn.Conv2d(3, 32, 3, padding=1)]
    for _ in range(6):
        layers += [torch.nn.Conv2d(32, 32, 3, padding=1), torch.nn.BatchNorm2d(32), torch.nn.ReLU()]
    report = compared(tmp_path, torch.nn.Sequential(*layers), torch.randn(8, 3, 32, 32))
    assert (report.findings, report.notes) == ([], [])
    assert "Traceback" not in capfd.readouterr().err


def apart(operation, *args):
    """By how many units in the last place two samples of an operation's results, and of its arguments, are apart."""
    eps, samples = torch.finfo(torch.float32).eps, []
    for seed in (1, 2):
        given = [one.double() if isinstance(one, torch.Tensor) else one for one in args]
        with widening(seed, eps):
            results = operation(*given)
        samples.append([one for one in (*results, *given) if isinstance(one, torch.Tensor)])
    return [float((one - other).norm() / other.norm()) / eps for one, other in zip(*samples)]


def test_each_result_of_an_operation_and_what_it_writes_is_rounded():
    values = torch.randn(16, 8, 8, 8) + 1
    weight, bias, mean, var = torch.ones(8), torch.zeros(8), torch.ones(8), torch.ones(8)
    found = apart(torch.native_batch_norm, values, weight, bias, mean, var, True, 0.1, 1e-5)
    assert [one > 0.05 for one in found] == [True, True, True, False, False, False, True, True]
    assert all(one > 0.05 for one in apart(lambda x: (x.mul_(3.0),), values))


def test_a_gradient_that_is_zero_but_for_rounding_has_the_error_of_its_terms(tmp_path):
    torch.manual_seed(0)
    layers = [torch.nn.Conv2d(16, 16, 3, padding=1), torch.nn.ReLU6(), torch.nn.Conv2d(16, 16, 1),
              torch.nn.BatchNorm2d(16)]  # fmt: skip
    assert compared(tmp_path, torch.nn.Sequential(*layers, *layers), torch.randn(4, 16, 16, 16)).findings == []


def test_what_is_left_of_a_division_is_off_by_units_of_the_dividend(tmp_path):
    torch.manual_seed(1)
    dividend, divisor = torch.randn(400) * 9, torch.randn(400).abs() + 0.1
    report = compared(tmp_path, lambda x, y: (x % y, torch.remainder(x, -y), torch.fmod(x, y)), dividend, divisor)
    assert report.findings == []


def written(change):
    def function(x, row):
        y = torch.sin(x)
        change(y, row)
        return y

    return function


@pytest.mark.parametrize(
    "function",
    [
        torch.diagonal_scatter,
        lambda x, row: torch.diagonal_scatter(x.sin(), row),
        lambda x, row: torch.as_strided_scatter(x.sin(), row[:4], (4,), (2,)),
        written(lambda y, row: y.fill_diagonal_(3.0)),
        written(lambda y, row: y.diagonal().copy_(row)),
        written(lambda y, row: (y.diagonal().mul_(row), y.t()[0].add_(1))),
        written(lambda y, row: y[2:, 1::2].zero_()),
        written(lambda y, row: torch._foreach_mul_([y, row.clone()], 3.0)),
    ],
)
@pytest.mark.parametrize("needs_gradients", [False, True])
def test_a_result_that_is_written_in_place_is_what_it_is_in_the_end(tmp_path, function, needs_gradients):
    inputs = [torch.randn(8, 8, requires_grad=needs_gradients), torch.randn(8)]
    report = compared(tmp_path, function, *inputs)
    assert report.findings == []
    assert verdict_of(report, "0/0 call").outputs[0] >= 1


def test_what_an_operator_writes_into_is_rounded_as_its_result_is():
    x, out = torch.rand(50, dtype=torch.float64), torch.empty(50, dtype=torch.float64)
    with widening(0, 1e-3):
        torch.mul(x, 3.0, out=out)
        torch._foreach_mul_([x], 1.0)
    assert 0 < (out - 3 * x).abs().max() < 3e-2 and (out / 3 != x).any()
    narrow = torch.empty(50)
    with pytest.raises(NotImplementedError, match="not in fp64"), widening(0, 1e-3):
        torch.mul(x, 3.0, out=narrow)


def test_a_mean_of_nothing_has_no_decomposition_to_check(tmp_path):
    function = torch.nn.functional.layer_norm
    assert compared(tmp_path, lambda x: function(x, x.shape[-1:]) + 1, torch.ones(4, 0)).findings == []


def test_a_sparse_gradient_is_compared(tmp_path):
    table = torch.nn.Embedding(20, 4, sparse=True)
    report = compared(tmp_path, lambda i: table(i).sin(), torch.tensor([3, 3, 7]))
    assert report.findings == []
    assert verdict_of(report, "0/0 gradients").outputs == (1, 1)
    assert verdict_of(report, "0/0 call's gradients").outputs == (1, 1)
    assert verdict_of(report, "0/0 backward").unchecked["its layout is torch.sparse_coo"] == 1


def test_a_conjugate_that_is_returned_is_checked(tmp_path):
    report = compared(tmp_path, lambda x: torch.fft.fft(x).conj(), torch.randn(8))
    assert report.findings == [] and verdict_of(report, "0/0 inference").outputs == (1, 1)


def test_a_size_that_depends_on_data_is_no_error_of_ours(tmp_path):
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        assert compared(tmp_path, lambda x: torch.ones_like(x[x > 0]).cumsum(0), torch.randn(9)).findings == []


def test_a_result_that_is_an_argument_is_told_as_that():
    x = torch.ones(2)
    mine, theirs = (left_behind({RESULT: one, "x": x}, {}) for one in (x, x.clone()))
    assert differing(mine, theirs)[0] == "x" and mine["x"] == ("is", f"the same tensor as {RESULT}")


@torch.library.custom_op("depyf_no_alarm::alone", mutates_args=())
def alone(x: torch.Tensor) -> torch.Tensor:
    """Raises in this process, not in a fork of it."""
    if os.getpid() == HERE:
        raise KeyError("here")
    return x.clone()


alone.register_fake(torch.empty_like)
HERE = os.getpid()


def test_an_exception_of_compiled_code_is_inductor_s_and_at_the_program_s_line(tmp_path):
    report = compared(tmp_path, lambda x: alone(x) + 1, torch.ones(3))
    (finding,) = report.findings
    assert finding.stage == "Inductor" and finding.words.endswith("raises, and in eager it does not (Inductor)")


def test_a_fault_whose_operations_cannot_be_compiled_alone_is_told(tmp_path, monkeypatch):
    def fails(*args):
        raise RuntimeError("no")

    monkeypatch.setattr(first_graph_calls, "zoom", fails)
    with lowering("sigmoid")():
        (finding,) = compared(tmp_path, lambda x: torch.sigmoid(x), torch.ones(3)).findings
    assert finding.stage == "kernel" and finding.operation == "aten.sigmoid"


def test_dynamo_compiles_while_another_thread_compares():
    """torch has one flag for the dispatcher's modes of all threads."""
    counts, entered, end = torch._dynamo.utils.counters["frames"], threading.Event(), threading.Event()

    def compare():
        with widening(0, 0.0):
            entered.set()
            end.wait()

    other = threading.Thread(target=compare)
    other.start()
    entered.wait()
    torch._dynamo.reset()
    before = counts["total"]
    try:
        torch.compile(lambda x: x.sin(), backend="eager")(torch.ones(3))
    finally:
        end.set()
        other.join()
    assert counts["total"] == before + 1
