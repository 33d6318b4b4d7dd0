"""Never in the way: whatever fails in us, the program's results, exceptions and torch itself are as without us."""

import dataclasses
import logging

import pytest
import torch
import torch._inductor.codecache

import depyf
from depyf.explain.graphs import files as graph_files
from depyf.explain.guards import live as live_guards
from depyf.explain.recording import patches, recorder, session
from depyf.explain.stepping import graph_breakpoints
from depyf.explain.torch_facts import torch_behavior
from depyf.explain.torch_facts.torch_behavior import MissingHook


@pytest.fixture(autouse=True)
def fresh_dynamo():
    torch._dynamo.reset()
    yield
    assert session.active_recorders() == []
    torch._dynamo.reset()


def program():
    """Two graphs, a break, a result."""

    @torch.compile(backend="eager")
    def f(a, b):
        x = a + 1
        if b.sum() < 0:
            b = b * -1
        return x * b

    return [f(torch.ones(3), torch.ones(3)).tolist(), f(torch.ones(3), -torch.ones(3)).tolist()]


RESULT = [[2.0, 2.0, 2.0], [2.0, 2.0, 2.0]]


def state_of_torch():
    formatter = torch_behavior.graph_formatter()
    cache = torch._inductor.codecache.PyCodeCache
    return {
        "formatter": formatter.__code__,
        "loader": vars(cache)["load_by_key_path"],
        "generated": torch.fx.graph_module._exec_with_source,
        "hooks": list(torch._dynamo.convert_frame._bytecode_hooks.values()),
        "fx cache": torch._inductor.config.fx_graph_cache,
        "autograd cache": torch._functorch.config.enable_autograd_cache,
    }


def said(caplog):
    return [record.getMessage() for record in caplog.records if record.name == "depyf"]


def raises(*_, **__):
    raise ValueError("planted")


FAULTS = {
    "decompiler": (recorder, "decompile_transformed"),
    "graph text": (graph_files, "_draft"),
    "graph model": (recorder, "capture"),
    "graph signature": (recorder, "signature_of"),
    "guards": (live_guards, "collect_guards"),
    "graph code at files": (graph_breakpoints, "point_at_file"),
    "side effects": (torch_behavior, "side_effects"),
    "compiling frame": (torch_behavior, "compiling_frame"),
    "compile id": (torch_behavior, "current_compile_id"),
    "cache entries": (torch_behavior, "cache_entries"),
    "writer": (recorder.DumpDirectory, "write"),
    "numbers": (recorder.DumpDirectory, "reserve"),
    "resume functions": (recorder.Recorder, "_link_resume_functions"),
    "report": (recorder.Recorder, "_write_report"),
    "torch version": (torch_behavior, "torch_version"),
}


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_a_planted_fault_costs_artifacts_only(fault, tmp_path, monkeypatch, caplog):
    before = state_of_torch()
    owner, name = FAULTS[fault]
    monkeypatch.setattr(owner, name, raises)
    with caplog.at_level(logging.WARNING, "depyf"), depyf.prepare_debug(str(tmp_path)) as model:
        assert program() == RESULT
    assert state_of_torch() == before
    assert any("planted" in failure.reason for failure in model.failures)
    lines = said(caplog)
    assert any("planted" in line for line in lines)
    assert not any("\n" in line for line in lines)
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), MemoryError(), RecursionError()])
def test_what_cannot_be_written_is_listed(error, tmp_path, monkeypatch):
    write = recorder.DumpDirectory.write

    def full(self, path, text):
        if "__transformed_code" in path:
            raise error
        write(self, path, text)

    monkeypatch.setattr(recorder.DumpDirectory, "write", full)
    with depyf.prepare_debug(str(tmp_path)) as model:
        assert program() == RESULT
    assert not list(tmp_path.glob("__transformed_code*.py"))
    assert list(tmp_path.glob("__compiled_fn_*.Captured_Graph.0.py"))
    assert model.failures
    assert not any(entry.runs_decompiled for frame in model.frames for entry in frame.entries)


@pytest.mark.parametrize("patch", patches.PATCHES, ids=lambda patch: patch.target)
def test_a_missing_hook_costs_what_it_serves(patch, tmp_path, monkeypatch):
    def missing(*_):
        raise MissingHook("planted: no such thing in this torch")

    broken = [
        dataclasses.replace(p, apply=missing if p is patch else p.apply, wanted=bool,
                            when="torch" if p is patch else p.when)
        for p in patches.PATCHES
    ]
    monkeypatch.setattr(patches, "PATCHES", broken)
    before = state_of_torch()
    with depyf.prepare_debug(str(tmp_path)) as model:
        assert program() == RESULT
    assert state_of_torch() == before
    assert [failure.costs for failure in model.failures if "planted" in failure.reason] == [patch.serves]
    assert (tmp_path / "README.md").exists()


@pytest.mark.parametrize("kind", [KeyError, KeyboardInterrupt, StopIteration, GeneratorExit, depyf.DecompilationError])
def test_an_exception_of_the_user_passes_unchanged(kind, tmp_path):
    before = state_of_torch()
    mine = kind("mine")
    with pytest.raises(kind) as caught, depyf.prepare_debug(str(tmp_path)):
        program()
        raise mine
    assert caught.value is mine
    assert caught.value.__cause__ is None and caught.value.__context__ is None
    assert state_of_torch() == before
    assert (tmp_path / "README.md").exists()


def test_an_exception_of_compiled_code_is_the_programs_own(tmp_path):
    @torch.compile(backend="eager")
    def f(a, b):
        torch._dynamo.graph_break()
        return {"x": a + b}["y"]

    errors = []
    for recorded in (False, True):
        torch._dynamo.reset()
        try:
            if recorded:
                with depyf.prepare_debug(str(tmp_path)):
                    f(torch.ones(2), torch.ones(2))
            else:
                f(torch.ones(2), torch.ones(2))
        except Exception as error:
            errors.append((type(error), str(error)))
    assert len(errors) == 2 and errors[0] == errors[1]


def test_a_directory_that_cannot_be_made_does_not_stop_the_program(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    with depyf.prepare_debug(str(tmp_path / "file" / "dump")) as model:
        assert program() == RESULT
    assert "making the directory" in model.failures[0].what
    assert len(said(caplog)) == 1


def test_a_directory_must_be_a_path():
    with pytest.raises(TypeError, match="directory"), depyf.prepare_debug(dump_src_dir=None):
        pass


def test_a_recording_inside_a_recording_gets_a_copy_of_the_outer_one(tmp_path, caplog):
    kept, dump = tmp_path / "kept", tmp_path / "inner"
    transformed = "__transformed_code_0_for_f.py"
    with depyf.prepare_debug(str(kept)):
        assert program() == RESULT
    (kept / transformed).write_text("# own\n")
    torch._dynamo.reset()
    with depyf.prepare_debug(str(tmp_path / "outer")) as outer:
        with depyf.prepare_debug(str(dump)) as inner, depyf.prepare_debug(str(kept)):
            assert program() == RESULT
        assert len(session.active_recorders()) == 1
        assert (dump / transformed).read_text() == (tmp_path / "outer" / transformed).read_text()
        assert "has not ended" in (dump / "README.md").read_text()
    assert inner is outer
    written = {path.name: path.read_text() for path in (tmp_path / "outer").iterdir()}
    assert "full_code_for_f_0.py" in written
    assert {path.name: path.read_text() for path in dump.iterdir()} == written
    assert (kept / transformed).read_text() == "# own\n"
    assert (kept / "README.md").read_text() == written["README.md"]
    assert any("inside prepare_debug" in line for line in said(caplog))


def test_a_copy_that_can_not_be_written_costs_nothing_else(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    with depyf.prepare_debug(str(tmp_path / "outer")):
        with depyf.prepare_debug(str(tmp_path / "file" / "inner")):
            assert program() == RESULT
    assert (tmp_path / "outer" / "full_code_for_f_0.py").exists()
    assert any("copying to" in line for line in said(caplog))


def test_two_recordings_after_each_other_keep_their_files(tmp_path):
    for _ in range(2):
        torch._dynamo.reset()
        with depyf.prepare_debug(str(tmp_path)):
            assert program() == RESULT
    assert (tmp_path / "__transformed_code_0_for_f.py").exists()
    assert (tmp_path / "__transformed_code_1_for_f.py").exists()


def test_generated_code_and_bytecode_on_demand(tmp_path):
    with depyf.prepare_debug(str(tmp_path), clean_wild_fx_code=False, log_bytecode=True):
        assert program() == RESULT
    assert "torch.abs" not in (tmp_path / "__transformed_code_0_for_f.py.original_bytecode").read_text()
    assert "__compiled_fn_" in (tmp_path / "__transformed_code_0_for_f.py.transformed_bytecode").read_text()
    generated = list(tmp_path.glob("fx_graph_code_*.py"))
    assert generated
    for path in generated:
        compile(path.read_text(), path.name, "exec")


def test_a_recording_does_not_keep_parameters_alive(tmp_path):
    import gc
    import weakref

    model = torch.nn.Linear(3, 3)
    compiled = torch.compile(model, backend="eager")
    with depyf.prepare_debug(str(tmp_path)) as found:
        compiled(torch.ones(2, 3))
    parameter = weakref.ref(model.weight)
    assert found.frames
    del model, compiled
    torch._dynamo.reset()
    gc.collect()
    assert parameter() is None
