"""Runs the stages for one code object, up to its tree."""

from __future__ import annotations

from typing import Sequence

from ...errors import DecompilationError
from ..bytecode import Instruction, RawCode, known_instructions
from ..bytecode.kinds import kind_of
from ..limits.budget import spend
from ..syntax import nodes
from .ladder import Edit, Ladder, form_of
from .passes import STRUCTURING
from .settings import COMPILER, Origin
from .stepper import Stepper
from .strategies import Strategy
from .work import Work

BUGS = (
    ArithmeticError, AssertionError, AttributeError, LookupError, NameError, RuntimeError, StopIteration, TypeError,
    ValueError,
)  # fmt: skip
"""Exceptions raised by bugs of ours: they cost only the current code object."""

_STEPS = 12
"""Cost per instruction of structuring a code object once."""


class Unit:
    """A code object and the statements it was structured into, or the error if there are none.

    ``form``: 'structured', or the name of the form tried after that failed.
    """

    def __init__(self, raw: RawCode) -> None:
        self.raw = raw
        self.kind = kind_of(raw)
        self.instructions: list[Instruction] = []
        self.body: list[nodes.Statement] = []
        self.error: DecompilationError | None = None
        self.form = "structured"
        self.is_by_columns = False  # columns have made a decision that does not change behaviour


_FORMS = (
    Strategy(),
    Strategy(joins_ends=False),
    Strategy(skipped_transforms=frozenset({"redundant-return", "redundant-continue", "redundant-continue-in-while"})),
    Strategy(keeps_constants=True),
    Strategy(climbs=True),
)
STRATEGIES = tuple(one._replace(reads_columns=reads) for one in _FORMS for reads in (True, False))
"""Tried in this order until a result is proven; those without columns only where columns have decided something."""

_EVENTS = Strategy(engine="events")
FUNCTION_STRATEGIES = (*STRATEGIES, _EVENTS, Strategy(delays_parameter_loads=True), Strategy(engine="dispatch"))
"""Strategies for functions. Stack entries that outlive a statement become locals, which only functions have."""
_MADE_UP_STRATEGIES = (_EVENTS, *(one for one in FUNCTION_STRATEGIES if one is not _EVENTS))
"""Strategies for functions with variables named by a tool: rarely compiled from source, so structuring is last."""


def strategies_of(raw: RawCode, origin: Origin = COMPILER) -> tuple[Strategy, ...]:
    """The strategies to try for ``raw``, in order; ``origin`` is the tool that made it."""
    if kind_of(raw) not in ("function", "lambda"):
        return STRATEGIES
    return _MADE_UP_STRATEGIES if any(map(origin.is_made_up, raw.varnames)) else FUNCTION_STRATEGIES


def lift_unit(raw: RawCode, stepper: Stepper | None = None, strategy: Strategy = STRATEGIES[0]) -> Unit:
    """``raw`` as statements with placeholders for nested code; a failure is stored in ``error``, not raised.

    Except for a RecursionError, which may not be one higher up the stack.
    """
    unit = Unit(raw)
    try:
        if strategy.climbs:
            _climb(unit, stepper or Stepper(), strategy._replace(climbs=False))
        else:
            _stages(unit, stepper or Stepper(), strategy)
    except DecompilationError as error:
        unit.error = error
    except RecursionError:
        raise
    except BUGS as error:
        # A bug of ours: refuse this code object with a message.
        reason = f"internal error: {type(error).__name__}: {error}"
        unit.error = DecompilationError(reason, stage="structure", where=raw.qualname)
    return unit


def _climb(unit: Unit, stepper: Stepper, strategy: Strategy) -> None:
    """Try the forms of the ladder, from one-trip loops on."""

    def attempt(edits: list[Edit]) -> None:
        _stages(unit, stepper, strategy, edits, ladder)

    ladder = Ladder(attempt)
    ladder.climb()
    unit.form = form_of(ladder)


def _stages(
    unit: Unit, stepper: Stepper, strategy: Strategy, edits: Sequence[Edit] = (), ladder: Ladder | None = None
) -> None:
    spend(_STEPS * len(known_instructions(unit.raw)), "structuring")
    work = Work(unit.raw, strategy, edits, ladder)
    for stage in STRUCTURING:
        try:
            stepper.run(stage, work)
        finally:
            unit.is_by_columns = work.is_by_columns
        unit.instructions, unit.body = work.instructions, work.body
