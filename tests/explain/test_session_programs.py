"""Small programs (small_programs.py), recorded and alone: results, exceptions and numbers of graphs are the same."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NAMES = re.findall(r"^@program\ndef (\w+)", (HERE / "small_programs.py").read_text(), re.MULTILINE)


@pytest.fixture(scope="module", params=["eager", "aot_eager"])
def both(request, tmp_path_factory):
    """Reports by program, alone and recorded, and the directory with a dump per program."""
    dumps = tmp_path_factory.mktemp("programs")
    reports = []
    processes = [
        subprocess.Popen(
            [sys.executable, "-W", "ignore", str(HERE / "small_programs.py"), request.param, directory],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for directory in ("-", str(dumps))
    ]
    for process in processes:
        output, errors = process.communicate(timeout=600)
        assert process.returncode == 0, errors.decode()[-3000:]
        lines = [json.loads(line) for line in output.decode().splitlines()]
        reports.append({line["program"]: line for line in lines})
    return reports[0], reports[1], dumps


@pytest.mark.parametrize("name", NAMES)
def test_the_same_alone_and_recorded(both, name):
    alone, recorded, dumps = both
    for what in ("result", "exception", "graphs"):
        assert recorded[name].get(what) == alone[name].get(what)
    for path in (dumps / name).glob("*.py"):
        compile(path.read_text(encoding="utf-8"), path.name, "exec", dont_inherit=True)
    assert os.path.exists(str(dumps / name / "README.md"))


def test_what_fails_is_named_and_only_code_that_is_not_proven(both):
    _, recorded, _ = both
    failures = [failure for report in recorded.values() for failure in report["failures"]]
    assert [what for what, _ in failures if not what.startswith("replacing ")] == []


def test_most_compilations_run_our_code(both):
    _, recorded, _ = both
    compilations = sum(report["compilations"] for report in recorded.values())
    refused = [failure for report in recorded.values() for failure in report["failures"]]
    assert compilations > 50
    assert sum(report["ours"] for report in recorded.values()) == compilations, refused
