"""Any code object of a function as a function definition: the last way to source."""

from __future__ import annotations

from typing import Any

from ..bytecode import RawCode, disassemble
from ..events.decompile import EventResult, _parameters
from ..events.functions import Nested
from ..events.spelling import Spelling, identifier, is_name
from ..proof.verdict import Level, Verdict
from ..syntax import nodes as n
from ..syntax.printer import print_with_lines
from ...errors import DecompilationError
from .analysis import Analysis
from .blocks import Blocks
from .polish import polish
from .statements import Structure

CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR = 0x20, 0x80, 0x200


def _nested(raw: RawCode) -> n.FunctionDef:
    """A function that is made: a compiler made its code, so the structured way comes first."""
    from ..events.decompile import _nested as without_loops

    try:
        return without_loops(raw)
    except DecompilationError:
        return decompile_dispatch(raw).tree


def decompile_dispatch(raw: RawCode, nested: Nested | None = None) -> EventResult:
    """``raw`` as a function definition, not yet proven; ``nested`` gives the definitions of functions that it makes.

    Raises DecompilationError for operations or games with the stack that have no text.
    """

    def error(reason: str) -> DecompilationError:
        return DecompilationError(reason, stage="dispatch", where=raw.qualname)

    if not raw.is_function:
        raise error("it is no function")
    spelling = Spelling(raw)
    instructions = disassemble(raw)
    analysis = Analysis(instructions, error)
    machine = Blocks(raw, spelling, analysis, nested or _nested)
    blocks = machine.run()
    structure = Structure(analysis, blocks, machine.variables, error)
    code = polish(structure.run(), machine.variables.ours | machine.temporaries)
    body: list[n.Statement] = []
    if raw.docstring is not None:
        body.append(n.Expr(n.Constant(raw.docstring)))
    if machine.globals_stored:
        body.append(n.Global(list(machine.globals_stored)))
    if machine.nonlocals_stored:
        body.append(n.Nonlocal(list(machine.nonlocals_stored)))
    body += code
    if raw.flags & CO_GENERATOR and not any(isinstance(part, (n.Yield, n.YieldFrom)) for part in n.walk(code)):
        body.append(n.If(n.Constant(False), [n.Expr(n.Yield())], []))
    name = raw.name if is_name(raw.name) else identifier(raw.name, "function")
    make: Any = n.AsyncFunctionDef if raw.flags & (CO_COROUTINE | CO_ASYNC_GENERATOR) else n.FunctionDef
    tree = make(name, _parameters(raw, spelling), body or [n.Pass()], line=raw.firstlineno)
    verdict = Verdict(Level.UNPROVEN, "", ("not compared yet",))
    text, line_map = print_with_lines(tree)
    rung = "dispatch" if structure.has_dispatch else "state" if structure.has_state else "structured"
    return EventResult(
        tree, text, verdict, machine.folded, dict(spelling.constants), line_map=line_map, rung=rung
    )
