"""Archives in what is checked, and the other files that an import may run."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from made_archives import CLEAN, EVIL, GOOD, cached, pyc, tar_of, zip_of

import depyf
from depyf.decompiler.bytecode.interpreters import find_interpreter
from depyf.verification.others import others
from depyf.verification.report import Status

BAD = [("m.py", GOOD), ("m.pyc", pyc(EVIL))]
FINE = [("m.py", GOOD), ("m.pyc", pyc(GOOD))]
HEADS = {"plain": b"", "script": b"#!/usr/bin/env python3\n", "text": b"notes\n" * 20_000,
         "program": b"\x7fELF" + bytes(99)}  # fmt: skip


def places(tmp_path, data, name):
    """The same file in a folder, a zip file, a wheel, a tar file."""
    folder = tmp_path / "folder"
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)
    (tmp_path / "a.zip").write_bytes(zip_of([*CLEAN, (name, data)], compression=zipfile.ZIP_DEFLATED))
    (tmp_path / "a-1-py3-none-any.whl").write_bytes(zip_of([*CLEAN, (name, data)], compression=zipfile.ZIP_LZMA))
    (tmp_path / "a.tar").write_bytes(tar_of([*CLEAN, (name, data)]))
    return [folder, tmp_path / "a.zip", tmp_path / "a-1-py3-none-any.whl", tmp_path / "a.tar"]


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("name", ["lib.egg", "python311.zip", "x/notes.txt", "x.pyz", "w-1-py3-none-any.whl", "n.py"])
def test_a_zip_file_inside(name, head, tmp_path):
    if name.endswith(".whl") and head != "plain":
        members = [*FINE]  # a wheel begins with a member
    for members, expected in ((BAD, 1), (FINE, 0)):
        expected = 2 if name.endswith(".whl") and head != "plain" else expected
        for path in places(tmp_path, HEADS[head] + zip_of(members), name):
            report = depyf.verify_tree(path)
            assert report.exit_status == expected, path
            assert any(f"{name}" in one.path.replace("\\", "/") for one in report.files), path


@pytest.mark.parametrize("name", ["x.tar", "x.tar.gz", "x.bin", "v7.tar"])
def test_a_tar_file_inside(name, tmp_path):
    import gzip

    for members, expected in ((BAD, 1), (FINE, 0)):
        data = gzip.compress(tar_of(members)) if name.endswith(("gz", "bin")) else tar_of(members)
        if name == "v7.tar":  # without the mark
            one = data[:512].replace(b"ustar\x0000", bytes(8))
            check = sum(one[:148]) + 8 * 0x20 + sum(one[156:])
            data = one[:148] + b"%06o\0 " % check + one[156:] + data[512:]
        assert [depyf.verify_tree(path).exit_status for path in places(tmp_path, data, name)] == [expected] * 4


def test_archives_without_compiled_files_are_nothing(tmp_path):
    """Data of programs, also damaged."""
    import bz2
    import gzip
    import lzma

    for number, data in enumerate((
        zip_of([("a.npy", b"1")]), zip_of([]), gzip.compress(b"text"), bz2.compress(b"text"), lzma.compress(b"text"),
        b"\x1f\x8bbroken", b"text PK\5\6 text", bytes(100) + b"PK\5\6" + bytes(100), b"MZ" + bytes(400),
        zip_of([("m.py", GOOD)]),
    )):  # fmt: skip
        for path in places(tmp_path, data, f"data{number}.bin"):
            nothing = 3 if path.is_dir() else 0  # the archives have other files, which are fine
            assert depyf.verify_tree(path).exit_status == nothing, number


def test_what_can_not_be_looked_into(tmp_path):
    locked = bytearray(zip_of(BAD))
    locked[6] |= 1
    locked[locked.find(b"PK\1\2") + 8] |= 1
    deep, outside = zip_of(BAD), zip_of([("../m.pyc", pyc(EVIL))])
    for _ in range(5):
        deep = zip_of([("inner.zip", deep)])
    for number, data in enumerate((bytes(locked), zip_of(BAD)[:-8] + b"PK\5\6", deep, outside)):
        for path in places(tmp_path, data, f"lib{number}.egg"):
            report = depyf.verify_tree(path)
            assert report.exit_status != 0, (number, path)
            assert any(f"lib{number}.egg" in one.path for one in report.files if not one.fine)
    (tmp_path / "deep.zip").write_bytes(deep)
    [report] = depyf.verify_tree(tmp_path / "deep.zip").files
    assert report.status is Status.NOT_CHECKED and "archive in 3 others" in report.reasons[0]


@pytest.mark.parametrize("head", [b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07\0", b"\x1f\x9d\x90"])
def test_what_depyf_does_not_read(head, tmp_path):
    """conda packages have .tar.zst files."""
    for path in places(tmp_path, head + bytes(200), "pkg-1.tar.zst"):
        assert depyf.verify_tree(path).exit_status == 2


def test_an_archive_that_is_too_large(tmp_path):
    """In a folder it is not read as a whole, and its members have the limits."""
    for path in places(tmp_path, zip_of(FINE), "lib.egg")[1:]:
        assert depyf.verify_tree(path, largest_file=300).exit_status == 2


def test_two_levels_are_looked_into(tmp_path):
    twice = zip_of([("inner.zip", zip_of(BAD))])
    (tmp_path / "a.zip").write_bytes(zip_of([("x/outer.egg", twice)]))
    [report] = depyf.verify_tree(tmp_path / "a.zip").files
    assert report.status is Status.DIFFERS
    assert report.path.replace("\\", "/").endswith("a.zip/x/outer.egg/inner.zip/m.pyc")


def test_one_name_twice(tmp_path):
    """Either may be the one that is there in the end."""
    for members in ([zip_of(BAD), zip_of(FINE)], [zip_of(FINE), zip_of(BAD)]):
        (tmp_path / "a.tar").write_bytes(tar_of([("lib.egg", data) for data in members]))
        assert depyf.verify_tree(tmp_path / "a.tar").exit_status == 1


def test_a_program_inside(tmp_path):
    from pathlib import Path

    data = (Path(__file__).parent / "pyinstaller-v6.pkg").read_bytes()
    differs_or_unchecked = 2 if find_interpreter((3, 11)) is None else 1  # its codecs.pyc is not that of any CPython
    for path in places(tmp_path, b"\x7fELF" + bytes(50) + data + bytes(1 << 17), "bin/shop"):
        report = depyf.verify_tree(path)
        assert report.exit_status == differs_or_unchecked
        assert any("bin/shop" in one.path.replace("\\", "/") for one in report.files)


# What else an import may run.

OTHERS = {
    ("x.pth",): "path file", ("X.PTH",): "path file", ("a/x.start",): "path file", ("python311._pth",): "path file",
    ("pyvenv.cfg",): "path file", ("sitecustomize.py",): "start-up module", ("usercustomize.pyc",): "start-up module",
    ("sitecustomize/__init__.py",): "start-up module", ("a/m.cpython-311-x86_64-linux-gnu.so",): "extension module",
    ("m.abi3.so", "m.py"): "extension module", ("m.cp311-win_amd64.pyd",): "extension module",
    ("m.SO",): "extension module",
       ("m.py", "m/__init__.py"): "package", ("m/__init__.pyc", "m.pyc"): "package",
    ("m.so", "m/__init__.py"): "package",
    ("m/__init__.abi3.so", "m.py"): "package",
}  # fmt: skip


@pytest.mark.parametrize("names", OTHERS)
def test_what_an_import_may_run(names):
    assert OTHERS[names] in [one.kind for one in others(names)]


def test_what_is_nothing_of_that():
    names = ["m.py", "m/n.py", "a/__init__.py", "so", "x.so.1", "libx.a", "x.pth.txt", "asitecustomize.py"]
    assert not list(others(names))


def test_the_reason_names_the_module_that_is_not_imported():
    found = {one.name: one.reason for one in others(["a/m.py", "a/m.abi3.so", "p.py", "p/__init__.py"])}
    assert "in place of a/m.py" in found["a/m.abi3.so"]
    assert "in place of p.py" in found["p/__init__.py"]


def test_they_are_in_all_reports_and_not_in_the_status(tmp_path, run_depyf):
    for name, data in [*cached("", text=GOOD), ("x.pth", b"import os\n"), *((f"m{one}.so", b"") for one in range(5))]:
        path = tmp_path / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    report = depyf.verify_tree(tmp_path / "site")
    assert (report.exit_status, len(report.not_looked_at)) == (0, 6)
    assert report.to_dict()["not_looked_at"][0]["kind"] == "path file"
    done = run_depyf("verify", "site")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "not looked at: 1 path file that an import may run" and "x.pth: " in lines[1]
    assert "not looked at: 5 extension modules that an import may run" in lines and "... and 2 more" in done.stdout
    assert "m4.so" not in done.stdout and "m4.so: " in run_depyf("verify", "-v", "site").stdout
    found = json.loads(run_depyf("verify", "--json", "site").stdout)["not_looked_at"]
    assert len(found) == 6 and found[0]["path"].endswith("x.pth")
    log = json.loads(run_depyf("verify", "--sarif", "site").stdout)["runs"][0]["results"]
    assert [one["level"] for one in log] == ["note"] * 6
    assert run_depyf("verify", "-q", "site").stdout == ""


def test_the_options_of_the_limits(tmp_path, run_depyf):
    (tmp_path / "a.zip").write_bytes(zip_of([("m.py", b"#" * 5000), ("m.pyc", pyc(EVIL))]))
    done = run_depyf("verify", "--largest-file", "1K", "a.zip")
    assert done.returncode == 2 and "has 5000 bytes, more than 1024" in done.stdout
    done = run_depyf("verify", "--largest-archive", "4000", "a.zip")
    assert done.returncode == 2 and "more than 4000 bytes when it is unpacked" in done.stderr
    for bad in ("", "x", "-1", "1T", "1.5M", "\u0661"):
        assert run_depyf("verify", f"--largest-file={bad}", "a.zip").returncode == 2
    (tmp_path / "f").mkdir()
    zipfile.ZipFile(io.BytesIO((tmp_path / "a.zip").read_bytes())).extractall(tmp_path / "f")
    report = depyf.verify_file(tmp_path / "f" / "m.pyc", largest_file=1000)
    assert report.status is Status.NOT_CHECKED and "more than 1000" in report.reasons[0]
