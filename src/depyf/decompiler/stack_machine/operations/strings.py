"""Formatted strings."""

from __future__ import annotations

from typing import Any

from ...syntax import nodes as n
from ..machine import Machine
from ..state import EventResult
from .registry import handles


@handles("BUILD_STRING")
def _build_string(machine: Machine, count: int) -> None:
    values = machine.pop_many(count)

    def build(*texts: n.Expression) -> n.Expression:
        parts: list[n.Expression] = []
        for text in texts:
            if isinstance(text, n.JoinedStr):
                parts += text.values
            elif isinstance(text, n.Constant):
                parts.append(text)
            else:
                raise machine.error("a string is joined from parts that are no formatted strings")
        return n.JoinedStr(parts)

    machine.event(values, build, "text")


@handles("CONVERT_VALUE")
def _convert_value(machine: Machine, conversion: str) -> None:
    # Valid only inside a formatted string: FORMAT_VALUE moves it there, and elsewhere it can't be printed.
    machine.event([machine.pop()], lambda value: n.FormattedValue(value, ord(conversion)), "text")


@handles("FORMAT_VALUE")
def _format_value(machine: Machine, arg: Any) -> None:
    conversion, has_spec = arg
    values = machine.pop_many(2 if has_spec else 1)
    converted = isinstance(values[0], EventResult) and isinstance(values[0].expression, n.FormattedValue)

    def build(value: n.Expression, spec: n.Expression | None = None) -> n.Expression:
        number = ord(conversion) if conversion else -1
        if isinstance(value, n.FormattedValue):
            number, value = value.conversion, value.value
        elif converted:
            raise machine.error("a converted value is used before it is formatted")
        if spec is not None and not isinstance(spec, n.JoinedStr):
            spec = n.JoinedStr([spec if isinstance(spec, n.Constant) else n.FormattedValue(spec)])
        return n.JoinedStr([n.FormattedValue(value, number, spec)])

    machine.event(values, build, "text")
