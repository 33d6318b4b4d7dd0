"""Modules of other people's generators: made once, counted, and judged by what is not proven."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import pytest

import others_generators
import others_modules
from others_generators import Measured, kind_of, modules, refusals

VERSION = "{}.{}".format(*sys.version_info)


def row(outcome: str, file: str = "a.py") -> dict[str, str]:
    return {"outcome": outcome, "file": file}


def test_a_row_of_the_table():
    rows = [row("identical"), row("exact", "b.py"), row("equivalent"), row("refused")]
    assert Measured("x", "3.11", rows).row() == "| x | 3.11 | 2 | 4 | 2 | 1 | 1 (25.00 %) | 0 | 0 | 0 |"


@pytest.mark.parametrize(
    ("outcome", "allowed", "is_bad"),
    [("refused", 0.5, False), ("refused", 0.4, True), ("wrong", 1, True), ("crash", 1, True), ("unproven", 1, True)],
)
def test_what_is_too_much(outcome: str, allowed: float, is_bad: bool):
    assert Measured("x", "3.11", [row("exact"), row(outcome)]).is_bad(allowed) is is_bad


def test_modules_are_made_once_and_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    first = modules(tmp_path / "one", "grafts", VERSION, 0, 2)
    again = modules(tmp_path / "two", "grafts", VERSION, 0, 2)
    assert len(first) == 2
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]
    monkeypatch.setattr(others_generators, "GENERATORS", {})  # those that are there are used again
    assert modules(tmp_path / "one", "grafts", VERSION, 0, 1) == first[:1]


def test_figures_are_used_again(tmp_path: Path):
    (tmp_path / "grafts-3.11.json").write_text(json.dumps({"rows": [row("exact")]}), encoding="utf-8")
    options = argparse.Namespace(reuse=True, count=1, jobs=1)
    assert others_generators.measure(tmp_path, "grafts", "3.11", options).rows == [row("exact")]


def test_a_generator_that_leaves_modules_out_is_not_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "grafts" / VERSION
    folder.mkdir(parents=True)
    (folder / "all of 0 to 4").touch()
    monkeypatch.setattr(others_generators, "GENERATORS", {})
    assert modules(tmp_path, "grafts", VERSION, 0, 5) == []


def test_what_a_tool_cannot_rewrite_is_left_out():
    def rewrite(text: str) -> str:
        if len(text) % 2:
            raise ValueError
        return f"# {len(text)}\n{text}"

    found = list(others_modules.rewriting(rewrite)(range(5), (3, 11)))
    assert found and all(len(text.split("\n", 1)[1]) % 2 == 0 for text in found)


def test_reasons_are_of_one_kind_whatever_their_names_and_lines():
    one = "different instructions: at line 1 `COPY 1` against line 3 `STORE_NAME x`"
    assert kind_of(one) == kind_of("different instructions: at line 22 `COPY 2` against line 4 `STORE_NAME y`")
    assert kind_of(one) != kind_of("different operands: at line 1 `COPY 1` against line 3 `COPY 2`")


def test_what_is_proven_or_no_program_is_not_refused():
    assert refusals("x = 1") == refusals("not Python") == {}
