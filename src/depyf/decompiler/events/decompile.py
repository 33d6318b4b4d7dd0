"""Code without cycles, from any stack shapes, as a function definition."""

from __future__ import annotations

import types
from dataclasses import dataclass, field
from typing import Any

from ..bytecode import RawCode, disassemble, load
from ..bytecode.raw_code import CO_VARARGS, CO_VARKEYWORDS
from ..proof.prove import prove
from ..proof.symbolic import prove_symbolic
from ..proof.verdict import Level, Verdict
from ..syntax import nodes as n
from ..syntax.printer import print_tree
from .control import Control
from .spelling import Spelling, identifier, is_name
from .state import Opaque


@dataclass
class EventResult:
    """A code object as source: the tree, its text, what was proven, and how many operations needed no code.

    ``constants`` maps the text that stands for a constant that is no literal to the constant.
    """

    tree: n.FunctionDef
    text: str
    verdict: Verdict
    folded: int
    constants: dict[str, Any] = field(default_factory=dict)
    code: types.CodeType | None = None


def decompile_events(raw: RawCode) -> EventResult:
    """``raw`` as a function definition, not yet proven.

    Raises DecompilationError for code with cycles, or with operations or shapes that have no text here.
    """
    spelling = Spelling(raw)
    instructions = disassemble(raw)
    control = Control(raw, spelling, instructions)
    state = control.state
    for name in raw.parameters:
        text = spelling.variable(name)
        value = Opaque(text)
        state.locals[name] = value
        if name not in raw.cellvars:
            state.names[value] = [text]
    control.run(0, frozenset())
    body: list[n.Statement] = []
    if raw.docstring is not None:
        body.append(n.Expr(n.Constant(raw.docstring)))
    if control.globals_stored:
        body.append(n.Global(list(control.globals_stored)))
    if control.nonlocals_stored:
        body.append(n.Nonlocal(list(control.nonlocals_stored)))
    body += control.out
    name = raw.name if is_name(raw.name) else identifier(raw.name, "function")
    tree = n.FunctionDef(name, _parameters(raw, spelling), body, line=raw.firstlineno)
    verdict = Verdict(Level.UNPROVEN, "", ("not compared yet",))
    return EventResult(tree, print_tree(tree), verdict, control.folded, dict(spelling.constants))


def analyze(code: types.CodeType) -> EventResult:
    """``code`` decompiled, recompiled, and compared with what was recompiled.

    Raises DecompilationError if there is no text for it, or the text does not compile.
    """
    from ..recompile import recompile

    raw = load(code)
    result = decompile_events(raw)
    result.code = recompile(result.text, code, "<depyf>")
    result.verdict = prove(raw, load(result.code), symbolic=prove_symbolic)
    return result


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
