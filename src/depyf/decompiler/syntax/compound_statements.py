"""Definitions and compound statements: those that contain other statements."""

from __future__ import annotations

from .expressions import arguments, keyword
from .node import Expression, Statement, field, type_param
from .parts import ExceptHandler, match_case, withitem

# Definitions


class FunctionDef(Statement):
    """`def name(args): body`."""

    name: str
    args: arguments
    body: list[Statement] = field(default_factory=list)
    decorator_list: list[Expression] = field(default_factory=list)
    returns: Expression | None = None
    type_params: list[type_param] = field(default_factory=list)


class AsyncFunctionDef(Statement):
    """`async def name(args): body`."""

    name: str
    args: arguments
    body: list[Statement] = field(default_factory=list)
    decorator_list: list[Expression] = field(default_factory=list)
    returns: Expression | None = None
    type_params: list[type_param] = field(default_factory=list)


class ClassDef(Statement):
    """`class name(bases, keywords): body`."""

    name: str
    bases: list[Expression] = field(default_factory=list)
    keywords: list[keyword] = field(default_factory=list)
    body: list[Statement] = field(default_factory=list)
    decorator_list: list[Expression] = field(default_factory=list)
    type_params: list[type_param] = field(default_factory=list)


# Compound statements


class If(Statement):
    """`if test: body else: orelse`; an orelse of one If is printed as `elif` if it is not ``written`` as `if`."""

    test: Expression
    body: list[Statement] = field(default_factory=list)
    orelse: list[Statement] = field(default_factory=list)


class While(Statement):
    """`while test: body else: orelse`."""

    test: Expression
    body: list[Statement] = field(default_factory=list)
    orelse: list[Statement] = field(default_factory=list)


class For(Statement):
    """`for target in iter: body else: orelse`."""

    target: Expression
    iter: Expression
    body: list[Statement] = field(default_factory=list)
    orelse: list[Statement] = field(default_factory=list)


class AsyncFor(Statement):
    """`async for target in iter: body else: orelse`."""

    target: Expression
    iter: Expression
    body: list[Statement] = field(default_factory=list)
    orelse: list[Statement] = field(default_factory=list)


class With(Statement):
    """`with items: body`."""

    items: list[withitem] = field(default_factory=list)
    body: list[Statement] = field(default_factory=list)


class AsyncWith(Statement):
    """`async with items: body`."""

    items: list[withitem] = field(default_factory=list)
    body: list[Statement] = field(default_factory=list)


class Try(Statement):
    """`try: body except ...: else: orelse finally: finalbody`."""

    body: list[Statement] = field(default_factory=list)
    handlers: list[ExceptHandler] = field(default_factory=list)
    orelse: list[Statement] = field(default_factory=list)
    finalbody: list[Statement] = field(default_factory=list)


class TryStar(Statement):
    """Try with `except*`."""

    body: list[Statement] = field(default_factory=list)
    handlers: list[ExceptHandler] = field(default_factory=list)
    orelse: list[Statement] = field(default_factory=list)
    finalbody: list[Statement] = field(default_factory=list)


class Match(Statement):
    """`match subject: case ...`."""

    subject: Expression
    cases: list[match_case] = field(default_factory=list)
