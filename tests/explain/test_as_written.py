"""Code that calls a function as it was written fits in the place of that function."""

import inspect

import pytest
import torch

from depyf.explain.stepping.as_written import Followed, code_as_written, run_as_written
from depyf.explain.stepping.debuggers import Breakpoints, extent_of


def plain(a, b=2):
    return a + b


def every_kind(a, /, b=2, *rest, c, d=4, **others):
    return a, b, rest, c, d, others


def with_cells(a, b):
    total = a + b
    return [lambda: a, lambda: total]


def maker():
    free, other = 3, [5]

    def closure(a):
        inner = lambda: a + free + other[0]  # noqa: E731
        return inner()

    return closure


class Base:
    def method(self, x):
        return x


class Derived(Base):
    def method(self, x):
        return super().method(x) + 1


def no_parameters():
    return 7


def swapped(function, call):
    before = function.__code__
    function.__code__ = code_as_written(before)
    assert function.__code__ is not before
    try:
        return call()
    finally:
        function.__code__ = before


@pytest.mark.parametrize(
    ("function", "call"),
    [
        (plain, lambda: plain(1)),
        (every_kind, lambda: (every_kind(1, c=3), every_kind(1, 2, 3, 4, c=5, d=6, e=7))),
        (with_cells, lambda: [one() for one in with_cells(1, 2)]),
        (Derived.method, lambda: Derived().method(1)),
        (no_parameters, no_parameters),
    ],
)
def test_it_does_what_the_function_does(function, call):
    assert swapped(function, call) == call()


def test_it_keeps_the_layout_that_dynamo_copies_between_frames():
    closure = maker()
    for function in (plain, every_kind, with_cells, closure, Derived.method, no_parameters):
        ours, code = code_as_written(function.__code__), function.__code__
        assert ours != code and code in ours.co_consts
        for name in ("co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_freevars", "co_cellvars"):
            assert getattr(ours, name) == getattr(code, name)
    assert swapped(closure, lambda: closure(1)) == 9


def test_generators_and_parameters_without_names_are_copied():
    def generator():
        yield 1

    hidden = next(code for code in (lambda: (i for i in ())).__code__.co_consts if inspect.iscode(code))
    for code in (generator.__code__, hidden):
        assert code_as_written(code) == code and code_as_written(code) is not code


def test_breakpoints_count_for_the_function_that_inlines(tmp_path):
    at_plain = Breakpoints({__file__: {plain.__code__.co_firstlineno + 1}})
    assert Followed(no_parameters.__code__, [plain.__code__]).stops(at_plain) == [
        "{}:{}".format(__file__, plain.__code__.co_firstlineno + 1)
    ]
    assert not Followed(no_parameters.__code__, [every_kind.__code__]).stops(at_plain)
    trace = '  File "{}", line {}, in plain\n    return a + b\n'.format(__file__, plain.__code__.co_firstlineno + 1)
    beside = Breakpoints({__file__: {plain.__code__.co_firstlineno}})
    assert Followed(no_parameters.__code__, traces={trace}).stops(beside)
    assert not Followed(no_parameters.__code__, traces={"", 'File "<none>", line 1, in f'}).stops(beside)


def test_lines_of_functions_written_inside_belong_to_the_function():
    file, first, last = extent_of(maker.__code__)
    assert file == __file__ and last - first == 7


def test_dynamo_is_off_in_the_call_and_the_function_comes_back():
    torch._dynamo.reset()

    def f(x):
        return x + 1

    code = f.__code__
    compiled = torch.compile(f, backend="eager")
    compiled(torch.ones(2))
    undo = run_as_written([Followed(code)], Breakpoints({__file__: {code.co_firstlineno + 1}}))
    graphs = torch._dynamo.utils.counters["stats"]["unique_graphs"]
    assert f.__code__ is not code
    assert compiled(torch.ones(3)).tolist() == [2.0] * 3
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == graphs
    undo()
    assert f.__code__ is code
