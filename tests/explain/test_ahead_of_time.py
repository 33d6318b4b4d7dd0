"""`torch.compile(f, fullgraph=True).aot_compile(inputs)`: no cache entry, no hook on bytecode, and a page all the same.

Where this torch has none, or fails on its own, it fails in the same way while we record.
"""

import ast

import pytest
import torch

import depyf
from depyf.errors import NothingCompiled


def scaled(x, y):
    return x.sin() + y


def attempt():
    """The compiled function and what it gives, or the kind of exception."""
    torch._dynamo.reset()
    inputs = (torch.ones(3), torch.ones(3))
    try:
        made = torch.compile(scaled, backend="eager", fullgraph=True).aot_compile((inputs, {}))
        return made, made(*inputs).tolist()
    except Exception as error:
        return None, type(error)


def test_recorded(tmp_path):
    _, alone = attempt()
    with depyf.prepare_debug(str(tmp_path)) as session:
        made, recorded = attempt()
    assert recorded == alone
    assert attempt()[1] == alone  # and afterwards
    if made is None:
        assert session.frames == []
        return
    assert session.failures == []
    page = (tmp_path / "full_code_for_scaled_0.py").read_text()
    ast.parse(page)
    assert "compilation ahead of time of scaled  (backend eager)" in page
    assert "def __guard_0_for_scaled(" in page and "x: CPU float32 tensor of shape [3]" in page
    assert "x.sin() + y" in page and "Captured_Graph.0.py" in page
    assert session.frames[0].entries[0].transformed.proven


def test_after_the_fact():
    made, _ = attempt()
    if made is None:
        return
    session = depyf.inspect(made)
    (graph,) = session.frames[0].entries[0].graphs
    assert str(session) == "scaled ── graph {}: sin, add".format(graph.name.rsplit("_", 1)[-1])
    assert "def __transformed_code_0_for_scaled(x, y):" in depyf.explain.dump_src(made)


def test_compilations_loaded_from_a_package_are_named(monkeypatch):
    """Their entries have guards and no code; torch before 2.8 has none."""

    def loaded(code):
        return [object()] * 2 if code is scaled.__code__ else []

    torch._dynamo.reset()
    monkeypatch.setattr(torch._C._dynamo.eval_frame, "_debug_get_precompile_entries", loaded, raising=False)
    with pytest.raises(NothingCompiled, match="runs 2 compilations that came from a package"):
        depyf.inspect(scaled)
