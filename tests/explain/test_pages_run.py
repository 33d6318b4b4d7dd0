"""`full_code_for_*.py` runs: for each compilation, and where none fits, it gives what the compiled function gives."""

import json
import os

import pytest
from forks import TORCH

pytest.importorskip("torch")

PROGRAM = '''
import copy
import importlib.util
import json
import os
import sys

import numpy
import torch
import torch.utils.checkpoint

import depyf

TABLE = {"a": 1}
ones = torch.ones


def values(x, n, s, d, items, pair):
    y = x * n
    if s == "hi":
        y = y + d.get("k", 0)
    for item in items:
        y = y + item
    return y + TABLE["a"] + len(pair)


def shapes(x, y):
    if x.shape[0] > 3:
        return (x + y).sum(0) * x.shape[0]
    return x - y


def branch(x, y):
    z = x + 1
    if z.sum() > y:
        z = z * 2
    return z + y


def inner_function(x):
    def g(y):
        return y + x

    torch._dynamo.graph_break()
    return g(x) * 2


def counting(x):
    n = 0

    def g():
        nonlocal n
        n += 1
        return x + n

    first = g()
    torch._dynamo.graph_break()
    return first + g() + n


def operators(x):
    return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))


def checkpointed(x):
    return torch.utils.checkpoint.checkpoint(lambda y: y.sin() * 2, x, use_reentrant=False)


def with_numpy(x):
    return numpy.sin(x) + 1


class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp()

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]


def own_gradient(x):
    return Exp.apply(x) * 2


def with_defaults(x, dtype=torch.float64, *, by=3):
    return x.to(dtype) * by


def rest(x, *args, scale=2, **more):
    return x * scale + sum(args) + more.get("z", 0)


CASES = [
    (values, [(ones(3), 2, "hi", {"k": 1.5}, [1, 2], (1, 2)), (ones(3), 2, "ho", {}, [1], (1, 2, 3))],
     (ones(3), 5, "ho", {}, [], ())),
    (shapes, [(ones(5, 2), ones(5, 2)), (ones(6, 2), ones(6, 2)), (ones(2, 2), ones(2, 2))], (ones(2, 3), ones(2, 3))),
    (branch, [(ones(3), 1.0), (-ones(3), 1.0)], (ones(4), 1.0)),
    (inner_function, [(ones(3),)], (ones(4),)),
    (counting, [(ones(3),)], (ones(4),)),
    (operators, [(ones(3),), (-ones(3),)], (ones(4),)),
    (checkpointed, [(ones(3, requires_grad=True),)], (ones(4),)),
    (with_numpy, [(numpy.ones(3),)], (numpy.ones(4),)),
    (own_gradient, [(ones(3, requires_grad=True),)], (ones(4),)),
    (with_defaults, [(ones(3),)], (ones(4),)),
    (rest, [(ones(3), 1, 2)], (ones(4), 3)),
]


def page_of(directory, name):
    path = os.path.join(directory, "full_code_for_{}_0.py".format(name))
    spec = importlib.util.spec_from_file_location("page_of_" + name, path)
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    if hasattr(page, "use"):
        page.use(globals())
    return page


def listed(value):
    return value.tolist()


for function, calls, other in CASES:
    name = function.__name__
    found = {"name": name}
    try:
        directory = os.path.join(sys.argv[1], name)
        compiled = torch.compile(function, backend=sys.argv[2])
        with depyf.prepare_debug(directory):
            found["compiled"] = [listed(compiled(*copy.deepcopy(call))) for call in calls]
        page = page_of(directory, name)
        again = []
        original = "__original_" + name
        setattr(page, original, lambda *args, _original=getattr(page, original), **kwargs: again.append(1) or
                _original(*args, **kwargs))
        found["page"] = [listed(getattr(page, name)(*copy.deepcopy(call))) for call in calls]
        found["fell_through"] = len(again)
        found["eager"] = listed(function(*copy.deepcopy(other)))
        found["page_on_others"] = listed(getattr(page, name)(*copy.deepcopy(other)))
        found["fell_through_on_others"] = len(again) - found["fell_through"]
    except Exception as error:
        found["error"] = "{}: {}".format(type(error).__name__, error)
    print(json.dumps(found))
'''
NAMES = ["values", "shapes", "branch", "inner_function", "counting", "operators", "checkpointed", "with_numpy",
         "own_gradient", "with_defaults", "rest"]
# NumPy arrays are looked at through tensors, in guards which need objects of the process.
ALWAYS_FIT = {"with_numpy"}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    home = tmp_path_factory.mktemp("pages")
    (home / "program.py").write_text(PROGRAM)
    done = TORCH.run(home / "program.py", home / "dump", os.environ.get("DEPYF_BACKEND", "eager"))
    assert done.returncode == 0, done.stderr[-3000:]
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["name"] for one in found] == NAMES
    return {one["name"]: one for one in found}


@pytest.mark.parametrize("name", NAMES)
def test_a_page_gives_what_the_compiled_function_gives(results, name):
    found = results[name]
    assert "error" not in found, found["error"]
    assert found["page"] == found["compiled"]
    assert found["fell_through"] == 0


@pytest.mark.parametrize("name", NAMES)
def test_where_no_guard_holds_a_page_runs_the_original(results, name):
    found = results[name]
    assert "error" not in found, found["error"]
    assert found["page_on_others"] == found["eager"]
    assert found["fell_through_on_others"] == (name not in ALWAYS_FIT)
