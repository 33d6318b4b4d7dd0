"""Code that libraries generate: it is collected when it runs, and decompiled by the interpreter that ran it."""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
from pathlib import Path

import pytest

import generated_code
from tally import Row, Tally

GENERATORS = Path(generated_code.__file__).parent / "generators"


def collected(folder, library="for_dataclasses", program=None):
    """The code objects that collect.py keeps, by a child process: its hook stays in a process for good."""
    script = GENERATORS / "collect.py"
    if program is not None:
        script = folder / "collect.py"
        script.write_bytes((GENERATORS / "collect.py").read_bytes())
        (folder / f"{library}.py").write_text(program)
    out = folder / "out"
    out.mkdir()
    subprocess.run([sys.executable, str(script), library, str(out)], check=True, stdout=subprocess.DEVNULL)
    return [marshal.loads(path.read_bytes()) for path in sorted(out.glob("*.code"))]


PROGRAM = """
import os

def generate(folder):
    exec("def made(): return 1")
    exec("def made(): return 1")
    exec(compile("x = 1", "<generated>", "exec"))
    path = os.path.join(folder, "rewritten.py")
    open(path, "w").close()
    exec(compile("y = 2", path, "exec"))
    exec(compile("z = 3", __file__, "exec"))
    return [compile("w = 4", "given", "exec")]

def rewritten(filename):
    return filename.endswith("rewritten.py")
"""


def test_generated_code_is_kept_once(tmp_path):
    codes = collected(tmp_path, "for_test", PROGRAM)
    assert sorted(name for code in codes for name in code.co_names) == ["made", "w", "x", "y"]


def test_dataclasses_are_measured_by_the_interpreter_that_made_them(monkeypatch, capsys):
    version = "{}.{}".format(*sys.version_info)
    monkeypatch.setattr(generated_code, "environment", lambda python, folder, packages: sys.executable)
    assert generated_code.main(["--versions", version, "--only", "dataclasses", "--refused", "50"]) == 0
    head, row = (line.split() for line in capsys.readouterr().out.splitlines()[:2])
    figures = dict(zip(head, row[2:]))
    assert row[:2] == [version, "dataclasses"]
    assert int(figures["identical"]) + int(figures["exact"]) > 50
    assert figures["crash"] == "0"


def test_what_is_refused_is_named_and_fails(monkeypatch, capsys):
    rows = [Row("one", "exact"), Row("a.code: f (line 3)", "refused", "for a reason")]
    monkeypatch.setattr(generated_code, "environment", lambda python, folder, packages: sys.executable)
    monkeypatch.setattr(generated_code, "of_library", lambda python, library, folder, jobs: rows)
    version = "{}.{}".format(*sys.version_info)
    assert generated_code.main(["--versions", version, "--only", "attrs"]) == 1
    shown = capsys.readouterr().out
    assert "a.code: f (line 3)" in shown
    assert "for a reason" in shown


@pytest.mark.parametrize(
    ("levels", "bad"),
    [(["exact"] * 999 + ["refused"], False), (["exact"] * 99 + ["refused"], True), (["exact", "crash"], True)],
)
def test_a_share_may_be_refused(levels, bad):
    assert generated_code.too_bad([Row("", level) for level in levels], 0.2) is bad


def test_an_unknown_library_is_an_error(capsys):
    with pytest.raises(SystemExit):
        generated_code.main(["--only", "numpy"])
    assert "no program for numpy" in capsys.readouterr().err


def test_every_library_has_its_program():
    programs = {path.stem[len("for_") :] for path in GENERATORS.glob("for_*.py")}
    assert programs == set(generated_code.LIBRARIES)


def test_a_tally_counts_by_group():
    tally = Tally()
    tally.add("3.9 attrs", [Row("a", "exact"), Row("b", "refused", "why")])
    tally.leave_out("3.12 attrs", "broken")
    lines = tally.table().splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["3.9", "3.12"]
    assert lines[1].split()[-2:] == ["50.00", "0"]
    assert lines[2].split()[-2:] == ["0.00", "1"]
    assert tally.failed() == [f"3.9 attrs  refused  b{os.linesep[-1]}    why"]
