"""Statements that depend on the kind of a code object: declarations, docstrings, class prologues."""

from __future__ import annotations

import itertools

from ..bytecode import Instruction, RawCode, operations_of
from ..bytecode.kinds import CONDITIONAL_ANNOTATIONS
from ..lift.folding.negation import negate
from ..lift.values import AssertionClass, Marker
from ..names.spelling import docstring, is_docstring, is_name
from ..printing.printer import print_tree
from ..syntax import nodes
from ..syntax.grammar import Grammar, cleaned
from ..syntax.scopes import bound_names
from ..syntax.transforms.tail_positions import DEFINITIONS
from .annotation_text import annotation
from .declarations import declare
from .traces import annotate_a_target, keep_constant_statements
from .unused import mention_the_unused, never_bound, put_dead_code


def finish_early(
    body: list[nodes.Statement], kind: str, raw: RawCode, *, asserts_are_rewritten: bool = False
) -> list[nodes.Statement]:
    """Before placeholders are resolved: drop implicit statements, find assert statements.

    ``asserts_are_rewritten``: pytest has replaced all asserts of the module.
    """
    last = body[-1] if body else None
    if isinstance(last, nodes.Return) and (kind == "class" and not last.written or isinstance(last.value, Marker)):
        body = body[:-1]  # a class body returns a cell, a comprehension its container
    raises = "RAISE_VARARGS" in operations_of(raw)
    if raises and kind in ("function", "module", "class") and not asserts_are_rewritten:
        bare: dict[int, nodes.Statement] = {}
        nodes.rewrite_bodies(body, lambda inner: _asserts(inner, raw.table.asserts_read_a_global, bare))
    return body


def _asserts(body: list[nodes.Statement], by_name: bool, bare: dict[int, nodes.Statement]) -> None:
    """Find assert statements. ``bare`` collects, by id, those without a test; up to 3.9 ``assert False`` has a test."""
    for index, statement in reversed(list(enumerate(body))):
        if isinstance(statement, nodes.If) and len(statement.body) == 1:
            (inner,) = statement.body
            if statement.orelse and _is_below(inner, statement):
                continue
            if inner == nodes.Continue() and not statement.orelse and index == len(body) - 2:
                found = _assertion_of(body[-1], statement, by_name, bare)  # the last statement of a loop
                if found and not _is_below(body[-1], statement):
                    body[index:] = [nodes.Assert(statement.test, found[0], line=statement.line)]
                continue
            found = _assertion_of(inner, statement, by_name, bare)
            if found:
                made = nodes.Assert(negate(statement.test), found[0], line=statement.line)
                body[index : index + 1] = [made, *statement.orelse]
        else:
            found = _assertion(statement)
            if found:
                body[index] = nodes.Assert(nodes.Constant(False), found[0], line=statement.line)
                bare[id(body[index])] = body[index]


def _assertion_of(
    inner: nodes.Statement, statement: nodes.Statement, by_name: bool, bare: dict[int, nodes.Statement]
) -> list[nodes.Expression | None]:
    """The message of the assert statement that the test of ``statement`` belongs to, if ``inner`` is its other half."""
    found = [inner.msg] if isinstance(inner, nodes.Assert) and id(inner) in bare else _assertion(inner)
    if not found and by_name and statement.line == inner.line:
        found = _assertion(inner, by_name)  # a raise would be on its own line
    return found


def _is_below(inner: nodes.Statement, statement: nodes.Statement) -> bool:
    """Whether ``inner`` is on a later line than ``statement``, so it is a separate statement."""
    return inner.line is not None and statement.line is not None and inner.line > statement.line


def _assertion(statement: nodes.Statement, by_name: bool = False) -> list[nodes.Expression | None]:
    """The message, or None, of the assert statement whose error ``statement`` raises; empty for other statements.

    ``by_name``: the error may be the global name, which an assert statement loads up to 3.8.
    """
    if not isinstance(statement, nodes.Raise) or statement.cause is not None:
        return []
    error: nodes.Node | None = statement.exc
    if _is_assertion_class(error, by_name):
        return [None]
    if isinstance(error, nodes.Call) and _is_assertion_class(error.func, by_name):
        return [error.args[0]] if len(error.args) == 1 and not error.keywords else []
    return []


def _is_assertion_class(value: nodes.Node | None, by_name: bool) -> bool:
    return isinstance(value, AssertionClass) or by_name and value == nodes.Name("AssertionError")


IS_EXPRESSION = frozenset({"lambda", "comprehension", "generic", "annotations", "expression"})
"""Kinds of code objects without a printed body: they become an expression or a part of a definition."""


def begin(
    body: list[nodes.Statement], raw: RawCode, kind: str, instructions: list[Instruction]
) -> list[nodes.Statement]:
    """Prepare the body for the transforms: drop a class's prologue, merge annotations with their targets."""
    if kind == "class":
        body = _without_prologue(body)
    if kind in ("class", "module"):
        for statement in nodes.statements_in_order(body):
            if isinstance(statement, nodes.Return):
                statement.line = None  # an implicit return
        _merge_annotations(body, raw, kind)
        annotate_a_target(body, raw, kind, instructions)
    keep_constant_statements(body, raw)
    return body


def end(
    body: list[nodes.Statement],
    raw: RawCode,
    kind: str,
    instructions: list[Instruction],
    enclosing: frozenset[str],
    parameters: frozenset[str],
) -> list[nodes.Statement]:
    """Finish the body for printing: add what its kind needs, dead code that binds names, a docstring, declarations.

    ``enclosing`` are the names that enclosing functions bind, of which ``parameters`` may be type parameters.
    """
    unread = mention_the_unused(body, raw, instructions, enclosing - parameters)
    unbound = never_bound(body, raw, instructions) if kind == "function" and raw.kind != "late" else []
    if kind == "class" and enclosing:
        unbound = sorted(enclosing.intersection(i.arg for i in instructions if i.op == "LOAD_NAME") - bound_names(body))
    if unbound:
        put_dead_code(body, [nodes.Assign([nodes.Name(name) for name in unbound], nodes.Constant(None))])
    if kind == "function" and raw.docstring is not None:
        if body == [nodes.Pass()] and body[0].written is None:
            body.clear()  # the docstring is a sufficient body
        body.insert(0, nodes.Expr(docstring(raw.docstring, raw)))
    elif unread and body == [nodes.Pass()] and body[0].line in (raw.firstlineno, raw.firstlineno + 1):
        body.clear()  # the declaration is a sufficient body, on the next line
    elif kind in ("class", "module"):
        _docstring(body, raw, instructions)
    declare(body, raw, kind, instructions, enclosing, unread)
    return body or [nodes.Pass()]


def on_one_line(body: list[nodes.Statement], grammar: Grammar) -> list[nodes.Statement]:
    """``body`` in the form for compile() in mode 'single': several simple statements share the line."""
    if len(body) == 1 or any(hasattr(statement, "body") for statement in body):
        return body
    lines = (print_tree(nodes.Module([one]), grammar=grammar).strip() for one in body)
    return [nodes.Expr(nodes.Raw("; ".join(lines)))]


def _is_store(statement: nodes.Statement, name: str) -> bool:
    if type(statement) is not nodes.Assign or statement.targets[1:]:
        return False
    target = statement.targets[0]
    return type(target) is nodes.Name and target.id == name


def _without_prologue(body: list[nodes.Statement]) -> list[nodes.Statement]:
    for name in ("__module__", "__qualname__"):
        if body and _is_store(body[0], name):
            body = body[1:]
    # On one line, annotations come before it.
    return [one for one in body if not _is_store(one, "__type_params__") or one != _TYPE_PARAMETERS]


_TYPE_PARAMETERS = nodes.Assign([nodes.Name("__type_params__")], nodes.Name(".type_params"))


def _docstring(body: list[nodes.Statement], raw: RawCode, instructions: list[Instruction]) -> None:
    if body and _is_store(body[0], "__doc__") and not _is_written(instructions, "__doc__"):
        value = body[0].value  # type: ignore[attr-defined]
        if isinstance(value, nodes.Constant) and isinstance(value.value, str) and is_docstring(value.value, raw):
            text = docstring(value.value, raw)
            if type(text) is nodes.Constant or cleaned(value.value) == value.value:
                body[0] = nodes.Expr(text, line=body[0].line)


def _is_written(instructions: list[Instruction], name: str) -> bool:
    """Whether the target of the first store to ``name`` has a column of its own, left of the value."""
    for before, store in zip(instructions, instructions[1:]):
        if store.op == "STORE_NAME" and store.arg == name:
            value, target = before.position, store.position
            return bool(value and target and None not in (*value, *target) and target[2] < value[2])
    return False


def _merge_annotations(body: list[nodes.Statement], raw: RawCode, kind: str) -> None:
    prepared = "SETUP_ANNOTATIONS" in operations_of(raw)
    # A generic definition is already in the body, with the statements of its own.
    nodes.rewrite_bodies(body, lambda inner: _annotate(inner, raw.has_future_annotations, prepared), DEFINITIONS)
    if prepared and not any(isinstance(node, nodes.AnnAssign) for node in nodes.walk(nodes.Module(body))):
        # The annotated statement was dead code as well, or its target is no name.
        name, none = nodes.Name("__annotations__"), nodes.Constant(None)
        place = sum(1 for _ in itertools.takewhile(_is_first, body))
        if kind == "class" and raw.table.behavior.annotations_are_lazy and CONDITIONAL_ANNOTATIONS not in raw.cellvars:
            body.insert(place, nodes.AnnAssign(name, none, None, simple=0))
        else:
            body.insert(place, nodes.If(nodes.Constant(False), [nodes.AnnAssign(name, none, None)]))


def _is_first(statement: nodes.Statement) -> bool:
    """Whether it is the docstring or a future import: other statements come after these."""
    is_future = isinstance(statement, nodes.ImportFrom) and statement.module == "__future__"
    return is_future or _is_store(statement, "__doc__")


def _annotate(body: list[nodes.Statement], stringified: bool, prepared: bool) -> None:
    result: list[nodes.Statement] = []
    for statement in body:
        name = _annotated_name(statement)
        if name is None:
            target = _annotated_target(result[-1:], statement) if prepared else None
            if target is not None:
                value = result.pop().value  # type: ignore[attr-defined]
                written = annotation(statement.value, stringified)  # type: ignore[attr-defined]
                statement = nodes.AnnAssign(target, written, value, simple=0, line=statement.line)
            result.append(statement)
            continue
        assert isinstance(statement, nodes.Assign)
        value = None
        if result and _is_store(result[-1], name) and result[-1].line == statement.line:
            value = result.pop().value  # type: ignore[attr-defined]
        text = annotation(statement.value, stringified)
        result.append(nodes.AnnAssign(nodes.Name(name), text, value, line=statement.line))
    body[:] = result


def _annotated_name(statement: nodes.Statement) -> str | None:
    """The name whose annotation ``statement`` stores: ``__annotations__['name'] = ...``."""
    if type(statement) is not nodes.Assign or statement.targets[1:]:
        return None
    target = statement.targets[0]
    if not isinstance(target, nodes.Subscript) or target.value != nodes.Name("__annotations__"):
        return None
    key = target.slice
    name = key.value if isinstance(key, nodes.Constant) else None
    return name if isinstance(name, str) and is_name(name) else None


def _annotated_target(before: list[nodes.Statement], statement: nodes.Statement) -> nodes.Expression | None:
    """The target of ``a.b: c = d``, whose annotation ``statement`` evaluates on the line of the assignment."""
    if not before or not isinstance(statement, nodes.Expr) or statement.line != before[0].line:
        return None
    if isinstance(statement.value, nodes.Call):
        return None  # more likely a statement, behind a semicolon or in code without lines
    targets = before[0].targets if isinstance(before[0], nodes.Assign) else []
    if len(targets) != 1:
        return None
    # A constant as annotation leaves no trace if the target is a name (in parentheses).
    kinds = (nodes.Name, nodes.Attribute, nodes.Subscript)
    return targets[0] if isinstance(targets[0], kinds[not isinstance(statement.value, nodes.Constant) :]) else None
