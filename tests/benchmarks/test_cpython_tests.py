"""benchmarks/measure/cpython_tests.py serves decompiled modules to tests, and sees what is lost."""

import time
from pathlib import Path

import pytest

import cpython_tests

# Some installations of CPython come without its tests.
TESTS = """
import textwrap
import unittest


class Wrapping(unittest.TestCase):
    def test_wrap(self):
        self.assertEqual(textwrap.wrap("one two three", 8), ["one two", "three"])

    def test_shorten(self):
        self.assertEqual(textwrap.shorten("one two three", 12), "one [...]")

    def test_indent(self):
        self.assertEqual(textwrap.indent("a\\n\\nb", "  "), "  a\\n\\n  b")

    def test_dedent(self):
        self.assertEqual(textwrap.dedent("  a\\n    b\\n"), "a\\n  b\\n")
"""
ALL = [f"test.test_wrapping.Wrapping.test_{name}" for name in ("dedent", "indent", "shorten", "wrap")]


@pytest.fixture(scope="module")
def tests(tmp_path_factory):
    path = tmp_path_factory.mktemp("tests") / "test_wrapping.py"
    path.write_text(TESTS, encoding="utf-8")
    return {"test.test_wrapping": (str(path), str(path), False)}


@pytest.fixture(scope="module")
def served(tests, tmp_path_factory):
    found, unproven = cpython_tests.decompile(["textwrap"], tmp_path_factory.mktemp("decompiled"))
    assert not unproven
    return {**found, **tests}


@pytest.fixture(scope="module")
def original(tests):
    return cpython_tests.run("test_wrapping", tests, 120)


def test_a_decompiled_module_passes_its_own_tests(served, original):
    found = cpython_tests.run("test_wrapping", served, 120)
    assert (found.failure, sorted(found.served)) == ("", ["test.test_wrapping", "textwrap"])
    assert found.outcomes == dict.fromkeys(ALL, "ok")
    assert cpython_tests.lost(original, found) == []


def test_a_wrong_line_is_seen(served, original, tmp_path):
    (text, path, is_package) = served["textwrap"]
    wrong = tmp_path / "textwrap.py"
    wrong.write_text(Path(text).read_text(encoding="utf-8") + "\n\ndedent = str.upper\n", encoding="utf-8")
    found = cpython_tests.run("test_wrapping", {**served, "textwrap": (str(wrong), path, is_package)}, 120)
    assert cpython_tests.lost(original, found) == [ALL[0]]


def test_a_module_that_does_not_import_loses_all(served, original, tmp_path):
    (_, path, is_package) = served["textwrap"]
    broken = tmp_path / "textwrap.py"
    broken.write_text("raise SystemExit(3)", encoding="utf-8")
    found = cpython_tests.run("test_wrapping", {**served, "textwrap": (str(broken), path, is_package)}, 120)
    assert sorted(cpython_tests.lost(original, found)) == ALL or found.failure


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
    found = cpython_tests.run("test_wrapping", {**served, "textwrap": (str(endless), path, is_package)}, 2)
    assert "did not end within 2 s" in found.failure
    time.sleep(4)
    assert not alive.exists()
