"""`import a` and `import b` from one line of the source -> `import a, b`."""

from __future__ import annotations

from .. import nodes as n
from ..node import Statement
from ..traverse import bodies


def join_lines(body: list[Statement], kind: str) -> None:
    """Join `import` statements of one source line, which have the same instructions as a single one.

    Not if all code is on one line, as it appears without a line table on 3.8 and 3.9. There the optimiser does nothing
    in code that has a line of more than 254 bytes.
    """
    if len({statement.line for statement in body}) == 1 and not all(isinstance(one, n.Import) for one in body):
        return
    for inner in bodies(body):
        kept: list[Statement] = []
        for statement in inner:
            last = kept[-1] if kept else None
            if not isinstance(last, n.Import) or not isinstance(statement, n.Import) or last.line is None:
                kept.append(statement)
            elif last.line != statement.line:
                kept.append(statement)
            else:
                last.names = last.names + statement.names
        inner[:] = kept
