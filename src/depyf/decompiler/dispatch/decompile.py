"""Any code object of a function as a function definition: the last way to source."""

from __future__ import annotations

from ...errors import DecompilationError
from ..bytecode import Instruction, RawCode, disassemble
from ..bytecode.code.flags import CO_GENERATOR
from ..events.decompile import EventResult, function_result
from ..events.functions import Nested
from ..names.spelling import Spelling
from ..syntax import nodes as n
from ..syntax.printer import PrintError
from .analysis import Analysis
from .blocks import Blocks
from .conditions import join_tests
from .polish import polish
from .statements import Structure


def decompile_dispatch(
    raw: RawCode,
    nested: Nested,
    enclosing: frozenset[str] = frozenset(),
    spelling: Spelling | None = None,
) -> EventResult:
    """``raw`` as a function definition, not yet proven; ``nested`` gives the definitions of functions that it makes.

    ``enclosing`` are the names that functions around bind: a global of such a name must be declared. ``spelling`` is
    that of the outermost code, if it is another.
    Raises DecompilationError for operations or games with the stack that have no text.
    """
    return decompile_instructions(raw, disassemble(raw), nested, enclosing, spelling)


def decompile_instructions(
    raw: RawCode,
    instructions: list[Instruction],
    nested: Nested,
    enclosing: frozenset[str] = frozenset(),
    spelling: Spelling | None = None,
) -> EventResult:
    """A function that executes ``instructions``; parameters, names and constants are those of ``raw``."""

    def error(reason: str) -> DecompilationError:
        return DecompilationError(reason, stage="dispatch", where=raw.qualname)

    if not raw.is_function:
        raise error("it is no function")
    analysis = Analysis(instructions, error)
    machine = Blocks(raw, spelling or Spelling(raw), analysis, nested)
    blocks = join_tests(machine.run())
    structure = Structure(analysis, blocks, machine.variables, error)
    code = polish(structure.run(), machine.variables.ours | machine.temporaries)
    if any(part is made for part in n.walk(code) for made in machine.asynchronous):
        raise error("an asynchronous iterator lives on")
    yields = any(ins.op in ("YIELD_VALUE", "YIELD_FROM") for ins in instructions)
    if raw.flags & CO_GENERATOR and yields and not any(isinstance(p, (n.Yield, n.YieldFrom)) for p in n.walk(code)):
        code.append(n.If(n.Constant(False), [n.Expr(n.Yield())], []))
    try:
        result = function_result(raw, instructions, machine, code, enclosing)
    except PrintError as failure:
        raise error(f"what it does has no text: {failure}") from failure
    result.rung = structure.rung
    return result
