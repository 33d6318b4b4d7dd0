"""``# FILE:LINE`` in `__transformed_code_*.py`: after what Dynamo copied from the function, not after what it made."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from torch._dynamo.bytecode_transformation import Instruction

import depyf
from depyf.explain.transformed import user_lines

MODULE = '''\
import torch


def other(x):
    print("inlined")
    return x + 1


def forward(x, table):
    y = x.sin()
    table["n"] = 3
    print(
        "first",
        y.shape,
    ); print("again", len(table))
    if y.sum() > 5:
        return y
    with torch.no_grad():
        print("inside")
    z = other(y)
    return z * 2, {"z": z}


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.count = 0

    def forward(self, x):
        self.count += 1
        return x + self.count


def closing(factor):
    def closure(x):
        def inner(value):
            return value * factor

        print("closed")
        return inner(x), inner

    return closure
'''
PROGRAM = """\
import lines, torch, depyf
with depyf.prepare_debug("dump"):
    torch.compile(lines.forward, backend="eager")(torch.ones(3), {})
    torch.compile(lines.Counter(), backend="eager")(torch.ones(3))
    torch.compile(lines.closing(2), backend="eager")(torch.ones(3))
"""


def dump(tmp_path):
    (tmp_path / "lines.py").write_text(MODULE)
    (tmp_path / "program.py").write_text(PROGRAM)
    environment = {**os.environ, "PYTHONPATH": str(Path(depyf.__file__).parents[1])}
    done = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, env=environment, capture_output=True,
                          encoding="utf-8", timeout=600)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return {path.name: path.read_text() for path in sorted((tmp_path / "dump").glob("__transformed_code_*.py"))}


COPIES = {
    5: r"result = .*print.*\('inlined'\)",
    12: r"result = .*print.*\('first', .*\)",
    15: r"result = .*print.*\('again', 1\)",
    16: r"if .*:",
    19: r"result = .*print.*\('inside'\)",
    20: r"result = other\(y\)",
    39: r"result = .*print.*\('closed'\)",
}


def test_what_dynamo_copied_names_its_line_and_nothing_else_does(tmp_path):
    files = dump(tmp_path)
    noted = re.findall(r"^ *(\S.*?)  # (.*)$", "\n".join(files.values()), re.MULTILINE)
    for statement, place in noted:
        file, line = place.split(":")
        assert file == "lines.py" and re.fullmatch(COPIES[int(line)], statement), (statement, place)
    lines = [int(place.split(":")[1]) for _, place in noted]
    assert len(lines) == len(set(lines))
    if hasattr(Instruction, "copy_positions"):  # torch 2.2 has no positions for jumps, and on 3.11 none at all
        assert set(lines) == set(COPIES)


def test_the_code_that_runs_is_that_of_the_file(tmp_path):
    for name, text in dump(tmp_path).items():
        assert "This is what runs" in text, name
        compile(text, name, "exec")


def test_only_comments_are_added():
    text = "def f(x):\n    del y\n    other = x\n    result = g(x, '''\n''')\n    z = h()\n"
    text += "    if result:\n        x = 1\n"
    apart = user_lines._APART
    lines = {2: 7, 3: 7, 4: 7, 5: 7, 7: 7, 8: 7}
    noted = user_lines.with_lines(text, {at: line + apart for at, line in lines.items()}, "a.py")
    assert noted == text  # a comment after the first line would be in the string
    lines = {2: 7, 3: 7, 6: 7, 7: 9, 8: 9}
    noted = user_lines.with_lines(text, {at: line + apart for at, line in lines.items()}, "a.py")
    assert noted == text.replace("h()", "h()  # a.py:7").replace("result:", "result:  # a.py:9")
    assert user_lines.with_lines(text, lines, "a.py") == text  # lines of Dynamo's own
