"""`inspect`, `interactive_explain` and ``%%depyf`` as a person meets them: in the cells of a real kernel."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, List

import nbclient
import nbformat
import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src"
CELLS = [
    """
import depyf, torch
def toy_example(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b
compiled = torch.compile(toy_example, backend="aot_eager")
""",
    "depyf.inspect(compiled)",
    "for sign in (1, -1):\n    compiled(torch.randn(10), sign * torch.rand(10))\ndepyf.inspect(compiled)",
    "depyf.explain.interactive_explain(toy_example)",
]


def executed(cells: List[str], folder: str = ".") -> List[Any]:
    """What each cell shows."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    path = os.pathsep.join([str(SOURCE), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", allow_errors=True,
                                     resources={"metadata": {"path": folder}})  # fmt: skip
    client.execute(env={**os.environ, "PYTHONPATH": path})
    return [cell.outputs for cell in notebook.cells]


@pytest.fixture(scope="module")
def outputs() -> List[Any]:
    return executed(CELLS)


def test_before_a_call_a_cell_says_what_to_do(outputs: List[Any]) -> None:
    (error,) = outputs[1]
    assert error.ename == "NothingCompiled"
    assert "nothing is compiled for toy_example" in error.evalue
    assert len("\n".join(error.traceback).splitlines()) < 5  # the message, not our insides


@pytest.mark.parametrize("cell", [2, 3])
def test_a_cell_shows_the_tree(outputs: List[Any], cell: int) -> None:
    (result,) = outputs[cell]
    shown = result.data["text/html"]
    for part in ["<details", "toy_example", "Transformed code", "proven equivalent", "In[1]:4", "resume at line 5"]:
        assert part in shown
    assert "ipykernel" not in shown
    assert result.data["text/plain"].startswith("toy_example ── graph")


def test_a_notebook_of_two_trees_has_each_id_once(outputs: List[Any]) -> None:
    first, second = (set(output[0].data["text/html"].split(' id="')[1:]) for output in outputs[2:])
    names = [{part.split('"')[0] for part in one} for one in (first, second)]
    assert names[0] and not names[0] & names[1]


# ---- %%depyf

MAGIC = [
    "%load_ext depyf\nimport sys\nprint('torch' in sys.modules)",
    """%%depyf

import torch
def f(x):
    y = x.sin()
    if y.sum() > 0:
        y = y + 1
    return y
g = torch.compile(f, backend="eager")
g(torch.ones(3))""",
    "_ + 1",
    "%%depyf\ng(torch.ones(3))\n7",
    "%%depyf\n\n1 / 0",
    "%%depyf\nx = = 2",
    "%%depyf --output kept\n%%capture\nprint('hidden')\ng(torch.ones(4))",
    "%%depyf --what\nprint('not run')",
    "%%depyf -q\ng(torch.ones(4, 4))",
    "%%depyf\ng(torch.ones(2, 2, 2))\ng(None)",
    "%unload_ext depyf",
    "%%depyf\nprint('not run')",
]


@pytest.fixture(scope="module")
def magic(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("notebook")
    return executed(MAGIC, str(folder)), folder


def test_the_extension_is_loaded_without_torch(magic: Any) -> None:
    assert [one.text for one in magic[0][0]] == ["False\n"]


def test_a_cell_shows_its_value_and_then_what_was_compiled(magic: Any) -> None:
    value, shown = magic[0][1]
    assert value.data["text/plain"] == "tensor([1.8415, 1.8415, 1.8415])"
    text = shown.data["text/plain"]
    assert text.startswith("depyf: 1 function compiled, 1 graph break, no recompilations\n  In[2]:6  break ")
    assert "f \u2500\u2500 graph 1: sin, sum, gt" in text
    page = shown.data["text/html"]
    assert page.startswith('<pre class="depyf-answer">depyf: 1 function') and "<details" in page
    assert "In[2]:6" in page and "ipykernel" not in page
    assert magic[0][2][0].data["text/plain"] == "tensor([2.8415, 2.8415, 2.8415])"


def test_a_cell_in_which_nothing_was_compiled_says_so(magic: Any) -> None:
    shown = [one.data["text/plain"] for one in magic[0][3] if "data" in one]
    assert shown[0] == "7" and shown[1].startswith("depyf: nothing was compiled in this cell; ")


def test_an_error_is_shown_once_at_its_line(magic: Any) -> None:
    (error,) = [one for one in magic[0][4] if one.output_type == "error"]
    assert error.ename == "ZeroDivisionError" and not any("data" in one for one in magic[0][4])
    text = re.sub(r"\x1b\[[\d;]*m", "", "\n".join(error.traceback))
    assert "Cell In[5], line 3" in text and "notebook.py" not in text
    (error,) = [one for one in magic[0][5] if one.output_type == "error"]
    assert error.ename == "SyntaxError"


def test_options(magic: Any) -> None:
    outputs, folder = magic
    (shown,) = [one for one in outputs[6] if "data" in one]  # what %%capture has taken is not shown
    assert "1 recompilation" in shown.data["text/plain"] or "recompilations" in shown.data["text/plain"]
    assert (folder / "kept" / "README.md").exists() and [one.name for one in folder.iterdir()] == ["kept"]
    (usage,) = outputs[7]
    assert "unrecognized arguments: --what" in usage.text
    assert [one.output_type for one in outputs[8]] == ["execute_result"]
    assert outputs[11][0].text == "UsageError: Cell magic `%%depyf` not found.\n"


def test_what_was_compiled_before_an_error_is_shown(magic: Any) -> None:
    kinds = [one.output_type for one in magic[0][9]]
    assert kinds == ["display_data", "error"]


def test_in_a_terminal(tmp_path: Path) -> None:
    code = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance(colors='NoColor')\nshell.run_cell('%load_ext depyf')\n"
        "result = shell.run_cell('%%depyf\\nimport torch\\nprint(torch.compile(lambda x: x + 1, backend=\"eager\")"
        "(torch.ones(2)))')\nprint(result.success)\nprint(shell.run_cell('%%depyf\\nno_such_name').success)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", cwd=str(tmp_path),
                          env={**os.environ, "PYTHONPATH": str(SOURCE)}, timeout=120)  # fmt: skip
    assert "tensor([2., 2.])\ndepyf: 1 function compiled" in done.stdout and "\nTrue\n" in done.stdout
    assert done.stdout.count("NameError: name 'no_such_name' is not defined") == 1
    assert done.stdout.endswith("\nFalse\n")
