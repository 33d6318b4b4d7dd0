"""Programs by py2exe, written here as its runtime.py does: a resource with scripts, and a zip file behind it."""

from __future__ import annotations

import importlib.util
import io
import marshal
import struct
import zipfile

import pytest

from depyf.files.opening import open_tree
from depyf.files.trees import Unreadable, VerificationError
from depyf.verification.check import verify_tree
from depyf.verification.report import Status

MODULE = "def price(n):\n    return n * 2\n"


def script(size=None, tag=0x78563412, level=0):
    """The resource: a header, the path of the zip file, a list of code objects."""
    code = marshal.dumps([compile("print('main')", "main.py", "exec", dont_inherit=True)])
    head = struct.pack("<IIII", tag, level, 0, len(code) if size is None else size)
    return head + b"library.zip\0" + code + b"\0"


def zip_file():
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        code = marshal.dumps(compile(MODULE, "shop.py", "exec", dont_inherit=True))
        file.writestr("shop.pyc", importlib.util.MAGIC_NUMBER + bytes(12) + code)
    return data.getvalue()


def executable(*parts):
    return b"MZ" + bytes(1000) + b"".join(parts)


def test_modules_are_read_and_the_scripts_are_named(tmp_path):
    path = tmp_path / "shop.exe"
    path.write_bytes(executable(script(), bytes(300), zip_file()))
    tree = open_tree(str(path))
    assert tree.description == "a program by py2exe"
    unreadable, module = tree.compiled()
    assert isinstance(unreadable, Unreadable) and unreadable.name == "PYTHONSCRIPT"
    assert module == "shop.pyc"
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "shop.py").write_text(MODULE)
    report = verify_tree(str(path), str(tmp_path / "src"))
    assert [one.status for one in report.files] == [Status.NOT_CHECKED, Status.IDENTICAL]
    assert "Windows resource" in report.files[0].reasons[0]


@pytest.mark.parametrize("command", ["decompile", "verify"])
def test_an_executable_without_modules_is_refused_in_one_line(tmp_path, command, run_depyf):
    (tmp_path / "shop.exe").write_bytes(executable(script()))
    done = run_depyf(command, "shop.exe")
    assert done.returncode != 0
    [line] = done.stderr.splitlines()
    assert "py2exe" in line and "library.zip" in line


def test_the_zip_file_beside_it_is_like_any_other(tmp_path):
    (tmp_path / "library.zip").write_bytes(zip_file())
    assert list(open_tree(str(tmp_path / "library.zip")).compiled()) == ["shop.pyc"]


@pytest.mark.parametrize("resource", [
    script(size=10**6), script(size=0), script(level=3), script(tag=0x12345678), b"\x12\x34\x56\x78",
    struct.pack("<IIII", 0x78563412, 0, 0, 4) + b"x" * 2000, struct.pack("<IIII", 0x78563412, 0, 0, 4) + b"\0text",
], ids=str)  # fmt: skip
def test_what_is_no_resource_of_its(tmp_path, resource):
    path = tmp_path / "shop.exe"
    path.write_bytes(executable(resource, zip_file()))
    assert list(open_tree(str(path)).compiled()) == ["shop.pyc"]


def test_a_damaged_zip_file_behind_it_is_an_error(tmp_path):
    path = tmp_path / "shop.exe"
    path.write_bytes(executable(script(), zip_file()[:-40]))
    with pytest.raises(VerificationError, match="such as library"):
        open_tree(str(path))
