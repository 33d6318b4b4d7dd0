"""``depyf decompile`` of many files into a folder."""

from __future__ import annotations

import os
import py_compile
import zipfile

import pytest

from depyf.batch.command import decompile_all
from depyf.batch.manifest import NAME

SOURCE = "def f(x):\n    return x + {}\n"


@pytest.fixture
def tree(tmp_path):
    for number, name in enumerate(("a", "p/b", "q/b")):
        path = tmp_path / "in" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SOURCE.format(number))
        py_compile.compile(str(path), str(path) + "c", doraise=True)
        path.unlink()
    return tmp_path


def texts(folder):
    """The files without their headers, but for the manifest."""
    found = {}
    for path in folder.rglob("*"):
        if path.is_file() and path.name != NAME:
            lines = path.read_text().splitlines(keepends=True)
            found[str(path.relative_to(folder))] = "".join(line for line in lines if not line.startswith("# "))
    return found


EXPECTED = {"a.py": SOURCE.format(0), "p/b.py": SOURCE.format(1), "q/b.py": SOURCE.format(2)}


def test_a_folder_keeps_its_structure(tree, run_depyf):
    done = run_depyf("decompile", "in/", "-o", "out")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "3 compiled files: 3 written to out, 3 of them proven as a whole\n"
    assert texts(tree / "out") == EXPECTED


def test_an_archive(tree, run_depyf):
    with zipfile.ZipFile(tree / "w.whl", "w") as file:
        for path in (tree / "in").rglob("*.pyc"):
            file.write(path, path.relative_to(tree / "in"))
        file.writestr("../outside.pyc", b"x")
    done = run_depyf("decompile", "w.whl", "-o", "out")
    assert done.returncode == 1
    assert "leads out of the archive" in done.stderr
    assert texts(tree / "out") == EXPECTED


def test_targets_of_one_name_do_not_meet(tree, run_depyf):
    done = run_depyf("decompile", "in/p/b.pyc", "in/q/b.pyc", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert texts(tree / "out") == {"b.py": SOURCE.format(1), "b-2.py": SOURCE.format(2)}


def test_one_bad_file_is_one_line(tree, run_depyf):
    (tree / "in" / "a.pyc").write_bytes(b"garbage")
    done = run_depyf("decompile", "in/", "-o", "out")
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert lines[0].startswith("in/a.pyc: it is not a .pyc file")
    more = run_depyf("decompile", "in/p/b.pyc", "gone", "x/gone.pyc", "-o", "other").stderr.splitlines()
    assert more[0] == "gone: there is no file and no module called gone"
    assert more[1].startswith("x/gone.pyc: can't read x/gone.pyc: No such file")
    assert more[2:] == ["3 compiled files: 1 written to other, 1 of them proven as a whole, 2 not decompiled"]
    assert lines[1:] == ["3 compiled files: 2 written to out, 2 of them proven as a whole, 1 not decompiled"]


def test_nothing_is_written_outside_of_the_folder(tree):
    (tree / "out").mkdir()
    (tree / "elsewhere").mkdir()
    os.symlink(tree / "elsewhere", tree / "out" / "p")
    found = {os.path.basename(os.path.dirname(one.path)): one for one in decompile_all([f"{tree}/in"], f"{tree}/out")}
    assert "leads out of" in found["p"].error
    assert texts(tree / "elsewhere") == {}
    assert found["q"].proven


@pytest.mark.parametrize(
    "words, reason",
    [
        (("in/",), "name it with -o DIR"),
        (("in/", "-o", "out", "--verdicts"), "take a single target"),
    ],
)
def test_what_can_not_be(words, reason, tree, run_depyf):
    done = run_depyf("decompile", *words)
    assert done.returncode == 2
    assert reason in done.stderr


def test_the_layout_of_the_author(tree, run_depyf):
    (tree / "c.py").write_text("# a comment\n\n\nx = 1\n")
    py_compile.compile(str(tree / "c.py"), str(tree / "in" / "c.pyc"), doraise=True)
    assert run_depyf("decompile", "in/", "-o", "plain", "--layout", "compact").returncode == 0
    assert run_depyf("decompile", "in/", "-o", "author").returncode == 0
    assert (tree / "plain" / "c.py").read_text().splitlines()[2:] == ["x = 1"]
    assert (tree / "author" / "c.py").read_text().startswith("\n\n\nx = 1\n# CPython 3.")


def test_files_of_one_stem_have_a_text_each(tree, run_depyf):
    for name, number in (("a.pyo", 3), ("a-2.pyc", 4), ("a-2.pyo", 5)):
        (tree / "s.py").write_text(SOURCE.format(number))
        py_compile.compile(str(tree / "s.py"), str(tree / "in" / name), doraise=True)
    for kept in ("6 written to out, ", "0 written to out, 6 there already, "):
        done = run_depyf("decompile", "in/", "-o", "out")
        assert done.stderr == f"6 compiled files: {kept}6 of them proven as a whole\n"
    assert sorted(texts(tree / "out").values()) == [SOURCE.format(number) for number in range(6)]
