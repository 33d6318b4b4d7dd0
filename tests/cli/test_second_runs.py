"""``depyf decompile DIR -o OUT``, again: what was written before is kept only if it would be written so now."""

from __future__ import annotations

import itertools
import json
import os
import py_compile
import shutil

import pytest
from forks import DEPYF

from depyf.batch import manifest
from depyf.batch.command import decompile_all
from depyf.batch.manifest import NAME
from depyf.batch.work import DEFAULT_OPTIONS, Options

SOURCE = "def f(x):\n    return x + {}\n"


def compiled(folder, name, source):
    (folder / "in").mkdir(exist_ok=True)
    path = folder / f"{name}.py"
    path.write_text(source)
    py_compile.compile(str(path), str(folder / "in" / f"{name}.pyc"), f"/src/{name}.py", doraise=True)
    path.unlink()


@pytest.fixture
def tree(tmp_path):
    """Two files, decompiled into a folder."""
    for number, name in enumerate("ab"):
        compiled(tmp_path, name, SOURCE.format(number))
    assert run(tmp_path) == ["ab", ""]
    return tmp_path


def run(folder, options=DEFAULT_OPTIONS, again=False):
    """The names of the files that were written, and of those that were kept."""
    done = list(decompile_all([f"{folder}/in"], f"{folder}/out", options, again=again))
    assert all(one.proven and one.total == 2 and one.filename for one in done)
    assert {one.written for one in done} == {str(path) for path in (folder / "out").rglob("*.py")}
    return ["".join(sorted(os.path.basename(one.path)[0] for one in done if one.was_there is kept))
            for kept in (False, True)]  # fmt: skip


def texts(folder):
    return {path.name: path.read_text() for path in (folder / "out").glob("*.py")}


def test_what_would_be_written_so_is_kept(tree):
    before = {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in (tree / "out").iterdir()}
    assert run(tree) == ["", "ab"]
    assert {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in (tree / "out").iterdir()} == before
    assert run(tree, again=True) == ["ab", ""]
    assert not list((tree / "out").glob("*.orig*"))


OTHER = {
    "cut": lambda path: path.write_text(path.read_text()[:20]),
    "cut at a line": lambda path: path.write_text("".join(path.read_text().splitlines(True)[:-1])),
    "foreign": lambda path: path.write_text("mine"),
    "edited": lambda path: path.write_text(path.read_text() + "# mine\n"),
    "as long, and as old": lambda path: (lambda old, text: (
        path.write_text(text.replace("return", "repeat")), os.utime(path, ns=(old.st_atime_ns, old.st_mtime_ns))
    ))(path.stat(), path.read_text()),
    "a link": lambda path: (path.rename(path.parent.parent / "moved"), path.symlink_to("../moved")),
    "a link to nowhere": lambda path: (path.unlink(), path.symlink_to("nowhere")),
    "a pipe": lambda path: (path.unlink(), os.mkfifo(path)),
}  # fmt: skip


@pytest.mark.parametrize("change", OTHER.values(), ids=OTHER)
def test_a_file_that_is_not_as_it_was_written(change, tree):
    """It is written again, and kept under another name: it may be somebody's."""
    before = texts(tree)
    for number in range(2):
        change(tree / "out" / "a.py")
        other = os.lstat(tree / "out" / "a.py")
        assert run(tree) == ["a", "b"]
        assert texts(tree) == before and not (tree / "out" / "a.py").is_symlink()
        assert os.lstat(tree / "out" / f"a.py.orig{'2' * number}").st_ino == other.st_ino
    assert run(tree) == ["", "ab"]


def test_nothing_is_kept_of_an_empty_file_or_where_none_is(tree):
    before = texts(tree)
    (tree / "out" / "a.py").write_text("")
    (tree / "out" / "b.py").unlink()
    assert run(tree) == ["ab", ""]
    assert texts(tree) == before
    assert sorted(os.listdir(tree / "out")) == [NAME, "a.py", "b.py"]


def test_an_input_that_has_changed(tree):
    compiled(tree, "a", SOURCE.format(7))
    assert run(tree) == ["a", "b"]
    assert "x + 7" in texts(tree)["a.py"]
    assert not list((tree / "out").glob("*.orig*"))


@pytest.mark.parametrize(
    "options",
    [Options(layout="author"), Options(rewritten_asserts=True), Options(budget=10**6), Options(version=(3, 9)),
     Options(header=False), Options(line_map=True)],
)  # fmt: skip
def test_another_way_to_write_it(options, tree):
    assert run(tree, options) == ["ab", ""]
    assert run(tree, options) == ["", "ab"]
    assert run(tree) == ["ab", ""]


@pytest.mark.parametrize("name", ["__version__", "sys"])
def test_another_version(name, tree, monkeypatch):
    import depyf.batch.manifest as module

    class System:
        version = "3.99"

    monkeypatch.setattr(module, name, "99" if name == "__version__" else System)
    assert run(tree) == ["ab", ""]


def test_a_record_of_another_place_proves_nothing(tree):
    """Whoever can send a folder can send one whose records say that anything is proven: of a checkout or an archive."""
    forged = (tree / "out" / "a.py").read_text().replace("x + 0", "x - 0")
    (tree / "out" / "a.py").write_text(forged)
    import hashlib

    lines = []
    for line in (tree / "out" / NAME).read_text().splitlines():
        record = json.loads(line)
        if record["output"] == "a.py":
            record["text"] = hashlib.sha256(forged.encode()).hexdigest()
        lines.append(json.dumps(record) + "\n")
    (tree / "out" / NAME).write_text("".join(lines))
    shutil.copytree(tree / "out", tree / "sent", copy_function=shutil.copy2)
    shutil.rmtree(tree / "out")
    (tree / "sent").rename(tree / "out")
    assert run(tree) == ["ab", ""]
    assert "x + 0" in texts(tree)["a.py"]


def test_the_status_is_that_of_all(tree):
    """Also of what an earlier run has done: here of what it could not prove, or not read."""
    compiled(tree, "c", "def f(a):\n" + "".join(f"    if a == {n}: return {n}\n" for n in range(200)))
    words = ("-m", "depyf", "decompile", "in/", "-o", "out", "--budget", "3", "--json")
    shown = []
    for _ in range(3):
        done = DEPYF.run(*words, cwd=tree)
        assert done.returncode == 1
        records = json.loads(done.stdout)["files"]
        assert {record["path"]: record["proven"] for record in records}["in/c.pyc"] is False
        shown.append((done.stderr.splitlines()[:-1], [{**record, "was_there": None} for record in records]))
    assert shown[0][0] and shown[0] == shown[1] == shown[2]
    assert done.stderr.splitlines()[-1].startswith("3 compiled files: 0 written to out, 3 there already, ")
    (tree / "in" / "b.pyc").write_bytes(b"damaged")
    for _ in range(2):
        done = DEPYF.run(*words, cwd=tree)
        assert done.returncode == 1 and "1 not decompiled" in done.stderr


def test_the_words(tree):
    (tree / "out" / "a.py").write_text("mine")
    done = DEPYF.run("-m", "depyf", "decompile", "in/", "-o", "out", "--layout", "compact", cwd=tree)
    assert (done.returncode, done.stderr) == (
        0, "2 compiled files: 1 written to out, 1 there already, 2 of them proven as a whole, "
           "1 other file kept as NAME.orig\n",
    )  # fmt: skip


VALUES = [None, True, -1, 10**30, 1.5, "x", "\x1b[0m", [], [[]], [1, 2, 3], {}, {"": 0}, {"identical": -1},
          {"identical": "x"}, {"identical": 10**30}, [["f", 1, "unproven", 3]], [["f", 1, "wrong", []]]]  # fmt: skip


def test_records_that_nobody_wrote(tree):
    """Each field of each record replaced: never an error, and never a file that is not what it should be."""
    before, lines = texts(tree), (tree / "out" / NAME).read_text().splitlines()
    records = [json.loads(line) for line in lines]
    for name, value in itertools.product(records[0], VALUES):
        text = "".join(json.dumps({**record, name: value}) + "\n" for record in records)
        (tree / "out" / NAME).write_text(text)
        written, kept = run(tree)
        assert sorted(written + kept) == ["a", "b"]
        assert texts(tree) == before
        if name not in ("filename", "lines", "python", "verdicts"):
            assert written == "ab" or value == records[0][name] or name == "doubts" and value == []


@pytest.mark.parametrize(
    "data",
    [b"", b"\n\n", b"\xff\xfe", b"[" * 200_000, b"[" * 200_000 + b"\n", b'{"output":' * 50_000, b"9" * 300_000 + b"\n",
     b'{"output": "a.py", "changed": ' + b"9" * 300_000 + b"}\n", b'{"output": "a.py"}\n' * 1000, b"x" * (2 << 20),
     b"null\n1\n[]\n\"a\"\n"],
    ids=range(11),
)  # fmt: skip
def test_a_manifest_that_is_none(data, tree):
    path = tree / "out" / NAME
    whole = path.read_bytes()
    path.write_bytes(data)
    assert run(tree) == ["ab", ""]
    assert run(tree) == ["", "ab"]
    path.write_bytes(path.read_bytes() + data)
    run(tree)
    assert run(tree) == ["", "ab"]
    path.write_bytes(whole[:-5])  # as a run leaves it that is interrupted there
    assert run(tree)[0] in ("ab", "b")
    assert run(tree) == ["", "ab"]


def test_a_manifest_that_is_too_large(tree):
    with open(tree / "out" / NAME, "ab") as file:
        file.truncate((1 << 26) + 1)
    assert run(tree) == ["ab", ""]
    os.truncate(tree / "out" / NAME, 0)
    run(tree)
    assert run(tree) == ["", "ab"]


def test_it_does_not_grow_without_end(tree):
    for _ in range(150):
        run(tree, again=True)
    assert len((tree / "out" / NAME).read_text().splitlines()) < 110
    assert run(tree) == ["", "ab"]


@pytest.mark.parametrize("kind", ["link", "link to nowhere", "link to a folder", "pipe", "folder"])
def test_what_is_in_its_place(kind, tree):
    """A link is not followed, a pipe not waited for; where a folder is, nothing can be recorded."""
    path, elsewhere = tree / "out" / NAME, tree / "elsewhere"
    path.unlink()
    elsewhere.write_text("not yours")
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to({"link": "../elsewhere", "link to nowhere": "../new", "link to a folder": ".."}[kind])
    done = DEPYF.run("-m", "depyf", "decompile", "in/", "-o", "out", cwd=tree)
    assert done.returncode == 0
    assert ("can't write out/.depyf.jsonl" in done.stderr) == (kind == "folder")
    assert path.is_file() != (kind == "folder") and not path.is_symlink()
    assert elsewhere.read_text() == "not yours" and not (tree / "new").exists()


def test_a_folder_in_which_a_file_should_be(tree):
    (tree / "out" / "a.py").unlink()
    (tree / "out" / "a.py").mkdir()
    (tree / "out" / "a.py" / "mine").touch()
    found = {os.path.basename(one.path): one for one in decompile_all([f"{tree}/in"], f"{tree}/out")}
    assert "can't write" in found["a.pyc"].error and found["b.pyc"].was_there
    assert (tree / "out" / "a.py" / "mine").exists()


def test_two_at_once(tree):
    """All end well, and what the next keeps or writes is there for the one after it."""
    for number in range(8):
        compiled(tree, f"c{number}", SOURCE.format(number))
    running = [DEPYF.start("-m", "depyf", "decompile", "in/", "-o", "out", cwd=tree) for _ in range(3)]
    assert [one.finish().returncode for one in running] == [0, 0, 0]
    assert list((tree / "out").glob(".depyf-*")) == list((tree / "out").glob("*.orig")) == []
    words = ("-m", "depyf", "decompile", "in/", "-o", "out")
    assert DEPYF.run(*words, cwd=tree).returncode == 0  # a text that two have written may be written again
    assert "0 written to out, 10 there already" in DEPYF.run(*words, cwd=tree).stderr


def test_a_text_that_another_run_writes_at_the_same_time_is_not_foreign(tree, monkeypatch):
    compiled(tree, "c", SOURCE.format(3))
    opened = manifest.open_below

    def late(path, *rest):
        if path.endswith("c.py") and not os.path.exists(path):
            try:
                return opened(path, *rest)
            finally:
                (tree / "out" / "c.py").write_text("what another run has written")
        return opened(path, *rest)

    monkeypatch.setattr(manifest, "open_below", late)
    assert run(tree)[0] == "c"
    assert list((tree / "out").glob("*.orig")) == []


def test_files_that_are_named_and_modules(tree):
    """A module may be made of many files: it is always done again."""
    words = ("-m", "depyf", "decompile", "in/a.pyc", "in/b.pyc:f", "json.decoder", "-o", "new")
    for expected in ("3 written to new, 3 of", "1 written to new, 2 there already, 3 of"):
        assert expected in DEPYF.run(*words, cwd=tree).stderr
    compiled(tree, "b", SOURCE.format(5))
    assert "2 written to new, 1 there already" in DEPYF.run(*words, cwd=tree).stderr
