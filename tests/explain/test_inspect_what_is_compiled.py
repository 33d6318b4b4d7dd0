"""What can be asked about after the fact, by whatever name one has for it, and what is said when there is nothing."""

from __future__ import annotations

import functools
from typing import Any, Callable

import pytest
import torch

from depyf.errors import NothingCompiled
from depyf.explain import dump_src, inspect
from depyf.explain.model import Session

pytestmark = pytest.mark.usefixtures("fresh_dynamo")


def cosine(x: Any) -> Any:
    return x.cos() + 1


def caller(x: Any) -> Any:
    for _ in range(2):
        torch._dynamo.graph_break()
        x = cosine(x)
    return x


def broken_up(x: Any) -> Any:
    x = x.sin()
    torch._dynamo.graph_break()
    return x.tan()


def calls_broken_up(x: Any) -> Any:
    return broken_up(x.exp()).neg()


def twice(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(x: Any) -> Any:
        return function(function(x))

    return wrapper


def unnamed(function: Callable[..., Any]) -> Callable[..., Any]:
    def wrapper(x: Any) -> Any:
        return function(x)

    return wrapper


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lin = torch.nn.Linear(3, 3)

    def forward(self, x: Any) -> Any:
        return self.lin(x).relu()

    def doubled(self, x: Any) -> Any:
        return self.lin(x) * 2

    @staticmethod
    def tripled(x: Any) -> Any:
        return x * 3

    @classmethod
    def halved(cls, x: Any) -> Any:
        return x / 2


class Stack(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList([Net(), Net()])

    def forward(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return x


class Callable_:
    def __call__(self, x: Any) -> Any:
        return x.exp()

    def method(self, x: Any) -> Any:
        return self.helper(x)

    @torch.compile(backend="eager")
    def helper(self, x: Any) -> Any:
        return x.neg()


def compiled(function: Any, backend: str = "eager", **options: Any) -> Any:
    made = torch.compile(function, backend=backend, **options)
    made(torch.ones(2, 3))
    return made


def operations(session: Session) -> set[str]:
    entries = [entry for frame in session.frames for entry in frame.entries]
    nodes = [node for entry in entries for graph in entry.graphs for node in graph.nodes]
    return {node.target.rsplit(".", 1)[-1] for node in nodes if node.op.startswith("call_")}


# ---- what one has in hand


def test_methods() -> None:
    net = Net()
    for method in (net.doubled, Net.tripled, Net.halved, net.forward):
        made = compiled(method)
        found = inspect(made)
        assert found.frames[0].name == method.__name__
        assert found.to_dict() == inspect(method).to_dict()
    assert inspect(Net.doubled).frames[0].name == "doubled"
    assert inspect(net).frames[0].name == inspect(Net).frames[0].name == "forward"


@pytest.mark.parametrize("hooks", [False, True])
def test_an_optimized_module(hooks: bool) -> None:
    net = Net()
    if hooks:
        net.register_forward_hook(lambda module, inputs, output: output + 1)
    made = compiled(net)
    assert {"relu"} <= operations(inspect(made)) == operations(inspect(net))


def test_partials_and_partials_of_partials() -> None:
    made = compiled(cosine)
    assert operations(inspect(functools.partial(functools.partial(made)))) == {"cos", "add"}


def test_decorated_functions() -> None:
    for decorate in (twice, unnamed, functools.lru_cache(maxsize=None), torch.no_grad()):
        torch._dynamo.reset()
        decorated = decorate(torch.compile(cosine, backend="eager"))
        decorated(torch.ones(2, 3))
        assert operations(inspect(decorated)) == {"cos", "add"}
        torch._dynamo.reset()
        made = compiled(decorate(cosine))
        assert {"cos", "add"} <= operations(inspect(made))


def test_objects_that_can_be_called() -> None:
    one, other = compiled(Callable_()), compiled(functools.partial(torch.add, torch.ones(3)))
    assert operations(inspect(one)) == {"exp"}
    assert operations(inspect(other)) == {"add"}


def test_what_a_method_calls_on_its_own_object() -> None:
    thing = Callable_()
    thing.method(torch.ones(3))
    session = inspect(thing.method)
    assert [frame.name for frame in session.frames] == ["method", "helper"]
    assert session.frames[0].skipped and operations(session) == {"neg"}


def test_modules_inside_a_module_that_is_not_compiled() -> None:
    stack = Stack()
    for layer in stack.layers:
        layer.compile(backend="eager")
    stack(torch.ones(2, 3))
    session = inspect(stack)
    assert [frame.name for frame in session.frames] == ["forward", "forward"]
    assert session.frames[0].skipped and "relu" in operations(session)
    assert "relu" in dump_src(stack)


def test_a_resume_function_by_itself() -> None:
    compiled(broken_up)
    resume = inspect(broken_up).frames[0].entries[0].resume_functions[0]
    function = broken_up.__globals__[resume.global_name]
    session = inspect(function)
    assert operations(session) == {"tan"}
    assert str(session).strip() and "tan" in session.to_html()
    assert "def {}".format(session.frames[0].entries[0].transformed_name) in dump_src(function)


def test_a_call_that_breaks_the_graph_is_shown_too() -> None:
    session = inspect(compiled(calls_broken_up))
    assert [frame.name for frame in session.top_level()] == ["calls_broken_up", "broken_up"]
    assert {"exp", "sin", "tan", "neg"} == operations(session)
    compiled(cosine)
    assert [frame.name for frame in inspect(cosine).frames] == ["cosine"]


def test_every_compilation_with_its_backend_and_id() -> None:
    compiled(cosine)
    torch.compile(cosine, backend="aot_eager", dynamic=False)(torch.ones(2, 3).double())
    entries = inspect(cosine).frames[0].entries
    assert [entry.compile_id for entry in entries] == sorted({entry.compile_id for entry in entries})
    assert len(entries) == 2 and all(entry.guards for entry in entries)


def test_kernels_need_no_recording() -> None:
    made = torch.compile(cosine)
    made(torch.ones(2, 3, requires_grad=True)).sum().backward()
    forward, backward = inspect(made).frames[0].entries[0].graphs[0].kernels
    assert "for the forward graph" in forward.source and "for the backward graph" in backward.source
    assert "cos(" in forward.source and "sin(" in backward.source
    assert "torchinductor_" not in forward.source + backward.source


# ---- when there is nothing


@pytest.mark.parametrize(
    "situation, says",
    [
        ("never called", "call what torch.compile returned for it once.* was not called so far"),
        ("no tensors", "Dynamo looked at it and left it to Python"),
        ("cannot", "Dynamo gave it up: .*Observed exception|Dynamo gave it up: .*nope"),
        ("reset", r"it was compiled \(as \d+/\d+\), and the result is gone"),
        ("disabled", "torch.compiler.disable is on it"),
        ("switched off", "torch.compile is switched off"),
        ("stance", "force_eager"),
    ],
)
def test_why_there_is_nothing(situation: str, says: str) -> None:
    def function(x: Any) -> Any:
        if situation == "cannot":
            return x.nope()
        return 3 if situation == "no tensors" else x.atan()

    thing: Any = torch.compile(function, backend="eager")
    if situation == "disabled":
        thing = torch.compiler.disable(function)
    stance = "force_eager" if situation == "stance" else "default"
    with torch._dynamo.config.patch(disable=situation == "switched off"), torch.compiler.set_stance(stance):
        if situation == "cannot":
            with pytest.raises(Exception, match="nope"):
                thing(torch.ones(3))
        elif situation != "never called":
            thing(torch.ones(3))
        if situation == "reset":
            torch._dynamo.reset()
        for ask in (inspect, dump_src):
            with pytest.raises(NothingCompiled, match="function: .*(" + says + ")"):
                ask(thing)


def test_what_is_no_function() -> None:
    for thing in (3, "f", None, torch.ones(3), torch.nn, object()):
        with pytest.raises(TypeError, match="takes a function"):
            inspect(thing)


def test_nothing_is_called_and_no_property_read() -> None:
    class Trap:
        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            raise RuntimeError("looked at " + name)

        def __call__(self, x: Any) -> Any:
            raise RuntimeError("called")

    with pytest.raises(NothingCompiled):
        inspect(Trap())
