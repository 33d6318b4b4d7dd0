"""``depyf decompile``: every kind of input, what is written about it, and many files in several processes."""

from __future__ import annotations

import json
import os
import py_compile
import signal
import subprocess
import sys

import pytest
from forks import DEPYF

from depyf.batch import processes
from depyf.batch.outcome import line_map
from depyf.batch.work import Options, Task
from depyf.decompiler.bytecode.interpreters import HOST_VERSION

VERSION = "{}.{}".format(*HOST_VERSION)
SOURCE = "def f(x):\n    return x + 1\n"
OTHER = "def g(x):\n    return x + 2\n"


@pytest.fixture
def data(tmp_path):
    """The bytes of a compiled file."""
    (tmp_path / "m.py").write_text(SOURCE)
    py_compile.compile(str(tmp_path / "m.py"), str(tmp_path / "m.pyc"), "/src/m.py", doraise=True)
    return (tmp_path / "m.pyc").read_bytes()


def decompile(folder, *words, given=b""):
    done = DEPYF.run("-m", "depyf", "decompile", *map(os.fsdecode, words), cwd=folder, given=given)
    done.stdout, done.stderr = os.fsencode(done.stdout), os.fsencode(done.stderr)
    return done


@pytest.mark.parametrize("name", ["m.pyo", "m", "m.txt", "m.py", "we:ird.pyc"])
def test_the_content_tells_what_a_file_is(name, data, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / name).write_bytes(data)
    done = decompile(tmp_path, f"in/{name}")
    assert (done.returncode, done.stdout.decode()) == (0, SOURCE), done.stderr


@pytest.mark.parametrize("target, expected", [("-", SOURCE), ("-:f", SOURCE)])
@pytest.mark.parametrize("kind", ["compiled", "source", "marshalled"])
def test_standard_input(kind, target, expected, data, tmp_path):
    given = {"compiled": data, "source": SOURCE.encode(), "marshalled": data[16:]}[kind]
    done = decompile(tmp_path, "--python", VERSION, "--", target, given=given)
    assert (done.returncode, done.stdout.decode()) == (0, expected), done.stderr


@pytest.mark.parametrize(
    "head, tail",
    [(b"", b""), (bytes(16), b""), ((3700).to_bytes(2, "little") + b"\r\n" + bytes(12), b"")],
    ids=["none", "wiped out", "unknown magic"],
)
def test_code_without_a_header_needs_a_version(head, tail, data, tmp_path):
    (tmp_path / "raw.pyc").write_bytes(head + data[16:])
    done = decompile(tmp_path, "raw.pyc")
    assert done.returncode == 2
    assert b"newer CPython" in done.stderr if head[:1].strip(b"\0") else b"--python" in done.stderr
    if head[:1].strip(b"\0") == b"":
        assert VERSION.encode() in done.stderr  # it can be read as code of this one
    done = decompile(tmp_path, "raw.pyc", "--python", VERSION)
    assert (done.returncode, done.stdout.decode()) == (0, SOURCE), done.stderr
    done = decompile(tmp_path, "raw.pyc", "--python", "3.7" if HOST_VERSION != (3, 7) else "3.8")
    assert done.returncode == 2
    assert b"as code of CPython 3." in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_version_that_is_none(tmp_path):
    done = decompile(tmp_path, "-", "--python", "2.7")
    assert done.returncode == 2
    assert b"depyf reads code of 3.7" in done.stderr


def test_pypys_magic_number_is_named(data, tmp_path):
    (tmp_path / "p.pyc").write_bytes((416).to_bytes(2, "little") + data[2:])
    done = decompile(tmp_path, "p.pyc")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"was made by PyPy 3.11 (magic number 416)" in done.stderr


@pytest.mark.parametrize("target", ["m.zip", "-"])
def test_an_archive_where_one_file_is_meant(target, data, tmp_path):
    import zipfile

    with zipfile.ZipFile(tmp_path / "m.zip", "w") as file:
        file.write(tmp_path / "m.pyc", "m.pyc")
    given = (tmp_path / "m.zip").read_bytes()
    done = decompile(tmp_path, target, given=given)
    assert done.returncode == 2
    assert b"-o DIR" in done.stderr


def test_bytes_that_are_nothing(tmp_path):
    for given in (b"\x7fELF\0\0\0\0", b"\0" * 40, b"c\0\0\0\0\0\0\0\0", b"\xff\xfe\xfd"):
        done = decompile(tmp_path, "-", given=given)
        assert done.returncode == 2, given
        assert len(done.stderr.splitlines()) == 1, done.stderr


def test_targets_of_all_kinds(data, tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "n.pyc").write_bytes(data)
    (tmp_path / "s.py").write_text(OTHER)
    targets = ["m.pyc", "deep/n.pyc:f", "s.py", "json.decoder:JSONDecoder.decode", "deep/", "-"]
    done = decompile(tmp_path, *targets, "-o", "out", "-j", "2", given=data)
    assert done.returncode == 0, done.stderr
    names = sorted(str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*.py"))
    assert names == ["deep/n.py", "json.decoder.JSONDecoder.decode.py", "m.py", "n.f.py", "s.py", "stdin.py"]
    assert (tmp_path / "out" / "s.py").read_text().startswith(OTHER)
    assert "def decode(self" in (tmp_path / "out" / "json.decoder.JSONDecoder.decode.py").read_text()


def test_a_folder_without_a_slash(data, tmp_path):
    """It is a module only if it can be imported as one."""
    for name in ("site-packages", "plain"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "m.pyc").write_bytes(data)
        assert decompile(tmp_path, name, "-o", "out").returncode == 0
        assert (tmp_path / "out" / "m.py").is_file()
    (tmp_path / "json").mkdir()
    (tmp_path / "json" / "__init__.py").write_text(OTHER)
    assert b"\ndef dumps(" in decompile(tmp_path, "json").stdout


def test_one_file_into_a_folder_that_is_there(data, tmp_path):
    (tmp_path / "out").mkdir()
    assert decompile(tmp_path, "m.pyc", "-o", "out").returncode == 0
    assert (tmp_path / "out" / "m.py").read_text().startswith(SOURCE)


def test_header_and_line_map(data, tmp_path):
    done = decompile(tmp_path, "m.pyc", "--header", "--linemap", "--layout", "compact")
    lines = done.stdout.decode().splitlines()
    assert lines[0].startswith(f"# CPython {VERSION}, compiled from /src/m.py. Decompiled by depyf ")
    assert lines[1] == "# all 2 are proven (2 identical)."
    assert lines[2:] == [*SOURCE.splitlines(), "# Lines here = in the original: 3-4=1-2"]
    done = decompile(tmp_path, "m.pyc", "--header", "--linemap")
    text = [*lines[2:4], *lines[:2], "# Lines here = in the original: 1-2=1-2"]
    assert done.stdout.decode().splitlines() == text  # after the code, whose lines are the author's
    assert decompile(tmp_path, "m.pyc").stdout.decode() == SOURCE
    decompile(tmp_path, "m.pyc", "deep", "-o", "out", "--no-header")
    decompile(tmp_path, "m.pyc", "json", "-o", "out", "--no-header")
    assert (tmp_path / "out" / "m.py").read_text() == SOURCE


def test_what_is_not_proven_stands_in_the_header(data, tmp_path):
    broken = data.replace(b"\x97\x00|\x00", b"\x97\x00\xfe\x00") if HOST_VERSION == (3, 11) else data[:-1]
    (tmp_path / "bad.pyc").write_bytes(broken)
    done = decompile(tmp_path, "bad.pyc", "m.pyc", "-o", "out")
    assert done.returncode == 1
    if broken != data[:-1]:
        assert "# 1 of 2 code objects not proven (" in (tmp_path / "out" / "bad.py").read_text()


def test_runs_of_lines():
    assert line_map({}) == "# Lines here = in the original: none is known\n"
    assert line_map({1: 5, 2: 6, 4: 8, 5: 8, 6: 9}) == "# Lines here = in the original: 1-2=5-6, 4=8, 5-6=8-9\n"


def test_json_of_one_file(data, tmp_path):
    [record] = json.loads(decompile(tmp_path, "m.pyc", "--json", "--linemap").stdout)["files"]
    assert record == {
        "path": "m.pyc", "written": None, "was_there": False, "error": None, "python": VERSION,
        "filename": "/src/m.py", "proven": True, "verdicts": {"identical": 2}, "not_proven": [], "source": SOURCE,
        "lines": {"1": 1, "2": 2},
    }  # fmt: skip


def test_json_of_many_files(data, tmp_path):
    (tmp_path / "bad.pyc").write_bytes(data[:-3])
    done = decompile(tmp_path, "m.pyc", "bad.pyc", "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert found["seconds"] > 0
    assert found["peak_memory"] > 1 << 20
    good, bad = found["files"]
    assert (good["source"].splitlines()[:-2], good["written"]) == (SOURCE.splitlines(), None)
    assert "damaged" in bad["error"]
    assert (bad["proven"], "source" in bad) == (None, False)
    written = json.loads(decompile(tmp_path, "m.pyc", "m.pyc", "--json", "-o", "out").stdout)["files"]
    assert [os.path.basename(one["written"]) for one in written] == ["m.py", "m-2.py"]
    assert not any("source" in one for one in written)
    again = json.loads(decompile(tmp_path, "m.pyc", "m.pyc", "--json", "-o", "out").stdout)["files"]
    assert all(one["was_there"] and one["proven"] for one in again)


def test_names_that_are_not_utf_8(data, tmp_path):
    folder = os.fsencode(tmp_path) + b"/in/\xff"
    os.makedirs(folder)
    with open(folder + b"/m\xe9.pyc", "wb") as file:
        file.write(data)
    done = decompile(tmp_path, "in/", "-o", "out", "--json")
    assert done.returncode == 0, done.stderr
    [record] = json.loads(done.stdout.decode("ascii"))["files"]
    assert record["proven"]
    with open(os.fsencode(tmp_path) + b"/out/\xff/m\xe9.py", "rb") as file:
        assert file.read().startswith(SOURCE.encode())


def test_several_processes_give_what_one_gives(tmp_path):
    (tmp_path / "in").mkdir()
    for number in range(9):
        source = tmp_path / "s.py"
        source.write_text(f"def f():\n    return {number}\n")
        py_compile.compile(str(source), str(tmp_path / "in" / f"m{number}.pyc"), doraise=True)
    (tmp_path / "in" / "bad.pyc").write_bytes(b"garbage")
    outs = []
    for jobs in ("1", "3"):
        done = decompile(tmp_path, "in/", "-o", jobs, "-j", jobs)
        assert done.returncode == 1
        assert b"10 compiled files: 9 written to" in done.stderr
        outs.append({path.name: path.read_text() for path in (tmp_path / jobs).glob("*.py")})
    assert outs[0] == outs[1]
    assert len(outs[0]) == 9


def die(task, way):
    """What a crash of the interpreter looks like."""
    if task.path == "deadly":
        os.kill(os.getpid(), signal.SIGKILL)
    return processes.Outcome(task.path, text="done")


def test_a_file_that_kills_its_process_costs_itself_alone(monkeypatch):
    monkeypatch.setattr(processes, "work", die)
    tasks = [Task("deadly" if number in (2, 5) else str(number), b"") for number in range(8)]
    found = {task.path: outcome for task, outcome in processes.run(iter(tasks), Options(), 2)}
    assert set(found) == {"deadly", "0", "1", "3", "4", "6", "7"}
    assert "died" in found.pop("deadly").error
    assert all(outcome.text == "done" for outcome in found.values())


@pytest.mark.parametrize("rich", [True, False])
def test_progress_is_for_terminals(rich, data, tmp_path):
    """Through a pseudo terminal; without one, the tests above see nothing but lines."""
    import pty

    first, second = pty.openpty()
    code = "import sys; from depyf.cli import main; " + ("" if rich else "sys.modules['rich.console'] = None; ")
    code += "sys.exit(main(['decompile', 'm.pyc', 'm.pyc', 'bad.pyc', '-o', 'out']))"
    (tmp_path / "bad.pyc").write_bytes(b"garbage")
    with subprocess.Popen([sys.executable, "-c", code], stderr=second, cwd=tmp_path) as process:
        os.close(second)
        shown = b""
        while True:
            try:
                more = os.read(first, 4096)
            except OSError:
                break
            if not more:
                break
            shown += more
    os.close(first)
    assert process.returncode == 1, shown
    assert b"bad.pyc: it is not a .pyc file" in shown
    assert b"3 compiled files: 2 written to out" in shown
    assert b"\x1b[" in shown
    assert rich or b"3 of 3 files" in shown
