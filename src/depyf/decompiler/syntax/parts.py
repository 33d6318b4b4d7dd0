"""Parts of statements other than expressions: aliases, handlers, match patterns, type parameters."""

from __future__ import annotations

from .node import Expression, Node, Statement, field, pattern, type_param

_Pattern = pattern  # two of the classes have a field of this name

# Roots


class Module(Node):
    """The body of a file."""

    body: list[Statement] = field(default_factory=list)


# Parts of statements


class alias(Node):
    """`name as asname` in an import."""

    name: str
    asname: str | None = None


class withitem(Node):
    """`context_expr as optional_vars`."""

    context_expr: Expression
    optional_vars: Expression | None = None


class ExceptHandler(Node):
    """`except type as name:`."""

    type: Expression | None = None
    name: str | None = None
    body: list[Statement] = field(default_factory=list)


class match_case(Node):
    """`case pattern if guard:`."""

    pattern: _Pattern
    guard: Expression | None = None
    body: list[Statement] = field(default_factory=list)


class TypeVar(type_param):
    """The type parameter `name: bound = default_value`."""

    name: str
    bound: Expression | None = None
    default_value: Expression | None = None


class ParamSpec(type_param):
    """The type parameter `**name`."""

    name: str
    default_value: Expression | None = None


class TypeVarTuple(type_param):
    """The type parameter `*name`."""

    name: str
    default_value: Expression | None = None


# Patterns of a match statement


class MatchValue(pattern):
    """`case 1` or `case a.b`."""

    value: Expression


class MatchSingleton(pattern):
    """`case None`, `case True`, `case False`."""

    value: object


class MatchSequence(pattern):
    """`case [a, b]`."""

    patterns: list[pattern] = field(default_factory=list)


class MatchMapping(pattern):
    """`case {key: pattern, **rest}`."""

    keys: list[Expression] = field(default_factory=list)
    patterns: list[pattern] = field(default_factory=list)
    rest: str | None = None


class MatchClass(pattern):
    """`case cls(pattern, attr=pattern)`."""

    cls: Expression
    patterns: list[pattern] = field(default_factory=list)
    kwd_attrs: list[str] = field(default_factory=list)
    kwd_patterns: list[pattern] = field(default_factory=list)


class MatchStar(pattern):
    """`*name` in a sequence; None for `*_`."""

    name: str | None = None


class MatchAs(pattern):
    """`case pattern as name`, `case name`; both None for `case _`."""

    pattern: _Pattern | None = None
    name: str | None = None


class MatchOr(pattern):
    """`case a | b`."""

    patterns: list[pattern] = field(default_factory=list)
