"""pytest: modules as its assertion rewriter leaves them, ours with every kind of assert and others that have some."""

from __future__ import annotations

import ast
import os
import random
import shutil
import sysconfig
from pathlib import Path

import pytest
from _pytest.assertion.rewrite import rewrite_asserts

PROGRAMS = Path(__file__).parent / "programs"
OTHERS, LARGEST = 40, 20_000
"""How many modules of the environment and of the standard library are rewritten too, and the most bytes of one."""


class Config:
    """As much of pytest's configuration as the rewriter asks for."""

    def __init__(self, hook):
        self.hook = hook

    def getini(self, name):
        return self.hook


def generate(folder):
    for name in ("test_asserts.py",):
        shutil.copy(PROGRAMS / name, folder)
    with open(os.devnull, "w") as nowhere:
        import contextlib

        with contextlib.redirect_stdout(nowhere):
            status = pytest.main(["-q", "-p", "no:cacheprovider", folder])
    if status not in (0, pytest.ExitCode.TESTS_FAILED):
        raise SystemExit(f"pytest ended with {status}")
    paths = [PROGRAMS / "test_asserts.py", *chosen()]
    codes = []
    for path in paths:
        source = path.read_bytes()
        for hook in (False, True) if path.parent == PROGRAMS else (False,):
            try:
                tree = ast.parse(source)
                rewrite_asserts(tree, source, str(path), Config(hook))
                codes.append(compile(tree, str(path), "exec", dont_inherit=True))
            except (SyntaxError, ValueError, RecursionError):
                break  # none of this Python's
    return codes


def chosen():
    """Modules with asserts, the same ones in every run."""
    places = sysconfig.get_paths()
    found = {path for key in ("purelib", "stdlib") for path in Path(places[key]).rglob("*.py")}
    small = [path for path in sorted(found) if path.is_file() and path.stat().st_size <= LARGEST]
    with_asserts = [path for path in small if b"\n    assert " in path.read_bytes()]
    return random.Random(1).sample(with_asserts, min(OTHERS, len(with_asserts)))


def rewritten(filename):
    return os.path.basename(filename) == "test_asserts.py"
