"""Refused code of any kind: what is shown of it.

A module, class or function is cut into pieces; the code of an expression is replaced by one that raises, so that what
is around it stays.
"""

from __future__ import annotations

from typing import Container, Sequence

from ....errors import DecompilationError
from ...bytecode import Instruction, RawCode
from ...bytecode.code.flags import (
    CO_ASYNC_GENERATOR,
    CO_COROUTINE,
    CO_GENERATOR,
    CO_VARARGS,
    CO_VARKEYWORDS,
    docstring_flag,
)
from ...bytecode.disassemble import give_instructions
from ...bytecode.kinds import is_expression, kind_of
from ...bytecode.part import END_OFFSET, part_of
from ...flowgraph.pieces import Piece, joined
from ...lift.folding.negation import negate
from ...names.spelling import docstring, is_name
from ...syntax import nodes
from ...syntax.scopes import bound_names
from ..result import Result
from .marks import body_with, definitions_in, refused_body, stand_in
from .partial import Body, Decompile, Partial

_END = "__depyf_goes_on__"
"""The global that the part of a function loads at its end."""
_GOES_ON = nodes.Expr(nodes.Name(_END))
_UNSTRUCTURED = ("events", "nested blocks", "state variable", "dispatch loop")
"""Forms of text that may have other variables than the code."""


def partial_body(
    raw: RawCode,
    error: DecompilationError,
    decompile: Decompile,
    refused: Container[RawCode] = (),
    attributes: Sequence[str] = (),
    *,
    cuts_functions: bool = True,
) -> Partial:
    """The provable parts of ``raw``; ``error`` is why it is refused as a whole; ``decompile`` decompiles separate code.

    ``refused`` is nested code that was refused inside ``raw``; ``attributes`` as for ``refused_body``.
    ``cuts_functions``: statements of a function are shown too.
    """
    if kind_of(raw) in ("module", "class"):
        return Body(raw, error, decompile, refused).read()
    if kind_of(raw) == "function" and not is_expression(raw) and cuts_functions:
        return _Function(raw, error, decompile, refused, attributes).read()
    nested = [(child, decompile(child)) for child in raw.nested]
    results = tuple(result for _, result in nested)
    value = stand_in(raw, error.reason, nested) if is_expression(raw) else None
    if value is not None:
        return Partial(body_with(value, raw), results, stand_in=value)
    return Partial(refused_body(raw, error, attributes, definitions_in(raw, nested)), results)


class _Function(Body):
    """A function. Its parts are functions with its variables as parameters, and end by loading a global of their own,
    which tells going on from returning.
    """

    def is_prologue(self, piece: Piece) -> bool:
        return False

    def is_epilogue(self, piece: Piece) -> bool:
        return False

    def part(self, run: Sequence[Piece], has_class_dict: bool = False) -> RawCode:
        raw = self.raw
        end = [Instruction("LOAD_GLOBAL", _END), Instruction("POP"), Instruction("CONST", None)]
        end = [*end, Instruction("RETURN_VALUE")]
        for number, instruction in enumerate(reversed(end)):
            instruction.offset = END_OFFSET - 2 * number
        inside = joined(self.instructions, run, end)
        shared = {name for i in inside if isinstance(i.arg, RawCode) for name in i.arg.freevars}
        for instruction in inside:
            if instruction.op.endswith("_DEREF") and instruction.arg in raw.cellvars and instruction.arg not in shared:
                instruction.op = instruction.op[: -len("DEREF")] + "FAST"  # here it needs no cell
        part = part_of(raw, inside)
        used = {*part.cellvars, *(i.arg for i in inside if i.op.endswith("_FAST"))}
        part.varnames = tuple(name for name in dict.fromkeys((*raw.varnames, *raw.cellvars)) if name in used)
        part.argcount, part.posonlyargcount, part.kwonlyargcount = len(part.varnames), 0, 0
        part.flags &= ~(CO_VARARGS | CO_VARKEYWORDS | docstring_flag(raw.version))
        if not any(i.op in ("YIELD_VALUE", "YIELD_FROM") for i in inside):
            is_async = raw.flags & CO_ASYNC_GENERATOR
            part.flags = part.flags & ~(CO_GENERATOR | CO_ASYNC_GENERATOR) | (CO_COROUTINE if is_async else 0)
        give_instructions(part, inside)
        return part

    def statements_of(self, result: Result, run: Sequence[Piece]) -> list[nodes.Statement] | None:
        if not isinstance(result.tree, (nodes.FunctionDef, nodes.AsyncFunctionDef)) or result.form in _UNSTRUCTURED:
            return None
        body = result.tree.body
        ends = sum(node == _GOES_ON for node in nodes.walk(nodes.Module(body)))
        if run[-1].end is None:
            return body if not ends else None
        return _going_on(body) if ends == 1 else None

    def mentions(self, body: list[nodes.Statement]) -> list[nodes.Statement]:
        raw = self.raw
        if raw.docstring is not None:
            body.insert(0, nodes.Expr(docstring(raw.docstring, raw)))
        found = super().mentions(body)
        declared = {name for one in body if isinstance(one, (nodes.Global, nodes.Nonlocal)) for name in one.names}
        known = bound_names(body) | declared | {*raw.parameters, *raw.freevars}
        unbound = [nodes.Name(name) for name in (*raw.varnames, *raw.cellvars) if name not in known and is_name(name)]
        if unbound:
            found.append(nodes.Assign(list(unbound), nodes.Constant(None)))
        return found


def _going_on(body: list[nodes.Statement]) -> list[nodes.Statement] | None:
    """``body``, which loads the global of a part once, before it ends: without that, going on where it was; None if
    that can't be written. Elsewhere it returns.
    """
    last = body[-1] if body else None
    if last == _GOES_ON:
        return body[:-1]
    if not isinstance(last, nodes.If):
        return None
    test, leaves, stays = negate(last.test), last.orelse, _going_on(last.body)
    if stays is None:
        test, leaves, stays = last.test, last.body, _going_on(last.orelse)
    if stays is None:
        return None
    if not leaves or not isinstance(leaves[-1], (nodes.Return, nodes.Raise)):
        leaves = [*leaves, nodes.Return()]
    return [*body[:-1], nodes.If(test, leaves, line=last.line), *stays]
