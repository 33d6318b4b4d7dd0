"""The README's program, recorded in a process of its own: its page reads as promised, and runs."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest
import torch
from forks import TORCH

PROGRAM = """
import sys
import torch
import depyf

def toy_example(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b

with depyf.prepare_debug("dump"):
    compiled = torch.compile(toy_example, backend=sys.argv[1])
    for sign in (1, -1):
        compiled(torch.ones(10), sign * torch.ones(10))
print(depyf.explain.dump_src(compiled))
"""


def toy_example(a: Any, b: Any) -> Any:
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


@pytest.mark.parametrize("backend", ["eager", "inductor"])
def test_the_page(tmp_path: Path, backend: str) -> None:
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    done = TORCH.run(tmp_path / "program.py", backend, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    path = tmp_path / "dump" / "full_code_for_toy_example_0.py"
    page = path.read_text(encoding="utf-8")
    assert "3 of 3 proven" in page
    for part in [
        "├─ true   resume at line 9 ── graph 7: mul, mul",
        "└─ false  resume at line 10 ── graph 5: mul",
        "Folded for reading: ",
    ]:
        assert part in page
    assert re.search(  # offsets of instructions are Python's
        r"def __transformed_code_0_for_toy_example\(a, b\):\n"
        r"    lt, x = __compiled_fn_1\(a, b\)\n"
        r"    if lt:\n"
        r"        return __resume_at_\d+_2\(b, x\)\n"
        r"    return __resume_at_\d+_3\(b, x\)\n",
        page,
    )
    module = runpy.run_path(str(path))
    for a, b in [(torch.randn(10), torch.rand(10)), (torch.randn(10), -torch.rand(10)), (torch.ones(5), torch.ones(5))]:
        assert torch.equal(module["toy_example"](a, b), toy_example(a, b))
    after = done.stdout  # the same from the cache entries alone, but for the names of files beside the page
    for part in page.split("\n\n\n"):
        if part.startswith("def "):
            assert part.split("see guards")[0] in after
