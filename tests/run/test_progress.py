"""The line on a terminal while a compilation lasts."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

PROGRAM = """
import sys, time, torch

def slow(gm, inputs):
    time.sleep(4)
    return gm

def twice(x):
    return x * 2

print(torch.compile(twice, backend=slow)(torch.ones(2)).sum().item(), file=sys.stderr)
"""


def written(folder, *options, **variables):
    """What `depyf run` writes to a terminal that is its standard error."""
    (folder / "program.py").write_text(PROGRAM)
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", **variables}
    process = subprocess.Popen(
        [sys.executable, "-m", "depyf", "run", *options, "program.py"], cwd=str(folder), env=environment,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    parts = []
    try:
        while True:
            parts.append(os.read(ours, 4096))
            if not parts[-1]:
                break
    except OSError:  # the other side is closed
        pass
    os.close(ours)
    assert process.wait(timeout=60) == 0
    return b"".join(parts).decode().replace("\r\n", "\n")


def test_a_long_compilation_has_a_line_that_is_gone_before_the_program_writes(tmp_path):
    shown, _, rest = written(tmp_path).rpartition("\r\x1b[2K")
    assert "\r\x1b[2Kdepyf: compiling twice (program.py:8), " in shown and shown.count("\n") == 0
    assert rest.startswith("4.0\ndepyf: 1 function compiled")


@pytest.mark.parametrize(("options", "variables"), [(["-q"], {}), ([], {"TERM": "dumb"}), ([], {"LOCAL_RANK": "1"})])
def test_there_is_none_where_it_is_not_wanted(options, variables, tmp_path):
    text = written(tmp_path, *options, **variables)
    assert text.startswith("4.0\n") and "compiling twice" not in text
