"""What lifting makes of a basic block: statements, and how control goes on."""

from __future__ import annotations

from typing import Any

from ..flowgraph import Region
from ..syntax import nodes
from .values import Marker


class LiftedBlock:
    """Statements and a terminator.

    ``kind`` says how it ends, with the operands it uses:

    * 'goto': to ``next``.
    * 'branch': on the truth of ``test`` to ``true`` or ``false``; ``fall`` is the one that comes next in the layout.
    * 'or_pop': if the truth of ``test`` is ``sense``, keep it and go to ``true``; else drop it and go to ``false``.
    * 'for': to ``true`` (the body) with an item, or to ``false`` when exhausted.
    * 'return': ``test`` is the value. 'raise': the last statement is the raise. 'reraise'.
    * 'nowhere': control never comes here.
    * 'try': ``true`` is the body, ``false`` the handler; put in by the structure room for ``region``.
    * 'once': to ``true``, from where control comes to ``false`` through the ``break`` of a one-trip loop; likewise.

    * 'endless': to ``true``, with which a loop begins that begins with another loop; likewise.

    ``entry`` and ``exit`` are the stack before and after (after: without ``test``).
    """

    __slots__ = (
        "index", "region", "entry", "exit", "statements", "kind", "test", "sense", "next", "true", "false", "fall",
        "predecessors", "is_async", "repeated", "at_bottom", "line", "layout", "test_line",
        "implicit_return", "uncopied", "loads_last", "is_end", "gathers", "word", "is_clause",
        "is_behind_finally", "threaded",
    )  # fmt: skip

    def __init__(self, index: int, region: Region | None, entry: list[nodes.Expression]) -> None:
        self.index = index
        self.layout = float(index)  # its place in the layout; blocks cut from others stand between
        self.region = region
        self.entry = entry
        self.exit: list[nodes.Expression] = []
        self.statements: list[nodes.Statement] = []
        self.kind = "goto"
        self.test: Any = None
        self.sense = False
        self.next: LiftedBlock | None = None
        self.true: LiftedBlock | None = None
        self.false: LiftedBlock | None = None
        self.fall: LiftedBlock | None = None
        self.predecessors: set[LiftedBlock] = set()
        self.is_async = False
        self.repeated = False  # the test of a while loop whose copy at the bottom was undone
        self.at_bottom = False  # what such a copy became: where it stood the body of the loop ends
        self.line: int | None = None
        self.test_line: int | None = None
        self.gathers: nodes.Expression | None = None  # the empty container that the loop of a comprehension fills
        self.implicit_return: bool | None = False  # the compiler wrote it at the end of the code; None: it may have
        self.uncopied = False  # by a compiler that copies no return: all but the last one were written
        self.loads_last = False  # a return of a constant that is loaded when the statements around are left already
        # By which it leaves a statement, '' if at the end of a handler; 'pass' if it is there for a line alone.
        self.word: str | None = None
        self.is_clause = False  # of a generator expression
        # Whether a return behind a copy of a ``finally`` body was written there, or nowhere, not in front of the copy;
        # None if there is no copy.
        self.is_behind_finally: bool | None = None
        self.threaded = False  # the test jumped to another one, which the compiler made one jump of: `(a and b) and c`
        self.is_end = False  # the end of a module or class body, where no return can be written

    @property
    def successors(self) -> list[LiftedBlock]:
        """Where control goes, in the order of the layout as far as known."""
        if self.kind == "goto":
            return [self.next] if self.next is not None else []
        if self.kind == "endless":
            return [self.true] if self.true is not None else []
        if self.kind in ("branch", "or_pop", "for", "try", "once"):
            return [block for block in (self.true, self.false) if block is not None]
        return []

    @property
    def markers(self) -> tuple[Marker, ...]:
        """The statements that the block stands in, as far as they keep something on the stack."""
        return tuple(value for value in self.entry if isinstance(value, Marker))

    def redirect(self, old: LiftedBlock, new: LiftedBlock) -> None:
        """Lead every edge to ``old`` to ``new`` instead."""
        for name in ("next", "true", "false", "fall"):
            if getattr(self, name) is old:
                setattr(self, name, new)
        if old in self.successors:
            raise AssertionError("an edge was left")
        old.predecessors.discard(self)
        if new in self.successors:
            new.predecessors.add(self)

    def become(self, kind: str, **operands: Any) -> None:
        """End in another way; edges' predecessors are kept in step."""
        for successor in self.successors:
            successor.predecessors.discard(self)
        self.kind = kind
        for name in ("test", "next", "true", "false", "fall"):
            setattr(self, name, operands.pop(name, None))
        for name, value in operands.items():
            setattr(self, name, value)
        for successor in self.successors:
            successor.predecessors.add(self)

    def __repr__(self) -> str:
        return f"<lifted {self.index}>"
