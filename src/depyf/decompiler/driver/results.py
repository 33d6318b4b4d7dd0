"""The results of a decompilation: text, verdict, and the results of nested code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator, Mapping, Sequence

from ...errors import DecompilationError
from ..bytecode import RawCode
from ..bytecode.code.flags import CO_COROUTINE, future_features
from ..bytecode.kinds import kind_of, mode_of
from ..definitions import rewritten_asserts, slices
from ..printing.printer import print_with_lines
from ..proof import Level, Verdict
from ..syntax import nodes
from .objects import code_in_tuples
from .refusals.marks import instruction_lines, mark_stand_ins, tree_around
from .result import Result, ResultText, meanings

if TYPE_CHECKING:
    from .decompilation import Decompilation


_DEEPEST = 16
"""How many code objects may be constants of each other."""


def result_of(work: Decompilation, raw: RawCode, proofs: dict[RawCode, Verdict]) -> Result:
    """The result of ``work`` for one code object, with those of nested code."""
    error = work.refused.get(raw)
    original = work.shared.respelling.original.get(raw, raw)
    if error is not None:
        return _refused(work, raw, original, error)
    nested = tuple([_nested(work, child, proofs) for child in raw.nested])  # a generator would fill the C stack
    nested += tuple([_alone(work, code) for code in code_in_tuples(raw)])
    tree = work.tree_of(raw)
    verdict = proofs.get(raw) or Verdict(Level.UNPROVEN, "", ("it was not reached by the proof",))
    meant = work.shared.respelling.of(raw)
    needs = _needs(raw, tree) if raw is work.root and verdict.proven else ()
    if verdict.proven:
        verdict = _with_what_is_put_back(work, raw, verdict, meant, needs)
    own: list[tuple[str, str]] = []
    for child in raw.walk() if work.shared.respelling.original else ():
        meant.update(work.shared.respelling.of(child))
        if child not in work.refused and child not in work.shared.partials:
            own += [(_place(what, child), name) for what, name in work.shared.respelling.own_names(child)[:1]]
    if work.tries[raw].folds_asserts:
        verdict = verdict._replace(assumptions=(*verdict.assumptions, rewritten_asserts.ASSUMPTION))
    if slices.calls_slice(raw, tree):
        verdict = verdict._replace(assumptions=(*verdict.assumptions, slices.ASSUMPTION))
    if raw is work.root:
        objects = {
            text: next((one for one in _all(nested) if value is one.raw or value is one.code), value)
            for text, value in work.shared.objects.of(raw).items()
        }
        last = work.candidate
        printed = ResultText(
            lambda: (last.text, last.lines), verdict, meant, own, needs, objects, is_laid_out=last.is_laid_out
        )
    else:
        printed = ResultText(lambda: print_with_lines(tree, grammar=work.shared.grammar), verdict, meant, own)
    tries = work.tries[raw]
    folded = tries.unstructured.folded if tries.unstructured is not None else 0
    return Result(
        original.name, original.qualname, printed, verdict, original, original.code, nested,
        folded, tries.form, tree,
        work.spelled(raw).then(meant),
        mode_of(raw) if kind_of(raw) in ("module", "expression") else "exec",
        tries.search,
    )  # fmt: skip


def _refused(work: Decompilation, raw: RawCode, original: RawCode, error: DecompilationError) -> Result:
    """The result for ``raw``, which is refused with this error: what of it is proven by itself."""
    partial = work.partial(raw, error)
    lines = instruction_lines(raw)
    error.instructions = "\n".join(lines)
    refused_tree = tree_around(raw, partial.body) if partial.stand_in is None else work.tree_of(raw)
    if partial.stand_in is not None and isinstance(refused_tree, nodes.Statement):
        mark_stand_ins([refused_tree], [(raw, error, partial.stand_in)])
    others = [
        f"by {strategy.engine}: {failure.reason}"
        for strategy, failure in zip(work.tries[raw].strategies, work.tries[raw].failures)
        if strategy.engine != "structured"
    ]
    if partial.proven:
        others.append(f"{partial.proven} of its {partial.pieces} statements are proven by themselves")
    verdict = Verdict(Level.REFUSED, error.stage, (error.reason, *others))
    printed = ResultText(lambda: print_with_lines(refused_tree, grammar=work.shared.grammar))
    return Result(
        original.name, original.qualname, printed, verdict, original, original.code, partial.nested,
        form="pieces" if partial.proven and not raw.is_function else "refused", tree=refused_tree,
    )  # fmt: skip


def _nested(work: Decompilation, raw: RawCode, proofs: dict[RawCode, Verdict]) -> Result:
    """The result for ``raw``, nested in the code of ``work``; decompiled alone if the text there only names it."""
    if raw.is_value and raw not in work.refused and any(raw is one for one in work.shared.objects.named.values()):
        return _alone(work, raw)
    return result_of(work, raw, proofs)


def _alone(work: Decompilation, raw: RawCode) -> Result:
    """The result for ``raw``, a constant in the code of ``work``. The cost grows with the square of the depth."""
    is_too_deep = work.nesting.depth >= _DEEPEST
    inner = type(work)(raw, work.settings, outer=work, is_part=is_too_deep)
    inner.nesting.depth += 1
    if not is_too_deep:
        return inner.run()
    reason = f"code in the constants of code, more than {_DEEPEST} times over"
    inner.refused[raw] = DecompilationError(reason, stage="decompile", where=raw.qualname)
    return result_of(inner, raw, {})


def _all(results: Sequence[Result]) -> Iterator[Result]:
    for one in results:
        yield from one.walk()


def _with_what_is_put_back(
    work: Decompilation, raw: RawCode, verdict: Verdict, meant: Mapping[str, str], needs: Sequence[str]
) -> Verdict:
    """``verdict`` with what the text itself does not say: names that it can't have, and flags for compile()."""
    given = work.shared.respelling.own_names(raw)
    said = [f"names that the text can't have, put back: {meanings(meant)}"] if meant else []
    said += [f"its own {what}, {name!a}, is put back by `recompile`" for what, name in given]
    if said:  # the compared code has the names of the original, the text does not
        verdict = verdict._replace(level=Level.EQUIVALENT)
    if needs:
        said.append("compiled with " + " and ".join(needs))
    return verdict._replace(reasons=(*verdict.reasons, *said))


def _place(what: str, raw: RawCode) -> str:
    """What in ``raw`` has another name in the text, by ``what`` as of ``own_names``."""
    if what in ("name", "qualified name"):
        return raw.qualname
    variable = what[len("name for ") :] if what.startswith("name for ") else f"the {what}"
    return variable if kind_of(raw) == "module" else f"{variable} in {raw.qualname}"


def _needs(raw: RawCode, tree: nodes.Node) -> tuple[str, ...]:
    """What compile() was told when it made the module ``raw``, and its text does not say."""
    if kind_of(raw) not in ("module", "expression"):
        return ()
    needs = []
    features = future_features(raw.flags, raw.version)
    if features:
        statements = tree.body if isinstance(tree, nodes.Module) else []
        imports = [one for one in statements if isinstance(one, nodes.ImportFrom) and one.module == "__future__"]
        imported = {alias.name for one in imports for alias in one.names}
        needs = [f"the future feature {name}" for name in features if name not in imported]
        if needs and not _depends_on_features(raw, tree):
            needs = []
    if raw.flags & CO_COROUTINE:
        needs.append("ast.PyCF_ALLOW_TOP_LEVEL_AWAIT")
    return tuple(needs)


_COMPILES = frozenset({"compile", "eval", "exec"})
"""What compiles text with the future features of the code that calls it."""


def _depends_on_features(raw: RawCode, tree: nodes.Node) -> bool:
    """Whether the module may do something else if it is compiled without its future features."""
    if any(not _COMPILES.isdisjoint(code.names) for code in raw.walk()):
        return True
    return any(
        isinstance(node, nodes.AnnAssign)
        or isinstance(node, nodes.arg) and node.annotation is not None
        or isinstance(node, (nodes.FunctionDef, nodes.AsyncFunctionDef)) and node.returns is not None
        for node in nodes.walk(tree)
    )
