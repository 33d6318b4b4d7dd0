"""Where the user wants to stop: asked of the debuggers which are in this process.

pdb and everything else built on `bdb` (ipdb, pudb) keep their breakpoints in `bdb.Breakpoint.bplist`. debugpy, which
VS Code and most editors use, keeps them in pydevd's object. Nothing here imports a debugger, and what a debugger no
longer has counts as no breakpoint.
"""

from __future__ import annotations

import dis
import functools
import os
import sys
from types import CodeType
from typing import Any, Callable, Iterable, Iterator, Tuple

from ..containment import contained
from ..model import Session

__all__ = ["DEBUGGERS", "Breakpoints", "Extent", "extent_of", "is_attached"]

Extent = Tuple[str, int, int]  # file, first and last line

DEBUGGERS = ("bdb", "cmd", "pdb", "debugpy", "pydevd")  # modules whose code is a debugger's own


def is_attached(notes: Session | None = None) -> bool:
    """Whether a debugger is at work in this process: one that traces or monitors, or has breakpoints."""
    monitoring = getattr(sys, "monitoring", None)
    if sys.gettrace() is not None or bool(Breakpoints.now(notes)):
        return True
    return monitoring is not None and monitoring.get_tool(monitoring.DEBUGGER_ID) is not None


class Breakpoints:
    """The lines with a breakpoint, by file."""

    def __init__(self, lines: dict[str, set[int]]) -> None:
        self._lines = lines

    def __bool__(self) -> bool:
        return any(self._lines.values())

    @classmethod
    def now(cls, notes: Session | None = None) -> Breakpoints:
        """Those which are set at this moment, in whichever debugger. One of another version costs its own alone."""
        lines: dict[str, set[int]] = {}
        for home, ask in _ASK.items():
            if home not in sys.modules:
                continue
            with contained(notes or Session(), f"asking {home} for its breakpoints", "stops at these"):
                for file, line in ask():
                    lines.setdefault(_same_name(file), set()).add(line)
        return cls(lines)

    def within(self, extents: Iterable[Extent]) -> list[str]:
        """Places (``file:line``) of breakpoints in these lines."""
        found = set()
        for file, first, last in extents:
            for line in self._lines.get(_same_name(file), ()):
                if first <= line <= last:
                    found.add((file, line))
        return ["{}:{}".format(*place) for place in sorted(found)]


def extent_of(code: CodeType) -> Extent:
    """The source lines of a function, those of functions written in it included."""
    return code.co_filename, code.co_firstlineno, max(_lines(code), default=code.co_firstlineno)


def _lines(code: CodeType) -> Iterator[int]:
    for _, line in dis.findlinestarts(code):
        yield line or 0  # None: instructions of no line
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _lines(constant)


@functools.lru_cache(maxsize=None)
def _same_name(file: str) -> str:
    return os.path.normcase(os.path.realpath(file))


def _of_bdb() -> Iterator[Any]:
    for (file, line), points in list(sys.modules["bdb"].Breakpoint.bplist.items()):
        if any(point.enabled for point in points):
            yield file, line


def _of_pydevd() -> Iterator[Any]:
    debugger = sys.modules["_pydevd_bundle.pydevd_constants"].get_global_debugger()
    for file, lines in list(debugger.breakpoints.items() if debugger is not None else ()):
        for line in list(lines):
            yield str(file), int(line)


_ASK: dict[str, Callable[[], Iterator[Any]]] = {"bdb": _of_bdb, "_pydevd_bundle.pydevd_constants": _of_pydevd}
