"""The fuzzer of the commands: a short run finds nothing, and what it is made to find it does find, with its culprit."""

from __future__ import annotations

import argparse
import signal
import sys

import pytest

import fuzz_commands
import fuzz_decompiler
from fuzz_commands import STATUS

CULPRIT, NOTICED = 7, 10
DIES = f"""#!{sys.executable}
import json, os, signal, sys
words = sys.argv[4:]  # after the options of Python and the script
numbers = range(*map(int, words[-2:])) if "--seed" in words else [int(os.path.basename(words[-1])[:-4])]
for number in numbers:
    open(os.path.join(words[1], f"{{number}}.pyc"), "w").close()
    if number == ({NOTICED} if len(numbers) > 1 else {CULPRIT}):
        sys.stderr.write("Fatal Python error")
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGSEGV)
    print(json.dumps(dict(word="proven", seconds=1, bytes=1, kind="", reason="", number=number)), flush=True)
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("seeds")
    fuzz_decompiler.make_seeds(str(folder))
    return fuzz_decompiler.read_seeds(str(folder))


def test_a_short_run(tmp_path, capsys):
    assert fuzz_commands.main(["--inputs", "12", "--seed", "5", "--save", str(tmp_path / "failures")]) == 0
    cells = capsys.readouterr().out.splitlines()[-1].strip("| ").split(" | ")
    assert cells[3] == "12" and sum(int(cell) for cell in cells[4:8]) == 12 and cells[8:11] == ["0", "0", "0"]
    assert not (tmp_path / "failures").exists()


def test_inputs_depend_on_the_seed_and_the_number_alone(files):
    first = [fuzz_commands.made(files, 3, number) for number in range(30)]
    assert first == [fuzz_commands.made(files, 3, number) for number in range(30)]
    assert first != [fuzz_commands.made(files, 4, number) for number in range(30)]


def fails(words):
    raise ZeroDivisionError("planted")


@pytest.mark.parametrize(
    ("name", "value", "kind", "reason"),
    [
        ("run_command", fails, "traceback", "decompile: ZeroDivisionError in test_fuzz_commands.py"),
        ("run_command", lambda words: 4, "traceback", "decompile: status 4"),
        ("run_command", lambda words: sys.exit(0), "traceback", "decompile: SystemExit in test_fuzz_commands.py"),
        ("SECONDS", -100.0, "bound", "decompile: 0"),
        ("BYTES", -(10**12), "bound", "decompile: 0 MB"),
    ],
)
def test_planted_failures_are_found(files, tmp_path, monkeypatch, name, value, kind, reason):
    path = tmp_path / "input.pyc"
    path.write_bytes(min(files, key=len))
    assert fuzz_commands.examine(str(path))["word"] == STATUS[0]
    monkeypatch.setattr(fuzz_commands, name, value)
    answer = fuzz_commands.examine(str(path))
    assert answer["kind"] == kind and answer["reason"].replace(" -", " ").startswith(reason)


def test_a_signal_is_laid_to_the_input_that_causes_it(tmp_path, capsys):
    """Damaged memory is noticed some inputs later: the last ones are tried alone."""
    interpreter = tmp_path / "python"
    interpreter.write_text(DIES)
    interpreter.chmod(0o755)
    save = tmp_path / "failures"
    options = argparse.Namespace(interpreter=str(interpreter), seed=1, save=str(save), version="3.x")
    record = fuzz_commands.Record(options, str(tmp_path))
    for answer in fuzz_commands.batch(options, str(tmp_path), 0):
        record.add(answer)
    assert record.words == {"proven": NOTICED, "failed": 1} and record.kinds == {"signal": 1}
    assert sorted(path.name for path in save.iterdir()) == [f"3.x-1-{CULPRIT}.pyc", f"3.x-1-{CULPRIT}.txt"]
    said = (save / f"3.x-1-{CULPRIT}.txt").read_text()
    assert said == f"the process ended with {-signal.SIGSEGV}\nFatal Python error"
    assert f"FAILURE at input {CULPRIT}" in capsys.readouterr().out
