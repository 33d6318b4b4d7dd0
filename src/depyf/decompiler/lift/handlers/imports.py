"""Imports."""

from __future__ import annotations

from ...bytecode import Instruction
from ...syntax import nodes
from ..symbolic_stack import SymbolicStack
from ..values import ImportedModule, Member, resolved
from .registry import handles

_MOST_DOTS = 1000


@handles("IMPORT_NAME", "EAGER_IMPORT_NAME", "LAZY_IMPORT_NAME")
def _import_name(state: SymbolicStack, instruction: Instruction) -> None:
    level, names = (resolved(value) for value in state.pop_many(2))
    if not isinstance(level, nodes.Constant) or not isinstance(names, nodes.Constant):
        state.refuse("an import whose level or names are no constants")
    if not isinstance(level.value, int) or not 0 <= level.value <= _MOST_DOTS:
        state.refuse("an import whose level is no number of dots")
    if not isinstance(names.value, (tuple, type(None))):
        state.refuse("an import whose names are no tuple")
    lazy = instruction.op == "LAZY_IMPORT_NAME"
    state.push(ImportedModule(instruction.arg, level.value, names.value, lazy))


@handles("IMPORT_FROM")
def _import_from(state: SymbolicStack, instruction: Instruction) -> None:
    source = state.stack[-1] if state.stack else None
    if isinstance(source, Member):  # import a.b.c as d walks down: a.b, then .c
        source = source.module
    if not isinstance(source, ImportedModule):
        state.refuse("a name is imported from something that is no module")
    source.path.append(instruction.arg)
    if source.fromlist is None and source.name.split(".")[1 : 1 + len(source.path)] != source.path:
        state.refuse("an import that does not follow the dots of its name")
    state.push(Member(source, instruction.arg))


@handles("IMPORT_STAR")
def _import_star(state: SymbolicStack, instruction: Instruction) -> None:
    module = state.take()
    if not isinstance(module, ImportedModule):
        state.refuse("a star import from something that is no module")
    state.emit(nodes.ImportFrom(module.name or None, [nodes.alias("*")], module.level))
