"""A target of the command line -> a code object, without running the user's code where possible.

    FILE.py             the file, compiled but not executed
    FILE.py:QUALNAME    a function, class or method in it: 'C.method', 'f.<locals>.g', 'f.g'; 'f@12' picks line 12
    FILE.pyc            a file of compiled code of CPython 3.7 to 3.15, also with :QUALNAME
    -                   standard input: a compiled file, marshalled code, or source; also with :QUALNAME
    module:QUALNAME     in an importable module; imported only if QUALNAME is not found in its code

The kind of a file is determined by its content.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import marshal
import os
import sys
import types
from typing import Any

from .decompiler.bytecode import RawCode, load, read_pyc_bytes
from .decompiler.bytecode.reading.load import HOST_VERSION
from .decompiler.bytecode.reading.pyc import HEADER, LARGEST_FILE
from .decompiler.definition import Definition
from .errors import DepyfError, PycError
from .files.content import Kind, Version, kind_of, read_compiled
from .files.names import is_compiled

STDIN = "-"


class TargetError(DepyfError):
    """The target has no code to decompile; the text says what was looked for and what was found."""


def find_target(text: str, version: Version | None = None, data: bytes | None = None) -> Any:
    """The code object named by ``text`` (or the live object, if it exists only at run time).

    ``version`` is the CPython of code without a header, ``data`` the content of standard input. Raises TargetError.
    """
    found = find_definition(text, version, data)
    return found.code if isinstance(found, Definition) else found


def find_definition(text: str, version: Version | None = None, data: bytes | None = None) -> Any:
    """As `find_target`, but a `Definition`, with its enclosing code, for a definition in a file or module."""
    location, name = (text, "") if os.path.isfile(text) else split_target(text)
    if location == STDIN:
        code = code_in(read_input() if data is None else data, "<stdin>", version)
    elif is_file(location):
        code = code_in(read_file(location), location, version)
    else:
        return _in_module(location, name)
    return find_code(code, name, location) if name else code


def is_file(location: str) -> bool:
    """Whether it names a file, existing or not, rather than a module."""
    return location.endswith((".py", ".pyw", ".pyc", ".pyo")) or os.path.sep in location or os.path.isfile(location)


def split_target(text: str) -> tuple[str, str]:
    """'a/b.py:C.f' -> ('a/b.py', 'C.f'); the name is '' if none is given. A drive letter's colon does not count."""
    location, colon, name = text.rpartition(":")
    if not colon or "/" in name or "\\" in name:
        return text, ""
    return location, name


def read_input() -> bytes:
    """The content of standard input."""
    return sys.stdin.buffer.read(LARGEST_FILE + 1)


def read_file(path: str) -> bytes:
    """The content of a file. Raises TargetError."""
    try:
        with open(path, "rb") as file:
            return file.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        raise TargetError(f"can't read {path}: {getattr(error, 'strerror', None) or error}") from error


def code_in(data: bytes, path: str, version: Version | None = None) -> types.CodeType | RawCode:
    """The code in ``data``, the content of ``path``, or compiled from it if it is source; nothing is executed.

    A live code object if it is of the running Python's version, else plain data. Raises TargetError.
    """
    kind = kind_of(data)
    if len(data) > LARGEST_FILE:
        raise TargetError(f"{path} has more than {LARGEST_FILE} bytes")
    if kind is Kind.ARCHIVE:
        raise TargetError(f"{path} is an archive: decompile it with -o DIR" + " from a file" * path.startswith("<"))
    if kind is Kind.TEXT and not is_compiled(path):
        return compile_source(data, path)
    try:
        raw = read_compiled(data, path, version) if kind is not Kind.OTHER else read_pyc_bytes(data, path)
    except PycError as error:
        raise TargetError(str(error)) from error
    return raw if raw.version != HOST_VERSION else _live(data, path, kind)


def _live(data: bytes, path: str, kind: Kind) -> types.CodeType:
    """The code object in bytes that depyf's reader has found well formed."""
    offset = HEADER if kind is Kind.COMPILED or data[:4] == bytes(4) else 0
    try:
        code: types.CodeType = marshal.loads(data[offset:])
    except (EOFError, ValueError, TypeError) as error:
        raise TargetError(f"{path} is damaged: {error}") from error
    return code


def compile_source(source: bytes, path: str) -> types.CodeType:
    """The module's code object; nothing is executed. Raises TargetError for what is not Python."""
    try:
        code: types.CodeType = compile(source, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise TargetError(f"{path} is not Python source for this interpreter: {error}") from error
    return code


def find_code(module: types.CodeType | RawCode, name: str, location: str) -> Definition:
    """The code called ``name`` inside ``module``. Raises TargetError for none or several."""
    root = module if isinstance(module, RawCode) else load(module)
    return Definition(root, _find_raw(root, name, location))


def _find_raw(root: RawCode, name: str, location: str) -> RawCode:
    wanted, _, line = name.partition("@")
    known = [(raw.qualname, raw) for raw in root.walk() if raw is not root]
    short = wanted.replace(".<locals>", "")
    found = [raw for qualname, raw in known if qualname == wanted]
    found = found or [raw for qualname, raw in known if qualname.replace(".<locals>", "") == short]
    if line:
        found = [raw for raw in found if str(raw.firstlineno) == line]
    if len(found) == 1:
        return found[0]
    if found:
        lines = ", ".join(f"{wanted}@{raw.firstlineno}" for raw in found)
        raise TargetError(f"{location} has {len(found)} code objects called {wanted}; pick one by its line: {lines}")
    close = difflib.get_close_matches(wanted, [qualname for qualname, _ in known], n=3, cutoff=0.5)
    close = close or [qualname for qualname, _ in known if qualname.endswith(f".{wanted}")][:3]
    close = close or [qualname for qualname, _ in known][:5]
    hint = f"did you mean {', '.join(close)}?" if close else "it defines no function or class"
    raise TargetError(f"{location} has no code object called {name}; {hint}")


def _in_module(module: str, name: str) -> Any:
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError) as error:
        raise TargetError(f"there is no file and no module called {module}: {error}") from error
    if spec is None:
        raise TargetError(f"there is no file and no module called {module}")
    get_code = getattr(spec.loader, "get_code", None)
    code = get_code(module) if get_code is not None else None
    if code is not None and not name:
        return code
    if code is not None:
        try:
            return find_code(code, name, module)
        except TargetError:
            found = _imported(module, name)
            if found is None:
                raise
            return found
    found = _imported(module, name) if name else None
    if found is None:
        raise TargetError(f"module {module} has no Python code" + (f" called {name}" if name else ""))
    return found


def _imported(module: str, name: str) -> Any:
    """The attribute ``name`` of the imported module; None if it has none."""
    try:
        value: Any = importlib.import_module(module)
    except Exception as error:
        raise TargetError(f"importing {module} failed: {type(error).__name__}: {error}") from error
    for part in name.split("."):
        value = getattr(value, part, None)
    return value
