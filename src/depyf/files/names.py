"""The name of a compiled file -> that of its source, its version and level of optimisation.

CPython's rule is in Lib/importlib/_bootstrap_external.py, ``cache_from_source`` and ``source_from_cache`` (PEP 3147
and 488): ``__pycache__/NAME.TAG.pyc``, ``__pycache__/NAME.TAG.opt-N.pyc``, and ``NAME.pyc`` beside the source.
"""

from __future__ import annotations

import re
from typing import NamedTuple

CACHE = "__pycache__"
SUFFIXES = (".pyc", ".pyo")
PYTEST = "-pytest-"
"""Part of the tag of files that pytest writes."""
_TAG = re.compile(r"cpython-3(\d+)\Z")


class PycName(NamedTuple):
    """The parts of a name; names have ``/`` between folders, whatever the system has.

    ``source`` is the name of the source file, ``tag`` the interpreter's cache tag ('' outside of ``__pycache__``),
    ``optimization`` the part after ``opt-`` ('' if there is none).
    """

    source: str
    tag: str
    optimization: str

    @property
    def cached(self) -> bool:
        """Whether it is in ``__pycache__``, with a tag."""
        return bool(self.tag)

    @property
    def version(self) -> tuple[int, int] | None:
        """The version of CPython that looks for this name; None if the tag is not CPython's."""
        found = _TAG.match(self.tag)
        return (3, int(found.group(1))) if found else None

    @property
    def optimize(self) -> int | None:
        """The argument of compile(); None for a name that is none of CPython's. ``-OOO`` compiles as ``-OO`` does."""
        if not self.optimization:
            return 0
        return min(int(self.optimization), 2) if self.optimization.isdecimal() else None


def parse(name: str) -> PycName:
    """The parts of the name of a compiled file."""
    folder, slash, base = name.rpartition("/")
    stem = base[:-4] if is_compiled(base) else base
    parent, _, last = folder.rpartition("/")
    if last != CACHE:
        return PycName(folder + slash + stem + ".py", "", "")
    rest, dot, end = stem.rpartition(".")
    optimization = ""
    if dot and end.startswith("opt-"):
        stem, optimization = rest, end[len("opt-") :] or "?"
    version = stem.find(PYTEST)  # its own version has dots
    module, dot, tag = (stem[:version] if version >= 0 else stem).rpartition(".")
    tag += stem[version:] if version >= 0 else ""
    if not dot:
        module, tag = stem, "?"
    return PycName(f"{parent}/{module}.py" if parent else f"{module}.py", tag or "?", optimization)


def is_compiled(name: str) -> bool:
    """Whether the name is that of a compiled file, in any case, for case-insensitive file systems."""
    return name.lower().endswith(SUFFIXES)
