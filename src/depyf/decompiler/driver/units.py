"""One code object through the stages, up to its tree."""

from __future__ import annotations

from typing import Callable, NamedTuple, Sequence

from ...errors import DecompilationError
from ..bytecode import Instruction, RawCode, disassemble
from ..bytecode.canonical.uncovered_tests import cover_tests
from ..bytecode.kinds import kind_of
from ..definitions.annotations import gather
from ..flowgraph import (
    build_flowgraph,
    drop_abandoned_values,
    drop_inlined_builtins,
    find_match_statements,
    join_exit_copies,
    load_parameters_later,
    mark_regions,
    move_async_for_ends_back,
    move_handlers_back,
    plain_group_handlers,
    restoring_handlers,
    separate_breaks,
    separate_handler_ends,
    separate_with_exits,
    strip_finally_copies,
)
from ..lift import LiftedBlock, fold, lift
from ..limits.budget import spend
from ..structure import Flow, join_cases, join_ends, separate_outer_loops, structure
from ..syntax import nodes
from .ladder import Edit, Ladder, rung_of
from .settings import COMPILER, Origin
from .stepper import Stepper

BUGS = (
    ArithmeticError, AssertionError, AttributeError, LookupError, NameError, RuntimeError, StopIteration, TypeError,
    ValueError,
)  # fmt: skip
"""What a mistake of ours raises: it costs the code object that it is about, not its neighbours."""

_STEPS = 12
"""For each instruction, to structure a code object once."""


class Unit:
    """A code object and the statements it was structured into, or why there are none.

    ``rung`` says how: 'structured', or by which of the forms that are tried where that fails.
    """

    def __init__(self, raw: RawCode) -> None:
        self.raw = raw
        self.kind = kind_of(raw)
        self.instructions: list[Instruction] = []
        self.body: list[nodes.Statement] = []
        self.error: DecompilationError | None = None
        self.rung = "structured"


class Way(NamedTuple):
    """Choices between sources of the same meaning, where hints decide: whether copies of the code's ends that have
    the same position are joined, and which transforms of the finished tree are left out. ``keeps_constants``: those
    that compilers would fold are kept apart. ``climbs``: where control has no form in Python the graph is given another
    one. ``settles``: parameters that lie on the stack at the beginning are loaded later, so that the rest is what a
    compiler made. ``asserts``: what pytest has made of an assert is written as the assert. ``engine``: 'structured', or
    one that needs no shapes that a compiler makes: 'events' for code whose only loops are iterations, 'dispatch' for
    any."""

    joins_ends: bool = True
    skipped_transforms: frozenset[str] = frozenset()
    keeps_constants: bool = False
    climbs: bool = False
    settles: bool = False
    asserts: bool = False
    engine: str = "structured"

    @property
    def symbolic(self) -> bool:
        """Whether its results need the symbolic proof."""
        return self.settles or self.engine != "structured"


WAYS = (
    Way(),
    Way(joins_ends=False),
    Way(skipped_transforms=frozenset({"redundant-return", "redundant-continue", "redundant-continue-in-while"})),
    Way(keeps_constants=True),
    Way(climbs=True),
)
"""In the order in which they are tried until one is proven."""

_EVENTS = Way(engine="events")
FUNCTION_WAYS = (*WAYS, _EVENTS, Way(settles=True), Way(engine="dispatch"))
"""Those of functions: what stands on the stack across statements becomes variables, which only they have."""
_MADE_UP_WAYS = (_EVENTS, *(way for way in FUNCTION_WAYS if way is not _EVENTS))
"""Those of functions whose variables tools have named: mostly no compiler made them, so its shapes come last."""


def ways_of(raw: RawCode, origin: Origin = COMPILER) -> tuple[Way, ...]:
    """The ways to try for ``raw``, in order; ``origin`` is what made it."""
    if kind_of(raw) not in ("function", "lambda"):
        return WAYS
    return _MADE_UP_WAYS if any(map(origin.is_made_up, raw.varnames)) else FUNCTION_WAYS


def lift_unit(raw: RawCode, stepper: Stepper | None = None, way: Way = WAYS[0]) -> Unit:
    """``raw`` as statements with placeholders for what is nested; a failure is kept in ``error``, never raised.

    But for a RecursionError, which may be no failure in another place.
    """
    unit = Unit(raw)
    try:
        if way.climbs:
            _climb(unit, stepper or Stepper())
        else:
            _stages(unit, stepper or Stepper(), way.joins_ends, settles=way.settles)
    except DecompilationError as error:
        unit.error = error
    except RecursionError:
        raise
    except BUGS as error:
        # A bug of ours costs this code object, and says so.
        reason = f"internal error: {type(error).__name__}: {error}"
        unit.error = DecompilationError(reason, stage="structure", where=raw.qualname)
    return unit


def _climb(unit: Unit, stepper: Stepper) -> None:
    """Down the ladder, from one-trip loops on."""

    def attempt(edits: list[Edit]) -> None:
        _stages(unit, stepper, True, edits, ladder)

    ladder = Ladder(attempt)
    ladder.climb()
    unit.rung = rung_of(ladder)


def _stages(
    unit: Unit,
    stepper: Stepper,
    joined: bool,
    edits: Sequence[Edit] = (),
    ladder: Ladder | None = None,
    settles: bool = False,
) -> None:
    table = unit.raw.table
    unit.instructions = disassemble(unit.raw)
    spend(_STEPS * len(unit.instructions), "structuring")
    if unit.kind == "expression":
        _return_once(unit.instructions)
    if unit.raw.exception_table:
        cover_tests(unit.instructions)
    if settles:
        load_parameters_later(unit.instructions, unit.raw)
    stepper.stage("disassemble", lambda: listing(unit.instructions))
    graph = build_flowgraph(unit.instructions)
    stepper.stage("flowgraph", graph.render)
    if table.behavior.handlers_are_last:
        move_async_for_ends_back(graph)
    drop_abandoned_values(graph)
    drop_inlined_builtins(graph)
    has_match = table.has_match_statements and find_match_statements(graph)
    plain_group_handlers(graph)
    regions = mark_regions(graph)
    if regions:
        separate_with_exits(graph, regions)
        separate_handler_ends(graph)
    separate_breaks(graph)
    if regions:
        strip_finally_copies(graph, regions)
        if table.behavior.handlers_are_last:
            move_handlers_back(graph, regions)
    if joined:
        join_exit_copies(graph, exits_are_copied=table.behavior.exits_are_copied)
    if ladder is not None:
        ladder.copy_tails(graph, edits)
    stepper.stage("undo_optimiser", graph.render)
    blocks = fold(lift(graph, unit.raw, gathers_annotations=unit.kind == "annotations"))
    if joined and unit.kind in ("module", "class", "function"):
        join_ends(blocks, unit.kind)
    stepper.stage("lift", lambda: _render(blocks))
    flow = Flow(
        blocks,
        else_is_last=table.behavior.else_is_last,
        handlers_are_last=table.behavior.handlers_are_last,
        loop_tests_are_copied=table.behavior.loop_tests_are_copied,
        restoring_handlers=restoring_handlers(graph) if table.behavior.handlers_are_last else [],
    )
    separate_outer_loops(flow)
    if ladder is not None:
        ladder.put_in_loops(flow, edits)
    unit.body = structure(flow, table.behavior.keeps_not)
    if has_match:
        unit.body = join_cases(unit.body)
    if unit.kind == "annotations":
        unit.body = gather(unit.body, unit.raw)
    stepper.stage("structure", lambda: "\n".join(map(repr, unit.body)))


def _return_once(instructions: list[Instruction]) -> None:
    """Let all of code that was compiled to be evaluated end at its last return: the compiler copies it, as it has no
    line."""
    last = max((index for index, i in enumerate(instructions) if i.op == "RETURN_VALUE"), default=0)
    for index, i in enumerate(instructions[:last]):
        if i.op == "RETURN_VALUE":
            instructions[index] = Instruction("JUMP", None, last, i.handler, i.offset, i.line, i.position)


def listing(instructions: list[Instruction], mark: Callable[[Instruction], str] = lambda i: "") -> str:
    """Instructions as text, a line each."""
    lines = []
    for index, instruction in enumerate(instructions):
        handler = f"   raises to {instruction.handler.target}" if instruction.handler else ""
        lines.append(f"{index:5d}  line {instruction.line or '-':>5}  {instruction}{handler}{mark(instruction)}")
    return "\n".join(lines)


def _render(blocks: list[LiftedBlock]) -> str:
    lines = []
    for block in blocks:
        ways = " ".join(f"-> {successor.index}" for successor in block.successors)
        lines.append(f"block {block.index} [{block.region or ''}] {block.kind} {block.test!r} {ways}")
        lines += [f"    {statement!r}" for statement in block.statements]
    return "\n".join(lines)
