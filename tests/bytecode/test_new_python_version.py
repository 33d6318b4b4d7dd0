"""The script that compares a new interpreter with the tables: here with the host and the version before it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from depyf.decompiler.bytecode.reading.load import HOST_VERSION
from depyf.decompiler.bytecode.versions import TABLES

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
