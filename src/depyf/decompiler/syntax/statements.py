"""Statements: the classes of `ast`, by name and field, each with its original line and its comments."""

from __future__ import annotations

from depyf.decompiler.syntax.expressions import arguments, keyword
from depyf.decompiler.syntax.node import Expression, Statement, type_param
from depyf.decompiler.syntax.parts import ExceptHandler, alias, match_case, withitem

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


class TypeAlias(Statement):
    """`type name[type_params] = value`."""

    __slots__ = fields = ("name", "type_params", "value")

    def __init__(
        self, name: Expression, type_params: list[type_param], value: Expression, *, line: int | None = None
    ) -> None:
        self.name = name
        self.type_params = type_params
        self.value = value
        self.line = line
        self.comments: list[str] = []


# Simple statements


class Expr(Statement):
    """An expression that stands by itself."""

    __slots__ = fields = ("value",)

    def __init__(self, value: Expression, *, line: int | None = None) -> None:
        self.value = value
        self.line = line
        self.comments: list[str] = []


class Assign(Statement):
    """`target1 = target2 = value`."""

    __slots__ = fields = ("targets", "value")

    def __init__(self, targets: list[Expression], value: Expression, *, line: int | None = None) -> None:
        self.targets = targets
        self.value = value
        self.line = line
        self.comments: list[str] = []


class AugAssign(Statement):
    """`target op= value`; op without the equals sign."""

    __slots__ = fields = ("target", "op", "value")

    def __init__(self, target: Expression, op: str, value: Expression, *, line: int | None = None) -> None:
        self.target = target
        self.op = op
        self.value = value
        self.line = line
        self.comments: list[str] = []


class AnnAssign(Statement):
    """`target: annotation = value`; simple is 0 for a name in parentheses."""

    __slots__ = fields = ("target", "annotation", "value", "simple")

    def __init__(
        self,
        target: Expression,
        annotation: Expression,
        value: Expression | None = None,
        simple: int = 1,
        *,
        line: int | None = None,
    ) -> None:
        self.target = target
        self.annotation = annotation
        self.value = value
        self.simple = simple
        self.line = line
        self.comments: list[str] = []


class Delete(Statement):
    """`del targets`."""

    __slots__ = fields = ("targets",)

    def __init__(self, targets: list[Expression] | None = None, *, line: int | None = None) -> None:
        self.targets: list[Expression] = [] if targets is None else targets
        self.line = line
        self.comments: list[str] = []


class Return(Statement):
    """`return value`."""

    __slots__ = fields = ("value",)

    def __init__(self, value: Expression | None = None, *, line: int | None = None) -> None:
        self.value = value
        self.line = line
        self.comments: list[str] = []


class Raise(Statement):
    """`raise exc from cause`."""

    __slots__ = fields = ("exc", "cause")

    def __init__(
        self, exc: Expression | None = None, cause: Expression | None = None, *, line: int | None = None
    ) -> None:
        self.exc = exc
        self.cause = cause
        self.line = line
        self.comments: list[str] = []


class Assert(Statement):
    """`assert test, msg`."""

    __slots__ = fields = ("test", "msg")

    def __init__(self, test: Expression, msg: Expression | None = None, *, line: int | None = None) -> None:
        self.test = test
        self.msg = msg
        self.line = line
        self.comments: list[str] = []


class Import(Statement):
    """`import names`; is_lazy for `lazy import` of 3.15."""

    __slots__ = fields = ("names", "is_lazy")

    def __init__(
        self, names: list[alias] | None = None, is_lazy: int = 0, *, line: int | None = None
    ) -> None:
        self.names: list[alias] = [] if names is None else names
        self.is_lazy = is_lazy
        self.line = line
        self.comments: list[str] = []


class ImportFrom(Statement):
    """`from ..module import names`; level counts the dots."""

    __slots__ = fields = ("module", "names", "level", "is_lazy")

    def __init__(
        self,
        module: str | None,
        names: list[alias] | None = None,
        level: int = 0,
        is_lazy: int = 0,
        *,
        line: int | None = None,
    ) -> None:
        self.module = module
        self.names: list[alias] = [] if names is None else names
        self.level = level
        self.is_lazy = is_lazy
        self.line = line
        self.comments: list[str] = []


class Global(Statement):
    """`global names`."""

    __slots__ = fields = ("names",)

    def __init__(self, names: list[str] | None = None, *, line: int | None = None) -> None:
        self.names: list[str] = [] if names is None else names
        self.line = line
        self.comments: list[str] = []


class Nonlocal(Statement):
    """`nonlocal names`."""

    __slots__ = fields = ("names",)

    def __init__(self, names: list[str] | None = None, *, line: int | None = None) -> None:
        self.names: list[str] = [] if names is None else names
        self.line = line
        self.comments: list[str] = []


class Pass(Statement):
    """`pass`."""

    __slots__ = fields = ()

    def __init__(self, *, line: int | None = None) -> None:
        self.line = line
        self.comments: list[str] = []


class Break(Statement):
    """`break`."""

    __slots__ = fields = ()

    def __init__(self, *, line: int | None = None) -> None:
        self.line = line
        self.comments: list[str] = []


class Continue(Statement):
    """`continue`."""

    __slots__ = fields = ()

    def __init__(self, *, line: int | None = None) -> None:
        self.line = line
        self.comments: list[str] = []


# Compound statements


class If(Statement):
    """`if test: body else: orelse`; an orelse of one If is printed as `elif`."""

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

    def __init__(
        self, subject: Expression, cases: list[match_case] | None = None, *, line: int | None = None
    ) -> None:
        self.subject = subject
        self.cases: list[match_case] = [] if cases is None else cases
        self.line = line
        self.comments: list[str] = []
