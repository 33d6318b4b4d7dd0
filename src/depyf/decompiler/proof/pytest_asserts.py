"""A model of pytest's assertion rewriter (7.4 to 9), which transforms the tree of a module.

An assert becomes statements that store every intermediate value in a variable, and describe them on failure.
Text with asserts is compared with code that pytest has rewritten by rewriting it too: any deviation of this model from
pytest makes the proof fail, never succeed.

Needs only the standard library of CPython 3.7 to 3.15: other versions' compilers load it (compile_worker.py).
"""

from __future__ import annotations

import ast
import itertools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterable, Iterator

HELPERS, BUILTINS = "@pytest_ar", "@py_builtins"
"""The names of pytest's helpers, and of builtins, in the rewritten module: of the imports inserted at its top."""
REWRITER = "_pytest.assertion.rewrite"
"""The module with the helpers."""
SNAPSHOT, OVERWRITE = "snapshot", "overwrite"
"""The handling of ``:=``: since pytest 9.2 values that it may change are kept in a variable; before, a changed value
is written again where its name is read."""

_SYMBOLS = {
    "BitOr": "|", "BitXor": "^", "BitAnd": "&", "LShift": "<<", "RShift": ">>", "Add": "+", "Sub": "-", "Mult": "*",
    "Div": "/", "FloorDiv": "//", "Mod": "%%", "Eq": "==", "NotEq": "!=", "Lt": "<", "LtE": "<=", "Gt": ">",
    "GtE": ">=", "Pow": "**", "Is": "is", "IsNot": "is not", "In": "in", "NotIn": "not in", "MatMult": "@",
}  # fmt: skip
_UNARY = {"Not": "not %s", "Invert": "~%s", "USub": "-%s", "UAdd": "+%s"}
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_END = object()


def rewrite_module(tree: Any, walrus: str, imports: bool) -> None:
    """Rewrite all asserts in ``tree``; ``imports``: it is a whole module, which imports the helpers at its top."""
    if imports:
        _import_helpers(tree)
    rewriter = _Rewriter(walrus)
    nodes: list[Any] = [tree]
    scope: tuple[Any, ...] = (tree,)
    while nodes:
        node = nodes.pop()
        if node is _END:
            scope = scope[:-1]
            continue
        if isinstance(node, _SCOPES):
            scope = (*scope, node)
            nodes.append(_END)
        rewriter.overwritten = rewriter.by_scope.setdefault(scope, {})
        for name, field in ast.iter_fields(node):
            if isinstance(field, list):
                new: list[Any] = []
                for child in field:
                    if isinstance(child, ast.Assert):
                        new.extend(rewriter.rewritten(child))
                    else:
                        new.append(child)
                        if isinstance(child, ast.AST):
                            nodes.append(child)
                setattr(node, name, new)
            elif isinstance(field, ast.AST) and not isinstance(field, ast.expr):
                nodes.append(field)


def _import_helpers(module: Any) -> None:
    if not module.body:
        return
    at, docstring = 0, True
    for statement in module.body:
        value = getattr(statement, "value", None)
        if docstring and isinstance(statement, ast.Expr) and _is_text(value):
            docstring = False
        elif not (isinstance(statement, ast.ImportFrom) and not statement.level and statement.module == "__future__"):
            break
        at += 1
    first = module.body[min(at, len(module.body) - 1)]
    imports = ast.parse(f"import builtins as a\nimport {REWRITER} as b").body
    for statement, name in zip(imports, (BUILTINS, HELPERS)):
        statement.names[0].asname = name  # type: ignore[attr-defined]
        for node in ast.walk(statement):
            ast.copy_location(node, first)
    module.body[at:at] = imports


def _is_text(value: Any) -> bool:
    # Python 3.7 has separate node types for constants.
    return isinstance(getattr(value, "value", getattr(value, "s", None)), str) and type(value).__name__ in (
        "Constant",
        "Str",
    )


def _text(value: str | int | None) -> Any:
    return ast.Constant(value, kind=None)


def _load(name: str) -> Any:
    return ast.Name(name, ast.Load())


def _walrus_targets(nodes: Iterable[Any]) -> set[str]:
    inside = itertools.chain.from_iterable(map(ast.walk, nodes))
    return {node.target.id for node in inside if type(node).__name__ == "NamedExpr"}  # type: ignore[attr-defined]


class _Rewriter:
    """The state of one assert: counters, the statements so far, and the values shown in its message."""

    def __init__(self, walrus: str) -> None:
        self.snapshots = walrus == SNAPSHOT
        self.by_scope: dict[Any, dict[str, Any]] = {}
        self.overwritten: dict[str, Any] = {}
        self.counter: Iterator[int] = itertools.count()
        self.statements: list[Any] = []
        self.explaining: list[Any] = []
        self.variables: list[str] = []
        self.shown: list[dict[str, Any]] = []

    def rewritten(self, statement: Any) -> list[Any]:
        self.counter = itertools.count()
        self.statements, self.explaining, self.variables, self.shown = [], [], [], [{}]
        condition, explanation = self.visit(statement.test)
        body = self.explaining
        self.statements.append(ast.If(ast.UnaryOp(ast.Not(), condition), body, []))
        if statement.msg:
            message, explanation = self.helper("_format_assertmsg", statement.msg), "\n>assert " + explanation
        else:
            message, explanation = _text(""), "assert " + explanation
        formatted = self.format(ast.BinOp(message, ast.Add(), _text(explanation)))
        error = ast.Call(_load("AssertionError"), [self.helper("_format_explanation", formatted)], [])
        body.append(ast.Raise(error, None))
        if self.variables:
            names: list[ast.expr] = [ast.Name(name, ast.Store()) for name in self.variables]
            self.statements.append(ast.Assign(names, _text(None)))
        for new in self.statements:
            for node in ast.walk(new):
                if getattr(node, "lineno", None) is None:
                    ast.copy_location(node, statement)
            ast.fix_missing_locations(new)
        return self.statements

    def variable(self) -> str:
        self.variables.append(f"@py_assert{next(self.counter)}")
        return self.variables[-1]

    def assign(self, value: Any) -> Any:
        name = self.variable()
        self.statements.append(ast.Assign([ast.Name(name, ast.Store())], value))
        return _load(name)

    def helper(self, name: str, *arguments: Any) -> Any:
        return ast.Call(ast.Attribute(_load(HELPERS), name, ast.Load()), list(arguments), [])

    def display(self, value: Any) -> Any:
        return self.helper("_saferepr", value)

    def show(self, value: Any) -> str:
        """The placeholder in the message for ``value``."""
        key = f"py{next(self.counter)}"
        self.shown[-1][key] = value
        return f"%({key})s"

    def show_name(self, name: str, node: Any) -> str:
        scope = ast.Call(ast.Attribute(_load(BUILTINS), "locals", ast.Load()), [], [])
        local = ast.Compare(_text(name), [ast.In()], [scope])
        test = ast.BoolOp(ast.Or(), [local, self.helper("_should_repr_global_name", node)])
        return self.show(ast.IfExp(test, self.display(node), _text(name)))

    def format(self, template: Any) -> Any:
        shown = self.shown.pop()
        values = ast.Dict([_text(key) for key in shown], list(shown.values()))
        name = f"@py_format{next(self.counter)}"
        self.explaining.append(ast.Assign([ast.Name(name, ast.Store())], ast.BinOp(template, ast.Mod(), values)))
        return _load(name)

    # One method for each kind of expression: returns the name of its value, and its description in the message

    def visit(self, node: Any) -> tuple[Any, str]:
        return getattr(self, f"visit_{type(node).__name__}", self.visit_any)(node)

    def visit_any(self, node: Any) -> tuple[Any, str]:
        value = self.assign(node)
        return value, self.show(self.display(value))

    def visit_operand(self, node: Any, later: list[Any]) -> tuple[Any, str]:
        before = set(self.shown[-1])
        value, explanation = self.visit(node)
        if self.snapshots and isinstance(value, ast.Name) and value.id in _walrus_targets(later):
            value = self.assign(value)
            for key in set(self.shown[-1]) - before:
                self.shown[-1][key] = self.display(value)
        return value, explanation

    def visit_Name(self, node: Any) -> tuple[Any, str]:
        return node, self.show_name(node.id, node)

    def visit_NamedExpr(self, node: Any) -> tuple[Any, str]:
        target = node.target.id
        return node, self.show_name(target, _load(target) if self.snapshots else node)

    def visit_BoolOp(self, node: Any) -> tuple[Any, str]:
        result = self.variable()
        explanations = self.assign(ast.List([], ast.Load()))
        append = ast.Attribute(explanations, "append", ast.Load())
        is_or = isinstance(node.op, ast.Or)
        body = statements = self.statements
        explaining = self.explaining
        targets = [_walrus_targets(node.values[index + 1 :]) for index in range(len(node.values))]
        self.shown.append({})
        condition: Any = None
        for index, value in enumerate(node.values):
            if index:
                inner: list[Any] = []
                self.explaining.append(ast.If(condition, inner, []))
                self.explaining = inner
                self.overwrite_visited(value, node.values[:index])
            self.shown.append({})
            found, explanation = self.visit(value)
            body.append(ast.Assign([ast.Name(result, ast.Store())], found))
            last = index == len(node.values) - 1
            is_named, is_name = type(value).__name__ == "NamedExpr", isinstance(value, ast.Name)
            if self.snapshots and (is_named and not last or is_name and value.id in targets[index]):
                found = self.assign(_load(result))
                self.shown[-1].update(dict.fromkeys(self.shown[-1], self.display(found)))
            described = self.format(_text(explanation))
            self.explaining.append(ast.Expr(ast.Call(append, [described], [])))
            if not last:
                condition = ast.UnaryOp(ast.Not(), found) if is_or else found
                deeper: list[Any] = []
                self.statements.append(ast.If(condition, deeper, []))
                self.statements = body = deeper
        self.statements, self.explaining = statements, explaining
        text = self.format(self.helper("_format_boolop", explanations, _text(int(is_or))))
        return _load(result), self.show(text)

    def visit_UnaryOp(self, node: Any) -> tuple[Any, str]:
        operand, explanation = self.visit(node.operand)
        return self.assign(ast.UnaryOp(node.op, operand)), _UNARY[type(node.op).__name__] % (explanation,)

    def visit_BinOp(self, node: Any) -> tuple[Any, str]:
        left, left_text = self.visit_operand(node.left, [node.right])
        right, right_text = self.visit(node.right)
        value = self.assign(ast.BinOp(left, node.op, right))
        return value, f"({left_text} {_SYMBOLS[type(node.op).__name__]} {right_text})"

    def visit_Call(self, node: Any) -> tuple[Any, str]:
        operands = [*node.args, *(keyword.value for keyword in node.keywords)]
        function, text = self.visit_operand(node.func, operands)
        texts, arguments, keywords = [], [], []
        for index, argument in enumerate(node.args):
            value, explanation = self.visit_operand(self.overwritten_name(argument), operands[index + 1 :])
            texts.append(explanation)
            arguments.append(value)
        for index, keyword in enumerate(node.keywords, len(node.args)):
            keyword.value = self.overwritten_name(keyword.value)
            value, explanation = self.visit_operand(keyword.value, operands[index + 1 :])
            texts.append(f"{keyword.arg}={explanation}" if keyword.arg else f"**{explanation}")
            keywords.append(ast.keyword(keyword.arg, value))
        result = self.assign(ast.Call(function, arguments, keywords))
        shown = self.show(self.display(result))
        return result, "{}\n{{{} = {}({})\n}}".format(shown, shown, text, ", ".join(texts))

    def visit_Starred(self, node: Any) -> tuple[Any, str]:
        value, explanation = self.visit(node.value)
        return ast.Starred(value, node.ctx), f"*{explanation}"

    def visit_Attribute(self, node: Any) -> tuple[Any, str]:
        value, explanation = self.visit(node.value)
        result = self.assign(ast.Attribute(value, node.attr, ast.Load()))
        shown = self.show(self.display(result))
        return result, f"{shown}\n{{{shown} = {explanation}.{node.attr}\n}}"

    def visit_Compare(self, node: Any) -> tuple[Any, str]:
        self.shown.append({})
        node.left = self.overwritten_name(node.left)
        if not self.snapshots and type(node.left).__name__ == "NamedExpr":
            self.overwritten[node.left.target.id] = node.left
        left, left_text = self.compared(node.left, node.comparators)
        names = [self.variable() for _ in node.ops]
        texts, symbols, results = [], [], [left]
        for index, operator in enumerate(node.ops):
            operand = node.comparators[index]
            is_named = type(operand).__name__ == "NamedExpr"
            if not self.snapshots and is_named and isinstance(left, ast.Name) and operand.target.id == left.id:
                operand.target.id = self.variable()
                self.overwritten[left.id] = operand
            right, right_text = self.compared(operand, node.comparators[index + 1 :])
            results.append(right)
            symbol = _SYMBOLS[type(operator).__name__]
            symbols.append(_text(symbol))
            texts.append(_text(f"{left_text} {symbol} {right_text}"))
            test = ast.Compare(left, [operator], [right])
            self.statements.append(ast.Assign([ast.Name(names[index], ast.Store())], test))
            left, left_text = right, right_text
        loads = [_load(name) for name in names]
        tuples = [ast.Tuple(items, ast.Load()) for items in (symbols, loads, texts, results)]
        text = self.show(self.format(self.helper("_call_reprcompare", *tuples)))
        return (ast.BoolOp(ast.And(), loads) if len(loads) > 1 else loads[0]), text

    def compared(self, operand: Any, later: list[Any]) -> tuple[Any, str]:
        value, text = self.visit_operand(operand, later)
        if self.snapshots and type(value).__name__ == "NamedExpr":
            value = self.assign(value)
        return value, f"({text})" if isinstance(operand, (ast.Compare, ast.BoolOp)) else text

    # Before 9.2

    def overwritten_name(self, node: Any) -> Any:
        return self.overwritten.get(node.id, node) if not self.snapshots and isinstance(node, ast.Name) else node

    def overwrite_visited(self, value: Any, before: list[Any]) -> None:
        """Rename the target bound on the left of ``value``, a comparison, if its name was an earlier operand."""
        left: Any = value.left if isinstance(value, ast.Compare) else None
        if self.snapshots or type(left).__name__ != "NamedExpr":
            return
        if left.target.id in [node.id for node in before if hasattr(node, "id")]:
            name = self.variable()
            self.overwritten[left.target.id] = left
            left.target.id = name
