"""A target of the command line -> its code. Nothing is run and nothing is imported, except by `imported`.

    FILE.py             the file, compiled but not executed
    FILE.py:QUALNAME    a function, class or method in it: 'C.method', 'f.<locals>.g', 'f.g'; 'f@12' picks line 12
    FILE.pyc            a file of compiled code of CPython 3.7 to 3.15, also with :QUALNAME
    ARCHIVE:MEMBER      such a file in an archive, also with :QUALNAME
    -                   standard input: a compiled file, marshalled code, or source; also with :QUALNAME
    module:QUALNAME     in the file of a module on the import path

The kind of a file is determined by its content. Compiled code is read by depyf's own reader, of the running version
too: the interpreter's ``marshal`` trusts what it reads, and so do live code objects (reading ``co_code`` of one that
ends inside an inline cache writes out of bounds).
"""

from __future__ import annotations

import difflib
import importlib
import os
import re
import sys
import types
from importlib.machinery import ModuleSpec, PathFinder
from typing import Any

from .decompiler.bytecode import RawCode, load, read_pyc_bytes
from .decompiler.bytecode.reading.pyc import LARGEST_FILE
from .decompiler.definition import Definition
from .errors import DepyfError, PycError
from .files.content import Kind, Version, kind_of, read_compiled
from .files.members import find_member
from .files.names import is_compiled
from .reading import open_regular, read_at_most

STDIN = "-"

_FILE_NAME = re.compile(
    r".*\.(py[cdiowxz]?|so|dll|dylib|exe|zip|whl|egg|tar|tgz|tbz2?|txz|gz|bz2|xz|pth|ipynb)\Z", re.IGNORECASE
)
"""Names that are meant as files, though a submodule could have them. Mistyped, they are files that do not exist."""


class TargetError(DepyfError):
    """The target has no code to decompile; the text says what was looked for and what was found."""


def find_target(text: str, version: Version | None = None, data: bytes | None = None) -> Any:
    """The code named by ``text``: plain data, or a live code object if it was compiled from source just now.

    ``version`` is the CPython of code without a header, ``data`` the content of the file. Raises TargetError.
    """
    found = find_definition(text, version, data)
    return found.code if isinstance(found, Definition) else found


def find_definition(
    text: str, version: Version | None = None, data: bytes | None = None
) -> types.CodeType | RawCode | Definition:
    """As `find_target`, but a `Definition`, with its enclosing code, for a definition in a file or module."""
    location, name = (text, "") if os.path.isfile(text) else split_target(text)
    member = find_member(text) if data is None and not os.path.isfile(text) else None
    if member is not None:
        location, name = member.shown, member.rest
        code = code_in(member.read(), location, version)
    elif location == STDIN:
        code = code_in(read_input() if data is None else data, "<stdin>", version)
    elif is_file(location):
        code = code_in(read_file(location) if data is None else data, location, version)
    else:
        return _in_module(location, name)
    return find_code(code, name, location) if name else code


def is_file(location: str) -> bool:
    """Whether it names a file, existing or not, rather than a module: the single rule for all commands.

    A module's name is identifiers with dots between them, of which the last is no ending of files.
    """
    is_dotted = all(part.isidentifier() for part in location.split("."))
    return not is_dotted or _FILE_NAME.match(location) is not None or os.path.isfile(location)


def split_target(text: str) -> tuple[str, str]:
    """'a/b.py:C.f' -> ('a/b.py', 'C.f'); the name is '' if none is given. A drive letter's colon does not count."""
    location, colon, name = text.rpartition(":")
    if not colon or "/" in name or "\\" in name:
        return text, ""
    return location, name


def read_input() -> bytes:
    """The content of standard input."""
    return read_at_most(sys.stdin.buffer, LARGEST_FILE + 1)


def read_file(path: str) -> bytes:
    """The content of a file. Raises TargetError."""
    try:
        with open_regular(path) as file:
            return read_at_most(file, LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        raise TargetError(f"can't read {path or repr(path)}: {getattr(error, 'strerror', None) or error}") from error


def code_in(data: bytes, path: str, version: Version | None = None) -> types.CodeType | RawCode:
    """The code in ``data``, the content of ``path``, or compiled from it if it is source; nothing is executed.

    Raises TargetError.
    """
    kind = kind_of(data)
    if len(data) > LARGEST_FILE:
        raise TargetError(f"{path} has more than {LARGEST_FILE} bytes")
    if kind is Kind.ARCHIVE:
        from_input = path.startswith("<")
        instead = "decompile it with -o DIR from a file" if from_input else f"name a file of it, {path}:MEMBER"
        raise TargetError(f"{path} is an archive: {instead}")
    if kind is Kind.TEXT and not is_compiled(path):
        return compile_source(data, path)
    try:
        return read_compiled(data, path, version) if kind is not Kind.OTHER else read_pyc_bytes(data, path)
    except PycError as error:
        raise TargetError(str(error)) from error


def compile_source(source: bytes, path: str) -> types.CodeType:
    """The module's code object; nothing is executed. Raises TargetError for what is not Python."""
    try:
        code: types.CodeType = compile(source, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise TargetError(f"{path} is not Python source for this interpreter: {error}") from error
    return code


def find_code(module: types.CodeType | RawCode, name: str, location: str, instead: str = "") -> Definition:
    """The code called ``name`` inside ``module``. Raises TargetError for none (look ``instead``) or several."""
    root = module if isinstance(module, RawCode) else load(module)
    return Definition(root, _find_raw(root, name, location, instead))


def _find_raw(root: RawCode, name: str, location: str, instead: str) -> RawCode:
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
    raise TargetError(f"{location} has no code object called {name}; {hint}{instead}")


def find_module(name: str) -> ModuleSpec | None:
    """The spec of the module on the import path; its parents are not imported, and no import hook is asked."""
    spec, path = None, None
    for part in name.split("."):
        # By its last part alone: for a dotted name the finder looks for the parent in sys.modules.
        spec = PathFinder.find_spec(part, path)
        if spec is None:
            return None
        path = list(spec.submodule_search_locations or ())
    return spec


def _in_module(module: str, name: str) -> types.CodeType | RawCode | Definition:
    spec = find_module(module)
    if spec is None and module not in sys.builtin_module_names:
        raise TargetError(f"there is no file and no module called {module}{_instead(module, name)}")
    path = spec.origin if spec is not None else None
    if spec is None or path is None or not (path.endswith(".py") or is_compiled(path)):
        raise TargetError(f"module {module} has no Python code" + (f" called {name}" if name else ""))
    # A module may be in a zip file of the import path.
    get_data: Any = read_file if os.path.isfile(path) else getattr(spec.loader, "get_data", read_file)
    code = code_in(get_data(path), path)
    return find_code(code, name, module, "; --import takes it from the imported module") if name else code


def _instead(module: str, name: str) -> str:
    """The file in the working directory that may be meant: no module is looked for there."""
    if os.path.isdir(module):
        return f"; {module} is a folder"
    stem = module.replace(".", os.sep)
    for path in (f"{stem}.py", f"{stem}.pyc", os.path.join(stem, "__init__.py")):
        if os.path.isfile(path):
            return f" on the import path; the file is {path}" + (f":{name}" if name else "")
    return ""


def imported(text: str) -> Any:
    """The object that ``text``, a module or module:QUALNAME, names once the module has been imported: this runs it.

    Raises TargetError.
    """
    module, name = split_target(text)
    if module == STDIN or is_file(module):
        raise TargetError(f"--import takes a module or module:QUALNAME, and {text} is the name of a file")
    try:
        value: Any = importlib.import_module(module)
    except (Exception, SystemExit) as error:
        raise TargetError(f"importing {module} failed: {type(error).__name__}: {error}") from error
    try:
        for part in filter(None, name.split(".")):
            value = getattr(value, part)
    except AttributeError as error:
        raise TargetError(f"the imported module {module} has nothing called {name}") from error
    return value
