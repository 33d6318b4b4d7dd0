"""``import depyf``: costs nothing, and a failing PyTorch is reported as that."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

import depyf


def test_import_loads_neither_torch_nor_a_room_of_the_decompiler(run_python):
    done = run_python("""
        import sys
        before = set(sys.modules)
        import depyf
        print(sorted(name for name in set(sys.modules) - before if name != "__future__"))
    """)
    assert done.stdout == "['depyf']\n", done.stderr


def test_decompiling_does_not_load_torch(run_python):
    done = run_python("""
        import sys
        import depyf
        def double(x):
            return x * 2
        assert "x * 2" in depyf.decompile(double)
        print("torch" in sys.modules)
    """)
    assert done.stdout == "False\n", done.stderr


def test_every_public_name_is_there_and_listed_by_dir():
    for name in depyf.__all__:
        assert getattr(depyf, name) is not None
        assert name in dir(depyf)


def test_every_module_is_there_without_an_import_of_its_own(run_python):
    modules = [name for _, name, _ in pkgutil.iter_modules(depyf.__path__) if not name.startswith("_")]
    done = run_python(f"""
        import sys, depyf
        for name in {modules!r}:
            assert getattr(depyf, name) is sys.modules["depyf." + name], name
        print(callable(depyf.explain.dump_src))
    """)
    assert done.stdout == "True\n", done.stderr


def test_no_module_has_the_name_of_a_public_function():
    public = set(depyf.__all__)
    modules = {name for _, name, _ in pkgutil.iter_modules(depyf.__path__)}
    assert not public & modules
    for package in ("depyf.decompiler", "depyf.explain"):
        exported = set(importlib.import_module(package).__all__)
        assert not exported & {name for _, name, _ in pkgutil.iter_modules(importlib.import_module(package).__path__)}


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        depyf.no_such_name  # noqa: B018
    assert not hasattr(depyf, "no_such_name")


def test_a_file_called_torch_is_named_as_the_culprit(run_python, tmp_path):
    (tmp_path / "torch.py").write_text("x = 1\n")
    done = run_python("import depyf\nwith depyf.prepare_debug('dump'): pass\n")
    assert "ImportFailed: depyf.prepare_debug exists" in done.stderr
    assert f"Python takes {tmp_path / 'torch.py'} for torch, which is not PyTorch: rename that file" in done.stderr


def test_a_broken_torch_is_reported_with_its_own_error(run_python, tmp_path):
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise OSError('libtorch_cpu.so: cannot open')\n")
    done = run_python("import depyf\nwith depyf.prepare_debug('dump'): pass\n")
    assert "OSError: libtorch_cpu.so: cannot open" in done.stderr
    assert f"The failing PyTorch is {tmp_path / 'torch' / '__init__.py'}" in done.stderr


def test_a_missing_torch_says_how_to_install_it(run_python):
    done = run_python("""
        import sys
        from importlib.machinery import PathFinder
        find_spec = PathFinder.find_spec
        PathFinder.find_spec = lambda name, *rest: None if name == "torch" else find_spec(name, *rest)
        import depyf
        depyf.install()
    """)
    assert "PyTorch is not installed in this environment: pip install 'depyf-proven[torch]'" in done.stderr


def test_an_old_torch_says_what_to_do(run_python, tmp_path):
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("__version__ = '1.13.1'\n")
    done = run_python("import depyf\nwith depyf.prepare_debug('dump'): pass\n")
    assert "PyTorch 1.13.1 has no torch.compile: depyf needs PyTorch 2.2 or newer, pip install --upgrade torch" in (
        done.stderr)
    assert not (tmp_path / "dump").exists()
