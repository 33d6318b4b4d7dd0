"""`depyf run` beside the interpreter, programs that compile: the same results, output, tracebacks and exit status."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

import pytest
from torch_programs import SCRIPTS

NAMES = (
    "exception_after_a_break", "exit_inside", "fork_that_exits", "late_workers", "no_whole_graph", "nothing_to_compile",
    "results", "saved_model", "spawned", "threads_and_tasks", "workers",
)  # fmt: skip


def outcome(*words, folder, **variables):
    done = subprocess.run([sys.executable, *words], cwd=str(folder), capture_output=True, encoding="utf-8", timeout=120,
                          env={**os.environ, **variables})  # fmt: skip
    errors = re.sub(r"^[WEI]\d{4} \S+ \d+ ", "", done.stderr, flags=re.MULTILINE)  # of torch's log: when, and by whom
    return done.returncode, done.stdout, errors


@pytest.mark.parametrize("name", NAMES)
def test_a_program_that_compiles_does_the_same(name, tmp_path):
    shutil.copy(SCRIPTS[name], tmp_path / "program.py")
    plain = outcome("program.py", folder=tmp_path)
    assert outcome("-m", "depyf", "run", "-q", "program.py", folder=tmp_path) == plain
    assert plain[1] or plain[2] or name == "nothing_to_compile"
    assert (tmp_path / "depyf_report" / "README.md").exists()


def test_workers_that_are_forked_before_dynamo_is_imported_have_reports(tmp_path):
    shutil.copy(SCRIPTS["late_workers"], tmp_path / "program.py")
    status, _, errors = outcome("-m", "depyf", "run", "program.py", folder=tmp_path)
    assert (status, errors.splitlines()[0]) == (0, "depyf: nothing was compiled by torch.compile in this process")
    line = "another process: 1 function compiled, 1 graph break, no recompilations    depyf report depyf_report"
    assert sorted(errors.splitlines()[1:]) == [line, line + os.sep + "process_0"]


def test_ranks_do_the_same(tmp_path):
    shutil.copy(SCRIPTS["reduced"], tmp_path / "program.py")
    words = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]

    def once_it_ends_well(*program):
        """Without depyf, too, gloo now and then fails at the end: one rank is gone before the other looks."""
        found = [outcome(*words, *program, folder=tmp_path)]
        while found[-1][0] and len(found) < 4:
            found.append(outcome(*words, *program, folder=tmp_path))
        return found[-1]

    status, out, _ = once_it_ends_well("program.py")
    found = once_it_ends_well("-m", "depyf", "run", "-q", "program.py")
    assert (found[0], sorted(found[1].splitlines())) == (status, sorted(out.splitlines())) and status == 0
    assert "depyf" not in found[2]


def test_a_recording_that_cannot_begin_does_not_reach_the_program(tmp_path):
    (tmp_path / "program.py").write_text("import torch._dynamo\nprint('goes on')\n")
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['depyf.explain.recording.session'] = None\n")
    status, out, errors = outcome("-m", "depyf", "run", "program.py", folder=tmp_path, PYTHONPATH=str(tmp_path))
    assert (status, out) == (0, "goes on\n")
    assert errors.startswith("depyf run: no recording: ") and errors.count("\n") == 1


@pytest.mark.parametrize(("given", "words"), [
    ('mode="fast"', "RuntimeError: Unrecognized mode=fast"),
    ('backend="nope"', "InvalidBackend: Invalid backend: 'nope'"),
    ('mode="default", options={"a": 1}', "RuntimeError: Either mode or options"),  # before Dynamo is imported
])  # fmt: skip
def test_what_torch_compile_refuses_is_told_at_its_line(given, words, tmp_path):
    (tmp_path / "program.py").write_text(f"import torch\n\nf = torch.compile(len, {given})\nf([])\n")
    plain = outcome("program.py", folder=tmp_path)
    status, out, errors = outcome("-m", "depyf", "run", "program.py", folder=tmp_path)
    assert (status, out) == plain[:2] and errors.startswith(plain[2]) and status == 1
    assert f"program.py:3  raised      {words}" in errors and "1 call raised" in errors
    assert (tmp_path / "depyf_report" / "README.md").read_text().count(words) == 1


def test_no_value_of_the_environment_is_recorded(tmp_path):
    shutil.copy(SCRIPTS["results"], tmp_path / "program.py")
    planted = "planted-value-of-a-variable"
    variables = dict.fromkeys(("API_TOKEN", "PYTHONSTARTUP", "TORCHINDUCTOR_PLANTED", "DEPYF_PLANTED"), planted)
    status, out, errors = outcome("-m", "depyf", "run", "--html", "program.py", folder=tmp_path, **variables)
    written = [path for path in (tmp_path / "depyf_report").rglob("*") if path.is_file()]
    assert status == 0 and any(path.suffix == ".html" for path in written)
    assert [path.name for path in written if planted.encode() in path.read_bytes()] == []
    assert planted not in out + errors
