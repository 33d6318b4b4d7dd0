"""MAKE_FUNCTION."""

from __future__ import annotations

from ...bytecode import Instruction, RawCode
from ...syntax import nodes
from ..symbolic_stack import SymbolicStack
from ..values import Cell, Function, resolved
from .registry import handles


@handles("MAKE_FUNCTION")
def _make_function(state: SymbolicStack, instruction: Instruction) -> None:
    code = resolved(state.pop())
    if not isinstance(code, nodes.Constant) or not isinstance(code.value, RawCode):
        state.refuse("a function is made from something that is no constant code")
    parts: dict[str, nodes.Expression] = {}
    for kind in reversed(instruction.arg):
        parts[kind] = resolved(state.pop())
    closure = parts.pop("closure", nodes.Tuple([]))
    if not isinstance(closure, nodes.Tuple) or not all(isinstance(cell, Cell) for cell in closure.elts):
        state.refuse("a closure that is no tuple of cells")
    names = tuple(cell.name for cell in closure.elts if isinstance(cell, Cell))
    if names != code.value.freevars:
        state.refuse("a closure whose cells have other names than the code's free variables")
    state.push(Function(code.value, parts))
