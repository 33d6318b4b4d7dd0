"""Operators and comparisons."""

from __future__ import annotations

from typing import Any

from ...names.spelling import is_literal
from ...syntax import nodes as n
from .. import containers
from ..machine import Machine
from ..state import Const, Container, Pure
from .registry import handles


@handles("UNARY_OP")
def _unary_op(machine: Machine, operator: str) -> None:
    [operand] = machine.pop_many(1)
    machine.event([machine.unfoldable(operand)], lambda value: n.UnaryOp(operator, value), "value")


@handles("BINARY_OP")
def _binary_op(machine: Machine, operator: str) -> None:
    left, right = machine.pop_many(2)
    if containers.concatenate(machine, operator, left, right):
        machine.folded += 1
        return
    if not operator.endswith("="):
        formats = operator == "%" and isinstance(right, Container)
        if isinstance(right, Const) or formats:
            left = machine.unfoldable(left, [right])
        machine.event([left, right], lambda a, b: n.BinOp(a, operator, b), "value")
        return
    machine.name_stale_events([left, right])
    # An in-place operation is no expression: it is a statement on a variable that holds the left operand.
    with machine.using([right]):
        if machine.is_needed(left) and not isinstance(left, (Const, Pure)):
            machine.name(left)
        name = machine.temporary("value")
        machine.store(name, left)
        texts = machine.texts([right])
        machine.flush()
    if left in machine.state.names:
        machine.state.names[left].remove(name)
    machine.emit(n.AugAssign(n.Name(name), operator[:-1], texts[0]))
    machine.push(machine.held_by(name))


@handles("COMPARE_OP")
def _compare_op(machine: Machine, operator: str) -> None:
    machine.event(machine.pop_many(2), lambda a, b: n.Compare(a, [operator], [b]), "value")


@handles("CONTAINS_OP")
def _contains_op(machine: Machine, operator: str) -> None:
    left, right = machine.pop_many(2)
    if isinstance(right, Const) and type(right.value) is frozenset and right.value:
        members = sorted(right.value, key=repr)
        if all(is_literal(member) for member in members):
            display = n.Set([n.Constant(member) for member in members])
            machine.event([left], lambda a: n.Compare(a, [operator], [display]), "value")
            return
    machine.event([left, right], lambda a, b: n.Compare(a, [operator], [b]), "value")


@handles("IS_OP")
def _is_op(machine: Machine, operator: str) -> None:
    left, right = machine.pop_many(2)
    if isinstance(left, Const) and isinstance(right, Const) and left.value is right.value:
        machine.push(Const(operator == "is"))
        return
    machine.push(Pure("is", (left, right), operator))


@handles("TO_BOOL")
def _to_bool(machine: Machine, arg: Any) -> None:
    machine.event([machine.pop()], lambda value: n.UnaryOp("not", n.UnaryOp("not", value)), "truth")
