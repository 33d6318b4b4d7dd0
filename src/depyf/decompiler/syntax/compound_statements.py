"""Definitions and compound statements: those that contain other statements."""

from __future__ import annotations

from .expressions import arguments, keyword
from .node import Expression, Statement, type_param
from .parts import ExceptHandler, match_case, withitem

# Definitions


class FunctionDef(Statement):
    """`def name(args): body`."""

    __slots__ = fields = ("name", "args", "body", "decorator_list", "returns", "type_params")

    def __init__(
        self,
        name: str,
        args: arguments,
        body: list[Statement] | None = None,
        decorator_list: list[Expression] | None = None,
        returns: Expression | None = None,
        type_params: list[type_param] | None = None,
        *,
        line: int | None = None,
    ) -> None:
        self.name = name
        self.args = args
        self.body: list[Statement] = [] if body is None else body
        self.decorator_list: list[Expression] = [] if decorator_list is None else decorator_list
        self.returns = returns
        self.type_params: list[type_param] = [] if type_params is None else type_params
        self.line = line
        self.comments: list[str] = []


class AsyncFunctionDef(Statement):
    """`async def name(args): body`."""

    __slots__ = fields = ("name", "args", "body", "decorator_list", "returns", "type_params")

    def __init__(
        self,
        name: str,
        args: arguments,
        body: list[Statement] | None = None,
        decorator_list: list[Expression] | None = None,
        returns: Expression | None = None,
        type_params: list[type_param] | None = None,
        *,
        line: int | None = None,
    ) -> None:
        self.name = name
        self.args = args
        self.body: list[Statement] = [] if body is None else body
        self.decorator_list: list[Expression] = [] if decorator_list is None else decorator_list
        self.returns = returns
        self.type_params: list[type_param] = [] if type_params is None else type_params
        self.line = line
        self.comments: list[str] = []


class ClassDef(Statement):
    """`class name(bases, keywords): body`."""

    __slots__ = fields = ("name", "bases", "keywords", "body", "decorator_list", "type_params")

    def __init__(
        self,
        name: str,
        bases: list[Expression] | None = None,
        keywords: list[keyword] | None = None,
        body: list[Statement] | None = None,
        decorator_list: list[Expression] | None = None,
        type_params: list[type_param] | None = None,
        *,
        line: int | None = None,
    ) -> None:
        self.name = name
        self.bases: list[Expression] = [] if bases is None else bases
        self.keywords: list[keyword] = [] if keywords is None else keywords
        self.body: list[Statement] = [] if body is None else body
        self.decorator_list: list[Expression] = [] if decorator_list is None else decorator_list
        self.type_params: list[type_param] = [] if type_params is None else type_params
        self.line = line
        self.comments: list[str] = []


# Compound statements


class If(Statement):
    """`if test: body else: orelse`; an orelse of one If is printed as `elif` if it is not ``written`` as `if`."""

    __slots__ = fields = ("test", "body", "orelse")

    def __init__(
        self,
        test: Expression,
        body: list[Statement] | None = None,
        orelse: list[Statement] | None = None,
        *,
        line: int | None = None,
    ) -> None:
        self.test = test
        self.body: list[Statement] = [] if body is None else body
        self.orelse: list[Statement] = [] if orelse is None else orelse
        self.line = line
        self.comments: list[str] = []


class While(Statement):
    """`while test: body else: orelse`."""

    __slots__ = fields = ("test", "body", "orelse")

    def __init__(
        self,
        test: Expression,
        body: list[Statement] | None = None,
        orelse: list[Statement] | None = None,
        *,
        line: int | None = None,
    ) -> None:
        self.test = test
        self.body: list[Statement] = [] if body is None else body
        self.orelse: list[Statement] = [] if orelse is None else orelse
        self.line = line
        self.comments: list[str] = []


class For(Statement):
    """`for target in iter: body else: orelse`."""

    __slots__ = fields = ("target", "iter", "body", "orelse")

    def __init__(
        self,
        target: Expression,
        iter: Expression,
        body: list[Statement] | None = None,
        orelse: list[Statement] | None = None,
        *,
        line: int | None = None,
    ) -> None:
        self.target = target
        self.iter = iter
        self.body: list[Statement] = [] if body is None else body
        self.orelse: list[Statement] = [] if orelse is None else orelse
        self.line = line
        self.comments: list[str] = []


class AsyncFor(Statement):
    """`async for target in iter: body else: orelse`."""

    __slots__ = fields = ("target", "iter", "body", "orelse")

    def __init__(
        self,
        target: Expression,
        iter: Expression,
        body: list[Statement] | None = None,
        orelse: list[Statement] | None = None,
        *,
        line: int | None = None,
    ) -> None:
        self.target = target
        self.iter = iter
        self.body: list[Statement] = [] if body is None else body
        self.orelse: list[Statement] = [] if orelse is None else orelse
        self.line = line
        self.comments: list[str] = []


class With(Statement):
    """`with items: body`."""

    __slots__ = fields = ("items", "body")

    def __init__(
        self,
        items: list[withitem] | None = None,
        body: list[Statement] | None = None,
        *,
        line: int | None = None,
    ) -> None:
        self.items: list[withitem] = [] if items is None else items
        self.body: list[Statement] = [] if body is None else body
        self.line = line
        self.comments: list[str] = []


class AsyncWith(Statement):
    """`async with items: body`."""

    __slots__ = fields = ("items", "body")

    def __init__(
        self,
        items: list[withitem] | None = None,
        body: list[Statement] | None = None,
        *,
        line: int | None = None,
    ) -> None:
        self.items: list[withitem] = [] if items is None else items
        self.body: list[Statement] = [] if body is None else body
        self.line = line
        self.comments: list[str] = []


class Try(Statement):
    """`try: body except ...: else: orelse finally: finalbody`."""

    __slots__ = fields = ("body", "handlers", "orelse", "finalbody")

    def __init__(
        self,
        body: list[Statement] | None = None,
        handlers: list[ExceptHandler] | None = None,
        orelse: list[Statement] | None = None,
        finalbody: list[Statement] | None = None,
        *,
        line: int | None = None,
    ) -> None:
        self.body: list[Statement] = [] if body is None else body
        self.handlers: list[ExceptHandler] = [] if handlers is None else handlers
        self.orelse: list[Statement] = [] if orelse is None else orelse
        self.finalbody: list[Statement] = [] if finalbody is None else finalbody
        self.line = line
        self.comments: list[str] = []


class TryStar(Statement):
    """Try with `except*`."""

    __slots__ = fields = ("body", "handlers", "orelse", "finalbody")

    def __init__(
        self,
        body: list[Statement] | None = None,
        handlers: list[ExceptHandler] | None = None,
        orelse: list[Statement] | None = None,
        finalbody: list[Statement] | None = None,
        *,
        line: int | None = None,
    ) -> None:
        self.body: list[Statement] = [] if body is None else body
        self.handlers: list[ExceptHandler] = [] if handlers is None else handlers
        self.orelse: list[Statement] = [] if orelse is None else orelse
        self.finalbody: list[Statement] = [] if finalbody is None else finalbody
        self.line = line
        self.comments: list[str] = []


class Match(Statement):
    """`match subject: case ...`."""

    __slots__ = fields = ("subject", "cases")

    def __init__(self, subject: Expression, cases: list[match_case] | None = None, *, line: int | None = None) -> None:
        self.subject = subject
        self.cases: list[match_case] = [] if cases is None else cases
        self.line = line
        self.comments: list[str] = []
