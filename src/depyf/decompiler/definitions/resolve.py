"""Inserts nested code into a lifted body: functions, lambdas, classes and comprehensions."""

from __future__ import annotations

from typing import Any, Callable, Optional, Tuple

from ...errors import DecompilationError
from ..bytecode import RawCode, comprehension_variables, readable_instructions
from ..bytecode.code.flags import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_VARARGS, CO_VARKEYWORDS
from ..bytecode.kinds import GENERIC, comprehension_of, is_late, is_private, kind_of
from ..lift.folding.comprehensions import always, never
from ..lift.folding.hidden_names import bind_in_dead_clause
from ..lift.folding.negation import negate
from ..lift.values import (
    Alias,
    Append,
    ArgumentTuple,
    AssertionClass,
    Class,
    CommonConstant,
    Comprehension,
    Function,
    Generic,
    Slot,
    Stored,
    Truth,
    Unpacked,
    resolved,
)
from ..syntax import nodes
from ..syntax.node import NODES
from ..syntax.scopes import bound_by
from ..syntax.transforms.kept_constants import apart
from . import type_parameters
from .annotation_text import annotation
from .annotations import annotations_of, find_function, lost_annotations, spread, starred
from .unused import mention_in_value, unused_value

Nested = Callable[[RawCode], "list[nodes.Statement]"]
"""Returns the finished body of a nested code object."""


class Definitions:
    """Resolves the placeholders of one body. ``nested`` gives the bodies of nested code objects.

    ``keeps_constants``: default values that are all constants, but are not folded to one, are kept separate.
    """

    def __init__(self, raw: RawCode, nested: Nested, keeps_constants: bool = False) -> None:
        self.raw = raw
        self.keeps_constants = keeps_constants
        self.kept = False  # whether there were any
        self.nested = nested
        self.definitions: list[tuple[nodes.Statement, list[nodes.Statement]]] = []  # (definition without body, body)

    def resolve(self, body: list[nodes.Statement]) -> list[nodes.Statement]:
        """``body`` without placeholders. Raises DecompilationError if one is left.

        Definitions have empty bodies until ``put_in_bodies``: finished bodies need not be walked again.
        """
        if kind_of(self.raw) == "generic":
            return [self._with_type_params(body)]
        if is_late(self.raw):
            body = type_parameters.without_formats(body, self.raw.qualname)
        if self.raw.table.behavior.annotations_are_lazy and not self.raw.is_function:
            index, function = find_function(body)
            if function is not None:
                found = annotations_of(self.nested(function.raw), function.raw)
            else:
                index, found = len(body), lost_annotations(body, self.raw)
            if found:
                spread(body, index, found, is_class=kind_of(self.raw) == "class")
        module = nodes.Module(body)
        if _placeholder(module) is None:
            return body  # the common case: assignments and returns are replaced only for what they hold
        nodes.rewrite(module, self._replace, _REPLACED)
        left = _placeholder(module)
        if isinstance(left, Stored):
            raise DecompilationError(
                "a value that is stored and used in one expression", stage="lift", where=self.raw.qualname
            )
        if left is not None and not isinstance(left, ArgumentTuple):
            raise DecompilationError(
                f"a value that no statement uses: {left!r}", stage="lift", where=self.raw.qualname
            )
        return module.body

    def put_in_bodies(self) -> None:
        """Give the definitions their bodies."""
        for statement, body in self.definitions:
            statement.body = body  # type: ignore[attr-defined]

    def expression(self, value: nodes.Expression) -> nodes.Expression:
        """One expression without placeholders."""
        result = nodes.rewrite(value, self._replace, _REPLACED)
        assert isinstance(result, nodes.Expression)
        return result

    def _replace(self, node: nodes.Node) -> nodes.Node:
        return _REPLACED[type(node)](self, node)

    def _slot(self, node: Slot) -> nodes.Node:
        if node.value is None:
            raise DecompilationError(
                "a value stays on the stack where branches meet", stage="lift", where=self.raw.qualname
            )
        return self.expression(node.value)

    def _truth(self, node: Truth) -> nodes.Node:
        return nodes.UnaryOp("not", nodes.UnaryOp("not", self.expression(node.value)))

    def _stored(self, node: Stored) -> nodes.Node:
        return nodes.NamedExpr(node.target, node.value) if isinstance(node.target, nodes.Name) else node

    def _return(self, node: nodes.Return) -> nodes.Node:
        if isinstance(node.value, Unpacked) and len(node.value.group.targets) == 1:
            node.value = nodes.Starred(self.expression(node.value.group.value))  # the default of a TypeVarTuple
        return node

    # Functions

    def _lambda(self, function: Function) -> nodes.Expression:
        if kind_of(function.raw) != "lambda":
            return function
        return nodes.Lambda(self.arguments(function), value_of_lambda(self.nested(function.raw), function.raw))

    def _assignment(self, node: nodes.Assign) -> nodes.Node:
        while isinstance(node.value, nodes.NamedExpr):  # the same instructions as a chained assignment (more common)
            node.targets.insert(0, node.value.target)
            node.value = node.value.value
        return self._definition(node)

    def _definition(self, node: nodes.Assign) -> nodes.Node:
        value: nodes.Node = node.value
        decorators: list[nodes.Expression] = []
        while type(value) is nodes.Call and value.args and not (value.args[1:] or value.keywords):
            decorators.append(value.func)
            value = value.args[0]
        if value.__class__ not in _DEFINED:
            return node
        assert isinstance(value, (Function, Class, Alias, Generic))
        target = node.targets[0]
        if isinstance(value, Generic):
            name = value.function.raw.name[len(GENERIC) : -1]
        else:
            name = value.raw.name if isinstance(value, Function) else value.name
        if len(node.targets) != 1 or not isinstance(target, nodes.Name) or not is_private(target.id, name):
            raise DecompilationError("a definition that is stored elsewhere", stage="lift", where=name)
        if isinstance(value, Class):
            return self._class(value, decorators, node.line)
        if isinstance(value, Alias):
            return nodes.TypeAlias(nodes.Name(name), [], self._late(value.value), line=node.line)
        if isinstance(value, Generic):
            return self._generic(value, decorators, node.line)
        return self._function(value, decorators, node.line)

    def _function(self, value: Function, decorators: list[nodes.Expression], line: int | None) -> nodes.Statement:
        kind = nodes.AsyncFunctionDef if value.raw.flags & (CO_COROUTINE | CO_ASYNC_GENERATOR) else nodes.FunctionDef
        returns = self._annotations(value).get("return")
        statement = kind(value.raw.name, self.arguments(value), [], decorators, returns, line=line)
        self.definitions.append((statement, self.nested(value.raw)))
        return statement

    def _class(self, value: Class, decorators: list[nodes.Expression], line: int | None) -> nodes.Statement:
        bases = [self.expression(base) for base in value.bases]
        for keyword in value.keywords:
            keyword.value = self.expression(keyword.value)
        statement = nodes.ClassDef(value.name, bases, value.keywords, [], decorators, line=line)
        self.definitions.append((statement, self.nested(value.function.raw)))
        return statement

    # Type parameters

    def _late(self, function: Function) -> nodes.Expression:
        return type_parameters.late_value(self.nested(function.raw), function.raw.qualname)

    def _with_type_params(self, body: list[nodes.Statement]) -> nodes.Statement:
        """The definition returned by the function that makes its type parameters."""
        where = self.raw.qualname
        value, parameters = type_parameters.returned(body, where)
        written = [type_parameters.parameter(resolved(node), self._late, where) for node in parameters]
        if isinstance(value, Alias):
            return nodes.TypeAlias(nodes.Name(value.name), written, self._late(value.value))
        if isinstance(value, Class):
            value.bases.pop()
            statement = self._class(value, [], None)
        else:
            for kind in ("defaults", "kwdefaults"):
                if value.parts.get(kind) in type_parameters.DEFAULTS:
                    del value.parts[kind]  # they are evaluated outside
            statement = self._function(value, [], None)
        statement.type_params = written  # type: ignore[attr-defined]
        return statement

    def _generic(self, value: Generic, decorators: list[nodes.Expression], line: int | None) -> nodes.Statement:
        raw = value.function.raw
        (statement,) = self.nested(raw)
        statement.line = line
        if isinstance(statement, nodes.TypeAlias):
            return statement
        statement.decorator_list = decorators  # type: ignore[attr-defined]
        if isinstance(statement, (nodes.FunctionDef, nodes.AsyncFunctionDef)):
            given = [resolved(argument) for argument in value.arguments]
            parts = {"kwdefaults" if isinstance(part, nodes.Dict) else "defaults": part for part in given}
            # The mapping has mangled names.
            inner = [one for one in raw.nested if one.name == statement.name][-1:]
            names = [name for one in inner for name in one.parameters[one.argcount :][: one.kwonlyargcount]]
            statement.args.defaults, mapping = self._defaults(Function(raw, parts))
            statement.args.kw_defaults = [mapping.get(name) for name in names]
        return statement

    def _annotations(self, function: Function) -> dict[str, nodes.Expression]:
        deferred = function.parts.get("annotate")
        if isinstance(deferred, Function):
            found = annotations_of(self.nested(deferred.raw), deferred.raw)
            stringified = function.raw.has_future_annotations
            return {item.name: annotation(item.value, stringified) for item in found}
        value = function.parts.get("annotations")
        if value is None:
            return {}
        items: list[nodes.Expression]
        if isinstance(value, nodes.Constant) and isinstance(value.value, tuple):
            items = [nodes.Constant(part) for part in value.value]
        elif isinstance(value, nodes.Tuple):
            items = list(value.elts)
            if self.keeps_constants and all(isinstance(item, nodes.Constant) for item in items):
                items[1], self.kept = apart(items[1]), True
        elif isinstance(value, nodes.Dict) and None not in value.keys:
            items = [part for item in zip(value.keys, value.values) for part in item]  # type: ignore[misc]
        else:
            where = function.raw.qualname
            raise DecompilationError("annotations that are no tuple or dictionary", stage="lift", where=where)
        stringified = function.raw.has_future_annotations
        return {
            str(name.value): annotation(self.expression(starred(text)), stringified)
            for name, text in zip(items[::2], items[1::2])
            if isinstance(name, nodes.Constant)
        }

    def arguments(self, function: Function) -> nodes.arguments:
        """The parameters with their defaults and annotations."""
        values, keyword_defaults = self._defaults(function)
        return arguments_of(function.raw, values, keyword_defaults, self._annotations(function))

    def _defaults(self, function: Function) -> tuple[list[nodes.Expression], dict[str, nodes.Expression]]:
        defaults = function.parts.get("defaults")
        values: list[nodes.Expression] = []
        if isinstance(defaults, nodes.Constant) and isinstance(defaults.value, tuple):
            values = [nodes.Constant(value) for value in defaults.value]
        elif isinstance(defaults, nodes.Tuple):
            values = [self.expression(value) for value in defaults.elts]
            if self.keeps_constants and all(isinstance(value, nodes.Constant) for value in values):
                values[:1], self.kept = map(apart, values[:1]), True
        elif defaults is not None:
            raise DecompilationError("default values that are no tuple", stage="lift", where=function.raw.qualname)
        keyword_defaults: dict[str, nodes.Expression] = {}
        mapping = function.parts.get("kwdefaults")
        if mapping is not None and not isinstance(mapping, nodes.Dict):
            raise DecompilationError(
                "keyword defaults that are no dictionary", stage="lift", where=function.raw.qualname
            )
        for key, value in zip(mapping.keys, mapping.values) if mapping is not None else ():
            if not isinstance(key, nodes.Constant) or not isinstance(key.value, str):
                raise DecompilationError("keyword defaults without names", stage="lift", where=function.raw.qualname)
            keyword_defaults[key.value] = self.expression(value)
        return values, keyword_defaults

    # Comprehensions

    def _comprehension(self, node: Comprehension) -> nodes.Expression:
        raw = node.function.raw
        if node.function.parts:
            raise DecompilationError("a comprehension with default values", stage="lift", where=raw.qualname)
        generators, (key, value) = clauses_of(self.nested(raw), raw)
        generators[0].iter = self.expression(node.iterated.value)
        generators[0].is_async |= node.iterated.is_async
        instructions = readable_instructions(raw)  # none of what is refused, which has a stand-in
        if generators[-1].ifs[-1:] == [nodes.Constant(False)]:
            of_others = comprehension_variables(instructions) | {i.arg for i in instructions if i.op == "LOAD_GLOBAL"}
            of_others |= bound_by(one.target for one in generators) | {*raw.parameters}
            names = [name for name in (*raw.varnames, *raw.cellvars) if name not in of_others]
            bind_in_dead_clause(generators, names)
            value = unused_value(raw, instructions) or value  # no element is made, whatever it is
            key = key and value
        elif instructions:
            value = mention_in_value(value, raw, instructions)
        if comprehension_of(raw) == "<dictcomp>":
            return nodes.DictComp(value, None, generators) if key is None else nodes.DictComp(key, value, generators)
        kinds = {"<listcomp>": nodes.ListComp, "<setcomp>": nodes.SetComp, "<genexpr>": nodes.GeneratorExp}
        return kinds[comprehension_of(raw)](value, generators)


_REPLACED: dict[type[nodes.Node], Callable[..., nodes.Node]] = {
    Slot: Definitions._slot,
    Function: Definitions._lambda,
    Comprehension: Definitions._comprehension,
    Truth: Definitions._truth,
    ArgumentTuple: lambda self, node: nodes.Tuple(node.elts),
    AssertionClass: lambda self, node: nodes.Name("AssertionError"),
    CommonConstant: lambda self, node: nodes.Name(node.name),
    Stored: Definitions._stored,
    nodes.Assign: Definitions._assignment,
    nodes.Return: Definitions._return,
}


_DEFINED = frozenset({Function, Class, Alias, Generic})


def _placeholder(tree: nodes.Node) -> nodes.Node | None:
    """A placeholder in ``tree``, the one nearest to the root; None if there is none."""
    found: list[Any] = [tree]
    for node in found:  # grows along
        if node.__class__ is list:
            found += node
        elif node.__class__ in NODES:
            if node.is_placeholder:
                return node  # type: ignore[no-any-return]
            found += node.held(node) if node.last_first else ()
    return None


Element = Tuple[Optional[nodes.Expression], nodes.Expression]
"""What a comprehension adds: the key, if it has one, and the value."""


def clauses_of(body: list[nodes.Statement], raw: RawCode) -> tuple[list[nodes.comprehension], Element]:
    """The clauses and the element of the comprehension with the statements ``body``. Raises DecompilationError."""
    loop, rest = (body[0], body[1:]) if body else (None, [])
    ends = not rest or len(rest) == 1 and isinstance(rest[0], nodes.Return)
    if not isinstance(loop, (nodes.For, nodes.AsyncFor)) or not ends:
        raise DecompilationError("a comprehension that is no loop", stage="structure", where=raw.qualname)
    generators: list[nodes.comprehension] = []
    element = _clauses([loop], generators)
    if element is None:
        raise DecompilationError("a comprehension that does more than loop", stage="structure", where=raw.qualname)
    return generators, element


def _clauses(body: list[nodes.Statement], generators: list[nodes.comprehension]) -> Element | None:
    """The element that the innermost clause adds; the clauses are added to ``generators``."""
    while True:
        if len(body) > 1 and isinstance(body[-1], nodes.Continue):
            body = body[:-1]
        inside = _after_condition(body, generators[-1]) if generators else None
        if inside is None:
            inside = _after_iteration(body, generators)
        if inside is None:
            return _element(body, generators)
        body = inside


def _after_condition(
    body: list[nodes.Statement], clause: nodes.comprehension
) -> list[nodes.Statement] | None:
    """Add the ``if`` clause that ``body`` begins with to ``clause``; return what follows it, None if there is none."""
    first = body[0] if body else None
    if not isinstance(first, nodes.If) or first.orelse not in ([], [nodes.Continue()]):
        return None
    if len(first.body) == 1 and isinstance(first.body[0], nodes.Continue) and len(body) > 1:
        clause.ifs.append(negate(first.test))
        return body[1:]
    if len(body) == 1:
        clause.ifs.append(first.test)
        return first.body
    if first.body == [nodes.Pass()]:
        clause.ifs.append(always(first.test))
        return body[1:]
    return None


def _after_iteration(
    body: list[nodes.Statement], generators: list[nodes.comprehension]
) -> list[nodes.Statement] | None:
    """Add the ``for`` clause that ``body`` begins with to ``generators``; return what follows it, None if there is
    none.
    """
    first = body[0] if body else None
    if isinstance(first, nodes.Assign) and len(first.targets) == 1 and generators and len(body) > 1:
        # The compiler makes no loop for `for target in [value]`.
        generators.append(nodes.comprehension(first.targets[0], nodes.List([first.value]), [], 0))
        return body[1:]
    if isinstance(first, (nodes.For, nodes.AsyncFor)) and len(body) == 1 and not first.orelse:
        is_async = int(isinstance(first, nodes.AsyncFor))
        generators.append(nodes.comprehension(first.target, first.iter, [], is_async))
        return first.body
    return None


def _element(body: list[nodes.Statement], generators: list[nodes.comprehension]) -> Element | None:
    """The key, if it has one, and the value of the element that ``body`` adds; None if it does something else."""
    only = body[0] if len(body) == 1 else None
    if isinstance(only, Append):
        return only.key, only.value
    if isinstance(only, nodes.Expr) and isinstance(only.value, nodes.Yield):
        return None, only.value.value or nodes.Constant(None)
    if isinstance(only, (nodes.Pass, nodes.Continue)) and generators:
        element = never(generators[-1])
        return element.key, element.value
    return None


def arguments_of(
    raw: RawCode,
    defaults: list[nodes.Expression],
    keyword_defaults: dict[str, nodes.Expression],
    annotations: dict[str, nodes.Expression],
) -> nodes.arguments:
    """The parameters of ``raw``; none for a lazily evaluated function, whose only parameter has no valid name."""
    if is_late(raw):
        return nodes.arguments()
    made = [nodes.arg(name, annotations.get(name)) for name in raw.parameters]
    positional_only, positional = made[: raw.posonlyargcount], made[raw.posonlyargcount : raw.argcount]
    kwarg = made.pop() if raw.flags & CO_VARKEYWORDS else None
    vararg = made.pop() if raw.flags & CO_VARARGS else None
    keyword_only = made[raw.argcount :]
    return nodes.arguments(
        positional_only,
        positional,
        vararg,
        keyword_only,
        [keyword_defaults.get(parameter.arg) for parameter in keyword_only],
        kwarg,
        defaults,
    )


def value_of_lambda(body: list[nodes.Statement], raw: RawCode) -> nodes.Expression:
    """The expression of a lambda with the statements ``body``. Raises DecompilationError if they are not one."""
    value = type_parameters.only_value(body)
    if value is not None:
        return value
    if len(body) == 1 and isinstance(body[0], nodes.Expr):  # lambda: (yield), whose value is dropped
        return body[0].value
    what = "a lambda" if raw.is_function else "code to evaluate"
    raise DecompilationError(f"{what} that is no single expression", stage="structure", where=raw.qualname)
