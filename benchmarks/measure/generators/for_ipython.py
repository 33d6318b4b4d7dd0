"""IPython: a session of some fifty cells, with top-level await, magics and cells that compile others."""

from __future__ import annotations

import os
from pathlib import Path

CELLS = Path(__file__).parent / "programs" / "cells.ipy"


def generate(folder):
    os.environ["IPYTHONDIR"] = folder
    os.chdir(folder)
    Path("other.py").write_text("async def unused(): return [a async for a in b]\nother = [c for c in range(3)]\nother\n")
    from IPython.terminal.interactiveshell import TerminalInteractiveShell

    shell = TerminalInteractiveShell.instance(simple_prompt=True, colors="NoColor")
    for interactivity in ("last_expr", "all"):
        shell.ast_node_interactivity = interactivity
        for cell in CELLS.read_text().split("# %%\n"):
            shell.run_cell(cell, store_history=True)
    shell.reset()
