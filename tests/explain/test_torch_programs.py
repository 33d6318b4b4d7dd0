"""benchmarks/torch_compile/torch_matrix.py: a handful of its programs on this torch, and that it sees what differs."""

import argparse
import copy
import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import torch_cell
import torch_matrix
import torch_summary

HANDFUL = ["breaks_with_gradients", "exception_caught", "inspect_module", "debug_a_module", "process_ends",
           "coroutine_without_await"]


def test_a_handful_is_the_same_with_and_without(tmp_path):
    script = Path(torch_matrix.__file__)
    done = subprocess.run(
        [sys.executable, str(script), "--python", os.path.relpath(sys.executable, tmp_path),
         "--json", str(tmp_path / "found.json"), "--only", *HANDFUL],
        capture_output=True, timeout=900, check=False, cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
    (cell,) = json.loads((tmp_path / "found.json").read_text())
    assert len(cell["rows"]) >= len(HANDFUL)
    assert [row["program"] for row in cell["rows"] if row["lacks"] or row["alone"]] == []
    assert sum(row["dump"].get("runs", 0) for row in cell["rows"]) > 3


def test_shares_of_the_programs_are_all_of_them():
    programs = torch_cell.load_programs()
    shares = [torch_matrix.share(text) for text in ("1/3", "2/3", "3/3")]
    names = [list(torch_cell.about(programs, [], share)["programs"]) for share in shares]
    assert sorted([*names[0], *names[1], *names[2]]) == sorted(programs)
    assert max(map(len, names)) - min(map(len, names)) < 2


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "x/3"])
def test_what_is_no_share(text):
    with pytest.raises(ValueError):
        torch_matrix.share(text)


SAME = {"result": [1], "compilations": ["f"], "compilations afterwards": [], "again": [1], "counters": {}}
DUMP = {"files": 3, "pages": 1, "runs": 1, "codes": 1, "proven": 1, "wrong": []}
PROGRAM = {"says": "A case.", "lacks": "", "raises": "", "exits": 0}


def ends(**changed):
    """Two equal ends of a program, and what is otherwise with depyf."""
    without = {"exit": 0, "late": False, "limit": 9, "seconds": 1, "cpu": 1, "tail": "", "found": {"same": dict(SAME)}}
    under = copy.deepcopy(without)
    under["found"]["dump"] = {**DUMP, **changed.pop("dump", {})}
    under["found"]["same"].update(changed.pop("same", {}))
    return {"without": without, "with": {**under, **changed}}


def test_equal_ends_make_no_difference():
    row = torch_matrix.judge("case", PROGRAM, ends())
    assert (row["differences"], row["alone"]) == ([], "")
    assert torch_matrix.verdict_of(row) == "same"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"same": {"result": [2]}}, "result"),
        ({"same": {"exception": ["ValueError", ""]}}, "exception"),
        ({"same": {"again": [2]}}, "again"),
        ({"same": {"compilations": ["f", "f"]}}, "compilations"),
        ({"same": {"compilations afterwards": ["f"]}}, "compilations afterwards"),
        ({"same": {"counters": {"frames": 1}}}, "counters"),
        ({"exit": 1}, "exit status"),
        ({"dump": {"wrong": ["f_0.py: SyntaxError"]}}, "f_0.py: SyntaxError"),
    ],
)
def test_each_thing_that_differs_is_told(changed, said):
    (difference,) = torch_matrix.judge("case", PROGRAM, ends(**changed))["differences"]
    assert difference.startswith(said)


def test_a_crash_without_depyf_is_torchs_own_and_a_difference_all_the_same():
    both = ends()
    both["without"].update(exit=-11, found={})
    row = torch_matrix.judge("case", PROGRAM, both)
    assert row["alone"] == "killed by signal 11"
    assert any(one.startswith("exit status -11") for one in row["differences"])


def test_two_dumps_are_compared_byte_by_byte(tmp_path):
    one, other = [tmp_path / name for name in "ab"]
    for folder, text in ((one, "x\ny 1\n"), (other, "x\ny 2\n")):
        (folder / "inner").mkdir(parents=True)
        (folder / "inner" / "same.py").write_text("same")
        (folder / "README.md").write_text(text)
    found = [torch_matrix.files_below(str(folder)) for folder in (one, other)]
    assert sorted(found[0]) == sorted(found[1]) == ["README.md", os.path.join("inner", "same.py")]
    told = {name: torch_matrix.difference_of_files(name, found[0][name], found[1][name]) for name in found[0]}
    assert [name for name, text in told.items() if text] == ["README.md"]
    assert told["README.md"] == "README.md:2: 'y 1' / 'y 2'"
    assert torch_matrix.difference_of_files("f", b"", None) == "f is there in one run only"


def test_what_torch_lacks_and_what_was_not_run_are_listed():
    lacking = torch_matrix.judge("case", {**PROGRAM, "lacks": "torch.cond"}, {})
    assert (lacking["differences"], torch_matrix.verdict_of(lacking)) == ([], "torch lacks torch.cond")
    assert torch_matrix.judge("case", PROGRAM, {})["differences"] == ["it was not run"]


@pytest.mark.parametrize("second", [[], ["results"]])
def test_what_differs_is_run_once_more_and_both_is_said(monkeypatch, second):
    asked = []
    found = [["results"], second]

    def run_programs(python, only, options, share=(1, 1)):
        asked.append((only, share))
        rows = [{"program": "fine", "differences": [], "alone": ""}] if not only else []
        return {"rows": [*rows, {"program": "case", "differences": found[len(asked) - 1], "alone": ""}]}

    monkeypatch.setattr(torch_matrix, "run_programs", run_programs)
    cell = torch_matrix.run_cell("python", argparse.Namespace(only=None, share=(1, 3), again=True))
    assert asked == [([], (1, 3)), (["case"], (1, 1))]
    assert [row["differences"] for row in cell["rows"]] == [[], second]
    assert torch_matrix.reasons(cell)[-1] == "- case: run again, as it differed: results"


def test_the_page_has_a_row_for_each_cell_and_says_what_is_not_the_same(tmp_path):
    cells = []
    for torch, changed in (("2.1", {}), ("2.2", {"same": {"result": [2]}})):
        lacking = torch_matrix.judge("lacking", {**PROGRAM, "lacks": "torch.cond"}, {})
        rows = [torch_matrix.judge("case", PROGRAM, ends(**changed)), lacking]
        cells.append({"torch": torch, "python": "3.11", "rows": rows, "seconds": 7})
    rows = [row for cell in cells for row in torch_summary.rows_of(cell)]
    page, table = tmp_path / "page.md", tmp_path / "table.csv"
    page.write_text("before\n<!-- matrix -->\nold\n<!-- /matrix -->\nafter\n")
    torch_summary.write(page, table, rows, {torch_summary.cell_of(cell): cell["seconds"] for cell in cells})
    assert page.read_text() == f"""before
<!-- matrix -->
{torch_summary.HEADER}
| 2.1 | 3.11 | 1 of 1 | 0 | 1 | 3 | 1 of 1 | 1 of 1 | 7 |
| 2.2 | 3.11 | 0 of 1 | 0 | 1 | 3 | 1 of 1 | 1 of 1 | 7 |

## Something differs

* `case`: `result: [1] without, [2] with` (2.2 on 3.11)

## Torch lacks a name

* `lacking`: `torch.cond` (2.1 on 3.11, 2.2 on 3.11)
<!-- /matrix -->
after
"""
    read = list(csv.DictReader(table.read_text().splitlines()))
    assert read == rows
    assert [row["well"] for row in read] == ["yes", "", "no", ""]
    assert {row["results"] for row in read} == {"same", "different", ""}
