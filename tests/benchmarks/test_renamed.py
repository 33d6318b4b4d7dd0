"""benchmarks/attack/renamed.py: what it counts, on a few modules of the library."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "benchmarks" / "attack"), str(ROOT / "benchmarks" / "lib")]

import depyf  # noqa: E402
import renamed  # noqa: E402
from depyf.decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter  # noqa: E402
from depyf.decompiler.bytecode.versions import HOSTS  # noqa: E402

SCRIPT = str(ROOT / "benchmarks" / "attack" / "renamed.py")
PYTHONS = [version for version in HOSTS if version == HOST_VERSION or find_interpreter(version)]
MODULES = ("abc", "bisect", "contextlib", "keyword", "reprlib", "sched", "types", "this")


def counted(python: str, *arguments: str) -> dict[str, int]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [python, SCRIPT, *arguments], capture_output=True, text=True, env=environment, timeout=300
    )
    row = [int(re.match(r" *(\d+)", cell)[1]) for cell in done.stdout.splitlines()[2].split("|")[2:-1]]
    assert done.returncode == 0, done.stderr
    return dict(zip(("objects", "proven", "refused", "lost", "wrong", "modules", "whole"), row))


def library(python: str) -> list[str]:
    command = "import sysconfig; print(sysconfig.get_paths()['stdlib'])"
    folder = Path(subprocess.run([python, "-c", command], capture_output=True, text=True).stdout.strip())
    return [str(folder / f"{name}.py") for name in MODULES]


def check(python: str) -> None:
    """Other names of code, files and lines lose nothing; other names of variables nothing that is not said."""
    alone = (["names", "lines"], ["one-name", "places"], ["qualnames"], ["docstrings", "junk"], ["tables"])
    for seed, habits in enumerate((*alone, [habit for habit in renamed.HABITS if habit != "tables"])):
        found = counted(python, *library(python), "--seed", str(seed), "--habits", *habits)
        assert found["objects"] > 100 and found["modules"] == len(MODULES)
        assert not found["wrong"], found
        assert "variables" in habits or found["proven"] >= 0.99 * found["objects"], (habits, found)


@pytest.mark.parametrize("version", PYTHONS, ids=lambda version: ".".join(map(str, version)))
def test_every_habit(version: tuple[int, int]):
    check(find_interpreter(version) or sys.executable)


@pytest.mark.parametrize("habit", list(renamed.HABITS))
def test_a_habit_changes_code(habit: str):
    code = compile("def f(a, b):\n    'doc'\n    return lambda: (a, b, c, d, e, g, h, i)\n", "m.py", "exec")
    changed = renamed.HABITS[habit](code, random.Random(1))

    def seen(code):
        fields = ("co_name", "co_qualname", "co_varnames", "co_linetable", "co_filename", "co_firstlineno", "co_names",
                  "co_code")  # fmt: skip
        return [[*(getattr(one, field) for field in fields), one.co_consts[:1]] for one in renamed.walk(code)]

    assert seen(changed) != seen(code)


def test_names_that_are_not_put_back_are_wrong(monkeypatch):
    code = renamed.names(compile("def f(): pass\n", "m.py", "exec"), random.Random(0))
    result = depyf.analyze(code)
    assert result.proven and not renamed.fault(code, result)
    monkeypatch.setattr(renamed, "recompile", lambda source, like: compile(source, "m.py", "exec"))
    assert "is called" in renamed.fault(code, result)
