"""Names, literals and displays: the expressions that are atoms, formatted strings included."""

from __future__ import annotations

import re

from .node import Expression, Statement

# Constants and names


class Constant(Expression):
    """A literal: any constant of a code object, or any other object that is only compared and shown."""

    __slots__ = fields = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value


class Docstring(Constant):
    """A docstring whose indentation the compiler has removed."""

    __slots__ = ()


class Name(Expression):
    """An identifier."""

    __slots__ = fields = ("id",)

    def __init__(self, id: str) -> None:
        self.id = id


class Raw(Expression, Statement):
    """Text printed verbatim, as an expression or a statement: for what has no syntax."""

    __slots__ = fields = ("text",)

    def __init__(self, text: str, *, line: int | None = None) -> None:
        self.text = text
        self.line = line
        self.comments: list[str] = []


# Displays and comprehensions


class List(Expression):
    """`[a, b]`."""

    __slots__ = fields = ("elts",)

    def __init__(self, elts: list[Expression] | None = None) -> None:
        self.elts: list[Expression] = [] if elts is None else elts


class Tuple(Expression):
    """`(a, b)`. `spread`: every item is printed on a separate line."""

    __slots__ = ("elts", "spread")
    fields = ("elts",)

    def __init__(self, elts: list[Expression] | None = None, *, spread: bool = False) -> None:
        self.elts: list[Expression] = [] if elts is None else elts
        self.spread = spread


class Set(Expression):
    """`{a, b}`; the empty set is printed as `{*()}`."""

    __slots__ = fields = ("elts",)

    def __init__(self, elts: list[Expression] | None = None) -> None:
        self.elts: list[Expression] = [] if elts is None else elts


class Dict(Expression):
    """`{key: value}`; a key of None means `**value`."""

    __slots__ = fields = ("keys", "values")

    def __init__(self, keys: list[Expression | None] | None = None, values: list[Expression] | None = None) -> None:
        self.keys: list[Expression | None] = [] if keys is None else keys
        self.values: list[Expression] = [] if values is None else values


# Formatted strings


class FormattedValue(Expression):
    """`{value!conversion:format_spec}` of an f-string; conversion is -1 or ord of 's', 'r', 'a'.

    is_argument: whether the source has it as an argument of `%`; None if unknown.
    """

    fields = ("value", "conversion", "format_spec")
    __slots__ = (*fields, "is_argument")

    def __init__(self, value: Expression, conversion: int = -1, format_spec: Expression | None = None) -> None:
        self.value = value
        self.conversion = conversion
        self.format_spec = format_spec
        self.is_argument: bool | None = None


class JoinedStr(Expression):
    """`f"..."`: values are string constants and FormattedValues."""

    __slots__ = fields = ("values",)

    def __init__(self, values: list[Expression] | None = None) -> None:
        self.values: list[Expression] = [] if values is None else values


_PERCENT = re.compile(r"(?:(>?)([1-9]\d*))?(\.\d+)?")
"""Format specifications compiled from a width and a precision; without `>` the text is left-aligned."""


class PercentFormat(JoinedStr):
    """`"..." % (...)` that compiles to the same as a JoinedStr with these values.

    Every FormattedValue has a `specifier`.
    """

    __slots__ = ()

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

    __slots__ = fields = ("value", "str", "conversion", "format_spec")

    def __init__(
        self, value: Expression, str: object, conversion: int = -1, format_spec: Expression | None = None
    ) -> None:
        self.value = value
        self.str = str
        self.conversion = conversion
        self.format_spec = format_spec


class TemplateStr(Expression):
    """`t"..."`: values are string constants and Interpolations."""

    __slots__ = fields = ("values",)

    def __init__(self, values: list[Expression] | None = None) -> None:
        self.values: list[Expression] = [] if values is None else values
