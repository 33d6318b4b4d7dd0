"""Type parameters and type aliases, from the function that the compiler puts around a generic definition.

The compiler makes a function for ``def f[T: B = D](...)``, a generic class and a generic alias: it makes the type
parameters, then the definition, and returns it. The bounds, default values and the types of aliases are separate
functions, evaluated lazily.
"""

from __future__ import annotations

from typing import Callable

from ...errors import DecompilationError
from ..bytecode.kinds import FORMAT
from ..lift.values import Alias, Class, CommonConstant, Function, TypeParameter, resolved
from ..syntax import nodes
from ..syntax.transforms.kept_constants import apart

Evaluated = Callable[[Function], nodes.Expression]
"""Returns the expression of a lazily evaluated function."""

GENERIC_BASE, TYPE_PARAMS = ".generic_base", ".type_params"
DEFAULTS = (nodes.Name(".defaults"), nodes.Name(".kwdefaults"))
"""The parameters for the definition's default values; if there is only one, 3.12 uses the first name."""


def returned(body: list[nodes.Statement], where: str) -> tuple[Function | Class | Alias, list[nodes.Expression]]:
    """The definition that the lifted ``body`` of such a function returns, and its type parameters."""
    last = body[-1] if body else None
    value = resolved(last.value) if isinstance(last, nodes.Return) and last.value is not None else None
    if isinstance(value, Function) and value.type_params and len(body) == 1:
        return value, value.type_params
    if isinstance(value, Alias) and value.type_params and len(body) == 1:
        return value, value.type_params
    if isinstance(value, Class) and len(body) == 2:
        stored = body[0]
        if isinstance(stored, nodes.Assign) and stored.targets == [nodes.Name(TYPE_PARAMS)]:
            parameters = resolved(stored.value)
            if isinstance(parameters, nodes.Tuple) and value.bases and value.bases[-1] == nodes.Name(GENERIC_BASE):
                return value, parameters.elts
    raise DecompilationError("type parameters of something unknown", stage="lift", where=where)


def parameter(node: nodes.Expression, evaluated: Evaluated, where: str) -> nodes.type_param:
    """The syntax node of a type parameter; ``node`` binds it."""
    bound = node.value if isinstance(node, nodes.NamedExpr) else node
    if not isinstance(bound, TypeParameter):
        raise DecompilationError("a type parameter that was made elsewhere", stage="lift", where=where)
    default = evaluated(bound.default) if bound.default is not None else None
    if bound.kind is nodes.TypeVar:
        value = evaluated(bound.bound) if bound.bound is not None else None
        if not bound.has_constraints and value is not None and _is_tuple(value):
            value = apart(value)  # a plain tuple gives constraints
        return nodes.TypeVar(bound.name, value, default)
    kind = nodes.ParamSpec if bound.kind is nodes.ParamSpec else nodes.TypeVarTuple
    return kind(bound.name, default)


def _is_tuple(value: nodes.Expression) -> bool:
    return isinstance(value, nodes.Tuple) or isinstance(value, nodes.Constant) and type(value.value) is tuple


def only_value(body: list[nodes.Statement]) -> nodes.Expression | None:
    """The expression that ``body`` returns, if it does nothing else; each branch of a condition may have its return."""
    first = body[0] if body else None
    if isinstance(first, nodes.If) and bool(first.orelse) != (len(body) > 1):
        left, right = only_value(first.body), only_value(first.orelse or body[1:])
        return nodes.IfExp(first.test, left, right) if left is not None and right is not None else None
    return first.value if isinstance(first, nodes.Return) and len(body) == 1 else None


def late_value(body: list[nodes.Statement], where: str) -> nodes.Expression:
    """The expression that the finished ``body`` of a lazily evaluated function returns."""
    if body and isinstance(body[0], nodes.Expr) and isinstance(body[0].value, nodes.Constant):
        body = body[1:]  # a string as first constant looks like a docstring
    if not body or isinstance(body[0], nodes.Pass) and len(body) == 1:
        return nodes.Constant(None)  # its return was taken for the implicit one
    body, dead = _without_dead_names(body)
    value = only_value(body)
    if value is not None:
        return _beside(value, nodes.Tuple(dead)) if dead else value
    raise DecompilationError("a type that is no single expression", stage="structure", where=where)


def _beside(value: nodes.Expression, dead: nodes.Expression) -> nodes.Expression:
    """``value`` with ``dead`` in a branch that is never taken. A tuple stays one: its items are constraints."""
    if isinstance(value, nodes.Tuple) and value.elts:
        return nodes.Tuple([_beside(value.elts[0], dead), *value.elts[1:]])
    return apart(value, dead)


def _without_dead_names(body: list[nodes.Statement]) -> tuple[list[nodes.Statement], list[nodes.Expression]]:
    """``body`` without the dead code at its end that mentions free variables, and these."""
    last = body[-1]
    if isinstance(last, nodes.If) and last.test == nodes.Constant(False) and not last.orelse:
        return body[:-1], [one.value for one in last.body if isinstance(one, nodes.Expr)]
    return body, []


def without_formats(body: list[nodes.Statement], where: str) -> list[nodes.Statement]:
    """The lifted ``body`` of such a function without the compiler's check that the format is VALUE."""
    first = body[0] if body else None
    if isinstance(first, nodes.If) and len(first.body) == 1 and not first.orelse:
        only = first.body[0]
        if first.test == nodes.Compare(nodes.Name(FORMAT), [">"], [nodes.Constant(2)]):
            if isinstance(only, nodes.Raise) and isinstance(only.exc, CommonConstant):
                return body[1:]
    raise DecompilationError("a late evaluated function in another form", stage="structure", where=where)
