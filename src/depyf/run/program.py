"""Runs a program in this process as ``python`` would: a script, a module (``-m``), or a text (``-c``)."""

from __future__ import annotations

import builtins
import importlib.util
import io
import os
import pkgutil
import sys
import types
import zipfile
from importlib.machinery import BuiltinImporter, SourceFileLoader, SourcelessFileLoader
from typing import Any, Callable, NoReturn

from ..errors import RunError

__all__ = ["load_program"]

_ZIP = b"PK\3\4"
_PATH_IS_SAFE = bool(getattr(sys.flags, "safe_path", sys.flags.isolated))
"""Whether Python puts no folder of a script or module in front of `sys.path`: its options -P and -I say so."""


def load_program(
    kind: str, target: str, arguments: list[str], search_path: list[str] | None = None
) -> Callable[[], None]:
    """Finds a program, and prepares `sys.argv`, `sys.path` and ``__main__`` for it. What it gives runs the program.

    Args:
        kind: "script", "module" or "code".
        target: the path, "-" for standard input, the module's name, or the text.
        arguments: of the program.
        search_path: the `sys.path` that Python started with, if it is not that of now. What it begins with, for
            depyf's own sake, gives way to what it would begin with for the program.

    Raises:
        RunError: there is no such program, or it can't be read.
        SyntaxError: its text is no Python.
    """
    if search_path is not None:
        sys.path[:] = search_path
    main = types.ModuleType("__main__")
    main.__dict__.update(__builtins__=builtins)
    if "__annotations__" in vars(sys.modules["__main__"]):  # where this Python gives it to every program
        main.__dict__.update(__annotations__={})
    if kind == "module":
        return _module(main, target, arguments)
    if kind == "code":
        return _text(main, "-c", target, "<string>", arguments)
    if target == "-":
        main.__dict__.update(__file__="<stdin>", __cached__=None)
        return _text(main, "-", sys.stdin.buffer.read(), "<stdin>", arguments)
    return _script(main, target, arguments)


def _put_first(folder: str) -> None:
    if not _PATH_IS_SAFE:
        sys.path[0:1] = [folder]


def _text(
    main: types.ModuleType, name: str, text: str | bytes, filename: str, arguments: list[str]
) -> Callable[[], None]:
    sys.argv[:] = [name, *arguments]
    _put_first("")
    main.__loader__ = BuiltinImporter
    return _prepared(main, compile(text, filename, "exec", dont_inherit=True))


def _script(main: types.ModuleType, path: str, arguments: list[str]) -> Callable[[], None]:
    name, path = path, os.path.abspath(path)  # as the interpreter names the file since 3.9
    if os.path.isdir(path):
        return _archive(main, name, arguments)
    try:
        with io.open_code(path) as file:
            source = file.read()
    except OSError as error:
        raise RunError(f"can't open {name}: {error.strerror}") from error
    if source.startswith(_ZIP) or source.startswith(b"#!") and zipfile.is_zipfile(path):
        return _archive(main, name, arguments)
    sys.argv[:] = [name, *arguments]
    _put_first(os.path.dirname(os.path.realpath(path)))
    main.__dict__.update(__file__=path, __cached__=None)
    if path.endswith(".pyc"):
        main.__loader__ = compiled = SourcelessFileLoader("__main__", path)
        code = compiled.get_code("__main__")
        assert code is not None
    else:
        main.__loader__ = SourceFileLoader("__main__", path)
        code = compile(source, path, "exec", dont_inherit=True)
    return _prepared(main, code)


def _archive(main: types.ModuleType, path: str, arguments: list[str]) -> Callable[[], None]:
    """A folder or a zip file with a ``__main__`` in it."""
    name, path = path, os.path.join(os.getcwd(), path)
    finder = pkgutil.get_importer(path)
    spec = finder.find_spec("__main__", None) if finder is not None else None
    loader: Any = spec.loader if spec is not None else None
    code = loader.get_code("__main__") if loader is not None else None
    if spec is None or code is None:
        raise RunError(f"can't find '__main__' in {name}")
    sys.argv[:] = [name, *arguments]
    sys.path[0 : not _PATH_IS_SAFE] = [path]
    main.__dict__.update(
        __file__=spec.origin, __cached__=spec.cached, __spec__=spec, __loader__=spec.loader, __package__=spec.parent
    )
    return _prepared(main, code)


def _module(main: types.ModuleType, name: str, arguments: list[str]) -> Callable[[], None]:
    sys.argv[:] = ["-m", *arguments]
    _put_first(os.getcwd())
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
        failed: BaseException | None = None
        try:
            exec(code, main.__dict__)
        except SystemExit:
            raise
        except BaseException as error:
            failed = _without_first_frame(error)
        if failed is not None:  # here, that it is not the context of what its hook raises
            _report(failed)

    return run


def _report(error: BaseException) -> NoReturn:
    """Prints the traceback as the interpreter would, without frames of ours; then the interpreter ends as it would."""
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
    failed: BaseException | None = None
    try:
        sys.excepthook(type(error), error, error.__traceback__)
    except SystemExit:
        raise
    except BaseException as of_hook:
        failed = _without_first_frame(of_hook)
    if failed is not None:
        for head, one in [("Error in sys.excepthook:", failed), ("\nOriginal exception was:", error)]:
            print(head, file=sys.stderr)
            sys.__excepthook__(type(one), one, one.__traceback__)
    sys.excepthook = lambda *_: None  # it is said; what is left of it is the exit status
    raise error


def _without_first_frame(error: BaseException) -> BaseException:
    trace = error.__traceback__
    return error.with_traceback(trace.tb_next if trace is not None else None)
