"""How long compiling took: torch's own figures, of this recording alone."""

import re

import torch

import depyf
from depyf.explain.compile_times import CompileTimes
from depyf.explain.dump import compile_times
from depyf.explain.report.html.times import times_html


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


# ---- the timeline of the page


def bars(*times, **given):
    """For each row of the timeline: how far from the left it begins, and how wide its parts are, in percent."""
    text = times_html(times, 0.0, **given)
    rows = re.findall(r'class="bar" .*?>(.*?)</span>', text)
    return [[float(one) for one in re.findall(r"width:([\d.]+)%", parts)] for parts in rows]


def test_a_bar_begins_where_its_compilation_began():
    times = (CompileTimes("0/0", "f", 100.0, dynamo=2.0, backend=1.0), CompileTimes("1/0", "g", 103.5, dynamo=1.5),
             CompileTimes("0/0", "", 105.0, aot=5.0))  # fmt: skip
    assert bars(*times) == [[0.0, 20.0, 10.0], [35.0, 15.0], [50.0, 50.0]]


def test_time_in_which_nothing_was_compiled_is_cut_and_said():
    times = CompileTimes("0/0", "f", 100.0, dynamo=5.0), CompileTimes("0/1", "f", 4000.0, dynamo=5.0)
    (_, first), (begin, second) = bars(*times)
    assert first == second > 45 and first < begin < first + 10
    assert '3895.0 s</span>' in times_html(times, 0.0)


def test_what_torch_tells_no_start_of_follows_the_one_before():
    assert bars(CompileTimes("0/0", "f", dynamo=3.0), CompileTimes("1/0", "g", dynamo=1.0)) == [[0, 75], [75, 25]]


def test_what_was_lost_to_a_restart_is_a_part_by_itself_with_the_reason():
    times = [CompileTimes("0/0", "f", 9.0, dynamo=4.0, before_restart=3.0, restarts=("call of <print>",))]
    text = times_html(times, 0.0)
    assert bars(*times) == [[0.0, 75.0, 25.0]] and 'class="ph0 lost"' in text and "call of &lt;print&gt;" in text
    assert 'aria-label="Dynamo, before a restart 3.0 s; Dynamo 1.0 s"' in text


def test_a_row_has_the_name_that_the_program_uses():
    times = [CompileTimes("0/0", "wrapper", 1.0, dynamo=1.0), CompileTimes("0/0", "", 2.0, backend=1.0)]
    names = re.findall(r'class="what">([^<]*)<', times_html(times, 0.0, names={"0/0": "Model.forward"}))
    assert names == ["Model.forward", "backward of Model.forward"]
