"""The columns in which the statements of blocks begin."""

from __future__ import annotations

from collections import Counter
from typing import Iterable

from ..flowgraph.regions import chain
from ..lift import LiftedBlock
from ..lift.columns import column_of_test
from ..lift.folding.negation import negate, spelled
from .context import fails_an_assertion


def column_of_first(block: LiftedBlock) -> int | None:
    """Return the column of the first statement of ``block``, of the ``if`` whose test is all of it, or of the try
    statement that begins there.
    """
    if block.kind == "try":
        return next((one.region.column for one in block.successors if one.region is not None), None)
    if block.statements:
        return block.statements[0].column
    if block.kind != "branch":
        return block.evidence.column
    return column_of_keyword("assert" if is_assertion(block) else "if", block)


def is_deeper(block: LiftedBlock, column: int) -> bool:
    """Whether ``block`` certainly begins right of ``column``: not with a test that may be that of a return, say."""
    first = column_of_first(block)
    is_known = bool(block.statements) or block.kind == "try" or is_assertion(block)
    return is_known and first is not None and first > column


def is_within(block: LiftedBlock, column: int | None) -> bool:
    """Whether ``block`` begins in the ``column`` of other statements, or certainly right of it."""
    return column is not None and (column_of_first(block) == column or is_deeper(block, column))


def column_of_for(block: LiftedBlock) -> int | None:
    """Return the column of the for statement that ``block`` begins or evaluates the iterable of, by its target's."""
    header = block.next if block.kind == "goto" and not block.statements else block
    if header is None or header.kind != "for" or header.true is None or not header.true.statements:
        return None
    column = header.true.statements[0].column
    return column - len("async for " if header.terminator.is_async else "for ") if column is not None else None


def is_assertion(block: LiftedBlock) -> bool:
    """Whether ``block`` ends with the test of an ``assert``."""
    return any(fails_an_assertion(one.statements) for one in block.successors)


def column_of_keyword(keyword: str, block: LiftedBlock) -> int | None:
    """Return the column of the statement whose test ends ``block``: its body is where the test falls through to."""
    test = block.test if block.fall is block.true else spelled(negate(block.test))
    return column_of_test(keyword, block.evidence.column, test)


def columns_in(blocks: Iterable[LiftedBlock]) -> list[int]:
    """Return the columns of the statements in ``blocks``, as far as they are known, and of the try statements around
    some of them.
    """
    parts = list(blocks)
    around = Counter(region for block in parts for region in chain(block.region))
    found = [one.column for block in parts for one in block.statements]
    found += [region.column for region, count in around.items() if count < len(parts)]
    return [column for column in found if column is not None]


def is_left_of_all(block: LiftedBlock, inside: set[LiftedBlock]) -> bool:
    """Whether ``block`` is indented less than every statement in the loop whose column is known, try statements that
    begin there included.
    """
    columns = columns_in(inside - {block})
    column = block.statements[0].column if block.statements else column_of_for(block)
    if column is None and not block.statements:
        column = block.evidence.column
    return column is not None and any(columns) and column < min(columns)


def is_left_of_test(block: LiftedBlock, source: LiftedBlock) -> bool:
    """Whether ``block`` is indented no deeper than the ``if`` or ``elif`` whose test ends ``source``."""
    keyword = column_of_keyword("elif", source)
    return keyword is not None and block.evidence.column is not None and block.evidence.column <= keyword
