"""From what a user writes on the command line to a code object, without running the user's code where possible.

    FILE.py             the file, compiled but not executed
    FILE.py:QUALNAME    a function, class or method in it: 'C.method', 'f.<locals>.g', 'f.g'; 'f@12' picks line 12
    FILE.pyc            a file of compiled code of CPython 3.7 to 3.15, also with :QUALNAME
    module:QUALNAME     in an importable module; imported only if QUALNAME is not found in its code
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import marshal
import os
import types
from typing import Any

from .decompiler.bytecode import RawCode, load, read_pyc_bytes
from .decompiler.bytecode.reading.load import HOST_VERSION
from .decompiler.bytecode.reading.pyc import HEADER
from .errors import DepyfError, PycError


class TargetError(DepyfError):
    """The place that was named has no code to decompile; the text says what was looked for and what is there."""


def find_target(text: str) -> Any:
    """The code object (or, for what exists only at run time, the live object) that ``text`` means.

    Raises TargetError.
    """
    place, name = split_target(text)
    if place.endswith(".pyc"):
        code = read_pyc(place)
    elif place.endswith((".py", ".pyw")) or os.path.sep in place or os.path.isfile(place):
        code = compile_file(place)
    else:
        return _in_module(place, name)
    return find_code(code, name, place) if name else code


def split_target(text: str) -> tuple[str, str]:
    """'a/b.py:C.f' -> ('a/b.py', 'C.f'); the name is '' if none is given. A drive letter's colon does not count."""
    place, colon, name = text.rpartition(":")
    if not colon or "/" in name or "\\" in name:
        return text, ""
    return place, name


def compile_file(path: str) -> types.CodeType:
    """The module's code object; nothing is executed. Raises TargetError for what can't be read or is not Python."""
    try:
        with open(path, "rb") as file:
            source = file.read()
    except OSError as error:
        raise TargetError(f"can't read {path}: {error.strerror}") from error
    try:
        code: types.CodeType = compile(source, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise TargetError(f"{path} is not Python source for this interpreter: {error}") from error
    return code


def read_pyc(path: str) -> types.CodeType | RawCode:
    """The code in a .pyc file: a live code object if the running Python's version wrote it, else plain data.

    Raises TargetError for a file that can't be read. A damaged one never reaches the interpreter's own reader.
    """
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise TargetError(f"can't read {path}: {error.strerror}") from error
    try:
        raw = read_pyc_bytes(data, path)
        if raw.version != HOST_VERSION:
            return raw
        code: types.CodeType = marshal.loads(data[HEADER:])
    except (PycError, EOFError, ValueError, TypeError) as error:
        raise TargetError(str(error) if isinstance(error, PycError) else f"{path} is damaged: {error}") from error
    return code


def find_code(module: types.CodeType | RawCode, name: str, place: str) -> types.CodeType | RawCode:
    """The code called ``name`` inside ``module``, live if ``module`` is. Raises TargetError for none or several."""
    root = module if isinstance(module, RawCode) else load(module)
    found = _find_raw(root, name, place)
    return found.code or found


def _find_raw(root: RawCode, name: str, place: str) -> RawCode:
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
        raise TargetError(f"{place} has {len(found)} code objects called {wanted}; pick one by its line: {lines}")
    close = difflib.get_close_matches(wanted, [qualname for qualname, _ in known], n=3, cutoff=0.5)
    close = close or [qualname for qualname, _ in known if qualname.endswith(f".{wanted}")][:3]
    close = close or [qualname for qualname, _ in known][:5]
    hint = f"did you mean {', '.join(close)}?" if close else "it defines no function or class"
    raise TargetError(f"{place} has no code object called {name}; {hint}")


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
