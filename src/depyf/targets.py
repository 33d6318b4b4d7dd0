"""From what a user writes on the command line to a code object, without running the user's code where possible.

    FILE.py             the file, compiled but not executed
    FILE.py:QUALNAME    a function, class or method in it: 'C.method', 'f.<locals>.g', 'f.g'; 'f@12' picks line 12
    FILE.pyc            a file of compiled code, also with :QUALNAME
    module:QUALNAME     in an importable module; imported only if QUALNAME is not found in its code
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import marshal
import os
import types
from typing import Any, Iterator

from .errors import DepyfError

PYC_HEADER = 16
"""Bytes before the marshalled code: magic number, flags, and two words of a time stamp or hash (PEP 552)."""


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


def read_pyc(path: str) -> types.CodeType:
    """The code object in a .pyc file of the running interpreter's version. Raises TargetError for any other file."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise TargetError(f"can't read {path}: {error.strerror}") from error
    if data[:4] != importlib.util.MAGIC_NUMBER:
        ours = int.from_bytes(importlib.util.MAGIC_NUMBER[:2], "little")
        if data[2:4] != b"\r\n":
            raise TargetError(f"{path} is not a .pyc file: it does not start with a magic number")
        raise TargetError(
            f"{path} was made by another Python "
            f"(magic number {int.from_bytes(data[:2], 'little')}, this one has {ours}): for now "
            "depyf reads only .pyc files of the interpreter that it runs on; run it on that Python"
        )
    try:
        code = marshal.loads(data[PYC_HEADER:])
    except (EOFError, ValueError, TypeError) as error:
        raise TargetError(f"{path} is damaged: {error}") from error
    if not isinstance(code, types.CodeType):
        raise TargetError(f"{path} holds a {type(code).__name__}, not a code object")
    return code


def find_code(module: types.CodeType, name: str, place: str) -> types.CodeType:
    """The code object called ``name`` inside ``module``. Raises TargetError if there is none, or more than one."""
    wanted, _, line = name.partition("@")
    known = list(named_codes(module))
    short = wanted.replace(".<locals>", "")
    found = [code for qualname, code in known if qualname == wanted]
    found = found or [code for qualname, code in known if qualname.replace(".<locals>", "") == short]
    if line:
        found = [code for code in found if str(code.co_firstlineno) == line]
    if len(found) == 1:
        return found[0]
    if found:
        lines = ", ".join(f"{wanted}@{code.co_firstlineno}" for code in found)
        raise TargetError(f"{place} has {len(found)} code objects called {wanted}; pick one by its line: {lines}")
    close = difflib.get_close_matches(wanted, [qualname for qualname, _ in known], n=3, cutoff=0.5)
    close = close or [qualname for qualname, _ in known if qualname.endswith(f".{wanted}")][:3]
    close = close or [qualname for qualname, _ in known][:5]
    hint = f"did you mean {', '.join(close)}?" if close else "it defines no function or class"
    raise TargetError(f"{place} has no code object called {name}; {hint}")


def named_codes(module: types.CodeType) -> Iterator[tuple[str, types.CodeType]]:
    """All code objects inside ``module`` with their qualified names (computed: before 3.11 code objects have none)."""
    todo = [("", module)]
    while todo:
        prefix, code = todo.pop()
        inner = []
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                qualname = prefix + constant.co_name
                yield qualname, constant
                is_function = constant.co_flags & 1  # CO_OPTIMIZED: not a class body
                inner.append((f"{qualname}.<locals>." if is_function else f"{qualname}.", constant))
        todo.extend(reversed(inner))


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
