"""Joins the compiler's copies of the implicit return, so that a code object has a single end."""

from __future__ import annotations

from ..lift import Evidence, LiftedBlock, Terminator, block_order
from ..syntax import nodes


def join_ends(blocks: list[LiftedBlock], kind: str) -> None:
    """Redirect all implicit returns to one block after all others.

    In a module or class body, every return is implicit. In a function, those are the returns of None with the source
    position of the preceding code: the compiler gives its copies no position of their own.
    """
    _join_copies_that_leave(blocks)
    ends = [block for block in blocks if block.kind == "return" and (kind != "function" or _is_implicit(block))]
    if kind != "function" and ends == blocks[-1:]:
        only = ends.pop()
        only.evidence = only.evidence._replace(is_end=True)
    if not ends:
        return
    last = ends[-1]
    layout = block_order.end(max(block.layout for block in blocks))
    if len(ends) == 1 and last.evidence.is_uncopied and not last.statements:
        last.layout, last.evidence = layout, last.evidence._replace(loads_last=True)
        return
    evidence = Evidence(
        is_implicit_return=True,
        loads_last=True,
        is_uncopied=last.evidence.is_uncopied,
        is_end=kind != "function",
    )
    end = LiftedBlock(last.index, None, [], layout, evidence)
    end.become(Terminator("return", test=last.test))
    for block in ends:
        block.become(Terminator("goto", next=end, fall=end if block is blocks[-1] else None))
    blocks.append(end)


def _join_copies_that_leave(blocks: list[LiftedBlock]) -> None:
    """Redirect all that leads to stripped copies of ``finally`` bodies that leave the code to one of them."""
    joined: dict[object, LiftedBlock] = {}
    for block in blocks:
        if block.kind == "nowhere" and not block.statements and not block.entry:
            left = frozenset(before.region for before in block.predecessors)
            one = joined.setdefault((block.region, left), block)
            for before in list(block.predecessors) if one is not block else ():
                before.redirect(block, one)


def _is_implicit(block: LiftedBlock) -> bool:
    is_implicit = block.evidence.is_implicit_return is True
    return is_implicit and isinstance(block.test, nodes.Constant) and block.test.value is None
