"""The table of versions shows what was measured, and fails if anything was found."""

from __future__ import annotations

import json
import sys

import pytest

import versions_table

NAME = "%d.%d" % sys.version_info[:2]  # noqa: UP031
GOOD = {
    "dis": {"version": NAME, "codes": 1234, "files": 5, "differences": 0},
    "attack": {"version": NAME + ".9", "tried": 700, "accepted": 31, "harmful": 0, "not_run": 2},
    "machine": {"same": 55, "different": []},
    "decompiled": {"same": 44, "different": []},
}


def table(folder, monkeypatch, capsys, **changed):
    """(exit code, cells of the row) for results that are there already."""
    (folder / NAME).mkdir(exist_ok=True)
    for what, result in GOOD.items():
        (folder / NAME / f"{what}.json").write_text(json.dumps({**result, **changed.get(what, {})}))
    arguments = ["versions_table.py", "--versions", NAME, "--results", str(folder), "--dry"]
    monkeypatch.setattr(sys, "argv", arguments)
    code = versions_table.main()
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith(f"| {NAME}"))
    return code, [cell.strip() for cell in row.strip("|").split("|")]


def test_a_row_shows_the_results(tmp_path, monkeypatch, capsys):
    code, cells = table(tmp_path, monkeypatch, capsys)
    assert code == 0
    assert cells == [NAME + ".9", "1234 in 5 files", "0", "700", "31 (2 not run)", "0", "55", "0", "44", "0"]
    assert len(cells) == versions_table.HEAD.splitlines()[0].count("|") - 1


@pytest.mark.parametrize(
    "what, change, cell",
    [
        ("dis", {"differences": 2}, 2),
        ("attack", {"harmful": 1}, 5),
        ("machine", {"different": ["f"]}, 7),
        ("decompiled", {"different": ["f"]}, 9),
    ],
)
def test_a_finding_fails(tmp_path, monkeypatch, capsys, what, change, cell):
    code, cells = table(tmp_path, monkeypatch, capsys, **{what: change})
    assert code == 1
    assert cells[cell] != "0"


def test_results_that_are_missing_are_measured(tmp_path, monkeypatch):
    started = []

    def run(command, **options):
        started.append(command)
        with open(command[-1], "w") as file:
            json.dump(GOOD["dis"], file)

    monkeypatch.setattr(versions_table.subprocess, "run", run)
    file = tmp_path / "dis.json"
    assert versions_table.result(file, "python", "measure/dis_witness.py", "--full") == GOOD["dis"]
    assert versions_table.result(file, "python", "measure/dis_witness.py", "--full") == GOOD["dis"]
    assert len(started) == 1
    assert started[0][2:] == ["--full", "--json", str(file)]
