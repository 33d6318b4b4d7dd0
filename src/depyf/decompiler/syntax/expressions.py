"""Expressions other than atoms, and their parts: keywords, parameters, clauses of comprehensions."""

from __future__ import annotations

from .node import Expression, Node

# Operators


class BoolOp(Expression):
    """`a and b and c`; op is 'and' or 'or'.

    `gap` is the column where the first operand ends and that of the first instruction of the second one, if both are
    on one line: it is a hint, like lines. `later_gaps` are those between the second and the third, and so on.
    """

    __slots__ = ("op", "values", "gap", "later_gaps")
    fields = ("op", "values")

    def __init__(
        self,
        op: str,
        values: list[Expression] | None = None,
        gap: tuple[int, int] | None = None,
        later_gaps: tuple[tuple[int, int] | None, ...] = (),
    ) -> None:
        self.op = op
        self.values: list[Expression] = [] if values is None else values
        self.gap = gap
        self.later_gaps = later_gaps


class NamedExpr(Expression):
    """`target := value`."""

    __slots__ = fields = ("target", "value")

    def __init__(self, target: Expression, value: Expression) -> None:
        self.target = target
        self.value = value


class BinOp(Expression):
    """`left op right`; op is a binary operator such as '+' or '//'."""

    __slots__ = fields = ("left", "op", "right")

    def __init__(self, left: Expression, op: str, right: Expression) -> None:
        self.left = left
        self.op = op
        self.right = right


class UnaryOp(Expression):
    """`op operand`; op is 'not', '-', '+' or '~'."""

    __slots__ = fields = ("op", "operand")

    def __init__(self, op: str, operand: Expression) -> None:
        self.op = op
        self.operand = operand


class Compare(Expression):
    """`left op1 comparator1 op2 comparator2 ...`; ops such as '<', 'is not', 'not in'.

    `opposite` is the comparison in the bytecode, if this one is its negation. `keeps_not`: the compiler does not turn
    its negation with `not` into the opposite. `begins_with_not`: 'not in' and 'is not' are written `not a in b` and
    `not a is b`. All are hints, like lines.
    """

    __slots__ = ("left", "ops", "comparators", "opposite", "keeps_not", "begins_with_not")
    fields = ("left", "ops", "comparators")

    def __init__(
        self, left: Expression, ops: list[str] | None = None, comparators: list[Expression] | None = None
    ) -> None:
        self.left = left
        self.ops: list[str] = [] if ops is None else ops
        self.comparators: list[Expression] = [] if comparators is None else comparators
        self.opposite: Compare | None = None
        self.keeps_not = False
        self.begins_with_not = False


class IfExp(Expression):
    """`body if test else orelse`."""

    __slots__ = fields = ("test", "body", "orelse")

    def __init__(self, test: Expression, body: Expression, orelse: Expression) -> None:
        self.test = test
        self.body = body
        self.orelse = orelse


class Lambda(Expression):
    """`lambda args: body`."""

    __slots__ = fields = ("args", "body")

    def __init__(self, args: arguments, body: Expression) -> None:
        self.args = args
        self.body = body


# Displays and comprehensions


class comprehension(Node):
    """`for target in iter if cond`, a clause of a comprehension."""

    __slots__ = fields = ("target", "iter", "ifs", "is_async")

    def __init__(
        self, target: Expression, iter: Expression, ifs: list[Expression] | None = None, is_async: int = 0
    ) -> None:
        self.target = target
        self.iter = iter
        self.ifs: list[Expression] = [] if ifs is None else ifs
        self.is_async = is_async


class ListComp(Expression):
    """`[elt for ...]`."""

    __slots__ = fields = ("elt", "generators")

    def __init__(self, elt: Expression, generators: list[comprehension] | None = None) -> None:
        self.elt = elt
        self.generators: list[comprehension] = [] if generators is None else generators


class SetComp(Expression):
    """`{elt for ...}`."""

    __slots__ = fields = ("elt", "generators")

    def __init__(self, elt: Expression, generators: list[comprehension] | None = None) -> None:
        self.elt = elt
        self.generators: list[comprehension] = [] if generators is None else generators


class GeneratorExp(Expression):
    """`(elt for ...)`."""

    __slots__ = fields = ("elt", "generators")

    def __init__(self, elt: Expression, generators: list[comprehension] | None = None) -> None:
        self.elt = elt
        self.generators: list[comprehension] = [] if generators is None else generators


class DictComp(Expression):
    """`{key: value for ...}`; a value of None means `{**key for ...}` (3.15)."""

    __slots__ = fields = ("key", "value", "generators")

    def __init__(
        self, key: Expression, value: Expression | None, generators: list[comprehension] | None = None
    ) -> None:
        self.key = key
        self.value = value
        self.generators: list[comprehension] = [] if generators is None else generators


# Coroutines and generators


class Await(Expression):
    """`await value`."""

    __slots__ = fields = ("value",)

    def __init__(self, value: Expression) -> None:
        self.value = value


class Yield(Expression):
    """`yield value`."""

    __slots__ = fields = ("value",)

    def __init__(self, value: Expression | None = None) -> None:
        self.value = value


class YieldFrom(Expression):
    """`yield from value`."""

    __slots__ = fields = ("value",)

    def __init__(self, value: Expression) -> None:
        self.value = value


# Calls, attributes and subscripts


class keyword(Node):
    """`arg=value` in a call or a class; an arg of None means `**value`."""

    __slots__ = fields = ("arg", "value")

    def __init__(self, arg: str | None, value: Expression) -> None:
        self.arg = arg
        self.value = value


class Call(Expression):
    """`func(args, keywords)`."""

    __slots__ = fields = ("func", "args", "keywords")

    def __init__(
        self, func: Expression, args: list[Expression] | None = None, keywords: list[keyword] | None = None
    ) -> None:
        self.func = func
        self.args: list[Expression] = [] if args is None else args
        self.keywords: list[keyword] = [] if keywords is None else keywords


class Attribute(Expression):
    """`value.attr`."""

    __slots__ = fields = ("value", "attr")

    def __init__(self, value: Expression, attr: str) -> None:
        self.value = value
        self.attr = attr


class Subscript(Expression):
    """`value[slice]`."""

    __slots__ = fields = ("value", "slice")

    def __init__(self, value: Expression, slice: Expression) -> None:
        self.value = value
        self.slice = slice


class Slice(Expression):
    """`lower:upper:step` within a subscript."""

    __slots__ = fields = ("lower", "upper", "step")

    def __init__(
        self,
        lower: Expression | None = None,
        upper: Expression | None = None,
        step: Expression | None = None,
    ) -> None:
        self.lower = lower
        self.upper = upper
        self.step = step


class Starred(Expression):
    """`*value`."""

    __slots__ = fields = ("value",)

    def __init__(self, value: Expression) -> None:
        self.value = value


# Parameters


class arg(Node):
    """One parameter."""

    __slots__ = fields = ("arg", "annotation")

    def __init__(self, arg: str, annotation: Expression | None = None) -> None:
        self.arg = arg
        self.annotation = annotation


class arguments(Node):
    """The parameters of a function; defaults belong to the last positional ones; a kw_default may be None."""

    __slots__ = fields = ("posonlyargs", "args", "vararg", "kwonlyargs", "kw_defaults", "kwarg", "defaults")

    def __init__(
        self,
        posonlyargs: list[arg] | None = None,
        args: list[arg] | None = None,
        vararg: arg | None = None,
        kwonlyargs: list[arg] | None = None,
        kw_defaults: list[Expression | None] | None = None,
        kwarg: arg | None = None,
        defaults: list[Expression] | None = None,
    ) -> None:
        self.posonlyargs: list[arg] = [] if posonlyargs is None else posonlyargs
        self.args: list[arg] = [] if args is None else args
        self.vararg = vararg
        self.kwonlyargs: list[arg] = [] if kwonlyargs is None else kwonlyargs
        self.kw_defaults: list[Expression | None] = [] if kw_defaults is None else kw_defaults
        self.kwarg = kwarg
        self.defaults: list[Expression] = [] if defaults is None else defaults
