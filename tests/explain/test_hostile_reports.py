"""Reports on dumps and logs that somebody sent: each field may be anything, and the files may be bombs."""

from __future__ import annotations

import gzip
import json
import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import fuzz_reports
import hostile_reports
from depyf.errors import ReportError
from depyf.explain.received import check_json, loads, read_json
from depyf.explain.report.html.report_page import report_page
from depyf.explain.report.remarks.remark import Remark
from depyf.explain.report.remarks.stored import Report
from hostile_reports import CANARY, DUMP, FORMATS, LOG, OTHERS, SPOKEN, Received, command, faults, surroundings

HERE = Path(__file__).parent


def kinds(received):
    """One place of each kind: fields of one name in records of one kind are read alike."""
    found = {}
    for place in received.places():
        keys = tuple("*" if isinstance(key, int) or place.file == DUMP[2] and key and at > 0 else key
                     for at, key in enumerate(place.keys))  # fmt: skip
        kind = place.keys[0] if place.file == LOG else ""
        found.setdefault((place.file, kind, keys), place)
    return list(found.values())


def wrong(given, forms=FORMATS):
    """What is wrong with the reports on a folder, in any form."""
    found = []
    for form in forms:
        said = command("report", str(given), "--format", form)
        found += [f"{form}: {one}" for one in faults(form, said)]
    return found + [f"diff: {one}" for one in faults("text", command("diff", str(given), str(given)))]


def test_the_recording_itself_is_shown(tmp_path):
    surroundings(tmp_path)
    Received().write(tmp_path)
    for name in ("dump", "trace"):
        assert wrong(tmp_path / name) == []
        said = command("report", str(tmp_path / name), "train.py")
        assert (said.status, said.err) == (0, "") and "y = x.sin() * scale" in said.out


@pytest.mark.parametrize("name", [*DUMP, LOG])
def test_another_value_in_any_field_is_one_sentence_or_data(name, tmp_path):
    """Every kind of field, every value of another type; whatever is accepted, in every form."""
    surroundings(tmp_path)
    told = set()
    for place in kinds(Received()):
        if place.file != name:
            continue
        for value in OTHERS:
            received = Received()
            received.put(place, value)
            received.write(tmp_path)
            given = str(tmp_path / ("trace" if name == LOG else "dump"))
            said = command("report", given)
            assert faults("text", said) == [], (place, value)
            told.add(said.status)
            if said.status == 2:
                assert name in said.err and said.err.startswith("depyf: ") and not said.out, (place, said)
    assert told == {0, 2}


@pytest.mark.parametrize("text", SPOKEN, ids=range(len(SPOKEN)))
def test_a_text_in_all_fields_is_data_in_every_form(text, tmp_path):
    """One text in every field that takes a text, of the dump and of the log, and in every payload."""
    surroundings(tmp_path)
    for name in (*DUMP, LOG):
        received = Received()
        for place in received.places():
            if place.file == name and place.keys[-1] not in ("", "kind", "direction", "has_payload"):
                holder = received.files[name][place.record]
                for key in place.keys:
                    holder = holder[key]
                is_kind = "said" in place.keys and place.keys[-1] == 0
                if isinstance(holder, str) and not is_kind:
                    received.put(place, text)
        received.write(tmp_path)
        assert wrong(tmp_path / ("trace" if name == LOG else "dump")) == [], name
    for at in (0, -1):
        received = Received()
        for payload in filter(None, received.payloads):
            payload[at] = payload[at] + text if at else text + payload[at]
        received.write(tmp_path)
        assert wrong(tmp_path / "trace") == []


def test_no_file_outside_of_the_folder_is_shown(tmp_path):
    names = surroundings(tmp_path)
    assert (tmp_path / "dump" / "out.py").read_text().startswith(CANARY)
    for name in names:
        for file in (DUMP[0], LOG):
            received = Received()
            for place in received.places():
                if place.file == file and place.keys[-1] == "file":
                    received.put(place, name)
                elif file == LOG and place.keys == ("str", 0):
                    received.put(place, name)
            if file == LOG:
                received.payloads = [
                    payload and [line.replace("/home/me/train.py", name) for line in payload]
                    for payload in received.payloads
                ]
            received.files["sources.json"] = [{"format": 1, "files": {}}]
            received.write(tmp_path)
            given = str(tmp_path / ("dump" if file == DUMP[0] else "trace"))
            assert wrong(given) == [], name
            for more in (["--all"], ["--source", given], ["--format", "html", "--source", given]):
                said = command("report", given, *more)
                assert CANARY not in said.out + said.err, (name, more)


def test_links_in_the_folder_are_not_followed_out_of_it(tmp_path):
    """For each of the files that are read: not shown, and not even quoted in the error."""
    for name in (*DUMP, LOG):
        folder = tmp_path / name
        surroundings(folder)
        Received().write(folder)
        given = folder / ("trace" if name == LOG else "dump")
        (given / name).unlink()
        (given / name).symlink_to(folder / "canary.py")
        said = command("report", str(given))
        assert said.status == 2 and CANARY not in said.err, said
        assert ("leads out of its folder" if name != LOG else "there is no") in said.err


def test_pipes_and_devices_are_not_opened(tmp_path):
    Received().write(tmp_path)
    for name in (*DUMP, LOG):
        given = tmp_path / ("trace" if name == LOG else "dump")
        before = (given / name).read_bytes()
        (given / name).unlink()
        os.mkfifo(given / name)
        said = command("report", str(given))
        assert said.status == 2 and "it is a pipe or a device" in said.err, said
        (given / name).unlink()
        (given / name).write_bytes(before)
    assert command("report", "/dev/null").status == 2


# ---- where source lines come from


def test_the_lines_are_those_of_the_recording_or_of_a_folder_that_is_named(tmp_path):
    Received().write(tmp_path)
    recorded = json.loads((hostile_reports.CASES / "dump" / "sources.json").read_text())["files"]["/home/me/train.py"]
    text = "\n".join(recorded[number] for number in sorted(recorded, key=int)) + "\n"
    trace = str(tmp_path / "trace")
    assert "    5  def step(x, scale):" in command("report", str(tmp_path / "dump"), "--all").out
    said = command("report", trace).out
    assert "its source is not here: --source DIR" in said and "def step" not in said
    for place in ("me/train.py", "train.py", "home/me/train.py"):
        folder = tmp_path / place.replace("/", "_")
        (folder / place).parent.mkdir(parents=True)
        (folder / place).write_text(text)
        said = command("report", trace, "--source", str(folder)).out
        assert "    5  def step(x, scale):" in said and "not here" not in said, place
    said = command("report", trace, str(tmp_path / "train.py" / "train.py"))
    assert said.status == 1  # it is another file than that of the log, which has the folder me
    (tmp_path / "trace" / "train.py").write_text(text)
    assert "    5  def step(x, scale):" in command("report", trace).out


def test_a_file_that_has_changed_is_told_so(tmp_path):
    Received().write(tmp_path)
    (tmp_path / "train.py").write_text("import os\n" * 40)
    for name in ("dump", "trace"):
        said = command("report", str(tmp_path / name), "--source", str(tmp_path)).out
        assert "its text is another now" in said and "import os" not in said and "y = x.sin() * scale" in said
    said = command("report", str(tmp_path / "dump"), "--source", str(tmp_path), "--format", "html").out
    assert "its text is another now" in said and "import os" not in said


# ---- bombs


def measured(*words, folder, gigabytes=1.0, seconds=60):
    """Runs the command in a process of its own, which may take so much memory and processor time."""

    def limits():
        resource.setrlimit(resource.RLIMIT_AS, (int(gigabytes * 2**30),) * 2)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    environment = {**os.environ, "PYTHONPATH": str(HERE.parents[1] / "src")}
    code = "import sys; from depyf.cli import main; sys.exit(main())"
    command = [sys.executable, "-X", "faulthandler", "-c", code, *map(str, words)]
    return subprocess.run(command, cwd=str(folder), preexec_fn=limits, capture_output=True, encoding="utf-8",
                          env=environment, check=False)  # fmt: skip


HEAD = b"V1124 12:32:02.573000 7 a.py:1] "


def _gzip_of(block, times):
    packed = gzip.compress(b"")
    return gzip.compress(block) * times if times else packed


BOMBS = {
    "zeros": (lambda: gzip.compress(bytes(300 << 20), 1), "no log of TORCH_TRACE|a line has more than 16 MB"),
    "one line": (lambda: gzip.compress(HEAD + b'{"a": "' + b"x" * (300 << 20), 1), "a line has more than 16 MB"),
    "one payload": (lambda: gzip.compress(HEAD + b'{"rank": 0}\n' + (b"\t" + b"x" * 999 + b"\n") * 300_000, 1),
                    "more than 128 MB of text"),
    "records": (lambda: gzip.compress((HEAD + b'{"rank": 0}\n') * 300_000), "more than 200000 records"),
    "records of nothing": (lambda: gzip.compress((HEAD + b"{}\n") * 200_000), ""),
    "more of nothing": (lambda: gzip.compress((HEAD + b"{}\n") * 1_100_000), "more than 1000000 records"),
    "members": (lambda: gzip.compress(HEAD + b'{"rank": 0}\n') * 100_000, ""),
    "empty members": (lambda: gzip.compress(HEAD + b'{"rank": 0}\n') + gzip.compress(b"") * 200_000, ""),
    "processes": (lambda: b"".join(b'V1124 12:32:02.573000 %d a.py:1] {"str": ["%d", %d]}\n' % (at, at, at)
                                   for at in range(60_000)), ""),
    "frames": (lambda: HEAD + b'{"str": ["/a.py", 1]}\n' + b"".join(
        HEAD + b'{"dynamo_start": {"stack": [{"line": %d, "name": "f", "filename": 1}]}, "frame_id": %d,'
        b' "frame_compile_id": 0}\n' % (at, at)
        + HEAD + b'{"dynamo_guards": {}, "frame_id": %d, "frame_compile_id": 0}\n' % at
        for at in range(30_000)), ""),
    "depth": (lambda: HEAD + b'{"a": ' + b"[" * 10_000_000 + b"\n", "no log of TORCH_TRACE"),
}  # fmt: skip
"""What a log may be packed into, and what is said of it."""


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_of_logs(name, tmp_path):
    make, says = BOMBS[name]
    (tmp_path / LOG).write_bytes(make())
    done = measured("report", LOG, folder=tmp_path, gigabytes=1)
    assert done.returncode in (0, 2), done.stderr[-300:]
    assert any(one in done.stderr for one in says.split("|")) and done.stderr.count("\n") <= 1, done.stderr[:300]


def _remark(**more):
    return {"file": "a.py", "line": 3, "kind": "break", "words": "w", **more}


def _remarks(*remarks):
    return json.dumps({"format": 1, "torch": "", "python": "", "counts": {}, "remarks": remarks})


DUMPS = {
    "depth": ("[" * 60_000_000, "can't be read"),
    "lists": ('{"format": 1, "x": [' + "[]," * 20_000_000 + "0]}", "more than 1000000 lists"),
    "size": ('{"format": 1, "x": "' + "y" * (65 << 20) + '"}', "more than 64 MB"),
    "digits": ('{"format": ' + "9" * 30_000_000 + "}", "of format nan"),
    "files": (_remarks(*[_remark(file=f"/{n}/a.py") for n in range(20_000)]), ""),
    "lines": (_remarks(*[_remark(line=n, words="w " * 50) for n in range(20_000)]), ""),
    "blanks": (_remarks(_remark(words=" \n" * 400_000, text="'''" + "\t \n" * 200_000)), ""),
    "words": (_remarks(_remark(words="x" * 900_000, instead="y " * 400_000, text="f'{" * 300_000)), ""),
    "twice": ('{"format": 1, ' + '"remarks": [], ' * 100_000 + '"x": 1}', "an object has 'remarks' twice"),
}


@pytest.mark.parametrize("name", DUMPS)
def test_bombs_of_dumps(name, tmp_path):
    text, says = DUMPS[name]
    (tmp_path / "remarks.json").write_text(text)
    for form in ("text", "html"):
        done = measured("report", ".", "--format", form, folder=tmp_path, gigabytes=2)
        assert done.returncode == (2 if says else 0), (form, done.stderr[-300:])
        assert says in done.stderr and done.stderr.count("\n") <= 1, done.stderr[:300]


# ---- the reader of JSON


@pytest.mark.parametrize(
    ("value", "shape", "says"),
    [
        (1, str, "it should be a text, and is 1"), (True, int, "and is True"), (1, bool, "should be true or false"),
        (-1, int, "from 0 to"), (2.0, int, "and is 2.0"), (float("nan"), float, "a finite number"),
        ([], {"a": str}, "an object, and is a list"), ({}, {"a": str}, "a is missing"),
        ({"a": 1}, {"a": str}, "a should"), ({"a": {"b": 1}}, {"a": {str: str}}, "a.'b' should be a text"),
        ({"a": [{"b": 1}, {"b": "c"}]}, {"a": [{"b?": int}]}, r"a\[1\].b should be a number"), ({}, [str], "a list"),
        ([1], (int, int), "a list of 2"), ("x", frozenset("yz"), "one of y, z, and is 'x'"),
        ("\ud800", str, "half of a"),
    ],
)  # fmt: skip
def test_shapes(value, shape, says):
    with pytest.raises(ValueError, match=says):
        check_json(value, shape)


def test_what_fits_a_shape_comes_back_without_what_it_does_not_name():
    shape = {"a": int, "b?": [float], "c?": str, "d": {str: object}}
    assert check_json({"a": 1, "b": [1], "c": None, "d": {"x": [None]}, "e": 3}, shape) == {
        "a": 1, "b": [1.0], "d": {"x": [None]},
    }  # fmt: skip
    with pytest.raises(ValueError, match="twice"):
        loads('{"a": 1, "a": 2}')


def test_a_link_to_the_file_that_is_named_is_followed(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.json").write_text('{"format": 1, "a": 2}')
    (tmp_path / "y.json").symlink_to(tmp_path / "a" / "x.json")
    assert read_json(str(tmp_path / "y.json"), 1, {"a": int}) == {"a": 2}
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "z.json").symlink_to(tmp_path / "a" / "x.json")
    with pytest.raises(ReportError, match="leads out of its folder"):
        read_json(str(tmp_path / "b" / "z.json"), 1, {"a": int}, str(tmp_path / "b"))


# ---- the fuzzer


def test_a_short_run_of_the_fuzzer(tmp_path):
    found = {}
    for number in range(60):
        folder = tmp_path / str(number)
        kind = fuzz_reports.make(folder, 11, number)
        assert fuzz_reports.examine(folder, kind, number) == "", number
        found[kind] = found.get(kind, 0) + 1
    assert set(found) == {"dump", "log"}


def test_inputs_of_the_fuzzer_depend_on_the_seed_alone(tmp_path):
    def made(seed):
        shutil.rmtree(tmp_path / "a", ignore_errors=True)
        fuzz_reports.make(tmp_path / "a", seed, 5)
        return [path.read_bytes() for path in sorted((tmp_path / "a").rglob("*")) if path.is_file()]

    assert made(1) == made(1) != made(2)


@pytest.mark.parametrize(
    ("form", "text"),
    [("text", CANARY), ("text", "\x1b[31m"), ("text", "a\n   ::error::x"), ("text", "x ##[error]y"), ("json", "{"),
     ("github", "::error file=a,line=1,title=b::c"), ("html", "<script>alert(1)</script>"), ("html", "<img src=x>"),
     ("html", "<a href='javascript:a'>"), ("text", "\u202e")],
)  # fmt: skip
def test_the_witness_sees_what_is_wrong(form, text):
    assert faults(form, hostile_reports.Said(0, text, ""))


@pytest.mark.parametrize("link", ["https://a.b[c](javascript:d)/e", "javascript:alert(1)", 'https://a.b/" onclick="c'])
def test_a_link_of_a_log_is_an_address_or_none(link):
    remarks = [Remark("a.py", 1, "break", "words", gb_id="GB0001", link=one) for one in (link, "https://a.b/c#d")]
    counts = {"functions": 1, "graphs": 1, "breaks": 2, "recompilations": 0, "uncompiled": 0}
    page = report_page(Report(remarks, counts))
    assert set(re.findall(r'<a href="(\w[^"]*)"', page)) == {"https://a.b/c#d"}
    assert "onclick" not in page and "javascript:" not in page
