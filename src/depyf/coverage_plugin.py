"""A plugin of coverage.py: lines of packages that have only compiled files, in reports and in HTML.

    [run]
    plugins = depyf.coverage_plugin

A module of which there is a ``.pyc`` where its ``.py`` would be gets its text from depyf, on the lines of the original,
when it is measured and when it is reported.
"""

from __future__ import annotations

from typing import Any, Iterable

from .without_source.debuggers import has_compiled
from .without_source.modules import of_globals, same_file


def coverage_init(registry: Any, options: Any) -> None:
    """Called by coverage."""
    from coverage.plugin import CoveragePlugin, FileReporter, FileTracer

    # Their bases are not there without coverage.
    tracer: Any = type("Tracer", (Tracer, FileTracer), {})
    reporter: Any = type("Reporter", (Reporter, FileReporter), {})
    plugin: Any = type("Plugin", (Plugin, CoveragePlugin), {"tracer": tracer, "reporter": reporter})
    registry.add_file_tracer(plugin())


class Plugin:
    """Takes the modules that have no source."""

    tracer: Any
    reporter: Any

    def file_tracer(self, filename: str) -> Any:
        return self.tracer(filename) if has_compiled(filename) else None

    def file_reporter(self, filename: str) -> Any:
        return self.reporter(filename)


class Tracer:
    """The lines of a module are those of its own name."""

    def __init__(self, filename: str) -> None:
        self._filename = filename
        self._compiled = same_file(filename + "c")

    def source_filename(self) -> str:
        return self._filename

    def has_dynamic_source_filename(self) -> bool:
        return True

    def dynamic_source_filename(self, filename: str, frame: Any) -> str | None:
        """The file, unless the code only says that it comes from there."""
        module = of_globals(frame.f_globals)
        return self._filename if module is not None and same_file(module.compiled) == self._compiled else None


class Reporter:
    """What coverage asks of a file; its answers are those for a file with the decompiled text."""

    def __init__(self, filename: str) -> None:
        self.filename = filename
        self._text: str | None = None
        self._parsed: Any = None

    def source(self) -> str:
        if self._text is None:
            self._text = _text_of(self.filename)
        return self._text

    def _parser(self) -> Any:
        if self._parsed is None:
            from coverage.parser import PythonParser

            self._parsed = PythonParser(text=self.source(), filename=self.filename)
            self._parsed.parse_source()
        return self._parsed

    def lines(self) -> set[int]:
        return set(self._parser().statements)

    def translate_lines(self, lines: Iterable[int]) -> set[int]:
        return set(self._parser().translate_lines(lines))

    def translate_arcs(self, arcs: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
        return set(self._parser().translate_arcs(arcs))

    def arcs(self) -> set[tuple[int, int]]:
        return set(self._parser().arcs())

    def exit_counts(self) -> dict[int, int]:
        return dict(self._parser().exit_counts())

    def missing_arc_description(self, start: int, end: int, executed_arcs: Any = None) -> str:
        return str(self._parser().missing_arc_description(start, end))


def _text_of(filename: str) -> str:
    """The text of the compiled file beside it. Raises NoSource, as coverage does."""
    from coverage.exceptions import NoSource

    from .errors import DepyfError
    from .targets import find_target
    from .without_source.made_code import text_of_module

    try:
        text = text_of_module(find_target(filename + "c"))
    except DepyfError as error:
        raise NoSource(f"No source for code: '{filename}': {error}") from error
    if text is None:
        raise NoSource(f"No source for code: '{filename}': it could not be decompiled on the lines of the original")
    return text
