"""Calls: whatever way the arguments came onto the stack, one call with all of them."""

from __future__ import annotations

from typing import Any

from ..bytecode import RawCode
from ..names.spelling import is_name
from ..syntax import nodes as n
from .displays import Displays
from .hints import call_hint
from .state import Comprehension, Const, Null, Star, Value


class Calls(Displays):
    """CALL and CALL_EX."""

    def op_CALL(self, arg: Any) -> None:
        count, names = arg
        values = self.pop_many(count + 2)
        lower, upper = values[0], values[1]
        arguments = values[2:]
        if isinstance(lower, Null):
            function = upper
        elif isinstance(upper, Null):
            function = lower
        else:
            function, arguments = lower, [upper, *arguments]
        self.call_with_names(function, arguments, names)

    def op_CALL_FUNCTION(self, arg: Any) -> None:
        count, names = arg
        function, *arguments = self.pop_many(count + 1)
        self.call_with_names(function, arguments, names)

    def call_with_names(self, function: Value, arguments: list[Value], names: tuple[str, ...]) -> None:
        """A call of which the last arguments have ``names``."""
        positional = len(arguments) - len(names)
        self.call(function, arguments[:positional], list(zip(names, arguments[positional:])))

    def call(self, function: Value, arguments: list[Value], named: list[tuple[str, Value]]) -> None:
        """A call with these arguments; a ``Star`` may be among them."""
        if isinstance(function, Comprehension):
            if len(arguments) != 1 or named:
                raise self.error("the function of a comprehension is called with other arguments than an iterator")
            self.event(arguments, lambda iterator: self.comprehension(function, iterator), function.hint)
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

        hint = call_hint(self.text_hint(function), self.text_hint(arguments[0]) if arguments else "")
        for argument in arguments:
            if isinstance(argument, Const) and isinstance(argument.value, RawCode):
                hint = argument.value.name  # it makes a function
        self.event(operands, build, hint)

    def comprehension(self, function: Comprehension, iterator: n.Expression) -> n.Expression:
        """The comprehension over what ``iterator`` is the iterator of."""
        [statement] = function.definition.body
        value = statement.value if isinstance(statement, n.Return) else None
        generators: list[n.comprehension] = getattr(value, "generators", [])
        iterable: n.Expression | None = iterator if function.iterates else None
        if isinstance(iterator, n.Call) and any(iterator is made for made in self.iterators):
            iterable = iterator.args[0]
        if value is None or not generators or iterable is None:
            raise self.error("the function of a comprehension is called with something that is no iterator")
        generators[0].iter = iterable
        return value

    def op_CALL_EX(self, has_mapping: bool) -> None:
        values = self.pop_many(4 if has_mapping else 3)
        function, iterable = (values[1], values[2]) if isinstance(values[0], Null) else (values[0], values[2])
        self.call_with_containers(function, iterable, values[3] if has_mapping else None)

    def op_CALL_FUNCTION_EX(self, has_mapping: bool) -> None:
        function, iterable, *rest = self.pop_many(3 if has_mapping else 2)
        self.call_with_containers(function, iterable, rest[0] if rest else None)

    def call_with_containers(self, function: Value, iterable: Value, mapping: Value | None) -> None:
        """``function(*iterable, **mapping)``, item by item where they are known."""
        named: list[tuple[Any, Value]] = []
        if mapping is not None and not isinstance(mapping, Null):
            items = self.state.private(mapping)
            if items is not None:
                named = self.keywords(items)
            else:
                with self.using([function, iterable]):
                    self.hold(mapping)
                named = [(None, mapping)]
        items = self.state.private(iterable)
        if isinstance(iterable, Const) and type(iterable.value) is tuple:
            arguments: list[Value] = [Const(item) for item in iterable.value]
        elif items is not None:
            arguments = items
        else:
            arguments = [Star(iterable)]
        self.folded += items is not None
        self.call(function, arguments, named)

    def hold(self, value: Value) -> None:
        """See to it that a variable holds ``value``."""
        if not isinstance(value, Const):
            self.name(value)

    def keywords(self, items: list[Value]) -> list[tuple[Any, Value]]:
        """The items of a private dictionary as keywords of a call."""
        named: list[tuple[Any, Value]] = []
        rest = items[:]
        while rest:
            first = rest.pop(0)
            if isinstance(first, Star):
                named.append((None, first.iterable))
            elif isinstance(first, Const) and type(first.value) is str:
                named.append((first.value, rest.pop(0)))
            else:
                raise self.error("a keyword of a call is no string")
        names = [name for name, _ in named if name is not None]
        if len(set(names)) < len(names):
            raise self.error("a call has a keyword twice")
        return named
