"""Every code object in tests/cases/exact/X.Y/*.py is exact on each interpreter from X.Y on.

The text may be another than it was where the same instructions have several. One process per interpreter reads all.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from depyf.decompiler.bytecode.interpreters import find_interpreter

ROOT = Path(__file__).parents[2]
CASES = sorted((ROOT / "tests" / "cases" / "exact").glob("*/*.py"))
VERSIONS = [version for version in ((3, minor) for minor in range(8, 16)) if find_interpreter(version)]

ANALYZE = """
import sys
from depyf.decompiler.pipeline import analyze

for path in sys.argv[1:]:
    with open(path) as file:
        code = compile(file.read(), path, "exec", dont_inherit=True)
    for part in analyze(code).walk():
        if part.verdict.level.value != "exact":
            print(path, part.qualname, part.verdict.describe())
"""


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: ".".join(map(str, version)))
def test_is_exact(version: tuple[int, int]) -> None:
    python = find_interpreter(version)
    assert python is not None
    paths = [str(path) for path in CASES if tuple(map(int, path.parent.name.split("."))) <= version]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [python, "-c", ANALYZE, *paths], capture_output=True, text=True, env=environment, timeout=300
    )
    assert (done.stdout, done.stderr) == ("", "")


def test_there_are_cases() -> None:
    assert CASES
    assert VERSIONS
