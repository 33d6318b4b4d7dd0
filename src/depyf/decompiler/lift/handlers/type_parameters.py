"""Type parameters and type aliases (3.12 on)."""

from __future__ import annotations

from ...bytecode import Instruction
from ...syntax import nodes
from ..symbolic_stack import SymbolicStack
from ..values import Alias, Function, GenericBase, TypeParameter, resolved
from .registry import handles

_KINDS: dict[str, type[nodes.type_param]] = {
    "TYPEVAR": nodes.TypeVar,
    "TYPEVAR_WITH_BOUND": nodes.TypeVar,
    "TYPEVAR_WITH_CONSTRAINTS": nodes.TypeVar,
    "PARAMSPEC": nodes.ParamSpec,
    "TYPEVARTUPLE": nodes.TypeVarTuple,
}


@handles("INTRINSIC")
def _intrinsic(state: SymbolicStack, instruction: Instruction) -> None:
    name, count = instruction.arg
    operands = [resolved(value) for value in state.pop_many(count)]
    first, last = operands[0], operands[-1]
    if name in _KINDS:
        if not isinstance(first, nodes.Constant) or not isinstance(first.value, str):
            state.refuse("a type parameter whose name is no constant")
        if count == 2 and not isinstance(last, Function):
            state.refuse("a type parameter whose bound is no function")
        bound = last if isinstance(last, Function) else None
        has_constraints = name == "TYPEVAR_WITH_CONSTRAINTS"
        state.push(TypeParameter(_KINDS[name], first.value, bound, has_constraints=has_constraints))
    elif name == "SET_TYPEPARAM_DEFAULT" and isinstance(first, TypeParameter) and isinstance(last, Function):
        first.default = last
        state.push(first)
    elif name == "SET_FUNCTION_TYPE_PARAMS" and isinstance(first, Function) and isinstance(last, nodes.Tuple):
        first.type_params = last.elts
        state.push(first)
    elif name == "SUBSCRIPT_GENERIC":
        state.push(GenericBase())
    elif name == "TYPEALIAS" and isinstance(first, nodes.Tuple) and len(first.elts) == 3:
        state.push(_alias(state, *(resolved(part) for part in first.elts)))
    else:
        state.refuse(f"{name} of something unknown")


def _alias(
    state: SymbolicStack, name: nodes.Expression, parameters: nodes.Expression, value: nodes.Expression
) -> Alias:
    if not isinstance(name, nodes.Constant) or not isinstance(name.value, str) or not isinstance(value, Function):
        state.refuse("a type alias of something unknown")
    if isinstance(parameters, nodes.Tuple):
        return Alias(name.value, parameters.elts, value)
    if parameters != nodes.Constant(None):
        state.refuse("a type alias whose parameters are no tuple")
    return Alias(name.value, [], value)
