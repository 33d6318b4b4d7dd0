"""Expressions as text, with the parentheses that precedence demands and no others."""

from __future__ import annotations

from typing import Any, Callable, Sequence

from ..syntax import nodes as n
from ..syntax.grammar import Grammar
from . import line_wrapping as marks
from .constant_text import PrintError, constant_text, tuple_items
from .formatted_strings import formatted_string, string_within_braces
from .line_wrapping import (
    ADJACENT,
    CLOSE,
    CLOSE_INVISIBLE,
    COMMA,
    OPEN,
    OPEN_INVISIBLE,
    OPEN_ITEMS,
)
from .precedence import (
    ATOM,
    AWAIT,
    BINARY_OPERATORS,
    BIT_OR,
    BOOLEAN_OPERATORS,
    COMPARISON,
    COMPARISON_OPERATORS,
    NAMED,
    NOT,
    OR,
    TEST,
    UNARY_OPERATORS,
    YIELD,
)
from .string_text import LONGEST_PIECE, SINGLE_LINE_QUOTES, string_pieces, string_text

_CONSTANTS = {n.Constant, n.Docstring}


class ExpressionPrinter:
    """Writes expressions, marked for `line_wrapping`.

    `grammar` is that of the Python which is to read them; the text is for an older one too where it can be.
    `quotes` are the kinds of quotes available within the braces of an f-string; None outside of them. `quote` is the
    kind to use where either can be.
    """

    def __init__(
        self, grammar: Grammar, quotes: Sequence[str] | None = None, quote: str = SINGLE_LINE_QUOTES[0]
    ) -> None:
        self.grammar = grammar
        self.quotes = quotes
        self.quote = quote
        self.string: Callable[[str], str] = self._string if quotes is None else self._string_within_braces

    def within(self, quotes: Sequence[str] | None) -> ExpressionPrinter:
        """The printer for what is within the braces of an f-string."""
        nested_quotes = self.grammar.nested_quotes and quotes is None
        return ExpressionPrinter(self.grammar._replace(nested_quotes=nested_quotes), quotes, self.quote)

    def _string(self, value: str) -> str:
        return string_text(value, self.quote)

    def _string_within_braces(self, value: str) -> str:
        return string_within_braces(value, self.quotes or ())

    def expression(self, node: n.Node, precedence: int = TEST) -> str:
        """The text of a node where at least this precedence is needed. Raises PrintError if there is none."""
        kind = type(node)
        if kind is n.Name:
            return node.id  # type: ignore[attr-defined, no-any-return]
        if kind not in _METHODS:
            raise PrintError(f"no expression: {kind.__name__}")
        return _METHODS[kind](self, node, precedence)

    def top_level(self, node: n.Node) -> str:
        """An expression that can be put in parentheses if the line gets too long."""
        return f"{OPEN_INVISIBLE}{self.alone(node)}{CLOSE_INVISIBLE}"

    def test(self, node: n.Node) -> str:
        """The condition of a statement, where an assignment expression needs no parentheses."""
        precedence = NAMED if type(node) is n.NamedExpr else TEST
        return f"{OPEN_INVISIBLE}{self.alone(node, precedence)}{CLOSE_INVISIBLE}"

    def value(self, node: n.Node) -> str:
        """The right side of an assignment, or an expression by itself: a yield needs no parentheses."""
        return f"{OPEN_INVISIBLE}{self.alone(node, YIELD)}{CLOSE_INVISIBLE}"

    def bare_tuple(self, node: n.Node, otherwise: int = TEST) -> str:
        """A tuple of two or more items without its parentheses, or any other expression."""
        if isinstance(node, n.Tuple) and len(node.elts) > 1:
            opening = marks.OPEN_INVISIBLE_SPREAD if node.spread else marks.OPEN_INVISIBLE_ITEMS
            return f"{opening}{self.items(node.elts)}{CLOSE_INVISIBLE}"
        if type(node) is n.Constant and type(node.value) is tuple and len(node.value) > 1:
            return f"{marks.OPEN_INVISIBLE_ITEMS}{tuple_items(node.value, self.string, self.quote)}{CLOSE_INVISIBLE}"
        return f"{OPEN_INVISIBLE}{self.alone(node, otherwise)}{CLOSE_INVISIBLE}"

    def result(self, node: n.Node) -> str:
        """What ``return`` or ``yield`` gives."""
        starred = isinstance(node, n.Tuple) and any(isinstance(item, n.Starred) for item in node.elts)
        return self.alone(node) if starred and not self.grammar.starred_result else self.bare_tuple(node)

    def items(self, nodes: Sequence[n.Node]) -> str:
        """Expressions with commas between them."""
        return f",{COMMA}".join([self.expression(node) for node in nodes])

    def alone(self, node: n.Node, precedence: int = TEST) -> str:
        """The only expression in its brackets: a long string there needs no parentheses."""
        if type(node) in _CONSTANTS and type(node.value) is str:  # type: ignore[attr-defined]
            return self.string_constant(node.value)  # type: ignore[attr-defined]
        return self.expression(node, precedence)

    def string_constant(self, value: str) -> str:
        """A string, in several literals if it is too long for a line."""
        if self.quotes is None and len(value) > LONGEST_PIECE:
            return f"{ADJACENT}".join(string_pieces(value, self.quote))
        return self.string(value)

    # Names, literals, displays

    def Name(self, node: n.Name, precedence: int) -> str:
        return node.id

    def Raw(self, node: n.Raw, precedence: int) -> str:
        return node.text

    def Constant(self, node: n.Constant, precedence: int) -> str:
        value = node.value
        if type(value) is str:
            text = self.string_constant(value)
            return f"({OPEN}{text}{CLOSE})" if ADJACENT in text else text
        text, own = constant_text(value, self.string, self.quote)
        return _parenthesized(text, own < precedence)

    def Docstring(self, node: n.Docstring, precedence: int) -> str:
        return self.Constant(node, precedence)

    def List(self, node: n.List, precedence: int) -> str:
        return f"[{OPEN_ITEMS}{self.items(node.elts)}{CLOSE}]"

    def Tuple(self, node: n.Tuple, precedence: int) -> str:
        comma = "," if len(node.elts) == 1 else ""
        return f"({marks.OPEN_SPREAD if node.spread else OPEN_ITEMS}{self.items(node.elts)}{comma}{CLOSE})"

    def Set(self, node: n.Set, precedence: int) -> str:
        return f"{{{OPEN_ITEMS}{self.items(node.elts)}{CLOSE}}}" if node.elts else "{*()}"

    def Dict(self, node: n.Dict, precedence: int) -> str:
        items = [
            "**" + self.expression(value, BIT_OR)
            if key is None
            else f"{self.expression(key)}: {self.expression(value)}"
            for key, value in zip(node.keys, node.values)
        ]
        return f"{{{OPEN_ITEMS}{_commas(items)}{CLOSE}}}"

    def JoinedStr(self, node: n.JoinedStr, precedence: int) -> str:
        return formatted_string(self, "f", node.values)

    def PercentFormat(self, node: n.PercentFormat, precedence: int) -> str:
        if self.quotes is not None:  # in the braces of another one, where quotes are rare
            return self.JoinedStr(node, precedence)
        text, values = "", []
        for part in node.values:
            if isinstance(part, n.FormattedValue):
                text += node.specifier(part)
                values.append(part.value)
            else:
                assert isinstance(part, n.Constant)
                text += str(part.value).replace("%", "%%")
        return self.BinOp(n.BinOp(n.Constant(text), "%", n.Tuple(values)), precedence)

    def TemplateStr(self, node: n.TemplateStr, precedence: int) -> str:
        return formatted_string(self, "t", node.values)

    def FormattedValue(self, node: n.FormattedValue, precedence: int) -> str:
        return formatted_string(self, "f", [node])

    def Interpolation(self, node: n.Interpolation, precedence: int) -> str:
        return formatted_string(self, "t", [node])

    # Operators

    def BoolOp(self, node: n.BoolOp, precedence: int) -> str:
        own = _operator(BOOLEAN_OPERATORS, node.op)
        operands = [self.expression(value, own + 1) for value in node.values]
        return _parenthesized(f"{marks.LOGIC}{node.op} ".join(operands), own < precedence)

    def NamedExpr(self, node: n.NamedExpr, precedence: int) -> str:
        text = f"{self.expression(node.target, ATOM)} := {self.expression(node.value)}"
        return _parenthesized(text, precedence > NAMED)

    def BinOp(self, node: n.BinOp, precedence: int) -> str:
        own, left_needs, right_needs, mark = _operator(BINARY_OPERATORS, node.op)
        pieces: list[str] = []
        left: n.Expression = node
        # Sums may have thousands of terms: the left operands are a loop, not a recursion.
        while isinstance(left, n.BinOp):
            pieces.append(f"{mark}{left.op} {self.expression(left.right, right_needs)}")
            left = left.left
            if isinstance(left, n.BinOp) and _operator(BINARY_OPERATORS, left.op)[0] != left_needs:
                break
        text = self.expression(left, left_needs) + "".join(reversed(pieces))
        return _parenthesized(text, own < precedence)

    def UnaryOp(self, node: n.UnaryOp, precedence: int) -> str:
        text, own = _operator(UNARY_OPERATORS, node.op)
        return _parenthesized(text + self.expression(node.operand, own), own < precedence)

    def Compare(self, node: n.Compare, precedence: int) -> str:
        pieces = [self.expression(node.left, BIT_OR)]
        for op, comparator in zip(node.ops, node.comparators):
            if op not in COMPARISON_OPERATORS:
                raise PrintError(f"no comparison: {op!r}")
            written = "in" if node.begins_with_not and op == "not in" else "is" if node.begins_with_not else op
            pieces.append(f"{marks.COMPARISON}{written} {self.expression(comparator, BIT_OR)}")
        if node.begins_with_not:
            return _parenthesized("not " + "".join(pieces), precedence > NOT)
        return _parenthesized("".join(pieces), precedence > COMPARISON)

    def IfExp(self, node: n.IfExp, precedence: int) -> str:
        body = self.expression(node.body, OR)
        test = self.expression(node.test, OR)
        text = f"{body}{marks.TERNARY}if {test}{marks.TERNARY}else {self.expression(node.orelse)}"
        return _parenthesized(text, precedence > TEST)

    def Lambda(self, node: n.Lambda, precedence: int) -> str:
        parameters = self.parameters(node.args)
        start = f"lambda {', '.join(parameters)}" if parameters else "lambda"
        return _parenthesized(marks.glue(f"{start}: {self.expression(node.body)}"), precedence > TEST)

    # Comprehensions

    def comprehension(self, node: n.comprehension, precedence: int) -> str:
        start = "async for" if node.is_async else "for"
        is_spread = isinstance(node.target, n.Tuple) and node.target.spread
        target = marks.glue(self.expression(node.target) if is_spread else self.bare_tuple(node.target, BIT_OR))
        text = f"{marks.CLAUSE}{start} {target} in {self.expression(node.iter, OR)}"
        return text + "".join([f"{marks.CLAUSE}if {self.expression(test, OR)}" for test in node.ifs])

    def clauses(self, element: str, generators: list[n.comprehension]) -> str:
        """The text between the brackets of a comprehension."""
        return OPEN + element + "".join([self.comprehension(clause, TEST) for clause in generators]) + CLOSE

    def ListComp(self, node: n.ListComp, precedence: int) -> str:
        return f"[{self.clauses(self.expression(node.elt), node.generators)}]"

    def SetComp(self, node: n.SetComp, precedence: int) -> str:
        return f"{{{self.clauses(self.expression(node.elt), node.generators)}}}"

    def GeneratorExp(self, node: n.GeneratorExp, precedence: int) -> str:
        return f"({self.clauses(self.expression(node.elt), node.generators)})"

    def DictComp(self, node: n.DictComp, precedence: int) -> str:
        if node.value is None:
            element = "**" + self.expression(node.key, BIT_OR)
        else:
            element = f"{self.expression(node.key)}: {self.expression(node.value)}"
        return f"{{{self.clauses(element, node.generators)}}}"

    # Coroutines and generators

    def Await(self, node: n.Await, precedence: int) -> str:
        return _parenthesized("await " + self.expression(node.value, ATOM), precedence > AWAIT)

    def Yield(self, node: n.Yield, precedence: int) -> str:
        text = "yield" if node.value is None else "yield " + self.result(node.value)
        return _parenthesized(text, precedence > YIELD)

    def YieldFrom(self, node: n.YieldFrom, precedence: int) -> str:
        return _parenthesized("yield from " + self.expression(node.value), precedence > YIELD)

    # Calls, attributes and subscripts

    def keyword(self, node: n.keyword, precedence: int) -> str:
        if node.arg is None:
            return "**" + self.expression(node.value, BIT_OR)
        return f"{node.arg}={self.expression(node.value)}"

    def arguments_of_call(self, args: Sequence[n.Node], keywords: Sequence[n.keyword]) -> str:
        """Arguments in parentheses; a single generator or assignment expression gets no additional parentheses."""
        if len(args) == 1 and not keywords:
            argument = self.alone(args[0], NAMED if type(args[0]) is n.NamedExpr else TEST)
            return argument if type(args[0]) is n.GeneratorExp else f"({OPEN_ITEMS}{argument}{CLOSE})"
        return f"({OPEN_ITEMS}{self.items([*args, *keywords])}{CLOSE})"

    def Call(self, node: n.Call, precedence: int) -> str:
        return self.expression(node.func, ATOM) + self.arguments_of_call(node.args, node.keywords)

    def Attribute(self, node: n.Attribute, precedence: int) -> str:
        value = node.value
        text = self.expression(value, ATOM)
        if type(value) in _CONSTANTS and type(value.value) is int and text[0] != "(":  # type: ignore[attr-defined]
            text = f"({text})"  # `1.x` is a syntax error
        return f"{text}.{node.attr}"

    def Subscript(self, node: n.Subscript, precedence: int) -> str:
        return f"{self.expression(node.value, ATOM)}[{OPEN}{self._index(node.slice)}{CLOSE}]"

    def _index(self, node: n.Expression) -> str:
        if isinstance(node, n.Tuple) and self._is_bare_index(node):
            return f",{COMMA}".join([self._index_item(item) for item in node.elts])
        elif isinstance(node, n.Constant):
            value = node.value
            if type(value) is tuple and (len(value) > 1 or any(isinstance(item, slice) for item in value)):
                comma = "," if len(value) == 1 else ""
                return f",{COMMA}".join([self._constant_index(item) for item in value]) + comma
            return self._constant_index(value)
        elif isinstance(node, n.Tuple) and node.elts and isinstance(node.elts[0], n.Slice):
            return self._index_item(node.elts[0]) + ","
        return self._index_item(node)

    def _is_bare_index(self, node: n.Tuple) -> bool:
        """Whether the index needs no parentheses. They can't contain a slice, so with one it has never had any."""
        if self.grammar.starred_index and any(isinstance(item, n.Starred) for item in node.elts):
            return True
        if len(node.elts) < 2:
            return False
        return any(map(_is_slice, node.elts)) or not any(isinstance(item, n.Starred) for item in node.elts)

    def _index_item(self, node: n.Expression) -> str:
        if isinstance(node, n.Slice):
            return self._bare_slice(node)
        return self._constant_index(node.value) if isinstance(node, n.Constant) else self.expression(node)

    def _constant_index(self, value: object) -> str:
        """From 3.14 on slices of constants are constants."""
        if not isinstance(value, slice):
            return self.expression(n.Constant(value))
        bounds = (value.start, value.stop, value.step)
        return self._bare_slice(n.Slice(*[None if part is None else n.Constant(part) for part in bounds]))

    def Slice(self, node: n.Slice, precedence: int) -> str:
        """A slice outside of brackets, which a syntax tree can have and a text cannot."""
        bounds = [node.lower or n.Constant(None), node.upper or n.Constant(None), node.step]
        return self.expression(n.Call(n.Name("slice"), [one for one in bounds if one is not None]), precedence)

    def _bare_slice(self, node: n.Slice) -> str:
        lower = "" if node.lower is None else self.expression(node.lower)
        upper = "" if node.upper is None else self.expression(node.upper)
        step = "" if node.step is None else ":" + self.expression(node.step)
        return f"{lower}:{upper}{step}"

    def Starred(self, node: n.Starred, precedence: int) -> str:
        return "*" + self.expression(node.value, BIT_OR)

    # Parameters

    def arg(self, node: n.arg, precedence: int) -> str:
        return node.arg if node.annotation is None else f"{node.arg}: {self.expression(node.annotation)}"

    def parameters(self, node: n.arguments) -> list[str]:
        """The parameters of a function, as text between its commas."""
        positional = node.posonlyargs + node.args
        texts = [self.arg(parameter, TEST) for parameter in positional]
        first = len(positional) - len(node.defaults)
        for position, default in enumerate(node.defaults, first):
            texts[position] = self._with_default(positional[position], default)
        if node.posonlyargs:
            texts.insert(len(node.posonlyargs), "/")
        if node.vararg is not None:
            texts.append("*" + self.arg(node.vararg, TEST))
        elif node.kwonlyargs:
            texts.append("*")
        for position, parameter in enumerate(node.kwonlyargs):
            given = node.kw_defaults[position] if position < len(node.kw_defaults) else None
            texts.append(self.arg(parameter, TEST) if given is None else self._with_default(parameter, given))
        if node.kwarg is not None:
            texts.append("**" + self.arg(node.kwarg, TEST))
        return texts

    def _with_default(self, parameter: n.arg, default: n.Expression) -> str:
        equals = "=" if parameter.annotation is None else " = "
        return self.arg(parameter, TEST) + equals + self.expression(default)


def _commas(items: Sequence[str]) -> str:
    return f",{COMMA}".join(items)


def _parenthesized(text: str, needed: bool) -> str:
    return f"({OPEN}{text}{CLOSE})" if needed else text


def _is_slice(node: n.Expression) -> bool:
    return isinstance(node, n.Slice) or isinstance(node, n.Constant) and isinstance(node.value, slice)


def _operator(table: dict[str, Any], op: str) -> Any:
    if op not in table:
        raise PrintError(f"no operator here: {op!r}")
    return table[op]


# The method of each class of nodes has the name of the class.
_METHODS: dict[type, Callable[[ExpressionPrinter, Any, int], str]] = {
    getattr(n, name): method
    for name, method in vars(ExpressionPrinter).items()
    if isinstance(getattr(n, name, None), type)
}
