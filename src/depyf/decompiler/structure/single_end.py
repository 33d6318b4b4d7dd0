"""Module and class bodies have one end: the compiler's copies of it are joined again."""

from __future__ import annotations

from ..lift import LiftedBlock


def join_ends(blocks: list[LiftedBlock]) -> None:
    """Lead every return to one block, the last in the layout: there is no ``return`` statement to write instead."""
    ends = [block for block in blocks if block.kind == "return"]
    if len(ends) < 2:
        return
    last = ends[-1]
    end = last
    if last.statements:
        end = LiftedBlock(last.index, last.region, list(last.exit))
        end.layout = last.layout + 0.5
        end.become("return", test=last.test)
        last.become("goto", next=end, fall=end)
        blocks.append(end)
    for block in ends:
        if block is not end and block is not last:
            block.become("goto", next=end)
