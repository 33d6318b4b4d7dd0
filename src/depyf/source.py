"""Source for code that has none: tracebacks, debuggers, `inspect` and `linecache` get decompiled text.

    import depyf

    depyf.source.install()

From then on a module that was imported from a ``.pyc`` without its source, from a folder or from a zip file, has text
where the interpreter looks for it. It is decompiled when the first line of it is asked for, with the lines of the
original. Files that exist are read as ever, and whatever fails here, the program sees what it would see without it.
"""

from __future__ import annotations

import contextlib
import importlib.machinery
import inspect
import linecache
import logging
import os
import re
import sys
import tempfile
import threading
import traceback
import types
import zipimport
from typing import Any, Callable

from .errors import DecompilationError
from .made_code import at_work, has_none, installed, lines_in_cache, lines_of, text_of_module
from .source_in_debuggers import take_breakpoints_again

__all__ = ["getsource", "install", "uninstall", "write"]

log = logging.getLogger("depyf")

_LOADERS = (importlib.machinery.SourcelessFileLoader, zipimport.zipimporter)
_NONE = object()

_lock = threading.RLock()
_texts: dict[tuple[str, ...], str | None] = {}
_installed: list[contextlib.ExitStack] = []


def getsource(of: Any) -> str:
    """The source of a function, method, class, module or code object, as `inspect.getsource` gives it; decompiled where
    that finds none, on the lines of the original.

    Raises:
        DecompilationError: there is no source, and no code either, or code that is refused.
    """
    with contextlib.suppress(OSError, TypeError):
        return inspect.getsource(of)
    from .decompiler import decompile

    return decompile(of, layout="author")


def write(of: Any, folder: str | os.PathLike[str] | None = None) -> list[str]:
    """Writes the text of functions that have no file into files, and lets their code name these.

    From then on they are like functions in files: a debugger steps into them and stops at breakpoints, a profiler
    and coverage name their lines. Lines keep their numbers. What `linecache` has is written if it compiles to the
    function's code; otherwise the function is decompiled.

    Args:
        of: a function or method, or a class: all those in it that have no file.
        folder: where; a new temporary folder by default. Files in it that have such a name are written over.

    Returns:
        The files: ``QUALNAME.py``.

    Raises:
        DecompilationError: there is no text. Of the functions of a class, those are left as they are.
        OSError: a file can't be written.
    """
    written = []
    for name, function in _functions_of(of):
        code = getattr(function, "__code__", None)
        if not isinstance(code, types.CodeType) or not has_none(code):
            continue
        lines = lines_in_cache(code) or lines_of(function, code)
        if lines is None:
            continue
        folder = folder if folder is not None else tempfile.mkdtemp(prefix="depyf-")
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(os.path.abspath(folder), re.sub(r"[^\w.]", "_", name) + ".py")
        with open(path, "w", encoding="utf-8", errors="surrogatepass") as file:
            file.write("".join(lines))
        function.__code__ = _in_file(code, path)
        written.append(path)
    if not written and not isinstance(of, type):
        raise DecompilationError("it has a file, or no text", where=getattr(of, "__qualname__", repr(of)))
    take_breakpoints_again()
    return written


def _functions_of(of: Any) -> list[tuple[str, Any]]:
    """Those that a class defines, or the one that is meant, with their qualified names."""
    if not isinstance(of, type):
        function = inspect.unwrap(getattr(of, "__func__", of))
        return [(getattr(function, "__qualname__", ""), function)]
    found: list[tuple[str, Any]] = []
    for name, value in vars(of).items():
        parts = (value.fget, value.fset, value.fdel) if isinstance(value, property) else (value,)
        for part in parts:
            function = getattr(part, "__func__", part)
            if isinstance(function, types.FunctionType):
                found.append((f"{of.__qualname__}.{name}", inspect.unwrap(function)))
    return found


def _in_file(code: types.CodeType, path: str) -> types.CodeType:
    consts = tuple(_in_file(one, path) if isinstance(one, types.CodeType) else one for one in code.co_consts)
    return code.replace(co_filename=path, co_consts=consts)


def install() -> None:
    """Gives modules without source a text, until `uninstall`. Installing twice is once.

    A line that may not be the one of the original, as the code has no text that compiles to its line table, ends with
    a comment that says so. Up to Python 3.12 the interpreter does not ask for lines when it prints an exception at the
    end of a program: `sys.excepthook` is set, unless the program has its own.
    """
    with _lock:
        if _installed:
            return
        undo = contextlib.ExitStack()
        sourceless, from_zip = _LOADERS
        _set(undo, sourceless, "get_source", _source_of_sourceless)
        _set(undo, sourceless, "exec_module", _executed(sourceless.exec_module))
        _set(undo, from_zip, "get_source", _source_in_zip(from_zip.get_source))
        if not _prints_tracebacks_in_python() and sys.excepthook is sys.__excepthook__:
            sys.excepthook = _print_exception
            undo.callback(_put_back_excepthook)
        installed(undo)
        undo.callback(_texts.clear)
        _installed.append(undo)
    for module in list(sys.modules.values()):
        _announce(module, undo)


def uninstall() -> None:
    """Ends what `install` began. Text that somebody has asked for already stays with them."""
    with _lock:
        if _installed:
            _installed.pop().close()


def _set(undo: contextlib.ExitStack, owner: type, name: str, value: Any) -> None:
    before = vars(owner).get(name, _NONE)
    setattr(owner, name, value)
    undo.callback(delattr, owner, name) if before is _NONE else undo.callback(setattr, owner, name, before)


def _source_of_sourceless(self: Any, fullname: str) -> str | None:
    """`SourcelessFileLoader.get_source`, which gives None by itself."""
    return _stand_in((self.path,), lambda: self.get_code(fullname))


def _source_in_zip(before: Callable[[Any, str], str | None]) -> Callable[[Any, str], str | None]:
    def get_source(self: Any, fullname: str) -> str | None:
        found = before(self, fullname)  # raises for a module that is not there
        if found is None:
            found = _stand_in((self.archive, self.prefix, fullname), lambda: self.get_code(fullname))
        return found

    return get_source


def _executed(before: Callable[[Any, types.ModuleType], None]) -> Callable[[Any, types.ModuleType], None]:
    def exec_module(self: Any, module: types.ModuleType) -> None:
        before(self, module)
        if _installed:
            _announce(module, _installed[0])

    return exec_module


def _announce(module: Any, undo: contextlib.ExitStack) -> None:
    """Tells `linecache` whom to ask for the module's text: a debugger asks for it by the name of the file alone."""
    try:
        spec = getattr(module, "__spec__", None)
        loader = getattr(spec, "loader", None)
        if isinstance(loader, _LOADERS) and spec is not None:
            filename = _filename(module, spec.name, loader)
            if not os.path.exists(filename) and linecache.lazycache(filename, vars(module)):
                undo.callback(linecache.cache.pop, filename, None)
    except Exception as error:  # of a loader, or of a module that is none
        log.debug("no text for %r: %r", module, error)


def _filename(module: Any, name: str, loader: Any) -> str:
    """The file that the module's code names; the code is read once more only if no function has it."""
    for value in vars(module).values():
        if isinstance(value, types.FunctionType) and value.__module__ == name:
            return value.__code__.co_filename
    code = loader.get_code(name)
    return code.co_filename if code is not None else ""


def _stand_in(key: tuple[str, ...], load: Callable[[], types.CodeType | None]) -> str | None:
    """The text for a module; None if there is none. Never raises."""
    if key in _texts:
        return _texts.get(key)
    with at_work() as free:  # and no lock: whoever waits for it may hold one that an import here waits for
        if not free:
            return None
        try:
            code = load()
            text = text_of_module(code) if code is not None else None
        except Exception as error:
            log.debug("no text for %s: %r", key, error)
            text = None
    _texts[key] = text
    return text


def _prints_tracebacks_in_python() -> bool:
    """Whether the interpreter prints uncaught exceptions with the module `traceback`, which asks `linecache`.

    Since 3.13 it calls `traceback._print_exception_bltin` (Python/pythonrun.c).
    """
    return hasattr(traceback, "_print_exception_bltin")


def _print_exception(kind: type[BaseException], error: BaseException, trace: types.TracebackType | None) -> None:
    traceback.print_exception(kind, error, trace)


def _put_back_excepthook() -> None:
    if sys.excepthook is _print_exception:
        sys.excepthook = sys.__excepthook__
