"""benchmarks/torch_compile/torch_models.py: the models that need torch alone, and that the comparison with torch's own
records sees what is missing."""

import json
import subprocess
import sys

import pytest
from real_models.index_says import Recording, head_counts, missing
from real_models.torch_says import Record

import torch_models

pytest.importorskip("torch")

ALONE = ["transformer_masked", "lstm_tagger", "compiled_adam", "ddp_gloo"]


def test_models_of_torch_alone_are_equal_and_nothing_that_torch_names_is_missing(tmp_path):
    done = subprocess.run(
        [sys.executable, torch_models.__file__, "--pairs", "0", "--json", str(tmp_path / "found.json"),
         "--models", *ALONE],
        capture_output=True, timeout=900, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
    rows = {row["model"]: row for row in json.loads((tmp_path / "found.json").read_text())["rows"]}
    assert sorted(rows) == sorted(ALONE)
    ran = [row for row in rows.values() if not row.get("alone")]
    assert len(ran) >= len(ALONE) - 1  # torch 2.2 fails on one of them by itself
    assert all(row["equal"] and row["missing"] == [] and row["wrong"] == [] for row in ran)
    if torch_models.models_here(sys.executable)["has_trace"]:
        assert rows["compiled_adam"]["records"]["break"] > 0
        assert rows["transformer_masked"]["records"]["recompile"] > 0
        assert rows["lstm_tagger"]["records"]["failure"] > 0
        assert rows["ddp_gloo"]["records"]["break"] > 0


def test_results_that_vary_without_depyf_too_are_not_its_fault():
    row = {"model": "m", "equal": False, "wrong": [torch_models.RESULTS_DIFFER, "noise"]}
    torch_models.forgive_torch(row, [{"result": 1}], [{"result": 1}])
    assert row["wrong"] == [torch_models.RESULTS_DIFFER, "noise"]
    torch_models.forgive_torch(row, [{"result": 1}], [{"result": 2}])
    assert row["wrong"] == ["noise"] and row["varies"]


INDEX = """# What torch.compile made of this program

- Graphs: 2
- Graph breaks: 1, for 1 reason

## Graph breaks (1)

- [GB0059](https://example.org/gb0059.html): Failed to trace builtin operator
  - a.py:9  `print("hi")` in f, from g (a.py:12); compilation 0/0, 0/1

## Compiled again

- `f` (a.py:7), compilation 0/1
  - compiled again because 0/0 did not fit: n == 2; it is 3 now (a.py:8)

## What was not compiled

- [GB0025](https://example.org/gb0025.html): Call to `torch._dynamo.graph_break()`
  - a.py:20  `def h(x):` in h, for a.py:22  `graph_break()`; compilation 3/0: it runs as it is written

## What Dynamo left to Python

- no tensor: `k` (a.py:30)
"""
RECORDING = Recording(
    INDEX,
    [("0/0", "a.py:9", "GB0059", "Failed to trace"), ("0/1", "a.py:9", "GB0059", "Failed to trace")],
    [("0/1", "0/0", "n == 2")],
    [("3/0", "a.py:22", "GB0025", "Call to `torch._dynamo.graph_break()`")],
    [["k", "/home/a.py"]],
    [],
)
NAMED = [
    Record("break", "0/0", "a.py:9", "GB0059"),
    Record("break", "0/1", "a.py:9", "GB0059"),
    Record("recompile", "0/1", "0/0", "n == 2  # return x * n"),
    Record("break", "3/0", "a.py:22", "GB0025"),
    Record("failure", "3/0", "a.py:20", "GB0025"),
    Record("skip", "", "/home/a.py", "k"),
]


def test_what_is_there_is_found():
    assert missing(NAMED, RECORDING) == []
    assert head_counts(INDEX) == {"Graphs": 2, "Graph breaks": 1}


@pytest.mark.parametrize(
    "record",
    [
        Record("break", "0/2", "a.py:9", "GB0059"),
        Record("break", "0/0", "a.py:99", "GB0059"),
        Record("break", "0/0", "a.py:9", "GB0060"),
        Record("recompile", "0/2", "0/0", "n == 2"),
        Record("recompile", "0/1", "0/3", "n == 2"),
        Record("failure", "4/0", "a.py:20", "GB0025"),
        Record("skip", "", "/home/a.py", "other"),
        Record("skip", "", "/home/b.py", "k"),
    ],
)
def test_what_is_missing_is_told(record):
    (sentence,) = missing([record], RECORDING)
    assert sentence.startswith("not in the model and the index")


def test_what_the_index_lacks_is_told_though_the_model_has_it():
    lacking = RECORDING._replace(index=INDEX.replace("0/0, 0/1", "0/0").replace("`k`", "`l`"))
    assert [one.partition(":")[0] for one in missing(NAMED, lacking)] == ["not in the index"] * 2


def counted(graphs):
    return {"stats": {"unique_graphs": graphs}, "graph_break": 0, "has_trace": True}


def run_of(**changed):
    return {"exit": 0, "stderr": "", "result": [1], "counters": counted(2), "records": [],
            "cpu": 1.0, "end": 0.1, **changed}  # fmt: skip


def dump(**changed):
    return {"wrong": [], "recorded": RECORDING._asdict(), "head": {"Graphs": 2, "Graph breaks": 0},
            "compilations": 2, "proven": 2, "page_lines": 9, "bytes": 2048,
            "linked": 3, "computing": 4, **changed}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"result": [2]}, "results differ"),
        ({"counters": counted(3)}, "Dynamo's counts differ"),
        ({"exit": 1, "stderr": "Boom"}, "with ended with 1: Boom"),
        ({"stderr": "a warning of ours"}, "only with depyf on standard error: a warning of ours"),
        ({"dump": dump(proven=1)}, "1 of 2 compilations are proven"),
        ({"dump": dump(wrong=["x failed"])}, "x failed"),
        ({"dump": dump(head={"Graphs": 1, "Graph breaks": 0})}, "the index begins with Graphs: 1, torch has 2"),
    ],
)
def test_each_thing_that_is_wrong_is_told(changed, said):
    pair = {"without": [run_of()], "with": [run_of(**{"dump": dump(), **changed})]}
    (sentence,) = torch_models.judge("case", [run_of()], [pair])["wrong"]
    assert sentence.startswith(said)


def test_what_fails_without_depyf_too_is_torchs_own():
    crashed = [run_of(exit=1, stderr="Boom")]
    row = torch_models.judge("case", crashed, [{"without": crashed, "with": crashed}])
    assert (row["wrong"], row["alone"]) == ([], "Boom")
    assert "fails without depyf too" in torch_models.table([row])[2]


def test_a_table_has_every_model():
    pair = {"without": [run_of()], "with": [run_of(dump=dump(), cpu=1.2)]}
    rows = [torch_models.judge("case", [run_of()], [pair]), {"model": "other", "lacks": ["timm"], "wrong": []}]
    table = torch_models.table(rows)
    assert {line.count("|") for line in table} == {len(torch_models.HEADER) + 1}
    assert "| 1.20 | yes |" in table[2] and "| 3 of 4 |" in table[2]
    assert "not installed: timm" in table[3]
