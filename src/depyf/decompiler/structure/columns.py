"""The columns in which the statements of blocks begin."""

from __future__ import annotations

from ..lift import LiftedBlock
from ..lift.columns import column_of_test
from ..lift.folding.negation import negate, spelled


def column_of_first(block: LiftedBlock) -> int | None:
    """Return the column of the first statement of ``block``, of the ``if`` whose test is all of it, or of the try
    statement that begins there.
    """
    if block.kind == "try":
        return next((one.region.column for one in block.successors if one.region is not None), None)
    if block.statements:
        return block.statements[0].column
    return column_of_keyword("if", block) if block.kind == "branch" else block.evidence.column


def column_of_keyword(keyword: str, block: LiftedBlock) -> int | None:
    """Return the column of the statement whose test ends ``block``: its body is where the test falls through to."""
    test = block.test if block.fall is block.true else spelled(negate(block.test))
    return column_of_test(keyword, block.evidence.column, test)
