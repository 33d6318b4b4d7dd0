"""The end of a code object is one place: the compiler's copies of the implicit return are joined again."""

from __future__ import annotations

from ..lift import LiftedBlock
from ..syntax import nodes


def join_ends(blocks: list[LiftedBlock], kind: str) -> None:
    """Lead the returns that nobody wrote to one block behind all others.

    In a module or class body that is every return. In a function it is a return of None with the source position of
    what stands before it: the compiler gives its copies no position of their own.
    """
    ends = [block for block in blocks if block.kind == "return" and (kind != "function" or _is_implicit(block))]
    if kind != "function" and ends == blocks[-1:]:
        ends.pop().is_end = True
    if not ends:
        return
    last = ends[-1]
    if len(ends) == 1 and last.uncopied and not last.statements:
        last.layout, last.loads_last = max(block.layout for block in blocks) + 0.5, True
        return
    end = LiftedBlock(last.index, None, [])
    end.layout = max(block.layout for block in blocks) + 0.5
    end.become("return", test=last.test)
    end.implicit_return = end.loads_last = True
    end.uncopied = last.uncopied
    end.is_end = kind != "function"
    for block in ends:
        block.become("goto", next=end, fall=end if block is blocks[-1] else None)
    blocks.append(end)


def _is_implicit(block: LiftedBlock) -> bool:
    return block.implicit_return is True and isinstance(block.test, nodes.Constant) and block.test.value is None
