"""Every file in tests/cases/every_version/X.Y comes back as it was written on each interpreter from X.Y on.

Those in X.Y-Z.W do so up to Z.W: later compilers make the same instructions of other texts too. (Up to 3.9 they copy
no returns, up to 3.13 a while loop has its test twice.) Each interpreter of the machine compiles, decompiles and
proves by itself, and checks what must hold between its passes.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from depyf.decompiler.bytecode.interpreters import find_interpreter
from depyf.decompiler.bytecode.versions import HOSTS

ROOT = Path(__file__).parents[2]
CASES = sorted((ROOT / "tests" / "cases" / "every_version").glob("*/*.py"))
NAMES = ["dead_with", "dead_finally", "dead_in_loop"]
VERSIONS = [version for version in HOSTS if find_interpreter(version)]

DECOMPILE = """
import difflib, sys, warnings
from depyf.decompiler.driver.settings import DEFAULT
from depyf.decompiler.pipeline import analyze

with open(sys.argv[1]) as file:
    source = file.read()
with warnings.catch_warnings():  # some cases are no good style
    warnings.simplefilter("ignore", SyntaxWarning)
    code = compile(source, sys.argv[1], "exec", dont_inherit=True)
result = analyze(code, settings=DEFAULT._replace(checks=True))
for part in result.walk():
    if not part.verdict.proven:
        print(part.qualname, part.verdict.describe())
print(*difflib.unified_diff(source.rstrip().splitlines(), result.source.rstrip().splitlines(), lineterm=""), sep="\\n")
"""


def _is_for(path: Path, version: tuple[int, ...]) -> bool:
    first, _, last = path.parent.name.partition("-")
    since, until = (tuple(map(int, text.split("."))) for text in (first, last or "4.0"))
    return since <= version <= until


@pytest.mark.parametrize(
    ("path", "version"),
    [(path, version) for path in CASES for version in VERSIONS if _is_for(path, version)],
    ids=lambda value: value.stem if isinstance(value, Path) else ".".join(map(str, value)),
)
def test_comes_back_as_it_was_written(path: Path, version: tuple[int, int]) -> None:
    python = find_interpreter(version)
    assert python is not None
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [python, "-c", DECOMPILE, str(path)], capture_output=True, text=True, env=environment, timeout=300
    )
    assert (done.stdout.strip(), done.stderr) == ("", "")


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: ".".join(map(str, version)))
def test_what_is_left_of_dead_blocks_is_no_riddle(version: tuple[int, int]) -> None:
    """The compiler of 3.8 drops the beginning of a dead with statement, and leaves its end."""
    python = find_interpreter(version)
    assert python is not None
    command = [python, "-m", "depyf", "decompile", str(ROOT / "tests" / "cases" / "dead_blocks.py"), "--verdicts"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    levels = {line.split()[1]: line.split()[0] for line in done.stderr.splitlines() if not line.startswith("#")}
    assert list(levels) == ["<module>", *NAMES]
    assert {"refused", "unproven"}.isdisjoint(levels.values())


def test_there_are_cases() -> None:
    assert CASES
    assert VERSIONS
