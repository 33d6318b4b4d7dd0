"""Ranks of a job beside each other: which goes its own way first, and where."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from depyf.explain.report.remarks.ranks import first_divergence
from depyf.explain.report.remarks.stored import Report

PROGRAM = """\
import sys
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as collectives

dist.init_process_group("gloo")
rank, odd, what = dist.get_rank(), [int(one) for one in sys.argv[1].split(",")], sys.argv[2]


@torch.compile(backend="eager")
def reduced(x):
    y = collectives.all_reduce(x.sin(), "sum", dist.group.WORLD)
    return y * 2


@torch.compile(backend="eager")
def local(x):
    if what == "break" and rank in odd:
        torch._dynamo.graph_break()
    return x.cos() + (1 if what == "graph" and rank in odd else x)


for step in range(2):
    late, early = what == "later size" and step and rank in odd, what == "size" and rank in odd
    local(torch.ones(17 if late or early else 32))
    reduced(torch.ones(4))
dist.destroy_process_group()
"""


def run(*words, folder):
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src"), "OMP_NUM_THREADS": "1"}
    return subprocess.run([sys.executable, *words], cwd=str(folder), capture_output=True, encoding="utf-8",
                          env=environment, timeout=300)  # fmt: skip


def recorded(folder, ranks, *words):
    (folder / "train.py").write_text(PROGRAM)
    done = run("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(ranks), "-m", "depyf", "run",
               "-q", "-o", "out", "train.py", *words, folder=folder)  # fmt: skip
    assert done.returncode == 0, done.stderr


WAYS = {
    "size": r"rank_1 goes its own way at train.py:20, before collective 1 of the compiled graphs \(all_reduce\): "
            r"its x.shape\[0\] is 17, the others' 32",
    "later size": r"rank_1 goes its own way at train.py:20: its x.shape\[0\] is 17, the others' 32",
    "break": r"rank_1 goes its own way at train.py:19, before collective 1 of the compiled graphs \(all_reduce\): "
             r"it has a break that the others have not: .*graph_break.*",
    "graph": r"rank_1 goes its own way at train.py:20, before collective 1 of the compiled graphs \(all_reduce\): "
             r".*",
}  # fmt: skip


@pytest.mark.parametrize("what", WAYS)
def test_the_first_divergence_of_two_ranks_is_said_first(tmp_path, what):
    recorded(tmp_path, 2, "1", what)
    told = run("-m", "depyf", "diff", "out", folder=tmp_path)
    assert told.returncode == 1 and re.fullmatch(WAYS[what], told.stdout.splitlines()[0]), told.stdout
    report = run("-m", "depyf", "report", "out", folder=tmp_path).stdout
    assert report.splitlines()[0] == told.stdout.splitlines()[0]
    assert "\nrank_0\ndepyf: 2 functions" in report and "\nrank_1\ndepyf: 2 functions" in report


def test_of_four_ranks_those_are_named_that_are_fewer(tmp_path):
    recorded(tmp_path, 4, "0", "size")
    first = run("-m", "depyf", "diff", "out", folder=tmp_path).stdout.splitlines()[0]
    assert first.startswith("rank_0 goes its own way at train.py:20") and first.endswith("is 17, the others' 32")


def test_equal_ranks_are_equal(tmp_path):
    recorded(tmp_path, 2, "9", "size")
    assert "own way" not in run("-m", "depyf", "diff", "out", folder=tmp_path).stdout
    assert run("-m", "depyf", "report", "out", folder=tmp_path).stdout.startswith("rank_0\n")


def of(*steps):
    return Report(steps=[{"said": said, "collectives": collectives} for said, collectives in steps])


GUARD = ["guard", "/p/a.py", 3, "x: CPU float32 tensor of shape [4, {}], stride [1], no grad"]


def guard(size):
    return [*GUARD[:3], GUARD[3].format(size)]


def test_sentences():
    same = ([guard(8)], ["all_reduce", "all_gather"])
    ranks = {"a": of(same, ([guard(5)], [])), "b": of(same, ([guard(6)], [])), "c": of(same, ([guard(6)], []))}
    assert first_divergence(ranks) == "a goes its own way at /p/a.py:3: its x.shape[1] is 5, the others' 6"
    ranks = {"a": of(same), "b": of(same, ([guard(6)], ["broadcast"])), "c": of(same, ([guard(6)], ["broadcast"]))}
    assert first_divergence(ranks) == (
        "a goes its own way at /p/a.py:3, before collective 3 of the compiled graphs (broadcast): it has not the "
        "others' guard: " + guard(6)[3])  # fmt: skip
    again = ["recompile", "/p/a.py", 9, "x.shape[0] was 32, then 17"]
    ranks = {name: of(same, *[([again], [])] * (name in "bd")) for name in "abcde"}
    assert first_divergence(ranks) == "b and d go their own way at /p/a.py:9: their x.shape[0] is 17, the others' 32"
    assert first_divergence({"a": of(same), "b": of(same)}) == "" == first_divergence({"a": of(), "b": of()})


def test_a_guard_on_the_rank_is_said_where_nothing_else_differs():
    ranks = {name: of(([["guard", "a.py", 3, "rank == " + name]], []), ([guard(8 - int(name))], [])) for name in "01"}
    assert first_divergence(ranks) == "1 goes its own way at /p/a.py:3: its x.shape[1] is 7, the others' 8"
    ranks = {name: of(([["guard", "a.py", 3, "rank == " + name]], [])) for name in "01"}
    assert first_divergence(ranks) == "1 goes its own way at a.py:3: its guard is rank == 1, the others' rank == 0"


def test_the_folder_of_a_program_may_differ():
    moved = [[one[0], one[1].replace("/p/", "/node1/p/"), *one[2:]] for one in [guard(8)]]
    assert first_divergence({"a": of(([guard(8)], [])), "b": of((moved, []))}) == ""
