"""Simple statements: those that contain no other statements."""

from __future__ import annotations

from .node import Expression, Statement, field, type_param
from .parts import alias

# Definitions


class TypeAlias(Statement):
    """`type name[type_params] = value`."""

    name: Expression
    type_params: list[type_param]
    value: Expression


# Simple statements


class Expr(Statement):
    """An expression by itself."""

    value: Expression


class Assign(Statement):
    """`target1 = target2 = value`."""

    targets: list[Expression]
    value: Expression


class AugAssign(Statement):
    """`target op= value`; op without the equals sign."""

    target: Expression
    op: str
    value: Expression


class AnnAssign(Statement):
    """`target: annotation = value`; simple is 0 for a name in parentheses."""

    target: Expression
    annotation: Expression
    value: Expression | None = None
    simple: int = 1


class Delete(Statement):
    """`del targets`."""

    targets: list[Expression] = field(default_factory=list)


class Return(Statement):
    """`return value`."""

    value: Expression | None = None


class Raise(Statement):
    """`raise exc from cause`."""

    exc: Expression | None = None
    cause: Expression | None = None


class Assert(Statement):
    """`assert test, msg`."""

    test: Expression
    msg: Expression | None = None


class Import(Statement):
    """`import names`; is_lazy for `lazy import` of 3.15."""

    names: list[alias] = field(default_factory=list)
    is_lazy: int = 0


class ImportFrom(Statement):
    """`from ..module import names`; level counts the dots."""

    module: str | None
    names: list[alias] = field(default_factory=list)
    level: int = 0
    is_lazy: int = 0


class Global(Statement):
    """`global names`."""

    names: list[str] = field(default_factory=list)


class Nonlocal(Statement):
    """`nonlocal names`."""

    names: list[str] = field(default_factory=list)


class Pass(Statement):
    """`pass`."""



class Break(Statement):
    """`break`."""



class Continue(Statement):
    """`continue`."""

