"""Folders and archives: what is in them is found, what nobody should trust costs one file or one clear sentence."""

from __future__ import annotations

import importlib.util
import io
import os
import py_compile
import re
import struct
import sys
import tarfile
import warnings
import zipfile

import pytest

import depyf
from depyf.files import zip_lists
from depyf.files.opening import open_tree
from depyf.files.trees import Limits, Problem, VerificationError
from depyf.verification.report import Loading, Status

MAGIC = importlib.util.MAGIC_NUMBER
TAG = sys.implementation.cache_tag
SOURCE = "def f(x):\n    return x + 1\n"
EVIL = "def f(x):\n    return x + 2\n"


@pytest.fixture
def package(tmp_path):
    """Two modules, one of which has a compiled file of another source."""
    folder = tmp_path / "in" / "p"
    folder.mkdir(parents=True)
    for name in ("good", "bad"):
        (folder / f"{name}.py").write_text(SOURCE)
        text = SOURCE if name == "good" else EVIL
        (tmp_path / "text.py").write_text(text)
        py_compile.compile(
            str(tmp_path / "text.py"), str(folder / "__pycache__" / f"{name}.{TAG}.pyc"), f"/elsewhere/{name}.py",
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        )  # fmt: skip
    (tmp_path / "text.py").unlink()
    return folder.parent


def statuses(report):
    return {os.path.basename(file.path).partition(".")[0]: file.status for file in report.files}


BOTH = {"good": Status.IDENTICAL, "bad": Status.DIFFERS}


def test_a_folder(package):
    report = depyf.verify_tree(package)
    assert statuses(report) == BOTH
    assert report.exit_status == 1
    assert not report.fine
    assert report.counts[Status.DIFFERS] == 1


def test_a_cache_has_its_sources_beside_it(package, monkeypatch):
    assert statuses(depyf.verify_tree(package / "p" / "__pycache__")) == BOTH
    monkeypatch.chdir(package / "p")
    assert statuses(depyf.verify_tree("__pycache__/")) == BOTH


def test_the_files_of_one_source(package):
    assert statuses(depyf.verify_tree(package / "p" / "good.py")) == {"good": Status.IDENTICAL}
    assert statuses(depyf.verify_tree(package / "p" / "bad.py")) == {"bad": Status.DIFFERS}


@pytest.mark.parametrize("name", ["a.whl", "a.zip", "a.egg", "a.tar", "a.tar.gz", "a.tar.bz2", "a.tar.xz", "a"])
def test_an_archive_is_told_by_its_content(name, package, tmp_path):
    path = tmp_path / name
    if ".tar" in name:
        with tarfile.open(path, "w:" + name.rpartition(".")[2].replace("tar", "")) as file:
            file.add(package, "root")
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            for one in package.rglob("*.py*"):
                file.write(one, one.relative_to(package))
    before = sorted(tmp_path.rglob("*"))
    report = depyf.verify_tree(path)
    assert statuses(report) == BOTH
    assert report.files[0].path.startswith(str(path))
    loading = Loading.UNCHECKED if name.endswith(".whl") or ".tar" in name else Loading.IGNORED
    assert {file.loading for file in report.files} == {loading}
    assert sorted(tmp_path.rglob("*")) == before  # nothing is written


def test_times_in_a_wheel_depend_on_who_unpacks_it(tmp_path):
    (tmp_path / "m.py").write_text(SOURCE)
    py_compile.compile(str(tmp_path / "m.py"), str(tmp_path / "m.pyc"),
                       invalidation_mode=py_compile.PycInvalidationMode.TIMESTAMP)  # fmt: skip
    with zipfile.ZipFile(tmp_path / "m.whl", "w") as file:
        file.write(tmp_path / "m.py", "m.py")
        file.write(tmp_path / "m.pyc", f"__pycache__/m.{TAG}.pyc")
    [report] = depyf.verify_tree(tmp_path / "m.whl").files
    assert (report.status, report.loading) == (Status.IDENTICAL, Loading.DEPENDS)


@pytest.mark.parametrize(
    "names, reason",
    [
        (["../m.pyc"], "leads out"),
        (["/m.pyc"], "leads out"),
        (["a/../../m.pyc"], "leads out"),
        (["C:/m.pyc"], "leads out"),
        (["a\\m.pyc"], "leads out"),
        (["m.pyc", "m.pyc"], "twice"),
        (["m.pyc", "M.pyc"], "has m.pyc too"),
        (["m.py", "m.py"], "twice"),
    ],
)
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_names_nobody_should_unpack(names, reason, kind, tmp_path):
    path = tmp_path / "a"
    if kind == "zip":
        with warnings.catch_warnings(), zipfile.ZipFile(path, "w") as file:
            warnings.simplefilter("ignore")
            for name in names:
                file.writestr(name, b"x")
    else:
        with tarfile.open(path, "w") as file:
            for name in names:
                info = tarfile.TarInfo(name)
                info.size = 1
                file.addfile(info, io.BytesIO(b"x"))
    report = depyf.verify_tree(path)
    assert any(reason in file.reasons[0] for file in report.files)
    assert report.exit_status == 2
    assert not (tmp_path.parent / "m.pyc").exists()


def test_other_files_may_have_one_name(tmp_path):
    with warnings.catch_warnings(), zipfile.ZipFile(tmp_path / "a", "w") as file:
        warnings.simplefilter("ignore")
        for name in ("LICENSE", "license", "LICENSE"):
            file.writestr(name, b"x")
    assert depyf.verify_tree(tmp_path / "a").files == ()


def test_links_in_archives_are_not_followed(tmp_path):
    with tarfile.open(tmp_path / "a.tar", "w") as file:
        info = tarfile.TarInfo("m.pyc")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
        file.addfile(info)
    [report] = depyf.verify_tree(tmp_path / "a.tar").files
    assert report.reasons == ("is a link, or no regular file",)
    link = zipfile.ZipInfo("m.pyc")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as zipped:
        zipped.writestr(link, "/etc/passwd")
    [report] = depyf.verify_tree(tmp_path / "a.zip").files
    assert report.reasons == ("is a link, or no regular file",)


def test_a_link_in_the_place_of_a_cache(tmp_path):
    """Unpacked, the files in the other folder are those in ``__pycache__``."""
    with tarfile.open(tmp_path / "a.tar", "w") as file:
        info = tarfile.TarInfo("pkg/__pycache__")
        info.type, info.linkname = tarfile.SYMTYPE, "../data"
        file.addfile(info)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as zipped:
        zipped.writestr("pkg/__pycache__", "../data")
    for name in ("a.tar", "a.zip"):
        [report] = depyf.verify_tree(tmp_path / name).files
        assert report.status is Status.NOT_CHECKED and "link" in report.reasons[0]


def test_a_suffix_in_capitals(tmp_path):
    """Some file systems find it as they find the usual one."""
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "mod.py").write_text("x = 1")
    (tmp_path / "__pycache__" / "mod.cpython-311.PYC").write_bytes(b"no code")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as zipped:
        zipped.write(tmp_path / "__pycache__" / "mod.cpython-311.PYC", "pkg/mod.PyC")
    assert len(depyf.verify_tree(tmp_path / "a.zip").files) == 1
    assert len(depyf.verify_tree(tmp_path).files) == 2


def test_a_bomb(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("m.pyc", bytes(1 << 20))
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as packed:
        info = tarfile.TarInfo("big")
        info.size = 1 << 20
        packed.addfile(info, io.BytesIO(bytes(1 << 20)))
    [report] = depyf.verify_tree(tmp_path / "a.zip", largest_file=1 << 16).files
    assert report.reasons == ("has 1048576 bytes, more than 65536",)
    for name in ("a.zip", "a.tar.gz"):
        with pytest.raises(VerificationError, match="more than 65536 bytes when it is unpacked"):
            depyf.verify_tree(tmp_path / name, largest_archive=1 << 16)


def test_members_that_share_bytes(tmp_path):
    """Many large members of one small one: https://www.bamsoftware.com/hacks/zipbomb/."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a.pyc", bytes(5000))
        file.writestr("b.pyc", bytes(5000))
    data = bytearray(path.read_bytes())
    second = data.rfind(b"PK\1\2")
    data[second + 42 : second + 46] = bytes(4)  # the offset of its header: that of the first
    path.write_bytes(data)
    with pytest.raises(VerificationError, match="share bytes"):
        depyf.verify_tree(path)


def test_a_member_larger_than_it_says(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("m.pyc", bytes(5000))
    data = path.read_bytes().replace(struct.pack("<L", 5000), struct.pack("<L", 50))
    path.write_bytes(data)
    [report] = depyf.verify_tree(path).files
    assert report.status is Status.NOT_CHECKED


def test_too_many_members(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
        for number in range(50):
            file.writestr(f"m{number}.pyc", b"")
    with pytest.raises(VerificationError, match="more than 20 members"):
        open_tree(str(tmp_path / "a.zip"), Limits(members=20))
    monkeypatch.setattr(zip_lists, "LARGEST_DIRECTORY", 100)
    with pytest.raises(VerificationError, match="list of members"):
        depyf.verify_tree(tmp_path / "a.zip")


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz", "a.tar.xz"])
def test_a_truncated_archive(name, package, tmp_path):
    path = tmp_path / name
    if name == "a.zip":
        with zipfile.ZipFile(path, "w") as file:
            for one in package.rglob("*.py*"):
                file.write(one, one.relative_to(package))
    else:
        with tarfile.open(path, "w:" + name.rpartition(".")[2]) as packed:
            packed.add(package, "root")
    data = path.read_bytes()
    for length in range(1, len(data), max(1, len(data) // 25)):
        path.write_bytes(data[:length])
        try:
            report = depyf.verify_tree(path)
        except VerificationError:
            continue
        assert report.exit_status == 2
    damaged = bytearray(data)
    damaged[len(data) // 2] ^= 0xFF
    path.write_bytes(damaged)
    try:
        assert depyf.verify_tree(path).exit_status in (1, 2)
    except VerificationError:
        pass


def test_an_encrypted_member(package, tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.write(package / "p" / "__pycache__" / f"good.{TAG}.pyc", "good.pyc")
    data = bytearray(path.read_bytes())
    data[6] |= 1
    data[data.find(b"PK\1\2") + 8] |= 1
    path.write_bytes(data)
    [report] = depyf.verify_tree(path).files
    assert (report.status, report.reasons) == (Status.NOT_CHECKED, ("is encrypted",))


@pytest.mark.parametrize("data", [b"", b"\0", b"garbage" * 100, b"\xe3" * 100], ids=["", "0", "text", "code"])
@pytest.mark.parametrize("head", [b"", MAGIC, MAGIC + bytes(12)], ids=["nothing", "magic", "header"])
def test_garbage(head, data, tmp_path):
    (tmp_path / "m.py").write_text(SOURCE)
    (tmp_path / "__pycache__").mkdir()
    file = tmp_path / "__pycache__" / f"m.{TAG}.pyc"
    file.write_bytes(head + data)
    report = depyf.verify_file(file)
    has_header = bool(head) and len(head + data) >= 16
    assert report.status is (Status.DIFFERS if has_header else Status.NOT_CHECKED)
    assert report.reasons[0]


def test_every_truncation_of_a_file(package):
    file = package / "p" / "__pycache__" / f"good.{TAG}.pyc"
    data = file.read_bytes()
    for length in range(len(data)):
        file.write_bytes(data[:length])
        report = depyf.verify_file(file)
        assert report.status is (Status.NOT_CHECKED if length < 16 else Status.DIFFERS)
        assert re.search("too short|magic number|can't be read", report.reasons[0])


def test_what_the_reader_can_not_take_is_not_checked(package, monkeypatch):
    """A constant that is nested deeper than the reader allows, though the compiler made it."""
    text = "x = " + "(" * 90 + "1" + ",)" * 90 + "\n"
    from depyf.decompiler.bytecode.reading import marshal as reader

    (package / "p" / "good.py").write_text(text)
    monkeypatch.setattr(reader, "MOST_NESTED_CONSTANTS", 50)
    report = depyf.verify_file(package / "p" / "__pycache__" / f"good.{TAG}.pyc")
    assert report.status is Status.NOT_CHECKED
    assert "too much for depyf's reader" in report.reasons[0]


def test_every_changed_byte_of_a_file_is_seen(package):
    """In the code; the header is what CPython compares with the source, and lines are told apart."""
    file = package / "p" / "__pycache__" / f"good.{TAG}.pyc"
    data = bytearray(file.read_bytes())
    for at in range(16, len(data)):
        data[at] ^= 1
        file.write_bytes(data)
        report = depyf.verify_file(file)
        if report.fine and report.status is not Status.OTHER_LINES:
            import marshal

            one, other = marshal.loads(data[16:]), compile(SOURCE, "m.py", "exec", dont_inherit=True)
            assert one == other.replace(co_filename=one.co_filename), (at, report)
        data[at] ^= 1


@pytest.mark.parametrize("name", ["m.pyc", "m"])
def test_one_file_with_a_source_that_is_named(name, package, tmp_path):
    file = tmp_path / name
    file.write_bytes((package / "p" / "__pycache__" / f"good.{TAG}.pyc").read_bytes())
    assert depyf.verify_file(file, package / "p" / "good.py").status is Status.IDENTICAL
    (tmp_path / "other.py").write_text(EVIL)
    assert depyf.verify_file(file, tmp_path / "other.py").status is Status.DIFFERS


def test_without_a_source(package):
    (package / "p" / "bad.py").unlink()
    file = package / "p" / "__pycache__" / f"bad.{TAG}.pyc"
    report = depyf.verify_file(file)
    assert (report.status, report.loading, report.exit_status) == (Status.NO_SOURCE, Loading.IGNORED, 2)
    assert report.decompiled is None
    assert depyf.verify_file(file, decompiled=True).decompiled == EVIL


def test_names_that_are_not_utf_8(tmp_path, run_depyf):
    folder = os.fsencode(tmp_path) + b"/\xff"
    os.mkdir(folder)
    with open(folder + b"/m\xe9.py", "w") as file:
        file.write(EVIL)
    code = compile(SOURCE, "m.py", "exec", dont_inherit=True)
    import marshal

    with open(folder + b"/m\xe9.pyc", "wb") as file:
        file.write(importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(code))
    done = run_depyf("verify", str(tmp_path))
    assert done.returncode == 1, done.stderr
    assert "differs" in done.stdout
    for form in ("--json", "--sarif"):
        done = run_depyf("verify", form, str(tmp_path))
        assert done.returncode == 1, done.stderr
        assert done.stdout.isascii() and done.stdout.startswith("{")


def test_no_permission(package, monkeypatch):
    real = os.scandir

    def scandir(path):
        if str(path).endswith("__pycache__"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    [report] = depyf.verify_tree(package).files
    assert (report.status, report.reasons) == (Status.NOT_CHECKED, ("can't be listed: Permission denied",))
    assert report.exit_status == 2


def test_a_file_without_permission(package, monkeypatch):
    from depyf.files.trees import Folder

    real = Folder.read

    def read(self, name):
        if "good" in name:
            raise Problem("can't be read: Permission denied")
        return real(self, name)

    monkeypatch.setattr(Folder, "read", read)
    assert statuses(depyf.verify_tree(package)) == {"good": Status.NOT_CHECKED, "bad": Status.DIFFERS}


def test_a_pipe_is_not_waited_for(package):
    (package / "p" / "__pycache__" / f"good.{TAG}.pyc").unlink()
    os.mkfifo(package / "p" / "__pycache__" / f"good.{TAG}.pyc")
    report = depyf.verify_tree(package)
    assert statuses(report) == {"good": Status.NOT_CHECKED, "bad": Status.DIFFERS}


def test_links_to_folders(package, tmp_path):
    os.symlink(package, package / "p" / "again")
    assert statuses(depyf.verify_tree(package)) == BOTH
    (tmp_path / "elsewhere").mkdir()
    os.symlink(tmp_path / "elsewhere", package / "out")
    report = depyf.verify_tree(package)
    assert statuses(report) == {**BOTH, "out": Status.NOT_CHECKED}
    assert "link to a folder elsewhere" in report.files[0].reasons[0]


def test_a_cache_that_is_a_link(package, tmp_path):
    """Imports look behind it."""
    (package / "p" / "__pycache__").rename(tmp_path / "hidden")
    os.symlink(tmp_path / "hidden", package / "p" / "__pycache__")
    assert statuses(depyf.verify_tree(package)) == BOTH
    os.symlink(".", tmp_path / "hidden" / "__pycache__")  # no loop
    assert statuses(depyf.verify_tree(package)) == {**BOTH, "__pycache__": Status.NOT_CHECKED}


def test_there_is_nothing(tmp_path):
    with pytest.raises(VerificationError, match="no file or folder"):
        depyf.verify_tree(tmp_path / "gone")
    with pytest.raises(VerificationError, match="no file"):
        depyf.verify_file(tmp_path / "gone.pyc")
    assert depyf.verify_tree(tmp_path).files == ()


def test_what_pytest_has_rewritten(tmp_path, run_python):
    """It is compared with what pytest makes of the source, and never called different: its releases differ."""
    path = tmp_path / "test_it.py"
    path.write_text("def test_sum():\n    x = 1\n    assert x + 1 == 2, 'no'\n")
    done = run_python(
        "import pytest, sys; sys.dont_write_bytecode = False\n"
        "sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', 'test_it.py']))"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    [report] = [one for one in depyf.verify_tree(tmp_path).files if "pytest" in one.path]
    assert report.status in (Status.IDENTICAL, Status.OTHER_LINES)
    assert report.loading is Loading.DEPENDS
    path.write_text(path.read_text().replace("x = 1", "x = 3"))
    changed = depyf.verify_file(report.path)
    assert (changed.status, changed.exit_status) == (Status.NOT_CHECKED, 2)
    assert "written by pytest" in changed.reasons[0]
