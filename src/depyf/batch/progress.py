"""A progress display on a terminal: by rich if that is installed, else one line. Elsewhere nothing."""

from __future__ import annotations

import sys
from typing import Any

from .. import terminal
from ..escapes import printable
from ..writing import undisturbed


class Progress:
    """Shows a count of files on standard error, below lines that are printed meanwhile. A context manager."""

    def __init__(self, total: int) -> None:
        self.total, self.done = total, 0
        self.watched = sys.stderr.isatty()
        self.bar: Any = _bar(total) if self.watched else None

    def __enter__(self) -> Progress:
        if self.bar is not None:
            with undisturbed():  # it starts a thread, and signals are for the main one
                self.bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self.bar is not None:
            self.bar.stop()
        elif self.watched:
            terminal.clear_line()

    def advance(self) -> None:
        """Count one more file."""
        self.done += 1
        if self.bar is not None:
            self.bar.advance(self.bar.task_ids[0])
        elif self.watched:
            terminal.show_progress(f"{self.done} of {self.total} files")

    def line(self, text: str) -> None:
        """Print a line that stays."""
        if self.bar is not None:
            self.bar.console.print(printable(text), markup=False, highlight=False, soft_wrap=True)
            return
        if self.watched:
            terminal.clear_line()
        terminal.warn(text)


def _bar(total: int) -> Any:
    try:
        from rich.console import Console
        from rich.progress import Progress as Bar
    except ImportError:
        return None
    bar = Bar(console=Console(stderr=True), transient=True)
    bar.add_task("decompiling", total=total)
    return bar
