"""The first call of a compiled function beside eager's: what Dynamo does wrong, and what nobody may notice."""

from __future__ import annotations

import ast
import contextlib
import operator
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from unittest import mock

import pytest

torch = pytest.importorskip("torch")

from forks import DEPYF  # noqa: E402
from torch._dynamo import output_graph, side_effects, variables  # noqa: E402

import depyf  # noqa: E402
from depyf.comparing.calls import eager_process, left_behind  # noqa: E402

SEEN = {"calls": 0}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.linear = torch.nn.Linear(4, 4)
        self.register_buffer("total", torch.zeros(4))
        self.calls, self.log = 0, []

    def forward(self, x, by):
        self.calls += 1  # attribute
        self.total.add_(x.mean(0).detach())  # buffer
        self.log.append(self.calls)  # list
        SEEN["calls"] += 2  # global
        y = torch.relu(self.linear(x)) * by  # constant
        z = torch.sin(y)  # operator
        mean = z.mean().item()
        if mean > 0.5:
            z = z + 1
        return {"y": z * 2, "n": len(self.log), "mean": mean}


@contextlib.contextmanager
def traced(change):
    """Dynamo puts another operation into its graph."""
    original = output_graph.SubgraphTracer.create_proxy

    def create_proxy(self, kind, target, args, *rest, **more):
        return original(self, kind, *change(target, args), *rest, **more)

    with mock.patch.object(output_graph.SubgraphTracer, "create_proxy", create_proxy):
        yield


@contextlib.contextmanager
def method(owner, name, change):
    """A method of Dynamo's does something else with its arguments."""
    original = getattr(owner, name)

    def changed(self, *args, **more):
        return change(lambda *given: original(self, *given, **more), *args)

    with mock.patch.object(owner, name, changed):
        yield


def of_list(original, tx, name, args, kwargs):
    return original(tx, name, [variables.ConstantVariable.create(77)] if name == "append" else args, kwargs)


def of_attribute(original, item, name, *args):
    return original(item, "other" if name == "calls" else name, *args)


FAULTS = {
    "attribute": lambda: method(side_effects.SideEffects, "store_attr", of_attribute),
    "buffer": lambda: traced(lambda target, args: ("add" if target == "add_" else target, args)),
    "list": lambda: method(variables.ListVariable, "call_method", of_list),
    "constant": lambda: traced(lambda target, args: (target, (args[0], 3.001) if args[1:] and args[1] is BY else args)),
    "operator": lambda: traced(lambda target, args: (torch.cos if target is torch.sin else target, args)),
}
BY = 3.0


def compared(tmp_path, function, *inputs):
    torch._dynamo.reset()
    with depyf.compare(tmp_path) as report:
        result = torch.compile(function)(*inputs)
    return result, report


def call_of(report):
    return next(one for one in report.verdicts if one.graph.endswith(" call"))


@pytest.mark.parametrize("fault", FAULTS)
def test_what_dynamo_does_wrong_is_at_its_line(tmp_path, fault):
    with FAULTS[fault]():
        _, report = compared(tmp_path, Model(), torch.ones(3, 4), BY)
    (finding,) = report.findings
    assert finding.text.endswith(f"# {fault}") and finding.stage == "Dynamo"
    assert "(Dynamo)" in finding.words


LATER = ("return y * scale()", "what it returns is another value (Dynamo) on a later call")


@torch.compiler.assume_constant_result
def scale():
    return SEEN["scale"]


@pytest.mark.parametrize("every, found", [(0, []), (2, [LATER]), (3, [])])
def test_what_has_changed_without_a_guard_is_found_on_a_later_call(tmp_path, every, found):
    """Only the third of the calls after the first has another scale, which Dynamo is told not to look at."""

    def function(x):
        y = x + 1
        return y * scale()

    torch._dynamo.reset()
    with depyf.compare(tmp_path, every=every) as report:
        compiled = torch.compile(function)
        for at in range(4):
            SEEN["scale"] = 2.0 + (at == 2)
            assert torch.equal(compiled(torch.ones(3)), torch.full((3,), 4.0))
    assert [(one.text, one.words.partition(",")[0]) for one in report.findings] == found
    later = [one for one in report.verdicts if one.graph.startswith("0/0 call, every")]
    assert [one.outputs for one in later] == [(1, 1)] * bool(every)


@pytest.mark.parametrize("every, found", [(0, []), (1, ["return y * scale  # of the gradient"]), (2, [])])
def test_a_gradient_that_is_lost_without_a_guard_is_found_on_a_later_call(tmp_path, every, found):
    """In the second step of three a parameter is no longer frozen, as in pytorch's issue 139476."""

    def function(x, scale):
        y = x * 2
        return y * scale  # of the gradient

    x, scale = torch.ones(3, requires_grad=True), torch.nn.Parameter(torch.ones(3))
    torch._dynamo.reset()
    with depyf.compare(tmp_path, every=every) as report:
        compiled = torch.compile(function, options={"guard_filter_fn": lambda guards: [False for _ in guards]})
        for at in range(3):
            scale.requires_grad_(at == 1)
            compiled(x, scale).sum().backward()
    assert scale.grad is None and torch.equal(x.grad, torch.full((3,), 6.0))
    assert [one.text for one in report.findings] == found
    later = [one for one in report.verdicts if one.graph.startswith("0/0 gradients, every")]
    assert [one.outputs[0] for one in later] == {0: [], 1: [2], 2: [1]}[every]


def test_the_first_call_of_each_compilation_is_compared(tmp_path):
    """What Dynamo does wrong with symbolic sizes shows in the second compilation only."""

    def symbolic(target, args):
        return target, ((args[0], 2.0) if target is operator.mul and isinstance(args[1], torch.fx.Proxy) else args)

    torch._dynamo.reset()
    with traced(symbolic), depyf.compare(tmp_path) as report:
        compiled = torch.compile(lambda x: x * x.shape[0])
        assert [compiled(torch.ones(size))[0] for size in (3, 4)] == [3, 2]
    calls = [one for one in report.verdicts if one.graph.endswith(" call")]
    assert [(one.graph, len(one.wrong)) for one in calls] == [("0/0 call", 0), ("0/1 call", 1)]


def test_values_of_python_are_told(tmp_path):
    with FAULTS["list"]():
        _, report = compared(tmp_path, Model(), torch.ones(3, 4), BY)
    assert [one.words for one in report.findings] == ["self.log[0] is 77; in eager it is 1 (Dynamo)"]


def test_nothing_of_the_program_is_done_twice(tmp_path, capfd):
    model = Model()
    SEEN["calls"] = 0
    result, report = compared(tmp_path, lambda x: print("once") or model(x, BY), torch.ones(3, 4))
    assert (model.calls, model.log, SEEN["calls"], result["n"]) == (1, [1], 2, 1)
    assert capfd.readouterr().out == "once\n"
    assert report.findings == [] and call_of(report).outputs == (4, 4)


def children():
    return {pid for one in Path("/proc/self/task").iterdir() for pid in (one / "children").read_text().split()}


def test_no_process_of_ours_is_the_programs(tmp_path):
    before = children()
    _, report = compared(tmp_path, lambda x: x + 1 if children() <= before else x, torch.ones(3))
    assert children() <= before and report.findings == []


def writes_a_file(x, folder):
    with open(folder / "written", "a") as file:
        file.write("line")
    return x + 1


def starts_a_process(x, folder):
    subprocess.run([sys.executable, "-c", f"open({str(folder / 'written')!r}, 'a').write('line')"], check=True)
    return x + 1


def renames_a_file(x, folder):
    y = x + 1
    os.rename(f"{folder}/before", f"{folder}/written")
    return y


@pytest.mark.parametrize("function", [writes_a_file, starts_a_process, renames_a_file])
def test_what_reaches_outside_is_done_once_and_not_compared(tmp_path, function):
    (tmp_path / "before").write_text("line")
    result, report = compared(tmp_path / "dump", function, torch.ones(3), tmp_path)
    assert torch.equal(result, torch.full((3,), 2.0)) and (tmp_path / "written").read_text() == "line"
    assert report.findings == [] and call_of(report).outputs == (0, 1)
    assert next(iter(call_of(report).unchecked)).startswith("it ")


def test_an_open_file_is_read_once(tmp_path):
    path = tmp_path / "numbers"
    path.write_text("1\n2\n3\n")
    with open(path) as file:
        result, report = compared(tmp_path / "dump", lambda x: x + int(os.read(file.fileno(), 2)), torch.ones(3))
        assert os.read(file.fileno(), 2) == b"2\n"
    assert result.tolist() == [2.0, 2.0, 2.0] and report.findings == []


def test_a_pipe_is_read_once(tmp_path):
    read, write = os.pipe()
    os.write(write, b"12")
    result, report = compared(tmp_path, lambda x: x + int(os.read(read, 1)), torch.ones(3))
    assert os.read(read, 1) == b"2"
    os.close(write)
    assert os.read(read, 1) == b"", "someone else holds the pipe"
    os.close(read)
    assert result.tolist() == [2.0, 2.0, 2.0] and report.findings == []


DRAWS = {"torch": lambda: torch.rand(3), "random": random.random, "time": time.perf_counter}


@pytest.mark.parametrize("draw", DRAWS)
def test_what_varies_is_no_alarm_and_random_numbers_are_the_programs(tmp_path, draw):
    def function(x, log):
        log.append(len(log))
        return x + DRAWS[draw](), x * 2

    log = []
    _, report = compared(tmp_path, function, torch.ones(3), log)
    assert report.findings == [] and log == [0]
    assert call_of(report).outputs[0] >= 1 and call_of(report).mutations[0] >= 1


def test_exceptions_that_eager_raises_too_are_no_alarm(tmp_path):
    def function(x):
        y = x + 1
        torch._dynamo.graph_break()
        raise ValueError(y.sum().item())

    torch._dynamo.reset()
    with depyf.compare(tmp_path) as report, pytest.raises(ValueError):
        torch.compile(function)(torch.ones(3))
    assert report.findings == [] and "it raises, as it does in eager" in call_of(report).unchecked


def test_an_exception_that_only_eager_raises_is_found(tmp_path):
    def function(x):
        y = x + 1
        if not torch.compiler.is_compiling():
            raise ValueError(x)
        return y

    _, report = compared(tmp_path, function, torch.ones(3))
    (finding,) = report.findings
    assert finding.words == "function() raises ValueError in eager (Dynamo)" and finding.text == "raise ValueError(x)"


def test_gradients_and_modes_are_left_alone(tmp_path):
    model, x = Model(), torch.ones(3, 4, requires_grad=True)
    result, report = compared(tmp_path, model, x, BY)
    result["y"].sum().backward()
    expected = Model()
    expected.load_state_dict({**model.state_dict(), "total": torch.zeros(4)})
    y = torch.ones(3, 4, requires_grad=True)
    expected(y, BY)["y"].sum().backward()
    torch.testing.assert_close(x.grad, y.grad)
    assert report.findings == [] and torch.is_grad_enabled() and sys.getprofile() is None


def test_a_profile_function_of_the_programs_stays(tmp_path):
    heard = []
    profile = lambda frame, event, argument: heard.append(event)  # noqa: E731
    sys.setprofile(profile)
    try:
        _, report = compared(tmp_path, lambda x: x + 1, torch.ones(3))
        assert sys.getprofile() is profile and heard
    finally:
        sys.setprofile(None)
    assert call_of(report).unchecked == {"the program has a profile function": 1}


def test_a_program_that_waits_for_its_children_gets_its_own(tmp_path):
    heard = []
    before = signal.signal(signal.SIGCHLD, lambda *_: heard.append(1))
    try:
        child = subprocess.Popen([sys.executable, "-c", ""])
        compared(tmp_path, lambda x: x + 1, torch.ones(3))
        assert os.waitpid(-1, 0)[0] == child.pid
        child.returncode = 0
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_a_call_that_waits_for_another_thread_ends_in_time(tmp_path, monkeypatch):
    monkeypatch.setattr(eager_process, "_SECONDS", 0.5)
    monkeypatch.setattr(eager_process.EagerProcess, "too_slow", "")
    lock, held, done = threading.Lock(), threading.Event(), threading.Event()

    def hold():
        with lock:
            held.set()
            done.wait(20)

    def function(x):
        done.set()
        with lock:  # in a fork nobody lets it go
            return x + 1

    threading.Thread(target=hold).start()
    held.wait()
    result, report = compared(tmp_path / "1", function, torch.ones(3))
    _, again = compared(tmp_path / "2", lambda x: x * 2, torch.ones(3))
    assert result.tolist() == [2, 2, 2]
    for one in (report, again):
        assert call_of(one).unchecked == {"a call takes more than 0 s in eager": 1}


def test_a_program_that_cannot_be_forked_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fork", mock.Mock(side_effect=OSError(12, "Cannot allocate memory")))
    result, report = compared(tmp_path, lambda x: x + 1, torch.ones(3))
    assert result.tolist() == [2, 2, 2] and report.findings == []
    assert call_of(report).unchecked == {"the program can't be forked: Cannot allocate memory": 1}


def test_free_variables_and_more_arguments(tmp_path):
    count = 0

    def function(x, *more, by=2, **named):
        nonlocal count
        count += 1
        named["seen"].append(by)
        return x * more[0] + by

    seen = []
    torch._dynamo.reset()
    with depyf.compare(tmp_path) as report:
        torch.compile(function)(torch.ones(3), 5, by=3, seen=seen)
    assert (count, seen) == (1, [3]) and report.findings == []
    assert call_of(report).outputs == (1, 1) and call_of(report).mutations[0] >= 2


def writes_into_its_arguments(x, *more, **named):
    named["by"] = named.pop("first") + 1
    named.setdefault("seen", []).append(len(named))
    return x * named["by"]


@pytest.mark.parametrize("function", [writes_into_its_arguments, lambda *a, **b: writes_into_its_arguments(*a, **b)])
def test_the_dictionary_of_more_arguments_is_the_calls_own(tmp_path, function):
    seen = []
    torch._dynamo.reset()
    with depyf.compare(tmp_path) as report:
        torch.compile(function)(torch.ones(3), first=1, seen=seen)
    assert report.findings == [] and len(seen) == 1
    assert call_of(report).outputs == (1, 1)


CALL = """
import sys, torch, depyf
def f(x):
    y = x * 3
    return (y.detach() if torch.compiler.is_dynamo_compiling() and sys.argv[1] == "wrong" else y) * x
x = torch.ones(3, requires_grad=True)
with depyf.compare("dump") as report:
    torch.compile(f)(x).sum().backward()
    torch.compile(lambda a: a * 2)(x.clone()).sum().backward()
print(report)
"""


@pytest.mark.parametrize("kind", ["right", "wrong"])
def test_gradients_of_a_call_are_compared(tmp_path, kind):
    path = tmp_path / "train.py"
    path.write_text(CALL)
    done = DEPYF.run(path, kind, cwd=tmp_path)
    assert "1/0 call's gradients: " in done.stdout, done.stderr  # where torch has threads for devices: not checked
    if kind == "right":
        assert "wrong:" not in done.stdout and "0/0 call's gradients: agrees" in done.stdout
    else:
        assert "the gradient of x is another value (Dynamo), 3 of 3 elements" in done.stdout


def test_a_class_that_is_changed_is_seen(tmp_path):
    class Seen:
        items, count = [], 0

    def function(x):
        Seen.items.append(1)
        Seen.count += 1
        return x + 1

    _, report = compared(tmp_path, function, torch.ones(3))
    assert report.findings == [] and call_of(report).mutations[0] >= 2 and (Seen.items, Seen.count) == ([1], 1)


def test_what_is_written_without_being_counted_is_seen(tmp_path):
    with torch.inference_mode(), FAULTS["buffer"]():
        _, report = compared(tmp_path, Model(), torch.ones(3, 4), BY)
    (finding,) = report.findings
    assert finding.text.endswith("# buffer")


def test_names_of_attributes_are_no_code(tmp_path):
    """What a program reads may become the name of an attribute, and the line of a change is looked for by names."""
    model = Model()
    setattr(model, "log or [].append(print('RUN'))", [0])
    model.settings = {"x']+[print('RUN')]+['": 1}
    found = left_behind.left_behind({"self": model}, {})
    assert "self.log" in found and sum("RUN" in path for path in found) == 3
    for path in found:
        allowed = (ast.Expression, ast.Attribute, ast.Subscript, ast.Name, ast.Constant, ast.Load)
        assert all(isinstance(node, allowed) for node in ast.walk(ast.parse(path, mode="eval"))), path


def test_only_the_program_writes_into_the_dump(tmp_path):
    compared(tmp_path, lambda x: x.sum().backward() or x.grad * 2, torch.ones(3, requires_grad=True))
    assert not [path for path in tmp_path.rglob("*") if "forked" in path.name or path.name.isdigit()]
