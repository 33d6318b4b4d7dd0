"""Text for modules that have only a `.pyc`: in tracebacks, `inspect`, `linecache` and debuggers, in fresh processes."""

from __future__ import annotations

import os
import py_compile
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

import depyf
from depyf.decompiler import pipeline
from depyf.without_source import made_code

MODULE = """\
import os


# Says hello.
def greet(name,
          punctuation='!'):
    if not name:
        raise ValueError(
            'nobody')

    return 'Hello, ' + name + punctuation


class Greeter:
    def greet(self, name):
        return greet(name)
"""


@pytest.fixture(scope="module")
def sourceless(tmp_path_factory):
    """A folder with a module that has no source."""
    folder = tmp_path_factory.mktemp("sourceless")
    path = folder / "greeting.py"
    path.write_text(MODULE)
    py_compile.compile(str(path), str(folder / "greeting.pyc"), doraise=True)
    path.unlink()
    return folder


def run(folder, text):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(Path(depyf.__file__).parents[1])])}
    return subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, encoding="utf-8",
                          timeout=120)  # fmt: skip


INSTALL = "import depyf; depyf.source.install()\n"


def test_without_it_there_is_no_text(sourceless):
    done = run(sourceless, "import greeting; greeting.greet('')")
    assert "raise ValueError" not in done.stderr and "greeting.py" in done.stderr


def test_a_traceback_shows_the_lines_that_ran(sourceless):
    done = run(sourceless, INSTALL + "import greeting; greeting.Greeter().greet('')")
    assert "line 16, in greet\n    return greet(name)" in done.stderr
    assert "line 8, in greet\n    raise ValueError(" in done.stderr
    assert done.stderr.rstrip().endswith("ValueError: nobody") and done.returncode == 1


def test_inspect_and_linecache_have_the_text(sourceless):
    done = run(sourceless, INSTALL + (
        "import greeting, inspect, linecache\n"
        "print(inspect.getsource(greeting.greet), end='')\n"
        "print(linecache.getline(greeting.greet.__code__.co_filename, 11), end='')\n"
    ))  # fmt: skip
    assert done.stdout.startswith("def greet("), done.stderr
    assert done.stdout.splitlines()[-1] == "    return 'Hello, ' + name + punctuation"


def test_modules_imported_before_have_it_too(sourceless):
    done = run(sourceless, "import greeting\n" + INSTALL + (
        "import linecache; print(linecache.getline(greeting.greet.__code__.co_filename, 7), end='')"
    ))  # fmt: skip
    assert done.stdout == "    if not name:\n"


def test_a_breakpoint_is_hit_at_a_line_of_it(sourceless):
    done = run(sourceless, INSTALL + (
        "import bdb, greeting\n"
        "class Debugger(bdb.Bdb):\n"
        "    def user_line(self, frame):\n"
        "        if self.break_here(frame):\n"
        "            print('stopped at', frame.f_lineno)\n"
        "        self.set_continue()\n"
        "debugger = Debugger()\n"
        "print(debugger.set_break(greeting.greet.__code__.co_filename, 11))\n"
        "debugger.runcall(greeting.greet, 'you')\n"
    ))  # fmt: skip
    assert done.stdout == "None\nstopped at 11\n", done.stderr  # None: no error, the line exists


def test_a_module_in_a_zip_file(sourceless, tmp_path):
    with zipfile.ZipFile(tmp_path / "lib.zip", "w") as archive:
        archive.write(sourceless / "greeting.pyc", "greeting.pyc")
    done = run(tmp_path / "lib.zip", INSTALL + "import greeting, inspect; print(inspect.getsource(greeting.Greeter))")
    assert done.stdout.startswith("class Greeter:\n    def greet(self, name):\n        return greet(name)"), done.stderr


def test_it_costs_nothing_until_somebody_asks(sourceless):
    done = run(sourceless, INSTALL + (
        "import sys, greeting; greeting.greet('you'); print('depyf.decompiler' in sys.modules)"
    ))  # fmt: skip
    assert done.stdout == "False\n", done.stderr


def test_files_that_exist_are_read(tmp_path):
    (tmp_path / "there.py").write_text("def f():  # a comment\n    return 1\n")
    done = run(tmp_path, INSTALL + "import there, inspect; print(inspect.getsource(there.f), end='')")
    assert done.stdout == "def f():  # a comment\n    return 1\n"


def test_what_fails_is_not_seen(sourceless):
    done = run(sourceless, INSTALL + (
        "import depyf.decompiler.pipeline as pipeline\n"
        "def broken(*args, **options): raise RuntimeError('ours')\n"
        "pipeline.analyze = broken\n"
        "import greeting; greeting.greet('')"
    ))  # fmt: skip
    assert done.stderr.rstrip().endswith("ValueError: nobody") and "ours" not in done.stderr


def test_uninstall_leaves_nothing(sourceless):
    done = run(sourceless, (
        "import importlib.machinery as m, zipimport, sys\n"
        "before = dict(vars(m.SourcelessFileLoader)), dict(vars(zipimport.zipimporter)), sys.excepthook\n"
        + INSTALL + "depyf.source.install(); depyf.source.uninstall(); depyf.source.uninstall()\n"
        "after = dict(vars(m.SourcelessFileLoader)), dict(vars(zipimport.zipimporter)), sys.excepthook\n"
        "print(before == after)\n"
        "import greeting; greeting.greet('')"
    ))  # fmt: skip
    assert done.stdout == "True\n" and "raise ValueError" not in done.stderr


def test_a_line_that_may_be_another_says_so(monkeypatch):
    analyze = pipeline.analyze

    def doubtful(code, **options):
        result = analyze(code, **options)
        parts = [SimpleNamespace(raw=part.raw, verdict=part.verdict._replace(lines=part.name != "greet"))
                 for part in result.walk()]  # fmt: skip
        same = {name: getattr(result, name) for name in ("source", "raw", "text", "line_map")}
        return SimpleNamespace(walk=lambda: parts, **same)

    monkeypatch.setattr(pipeline, "analyze", doubtful)
    lines = made_code.text_of_module(compile(MODULE, "greeting.py", "exec")).splitlines()
    assert lines[10] == "    return 'Hello, ' + name + punctuation" + made_code.MARK
    assert lines[0] == "import os"


def test_getsource_of_what_has_no_file():
    names = {}
    exec(MODULE, names)
    assert depyf.getsource(names["greet"]).splitlines()[0].startswith("def greet(name,")
    assert "raise ValueError(\n            'nobody')" in depyf.getsource(names["greet"])
    assert depyf.getsource(run) == __import__("inspect").getsource(run)
    with pytest.raises(depyf.DecompilationError, match="has no Python bytecode"):
        depyf.getsource(3)


def made(name, text="def f(): return {!r}", word="text"):
    names = {}
    exec(text.format(word), names)
    names["f"].__qualname__ = name
    return names["f"]


@pytest.mark.parametrize("name", [
    "..", ".", "", "/etc/passwd", "../../outside", "a\\b", "C:x", "CON", "nul.f", "x" * 5_000,
    "\U0001d538" * 300, "a\0b",
    "\ud800", "-", "a\nb", "~", "<locals>.f",
])  # fmt: skip
def test_writing_a_function_stays_in_the_folder_whatever_its_name(tmp_path, name):
    folder = tmp_path / "folder"
    (path,) = depyf.source.write(made(name), folder)
    assert os.path.dirname(path) == str(folder) and os.listdir(folder) == [os.path.basename(path)]
    assert [one.name for one in tmp_path.iterdir()] == ["folder"] and path.endswith(".py")
    assert os.path.basename(path).strip("._") and os.path.basename(path).partition(".")[0].upper() not in ("CON", "NUL")


def test_writing_does_not_follow_a_link(tmp_path):
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "f.py").symlink_to(tmp_path / "mine")
    (path,) = depyf.source.write(made("f"), tmp_path / "folder")
    assert (tmp_path / "mine").read_text() == "mine" and "return 'text'" in Path(path).read_text()
    assert not os.path.islink(path)


def test_two_functions_of_one_name_have_two_files(tmp_path):
    one, other, again = made("f", word="one"), made("F", word="other"), made("f", word="one")
    (first,), (second,), (third,) = (depyf.source.write(function, tmp_path) for function in (one, other, again))
    assert "'one'" in Path(first).read_text() and "'other'" in Path(second).read_text() and third == first
    assert first.lower() != second.lower() and one.__code__.co_filename == first
