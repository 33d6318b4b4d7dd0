"""``depyf diff`` of compiled files, and ``depyf doctor``."""

from __future__ import annotations

import os
import py_compile
import sys

import pytest

from depyf.decompiler.bytecode.code.formats import FORMATS
from depyf.decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter
from depyf.decompiler.bytecode.versions import TABLES
from depyf.verification import between as between_module
from depyf.verification.between import between
from depyf.verification.compiling import compiled

OLD = "def gone():\n    return 1\n\n\nclass C:\n    def price(self, item):\n        return item.price\n"
NEW = """\
class C:
    def price(self, item):
        log(item)
        return item.price

    def more(self):
        pass
"""


@pytest.fixture
def pair(tmp_path):
    for name, text in (("old", OLD), ("new", NEW)):
        (tmp_path / f"{name}.py").write_text(text)
        py_compile.compile(str(tmp_path / f"{name}.py"), str(tmp_path / f"{name}.pyc"), doraise=True)
    return tmp_path


def test_functions_and_statements(pair, run_depyf):
    done = run_depyf("diff", "old.pyc", "new.pyc")
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (1, "")
    assert lines[:2] == ["removed  gone", "added    C.more"]
    assert "  C.price" in lines
    place = lines.index("  C.price")
    assert lines[place + 1 : place + 3] == ["    in new.pyc, line 3:", "              log(item)"]


def test_equal_files(pair, run_depyf):
    done = run_depyf("diff", "old.pyc", "old.pyc")
    assert (done.returncode, done.stdout) == (0, "equal\n")
    (pair / "lines.py").write_text("# a comment\n" + NEW)
    py_compile.compile(str(pair / "lines.py"), str(pair / "lines.pyc"), doraise=True)
    if "firstlineno" not in repr(compile(NEW, "new.py", "exec").co_consts[0].co_names):
        done = run_depyf("diff", "new.pyc", "lines.pyc")
        assert (done.returncode, done.stdout) == (0, "equal but for line numbers\n")


def test_what_is_no_compiled_file(pair, run_depyf):
    (pair / "text.pyc").write_text("hello\n")
    done = run_depyf("diff", "text.pyc", "new.pyc")
    assert done.returncode == 2
    assert "is not a .pyc file" in done.stderr
    done = run_depyf("diff", "none.pyc", "new.pyc")
    assert (done.returncode, done.stderr) == (2, "depyf: can't read none.pyc: No such file or directory\n")


def test_a_source_and_parts_of_files(pair, run_depyf):
    done = run_depyf("diff", "old.py", "old.pyc")
    assert (done.returncode, done.stdout) == (0, "equal\n")
    done = run_depyf("diff", "old.pyc:C.price", "new.pyc:C.price")
    assert done.returncode == 1 and "    in new.pyc:C.price, line 3:\n          log(item)\n" in done.stdout


@pytest.fixture
def of_two_versions(tmp_path):
    """The same source compiled by this Python and by another, if there is one; else by this one twice."""
    others = [version for version in TABLES if version != HOST_VERSION and find_interpreter(version)]
    for name, version in (("one", HOST_VERSION), ("other", (others or [HOST_VERSION])[0])):
        magic = max(FORMATS[version].magic_numbers).to_bytes(2, "little") + b"\r\n"
        (tmp_path / f"{name}.pyc").write_bytes(magic + bytes(12) + compiled(OLD.encode(), "m.py", version, 0).data)
    return str(tmp_path / "one.pyc"), str(tmp_path / "other.pyc")


def test_two_versions_are_compared_by_statements(of_two_versions):
    assert not between(*of_two_versions)


def test_what_has_no_text_is_not_called_equal(of_two_versions, monkeypatch):
    """Texts that are equal by chance, of a file that pretends to be of another version."""
    reader = between_module._code

    def read(path):
        raw = reader(path)
        raw.version = (3, 8) if path == of_two_versions[0] else (3, 9)
        return raw

    monkeypatch.setattr(between_module, "_code", read)
    monkeypatch.setattr(between_module, "changed_statements", lambda ours, theirs: [])
    monkeypatch.setattr(between_module, "unproven", lambda raw: ["gone"])
    found = between(*of_two_versions)
    assert [change.where for change in found.changes] == ["gone", "gone"]
    assert found.note == "statements alone were compared: CPython 3.8 and 3.9"


def test_the_doctor_names_this_python(run_depyf):
    done = run_depyf("doctor")
    assert done.returncode == 0, done.stderr
    assert f", {sys.executable}" in done.stdout
    rows = [line.split()[0] for line in done.stdout.splitlines()]
    assert {"depyf", "Python", "platform", "torch", *("{}.{}".format(*version) for version in TABLES)} <= set(rows)


def test_the_doctor_tells_no_secrets(run_depyf, monkeypatch):
    monkeypatch.setenv("DEPYF_SECRET_TOKEN", "hunter2")
    monkeypatch.setenv("DEPYF_PYTHONS", os.path.dirname(sys.executable))
    text = run_depyf("doctor").stdout
    assert "hunter2" not in text
    assert f"DEPYF_PYTHONS={os.path.dirname(sys.executable)}" in text
