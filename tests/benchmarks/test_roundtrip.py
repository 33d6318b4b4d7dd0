"""The benchmark reports what is wrong as wrong, and no item can stop it."""

from __future__ import annotations

import json
import sys

import dishonest_decompilers
import pytest

import roundtrip

VERSION = "{}.{}".format(*sys.version_info)
PROGRAM = """
def good(x):
    return x + 3

def one(x):
    if x:
        return 1
    return lambda: x
"""


def rows_of(path, work, jobs=1, limit=60.0):
    report = roundtrip.measure_all([roundtrip.Item(str(path))], work, jobs, limit, 0)
    return {row.qualname.rpartition(".")[2]: row for row in report.rows}


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def test_a_right_answer_is_what_it_says_it_is(program):
    rows = rows_of(program, dishonest_decompilers.honest)
    assert set(rows) == {"<module>", "good", "one", "<lambda>"}
    assert {row.outcome for row in rows.values()} == {"exact"}
    assert all(row.witnessed for row in rows.values())


def test_a_wrong_answer_called_exact_is_wrong(program):
    rows = rows_of(program, dishonest_decompilers.liar)
    assert rows["good"].outcome == "exact"
    assert rows["one"].outcome == "wrong"
    assert "is LOAD_CONST ('int', 1), recompiled step 3 is LOAD_CONST ('int', 2)" in rows["one"].reason


def test_text_that_is_no_python_is_wrong(program):
    rows = rows_of(program, dishonest_decompilers.no_python)
    assert rows["<module>"].outcome == "wrong"
    assert "does not compile" in rows["<module>"].reason


@pytest.mark.parametrize(
    "name, says",
    [("raises", "ZeroDivisionError"), ("dies", "process ended"), ("eats", "MemoryError"), ("hangs", "hang")],
)
def test_a_failing_code_object_is_one_row(tmp_path, name, says):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM + f"\ndef {name}():\n    return 5\n")
    rows = rows_of(path, dishonest_decompilers.fragile, jobs=2, limit=3.0)
    assert rows[name].outcome == "crash"
    assert says in rows[name].reason
    assert rows["good"].outcome == rows["one"].outcome == "exact"
    assert rows["<module>"].outcome == "refused"
    assert rows["<module>"].reason == "contains a code object that crashes"


def test_other_files_are_measured_after_a_crash(program, tmp_path):
    bad = tmp_path / "bad.py"
    bad.write_text("def dies():\n    pass\n")
    items = [roundtrip.Item(str(path)) for path in (bad, program)]
    report = roundtrip.measure_all(items, dishonest_decompilers.fragile, 1, 60.0, 0)
    assert report.counts() == {
        "identical": 0, "exact": 4, "equivalent": 0, "unproven": 0, "refused": 1, "wrong": 0, "crash": 1
    }  # fmt: skip


def test_table_json_and_exit_status(program, tmp_path, capsys):
    out = tmp_path / "rows.json"
    status = roundtrip.main([str(program), "--json", str(out), "--show", "1"], dishonest_decompilers.liar)
    assert status == 1
    printed = capsys.readouterr().out
    assert "wrong              1   25.00 %" in printed
    assert f"wrong  {program}:5  one" in printed
    written = json.loads(out.read_text())
    assert written["counts"]["wrong"] == 1
    assert [row["qualname"] for row in written["rows"] if row["outcome"] == "wrong"] == ["one"]


@pytest.mark.parametrize("exact, promised, status", [(0, 75, 0), (0, 76, 1), (100, 0, 1)])
def test_the_ratchet_holds_what_was_reached(program, tmp_path, exact, promised, status):
    ratchet = tmp_path / "ratchet.json"
    promises = {"identical_percent": 0, "exact_percent": exact, "proven_percent": promised, "wrong": 1, "crash": 0}
    ratchet.write_text(json.dumps({VERSION: promises}))
    assert roundtrip.main([str(program), "--ratchet", str(ratchet)], dishonest_decompilers.liar) == status


def test_the_ratchet_tolerates_no_wrong_result(program, tmp_path):
    ratchet = tmp_path / "ratchet.json"
    promises = {"identical_percent": 0, "exact_percent": 0, "proven_percent": 0, "wrong": 0, "crash": 0}
    ratchet.write_text(json.dumps({VERSION: promises}))
    assert roundtrip.main([str(program), "--ratchet", str(ratchet)], dishonest_decompilers.liar) == 1


def test_a_version_without_a_promise_breaks_the_ratchet(program, tmp_path, capsys):
    ratchet = tmp_path / "ratchet.json"
    ratchet.write_text(json.dumps({"2.7": {"proven_percent": 0, "wrong": 9, "crash": 9}}))
    assert roundtrip.main([str(program), "--ratchet", str(ratchet)], dishonest_decompilers.honest) == 1
    assert f"promises nothing for Python {VERSION}" in capsys.readouterr().out


def test_identical_is_exact_and_counted_by_itself(program, tmp_path, capsys):
    ratchet = tmp_path / "ratchet.json"
    promises = {"identical_percent": 50, "exact_percent": 100, "proven_percent": 100, "wrong": 0, "crash": 0}
    ratchet.write_text(json.dumps({VERSION: promises}))
    arguments = [str(program), "--ratchet", str(ratchet), "--differences", "1"]
    assert roundtrip.main(arguments, dishonest_decompilers.half_identical) == 0
    printed = capsys.readouterr().out
    assert "identical          2   50.00 %\nexact              2   50.00 %" in printed
    assert "exact at least: 100.00 %" in printed
    assert "0.0 % of the modules are identical as a whole\n100.0 % of the modules are exact at least" in printed
    assert f"exact, not identical\n       2  stack size\n            {program}:2  good" in printed
    ratchet.write_text(json.dumps({VERSION: {**promises, "identical_percent": 51}}))
    assert roundtrip.main(arguments, dishonest_decompilers.half_identical) == 1
    assert "50.00 % identical, promised 51 %" in capsys.readouterr().out


def test_an_answer_called_identical_has_equal_attributes(program):
    rows = rows_of(program, dishonest_decompilers.another_name)
    assert rows["good"].outcome == "wrong"
    assert rows["good"].reason.startswith("called identical, but co_")


def test_a_sample_is_the_same_each_time(tmp_path, capsys):
    for number in range(9):
        (tmp_path / f"m{number}.py").write_text(f"def f{number}(): pass\n")
    seen = []
    for out in ("a.json", "b.json"):
        roundtrip.main([str(tmp_path), "--sample", "3", "--json", str(tmp_path / out)], dishonest_decompilers.honest)
        seen.append([row["file"] for row in json.loads((tmp_path / out).read_text())["rows"]])
    assert seen[0] == seen[1]
    assert len(set(seen[0])) == 3


def test_tests_of_the_standard_library_are_left_out_unless_wanted():
    without = roundtrip.find_files([], stdlib=True, tests=False)
    assert any(path.endswith("ast.py") for path in without)
    assert not any("/test/" in path or "site-packages" in path for path in without)


def test_a_path_that_does_not_exist_is_an_error():
    with pytest.raises(FileNotFoundError, match="no such file or folder: nowhere"):
        roundtrip.find_files(["nowhere.py"], False, False)
