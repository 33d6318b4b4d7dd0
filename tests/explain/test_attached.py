"""What a process that `depyf attach` asks writes, and that it does not notice. Here it is this process."""

from __future__ import annotations

import json
import logging
import os
import random
import sys
from pathlib import Path

import pytest
import torch
from torch._dynamo.utils import counters

import depyf
from depyf.cli import main
from depyf.run import attach
from depyf.run.reports import read_report, read_reports


def scaled(x, factor):
    y = x * factor
    print(end="")
    return y + 1


@pytest.fixture
def asked_here(tmp_path, monkeypatch):
    """`depyf attach` asks this process, whatever number it is given."""
    torch._dynamo.reset()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "remote_exec", lambda pid, script: exec(Path(script).read_text(), {}), raising=False)
    yield tmp_path
    torch._dynamo.reset()


def state():
    kept = {name: dict(count) for name, count in counters.items()}
    return kept, random.getstate(), torch.get_rng_state().tolist(), sys.path[:], torch.is_grad_enabled()


def test_the_report(asked_here, capsys, caplog):
    compiled = torch.compile(scaled, backend="eager")
    for factor in (2, 3):
        compiled(torch.ones(3), factor)
    before = state()
    caplog.clear()
    with caplog.at_level(logging.DEBUG):
        assert main(["attach", "1", "-o", "out", "--html"]) == 0
    assert state() == before
    assert caplog.records == []
    out = capsys.readouterr().out
    assert "break" in out and "recompile" in out and out.endswith("report.html    depyf report out\n")
    report = read_report("out")
    assert [note.partition(" ")[0] for note in report.notes] == ["read"]
    assert {one.kind for one in report.remarks} >= {"break", "recompile"}
    assert {one.file for one in report.remarks} == {__file__}
    page = (asked_here / "out" / "full_code_for_scaled_0.py").read_text()
    assert "def __transformed_code_0_for_scaled(x, factor):" in page and "def __guard_1_for_scaled" in page
    assert "Note: read from the running process" in (asked_here / "out" / "README.md").read_text()


def test_inside_of_a_compiled_call(asked_here):
    """The program is in a function that Dynamo left to Python, where it looks at all frames that are called."""
    request = {"folder": str(asked_here), "directory": str(asked_here / "out"), "html": False, "several": False,
               "depyf": depyf.__file__, "version": depyf.__version__}  # fmt: skip
    text = Path(attach.__file__).with_name("attached_script.py").read_text()
    request = compile(text.replace("= {}", f"= {request!r}", 1), "<string>", "exec")

    @torch._dynamo.disable(recursive=False)
    def between():
        exec(script, {})

    def program(x):
        y = x + 1
        between()
        return y * 2

    counts = []
    script = compile("pass", "<string>", "exec")
    for following in (request, None):
        torch._dynamo.reset()
        counters.clear()
        assert torch.compile(program, backend="eager")(torch.ones(2)).tolist() == [4, 4]
        counts.append(dict(counters["frames"]))
        script = following
    assert json.loads((asked_here / "answer.json").read_text()) == {
        "written": str(asked_here / "out"), "why": ""
    }  # fmt: skip
    assert (asked_here / "out" / "README.md").exists()
    assert counts[0] == counts[1]


def test_nothing_is_compiled(asked_here, capsys):
    assert main(["attach", "1", "-o", "out"]) == 2
    assert capsys.readouterr().err == "depyf attach: process 1: nothing is compiled in it, or not yet\n"
    assert not (asked_here / "out").exists()


def test_an_interrupt_meanwhile_is_for_the_program(asked_here, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("depyf.explain.after_the_fact.attached.write_what_is_compiled", interrupted)
    assert main(["attach", "1", "-o", "out", "--wait", "20"]) == 130


def test_ranks_are_told_apart(asked_here, monkeypatch, capsys):
    """`depyf report` finds them by their folders."""
    torch.compile(scaled, backend="eager")(torch.ones(3), 2)
    monkeypatch.setenv("WORLD_SIZE", "2")
    ranks = iter("01")
    asked = sys.remote_exec

    def ask(pid, script):
        monkeypatch.setenv("RANK", next(ranks))
        asked(pid, script)

    monkeypatch.setattr(sys, "remote_exec", ask)
    assert main(["attach", "1", str(os.getppid()), "-o", "out"]) == 0
    assert "rank 1: " in capsys.readouterr().out
    assert sorted(read_reports("out")) == ["rank_0", "rank_1"]
