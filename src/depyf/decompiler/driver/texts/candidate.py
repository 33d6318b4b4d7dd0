"""A text for the whole code, and what is known of it."""

from __future__ import annotations

from typing import Mapping

from ...bytecode import RawCode
from ...layout.lay_out import Layout


class Candidate:
    """A text of ``root``. Another text is another candidate, so that the better one can be kept.

    Attributes:
        lines: for each line of it, that of the original.
        compiled: the code that it compiles to, once that is known.
        recompiled: for each code object of the original, what it was compared with.
        layout: how to lay it out, once it is to be laid out.
        is_laid_out: it is on the lines of the original.
    """

    __slots__ = ("text", "lines", "compiled", "recompiled", "layout", "is_laid_out")

    def __init__(self, text: str = "", lines: Mapping[int, int] | None = None) -> None:
        self.text, self.lines = text, dict(lines or {})
        self.compiled: RawCode | None = None
        self.recompiled: dict[RawCode, RawCode] = {}
        self.layout: Layout | None = None
        self.is_laid_out = False
