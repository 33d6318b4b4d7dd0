"""Expressions other than atoms, and their parts: keywords, parameters, clauses of comprehensions."""

from __future__ import annotations

from .node import Expression, Node, field

# Operators


class BoolOp(Expression):
    """`a and b and c`; op is 'and' or 'or'.

    `gap` is the column where the first operand ends and that of the first instruction of the second one, if both are
    on one line: it is a hint, like lines. `later_gaps` are those between the second and the third, and so on.
    """

    fields = ("op", "values")
    op: str
    values: list[Expression] = field(default_factory=list)
    gap: tuple[int, int] | None = None
    later_gaps: tuple[tuple[int, int] | None, ...] = ()


class NamedExpr(Expression):
    """`target := value`."""

    target: Expression
    value: Expression


class BinOp(Expression):
    """`left op right`; op is a binary operator such as '+' or '//'."""

    left: Expression
    op: str
    right: Expression


class UnaryOp(Expression):
    """`op operand`; op is 'not', '-', '+' or '~'."""

    op: str
    operand: Expression


class Compare(Expression):
    """`left op1 comparator1 op2 comparator2 ...`; ops such as '<', 'is not', 'not in'.

    `opposite` is the comparison in the bytecode, if this one is its negation. `keeps_not`: the compiler does not turn
    its negation with `not` into the opposite. `begins_with_not`: 'not in' and 'is not' are written `not a in b` and
    `not a is b`. All are hints, like lines.
    """

    left: Expression
    ops: list[str] = field(default_factory=list)
    comparators: list[Expression] = field(default_factory=list)
    opposite: Compare | None = field(default=None, init=False)
    keeps_not: bool = field(default=False, init=False)
    begins_with_not: bool = field(default=False, init=False)


class IfExp(Expression):
    """`body if test else orelse`."""

    test: Expression
    body: Expression
    orelse: Expression


class Lambda(Expression):
    """`lambda args: body`."""

    args: arguments
    body: Expression


# Displays and comprehensions


class comprehension(Node):
    """`for target in iter if cond`, a clause of a comprehension."""

    target: Expression
    iter: Expression
    ifs: list[Expression] = field(default_factory=list)
    is_async: int = 0


class ListComp(Expression):
    """`[elt for ...]`."""

    elt: Expression
    generators: list[comprehension] = field(default_factory=list)


class SetComp(Expression):
    """`{elt for ...}`."""

    elt: Expression
    generators: list[comprehension] = field(default_factory=list)


class GeneratorExp(Expression):
    """`(elt for ...)`."""

    elt: Expression
    generators: list[comprehension] = field(default_factory=list)


class DictComp(Expression):
    """`{key: value for ...}`; a value of None means `{**key for ...}` (3.15)."""

    key: Expression
    value: Expression | None
    generators: list[comprehension] = field(default_factory=list)


# Coroutines and generators


class Await(Expression):
    """`await value`."""

    value: Expression


class Yield(Expression):
    """`yield value`."""

    value: Expression | None = None


class YieldFrom(Expression):
    """`yield from value`."""

    value: Expression


# Calls, attributes and subscripts


class keyword(Node):
    """`arg=value` in a call or a class; an arg of None means `**value`."""

    arg: str | None
    value: Expression


class Call(Expression):
    """`func(args, keywords)`."""

    func: Expression
    args: list[Expression] = field(default_factory=list)
    keywords: list[keyword] = field(default_factory=list)


class Attribute(Expression):
    """`value.attr`."""

    value: Expression
    attr: str


class Subscript(Expression):
    """`value[slice]`."""

    value: Expression
    slice: Expression


class Slice(Expression):
    """`lower:upper:step` within a subscript."""

    lower: Expression | None = None
    upper: Expression | None = None
    step: Expression | None = None


class Starred(Expression):
    """`*value`."""

    value: Expression


# Parameters


class arg(Node):
    """One parameter."""

    arg: str
    annotation: Expression | None = None


class arguments(Node):
    """The parameters of a function; defaults belong to the last positional ones; a kw_default may be None."""

    posonlyargs: list[arg] = field(default_factory=list)
    args: list[arg] = field(default_factory=list)
    vararg: arg | None = None
    kwonlyargs: list[arg] = field(default_factory=list)
    kw_defaults: list[Expression | None] = field(default_factory=list)
    kwarg: arg | None = None
    defaults: list[Expression] = field(default_factory=list)
