"""``depyf attach``: what another process is asked to run, and what the command makes of its answers."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import depyf
from depyf.cli import main
from depyf.run import attach as attaching

CAN_ATTACH = hasattr(sys, "remote_exec")
IDLE = "import sys, time\nprint(1, flush=True)\nwhile not sys.stdin.closed: time.sleep(0.02)"


@pytest.fixture
def program():
    """A process that runs Python code until it is killed."""
    running = subprocess.Popen([sys.executable, "-c", IDLE], stdout=subprocess.PIPE, stdin=subprocess.PIPE)
    running.stdout.readline()
    yield running
    running.kill()
    running.communicate()


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder for temporary files, which is to be left empty."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.chdir(tmp_path)
    return folder


def test_a_process_without_torch(program, temporary, capsys):
    """Asked from outside, where CPython can do that."""
    assert main(["attach", str(program.pid), "-o", "out"]) == 2
    why = "it has not imported PyTorch" if CAN_ATTACH else "CPython runs something for another process from 3.14 on"
    assert capsys.readouterr().err.startswith(f"depyf attach: process {program.pid}: {why}")
    assert (list(temporary.iterdir()), os.path.exists("out"), program.poll()) == ([], False, None)


def test_processes_that_are_none(temporary, capsys, monkeypatch):
    monkeypatch.setattr(sys, "remote_exec", None, raising=False)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert main(["attach", str(ended.pid), "0", str(10**30), str(os.getpid())]) == 2
    says = [line.partition(": process ")[2].partition(": ")[2] for line in capsys.readouterr().err.splitlines()]
    assert says == ["there is no such process"] * 3 + ["that is this command"]


@pytest.mark.parametrize(
    "error, says",
    [
        (RuntimeError("Remote debugging is not enabled in the remote process"), "its Python refuses it"),
        (RuntimeError("PyRuntime address lookup failed during debug offsets initialization"), "it runs no CPython"),
        (PermissionError(1, "Operation not permitted"), "Operation not permitted; it must be a process of yours"),
        (RuntimeError("something \x1b[2J new"), r"something \x1b[2J new"),
    ],
)
def test_what_the_interpreter_refuses(program, temporary, capsys, monkeypatch, error, says):
    def refuse(pid, script):
        raise error

    monkeypatch.setattr(sys, "remote_exec", refuse, raising=False)
    assert main(["attach", str(program.pid)]) == 2
    assert capsys.readouterr().err.startswith(f"depyf attach: process {program.pid}: {says}")
    assert list(temporary.iterdir()) == []


def test_a_process_that_does_not_come_to_it(program, temporary, capsys, monkeypatch):
    """Nobody else can read or change what it is to run; when it comes to it too late, it only cleans up."""
    asked = []
    monkeypatch.setattr(sys, "remote_exec", lambda pid, script: asked.append(script), raising=False)
    assert main(["attach", str(program.pid), "--wait", "0.05"]) == 2
    assert "its main thread has not come to it within 0.05 s" in capsys.readouterr().err
    (script,) = map(Path, asked)
    assert [stat.S_IMODE(one.stat().st_mode) for one in (script.parent, script)] == [0o700, 0o600]
    exec(script.read_text(), {})
    assert list(temporary.iterdir()) == []
    assert not os.path.exists("depyf_report")


def test_the_other_process_ends_meanwhile(program, temporary, capsys, monkeypatch):
    def kill(pid, script):
        program.kill()
        program.wait()

    monkeypatch.setattr(sys, "remote_exec", kill, raising=False)
    assert main(["attach", str(program.pid)]) == 2
    assert capsys.readouterr().err == f"depyf attach: process {program.pid}: it has ended\n"


def test_another_depyf_is_told(program, temporary, capsys, monkeypatch):
    """The process is this one here, which has another version than the request says."""
    monkeypatch.setattr(sys, "remote_exec", lambda pid, script: exec(Path(script).read_text(), {}), raising=False)
    monkeypatch.setattr(attaching, "__version__", "99")
    assert main(["attach", str(program.pid)]) == 2
    assert f"it has imported depyf {depyf.__version__}, and this is 99" in capsys.readouterr().err
