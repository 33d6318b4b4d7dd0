"""Parts of statements other than expressions: aliases, handlers, match patterns, type parameters."""

from __future__ import annotations

from .node import Expression, Node, Statement, pattern, type_param

# Roots


class Module(Node):
    """The body of a file."""

    __slots__ = fields = ("body",)

    def __init__(self, body: list[Statement] | None = None) -> None:
        self.body: list[Statement] = [] if body is None else body


# Parts of statements


class alias(Node):
    """`name as asname` in an import."""

    __slots__ = fields = ("name", "asname")

    def __init__(self, name: str, asname: str | None = None) -> None:
        self.name = name
        self.asname = asname


class withitem(Node):
    """`context_expr as optional_vars`."""

    __slots__ = fields = ("context_expr", "optional_vars")

    def __init__(self, context_expr: Expression, optional_vars: Expression | None = None) -> None:
        self.context_expr = context_expr
        self.optional_vars = optional_vars


class ExceptHandler(Node):
    """`except type as name:`."""

    __slots__ = fields = ("type", "name", "body")

    def __init__(
        self, type: Expression | None = None, name: str | None = None, body: list[Statement] | None = None
    ) -> None:
        self.type = type
        self.name = name
        self.body: list[Statement] = [] if body is None else body


class match_case(Node):
    """`case pattern if guard:`."""

    __slots__ = fields = ("pattern", "guard", "body")

    def __init__(self, pattern: pattern, guard: Expression | None = None, body: list[Statement] | None = None) -> None:
        self.pattern = pattern
        self.guard = guard
        self.body: list[Statement] = [] if body is None else body


class TypeVar(type_param):
    """The type parameter `name: bound = default_value`."""

    __slots__ = fields = ("name", "bound", "default_value")

    def __init__(self, name: str, bound: Expression | None = None, default_value: Expression | None = None) -> None:
        self.name = name
        self.bound = bound
        self.default_value = default_value


class ParamSpec(type_param):
    """The type parameter `**name`."""

    __slots__ = fields = ("name", "default_value")

    def __init__(self, name: str, default_value: Expression | None = None) -> None:
        self.name = name
        self.default_value = default_value


class TypeVarTuple(type_param):
    """The type parameter `*name`."""

    __slots__ = fields = ("name", "default_value")

    def __init__(self, name: str, default_value: Expression | None = None) -> None:
        self.name = name
        self.default_value = default_value


# Patterns of a match statement


class MatchValue(pattern):
    """`case 1` or `case a.b`."""

    __slots__ = fields = ("value",)

    def __init__(self, value: Expression) -> None:
        self.value = value


class MatchSingleton(pattern):
    """`case None`, `case True`, `case False`."""

    __slots__ = fields = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value


class MatchSequence(pattern):
    """`case [a, b]`."""

    __slots__ = fields = ("patterns",)

    def __init__(self, patterns: list[pattern] | None = None) -> None:
        self.patterns: list[pattern] = [] if patterns is None else patterns


class MatchMapping(pattern):
    """`case {key: pattern, **rest}`."""

    __slots__ = fields = ("keys", "patterns", "rest")

    def __init__(
        self,
        keys: list[Expression] | None = None,
        patterns: list[pattern] | None = None,
        rest: str | None = None,
    ) -> None:
        self.keys: list[Expression] = [] if keys is None else keys
        self.patterns: list[pattern] = [] if patterns is None else patterns
        self.rest = rest


class MatchClass(pattern):
    """`case cls(pattern, attr=pattern)`."""

    __slots__ = fields = ("cls", "patterns", "kwd_attrs", "kwd_patterns")

    def __init__(
        self,
        cls: Expression,
        patterns: list[pattern] | None = None,
        kwd_attrs: list[str] | None = None,
        kwd_patterns: list[pattern] | None = None,
    ) -> None:
        self.cls = cls
        self.patterns: list[pattern] = [] if patterns is None else patterns
        self.kwd_attrs: list[str] = [] if kwd_attrs is None else kwd_attrs
        self.kwd_patterns: list[pattern] = [] if kwd_patterns is None else kwd_patterns


class MatchStar(pattern):
    """`*name` in a sequence; None for `*_`."""

    __slots__ = fields = ("name",)

    def __init__(self, name: str | None = None) -> None:
        self.name = name


class MatchAs(pattern):
    """`case pattern as name`, `case name`; both None for `case _`."""

    __slots__ = fields = ("pattern", "name")

    def __init__(self, pattern: pattern | None = None, name: str | None = None) -> None:
        self.pattern = pattern
        self.name = name


class MatchOr(pattern):
    """`case a | b`."""

    __slots__ = fields = ("patterns",)

    def __init__(self, patterns: list[pattern] | None = None) -> None:
        self.patterns: list[pattern] = [] if patterns is None else patterns
