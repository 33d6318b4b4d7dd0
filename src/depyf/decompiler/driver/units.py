"""One code object through the stages, up to its tree."""

from __future__ import annotations

from typing import Sequence

from ...errors import DecompilationError
from ..bytecode import Instruction, RawCode, known_instructions
from ..bytecode.kinds import kind_of
from ..limits.budget import spend
from ..syntax import nodes
from .ladder import Edit, Ladder, rung_of
from .passes import STRUCTURING
from .settings import COMPILER, Origin
from .stepper import Stepper
from .ways import Way
from .work import Work

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
            _climb(unit, stepper or Stepper(), way._replace(climbs=False))
        else:
            _stages(unit, stepper or Stepper(), way)
    except DecompilationError as error:
        unit.error = error
    except RecursionError:
        raise
    except BUGS as error:
        # A bug of ours costs this code object, and says so.
        reason = f"internal error: {type(error).__name__}: {error}"
        unit.error = DecompilationError(reason, stage="structure", where=raw.qualname)
    return unit


def _climb(unit: Unit, stepper: Stepper, way: Way) -> None:
    """Down the ladder, from one-trip loops on."""

    def attempt(edits: list[Edit]) -> None:
        _stages(unit, stepper, way, edits, ladder)

    ladder = Ladder(attempt)
    ladder.climb()
    unit.rung = rung_of(ladder)


def _stages(
    unit: Unit, stepper: Stepper, way: Way, edits: Sequence[Edit] = (), ladder: Ladder | None = None
) -> None:
    spend(_STEPS * len(known_instructions(unit.raw)), "structuring")
    work = Work(unit.raw, way, edits, ladder)
    for stage in STRUCTURING:
        stepper.run(stage, work)
        unit.instructions, unit.body = work.instructions, work.body
