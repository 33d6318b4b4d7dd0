"""Statements nested in each other in modules and classes come back on every interpreter: there is no fallback there.

What they do is not run: the proof, whose tests are elsewhere, says that. One process per interpreter reads a sixth of
them. They need not be exact, so the search for an exact spelling is a short one.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from nested_statements import outside_functions

from depyf.decompiler.bytecode.interpreters import find_interpreter
from depyf.decompiler.bytecode.versions import HOSTS

ROOT = Path(__file__).parents[2]
VERSIONS = [version for version in HOSTS if find_interpreter(version)]

ANALYZE = """
import itertools, sys, warnings
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.surface_forms import search
from nested_statements import outside_functions

search.WORK //= 10
warnings.simplefilter("ignore", SyntaxWarning)  # `continue` in a `finally` body, since 3.14
read = 0
for name, text in itertools.islice(outside_functions(), sys.version_info[1] % 6, None, 6):
    try:
        code = compile(text, name, "exec", dont_inherit=True)
    except SyntaxError:
        continue  # no loop to leave, or `match` before 3.10
    read += 1
    for part in analyze(code).walk():
        if not part.verdict.proven:
            print(name, part.qualname, part.verdict.describe())
assert read > 250, read
"""


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: ".".join(map(str, version)))
def test_is_proven(version: tuple[int, int]) -> None:
    python = find_interpreter(version)
    assert python is not None
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])
    done = subprocess.run(
        [python, "-c", ANALYZE], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": paths}, timeout=300
    )
    assert (done.stdout, done.stderr) == ("", "")


def test_names_are_different() -> None:
    programs = list(outside_functions())
    assert len(dict(programs)) == len(programs)
    assert VERSIONS
