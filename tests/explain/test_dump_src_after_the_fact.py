"""`dump_src` and `inspect` on what torch.compile has made already, without any recording."""

from __future__ import annotations

import json
import sys
import types
from pathlib import Path
from typing import Any, Callable

import pytest
import torch

from depyf.errors import NothingCompiled
from depyf.explain import dump_src, inspect
from depyf.explain.model import to_json
from depyf.explain.recording.session import prepare_debug

pytestmark = pytest.mark.usefixtures("fresh_dynamo")

SCALE = 3


def toy_example(a: Any, b: Any) -> Any:
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


def dynamic(x: Any, n: int) -> Any:
    return x.reshape(-1)[:n] * SCALE


def helper(x: Any) -> Any:
    return x.cos()


def skipped(x: Any) -> Any:
    for _ in range(2):
        x = helper(x)
        torch._dynamo.graph_break()
    return x


def no_graph(x: Any) -> int:
    return 3


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lin = torch.nn.Linear(3, 3)

    def forward(self, x: Any, scale: float = 1.0) -> Any:
        return self.lin(x) * scale


def run_toy(backend: str) -> Callable[..., Any]:
    compiled = torch.compile(toy_example, backend=backend)
    for sign in (1, -1):
        compiled(torch.randn(10), sign * torch.rand(10))
    return compiled


def is_python(text: str) -> bool:
    compile(text, "page", "exec", dont_inherit=True)
    return True


def entry_of(function: Any) -> Any:
    """A live cache entry: what torch keeps with it differs (see torch_behavior.py)."""
    return torch._dynamo.eval_frame._debug_get_cache_entry_list(function.__code__)[0]


def guard_text(function: Any) -> str:
    return inspect(function).frames[0].entries[0].guard_tree


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_the_toy(backend: str) -> None:
    page = dump_src(run_toy(backend))
    assert is_python(page)
    first_line = toy_example.__code__.co_firstlineno
    for part in [
        "# toy_example  (test_dump_src_after_the_fact.py:{})".format(first_line),
        "3 graphs, 1 graph break, 3 compilations",
        "abs, add, truediv, sum, lt",
        "break at test_dump_src_after_the_fact.py:{}  `if b.sum() < 0:`".format(first_line + 2),
        "resume at line {} ── graph".format(first_line + 3),
        "resume at line {} ── graph".format(first_line + 4),
        "(backend {})".format(backend) if hasattr(entry_of(toy_example), "backend") else "",
        "a: CPU float32 tensor of shape [10], stride [1], no grad",
        "a and b are different tensors",
        "globals: torch and torch.abs are still the same objects" if "G['torch']" in guard_text(toy_example) else "",
        "abs_1 = torch.abs(L_a_)  # f32[10]",
        "Hint: Use `torch.cond` to express dynamic control flow.",
        "def toy_example(a, b):",
        "def __original_toy_example(a: Any, b: Any) -> Any:",
    ]:
        assert part in page


def test_every_way_to_name_it() -> None:
    compiled = run_toy("eager")
    page = dump_src(compiled)
    assert dump_src(toy_example) == page
    assert dump_src(toy_example.__code__, sys.modules[__name__]) == page
    assert dump_src(toy_example.__code__, globals()) == page


def test_nothing_that_changes_between_runs() -> None:
    page = dump_src(run_toy("eager"))
    assert " at 0x" not in page
    assert str(Path(__file__).parent) not in page
    assert not [name for name in globals() if name.startswith("__compiled_fn") and len(name) > 20 and name in page]


def test_recompilation_with_dynamic_shapes() -> None:
    compiled = torch.compile(dynamic, backend="eager")
    compiled(torch.ones(4, 4), 3)
    compiled(torch.ones(5, 4), 4)
    session = inspect(compiled)
    entries = session.frames[0].entries
    assert [entry.compile_id.split("/")[1] for entry in entries] == ["0", "1"]
    page = dump_src(compiled)
    assert is_python(page)
    assert "dynamic ── 2 compilations, the first whose guard holds is used" in page
    assert "x: CPU float32 tensor of shape [any, 4], stride [4, 1], no grad" in page
    assert "2 <= x.shape[0]" in page
    newest, oldest = page.index("if __guard_1_for_dynamic"), page.index("if __guard_0_for_dynamic")
    assert newest < oldest  # the order in which Dynamo tries them


def test_guards_of_the_page_run() -> None:
    compiled = torch.compile(dynamic, backend="eager")
    compiled(torch.ones(4, 4), 3)
    namespace: Any = {}
    exec(compile(dump_src(compiled), "page", "exec", dont_inherit=True), namespace)
    guard = namespace["__guard_0_for_dynamic"]
    fits = {"x": torch.ones(4, 4), "n": 3}
    assert guard(fits, {"SCALE": 3, "torch": torch})
    assert not guard(fits, {"SCALE": 4, "torch": torch})
    for name, value in [("n", 4), ("x", torch.ones(5, 4)), ("x", torch.ones(4, 4, dtype=torch.float64))]:
        assert not guard({**fits, name: value}, {"SCALE": 3, "torch": torch})
    assert not guard({"x": torch.ones(4, 4, requires_grad=True), "n": 3}, {"SCALE": 3, "torch": torch})
    assert not guard({"x": torch.ones(4, 4).t(), "n": 3}, {"SCALE": 3, "torch": torch})


def test_graphs_of_the_page_run() -> None:
    page = dump_src(run_toy("aot_eager"))
    session = inspect(toy_example)
    namespace: Any = {}
    exec(compile(page, "page", "exec", dont_inherit=True), namespace)
    graph = session.frames[0].entries[0].graphs[0]
    a, b = torch.randn(10), -torch.rand(10)
    lt, x = sorted(namespace[graph.name](a, b), key=lambda result: result.dim())
    assert bool(lt) is True
    assert torch.equal(x, a / (a.abs() + 1))


def test_closure() -> None:
    w = torch.ones(3)

    def inner(x: Any) -> Any:
        return x * w

    compiled = torch.compile(inner, backend="eager")
    compiled(torch.ones(3))
    page = dump_src(compiled)
    assert is_python(page)
    assert "w: CPU float32 tensor of shape [3]" in page
    assert "It reads w of your program" in page


@pytest.mark.parametrize("way", ["wrapped", "in place", "forward only"])
def test_module(way: str) -> None:
    net: Any = Net()
    compiled: Any = net
    if way == "wrapped":
        compiled = torch.compile(net, backend="eager")
    elif way == "in place":
        net.compile(backend="eager")
    else:
        compiled = torch.compile(net.forward, backend="eager")
    compiled(torch.ones(2, 3))
    page = dump_src(compiled)
    assert is_python(page)
    assert "x: CPU float32 tensor of shape [2, 3], stride [3, 1], no grad" in page
    if "L['self']._modules" in guard_text(Net.forward):  # else the module itself is an attribute of the graph
        assert "self.lin.weight: CPU float32 Parameter of shape [3, 3], stride [3, 1], needs grad" in page
    assert "inear, mul" in page.splitlines()[2]
    assert "def forward(self, x, scale=1.0):" in page
    assert dump_src(net) == page


def test_module_of_torch_itself() -> None:
    compiled = torch.compile(torch.nn.Sequential(torch.nn.ReLU()), backend="eager")
    compiled(torch.ones(3))
    page = dump_src(compiled)
    assert is_python(page)
    assert "relu" in page.splitlines()[2].lower()


def test_lambda() -> None:
    compiled = torch.compile(lambda x: x + 1, backend="eager")
    compiled(torch.ones(3))
    page = dump_src(compiled)
    assert is_python(page)
    assert "def lambda_(x):" in page
    assert "__original_lambda_ = lambda x: x + 1" in page


def test_inner_graphs() -> None:
    def choose(x: Any) -> Any:
        return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,))

    compiled = torch.compile(choose, backend="eager")
    compiled(torch.ones(3))
    page = dump_src(compiled)
    assert is_python(page)
    namespace: Any = {}
    exec(compile(page, "page", "exec", dont_inherit=True), namespace)
    graph = inspect(choose).frames[0].entries[0].graphs[0]
    assert torch.equal(namespace[graph.name](torch.ones(3))[0], torch.full((3,), 2.0))
    assert torch.equal(namespace[graph.name](-torch.ones(3))[0], torch.full((3,), -2.0))


def test_a_frame_left_to_python_shows_what_it_calls() -> None:
    compiled = torch.compile(skipped, backend="eager")
    compiled(torch.ones(3))
    page = dump_src(compiled)
    assert is_python(page)
    assert "skipped ── no cache entry: Dynamo left this frame to Python" in page
    assert "helper ── graph" in page


def test_nothing_compiled_says_so() -> None:
    compiled = torch.compile(lambda x: x + 1, backend="eager")
    with pytest.raises(NothingCompiled, match=r"nothing is compiled for .*<lambda>: call what"):
        dump_src(compiled)
    compiled = torch.compile(no_graph, backend="eager")
    compiled(torch.ones(3))
    with pytest.raises(NothingCompiled, match="no_graph"):
        dump_src(compiled)


def test_wrong_arguments() -> None:
    with pytest.raises(TypeError, match="not int"):
        dump_src(3)
    with pytest.raises(TypeError, match="needs the module"):
        dump_src(toy_example.__code__)
    with pytest.raises(NothingCompiled, match="helper"):
        dump_src(helper.__code__, sys.modules[__name__])


def hiding(module: Any, inputs: Any) -> Any:
    """A backend from whose result nothing leads to the graph but a call."""
    secret = types.MappingProxyType({"graph": module.forward})
    return lambda *args: secret["graph"](*args)


def test_a_recording_knows_graphs_that_the_backend_hides(tmp_path: Path) -> None:
    compiled = torch.compile(helper, backend=hiding)
    with prepare_debug(str(tmp_path)):
        compiled(torch.ones(3))
        page = dump_src(compiled)
    assert "cos = L_x_.cos()" in page


def test_a_backend_which_hides_its_graph() -> None:
    compiled = torch.compile(helper, backend=hiding)
    compiled(torch.ones(3))
    page = dump_src(compiled)
    assert is_python(page)
    assert "is not at hand: the backend's compiled function no longer leads to the graph" in page
    assert "compile under depyf.prepare_debug" in page


def test_the_model_prints_as_a_tree() -> None:
    assert str(inspect(run_toy("eager"))).startswith("toy_example ── graph")


def test_the_model_is_json() -> None:
    session = inspect(run_toy("eager"))
    loaded = json.loads(json.dumps(to_json(session)))
    entry = loaded["frames"][0]["entries"][0]
    assert entry["breaks"][0]["reason"] == "the branch depends on a tensor's value"
    assert entry["breaks"][0]["hints"]
    assert [guard["words"] for guard in entry["guards"] if guard["kind"] == "NO_TENSOR_ALIASING"] == [
        "a and b are different tensors"
    ]
    assert loaded["torch_version"] == torch.__version__
