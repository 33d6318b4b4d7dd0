"""`inspect` and `interactive_explain` as a person meets them: the last line of a cell, in a real kernel."""

from __future__ import annotations

import os
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


@pytest.fixture(scope="module")
def outputs() -> List[Any]:
    """What each cell shows."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS])
    path = os.pathsep.join([str(SOURCE), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", allow_errors=True)
    client.execute(env={**os.environ, "PYTHONPATH": path})
    return [cell.outputs for cell in notebook.cells]


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
