"""What a new version needs: the script that drafts its table, and the other tables that must know it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from assembler.spellings import SPELLINGS, WIDTHS
from recorded_compilers import FOLDER as RECORDED

from depyf.decompiler.bytecode.code.formats import FORMATS
from depyf.decompiler.bytecode.reading.load import HOST_VERSION
from depyf.decompiler.bytecode.versions import HOSTS, TABLES
from depyf.decompiler.bytecode.versions.stack_effects import EFFECTS, JUMPS

ROOT = Path(__file__).parent.parent.parent
BEFORE = max(version for version in TABLES if version < HOST_VERSION)


def test_it_names_the_differences_and_drafts_the_table():
    script = [sys.executable, str(ROOT / "lab" / "new_python_version.py"), "--against", f"3.{BEFORE[1]}"]
    text = subprocess.run(script, capture_output=True, check=True).stdout.decode()
    now = {row.name for row in TABLES[HOST_VERSION].rows.values()}
    then = {row.name for row in TABLES[BEFORE].rows.values()}
    questions = [line for line in text.splitlines() if line.startswith("# ")]
    assert {line.split()[3] for line in questions if line.startswith("# new opcode")} == now - then
    assert {line.split()[2] for line in questions if "is gone" in line} == then - now
    drafted: dict = {"__name__": "depyf.decompiler.bytecode.versions.draft"}
    exec(compile(text, "draft", "exec"), drafted)
    table = drafted["TABLE"]
    assert {n: row.name for n, row in table.rows.items()} == {n: r.name for n, r in TABLES[HOST_VERSION].rows.items()}


def test_every_table_knows_every_version():
    for table in (FORMATS, EFFECTS, JUMPS):
        assert set(table) == set(TABLES)
    for table in (SPELLINGS, WIDTHS):
        assert set(table) == set(HOSTS)
    dotted = ["{}.{}".format(*version) for version in TABLES]
    assert list(json.loads((RECORDED / "behavior.json").read_text(encoding="utf-8"))["codes"]) == dotted
    ratchet = json.loads((ROOT / "benchmarks" / "measure" / "ratchet.json").read_text(encoding="utf-8"))
    assert list(ratchet) == ["{}.{}".format(*version) for version in HOSTS]


def test_versions_are_listed_in_one_place():
    """Other code derives its list from TABLES or HOSTS, so that a new version is not forgotten there."""
    to_the_newest = re.compile(rf"range\(\d+, {max(TABLES)[1] + 1}\)")
    files = [path for folder in ("src", "tests", "benchmarks", "lab") for path in (ROOT / folder).rglob("*.py")]
    assert [str(path) for path in files if to_the_newest.search(path.read_text(encoding="utf-8"))] == []
