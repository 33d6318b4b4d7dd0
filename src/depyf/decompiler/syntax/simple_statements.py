"""Simple statements: those that contain no other statements."""

from __future__ import annotations

from .node import Expression, Statement, type_param
from .parts import alias

# Definitions


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
    """An expression by itself."""

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

    def __init__(self, names: list[alias] | None = None, is_lazy: int = 0, *, line: int | None = None) -> None:
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
