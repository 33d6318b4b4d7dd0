"""Source for code that has none: tracebacks, debuggers, `inspect` and `linecache` get decompiled text.

    import depyf

    depyf.source.install()

From then on a module that was imported from a ``.pyc`` without its source, from a folder or from a zip file, has text
where the interpreter looks for it. It is decompiled when the first line of it is asked for, with the lines of the
original. Files that exist are read as ever, and whatever fails here, the program sees what it would see without it.
"""

from __future__ import annotations

import contextlib
import inspect
import itertools
import os
import re
import sys
import tempfile
import threading
import traceback
import types
from typing import Any, Callable

from .errors import DecompilationError
from .without_source.debuggers import take_breakpoints_again
from .without_source.made_code import has_none, installed, is_of_another_file, lines_in_cache, lines_of, lines_of_module
from .without_source.modules import LOADERS, of_globals
from .writing import write_file

__all__ = ["getsource", "install", "uninstall", "write"]

_NONE = object()

_lock = threading.RLock()
_installed: list[contextlib.ExitStack] = []

_LONGEST_NAME = 60
"""Characters: of up to four bytes each, where most file systems take 255 bytes."""
_RESERVED = {"CON", "PRN", "AUX", "NUL", *(f"{name}{number}" for name in ("COM", "LPT") for number in range(10))}
_written: dict[str, str] = {}
"""The files that `write` has made, and their texts; two names that a file system may take for one are one."""


def getsource(of: Any) -> str:
    """The source of ``of``, as `inspect.getsource` gives it; decompiled where that finds none, on the original's lines.

    Args:
        of: a function, method, class, module or code object.

    Raises:
        DecompilationError: there is no source, and no code either, or code that is refused.

    Example:
        >>> print(depyf.getsource(eval("lambda x: x / 2")), end="")
        lambda x: x / 2
    """
    if not is_of_another_file(inspect.unwrap(of) if callable(of) else of):
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
        folder: where; a new temporary folder by default. Files in it that have such a name are written over,
            but for those that this program has written for other functions.

    Returns:
        The files: ``QUALNAME.py``, or ``QUALNAME-2.py`` and so on where another function has that name.

    Raises:
        DecompilationError: there is no text. Of the functions of a class, those are left as they are.
        OSError: a file can't be written.

    Example:
        >>> names = {}
        >>> exec("def half(x): return x / 2", names)
        >>> depyf.source.write(names["half"], "written") == [os.path.abspath("written/half.py")]
        True
        >>> print(open("written/half.py").read(), end="")
        def half(x): return x / 2
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
        text = "".join(lines)
        path = _place(os.path.abspath(folder), name, text)
        write_file(path, text)
        function.__code__ = _in_file(code, path)
        written.append(path)
    if not written and not isinstance(of, type):
        raise DecompilationError("it has a file, or no text", where=getattr(of, "__qualname__", repr(of)))
    take_breakpoints_again()
    return written


def _place(folder: str, name: str, text: str) -> str:
    """Where to write the text; a place that code of this program names already keeps its text."""
    safe = re.sub(r"[^\w.]", "_", name)[:_LONGEST_NAME].encode("utf-8", "replace").decode("utf-8")
    safe = safe if safe.strip("._") and safe.partition(".")[0].upper() not in _RESERVED else "_" + safe
    for number in itertools.count(1):
        path = os.path.join(folder, safe + (f"-{number}" if number > 1 else "") + ".py")
        if _written.setdefault(os.path.normcase(path).lower(), text) == text:
            return path
    raise AssertionError("there is always another number")


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

    Example:
        >>> names = {}
        >>> exec("def half(x): return x / 2", names)
        >>> depyf.source.install()
        >>> print(inspect.getsource(names["half"]), end="")
        def half(x): return x / 2
        >>> depyf.source.uninstall()
    """
    with _lock:
        if _installed:
            return
        undo = contextlib.ExitStack()
        sourceless, from_zip = LOADERS
        _set(undo, sourceless, "get_source", _get_source(None))
        _set(undo, from_zip, "get_source", _get_source(from_zip.get_source))
        if not _prints_tracebacks_in_python() and sys.excepthook is sys.__excepthook__:
            sys.excepthook = _print_exception
            undo.callback(_put_back_excepthook)
        installed(undo)
        _installed.append(undo)


def uninstall() -> None:
    """Ends what `install` began. Text that somebody has asked for already stays with them.

    Example:
        >>> depyf.source.uninstall()  # nothing, if it is not installed
    """
    with _lock:
        if _installed:
            _installed.pop().close()


def _set(undo: contextlib.ExitStack, owner: type, name: str, value: Any) -> None:
    before = vars(owner).get(name, _NONE)
    setattr(owner, name, value)
    undo.callback(delattr, owner, name) if before is _NONE else undo.callback(setattr, owner, name, before)


def _get_source(before: Callable[[Any, str], str | None] | None) -> Callable[[Any, str], str | None]:
    """The method of a loader, which gives None by itself where there is no source."""

    def get_source(self: Any, fullname: str) -> str | None:
        found = before(self, fullname) if before is not None else None  # raises for a module that is not there
        if found is None:
            module = of_globals({"__loader__": self, "__name__": fullname})
            found = "".join(lines_of_module(module)) if module is not None else None
        return found or None

    return get_source


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
