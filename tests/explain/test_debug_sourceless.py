"""Breakpoints in a package that has only compiled files, and in a dataclass's methods: in pdb, and in debugpy."""

from __future__ import annotations

import os
import py_compile
import subprocess
import sys
from pathlib import Path

from debug_adapter_client import DebugSession

import depyf

MODULE = """\
def greet(name,
          punctuation="!"):
    if not name:
        raise ValueError("nobody")

    return "Hello, " + name + punctuation
"""
PROGRAM = """\
import dataclasses
import depyf
depyf.source.install()
from package.greeting import greet

@dataclasses.dataclass
class Point:
    x: int
    y: int = 2

depyf.source.write(Point, 'made')
print(greet('you'))
print(Point(3))
"""


def program(folder: Path) -> dict:
    """The program and its package; the environment to run it in."""
    (folder / "package").mkdir()
    (folder / "package" / "greeting.py").write_text(MODULE)
    path = str(folder / "package" / "greeting.py")
    py_compile.compile(path, path + "c", doraise=True)
    os.remove(path)
    (folder / "program.py").write_text(PROGRAM)
    return {"PYTHONPATH": os.pathsep.join([str(folder), str(Path(depyf.__file__).parents[1])])}


def test_debugpy_stops_in_them(tmp_path):
    folder = tmp_path.resolve()
    environment = program(folder)
    module, made = str(folder / "package" / "greeting.py"), str(folder / "made" / "Point.__init__.py")
    with DebugSession.of_program([str(folder / "program.py")], environment, folder=str(folder)) as session:
        session.start({module: [6], made: [4]}, just_my_code=False)
        stop = session.wait_for_stop()
        assert (stop.place, stop.function) == ((module, 6), "greet")
        assert session.variables(stop)["name"] == "'you'"
        source = stop.frames[0]["source"]
        text = session.ask("source", source=source, sourceReference=source["sourceReference"])["content"]
        assert text.splitlines()[5] == '    return "Hello, " + name + punctuation'
        session.resume(stop)
        stop = session.wait_for_stop()
        assert (stop.place, stop.function) == ((made, 4), "__init__")
        assert session.variables(stop)["y"] == "2"
        session.resume(stop)
        assert session.wait_for_end().splitlines() == ["Hello, you!", "Point(x=3, y=2)"]


def test_pdb_lists_and_stops_in_them(tmp_path):
    environment = {**os.environ, **program(tmp_path)}
    commands = "until 12\nbreak package/greeting.py:6\ncontinue\nlist 1, 6\nwhere\nlonglist\nquit\n"
    done = subprocess.run([sys.executable, "-m", "pdb", "program.py"], input=commands, capture_output=True,
                          encoding="utf-8", env=environment, cwd=tmp_path, timeout=120)  # fmt: skip
    assert "Breakpoint 1 at" in done.stdout and "greeting.py(6)greet()" in done.stdout, done.stdout
    assert "  1  \tdef greet(name," in done.stdout and '6 B->\t    return "Hello, " + name + punctuation' in done.stdout


IN_MEMORY = """\
import linecache

import depyf

text = '''
def final_countdown(arg, count: int = 10):
    print(count)  # from memory
    if count <= 0:
        return were_leaving_together(arg)
    else:
        return final_countdown(arg, count - 1)
'''.lstrip()


def were_leaving_together(arg):
    print(repr(arg))


filename = '<myfile>'
linecache.cache[filename] = len(text), None, text.splitlines(keepends=True), filename
exec(compile(text, filename, 'single'))
depyf.source.write(final_countdown, 'made')
final_countdown('it', 1)
"""


def test_a_text_in_linecache_is_debugged_as_own_code(tmp_path):
    """https://github.com/microsoft/debugpy/issues/828: with ``justMyCode``, its default, debugpy passes over it."""
    folder = tmp_path.resolve()
    (folder / "program.py").write_text(IN_MEMORY)
    made = str(folder / "made" / "final_countdown.py")
    environment = {"PYTHONPATH": str(Path(depyf.__file__).parents[1])}
    with DebugSession.of_program([str(folder / "program.py")], environment, folder=str(folder)) as session:
        session.start({str(folder / "program.py"): [16], made: [3]}, just_my_code=True)
        stop = session.wait_for_stop()
        assert (stop.place, stop.function) == ((made, 3), "final_countdown")
        assert session.variables(stop)["count"] == "1"
        session.resume(stop)
        assert session.wait_for_stop().place == (made, 3)
        session.resume(stop)
        stop = session.wait_for_stop()
        assert stop.function == "were_leaving_together"
        assert [frame["source"]["path"] for frame in stop.frames[1:3]] == [made, made]
        session.resume(stop)
        assert session.wait_for_end().splitlines() == ["1", "0", "'it'"]
    assert "# from memory" in Path(made).read_text()
