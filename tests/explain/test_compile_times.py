"""How long compiling took: torch's own figures, of this recording alone."""

import torch

import depyf
from depyf.explain.dump import compile_times


def seconds_of(folder):
    lines = (folder / "compile_times.txt").read_text().splitlines()[4:]
    return {line[20:].strip(): (float(line[:10]), int(line[10:18])) for line in lines}


def test_phases_are_those_of_the_block(tmp_path):
    torch._dynamo.reset()
    torch.compile(lambda x: x + 1, backend="aot_eager")(torch.ones(3))
    with depyf.prepare_debug(tmp_path):
        torch.compile(lambda x: x * 2, backend="aot_eager")(torch.ones(3))
    found = seconds_of(tmp_path)
    whole, backend = found["Dynamo, with all that it calls"], found["the backend"]
    assert whole[1] == backend[1] == 1 and whole[0] >= backend[0] > 0
    assert found["AOTAutograd, with the compilers that it calls"][1] == 1
    assert "by phase: `compile_times.txt`" in (tmp_path / "README.md").read_text()


def test_without_compilations_there_is_no_file(tmp_path):
    torch._dynamo.reset()
    with depyf.prepare_debug(tmp_path):
        torch.ones(3)
    assert not (tmp_path / "compile_times.txt").exists()
    assert "compile_times" not in (tmp_path / "README.md").read_text()


def test_what_torch_measures_under_one_name_is_added_up(monkeypatch):
    told = {"_compile.compile_inner": [1.0], "GraphLowering.codegen": [0.5, 0.25], "other": [9.0]}
    monkeypatch.setattr(compile_times, "phase_times", dict)
    clock = compile_times.PhaseClock()
    monkeypatch.setattr(compile_times, "phase_times", lambda: told)
    rows = clock.text().splitlines()[4:]
    assert [row.split(maxsplit=2)[:2] for row in rows] == [["1.000", "1"], ["0.750", "2"]]
    assert rows[1].endswith("        scheduling, fusing, writing kernels")
