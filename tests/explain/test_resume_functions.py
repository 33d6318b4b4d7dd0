"""Resume functions of every make are linked to the frame that broke: with cells, of inner functions, made or found."""

import ast
import re

import pytest
import torch

import depyf
from depyf.explain.model import to_json


def with_cells():
    k = torch.ones(2)

    @torch.compile(backend="eager")
    def f(x):
        y = x + k
        torch._dynamo.graph_break()
        return y * k

    return f, [torch.ones(2)]


def with_cells_and_arms():
    k = torch.ones(2)

    @torch.compile(backend="eager")
    def f(x):
        y = x + k
        if y.sum() > 0:
            return y * k
        return y - k

    return f, [torch.ones(2), -3 * torch.ones(2)]


def two_in_a_row():
    @torch.compile(backend="eager")
    def f(x):
        y = x + 1
        torch._dynamo.graph_break()
        z = y * 2
        torch._dynamo.graph_break()
        return z - y

    return f, [torch.ones(2)]


def in_a_callee():
    def h(x):
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2

    @torch.compile(backend="eager")
    def f(x):
        return h(x) - 1

    return f, [torch.ones(2)]


PROGRAMS = [with_cells, with_cells_and_arms, two_in_a_row, in_a_callee]


def nested(switch):
    """Breaks in callees are resumed in the callee, where this torch can do so (from 2.9)."""
    if hasattr(torch._dynamo.config, "nested_graph_breaks"):
        return torch._dynamo.config.patch(nested_graph_breaks=switch)
    return torch._dynamo.config.patch({})


@pytest.fixture(params=[False, True], ids=["flat", "nested"])
def breaks(request):
    with nested(request.param):
        yield request.param


@pytest.mark.parametrize("make", PROGRAMS, ids=lambda make: make.__name__)
def test_every_resume_function_that_was_compiled_hangs_below_the_program(make, breaks, tmp_path):
    torch._dynamo.reset()
    compiled, inputs = make()
    with depyf.prepare_debug(str(tmp_path)) as session:
        for x in inputs:
            compiled(x)
    resumed = [frame for frame in session.frames if frame.is_resume]
    below = [one for frame in session.top_level() for one in frame.walk()]
    assert resumed and all(any(frame is one for one in below) for frame in resumed)
    links = [resume for frame in below for entry in frame.entries for resume in entry.resume_functions]
    assert all(resume.resume_line > 0 for resume in links)
    for page in tmp_path.glob("full_code_for_*.py"):
        assert "Dynamo has seen no call of it" not in page.read_text().partition("\nfrom __future__")[0]
        ast.parse(page.read_text())


@pytest.mark.parametrize("make", PROGRAMS, ids=lambda make: make.__name__)
def test_the_same_ones_are_found_after_the_fact(make, breaks, tmp_path):
    torch._dynamo.reset()
    compiled, inputs = make()
    with depyf.prepare_debug(str(tmp_path)) as recorded:
        for x in inputs:
            compiled(x)
    found = depyf.inspect(compiled)

    def links(session):
        frames = {id(one): one for frame in session.top_level() for one in frame.walk()}.values()
        return sorted(
            [frame.name, entry.compile_id.rpartition("/")[2],  # torch 2.4 keeps no numbers of frames
             resume.name, resume.resume_line, resume.function, resume.frame is None]
            for frame in frames
            for entry in frame.entries
            for resume in entry.resume_functions
        )

    names = {frame.name for frame in found.frames}
    assert links(found) == [link for link in links(recorded) if link[0] in names] != []
    to_json(found)


def test_an_inner_functions_resume_is_named_after_it(tmp_path):
    torch._dynamo.reset()
    compiled, inputs = in_a_callee()
    with nested(True), depyf.prepare_debug(str(tmp_path)) as session:
        compiled(*inputs)
    tree = str(session)
    broken = in_a_callee.__code__.co_firstlineno + 3
    if hasattr(torch._dynamo.config, "nested_graph_breaks"):
        inner, rest = "resume in h at line ({}|{})".format(broken, broken + 1), "at line {} ── graph".format(broken + 5)
        handed_on = " ── traced as a part of the resume function that it is handed to\n.* resume "  # torch 2.9
        assert re.search("{}(, then |{}){}".format(inner, handed_on, rest), tree), tree
    else:  # the callee is a frame of its own
        assert [frame.name for frame in session.top_level()] == ["f", "h"] or "resume at line" in tree
