"""`write_file`: whole or not at all, by the umask, through no link."""

from __future__ import annotations

import contextlib
import itertools
import os
import py_compile
import resource
import signal
import socket
import stat
import subprocess
import sys
import threading
import time

import pytest

from depyf.writing import open_below, remove_unfinished, write_file

NEW = "new\n" * 10_000


@pytest.fixture
def out(tmp_path):
    """A folder to write to; what is beside it must stay as it is."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "file").write_text("not yours")
    (tmp_path / "out").mkdir()
    yield tmp_path / "out"
    assert os.listdir(tmp_path / "elsewhere") == ["file"]
    assert (tmp_path / "elsewhere" / "file").read_text() == "not yours"


def limited():
    """In a child: files can't get larger than 4096 bytes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


@pytest.mark.parametrize("there", [None, "old"])
@pytest.mark.parametrize("new", [False, True])
@pytest.mark.parametrize("below", [False, True])
def test_a_full_disk_leaves_what_was_there(below, new, there, out):
    if there is not None:
        (out / "f").write_text(there)
    code = (
        "import sys; from depyf.writing import write_file\n"
        "try: write_file(sys.argv[1], 'x' * 5000, within=sys.argv[2] or None, new=sys.argv[3] == 'True')\n"
        "except OSError as error: print(error.strerror)"
    )
    words = [str(out / "f"), str(out) if below else "", str(new)]
    done = subprocess.run([sys.executable, "-c", code, *words], preexec_fn=limited, stdout=subprocess.PIPE, text=True)
    assert done.stdout == ("File exists\n" if new and there else "File too large\n")
    assert os.listdir(out) == (["f"] if there else [])
    assert there is None or (out / "f").read_text() == there


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o027, 0o000])
@pytest.mark.parametrize("before", [None, 0o600, 0o666, 0o444, 0o755])
@pytest.mark.parametrize("below", [False, True])
def test_the_mode_is_that_of_a_new_file(below, before, mask, out):
    folder = out / "a" / "b" if below else out
    old = os.umask(mask)
    try:
        if before is not None:
            os.makedirs(folder, exist_ok=True)
            (folder / "f").touch()
            os.chmod(folder / "f", before)
        write_file(folder / "f", NEW, within=out if below else None)
    finally:
        os.umask(old)
    assert stat.S_IMODE(os.stat(folder / "f").st_mode) == 0o666 & ~mask
    if below:
        assert stat.S_IMODE(os.stat(folder).st_mode) == 0o777 & ~mask
    assert (folder / "f").read_text() == NEW


LINKS = {
    "to a file elsewhere": "../elsewhere/file", "to a missing file elsewhere": "../elsewhere/new",
    "to a folder elsewhere": "../elsewhere", "to itself": "f", "to a folder inside": "inside",
    "to a device": "/dev/null",
}  # fmt: skip


@pytest.mark.parametrize("to", LINKS.values(), ids=LINKS)
@pytest.mark.parametrize("below", [False, True])
def test_a_link_is_replaced(below, to, out):
    (out / "inside").mkdir()
    os.symlink(to, out / "f")
    write_file(out / "f", NEW, within=out if below else None)
    assert not (out / "f").is_symlink()
    assert (out / "f").read_text() == NEW
    assert os.listdir(out / "inside") == []


def test_the_other_name_of_a_file_keeps_its_text(out, tmp_path):
    os.link(tmp_path / "elsewhere" / "file", out / "f")
    write_file(out / "f", NEW)
    assert (out / "f").read_text() == NEW


@pytest.mark.parametrize("depth", [0, 1, 2])
@pytest.mark.parametrize("to", ["{}/elsewhere", "{}/elsewhere/file", "{}/gone", "{}/out/inside", "/", "/dev/fd"])
def test_no_folder_below_is_reached_through_a_link(to, depth, out, tmp_path):
    (out / "inside").mkdir()
    names = ["a", "b", "c"]
    link = out.joinpath(*names[: depth + 1])
    link.parent.mkdir(parents=True, exist_ok=True)
    os.symlink(to.format(tmp_path), link)
    with pytest.raises(OSError, match=r"leads out of .* is a link"):
        write_file(out.joinpath(*names, "f"), NEW, within=out)
    with pytest.raises(OSError, match="leads out of"):
        open_below(str(out.joinpath(*names, "f")), str(out), os.O_WRONLY | os.O_CREAT)
    assert os.listdir(out / "inside") == []


@pytest.mark.parametrize("name", ["../elsewhere/new", "a/../../elsewhere/new", "/{}/elsewhere/new", "../outside"])
def test_no_name_leads_out(name, out, tmp_path):
    with pytest.raises(OSError, match="leads out of"):
        write_file(os.path.join(out, name.format(tmp_path)), NEW, within=out)
    assert sorted(os.listdir(tmp_path)) == ["elsewhere", "out"]


def test_a_link_that_comes_in_between_is_not_followed(out, tmp_path):
    """A folder is exchanged with a link for as long as files are written into it."""
    (out / "a").mkdir()
    os.symlink(tmp_path / "elsewhere", tmp_path / "link")
    ended, numbers = threading.Event(), itertools.count()

    def exchange():
        while not ended.is_set():
            with contextlib.suppress(OSError):  # the writer may have made a new `a`
                os.rename(out / "a", out / f"other{next(numbers)}")
            with contextlib.suppress(OSError):
                os.rename(tmp_path / "link", out / "a")
            with contextlib.suppress(OSError):
                os.rename(out / "a", tmp_path / "link")

    thread = threading.Thread(target=exchange)
    thread.start()
    outcomes, before, deadline = set(), sorted(os.listdir(tmp_path / "elsewhere")), time.monotonic() + 60
    for number in itertools.count():  # a busy machine may give one of the two no turn for long
        if number >= 400 and outcomes >= {"written", "a link"} or time.monotonic() > deadline:
            break
        try:
            write_file(out / "a" / f"f{number}", "x", within=out)
            outcomes.add("written")
        except OSError as error:
            outcomes.add(error.strerror.rpartition(" is ")[2])
    ended.set()
    thread.join()
    assert outcomes >= {"written", "a link"} and sorted(os.listdir(tmp_path / "elsewhere")) == before


@pytest.mark.parametrize("below", [False, True])
def test_pipes_and_devices(below, out):
    """Who names one has its text; in a folder they are in the way, and replaced."""
    os.mkfifo(out / "f")
    reader = os.open(out / "f", os.O_RDONLY | os.O_NONBLOCK)
    write_file(out / "f", "new\n", within=out if below else None)
    read = os.read(reader, 100)
    os.close(reader)
    assert read == (b"" if below else b"new\n")
    assert stat.S_ISFIFO(os.lstat(out / "f").st_mode) != below
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(os.path.relpath(out / "s"))
    if below:
        write_file(out / "s", NEW, within=out)
        assert (out / "s").read_text() == NEW
    else:
        with pytest.raises(OSError):
            write_file(out / "s", NEW)
    listener.close()


def test_names_of_what_is_open(out):
    """``/dev/stdout`` is written to whatever it is; no device becomes a file."""
    code = "import sys; from depyf.writing import write_file; write_file(sys.argv[1], 'text\\n')"
    for name, mode in itertools.product(("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"), ("pipe", "file", "more")):
        if not os.path.exists(os.path.dirname(name)):
            continue
        command = [sys.executable, "-c", code, name]
        if mode == "pipe":
            assert subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout == b"text\n"
            continue
        with open(out / "log", "ab" if mode == "more" else "wb") as file:
            subprocess.run(command, stdout=file, check=True)
        assert (out / "log").read_text() == ("text\n" if mode == "file" else "text\ntext\n")
    write_file("/dev/null", NEW)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_what_belongs_to_another_user(out, monkeypatch):
    """Neither a pipe of theirs, which would have the text, nor a folder behind a link of theirs."""
    os.mkfifo(out / "f")
    os.symlink("elsewhere", out.parent / "link")
    someone = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: someone + 1)
    monkeypatch.setattr(os, "lstat", lambda path, stat=os.lstat: _of(stat(path), 12345))
    with pytest.raises(OSError, match="another user"):
        write_file(out / "f", NEW)
    with pytest.raises(OSError, match="another user"):
        write_file(out.parent / "link" / "g", NEW, within=out.parent / "link")


def _of(found, owner):
    return os.stat_result((*found[:4], owner, *found[5:10]))


def test_what_was_interrupted_leaves_nothing(out, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_file(out / "f", NEW)
    with pytest.raises(KeyboardInterrupt):
        write_file(out / "a" / "f", NEW, within=out, new=True)
    monkeypatch.undo()
    assert [name for _, _, files in os.walk(out) for name in files] == []


def test_a_signal_waits_for_the_end(out):
    """A process that ends itself while it writes leaves a whole file, and nothing else."""
    code = (
        "import os, signal, sys; from depyf.writing import write_file\n"
        "replace = os.replace\n"
        "def late(*a, **k): os.kill(os.getpid(), int(sys.argv[2])); replace(*a, **k)\n"
        "os.replace = late\n"
        "write_file(sys.argv[1], 'whole')\n"
        "print('went on')"
    )
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        (out / "f").write_text("old")
        command = [sys.executable, "-c", code, str(out / "f"), str(int(number))]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert (done.returncode, done.stdout) == (-number, b"")
        assert os.listdir(out) == ["f"]
        assert (out / "f").read_text() == "whole"


def test_what_a_killed_process_left_is_removed(out, tmp_path):
    name = ".depyf-0123456789abcdef.part"
    (out / "a").mkdir()
    kept = [out / "a" / "f.py", out / "a" / ".depyf-0123.part", out / "a" / f"{name}.py"]
    for path in [*kept, out / "a" / name]:
        path.touch()
    remove_unfinished(str(out / "a"), str(out))
    assert sorted((out / "a").iterdir()) == sorted(kept)
    os.symlink(tmp_path / "elsewhere", out / "b")
    (tmp_path / "elsewhere" / name).touch()
    remove_unfinished(str(out / "b"), str(out))
    remove_unfinished(str(out / "gone"), str(out))
    (tmp_path / "elsewhere" / name).unlink()  # it was there


def depyf_limited(folder, *words):
    command = [sys.executable, "-m", "depyf", "decompile", *words]
    return subprocess.run(command, cwd=folder, preexec_fn=limited, capture_output=True, text=True)


def test_a_full_disk_costs_a_line(out):
    """Of the command line: for one file, for each of many, and for standard output."""
    (out / "in").mkdir()
    for name, count in (("large", 3000), ("small", 1)):
        (out / "m.py").write_text("x = 1\n" * count)
        py_compile.compile(str(out / "m.py"), str(out / "in" / f"{name}.pyc"), doraise=True)
    (out / "m.py").write_text("old")
    done = depyf_limited(out, "in/large.pyc", "-o", "m.py")
    assert (done.returncode, done.stderr) == (2, "depyf: can't write m.py: File too large\n")
    assert (out / "m.py").read_text() == "old"
    done = depyf_limited(out, "in/", "-o", "new")
    assert (done.returncode, done.stderr.splitlines()) == (1, [
        "in/large.pyc: can't write new/large.py: File too large",
        "2 compiled files: 1 written to new, 1 of them proven as a whole, 1 not decompiled",
    ])  # fmt: skip
    assert [path.name for path in (out / "new").iterdir() if path.name != ".depyf.jsonl"] == ["small.py"]
    with open("/dev/full" if os.path.exists("/dev/full") else out / "log", "w") as full:
        for words in (["decompile", "in/large.pyc"], ["disasm", "in/large.pyc"]):
            command = [sys.executable, "-m", "depyf", *words]
            done = subprocess.run(
                command, cwd=out, preexec_fn=limited, stdout=full, stderr=subprocess.PIPE, text=True
            )
            assert done.returncode == 2
            assert done.stderr.startswith("depyf: can't write to standard output: ") and done.stderr.count("\n") == 1


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_what_decompile_writes_is_for_those_whom_the_umask_lets(mask, out):
    (out / "in" / "p").mkdir(parents=True)
    (out / "m.py").write_text("x = 1\n")
    for name in ("a.pyc", "p/b.pyc"):
        py_compile.compile(str(out / "m.py"), str(out / "in" / name), doraise=True)
    for words in (["in/", "-o", "new"], ["in/a.pyc", "-o", "one.py"]):
        command = [sys.executable, "-m", "depyf", "decompile", *words]
        subprocess.run(command, cwd=out, preexec_fn=lambda: os.umask(mask) and None, check=True, capture_output=True)
    made = [out / "one.py", out / "new", *(out / "new").rglob("*")]
    assert len(made) == 6
    for path in made:
        assert stat.S_IMODE(path.stat().st_mode) == (0o777 if path.is_dir() else 0o666) & ~mask, path


def test_an_interrupt_is_a_line(out):
    code = "import depyf.cli as cli, signal\ndef stop(_): signal.raise_signal(signal.SIGINT)\n"
    code += "cli._COMMANDS['doctor'] = stop\nraise SystemExit(cli.main(['doctor']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "depyf: interrupted\n")
