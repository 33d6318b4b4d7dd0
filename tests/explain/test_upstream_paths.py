"""Paths and names of earlier releases which other programs reach into."""

import importlib
import inspect
import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("depyf", ["decompile", "Decompiler", "DecompilationError", "prepare_debug", "debug", "install", "uninstall"]),
        ("depyf.explain", ["dump_src"]),
        ("depyf.explain.enable_debugging", ["prepare_debug", "debug", "patched_load_by_key_path"]),
        ("depyf.explain.enhance_logging", ["install", "uninstall", "pytorch_bytecode_src_hook"]),
        ("depyf.explain.global_variables", ["data"]),
        ("depyf.explain.utils", ["get_current_compiled_fn_name", "write_code_to_file_template", "lock_on_file"]),
        ("depyf.utils", ["get_function_signature", "collect_all_code_objects", "safe_create_directory",
                         "get_code_owner", "decompile_ensure"]),
        ("depyf.code_transform", ["add_indentation", "remove_indentation"]),
        ("depyf.optimization", ["TorchCompileWrapperWithCustomDispatcher"]),
    ],
)
def test_names_are_where_they_were(module, names):
    found = importlib.import_module(module)
    for name in names:
        assert getattr(found, name) is not None


@pytest.mark.parametrize(
    ("module", "name", "parameters"),
    [
        ("depyf", "decompile", "code"),
        ("depyf", "prepare_debug", "dump_src_dir, clean_wild_fx_code=True, log_bytecode=False"),
        ("depyf", "debug", ""),
        ("depyf", "install", ""),
        ("depyf", "uninstall", ""),
        ("depyf.decompiler", "decompile", "code"),
        ("depyf.decompiler", "Decompiler", "code"),
        ("depyf.decompiler", "Decompiler.decompile",
         "self, indentation=4, temp_prefix='__temp_', overwite_fn_name=None"),
        ("depyf.decompiler", "Decompiler.decompile_and_compile_like",
         "code_to_decompile, reference_code, indentation=4, temp_prefix='__temp_', filepath_template=None"),
        ("depyf.decompiler", "DecompilationError", "message"),
        ("depyf.decompiler", "DecompilationError", ""),
        ("depyf.code_transform", "add_indentation", "code, indentation=4"),
        ("depyf.code_transform", "remove_indentation", "code, indentation=4"),
        ("depyf.explain", "dump_src", "original_code, module"),
        ("depyf.explain.enable_debugging", "prepare_debug",
         "dump_src_dir, clean_wild_fx_code=True, log_bytecode=False"),
        ("depyf.explain.enable_debugging", "patched_load_by_key_path", "key, path, linemap=None, attrs=None"),
        ("depyf.explain.enhance_logging", "pytorch_bytecode_src_hook", "code, new_code"),
        ("depyf.explain.utils", "lock_on_file", "path_template"),
        ("depyf.explain.utils", "write_code_to_file_template", "src, path_template"),
        ("depyf.explain.utils", "get_current_compiled_fn_name", ""),
        ("depyf.explain.utils", "remove_indentation", "code"),
        ("depyf.optimization", "TorchCompileWrapperWithCustomDispatcher",
         "compiled_callable, use_custom_dispatcher=True"),
        ("depyf.optimization", "TorchCompileWrapperWithCustomDispatcher.dispatch_to_code", "self, index"),
        ("depyf.optimization", "TorchCompileWrapperWithCustomDispatcher.bytecode_hook", "self, old_code, new_code"),
        ("depyf.utils", "get_function_signature", "code_obj, overwite_fn_name=None"),
        ("depyf.utils", "collect_all_code_objects", "code"),
        ("depyf.utils", "safe_create_directory", "path"),
        ("depyf.utils", "get_code_owner", "fn"),
        ("depyf.utils", "decompile_ensure", "fn, overwite_fn_name=None"),
    ],
)
def test_calls_of_release_0_20_still_fit(module, name, parameters):
    """By position, by keyword where there is a default, and with the same defaults."""
    found = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    theirs = inspect.signature(eval("lambda {}: None".format(parameters))).parameters
    ours = inspect.signature(found)
    ours.bind(*theirs)
    needed = [one.name for one in theirs.values() if one.default is one.empty]
    for one in theirs.values():
        if one.default is not one.empty:
            ours.bind(*needed, **{one.name: one.default})
            if one.name in ours.parameters:
                assert ours.parameters[one.name].default == one.default


def test_importing_the_package_imports_no_torch():
    script = "import sys, depyf, depyf.explain, depyf.explain.recording.session; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_data_follows_the_recording(tmp_path):
    import depyf
    from depyf.explain.global_variables import data

    assert data["is_inside_prepare_debug"] is False
    with depyf.prepare_debug(str(tmp_path)):
        assert data["is_inside_prepare_debug"] is True
        assert data["dump_src_dir"] == str(tmp_path)
        assert "dump_src_dir" in data and len(list(data)) == len(data)
    assert data["is_inside_prepare_debug"] is False
    data["mine"] = 1
    assert data["mine"] == 1
    del data["mine"]
    with pytest.raises(KeyError):
        data["mine"]


def test_kernels_are_loaded_with_arguments_that_are_not_known(tmp_path, monkeypatch):
    from torch._inductor.codecache import PyCodeCache

    from depyf.explain.enable_debugging import patched_load_by_key_path
    from depyf.explain.global_variables import data

    seen = []
    load = lambda *args, **kwargs: seen.append((args, kwargs)) or "module"  # noqa: E731
    monkeypatch.setattr(PyCodeCache, "load_by_key_path", load)
    assert patched_load_by_key_path("key", "path", linemap=[], of_the_future=1) == "module"
    assert data["unpatched_load_by_key_path"]("key", "path") == "module"
    assert seen == [(("key", "path"), {"linemap": [], "of_the_future": 1}), (("key", "path"), {})]


def test_templates_take_the_first_free_number(tmp_path):
    from depyf.explain.utils import write_code_to_file_template

    template = str(tmp_path / "f_%s.py")
    paths = [write_code_to_file_template(text, template) for text in ("a", "b", "a")]
    assert [path[-6:] for path in paths] == ["f_0.py", "f_1.py", "f_0.py"]


def test_the_name_of_the_graph_is_without_uuid(tmp_path):
    import torch

    import depyf
    from depyf.explain.utils import get_current_compiled_fn_name

    names = []

    def backend(module, inputs):
        names.append(get_current_compiled_fn_name())
        return module.forward

    torch._dynamo.reset()
    with depyf.prepare_debug(str(tmp_path)):
        torch.compile(lambda x: x + 1, backend=backend)(torch.ones(2))
    files = [path.name.split(".")[0] for path in tmp_path.glob("*.Captured_Graph.0.py")]
    assert names == files
    assert get_current_compiled_fn_name().startswith("__compiled_fn_")


def sample(a, /, b, *rest, c, **others):
    return lambda: [a, b, rest, c, others]


def test_helpers_on_code():
    import functools

    from depyf.utils import collect_all_code_objects, get_code_owner, get_function_signature

    assert get_function_signature(sample.__code__, "g") == "def g(a, /, b, *rest, c, **others):\n"
    assert [code.co_name for code in collect_all_code_objects(sample.__code__)] == ["sample", "<lambda>"]

    class Callable:
        def __call__(self):
            pass

    assert get_code_owner(functools.partial(sample, 1)) is sample
    assert get_code_owner(Callable()) is Callable.__call__
    assert get_code_owner(Callable().__call__) is Callable.__call__


def test_helpers_on_text():
    from depyf.code_transform import add_indentation, remove_indentation

    assert add_indentation("a\nb") == "    a\n    b\n"
    assert remove_indentation("    a\n      b\n") == "a\n  b\n"
