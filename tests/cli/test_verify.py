"""``depyf verify``: what it prints, and its exit status."""

from __future__ import annotations

import json
import py_compile
import re
import sys
from pathlib import Path

import pytest

TAG = sys.implementation.cache_tag
SOURCE = "def f(x):\n    return x + 1\n"
ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def tree(tmp_path):
    for name, text in (("good", SOURCE), ("bad", SOURCE.replace("1", "2"))):
        (tmp_path / f"{name}.py").write_text(text)
        unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
        py_compile.compile(str(tmp_path / f"{name}.py"), invalidation_mode=unchecked)
        (tmp_path / f"{name}.py").write_text(SOURCE)
    return tmp_path


def test_a_tree(tree, run_depyf):
    done = run_depyf("verify", ".")
    assert done.returncode == 1, done.stderr
    assert done.stdout.splitlines() == [
        f"./__pycache__/bad.{TAG}.pyc: differs (CPython {sys.version_info[0]}.{sys.version_info[1]}) from ./bad.py",
        "  loaded unchecked: its header says that the source is not to be checked (UNCHECKED_HASH)",
        "  f",
        "    in the .pyc, line 2:",
        "          return x + 2",
        "    in the source, line 2:",
        "          return x + 1",
        "2 compiled files: 1 identical, 1 differs",
    ]
    assert done.stderr == ""


def test_exit_statuses(tree, run_depyf):
    good, bad = f"__pycache__/good.{TAG}.pyc", f"__pycache__/bad.{TAG}.pyc"
    assert run_depyf("verify", good).returncode == 0
    assert run_depyf("verify", good, bad).returncode == 1
    assert run_depyf("verify", bad, "nothing").returncode == 1  # a difference is worse than trouble
    done = run_depyf("verify", good, "nothing")
    assert (done.returncode, done.stderr) == (2, "depyf verify: there is no file or folder nothing\n")
    (tree / "good.py").unlink()
    assert run_depyf("verify", good).returncode == 2
    assert run_depyf("verify", good, "--source", "bad.py").returncode == 0
    assert run_depyf("verify", good, bad, "--source", "bad.py").returncode == 2
    assert run_depyf("verify").returncode == 2


def test_quiet_and_verbose(tree, run_depyf):
    done = run_depyf("verify", "-q", ".")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
    assert f"__pycache__/good.{TAG}.pyc: identical" in run_depyf("verify", "-v", ".").stdout


def test_json(tree, run_depyf):
    done = run_depyf("verify", "--json", ".")
    found = json.loads(done.stdout)
    assert (done.returncode, found["exit_status"], found["counts"]["differs"]) == (1, 1, 1)
    bad, good = found["files"]
    assert (good["status"], good["changes"]) == ("identical", [])
    assert bad["changes"] == [{
        "where": "f", "what": "", "lines": ["    return x + 2"], "line": 2,
        "source_lines": ["    return x + 1"], "source_line": 2,
    }]  # fmt: skip


def test_sarif(tree, run_depyf):
    done = run_depyf("verify", "--sarif", ".")
    [run] = json.loads(done.stdout)["runs"]
    [result] = run["results"]
    assert (done.returncode, result["ruleId"], result["level"]) == (1, "differs", "error")
    [place] = result["locations"]
    assert place["physicalLocation"] == {"artifactLocation": {"uri": "bad.py"}, "region": {"startLine": 2}}
    assert "    return x + 2" in result["message"]["text"]


def test_text_of_a_file_without_source(tree, run_depyf):
    (tree / "bad.py").unlink()
    done = run_depyf("verify", "--decompile", f"__pycache__/bad.{TAG}.pyc")
    assert done.returncode == 2
    assert "  |     return x + 2" in done.stdout


def test_what_a_terminal_would_obey_is_escaped(tree, run_depyf):
    (tree / "\x1b[2Jx.pyc").write_bytes(b"\x1b[2J")
    done = run_depyf("verify", ".")
    assert "\x1b" not in done.stdout + done.stderr
    assert r"\x1b[2Jx.pyc" in done.stdout


def test_the_hook_takes_what_can_be_checked():
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text()
    pattern = re.search(r"files: (\S+)", hook).group(1)
    assert all(re.search(pattern, name) for name in ("a.pyc", "p/__pycache__/a.cpython-311.opt-1.pyc", "a.whl"))
    assert not re.search(pattern, "a.py")
