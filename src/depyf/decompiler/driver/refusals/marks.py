"""The replacement of a refused body: a raise with the reason, the instructions as comments, the nested definitions."""

from __future__ import annotations

import copy
from typing import Any, Iterable, Sequence

from ....errors import DecompilationError
from ...bytecode import Instruction, RawCode, disassemble
from ...bytecode.code.flags import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from ...bytecode.kinds import comprehension_of, gives_annotations, is_expression, kind_of
from ...definitions.declarations import changed_globals
from ...definitions.resolve import arguments_of
from ...lift.values import Append
from ...names.spelling import identifier, is_name
from ...syntax import nodes
from ...syntax.scopes import bound_names
from ..result import Result

_MOST_LINES = 400
_NO_SCOPE = ("module", "generic", "expression")
_OF_CLASSES = frozenset({"__class__", "__classdict__", "__conditional_annotations__"})


def refused_body(
    raw: RawCode,
    error: DecompilationError,
    attributes: Sequence[str] = (),
    below: Sequence[nodes.Statement] = (),
) -> list[nodes.Statement]:
    """A body that raises, and keeps the code's free variables and whether it is a generator.

    ``attributes`` are those that it must store to ``self`` in dead code, because its class lists them. ``below`` are
    the definitions in it, which follow the raise.
    """
    message = f"depyf: {raw.qualname}: {error.reason}"
    statement = nodes.Raise(nodes.Call(nodes.Name("NotImplementedError"), [nodes.Constant(message)]))
    statement.comments = [f"depyf could not decompile this: {error.reason}", *instruction_lines(raw)]
    body: list[nodes.Statement] = [statement, *below]
    if kind_of(raw) == "generic":
        return body
    body += traces(raw, attributes)
    names = sorted(changed_globals(raw) - {*raw.parameters}) if kind_of(raw) != "module" else []
    if names:
        body.insert(0, nodes.Global(names))  # which the module's own instructions depend on
    if raw.docstring is not None:
        body.insert(0, nodes.Expr(nodes.Constant(raw.docstring)))
    return body


def traces(raw: RawCode, attributes: Sequence[str]) -> list[nodes.Statement]:
    """Statements that keep the free variables of ``raw``, whether it is a generator, and ``attributes`` of `self`."""
    found: list[nodes.Statement] = [nodes.Expr(nodes.Name(name)) for name in raw.freevars if is_name(name)]
    if attributes:
        targets: list[nodes.Expression] = [nodes.Attribute(nodes.Name("self"), name) for name in attributes]
        found.append(nodes.Assign(targets, nodes.Constant(None)))
    if raw.is_function and raw.flags & (CO_GENERATOR | CO_ASYNC_GENERATOR):
        found.append(nodes.Expr(nodes.Yield()))
    return found


def definitions_in(
    raw: RawCode, nested: Iterable[tuple[RawCode, Result]], *, binds: bool = True
) -> list[nodes.Statement]:
    """What is shown of ``nested``, code of the refused ``raw``, as statements: each is proven or refused by itself.

    ``binds``: with bindings of the variables that they share with ``raw``, if it is a function.
    """
    kind = kind_of(raw)
    shown: list[nodes.Statement] = []
    variables: dict[str, None] = {}
    for code, result in nested:
        tree = result.tree
        statements: list[nodes.Statement] = tree.body if isinstance(tree, nodes.Module) else [tree]
        captured = [name for name in code.freevars if name not in raw.freevars and is_name(name)]
        if kind in ("module", "class", "expression"):
            captured = [name for name in captured if name not in _OF_CLASSES]
            if captured:  # a variable of an inlined comprehension: here only a function can have it
                statements = [_enclosing(statements, captured)]
        elif kind == "generic":
            if is_expression(code):  # of a type parameter
                statements = [_enclosing(statements, captured)]
            else:
                statements = [_with_type_parameters(one, raw) for one in statements]
        else:
            variables.update(dict.fromkeys(captured))
        shown += statements
    unbound = [nodes.Name(name) for name in variables if binds and name not in raw.parameters]
    if unbound:
        shown.insert(0, nodes.Assign(list(unbound), nodes.Constant(None)))
    outer = sorted({*raw.freevars} & bound_names([one for one in shown if hasattr(one, "name")]))
    return [nodes.Nonlocal(outer), *shown] if outer else shown


def _enclosing(statements: list[nodes.Statement], parameters: Iterable[str]) -> nodes.Statement:
    return nodes.FunctionDef("enclosing_function", nodes.arguments([], list(map(nodes.arg, parameters))), statements)


def stand_in(raw: RawCode, reason: str, nested: Iterable[tuple[RawCode, Result]]) -> nodes.Expression | None:
    """An expression that raises in place of that of the refused ``raw``, with its free variables and what is shown of
    ``nested``; None if something of that is no expression.
    """
    message = f"depyf: {raw.qualname}: {reason}"
    raises = nodes.Constant(f"raise NotImplementedError({message!a})")
    found: list[nodes.Expression] = [nodes.Call(nodes.Name("exec"), [raises])]
    for code, result in nested:
        if not isinstance(result.tree, nodes.Expr):
            return None
        value = result.tree.value
        own = (*raw.freevars, *raw.parameters, *(raw.cellvars if kind_of(raw) == "comprehension" else ()))
        captured = [nodes.arg(name) for name in code.freevars if name not in own]
        found.append(nodes.Lambda(nodes.arguments([], captured), value) if captured else value)
    found += [nodes.Name(name) for name in raw.freevars if is_name(name)]
    if kind_of(raw) == "lambda" and raw.flags & CO_GENERATOR:
        found.append(nodes.Yield())
    if comprehension_of(raw) not in ("", "<genexpr>") and raw.flags & CO_COROUTINE:
        found.append(nodes.Await(nodes.Constant(None)))  # the code around it awaits it
    return found[0] if len(found) == 1 else nodes.Tuple(found)


def body_with(stand_in: nodes.Expression, raw: RawCode) -> list[nodes.Statement]:
    """The body of the code of an expression, as definitions expect it, with a stand-in for its value."""
    kind = comprehension_of(raw)
    if gives_annotations(raw):
        return [Append(nodes.Constant("return"), stand_in)]
    if not kind:
        return [nodes.Return(stand_in)]
    element: nodes.Statement = Append(nodes.Constant(None) if kind == "<dictcomp>" else None, stand_in)
    if kind == "<genexpr>":
        element = nodes.Expr(nodes.Yield(stand_in))
    names = [name for name in raw.cellvars if is_name(name)] or ["_"]
    variables: list[nodes.Expression] = [nodes.Name(name) for name in names]
    target = variables[0] if len(variables) == 1 else nodes.Tuple(variables)
    return [nodes.For(target, nodes.Name("iterable"), [element], [])]


def mark_stand_ins(
    body: list[nodes.Statement], made: Sequence[tuple[RawCode, DecompilationError, nodes.Expression | None]]
) -> None:
    """Put comments above the statements in ``body`` with stand-ins: the reason and the instructions of each."""
    for raw, error, value in made:
        around = [one for one in nodes.walk(nodes.Module(body)) if value and isinstance(one, nodes.Statement)]
        for statement in reversed(around):  # the innermost
            if any(node is value for node in nodes.walk(statement)):
                what = f"depyf could not decompile {raw.name} in this: {error.reason}"
                if what not in statement.comments:
                    statement.comments = [*statement.comments, what, *instruction_lines(raw)]
                break


def _with_type_parameters(statement: nodes.Statement, raw: RawCode) -> nodes.Statement:
    """A definition with the names of the type parameters that the refused ``raw`` makes, and no more of them."""
    if not isinstance(statement, (nodes.FunctionDef, nodes.AsyncFunctionDef, nodes.ClassDef)):
        return statement
    names = dict.fromkeys((*raw.varnames, *raw.cellvars))
    generic = copy.copy(statement)
    generic.type_params = [nodes.TypeVar(name) for name in names if is_name(name) and name not in _OF_CLASSES]
    return generic


def placeholder(
    raw: RawCode, reason: str, instructions: Sequence[Instruction], indices: Sequence[int]
) -> nodes.Statement:
    """The replacement of some instructions of ``raw``: a raise, and a comment that shows them.

    ``indices`` are their indices.
    """
    lines = [instruction.line for instruction in instructions if instruction.line is not None]
    where = f"instructions {indices[0]} to {indices[-1]}"
    if lines:
        where += f", line {min(lines)}" if min(lines) == max(lines) else f", lines {min(lines)} to {max(lines)}"
    message = f"depyf: {raw.qualname}, {where}: {reason}"
    line = min(lines) if lines else None
    statement = nodes.Raise(nodes.Call(nodes.Name("NotImplementedError"), [nodes.Constant(message)]), line=line)
    statement.comments = [f"depyf could not decompile this ({where}): {reason}"]
    shown = list(zip(indices, instructions))
    statement.comments += [_line(index, instruction) for index, instruction in shown[:_MOST_LINES]]
    if len(shown) > _MOST_LINES:
        statement.comments.append(f"... and {len(shown) - _MOST_LINES} more")
    return statement


def spell_parameters(arguments: nodes.arguments) -> None:
    """Rename parameters whose names source can't have, so that the text is valid Python: it only raises."""
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    parameters += [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    taken: set[str] = set()
    for parameter in parameters:
        name = parameter.arg if is_name(parameter.arg) else identifier(parameter.arg, "parameter")
        while name in taken:
            name += "_"
        parameter.arg = name
        taken.add(name)


def instruction_lines(raw: RawCode) -> list[str]:
    """The canonical instructions of ``raw``, one per line, for comments."""
    try:
        instructions = disassemble(raw)
    except DecompilationError as error:
        return [f"no instructions either: {error.reason}"]
    lines = [_line(index, instruction) for index, instruction in enumerate(instructions[:_MOST_LINES])]
    if len(instructions) > _MOST_LINES:
        lines.append(f"... and {len(instructions) - _MOST_LINES} more")
    return lines


def _line(index: int, instruction: Instruction) -> str:
    handler = f"  (raises to {instruction.handler.target})" if instruction.handler else ""
    return ascii(f"{index:4d} {instruction}{handler}")[1:-1]


def tree_around(raw: RawCode, body: list[nodes.Statement]) -> nodes.Node:
    """``body`` as the definition of ``raw``, or as a module; code of expressions with nested code as a function."""
    kind = kind_of(raw)
    if is_expression(raw) and kind != "function" and not raw.nested:
        return nodes.Module(body[:1])
    if kind in _NO_SCOPE:
        return nodes.Module(body)
    if kind == "class":
        return nodes.ClassDef(raw.name if is_name(raw.name) else "code", [], [], body)
    is_async = raw.flags & (CO_COROUTINE | CO_ASYNC_GENERATOR)
    make: Any = nodes.AsyncFunctionDef if is_async else nodes.FunctionDef
    arguments = arguments_of(raw, [], {}, {})
    spell_parameters(arguments)
    name = raw.name if is_name(raw.name) else identifier(raw.name, "code")
    return make(name, arguments, body)  # type: ignore
