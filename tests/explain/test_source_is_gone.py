"""A program whose file is gone when it is compiled: its pages have the author's lines all the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import depyf

MODULE = """\
import torch


def scale(x,
          factor=2.0):
    return x * factor


def forward(x, n):
    y = scale(x)

    print('break',
          n)
    if y.sum() > 0:
        return torch.sin(y)
    return {'a': y,
            'b': y + 1}
"""
PROGRAM = """\
import os, sys
import gone, torch, depyf
os.remove("gone.py")
with depyf.prepare_debug("dump"):
    torch.compile(gone.forward, backend="eager")(torch.ones(3), 2)
print(depyf.explain.dump_src(gone.forward))
"""


def test_the_pages_have_the_lines_of_the_author(tmp_path):
    (tmp_path / "gone.py").write_text(MODULE)
    (tmp_path / "program.py").write_text(PROGRAM)
    environment = {**os.environ, "PYTHONPATH": str(Path(depyf.__file__).parents[1]), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, env=environment, capture_output=True,
                          encoding="utf-8", timeout=600)  # fmt: skip
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "dump" / "full_code_for_forward_0.py").read_text()
    original = "\n".join(MODULE.splitlines()[8:]).replace("def forward", "def __original_forward")
    assert original in page.replace('"', "'") and original in done.stdout.replace('"', "'")
    assert "break at gone.py:14  `if y.sum() > 0:`" in page and "``" not in page
    assert "# y = scale(x)" in page
