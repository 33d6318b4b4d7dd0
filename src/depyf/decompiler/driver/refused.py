"""The replacement of a refused body: a raise with the reason, the instructions as comments."""

from __future__ import annotations

from typing import Any, Sequence

from ...errors import DecompilationError
from ..bytecode import Instruction, RawCode, disassemble
from ..bytecode.code.flags import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from ..bytecode.kinds import kind_of
from ..definitions.declarations import changed_globals
from ..definitions.resolve import arguments_of
from ..names.spelling import identifier, is_name
from ..syntax import nodes

_MOST_LINES = 400


def refused_body(raw: RawCode, error: DecompilationError, attributes: Sequence[str] = ()) -> list[nodes.Statement]:
    """A body that raises, and keeps the code's free variables and whether it is a generator.

    ``attributes`` are those that it must store to ``self`` in dead code, because its class lists them.
    """
    message = f"depyf: {raw.qualname}: {error.reason}"
    statement = nodes.Raise(nodes.Call(nodes.Name("NotImplementedError"), [nodes.Constant(message)]))
    statement.comments = [f"depyf could not decompile this: {error.reason}"]
    statement.comments += instruction_lines(raw)
    body: list[nodes.Statement] = [statement]
    body += [nodes.Expr(nodes.Name(name)) for name in raw.freevars if is_name(name)]
    if attributes:
        targets: list[nodes.Expression] = [nodes.Attribute(nodes.Name("self"), name) for name in attributes]
        body.append(nodes.Assign(targets, nodes.Constant(None)))
    if raw.is_function and raw.flags & (CO_GENERATOR | CO_ASYNC_GENERATOR):
        body.append(nodes.Expr(nodes.Yield()))
    names = sorted(changed_globals(raw) - {*raw.parameters}) if kind_of(raw) != "module" else []
    if names:
        body.insert(0, nodes.Global(names))  # which the module's own instructions depend on
    if raw.docstring is not None:
        body.insert(0, nodes.Expr(nodes.Constant(raw.docstring)))
    return body


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
    """``body`` as the definition of ``raw``, or as a module."""
    kind = kind_of(raw)
    if kind in ("module", "lambda", "comprehension", "generic", "annotations", "expression"):
        return nodes.Module(body)
    if kind == "class":
        return nodes.ClassDef(raw.name if is_name(raw.name) else "code", [], [], body)
    is_async = raw.flags & (CO_COROUTINE | CO_ASYNC_GENERATOR)
    make: Any = nodes.AsyncFunctionDef if is_async else nodes.FunctionDef
    arguments = arguments_of(raw, [], {}, {})
    spell_parameters(arguments)
    return make(raw.name if is_name(raw.name) else "code", arguments, body)  # type: ignore
