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
import sys
import threading
import traceback
import types
import zipimport
from typing import Any, Callable

__all__ = ["getsource", "install", "uninstall"]

log = logging.getLogger("depyf")

_MARK = "  # depyf: perhaps another line"
_LOADERS = (importlib.machinery.SourcelessFileLoader, zipimport.zipimporter)
_NONE = object()

_lock = threading.RLock()
_at_work = threading.local()
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


def install() -> None:
    """Lets modules without source have text, until `uninstall`. Does nothing if that is so already.

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
    if getattr(_at_work, "on", False):
        return None  # the decompiler itself has a traceback to print
    with _lock:
        if key not in _texts:
            _at_work.on = True
            try:
                code = load()
                _texts[key] = _text(code) if code is not None else None
            except Exception as error:
                log.debug("no text for %s: %r", key, error)
                _texts[key] = None
            finally:
                _at_work.on = False
        return _texts[key]


def _text(code: types.CodeType) -> str | None:
    from .decompiler.pipeline import analyze

    result = analyze(code, layout="author")
    certain: set[int] = set()
    others: set[int] = set()
    for part in result.walk():
        places = part.raw.positions() if part.raw is not None else ()
        (certain if part.verdict.lines else others).update(line for line, *_ in places if line)
    if not certain:
        return None  # what is printed has lines of its own
    lines = result.source.splitlines(keepends=True)
    for number in others - certain:
        if number <= len(lines) and lines[number - 1].strip():
            lines[number - 1] = lines[number - 1].rstrip("\n") + _MARK + "\n"
    return "".join(lines)


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
