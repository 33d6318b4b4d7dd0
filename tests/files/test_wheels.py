"""Wheels: what installers write where."""

from __future__ import annotations

import pytest
from made_archives import EVIL, GOOD, TAG, cached, pyc, zip_of

import depyf
from depyf.files.opening import open_tree
from depyf.files.wheels import WheelLayout
from depyf.verification.report import Loading, Status

WHEEL = "m-1-py3-none-any.whl"
INFO = [("m-1.dist-info/METADATA", b"Name: m\n"), ("m-1.dist-info/WHEEL", b""), ("m-1.dist-info/RECORD", b"")]
SITE = ("m-1.data/purelib", "m-1.data/platlib", *(f"m-1.data/data/{one}" for one in (
    "lib/python3.11/site-packages", "lib64/python3.12/site-packages", "lib/python3/dist-packages", "Lib/site-packages",
    "local/lib/python3.11/dist-packages", "lib/pypy3.10/site-packages", "lib/python3.13t/site-packages",
)))  # fmt: skip
ELSEWHERE = (
    "m-1.data/scripts", "m-1.data/headers", "m-1.data/data", "m-1.data/data/bin", "m-1.data/data/lib/python3.11",
    "m-1.data/data/lib/python", "m-1.data/data/LIB/site-packages", "m-1.data/data/lib/site-packages.d",
    "m-1.data/unknown",
       "m-1.data/data/x/lib/python3.11/site-packages", "m-1.data", ".data/purelib", "other-2.data/purelib",
    "M-1.DATA/purelib",
       "m-1.data/PURELIB", "m-1.data /purelib", "m-1.data/data/DLLs",
)  # fmt: skip


def reports(tmp_path, members, info=INFO):
    (tmp_path / WHEEL).write_bytes(zip_of([*members, *info]))
    return depyf.verify_tree(tmp_path / WHEEL)


@pytest.mark.parametrize("end", ["", ".opt-1", ".opt-2"])
@pytest.mark.parametrize("folder", SITE)
def test_onto_the_import_path(folder, end, tmp_path):
    """Compared with the source that is installed beside it."""
    found = reports(tmp_path, [("pkg/m.py", GOOD), cached(f"{folder}/pkg", end=end)[1]])
    assert [one.status for one in found.files] == [Status.DIFFERS]
    assert found.files[0].loading is Loading.UNCHECKED
    found = reports(tmp_path, [("pkg/m.py", GOOD), cached(f"{folder}/pkg", text=GOOD, end=end)[1]])
    assert found.exit_status == 0
    found = reports(tmp_path, [("pkg/m.py", GOOD), *cached(f"{folder}/pkg")])
    assert found.exit_status != 0 and any("depends on the unpacker" in one.reasons[0] for one in found.files)


@pytest.mark.parametrize("folder", ELSEWHERE)
@pytest.mark.parametrize("name", ["m.pyc", f"__pycache__/m.{TAG}.pyc", "pkg/m.PYC"])
def test_elsewhere(folder, name, tmp_path):
    """Whatever source seems to belong to it."""
    beside = f"{folder}/{name.rpartition('/')[0]}/m.py".replace("__pycache__/", "").replace("//", "/")
    found = reports(tmp_path, [("m.py", GOOD), (f"{folder}/{name}", pyc(EVIL)), (beside, EVIL)])
    assert found.exit_status == 2
    assert any(one.path.replace("\\", "/").endswith(f"{folder}/{name}") for one in found.files)


@pytest.mark.parametrize(
    "folder", ["data", "data/lib/python", "data/LIB/PYTHON3.11/SITE-PACKAGES", "data/x/dist-packages"]
)
def test_a_source_that_some_installer_writes_over_another(folder, tmp_path):
    """pip's --target moves what is in the prefix next to the packages."""
    found = reports(tmp_path, [*cached("pkg"), (f"m-1.data/{folder}/pkg/m.py", GOOD)])
    assert found.exit_status == 2


def test_several_folders_of_metadata(tmp_path):
    """Which one is the wheel's depends on the installer."""
    members = [("pkg/m.py", GOOD), cached("m-1.data/purelib/pkg", text=GOOD)[1]]
    assert reports(tmp_path, members).exit_status == 0
    assert reports(tmp_path, members, [*INFO, ("m-2.dist-info/METADATA", b"")]).exit_status == 2
    assert reports(tmp_path, members, [("other-1.dist-info/METADATA", b"")]).exit_status == 2


def test_an_ordinary_wheel(tmp_path):
    """Scripts, headers and shared files are no compiled files."""
    members = [*cached("pkg", text=GOOD), ("m-1.data/scripts/m", b"#!"), ("m-1.data/scripts/m.py", b"#!"),
               ("m-1.data/headers/m.h", b""), ("m-1.data/data/share/man/man1/m.1", b""), ("m.py", GOOD)]  # fmt: skip
    assert reports(tmp_path, members).exit_status == 0


def test_without_metadata_the_name_of_the_file_tells():
    layout = WheelLayout("/x/m-1-py3-none-any.whl", ["pkg/m.py"])
    assert layout.installed("m-1.data/purelib/pkg/m.py").place == "pkg/m.py"
    assert layout.installed("other-1.data/purelib/pkg/m.pyc").place is None
    assert layout.installed("pkg/m.py").place == "pkg/m.py"


def test_names_are_those_of_the_archive(tmp_path):
    (tmp_path / WHEEL).write_bytes(zip_of([cached("m-1.data/purelib/pkg")[1], *INFO]))
    tree = open_tree(str(tmp_path / WHEEL))
    [name] = tree.compiled()
    assert (name, tree.shown(name)) == (
        f"pkg/__pycache__/m.{TAG}.pyc", str(tmp_path / WHEEL / "m-1.data/purelib/pkg/__pycache__" / f"m.{TAG}.pyc"),
    )  # fmt: skip
