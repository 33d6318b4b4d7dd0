"""Each piece of advice is taken by a program, which is compiled less often then; where none helps, none is given."""

import functools
import json
import re
import threading

import pytest
from forks import TORCH

pytest.importorskip("torch")

from depyf.explain.frames import refusals
from depyf.explain.frames.circumstances import RecompilingCall
from depyf.explain.frames.recompiles import reason_from_text
from depyf.explain.frames.remedies import drop_vain_advice, part_removed
from depyf.explain.model import CacheEntry, Guard

PROGRAM = '''
import json
import sys

import torch

import depyf
from depyf.explain.report.remarks.stored import Report

ones = torch.ones
where = sys.argv[1]


def marked(tensor):
    torch._dynamo.mark_dynamic(tensor, 0)
    return tensor


def sine(a):
    return a.sin()


def times(a, n):
    return a * n


def items(a, xs):
    return a + len(xs)


def chosen(a, flag):
    return a.sin() if flag else a.cos()


def keywords(a, **more):
    return a + len(more)


def positions(*tensors):
    return sum(tensors)


def applied(a, function):
    return function(a)


def nested(batch):
    return batch["x"][0].sin()


def broken(a):
    b = a.sin()
    torch._dynamo.graph_break()
    return b.cos()


def optional(ids, targets=None):
    return ids.sin() if targets is None else ids.cos() + targets


def identity(a):
    return a


def made():
    return lambda a: a + 1


def with_grad(calls):
    def run(compiled):
        compiled(*calls[0])
        with torch.no_grad():
            compiled(*calls[1])
    return run


x = ones(3)
CASES = {
    "size": (sine, [(ones(4),), (ones(5),)], [(marked(ones(4)),), (marked(ones(5)),)]),
    "static": (sine, [(ones(4),), (ones(5),), (ones(6),)], "dynamic"),
    "nested": (nested, [({"x": [ones(4)]},), ({"x": [ones(5)]},)],
               [({"x": [marked(ones(4))]},), ({"x": [marked(ones(5))]},)]),
    "small": (sine, [(ones(4),), (ones(1),)], None),
    "layout": (sine, [(ones(3, 4),), (ones(4, 3).t(),)], [(ones(3, 4),), (ones(4, 3).t().contiguous(),)]),
    "rank": (sine, [(ones(12),), (ones(3, 4),)], [(ones(12),), (ones(3, 4).reshape(12),)]),
    "dtype": (sine, [(x,), (x.double(),)], [(x,), (x.double().float(),)]),
    "float": (times, [(x, 1.5), (x, 2.5)], [(x, torch.tensor(1.5)), (x, torch.tensor(2.5))]),
    "number": (times, [(x, 3), (x, 4)], [(x, torch.tensor(3)), (x, torch.tensor(4))]),
    "length": (items, [(x, [x]), (x, [x, x])], [(x, [x]), (x, [x])]),
    "keys": (items, [(x, {"a": x}), (x, {"a": x, "b": x})], [(x, {"a": x}), (x, {"a": x})]),
    "keywords": (keywords, [(x, {"p": 1}), (x, {"p": 1, "q": 2})], [(x, {"p": 1}), (x, {"p": 1})]),
    "positions": (positions, [(x,), (x, x + 1)], [(x, x + 1), (x, x + 2)]),
    "object": (applied, [(x, torch.sin), (x, torch.cos)], [(x, torch.sin), (x, torch.sin)]),
    "function": (applied, [(x, made()), (x, lambda a: a + 2)], [(x, identity), (x, identity)]),
    "flag": (chosen, [(x, True), (x, False)], None),
    "grad": (sine, [(x,), (x,)], None),
    "trained": (sine, [(x,), (ones(3, requires_grad=True),)], None),
    "optional": (optional, [(x, x + 1), (x, None)], None),
    "same": (optional, [(x, x), (x, x + 1)], None),
    "after a break": (broken, [(ones(4),), (ones(5),)], [(marked(ones(4)),), (marked(ones(5)),)]),
}


def compiles(function, calls, name, **options):
    torch._dynamo.reset()
    count = []

    def backend(module, inputs):
        count.append(1)
        return module.forward

    compiled = torch.compile(function, backend=backend, **options)
    for at, call in enumerate(calls):
        call, given = (call[:-1], call[-1]) if function is keywords else (call, {})
        with torch.set_grad_enabled(name != "grad" or not at):
            compiled(*call, **given)
    return len(count)


for name, (function, calls, taken) in CASES.items():
    options = {"dynamic": False} if name == "static" else {}
    with depyf.prepare_debug(where + "/" + name):
        before = compiles(function, calls, name, **options)
    told = [one for one in Report.read(where + "/" + name).remarks if one.kind == "recompile"]
    after = compiles(function, calls if taken == "dynamic" else taken, "taken") if taken else before
    print(json.dumps([name, [one.words for one in told], [one.instead for one in told], before, after]))
'''
ADVICE = {
    "size": "mark_dynamic(a, 0)",
    "static": "as dynamic=False asks: without it",
    "nested": "mark_dynamic(batch['x'][0], 0)",
    "layout": "a.contiguous()",
    "rank": "reshape a",
    "dtype": "convert a",
    "float": "make n a tensor",
    "number": "make n a tensor",
    "length": "in xs every time",
    "keys": "in xs every time",
    "keywords": "pass the same ones",
    "positions": "positional arguments",
    "object": "the same object as function",
    "function": "define function once",
    "after a break": "mark_dynamic(a, 0)",
}
NO_ADVICE = ("small", "flag", "grad", "trained", "optional", "same")


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    home = tmp_path_factory.mktemp("advice")
    (home / "program.py").write_text(PROGRAM)
    done = TORCH.run(home / "program.py", home / "dump")
    assert done.returncode == 0, done.stderr[-3000:]
    return {name: rest for name, *rest in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("name", ADVICE)
def test_who_takes_the_advice_compiles_less(told, name):
    words, advice, before, after = told[name]
    assert any(ADVICE[name] in one for one in advice), (words, advice)
    assert after < before
    assert not any("___" in one for one in advice)


@pytest.mark.parametrize("name", NO_ADVICE)
def test_there_is_none_where_nothing_is_to_be_done(told, name):
    words, advice, _, _ = told[name]
    assert words and not any(advice), (words, advice)


@pytest.mark.parametrize(
    "check",
    [
        "tensor '___stack0' size mismatch at index 0. expected 4, actual 5",
        "tensor 'self.weight' size mismatch at index 0. expected 4, actual 5",
        "tensor 'x' size mismatch at index 0. expected 1, actual 5",
        "___stack1.n == 3.5",
        "x.training == True",
        "mode == 'a'",
    ],
)
def test_what_cannot_be_written_or_changed_is_no_advice(check):
    assert reason_from_text("0/0: " + check).remedy == ""


@pytest.mark.parametrize(
    ("check", "advice"),
    [
        ("tensor 'subject' size mismatch at index 1. expected 4, actual 5", "on the program's tensor before"),
        ("tensor 'input' stride mismatch at index 0. expected 4, actual 5", "call contiguous() on it before"),
        ("tensor 'input' dtype mismatch. expected Float, actual Double", "convert it before the call"),
        ("self.groups[0]['lr'] == 0.5", "make it a tensor, torch.tensor(value)"),
        ("___check_obj_id(kind, 1234)", "pass the same object every time"),
    ],
)
def test_what_a_library_names_is_no_name_in_the_program(check, advice):
    code = part_removed.__code__
    ours = code.replace(co_filename="/p/a.py")
    theirs = code.replace(co_filename="/x/lib/python3.11/site-packages/torch/nn/modules/linear.py")
    in_library = reason_from_text("0/0: " + check, code=theirs).remedy
    in_program = reason_from_text("0/0: " + check, code=ours).remedy
    assert advice in in_library and advice not in in_program
    assert not {"input", "self", "kind", "subject"} & set(re.findall(r"\w+", in_library))


def no_method(x, *others, **named):
    made = x
    return made


@pytest.mark.parametrize(
    ("name", "in_program", "in_library"),
    [
        ("x", True, True),
        ("others[0]", True, True),
        ("named['x']", True, True),
        ("named['cache'].keys", True, False),  # only the library knows how to come by it
        ("made", False, False),
    ],
)
def test_only_what_comes_with_the_call_can_be_marked(name, in_program, in_library):
    code = no_method.__code__
    theirs = code.replace(co_filename="/x/lib/python3.11/site-packages/torch/nn/modules/linear.py")
    check = f"0/0: tensor '{name}' size mismatch at index 1. expected 4, actual 5"
    for one, can_be in ((code, in_program), (theirs, in_library)):
        assert ("mark_dynamic" in reason_from_text(check, code=one).remedy) == can_be
        assert "dynamic=True" in reason_from_text(check, code=one).remedy
        called_in_between = RecompilingCall({}, {}, {}, is_given=False)
        assert "mark_dynamic" not in reason_from_text(check, called_in_between, one).remedy


@pytest.mark.parametrize(
    ("was", "now", "words"),
    [
        ("size=[2, 3], stride=[3, 1]", "size=[2, 4], stride=[4, 1]", "x.shape[1] == 3"),
        ("size=[2, 3], stride=[3, 1]", "size=[2, None], stride=[None, 1]", "x.shape[1] == 3"),
        ("size=[2, 3], stride=[3, 1]", "size=[2, 3], stride=[1, 2]", "x.stride(0) == 3"),
        ("size=[2, 3], stride=[1, 2]", "size=[2, 4], stride=[4, 1]", "x.stride(0) == 3"),
    ],
)
def test_a_stride_that_follows_a_size_is_told_as_the_size(was, now, words):
    one = reason_from_text("0/0: tensor 'x' stride mismatch at index 0. expected 3, actual 4")
    old, new = (CacheEntry(number, guards=[Guard(f"check_tensor(x, {shape})", subject="x")])
                for number, shape in (("0/0", was), ("0/1", now)))  # fmt: skip
    new.recompiled.append(one)
    drop_vain_advice([old, new])
    assert one.words == words and ("contiguous" in one.remedy) == ("stride" in words)
    assert (one.expected, one.actual) == ("3", "4")


def test_another_object_for_a_method_is_no_mistake():
    code = no_method.__code__
    theirs = code.replace(co_filename="/x/lib/python3.11/site-packages/torch/optim/optimizer.py")
    assert reason_from_text("0/0: ___check_obj_id(self, 1234)", code=code).remedy == ""
    assert reason_from_text("0/0: ___check_obj_id(args[0], 1234)", code=theirs).remedy == ""
    assert "pass the same object" in reason_from_text("0/0: ___check_obj_id(others[0], 1234)", code=code).remedy


@pytest.mark.parametrize(("now", "elsewhere"), [(8, True), (64, True), (8, False)])
def test_the_limit_is_that_of_the_thread(monkeypatch, now, elsewhere):
    monkeypatch.setattr(refusals, "recompile_limit", lambda: ("recompile_limit", 64))
    found = refusals.Refusals()
    monkeypatch.setattr(refusals, "recompile_limit", lambda: ("recompile_limit", now))
    reached = functools.partial(found.failed, part_removed.__code__, "0/8", RuntimeError("recompile_limit reached"))
    if elsewhere:
        thread = threading.Thread(target=reached)
        thread.start()
        thread.join()
    else:  # the program has set it since
        reached()
    hints = " ".join(found.found[0].why.hints)
    told = "recompile_limit is 8 in this thread, and 64 where the recording began" in hints
    assert told == (now == 8 and elsewhere)


def test_a_number_of_another_type():
    one = reason_from_text("0/0: type(n).__name__ == 'float'", RecompilingCall({"n": 3}, {}, {}))
    assert (one.expected, one.actual) == ("float", "int") and "pass n as one type" in one.remedy


def test_the_tensor_and_the_collection():
    parts = ["x.shape[0]", "d['x'].stride(1)", "x.dim()", "self.w.dtype", "len(xs)", "set(d)", "type(n)", "n"]
    assert [part_removed(part) for part in parts] == ["x", "d['x']", "x", "self.w", "xs", "d", "n", "n"]
