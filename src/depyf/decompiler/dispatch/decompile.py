"""Any code object of a function -> function definition: the last resort."""

from __future__ import annotations

from ...errors import DecompilationError
from ..bytecode import Instruction, RawCode, disassemble
from ..bytecode.code.flags import CO_GENERATOR
from ..names.naming_hints import NO_HINTS, NamingHints
from ..names.spelling import Spelling
from ..passes import Invariant, Observer, Pass, run_passes
from ..printing.printer import PrintError
from ..stack_machine.definition import DecompiledCode, function_result
from ..stack_machine.machine import Machine, Nested
from ..syntax import nodes as n
from ..syntax.checks import empty_body, stray_jump
from .analysis import Analysis
from .blocks import Blocks, DispatchBlock
from .conditions import join_tests
from .patterns import join_mapping_patterns
from .polish import polish
from .statements import Structure


class DispatchWork:
    """The state of the passes: ``raw`` before, ``out`` (the statements) after."""

    analysis: Analysis
    writer: Blocks
    structure: Structure
    result: DecompiledCode

    def __init__(
        self,
        raw: RawCode,
        instructions: list[Instruction],
        nested: Nested,
        enclosing: frozenset[str],
        spelling: Spelling | None,
        naming: NamingHints,
    ) -> None:
        self.raw = raw
        self.instructions = instructions
        self.nested = nested
        self.enclosing = enclosing
        self.spelling = spelling
        self.naming = naming
        self.blocks: list[DispatchBlock] = []
        self.out: list[n.Statement] = []

    @property
    def machine(self) -> Machine:
        return self.writer.machine

    def error(self, reason: str) -> DecompilationError:
        return DecompilationError(reason, stage="dispatch", where=self.raw.qualname)


def _analyse(work: DispatchWork) -> None:
    if not work.raw.is_function:
        raise work.error("it is no function")
    work.analysis = Analysis(work.instructions, work.error)


def _write(work: DispatchWork) -> None:
    work.writer = Blocks(work.raw, work.spelling or Spelling(work.raw), work.analysis, work.nested, work.naming)
    work.blocks = work.writer.run()


def _structure(work: DispatchWork) -> None:
    work.structure = Structure(work.analysis, work.blocks, work.writer.variables, work.error)
    work.out = work.structure.run()


def _define(work: DispatchWork) -> None:
    raw, code = work.raw, work.out
    if any(part is made for part in n.walk(code) for made in work.machine.asynchronous):
        raise work.error("an asynchronous iterator lives on")
    yields = any(ins.op in ("YIELD_VALUE", "YIELD_FROM") for ins in work.instructions)
    if raw.flags & CO_GENERATOR and yields and not any(isinstance(p, (n.Yield, n.YieldFrom)) for p in n.walk(code)):
        code.append(n.If(n.Constant(False), [n.Expr(n.Yield())], []))
    try:
        work.result = function_result(raw, work.instructions, work.machine, code, work.enclosing)
    except PrintError as failure:
        raise work.error(f"what it does has no text: {failure}") from failure
    work.result.form = work.structure.form


def _lost_node(work: DispatchWork) -> str:
    known = {block.node for block in work.blocks}
    for block in work.blocks:
        for successor in block.successors:
            if successor.target not in known:
                return f"{block.node} leads to {successor.target}, which has no block"
    return ""


_NODES = Invariant[DispatchWork]("no block is lost", _lost_node)
_JUMPS = Invariant[DispatchWork]("no jump is left but those of loops", lambda work: stray_jump(work.out))
_BODIES = Invariant[DispatchWork]("no body is empty", lambda work: empty_body(work.out))

PASSES: tuple[Pass[DispatchWork], ...] = (
    Pass("analyse", _analyse, "Cut into nodes, each with one stack and one place in try bodies and handlers."),
    Pass("write", _write, "Write each node; stack entries that outlive a node become variables.",
         holds=(_NODES,)),
    Pass("tests", lambda work: join_tests(work.blocks),
         "Join tests that follow each other, before their places are chosen.", holds=(_NODES,), into="blocks"),
    Pass("structure", _structure, "Nest the nodes, with a state variable where nesting is not enough.",
         holds=(_JUMPS,)),
    Pass("polish", lambda work: polish(work.out, work.writer.variables.ours | work.machine.temporaries),
         "Drop variables of ours that are read once, and redundant jumps.", holds=(_JUMPS, _BODIES), into="out"),
    Pass("definition", _define, "Put the function around them, with declarations.",
         holds=(_JUMPS,)),
)  # fmt: skip
"""In execution order."""


def decompile_dispatch(
    raw: RawCode,
    nested: Nested,
    enclosing: frozenset[str] = frozenset(),
    spelling: Spelling | None = None,
    after: Observer | None = None,
    naming: NamingHints = NO_HINTS,
) -> DecompiledCode:
    """Return ``raw`` as a function definition, not yet proven.

    ``nested`` gives the definitions of functions that it makes. ``enclosing`` are the names bound by enclosing
    functions: a global of such a name must be declared. ``spelling`` is that of the outermost code, if that is
    another. ``after`` is called after each pass. ``naming``: hints for new variables, taken from the names in the code.
    Raises DecompilationError for operations or uses of the stack that no source expresses.
    """
    return decompile_instructions(raw, disassemble(raw), nested, enclosing, spelling, after, naming)


def decompile_instructions(
    raw: RawCode,
    instructions: list[Instruction],
    nested: Nested,
    enclosing: frozenset[str] = frozenset(),
    spelling: Spelling | None = None,
    after: Observer | None = None,
    naming: NamingHints = NO_HINTS,
) -> DecompiledCode:
    """Return a function that executes ``instructions``; parameters, names and constants are those of ``raw``."""
    work = DispatchWork(raw, join_mapping_patterns(instructions), nested, enclosing, spelling, naming)
    run_passes(PASSES, work, after)
    return work.result
