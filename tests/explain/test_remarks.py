"""Remarks over the program's own source: `depyf run` and `depyf report`, in processes of their own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote

import pytest
import torch
from forks import DEPYF, TORCH

import depyf
from depyf.errors import ReportError
from depyf.explain.frames.reasons_settled import settle_reasons
from depyf.explain.frames.recompiles import reason_from_text
from depyf.explain.model import CacheEntry, CompileTimes, Frame, RecompileReason, Session
from depyf.explain.report.html.report_page import report_page
from depyf.explain.report.remarks.answer import answer_lines
from depyf.explain.report.remarks.made import remarks_of
from depyf.explain.report.remarks.remark import Remark
from depyf.explain.report.remarks.stored import Report, report_of
from depyf.explain.torch_facts.torch_keeps import compile_times

MODEL = """\
import torch


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.proj, self.last = torch.nn.Linear(8, 8), None

    def forward(self, x):
        y = self.proj(x).relu()
        self.last = y.sum().item()
        return y * 2
"""
TRAIN = """\
import sys
import torch
from model import Attention

torch.manual_seed(0)
model = Attention()


@torch.compile(backend="eager")
def step(model, x):
    h = model(x)
    if h.abs().max() > 1e3:
        h = h / 2
    return h.sum()


@torch.compile(backend="eager")
def numbers(n):
    for i in range(n):
        yield i


@torch.compile(backend="eager")
def scaled(x, k):
    return x * k


for size in (32, 17, 8):
    step(model, torch.ones(size, 8))
for k in range(4):
    scaled(torch.ones(3), float(k))
print("numbers", list(numbers(3)), sys.argv[1:])
sys.exit(5)
"""


def report(*words, folder):
    return DEPYF.run("-m", "depyf", "report", *words, cwd=folder)


def command(*words, folder):
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    environment.pop("NO_COLOR", None)
    return subprocess.run([sys.executable, *words], cwd=str(folder), capture_output=True, encoding="utf-8",
                          env=environment, timeout=120)  # fmt: skip


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """The folder of a program that was run by `depyf run`, what that printed, and what the interpreter prints."""
    folder = tmp_path_factory.mktemp("program")
    (folder / "model.py").write_text(MODEL)
    (folder / "train.py").write_text(TRAIN)
    plain = TORCH.run("train.py", "-x", cwd=folder)
    return folder, command("-m", "depyf", "run", "-o", "out", "train.py", "-x", folder=folder), plain


def test_the_program_does_the_same(ran):
    _, done, plain = ran
    assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout) == (5, "numbers [0, 1, 2] ['-x']\n")
    theirs = [line for line in done.stderr.partition("depyf:")[0].splitlines() if "]" in line]
    assert [line.rpartition("] ")[2] for line in theirs] == [
        line.rpartition("] ")[2] for line in plain.stderr.splitlines() if "]" in line
    ]


def test_the_answer_has_the_worst_first_and_what_to_do(ran):
    folder, done, _ = ran
    answer = done.stderr.rpartition("depyf: ")[2].splitlines()
    counts = "3 functions compiled, 2 graph breaks (6 times), 3 recompilations, 1 function runs uncompiled  ("
    assert answer[0].startswith(counts) and re.search(r"  \(\S+ m?s compiling, \S+ m?s recording\)$", answer[0])
    found = [line.split(None, 2) for line in answer[1:] if line[2] != " "]
    assert [words[:2] for words in found] == [
        ["model.py:11", "break"], ["train.py:12", "break"], ["model.py:9", "recompile"],
        ["train.py:11", "recompile"], ["train.py:25", "recompile"], ["train.py:17", "uncompiled"],
        ["out/README.md", "depyf"],
    ]  # fmt: skip
    text = "\n".join(answer)
    assert "x.shape[0] was 32, then 17" in text and "mark_dynamic(x, 0)" in text and "k was 0.0, then 1.0" in text
    assert len(answer) < 30 and (folder / "out" / "README.md").exists()


def test_the_report_shows_each_line_with_what_happened_there(ran):
    folder, _, _ = ran
    text = report("out", "train.py", folder=folder).stdout
    by_line = {line[:7].strip(): line for line in text.splitlines() if line[:7].strip().isdigit()}
    assert "h = model(x)" in by_line["11"] and "recompile x.shape[0] was 32, then 17" in by_line["11"]
    assert "break     the branch depends on a tensor's value  GB0170" in by_line["12"]
    assert "graph     graph" in by_line["25"] + text and "uncompiled numbers: " in by_line["17"]
    assert by_line["13"].rstrip().endswith("h = h / 2"), "nothing happened there"
    assert "\033[" not in text
    one = report("out", "train.py:12", folder=folder).stdout
    assert "GB0170" in one and "x.shape[0]" not in one
    every = report("out", "train.py", "--all", folder=folder).stdout
    assert [line for line in every.splitlines() if line[:7].strip().isdigit()][-1].startswith("   33")


def test_the_report_of_the_whole_names_each_file_of_the_program(ran):
    text = report("out", folder=ran[0]).stdout
    assert "\ntrain.py\n" in text and "\nmodel.py\n" in text and text.startswith("depyf: 3 functions compiled")
    assert "site-packages" not in text


def test_a_file_without_remarks_is_told_so(ran):
    done = report("out", "other.py", folder=ran[0])
    assert (done.returncode, done.stderr) == (1, "depyf report: no remarks on other.py\n")


def test_reading_a_report_imports_no_torch(ran):
    code = ("import sys; from depyf.cli import main; main(['report', 'out']); "
            "print([name for name in sys.modules if name.startswith('torch')])")  # fmt: skip
    assert command("-c", code, folder=ran[0]).stdout.endswith("\n[]\n")


def test_forms_for_services(ran):
    sarif = json.loads(report("out", "--format", "sarif", folder=ran[0]).stdout)
    results = sarif["runs"][0]["results"]
    assert sarif["version"] == "2.1.0" and len(results) == 6
    place = results[0]["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("model.py", 9)
    assert {one["ruleId"] for one in results} == {"break", "recompile", "uncompiled"}
    assert "raised" in {rule["id"] for rule in sarif["runs"][0]["tool"]["driver"]["rules"]}
    lines = report("out", "--format", "github", folder=ran[0]).stdout.splitlines()
    assert len(lines) == 6 and lines[1].startswith("::warning file=model.py,line=11,title=torch.compile ends a graph")
    assert "%0A" in lines[1]


def test_remarks_are_in_the_folder_of_every_recording_and_can_be_read_back(tmp_path):
    torch._dynamo.reset()

    @torch.compile(backend="eager")
    def f(x):
        print("break")
        return x.sin() + x

    with depyf.prepare_debug(tmp_path) as session:
        f(torch.ones(3))
    report = Report.read(str(tmp_path))
    assert report == report_of(session)
    kinds = {(one.kind, one.text) for one in report.remarks}
    assert {("break", 'print("break")'), ("graph", "return x.sin() + x")} <= kinds
    data = json.loads((tmp_path / "remarks.json").read_text())
    assert data["format"] == 1 and data["counts"]["breaks"] == 1
    assert json.loads(Report.read(str(tmp_path)).to_json()) == data


@pytest.mark.parametrize(
    ("text", "says"),
    [("{", "can't be read"), ('{"format": 2}', "of format 2, this depyf reads 1"), ("[]", "of format None"),
     ('{"format": 1, "remarks": [{}], "counts": {}, "torch": "", "python": ""}', "is no report"),
     ('{"format": 1}', "is no report")],
)  # fmt: skip
def test_a_damaged_file_is_told_so(tmp_path, text, says):
    (tmp_path / "remarks.json").write_text(text)
    with pytest.raises(ReportError, match=says):
        Report.read(str(tmp_path))


def test_fields_of_later_versions_are_passed_over(tmp_path):
    remark = {"file": "a.py", "line": 3, "kind": "break", "words": "why", "later": 5}
    data = {"format": 1, "remarks": [remark], "counts": {}, "torch": "3", "python": "4", "more": []}
    (tmp_path / "remarks.json").write_text(json.dumps(data))
    assert Report.read(str(tmp_path)).remarks == [Remark("a.py", 3, "break", "why")]


def test_two_ranks_have_a_folder_each(tmp_path):
    (tmp_path / "ranks.py").write_text(
        "import torch, torch.distributed as dist\ndist.init_process_group('gloo')\n"
        "f = torch.compile(lambda x: x + dist.get_rank(), backend='eager')\nf(torch.ones(2))\n"
        "dist.destroy_process_group()\n"
    )
    done = command("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
                   "-m", "depyf", "run", "-o", "out", "ranks.py", folder=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert sorted(re.findall(r"depyf: (rank \d): 1 function compiled", done.stderr)) == ["rank 0", "rank 1"]
    assert len(list((tmp_path / "out").rglob("remarks.json"))) == 2


class _Seen(HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.links, self.loads, self.open = set(), [], [], []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids |= {given["id"]} if "id" in given else set()
        self.links += [given["href"]] if tag == "a" else []
        self.loads += [given[name] for name in ("src", "srcset") if name in given] + [tag] * (tag == "link")
        self.open += [tag] if tag not in ("meta", "br", "input") else []

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_html_report_is_one_file_whose_links_lead_somewhere(ran):
    text = report("out", "--format", "html", folder=ran[0]).stdout
    seen = _Seen()
    seen.feed(text)
    assert not seen.open and not seen.loads and "@import" not in text and "url(" not in text
    here = [link[1:] for link in seen.links if link.startswith("#")]
    assert len(here) > 10 and set(here) <= seen.ids
    assert all(link.startswith("https://") for link in seen.links if not link.startswith("#"))
    assert "x.shape[0] was 32, then 17" in text and "GB0124</a>" in text and len(text) < 100_000


def test_text_of_the_program_is_escaped_in_the_html_report(tmp_path):
    path = tmp_path / "<b>.py"
    remarks = [Remark(str(path), 1, "break", "<i>why</i>", hints=["<u>"], gb_id="<s>", link="javascript:alert(1)"),
               Remark("gone.py", 7, "graph", "graph 1: <em>", text="<q>")]  # fmt: skip
    counts = {"functions": 1, "breaks": 1, "recompilations": 0, "uncompiled": 0}
    source = {str(path): {1: "x = '<script>alert(1)</script>'"}}
    text = report_page(Report(remarks, counts, sources=source), str(tmp_path))
    for tag in ("<b>", "<i>", "<u>", "<s>", "<em>", "<q>", "<script>alert"):
        assert tag not in text
    assert "javascript:" not in text and "&lt;script&gt;alert(1)" in text and "&lt;q&gt;" in text


def test_run_writes_the_html_report_where_it_says(tmp_path):
    done = command("-m", "depyf", "run", "--html", "-o", "out", "-c",
                   "import torch; torch.compile(lambda x: x + 1, backend='eager')(torch.ones(2))",
                   folder=tmp_path)  # fmt: skip
    assert done.stderr.splitlines()[-1] == "out/report.html    depyf report out"
    text = (tmp_path / "out" / "report.html").read_text()
    seen = _Seen()
    seen.feed(text)
    here = [unquote(link[1:]) for link in seen.links if link.startswith("#")]
    compilations = [name for name in seen.ids if name == "<lambda>"]
    assert compilations and all(link.partition(":")[0] in seen.ids for link in here)
    assert "report.html" in (tmp_path / "out" / "README.md").read_text()


def test_what_compiling_cost_is_told_at_the_first_line(ran):
    folder = ran[0]
    first = TRAIN.splitlines().index('@torch.compile(backend="eager")') + 1
    told = report("out", "train.py:{}".format(first), folder=folder).stdout
    assert re.search(r"cost +compiled in .*: 0/0 [\d.]+ m?s, 0/1 [\d.]+ m?s", told), told
    kept = json.loads((folder / "out" / "compile_times.json").read_text())
    row = next(one for one in kept["compilations"] if one["compile_id"] == "0/0")
    assert row["file"].endswith("train.py") and row["line"] == first and row["dynamo"] > 0
    assert '"cost"' not in (folder / "out" / "remarks.json").read_text()  # which is the same in every run


def test_times_of_compilations_are_parts_of_what_torch_measured():
    metrics = SimpleNamespace(
        compile_id="0/0", co_name="f", start_time=1.0, entire_frame_compile_time_s=10.0, backend_compile_time_s=8.0,
        inductor_compile_time_s=6.0, triton_compile_time_us=1_500_000, guard_latency_us=70,
    )  # fmt: skip
    assert compile_times(metrics) == CompileTimes("0/0", "f", 1.0, 2.0, 2.0, 4.5, 1.5, 70e-6)
    backward = SimpleNamespace(compile_id="0/0", inductor_compile_time_s=2.0, duration_us=3_000_000)
    assert compile_times(backward) == CompileTimes("0/0", "", 0.0, 0.0, 1.0, 2.0, 0.0)
    eager = SimpleNamespace(compile_id="1/0", co_name="g", entire_frame_compile_time_s=3.0, backend_compile_time_s=0.5)
    assert compile_times(eager) == CompileTimes("1/0", "g", 0.0, 2.5, 0.0, 0.5, 0.0)


def test_a_damaged_file_of_times_is_told_so(ran, tmp_path):
    shutil.copy(str(ran[0] / "out" / "remarks.json"), str(tmp_path))
    (tmp_path / "compile_times.json").write_text('{"format": 2}')
    done = report(str(tmp_path), folder=tmp_path)
    assert done.returncode != 0 and "compile_times.json" in done.stderr and "Traceback" not in done.stderr


def test_a_value_from_before_the_break_is_not_called_by_dynamos_name():
    reason = RecompileReason("0/0", "___stack2 == 1.5", "", "___stack2", "1.5", "2.5")
    frame = Frame("f", "f", "a.py", 1, entries=[CacheEntry("0/1", recompiled=[reason])], is_resume=True)
    settle_reasons(session := Session(frames=[frame]))
    (one,) = remarks_of(session)
    assert one.words == "a value from before the graph break was 1.5, then 2.5"


def test_sizes_are_told_as_dimensions_whatever_torch_calls_the_tensor():
    text = "0/0: tensor 'L['x']' size mismatch at index 1. expected 4, actual {}"
    reasons = [reason_from_text(text.format(size)) for size in (5, 6)]
    entries = [CacheEntry("0/{}".format(number), recompiled=[why]) for number, why in enumerate(reasons, 1)]
    (one,) = remarks_of(Session([Frame("f", filename="a.py", first_line=3, entries=entries)]))
    assert (one.words, one.compilations) == ("x.shape[1] was 4, then 5, 6", ["0/1", "0/2"])
    assert "mark_dynamic(x, 1)" in one.instead and (one.file, one.line) == ("a.py", 3)


def test_a_size_of_a_tensor_in_a_dict_is_told_with_its_function_where_no_line_is_known():
    text = "0/0: tensor 'kwargs['input_ids']' size mismatch at index 1. expected 5, actual 1"
    entries = [CacheEntry("0/1", recompiled=[reason_from_text(text)])]
    frame = Frame("wrapper", filename="a.py", first_line=3, entries=entries, called="Model.forward")
    (one,) = remarks_of(Session([frame]))
    words = "Model.forward: kwargs['input_ids'].shape[1] was 5, then 1"
    assert one.words == words + " (sizes 0 and 1 are always compiled by themselves)"


def test_the_answer_names_the_programs_files_first_and_wraps_long_reasons():
    installed = "/usr/lib/python3/site-packages/p/a.py"
    remarks = [Remark(installed, 1, "break", "theirs", package="p"), Remark("z.py", 2, "break", "word " * 100),
               Remark(installed, 3, "uncompiled", "f", package="p")]  # fmt: skip
    counts = {"functions": 1, "breaks": 2, "recompilations": 0, "uncompiled": 1}
    lines = answer_lines(Report(remarks, counts), "", "rank 1")
    assert lines[0].startswith("depyf: rank 1: 1 function compiled, 2 graph breaks")
    rows = [re.split("  +", line)[1:3] for line in (lines[1], lines[3], lines[4])]
    assert rows == [["z.py:2", "break"], ["p/a.py:1", "break"], ["p/a.py:3", "uncompiled"]]
    assert lines[2].endswith("word ...") and max(map(len, lines)) < 130 and lines[3].endswith("theirs")
