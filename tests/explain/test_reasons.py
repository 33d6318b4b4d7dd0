"""Why something was compiled again, or not at all: in the index and on the page."""


import re

import pytest
from forks import TORCH

from depyf.explain.frames.values import actual_value
from depyf.explain.model import CacheEntry
from depyf.explain.report.tree import recompile_words
from depyf.explain.torch_facts.torch_behavior import recompile_reasons

pytest.importorskip("torch")

PROGRAM = """
import sys

import torch

import depyf

torch._dynamo.config.recompile_limit = 2


@torch.compile(fullgraph=True, backend="eager")
def whole(x):
    if x.sum() > 0:
        return x
    return -x


@torch.compile(backend="eager")
def loop(x):
    for _ in range(3):
        x = x + 1
        torch._dynamo.graph_break()
    return x


@torch.compile(backend="eager")
def again(x, n, d):
    return x * n + ("k" in d)


with depyf.prepare_debug(sys.argv[1]):
    try:
        whole(torch.ones(3))
    except torch._dynamo.exc.Unsupported:
        print("raised")
    loop(torch.ones(3))
    again(torch.ones(3), 2, {"k": 1})
    again(torch.ones(3), 2, {"j": 1})
    again(torch.ones(3, 3), 2, {"j": 1})
for one in torch._dynamo.utils.get_compilation_metrics():
    if one.co_name == "loop" and one.fail_reason:
        print("noted")
"""


@pytest.fixture(scope="module")
def dump(tmp_path_factory):
    home = tmp_path_factory.mktemp("reasons")
    (home / "program.py").write_text(PROGRAM)
    done = TORCH.run(home / "program.py", home / "dump")
    assert done.stdout.startswith("raised\n"), done.stderr[-3000:]
    found = {path.name: path.read_text() for path in (home / "dump").iterdir()}
    return {**found, "printed": done.stdout}


def test_a_call_under_fullgraph_that_fails_is_in_the_index(dump):
    section = dump["README.md"].partition("## What raised (1)")[2].partition("\n## ")[0]
    (group,) = [one for one in section.split("\n- ") if " in whole" in one]
    assert group.startswith("[GB0170](")
    assert group.splitlines()[0].endswith("Unsupported: the branch depends on a tensor's value")
    assert "\n  - program.py:13  `if x.sum() > 0:` in whole; compilation 0/0" in group


def test_a_frame_that_is_left_to_python_is_in_the_index(dump):
    lines = [line for line in dump["README.md"].splitlines() if re.search(" in loop[,;] .*: the whole frame", line)]
    if "noted" not in dump["printed"]:  # up to torch 2.9 Dynamo's record of it gives no reason
        assert lines == []
        return
    (line,) = lines
    assert "the whole frame is left to Python (graph break in loop)" in line


def test_the_recompile_limit_is_in_the_index_and_on_the_page(dump):
    page = dump["full_code_for_again_0.py"]
    for text in (dump["README.md"], page):
        assert "Dynamo recompile limit exceeded" in text
        assert "what other inputs need is not compiled any more" in text
        assert text.count("Dynamo recompile limit exceeded") == text.count("what other inputs need is not compiled")
    assert "compiled again because 2/0 did not fit: d has key 'k'" in page
    limit = dump["README.md"].partition("Dynamo recompile limit exceeded")[2].partition("\n- ")[0]
    assert limit.count(" in again; compilation ") == 1
    assert "User stack trace" not in page


def test_the_value_which_a_guard_found_is_said():
    entry = CacheEntry(recompile_reasons=["0/0: L['n'] == 2  # return x * n  # f.py:3 in f"], actual_values=["5"])
    (words,) = recompile_words(entry)
    assert words == "compiled again because 0/0 did not fit: n == 2; it is 5 now  (f.py:3)"


def test_only_plain_values_of_local_variables_are_said():
    class Loud:
        def __repr__(self):
            raise AssertionError("the user's code must not run")

    assert actual_value("L['n']", {"n": 3}) == "3"
    assert actual_value("L['n']", {"n": Loud()}) == ""
    assert actual_value("L['n'].size()", {"n": 3}) == ""
    assert actual_value("L['m']", {"n": 3}) == ""
    assert actual_value("L['n']", None) == ""


def test_the_stack_behind_a_reason_is_no_reason():
    reason = "0/0: L['n'] == 2\nUser stack trace:\n  File \"f.py\", line 3, in f\n"
    assert recompile_reasons({"recompile_reason": reason}) == ["0/0: L['n'] == 2"]
