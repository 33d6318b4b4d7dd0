"""Folds the statements into which pytest has rewritten an assert back to that assert.

Takes the resolved body. In the result, each run of statements with the shape of a rewritten assert is one ``assert``;
the others are unchanged. Nothing here is trusted: the text is rewritten as by pytest before it is compiled and
compared (proof/pytest_asserts.py).

A rewritten assert stores each intermediate value in a separate variable, tests the last one, and then describes all of
them::

    @py_assert3 = f(a)
    @py_assert5 = @py_assert3 == b
    if not @py_assert5:
        ...
        raise AssertionError(@pytest_ar._format_explanation(@py_format7))
    @py_assert3 = @py_assert5 = None
"""

from __future__ import annotations

from typing import Iterable, Sequence

from ..bytecode import RawCode
from ..proof.pytest_asserts import HELPERS
from ..syntax import nodes
from ..syntax.node import Expression, Statement

ASSUMPTION = "each assert stands for the statements into which pytest rewrites it"
_VARIABLE = "@py_assert"
_PASS_HOOK = "_check_if_assertion_pass_impl"


def is_rewritten(raw: RawCode) -> bool:
    """Whether pytest has rewritten asserts of ``raw`` itself, or inserted the imports of its helpers."""
    return HELPERS in raw.names


def is_of_rewriter(name: str) -> bool:
    """Whether pytest gives this name to a variable in an assert that it rewrites, or to its helpers."""
    return name.startswith(("@py_", HELPERS))


def has_short_form(raw: RawCode) -> bool:
    """Whether its asserts may have the form read here, not the one that also reports passing asserts."""
    return is_rewritten(raw) and _PASS_HOOK not in raw.names


def fold_asserts(body: list[Statement], kind: str) -> int:
    """Fold rewritten asserts of ``body`` back; return their number, including imports of pytest's helpers."""
    found = [0]
    renamed: dict[str, str] = {}

    def fold(inner: list[Statement]) -> None:
        result: list[Statement] = []
        at = 0
        while at < len(inner):
            try:
                statement, after = _Reader(inner, at, renamed).read()
            except _OtherShape:
                result.append(inner[at])
                at += 1
            else:
                found[0] += 1
                result.append(statement)
                at = after
        inner[:] = result

    nodes.rewrite_bodies(body, fold)
    return found[0] + (_drop_imports(body) if kind == "module" else 0)


def _drop_imports(body: list[Statement]) -> int:
    """Remove the imports of pytest's helpers, which the rewriter inserts at the top of every module."""
    imports = [
        statement
        for statement in body
        if isinstance(statement, nodes.Import) and any((name.asname or "").startswith("@") for name in statement.names)
    ]
    body[:] = [statement for statement in body if not any(statement is one for one in imports)]
    return len(imports)


class _OtherShape(Exception):
    """Raised if the statements are not a rewritten assert."""


class _Reader:
    """Reads one rewritten assert at ``start`` of ``body``; ``values`` maps each of its variables to its expression.

    ``renamed``: pytest's variables that ``:=`` binds instead of the author's, in the asserts read so far.
    """

    def __init__(self, body: list[Statement], start: int, renamed: dict[str, str]) -> None:
        self.body = body
        self.start = start
        self.renamed = renamed
        self.values: dict[str, Expression] = {}
        self.operators: dict[str, str] = {}  # by the variable with the list of explanations of an `and` or `or`
        self.chains: set[tuple[str, ...]] = set()  # of variables with the results of one comparison
        self.message: Expression | None = None

    def read(self) -> tuple[nodes.Assert, int]:
        """The assert, and the index of the statement after it."""
        end = self._end()
        test = self.body[end]
        assert isinstance(test, nodes.If)
        for call in _calls(test.body):
            self._describe(call)
        at = self.start
        while at < end:
            at = self._step(self.body, at)
        if at != end:
            raise _OtherShape
        condition = self._value(_positive(test.test))
        end += 1
        if self.values:
            if end == len(self.body) or not _is_clear(self.body[end]):
                raise _OtherShape
            end += 1
        return nodes.Assert(condition, self.message, line=test.line), end

    def _end(self) -> int:
        """The index of the test that raises the error."""
        for at in range(self.start, len(self.body)):
            statement = self.body[at]
            if isinstance(statement, nodes.If):
                if _raises(statement):
                    return at
            elif _stored(statement) is None:
                break
        raise _OtherShape

    def _describe(self, call: nodes.Call) -> None:
        """Read from a call of pytest's helpers what the values alone don't show."""
        name = call.func.attr if isinstance(call.func, nodes.Attribute) else ""
        if name == "_format_boolop" and len(call.args) == 2:
            variable, is_or = call.args
            if isinstance(variable, nodes.Name) and isinstance(is_or, nodes.Constant):
                self.operators[variable.id] = "or" if is_or.value else "and"
        elif name == "_call_reprcompare" and len(call.args) == 4:
            results = call.args[1]
            names = results.elts if isinstance(results, nodes.Tuple) else []
            self.chains.add(tuple(name.id for name in names if isinstance(name, nodes.Name)))
        elif name == "_format_assertmsg" and len(call.args) == 1:
            self.message = call.args[0]

    def _step(self, body: Sequence[Statement], at: int) -> int:
        """Read the store at ``at``, or the whole `and` or `or` that begins there; return the index after it."""
        name = _stored(body[at])
        if name is None:
            raise _OtherShape
        value = _assigned(body[at])
        if name in self.operators and value == nodes.List():
            result = f"{_VARIABLE}{int(name[len(_VARIABLE) :]) - 1}"
            operands: list[Expression] = []
            at = self._operands(body, at + 1, result, operands)
            self.values[name] = value
            self.values[result] = nodes.BoolOp(self.operators[name], operands)
            return at
        self.values[name] = self._computed(value)
        return at + 1

    def _operands(self, body: Sequence[Statement], at: int, result: str, operands: list[Expression]) -> int:
        """Read the operands, each in the body of the previous one's test; return the index after the first test."""
        while at < len(body) and _stored(body[at]) != result:
            at = self._step(body, at)
        if at == len(body):
            raise _OtherShape
        operand = self._value(_assigned(body[at]))
        if isinstance(operand, nodes.Compare):
            operand.left = self._named_again(operand.left, operands)
        operands.append(operand)
        at += 1
        if at < len(body) and _stored(body[at]) and _assigned(body[at]) == nodes.Name(result):
            self.values[_stored(body[at]) or ""] = operands[-1]  # kept because a later `:=` may change it
            at += 1
        if at < len(body):
            deeper = body[at]
            if not isinstance(deeper, nodes.If) or deeper.orelse:
                raise _OtherShape
            if self._operands(deeper.body, 0, result, operands) != len(deeper.body):
                raise _OtherShape
            at += 1
        return at

    def _computed(self, node: Expression) -> Expression:
        """An expression whose parts are in variables, or one that pytest does not split."""
        value = self._value
        if isinstance(node, nodes.UnaryOp):
            return nodes.UnaryOp(node.op, value(node.operand))
        if isinstance(node, nodes.BinOp):
            return nodes.BinOp(value(node.left), node.op, value(node.right))
        if isinstance(node, nodes.Attribute):
            return nodes.Attribute(value(node.value), node.attr)
        if isinstance(node, nodes.Compare) and len(node.ops) == 1:
            right = self._named_again(node.comparators[0], [node.left])
            return nodes.Compare(value(node.left), list(node.ops), [value(right)])
        if isinstance(node, nodes.Call):
            keywords = [nodes.keyword(keyword.arg, value(keyword.value)) for keyword in node.keywords]
            return nodes.Call(value(node.func), list(map(value, node.args)), keywords)
        return value(node)

    def _named_again(self, node: Expression, before: list[Expression]) -> Expression:
        """``a := b``, where pytest has renamed ``a`` because it is one of the operands ``before``."""
        if not isinstance(node, nodes.NamedExpr) or not _is_variable(node.target):
            return node
        names = {operand.id for operand in before if isinstance(operand, nodes.Name)}
        if len(names) != 1 or not isinstance(node.target, nodes.Name):
            raise _OtherShape
        (name,) = names
        self.renamed[node.target.id] = name
        self.values[node.target.id] = nodes.Name(name)
        return nodes.NamedExpr(nodes.Name(name), node.value)

    def _value(self, node: Expression) -> Expression:
        """The expression of a variable, or a comparison chain whose parts are each in a variable."""
        if isinstance(node, nodes.Name):
            return self.values.get(node.id, node)
        if isinstance(node, nodes.NamedExpr) and isinstance(node.target, nodes.Name) and node.target.id in self.renamed:
            return nodes.Name(self.renamed[node.target.id])
        if isinstance(node, nodes.Starred):
            return nodes.Starred(self._value(node.value))
        if isinstance(node, nodes.BoolOp) and node.op == "and":
            names = tuple(value.id for value in node.values if isinstance(value, nodes.Name))
            parts = [self.values.get(name) for name in names]
            if names in self.chains and len(parts) == len(node.values):
                return _chain(parts)
        return node


def _chain(parts: Iterable[Expression | None]) -> Expression:
    chained: nodes.Compare | None = None
    for part in parts:
        if not isinstance(part, nodes.Compare):
            raise _OtherShape
        if chained is None:
            chained = nodes.Compare(part.left)
        chained.ops += part.ops
        chained.comparators += part.comparators
    assert chained is not None
    return chained


def _positive(test: Expression) -> Expression:
    """The condition of which ``test`` is the negation."""
    if isinstance(test, nodes.UnaryOp) and test.op == "not":
        return test.operand
    if isinstance(test, nodes.BoolOp) and test.op == "or":
        return nodes.BoolOp("and", list(map(_positive, test.values)))
    raise _OtherShape


def _stored(statement: Statement) -> str | None:
    """The pytest variable that ``statement`` assigns to."""
    if isinstance(statement, nodes.Assign) and len(statement.targets) <= 2:
        *others, target = statement.targets
        if isinstance(target, nodes.Name) and _is_variable(target):
            named = all(isinstance(other, nodes.Name) and not _is_variable(other) for other in others)
            return target.id if named else None
    return None


def _is_variable(node: Expression) -> bool:
    return isinstance(node, nodes.Name) and node.id.startswith(_VARIABLE)


def _assigned(statement: Statement) -> Expression:
    """The assigned value: ``a = @py_assert1 = b`` compiles to the same as ``@py_assert1 = (a := b)``."""
    assert isinstance(statement, nodes.Assign)
    if len(statement.targets) == 2:
        return nodes.NamedExpr(statement.targets[0], statement.value)
    return statement.value


def _is_clear(statement: Statement) -> bool:
    """Whether it is ``@py_assert1 = @py_assert3 = None``, the end of a rewritten assert."""
    if not isinstance(statement, nodes.Assign) or statement.value != nodes.Constant(None):
        return False
    return all(map(_is_variable, statement.targets))


def _raises(statement: nodes.If) -> bool:
    """Whether it raises the error of a rewritten assert."""
    last = statement.body[-1] if statement.body else None
    if statement.orelse or not isinstance(last, nodes.Raise) or not isinstance(last.exc, nodes.Call):
        return False
    return any(_helper(call) == "_format_explanation" for call in last.exc.args)


def _calls(body: list[Statement]) -> list[nodes.Call]:
    """The calls of pytest's helpers."""
    found = [node for node in nodes.walk(nodes.Module(body)) if _helper(node)]
    return [node for node in found if isinstance(node, nodes.Call)]


def _helper(node: nodes.Node) -> str:
    """The name of the called helper; '' if none is called."""
    function = node.func if isinstance(node, nodes.Call) else None
    if isinstance(function, nodes.Attribute) and function.value == nodes.Name(HELPERS):
        return function.attr
    return ""
