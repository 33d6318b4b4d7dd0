"""What vLLM does with depyf: `decompile` in a bytecode hook, `prepare_debug` and then files by their names."""

import glob
import os
import re
import subprocess
import sys

import pytest
import torch

import depyf
from depyf.decompiler import pipeline


class Compiled:
    """As vLLM's wrapper: compiles `forward` once, in one graph, and looks at the new code in a hook of its own."""

    def __init__(self, refuse_updates):
        self.refuse_updates = refuse_updates
        self.sources = []
        self.compiled = torch.compile(self.forward, fullgraph=True, dynamic=False, backend="eager")
        self.handle = torch._dynamo.convert_frame.register_bytecode_hook(self.bytecode_hook)

    def bytecode_hook(self, old_code, new_code):
        if old_code is not type(self).forward.__code__:
            return
        frame = sys._getframe()
        while frame.f_code.co_name != "_compile" or not frame.f_code.co_filename.endswith("convert_frame.py"):
            frame = frame.f_back
        if frame.f_locals["frame"].f_locals["self"] is not self:
            return
        self.sources.append(depyf.decompile(new_code))
        if self.refuse_updates and "update" in new_code.co_names:
            raise RuntimeError("buffers are modified, see the calls of `update`:\n" + depyf.decompile(new_code))

    def forward(self, x, cache):
        cache["seen"] = x + 1
        return x * 2


@pytest.fixture(autouse=True)
def fresh_dynamo():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()
    torch._dynamo.convert_frame._bytecode_hooks.clear()


def test_the_code_is_decompiled_in_the_hook():
    cache = {}
    model = Compiled(refuse_updates=False)
    assert model.compiled(torch.ones(2), cache).tolist() == [2.0, 2.0] and cache["seen"].tolist() == [2.0, 2.0]
    (source,) = model.sources
    compile(source, "<transformed code>", "exec")
    assert source.startswith("def forward(self, x, cache):") and "update(" in source


RUN = """
import sys
import torch
import depyf

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)

    def forward(self, x, cache):
        cache["seen"] = x + 1
        return self.linear(x) * 2

def hook(code, new_code):
    with open(sys.argv[1], "a") as file:
        file.write(depyf.decompile(new_code) + "\\n")

torch._dynamo.convert_frame.register_bytecode_hook(hook)
model = Model()
torch.compile(model, fullgraph=True, dynamic=False, backend="eager")(torch.ones(2, 3), {})
optimizer = torch.optim.SGD(model.parameters(), momentum=0.5)
model(torch.ones(2, 3), {}).sum().backward()
torch.compile(optimizer.step, backend="eager")()
"""


def test_what_it_writes_is_the_same_in_every_run(tmp_path):
    texts = []
    for run in range(2):
        path = tmp_path / "transformed_code_{}.py".format(run)
        environment = {**os.environ, "PADDING": "x" * 5000 * run, "PYTHONHASHSEED": str(run)}
        subprocess.run([sys.executable, "-W", "ignore", "-c", RUN, str(path)], check=True, env=environment, timeout=600)
        texts.append(path.read_text())
    assert texts[0] == texts[1]
    assert re.search(r"\b__compiled_fn_\d+\b(?!_)", texts[0]) and texts[0].count("def ") >= 2


def test_two_graphs_that_differ_by_their_uuids_alone_keep_them():
    uuids = ["{0}{0}{0}{0}{0}{0}{0}{0}_{0}{0}{0}{0}_{0}{0}{0}{0}_{0}{0}{0}{0}_{1}".format(d, d * 12) for d in "ab"]
    names = ["__compiled_fn_1_" + uuid for uuid in uuids]
    space = {}
    exec("def f(x):\n    return {}(x) + {}(x)\n".format(*names), space)
    text = depyf.decompile(space["f"].__code__)
    assert all(name in text for name in names)


def test_the_error_message_shows_what_is_updated():
    model = Compiled(refuse_updates=True)
    with pytest.raises(RuntimeError, match=r"buffers are modified") as error:
        model.compiled(torch.ones(2), {})
    assert "update(" in str(error.value)


@pytest.mark.parametrize("exception", [IndexError("planted"), RecursionError(), MemoryError(), AssertionError("no")])
def test_the_call_in_the_error_message_never_raises(monkeypatch, exception):
    def planted(*_, **__):
        raise exception

    monkeypatch.setattr(pipeline, "analyze", planted)
    model = Compiled(refuse_updates=True)
    with pytest.raises(RuntimeError, match=r"buffers are modified") as error:
        model.compiled(torch.ones(2), {})
    assert type(exception).__name__ in str(error.value) and "update" in str(error.value)


def test_what_is_refused_is_shown_as_instructions(monkeypatch):
    from depyf.decompiler.driver.decompilation import Decompilation

    def refused(self, *_):
        raise depyf.DecompilationError("planted")

    monkeypatch.setattr(Decompilation, "finished", refused)
    model = Compiled(refuse_updates=False)
    model.compiled(torch.ones(2), {})
    assert "update" in model.sources[0] and "planted" in model.sources[0]
    with pytest.raises(depyf.DecompilationError):
        depyf.decompile(lambda x: x)  # of other code it is said


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x, kv_cache):
        x = self.linear(x)
        if kv_cache is not None:
            x = x + kv_cache
        return x


def first_number(path):
    return [int(part) for part in os.path.basename(path).replace(".", "_").split("_") if part.isdigit()][0]  # noqa: RUF015


def test_the_files_are_found_by_name_and_in_order_of_compilation(tmp_path):
    with depyf.prepare_debug(str(tmp_path)):
        model = Block()
        compiled = torch.compile(model, backend="aot_eager", fullgraph=True, dynamic=False)
        with torch.no_grad():
            compiled(torch.ones(2, 4), None)
            compiled(torch.ones(2, 4), torch.full((2, 4), 3.0))
    transformed = sorted(glob.glob(os.path.join(str(tmp_path), "__transformed_code*for_forward.py")))
    assert len(transformed) == 2
    graphs = sorted(glob.glob(os.path.join(str(tmp_path), "__compiled_fn*Forward_graph*.py")), key=first_number)
    texts = [open(path, encoding="utf-8").read() for path in graphs]
    assert len(texts) == 2
    assert "aten.add.Tensor" not in texts[0] and "aten.add.Tensor" in texts[1]
    captured = sorted(glob.glob(os.path.join(str(tmp_path), "__compiled_fn*Captured*.py")), key=first_number)
    assert ["kv_cache" in open(path, encoding="utf-8").read() for path in captured] == [False, True]
