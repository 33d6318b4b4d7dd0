"""Which file CPython loads: what is said about every kind of header is compared with an import."""

from __future__ import annotations

import importlib.util
import itertools
import marshal
import os
import subprocess
import sys
import zipfile

import pytest

import depyf
from depyf.files.names import parse
from depyf.verification.loading import siphash
from depyf.verification.report import Loading, Status

SOURCE = "value = 'source'\n"
TIME = 1_600_000_000
MAGIC = importlib.util.MAGIC_NUMBER
HASH = importlib.util.source_hash(SOURCE.encode())


def word(number):
    return (number & 0xFFFFFFFF).to_bytes(4, "little")


STAMPS = {
    "its time and size": word(TIME) + word(len(SOURCE)),
    "another time": word(TIME + 1) + word(len(SOURCE)),
    "another size": word(TIME) + word(len(SOURCE) + 1),
    "its hash": HASH,
    "zeros": bytes(8),
}
MAGICS = {"own": MAGIC, "of 3.6": (3379).to_bytes(2, "little") + b"\r\n", "garbage": b"\0\1\2\3"}


PROGRAM = """
import sys
sys.dont_write_bytecode = True
for folder in sys.argv[1:]:
    sys.path.insert(0, folder)
    sys.modules.pop("mod", None)
    try:
        import mod
        print(mod.value)
    except Exception as error:
        print(type(error).__name__)
    sys.path.remove(folder)
"""


def imported(*folders):
    """For each folder 'source', 'compiled', or the exception, as an import in a fresh process says."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", PROGRAM, *map(str, folders)], capture_output=True, text=True, timeout=60
    )
    return done.stdout.split()


def write(folder, data, source=True, legacy=False, tag=sys.implementation.cache_tag):
    if source:
        (folder / "mod.py").write_bytes(SOURCE.encode())
        os.utime(folder / "mod.py", (TIME, TIME))
    place = folder / "mod.pyc"
    if not legacy:
        (folder / "__pycache__").mkdir()
        place = folder / "__pycache__" / f"mod.{tag}.pyc"
    place.write_bytes(data)
    return place


CODE = marshal.dumps(compile("value = 'compiled'\n", "mod.py", "exec"))


@pytest.mark.parametrize("magic", MAGICS)
@pytest.mark.parametrize("legacy, source", [(False, True), (True, True), (True, False), (False, False)])
def test_every_header(magic, legacy, source, tmp_path):
    cases = list(itertools.product((0, 1, 2, 3, 4, 5, 0x80000001), STAMPS))
    folders = [tmp_path / f"{flags} {stamp}" for flags, stamp in cases]
    reports = []
    for folder, (flags, stamp) in zip(folders, cases):
        folder.mkdir()
        data = MAGICS[magic] + word(flags) + STAMPS[stamp] + CODE
        reports.append(depyf.verify_file(write(folder, data, source, legacy)))
    happened = imported(*folders)
    assert len(happened) == len(cases)
    for case, report, happens in zip(cases, reports, happened):
        if report.loading in (Loading.LOADED, Loading.UNCHECKED):
            assert happens == "compiled", case
        elif source:
            assert report.loading in (Loading.STALE, Loading.IGNORED), case
            assert happens == "source", case
        else:
            assert report.loading is (Loading.FAILS if legacy else Loading.IGNORED), case
            assert happens == ("ImportError" if legacy else "ModuleNotFoundError"), case
        assert not report.fine


@pytest.mark.parametrize("length", [0, 3, 4, 8, 12, 15])
def test_a_cut_header(length, tmp_path):
    file = write(tmp_path, (MAGIC + word(1) + bytes(8))[:length])
    report = depyf.verify_file(file)
    assert (report.status, report.loading) == (Status.NOT_CHECKED, Loading.STALE)
    assert imported(tmp_path) == ["source"]


def test_a_name_that_says_another_version(tmp_path):
    """The magic number is this Python's; the one that looks at the name finds it wrong."""
    tag = "cpython-37" if sys.implementation.cache_tag != "cpython-37" else "cpython-38"
    report = depyf.verify_file(write(tmp_path, MAGIC + word(1) + bytes(8) + CODE, tag=tag))
    assert (report.status, report.loading) == (Status.DIFFERS, Loading.STALE)
    assert report.notes[0].startswith("its name says CPython 3.")


@pytest.mark.parametrize("stamp, result", [("its time and size", "compiled"), ("another size", "source")])
@pytest.mark.parametrize("flags", [0, 1])
def test_a_zip_file_on_the_path(stamp, result, flags, tmp_path):
    """There the compiled file comes first, and the one in __pycache__ is never looked at."""
    folder = tmp_path / "in"
    folder.mkdir()
    write(folder, MAGIC + word(flags) + STAMPS[stamp] + CODE, legacy=True)
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / f"mod.{sys.implementation.cache_tag}.pyc").write_bytes(MAGIC + word(1) + bytes(8) + CODE)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
        for path in sorted(folder.rglob("*.py*")):
            if path.is_file():
                file.write(path, str(path.relative_to(folder)))
    cached, plain = depyf.verify_tree(tmp_path / "a.zip").files
    assert cached.loading is Loading.IGNORED
    assert imported(tmp_path / "a.zip") == [result if flags == 0 else "compiled"]
    assert plain.loading is {
        (0, "compiled"): Loading.LOADED, (0, "source"): Loading.STALE
    }.get((flags, result), Loading.UNCHECKED)  # fmt: skip
    assert plain.status is cached.status is Status.DIFFERS


def test_what_py_compile_writes_for_reproducible_builds(tmp_path, run_python):
    """With SOURCE_DATE_EPOCH it writes checked hashes."""
    (tmp_path / "mod.py").write_text(SOURCE)
    done = run_python(
        "import os, py_compile; os.environ['SOURCE_DATE_EPOCH'] = '0'; py_compile.compile('mod.py', doraise=True)"
    )
    assert done.returncode == 0, done.stderr
    [report] = [one for one in depyf.verify_tree(tmp_path).files if one.path.endswith(".pyc")]
    assert (report.status, report.loading, report.loading_reason) == (
        Status.IDENTICAL, Loading.LOADED, "its hash is that of the source",
    )  # fmt: skip


def test_the_hash_is_that_of_this_python():
    key = int.from_bytes(MAGIC, "little")
    for length in range(40):
        data = bytes(range(length))
        assert importlib.util.source_hash(data) in (siphash(key, data, 1), siphash(key, data, 2))


@pytest.mark.parametrize(
    "name, source, tag, optimize",
    [
        ("__pycache__/a.cpython-312.pyc", "a.py", "cpython-312", 0),
        ("p/__pycache__/__init__.cpython-38.opt-1.pyc", "p/__init__.py", "cpython-38", 1),
        ("__pycache__/a.cpython-312.opt-2.pyc", "a.py", "cpython-312", 2),
        ("__pycache__/a.cpython-312.opt-3.pyc", "a.py", "cpython-312", 2),
        ("__pycache__/a.cpython-312.opt-x.pyc", "a.py", "cpython-312", None),
        ("__pycache__/a.b.cpython-312.pyc", "a.b.py", "cpython-312", 0),
        ("__pycache__/a.pyc", "a.py", "?", 0),
        ("p/a.pyc", "p/a.py", "", 0),
        ("a.pyo", "a.py", "", 0),
        ("__pycache__/test_a.cpython-312-pytest-8.0.0.pyc", "test_a.py", "cpython-312-pytest-8.0.0", 0),
    ],
)
def test_names(name, source, tag, optimize):
    found = parse(name)
    assert (found.source, found.tag, found.optimize) == (source, tag, optimize)
