"""Calls in every form, and what is compiled to a call: classes, comprehensions, the end of a with."""

from __future__ import annotations

from ...bytecode import Instruction
from ...bytecode.kinds import is_comprehension, kind_of
from ...syntax import nodes
from ..symbolic_stack import SymbolicStack
from ..values import (
    ArgumentTuple,
    AssertionClass,
    BuildClass,
    Class,
    Comprehension,
    Function,
    Generic,
    Iterated,
    Marker,
    Null,
    resolved,
)
from .displays import are_keywords
from .formatted_strings import MOST_ON_STACK, long_string
from .registry import handles


@handles("CALL")
def _call(state: SymbolicStack, instruction: Instruction) -> None:
    count, names = instruction.arg
    lower, upper, *arguments = state.take_many(count + 2)
    if type(lower) is Null:
        function = upper
    elif type(upper) is Null:
        function = lower
    else:  # a callable in the slot of a method, and its first argument in that of self
        function, arguments = lower, [upper, *arguments]
    if type(function) is Marker:
        _leave_with(state, function, arguments)
        return
    _push_call(state, function, arguments, names)


@handles("CALL_FUNCTION")
def _call_function(state: SymbolicStack, instruction: Instruction) -> None:
    count, names = instruction.arg
    function, *arguments = state.take_many(count + 1)
    if type(function) is Marker:
        _leave_with(state, function, arguments)
    else:
        _push_call(state, function, arguments, names)


def _push_call(
    state: SymbolicStack, function: nodes.Expression, arguments: list[nodes.Expression], names: tuple[str, ...]
) -> None:
    # In evaluation order: a callable is evaluated before its arguments.
    if state.copies:
        function, *arguments = [state.as_expression(one) for one in (function, *arguments)]
    keywords: list[nodes.keyword] = []
    if names:
        arguments, named = arguments[: -len(names)], arguments[-len(names) :]
        keywords = [nodes.keyword(name, value) for name, value in zip(names, named)]
    state.push(make_call(state, function, arguments, keywords))


def make_call(
    state: SymbolicStack,
    function: nodes.Expression,
    positional: list[nodes.Expression],
    keywords: list[nodes.keyword],
) -> nodes.Expression:
    """The call, or the class or comprehension that it is compiled from."""
    if type(function) is BuildClass:
        if len(positional) < 2 or not isinstance(positional[0], Function):
            state.refuse("a class without a body")
        name = resolved(positional[1])
        if not isinstance(name, nodes.Constant) or not isinstance(name.value, str):
            state.refuse("a class without a name")
        return Class(positional[0], name.value, positional[2:], keywords)
    if type(function) is Function and kind_of(function.raw) == "generic":
        if keywords:
            state.refuse("type parameters that are called with keywords")
        return Generic(function, positional)
    if type(function) is Function and is_comprehension(function.raw):
        if len(positional) != 1 or keywords:
            state.refuse("a comprehension that is not called with an iterator")
        iterated = positional[0]
        # In 3.15 the code of a generator expression calls iter() on its argument itself.
        return Comprehension(function, iterated if isinstance(iterated, Iterated) else Iterated(iterated))
    is_joined = type(function) is nodes.Attribute and function.attr == "join" and not keywords
    string = long_string(state, function, positional) if is_joined else None
    return string or nodes.Call(function, positional, keywords)


def _leave_with(state: SymbolicStack, function: Marker, arguments: list[nodes.Expression]) -> None:
    nones = [argument for argument in arguments if argument == nodes.Constant(None)]
    if function.kind != "exit" or len(arguments) != 3 or len(nones) != 3:
        state.refuse("a call of something that a statement keeps")
    state.push(Marker("swallow", function.owner))


@handles("CALL_EX", "CALL_FUNCTION_EX")
def _call_ex(state: SymbolicStack, instruction: Instruction) -> None:
    mapping = state.pop() if instruction.arg else None
    iterable = state.pop()
    function = state.take()
    if instruction.op == "CALL_EX":
        lower = state.take()
        if isinstance(lower, Null) == isinstance(function, Null):
            state.refuse("a call without an empty slot")
        function = function if isinstance(lower, Null) else lower
    function = state.as_expression(function)
    positional = _positional(state, iterable, mapping)
    if mapping is None:
        keywords = []
    elif instruction.op == "CALL_FUNCTION_EX" and (
        mapping is state.display or _is_unpacked(positional, mapping) or _has_other_names(mapping)
    ):
        keywords = [nodes.keyword(None, mapping)]
    else:
        keywords = _keywords(state, mapping)
    state.push(make_call(state, function, positional, keywords))


def _is_unpacked(positional: list[nodes.Expression], mapping: nodes.Expression) -> bool:
    """Whether ``mapping`` was written as ``**mapping``: plain keywords need no mapping, unless there are too many."""
    starred = any(isinstance(argument, nodes.Starred) for argument in positional)
    return not isinstance(mapping, nodes.Dict) or not starred and _fit_on_stack(len(positional), mapping)


def _has_other_names(mapping: nodes.Expression) -> bool:
    """Whether ``mapping`` is a display with keys that can't be names of keyword arguments."""
    return isinstance(mapping, nodes.Dict) and None not in mapping.keys and not are_keywords(mapping)


def _fit_on_stack(positional: int, keywords: nodes.Expression | None) -> bool:
    """Whether these arguments, written one by one, would be pushed separately, which a ``*`` or ``**`` prevents."""
    if not isinstance(keywords, nodes.Dict):
        return False
    return None not in keywords.keys and positional + 2 * len(keywords.keys) <= MOST_ON_STACK


def _positional(
    state: SymbolicStack, iterable: nodes.Expression, mapping: nodes.Expression | None
) -> list[nodes.Expression]:
    if isinstance(iterable, ArgumentTuple):
        return iterable.elts
    with_mapping = mapping is not None
    if with_mapping and isinstance(iterable, nodes.Tuple):
        starred = any(isinstance(element, nodes.Starred) for element in iterable.elts)
        return [nodes.Starred(iterable)] if starred else iterable.elts
    if with_mapping and isinstance(iterable, nodes.Constant) and isinstance(iterable.value, tuple):
        if state.table.behavior.mappings_are_copied and _fit_on_stack(len(iterable.value), mapping):
            return [nodes.Starred(iterable)]  # f(*(1, 2), a=3)
        if not iterable.value and not state.table.behavior.mappings_are_copied:
            return [nodes.Starred(iterable)]  # f(*(), **a), up to 3.8: the compiler builds other empty tuples
        return [nodes.Constant(value) for value in iterable.value]
    return [nodes.Starred(iterable)]


def _keywords(state: SymbolicStack, mapping: nodes.Expression) -> list[nodes.keyword]:
    if not isinstance(mapping, nodes.Dict):
        state.refuse("keyword arguments from a mapping that is not copied")
    keywords = []
    for key, value in zip(mapping.keys, mapping.values):
        if key is None:
            keywords.append(nodes.keyword(None, value))
        elif isinstance(key, nodes.Constant) and isinstance(key.value, str) and key.value.isidentifier():
            keywords.append(nodes.keyword(key.value, value))
        else:
            state.refuse("a keyword argument whose name is no identifier")
    return keywords


@handles("LOAD_BUILD_CLASS")
def _build_class(state: SymbolicStack, instruction: Instruction) -> None:
    state.push(BuildClass())


@handles("LOAD_ASSERTION_ERROR")
def _assertion_error(state: SymbolicStack, instruction: Instruction) -> None:
    state.push(AssertionClass(state.table.behavior.asserts_have_lines_of_comparisons))
