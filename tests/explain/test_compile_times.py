"""How long compiling took: torch's own figures, of this recording alone."""

import json
import re

import torch

import depyf
from depyf.explain.compile_times import CompileTimes
from depyf.explain.dump import compile_times
from depyf.explain.dump.compile_events import EventLog
from depyf.explain.report.html.times import times_html
from depyf.explain.report.remarks.stored import Report, report_of


def seconds_of(folder):
    lines = (folder / "compile_times.txt").read_text().partition("\n\nCompilations\n")[0].splitlines()[4:]
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
    monkeypatch.setattr(clock, "compilations", list)
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
def broken(x):
    y = x.sin()
    torch._dynamo.graph_break()
    return y.cos()


def test_what_a_break_costs_and_how_large_each_compilation_is(tmp_path):
    torch._dynamo.reset()
    with depyf.prepare_debug(tmp_path) as session:
        torch.compile(broken, backend="eager")(torch.ones(3))
    first, rest = session.times
    assert first.before_restart > 0 and len(first.restarts) == 1 and not rest.restarts
    assert dict(first.sizes)["guards"] > 0 and dict(first.sizes)["operations"] == 1
    text = (tmp_path / "compile_times.txt").read_text()
    assert f" of it before tracing began anew: {first.restarts[0]}" in text and "1 operations, 1 inputs" in text
    (cost,) = [one for one in report_of(session).remarks if one.kind == "cost" and "from here on" not in one.words]
    assert "before tracing began anew: " + first.restarts[0] in cost.words
    stored = [one.words for one in Report.read(str(tmp_path)).remarks if one.kind == "cost"]
    assert cost.words in stored


def test_the_trace_has_each_phase_with_its_end(tmp_path):
    torch._dynamo.reset()
    with depyf.prepare_debug(tmp_path):
        torch.compile(broken, backend="aot_eager")(torch.ones(3))
    events = json.loads((tmp_path / "compile_times.trace.json").read_text())["traceEvents"]
    open_phases = []
    for one in events:
        if one["ph"] == "B":
            open_phases.append(one["name"])
        elif one["ph"] == "E":
            assert open_phases.pop() == one["name"]
    assert not open_phases and [one["ts"] for one in events] == sorted(one["ts"] for one in events)
    attempts = [one["name"] for one in events if one["name"].startswith("compile_attempt") and one["ph"] == "B"]
    assert attempts == ["compile_attempt_0", "compile_attempt_1", "compile_attempt_0"]
    assert {one["args"]["compile_id"] for one in events if one["name"] == "bytecode_tracing"} == {"0/0", "1/0"}


def test_caches_with_their_reasons():
    log = EventLog()
    log.take("fx_graph_cache_bypass", 1, {"compile_id": "0/0", "cache_bypass_reason": "Can't cache\n HOP", "key": [1]})
    log.take("autograd_cache_hit", time_ns=2, metadata={"compile_id": "0/1", "long": "x" * 9999})
    log.take("fx_graph_cache_miss", 2, {"compile_id": "0/2"}, True)  # as 2.13 calls it
    log.take("cache_state", 3, "B", {"compile_id": "0/0"})
    assert log.caches("0/0") == ("Inductor's cache: bypass, Can't cache HOP",)
    assert log.caches("0/2") == ("Inductor's cache: miss",)
    assert log.caches("0/1") == ("AOTAutograd's cache: hit",) and log.caches("1/0") == ()
    events = json.loads(log.text())["traceEvents"]
    assert [one["ph"] for one in events] == ["i", "i", "i", "B"] and "key" not in events[0]["args"]
    assert len(events[1]["args"]["long"]) == 500
