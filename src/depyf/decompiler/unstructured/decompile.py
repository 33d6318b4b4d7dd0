"""Any code object of a function -> function definition: the passes."""

from __future__ import annotations

from types import MappingProxyType
from typing import Mapping, Sequence

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
from .carried import CarriedBlocks
from .conditions import join_tests, skip_empty
from .copies import drop_copies
from .naming import choose_names
from .patterns import join_mapping_patterns
from .polish import drop_unread, polish
from .shorten import shorten
from .statements import Structure


class UnstructuredWork:
    """The state of the passes: ``raw`` before, ``out`` (the statements) after."""

    analysis: Analysis
    writer: Blocks
    structure: Structure
    result: DecompiledCode

    def __init__(
        self,
        raw: RawCode,
        instructions: list[Instruction],
        nested: Nested | None,
        enclosing: frozenset[str],
        spelling: Spelling,
        naming: NamingHints,
        result_names: Mapping[str, Sequence[str]],
        carries: bool,
    ) -> None:
        self.carries = carries
        self.result_names = result_names
        self.named: dict[str, str] = {}
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

    @property
    def ours(self) -> set[str]:
        """Variables that the original does not have."""
        return self.writer.variables.ours | self.machine.temporaries

    @property
    def kept(self) -> set[str]:
        """Variables that keep their names because they are visible outside."""
        raw, machine = self.raw, self.machine
        return {*raw.parameters, *raw.cellvars, *raw.freevars, *machine.globals_stored, *machine.nonlocals_stored}

    def error(self, reason: str) -> DecompilationError:
        return DecompilationError(reason, stage="events" if self.carries else "dispatch", where=self.raw.qualname)


def _analyse(work: UnstructuredWork) -> None:
    if not work.raw.is_function:
        raise work.error("it is no function")
    work.analysis = Analysis(work.instructions, work.error)


def _write(work: UnstructuredWork) -> None:
    make = CarriedBlocks if work.carries else Blocks
    work.writer = make(work.raw, work.spelling, work.analysis, work.nested, work.naming)
    work.blocks = work.writer.run()


def _structure(work: UnstructuredWork) -> None:
    work.structure = Structure(work.analysis, work.blocks, work.writer.variables, work.machine.temporary, work.error)
    work.out = work.structure.run()
    if work.carries and work.structure.form != "nested blocks":
        raise work.error("control flow that needs a state variable")  # other strategies may need none


def _drop_copies(work: UnstructuredWork) -> None:
    spelling = work.machine.spelling
    drop_copies(work.out, work.machine.temporaries, {spelling.variable(name) for name in work.kept})


def _choose_names(work: UnstructuredWork) -> None:
    raw, kept, machine = work.raw, work.kept, work.machine
    hints = dict(machine.hints)
    for local in raw.localsplus:
        if local in work.writer.always_bound and local not in kept:
            hints[machine.spelling.variable(local)] = work.naming.local_hint(local)
    work.named = choose_names(work.out, hints, raw, machine.spelling, work.result_names, work.naming)


def _shorten(work: UnstructuredWork) -> None:
    raw = work.raw
    outside = (*raw.cellvars, *raw.freevars)
    variables = {work.machine.spelling.variable(name) for name in raw.localsplus if name not in outside}
    shorten(work.out, {*work.named.values(), *(work.ours - work.named.keys())}, variables)


def _define(work: UnstructuredWork) -> None:
    raw, code = work.raw, work.out
    made = {id(one) for one in work.machine.asynchronous}
    if made and any(id(part) in made for part in n.walk(code)):
        raise work.error("an asynchronous iterator lives on")
    yields = raw.flags & CO_GENERATOR and any(ins.op in ("YIELD_VALUE", "YIELD_FROM") for ins in work.instructions)
    if yields and not any(isinstance(part, (n.Yield, n.YieldFrom)) for part in n.walk(code)):
        code.append(n.If(n.Constant(False), [n.Expr(n.Yield())], []))
    try:
        work.result = function_result(raw, work.instructions, work.machine, code, work.enclosing)
    except PrintError as failure:
        raise work.error(f"what it does has no text: {failure}") from failure
    work.result.form = "events" if work.carries else work.structure.form


def _lost_node(work: UnstructuredWork) -> str:
    known = {block.node for block in work.blocks}
    for block in work.blocks:
        for successor in block.successors:
            if successor.target not in known:
                return f"{block.node} leads to {successor.target}, which has no block"
    return ""


_NODES = Invariant[UnstructuredWork]("no block is lost", _lost_node)
_JUMPS = Invariant[UnstructuredWork]("no jump is left but those of loops", lambda work: stray_jump(work.out))
_BODIES = Invariant[UnstructuredWork]("no body is empty", lambda work: empty_body(work.out))

PASSES: tuple[Pass[UnstructuredWork], ...] = (
    Pass("analyse", _analyse, "Cut into nodes, each with one stack and one place in try bodies and handlers."),
    Pass("write", _write, "Write each node, with what is known from those before it, or with variables for stack "
         "entries that outlive a node.", holds=(_NODES,)),
    Pass("empty", lambda work: skip_empty(work.analysis, work.blocks), "Leave out blocks that do nothing.",
         holds=(_NODES,), into="blocks"),
    Pass("tests", lambda work: join_tests(work.blocks),
         "Join tests that follow each other, before their places are chosen.", holds=(_NODES,), into="blocks"),
    Pass("structure", _structure, "Nest the nodes, with a state variable where nesting is not enough.",
         holds=(_JUMPS,)),
    Pass("unread", lambda work: drop_unread(work.out, work.ours), "Drop variables of ours that are never read.",
         lambda work: not work.carries, holds=(_JUMPS,)),
    Pass("polish", lambda work: polish(work.out, work.ours), "Write except and finally clauses, loops and with "
         "statements without variables of ours, and what follows an arm that ends without an else clause.",
         holds=(_JUMPS, _BODIES)),
    Pass("copies", _drop_copies, "Drop variables that only copy another one, before names are chosen.",
         holds=(_JUMPS,)),
    Pass("names", _choose_names, "Name temporaries after where their values come from.", holds=(_JUMPS,)),
    Pass("shorten", _shorten, "Join statements where the order allows it; all variables are final.",
         holds=(_JUMPS, _BODIES)),
    Pass("definition", _define, "Put the function around them, with declarations.", holds=(_JUMPS,)),
)  # fmt: skip
"""In execution order."""


def decompile_unstructured(
    raw: RawCode,
    nested: Nested | None = None,
    enclosing: frozenset[str] = frozenset(),
    spelling: Spelling | None = None,
    *,
    carries: bool,
    result_names: Mapping[str, Sequence[str]] = MappingProxyType({}),
    after: Observer | None = None,
    naming: NamingHints = NO_HINTS,
    instructions: list[Instruction] | None = None,
) -> DecompiledCode:
    """Return ``raw`` as a function definition, not yet proven.

    ``nested`` gives the definitions of functions that it makes; without it, code that makes one is refused.
    ``enclosing`` are the names bound by enclosing functions: a global of such a name must be declared. ``spelling`` is
    that of the outermost code, if that is another. ``carries``: carry what is known from block to block, and name the
    new variables; see the room. ``result_names``: see Settings. ``after`` is called after each pass. ``naming``: hints
    for new variables, taken from the names in the code. ``instructions`` are executed in the place of those of ``raw``.
    Raises DecompilationError for operations, uses of the stack or, with ``carries``, loops that it can't write.
    """
    work = UnstructuredWork(
        raw,
        join_mapping_patterns(disassemble(raw) if instructions is None else instructions),
        nested,
        enclosing,
        spelling or Spelling(raw),
        naming,
        result_names,
        carries,
    )
    run_passes(PASSES, work, after)
    return work.result
