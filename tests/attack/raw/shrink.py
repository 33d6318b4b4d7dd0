"""Makes a harmful mutant smaller: instructions become NOP as long as it stays proven and harmful."""

from __future__ import annotations

import dis
from typing import Any, Iterator, List, Tuple

from attack.raw.instructions import NOP, units
from attack.raw.judge import Outcome, outcomes
from attack.raw.mutants import Mutant, part_at, paths, replaced

LONGEST = 6


def shrunk(mutant: Mutant) -> Tuple[Mutant, Outcome]:
    """The smallest variant found, and its outcome. Only one code object of a module is left as it is at a time."""
    (best,) = outcomes([mutant])
    wanted = best.kind
    again = True
    while again:
        again = False
        for path in list(paths(mutant.code)):
            for start, end in _ranges(part_at(mutant.code, path)):
                part = part_at(mutant.code, path)
                data = bytearray(part.co_code)
                nops = bytes((NOP, 0)) * ((end - start) // 2)
                if data[start:end] == nops:
                    continue
                data[start:end] = nops
                tried = mutant._replace(code=replaced(mutant.code, path, part.replace(co_code=bytes(data))))
                (outcome,) = outcomes([tried])
                if outcome.kind == wanted:
                    mutant, best, again = tried, outcome, True
    return mutant, best


def _ranges(code: Any) -> Iterator[Tuple[int, int]]:
    """Whole lines first, then a few instructions in a row, in bytes."""
    starts: List[int] = [offset for offset, line in dis.findlinestarts(code)]
    ends = [*starts[1:], len(code.co_code)]
    yield from zip(starts, ends)
    found = units(code.co_code)
    for length in range(LONGEST, 0, -1):
        for first in range(len(found) - length + 1):
            yield found[first].offset, found[first + length - 1].end
