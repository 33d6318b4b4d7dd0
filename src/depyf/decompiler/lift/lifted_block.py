"""A lifted basic block: statements, and a terminator."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..flowgraph import Region
from ..syntax import nodes
from . import block_order
from .evidence import Evidence
from .values import Marker, Slot


class Terminator(NamedTuple):
    """How a block ends.

    ``kind`` is one of these, with the operands that it uses:

    * 'goto': to ``next``.
    * 'branch': on the truth of ``test`` to ``true`` or ``false``; ``fall`` is the one next in the layout. If the truth
      of ``test`` is ``sense``, it jumps, maybe to ``fall``.
    * 'or_pop': if the truth of ``test`` is ``sense``, keep it and go to ``true``; else drop it and go to ``false``.
    * 'for': to ``true`` (the body) with an item, or to ``false`` when exhausted; ``gathers`` is the empty container
      that the loop of a comprehension fills.
    * 'return': ``test`` is the value. 'raise': the last statement is the raise. 'reraise'.
    * 'nowhere': unreachable.

    The structure room adds:

    * 'try': ``true`` is the body, ``false`` the handler; ``test`` is the region.
    * 'once': to ``true``, from where the ``break`` of a one-trip loop leads to ``false``.
    * 'endless': to ``true``, the first block of a loop that begins with another loop.
    """

    kind: str
    test: Any = None
    next: LiftedBlock | None = None
    true: LiftedBlock | None = None
    false: LiftedBlock | None = None
    fall: LiftedBlock | None = None
    sense: bool = False
    is_async: bool = False
    gathers: nodes.Expression | None = None

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

    def redirected(self, old: LiftedBlock, new: LiftedBlock) -> Terminator:
        """The same with ``new`` for ``old``."""
        edges: dict[str, Any] = {name: new for name in ("next", "true", "false", "fall") if getattr(self, name) is old}
        return self._replace(**edges)


_NOT_YET = Terminator("goto")


class LiftedBlock:
    """Statements and a terminator.

    ``entry`` and ``exit`` are the stack before and after (without the terminator's test). ``index`` is that of the
    basic block; blocks cut from others, or put around them, have the index of those, and their own ``layout``.
    ``first`` is the first value that the block pushes, where a test in an expression only leads here.
    """

    __slots__ = (
        "_terminator", "entry", "evidence", "exit", "fall", "false", "first", "index", "kind", "layout", "next",
        "predecessors", "region", "statements", "successors", "test", "true",
    )  # fmt: skip

    kind: str
    """How the block ends, see `Terminator`; so are `test`, `next`, `true`, `false`, `fall` and `successors`."""
    test: Any
    next: LiftedBlock | None
    true: LiftedBlock | None
    false: LiftedBlock | None
    fall: LiftedBlock | None
    successors: list[LiftedBlock]

    def __init__(
        self,
        index: int,
        region: Region | None,
        entry: list[nodes.Expression],
        layout: block_order.OrderKey | None = None,
        evidence: Evidence = Evidence(),  # noqa: B008  (frozen)
    ) -> None:
        self.index = index
        self.layout: block_order.OrderKey = (index, *block_order.ITSELF) if layout is None else layout
        self.region = region
        self.entry = entry
        self.exit: list[nodes.Expression] = []
        self.statements: list[nodes.Statement] = []
        self._terminator = _NOT_YET
        self.kind = "goto"
        self.test = self.next = self.true = self.false = self.fall = None
        self.successors = []
        self.evidence = evidence
        self.predecessors: set[LiftedBlock] = set()
        self.first: Slot | None = None

    @property
    def terminator(self) -> Terminator:
        """How the block ends."""
        return self._terminator

    @terminator.setter
    def terminator(self, terminator: Terminator) -> None:
        # Read far more often than written, so each part has a slot.
        self._terminator = terminator
        self.kind, self.test, self.next, self.true, self.false, self.fall = terminator[:6]
        self.successors = terminator.successors

    @property
    def markers(self) -> tuple[Marker, ...]:
        """The enclosing statements that keep something on the stack."""
        return tuple([value for value in self.entry if value.__class__ is Marker]) if self.entry else ()

    @property
    def jumps_on_its_line(self) -> bool:
        """Whether the block, or what alone leads to its jump, ends with a jump on a line where nothing else is."""
        ends = {self} if self.statements or self.evidence.is_continue else self.predecessors
        return all(one.evidence.is_continue for one in ends)

    def redirect(self, old: LiftedBlock, new: LiftedBlock) -> None:
        """Redirect every edge to ``old`` to ``new``."""
        self.terminator = self.terminator.redirected(old, new)
        old.predecessors.discard(self)
        if new in self.successors:
            new.predecessors.add(self)

    def become(self, terminator: Terminator) -> None:
        """Replace the terminator; the predecessors of the successors are updated."""
        for successor in self.successors:
            successor.predecessors.discard(self)
        self.terminator = terminator
        for successor in self.successors:
            successor.predecessors.add(self)

    def __repr__(self) -> str:
        return f"<lifted {self.index}>"
