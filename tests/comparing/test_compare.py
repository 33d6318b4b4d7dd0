"""Programs with and without a fault in Inductor: the line, the verdict, the results, the report."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from forks import DEPYF  # noqa: E402

import depyf  # noqa: E402
from depyf.comparing import session  # noqa: E402
from depyf.explain.report.remarks.stored import Report  # noqa: E402
from planted_numerics import FAULTS, lines_with, lowering, run  # noqa: E402


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
    (verdict,) = report.verdicts
    assert report.findings == [] and report.notes == []
    assert "agrees within rounding" in verdict.words
    assert verdict.mutations == (1, 1) and verdict.outputs == (1, 1) and verdict.buffers[0] == verdict.buffers[1]


def test_a_wrong_lowering_is_at_its_line_with_a_repro_that_shows_it(tmp_path, inputs):
    with lowering("sigmoid")():
        _, report = compared(tmp_path, program, *inputs)
        (finding,) = report.findings
        spec = importlib.util.spec_from_file_location("repro", finding.repro)
        repro = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(repro)
        torch._dynamo.reset()
        eager, compiled = repro.main()
    assert (finding.text, finding.stage, finding.wrong) == ("return torch.sigmoid(h) * 2", "kernel", "value")
    assert not torch.allclose(eager, compiled) and torch.allclose(eager * 1.001, compiled)
    assert finding.error > 100 * finding.eager and "wrong at test_compare.py:" in report.verdicts[0].words
    remarks = [one for one in Report.read(str(tmp_path)).remarks if one.kind == "wrong"]
    assert [(one.line, one.text, one.is_finding) for one in remarks] == [(finding.line, finding.text, True)]
    assert json.loads((tmp_path / "comparison.json").read_text())["verdicts"][0]["wrong"][0]["line"] == finding.line


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
    (note,), (verdict,) = report.notes, report.verdicts
    assert note.startswith("only graphs as a whole are compared, without their backward: this torch has no")
    assert "agrees within rounding" in verdict.words and report.findings == []
    assert (verdict.outputs, verdict.mutations, verdict.buffers) == ((1, 1), (1, 1), (0, 0))


@pytest.mark.parametrize("at", [0, 2, 19, 34])
def test_a_fault_in_a_graph_as_a_whole_is_at_its_line(at, without_buffers):
    fault = FAULTS[at]
    with fault.plant():
        report = run(fault.program, torch.float32, fault.backward)
    assert {one.line for one in report.findings} == set(lines_with(fault.name, fault.program))


@pytest.mark.parametrize("at", [0, 2, 13, 19, 28, 34, 38])  # each way to plant one; planted_numerics.py has all
def test_a_planted_fault_is_at_its_line(at):
    fault = FAULTS[at]
    with fault.plant():
        found = [one.line for one in run(fault.program, torch.float32, fault.backward).findings]
    assert found and set(found) <= set(lines_with(fault.name, fault.program))


def test_a_program_is_compared_by_the_command(tmp_path):
    path = tmp_path / "train.py"
    path.write_text("import torch\n@torch.compile\ndef f(x):\n    return x.sin() + 1\nprint(f(torch.ones(3)).sum())")
    done = DEPYF.run("-m", "depyf", "run", "--compare", "-o", tmp_path / "out", path)
    assert done.returncode == 0 and done.stdout == "tensor(5.5244)\n", done.stderr
    (verdict,) = json.loads(Path(tmp_path, "out", "comparison.json").read_text())["verdicts"]
    assert verdict["wrong"] == [] and verdict["outputs"] == [1, 1]
