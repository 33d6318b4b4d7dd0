"""Code whose only loops are iterations, from any stack shapes, as a function definition."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Mapping, Sequence

from ..bytecode import Instruction, RawCode, disassemble
from ..bytecode.code.flags import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_VARARGS, CO_VARKEYWORDS
from ..names.dynamo import local_hint
from ..names.spelling import Spelling, docstring, identifier, is_name
from ..passes import Invariant, Observer, Pass, run_passes
from ..proof.scaffold import Spelled
from ..syntax import nodes as n
from ..syntax.checks import empty_body, stray_jump
from ..syntax.printer import print_tree
from ..syntax.scopes import bound_names, outside_functions
from .control import Control
from .copies import leave_out_copies
from .functions import Nested
from .naming import choose_names
from .parked import always_bound
from .polish import polish
from .state import Opaque
from .writer import Writer

_READS = ("LOAD_FAST", "DELETE_FAST", "LOAD_DEREF", "DELETE_DEREF", "LOAD_CLOSURE", "LOAD_FAST_AND_CLEAR")


@dataclass
class EventResult:
    """A code object as source: the tree, its text, and how many operations needed no code.

    ``constants`` maps the text that stands for a constant that is no literal to the constant. ``rung`` says what kind
    of statements it took: "events", or, from dispatch/, "structured", "state" (a variable says where to go on) or
    "dispatch" (and a loop around a choice by it).
    """

    tree: n.FunctionDef | n.AsyncFunctionDef
    folded: int
    constants: dict[str, Any] = field(default_factory=dict)
    spelled: Spelled = field(default_factory=Spelled)
    rung: str = "events"

    @property
    def text(self) -> str:
        return print_tree(self.tree)


class EventWork:
    """``raw`` on its way to statements, each thing that happens one. ``out`` are those written so far."""

    control: Control
    named: dict[str, str]
    result: EventResult

    def __init__(
        self,
        raw: RawCode,
        nested: Nested | None,
        enclosing: frozenset[str],
        spelling: Spelling,
        result_names: Mapping[str, Sequence[str]],
    ) -> None:
        self.raw = raw
        self.nested = nested
        self.enclosing = enclosing
        self.spelling = spelling
        self.result_names = result_names
        self.instructions: list[Instruction] = []

    @property
    def out(self) -> list[n.Statement]:
        return self.control.out

    @property
    def kept(self) -> set[str]:
        """Variables that stay, and keep their names: whoever calls sees them."""
        raw, control = self.raw, self.control
        return {*raw.parameters, *raw.cellvars, *raw.freevars, *control.globals_stored, *control.nonlocals_stored}


def _write(work: EventWork) -> None:
    raw, spelling = work.raw, work.spelling
    work.instructions = disassemble(raw)
    work.control = control = Control(raw, spelling, work.instructions, work.nested)
    state = control.state
    for name in raw.parameters:
        text = spelling.variable(name)
        value = Opaque(text)
        state.locals[name] = value
        if name not in raw.cellvars:
            state.names[value] = [text]
    control.run(0, frozenset())


def _leave_out_copies(work: EventWork) -> None:
    leave_out_copies(work.out, work.control.temporaries, {work.spelling.variable(name) for name in work.kept})


def _choose_names(work: EventWork) -> None:
    raw, control, kept = work.raw, work.control, work.kept
    hints = dict(control.hints)
    bound = always_bound(work.instructions, control.paths)
    for local in raw.localsplus:
        if local in bound and local not in kept:
            hints[work.spelling.variable(local)] = local_hint(local)
    work.named = choose_names(control.out, hints, raw, work.spelling, work.result_names)


def _polish(work: EventWork) -> None:
    raw = work.raw
    outside = (*raw.cellvars, *raw.freevars)
    variables = {work.spelling.variable(name) for name in raw.localsplus if name not in outside}
    polish(work.out, work.named.values(), variables)


def _define(work: EventWork) -> None:
    work.result = function_result(work.raw, work.instructions, work.control, work.out, work.enclosing)


_JUMPS = Invariant[EventWork]("no jump is left but those of loops", lambda work: stray_jump(work.out))
_BODIES = Invariant[EventWork]("no body is empty", lambda work: empty_body(work.out))

PASSES: tuple[Pass[EventWork], ...] = (
    Pass("write", _write, "Execute all paths; write each side effect as a statement, with temporaries.",
         holds=(_JUMPS,)),
    Pass("copies", _leave_out_copies, "Drop variables that only copy another one, before names are chosen.",
         holds=(_JUMPS,)),
    Pass("names", _choose_names, "Name temporaries after where their values come from.", holds=(_JUMPS,)),
    Pass("polish", _polish, "Join statements where the order allows it; all variables are final.",
         holds=(_JUMPS, _BODIES)),
    Pass("definition", _define, "Put the function around them, with declarations."),
)  # fmt: skip
"""In the order in which they run."""


def decompile_events(
    raw: RawCode,
    nested: Nested | None = None,
    enclosing: frozenset[str] = frozenset(),
    spelling: Spelling | None = None,
    result_names: Mapping[str, Sequence[str]] = MappingProxyType({}),
    after: Observer | None = None,
) -> EventResult:
    """``raw`` as a function definition, not yet proven; ``nested`` gives the definitions of functions that it makes:
    without it, code that makes one is refused.

    ``enclosing`` are the names that functions around bind: a global of such a name must be declared. ``spelling`` is
    that of the outermost code, if it is another. ``result_names``: see Settings. ``after`` is told of each pass.
    Raises DecompilationError for code with other loops, or with operations or shapes that have no text here.
    """
    work = EventWork(raw, nested, enclosing, spelling or Spelling(raw), result_names)
    run_passes(PASSES, work, after)
    return work.result


def function_result(
    raw: RawCode, instructions: list[Instruction], writer: Writer, code: list[n.Statement], enclosing: frozenset[str]
) -> EventResult:
    """The definition of the function with the statements ``code``, which ``writer`` has written."""
    spelling = writer.spelling
    body: list[n.Statement] = []
    if raw.docstring is not None:
        body.append(n.Expr(docstring(raw.docstring, raw)))
    for ins in instructions:
        if ins.op == "LOAD_GLOBAL" and ins.arg in enclosing:
            writer.globals_stored[spelling.name(ins.arg)] = None
    if writer.globals_stored:
        body.append(n.Global(list(writer.globals_stored)))
    if writer.nonlocals_stored:
        body.append(n.Nonlocal(list(writer.nonlocals_stored)))
    body += code
    unbound = _unbound(raw, instructions, code, spelling)
    if unbound:
        body.append(n.If(n.Constant(False), [n.Assign([n.Name(text) for text in unbound], n.Constant(None))], []))
    name = raw.name if is_name(raw.name) else identifier(raw.name, "function")
    make: Any = n.AsyncFunctionDef if raw.flags & (CO_COROUTINE | CO_ASYNC_GENERATOR) else n.FunctionDef
    tree = make(name, _parameters(raw, spelling), body, line=raw.firstlineno)
    spelled = spelling.spelled if spelling.used else Spelled()
    return EventResult(tree, writer.folded, dict(spelled.constants), spelled)


def _unbound(
    raw: RawCode, instructions: list[Instruction], code: list[n.Statement], spelling: Spelling
) -> list[str]:
    """Local variables that are read and never bound, which only a binding makes local."""
    read = {ins.arg for ins in instructions if ins.op in _READS and ins.arg not in raw.parameters}
    wanted = [spelling.variable(name) for name in raw.localsplus if name in read and name not in raw.freevars]
    written = {node.id for node in outside_functions(code) if isinstance(node, n.Name)} if wanted else set()
    cells = {spelling.variable(name) for name in raw.cellvars}  # the text of a cell is a function that reads it
    wanted = [text for text in wanted if text in written or text in cells]
    bound = bound_names(code) if wanted else set()
    return [text for text in wanted if text not in bound]


def _parameters(raw: RawCode, spelling: Spelling) -> n.arguments:
    names = [n.arg(spelling.variable(name)) for name in raw.parameters]
    result = n.arguments()
    result.posonlyargs = names[: raw.posonlyargcount]
    result.args = names[raw.posonlyargcount : raw.argcount]
    end = raw.argcount + raw.kwonlyargcount
    result.kwonlyargs = names[raw.argcount : end]
    result.kw_defaults = [None] * raw.kwonlyargcount
    rest = names[end:]
    if raw.flags & CO_VARARGS:
        result.vararg = rest.pop(0)
    if raw.flags & CO_VARKEYWORDS:
        result.kwarg = rest.pop(0)
    return result
