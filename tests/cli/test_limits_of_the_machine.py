"""Too little memory, too few files, no output: a command says so on one line and ends with a documented status."""

from __future__ import annotations

import os
import py_compile
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import depyf
from depyf import cli

COMMANDS = {
    "decompile": ["decompile", "module.pyc"], "disasm": ["disasm", "module.pyc"],
    "diff": ["diff", "module.pyc", "module.pyc"], "verify": ["verify", "."],
    "folder": ["decompile", ".", "-o", "out", "-j", "2"],
}  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "module.py").write_text("def f(x):\n    return x + 1\n")
    py_compile.compile(str(tmp_path / "module.py"), str(tmp_path / "module.pyc"), doraise=True)
    return tmp_path


def run(folder, words, **options):
    environment = {**os.environ, "PYTHONPATH": str(Path(depyf.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", "from depyf.cli import main; raise SystemExit(main())", *words],
                          env=environment, cwd=folder, encoding="utf-8", timeout=300, stderr=subprocess.PIPE,
                          **{"stdout": subprocess.PIPE, **options})  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.mark.parametrize("files", [5, 6, 8, 12])
@pytest.mark.parametrize("command", COMMANDS)
def test_few_open_files(folder, command, files):
    done = run(folder, COMMANDS[command],
               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)))  # fmt: skip
    # In CPython 3.8, a thread can't even end without a file: the C library's pthread_exit loads a library.
    assert done.returncode in (0, 1, 2, 3) or "must be installed for pthread_exit to work" in done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_standard_output_that_takes_nothing(folder, command):
    if not os.path.exists("/dev/full"):
        return
    with open("/dev/full", "w") as full:
        done = run(folder, COMMANDS[command], stdout=full)
    assert done.returncode in (0, 2) and len(done.stderr.splitlines()) <= 4


@pytest.mark.parametrize("error, text", [
    (MemoryError(), "depyf: there is not enough memory\n"),
    (OSError(24, "Too many open files"), "depyf: Too many open files\n"),
    (RuntimeError("can't start new thread"), "depyf: the system starts no more threads\n"),
    (KeyError("a"), "depyf: internal error: KeyError: 'a'; please report it, with what DEPYF_TRACEBACK=1 shows\n"),
])  # fmt: skip
def test_what_no_command_expects_is_one_line(monkeypatch, capsys, error, text):
    def fail(options):
        raise error

    monkeypatch.delenv("DEPYF_TRACEBACK", raising=False)
    monkeypatch.setitem(cli._COMMANDS, "doctor", fail)
    assert cli.main(["doctor"]) == cli.FAILED
    assert capsys.readouterr().err == text
    monkeypatch.setenv("DEPYF_TRACEBACK", "1")
    with pytest.raises(type(error)):
        cli.main(["doctor"])


def test_a_compiler_that_cannot_be_started_is_a_reason(monkeypatch):
    from depyf.decompiler.proof import compiler_pool

    def full(*args, **options):
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(compiler_pool, "find_interpreter", lambda version: sys.executable)
    monkeypatch.setattr(compiler_pool.subprocess, "Popen", full)
    answer = compiler_pool.CompilerPool().compile({}, (3, 9))
    assert answer == ("error", "the compiler of CPython 3.9 can't be started: Too many open files")
