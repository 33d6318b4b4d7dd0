"""The fuzzer of the whole decompiler: a short run finds nothing, and what it is made to find it does find."""

from __future__ import annotations

import json

import pytest

import fuzz_decompiler


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("seeds")
    fuzz_decompiler.make_seeds(str(folder))
    return fuzz_decompiler.read_seeds(str(folder))


def test_a_short_run(files):
    answers = [fuzz_decompiler.examine(fuzz_decompiler.made(files, 7, number)) for number in range(40)]
    assert [answer for answer in answers if answer["reason"]] == []
    assert {"proven", "refused", "refused by the reader"} <= {answer["word"] for answer in answers}
    json.dumps(answers)


def test_whole_files_come_back(files):
    answer = fuzz_decompiler.examine(min(files, key=len))
    assert (answer["word"], answer["reason"]) == ("proven", "") and answer["count"] > 5


def test_inputs_depend_on_the_seed_and_the_number_alone(files):
    first = [fuzz_decompiler.made(files, 3, number) for number in range(20)]
    assert first == [fuzz_decompiler.made(files, 3, number) for number in range(20)]
    assert first != [fuzz_decompiler.made(files, 4, number) for number in range(20)]
    assert all(fuzz_decompiler.SMALLEST <= len(data) <= fuzz_decompiler.LARGEST for data in files)


def raises(root):
    raise ZeroDivisionError("planted")


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("analyze", raises, "ZeroDivisionError in test_fuzz_decompiler.py"),
        ("standalone", lambda result: "def (", "the text does not compile"),
        ("SECONDS", -100.0, "took too long"),
        ("BYTES", -(10**12), "took too much memory"),
    ],
)
def test_planted_failures_are_found(files, monkeypatch, name, value, reason):
    monkeypatch.setattr(fuzz_decompiler, name, value)
    answer = fuzz_decompiler.examine(min(files, key=len))
    assert answer["word"] == "failure" and answer["reason"].startswith(reason)
