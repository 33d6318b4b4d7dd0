"""The README shows what really comes out."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_prints_what_the_readme_shows(tmp_path):
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "toy.py")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache")},
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    shown = re.search(r"It ends with\n\n```\n(.*?)```", README, re.DOTALL)
    assert shown is not None
    assert done.stdout.strip() == shown.group(1).strip()
    assert "Proven equivalent" in done.stdout


def test_the_console_examples_are_true():
    text = re.sub(r"^```.*$", "", README, flags=re.MULTILINE)  # a fence would count as output
    test = doctest.DocTestParser().get_doctest(text, {}, "README.md", str(ROOT / "README.md"), 0)
    assert len(test.examples) >= 2
    assert doctest.DocTestRunner().run(test).failed == 0


def test_the_console_examples_of_the_documentation_are_true():
    text = re.sub(r"^```.*$", "", (ROOT / "docs" / "verdicts.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(text, {}, "verdicts.md", "docs/verdicts.md", 0)
    assert len(test.examples) >= 3
    assert doctest.DocTestRunner().run(test).failed == 0


def test_files_that_the_readme_names_exist():
    links = re.findall(r"\]\((?!http)([^)#]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_commands_of_the_readme_are_targets_of_the_makefile():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"\bmake (\w+)", README))
    assert {"demo", "test"} <= named
    assert [name for name in named if not re.search(rf"^{name}:", makefile, re.MULTILINE)] == []
