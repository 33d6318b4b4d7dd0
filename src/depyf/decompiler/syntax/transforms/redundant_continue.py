"""`continue` at the end of a loop's body.

Before: any jump back to the loop's head may appear as `continue`. After: none is left where no statement of
the loop's body follows, except for those in the source, as shown by their lines; one as wide as `pass` is a
`pass` there. The two transforms differ in what they compile to: at the end of a while statement with a
condition, 3.10 to 3.13 test the condition again where the body ends, while a `continue` jumps to the test at
the top.
"""

from __future__ import annotations

from typing import Iterator

from .. import nodes as n
from .tail_positions import DEFINITIONS, drop_at_tail, tails, written_out


def drop_redundant_continue(body: list[n.Statement], kind: str) -> None:
    """Drop `continue` at the ends of the bodies of for statements and of `while True`."""
    _drop(body, in_while=False)


def drop_redundant_continue_in_while(body: list[n.Statement], kind: str) -> None:
    """Drop `continue` at the ends of the bodies of while statements with a condition."""
    _drop(body, in_while=True)


def _drop(body: list[n.Statement], *, in_while: bool) -> None:
    kept = written_out(body, _is_continue)
    for loop in _loops(body):
        if _has_condition(loop) == in_while:
            drop_at_tail(
                loop.body, lambda statement: _is_continue(statement) and id(statement) not in kept, always=False
            )
            for tail in tails(loop.body):
                if _is_continue(tail[-1]) and tail[-1].written == "pass":
                    tail[-1] = n.Pass(line=tail[-1].line)


def _loops(body: list[n.Statement]) -> Iterator[n.For | n.AsyncFor | n.While]:
    for inner in n.bodies(body, DEFINITIONS):
        for statement in inner:
            if isinstance(statement, (n.For, n.AsyncFor, n.While)):
                yield statement


def _has_condition(loop: n.For | n.AsyncFor | n.While) -> bool:
    return isinstance(loop, n.While) and not (isinstance(loop.test, n.Constant) and loop.test.value)


def _is_continue(statement: n.Statement) -> bool:
    return isinstance(statement, n.Continue)
