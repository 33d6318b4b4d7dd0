"""Runs a program in this process as ``python`` would: a script, a module (``-m``), or a text (``-c``)."""

from __future__ import annotations

import builtins
import importlib.util
import io
import os
import sys
import types
from importlib.machinery import BuiltinImporter, SourceFileLoader, SourcelessFileLoader
from typing import Any, Callable, NoReturn

from ..errors import RunError

__all__ = ["load_program"]


def load_program(kind: str, target: str, arguments: list[str]) -> Callable[[], None]:
    """Finds a program, and prepares `sys.argv`, `sys.path` and ``__main__`` for it. What it gives runs the program.

    Args:
        kind: "script", "module" or "code".
        target: the path, the module's name, or the text.
        arguments: of the program.

    Raises:
        RunError: there is no such program, or it can't be read.
        SyntaxError: its text is no Python.
    """
    main = types.ModuleType("__main__")
    main.__dict__.update(__builtins__=builtins)
    if "__annotations__" in vars(sys.modules["__main__"]):  # where this Python gives it to every program
        main.__dict__.update(__annotations__={})
    if kind == "module":
        return _module(main, target, arguments)
    if kind == "code":
        sys.argv[:] = ["-c", *arguments]
        sys.path[0:1] = [""]
        main.__loader__ = BuiltinImporter
        return _prepared(main, compile(target, "<string>", "exec", dont_inherit=True))
    return _script(main, target, arguments)


def _script(main: types.ModuleType, path: str, arguments: list[str]) -> Callable[[], None]:
    name, path = path, os.path.abspath(path)  # as the interpreter names the file since 3.9
    if os.path.isdir(path):
        raise RunError(f"{name} is a folder: depyf runs a script, or a module with -m")
    try:
        with io.open_code(path) as file:
            source = file.read()
    except OSError as error:
        raise RunError(f"can't open {name}: {error.strerror}") from error
    sys.argv[:] = [name, *arguments]
    sys.path[0:1] = [os.path.dirname(os.path.realpath(path))]
    main.__dict__.update(__file__=path, __cached__=None)
    if path.endswith(".pyc"):
        main.__loader__ = compiled = SourcelessFileLoader("__main__", path)
        code = compiled.get_code("__main__")
        assert code is not None
    else:
        main.__loader__ = SourceFileLoader("__main__", path)
        code = compile(source, path, "exec", dont_inherit=True)
    return _prepared(main, code)


def _module(main: types.ModuleType, name: str, arguments: list[str]) -> Callable[[], None]:
    sys.argv[:] = ["-m", *arguments]
    sys.path[0:1] = [os.getcwd()]
    spec = _spec(name)
    if spec is not None and spec.submodule_search_locations is not None:
        spec = _spec(name + ".__main__")
        if spec is None:
            raise RunError(f"{name} is a package without __main__: it can't be run")
    if spec is None:
        raise RunError(f"no module named {name}")
    get_code = getattr(spec.loader, "get_code", None)
    code = get_code(spec.name) if get_code is not None else None
    if code is None:
        raise RunError(f"{name} has no Python code to run")
    sys.argv[0] = spec.origin or name
    main.__dict__.update(
        __file__=spec.origin, __cached__=spec.cached, __spec__=spec, __loader__=spec.loader, __package__=spec.parent
    )
    return _prepared(main, code)


def _spec(name: str) -> Any:
    try:
        return importlib.util.find_spec(name)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise RunError(f"can't find the module {name}: {error}") from error


def _prepared(main: types.ModuleType, code: types.CodeType) -> Callable[[], None]:
    sys.modules["__main__"] = main

    def run() -> None:
        try:
            exec(code, main.__dict__)
        except SystemExit:
            raise
        except BaseException as error:
            _report(error)

    return run


def _report(error: BaseException) -> NoReturn:
    """Prints the traceback as the interpreter would, without frames of ours; then the interpreter ends as it would."""
    trace = error.__traceback__
    trace = trace.tb_next if trace is not None else None
    error.__traceback__ = trace
    sys.excepthook(type(error), error, trace)
    sys.excepthook = lambda *_: None  # it is said; what is left of it is the exit status
    raise error
