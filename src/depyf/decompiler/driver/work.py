"""One code object on its way through the passes, and what they have made of it so far."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Sequence

from ..bytecode import Instruction, RawCode
from ..bytecode.kinds import kind_of
from ..definitions.resolve import Definitions
from ..flowgraph import ControlFlowGraph, Region
from ..lift import LiftedBlock
from ..passes import Observer
from ..structure import Flow
from ..syntax import nodes
from .strategies import Strategy

if TYPE_CHECKING:
    from .ladder import Edit, Ladder


class Work:
    """``raw`` and, one after the other, its instructions, graph, lifted blocks, flow and statements.

    ``ladder`` and ``edits``: other forms of the graph, where plain structuring has failed. ``after`` is told of the
    passes over instructions, which are not run anew where nobody listens.
    """

    graph: ControlFlowGraph
    flow: Flow

    def __init__(
        self, raw: RawCode, strategy: Strategy, edits: Sequence[Edit] = (), ladder: Ladder | None = None
    ) -> None:
        self.raw = raw
        self.kind = kind_of(raw)
        self.table = raw.table
        self.behavior = raw.table.behavior
        self.strategy = strategy
        self.edits = edits
        self.ladder = ladder
        self.after: Observer | None = None
        self.instructions: list[Instruction] = []
        self.regions: list[Region] = []
        self.has_match = False
        self.blocks: list[LiftedBlock] = []
        self.body: list[nodes.Statement] = []
        self.is_by_columns = False  # columns have decided something in it


class Finishing:
    """The statements of ``raw`` with placeholders, on their way to the body that is printed.

    ``nested`` gives the bodies of code in it, ``enclosing`` are the names that functions around bind, ``skipped`` the
    transforms that are left out. ``asserts_are_rewritten``: by pytest. ``folded_asserts`` gathers code whose asserts
    are written again. ``attributes`` gives those that dead code must store; ``class_name``: of the class around.
    """

    def __init__(
        self,
        raw: RawCode,
        strategy: Strategy,
        instructions: list[Instruction],
        body: list[nodes.Statement],
        nested: Callable[[RawCode], list[nodes.Statement]],
        *,
        enclosing: frozenset[str] = frozenset(),
        skipped: frozenset[str] = frozenset(),
        asserts_are_rewritten: bool = False,
        folded_asserts: set[RawCode],
        attributes: Callable[[], list[str]],
        class_name: str | None = None,
    ) -> None:
        self.raw = raw
        self.kind = kind_of(raw)
        self.strategy = strategy
        self.instructions = instructions
        self.body = body
        self.definitions = Definitions(raw, nested, strategy.keeps_constants)
        self.enclosing = enclosing
        self.skipped = skipped
        self.asserts_are_rewritten = asserts_are_rewritten
        self.folded_asserts = folded_asserts
        self.attributes = attributes
        self.class_name = class_name
