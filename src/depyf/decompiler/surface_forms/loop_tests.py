"""``while 1``: the compilers of 3.10 and 3.11 keep the constant of the test in the code, though nothing loads it."""

from __future__ import annotations

from typing import Iterator, NamedTuple

from ..bytecode import RawCode
from ..proof.identical import differing_fields
from ..syntax import nodes
from ..syntax.transforms.tail_positions import DEFINITIONS
from .exact import Compile, Text, compiled_with
from .kinds import Search

_MOST = 12
"""The maximum number of combinations to compile."""
_TRUE = nodes.Constant(True)


class TestChange(NamedTuple):
    """Writes the tests of ``loops``, all of them ``while True``, as ``1``."""

    loops: list[nodes.While]
    kind: str = "loop:true-as-1"

    @property
    def line(self) -> int | None:
        """The line of the first loop."""
        return self.loops[0].line

    def make(self) -> None:
        for loop in self.loops:
            loop.test = nodes.Constant(1)

    def undo(self) -> None:
        for loop in self.loops:
            loop.test = nodes.Constant(True)


def spell_loop_tests(
    body: list[nodes.Statement], raw: RawCode, printed: Text, compiled: Compile, search: Search
) -> list[TestChange]:
    """Return the change after which the text of ``body`` compiles to ``raw`` itself; an empty list if there is none."""
    has_one = any(type(constant) is int and constant == 1 for constant in raw.consts)
    if not has_one or "loop:true-as-1" in search.skipped:
        return []
    statements = nodes.statements_in_order(body, DEFINITIONS)
    loops = [one for one in statements if isinstance(one, nodes.While) and one.test == _TRUE]
    for _, some in zip(range(_MOST), _choices(loops)):
        change = TestChange(some)
        search.tries(change)
        found = compiled_with(change, raw, printed, compiled)
        if found is not None and not any(differing_fields(raw, found)):
            return [change]
    return []


def _choices(loops: list[nodes.While]) -> Iterator[list[nodes.While]]:
    """Yield all loops, then each alone, then the first ones and the last ones."""
    if loops:
        yield loops
    if len(loops) > 1:
        yield from ([loop] for loop in loops)
    for count in range(2, len(loops)):
        yield loops[:count]
        yield loops[count - 1 :]
