"""Code whose only loops are iterations, from any stack shapes, as a function definition."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Mapping, Sequence

from ..bytecode import Instruction, RawCode, disassemble
from ..bytecode.code.flags import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_VARARGS, CO_VARKEYWORDS
from ..names.spelling import Spelling, docstring, identifier, is_name
from ..proof.scaffold import Spelled
from ..syntax import nodes as n
from ..syntax.printer import print_tree
from ..syntax.scopes import bound_names, outside_functions
from .control import Control
from .copies import leave_out_copies
from .functions import Nested
from .hints import local_hint
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


def decompile_events(
    raw: RawCode,
    nested: Nested | None = None,
    enclosing: frozenset[str] = frozenset(),
    spelling: Spelling | None = None,
    result_names: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> EventResult:
    """``raw`` as a function definition, not yet proven; ``nested`` gives the definitions of functions that it makes:
    without it, code that makes one is refused.

    ``enclosing`` are the names that functions around bind: a global of such a name must be declared. ``spelling`` is
    that of the outermost code, if it is another. ``result_names``: see Settings.
    Raises DecompilationError for code with other loops, or with operations or shapes that have no text here.
    """
    spelling = spelling or Spelling(raw)
    instructions = disassemble(raw)
    control = Control(raw, spelling, instructions, nested)
    state = control.state
    for name in raw.parameters:
        text = spelling.variable(name)
        value = Opaque(text)
        state.locals[name] = value
        if name not in raw.cellvars:
            state.names[value] = [text]
    control.run(0, frozenset())
    kept = {*raw.parameters, *raw.cellvars, *raw.freevars, *control.globals_stored, *control.nonlocals_stored}
    leave_out_copies(control.out, control.temporaries, {spelling.variable(name) for name in kept})
    hints = dict(control.hints)
    bound = always_bound(instructions, control.paths)
    for local in raw.localsplus:
        if local in bound and local not in kept:
            hints[spelling.variable(local)] = local_hint(local)
    named = choose_names(control.out, hints, raw, spelling, result_names)
    variables = {spelling.variable(name) for name in raw.localsplus if name not in (*raw.cellvars, *raw.freevars)}
    polish(control.out, named.values(), variables)
    return function_result(raw, instructions, control, control.out, enclosing)


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
