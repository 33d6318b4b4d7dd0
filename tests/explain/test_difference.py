"""`depyf diff`: what changed between two recordings, in words."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import torch
from forks import DEPYF

import depyf
from depyf.explain.report.remarks.difference import changes, count_changes, files_that_differ, ranks_in
from depyf.explain.report.remarks.remark import COST, KINDS, Remark
from depyf.explain.report.remarks.stored import Report

BASE = Report(
    [
        Remark("/p/train.py", 3, "break", "item", "step", gb_id="GB0124", compilations=["0/0"], text="x.item()"),
        Remark("/p/train.py", 7, "recompile", "k was 1, then 2", "step", compilations=["0/1"], text="return x * k"),
        Remark("/p/train.py", 9, "uncompiled", "numbers: a generator", "numbers", text="def numbers(n):"),
        Remark("/p/model.py", 5, "graph", "graph 1: sin, add", "Model.forward", text="y = x.sin() + 1"),
        Remark("/p/model.py", 5, "kernel", "cpp_fused_add_sin_0", text="y = x.sin() + 1"),
        Remark("/p/model.py", 5, "guard", "x is float32", "Model.forward", text="y = x.sin() + 1"),
        Remark("/p/model.py", 8, "raised", "Unsupported: no", "Model.loss", text="y.numpy()", error="Unsupported"),
        Remark("/p/model.py", 9, "wrong", "aten.sin computes another value", "Model.loss", text="return y.sin()"),
    ],
    {"functions": 2, "graphs": 1, "breaks": 1, "recompilations": 1, "uncompiled": 1},
)


def planted():
    """Single changes, each with what is to be said of it."""
    for at, kind in enumerate(kind for kind in KINDS if kind not in ("cost", "memory")):
        one = next(remark for remark in BASE.remarks if remark.kind == kind)
        place = BASE.remarks.index(one)
        yield kind + " reworded", place, {"words": "graph 1: cos" if kind == "graph" else "another"}, kind + " changed"
        yield kind + " gone", place, None, kind + " gone"
        yield kind + " twice", place, [{"text": "elsewhere", "line": 50 + at}], "new " + kind
        yield kind + " beside it", place, [{"words": "graph 2: mul" if kind == "graph" else "too"}], "new " + kind
    yield "number of the break", 0, {"gb_id": "GB0170"}, "break changed"
    yield "compiled more often", 0, {"compilations": ["0/0", "0/1"]}, "break changed"
    yield "recompiled more often", 1, {"compilations": ["0/1", "0/2"]}, "recompile changed"
    yield "the line", 0, {"text": "y.item()"}, "new break"
    yield "the file", 3, {"file": "/p/other.py"}, "new graph"
    yield "the folder", 3, {"file": "/p/q/model.py"}, "new graph"


def with_change(place, change):
    found = copy.deepcopy(BASE)
    if change is None:
        del found.remarks[place]
    elif isinstance(change, list):
        found.remarks.append(copy.deepcopy(found.remarks[place]))
        vars(found.remarks[-1]).update(change[0])
    else:
        vars(found.remarks[place]).update(change)
    return found


@pytest.mark.parametrize(("place", "change", "what"), [row[1:] for row in planted()], ids=[row[0] for row in planted()])
def test_a_single_change_is_named(place, change, what):
    after = with_change(place, change)
    found = changes(BASE, after, ("/p", "/p"))
    assert what in [one.what for one in found]
    moves = isinstance(change, dict) and not {"text", "file"}.isdisjoint(change)
    assert len(found) == (2 if moves else 1)
    reverse = [(one.kind, one.after, one.before) for one in changes(after, BASE, ("/p", "/p"))]
    assert sorted(reverse) == sorted((one.kind, one.before, one.after) for one in found)


def test_what_is_said():
    after = with_change(0, {"words": "branch", "gb_id": "GB0170"})
    (one,) = changes(BASE, after, ("/p", "/p"))
    assert (one.function, one.place) == ("step", "train.py:3")
    assert one.words == "item GB0124  ->  branch GB0170"


def test_what_only_moves_is_equal():
    after = copy.deepcopy(BASE)
    for one in after.remarks:
        one.line += 10
        one.file = one.file.replace("/p/", "/elsewhere/p/")
        one.words = one.words.replace("graph 1", "graph 7")
    assert changes(BASE, after) == [] == changes(BASE, BASE)


def test_the_rest_of_a_function_changes_with_its_cause():
    after = with_change(1, [{"follows": True, "words": "h was 1, then 2", "text": "return h"}])
    assert changes(BASE, after) == []


def test_what_compiling_cost_is_no_difference():
    slower = [*BASE.remarks, Remark("/p/train.py", 2, COST, "compiled in 9 s", "step")]
    assert changes(BASE, Report(slower, BASE.counts)) == []


def test_counts():
    assert count_changes(BASE, BASE) == []
    assert count_changes(BASE, Report([], {**BASE.counts, "graphs": 3})) == ["graphs 1 -> 3"]


def test_files(tmp_path):
    for name, text in (("a", "1"), ("b", "1")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "same.txt").write_text(text)
        (tmp_path / name / "other.txt").write_text(name)
        for each in ("compile_times.txt", "compile_times.json", "report.html"):
            (tmp_path / name / each).write_text(name)
    (tmp_path / "b" / "more.txt").write_text("")
    assert files_that_differ(str(tmp_path / "a"), str(tmp_path / "b")) == ["more.txt", "other.txt"]


def test_costs_are_no_difference():
    other = copy.deepcopy(BASE)
    other.remarks.append(Remark("/p/train.py", 3, "cost", "compiled in 3 s", "step"))
    assert changes(BASE, other) == [] == changes(other, BASE)


def test_ranks(tmp_path):
    for name in ("rank_10", "rank_2", "rank_x", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "rank_3").write_text("a file")
    assert [Path(one).name for one in ranks_in(str(tmp_path))] == ["rank_2", "rank_10"]


# ---- the command


def record(folder, broken):
    torch._dynamo.reset()

    @torch.compile(backend="eager")
    def step(x):
        if broken:
            torch._dynamo.graph_break()
        return x.sin() + 1

    with depyf.prepare_debug(folder):
        step(torch.ones(3))


def diff(*words):
    done = DEPYF.run("-m", "depyf", "diff", *words)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    for name, broken in (("a", False), ("b", False), ("c", True)):
        record(folder / name, broken)
    for rank, broken in enumerate((False, False, True)):
        record(folder / "job" / "rank_{}".format(rank), broken)
    return folder


def test_the_command(recorded):
    code, out, _ = diff(recorded / "a", recorded / "c")
    assert code == 1
    assert "new break" in out and "test_difference.py:" in out and "counts: graphs" not in out
    assert "breaks 0 -> 1" in out and "files that differ: " in out


def test_ranks_are_compared_with_the_first(recorded):
    code, out, _ = diff(recorded / "job")
    assert code == 1
    lines = out.splitlines()
    assert lines[0].startswith("rank_2 goes its own way at ") and "it has a break that the others have not" in lines[0]
    assert lines[1].startswith("rank_1: ") and "rank_2: different" in lines and "new break" in out


def test_bad_folders_are_told_so(recorded):
    assert diff(recorded / "a", recorded / "nowhere")[::2] == (
        2, "depyf: there is no file or folder {}\n".format(recorded / "nowhere"))  # fmt: skip
    code, _, err = diff(recorded / "a")
    assert code == 2 and "no folders of ranks" in err
    code, _, err = diff(recorded, recorded / "a")
    assert code == 2 and "remarks.json" in err
