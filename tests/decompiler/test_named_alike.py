"""Names of one code object that are the same, on every Python that is found (named_alike.py has the checks)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import named_alike
import pytest

from depyf.decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter
from depyf.decompiler.bytecode.versions import HOSTS

SOURCE = Path(__file__).parents[2] / "src"
CHECKS = [name for name in vars(named_alike) if name.startswith("test_")]
VERSIONS = [version for version in HOSTS if find_interpreter(version)]


@pytest.mark.parametrize("name", CHECKS)
def test_here(name: str):
    getattr(named_alike, name)()


def test_elsewhere():
    for version in VERSIONS:
        if version != HOST_VERSION:
            elsewhere(version)


def elsewhere(version: tuple[int, int]):
    python = find_interpreter(version) or sys.executable
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([python, named_alike.__file__], capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0 and len(done.stdout.split()) == len(CHECKS), done.stderr
