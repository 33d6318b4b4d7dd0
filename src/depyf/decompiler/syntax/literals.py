"""Names, literals and displays: the expressions that are atoms, formatted strings included."""

from __future__ import annotations

from depyf.decompiler.syntax.node import Expression, Statement

# Constants and names


class Constant(Expression):
    """A literal: any constant of a code object, or any other object that is only compared and shown."""

    __slots__ = fields = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value


class Name(Expression):
    """An identifier."""

    __slots__ = fields = ("id",)

    def __init__(self, id: str) -> None:
        self.id = id


class Raw(Expression, Statement):
    """Text printed as it stands, as an expression or a statement: an escape for what has no syntax."""

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
    """`(a, b)`."""

    __slots__ = fields = ("elts",)

    def __init__(self, elts: list[Expression] | None = None) -> None:
        self.elts: list[Expression] = [] if elts is None else elts


class Set(Expression):
    """`{a, b}`; the empty set is printed as `{*()}`."""

    __slots__ = fields = ("elts",)

    def __init__(self, elts: list[Expression] | None = None) -> None:
        self.elts: list[Expression] = [] if elts is None else elts


class Dict(Expression):
    """`{key: value}`; a key that is None stands for `**value`."""

    __slots__ = fields = ("keys", "values")

    def __init__(self, keys: list[Expression | None] | None = None, values: list[Expression] | None = None) -> None:
        self.keys: list[Expression | None] = [] if keys is None else keys
        self.values: list[Expression] = [] if values is None else values


# Formatted strings


class FormattedValue(Expression):
    """`{value!conversion:format_spec}` of an f-string; conversion is -1 or ord of 's', 'r', 'a'."""

    __slots__ = fields = ("value", "conversion", "format_spec")

    def __init__(self, value: Expression, conversion: int = -1, format_spec: Expression | None = None) -> None:
        self.value = value
        self.conversion = conversion
        self.format_spec = format_spec


class JoinedStr(Expression):
    """`f"..."`: values are string constants and FormattedValues."""

    __slots__ = fields = ("values",)

    def __init__(self, values: list[Expression] | None = None) -> None:
        self.values: list[Expression] = [] if values is None else values


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
