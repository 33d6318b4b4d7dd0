"""`depyf report` of a log of TORCH_TRACE: beside a recording of the same programs, and on damaged files."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from depyf.errors import ReportError
from depyf.explain.frames.refusals import RAISED, WENT_ON
from depyf.explain.from_trace.graphs import graph_from_text
from depyf.explain.from_trace.log import logs_in, read_log
from depyf.explain.from_trace.session import Trace
from depyf.explain.report.remarks.findings import NO_LONGER
from depyf.explain.report.remarks.stored import Report, report_of
from depyf.run.reports import read_report, read_reports

HERE = Path(__file__).parent
NAMES = """
    again_for_a_device again_for_a_dtype again_for_a_number again_for_a_size again_for_a_stride again_for_an_attribute
    again_for_eval_without_gradients again_for_gradients again_for_none again_for_the_grad_mode
    arguments_in_every_mixture assertion attribute_of_an_object autograd_function backend_that_fails
    backends_own_words branches_on_data break_and_handler break_in_comprehension break_in_loop break_in_try
    break_in_two_withs break_in_with breaks_in_callees breaks_with_gradients checkpointed conditional_expressions
    conditional_operator context_manager_that_swallows disabled_function dynamic_shapes exception_of_the_user
    generator_compiled marked_dynamic_in_vain no_graph_at_all one_break resume_never_called resume_with_nothing_in_it
    state_dict_of_the_compiled threads training_steps unsupported_builtin while_on_data whole_graph_refused
""".split()
"""Programs of tests/torch_programs whose log has what a recording has, but for what `rows` drops."""


def run(*words, folder, trace=""):
    environment = {**os.environ, "PYTHONPATH": str(HERE.parents[1] / "src")}
    environment.update({"TORCH_TRACE": str(folder / trace)} if trace else {})
    return subprocess.run([sys.executable, *map(str, words)], cwd=str(folder), capture_output=True, encoding="utf-8",
                          env=environment, timeout=300)  # fmt: skip


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """What a log tells of programs of tests/torch_programs, and what a recording of the same tells."""
    folder = tmp_path_factory.mktemp("traced")
    programs = (HERE.with_name("torch_programs"), *NAMES)
    assert run(*programs, folder=folder, trace="trace").returncode == 0
    assert run("-m", "depyf", "run", "-q", "-o", "recorded", *programs, folder=folder).returncode == 0
    return read_report(str(folder / "trace")), Report.read(str(folder / "recorded")), folder


# ---- what a log does not hold, and so is dropped before the two are compared


def of_class(function):
    """The log has the names of functions, not the classes and functions around them."""
    return function.rpartition(".")[2]


_FOUND = re.compile(r"(?P<what>.+?) was (?P<before>.+?), then .*")
_EXPECTED = re.compile(r"(?P<what>.+?) (?:==|is) (?P<before>.+?)(?: \(\w+\.py:\d+\))?$")
_TYPE = re.compile(r"type\((.+)\): .*|(.+): (?:of the type it was|exactly of type .*)")


def without_what_was_found(words):
    """What a guard found when it failed: the recorder looks at the call, the log has what torch wrote."""
    if words in ("grad mode was on, then off", "torch's global state has changed: grad mode"):
        return "grad mode"
    words = words.replace(NO_LONGER, "")
    found = _FOUND.fullmatch(words) or _EXPECTED.fullmatch(words)
    said = "{what}: {before}".format(**found.groupdict()) if found is not None else words
    kind = _TYPE.fullmatch(said)
    return "type of " + (kind[1] or kind[2]) if kind is not None else said


def rows(report):
    for one in report.remarks:
        if one.kind == "cost":
            continue  # seconds differ
        words, text, instead, became = one.words, one.text, one.instead, one.became
        if one.kind == "graph":
            words = words.partition(": ")[2]  # graphs have no numbers in the log
        elif one.kind == "recompile":
            words = without_what_was_found(words.replace(f"{one.function}: ", "", 1))  # a method is told with its class
            instead = "" if words.startswith("len(") else instead  # the log has no parameters: whether it is *args
        elif one.kind == "raised":
            text = ""
            became = became.replace(WENT_ON, "")
            became = "" if became == RAISED else became
        elif one.kind == "uncompiled":
            if not one.compilations:
                continue  # left to Python before it was compiled: the log has nothing of it
            text = ""  # the first line of a function is not in the log
        yield (one.file, one.line, one.kind, words, of_class(one.function), instead, one.hints, one.gb_id,
               one.link, one.compilations, one.follows, text, one.explanation, became, one.inside)  # fmt: skip


def test_every_remark_of_a_log_is_that_of_a_recording(both):
    traced, recorded, _ = both
    left, right = list(rows(traced)), list(rows(recorded))
    assert [row for row in left if row not in right] == [] == [row for row in right if row not in left]
    assert left == right
    assert {row[2] for row in left} == {"raised", "break", "recompile", "uncompiled", "graph", "guard"}


def test_a_log_and_a_recording_of_one_program_are_equal(both):
    for pair in (("trace", "recorded"), ("recorded", "trace")):
        done = run("-m", "depyf", "diff", *pair, folder=both[2])
        first, second = done.stdout.splitlines()
        assert (done.returncode, first) == (0, "equal"), done.stdout
        assert second.startswith("not compared, as one is no recording: a log of TORCH_TRACE does not hold")


def test_the_counts_are_those_of_a_recording(both):
    traced, recorded, _ = both
    before_compiling = [one for one in recorded.remarks if one.kind == "uncompiled" and not one.compilations]
    counts = {**recorded.counts, "uncompiled": recorded.counts["uncompiled"] - len(before_compiling)}
    assert traced.counts == counts and len(before_compiling) == 2
    assert traced.torch == recorded.torch and 0 < traced.seconds < 300


def test_costs_are_told_where_the_function_is_known(tmp_path):
    (tmp_path / "program.py").write_text(
        "import torch\n\n\n@torch.compile(backend='eager')\ndef f(x):\n    return x.sin()\n\n\nf(torch.ones(3))\n"
    )
    assert run("program.py", folder=tmp_path, trace="trace").returncode == 0
    report = read_report(str(tmp_path / "trace"))
    (cost,) = [one for one in report.remarks if one.kind == "cost"]
    assert cost.line == 4 and re.match(r"compiled in [\d.]+ m?s(; guards \d+ us)?$", cost.words)


def test_what_the_log_lacks_is_said_in_the_text_and_the_json(both):
    _, _, folder = both
    text = run("-m", "depyf", "report", "trace", folder=folder).stdout
    assert "  note: a log of TORCH_TRACE does not hold: classes of methods; " in text
    data = json.loads(run("-m", "depyf", "report", "trace", "--format", "json", folder=folder).stdout)
    assert data["notes"][0].startswith("a log of TORCH_TRACE does not hold") and data["format"] == 1


@pytest.mark.parametrize("form", ["text", "html", "json", "sarif", "github"])
def test_each_form_tells_of_the_breaks(both, form):
    done = run("-m", "depyf", "report", "trace", "--format", form, folder=both[2])
    assert done.returncode == 0 and "the branch depends on a tensor" in done.stdout


def test_reading_a_log_imports_no_torch(both):
    code = ("import sys; from depyf.cli import main; main(['report', 'trace']); "
            "print([name for name in sys.modules if name.startswith('torch')])")  # fmt: skip
    assert run("-c", code, folder=both[2]).stdout.endswith("\n[]\n")


def test_a_log_is_compared_with_another(both):
    assert run("-m", "depyf", "diff", "trace", "trace", folder=both[2]).stdout == "equal\n"


def test_kernels_and_backward_graphs(tmp_path):
    (tmp_path / "program.py").write_text(
        "import torch\n\n\n@torch.compile\ndef f(x):\n    y = torch.mm(x, x)\n    return y.sin().sum()\n\n\n"
        "f(torch.ones(8, 8, requires_grad=True)).backward()\n"
    )
    assert run("program.py", folder=tmp_path, trace="trace").returncode == 0
    found = {(one.line, name) for one in read_report(str(tmp_path / "trace")).remarks if one.kind == "kernel"
             for name in one.words.split(", ")}  # fmt: skip
    assert (6, "extern_kernels.mm") in found
    assert any(line == 7 and "sin" in name and "backward" not in name for line, name in found)
    assert any("(backward)" in name for _, name in found)


def test_ranks_have_a_report_each(tmp_path):
    (tmp_path / "ranks.py").write_text(
        "import torch, torch.distributed as dist\ndist.init_process_group('gloo')\n"
        "f = torch.compile(lambda x: x + dist.get_rank(), backend='eager')\nf(torch.ones(2))\n"
        "dist.destroy_process_group()\n"
    )
    done = run("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "ranks.py", folder=tmp_path,
               trace="trace")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert list(read_reports(str(tmp_path / "trace"))) == ["rank 0", "rank 1"]
    text = run("-m", "depyf", "report", "trace", folder=tmp_path).stdout
    assert text.startswith("rank 0\ndepyf: 1 function compiled") and "\n\nrank 1\ndepyf: 1 function compiled" in text
    data = json.loads(run("-m", "depyf", "report", "trace", "--format", "json", folder=tmp_path).stdout)
    assert sorted(data) == ["rank 0", "rank 1"] and data["rank 1"]["counts"]["functions"] == 1
    done = run("-m", "depyf", "report", "trace", "--format", "html", folder=tmp_path)
    assert done.returncode == 2 and "name one file" in done.stderr
    one = next((tmp_path / "trace").iterdir())
    done = run("-m", "depyf", "report", one, "--format", "html", folder=tmp_path)
    assert done.stdout.startswith("<!doctype html>")


# ---- files made by hand


def record(data, payload=None, process=7):
    if payload is not None:
        data = {**data, "has_payload": hashlib.md5(payload.encode()).hexdigest()}
    head = "V1124 12:32:02.573000 {} torch/_dynamo/convert_frame.py:303] {}\n".format(process, json.dumps(data))
    return head + ("".join("\t{}\n".format(line) for line in payload.split("\n")) if payload is not None else "")


def compiled(frame, number=0, name="f", line=4, process=7, graph="x = torch.sin(a)", file=1):
    of = {"frame_id": frame, "frame_compile_id": number, "attempt": 0}
    text = "class G(torch.nn.Module):\n    def forward(self):\n        # File: p.py:{} in {}, code: no\n        {}"
    return (
        record({"dynamo_start": {"stack": [{"line": line, "name": name, "filename": file}]}, **of}, process=process)
        + record({"dynamo_output_graph": {}, **of}, text.format(line + 1, name, graph), process)
        + record({"dynamo_cpp_guards_str": {}, **of}, "\nTREE_GUARD_MANAGER:\n+- RootGuardManager\n", process)
    )


STRINGS = record({"str": ["/torch/x.py", 0]}) + record({"str": ["/home/me/p.py", 1]})


def written(tmp_path, text, name="dedicated_log_torch_trace_abc.log"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def functions(log):
    return [(frame.name, [entry.compile_id for entry in frame.entries]) for frame in Trace(log).session.frames]


def test_a_log_by_hand(tmp_path):
    (log,) = read_log(written(tmp_path, STRINGS + compiled(0)))
    assert functions(log) == [("f", ["0/0"])] and log.rank is None and not log.cut
    report = report_of(Trace(log).session)
    assert [(one.file, one.line, one.words) for one in report.remarks] == [("p.py", 5, "graph 0/0: sin")]


@pytest.mark.parametrize("packed", [gzip.compress, bytes])
def test_a_compressed_log(tmp_path, packed):
    name = "dedicated_log_torch_trace_rank_3_x.log" + ".gz" * (packed is gzip.compress)
    path = written(tmp_path, packed((STRINGS + compiled(0)).encode()), name)
    assert logs_in(str(tmp_path)) == [path]
    (log,) = read_log(path)
    assert functions(log) == [("f", ["0/0"])] and log.rank == 3


def test_a_log_written_on_windows(tmp_path):
    (log,) = read_log(written(tmp_path, (STRINGS + compiled(0)).replace("\n", "\r\n")))
    assert functions(log) == [("f", ["0/0"])]


def test_a_log_that_ends_anywhere_is_read_as_far_as_it_goes(tmp_path):
    """Cut at every byte: either all records before the cut are told and the cut is said, or the file is refused."""
    text = STRINGS + compiled(0) + compiled(1, name="g", line=9)
    whole = [len(STRINGS + compiled(0)), len(text)]
    seen = set()
    for at in range(1, len(text)):
        try:
            (log,) = read_log(written(tmp_path, text[:at]))
        except ReportError as error:
            assert at < text.index("\n"), (at, error)
            continue
        count = sum(bool(entries) for _, entries in functions(log))
        # A record without its last line break is whole.
        assert count == sum(at >= end - 1 for end in whole), at
        seen.add(bool(log.cut))
        if not log.cut:
            assert text[at - 1] == "\n" or text[at] == "\n", at
    assert seen == {True, False}
    (log,) = read_log(written(tmp_path, text[:-30]))
    assert "line 20" in Trace(log).session.notes[-1] and "what came after it is missing" in Trace(log).session.notes[-1]


def test_a_compressed_log_that_is_cut_off(tmp_path):
    data = gzip.compress((STRINGS + compiled(0) + compiled(1, name="g")).encode(), 0)
    (log,) = read_log(written(tmp_path, data[:-200], "a.log.gz"))
    assert functions(log)[0] == ("f", ["0/0"]) and log.cut == "the gzip file is cut off"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty: nothing was compiled"),
        ("hello\n", "is no log of TORCH_TRACE: it begins with 'hello'"),
        ('{"traceEvents": []}\n', "is no log of TORCH_TRACE"),
        (b"\x80\x04\x95", "is no log of TORCH_TRACE"),
        (b"\x1f\x8bnot gzip", "can't be unpacked"),
        ("V1124 12:32:02.573000 7 a.py:1] no json\n" + STRINGS, "is no log of TORCH_TRACE"),
        (STRINGS + "hello\n" + compiled(0), "is damaged: line 3 is no record"),
        (STRINGS + compiled(0).replace("\t    d", "\t    f") + compiled(1), "line 4 has a payload that was changed"),
        (compiled(0), "is damaged: string 1 is missing"),
    ],
)
def test_other_and_damaged_files_are_refused_with_a_reason(tmp_path, text, says):
    path = written(tmp_path, text)
    with pytest.raises(ReportError, match=re.escape(path) + ".*" + re.escape(says)):
        read_report(path)


def test_a_folder_without_any_report_is_told_so(tmp_path):
    with pytest.raises(ReportError, match=r"there is no .*remarks\.json: .*TORCH_TRACE"):
        read_report(str(tmp_path))


def test_processes_in_one_file_are_told_apart(tmp_path):
    """Up to torch 2.12 a fork writes into its parent's file; it has the parent's table of strings."""
    text = STRINGS + compiled(0) + compiled(0, name="g", line=9, process=8)
    path = written(tmp_path, text)
    assert [functions(log) for log in read_log(path)] == [[("f", ["0/0"])], [("g", ["0/0"])]]
    assert list(read_reports(path)) == [Path(path).name + ", process 7", Path(path).name + ", process 8"]


def test_after_a_reset_numbers_begin_anew_and_functions_are_the_same(tmp_path):
    text = STRINGS + compiled(0) + compiled(1, name="g", line=9) + compiled(0, name="g", line=9) + compiled(1)
    (log,) = read_log(written(tmp_path, text))
    assert functions(log) == [("f", ["0/0", "1/0"]), ("g", ["1/0", "0/0"])]
    assert report_of(Trace(log).session).counts["graphs"] == 4


def test_two_functions_of_one_line_stay_two(tmp_path):
    (log,) = read_log(written(tmp_path, STRINGS + compiled(0) + compiled(1)))
    assert functions(log) == [("f", ["0/0"]), ("f", ["1/0"])]


OPERATIONS = [
    ('x: "f32[3]" = a + 1;  a = None', "add"), ("x = -a", "neg"), ("x = a @ b", "matmul"), ("x = a[0]", "getitem"),
    ("x = a.shape", "getattr"), ("x = a.view(-1, 3)", "view"), ("x = torch._C._nn.linear(a, b)", "linear"),
    ("x = torch.ops.higher_order.cond(a, self.true_0, self.false_0, (b,))", "cond"), ("a += 1;  iadd = a", "iadd"),
    ("a &= b;  iand = a", "iand"), ("a[0] = 1;  setitem = a", "setitem"), ("x = a > 1", "gt"), ("x = a & b", "and_"),
    ("x = operator.is_(a, b)", "is_"), ("len_1 = len(a)", "len"), ("einsum_2 = my_einsum(a)", "einsum"),
    ("to_3 = torch_to(a, <no literal>)", "to"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "operation"), OPERATIONS)
def test_operations(text, operation):
    lines = ["class GraphModule(torch.nn.Module):", "    def forward(self, a, b):", "        l_a_ = L_a_",
             "         # File: /w/p.py:5 in f, code: whatever", "        " + text, "        return (x,)"]  # fmt: skip
    (node,) = graph_from_text("0/0", "\n".join(lines)).nodes
    assert node.target.rpartition(".")[2] == operation
    assert (node.user_line.filename, node.user_line.line) == ("/w/p.py", 5)


def test_operations_without_a_line_and_inner_graphs():
    lines = [
        "class GraphModule(torch.nn.Module):", "    def forward(self, a):",
        "        # File: /w/p.py:5 in f, code: a", "        x = a.sin()",
        "        # No stacktrace found for following nodes", "        y = x.cos()", "        w = self.weight",
        "    class cond_true_0(torch.nn.Module):", "        def forward(self, a):", "            z = a.exp()",
    ]  # fmt: skip
    nodes = graph_from_text("0/0", "\n".join(lines)).nodes
    assert [(node.op, node.name, node.user_line is not None) for node in nodes] == [
        ("call_method", "x", True), ("call_method", "y", False), ("get_attr", "w", False)]  # fmt: skip
