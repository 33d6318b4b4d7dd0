"""Statements that depend on the kind of a code object: declarations, docstrings, class prologues."""

from __future__ import annotations

from typing import Iterator

from ..bytecode import (
    Instruction,
    RawCode,
    inside_comprehensions,
    known_instructions,
    reached,
)
from ..bytecode.code.flags import CO_ASYNC_GENERATOR, CO_GENERATOR
from ..bytecode.part import ON_CELLS
from ..lift.folding.negation import negate
from ..lift.values import AssertionClass, Marker
from ..names.spelling import docstring, is_name
from ..printing.printer import print_tree
from ..printing.string_text import cleaned
from ..syntax import nodes
from ..syntax.grammar import Grammar
from ..syntax.scopes import bound_names
from ..syntax.transforms.unreached import unreached_places
from .declarations import after_docstring, comprehensions_of, declare
from .resolve import annotation
from .traces import annotate_a_target, keep_constant_statements


def finish_early(
    body: list[nodes.Statement], kind: str, raw: RawCode, *, asserts_are_rewritten: bool = False
) -> list[nodes.Statement]:
    """Before placeholders are resolved: drop implicit statements, find assert statements.

    ``asserts_are_rewritten``: pytest has replaced all asserts of the module.
    """
    last = body[-1] if body else None
    if isinstance(last, nodes.Return) and (kind == "class" and not last.written or isinstance(last.value, Marker)):
        body = body[:-1]  # a class body returns a cell, a comprehension its container
    if kind in ("function", "module", "class") and not asserts_are_rewritten:
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
        for node in nodes.walk(nodes.Module(body)):
            if isinstance(node, nodes.Return):
                node.line = None  # an implicit return
        annotate_a_target(body, raw, kind, instructions)
        _merge_annotations(body, raw.has_future_annotations, instructions)
    keep_constant_statements(body, raw)
    return body


def end(
    body: list[nodes.Statement],
    raw: RawCode,
    kind: str,
    instructions: list[Instruction],
    enclosing: frozenset[str],
) -> list[nodes.Statement]:
    """Finish the body for printing: add what its kind needs, dead code that binds names, a docstring, declarations.

    ``enclosing`` are the names that enclosing functions bind.
    """
    unread = mention_the_unused(body, raw, instructions)
    if kind == "function":
        unbound = _never_bound(body, raw, instructions)
        if unbound:
            _put_dead_code(body, [nodes.Assign([nodes.Name(name) for name in unbound], nodes.Constant(None))])
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
    if not isinstance(statement, nodes.Assign) or len(statement.targets) != 1:
        return False
    target = statement.targets[0]
    return isinstance(target, nodes.Name) and target.id == name


def _without_prologue(body: list[nodes.Statement]) -> list[nodes.Statement]:
    for name in ("__module__", "__qualname__"):
        if body and _is_store(body[0], name):
            body = body[1:]
    if body and body[0] == nodes.Assign([nodes.Name("__type_params__")], nodes.Name(".type_params")):
        body = body[1:]
    return body


def _docstring(body: list[nodes.Statement], raw: RawCode, instructions: list[Instruction]) -> None:
    if body and _is_store(body[0], "__doc__") and not _is_written(instructions, "__doc__"):
        value = body[0].value  # type: ignore[attr-defined]
        if isinstance(value, nodes.Constant) and isinstance(value.value, str):
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


def _merge_annotations(body: list[nodes.Statement], stringified: bool, instructions: list[Instruction]) -> None:
    prepared = any(i.op == "SETUP_ANNOTATIONS" for i in instructions)
    nodes.rewrite_bodies(body, lambda inner: _annotate(inner, stringified, prepared))
    if prepared and not any(isinstance(node, nodes.AnnAssign) for node in nodes.walk(nodes.Module(body))):
        # The annotated statement was dead code as well.
        annotated = nodes.AnnAssign(nodes.Name("__annotations__"), nodes.Constant(None), None)
        body.insert(0, nodes.If(nodes.Constant(False), [annotated]))


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
    if not isinstance(statement, nodes.Assign) or len(statement.targets) != 1:
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
    targets = before[0].targets if isinstance(before[0], nodes.Assign) else []
    if len(targets) != 1:
        return None
    # A constant as annotation leaves no trace if the target is a name (in parentheses).
    kinds = (nodes.Name, nodes.Attribute, nodes.Subscript)
    return targets[0] if isinstance(targets[0], kinds[not isinstance(statement.value, nodes.Constant) :]) else None


def mention_the_unused(
    body: list[nodes.Statement], raw: RawCode, instructions: list[Instruction], *, alone: bool = False
) -> list[str]:
    """Add dead code for its traces: a generator without a yield, an unread free variable, a cell that no other function
    shares. Return the free variables that it does not mention: a declaration is enough.

    ``alone``: the code is compiled as a separate unit, whose scaffold handles free variables.
    """
    dead: list[nodes.Statement] = []
    unread: list[str] = []
    if raw.flags & (CO_GENERATOR | CO_ASYNC_GENERATOR) and not any(
        i.op == "YIELD_VALUE" or i.op == "YIELD_FROM" and raw.flags & CO_GENERATOR for i in reached(instructions)
    ):
        dead.append(nodes.Expr(nodes.Yield()))
    if not alone and (raw.freevars or raw.cellvars):
        live = reached(instructions)
        dead += _unused_cells(raw, live)
        unread = _unread(raw, live)
        if unread and _never_taken(body) is not None:
            dead = [nodes.Expr(nodes.Name(name)) for name in unread] + dead
            unread = []
    if dead:
        if body and isinstance(body[-1], (nodes.Return, nodes.Raise)) and dead == [nodes.Expr(nodes.Yield())]:
            body += dead
        elif body == [nodes.Pass()]:
            body[:] = [_never(instructions, dead, body[0].line)]
        else:
            _put_dead_code(body, dead)
    return unread


def declare_the_unused(
    body: list[nodes.Statement], raw: RawCode, instructions: list[Instruction], *, alone: bool
) -> None:
    """Do the same for a body whose declarations are already written."""
    unread = mention_the_unused(body, raw, instructions, alone=alone)
    if unread:
        body.insert(0, nodes.Nonlocal(unread))


def _never(instructions: list[Instruction], dead: list[nodes.Statement], line: int | None) -> nodes.Statement:
    """The statement around ``dead`` that a body of nothing else is: `if` or `while`, by the column of its test, which
    the return has from 3.12 on.
    """
    last = next((i.position for i in reversed(instructions) if i.op == "RETURN_VALUE"), None)
    if last is None or None in last or last[0] != last[1] or last[3] - last[2] not in _WIDTHS_OF_FALSE:
        return nodes.If(nodes.Constant(False), dead, line=line)
    is_while = (last[2] - len("while ")) % 4 == 0
    return (nodes.While if is_while else nodes.If)(
        nodes.Constant(_WIDTHS_OF_FALSE[last[3] - last[2]]), dead, line=line
    )


def _captured(live: list[Instruction]) -> set[str]:
    """The variables that other functions share."""
    return {name for i in live if isinstance(i.arg, RawCode) for name in i.arg.freevars}


def _unread(raw: RawCode, live: list[Instruction]) -> list[str]:
    """The free variables that nothing uses."""
    used = {i.arg for i in live if i.op in ON_CELLS} | _captured(live)
    used.add("__classdict__")  # captured whether it is read or not
    if any(i.op == "STORE_FIRST_LINE" for i in live):
        used.add("__firstlineno__")
    if any(i.arg == "super" and i.op.startswith("LOAD_") for i in live):
        used.add("__class__")
    return [name for name in raw.freevars if name not in used and name.isidentifier()]


def _unused_cells(raw: RawCode, live: list[Instruction]) -> Iterator[nodes.Statement]:
    """Statements that mention the cells that no other function shares."""
    captured = _captured(live)
    missing = [name for name in raw.cellvars if name not in captured and name.isidentifier()]
    if raw.is_function:
        yield from map(_capture, missing)
        return
    if "__class__" in missing:  # only methods in dead code ask for it
        yield nodes.Expr(nodes.Lambda(nodes.arguments([], []), nodes.Name("__class__")))
    if "__classdict__" in missing and not raw.table.behavior.annotations_are_lazy:
        yield nodes.TypeAlias(nodes.Name("_"), [], nodes.Constant(None))


def _never_bound(body: list[nodes.Statement], raw: RawCode, instructions: list[Instruction]) -> list[str]:
    """The variables of the function that its code uses but never binds: only dead code bound them."""
    given = {*raw.parameters, *raw.freevars}
    bound = {i.arg for i in reached(instructions) if i.op in _BINDS} | given
    hidden = {i.arg for i in instructions if i.op == "LOAD_FAST_AND_CLEAR"}
    if not hidden and bound.issuperset((*raw.varnames, *raw.cellvars)):
        return []  # the common case
    # Inlined comprehensions store to their variables, and restore the variables that these hide.
    inside = inside_comprehensions(instructions)
    used = {
        i.arg for i, within in zip(instructions, inside) if i.op in _USES and (not within or i.arg not in hidden)
    }
    if not used.isdisjoint(hidden):
        bound = bound - hidden | given | bound_names(body)
    for nested in comprehensions_of(raw):
        # ``:=`` in a comprehension binds in the enclosing function.
        bound.update(i.arg for i in known_instructions(nested) if i.op == "STORE_DEREF" and i.arg in nested.freevars)
    return [name for name in (*raw.varnames, *raw.cellvars) if name in used - bound and name.isidentifier()]


_BINDS = frozenset({"STORE_FAST", "DELETE_FAST", "STORE_DEREF", "DELETE_DEREF"})
_USES = frozenset({"LOAD_FAST", "LOAD_DEREF", "LOAD_CLOSURE"})


def store_in_dead_code(body: list[nodes.Statement], attributes: list[str]) -> None:
    """Add dead code to ``body`` that stores ``attributes`` of ``self``, like an `if __debug__:` in optimised code:
    the class lists their names.
    """
    if attributes:
        targets = [nodes.Attribute(nodes.Name("self"), name) for name in attributes]
        at = after_docstring(body)
        rest = body[at:]
        _put_dead_code(rest, [nodes.Assign([target], nodes.Constant(None)) for target in targets])
        body[at:] = rest


_WIDTHS_OF_FALSE = {len(repr(value)): value for value in (False, 0)}


def _put_dead_code(body: list[nodes.Statement], dead: list[nodes.Statement]) -> None:
    """Put ``dead`` where a test is never true, if there is one, else behind a statement that leaves, else below a test
    of its own. That is prepended to ``body`` if the last statement may end the code: compilers copy that end.
    """
    never = _never_taken(body)
    if never is not None:
        never[:] = dead
        return
    if body and isinstance(body[-1], (nodes.Return, nodes.Raise)):
        body.append(nodes.If(nodes.Constant(False), dead))
        return
    places = [(suite, at) for suite, at in unreached_places(body) if at is not None]
    if places:
        suite, at = places[-1]
        suite[at:at] = dead
    else:
        body.insert(0, nodes.If(nodes.Constant(False), dead))


def _never_taken(body: list[nodes.Statement]) -> list[nodes.Statement] | None:
    """What is below the first test that is never true: nothing."""
    return next((suite for suite, at in unreached_places(body) if at is None), None)


def _capture(name: str) -> nodes.Statement:
    """A statement that makes ``name`` a variable of the code and shares it with another function."""
    parameters = nodes.arguments([], [])
    return nodes.Assign([nodes.Name(name)], nodes.Lambda(parameters, nodes.Name(name)))
