"""Tuples, lists, sets and dictionaries, and what is added to them."""

from __future__ import annotations

from keyword import iskeyword
from typing import Any

from ...bytecode import Instruction
from ...bytecode.kinds import CONDITIONAL_ANNOTATIONS
from ...syntax import nodes
from ...syntax.set_order import set_order
from ...syntax.transforms.kept_constants import apart
from ..symbolic_stack import SymbolicStack
from ..values import Append, ArgumentTuple, Marker, Null, OfOneConstant, Reached
from .registry import handles

_PART = 16
"""The least number of items in each part of a long dictionary display, except the last."""


@handles("BUILD_TUPLE")
def _tuple(state: SymbolicStack, instruction: Instruction) -> None:
    if any(isinstance(value, Marker) for value in state.stack[-instruction.arg :] if instruction.arg):
        state.refuse("a tuple of what a statement keeps")
    state.push(nodes.Tuple(state.pop_many(instruction.arg)))


@handles("BUILD_LIST")
def _list(state: SymbolicStack, instruction: Instruction) -> None:
    state.push(nodes.List(state.pop_many(instruction.arg)))


@handles("BUILD_SET")
def _set(state: SymbolicStack, instruction: Instruction) -> None:
    state.push(nodes.Set(state.pop_many(instruction.arg)))


@handles("BUILD_MAP")
def _map(state: SymbolicStack, instruction: Instruction) -> None:
    items = state.pop_many(2 * instruction.arg)
    keys: list[nodes.Expression | None] = list(items[::2])
    if len(keys) > 1 and "BUILD_CONST_KEY_MAP" in state.table.opcodes:
        if all(isinstance(key, nodes.Constant) for key in keys):
            _keep_one_apart(keys)
    state.push(nodes.Dict(keys, items[1::2]))


def _keep_one_apart(keys: list[nodes.Expression | None]) -> None:
    """Make a constant an f-string without fields, or keep it apart: the compiler puts keys into a tuple if all are
    literals.
    """
    for index, key in enumerate(keys):
        if isinstance(key, nodes.Constant) and isinstance(key.value, str):
            keys[index] = nodes.JoinedStr([key] if key.value else [])
            return
    if keys[0] is not None:
        keys[0] = apart(keys[0])


@handles("BUILD_CONST_KEY_MAP")
def _const_key_map(state: SymbolicStack, instruction: Instruction) -> None:
    keys = state.pop()
    names = keys.value if isinstance(keys, nodes.Constant) else None
    if not isinstance(names, tuple) or len(names) != instruction.arg:
        state.refuse("the keys of a dictionary are no constant tuple")
    values = state.pop_many(instruction.arg)
    state.push(nodes.Dict([nodes.Constant(key) for key in names], values))


@handles("LIST_TO_TUPLE")
def _list_to_tuple(state: SymbolicStack, instruction: Instruction) -> None:
    value = state.pop()
    if not isinstance(value, nodes.List):
        state.refuse("a list that is made into a tuple is not known")
    state.push(ArgumentTuple(_extendable(value)))  # a tuple of constants alone would be a constant


def _container(state: SymbolicStack, depth: int) -> nodes.Expression:
    if depth > len(state.stack):
        state.refuse("the stack is too short")
    return state.own(depth)


def _constants(values: Any) -> list[nodes.Expression]:
    if not isinstance(values, frozenset):
        return [nodes.Constant(value) for value in values]
    elements = set_order(values)
    elements += elements[-1:] * (3 - len(elements))  # the compiler makes no constant of fewer: some were equal
    return [nodes.Constant(value) for value in elements]


@handles("LIST_EXTEND", "SET_UPDATE")
def _extend(state: SymbolicStack, instruction: Instruction) -> None:
    value = state.pop()
    container = _container(state, instruction.arg)
    if isinstance(container, Marker) and container.kind == "accumulator":
        state.emit(Append(None, nodes.Starred(value)))
        return
    if not isinstance(container, (nodes.List, nodes.Set)):
        state.refuse("something unknown is extended")
    if not container.elts and isinstance(value, nodes.Constant) and _is_folded(value.value, container):
        container.elts = OfOneConstant(_constants(value.value), value)
    else:
        is_flat = isinstance(container, nodes.Set) or state.table.behavior.folds_beginnings_of_displays
        _extendable(container, is_flat=is_flat).append(nodes.Starred(value))


def _is_folded(value: object, container: nodes.Expression) -> bool:
    """Whether ``[1, 2, 3]`` or ``{1, 2, 3}`` is compiled to this constant, which needs at least three elements."""
    kind = tuple if isinstance(container, nodes.List) else frozenset
    return isinstance(value, kind) and (len(value) > 2 or kind is frozenset)


def _extendable(container: nodes.List | nodes.Set, *, is_flat: bool = False) -> list[nodes.Expression]:
    """The elements, for adding more: a constant followed by others was written as ``*(1, 2, 3)``. ``is_flat``: or as
    its elements, which compiles to the same before a star; a frozenset can be nothing else.
    """
    elements = container.elts
    if isinstance(elements, OfOneConstant):
        container.elts = [*elements] if is_flat else [nodes.Starred(elements.constant)]
    return container.elts


@handles("LIST_APPEND", "SET_ADD")
def _append(state: SymbolicStack, instruction: Instruction) -> None:
    value = state.pop()
    container = _container(state, instruction.arg)
    if isinstance(container, Marker) and container.kind == "accumulator":
        state.emit(Append(None, value))
    elif container == nodes.Name(CONDITIONAL_ANNOTATIONS) and instruction.arg == 1:
        _note_annotation(state, value)
    elif isinstance(container, (nodes.List, nodes.Set)):
        _extendable(container).append(value)
    else:
        state.refuse("something unknown is appended to")


def _note_annotation(state: SymbolicStack, number: nodes.Expression) -> None:
    if not isinstance(number, nodes.Constant) or not isinstance(number.value, int):
        state.refuse("an annotation is noted by something that is no number")
    state.take()
    state.push(Null())  # which is dropped next
    state.emit(Reached(number.value))


@handles("MAP_ADD")
def _map_add(state: SymbolicStack, instruction: Instruction) -> None:
    key, value = state.pop_many(2)
    container = _container(state, instruction.arg)
    if isinstance(container, Marker) and container.kind == "accumulator":
        state.emit(Append(key, value))
    elif isinstance(container, nodes.Dict):
        container.keys.append(key)
        container.values.append(value)
    else:
        state.refuse("something unknown is added to")


@handles("DICT_UPDATE", "DICT_MERGE")
def _update(state: SymbolicStack, instruction: Instruction) -> None:
    value = state.pop()
    container = _container(state, instruction.arg)
    if isinstance(container, Marker) and container.kind == "accumulator":
        state.emit(Append(None, value))
        return
    if not isinstance(container, nodes.Dict):
        state.refuse("something unknown is updated")
    if isinstance(value, nodes.Dict) and _continues(container, value, instruction.op):
        container.keys += value.keys
        container.values += value.values
    else:
        container.keys.append(None)
        container.values.append(value)


def _continues(container: nodes.Dict, value: nodes.Dict, operation: str) -> bool:
    """Whether ``value`` was written as further items, or keyword arguments, after those of ``container``.

    That is so after a `**`, and in a long display, which is built in parts; `f(a=1, **{'b': 2})` and
    `f(**a, **{'b-c': 2})` keep theirs.
    """
    if not value.keys or not container.keys or [key for key in value.keys if key is None]:
        return False
    last = next((number for number, key in enumerate(reversed(container.keys)) if key is None), len(container.keys))
    if operation == "DICT_MERGE":
        return last == 0 and are_keywords(value, container)
    return last == 0 or last >= _PART


def are_keywords(mapping: nodes.Dict, before: nodes.Dict | None = None) -> bool:
    """Whether there are keys, and all can be names of keyword arguments, after those ``before``: none comes twice."""
    names = [key.value if isinstance(key, nodes.Constant) else None for key in mapping.keys]
    if not names or not all(isinstance(name, str) and name.isidentifier() and not iskeyword(name) for name in names):
        return False
    taken = {key.value for key in (before.keys if before is not None else ()) if isinstance(key, nodes.Constant)}
    return len({*names, *taken}) == len(names) + len(taken)


@handles("BUILD_LIST_UNPACK", "BUILD_TUPLE_UNPACK", "BUILD_SET_UNPACK", "BUILD_TUPLE_UNPACK_WITH_CALL")
def _unpacked_display(state: SymbolicStack, instruction: Instruction) -> None:
    """A display with stars: the elements between them are separate displays."""
    plain: type[nodes.Expression] = nodes.Set if instruction.op == "BUILD_SET_UNPACK" else nodes.Tuple
    elements: list[nodes.Expression] = []
    beside_plain = instruction.arg == 1
    for part in state.pop_many(instruction.arg):
        inner = _elements(part, plain)
        if not inner or beside_plain:  # no elements are `*()`, which the compiler would make a constant of
            elements.append(nodes.Starred(part))
            beside_plain = False
        else:
            elements += inner
            beside_plain = True
    kinds = {"BUILD_LIST_UNPACK": nodes.List, "BUILD_TUPLE_UNPACK": nodes.Tuple, "BUILD_SET_UNPACK": nodes.Set}
    state.push(kinds.get(instruction.op, ArgumentTuple)(elements))


def _elements(part: nodes.Expression, plain: type[nodes.Expression]) -> list[nodes.Expression] | None:
    if type(part) is plain:
        return part.elts  # type: ignore[attr-defined, no-any-return]
    if plain is nodes.Tuple and isinstance(part, nodes.Constant) and isinstance(part.value, tuple):
        return _constants(part.value)
    return None


@handles("BUILD_MAP_UNPACK", "BUILD_MAP_UNPACK_WITH_CALL")
def _unpacked_map(state: SymbolicStack, instruction: Instruction) -> None:
    result = nodes.Dict([], [])
    beside_plain = instruction.arg == 1
    for part in state.pop_many(instruction.arg):
        items = part if isinstance(part, nodes.Dict) and None not in part.keys and not beside_plain else None
        if items is not None and items.keys and (instruction.op == "BUILD_MAP_UNPACK" or are_keywords(items, result)):
            result.keys += items.keys
            result.values += items.values
            beside_plain = True
        else:
            result.keys.append(None)
            result.values.append(part)
            beside_plain = False
    if instruction.op == "BUILD_MAP_UNPACK":
        state.display = result
    state.push(result)
