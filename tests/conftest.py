"""Fixtures that tests of several rooms share."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from collections import Counter
from pathlib import Path
from typing import Callable

import pytest
from forks import DEPYF

ROOT = Path(__file__).parent.parent
SLOW = ROOT / "tests" / "slow_tests.txt"
VARIANTS = ROOT / "tests" / "variants.txt"
LONG = ROOT / "tests" / "long_files.txt"
OTHER_PYTHONS = {"find_interpreter", "found_or_recorded"}

os.environ["DEPYF_TRACEBACK"] = "1"  # an exception that no code expects fails a test, here and in child processes


def lines_of(path: Path) -> list[str]:
    """Those that are no comments."""
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests whose node ids begin as a line of a list does (`*` stands for anything), and those of a file that
    looks for other Pythons. Put long files first, then those with most tests: when one process after the other
    finds no file left, little is left to the last.
    """
    marks = [
        (re.compile("|".join(".*".join(map(re.escape, line.split("*"))) for line in lines_of(path))).match, mark)
        for path, mark in ((SLOW, pytest.mark.slow), (VARIANTS, pytest.mark.variant))
    ]
    for item in items:
        for is_listed, mark in marks:
            if is_listed(item.nodeid):
                item.add_marker(mark)
        if not OTHER_PYTHONS.isdisjoint(vars(getattr(item, "module", None) or pytest)):
            item.add_marker(pytest.mark.other_pythons)
    files = [item.nodeid.partition("::")[0] for item in items]
    order = {file: place for place, file in enumerate(lines_of(LONG))}
    places = {file: (order.get(file, len(order)), -count, file) for file, count in Counter(files).items()}
    items.sort(key=lambda item: places[item.nodeid.partition("::")[0]])


@pytest.fixture
def run_python(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run ``run_python(program, *arguments)`` in a fresh process, in an empty folder; gives the completed process."""

    def run(program: str, *arguments: str, script: str = "program.py") -> subprocess.CompletedProcess[str]:
        file = tmp_path / script
        file.write_text(textwrap.dedent(program), encoding="utf-8")
        return subprocess.run(
            [sys.executable, str(file), *arguments], capture_output=True, text=True, cwd=tmp_path, timeout=300
        )

    return run


@pytest.fixture
def run_depyf(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run ``python -m depyf ARGUMENTS`` in an empty folder; gives the completed process."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return DEPYF.run("-m", "depyf", *arguments, cwd=tmp_path)

    return run
