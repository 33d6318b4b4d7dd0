"""Twenty wrong usages of each command, and what it says: wrong_usage.txt shows the lines.

``python tests/cli/test_wrong_usage.py`` writes them anew.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
import zipfile
from collections import Counter
from pathlib import Path
from typing import Iterator, List, Tuple

import pytest

from depyf import cli

LINES = Path(__file__).with_name("wrong_usage.txt")
COMMANDS = ("decompile", "disasm", "verify", "coverage", "run", "report", "diff", "attach", "doctor")


def written() -> Iterator[Tuple[str, str]]:
    """Each command line with the lines that it prints."""
    for block in LINES.read_text(encoding="utf-8").split("$ depyf")[1:]:
        words, _, said = block.partition("\n")
        yield words.strip(), said


def make_files(folder: Path) -> None:
    (folder / "points.py").write_text("class Point:\n    def norm(self):\n        return self.x\n")
    (folder / "broken.py").write_text("def f(:\n")
    (folder / "text.pyc").write_text("hello\n")
    (folder / "empty.pyc").write_bytes(b"")
    (folder / "notes.txt").write_text("no program\n")
    (folder / "page.html").write_text("<html>\n")
    (folder / "damaged.zip").write_bytes(b"PK\3\4 and nothing else")
    (folder / "remarks.json").write_text("[")
    (folder / "folder").mkdir()
    with zipfile.ZipFile(folder / "a.whl", "w") as file:
        file.writestr("a.py", "x = 1\n")


def said_by(words: str) -> Tuple[int, str]:
    """The exit status and all output of a command that ends at once. The interpreter's words for choices vary."""
    out, sys_path = io.StringIO(), sys.path[:]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            status = cli.main(shlex.split(words))
        except SystemExit as error:
            status = error.code if isinstance(error.code, int) else 1
    sys.path[:] = sys_path
    text = re.sub(r"('\d+' )?\(choose from .*\)", lambda found: found[0].replace("'", ""), out.getvalue())
    return status, text


@pytest.fixture
def files(tmp_path, monkeypatch):
    make_files(tmp_path)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_wrong_is_said_in_one_line(command, files):
    cases = [(words, said) for words, said in written() if words.partition(" ")[0] == command]
    assert len(cases) >= 20
    for words, expected in cases:
        status, said = said_by(words)
        assert (words, said) == (words, expected)
        assert status in (1, 2, 3), words
        *usage, line = said.splitlines()
        assert [one[: len(f"usage: depyf {command}")] for one in usage] == [f"usage: depyf {command}"][: len(usage)]
        assert line.startswith(("depyf", "nothing was checked", f"{words.split()[-1]}: ")), line
        assert "Traceback" not in said and "internal error" not in said


def test_the_program_without_a_command(files):
    for words, expected in written():
        if words.partition(" ")[0] not in COMMANDS:
            status, said = said_by(words)
            assert (status, said) == (2, expected), words
            assert said.startswith("usage: depyf [OPTION ...] COMMAND ...\ndepyf: error: ")


def write(lines: List[str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        make_files(Path(name))
        here = os.getcwd()
        os.chdir(name)
        texts = ["$ depyf {}\n{}".format(words, said_by(words)[1]) for words in lines]
        os.chdir(here)
    LINES.write_text("".join(texts).replace("$ depyf \n", "$ depyf\n"), encoding="utf-8")
    print(Counter(words.partition(" ")[0] for words in lines))


if __name__ == "__main__":
    write([words for words, _ in written()])
