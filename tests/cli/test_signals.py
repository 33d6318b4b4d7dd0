"""Signals at ten moments of each command: one line, the shell's exit status, whole files, and no process left."""

from __future__ import annotations

import os
import py_compile
import signal
import time

import pytest
from forks import DEPYF

from depyf.decompiler.bytecode.interpreters import HOST_VERSION

PROGRAM = """\
import os, signal, sys
from depyf import cli

calls, at, number = 0, int(sys.argv[1]), getattr(signal, sys.argv[2].split("-")[0])

def count(frame, event, argument):
    global calls
    calls += event == "call"
    if calls == at and event == "call":
        InFinalizer() if len(sys.argv[2].split("-")) > 1 else os.kill(os.getpid(), number)

class InFinalizer:
    def __del__(self):  # as a weak reference's callback of importlib
        os.kill(os.getpid(), number)
        for _ in range(1000):
            pass

signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGTERM, signal.SIG_DFL)
os.setpgid(0, 0)
print(os.getpid(), file=open(sys.argv[3], "w"))
sys.setprofile(count)
status = cli.main(sys.argv[4:])
sys.setprofile(None)
print(calls, file=open(sys.argv[3], "a"))
sys.exit(status)
"""
MOMENTS = 10
SAID = {"SIGINT": (130, "depyf: interrupted\n"), "SIGTERM": (143, "depyf: terminated\n")}

COMMANDS = {
    "decompile": "decompile many -j 2 -o out{}",
    "verify": "verify many",
    "diff": "diff many/m1.pyc many/m2.pyc",
    "disasm": "disasm many/m1.pyc",
    "coverage": "coverage {}.{}".format(*HOST_VERSION),
}


@pytest.fixture
def run(tmp_path):
    """Run a command with a signal at a call of a function; the completed process, and what it noted."""
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "many").mkdir()
    for number in range(3):
        path = tmp_path / "many" / f"m{number}.py"
        path.write_text("".join(f"def f{one}(x):\n    for y in x:\n        print(y, {number})\n" for one in range(3)))
        py_compile.compile(str(path), str(path) + "c", doraise=True)

    def start(at, name, words):
        notes = tmp_path / f"notes{at}"
        done = DEPYF.run(tmp_path / "program.py", at, name, notes, *words.format(at).split(), cwd=tmp_path)
        return done, list(map(int, notes.read_text().split()))

    return start


@pytest.mark.parametrize("command", COMMANDS)
def test_a_signal_at_ten_moments(command, run, tmp_path):
    done, (_, calls) = run(0, "SIGINT", COMMANDS[command])
    assert done.stderr.count("\n") <= 1, done.stderr
    for moment in range(MOMENTS):
        at, name = calls * (moment + 1) // (MOMENTS + 1), ("SIGINT", "SIGTERM")[moment % 2]
        done, (process, *_) = run(at, name, COMMANDS[command])
        assert (at, done.returncode, done.stderr) == (at, *SAID[name])
        for path in tmp_path.glob("out*/*.py"):
            assert "# all 4 are proven" in path.read_text()
        assert not list(tmp_path.glob("out*/*.part"))
        end = time.monotonic() + 60
        while is_there(process):
            assert time.monotonic() < end
            time.sleep(0.01)


@pytest.mark.parametrize("name", SAID)
def test_a_signal_in_a_finalizer(name, run):
    """Its exception is lost there. The command may end before the signal is sent again."""
    _, (_, calls) = run(0, name, COMMANDS["disasm"])
    for at in (calls // 2, calls - 100):
        done, _ = run(at, name + "-in a finalizer", COMMANDS["disasm"])
        assert (at, done.returncode, done.stderr) == (at, *SAID[name])


def is_there(group):
    """Whether a process of the group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_signals_are_those_of_the_table():
    assert {128 + getattr(signal, name) for name in SAID} == {status for status, _ in SAID.values()}
