"""Code with any stack shapes whose only loops are iterations -> function definition."""

from __future__ import annotations

from types import MappingProxyType
from typing import Mapping, Sequence

from ..bytecode import Instruction, RawCode, disassemble
from ..names.naming_hints import NO_HINTS, NamingHints
from ..names.spelling import Spelling
from ..passes import Invariant, Observer, Pass, run_passes
from ..stack_machine.definition import DecompiledCode, function_result
from ..stack_machine.machine import Machine, Nested
from ..stack_machine.state import Opaque
from ..syntax import nodes as n
from ..syntax.checks import empty_body, stray_jump
from .control import Control
from .copies import drop_copies
from .naming import choose_names
from .parked import always_bound
from .polish import polish


class EventWork:
    """The state of the passes: ``raw`` before, ``out`` (the statements written so far) after."""

    control: Control
    named: dict[str, str]
    result: DecompiledCode

    def __init__(
        self,
        raw: RawCode,
        nested: Nested | None,
        enclosing: frozenset[str],
        spelling: Spelling,
        result_names: Mapping[str, Sequence[str]],
        naming: NamingHints,
    ) -> None:
        self.raw = raw
        self.nested = nested
        self.enclosing = enclosing
        self.spelling = spelling
        self.result_names = result_names
        self.naming = naming
        self.instructions: list[Instruction] = []

    @property
    def machine(self) -> Machine:
        return self.control.machine

    @property
    def out(self) -> list[n.Statement]:
        return self.machine.out

    @property
    def kept(self) -> set[str]:
        """Variables that keep their names because they are visible outside."""
        raw, machine = self.raw, self.machine
        return {*raw.parameters, *raw.cellvars, *raw.freevars, *machine.globals_stored, *machine.nonlocals_stored}


def _write(work: EventWork) -> None:
    raw, spelling = work.raw, work.spelling
    work.instructions = disassemble(raw)
    work.control = Control(raw, spelling, work.instructions, work.nested, work.naming)
    state = work.machine.state
    for name in raw.parameters:
        text = spelling.variable(name)
        value = Opaque(text)
        state.locals[name] = value
        if name not in raw.cellvars:
            state.names[value] = [text]
    work.control.run(0, frozenset())


def _drop_copies(work: EventWork) -> None:
    drop_copies(work.out, work.machine.temporaries, {work.spelling.variable(name) for name in work.kept})


def _choose_names(work: EventWork) -> None:
    raw, kept = work.raw, work.kept
    hints = dict(work.machine.hints)
    bound = always_bound(work.instructions, work.control.paths, work.naming)
    for local in raw.localsplus:
        if local in bound and local not in kept:
            hints[work.spelling.variable(local)] = work.naming.local_hint(local)
    work.named = choose_names(work.out, hints, raw, work.spelling, work.result_names, work.naming)


def _polish(work: EventWork) -> None:
    raw = work.raw
    outside = (*raw.cellvars, *raw.freevars)
    variables = {work.spelling.variable(name) for name in raw.localsplus if name not in outside}
    polish(work.out, work.named.values(), variables)


_JUMPS = Invariant[EventWork]("no jump is left but those of loops", lambda work: stray_jump(work.out))
_BODIES = Invariant[EventWork]("no body is empty", lambda work: empty_body(work.out))

PASSES: tuple[Pass[EventWork], ...] = (
    Pass("write", _write, "Execute all paths; write each side effect as a statement, with temporaries.",
         holds=(_JUMPS,)),
    Pass("copies", _drop_copies, "Drop variables that only copy another one, before names are chosen.",
         holds=(_JUMPS,)),
    Pass("names", _choose_names, "Name temporaries after where their values come from.", holds=(_JUMPS,)),
    Pass("polish", _polish, "Join statements where the order allows it; all variables are final.",
         holds=(_JUMPS, _BODIES)),
    Pass("definition",
         lambda work: function_result(work.raw, work.instructions, work.machine, work.out, work.enclosing),
         "Put the function around them, with declarations.", into="result"),
)  # fmt: skip
"""In execution order."""


def decompile_events(
    raw: RawCode,
    nested: Nested | None = None,
    enclosing: frozenset[str] = frozenset(),
    spelling: Spelling | None = None,
    result_names: Mapping[str, Sequence[str]] = MappingProxyType({}),
    after: Observer | None = None,
    naming: NamingHints = NO_HINTS,
) -> DecompiledCode:
    """Return ``raw`` as a function definition, not yet proven.

    ``nested`` gives the definitions of functions that it makes; without it, code that makes one is refused.
    ``enclosing`` are the names bound by enclosing functions: a global of such a name must be declared. ``spelling`` is
    that of the outermost code, if that is another. ``result_names``: see Settings. ``after`` is called after each pass.
    ``naming``: hints for new variables, taken from the names in the code.
    Raises DecompilationError for code with other loops, or with operations or shapes that this room cannot write.
    """
    work = EventWork(raw, nested, enclosing, spelling or Spelling(raw), result_names, naming)
    run_passes(PASSES, work, after)
    return work.result
