"""CONTRIBUTING.md, "Where to look": its files are there, as many as it says, and hold what is asked for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "src" / "depyf"
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ROWS = {row[0]: row[1:] for row in re.findall(r"^\| (\w.*?) \| (\d+) \| (.*) \|$", PAGE, re.MULTILINE)}


def named(question: str) -> list[Path]:
    """The files and folders of `question`."""
    return [SOURCE / path for path in re.findall(r"`([\w/.]+(?:\.py|/))`", ROWS[question][1])]


@pytest.mark.parametrize("question", ROWS)
def test_the_files_are_there(question: str):
    files = named(question)
    assert [path for path in files if not path.exists()] == []
    assert len(files) == int(ROWS[question][0])


def test_with_is_recognised_there_and_nowhere_else():
    """By its instructions; `structure/with_statements.py` sees regions."""
    shapes = re.compile(r'"WITH_EXCEPT_START"|\bwith_handler\(|op in \("BEFORE_WITH", "BEFORE_ASYNC_WITH"\):\n +self')
    rooms = ("flowgraph", "structure", "stack_machine", "unstructured")
    files = (path for room in rooms for path in (SOURCE / "decompiler" / room).rglob("*.py"))
    found = {path for path in files if shapes.search(path.read_text(encoding="utf-8"))}
    by_regions = SOURCE / "decompiler" / "structure" / "with_statements.py"
    assert {*found, by_regions} == set(named("Where is `with` recognised?"))


def test_an_opcode_of_one_version_is_in_those_files_alone():
    """An operation that only t-strings have."""
    there = named("Where do I add an opcode?")
    tables = SOURCE / "decompiler" / "bytecode" / "versions"
    files = {path for path in SOURCE.rglob("*.py") if "BUILD_TEMPLATE" in path.read_text(encoding="utf-8")}
    assert len(files) > 4
    assert [path for path in files if path.parent != tables and not {path, path.parent} & set(there)] == []
