"""Builds the definition of a function from the statements that a machine has written for its code."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..bytecode import Instruction, RawCode
from ..bytecode.code.flags import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_VARARGS, CO_VARKEYWORDS
from ..names.spelling import Spelling, docstring, identifier, is_name
from ..printing.printer import print_tree
from ..proof.scaffold import Spelled
from ..syntax import nodes as n
from ..syntax.scopes import bound_names, outside_functions
from .machine import Machine

_READS = ("LOAD_FAST", "DELETE_FAST", "LOAD_DEREF", "DELETE_DEREF", "LOAD_CLOSURE", "LOAD_FAST_AND_CLEAR")


@dataclass
class DecompiledCode:
    """A code object as source: the tree, its text, and the number of operations that were evaluated statically.

    ``constants`` maps the spelling of each constant that is no literal to the constant. ``form`` is the form of the
    control flow: "events" (states are carried from block to block), or, where they are stored, "nested blocks", "state
    variable" (it selects the next block) or "dispatch loop" (a loop around a choice by that variable).
    """

    tree: n.FunctionDef | n.AsyncFunctionDef
    folded: int
    constants: dict[str, Any] = field(default_factory=dict)
    spelled: Spelled = field(default_factory=Spelled)
    form: str = "events"

    @property
    def text(self) -> str:
        return print_tree(self.tree)


def function_result(
    raw: RawCode, instructions: list[Instruction], machine: Machine, code: list[n.Statement], enclosing: frozenset[str]
) -> DecompiledCode:
    """Return the definition of the function with the body ``code``, which ``machine`` has written."""
    spelling = machine.spelling
    body: list[n.Statement] = []
    if raw.docstring is not None:
        body.append(n.Expr(docstring(raw.docstring, raw)))
    for ins in instructions:
        if ins.op == "LOAD_GLOBAL" and ins.arg in enclosing:
            machine.globals_stored[spelling.name(ins.arg)] = None
    if machine.globals_stored:
        body.append(n.Global(list(machine.globals_stored)))
    if machine.nonlocals_stored:
        body.append(n.Nonlocal(list(machine.nonlocals_stored)))
    body += code
    unbound = _unbound(raw, instructions, code, spelling)
    if unbound:
        body.append(n.If(n.Constant(False), [n.Assign([n.Name(text) for text in unbound], n.Constant(None))], []))
    name = raw.name if is_name(raw.name) else identifier(raw.name, "function")
    make: Any = n.AsyncFunctionDef if raw.flags & (CO_COROUTINE | CO_ASYNC_GENERATOR) else n.FunctionDef
    tree = make(name, _parameters(raw, spelling), body, line=raw.firstlineno)
    spelled = spelling.spelled if spelling.used else Spelled()
    return DecompiledCode(tree, machine.folded, dict(spelled.constants), spelled)


def _unbound(
    raw: RawCode, instructions: list[Instruction], code: list[n.Statement], spelling: Spelling
) -> list[str]:
    """Return the local variables that are read and never bound: they need a dead binding to be local."""
    read = {ins.arg for ins in instructions if ins.op in _READS and ins.arg not in raw.parameters}
    wanted = [spelling.variable(name) for name in raw.localsplus if name in read and name not in raw.freevars]
    written = {node.id for node in outside_functions(code) if isinstance(node, n.Name)} if wanted else set()
    cells = {spelling.variable(name) for name in raw.cellvars}  # a cell is written as a function that reads it
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
