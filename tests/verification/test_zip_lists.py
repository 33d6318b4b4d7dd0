"""Zip files that show one thing to zipfile, which depyf and installers use, and another one to zipimport."""

from __future__ import annotations

import importlib.util
import io
import marshal
import struct
import subprocess
import sys
import zipfile
import zlib

import pytest

import depyf
from depyf.files.trees import VerificationError
from depyf.verification.report import Loading, Status

SOURCE = b"def f(x):\n    return x + 1\n"
OTHER = SOURCE + b"OTHER = 1\n"
CACHED = f"__pycache__/mod.{sys.implementation.cache_tag}.pyc"


def unchecked(text):
    """What ``text`` compiles to, in a file that is not checked against the source."""
    head = importlib.util.MAGIC_NUMBER + b"\1\0\0\0" + importlib.util.source_hash(SOURCE)
    return head + marshal.dumps(compile(text, "mod.py", "exec", dont_inherit=True))


def zip_of(*members, **options):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", **options) as file:
        for name, content in members:
            file.writestr(name, content)
    return data.getvalue()


def cut(data):
    """Members, and the list of them."""
    size, offset = struct.unpack_from("<LL", data, data.rindex(b"PK\5\6") + 12)
    return data[:offset], data[offset : offset + size]


def two_lists(shown, loaded):
    """The list for zipimport of before 3.13 holds, as a comment, the one for zipfile with an end in 64 bits."""
    (here, list_here), (there, list_there) = cut(zip_of(("mod.pyc", shown))), cut(zip_of(("mod.pyc", loaded)))
    begin = len(here) + len(there)
    at = begin + len(list_there)
    end = struct.pack("<4sQHHLLQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, 1, 1, len(list_here), at)
    comment = list_here + end + struct.pack("<4sLQL", b"PK\6\7", 0, at + len(list_here), 1)
    other = bytearray(list_there)
    struct.pack_into("<H", other, 32, len(comment))
    struct.pack_into("<L", other, 42, len(here))
    other += comment
    return here + there + other + struct.pack("<4sHHHHLLH", b"PK\5\6", 0, 0, 1, 1, len(other), begin, 0)


def loads_other(path):
    """Whether this Python imports the other code from the zip file."""
    script = "import sys; sys.path.insert(0, sys.argv[1]); import mod; print(hasattr(mod, 'OTHER'))"
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, check=False)
    return done.stdout.strip() == b"True"


def test_two_lists_of_members(tmp_path):
    path = tmp_path / "two.zip"
    path.write_bytes(two_lists(unchecked(SOURCE), unchecked(OTHER)))
    assert zipfile.ZipFile(path).read("mod.pyc") == unchecked(SOURCE)
    assert loads_other(path) == (sys.version_info < (3, 13))
    with pytest.raises(VerificationError, match="two lists of members"):
        depyf.verify_tree(path)


@pytest.mark.parametrize("head", [b"", b"#!/usr/bin/env python3\n"])
def test_one_list_with_an_end_in_64_bits(tmp_path, monkeypatch, head):
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 1)
    data = zip_of(("mod.py", SOURCE), ("mod.pyc", unchecked(SOURCE)))
    assert b"PK\6\7" in data
    (tmp_path / "large.zip").write_bytes(head + data)
    assert depyf.verify_tree(tmp_path / "large.zip").exit_status == 0


@pytest.mark.parametrize("field", [24, 32, 40, 48])
def test_ends_that_disagree(tmp_path, monkeypatch, field):
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 1)
    data = bytearray(zip_of(("mod.py", SOURCE), ("mod.pyc", unchecked(SOURCE))))
    data[data.rindex(b"PK\6\6") + field] ^= 1
    (tmp_path / "large.zip").write_bytes(data)
    if field == 24:  # members on this disk: read by nobody
        assert depyf.verify_tree(tmp_path / "large.zip").exit_status == 0
    else:
        with pytest.raises(VerificationError, match="two lists of members"):
            depyf.verify_tree(tmp_path / "large.zip")


def test_a_damaged_zip_file_is_no_compiled_file(tmp_path, monkeypatch):
    """Recent releases of CPython say that it is no zip file; then it is not taken for a .pyc file."""
    monkeypatch.setattr(zipfile, "is_zipfile", lambda path: False)
    (tmp_path / "damaged.zip").write_bytes(zip_of(("mod.py", SOURCE))[:-4])
    with pytest.raises(VerificationError, match=r"can't read the archive .*damaged\.zip: "):
        depyf.verify_tree(tmp_path / "damaged.zip")


def test_a_second_name(tmp_path):
    """zipfile takes it from 3.13 on, and installs a compiled file."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        file.writestr("mod.py", SOURCE)
        info = zipfile.ZipInfo("notes.txt")
        field = b"\1" + struct.pack("<L", zlib.crc32(b"notes.txt")) + CACHED.encode()
        info.extra = struct.pack("<HH", 0x7075, len(field)) + field
        file.writestr(info, unchecked(OTHER))
    path = tmp_path / "m-1-py3-none-any.whl"
    path.write_bytes(data.getvalue())
    [report] = depyf.verify_tree(path).files
    assert report.status is Status.NOT_CHECKED
    assert "two names" in report.reasons[0]


@pytest.mark.parametrize("folder", [
    "m-1.data/purelib", "m-1.data/platlib", "m-1.data/data/lib/python3.11/site-packages",
    "m-1.data/data/Lib/site-packages",
])  # fmt: skip
def test_folders_of_a_wheel_that_are_installed_into_one(tmp_path, folder):
    path = tmp_path / "m-1-py3-none-any.whl"
    path.write_bytes(zip_of(("mod.py", SOURCE), (f"{folder}/{CACHED}", unchecked(OTHER))))
    [report] = depyf.verify_tree(path).files
    assert report.status is Status.DIFFERS and report.loading is Loading.UNCHECKED
    assert report.path.replace("\\", "/").endswith(f"whl/{folder}/{CACHED}")
    path.write_bytes(zip_of((f"{folder}/mod.py", SOURCE), (CACHED, unchecked(SOURCE)), (f"{folder}/mod.pyc", b"")))
    statuses = {report.path.rpartition(".whl")[2][1:].replace("\\", "/"): report.status
                for report in depyf.verify_tree(path).files}  # fmt: skip
    assert statuses[CACHED] is Status.IDENTICAL


def test_one_name_in_two_folders_of_a_wheel(tmp_path):
    path = tmp_path / "m-1-py3-none-any.whl"
    path.write_bytes(zip_of(("mod.py", SOURCE), ("m-1.data/purelib/mod.py", OTHER), (CACHED, unchecked(OTHER))))
    reports = depyf.verify_tree(path).files
    assert any("twice" in reason for report in reports for reason in report.reasons)
    assert depyf.verify_tree(path).exit_status != 0


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_source_that_is_longer_than_the_list_says(tmp_path, method):
    """zipimport compiles all of it."""
    data = bytearray(zip_of(("mod.py", OTHER), ("mod.pyc", unchecked(SOURCE)), compression=method))
    at = data.index(b"PK\1\2")
    struct.pack_into("<L", data, at + 16, zlib.crc32(SOURCE))
    struct.pack_into("<L", data, at + 24, len(SOURCE))
    data[14:26] = data[at + 16 : at + 28]  # the member's own header says the same
    path = tmp_path / "long.zip"
    path.write_bytes(data)
    reports = depyf.verify_tree(path).files
    assert {report.status for report in reports} == {Status.NOT_CHECKED}
    assert reports[0].path.endswith("mod.pyc")
