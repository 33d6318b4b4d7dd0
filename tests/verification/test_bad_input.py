"""What nobody should trust costs one file, within bounds: sources that bring a compiler down, files without end, ..."""

from __future__ import annotations

import importlib.util
import marshal
import os
import subprocess
import sys
import zipfile

import pytest

import depyf
from depyf.batch.command import decompile_all
from depyf.decompiler.proof import compiler_pool
from depyf.verification import compiling
from depyf.verification.report import Status

TAG = sys.implementation.cache_tag
HEADER = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)
CODE = marshal.dumps(compile("x = 1\n", "m.py", "exec", dont_inherit=True))


def pair(folder, name, source, data=HEADER + CODE):
    (folder / "__pycache__").mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.py").write_bytes(source.encode() if isinstance(source, str) else source)
    file = folder / "__pycache__" / f"{name}.{TAG}.pyc"
    file.write_bytes(data)
    return file


@pytest.mark.parametrize(
    "body, reason",
    [("import time\ntime.sleep(60)\n", "gave no answer within 1 s"), ("import os\nos._exit(3)\n", "broke down")],
    ids=["hangs", "dies"],
)
def test_a_compiler_that_does_not_answer(body, reason, tmp_path, monkeypatch):
    """Of this Python's version, too: the source is compiled in another process."""
    script = tmp_path / "compiler.py"
    script.write_text(body)
    monkeypatch.setattr(compiler_pool, "_SCRIPT", str(script))
    monkeypatch.setattr(compiling, "POOL", compiler_pool.CompilerPool(limit=1))
    report = depyf.verify_file(pair(tmp_path, "m", "x = 1\n"))
    assert (report.status, report.exit_status) == (Status.NOT_CHECKED, 2)
    assert reason in report.reasons[0]


def test_without_an_executable_the_running_python_compiles(tmp_path, monkeypatch):
    """Python may be embedded in a program."""
    monkeypatch.setattr(compiler_pool, "find_interpreter", lambda version: None)
    monkeypatch.setattr(compiling, "POOL", compiler_pool.CompilerPool(limit=1))
    assert depyf.verify_file(pair(tmp_path, "m", "x = 1\n")).status in (Status.IDENTICAL, Status.OTHER_LINES)
    assert depyf.verify_file(pair(tmp_path, "m", "x = 2\n")).status is Status.DIFFERS
    assert depyf.verify_file(pair(tmp_path, "m", "x = \n")).status is Status.DIFFERS


DEEP = {
    "minus": "-" * 100_000 + "1",
    "subscripts": "x" + "[0]" * 100_000,
    "attributes": "x" + ".a" * 100_000,
    "sums": "a" + "+a" * 100_000,
    "not": "not " * 100_000 + "x",
    "lambdas": "lambda: " * 50_000 + "0",
    "conditions": "x if y else " * 50_000 + "0",
    "tuples": "(" * 190 + "1" + ",)" * 190,
    "calls": "f(" * 5000,
    "blocks": "".join(" " * depth + "if x:\n" for depth in range(150)) + " " * 150 + "pass\n",
    "nul": "x = 1\0\n",
    "surrogates": b"x = '\xed\xa0\x80'\n",
    "coding": "# coding: no-such-thing\nx = 1\n",
    "one line": "x = " + "0," * 500_000,
}


@pytest.mark.parametrize("kind", DEEP)
def test_sources_that_are_hard_to_compile(kind, tmp_path):
    report = depyf.verify_file(pair(tmp_path, "m", DEEP[kind]), statements=False)
    assert report.status in (Status.DIFFERS, Status.NOT_CHECKED)
    assert report.reasons[0]


def test_one_bad_source_does_not_stop_the_rest(tmp_path):
    for number in range(6):
        pair(tmp_path, f"m{number}", DEEP["minus"] if number in (1, 4) else "x = 1\n")
    report = depyf.verify_tree(tmp_path)
    assert [os.path.basename(one.path)[:2] for one in report.files] == [f"m{number}" for number in range(6)]
    assert [one.fine for one in report.files] == [True, False, True, True, False, True]


def test_the_memory_of_a_compiler_has_a_bound():
    pytest.importorskip("resource")
    code = (
        "import resource\nfrom depyf.decompiler.proof.compile_worker import limit_memory\n"
        "limit_memory(1 << 30)\nlimit_memory(1 << 40)\n"  # it is never raised
        "print(resource.getrlimit(resource.RLIMIT_AS)[0])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == f"{1 << 30}\n", done.stderr


def test_a_file_of_300_megabytes(tmp_path, run_depyf):
    """Where a file system has holes it takes no room."""
    file = pair(tmp_path, "m", "x = 1\n")
    with open(file, "r+b") as opened:
        opened.truncate(300 << 20)
    report = depyf.verify_file(file)
    assert (report.status, report.reasons) == (Status.NOT_CHECKED, ("has 314572800 bytes, more than 268435456",))
    [outcome] = decompile_all([str(tmp_path)], str(tmp_path / "out"))
    assert outcome.error == "has 314572800 bytes, more than 268435456"
    done = run_depyf("decompile", str(file))
    assert done.returncode in (0, 2)  # zeros behind the code, which CPython ignores, or an error
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "data, reason",
    [
        (HEADER + b"(\1\0\0\0" * 10_000, "nested more than"),
        (HEADER + b"[\1\0\0\0" * 100_000, "nested more than"),
        (HEADER + b"(\xff\xff\xff\x7f", "bytes are left"),
        (HEADER + CODE[:-9], "damaged"),
        (HEADER, "damaged"),
    ],
    ids=["tuples", "lists", "count", "cut", "nothing"],
)
def test_compiled_files_without_end(data, reason, tmp_path):
    file = pair(tmp_path, "m", "x = 1\n", data)
    report = depyf.verify_file(file)
    assert report.status is Status.DIFFERS
    pair(tmp_path, "good", "x = 1\n")
    found = {os.path.basename(one.path)[:1]: one for one in decompile_all([str(tmp_path)], str(tmp_path / "out"))}
    assert reason in found["m"].error
    assert found["g"].proven


def test_a_folder_without_permission(tmp_path, monkeypatch):
    pair(tmp_path / "closed", "m", "x = 1\n")
    pair(tmp_path / "open", "m", "x = 1\n")
    real = os.scandir

    def scandir(path):
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    bad, good = decompile_all([str(tmp_path)], str(tmp_path / "out"))
    assert bad.error == "can't be listed: Permission denied"
    assert good.proven


def test_an_output_folder_without_permission(tmp_path, monkeypatch):
    def refuse(*arguments, **options):
        raise PermissionError(13, "Permission denied")

    pair(tmp_path, "m", "x = 1\n")
    monkeypatch.setattr(os, "replace", refuse)
    [outcome] = decompile_all([str(tmp_path)], str(tmp_path / "out"))
    assert "can't write" in outcome.error
    assert "Permission denied" in outcome.error


def test_truncated_archives(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
        for number in range(3):
            file.writestr(f"m{number}.pyc", HEADER + CODE)
    data = (tmp_path / "a.zip").read_bytes()
    for length in range(4, len(data), 41):
        (tmp_path / "a.zip").write_bytes(data[:length])
        done = [one.error for one in _or_error(tmp_path / "a.zip", tmp_path / "out")]
        assert done
        assert all(done)
    assert not (tmp_path / "out").exists()


def _or_error(path, out):
    try:
        return list(decompile_all([f"{path}"], str(out)))
    except depyf.DepyfError as error:
        from depyf.batch.outcome import Outcome

        return [Outcome(str(path), error=str(error))]


def test_links_in_a_circle(tmp_path):
    pair(tmp_path / "a", "m", "x = 1\n")
    os.symlink(tmp_path / "a", tmp_path / "a" / "again")
    os.symlink("m.pyc", tmp_path / "a" / "m.pyc")
    found = {os.path.basename(one.path): one for one in decompile_all([f"{tmp_path}/a"], str(tmp_path / "out"))}
    assert set(found) == {"m.pyc", f"m.{TAG}.pyc"}
    assert "can't be read" in found["m.pyc"].error
    assert found[f"m.{TAG}.pyc"].proven
