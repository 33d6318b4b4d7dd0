"""Files of compiled code: their headers, and code objects against those that the interpreter reads from them."""

from __future__ import annotations

import importlib.util
import io
import marshal
import os
import py_compile
import subprocess
from pathlib import Path

import pytest
from foreign_dump import describe, fields, read_fields, same

from depyf.decompiler.bytecode import load, read_pyc, read_pyc_bytes
from depyf.decompiler.bytecode.code.formats import FORMATS
from depyf.decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter
from depyf.decompiler.bytecode.reading.pyc import pyc_version
from depyf.errors import PycError
from depyf.reading import read_at_most

FOUND = [version for version in FORMATS if find_interpreter(version) is not None]
MODULES = ("ast.py", "asyncio/streams.py", "contextlib.py", "dataclasses.py", "decimal.py", "typing.py", "uuid.py")


@pytest.fixture
def source(tmp_path):
    file = tmp_path / "module.py"
    file.write_text("def f(a):\n    return [a]\n")
    return str(file)


def pyc_of(data, magic=None):
    number = importlib.util.MAGIC_NUMBER if magic is None else magic.to_bytes(2, "little") + b"\r\n"
    return number + bytes(12) + data


@pytest.mark.parametrize("mode", list(py_compile.PycInvalidationMode))
def test_all_kinds_of_header(source, tmp_path, mode):
    file = py_compile.compile(source, cfile=str(tmp_path / "module.pyc"), invalidation_mode=mode, doraise=True)
    raw = read_pyc(file)
    assert (raw.name, raw.version, raw.filename) == ("<module>", HOST_VERSION, source)
    assert [child.qualname for child in raw.nested] == ["f"]


@pytest.mark.parametrize("module", MODULES)
def test_modules_of_the_standard_library(module):
    text = (Path(os.__file__).parent / module).read_text(encoding="utf-8")
    code = compile(text, module, "exec", dont_inherit=True)
    raw = read_pyc_bytes(pyc_of(marshal.dumps(code)))
    same(read_fields(raw), fields(code))
    live = list(load(code).walk())
    assert [child.qualname for child in raw.walk()] == [child.qualname for child in live]
    for mine, theirs in zip(raw.walk(), live):
        for field in set(mine.__slots__) - {"code", "consts", "notes", "stored", "_positions", "_nested"}:
            assert getattr(mine, field) == getattr(theirs, field), (mine, field)
        assert mine.positions() == theirs.positions()
        assert [describe(c, repr) for c in mine.consts] == [describe(c, repr) for c in theirs.consts]


def test_every_version_has_its_magic_number():
    assert HOST_VERSION in FOUND
    for version in FOUND:
        command = "import importlib.util as u; print(int.from_bytes(u.MAGIC_NUMBER[:2], 'little'))"
        answer = subprocess.run([find_interpreter(version), "-c", command], capture_output=True, check=True)
        magic = int(answer.stdout)
        assert magic in FORMATS[version].magic_numbers
        assert pyc_version(pyc_of(b"", magic)) == version


def test_every_magic_number_belongs_to_one_version():
    rows = sorted(FORMATS.items())
    for (version, form), (_, following) in zip(rows, rows[1:]):
        assert all(form.first_magic <= magic < following.first_magic for magic in form.magic_numbers)
        assert {pyc_version(pyc_of(b"", magic)) for magic in form.magic_numbers} == {version}


@pytest.mark.parametrize(
    "data, text",
    [
        (b"", "x.pyc is not a .pyc file"),
        (b"\xa7\r\r", "x.pyc is not a .pyc file"),
        (b"hello, this is text", "x.pyc is not a .pyc file"),
        (pyc_of(b"", 3379), "x.pyc was made by CPython 3.6 (magic number 3379); depyf reads"),
        (pyc_of(b"", 62211), "x.pyc was made by CPython 2.7 (magic number 62211)"),
        (pyc_of(b"", 3700), "x.pyc was made by a newer CPython (magic number 3700)"),
        (pyc_of(b"", 336), "x.pyc was made by PyPy 3.9 (magic number 336)"),
        (pyc_of(b"", 48), "x.pyc was made by PyPy 3.2 (magic number 48)"),
        (pyc_of(b"", 5892), "x.pyc was made by CPython 1.4 (magic number 5892)"),
        (pyc_of(b"", 2992), "x.pyc was made by a PyPy 3 (magic number 2992)"),
        (pyc_of(b"", 62218), "x.pyc was made by PyPy 2.7 (magic number 62218)"),
        (pyc_of(b"", 21220), "x.pyc was made by GraalPy (magic number 21220)"),
        (pyc_of(b"", 40000), "x.pyc was made by an unknown Python (magic number 40000)"),
        (pyc_of(b"", 3438), "x.pyc was made by a pre-release of CPython 3.10 (magic number 3438)"),
        (pyc_of(b"", 3661), "x.pyc was made by a pre-release of CPython 3.15 (magic number 3661)"),
        (pyc_of(b"")[:11], "x.pyc is damaged: at byte 11: expected a header of 16 bytes"),
        (pyc_of(b"")[:4] + b"\x04" + bytes(11), "x.pyc is damaged: at byte 4: expected the flags"),
        (pyc_of(b""), "x.pyc is damaged: at byte 16: expected an object, found the end of the data"),
        (pyc_of(b"N"), "x.pyc is damaged: it holds a NoneType, not a code object"),
    ],
    ids=range(19),
)
def test_files_that_are_refused(data, text):
    with pytest.raises(PycError) as error:
        read_pyc_bytes(data, "x.pyc")
    assert str(error.value).startswith(text)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(PycError, match=r"can't read .*nothing\.pyc"):
        read_pyc(str(tmp_path / "nothing.pyc"))


def test_a_pre_release_that_differs_in_its_compiler_alone_is_read(source):
    data = marshal.dumps(compile("f(1)", "x", "exec"))
    form = FORMATS[HOST_VERSION]
    assert {read_pyc_bytes(pyc_of(data, magic)).version for magic in form.magic_numbers} == {HOST_VERSION}


class Endless:
    """A file that gives whatever is asked for, and remembers the most."""

    def __init__(self):
        self.most = self.sum = 0

    def read(self, size):
        self.most = max(self.most, size)
        self.sum += size
        return bytes(size)


def test_what_is_read_of_a_file_is_bounded():
    """Python allocates what it is asked to read, however short the file: so little is asked for at once."""
    endless = Endless()
    assert len(read_at_most(endless, 5 << 20)) == 5 << 20 == endless.sum
    assert endless.most <= 1 << 20
    assert read_at_most(io.BytesIO(b"short"), 5 << 20) == b"short"
