"""Calls: one call with all arguments, however they were pushed."""

from __future__ import annotations

from typing import Any

from ...bytecode import RawCode
from ...names.spelling import is_name
from ...syntax import nodes as n
from ..hints import call_hint
from ..machine import Machine
from ..state import ComprehensionFunction, Const, Null, Pure, Star, Value
from .registry import handles


@handles("CALL")
def call(machine: Machine, arg: Any) -> None:
    """Call a function or a method."""
    count, names = arg
    values = machine.pop_many(count + 2)
    lower, upper = values[0], values[1]
    arguments = values[2:]
    if isinstance(lower, Null):
        function = upper
    elif isinstance(upper, Null):
        function = lower
    else:
        function, arguments = lower, [upper, *arguments]
    _call_with_names(machine, function, arguments, names)


@handles("CALL_FUNCTION")
def _call_function(machine: Machine, arg: Any) -> None:
    count, names = arg
    function, *arguments = machine.pop_many(count + 1)
    _call_with_names(machine, function, arguments, names)


def _call_with_names(machine: Machine, function: Value, arguments: list[Value], names: tuple[str, ...]) -> None:
    """Write a call whose last arguments have ``names``."""
    positional = len(arguments) - len(names)
    _call(machine, function, arguments[:positional], list(zip(names, arguments[positional:])))


def _call(machine: Machine, function: Value, arguments: list[Value], named: list[tuple[str, Value]]) -> None:
    """Write a call with these arguments; a ``Star`` may be among them."""
    if isinstance(function, ComprehensionFunction):
        if len(arguments) != 1 or named:
            raise machine.error("the function of a comprehension is called with other arguments than an iterator")
        machine.event(arguments, lambda iterator: _comprehension(machine, function, iterator), function.hint)
        return
    if isinstance(function, Pure) and function.kind == "AssertionError":
        _assertion(machine, arguments, named)
        return
    operands = [function, *arguments, *[value for _, value in named]]

    def build(callee: n.Expression, *texts: n.Expression) -> n.Expression:
        plain = list(texts[: len(arguments)])
        keywords = []
        for (name, _), text in zip(named, texts[len(arguments) :]):
            if name is None:
                keywords.append(n.keyword(None, text))
            elif is_name(name):
                keywords.append(n.keyword(name, text))
            else:
                keywords.append(n.keyword(None, n.Dict([n.Constant(name)], [text])))
        return n.Call(callee, plain, keywords)

    first = machine.text_hint(arguments[0]) if arguments else ""
    hint = call_hint(machine.naming, machine.text_hint(function), first)
    for argument in arguments:
        if isinstance(argument, Const) and isinstance(argument.value, RawCode):
            hint = argument.value.name  # it makes a function
    machine.event(operands, build, hint)


def _assertion(machine: Machine, arguments: list[Value], named: list[tuple[str, Value]]) -> None:
    """``AssertionError(message)``, which an ``assert`` statement raises."""
    raised = machine.next_are("RAISE_VARARGS") and machine.upcoming(1)[0].arg == 1
    if named or len(arguments) != 1 or not raised:
        raise machine.error("AssertionError is called where no assertion fails")
    machine.push(Pure("AssertionError", tuple(arguments)))


def _comprehension(machine: Machine, function: ComprehensionFunction, iterator: n.Expression) -> n.Expression:
    """Return the comprehension over the iterable of ``iterator``."""
    [statement] = function.definition.body
    value = statement.value if isinstance(statement, n.Return) else None
    generators: list[n.comprehension] = getattr(value, "generators", [])
    iterable: n.Expression | None = iterator if function.iterates else None
    if isinstance(iterator, n.Call) and any(iterator is made for made in machine.iterators):
        iterable = iterator.args[0]
    if value is None or not generators or iterable is None:
        raise machine.error("the function of a comprehension is called with something that is no iterator")
    generators[0].iter = iterable
    return value


@handles("CALL_EX")
def _call_ex(machine: Machine, has_mapping: bool) -> None:
    values = machine.pop_many(4 if has_mapping else 3)
    function, iterable = (values[1], values[2]) if isinstance(values[0], Null) else (values[0], values[2])
    _call_with_containers(machine, function, iterable, values[3] if has_mapping else None)


@handles("CALL_FUNCTION_EX")
def _call_function_ex(machine: Machine, has_mapping: bool) -> None:
    function, iterable, *rest = machine.pop_many(3 if has_mapping else 2)
    _call_with_containers(machine, function, iterable, rest[0] if rest else None)


def _call_with_containers(machine: Machine, function: Value, iterable: Value, mapping: Value | None) -> None:
    """``function(*iterable, **mapping)``, item by item where the items are known."""
    named: list[tuple[Any, Value]] = []
    if mapping is not None and not isinstance(mapping, Null):
        items = machine.state.private(mapping)
        if items is not None:
            named = _keywords(machine, items)
        else:
            with machine.using([function, iterable]):
                _hold(machine, mapping)
            named = [(None, mapping)]
    items = machine.state.private(iterable)
    if isinstance(iterable, Const) and type(iterable.value) is tuple:
        arguments: list[Value] = [Const(item) for item in iterable.value]
    elif items is not None:
        arguments = items
    else:
        arguments = [Star(iterable)]
    machine.folded += items is not None
    _call(machine, function, arguments, named)


def _hold(machine: Machine, value: Value) -> None:
    """Store ``value`` to a variable unless it is a constant."""
    if not isinstance(value, Const):
        machine.name(value)


def _keywords(machine: Machine, items: list[Value]) -> list[tuple[Any, Value]]:
    """Return the items of a private dictionary as keywords of a call."""
    named: list[tuple[Any, Value]] = []
    rest = items[:]
    while rest:
        first = rest.pop(0)
        if isinstance(first, Star):
            named.append((None, first.iterable))
        elif isinstance(first, Const) and type(first.value) is str:
            named.append((first.value, rest.pop(0)))
        else:
            raise machine.error("a keyword of a call is no string")
    names = [name for name, _ in named if name is not None]
    if len(set(names)) < len(names):
        raise machine.error("a call has a keyword twice")
    return named


@handles("LOAD_SUPER_ATTR")
def _load_super_attr(machine: Machine, arg: Any) -> None:
    name, written = arg
    text = machine.spelling.name(name)

    def build(function: n.Expression, owner: n.Expression, instance: n.Expression) -> n.Expression:
        if written:
            return n.Attribute(n.Call(function, [owner, instance]), text)
        first = machine.raw.parameters[:1]
        if owner != n.Name("__class__") or not first or instance != n.Name(machine.spelling.variable(first[0])):
            raise machine.error("super() of something else than the first parameter")
        return n.Attribute(n.Call(function), text)

    machine.event(machine.pop_many(3), build, name)
