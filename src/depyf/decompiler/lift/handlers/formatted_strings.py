"""Formatted strings, template strings, and ``%`` that is compiled as an f-string is."""

from __future__ import annotations

from ...bytecode import Instruction
from ...syntax import nodes
from ..symbolic_stack import SymbolicStack
from ..values import Converted, Slot, resolved
from .registry import handles

MOST_ON_STACK = 30
"""The most values that a string, a display or a call pushes on the stack (compile.c, STACK_USE_GUIDELINE)."""


@handles("CONVERT_VALUE")
def _convert(state: SymbolicStack, instruction: Instruction) -> None:
    state.push(Converted(state.pop(), instruction.arg))


@handles("FORMAT_VALUE")
def _format(state: SymbolicStack, instruction: Instruction) -> None:
    conversion, has_spec = instruction.arg
    spec = _specification(state) if has_spec else None
    value = state.pop()
    if isinstance(value, Converted):
        conversion, value = value.conversion, value.value
    formatted = nodes.FormattedValue(value, ord(conversion) if conversion else -1, spec)
    formatted.is_argument = _is_argument(state, has_spec)
    state.push(_formatted_string(state, [formatted]))


def _is_argument(state: SymbolicStack, has_spec: bool) -> bool | None:
    """Whether the formatted value was an argument of ``%``, by the columns; None if they don't show it.

    The formatting has the location of the argument (optimize_format in ast_opt.c), that of an f-string's field the
    location of its braces, or of the whole string (3.11).
    """
    nearest = state.instructions[max(0, state.position - has_spec - 3) : state.position]
    before = [i for i in nearest if i.op != "CONVERT_VALUE"]
    if len(before) <= has_spec:
        return None
    value = before[-1 - has_spec]
    where, evaluated = state.instruction.position, value.position
    loads = [i.offset for i in before[-2 - has_spec :] if i.op == "LOAD_FAST"]
    if where is None or evaluated is None or None in where or None in evaluated:
        return None
    if loads[:2] == [value.offset] * 2:  # of two loads that are one instruction, it has the position of the first
        return bool(where[0] == where[1] and where[3] - where[2] == len(value.arg.encode()))
    # A call of a method has the line of its name.
    return True if where == evaluated else None if where[0] != where[1] else False


def _formatted_string(state: SymbolicStack, values: list[nodes.Expression]) -> nodes.JoinedStr:
    is_percent = state.table.behavior.folds_percent_formats and _is_percent(values)
    return nodes.PercentFormat(values) if is_percent else nodes.JoinedStr(values)


def _specification(state: SymbolicStack) -> nodes.Expression:
    spec = resolved(state.pop())
    if isinstance(spec, nodes.Constant):
        return nodes.JoinedStr([spec])
    if not isinstance(spec, nodes.JoinedStr):
        state.refuse("a format specification that is no string")
    return spec


@handles("BUILD_INTERPOLATION")
def _interpolation(state: SymbolicStack, instruction: Instruction) -> None:
    conversion, has_spec = instruction.arg
    spec = _specification(state) if has_spec else None
    value, text = state.pop_many(2)
    if not isinstance(text, nodes.Constant) or not isinstance(text.value, str):
        state.refuse("an interpolation without its text")
    state.push(nodes.Interpolation(value, text.value, ord(conversion) if conversion else -1, spec))


@handles("BUILD_TEMPLATE")
def _template(state: SymbolicStack, instruction: Instruction) -> None:
    strings, interpolations = (resolved(part) for part in state.pop_many(2))
    texts = strings.value if isinstance(strings, nodes.Constant) else None
    if isinstance(interpolations, nodes.Constant) and interpolations.value == ():
        parts: list[nodes.Expression] = []
    elif isinstance(interpolations, nodes.Tuple):
        parts = interpolations.elts
    else:
        state.refuse("a template without its interpolations")
    if not isinstance(texts, tuple) or len(texts) != len(parts) + 1:
        state.refuse("a template without its strings")
    values: list[nodes.Expression] = []
    for text, part in zip(texts, [*parts, None]):
        if text:
            values.append(nodes.Constant(text))
        if part is not None:
            values.append(part)
    state.push(nodes.TemplateStr(values))


@handles("BUILD_STRING")
def _string(state: SymbolicStack, instruction: Instruction) -> None:
    parts = [resolved(part) for part in state.pop_many(instruction.arg)]
    if not all(isinstance(part, (nodes.JoinedStr, nodes.Constant)) for part in parts):
        state.refuse("a part of an f-string that is no string")
    state.push(_of_parts(state, parts))


def _of_parts(state: SymbolicStack, parts: list[nodes.Expression]) -> nodes.JoinedStr:
    values: list[nodes.Expression] = []
    for part in parts:
        values += part.values if isinstance(part, nodes.JoinedStr) else [part]
    return _formatted_string(state, values)


def long_string(
    state: SymbolicStack, function: nodes.Expression, arguments: list[nodes.Expression]
) -> nodes.JoinedStr | None:
    """The f-string with so many parts that it is compiled to a call of ``''.join`` with a list; None for other calls.

    The list is then one to which items are appended, as are all that long. No f-string has two texts side by side.
    """
    if not isinstance(function, nodes.Attribute) or function.attr != "join" or len(arguments) != 1:
        return None
    items = resolved(arguments[0])
    if resolved(function.value) != nodes.Constant("") or not isinstance(items, nodes.List):
        return None
    if not state.table.behavior.joins_long_strings or len(items.elts) <= MOST_ON_STACK:
        return None
    parts = [resolved(part) for part in items.elts]
    is_field = [isinstance(part, nodes.JoinedStr) and len(part.values) == 1 for part in parts]
    texts = [part.value for part, field in zip(parts, is_field) if not field and isinstance(part, nodes.Constant)]
    if len(texts) + sum(is_field) < len(parts) or not all(isinstance(text, str) and text for text in texts):
        return None
    return _of_parts(state, parts) if all(left or right for left, right in zip(is_field, is_field[1:])) else None


def _is_percent(values: list[nodes.Expression]) -> bool:
    """Whether this is compiled from `"..." % (...)` rather than an f-string.

    Without columns, `!s` on every field shows it, which nobody writes in an f-string; if all values are constants the
    compiler would fold the `%`.
    """
    formatted = [value for value in values if isinstance(value, nodes.FormattedValue)]
    if not all(nodes.PercentFormat.specifier(value) for value in formatted):
        return False
    arguments = {value.is_argument for value in formatted} - {None}
    if arguments:
        return arguments == {True}
    varies = any(isinstance(node, _VARIES) for value in formatted for node in nodes.walk(value.value))
    return varies and len(values) > 1 and any(value.conversion == ord("s") for value in formatted)


_VARIES = (nodes.Name, nodes.Call, Slot)
