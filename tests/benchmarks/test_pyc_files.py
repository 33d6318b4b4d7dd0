"""Another Python's .pyc files: what comes out is compiled by that Python, and what it refuses is told."""

from __future__ import annotations

import pytest

import pyc_files
from depyf.decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter
from depyf.decompiler.bytecode.versions import TABLES

OTHERS = [version for version in TABLES if version != HOST_VERSION and find_interpreter(version)]


@pytest.mark.parametrize("version", OTHERS[:1] or [HOST_VERSION])
def test_files_of_another_version_come_back(version, capsys):
    assert pyc_files.main(["{}.{}".format(*version), "--sample", "2"]) == 0
    shown = capsys.readouterr().out
    assert "2 .pyc files of" in shown
    assert "compiles 2 of 2 texts, 100.00 %" in shown


def test_a_text_that_does_not_compile_is_told(monkeypatch, capsys):
    monkeypatch.setattr(pyc_files, "COMPILE", 'print("[\\"0.py: bad\\"]")')
    assert pyc_files.main(["{}.{}".format(*HOST_VERSION), "--sample", "1"]) == 1
    shown = capsys.readouterr().out
    assert "compiles 0 of 1 texts" in shown
    assert "0.py: bad" in shown


def test_a_version_that_is_not_here_is_named(capsys):
    with pytest.raises(SystemExit):
        pyc_files.main(["2.7"])
    assert "no CPython 2.7 is found here" in capsys.readouterr().err
