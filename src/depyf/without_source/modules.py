"""Modules without source: what code they have, which file names it claims, and its text. A part of `depyf.source`.

A code object says of itself which file it comes from, and a compiled file can say anything: the name of another module
without source, or of a file that exists. So text is found by the code object. Whoever knows a name alone gets the text
of the one loaded module that claims it, and nothing where there is another claimant.
"""

from __future__ import annotations
import __future__

import importlib.machinery
import linecache
import logging
import os
import sys
import types
import zipimport
from typing import Any, Hashable, Iterator

log = logging.getLogger("depyf")

LOADERS = (importlib.machinery.SourcelessFileLoader, zipimport.zipimporter)

_source_in_zip = zipimport.zipimporter.get_source
_known: dict[Hashable, Sourceless | None] = {}


def key_of(code: types.CodeType) -> Hashable:
    """Equal for code with equal instructions on equal lines: until CPython 3.11 equal code may have other lines."""
    return code, getattr(code, "co_linetable", None) or code.co_lnotab


def walk(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code and all that is in it."""
    waiting = [code]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(constant for constant in one.co_consts if isinstance(constant, types.CodeType))


def same_file(name: str) -> str:
    """One spelling for all the names of a file, existing or not; '' for what is no file name."""
    try:
        return os.path.normcase(os.path.realpath(name)) if name and not _is_label(name) else ""
    except (OSError, ValueError):
        return ""


def _is_label(name: str) -> bool:
    return name.startswith("<") and name.endswith(">")


def compiles_to(lines: list[str], code: types.CodeType) -> bool:
    """Whether the text compiles to code that has this code in it, on the same lines."""
    try:
        module = compile("".join(lines), code.co_filename, "exec", _future_flags(code), dont_inherit=True)
    except Exception as error:  # of another text, or none
        log.debug("the text of %r is not its own: %r", code, error)
        return False
    wanted = key_of(code)
    return any(one == code and key_of(one) == wanted for one in walk(module))


def _future_flags(code: types.CodeType) -> int:
    """What the code's future statements are to compile()."""
    known: int = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
    return code.co_flags & known


class Sourceless:
    """The code of one module, as its loader gives it."""

    def __init__(self, code: types.CodeType, compiled: str, own: str) -> None:
        self.code = code
        self.compiled = compiled
        self.keys = frozenset(map(key_of, walk(code)))
        self.names = {one.co_filename for one in walk(code)} | {own}
        self.files = {same_file(name) for name in self.names} - {""}
        self.lines: list[str] | None = None
        """Its text, once `made_code` was asked for it; empty if it has none."""
        self._files_text: dict[str, bool] = {}

    def __contains__(self, code: types.CodeType) -> bool:
        return key_of(code) in self.keys

    def has_file(self, code: types.CodeType) -> bool:
        """Whether the file that the code names is there, and is its source."""
        name = code.co_filename
        if not _exists(name):
            return False
        if name not in self._files_text:
            self._files_text[name] = compiles_to(_native_lines(name), self.code)
        return self._files_text[name]


def _exists(name: str) -> bool:
    try:
        return os.path.exists(name)
    except ValueError:
        return False


def _native_lines(name: str) -> list[str]:
    try:
        linecache.checkcache(name)
        return linecache.getlines(name)
    except Exception as error:
        log.debug("%r can't be read: %r", name, error)
        return []


def of_globals(names: dict[str, Any] | None) -> Sourceless | None:
    """The module whose variables these are; None if it has source, or was not imported. Never raises."""
    try:
        spec = (names or {}).get("__spec__")
        loader = getattr(spec, "loader", None) or (names or {}).get("__loader__")
        if not isinstance(loader, LOADERS):
            return None
        name = getattr(spec, "name", None) or getattr(loader, "name", None) or (names or {})["__name__"]
        return _of_loader(loader, name)
    except Exception as error:  # of a loader, or of variables that are no module's
        log.debug("not known whether it has source: %r", error)
        return None


def _of_loader(loader: Any, name: str) -> Sourceless | None:
    place = getattr(loader, "path", None) or loader.archive
    file = os.stat(place)
    key = (place, getattr(loader, "prefix", ""), name if hasattr(loader, "archive") else "",
           file.st_mtime_ns, file.st_size, file.st_ino)  # fmt: skip
    if key not in _known:
        _known[key] = _read(loader, name)
    return _known[key]


def _read(loader: Any, name: str) -> Sourceless | None:
    if isinstance(loader, zipimport.zipimporter) and _source_in_zip(loader, name) is not None:
        return None
    code = loader.get_code(name)
    compiled = loader.get_filename(name)
    own = compiled[:-1] if compiled.endswith(".pyc") else ""
    return Sourceless(code, compiled, own) if isinstance(code, types.CodeType) else None


def of_code(code: types.CodeType) -> Sourceless | None:
    """The loaded module that has this code in it."""
    return next((one for _, one in _loaded() if code in one), None)


def _loaded() -> Iterator[tuple[types.ModuleType, Sourceless]]:
    for module in list(sys.modules.values()):
        found = of_globals(module.__dict__) if isinstance(module, types.ModuleType) else None
        if found is not None:
            yield module, found


def is_claimed(filename: str) -> bool:
    """Whether code of a loaded module without source says that it comes from this file."""
    file = same_file(filename)
    return any(filename in one.names or file in one.files for _, one in _loaded())


def of_name(filename: str) -> Sourceless | None:
    """The one loaded module that this file name can mean; None where another has a claim, or there is a file."""
    file = same_file(filename)
    if not file or _exists(filename):
        return None
    claimants = [(module, one) for module, one in _loaded() if file in one.files]
    if len({one.keys for _, one in claimants}) != 1:
        return None
    found = claimants[0][1]
    modules = [module for module, _ in claimants]
    if not all(still_runs(vars(module), found) for module in modules) or _others(file, modules):
        return None
    beside = filename + "c"
    return (
        None
        if _exists(beside) and same_file(beside) not in {same_file(one.compiled) for _, one in claimants}
        else found
    )


def _others(file: str, modules: list[types.ModuleType]) -> bool:
    """Whether yet another module has this file as its own."""
    base = os.path.basename(file)
    for module in list(sys.modules.values()):
        if not isinstance(module, types.ModuleType) or any(module is one for one in modules):
            continue
        own = (module.__dict__.get("__file__"), getattr(module.__dict__.get("__spec__"), "origin", None))
        for name in own:
            if (
                isinstance(name, str)
                and base in os.path.normcase(name)
                and file in (same_file(name), same_file(name[:-1]))
            ):
                return True
    return False


def still_runs(names: dict[str, Any], found: Sourceless) -> bool:
    """Whether the functions among a module's variables are of this code: its file may have been replaced since."""
    classes = [one for one in list(names.values()) if isinstance(one, type) and one.__module__ == names.get("__name__")]
    return all(
        one.__code__ in found
        for owner in (names, *map(vars, classes))
        for one in list(owner.values())
        if isinstance(one, types.FunctionType) and one.__globals__ is names and one.__code__.co_filename in found.names
    )


def forget() -> None:
    """All texts."""
    _known.clear()
