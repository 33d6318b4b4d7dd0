"""The outcome of one file, with the header and the line map of its text, and its record."""

from __future__ import annotations

import textwrap
from collections import Counter
from typing import Any, Iterator, Mapping, NamedTuple, Tuple

from .. import __version__
from ..decompiler.driver.result import Result
from ..decompiler.look_alikes import warnings_in, with_warnings
from ..escapes import printable

Version = Tuple[int, int]

_WIDTH = 118


class Doubt(NamedTuple):
    """A code object that is not proven: its qualified name, first line, verdict and the reasons."""

    where: str
    line: int
    verdict: str
    reasons: tuple[str, ...]


class Outcome(NamedTuple):
    """The outcome of one file.

    ``path`` is the file, ``written`` the output file, if any. ``text`` is the source, ``lines`` maps its lines to those
    of the original. ``version`` and ``filename`` are the CPython and the source file stated by the code; ``verdicts``
    counts its code objects by verdict, ``doubts`` are those that are not proven. ``error`` says why there is no text.
    ``was_there``: an earlier run has written it, and this one would write the same. ``was_foreign``: there was another
    file, which is kept as ``NAME.orig``. ``warnings`` are about names that look like others (look_alikes.py).
    """

    path: str
    written: str = ""
    text: str | None = None
    lines: Mapping[int, int] = {}
    version: Version | None = None
    filename: str = ""
    verdicts: Mapping[str, int] = {}
    doubts: tuple[Doubt, ...] = ()
    error: str = ""
    was_there: bool = False
    warnings: tuple[str, ...] = ()
    was_foreign: bool = False

    @property
    def total(self) -> int:
        """How many code objects it has."""
        return sum(self.verdicts.values())

    @property
    def proven(self) -> bool:
        """Whether all of it is, as far as is known."""
        return not self.error and not self.doubts

    def __str__(self) -> str:
        if self.error:
            return printable(f"{self.path}: {self.error}")
        return printable(f"{self.path}: {len(self.doubts)} of {self.total} code objects not proven")

    def to_dict(self, lines: bool = False) -> dict[str, Any]:
        """The record in types that JSON has; keys are only ever added."""
        found: dict[str, Any] = {
            "path": self.path,
            "written": self.written or None,
            "was_there": self.was_there,
            "error": self.error or None,
            "python": "{}.{}".format(*self.version) if self.version else None,
            "filename": self.filename if self.version else None,
            "proven": None if self.error else not self.doubts,
            "verdicts": dict(self.verdicts),
            "not_proven": [{**doubt._asdict(), "reasons": list(doubt.reasons)} for doubt in self.doubts],
        }
        if self.warnings:
            found["warnings"] = list(self.warnings)
        if not self.written and not self.error:
            found["source"] = self.text
        if lines:
            found["lines"] = {str(line): original for line, original in sorted(self.lines.items())}
        return found


def outcome_of(path: str, result: Result, text: str) -> Outcome:
    """The outcome of a file that was decompiled."""
    units = list(result.walk())
    doubts = tuple(
        Doubt(one.qualname, one.raw.firstlineno if one.raw is not None else 0, one.verdict.level.value,
              tuple(one.verdict.reasons))
        for one in units if not one.verdict.proven
    )  # fmt: skip
    raw = result.raw
    is_whole = text.rstrip() == result.source.rstrip()  # otherwise `standalone` has put a function around it
    lines = result.line_map if is_whole else {}
    return Outcome(
        path, "", text, lines, raw.version if raw is not None else None, raw.filename if raw is not None else "",
        Counter(one.verdict.level.value for one in units), doubts,
    )  # fmt: skip


def with_header(outcome: Outcome, *, at_the_end: bool) -> Outcome:
    """The outcome with a header in its text that describes the original; ``at_the_end`` keeps all line numbers."""
    text = outcome.text or ""
    head = "".join(line + "\n" for line in _header(outcome))
    if at_the_end:
        return outcome._replace(text=_ended(text) + head)
    moved = head.count("\n")
    return outcome._replace(text=head + text, lines={line + moved: old for line, old in outcome.lines.items()})


def _header(outcome: Outcome) -> Iterator[str]:
    version = "CPython {}.{}".format(*outcome.version) if outcome.version else "objects of a program"
    name = f", compiled from {printable(outcome.filename)}" if outcome.filename else ""
    yield f"# {version}{name}. Decompiled by depyf {__version__}:"
    counts = ", ".join(f"{count} {verdict}" for verdict, count in outcome.verdicts.items())
    total = outcome.total
    if outcome.doubts:
        yield f"# {len(outcome.doubts)} of {total} code objects not proven ({counts})."
    else:
        yield f"# the code object is proven ({counts})." if total == 1 else f"# all {total} are proven ({counts})."


def warned(outcome: Outcome) -> Outcome:
    """The outcome with its warnings, also as comments in its text, which is complete but for the line map."""
    text = outcome.text or ""
    return outcome._replace(text=with_warnings(text), warnings=tuple(warnings_in(text)))


def with_line_map(outcome: Outcome) -> Outcome:
    """The outcome with the line map as a comment at the end of its text."""
    return outcome._replace(text=_ended(outcome.text or "") + line_map(outcome.lines))


def line_map(lines: Mapping[int, int]) -> str:
    """Comments that map runs of lines of a text to those of the original."""
    runs: list[list[int]] = []
    for line, original in sorted(lines.items()):
        if runs and line - runs[-1][1] == 1 and original - runs[-1][2] == line - runs[-1][0]:
            runs[-1][1] = line
        else:
            runs.append([line, line, original])
    pairs = [f"{_run(first, last)}={_run(original, original + last - first)}" for first, last, original in runs]
    listed = "Lines here = in the original: " + ", ".join(pairs or ["none is known"])
    return "".join(line + "\n" for line in textwrap.wrap(listed, _WIDTH, initial_indent="# ", subsequent_indent="#   "))


def _run(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"
