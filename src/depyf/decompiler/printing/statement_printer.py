"""Statements as text, line by line."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Sequence, Tuple

from ...escapes import printable
from ..syntax import nodes as n
from ..syntax.grammar import Grammar
from .constant_text import PrintError
from .expression_printer import ExpressionPrinter
from .line_wrapping import (
    CLOSE,
    CLOSE_INVISIBLE,
    COMMA,
    INDENT,
    OPEN_INVISIBLE_ITEMS,
    OPEN_ITEMS,
    wrap,
)
from .pattern_printer import PatternPrinter
from .precedence import YIELD
from .string_text import SINGLE_LINE_QUOTES, docstring_text

Known = Dict[Tuple[int, str], Tuple[n.Node, List[str]]]
"""Statements and their lines, by the statement's identity and its indent; tests of ``if`` and their text, without."""


class StatementPrinter:
    """Writes statements line by line; `line_map` grows along.

    ``known``: what has been written before, by identity.
    """

    def __init__(
        self, width: int, grammar: Grammar, quote: str = SINGLE_LINE_QUOTES[0], known: Known | None = None
    ) -> None:
        self.width = width
        self.known = known
        self.expressions = ExpressionPrinter(grammar, quote=quote)
        self.patterns = PatternPrinter(self.expressions)
        self.lines: list[str] = []
        self.line_map: dict[int, int] = {}
        self.indent = ""

    # Lines

    def emit(self, text: str, line: int | None = None) -> None:
        """Write one logical line."""
        new = wrap(text, self.indent, self.width)
        if "\n" in text:
            new = "\n".join(new).split("\n")
        if line is not None:
            for number, _ in enumerate(new, len(self.lines) + 1):
                self.line_map[number] = line
        self.lines += new

    def comments(self, node: n.Statement) -> None:
        """Write the comments of a statement."""
        for comment in node.comments:
            for text in comment.split("\n"):
                self.lines.append(f"{self.indent}# {printable(text)}".rstrip())

    # Bodies

    def module(self, body: Sequence[n.Statement]) -> None:
        """Write statements at the outermost level."""
        self.statements(body, "module")

    def block(self, body: Sequence[n.Statement], kind: str = "block") -> None:
        """Write the body of a compound statement."""
        indent = self.indent
        self.indent = indent + INDENT
        if body:
            self.statements(body, kind)
        else:
            self.lines.append(self.indent + "pass")
        self.indent = indent

    def statements(self, body: Sequence[n.Statement], kind: str) -> None:
        """Write statements, with blank lines between them by common style."""
        previous: n.Statement | None = None
        for statement in body:
            if type(statement) not in _METHODS:
                raise PrintError(f"no statement: {type(statement).__name__}")
            if previous is not None:
                self.lines += [""] * _blank_lines(previous, statement, kind)
            if statement.comments:
                self.comments(statement)
            if previous is None and kind != "block" and _is_docstring(statement):
                self.docstring(statement)
            elif self.known is not None and not statement.holds_bodies:
                self.write_again(statement, self.known)
            else:
                _METHODS[type(statement)](self, statement)
            previous = statement

    def write_again(self, statement: n.Statement, known: Known) -> None:
        """Write a statement as it is in ``known``, or add it there."""
        key = id(statement), self.indent
        if key in known:
            self.lines += known[key][1]
        else:
            start = len(self.lines)
            _METHODS[type(statement)](self, statement)
            known[key] = statement, self.lines[start:]

    def docstring(self, statement: Any) -> None:
        indent = self.indent if isinstance(statement.value, n.Docstring) else ""
        self.emit(docstring_text(statement.value.value, indent), statement.line)

    # Definitions

    def FunctionDef(self, node: n.FunctionDef) -> None:
        self.function(node, "def")

    def AsyncFunctionDef(self, node: n.AsyncFunctionDef) -> None:
        self.function(node, "async def")

    def function(self, node: n.FunctionDef | n.AsyncFunctionDef, keyword: str) -> None:
        self.decorators(node.decorator_list, node.line)
        parameters = self.expressions.parameters(node.args)
        text = f"{keyword} {node.name}{self.type_params(node.type_params)}"
        text += f"({OPEN_ITEMS}{f',{COMMA}'.join(parameters)}{CLOSE})"
        if node.returns is not None:
            text += f" -> {self.expressions.expression(node.returns)}"
        self.emit(text + ":", node.line)
        self.block(node.body, "function")

    def ClassDef(self, node: n.ClassDef) -> None:
        self.decorators(node.decorator_list, node.line)
        text = f"class {node.name}{self.type_params(node.type_params)}"
        if node.bases or node.keywords:
            text += f"({OPEN_ITEMS}{self.expressions.items([*node.bases, *node.keywords])}{CLOSE})"
        self.emit(text + ":", node.line)
        self.block(node.body, "class")

    def decorators(self, decorators: Sequence[n.Expression], line: int | None) -> None:
        for decorator in decorators:
            self.emit("@" + self.expressions.expression(decorator), line)

    def type_params(self, parameters: Sequence[n.type_param]) -> str:
        if not parameters:
            return ""
        return f"[{OPEN_ITEMS}{f',{COMMA}'.join([self.type_param(item) for item in parameters])}{CLOSE}]"

    def type_param(self, node: Any) -> str:
        stars: dict[type, str] = {n.TypeVar: "", n.ParamSpec: "**", n.TypeVarTuple: "*"}
        text: str = stars[type(node)] + node.name
        if isinstance(node, n.TypeVar) and node.bound is not None:
            text += ": " + self.expressions.expression(node.bound)
        if node.default_value is not None:
            text += " = " + self.expressions.expression(node.default_value)
        return text

    # Simple statements

    def Expr(self, node: n.Expr) -> None:
        text = self.expressions.value(node.value)
        self.emit(text, node.line)

    def Assign(self, node: n.Assign) -> None:
        targets = "".join([f"{self.target(target)} = " for target in node.targets])
        last = node.targets[-1] if node.targets else None
        if isinstance(last, (n.Tuple, n.List)) and not isinstance(node.value, n.Constant):
            value = self.expressions.bare_tuple(node.value, YIELD)
        else:
            value = self.expressions.value(node.value)
        self.emit(targets + value, node.line)

    def target(self, node: n.Expression) -> str:
        return self.expressions.bare_tuple(node)

    def AugAssign(self, node: n.AugAssign) -> None:
        text = f"{self.expressions.expression(node.target)} {node.op}= {self.expressions.value(node.value)}"
        self.emit(text, node.line)

    def AnnAssign(self, node: n.AnnAssign) -> None:
        target = self.expressions.expression(node.target)
        if not node.simple and isinstance(node.target, n.Name):
            target = f"({target})"
        text = f"{target}: {self.expressions.expression(node.annotation)}"
        if node.value is not None:
            text += f" = {self.expressions.value(node.value)}"
        self.emit(text, node.line)

    def TypeAlias(self, node: n.TypeAlias) -> None:
        name = self.expressions.expression(node.name) + self.type_params(node.type_params)
        self.emit(f"type {name} = {self.expressions.top_level(node.value)}", node.line)

    def Delete(self, node: n.Delete) -> None:
        self.emit("del " + self.plain_items(node.targets), node.line)

    def plain_items(self, items: Sequence[n.Expression]) -> str:
        return ", ".join([self.expressions.expression(item) for item in items])

    def Return(self, node: n.Return) -> None:
        text = "return" if node.value is None else "return " + self.expressions.result(node.value)
        self.emit(text, node.line)

    def Raise(self, node: n.Raise) -> None:
        text = "raise" if node.exc is None else "raise " + self.expressions.top_level(node.exc)
        if node.cause is not None:
            text += " from " + self.expressions.top_level(node.cause)
        self.emit(text, node.line)

    def Assert(self, node: n.Assert) -> None:
        text = "assert " + self.expressions.top_level(node.test)
        if node.msg is not None:
            text += ", " + self.expressions.top_level(node.msg)
        self.emit(text, node.line)

    def Import(self, node: n.Import) -> None:
        names = ", ".join([self.alias(name) for name in node.names])
        self.emit(f"{'lazy ' if node.is_lazy else ''}import {names}", node.line)

    def ImportFrom(self, node: n.ImportFrom) -> None:
        names = f",{COMMA}".join([self.alias(name) for name in node.names])
        if names != "*":
            names = f"{OPEN_INVISIBLE_ITEMS}{names}{CLOSE_INVISIBLE}"
        module = "." * node.level + (node.module or "")
        self.emit(f"{'lazy ' if node.is_lazy else ''}from {module} import {names}", node.line)

    def alias(self, node: n.alias) -> str:
        return node.name if node.asname is None else f"{node.name} as {node.asname}"

    def Global(self, node: n.Global) -> None:
        self.emit("global " + ", ".join(node.names), node.line)

    def Nonlocal(self, node: n.Nonlocal) -> None:
        self.emit("nonlocal " + ", ".join(node.names), node.line)

    def Pass(self, node: n.Pass) -> None:
        self.emit("..." if node.written == "..." else "pass", node.line)

    def Break(self, node: n.Break) -> None:
        self.emit("break", node.line)

    def Continue(self, node: n.Continue) -> None:
        self.emit("continue", node.line)

    def Raw(self, node: n.Raw) -> None:
        for text in node.text.split("\n"):
            if node.line is not None:
                self.line_map[len(self.lines) + 1] = node.line
            self.lines.append(self.indent + text if text else "")

    # Compound statements

    def If(self, node: n.If) -> None:
        keyword = "if"
        while True:  # a chain of elif may be long: no recursion
            test = self.expressions.test(node.test) if self.known is None else self.test_again(node.test, self.known)
            self.emit(f"{keyword} {test}:", node.line)
            self.block(node.body)
            following = node.orelse[0] if len(node.orelse) == 1 else None
            if not isinstance(following, n.If) or following.written == "if":
                break
            node, keyword = following, "elif"
            self.comments(node)
        self.clause("else", node.orelse)

    def test_again(self, test: n.Expression, known: Known) -> str:
        """The text of a test as it is in ``known``, or add it there."""
        key = id(test), ""
        if key not in known:
            known[key] = test, [self.expressions.test(test)]
        return known[key][1][0]

    def clause(self, keyword: str, body: Sequence[n.Statement]) -> None:
        """Write an `else:` or `finally:` if it has a body."""
        if body:
            self.lines.append(f"{self.indent}{keyword}:")
            self.block(body)

    def While(self, node: n.While) -> None:
        self.emit(f"while {self.expressions.test(node.test)}:", node.line)
        self.block(node.body)
        self.clause("else", node.orelse)

    def For(self, node: n.For) -> None:
        self.loop(node, "for")

    def AsyncFor(self, node: n.AsyncFor) -> None:
        self.loop(node, "async for")

    def loop(self, node: n.For | n.AsyncFor, keyword: str) -> None:
        iterable = self.expressions.top_level(node.iter)
        self.emit(f"{keyword} {self.target(node.target)} in {iterable}:", node.line)
        self.block(node.body)
        self.clause("else", node.orelse)

    def With(self, node: n.With) -> None:
        self.with_statement(node, "with")

    def AsyncWith(self, node: n.AsyncWith) -> None:
        self.with_statement(node, "async with")

    def with_statement(self, node: n.With | n.AsyncWith, keyword: str) -> None:
        # No parentheses around several items: Python 3.8 does not know them.
        items = []
        for item in node.items:
            text = self.expressions.expression(item.context_expr)
            value = item.context_expr
            is_tuple = isinstance(value, n.Tuple) or isinstance(value, n.Constant) and isinstance(value.value, tuple)
            if is_tuple and len(node.items) == 1 and item.optional_vars is None:
                text = f"({text})"  # a single pair of parentheses would be parsed as enclosing the items
            if item.optional_vars is not None:
                text += " as " + self.expressions.expression(item.optional_vars)
            items.append(text)
        self.emit(f"{keyword} {', '.join(items)}:", node.line)
        self.block(node.body)

    def Try(self, node: n.Try) -> None:
        self.try_statement(node, "except")

    def TryStar(self, node: n.TryStar) -> None:
        self.try_statement(node, "except*")

    def try_statement(self, node: n.Try | n.TryStar, keyword: str) -> None:
        self.emit("try:", node.line)
        self.block(node.body)
        for handler in node.handlers:
            text = keyword
            if handler.type is not None:
                text += " " + self.expressions.expression(handler.type)
            if handler.name is not None:
                text += " as " + handler.name
            self.emit(text + ":")
            self.block(handler.body)
        self.clause("else", node.orelse)
        self.clause("finally", node.finalbody)

    def Match(self, node: n.Match) -> None:
        self.emit(f"match {self.expressions.expression(node.subject)}:", node.line)
        indent = self.indent
        self.indent = indent + INDENT
        for case in node.cases:
            text = "case " + self.patterns.pattern(case.pattern)
            if case.guard is not None:
                text += " if " + self.expressions.test(case.guard)
            self.emit(text + ":")
            self.block(case.body)
        self.indent = indent


_DEFINITIONS = {n.FunctionDef, n.AsyncFunctionDef, n.ClassDef}
_IMPORTS = (n.Import, n.ImportFrom)


def _is_docstring(statement: n.Statement) -> bool:
    return (
        isinstance(statement, n.Expr) and isinstance(statement.value, n.Constant) and type(statement.value.value) is str
    )


def _blank_lines(previous: n.Statement, statement: n.Statement, kind: str) -> int:
    """The number of blank lines between two statements by common style."""
    if type(statement) in _DEFINITIONS or type(previous) in _DEFINITIONS:
        return 2 if kind == "module" else 1
    if kind == "module":
        if isinstance(previous, _IMPORTS):
            return 0 if isinstance(statement, _IMPORTS) else 1
        return 1 if _is_docstring(previous) else 0
    return 1 if kind == "class" and _is_docstring(previous) else 0


# The method of each class of nodes has the name of the class.
_METHODS: dict[type, Callable[[StatementPrinter, Any], None]] = {
    getattr(n, name): method
    for name, method in vars(StatementPrinter).items()
    if isinstance(getattr(n, name, None), type)
}
