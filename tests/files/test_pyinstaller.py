"""Programs by PyInstaller: archives that its writers made, and hostile ones, written here after the format.

The three files beside this one are what PyInstaller 6 (CPython 3.11) and 5.13 (CPython 3.8, with and without ``--key``)
write for a script ``main``, a package ``shop`` and a zip file with one module.
"""

from __future__ import annotations

import json
import marshal
import os
import struct
import zipfile
import zlib
from pathlib import Path

import pytest
from forks import DEPYF
from made_archives import pyc, zip_of

import depyf
from depyf.decompiler.bytecode.code.formats import FORMATS
from depyf.decompiler.bytecode.interpreters import HOST_VERSION
from depyf.files.opening import open_tree
from depyf.files.pyinstaller import MAGIC
from depyf.files.trees import DEFAULT_LIMITS, Limits, Problem, Unreadable, VerificationError
from depyf.verification.report import Loading, Status
from depyf.verification.sources import library

HERE = Path(__file__).parent
CODE = marshal.dumps(compile("def f(x):\n    return x + 1\n", "m.py", "exec", dont_inherit=True))
HOST_MAGIC = max(FORMATS[HOST_VERSION].magic_numbers).to_bytes(2, "little") + b"\r\n"
HOST = HOST_VERSION[0] * 100 + HOST_VERSION[1]


def row(name, offset, length, size, is_compressed, kind):
    encoded = os.fsencode(name) + b"\0"
    return struct.pack("!iIIIBc", 18 + len(encoded), offset, length, size, is_compressed, kind) + encoded


def archive(members, version=HOST, head=b"", tail=b""):
    """A CArchive of (name, content, kind, is_compressed); an offset and sizes may follow."""
    body, table = b"", b""
    for name, content, kind, is_compressed, *given in members:
        data = zlib.compress(content) if is_compressed else content
        offset, length, size = given or (len(body), len(data), len(content))
        body += data
        table += row(name, offset, length, size, is_compressed, kind)
    total = len(body) + len(table) + 88
    return head + body + table + struct.pack("!8sIIii64s", MAGIC, total, len(body), len(table), version, b"") + tail


def pyz(modules, magic=HOST_MAGIC, rows=None):
    body, table = bytes(12), []
    for name, kind, content in modules:
        data = zlib.compress(content)
        table.append((name, (kind, len(body), len(data))))
        body += data
    head = b"PYZ\0" + magic + len(body).to_bytes(4, "big")
    return head + body[12:] + marshal.dumps(table if rows is None else rows)


def contents(path, limits=DEFAULT_LIMITS):
    """Of each name the content, or what is wrong with it."""
    tree = open_tree(str(path), limits)
    found = {}
    for one in tree.compiled():
        if isinstance(one, Unreadable):
            found[one.name] = one.reason
            continue
        try:
            found[one] = tree.read(one)
        except Problem as error:
            found[one] = str(error)
    return found


def saved(tmp_path, data):
    (tmp_path / "app").write_bytes(data)
    return tmp_path / "app"


@pytest.mark.parametrize("name, version", [("v6", "3.11"), ("v5", "3.8")])
def test_what_pyinstaller_has_written(name, version, tmp_path, run_depyf):
    path = HERE / f"pyinstaller-{name}.pkg"
    tree = open_tree(str(path))
    assert (tree.kind, tree.description) == ("frozen", f"a program by PyInstaller, CPython {version}")
    done = run_depyf("decompile", str(path), "-o", "out", "--no-header", "--json")
    records = json.loads(done.stdout)["files"]
    assert {one["python"] for one in records} == {version}, done.stderr
    assert all(one["error"] is None for one in records)
    texts = {str(one.relative_to(tmp_path / "out")): one.read_text() for one in (tmp_path / "out").rglob("*.py")}
    assert sorted(texts) == ["PYZ.pyz/shop/__init__.py", "PYZ.pyz/shop/prices.py", "base_library.zip/codecs.py",
                             "main.py"]  # fmt: skip
    assert "__version__ = '1.2'\n" in texts["PYZ.pyz/shop/__init__.py"]
    assert "def price(item):\n" in texts["PYZ.pyz/shop/prices.py"]
    assert "from shop import prices, __version__\n" in texts["main.py"]


def test_encrypted_modules_are_named_as_such():
    found = contents(HERE / "pyinstaller-v5-key.pkg")
    assert found.pop("PYZ.pyz/shop/__init__.pyc") == "is encrypted (PyInstaller's --key)"
    assert found.pop("PYZ.pyz/shop/prices.pyc") == "is encrypted (PyInstaller's --key)"
    assert set(found) == {"main.pyc", "base_library.zip/codecs.pyc", "pyimod00_crypto_key.pyc"}
    assert all(isinstance(one, bytes) for one in found.values())


@pytest.mark.parametrize("head, tail", [(b"", b""), (b"\x7fELF" + bytes(99), b""), (b"MZ" + bytes(50), bytes(1 << 20))])
def test_where_the_archive_is(head, tail, tmp_path):
    """Behind the loader; in an ELF file sections follow."""
    path = saved(tmp_path, archive([("a", CODE, b"s", 1)], head=head, tail=tail))
    assert contents(path) == {"a.pyc": HOST_MAGIC + bytes(12) + CODE}


def test_an_executable_without_one(tmp_path, run_depyf):
    path = saved(tmp_path, b"\x7fELF" + bytes(100))
    assert open_tree(str(path)).kind == "folder"
    done = run_depyf("decompile", str(path))
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


def test_modules_and_packages_with_and_without_headers(tmp_path):
    """Until PyInstaller 5.2 the modules beside the PYZ had the header of a .pyc file."""
    whole = HOST_MAGIC + bytes(12) + CODE
    inside = pyz([("p", 1, CODE), ("p.m", 0, CODE), ("p.data", 2, b"x"), ("p.space", 3, b"")])
    path = saved(tmp_path, archive([("old", whole, b"m", 1), ("pack", CODE, b"M", 1), ("PYZ.pyz", inside, b"z", 0),
                                    ("lib.so", b"x", b"b", 1), ("opt", b"", b"o", 0)]))  # fmt: skip
    names = ["old.pyc", "pack/__init__.pyc", "PYZ.pyz/p/__init__.pyc", "PYZ.pyz/p/m.pyc"]
    assert contents(path) == dict.fromkeys(names, whole)


def test_verify_with_a_folder_of_sources(tmp_path):
    other = marshal.dumps(compile("x = 2\n", "m.py", "exec", dont_inherit=True))
    path = saved(tmp_path, archive([("PYZ.pyz", pyz([("m", 0, CODE), ("bad", 0, other), ("gone", 0, CODE)]), b"z", 0)]))
    (tmp_path / "src").mkdir()
    for name in ("m", "bad"):
        (tmp_path / "src" / f"{name}.py").write_text("def f(x):\n    return x + 1\n")
    found = {os.path.basename(one.path): one for one in depyf.verify_tree(path, tmp_path / "src").files}
    assert {name: one.status for name, one in found.items()} == {
        "m.pyc": Status.IDENTICAL, "bad.pyc": Status.DIFFERS, "gone.pyc": Status.NO_SOURCE
    }  # fmt: skip
    assert {one.loading for one in found.values()} == {Loading.UNCHECKED}
    assert {one.status for one in depyf.verify_tree(path).files} == {Status.NO_SOURCE}
    with pytest.raises(VerificationError, match="there is no folder"):
        depyf.verify_tree(path, tmp_path / "nothing")


@pytest.mark.parametrize("name", ["../m", "/m", "a/../../m", "C:/m", "a\\m", "..", "a..b", "."])
@pytest.mark.parametrize("where", ["script", "data", "pyz", "zip"])
def test_nothing_is_written_outside(name, where, tmp_path):
    (tmp_path / "in").mkdir()
    data = HOST_MAGIC + bytes(12) + CODE
    if where == "script":
        members = [(name, CODE, b"s", 1)]
    elif where == "data":
        members = [(f"{name}.pyc", data, b"x", 1)]
    elif where == "pyz":
        members = [("PYZ.pyz", pyz([(name, 0, CODE)]), b"z", 0)]
    else:
        with zipfile.ZipFile(tmp_path / "z", "w") as file:
            file.writestr("m.pyc", data)
        members = [(f"{name}/base_library.zip", (tmp_path / "z").read_bytes(), b"x", 0)]
    path = saved(tmp_path / "in", archive([("good", CODE, b"s", 1), *members]))
    done = DEPYF.run("-m", "depyf", "decompile", path, "-o", tmp_path / "in" / "out", cwd=tmp_path / "in")
    assert "Traceback" not in done.stderr
    written = {str(one.relative_to(tmp_path / "in")) for one in (tmp_path / "in").rglob("*") if one.is_file()}
    assert "out/good.py" in written
    assert all(one == "app" or one.startswith("out/") for one in written)
    assert {one.name for one in tmp_path.iterdir()} <= {"in", "z"}


def with_rows(rows):
    return archive([("PYZ.pyz", pyz([], rows=rows), b"z", 0)])


PYZ = pyz([("m", 0, CODE)])
HOSTILE = {
    "overlap": (archive([("a", CODE, b"s", 0), ("b", b"", b"s", 0, 0, len(CODE), len(CODE))]), "share bytes"),
    "behind the end": (archive([("a", CODE, b"s", 0, 0, 1 << 30, 5)]), "extends past the end"),
    "larger than the file": (archive([])[:-80] + struct.pack("!IIii64s", 1 << 31, 0, 0, HOST, b""), "sizes"),
    "no PYZ": (archive([("PYZ.pyz", b"x" * 50, b"z", 0)]), "is no PYZ archive"),
    "PYZ's table elsewhere": (archive([("PYZ.pyz", PYZ[:8] + b"\xff" * 4 + PYZ[12:], b"z", 0)]), "is not in it"),
    "PYZ's table of another type": (with_rows(5), "damaged"),
    "PYZ's rows of another type": (with_rows([("m", ("a", "b", "c"))]), "other types"),
    "PYZ's names of another type": (with_rows([(5, (0, 12, 3))]), "other types"),
    "PYZ's negative offset": (with_rows([("m", (0, -12, 3))]), "other types"),
    "overlap in a PYZ": (
        archive([("PYZ.pyz", pyz([("m", 0, CODE)], rows=[("m", (0, 12, 30)), ("n", (0, 20, 30))]), b"z", 0)]),
        "share bytes",
    ),
    "nesting": (archive([("PYZ.pyz", PYZ[:8] + b"\0\0\0\x0c" + b"[\1\0\0\0" * 5000, b"z", 0)]), "damaged"),
    "rows without a name": (
        bytes(18) + struct.pack("!8sIIii64s", MAGIC, 106, 0, 18, HOST, b""), "table is damaged"
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_archives_are_one_clear_error(kind, tmp_path):
    data, reason = HOSTILE[kind]
    with pytest.raises(VerificationError, match=reason):
        open_tree(str(saved(tmp_path, data)))


def test_bombs(tmp_path):
    big = bytes(1 << 20)
    data = archive([("a", big, b"s", 1), ("PYZ.pyz", pyz([("m", 0, big)]), b"z", 0)])
    found = contents(saved(tmp_path, data), Limits(file=1 << 16))
    assert "more than 65536 bytes" in found["a.pyc"]
    assert "too many bytes" in found["PYZ.pyz/m.pyc"]
    small = zlib.compress(CODE + CODE)
    data = archive([("a", b"", b"s", 0), ("b", small, b"s", 0)])
    data = data.replace(row("b", 0, len(small), len(small), 0, b"s"), row("b", 0, len(small), len(CODE), 1, b"s"))
    assert "not have the size" in contents(saved(tmp_path, data))["b.pyc"]  # it says less than it has


def test_huge_counts(tmp_path):
    few = Limits(members=20)
    with pytest.raises(VerificationError, match="too large"):
        open_tree(str(saved(tmp_path, archive([(f"a{number}", b"", b"s", 0) for number in range(30)]))), few)
    many = pyz([], rows=[(f"a{number}", (0, 0, 0)) for number in range(30)])
    with pytest.raises(VerificationError, match="more than 20 members"):
        open_tree(str(saved(tmp_path, archive([("PYZ.pyz", many, b"z", 0)]))), few)


def test_one_name_twice(tmp_path):
    path = saved(tmp_path, archive([("a", CODE, b"s", 0), ("a", CODE + b" ", b"s", 0)]))
    assert any(isinstance(one, Unreadable) and "twice" in one.reason for one in open_tree(str(path)).compiled())


def test_code_of_a_python_that_is_not_read(tmp_path):
    found = contents(saved(tmp_path, archive([("a", CODE, b"s", 1)], version=306)))
    assert found == {"a.pyc": "is code of CPython 3.6, which depyf does not read"}
    members = [("a", CODE, b"s", 1), ("PYZ.pyz", pyz([("m", 0, CODE)], magic=b"\x33\x0d\r\n"), b"z", 0)]
    path = saved(tmp_path, archive(members, version=306))
    reports = depyf.verify_tree(path).files
    assert {one.reasons[0].partition(";")[0] for one in reports} == {
        "it was made by CPython 3.6 (magic number 3379)"
    }  # fmt: skip


@pytest.mark.parametrize("name", ["v6", "v5-key"])
def test_damage_is_an_error_or_a_line(name, tmp_path):
    """Every truncation, and every byte changed, one at a time."""
    data = (HERE / f"pyinstaller-{name}.pkg").read_bytes()
    variants = [data[:length] for length in range(0, len(data), 37)]
    variants += [data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :] for at in range(0, len(data), 3)]
    whole = contents(HERE / f"pyinstaller-{name}.pkg")
    outcomes = set()
    for variant in variants:
        try:
            found = contents(saved(tmp_path, variant))
        except VerificationError:
            outcomes.add("error")
            continue
        outcomes.add("same" if found == whole else "other")
    assert outcomes == {"error", "same", "other"}


def test_list(run_depyf):
    done = run_depyf("decompile", "--list", str(HERE / "pyinstaller-v6.pkg"))
    head, *names = done.stdout.splitlines()
    assert head.endswith("pyinstaller-v6.pkg: a program by PyInstaller, CPython 3.11")
    assert names == ["  main.pyc", "  PYZ.pyz/shop/__init__.pyc", "  PYZ.pyz/shop/prices.pyc",
                     "  base_library.zip/codecs.pyc"]  # fmt: skip


def test_the_library_of_a_program_is_compared_with_the_interpreters_own(tmp_path):
    """A poisoned module of base_library.zip is a finding, and not one of hundreds without a source."""
    folder = Path(library(HOST_VERSION)[1])
    honest, poisoned = ((folder / name).read_bytes() for name in ("keyword.py", "colorsys.py"))
    evil = pyc(poisoned + b"\nimport evil\n")
    members = [("keyword.pyc", pyc(honest)), ("colorsys.pyc", evil), ("own.pyc", pyc(b""))]
    (tmp_path / "library.zip").write_bytes(zip_of(members))
    report = depyf.verify_tree(tmp_path / "library.zip")
    found = {one.path.rpartition("/")[2]: one for one in report.files}
    assert {name: one.status.value for name, one in found.items()} == {
        "keyword.pyc": "identical", "colorsys.pyc": "differs", "own.pyc": "no source",
    }  # fmt: skip
    [change] = found["colorsys.pyc"].changes
    assert change.lines == ("import evil",) and "another release may differ" in found["colorsys.pyc"].notes[0]
    (tmp_path / "a.whl").write_bytes(zip_of(members))
    assert {one.status.value for one in depyf.verify_tree(tmp_path / "a.whl").files} == {"no source"}
