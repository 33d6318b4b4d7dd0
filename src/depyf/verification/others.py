"""Names of files -> those that an import may run, and that are no compiled files.

The rules are those of CPython's Lib/site.py, and of FileFinder: of one name, the package is found before the extension
module, that before the source, and that before the compiled file beside it.
"""

from __future__ import annotations

import re
from typing import Iterable, Iterator, NamedTuple

_EXTENSION = re.compile(r"((?:.*/)?[^/.]+)(?:\.[^/]+)?\.(?:so|pyd)\Z", re.IGNORECASE)
_MODULE = re.compile(r"((?:.*/)?[^/.]+)\.(?:pyw?|pyc)\Z", re.IGNORECASE)
_PATHS = re.compile(r"\.(?:pth|start|_pth)\Z|/?pyvenv\.cfg\Z", re.IGNORECASE)
_AT_START = ("sitecustomize", "usercustomize")


class Other(NamedTuple):
    """A file that was not compared with anything; ``kind`` is short, ``reason`` says what it does."""

    name: str
    kind: str
    reason: str


def others(names: Iterable[str]) -> Iterator[Other]:
    """What an import may run of the files with these names."""
    names = list(names)
    modules = {found[1]: name for name in names for found in [_MODULE.match(name)] if found}
    extensions = {name: found[1] for name in names for found in [_EXTENSION.match(name)] if found}
    for name in names:
        if _PATHS.search(name):
            yield Other(name, "path file", "it adds folders to the import path, or runs what it says, at every start")
    for name, module in extensions.items():
        instead = f", in place of {modules[module]}" if module in modules else ""
        yield Other(name, "extension module", f"it is machine code{instead}")
    either = {module: name for name, module in extensions.items()}
    for module, name in [*modules.items(), *either.items()]:
        folder, _, base = module.rpartition("/")
        other = modules.get(folder) or either.get(folder)
        if base == "__init__" and other is not None:
            yield Other(name, "package", f"it is imported in place of {other}")
        if base in _AT_START or (base == "__init__" and folder.rpartition("/")[2] in _AT_START):
            yield Other(name, "start-up module", "it is imported at every start")
