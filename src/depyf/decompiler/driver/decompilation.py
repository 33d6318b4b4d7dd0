"""Decompiles a code object with all nested code: trees, text, proof; what fails is refused and the rest retried."""

from __future__ import annotations

import logging
from functools import cached_property
from typing import Any, Sequence

from ...errors import DecompilationError
from ..bytecode import RawCode, comprehension_variables
from ..bytecode.code.flags import CO_ASYNC_GENERATOR, CO_COROUTINE
from ..bytecode.kinds import compiled_with, kind_of, mode_of
from ..definitions.annotations import as_function
from ..definitions.bodies import on_one_line
from ..definitions.resolve import Definitions, arguments_of, value_of_lambda
from ..definitions.rewritten_asserts import has_short_form
from ..definitions.traces import static_attributes
from ..layout.quotes import usual_quote
from ..lift.values import Comprehension, Function, Iterated
from ..limits.budget import OutOfBudget, part_for, spend
from ..limits.deep_stack import is_deep
from ..names.spelling import identifier, is_name
from ..printing.printer import NO_WRAPPING, WIDTH, PrintError, print_tree, print_with_lines
from ..proof import Level, NoInterpreter, Verdict, compile_module, compile_unit, prove_all
from ..proof.constants import constant_key
from ..proof.scaffold import Spelled
from ..proof.symbolic.prove import prove_symbolic
from ..structure import check_rules
from ..surface_forms.kinds import KINDS
from ..syntax import nodes
from .listings import finished_as_text
from .nesting import Nesting
from .passes import FINISHING
from .refusals.by_kind import partial_body
from .refusals.marks import definitions_in, mark_stand_ins, refused_body, tree_around
from .refusals.partial import Partial
from .result import Result
from .results import result_of
from .settings import COMPILER, DEFAULT, Settings
from .shared import shared_by
from .stepper import Stepper
from .strategies import Strategy
from .texts.authors_layout import identical_at_once, laid_out, spelled_and_laid_out, wrapped_instead
from .texts.better_spellings import spelled_exactly
from .texts.candidate import Candidate
from .tries import Tries
from .units import BUGS, FUNCTION_STRATEGIES, STRATEGIES, Unit, lift_unit, strategies_of
from .unstructured import unstructured_body
from .work import Finishing

log = logging.getLogger("depyf")
_DEEP = 20
"""The number of enclosing code objects that let a RecursionError propagate: it can't be handled near the limit."""
_STEPS_OF_TEXT = 3
"""Cost per instruction of printing the whole text, compiling and comparing it."""
_COMPARED = ("argcount", "posonlyargcount", "kwonlyargcount", "flags", "bytecode", "names", "varnames", "cellvars",
             "freevars", "exception_table")  # fmt: skip
"""The fields in which two texts' code objects differ, apart from constants and nested code."""


class Decompilation:
    """Decompiles ``root``. Strategies are tried for each code object until all that is not ``refused`` is proven.

    ``outer`` is the decompilation of the code around ``root``, or (``is_part``) of the body that ``root`` is part of;
    ``enclosing`` are the names that functions around ``root`` bind.
    """

    def __init__(
        self,
        root: RawCode,
        settings: Settings = DEFAULT,
        stepper: Stepper | None = None,
        outer: Decompilation | None = None,
        *,
        is_part: bool = False,
        enclosing: frozenset[str] = frozenset(),
    ) -> None:
        if outer is None:
            self.shared = shared_by(root, settings)
            root = self.shared.respelling.raw
        else:
            self.shared = outer.shared  # root is part of the code respelled there
        self.nesting: Nesting = Nesting(root, outer.nesting if outer is not None else None, enclosing)
        self.quiet = Stepper(checks=self.settings.checks)
        self.stepper = stepper or self.quiet
        self.is_part = is_part
        if self.settings.skip_rules:
            check_rules(self.settings.skip_rules - KINDS.keys())
        self.tries = {raw: Tries(self._strategies(raw)) for raw in self.nesting.codes}
        self.refused: dict[RawCode, DecompilationError] = {}
        self.changes = 0  # of ``refused`` and ``tries``
        self.proofs: dict[Any, tuple[Verdict, list[tuple[RawCode, int]]]] = {}  # symbolic ones
        self.candidate = Candidate()
        self.is_wrapped = False  # though it will be laid out

    @property
    def root(self) -> RawCode:
        return self.nesting.root

    @property
    def settings(self) -> Settings:
        return self.shared.settings

    @cached_property
    def quote(self) -> str:
        """The kind of quotes to print strings in."""
        return usual_quote(self.root) if self.settings.layout == "author" else "'"

    def _strategies(self, raw: RawCode) -> Sequence[Strategy]:
        settings = self.settings
        found = strategies_of(raw, settings.origin)
        if self.shared.is_rewritten and not settings.rewritten_asserts and has_short_form(raw):
            found = (*(one._replace(asserts=True) for one in STRATEGIES), *found)
        return tuple(one._replace(skipped_rules=settings.skip_rules) for one in found) if settings.skip_rules else found

    def run(self) -> Result:
        """The result for the root, with the results of nested code in it."""
        try:
            return self._run()
        except RecursionError:
            raise
        except DecompilationError as error:
            self.refused[self.root] = error
        except BUGS as failure:
            reason = f"internal error: {type(failure).__name__}: {failure}"
            self.refused[self.root] = DecompilationError(reason, stage="decompile", where=self.root.qualname)
        return result_of(self, self.root, {})

    def _run(self) -> Result:
        proofs: dict[RawCode, Verdict] = {}
        for attempt in range(2 + len(FUNCTION_STRATEGIES) * len(self.nesting.codes)):
            tree = self.tree()
            if self.root in self.refused:
                break
            try:
                with part_for("text", self.nesting.size, self.root.qualname):
                    spend(_STEPS_OF_TEXT * self.nesting.size, "printing and proving the whole text")
                    if not self.print(tree):
                        continue
                    before = self.changes
                    proofs = identical_at_once(self) if attempt == 0 else {}
                    if proofs:
                        break
                    proofs = wrapped_instead(self, self.prove())
            except NoInterpreter as error:  # no error is known: keep the text, marked as not proven
                verdict = Verdict(Level.UNPROVEN, "", (error.reason,))
                proofs = {raw: verdict for raw in self.root.walk() if raw not in self.refused}
                break
            for raw, verdict in proofs.items():
                if not verdict.proven and raw not in self.refused:
                    self.refuse(raw, verdict)
                elif not verdict.proven and self.is_hidden(raw):
                    reasons = (f"{raw.name} is refused, and has the text of other code", *verdict.reasons)
                    self.refuse(self.nesting.parents[raw], verdict._replace(reasons=reasons))
            if self.changes == before:
                if self.settings.layout == "author":
                    proofs = spelled_and_laid_out(self, proofs) if self.settings.searches else laid_out(self, proofs)
                elif self.settings.searches:
                    proofs = spelled_exactly(self, proofs)
                break
        self.candidate.layout = None  # it knows this object: a cycle
        return result_of(self, self.root, proofs)

    # Trees

    def unit(self, raw: RawCode) -> Unit:
        tries = self.tries[raw]
        if tries.unit is None:
            tries.unit = lift_unit(raw, self.stepper_of(raw), tries.strategy)
        return tries.unit

    def stepper_of(self, raw: RawCode) -> Stepper:
        """The stepper for the stages of ``raw``."""
        return self.stepper if raw is self.root else self.quiet

    def strategy(self, raw: RawCode) -> Strategy:
        return self.tries[raw].strategy

    def failed(self, raw: RawCode, error: DecompilationError) -> bool:
        """Switch to the next strategy after one failed for ``raw``; if there is none, refuse ``raw``, return True."""
        tries = self.tries[raw]
        tries.fail(error)
        self.changes += 1
        for stale in (raw, *self.nesting.ancestors(raw)):
            self.tries[stale].body = None
        if tries.are_over:
            nested = [(one, self.tries[one]) for one in raw.nested if kind_of(one) == "lambda"]
            lambdas = [(one, its) for one, its in nested if its.unstructured is not None]
            if lambdas:  # their statements are no expression: without them it may be proven
                for one, its in lambdas:
                    self.refused[one] = (its.failures or tries.failures)[0]
                    its.body = its.unstructured = None
                tries.failures.clear()
                return False
            failures = tries.failures
            self.refused[raw] = next((one for one in failures if isinstance(one, OutOfBudget)), failures[0])
            tries.unstructured = None
        return raw in self.refused

    def body(self, raw: RawCode) -> list[nodes.Statement]:
        """The finished statements of ``raw``; raises if a lambda or comprehension has none."""
        tries = self.tries[raw]
        if tries.body is None:
            error = self.refused.get(raw)
            while error is None:
                try:
                    with part_for(raw, len(raw.bytecode) // 2, raw.qualname):
                        if tries.strategy.engine == "structured":
                            error = self.unit(raw).error
                        if error is None:
                            tries.body = self.finished(raw)
                            return tries.body
                except DecompilationError as failure:
                    error = failure
                except RecursionError:
                    if not is_deep() or len(self.nesting.ancestors(raw)) > _DEEP:
                        raise
                    error = DecompilationError("nested too deep for the interpreter's stack", where=raw.qualname)
                except BUGS as failure:
                    error = DecompilationError(
                        f"internal error: {type(failure).__name__}: {failure}", stage="polish", where=raw.qualname
                    )
                if not self.failed(raw, error):
                    error = None
            error = self.refused[raw]
            partial = self.partial(raw, error)
            if partial.stand_in is None and kind_of(raw) in ("lambda", "comprehension", "generic", "annotations"):
                raise DecompilationError(f"{raw.name} in it: {error.reason}", stage=error.stage, where=raw.qualname)
            tries.body = partial.body
        return tries.body

    def partial(self, raw: RawCode, error: DecompilationError) -> Partial:
        """The provable parts of the refused ``raw``."""
        if self.is_part and raw is self.root:
            return Partial(refused_body(raw, error))
        partials = self.shared.partials
        if raw not in partials:
            enclosing = self.nesting.around(raw)

            def decompile(code: RawCode) -> Result:
                is_part = code not in raw.nested
                inner = enclosing if is_part else enclosing | self.nesting.bound.get(raw, frozenset())
                return Decompilation(code, self.settings, outer=self, is_part=is_part, enclosing=inner).run()

            attributes = [*static_attributes(raw, self.nesting.class_of(raw)), *self.nesting.dead_attributes(raw)]
            is_compiled = self.settings.origin is COMPILER
            found = partial_body(raw, error, decompile, self.refused, attributes, cuts_functions=is_compiled)
            if found.stand_in is None and not self.compiles(raw, found.body):
                below = definitions_in(raw, zip(raw.nested, found.nested))
                body = refused_body(raw, error, attributes, below)
                body = body if self.compiles(raw, body) else refused_body(raw, error, attributes)
                found = found._replace(body=body, proven=0)
            partials[raw] = found
        return partials[raw]

    def compiles(self, raw: RawCode, body: list[nodes.Statement]) -> bool:
        """Whether the refused ``raw`` with this body can be compiled."""
        try:
            if kind_of(raw) in ("generic", "expression"):  # it is neither any more
                free = nodes.arguments([], [nodes.arg(name) for name in raw.freevars])
                wrapped: list[nodes.Statement] = [nodes.FunctionDef("enclosing_function", free, body)]
                compile_module(print_tree(nodes.Module(wrapped), grammar=self.shared.grammar), raw)
            else:
                self.compile(raw, print_tree(tree_around(raw, body), grammar=self.shared.grammar))
        except (DecompilationError, NoInterpreter, PrintError):
            return False
        return True

    def finished(self, raw: RawCode, strategy: Strategy | None = None) -> list[nodes.Statement]:
        tries, enclosing = self.tries[raw], self.nesting.around(raw)
        tries.unstructured = None
        strategy = strategy or tries.strategy
        if strategy.engine != "structured":
            return unstructured_body(self, raw, enclosing)
        # Lifted anew each time: resolving changes the tree in place, which must not affect a retry.
        unit, tries.unit = tries.unit or lift_unit(raw, self.quiet, strategy), None
        if unit.error is not None:
            raise unit.error
        tries.form = unit.form
        tries.is_by_columns |= unit.is_by_columns
        if raw in self.nesting.bound:
            self.nesting.bound[raw] -= comprehension_variables(unit.instructions)
        skipped = frozenset(self.settings.skip_transforms) | strategy.skipped_transforms
        if raw.table.behavior.loop_tests_are_copied:
            skipped |= {"redundant-continue-in-while"}  # its target differs from that of the body's end
        owner = raw if unit.kind == "class" else self.nesting.class_of(raw)
        work = Finishing(
            raw, strategy, unit.instructions, unit.body, self.body,
            enclosing=enclosing,
            parameters=self.nesting.parameters,
            skipped=skipped,
            asserts_are_rewritten=self.shared.is_rewritten,
            attributes=lambda: self.nesting.dead_attributes(raw),
            class_name=owner.name if owner is not None else None,
            objects=self.shared.objects,
        )  # fmt: skip
        FINISHING.run(work, self.stepper_of(raw).observer(FINISHING))
        tries.folds_asserts = work.folds_asserts
        refused = [(child, self.refused[child]) for child in raw.nested if child in self.refused]
        mark_stand_ins(work.body, [(child, error, self.partial(child, error).stand_in) for child, error in refused])
        return work.body

    def tree(self) -> nodes.Node:
        tree = self.tree_of(self.root)
        self.stepper.stage("polish", lambda: finished_as_text(tree, self.tries[self.root].body, self.root))
        return tree

    def tree_of(self, raw: RawCode) -> nodes.Node:
        """``raw`` as a definition, a module, or an expression."""
        kind = kind_of(raw)
        try:
            if kind == "lambda" and self.body(raw) is not None and self.tries[raw].unstructured is None:
                return nodes.Expr(Definitions(raw, self.body).expression(Function(raw, {})))
            if kind == "comprehension":
                value = Comprehension(Function(raw, {}), Iterated(nodes.Name("iterable")))
                return nodes.Expr(Definitions(raw, self.body).expression(value))
            if kind == "expression":
                return nodes.Expr(value_of_lambda(self.body(raw), raw))
            if kind == "generic":
                return nodes.Module(self.body(raw))
            body = as_function(self.body(raw)) if kind == "annotations" else self.body(raw)
        except DecompilationError as error:
            self.refused.setdefault(raw, error)
            partial = self.partial(raw, error)
            if partial.stand_in is not None:
                self.shared.partials[raw] = partial = partial._replace(body=refused_body(raw, error), stand_in=None)
            return tree_around(raw, partial.body)
        if kind == "module":
            return nodes.Module(on_one_line(body, self.shared.grammar) if mode_of(raw) == "single" else body)
        if kind == "class":
            return nodes.ClassDef(raw.name, [], [], body)
        is_async = raw.flags & (CO_COROUTINE | CO_ASYNC_GENERATOR)
        make: Any = nodes.AsyncFunctionDef if is_async else nodes.FunctionDef
        found = self.tries[raw].unstructured
        if found is not None:
            return make(found.tree.name, found.tree.args, body)  # type: ignore[no-any-return]
        name = raw.name if is_name(raw.name) else identifier(raw.name, "function")
        return make(name, arguments_of(raw, [], {}, {}), body)  # type: ignore[no-any-return]

    # Text and proof

    def print(self, tree: nodes.Node, width: int | None = None) -> bool:
        """Print the tree; if part of it can't be printed, refuse that and return False.

        ``width``: the line width; by default unlimited if the text will be laid out, unless it ``is_wrapped``.
        """
        if width is None:
            width = NO_WRAPPING if self.settings.layout == "author" and not self.is_wrapped else WIDTH
        try:
            text, lines = print_with_lines(tree, width=width, grammar=self.shared.grammar, quote=self.quote)
        except PrintError as error:
            self.refuse_culprit(str(error))
            return False
        if self.candidate.text != text or self.candidate.is_laid_out:
            self.candidate = Candidate(text, lines)
        self.stepper.stage("print", lambda: text)
        return True

    def prove(self) -> dict[RawCode, Verdict]:
        try:
            recompiled = self.compile_candidate()
        except NoInterpreter:
            raise
        except DecompilationError as error:
            self.refuse_culprit(error.reason)
            return {}
        return self.prove_against(recompiled)

    def compile_candidate(self) -> RawCode:
        """The code that the text compiles to, for all that is to be known of it."""
        if self.candidate.compiled is None:
            self.candidate.compiled = self.compile(self.root, self.candidate.text)
        return self.candidate.compiled

    def prove_against(self, recompiled: RawCode, *, only_identical: bool = False) -> dict[RawCode, Verdict]:
        """The proofs of the text compiled to ``recompiled``; ``only_identical``: none unless all code is identical."""
        live = [raw for raw in self.root.walk() if raw not in self.refused]
        symbolic = self.prove_symbolic if any(self.strategy(raw).symbolic for raw in live) else None
        found = prove_all(
            self.root, recompiled, symbolic=symbolic, names=False, only_identical=only_identical,
            are_put_back=bool(self.shared.respelling.original),
        )  # fmt: skip
        self.candidate.recompiled = {raw: other for raw, (_, other) in found.items() if other is not None}
        unproven = {raw for raw, (verdict, _) in found.items() if not verdict.proven}
        proofs = {
            raw: verdict
            for raw, (verdict, other) in found.items()
            # Code that was not reached may be missing only because its enclosing code differs.
            if other is not None or verdict.proven or unproven.isdisjoint(self.nesting.ancestors(raw))
        }
        self.stepper.stage(
            "prove", lambda: "\n".join(f"{raw.qualname}: {verdict.describe()}" for raw, verdict in proofs.items())
        )
        return proofs

    def prove_symbolic(self, original: RawCode, recompiled: RawCode) -> Verdict:
        """The symbolic proof, cached by text: nested code may be retried with many strategies."""
        constants = tuple(map(constant_key, recompiled.consts))
        key = (original, constants, *(getattr(recompiled, field) for field in _COMPARED))
        nested = recompiled.nested
        if key not in self.proofs:
            try:
                with part_for(("proof", original), len(original.bytecode) // 2):
                    verdict = prove_symbolic(original, recompiled)
            except OutOfBudget as error:
                verdict = Verdict(Level.UNPROVEN, "", (error.reason,))
            index_of = {id(raw): number for number, raw in enumerate(nested)}
            self.proofs[key] = verdict, [(raw, index_of[id(other)]) for raw, other in verdict.pairs]
        verdict, pairs = self.proofs[key]
        return verdict._replace(pairs=tuple((raw, nested[number]) for raw, number in pairs))

    def compile(self, raw: RawCode, text: str) -> RawCode:
        if compiled_with(raw):
            raise DecompilationError(f"compiled only with {compiled_with(raw)}", stage="recompile")
        spelled = self.spelled(raw) or None
        if kind_of(raw) in ("module", "expression"):
            return compile_module(text, raw, filename=raw.filename, mode=mode_of(raw), spelled=spelled)
        return compile_unit(text, raw, filename=raw.filename, spelled=spelled)

    def spelled(self, raw: RawCode) -> Spelled:
        """The spelling of what the text of ``raw`` has no syntax for, one for all code of the text."""
        parts = (self.tries[part].unstructured for part in raw.walk() if part in self.tries)
        spelled = (part.spelled for part in parts if part is not None)
        return self.shared.objects.spelled_with(next(filter(None, spelled), Spelled()))

    def refuse(self, raw: RawCode, verdict: Verdict) -> None:
        """Refuse the unproven ``raw``: none of it may be in the text unmarked."""
        if any(code in self.refused for code in (raw, *self.nesting.ancestors(raw))):
            return
        reason = "the source found is not proven: " + "; ".join(verdict.reasons)
        self.failed(raw, DecompilationError(reason, stage="prove", where=raw.qualname))

    def is_hidden(self, raw: RawCode) -> bool:
        """Whether the refused ``raw`` was compared with code that is the text of other code, so no mark is shown."""
        recompiled = self.candidate.recompiled
        other = recompiled.get(raw)
        return other is not None and any(
            partner is other and code not in self.refused for code, partner in recompiled.items()
        )

    def refuse_culprit(self, reason: str) -> None:
        """Refuse the innermost code objects that can't be printed or compiled alone, after the whole text could not."""
        before = self.changes
        tried: set[RawCode] = set()  # get another strategy next time, so nothing is known of their enclosing code
        for raw in reversed(list(self.root.walk())):
            if not tried.isdisjoint(raw.nested):
                tried.add(raw)
            if raw in tried or raw in self.refused or any(nested in self.refused for nested in raw.nested):
                continue
            if compiled_with(raw) and raw is not self.root:
                continue
            try:
                self.compile(raw, print_tree(self.tree_of(raw), grammar=self.shared.grammar))
            except (DecompilationError, PrintError) as error:
                text = error.reason if isinstance(error, DecompilationError) else str(error)
                self.failed(raw, DecompilationError(text, stage="print", where=raw.qualname))
                tried.add(raw)
        if self.changes == before:
            self.failed(self.root, DecompilationError(reason, stage="print", where=self.root.qualname))
