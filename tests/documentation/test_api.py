"""docs/api.md: each public name is there, says what it takes, and has an example that runs; type checkers know it."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import depyf
import depyf.explain

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
sys.path.append(str(HERE))

from examples import value_of  # noqa: E402

DIRECTIVES = re.findall(
    r"^\.\. auto(\w+):: (depyf[\w.]+)", (ROOT / "docs" / "api.md").read_text(encoding="utf-8"), re.MULTILINE
)
USED = [name for kind, name in DIRECTIVES if kind in ("function", "exception")] + [
    "depyf.Decompiler", "depyf.optimization.TorchCompileWrapperWithCustomDispatcher", "depyf.testing.compiled",
]  # fmt: skip
"""What programs call, raise or catch; the other classes are what these return."""


def test_every_public_name_is_on_the_page():
    described = {name.rpartition(".")[2] for _, name in DIRECTIVES}
    public = {*depyf.__all__, *depyf.explain.__all__, *depyf.source.__all__, *depyf.files.__all__} - {"__version__"}
    assert public - described == set()


@pytest.mark.parametrize("name", [name for _, name in DIRECTIVES])
def test_a_name_says_what_it_takes(name: str):
    """By `Args` for what is called, by its docstring or `Attributes` for what has fields."""
    value = value_of(name)
    text = inspect.getdoc(value)
    assert text and not text.startswith(getattr(value, "__name__", "") + "(")
    if name in USED and not (isinstance(value, type) and issubclass(value, Exception)):
        listed = re.findall(r"^    (\w+): ", text.partition("Args:\n")[2].partition("\n\n")[0], re.MULTILINE)
        assert listed == list(inspect.signature(value).parameters)


def test_the_examples_run():
    done = subprocess.run([sys.executable, str(HERE / "examples.py"), *USED], stdout=subprocess.PIPE, text=True)
    wrong = {name: text for name, text in json.loads(done.stdout.splitlines()[-1]).items() if text}
    assert wrong == {}, "\n".join(wrong.values())


PROGRAM = """
import depyf

depyf.decompile(len, layout="author")
depyf.source.install()
depyf.read_pyc("x.pyc")
depyf.explain.dump_src(len)
depyf.explain.model.SourceLine("x.py", 1)
depyf.files.open_tree("x").compiled()
depyf.errors.PycError("", 1)
depyf.testing.compiled(breaks=0)
depyf.optimization.TorchCompileWrapperWithCustomDispatcher.dispatch_to_code
"""
WRONG = ["depyf.typo", "depyf.explain.typo", "depyf.decompiler.typo", "depyf.decompile(len, layuot='')"]


def test_no_module_answers_type_checkers_for_any_name():
    """`__getattr__` of a module, unless it is under `if not TYPE_CHECKING`."""
    for path in sorted((ROOT / "src").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        assert "\ndef __getattr__" not in text, path


def test_type_checkers_know_the_names_and_no_others(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM + "import depyf.decompiler\n" + "\n".join(WRONG) + "\n")
    first = PROGRAM.count("\n") + 2
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "", "--strict", "--no-error-summary", "--follow-imports=silent",
         "--ignore-missing-imports", "program.py"],
        cwd=str(tmp_path), env={"MYPYPATH": str(ROOT / "src"), "PATH": ""}, capture_output=True, text=True,
    )  # fmt: skip
    found = re.findall(r"^program\.py:(\d+): error", done.stdout, re.MULTILINE)
    assert [int(line) for line in found] == [first + number for number in range(len(WRONG))], done.stdout + done.stderr
