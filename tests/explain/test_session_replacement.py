"""Our code in place of Dynamo's: only when proven, under its file's name, with the real names of globals.

The decompiler is a stand-in here, so that each answer it can give is given.
"""

import re
import sys
import types

import pytest
import torch

import depyf
import depyf.decompiler.pipeline as pipeline

SOURCE = """\
def f(a):
    out = __compiled_fn_1(a)
    result = out[0]
    return result
"""


class StandIn:
    """A `Result` and its `Verdict` in one."""

    def __init__(self, source, level="equivalent"):
        self.source, self.folded = source, 3
        self.verdict = self
        self.level = types.SimpleNamespace(value=level)
        self.reasons = () if level == "equivalent" else ("planted",)
        self.assumptions = ("lists are lists",)
        self.constants, self.raw, self.tree, self.form, self.text = {}, None, None, "structured", self
        self.proven = level in ("identical", "exact", "equivalent")

    @property
    def printed(self):
        return self.source, {}

    def describe(self):
        return self.level.value


def recompile(source, like, filename, name=None, places=(), known=None):
    module = compile(source, filename, "exec")
    return next(constant for constant in module.co_consts if isinstance(constant, types.CodeType))


@pytest.fixture
def decompiler(monkeypatch):
    """Plants an answer of the decompiler: `decompiler(result, recompile)`."""

    def plant(result, make=recompile):
        def analyze(code, *, settings):
            graph = next(name for name in code.names if name.startswith("__compiled_fn_"))
            assert re.match(r"__compiled_fn_\d+$", graph), "the decompiler sees names without uuids"
            assert set(settings.result_names) == {graph}
            if isinstance(result, Exception):
                raise result
            result.source = result.source.replace("__compiled_fn_1", graph)
            return result

        monkeypatch.setattr(pipeline, "analyze", analyze)
        module = types.ModuleType("depyf.decompiler.recompile")
        module.recompile = make
        monkeypatch.setitem(sys.modules, "depyf.decompiler.recompile", module)

    return plant


def record(tmp_path):
    """Compiles `a + 1`; returns the entry in the model, the code which Dynamo has, and the text of its file."""
    torch._dynamo.reset()

    def f(a):
        return a + 1

    compiled = torch.compile(f, backend="eager")
    with depyf.prepare_debug(str(tmp_path)) as model:
        assert compiled(torch.ones(2)).tolist() == [2.0, 2.0]
    assert compiled(torch.ones(2)).tolist() == [2.0, 2.0]
    entries = torch._dynamo.eval_frame._debug_get_cache_entry_list(f.__code__)
    assert len(entries) == 1
    text = (tmp_path / "__transformed_code_0_for_f.py").read_text()
    compile(text, "text", "exec")
    return model.frames[0].entries[0], entries[0].code, text


def test_proven_code_runs_under_its_files_name(tmp_path, decompiler):
    decompiler(StandIn(SOURCE))
    entry, code, text = record(tmp_path)
    assert entry.runs_decompiled
    assert code.co_filename == str(tmp_path / "__transformed_code_0_for_f.py")
    lines = text.splitlines()
    assert lines[code.co_firstlineno - 1] == "def f(a):"
    assert any(re.match(r"__compiled_fn_\d+_\w{8}_", name) for name in code.co_names)
    assert "compile id 0/0" in lines[0]
    assert "3 operations" in text and "lists are lists" in text and "equivalent" in text
    assert entry.transformed.folded == 3 and entry.transformed.level == "equivalent"


@pytest.mark.parametrize("level", ["unproven", "refused"])
def test_what_is_not_proven_is_shown_and_does_not_run(tmp_path, decompiler, level):
    decompiler(StandIn(SOURCE, level))
    entry, code, text = record(tmp_path)
    assert not entry.runs_decompiled
    assert code.co_filename == __file__
    assert "Not what runs" in text and "planted" in text
    assert "return result" in text


def other_parameter(source, like, filename, name=None, places=()):
    return recompile(source.replace("(a)", "(b)"), like, filename)


def generator(source, like, filename, name=None, places=()):
    return recompile(source.replace("return result", "yield result"), like, filename)


def other_cells(source, like, filename, name=None, places=()):
    return recompile(source.replace("return result", "return (lambda: result)()"), like, filename)


def failing(source, like, filename, name=None, places=()):
    raise depyf.DecompilationError("planted: no cell for x")


@pytest.mark.parametrize("make", [other_parameter, generator, other_cells, failing])
def test_proven_code_that_cannot_stand_in_does_not_run(tmp_path, decompiler, make):
    decompiler(StandIn(SOURCE), make)
    entry, code, text = record(tmp_path)
    assert not entry.runs_decompiled and code.co_filename == __file__
    assert "Not what runs" in text and "return result" in text


@pytest.mark.parametrize("error", [depyf.DecompilationError("planted"), KeyError("planted"), RecursionError("planted")])
def test_a_decompiler_that_raises_leaves_the_instructions(tmp_path, decompiler, error):
    decompiler(error)
    entry, code, text = record(tmp_path)
    assert not entry.runs_decompiled and code.co_filename == __file__
    assert "planted" in text and "LOAD_GLOBAL" in text


def test_a_text_that_is_no_file_becomes_comments(tmp_path, decompiler):
    decompiler(StandIn("def f(a):\n    nonlocal x\n    return a\n", "unproven"))
    _, _, text = record(tmp_path)
    assert all(line.startswith("#") for line in text.splitlines())


def test_code_whose_file_cannot_be_written_does_not_run(tmp_path, decompiler, monkeypatch):
    from depyf.explain.dump.dump_directory import DumpDirectory

    decompiler(StandIn(SOURCE))
    write = DumpDirectory.write

    def full(self, path, text):
        if "__transformed_code" in path:
            (tmp_path / "__transformed_code_0_for_f.py").write_text("")
            raise OSError(28, "No space left on device")
        write(self, path, text)

    monkeypatch.setattr(DumpDirectory, "write", full)
    entry, code, _ = record(tmp_path)
    assert not entry.runs_decompiled and code.co_filename == __file__
