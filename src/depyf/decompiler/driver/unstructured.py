"""The statements of code that is not structured: unstructured/ writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import DecompilationError
from ..bytecode import RawCode, known_instructions
from ..bytecode.kinds import kind_of
from ..definitions.resolve import arguments_of
from ..definitions.unused import declare_the_unused
from ..names.spelling import Spelling
from ..stack_machine.outlining import outline_comprehensions
from ..syntax import nodes
from ..unstructured import DecompiledCode, decompile_unstructured
from .listings import statements_as_text
from .passes import DISASSEMBLE, IRREDUCIBLE, LINEAR
from .tries import Tries
from .units import strategies_of
from .work import Work

if TYPE_CHECKING:
    from .decompilation import Decompilation


def unstructured_body(work: Decompilation, raw: RawCode, enclosing: frozenset[str]) -> list[nodes.Statement]:
    """The finished statements of ``raw``; enclosing functions bind the names ``enclosing``."""
    engine, stepper = work.strategy(raw).engine, work.stepper_of(raw)
    if stepper.listens:
        stepper.run(DISASSEMBLE, Work(raw, work.strategy(raw)))
    naming = work.settings.origin.naming
    code = _outlined(work, raw)

    def nested(function: RawCode) -> nodes.FunctionDef | nodes.AsyncFunctionDef:
        return _definition(work, function)

    def written(spelling: Spelling) -> DecompiledCode:
        carries, names = engine == "events", work.settings.result_names
        after = stepper.observer(LINEAR if carries else IRREDUCIBLE)
        return decompile_unstructured(
            code, nested, enclosing, spelling, carries=carries, result_names=names, after=after, naming=naming
        )

    is_alone = raw is not work.root and work.strategy(work.root).engine == "structured"
    found = written(Spelling(raw) if is_alone else work.shared.objects.spelling)
    if is_alone and found.spelled:  # what has no spelling has one name in all of the text
        found = written(work.shared.objects.spelling)
    stepper.stage(engine, lambda: statements_as_text(found.tree.body))
    work.tries[raw].unstructured, work.tries[raw].form = found, found.form
    body = found.tree.body
    declare_the_unused(body, raw, known_instructions(raw), enclosing - work.nesting.parameters, alone=raw is work.root)
    return body or [nodes.Pass()]


def _outlined(work: Decompilation, raw: RawCode) -> RawCode:
    """``raw`` with calls of functions in place of its inlined comprehensions, made once."""
    tries = work.tries[raw]
    if tries.outlined is None:
        tries.outlined, functions = outline_comprehensions(raw)
        for function in functions:
            work.nesting.parents[function] = raw
            work.tries[function] = Tries(strategies_of(function))
    return tries.outlined


def _definition(work: Decompilation, raw: RawCode) -> nodes.FunctionDef | nodes.AsyncFunctionDef:
    """The definition of a function made by code that is not structured."""
    tree = work.tree_of(raw)
    if isinstance(tree, (nodes.FunctionDef, nodes.AsyncFunctionDef)):
        return tree
    if isinstance(tree, nodes.Expr) and isinstance(tree.value, nodes.Lambda):
        return nodes.FunctionDef("lambda_", tree.value.args, [nodes.Return(tree.value.body)])
    if isinstance(tree, nodes.Expr) and kind_of(raw) == "comprehension":
        return nodes.FunctionDef("comprehension", arguments_of(raw, [], {}, {}), [nodes.Return(tree.value)])
    raise DecompilationError(f"it makes the {kind_of(raw)} {raw.name}", stage="events", where=raw.qualname)
