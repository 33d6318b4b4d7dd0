"""The list of passes: every step from a code object to its proof, in order, with the reason for its position.

The driver runs this list. The stepper stops at its names, ``--check`` checks its invariants, docs/passes.md shows it.
A code object takes one of three routes: STRUCTURING and FINISHING for compiled code, or one of the stages ``events``
and ``dispatch`` for the rest.
"""

from __future__ import annotations

from typing import Any, Callable, Iterator, NamedTuple

from ...errors import DecompilationError
from ..bytecode import Instruction, disassemble, operations_of
from ..bytecode.canonical.uncovered_tests import cover_jumps, cover_tests
from ..bytecode.code.flags import MAKES_GENERATOR
from ..bytecode.disassemble import PASSES as CANONICAL
from ..bytecode.disassemble import disassembled, has_given_instructions
from ..bytecode.instruction import CONDITIONAL_JUMPS, copies
from ..definitions.annotations import gather
from ..definitions.bodies import IS_EXPRESSION, begin, end, finish_early
from ..definitions.resolve import clauses_of, value_of_lambda
from ..definitions.rewritten_asserts import fold_asserts
from ..definitions.set_displays import order_sets
from ..definitions.unused import mention_in_value, store_in_dead_code
from ..flowgraph import (
    build_flowgraph,
    drop_abandoned_values,
    drop_inlined_builtins,
    find_match_statements,
    join_exit_copies,
    load_parameters_later,
    mark_regions,
    move_async_for_ends_back,
    move_handlers_back,
    restoring_handlers,
    rewrite_group_handlers,
    separate_breaks,
    separate_handler_ends,
    separate_with_exits,
    strip_finally_copies,
)
from ..lift import fold, lift
from ..names.private_names import unmangle
from ..passes import Observer, Pass, run_passes
from ..structure import (
    Flow,
    join_cases,
    join_ends,
    separate_outer_loops,
    structure,
    write_else_clauses,
    write_else_lines,
    write_idle_lines,
    write_idle_statements,
)
from ..syntax import nodes
from ..syntax.transforms import TRANSFORMS, Transform, check_names
from ..syntax.transforms.folded_tests import literals_in_values
from ..syntax.transforms.kept_constants import keep_constants
from ..unstructured.decompile import PASSES as UNSTRUCTURED
from . import invariants as that
from .file_sets import is_of_file, make_sets_here
from .listings import blocks_as_text, listing, statements_as_text
from .objects import has_objects
from .work import Finishing, Work


class Stage(NamedTuple):
    """Passes between two representations. ``gives`` describes the last one's result, ``render`` returns it as text."""

    name: str
    room: str
    gives: str
    passes: tuple[Pass[Any], ...] = ()
    render: Callable[[Any], str] = str

    def run(self, work: Any, after: Observer | None = None) -> None:
        """Run the passes that apply to ``work``; ``after`` is called after each."""
        run_passes(self.passes, work, after)


# Instructions


def _canonical(work: Work) -> None:
    is_observed = work.after is not None and not has_given_instructions(work.raw)
    work.instructions = copies(disassembled(work.raw, work.after)) if is_observed else disassemble(work.raw)


def _one_return(work: Work) -> None:
    """Join the returns of code compiled in mode 'eval', or of a lambda with ``yield``, to the last: the compiler copies
    it, since it has no line.
    """
    instructions = work.instructions
    last = max((index for index, i in enumerate(instructions) if i.op == "RETURN_VALUE"), default=0)
    for index, i in enumerate(instructions[:last]):
        if i.op == "RETURN_VALUE":
            instructions[index] = Instruction("JUMP", None, last, i.handler, i.offset, i.line, i.position)


def _cover_tests(work: Work) -> None:
    cover_tests(work.instructions)
    cover_jumps(work.instructions)


# The control flow graph


def _handlers_are_last(work: Work) -> bool:
    return work.behavior.handlers_are_last


def _has_regions(work: Work) -> bool:
    return bool(work.regions)


def _copied_tails(work: Work) -> None:
    assert work.ladder is not None
    work.ladder.copy_tails(work.graph, work.edits)


def _has_ladder(work: Work) -> bool:
    return work.ladder is not None


# Statements


def _flow(work: Work) -> None:
    behavior = work.behavior
    work.flow = Flow(
        work.blocks,
        else_is_last=behavior.else_is_last,
        handlers_are_last=behavior.handlers_are_last,
        loop_tests_are_copied=behavior.loop_tests_are_copied,
        restoring_handlers=restoring_handlers(work.graph) if behavior.handlers_are_last else [],
    )


def _one_trip_loops(work: Work) -> None:
    assert work.ladder is not None
    work.ladder.put_in_loops(work.flow, work.edits)


def _idle_statements(work: Work) -> None:
    skipped, constants = work.strategy.skipped_rules, work.raw.consts
    work.is_by_columns |= write_idle_statements(work.body, work.instructions, skipped, constants)
    work.is_by_columns |= write_idle_lines(work.body, work.instructions)
    work.is_by_columns |= write_else_lines(work.body, work.instructions)


# The finished body


def _set_displays(work: Finishing) -> None:
    if frozenset in map(type, work.raw.consts):
        order_sets(work.body, work.raw)


def _definitions(work: Finishing) -> None:
    work.body = work.definitions.resolve(work.body)


def _asserts(work: Finishing) -> None:
    if not fold_asserts(work.body, work.kind):
        raise DecompilationError("nothing of it is a rewritten assert", stage="polish", where=work.raw.qualname)
    work.folds_asserts = True


def _constants(work: Finishing) -> None:
    kept = keep_constants(work.body, formats_fold=work.raw.table.behavior.folded_constants_are_last)
    if not (kept or work.definitions.kept):
        raise DecompilationError("no constant in it is folded", stage="polish", where=work.raw.qualname)


def _keeps_tested_constants(work: Finishing) -> bool:
    """Whether a constant may be tested, and a tested value may be kept."""
    if _KEEPING.isdisjoint(operations_of(work.raw)):
        return False
    both = zip(work.instructions, work.instructions[1:])
    return bool([one for one, following in both if one.op == "CONST" and following.op in _TESTING])


_KEEPING = frozenset({"JUMP_IF_FALSE_OR_POP", "JUMP_IF_TRUE_OR_POP", "COPY"})
_TESTING = CONDITIONAL_JUMPS | {"UNARY_OP", "COPY", "SWAP", "NOP", "JUMP"}
"""The test of a constant, or what may be between the two."""


def _has_body(work: Finishing) -> bool:
    return work.kind not in IS_EXPRESSION


def _begin(work: Finishing) -> None:
    check_names(work.skipped)
    work.body = begin(work.body, work.raw, work.kind, work.instructions)
    work.present = nodes.classes_in(work.body)


def _transformed(name: str, transform: Transform, of: set[type[nodes.Statement]]) -> Pass[Finishing]:
    def run(work: Finishing) -> None:
        transform(work.body, work.kind)

    def applies(work: Finishing) -> bool:
        return work.kind not in IS_EXPRESSION and name not in work.skipped and not of.isdisjoint(work.present)

    why = " ".join((transform.__doc__ or "").split(". ")[0].split()).rstrip(".") + "."
    return Pass(name, run, why, applies)


def _single_value(work: Finishing) -> None:
    if work.kind == "comprehension":
        clauses_of(work.body, work.raw)
        return
    value = value_of_lambda(work.body, work.raw)
    work.body = [nodes.Return(mention_in_value(value, work.raw, work.instructions))]


def _private_names(work: Finishing) -> None:
    assert work.class_name is not None
    unmangle(work.body, work.class_name, work.raw)


_GRAPH = (that.NO_LOST_BLOCK, that.ENDS, that.HEIGHTS)
_REGIONS = (*_GRAPH, that.REGIONS)
_FINISHED = (that.NO_PLACEHOLDER, that.NO_STRAY_JUMP)

DISASSEMBLE = Stage(
    "disassemble", "bytecode", "canonical instructions, the same for every version",
    (
        Pass("canonical", _canonical, "Run all of the above, once for each code object.", holds=(that.STACK_DEPTHS,)),
        Pass("one_return", _one_return, "Join the returns of an expression; the compiler has copied them.",
             lambda work: work.kind == "expression" or work.kind == "lambda" and work.raw.flags & MAKES_GENERATOR > 0),
        Pass("uncovered_tests", _cover_tests, "Cover tests and jumps that the compiler left outside of their handler.",
             lambda work: bool(work.raw.exception_table)),
        Pass("sets", lambda work: make_sets_here(work.instructions, work.raw.version),
             "Order sets of a file as if the host had compiled them, which is what the printer expects.",
             lambda work: is_of_file(work.raw)),
        Pass("parameter_loads", lambda work: load_parameters_later(work.instructions, work.raw),
             "Move loads that a tool put first to where a compiler would load the parameters.",
             lambda work: work.strategy.delays_parameter_loads),
    ),
    lambda work: listing(work.instructions),
)  # fmt: skip

STRUCTURING = (
    DISASSEMBLE,
    Stage(
        "flowgraph", "flowgraph", "basic blocks and edges",
        (
            Pass("build", lambda work: build_flowgraph(
                     work.instructions, loop_tests_are_copied=work.behavior.loop_tests_are_copied),
                 "Cut at jumps, at their targets and where handlers begin and end.", holds=_GRAPH, into="graph"),
        ),
        lambda work: work.graph.render(),
    ),
    Stage(
        "undo_optimiser", "flowgraph", "the same graph as the code generator would have made it",
        (
            Pass("async_for_ends", lambda work: move_async_for_ends_back(work.graph),
                 "Move what follows an async for back to its end, before anything reads the layout.",
                 lambda work: _handlers_are_last(work) and "ASYNC_FOR_ITER" in operations_of(work.raw), _GRAPH),
            Pass("abandoned_values", lambda work: drop_abandoned_values(work.graph),
                 "Pop a value that a finally body abandons where it is computed.", holds=_GRAPH),
            Pass("inlined_builtins", lambda work: drop_inlined_builtins(work.graph),
                 "Drop the loops that the compiler writes for all() and the like; later loops are the source's.",
                 holds=_GRAPH),
            Pass("match_statements", lambda work: find_match_statements(work.graph),
                 "Make each pattern one test; its jumps would confuse the regions around it.",
                 lambda work: work.table.has_match_statements, _GRAPH, into="has_match"),
            Pass("group_handlers", lambda work: rewrite_group_handlers(work.graph),
                 "Give except* handlers the shape of except handlers, by which regions are recognised.", holds=_GRAPH),
            Pass("regions", lambda work: mark_regions(work.graph),
                 "Tell every block which try and with statements it is in.", holds=_REGIONS, into="regions"),
            Pass("with_exits", lambda work: separate_with_exits(work.graph, work.regions),
                 "Begin a block after a with statement that swallows an exception.", _has_regions, _REGIONS),
            Pass("handler_ends", lambda work: separate_handler_ends(work.graph),
                 "Begin a block after a handler.", _has_regions, _REGIONS),
            Pass("breaks", lambda work: separate_breaks(work.graph),
                 "Begin a block after a for loop that only its break leaves.", holds=_REGIONS),
            Pass("finally_copies", lambda work: strip_finally_copies(work.graph, work.regions),
                 "Strip the copies of finally bodies; blocks end where copies may end by now.", _has_regions,
                 _REGIONS),
            Pass("cold_handlers", lambda work: move_handlers_back(work.graph, work.regions),
                 "Move handlers back after their bodies, which are free of copies by now.",
                 lambda work: _has_regions(work) and _handlers_are_last(work),
                 _REGIONS),
            Pass("exit_copies",
                 lambda work: join_exit_copies(work.graph, exits_are_copied=work.behavior.exits_are_copied),
                 "Join copies of the ends of the code, in their final order.",
                 lambda work: work.strategy.joins_ends, _REGIONS),
            Pass("copied_tails", _copied_tails, "Edit the graph where plain structuring has failed (the ladder).",
                 _has_ladder, _GRAPH),
        ),
        lambda work: work.graph.render(),
    ),
    Stage(
        "lift", "lift", "blocks of statements; the evaluation stack is gone",
        (
            Pass("lift", lambda work: lift(
                     work.graph, work.raw, gathers_annotations=work.kind == "annotations"),
                 "Turn the stack of each block into expressions and statements.",
                 holds=(that.LIFTED_EDGES, that.SUCCESSORS), into="blocks"),
            Pass("fold", lambda work: fold(work.blocks),
                 "Fold expressions that span several blocks, such as conditions, into one.",
                 holds=(that.LIFTED_EDGES, that.SUCCESSORS), into="blocks"),
            Pass("ends", lambda work: join_ends(work.blocks, work.kind),
                 "Redirect implicit returns to one block at the end.",
                 lambda work: work.strategy.joins_ends and work.kind in ("module", "class", "function"),
                 (that.LIFTED_EDGES, that.SUCCESSORS)),
        ),
        lambda work: blocks_as_text(work.blocks),
    ),
    Stage(
        "structure", "structure", "a tree of statements; jumps are gone",
        (
            Pass("flow", _flow, "Make each try and with statement a node, and find what dominates what.",
                 holds=(that.FLOW_EDGES,)),
            Pass("outer_loops", lambda work: separate_outer_loops(work.flow),
                 "Give while True a header of its own where it begins with another loop.",
                 holds=(that.FLOW_EDGES,)),
            Pass("one_trip_loops", _one_trip_loops,
                 "Put one-trip loops around blocks where plain structuring has failed (the ladder).", _has_ladder,
                 (that.FLOW_EDGES,)),
            Pass("structure", lambda work: structure(work.flow, work.strategy.skipped_rules),
                 "Write nodes as nested statements, each exactly once.",
                 holds=(that.NO_STRAY_JUMP,), into="body"),
            Pass("else_clauses",
                 lambda work: write_else_clauses(work.body, work.strategy.skipped_rules),
                 "Write else clauses that only columns tell of, while the statements still have theirs.",
                 lambda work: work.strategy.reads_columns and work.kind in ("module", "class", "function"),
                 (that.NO_STRAY_JUMP,), into="is_by_columns"),
            Pass("idle_statements", _idle_statements,
                 "Write statements of which only a NOP is left, and else clauses that only lines tell of.",
                 lambda work: work.strategy.reads_columns and work.kind in ("module", "class", "function"),
                 (that.NO_STRAY_JUMP,)),
            Pass("cases", lambda work: join_cases(work.body),
                 "Join chains of tests on patterns to match statements.",
                 lambda work: work.has_match, (that.NO_STRAY_JUMP,), into="body"),
            Pass("annotations", lambda work: gather(work.body, work.raw),
                 "Read the dictionary that an annotations function fills.",
                 lambda work: work.kind == "annotations", into="body"),
        ),
        lambda work: statements_as_text(work.body) if work.body else blocks_as_text(work.flow.nodes),
    ),
)  # fmt: skip
"""From a code object to statements with placeholders for nested code."""

FINISHING = Stage(
    "polish", "definitions, syntax", "the tree that is printed",
    (
        Pass("asserts", lambda work: finish_early(
                 work.body, work.kind, work.raw, asserts_are_rewritten=work.asserts_are_rewritten),
             "Find assert statements, and drop what only the compiler wrote, while placeholders tell.", into="body"),
        Pass("set_displays", _set_displays,
             "Order sets of strings as far as the constants show it, while all expressions are those of this code.",
             lambda work: work.raw.table.behavior.folded_constants_are_last),
        Pass("definitions", _definitions, "Put nested code in its place, without bodies for now.",
             holds=(that.NO_PLACEHOLDER, that.NO_STRAY_JUMP)),
        Pass("objects", lambda work: work.objects.write_names(work.body),
             "Write names for constants without a literal, once code is no longer one of them.",
             lambda work: has_objects(work.raw), _FINISHED),
        Pass("rewritten_asserts", _asserts,
             "Fold the statements that pytest makes of an assert; they are plain expressions by now.",
             lambda work: work.strategy.asserts, _FINISHED),
        Pass("folded_tests", lambda work: literals_in_values(work.body),
             "Write literals where a test of an operation ends with a constant.",
             lambda work: work.raw.table.behavior.folded_tests_stay and _keeps_tested_constants(work),
             _FINISHED),
        Pass("kept_constants", _constants, "Keep constants apart that compilers would fold.",
             lambda work: work.strategy.keeps_constants, _FINISHED),
        Pass("begin", _begin, "Drop the prologue of a class and join annotations with their targets.",
             _has_body, _FINISHED),
        *(_transformed(*one) for one in TRANSFORMS),
        Pass("end", lambda work: end(
                 work.body, work.raw, work.kind, work.instructions, work.enclosing, work.parameters),
             "Add declarations, the docstring, and dead code that keeps names; all other statements are final.",
             _has_body, _FINISHED, into="body"),
        Pass("single_value", _single_value,
             "Refuse an expression that is more than one value; add dead code that keeps names to the value.",
             lambda work: work.kind in ("lambda", "expression", "comprehension")),
        Pass("dead_stores", lambda work: store_in_dead_code(work.body, work.attributes()),
             "Store attributes in dead code that a class lists and no code stores."),
        Pass("private_names", _private_names, "Write private names as inside their class, once all names are there.",
             lambda work: work.class_name is not None),
        Pass("bodies", lambda work: work.definitions.put_in_bodies(),
             "Give definitions their bodies, which are finished.",
             holds=(*_FINISHED, that.NO_EMPTY_BODY)),
    ),
    lambda work: statements_as_text(work.body),
)  # fmt: skip
"""From there to the printed body."""

LINEAR = Stage(
    "events", "unstructured", "statements in order of their side effects", UNSTRUCTURED,
    lambda work: statements_as_text(work.out),
)
IRREDUCIBLE = Stage(
    "dispatch", "unstructured", "nested statements, with a dispatch loop where control is irreducible",
    UNSTRUCTURED, lambda work: statements_as_text(work.out),
)  # fmt: skip

STAGES = (
    Stage("load", "bytecode/reading", "the code object as plain data"),
    DISASSEMBLE._replace(passes=(*CANONICAL, *DISASSEMBLE.passes)),
    *STRUCTURING[1:],
    LINEAR,
    IRREDUCIBLE,
    FINISHING,
    Stage("print", "printing", "source"),
    Stage("prove", "proof", "the verdict"),
)
"""All stages, in order; ``load``, ``print`` and ``prove`` are one step each, for the whole text. The driver takes one
of three routes through the middle."""


def names() -> Iterator[str]:
    """All names of stages and passes that ``--stop-after`` accepts."""
    for stage in STAGES:
        yield stage.name
        yield from (f"{stage.name}:{one.name}" for one in stage.passes)


def is_name(name: str) -> bool:
    """Whether ``name`` is the name of a stage or of a pass in one."""
    return name in set(names())
