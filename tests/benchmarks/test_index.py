"""benchmarks/README.md names every script in the table of its folder, and no other; every script starts."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent.parent / "benchmarks"
SCRIPTS = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.glob("*/*.py"))
STARTED = [name for name in SCRIPTS if "add_argument" in (FOLDER / name).read_text(encoding="utf-8")]


def parts() -> tuple[str, str]:
    """The index: what to run by what was changed, and all scripts."""
    by_change, everything = (FOLDER / "README.md").read_text(encoding="utf-8").split("## All of them")
    return by_change, everything


def test_the_index_names_every_script_in_its_folder():
    named = []
    for table in parts()[1].split("\n\n"):
        if heading := re.match(r"\| `(\w+)/`", table.strip()):
            named += [f"{heading[1]}/{name}" for name in re.findall(r"`(\w+\.py)`", table)]
    assert set(named) == set(SCRIPTS)


def test_what_is_to_be_run_is_there():
    named = re.findall(r"\w+/\w+\.py", parts()[0])
    assert named and set(named) <= set(SCRIPTS)


@pytest.mark.parametrize("name", STARTED)
def test_a_script_starts(name: str):
    if re.search("^import torch$", (FOLDER / name).read_text(encoding="utf-8"), re.MULTILINE):
        pytest.importorskip("torch")
    command = [sys.executable, "-W", "ignore", str(FOLDER / name), "--help"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "usage" in done.stdout
