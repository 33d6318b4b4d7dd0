"""The memory of a graph in words: for the file of its kernels, the pages, the index and the remarks."""

from __future__ import annotations

from typing import Sequence

from ..kernel_costs import Memory, MemoryOwner, bytes_words
from ..model import SourceLine

__all__ = ["MOST_OWNERS", "NO_LINE", "largest_owners", "memory_words", "owner_rows", "step_rows"]

MOST_OWNERS = 10  # lines that are named
NO_LINE = "(no line of the program)"


def memory_words(memory: Memory) -> str:
    """``peak 87.5 KiB, while cpp_fused_gelu_2 runs; 12.0 KiB are left at the end``."""
    words = f"peak {bytes_words(memory.peak)}" + (f", while {memory.at} runs" if memory.at else "")
    if memory.formula:
        sizes = ", ".join(f"{name} = {size}" for name, size in memory.sizes.items())
        words += f" ({memory.formula} bytes, for {sizes} of the first call)"
    if memory.given:
        words += f"; {bytes_words(memory.given)} are handed to it by the forward graph and its caller"
    words += f"; {bytes_words(memory.kept)} are left at the end"
    return "; ".join([words, *memory.notes])


def owner_rows(owners: Sequence[MemoryOwner]) -> list[str]:
    """``24.0 KiB  model.py:12  `h = F.gelu(x)`  gelu``: one row for each."""
    places = ["" if one.line is None else one.line.place for one in owners]
    sizes = [bytes_words(one.bytes) for one in owners]
    wide, far = max(map(len, sizes), default=0), max(map(len, places), default=0)
    return [f"{size:>{wide}}  {place:{far}}  {_text(one.line)}  {', '.join(one.operations)}".rstrip()
            for size, place, one in zip(sizes, places, owners)]  # fmt: skip


def largest_owners(memory: Memory) -> list[str]:
    """The rows of the lines that own most, and what the others have together."""
    rest = memory.owners[MOST_OWNERS:]
    more = f"and {len(rest)} more lines: {bytes_words(sum(one.bytes for one in rest))}"
    return owner_rows(memory.owners[:MOST_OWNERS]) + [more] * bool(rest)


def _text(line: SourceLine | None) -> str:
    return NO_LINE if line is None else f"`{line.text}`"


def step_rows(memory: Memory) -> list[str]:
    """A row for each call of a kernel: the bytes while it runs, those after it, its name."""
    rows = [(bytes_words(step.during), bytes_words(step.after), step.kernel) for step in memory.steps]
    widths = [max((len(row[at]) for row in rows), default=0) for at in (0, 1)]
    return [f"{during:>{widths[0]}}  {after:>{widths[1]}}  {kernel}" for during, after, kernel in rows]
