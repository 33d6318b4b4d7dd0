"""Pages as modules: closures, code that Dynamo did not compile, constants without a literal."""

import importlib.util
import textwrap
from pathlib import Path

import pytest
import torch

import depyf
from depyf.explain.for_reading.bookkeeping import fold
from depyf.explain.report.page.page import _constant_line

CELLS = "((lambda: k).__closure__[0], (lambda: n).__closure__[0])"


def page_for(function, tmp_path, *inputs):
    """The result of the compiled function, and the module that its page is."""
    torch._dynamo.reset()
    with depyf.prepare_debug(str(tmp_path)) as session:
        result = torch.compile(function, backend="eager")(*inputs)
    assert session.failures == []
    (frame,) = session.top_level()
    spec = importlib.util.spec_from_file_location("page", str(tmp_path / frame.page))
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    return result, page


def test_closures_are_globals_of_the_page(tmp_path):
    k = torch.arange(3.0)

    def f(x):
        y = x + k
        torch._dynamo.graph_break()
        return y * k

    result, page = page_for(f, tmp_path, torch.ones(3))
    page.use({"k": k})
    assert torch.equal(page.f(torch.ones(3)), result)


def test_variables_of_the_function_itself_are_closed_over(tmp_path):
    def f(x):
        y = x + 1

        def g(z):
            return y * z

        torch._dynamo.graph_break()
        return g(2) + y

    result, page = page_for(f, tmp_path, torch.ones(3))
    assert torch.equal(page.f(torch.ones(3)), result)


def test_resume_functions_with_nothing_to_compile_are_their_own_code(tmp_path):
    def f(x):
        if x.sum() > 0:
            return x
        return -x

    result, page = page_for(f, tmp_path, torch.ones(3))
    assert torch.equal(page.f(torch.ones(3)), result)


def test_constants_are_assigned(tmp_path):
    def f(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = x @ x
            torch._dynamo.graph_break()
            return y @ x

    result, page = page_for(f, tmp_path, torch.ones(3, 3))
    assert torch.equal(page.f(torch.ones(3, 3)), result)


@pytest.mark.parametrize(
    ("line", "folded"),
    [
        ("return __resume_at_1_2({})(x)".format(CELLS), "return __resume_at_1_2(x)"),
        ("k = x\n    return __resume_at_1_2({})(x)".format(CELLS), "return closed_over(__resume_at_1_2, k=k)(x)"),
        ("return other({})(x)".format(CELLS), "return other({})(x)".format(CELLS)),
        (
            "c = g.__closure__[0]\n    p = (c,)\n    r = __resume_at_1_2(p)\n    return __resume_at_3_4([r], [x])",
            "return __resume_at_3_4([__resume_at_1_2], [x])\n",
        ),
        ("return __resume_at_1_2((k, n))(x)", "return __resume_at_1_2((k, n))(x)"),
    ],
)
def test_cells_are_folded(line, folded):
    assert folded in fold("def f(x):\n    {}\n".format(line)).source


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (torch.float32, "n = torch.float32"),
        (torch.Size([2]), "n = torch.Size([2])"),
        (torch.device("cpu"), "n = torch.device(type='cpu')"),
        (torch.nn.Linear, "from torch.nn.modules.linear import Linear as n"),
        (Path.cwd, "n = __import__('importlib').import_module('pathlib').Path.cwd"),
        (lambda: None, "n = lambda: None"),
        (lambda: torch.ones(2), ""),  # it needs globals
        (vars(textwrap), "n = vars(__import__('importlib').import_module('textwrap'))"),
        (torch.ones(2), ""),
        (object(), ""),
    ],
)
def test_constants_that_can_be_named_are(value, line):
    assert _constant_line("n", value, {}) == line


def test_guards_are_read_before_a_reset(tmp_path):
    torch._dynamo.reset()
    with depyf.prepare_debug(str(tmp_path)) as session:
        torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
        torch._dynamo.reset()
    assert session.failures == []
    assert [guard.subject for guard in session.frames[0].entries[0].guards if not guard.is_bookkeeping] == ["x"]
