"""What the kernels of a graph cost when they run, as plain data and in words: a part of the model."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import Sequence

from .source_lines import SourceLine

__all__ = ["KernelCall", "Memory", "MemoryOwner", "bytes_words", "call_rows", "median_of", "time_words"]

_MOST_OWNERS = 10  # lines that are named
_KIB = 1024


@dataclass
class KernelCall:
    """A call of a kernel in a generated module.

    Attributes:
        place: the line of the module.
        during: the bytes that are live while it runs; None where they are not known.
        after: what is left when the buffers are freed that nobody needs any more.
        calls: how often it was timed; `seconds` are of them all, `first` of the first, `later` of each of the next.
    """

    kernel: str
    place: int
    during: int | None = None
    after: int | None = None
    calls: int = field(default=0, compare=False, metadata={"live": True})
    seconds: float = field(default=0.0, compare=False, metadata={"live": True})
    first: float = field(default=0.0, compare=False, metadata={"live": True})
    later: list[float] = field(default_factory=list, compare=False, metadata={"live": True})

    def words(self) -> str:
        """``87.5 KiB live while it runs, 24.0 KiB after it; 1 call, 36 us``, as far as it is known."""
        words = []
        if self.during is not None:
            words.append(f"{bytes_words(self.during)} live while it runs, {bytes_words(self.after or 0)} after it")
        if self.calls:
            words.append(time_words(self.calls, self.seconds, self.first, median_of([self])))
        return "; ".join(words)


@dataclass
class MemoryOwner:
    """A line of the program, None where torch lost it, and what it owns at the peak: the results of `operations`."""

    line: SourceLine | None
    bytes: int
    operations: list[str] = field(default_factory=list)


@dataclass
class Memory:
    """The bytes that a compiled graph holds as it runs: its buffers, and what only it holds of what it was given.

    Inputs that the program holds too, parameters among them, are not counted, nor what a library's kernel allocates
    for itself and frees before it returns.

    Attributes:
        peak: the most, while the kernel `at` runs.
        owners: the lines of these bytes, the largest first.
        given: what a backward graph is handed, and frees as it goes.
        kept: what its results hold.
        formula: ``20*s21*s77 bytes with s21 = 48, s77 = 8``, the sizes of the first call; "" where sizes are fixed.
        notes: what could not be counted.
    """

    peak: int = 0
    at: str = ""
    owners: list[MemoryOwner] = field(default_factory=list)
    given: int = 0
    kept: int = 0
    formula: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def largest(self) -> list[MemoryOwner]:
        """The owners that are named."""
        return self.owners[:_MOST_OWNERS]

    def words(self) -> str:
        """``peak 87.5 KiB, in cpp_fused_gelu_2; 12.0 KiB at the end``."""
        words = [f"peak {bytes_words(self.peak)}, in {self.at}" + f": {self.formula}" * bool(self.formula)]
        words += [f"{bytes_words(self.given)} at the start"] if self.given else []
        return "; ".join([*words, f"{bytes_words(self.kept)} at the end", *self.notes])

    def rows(self, title: str) -> list[str]:
        """``24.0 KiB  model.py:12  `h = F.gelu(x)`  gelu`` below the title: a row for each line, one for all others."""
        rows = [(one.bytes, _where(one.line), ", ".join(one.operations)) for one in self.largest]
        rest = self.owners[_MOST_OWNERS:]
        rows += [(sum(one.bytes for one in rest), f"{len(rest)} more lines", "")] if rest else []
        return [f"{title}: {self.words()}", *(f"  {bytes_words(size):>10}  {where}  {operations}".rstrip()
                                              for size, where, operations in rows)]  # fmt: skip


def _where(line: SourceLine | None) -> str:
    return f"{line.place}  `{line.text}`" if line is not None else "(no line of the program)"


def call_rows(calls: Sequence[KernelCall]) -> list[str]:
    """A row for each call of a kernel whose memory is known: the bytes while it runs, those after it, its name."""
    return [f"  {bytes_words(one.during):>10}  {bytes_words(one.after or 0):>10}  {one.kernel}"
            for one in calls if one.during is not None]  # fmt: skip


def bytes_words(number: float) -> str:
    """``640 B``, ``24.0 KiB``, ``1.5 GiB``."""
    if number < _KIB:
        return f"{number:.0f} B"
    for unit in ("KiB", "MiB"):
        number /= _KIB
        if number < _KIB:
            return f"{number:.1f} {unit}"
    return f"{number / _KIB:.1f} GiB"


def median_of(calls: Sequence[KernelCall]) -> float | None:
    """The median of the seconds of all later runs; None if there are none."""
    later = [seconds for one in calls for seconds in one.later]
    return statistics.median(later) if later else None


def time_words(calls: int, seconds: float, first: float, median: float | None) -> str:
    """``4 calls, 96 us: 60 us in the first run, then a median of 12 us``."""
    words = f"{calls} call{'s' * (calls > 1)}, {_short(seconds)}"
    return words if median is None else f"{words}: {_short(first)} in the first run, then a median of {_short(median)}"


def _short(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{1e6 * seconds:.0f} us"
    return f"{1e3 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
