"""No byte of input reaches the interpreter's ``marshal``, and no code object is made of it or run, by any command.

A child with an audit hook runs the commands on files of its own version, all of whose names and constants have a mark.
"""

from __future__ import annotations

import importlib.util
import io
import json
import marshal
import os
import py_compile
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib

import pytest

from depyf.decompiler.bytecode.interpreters import HOST_VERSION

MARK = "zq_mark"
SOURCE = """
\"\"\"zq_mark, a module.\"\"\"
import zq_mark_other
class zq_mark_class:
    def zq_mark_method(self, zq_mark_a, zq_mark_b=("zq_mark", b"zq_mark")):
        try:
            return zq_mark_a in {"zq_mark", "zq_mark_2", 1, 8, 16}
        except zq_mark_other.zq_mark_error:
            yield from [zq_mark_c for zq_mark_c in zq_mark_b]
def zq_mark_function(zq_mark_a): return zq_mark_a + "zq_mark"
"""
CHILD = """
import contextlib, io, json, marshal, sys
MARK = "zq_mark"
broken = []
command = None

def hook(event, arguments):
    if event == "marshal.load" or event == "marshal.loads" and MARK.encode() in bytes(arguments[0]):
        broken.append([event, command])
    elif event == "code.__new__" and MARK in repr(arguments):
        broken.append([event, command])
    elif event in ("exec", "import") and MARK in repr(getattr(arguments[0], "co_filename", arguments[0])):
        broken.append([event, command])

from depyf.cli import main

sys.addaudithook(hook)
given = open("zq_mark.pyc", "rb").read()
statuses = []
for command in json.load(open("commands.json")):
    sys.stdin = io.TextIOWrapper(io.BytesIO(given))
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as errors:
        statuses.append([command, main(command), MARK in out.getvalue() + errors.getvalue()])
found, broken = broken, []
command = "the hook"
code = marshal.loads(given[16:])
code.replace(co_name=MARK)
with contextlib.suppress(ImportError):
    exec(code)
print(json.dumps([found, statuses, broken]))
"""


def pyinstaller(name, data):
    """A program by PyInstaller with one script and one module (see tests/files/test_pyinstaller.py)."""
    module = zlib.compress(data[16:])
    table = marshal.dumps([(name, (0, 12, len(module)))])
    modules = b"PYZ\0" + data[:4] + (12 + len(module)).to_bytes(4, "big") + module + table
    body, rows = b"", b""
    for title, content, kind in ((name, data[16:], b"s"), ("PYZ-00.pyz", modules, b"z")):
        encoded = title.encode() + b"\0"
        sizes = len(body), len(content), len(content)
        rows += struct.pack("!iIIIBc", 18 + len(encoded), *sizes, 0, kind) + encoded
        body += content
    version = HOST_VERSION[0] * 100 + HOST_VERSION[1]
    total = len(body) + len(rows) + 88
    return (
        body + rows + struct.pack("!8sIIii64s", b"MEI\014\013\012\013\016", total, len(body), len(rows), version, b"")
    )


@pytest.fixture
def folder(tmp_path):
    source = tmp_path / "tree" / "zq_mark.py"
    source.parent.mkdir()
    source.write_text(SOURCE)
    cached = importlib.util.cache_from_source(str(source))
    py_compile.compile(str(source), cfile=cached, doraise=True)
    with open(cached, "rb") as file:
        data = file.read()
    (tmp_path / "zq_mark.pyc").write_bytes(data)
    (tmp_path / "zq_mark_other.pyc").write_bytes(data.replace(b"zq_mark_2", b"zq_mark_3"))
    (tmp_path / "zq_mark.bin").write_bytes(data[16:])
    inside = "zq_mark/" + os.path.relpath(cached, source.parent)
    with zipfile.ZipFile(tmp_path / "a.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.writestr("zq_mark/zq_mark.py", SOURCE)
        wheel.writestr(inside, data)
        wheel.writestr("zq_mark/bare.pyc", data)
    (tmp_path / "app.exe").write_bytes(b"MZ" + bytes(500) + (tmp_path / "a.whl").read_bytes())
    (tmp_path / "made").write_bytes(pyinstaller("zq_mark", data))
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo(inside)
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    return tmp_path


def commands():
    host = "{}.{}".format(*HOST_VERSION)
    one = "zq_mark.pyc"
    yield from (["decompile", one], ["decompile", one, "--steps"], ["decompile", one, "--verdicts", "--no-strict"])
    yield from (["decompile", one, "--layout", layout] for layout in ("author", "compact"))
    yield from (["decompile", f"{one}:zq_mark_class.zq_mark_method"], ["decompile", "-"], ["decompile", one, "--check"])
    yield from (["decompile", "zq_mark.bin", "--python", host], ["decompile", one, "--json", "--linemap", "--header"])
    yield from (
        ["decompile", one, "--budget", "1"],
        ["decompile", "zq_mark"],
        ["decompile", "zq_mark:zq_mark_function"],
    )
    yield from (["disasm", one], ["disasm", one, "--cfg"], ["disasm", f"{one}:zq_mark_function"], ["disasm", "zq_mark"])
    yield ["diff", one, "zq_mark_other.pyc"]
    for number, tree in enumerate(("tree", "a.whl", "app.exe", "a.tar.gz", "made")):
        yield from (["decompile", tree, "-o", f"out{number}"], ["decompile", tree, "--json"])
        yield from (["verify", tree, "-v"], ["verify", tree, "--decompile", "-v"], ["verify", tree, "--json"])
    yield ["decompile", one, "zq_mark.bin", "--python", host, "-o", "several"]
    yield ["verify", one, "--source", "tree/zq_mark.py", "-v"]


def test_no_command_lets_the_interpreter_read_the_input(folder):
    (folder / "commands.json").write_text(json.dumps(list(commands())))
    (folder / "child.py").write_text(CHILD)
    done = subprocess.run([sys.executable, "child.py"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found, statuses, seen = json.loads(done.stdout)
    assert found == []
    # The hook sees what it must, and each command came as far as to say or write something of the input.
    reading = {"marshal.loads"} if HOST_VERSION < (3, 10) else set()  # up to some 3.9, only code objects are events
    assert {event for event, _ in seen} | reading == {"marshal.loads", "code.__new__", "exec", "import"}
    assert [(words, status) for words, status, says in statuses if not says and "-o" not in words] == []
    assert [len(list(folder.glob(f"{out}/**/*.py"))) for out in ("out*", "several")] == [8, 2]
