"""Other decompilers' inputs: .pyc files as they are, sources compiled first, and what is nobody's fault left out."""

from __future__ import annotations

import importlib.util
import marshal
import sys

import pytest

import peers_inputs
from depyf.decompiler.bytecode.versions import TABLES
from depyf.errors import DecompilationError

HOST = "{}.{}".format(*sys.version_info[:2])
UNUSED = next(number for number in range(200, 0, -1) if number not in TABLES[sys.version_info[:2]].rows)


def pyc(source, magic=importlib.util.MAGIC_NUMBER):
    return magic + bytes(12) + marshal.dumps(compile(source, "one.py", "exec"))


def inputs(folder):
    """A checkout with a .pyc file, a foreign and a damaged one, a source, one of Python 2, and the tool itself."""
    tests = folder / "tests"
    tests.mkdir()
    (tests / "one.pyc").write_bytes(pyc("def f(a):\n    return a + 1\n"))
    (tests / "old.pyc").write_bytes(pyc("pass", magic=b"\x03\xf3\r\n"))
    (tests / "damaged.pyc").write_bytes(pyc("pass")[:30])
    (tests / "two.py").write_text("class C:\n    def m(self):\n        pass\n")
    (tests / "python2.py").write_text("print 1\n")
    (folder / "tool.py").write_text("not = an input\n")
    return folder


def row(shown, group):
    (line,) = [line for line in shown.splitlines() if line.startswith(group)]
    return line[len(group) :].split()


def test_inputs_are_counted_by_version(tmp_path, capsys):
    assert peers_inputs.main([str(inputs(tmp_path)), "--sources", HOST, "--left-out"]) == 0
    shown = capsys.readouterr().out
    found, compiled, foreign = (row(shown, group) for group in (f"{HOST} as found", f"{HOST} from source", "foreign"))
    assert (found[:2], found[-1]) == (["1", "2"], "0")  # files, objects, left out
    assert (compiled[:2], compiled[-1]) == (["1", "3"], "1")
    assert (foreign[0], foreign[-1]) == ("0", "2")
    assert "python2.py: SyntaxError" in shown
    assert "damaged.pyc" in shown
    assert "tool.py" not in shown


def test_opcodes_that_the_version_lacks_make_a_file_foreign(tmp_path):
    path = tmp_path / "other.pyc"
    steps = compile("a = b", "one.py", "exec").co_code
    path.write_bytes(pyc("a = b").replace(steps, bytes([UNUSED, 0]) * (len(steps) // 2)))
    answer = peers_inputs.work(peers_inputs.Item(str(path), "other"))
    assert (answer.group, answer.rows) == ("foreign", [])
    assert "no such opcode" in answer.foreign


def test_what_is_refused_is_named(tmp_path, monkeypatch):
    path = tmp_path / "one.pyc"
    path.write_bytes(pyc("def f(): pass"))

    def refuse(raw):
        raise DecompilationError("for a test", stage="lift", where="f")

    monkeypatch.setattr("depyf.decompiler.driver.units._stages", lambda *args, **kwargs: refuse(args[0]))
    (module, *_) = peers_inputs.work(peers_inputs.Item(str(path), "one")).rows
    assert (module.level, module.reason) == ("refused", "for a test")
    assert module.place == "one: <module> (line 1)"


def test_a_folder_without_inputs_is_an_error(tmp_path, capsys):
    with pytest.raises(SystemExit):
        peers_inputs.main([str(tmp_path), "--sources", HOST])
    assert "no .pyc files and no sources below" in capsys.readouterr().err
