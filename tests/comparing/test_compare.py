"""Programs with and without a fault in Inductor: the line, the verdict, the results, the report."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import operator
import warnings
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from forks import DEPYF  # noqa: E402

import depyf  # noqa: E402
import planted_numerics  # noqa: E402
from depyf.comparing import session  # noqa: E402
from depyf.comparing.findings import Finding  # noqa: E402
from depyf.comparing.graphs import evaluate  # noqa: E402
from depyf.comparing.graphs.evaluate import References  # noqa: E402
from depyf.comparing.rounding import Judgement  # noqa: E402
from depyf.comparing.stages import FirstStages  # noqa: E402
from depyf.explain.model import SourceLine  # noqa: E402
from depyf.explain.report.remarks.stored import Report  # noqa: E402
from planted_numerics import FAULTS, functionalisation, lines_with, lowering, run  # noqa: E402
from reported_numerics import checked  # noqa: E402

FAULTY = """\
import torch
from planted_numerics import lowering
@torch.compile
def f(x):
    h = torch.sin(x)
    return torch.sigmoid(h) * 2
with lowering("sigmoid")():
    f(torch.linspace(-2, 2, 33))
"""


def program(x, state):
    h = torch.sin(x)
    state.add_(h.sum())
    return torch.sigmoid(h) * 2


def compared(folder, function, *inputs):
    torch._dynamo.reset()
    with depyf.compare(folder) as report:
        result = torch.compile(function)(*inputs)
    return result, report


@pytest.fixture
def inputs():
    return [torch.linspace(-2, 2, 33), torch.zeros(33)]


def test_an_untouched_program_agrees_and_its_results_are_the_same(tmp_path, inputs):
    alone = [one.clone() for one in inputs]
    torch._dynamo.reset()
    expected = torch.compile(program)(*alone)
    state = torch.random.get_rng_state()
    result, report = compared(tmp_path, program, *inputs)
    assert torch.equal(result, expected) and torch.equal(inputs[1], alone[1])
    assert torch.equal(state, torch.random.get_rng_state())
    verdict, call = report.verdicts
    assert report.findings == [] and report.notes == [] and "wrong" not in str(report)
    assert (call.graph, call.outputs, call.mutations) == ("0/0 call", (1, 1), (1, 1))
    assert verdict.mutations == (1, 1) and verdict.outputs == (1, 1) and verdict.buffers[0] == verdict.buffers[1]


def test_a_module_of_torchs_that_is_compiled_by_itself_is_wrong_at_its_call(tmp_path):
    torch._dynamo.reset()
    with lowering("sigmoid")(), depyf.compare(tmp_path) as report:
        torch.compile(torch.nn.Sigmoid())(torch.linspace(-2, 2, 33))  # here
    (finding,) = report.findings
    assert finding.place.startswith("test_compare.py") and finding.text.endswith("# here")
    (remark,) = [one for one in Report.read(str(tmp_path)).remarks if one.kind == "wrong"]
    assert remark.line == finding.line and "aten.sigmoid" in remark.words
    assert "not known" not in Path(finding.repro).read_text()


def test_a_line_of_torchs_is_replaced_by_the_one_that_calls_it():
    """Up to 2.9, Dynamo's traces of such a module begin in torch."""
    inside = SourceLine(torch.nn.modules.activation.__file__, 300)
    found = Finding.at([inside], "kernel", Judgement("value"), "aten.relu", "0/0 forward")  # here
    assert (found.file, found.text[-6:]) == (__file__, "# here")


def test_what_makes_a_tuple_is_the_operation_of_its_items(tmp_path):
    huge = torch.full((2, 96), 8.5e37)  # eager's mean is finite, Inductor's sum isn't
    _, report = compared(tmp_path, lambda x: torch.nn.functional.layer_norm(x, (96,)), huge)
    (finding,) = report.findings
    assert (finding.operation, finding.wrong) == ("aten.var_mean.correction", "infinity")


def test_a_wrong_lowering_is_at_its_line_with_a_repro_that_shows_it(tmp_path, inputs):
    with lowering("sigmoid")():
        _, report = compared(tmp_path, program, *inputs)
        (finding,) = report.findings
        eager, compiled = repro_of(finding)
    assert (finding.text, finding.stage, finding.wrong) == ("return torch.sigmoid(h) * 2", "kernel", "value")
    assert not torch.allclose(eager, compiled) and torch.allclose(eager * 1.001, compiled)
    assert finding.error > 100 * finding.eager and "wrong at test_compare.py:" in report.verdicts[0].words
    remarks = [one for one in Report.read(str(tmp_path)).remarks if one.kind == "wrong"]
    assert [(one.line, one.text, one.is_finding) for one in remarks] == [(finding.line, finding.text, True)]
    assert json.loads((tmp_path / "comparison.json").read_text())["verdicts"][0]["wrong"][0]["line"] == finding.line


def with_constant(x):
    return torch.sigmoid(x + torch.tensor([[1.0, -2.0, 0.5]]))


def repro_of(finding):
    spec = importlib.util.spec_from_file_location("repro", finding.repro)
    repro = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(repro)
    torch._dynamo.reset()
    return repro.main()


def test_a_repro_has_the_constants_of_the_graph(tmp_path):
    with lowering("sigmoid")():
        _, report = compared(tmp_path, with_constant, torch.linspace(-1, 1, 12).reshape(4, 3))
        (finding,) = report.findings
        eager, compiled = repro_of(finding)
    assert torch.allclose(eager * 1.001, compiled) and not torch.allclose(eager, compiled)


@pytest.mark.parametrize("mode", ["default", "max-autotune"])
def test_a_frozen_model_is_checked_with_its_weights(tmp_path, mode):
    from torch._inductor import config

    layers = [torch.nn.Linear(64, 64), torch.nn.Sigmoid(), torch.nn.Linear(64, 64)]
    model, found = torch.nn.Sequential(*layers).eval(), []
    for way in (contextlib.nullcontext, lowering("sigmoid")):
        with way(), torch.no_grad(), config.patch(freezing=True):
            _, report = compared(tmp_path / str(len(found)), torch.compile(model, mode=mode), torch.randn(32, 64))
        found.append(report)
    untouched, wrong = found
    assert untouched.findings == [] and untouched.verdicts[0].outputs == (1, 1)
    assert [one.operation for one in wrong.findings] == ["aten.sigmoid"]


def test_a_program_s_inputs_are_kept_only_if_it_wants_them(tmp_path, inputs):
    torch._dynamo.reset()
    with lowering("sigmoid")(), depyf.compare(tmp_path, repros=False) as report:
        torch.compile(program)(*inputs)
    assert [one.repro for one in report.findings] == [""] and list(tmp_path.glob("*.pt")) == []


def test_a_torch_without_the_graphs_is_told_and_compares_nothing(tmp_path, inputs, monkeypatch):
    monkeypatch.setattr(session, "GRAPHS", (("torch._inductor.graph", "Nowhere", "nothing"),))
    _, report = compared(tmp_path, program, *inputs)
    (note,) = report.notes
    assert note == "nothing was compared: this torch has no torch._inductor.graph.Nowhere, which tells nothing"
    assert report.verdicts == [] and torch._inductor.graph.GraphLowering.codegen.__name__ == "codegen"


@pytest.fixture
def without_buffers(monkeypatch):
    monkeypatch.setattr(session, "BUFFERS", (("torch._inductor.graph", "Nowhere", "nothing"),))


def test_a_torch_without_the_buffers_compares_graphs_as_a_whole(tmp_path, inputs, without_buffers):
    _, report = compared(tmp_path, program, *inputs)
    (note,), (verdict, _) = report.notes, report.verdicts
    assert note.startswith("only graphs as a whole are compared: this torch has no")
    assert report.findings == []
    assert (verdict.outputs, verdict.mutations, verdict.buffers) == ((1, 1), (1, 1), (0, 0))


@pytest.mark.parametrize("at", [0, 2, 19, 34])
def test_a_fault_in_a_graph_as_a_whole_is_at_its_line(at, without_buffers):
    fault = FAULTS[at]
    with fault.plant():
        report = run(fault.program, torch.float32, fault.backward)
    assert {one.line for one in report.findings} == set(lines_with(fault.name, fault.program))


ONE_OF_EACH = {one.plant.__qualname__.partition(".")[0]: one for one in FAULTS}  # planted_numerics.py has all


@pytest.mark.parametrize("way", ONE_OF_EACH)
def test_a_planted_fault_is_at_its_line_and_in_its_stage(way):
    fault = ONE_OF_EACH[way]
    with fault.plant():
        report = run(fault.program, torch.float32, fault.backward)
    assert report.findings and {one.line for one in report.findings} <= set(lines_with(fault.name, fault.program))
    assert {one.stage for one in report.findings} <= set(fault.stages)


@pytest.mark.parametrize("at", [0, 28])
def test_a_planted_fault_in_a_forward_and_a_backward_is_at_its_line(at):
    fault = FAULTS[at]
    with fault.plant():
        found = [one.line for one in run(fault.program, torch.float32, fault.backward).findings]
    assert found and set(found) <= set(lines_with(fault.name, fault.program))


@pytest.mark.parametrize("number", [198101, 198131, 198094, 185337])  # writes in memory; only rounding
def test_what_is_said_of_a_public_report_is_right(number):
    assert checked(number, False) is not False  # None where this torch has it mended


def test_elements_that_nobody_has_written_have_no_value():
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    memory = graph.call_function(torch.ops.aten.empty.memory_format, ([4],))
    made = graph.call_function(torch.ops.aten.slice_scatter.default, (memory, x, 0, 0, 2))
    references = References([made], {x: torch.ones(2), memory: torch.zeros(4)})
    assert not references.judge(made, torch.tensor([1.0, 1.0, float("nan"), 9.0])).wrong
    assert references.judge(made, torch.tensor([1.0, 2.0, 0.0, 0.0])).wrong == "value"


@torch.library.custom_op("depyf_layouts::memory", mutates_args=())
def memory(x: torch.Tensor) -> torch.Tensor:
    return x.as_strided(x.shape, torch.empty(x.shape).stride()) * 2


ATTENTION = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default


@pytest.mark.parametrize("operation", [torch.ops.depyf_layouts.memory.default, lambda *x: ATTENTION(*x)[0]])
def test_operators_that_rely_on_a_layout_get_it(monkeypatch, operation):
    monkeypatch.setattr(evaluate, "why_not", lambda node: "")  # custom operators are not evaluated otherwise
    shape, parts = (1, 4, 6, 8), 3 if operation.__name__ == "<lambda>" else 1
    graph = torch.fx.Graph()
    inputs = [graph.placeholder(f"x{at}") for at in range(parts)]
    made = graph.call_function(ATTENTION if parts > 1 else operation, tuple(inputs))
    node = graph.call_function(operator.getitem, (made, 0)) if parts > 1 else made
    values = [torch.randn(shape).permute(0, 3, 2, 1).contiguous().permute(0, 3, 2, 1) for _ in inputs]
    right = operation(*[value.contiguous() for value in values])
    assert not References([node], dict(zip(inputs, values))).judge(node, right).wrong
    assert References([node], dict(zip(inputs, values))).judge(node, right + 1).wrong == "value"


def test_a_program_is_compared_by_the_command(tmp_path):
    path = tmp_path / "train.py"
    path.write_text("import torch\n@torch.compile\ndef f(x):\n    return x.sin() + 1\nprint(f(torch.ones(3)).sum())")
    done = DEPYF.run("-m", "depyf", "run", "--compare", "-o", tmp_path / "out", path)
    assert done.returncode == 0 and done.stdout == "tensor(5.5244)\n", done.stderr
    verdict, call = json.loads(Path(tmp_path, "out", "comparison.json").read_text())["verdicts"]
    assert verdict["wrong"] == call["wrong"] == [] and verdict["outputs"] == call["outputs"] == [1, 1]
    said = "0/0 inference: agrees within rounding (every value that was checked is eager's, bit for bit); checked 1"
    assert f" compared: {said} " in " ".join(done.stderr.split())
    assert f"## What was compared with eager\n\n- {said} " in Path(tmp_path, "out", "README.md").read_text()
    again = DEPYF.run("-m", "depyf", "report", tmp_path / "out")
    assert f" compared: {said} " in " ".join(again.stdout.split())


def test_what_is_wrong_in_a_program_is_in_its_report(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(f"import sys\nsys.path.insert(0, {str(Path(planted_numerics.__file__).parent)!r})\n" + FAULTY)
    done = DEPYF.run("-m", "depyf", "run", "--compare", "-o", tmp_path / "out", path, cwd=tmp_path)
    again = DEPYF.run("-m", "depyf", "report", tmp_path / "out", cwd=tmp_path)
    for text in (done.stderr, again.stdout):
        assert "  train.py:8  wrong  " in text, text
        assert "  compared: 0/0 inference: wrong at train.py:8; checked" in text
    assert "wrong at train.py:8" in Path(tmp_path, "out", "README.md").read_text()


def test_a_program_of_which_nothing_can_be_compared_says_so(tmp_path):
    path = tmp_path / "train.py"
    path.write_text("import torch\nprint(torch.compile(lambda x: x + 1, backend='eager')(torch.ones(3)).sum())")
    done = DEPYF.run("-m", "depyf", "run", "--compare", "-o", tmp_path / "out", path)
    assert "  compared: nothing was compared: no graph was compiled by Inductor\n" in done.stderr


def test_depyf_run_compares_every_nth_call(tmp_path):
    path = tmp_path / "train.py"
    path.write_text("import torch\nf = torch.compile(lambda x: x + 1)\nfor _ in range(5):\n    f(torch.ones(3))\n")
    done = DEPYF.run("-m", "depyf", "run", "--every", "2", "-o", tmp_path / "out", path)
    assert "  compared: 0/0 inference, every 2 calls: agrees" in done.stderr and "checked 2 of 2 buffers" in done.stderr
    refused = DEPYF.run("-m", "depyf", "run", "--every", "0", path)
    assert refused.returncode == 2 and "'0' is no number of calls: it must be 1 or more" in refused.stderr


def overlapping(a, b, c):
    b.mul_(2)
    return a.sin() + c.sum() + b.sum()


def test_inputs_that_share_memory_and_are_written_into_are_no_alarm(tmp_path):
    base = torch.linspace(-1, 1, 16).reshape(4, 4)
    _, report = compared(tmp_path, overlapping, base, base[1:3], base.t())
    assert report.findings == []
    assert "a read of memory that was written in place" in report.verdicts[0].words


def test_a_tensor_subclass_is_checked_inside_and_not_as_a_whole(tmp_path):
    from torch.testing._internal.two_tensor import TwoTensor

    x = TwoTensor(torch.linspace(-1, 1, 12), torch.linspace(1, 2, 12))
    _, report = compared(tmp_path, lambda x: (x.sin() * 2).cos(), x)
    assert report.findings == [] and report.verdicts[0].outputs == (2, 2)
    assert report.notes == ["0/0: Dynamo's graph as a whole is not checked, because it has a tensor subclass"]


def test_a_gradient_that_the_graph_itself_takes_is_no_alarm(tmp_path):
    def function(x):
        return torch.func.grad(lambda a: a.tanh().sum())(x) + x

    _, report = compared(tmp_path, function, torch.linspace(-1, 1, 12).requires_grad_())
    assert report.findings == [] and report.notes == []


def test_a_higher_order_operator_is_told(tmp_path):
    def function(x):
        return torch.cond(x.sum() > 0, lambda a: a.sin(), lambda a: a.cos(), (x,)).exp()

    _, report = compared(tmp_path, function, torch.linspace(-1, 2, 12))
    assert report.findings == []
    assert report.notes == ["0/0: Dynamo's graph as a whole is not checked, because it has a higher-order operator"]
    assert "RuntimeError" not in str(report) and "NotImplementedError" not in str(report)


def attention(x):
    q, k, v = x.view(2, 5, 2, 12).transpose(1, 2).chunk(3, -1)
    y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(2, 5, 8)
    return torch.nn.functional.layer_norm(y, (8,)), y.sin().as_strided((2, 5), (40, 8))


def test_attention_without_dropout_steps_of_sums_and_as_strided_are_checked(tmp_path):
    _, report = compared(tmp_path, attention, torch.linspace(-1, 1, 240).reshape(2, 5, 24))
    verdict, _ = report.verdicts
    assert verdict.unchecked == {} and verdict.outputs == (2, 2) and report.findings == []


def test_a_step_of_a_sum_that_is_wrong_is_found_where_it_is_used():
    fault = next(one for one in FAULTS if one.name == "layer_norm" and one.program == "block")
    with fault.plant():
        found = [one.line for one in run(fault.program, torch.float32, False).findings]
    assert found and set(found) <= set(lines_with(fault.name, fault.program))


@pytest.mark.parametrize("function", [torch.sinh, torch.cosh])  # pytorch issues 183763 and 183765
def test_an_overflow_that_eager_has_not_is_found(tmp_path, function):
    _, report = compared(tmp_path, lambda x: function(x), torch.tensor([88.85, 89.2, 88.95, -89.0]))
    assert [(one.stage, one.wrong) for one in report.findings] == [("kernel", "infinity")]


def test_an_overflow_that_only_eager_has_is_told_as_a_difference(tmp_path):
    """pytorch issue 183607: Inductor keeps more digits than fp16 has, and so does fp64."""
    _, report = compared(tmp_path, lambda x: (x.half() * x.half()).float(), torch.tensor([5000.0]))
    assert report.findings == []
    assert "1 with other NaN, infinities or integers than eager's" in report.verdicts[0].words


def test_warnings_of_the_comparison_are_not_the_program_s(tmp_path, monkeypatch, caplog):
    original = FirstStages.before

    def before(self, args):
        warnings.warn("of the comparison", stacklevel=1)
        return original(self, args)

    monkeypatch.setattr(FirstStages, "before", before)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "of the comparison")
        _, report = compared(tmp_path, torch.sigmoid, torch.ones(3))
    assert report.verdicts and "of the comparison" not in caplog.text


def test_what_comparing_compiles_is_not_in_the_records_of_torch(tmp_path):
    """Gradients that are wrong are looked for with all of torch's backends."""
    planted = functionalisation("sigmoid_backward", lambda args, _: (args[:1] * 2, {}))
    torch._dynamo.reset()
    before = torch._dynamo.utils.get_compilation_metrics()  # the last 64
    with planted(), depyf.compare(tmp_path, every=1) as report:
        compiled = torch.compile(lambda x: torch.sigmoid(x) * 2)
        for _ in range(3):
            compiled(torch.ones(3, requires_grad=True)).sum().backward()
    assert len(report.findings) == 1
    known = set(map(id, before))
    records = [one for one in torch._dynamo.utils.get_compilation_metrics() if id(one) not in known]
    assert {str(one.compile_id) for one in records} == {"0/0"}


def test_the_gradients_of_a_call_are_those_of_its_own_backward(tmp_path):
    """The backward of the second call runs first."""
    torch._dynamo.reset()
    w, xs = torch.ones(4, 4, requires_grad=True), [torch.randn(4, 4, requires_grad=True) for _ in range(2)]
    with depyf.compare(tmp_path) as report:
        compiled = torch.compile(lambda x, w: torch.tanh(x @ w) * x)
        (compiled(xs[0], w).sum() + compiled(xs[1], w).square().sum()).backward()
    (verdict,) = [one for one in report.verdicts if one.graph == "0/0 gradients"]
    assert verdict.outputs == (2, 2) and report.findings == []


def test_gradients_that_come_by_way_of_views_or_writes_are_told_and_not_compared(tmp_path):
    def function(x, y):
        z = torch.sin(x)
        y.add_(x)
        return z.view(-1), z[0], y * 2

    torch._dynamo.reset()
    with depyf.compare(tmp_path) as report:
        x, y = torch.ones(3, 3, requires_grad=True), torch.ones(3, 3, requires_grad=True) * 2
        flat, first, last = torch.compile(function)(x, y)
        (flat.sum() + first.sum() + last.sum() + y.sum()).backward()
    (verdict,) = [one for one in report.verdicts if one.graph == "0/0 gradients"]
    assert verdict.outputs == (0, 1) and "views" in verdict.words and report.findings == []


def test_gradients_are_compared_as_a_whole(tmp_path):
    def function(x, w):
        return torch.tanh(x @ w).cumsum(1).sigmoid()  # here

    x, w = torch.linspace(-1, 1, 12).reshape(3, 4), torch.linspace(-1, 1, 20).reshape(4, 5)
    swapped = functionalisation("sigmoid_backward", lambda args, _: (args[:1] * 2, {}))
    reports = []
    for plant in (contextlib.nullcontext, swapped):
        torch._dynamo.reset()
        with plant(), depyf.compare(tmp_path) as report:
            inputs = [one.clone().requires_grad_() for one in (x, w)]
            torch.compile(function)(inputs[0] * 2, inputs[1]).square().sum().backward()
        reports.append(report)
    right, wrong = reports
    (verdict,) = [one for one in right.verdicts if one.graph == "0/0 gradients"]
    assert verdict.outputs == (2, 2) and right.findings == []
    (finding,) = wrong.findings
    assert finding.text.endswith("# here") and finding.stage == "AOTAutograd"
    assert finding.words.startswith("the gradient of sigmoid is another value")


class Trained(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layers = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3), torch.nn.Dropout(0.5))
        self.optimizer = torch.optim.Adam(self.layers.parameters(), lr=0.1)

    def forward(self, x):
        loss = self.layers(x).square().sum()
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss.detach()


def test_a_training_step_is_done_once(tmp_path):
    states = []
    for watched in (contextlib.nullcontext(), depyf.compare(tmp_path)):
        torch._dynamo.reset()
        model = Trained()
        with watched:
            losses = [torch.compile(model)(torch.ones(4, 3)) for _ in range(2)]
        states.append([*losses, *model.state_dict().values(), torch.random.get_rng_state()])
    assert all(torch.equal(*pair) for pair in zip(*states))


@pytest.mark.parametrize("every, wrong", [(0, []), (3, []), (2, ["0/0 inference, every 2 calls"])])
def test_a_fault_that_only_a_later_call_shows_is_found_if_that_call_is_compared(tmp_path, monkeypatch, every, wrong):
    from torch._inductor.lowering import lowerings

    aten = torch.ops.aten
    right = lowerings[aten.abs.default]

    def wrong_if_large(x):
        return lowerings[aten.where.self](
            lowerings[aten.gt.Scalar](x, 100), lowerings[aten.mul.Tensor](right(x), 1.01), right(x)
        )

    monkeypatch.setitem(lowerings, aten.abs.default, wrong_if_large)
    torch._dynamo.reset()
    function = torch.compile(lambda x: torch.abs(x) + 1)
    with depyf.compare(tmp_path, every=every) as report:
        for scale in (1, 1, 200, 1, 1):
            function(torch.linspace(-2, 2, 33) * scale)
    function(torch.linspace(-2, 2, 33) * 200)
    assert [one.graph for one in report.verdicts if one.wrong] == wrong
    assert all("aten.abs" in one.operation for one in report.findings)


def test_the_number_of_calls_is_checked(tmp_path):
    with pytest.raises(ValueError, match="every must be 0 or more, not -1"), depyf.compare(tmp_path, every=-1):
        pass
    with pytest.raises(TypeError), depyf.compare(tmp_path, every="2"):
        pass


def test_each_rank_compares_its_own_graphs(tmp_path):
    program = f"""\
import sys
sys.path.insert(0, {str(Path(planted_numerics.__file__).parent)!r})
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as collectives
from planted_numerics import lowering

dist.init_process_group("gloo")

@torch.compile
def reduced(x):
    y = collectives.all_reduce(x.sin(), "sum", dist.group.WORLD)
    return y.erf() * 2

with lowering("erf")() if dist.get_rank() else torch.no_grad():
    reduced(torch.ones(4))
dist.destroy_process_group()
"""
    (tmp_path / "train.py").write_text(program)
    done = DEPYF.run("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "depyf", "run",
                     "--compare", "-o", tmp_path / "out", tmp_path / "train.py", cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    for rank, lines in (("rank_0", []), ("rank_1", [13])):
        told = json.loads((tmp_path / "out" / rank / "comparison.json").read_text())["verdicts"]
        graph = next(one for one in told if one["graph"] == "0/0 inference")
        assert graph["outputs"] == [1, 1] and [one["line"] for one in graph["wrong"]] == lines
    again = DEPYF.run("-m", "depyf", "report", tmp_path / "out", cwd=tmp_path).stdout
    fine, faulty = again.split("\nrank_1\n")
    assert "wrong at" not in fine and "0/0 inference: wrong at train.py:13;" in faulty
