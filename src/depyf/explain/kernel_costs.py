"""What the kernels of a graph cost when they run, as plain data: a part of the model."""

from __future__ import annotations

from dataclasses import dataclass, field

from .source_lines import SourceLine

__all__ = ["KernelTime", "Memory", "MemoryOwner", "MemoryStep", "bytes_words", "time_words"]

_KIB = 1024


@dataclass
class MemoryStep:
    """A call of a kernel: the bytes that are live while it runs, and `after` it and what is freed behind it."""

    kernel: str
    during: int
    after: int


@dataclass
class MemoryOwner:
    """A line of the program with what it owns at the peak; `line` is None where torch lost it.

    `operations` are those whose results these bytes are.
    """

    line: SourceLine | None
    bytes: int
    operations: list[str] = field(default_factory=list)


@dataclass
class Memory:
    """The bytes that a compiled graph holds as it runs: its buffers, and what only it holds of what it was given.

    Inputs that the program holds too, parameters among them, are not counted, nor what a library's kernel allocates
    for itself and frees before it returns.

    Attributes:
        peak: the most; at the first of `steps` that has so many `during` it.
        owners: the lines of these bytes, the largest first.
        steps: the calls of kernels, in order.
        given: what a backward graph is handed by the forward one, and frees as it goes.
        kept: what the results hold when the graph has run.
        formula: the peak by the sizes of inputs, "" where these are fixed; `sizes` are those of the first call.
        notes: what could not be counted.
    """

    peak: int = 0
    owners: list[MemoryOwner] = field(default_factory=list)
    steps: list[MemoryStep] = field(default_factory=list)
    given: int = 0
    kept: int = 0
    formula: str = ""
    sizes: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def at(self) -> str:
        """The kernel that runs at the peak."""
        return next((step.kernel for step in self.steps if step.during == self.peak), "")


@dataclass
class KernelTime:
    """How often a kernel was called in one `place`, a line of its module, in a recording; the seconds in it."""

    kernel: str
    place: int
    calls: int = 0
    seconds: float = 0.0


def bytes_words(number: float) -> str:
    """``640 B``, ``24.0 KiB``, ``1.5 GiB``."""
    if number < _KIB:
        return f"{number:.0f} B"
    unit = "KiB"
    for larger in ("MiB", "GiB"):
        if number >= _KIB * _KIB:
            number, unit = number / _KIB, larger
    return f"{number / _KIB:.1f} {unit}"


def time_words(calls: int, seconds: float) -> str:
    """``3 calls, 36 us, 12 us each``."""
    if calls == 1:
        return f"1 call, {_short(seconds)}"
    return f"{calls} calls, {_short(seconds)}, {_short(seconds / calls)} each"


def _short(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{1e6 * seconds:.0f} us"
    return f"{1e3 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
