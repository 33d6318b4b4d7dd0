"""Names, literals and displays: the expressions that are atoms, formatted strings included."""

from __future__ import annotations

import re

from .node import Expression, Statement, field

# Constants and names


class Constant(Expression):
    """A literal: any constant of a code object, or any other object that is only compared and shown."""

    value: object


class Docstring(Constant):
    """A docstring whose indentation the compiler has removed."""


class Name(Expression):
    """An identifier."""

    id: str


class Raw(Expression, Statement):
    """Text printed verbatim, as an expression or a statement: for what has no syntax."""

    text: str


# Displays and comprehensions


class List(Expression):
    """`[a, b]`."""

    elts: list[Expression] = field(default_factory=list)


class Tuple(Expression):
    """`(a, b)`. `spread`: every item is printed on a separate line."""

    elts: list[Expression] = field(default_factory=list)
    spread: bool = field(default=False, kw_only=True)


class Set(Expression):
    """`{a, b}`; the empty set is printed as `{*()}`."""

    elts: list[Expression] = field(default_factory=list)


class Dict(Expression):
    """`{key: value}`; a key of None means `**value`."""

    keys: list[Expression | None] = field(default_factory=list)
    values: list[Expression] = field(default_factory=list)


# Formatted strings


class FormattedValue(Expression):
    """`{value!conversion:format_spec}` of an f-string; conversion is -1 or ord of 's', 'r', 'a'.

    is_argument: whether the source has it as an argument of `%`; None if unknown.
    """

    value: Expression
    conversion: int = -1
    format_spec: Expression | None = None
    is_argument: bool | None = field(default=None, init=False)


class JoinedStr(Expression):
    """`f"..."`: values are string constants and FormattedValues."""

    values: list[Expression] = field(default_factory=list)


_PERCENT = re.compile(r"(?:(>?)([1-9]\d*))?(\.\d+)?")
"""Format specifications compiled from a width and a precision; without `>` the text is left-aligned."""


class PercentFormat(JoinedStr):
    """`"..." % (...)` that compiles to the same as a JoinedStr with these values.

    Every FormattedValue has a `specifier`.
    """

    @staticmethod
    def specifier(value: FormattedValue) -> str:
        """`%s`, `%-8r`: the specifier compiled to this value (optimize_format in ast_opt.c); "" if there is none."""
        texts = value.format_spec.values if isinstance(value.format_spec, JoinedStr) else []
        known = [part.value if isinstance(part, Constant) else None for part in texts]
        text = "".join(one if isinstance(one, str) else "{" for one in known)
        found = _PERCENT.fullmatch(text)
        if value.conversion == -1 or found is None or bool(value.format_spec) != bool(text):
            return ""
        right, width, precision = found.groups("")
        return f"%{'-' if width and not right else ''}{width}{precision}{chr(value.conversion)}"


class Interpolation(Expression):
    """`{value!conversion:format_spec}` of a t-string; str is the text of the expression."""

    value: Expression
    str: object
    conversion: int = -1
    format_spec: Expression | None = None


class TemplateStr(Expression):
    """`t"..."`: values are string constants and Interpolations."""

    values: list[Expression] = field(default_factory=list)
