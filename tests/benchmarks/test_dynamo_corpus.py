"""The benchmark of recorded Dynamo code: it counts what it says it counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict

import pytest

import dynamo_corpus
import dynamo_statements

PROBED = '''
def f(x):
    """Not counted."""
    global count
    tracing = profiler._is_profiler_enabled
    module = utils
    if tracing:
        token = module.record_pregraph_bytecode_enter()
    else:
        token = None
    if token is not None:
        utils.record_pregraph_bytecode_exit(token)
    result = utils.record_pregraph_bytecode_enter()
    utils.record_pregraph_bytecode_exit(result)
    del token
    graph_out_0 = __compiled_fn_1(x)
    if graph_out_0[0]:
        del graph_out_0
    else:
        def inner():
            return x
    try:
        return inner()
    except ValueError:
        count = 1
    finally:
        print()
'''


def test_statements_are_counted_without_probes_and_declarations():
    counted = ["graph_out_0", "if", "del", "def", "return", "try", "return", "count", "print"]
    assert dynamo_statements.statements(PROBED) == len(counted)


def row(torch: str, function: str, line: int, statements: int, python: str = "py311") -> Dict[str, Any]:
    return {"torch": torch, "function": function, "line": line, "statements": statements, "python": python,
            "program": "p", "kind": "transformed", "label": f"{torch}-{function}"}  # fmt: skip


def test_the_same_function_is_found_with_another_torch():
    rows = [
        row("2.2.2", "f", 3, 4), row("2.2.2", "resume_in_f", 7, 2), row("2.2.2", "resume_in_g", 7, 9),
        row("2.9.1", "f", 3, 6, "py313"), row("2.9.1", "torch_dynamo_resume_in_f_at_7", 7, 2, "py313"),
        row("2.6.0", "f", 3, 40), row("2.13.0", "f", 4, 50),
    ]  # fmt: skip
    assert sorted(ratio.value for ratio in dynamo_statements.ratios(rows)) == [1.0, 1.5]
    assert "median of 2 functions: 1.25 (0 above 1.5)" in dynamo_statements.report(rows)
    assert dynamo_statements.report(rows[:3]).startswith("statements: no function")


def test_a_sample_of_the_corpus(capsys: pytest.CaptureFixture[str]):
    assert dynamo_corpus.main(["--sample", "5", "--seeds", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    last = next(line for line in lines if line.startswith("| all"))
    cells = [cell.strip() for cell in last.split("|")[1:-1]]
    assert int(cells[1]) == 5 * len(dynamo_corpus.recorded_dynamo.recordings())
    assert cells[7] == "0"
    assert lines[-1] == "0 wrong, 0 crashed"


def test_what_is_wrong_is_counted(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr(dynamo_corpus.standins, "run", lambda code, seed: id(code))
    assert dynamo_corpus.main(["--sample", "5", "--seeds", "2", "--wrong"]) == 1
    text = capsys.readouterr().out
    assert "\nwrong:\n" in text
    assert not text.rstrip().endswith(" 0 wrong, 0 crashed")


def test_rows_of_several_runs_make_one_table_and_one_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    rows = []
    for number, version in enumerate(("2.2.2", "2.13.0")):
        good = {**row(version, "f", 3, 4 + number), "first": True, "proven": True, "form": "events", "same": True,
                "reasons": [], "held": 0, "assumptions": ["a thing"], "seconds": 0.5}  # fmt: skip
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps({"rows": [good], "peers": []}))
        rows.append(str(path))
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- corpus -->\nold\n<!-- /corpus -->\nafter\n")
    assert dynamo_corpus.main(["--rows", *rows, "--write", str(page)]) == 0
    printed = capsys.readouterr().out
    assert "| torch 2.13.0 / 3.11 | 1 " in printed
    assert "median of 1 functions: 1.25" in printed
    text = page.read_text()
    assert "old" not in text
    assert "assumed: a thing (2)" in text
    assert text.endswith("<!-- /corpus -->\nafter\n")
