"""The one place where the command line writes to standard output and standard error.

Names, file names and texts of the input could control a terminal (ESC, C1), forge lines of a report (a newline in a
name), or display text in another order than it is read (CVE-2021-42574). So a report is written line by line, and each
line is escaped as a whole. What programs read, such as source, JSON and graphs, is UTF-8 in any locale.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from typing import IO, Any

from .errors import DepyfError
from .escapes import printable

__all__ = ["Lines", "clear_line", "close", "say", "say_coloured", "show_progress", "warn", "write_text"]

_COLOUR = re.compile("(\x1b\\[[0-9;]*m)")
_CLEAR = "\r\x1b[K"


def say(*lines: str) -> None:
    """Write lines of a report to standard output. Each is one line: newlines and other controls in it are escaped."""
    _write(sys.stdout, "".join(printable(line) + "\n" for line in lines))


def say_coloured(*lines: str) -> None:
    """As `say`, but colours are left: whoever puts them into a line has escaped the rest of it."""
    parts = (_COLOUR.split(line) for line in lines)
    shown = ("".join(one if place % 2 else printable(one) for place, one in enumerate(line)) for line in parts)
    _write(sys.stdout, "".join(line + "\n" for line in shown))


def warn(*lines: str, stream: IO[str] | None = None) -> None:
    """As `say`, but to standard error, or to ``stream`` in its place."""
    _write(sys.stderr if stream is None else stream, "".join(printable(line) + "\n" for line in lines))


class Lines:
    """A stream to standard output for texts of several lines: each of them is escaped. The texts end in a newline."""

    def write(self, text: str) -> None:
        say(*text[:-1].split("\n"))


def clear_line() -> None:
    """Clear the current line of the terminal that standard error is."""
    _write(sys.stderr, _CLEAR)


def show_progress(text: str) -> None:
    """Write ``text`` over the current line of the terminal that standard error is."""
    _write(sys.stderr, _CLEAR + printable(text))


def write_text(text: str, stream: IO[str] | None = None) -> None:
    """Write ``text`` to standard output, or to ``stream``, as it is, in UTF-8 whatever the locale."""
    stream = sys.stdout if stream is None else stream
    data = text.encode("utf-8", "backslashreplace")
    _write(stream, data.decode(), getattr(stream, "buffer", None), data)


def _write(stream: IO[str] | None, text: str, buffer: Any = None, data: bytes = b"") -> None:
    """Write ``text``, with escapes for what the encoding lacks; if the stream has a ``buffer``, ``data`` to that.

    Raises BrokenPipeError where nobody reads, and DepyfError.
    """
    if stream is None:  # closed when the program began
        return
    try:
        stream.flush()
        if buffer is not None:
            buffer.write(data)
            buffer.flush()
        else:
            encoding = getattr(stream, "encoding", None) or "utf-8"
            stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:  # the disk is full; or the stream was closed
        name = "standard error" if stream is sys.stderr else "standard output"
        raise DepyfError(f"can't write to {name}: {getattr(error, 'strerror', None) or error}") from error


def close() -> None:
    """Flush both streams. One that can't be is discarded: the interpreter would complain about it at its end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            with contextlib.suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
