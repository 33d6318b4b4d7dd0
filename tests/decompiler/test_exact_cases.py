"""Every code object in tests/cases/exact/X.Y/*.py is exact on each interpreter from X.Y on.

So are those in tests/cases/stripped when their line tables are taken away.

The text may be another than it was where the same instructions have several. One process per interpreter reads all.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from depyf.decompiler.bytecode.interpreters import find_interpreter
from depyf.decompiler.bytecode.versions import HOSTS

ROOT = Path(__file__).parents[2]
FOLDERS = ("exact", "stripped")
CASES = {folder: sorted((ROOT / "tests" / "cases" / folder).glob("*/*.py")) for folder in FOLDERS}
VERSIONS = [version for version in HOSTS if find_interpreter(version)]

ANALYZE = """
import sys, warnings
from depyf.decompiler.pipeline import analyze

def stripped(code):
    table = "co_linetable" if hasattr(code, "co_linetable") else "co_lnotab"
    consts = tuple(stripped(one) if hasattr(one, "co_consts") else one for one in code.co_consts)
    return code.replace(**{"co_consts": consts, table: b""})

for path in sys.argv[2:]:
    with open(path) as file, warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # `return` in a `finally` body, since 3.14
        code = compile(file.read(), path, "exec", dont_inherit=True)
    if sys.argv[1] == "stripped":
        code = stripped(code)
    for part in analyze(code).walk():
        if not part.verdict.exact:
            print(path, part.qualname, part.verdict.describe())
"""


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: ".".join(map(str, version)))
def test_is_exact(version: tuple[int, int], folder: str) -> None:
    python = find_interpreter(version)
    assert python is not None
    paths = [str(path) for path in CASES[folder] if tuple(map(int, path.parent.name.split("."))) <= version]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [python, "-c", ANALYZE, folder, *paths], capture_output=True, text=True, env=environment, timeout=300
    )
    assert (done.stdout, done.stderr) == ("", "")


def test_there_are_cases() -> None:
    assert all(CASES.values())
    assert VERSIONS
