"""benchmarks/README.md names every script, and no other."""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).parent.parent.parent / "benchmarks"
ELSEWHERE = {"optimization.py"}  # of depyf, in the column of what was changed


def test_the_index_names_every_script():
    named = set(re.findall(r"\w+\.py", (FOLDER / "README.md").read_text(encoding="utf-8")))
    assert named - ELSEWHERE == {path.name for path in FOLDER.glob("*.py")}
