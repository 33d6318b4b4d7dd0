"""``with``: the nodes of its body have the bound ``__exit__`` on the stack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import DecompilationError
from ..lift import LiftedBlock, WithItem
from ..lift.values import Given, Marker
from ..limits.budget import STEP, spend
from ..syntax import nodes
from .context import Context

if TYPE_CHECKING:
    from .structurer import Structurer


def write_with(
    writer: Structurer, node: LiftedBlock, follow: LiftedBlock | None, context: Context, out: list[nodes.Statement]
) -> LiftedBlock | None:
    """Write a with statement; control continues where it does after a swallowed exception."""
    after, start = node.false, node.true
    if after is None or start is None:
        raise DecompilationError("a with statement without an end", stage="structure")
    item = _item(start)
    inside = writer.flow.keeping("exit", item)
    body = writer.arm(node, start, after, context.within(inside))
    target: nodes.Expression | None = None
    first = body[0] if body else None
    if isinstance(first, nodes.Assign) and isinstance(first.value, Given) and first.value.owner is item:
        if len(first.targets) != 1:
            raise DecompilationError("what __enter__ returned is stored twice", stage="structure")
        target, body = first.targets[0], body[1:]
    kind = nodes.AsyncWith if item.is_async else nodes.With
    line = node.evidence.line if item.line is None else item.line
    statement = kind([nodes.withitem(item.expression, target)], body or [nodes.Pass()], line=line)
    statement.column = item.column
    out.append(statement)
    return writer.go(node, after, follow, context, out, after_statement=True)


def _item(start: LiftedBlock) -> WithItem:
    block: LiftedBlock | None = start
    while block is not None and block.kind == "try":
        spend(STEP, "structuring")
        block = block.true  # the body begins with another statement
    for entry in reversed(block.entry if block is not None else []):
        if isinstance(entry, (Marker, Given)) and isinstance(entry.owner, WithItem):
            return entry.owner
    raise DecompilationError("a with statement without a context manager", stage="structure")
