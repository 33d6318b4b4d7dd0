"""The table of opcodes and versions, gathered from every interpreter of this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any, Iterable

from ..decompiler.bytecode.interpreters import find_interpreter
from ..decompiler.bytecode.reading.load import HOST_VERSION
from ..decompiler.bytecode.versions import OLDEST_HOST, TABLES
from .measure import STAGES, measure

SIGNS = {
    "internal": "-", "not met": "?", "not handled": "!", "read": "r", "lifted": "l", "structured": "s", "proven": "P",
}  # fmt: skip
LEGEND = "P proven on a test, s structured, l lifted, r read, ! not handled, ? in no test, - internal, blank: no such"
_SECONDS = 900
_MEASURE = """\
import json, sys
sys.path.append(sys.argv[1])
from depyf.coverage.measure import measure
print(json.dumps(measure()))
"""
"""What another Python runs, which finds its own library and depyf, and nothing else."""


def coverage(versions: Iterable[tuple[int, int]]) -> dict[str, Any]:
    """Stage by opcode for each version, by the version's text; a string with the reason where there is none."""
    return {f"{major}.{minor}": _of(major, minor) for major, minor in versions}


def _of(major: int, minor: int) -> dict[str, str] | str:
    if (major, minor) == HOST_VERSION:
        return measure()
    if (major, minor) < OLDEST_HOST:
        return "depyf does not run on it; its files are read on a newer Python"
    path = find_interpreter((major, minor))
    if path is None:
        return f"no CPython {major}.{minor} found"
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    command = [path, "-I", "-S", *["-B"] * sys.dont_write_bytecode, "-c", _MEASURE, package]
    try:
        done = subprocess.run(command, cwd=os.path.dirname(path), capture_output=True, timeout=_SECONDS)
    except (OSError, subprocess.SubprocessError) as error:
        return f"its measurement failed: {error}"
    if done.returncode:
        return "its measurement failed: " + (done.stderr.decode("utf-8", "replace").strip().split("\n")[-1])
    result: dict[str, str] = json.loads(done.stdout)
    return result


def table(measured: dict[str, Any]) -> list[str]:
    """Lines: the opcodes in rows, the versions in columns, a sign for each stage; then what each version lacks."""
    names = sorted({name for stages in measured.values() if isinstance(stages, dict) for name in stages})
    names = [name for name in names if any(_stage(measured, v, name) not in ("", "internal") for v in measured)]
    width = max(map(len, names), default=0)
    lines = [LEGEND, "", " " * width + "".join(f"{version:>6}" for version in measured)]
    for name in names:
        stages = [_stage(measured, version, name) for version in measured]
        lines.append(f"{name:{width}}" + "".join(f"{SIGNS.get(stage, ''):>6}" for stage in stages))
    lines.append("")
    lines += [f"{version}: {_summary(stages)}" for version, stages in measured.items()]
    return [line.rstrip() for line in lines]


def _stage(measured: dict[str, Any], version: str, name: str) -> str:
    """'' if the version has no such opcode, or nothing was measured."""
    stages = measured[version]
    return str(stages.get(name, "")) if isinstance(stages, dict) else ""


def _summary(stages: dict[str, str] | str) -> str:
    if isinstance(stages, str):
        return stages
    met = {name: stage for name, stage in stages.items() if stage != "internal"}
    parts = [f"{len(met)} opcodes"]
    for stage in reversed(STAGES[1:]):
        names = sorted(name for name, reached in met.items() if reached == stage)
        if names:
            listed = "" if stage == "proven" else f" ({', '.join(names)})"
            parts.append(f"{len(names)} {stage}{listed}")
    return ", ".join(parts)


def all_versions() -> list[tuple[int, int]]:
    """Every version that has an opcode table."""
    return sorted(TABLES)
