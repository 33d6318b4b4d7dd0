"""Every file in tests/cases/every_version/X.Y comes back as it was written on each interpreter from X.Y on.

Those in X.Y-Z.W do so up to Z.W: later compilers make the same instructions of other texts too. (Up to 3.9 they copy
no returns, up to 3.13 a while loop has its test twice.) Each interpreter of the machine compiles, decompiles and
proves by itself, and checks what must hold between its passes.
"""

from __future__ import annotations

import functools
import json
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
import difflib, json, sys, traceback, warnings
from depyf.decompiler.driver.settings import DEFAULT
from depyf.decompiler.pipeline import analyze

def differences(path):
    with open(path) as file:
        source = file.read()
    with warnings.catch_warnings():  # some cases are no good style
        warnings.simplefilter("ignore", SyntaxWarning)
        code = compile(source, path, "exec", dont_inherit=True)
    result = analyze(code, settings=DEFAULT._replace(checks=True))
    for part in result.walk():
        if not part.verdict.proven:
            yield part.qualname + " " + part.verdict.describe()
    yield from difflib.unified_diff(source.rstrip().splitlines(), result.source.rstrip().splitlines(), lineterm="")

for path in sys.argv[1:]:
    try:
        found = list(differences(path))
    except Exception:
        found = traceback.format_exc().splitlines()
    print(json.dumps([path, found]))
"""


def _is_for(path: Path, version: tuple[int, ...]) -> bool:
    first, _, last = path.parent.name.partition("-")
    since, until = (tuple(map(int, text.split("."))) for text in (first, last or "4.0"))
    return since <= version <= until


@functools.lru_cache(None)
def _differences(version: tuple[int, int]) -> dict[str, list[str]]:
    """For each case of the version, what does not come back. One process decompiles all of them."""
    python = find_interpreter(version)
    assert python is not None
    paths = [str(path) for path in CASES if _is_for(path, version)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [python, "-c", DECOMPILE, *paths]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    return dict(map(json.loads, done.stdout.splitlines()))


@pytest.mark.parametrize(
    ("path", "version"),
    [(path, version) for path in CASES for version in VERSIONS if _is_for(path, version)],
    ids=lambda value: value.stem if isinstance(value, Path) else ".".join(map(str, value)),
)
def test_comes_back_as_it_was_written(path: Path, version: tuple[int, int]) -> None:
    assert _differences(version)[str(path)] == []


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
