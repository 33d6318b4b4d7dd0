"""The state of the passes over one code object."""

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
from .objects import Objects
from .strategies import Strategy

if TYPE_CHECKING:
    from .ladder import Edit, Ladder


class Work:
    """``raw`` and, as passes add them, its instructions, graph, lifted blocks, flow and statements.

    ``ladder`` and ``edits``: other forms of the graph, where plain structuring has failed. ``after`` is called after
    each pass over instructions, which are cached if it is None.
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
        self.is_by_columns = False  # columns have made a decision in it


class Finishing:
    """The statements of ``raw`` with placeholders, to be finished for printing.

    ``nested`` returns the bodies of nested code, ``enclosing`` are the names that enclosing functions bind, of which
    ``parameters`` may be type parameters, ``skipped`` the transforms to skip. ``asserts_are_rewritten``: by pytest.
    ``attributes`` returns those that dead code must store; ``class_name``: of the enclosing class. ``objects`` names
    constants that have no literal.
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
        parameters: frozenset[str] = frozenset(),
        skipped: frozenset[str] = frozenset(),
        asserts_are_rewritten: bool = False,
        attributes: Callable[[], list[str]],
        class_name: str | None = None,
        objects: Objects,
    ) -> None:
        self.raw = raw
        self.kind = kind_of(raw)
        self.strategy = strategy
        self.instructions = instructions
        self.body = body
        self.objects = objects
        self.present: set[type[nodes.Statement]] = set()  # the classes of statements in it, before the transforms
        self.definitions = Definitions(raw, nested, strategy.keeps_constants)
        self.enclosing, self.parameters = enclosing, parameters
        self.skipped = skipped
        self.asserts_are_rewritten = asserts_are_rewritten
        self.folds_asserts = False  # those that pytest has rewritten
        self.attributes = attributes
        self.class_name = class_name
