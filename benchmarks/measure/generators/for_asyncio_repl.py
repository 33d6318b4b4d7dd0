"""python -m asyncio: a session of the same cells, without those that are IPython's."""

from __future__ import annotations

import io
import runpy
import sys
from pathlib import Path

CELLS = Path(__file__).parent / "programs" / "cells.ipy"


def generate(folder):
    cells = [one for one in CELLS.read_text().split("# %%\n") if not one.startswith(("%", "!")) and "= !" not in one and "?\n" not in one]
    lines = [line for cell in cells if "SystemExit" not in cell for line in typed(cell)]
    sys.stdin = io.StringIO("\n".join([*lines, "exit()", ""]))
    sys.stderr = io.StringIO()
    sys.argv = ["asyncio"]
    try:
        runpy.run_module("asyncio", run_name="__main__", alter_sys=True)
    except SystemExit:
        pass
    finally:
        sys.stderr = sys.__stderr__


def typed(cell):
    """The lines of a cell as one types them: an empty one ends each compound statement."""
    lines = cell.splitlines()
    for line, following in zip(lines, [*lines[1:], ""]):
        yield line
        if line.startswith((" ", "if", "for", "def", "while", "with", "class", "async")) and not following.startswith(
            (" ", "else", "elif", "except", "finally")
        ):
            yield ""
