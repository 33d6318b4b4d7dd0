"""No command waits for a file that may never end."""

from __future__ import annotations

import os
import py_compile
import socket
import subprocess
import sys

import pytest
from forks import DEPYF

from depyf.decompiler.bytecode.reading.pyc import read_pyc
from depyf.errors import PycError
from depyf.reading import open_regular


@pytest.fixture
def folder(tmp_path):
    """A good file, and what only looks like one."""
    (tmp_path / "in" / "__pycache__").mkdir(parents=True)
    (tmp_path / "in" / "good.py").write_text("x = 1\n")
    py_compile.compile(str(tmp_path / "in" / "good.py"), str(tmp_path / "in" / "good.pyc"), doraise=True)
    for name in ("pipe.pyc", "pipe", "pipe.py", "__pycache__/inner.cpython-311.pyc"):
        os.mkfifo(tmp_path / "in" / name)
    os.symlink("pipe", tmp_path / "in" / "link.pyc")
    os.symlink("/dev/zero", tmp_path / "in" / "zero.pyc")
    return tmp_path


ALONE = [f"in/{name}" for name in ("pipe.pyc", "pipe", "pipe.py", "link.pyc", "zero.pyc")] + ["/dev/zero"]


@pytest.mark.parametrize("name", ALONE)
@pytest.mark.parametrize("command", ["decompile", "disasm", "decompile --verdicts", "verify"])
def test_one_that_is_named(command, name, folder):
    done = DEPYF.run("-m", "depyf", *command.split(), name, cwd=folder)
    if command == "verify":
        assert done.returncode in (0, 2) and "identical" not in done.stdout
    else:
        reason = "it is a pipe or a device: only standard input (-) may be one"
        assert (done.returncode, done.stdout, done.stderr) == (2, "", f"depyf: can't read {name}: {reason}\n")


def test_those_in_a_folder(folder):
    done = DEPYF.run("-m", "depyf", "decompile", "in/", "-o", "out", cwd=folder)
    assert done.returncode == 1
    assert "1 written to out, 1 of them proven as a whole, 4 not decompiled" in done.stderr
    assert "not checked" in DEPYF.run("-m", "depyf", "verify", "in/", cwd=folder).stdout


def test_functions_that_read_files(folder):
    with pytest.raises(PycError, match="a pipe or a device"):
        read_pyc(str(folder / "in" / "pipe.pyc"))
    assert read_pyc(str(folder / "in" / "good.pyc")).name == "<module>"


def test_a_socket_and_a_folder(folder):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.relpath(folder / "s"))
        with pytest.raises(OSError):
            open_regular(folder / "s")
    with pytest.raises(IsADirectoryError):
        open_regular(folder / "in")


@pytest.mark.parametrize("name", ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"])
@pytest.mark.parametrize("is_file", [True, False])
def test_what_is_open_already_is_read(is_file, name, folder):
    if not os.path.exists(os.path.dirname(name)):
        name = "/dev/fd/0"  # where there is no /proc
    command = [sys.executable, "-m", "depyf", "decompile", name]
    with open(folder / "in" / "good.pyc", "rb") as file:
        given = {"stdin": file} if is_file else {"input": file.read()}
        done = subprocess.run(command, capture_output=True, check=True, **given)
    assert done.stdout == b"x = 1\n"
