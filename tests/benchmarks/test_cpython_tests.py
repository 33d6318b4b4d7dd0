"""benchmarks/measure/cpython_tests.py serves decompiled modules to CPython's own tests, and sees what is lost."""

import time
from pathlib import Path

import pytest

import cpython_tests


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    found, unproven = cpython_tests.decompile(["textwrap"], tmp_path_factory.mktemp("decompiled"))
    assert not unproven
    return found


@pytest.fixture(scope="module")
def original():
    return cpython_tests.run("test_textwrap", {}, 120)


def test_a_decompiled_module_passes_its_own_tests(served, original):
    found = cpython_tests.run("test_textwrap", served, 120)
    assert (found.failure, found.served) == ("", ["textwrap"])
    assert len(found.outcomes) > 50
    assert cpython_tests.lost(original, found) == []


def test_a_wrong_line_is_seen(served, original, tmp_path):
    (text, path, is_package) = served["textwrap"]
    wrong = tmp_path / "textwrap.py"
    wrong.write_text(Path(text).read_text(encoding="utf-8") + "\n\ndedent = str.upper\n", encoding="utf-8")
    found = cpython_tests.run("test_textwrap", {"textwrap": (str(wrong), path, is_package)}, 120)
    assert len(cpython_tests.lost(original, found)) > 3


def test_a_module_that_does_not_import_loses_all(served, original, tmp_path):
    (_, path, is_package) = served["textwrap"]
    broken = tmp_path / "textwrap.py"
    broken.write_text("raise SystemExit(3)", encoding="utf-8")
    found = cpython_tests.run("test_textwrap", {"textwrap": (str(broken), path, is_package)}, 120)
    assert len(cpython_tests.lost(original, found)) > 50 or found.failure


def test_packages_are_served_with_all_their_modules():
    names = {name for name, _, _ in cpython_tests.sources("json")}
    assert names >= {"json", "json.decoder", "json.encoder"}
    assert list(cpython_tests.sources("sys")) == []
    assert [is_package for name, _, is_package in cpython_tests.sources("json") if name == "json"] == [True]


def test_what_does_not_end_is_killed_with_all_that_it_started(served, tmp_path):
    (_, path, is_package) = served["textwrap"]
    alive = tmp_path / "alive"
    child = f"import time; time.sleep(4); open({str(alive)!r}, 'w').close()"
    endless = tmp_path / "textwrap.py"
    endless.write_text(f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {child!r}])\n", encoding="utf-8")
    found = cpython_tests.run("test_textwrap", {"textwrap": (str(endless), path, is_package)}, 2)
    assert "did not end within 2 s" in found.failure
    time.sleep(4)
    assert not alive.exists()
