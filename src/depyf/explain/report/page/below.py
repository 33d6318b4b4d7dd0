"""What a page has at its end, so that it runs: checks of guards, and the whole of what is shortened above."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Callable, Sequence

from ...for_reading.bookkeeping import FRAME_PARAMETERS
from ...model import CacheEntry, Graph
from ...names import file_name

__all__ = ["Below"]

_CAPTURED = "Captured_Graph"
_CHANGED = re.compile("__resume_at_|{}|\\bnonlocal ".format("|".join(FRAME_PARAMETERS)))
_HERE = "the end of this page"
_NEEDS_MODULE = "types.SimpleNamespace("  # a graph that reads attributes of its module: only our text gives it these


@dataclass
class Below:
    """Collects it while the page is made.

    Args:
        in_dump: whether files lie beside the page.

    ``tables`` and ``codes`` map names to what the page shows of graphs and of transformed code, so that a similar one
    can be shown as a diff later. ``effects`` are the side effects so far, ``modules`` the modules to import.
    """

    in_dump: bool
    tables: dict[str, list[str]] = field(default_factory=dict)
    codes: dict[str, list[str]] = field(default_factory=dict)
    effects: set[str] = field(default_factory=set)
    modules: set[str] = field(default_factory=set)
    _shortened: list[tuple[str, str]] = field(default_factory=list)
    _checks: list[str] = field(default_factory=list)
    _functions: list[str] = field(default_factory=list)
    _files: list[str] = field(default_factory=list)

    def defines(self, checks: str) -> None:
        """A function that the page calls, "" for none."""
        if checks:
            self._checks.append(checks)

    def graph(self, graph: Graph) -> str:
        """Takes in a graph that is shortened. Returns where it is in full."""
        path = graph.stage_files.get(_CAPTURED, "") if self.in_dump else ""
        if path and _NEEDS_MODULE not in graph.source:
            return self._file(graph.name, path)
        self._functions.append(graph.source)
        return _HERE

    def transformed(self, entry: CacheEntry, shown: str, in_full: Callable[[], str]) -> str:
        """Takes in transformed code that is shortened: as it is shown, and all of it. Returns where that is."""
        source, code = entry.transformed.source, entry.code
        # The page calls resume functions in a shorter form than Dynamo does, and has cells as globals.
        is_same = code is not None and not _CHANGED.search(source) and "__class__" not in code.co_freevars
        if self.in_dump and entry.transformed_path and code is not None and is_same:
            self._shortened.append((shown, source))
            return self._file(entry.transformed_name, file_name(entry.transformed_path), code.co_freevars)
        self._shortened.append((shown, ""))
        self._functions.append(in_full())
        return _HERE

    def in_full(self, page: str) -> str:
        """The page with nothing shortened, to see which names it needs; not to be shown."""
        for shown, source in self._shortened:
            page = page.replace(shown, source) if shown in page else f"{page}\n\n{source}"
        return "\n\n".join([page, self.text()])

    def _file(self, name: str, path: str, free: Sequence[str] = ()) -> str:
        self._files.append("{} = whole({})".format(name, ", ".join(map(repr, [path, *free]))))
        return path

    def checks(self) -> str:
        """The checks of guards."""
        return "\n\n".join(self._checks)

    def functions(self) -> str:
        """What is shortened above and has no file, in full."""
        return "\n\n".join(self._functions)

    def names(self) -> str:
        """Assigns what is shortened above and has a file."""
        return "\n".join(self._files)

    def text(self) -> str:
        """All of it."""
        return "\n\n".join([self.checks(), self.functions(), self.names()])
