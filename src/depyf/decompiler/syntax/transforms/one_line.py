"""`del a` and `del b` from one line of the source -> `del a, b`; the same for imports."""

from __future__ import annotations

from .. import nodes as n
from ..node import Statement
from ..traverse import bodies

_JOINED = (n.Delete, n.Import)


def join_lines(body: list[Statement], kind: str) -> None:
    """Join `del` or `import` statements of one source line, which have the same instructions as a single one.

    Not if all code is on one line, as it appears without a line table on 3.8 and 3.9. There the optimiser does nothing
    in code that has a line of more than 254 bytes.
    """
    if len({statement.line for statement in body}) == 1 and not all(isinstance(one, _JOINED) for one in body):
        return
    for inner in list(bodies(body)):
        kept: list[Statement] = []
        for statement in inner:
            last = kept[-1] if kept else None
            if last is None or type(last) is not type(statement) or last.line is None or last.line != statement.line:
                kept.append(statement)
            elif isinstance(last, n.Delete) and isinstance(statement, n.Delete):
                last.targets = last.targets + statement.targets
            elif isinstance(last, n.Import) and isinstance(statement, n.Import):
                last.names = last.names + statement.names
            else:
                kept.append(statement)
        inner[:] = kept
