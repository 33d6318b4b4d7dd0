"""The results of a decompilation: text, verdict, and the results of nested code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import DecompilationError
from ..bytecode import RawCode
from ..bytecode.kinds import kind_of, mode_of
from ..definitions.rewritten_asserts import ASSUMPTION
from ..printing.printer import print_with_lines
from ..proof import Level, Verdict
from ..proof.scaffold import Spelled
from ..syntax import nodes
from .partial import Partial
from .refused import instruction_lines, refused_body, tree_around
from .result import Result, ResultText, meanings

if TYPE_CHECKING:
    from .decompilation import Decompilation


def result_of(work: Decompilation, raw: RawCode, proofs: dict[RawCode, Verdict]) -> Result:
    """The result of ``work`` for one code object, with those of nested code."""
    error = work.refused.get(raw)
    original = work.respelling.original.get(raw, raw)
    if error is not None:
        partial = work.partial(raw, error)
        nested: tuple[Result, ...] = ()
        if raw in work.partials:
            nested = work.partials[raw].nested
        elif not work.is_part:
            inner = work.around(raw) | work.bound.get(raw, frozenset())
            nested = tuple(
                work.inside(child, inner).run() for child in raw.nested
            )
        lines = instruction_lines(raw)
        error.instructions = "\n".join(lines)
        refused_tree = _refused_tree(raw, error, partial)
        others = [
            f"by {strategy.engine}: {failure.reason}"
            for strategy, failure in zip(work.strategies[raw], work.failures.get(raw, ()))
            if strategy.engine != "structured"
        ]
        if partial is not None:
            others.append(f"{partial.proven} of its {partial.pieces} statements are proven by themselves")
        verdict = Verdict(Level.REFUSED, error.stage, (error.reason, *others))
        printed = ResultText(lambda: print_with_lines(refused_tree, grammar=work.grammar))
        return Result(
            original.name, original.qualname, printed, verdict, original, original.code, nested,
            form="pieces" if partial is not None else "refused", tree=refused_tree,
        )  # fmt: skip
    nested = tuple([result_of(work, child, proofs) for child in raw.nested])  # a generator would fill the C stack
    tree = work.tree_of(raw)
    verdict = proofs.get(raw) or Verdict(Level.UNPROVEN, "", ("it was not reached by the proof",))
    meant = work.respelling.of(raw)
    if meant and verdict.proven:
        # The compared code has the names of the original, the text does not.
        reasons = (*verdict.reasons, f"names that the text can't have, put back: {meanings(meant)}")
        verdict = verdict._replace(level=Level.EQUIVALENT, reasons=reasons)
    for child in raw.walk():
        meant.update(work.respelling.of(child))
    if raw in work.folded_asserts:
        verdict = verdict._replace(assumptions=(*verdict.assumptions, ASSUMPTION))
    if raw is work.root:
        printed = ResultText(lambda: (work.text, work.lines), verdict, meant, is_laid_out=work.is_laid_out)
    else:
        printed = ResultText(lambda: print_with_lines(tree, grammar=work.grammar), verdict, meant)
    form = work.forms.get(raw, "structured")
    events = work.events.get(raw)
    return Result(
        original.name, original.qualname, printed, verdict, original, original.code, nested,
        events.folded if events else 0, form, tree,
        (work.spelled(raw) if events else Spelled()).then(meant),
        mode_of(raw) if raw.name == "<module>" else "exec",
        work.searches.get(raw),
    )  # fmt: skip


def _refused_tree(raw: RawCode, error: DecompilationError, partial: Partial | None) -> nodes.Node:
    body = partial.body if partial is not None else refused_body(raw, error)
    kind = kind_of(raw)
    if kind in ("module", "lambda", "comprehension", "generic", "annotations", "expression") and partial is None:
        body = body[:1]
    return tree_around(raw, body)
