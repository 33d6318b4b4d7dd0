"""A code object with all that is nested in it: trees, text, proof; what fails is refused and the rest tried again."""

from __future__ import annotations

import functools
import logging
from typing import Any

from ..errors import DecompilationError
from .annotations import as_function
from .bodies import finish, finish_early, mention_the_unused, store_in_dead_code
from .bytecode import RawCode, comprehension_variables, known_instructions
from .bytecode.code_flags import CO_ASYNC_GENERATOR, CO_COROUTINE
from .bytecode.grammar import has_nested_quotes
from .deep_stack import is_deep
from .definitions import Definitions, arguments_of, value_of_lambda
from .dispatch import decompile_dispatch
from .events import EventResult, decompile_events
from .events.hints import is_made_up
from .events.spelling import Spelling, identifier, is_name
from .lift.handlers.calls import Comprehension
from .lift.values import Function, Iterated
from .private_names import unmangle
from .proof import Level, NoInterpreter, Verdict, compile_module, compile_unit, prove_all
from .proof.constants import constant_key
from .proof.scaffold import Spelled
from .proof.symbolic import prove_symbolic
from .refused import instruction_lines, refused_body
from .result import Result, Text
from .settings import DEFAULT, Settings
from .spell_exactly import spell_exactly
from .stepper import Stepper
from .syntax import nodes
from .syntax.printer import PrintError, print_tree, print_with_lines
from .syntax.transforms.kept_constants import keep_constants
from .units import BUGS, FUNCTION_WAYS, Unit, Way, kind_of, lift_unit, ways_of

log = logging.getLogger("depyf")
_SCOPES = ("function", "lambda", "comprehension", "generic")
_DEEP = 20
"""How many code objects around one let a RecursionError through: it is not caught near the limit (see deep_stack)."""
_COMPARED = ("argcount", "posonlyargcount", "kwonlyargcount", "flags", "bytecode", "names", "varnames", "cellvars",
             "freevars", "exception_table")  # fmt: skip
"""What two texts' code objects differ in, constants and nested code aside."""


class Decompilation:
    """Decompiles ``root``. ``units`` are lifted once; ``refused`` grows until everything left is proven."""

    def __init__(self, root: RawCode, settings: Settings = DEFAULT, stepper: Stepper | None = None) -> None:
        self.root = root
        self.nested_quotes = has_nested_quotes(root.version)
        self.settings = settings
        self.stepper = stepper or Stepper()
        self.units: dict[RawCode, Unit] = {}
        self.refused: dict[RawCode, DecompilationError] = {}
        self.bodies: dict[RawCode, list[nodes.Statement]] = {}
        self.rungs: dict[RawCode, str] = {}  # of ``bodies``
        self.events: dict[RawCode, EventResult] = {}  # of those ``bodies`` that were not structured
        self.bound: dict[RawCode, frozenset[str]] = {}
        self.parents: dict[RawCode, RawCode] = {}
        self.ways = {raw: ways_of(raw) for raw in root.walk()}
        self.proofs: dict[Any, tuple[Verdict, list[tuple[RawCode, int]]]] = {}  # symbolic ones
        self.failures: dict[RawCode, list[DecompilationError]] = {}  # of the ways tried so far
        self.changes = 0  # of ``refused`` and ``failures``
        self.lines: dict[int, int] = {}
        self.text = ""
        for raw in root.walk():
            if kind_of(raw) in _SCOPES:
                self.bound[raw] = frozenset((*raw.varnames, *raw.cellvars, *raw.freevars))
            for nested in raw.nested:
                self.parents[nested] = raw

    def run(self) -> Result:
        """The result for the root, with those of nested code below it."""
        proofs: dict[RawCode, Verdict] = {}
        for _ in range(2 + len(FUNCTION_WAYS) * (1 + len(self.parents))):
            tree = self.tree()
            if self.root in self.refused:
                break
            if not self.print(tree):
                continue
            before = self.changes
            try:
                proofs = self.prove()
            except NoInterpreter as error:
                # Nothing is known to be wrong: the text stands, and says that it is not proven.
                verdict = Verdict(Level.UNPROVEN, "", (error.reason,))
                proofs = {raw: verdict for raw in self.root.walk() if raw not in self.refused}
                break
            for raw, verdict in proofs.items():
                if not verdict.proven and raw not in self.refused:
                    self.refuse(raw, verdict)
            if self.changes == before:
                if self.settings.searches:
                    proofs = self.spelled_exactly(proofs)
                break
        return self.result(self.root, proofs)

    # Trees

    def unit(self, raw: RawCode) -> Unit:
        if raw not in self.units:
            self.units[raw] = lift_unit(raw, self.stepper if raw is self.root else None, self.way(raw))
        return self.units[raw]

    def way(self, raw: RawCode) -> Way:
        ways = self.ways[raw]
        return ways[min(len(self.failures.get(raw, ())), len(ways) - 1)]

    def failed(self, raw: RawCode, error: DecompilationError) -> bool:
        """The way of ``raw`` has failed: the next one's turn. If there is none, ``raw`` is refused; True then."""
        failures = self.failures.setdefault(raw, [])
        failures.append(error)
        self.changes += 1
        self.units.pop(raw, None)
        for stale in (raw, *self.ancestors(raw)):
            self.bodies.pop(stale, None)
        if len(failures) == len(self.ways[raw]):
            self.refused[raw] = failures[0]
        return raw in self.refused

    def body(self, raw: RawCode) -> list[nodes.Statement]:
        """The finished statements of ``raw``; raises if a lambda or comprehension has none."""
        if raw not in self.bodies:
            error = self.refused.get(raw)
            while error is None:
                try:
                    if self.way(raw).engine == "structured":
                        error = self.unit(raw).error
                    if error is None:
                        self.bodies[raw] = self.finished(raw)
                        return self.bodies[raw]
                except DecompilationError as failure:
                    error = failure
                except RecursionError:
                    if not is_deep() or len(self.ancestors(raw)) > _DEEP:
                        raise
                    error = DecompilationError("nested too deep for the interpreter's stack", where=raw.qualname)
                except BUGS as failure:
                    error = DecompilationError(
                        f"internal error: {type(failure).__name__}: {failure}", stage="polish", where=raw.qualname
                    )
                if not self.failed(raw, error):
                    error = None
            error = self.refused[raw]
            if kind_of(raw) in ("lambda", "comprehension", "generic", "annotations"):
                raise DecompilationError(f"{raw.name} in it: {error.reason}", stage=error.stage, where=raw.qualname)
            self.bodies[raw] = refused_body(raw, error, self.static_attributes(raw))
        return self.bodies[raw]

    def static_attributes(self, raw: RawCode) -> list[str]:
        """What ``raw`` adds to the attributes that its class says its methods store to ``self`` (3.13 on)."""
        owner = next((place for place in self.ancestors(raw) if kind_of(place) == "class"), None)
        try:
            return sorted(name for name, stored in _listed(owner, raw).items() if stored) if owner else []
        except DecompilationError:
            return []

    def dead_attributes(self, raw: RawCode) -> list[str]:
        """Attributes of ``self`` that only dead code of the class stores, if ``raw`` is its first method with one."""
        owner = self.parents.get(raw)
        if owner is None or kind_of(owner) != "class":
            return []
        methods = (part for part in owner.nested if kind_of(part) == "function" and part.varnames[:1] == ("self",))
        if next(methods, None) is not raw:
            return []
        return sorted(name for name, stored in _listed(owner, owner).items() if not stored)

    def finished(self, raw: RawCode) -> list[nodes.Statement]:
        enclosing: frozenset[str] = frozenset().union(*(self.bound.get(place, ()) for place in self.ancestors(raw)))
        self.events.pop(raw, None)
        way = self.way(raw)
        if way.engine != "structured":
            return self.finished_events(raw, enclosing)
        # Lifted anew each time: resolving changes the tree in place, and a retry must not see its traces.
        unit = self.units.pop(raw, None) or lift_unit(raw, way=way)
        if unit.error is not None:
            raise unit.error
        self.rungs[raw] = unit.rung
        if raw in self.bound:
            self.bound[raw] -= comprehension_variables(unit.instructions)
        body = finish_early(unit.body, unit.kind, raw)
        definitions = Definitions(raw, self.body, way.keeps_constants)
        body = definitions.resolve(body)
        if way.keeps_constants and not (keep_constants(body) or definitions.kept):
            raise DecompilationError("no constant in it is folded", stage="polish", where=raw.qualname)
        skipped = frozenset(self.settings.skip_transforms) | way.skipped_transforms
        if raw.table.loop_tests_are_copied:
            skipped |= {"redundant-continue-in-while"}  # it jumps to another place than the end of the body does
        body = finish(body, raw, unit.kind, unit.instructions, enclosing, skipped)
        if unit.kind == "lambda":
            value_of_lambda(body, raw)
        store_in_dead_code(body, self.dead_attributes(raw))
        owner = next((place for place in (raw, *self.ancestors(raw)) if kind_of(place) == "class"), None)
        if owner is not None:
            unmangle(body, owner.name, raw)
        definitions.put_in_bodies()
        return body

    def finished_events(self, raw: RawCode, enclosing: frozenset[str]) -> list[nodes.Statement]:
        engine = self.way(raw).engine
        inside = raw is not self.root and self.way(self.root).engine != "structured"
        spelling = Spelling(self.root) if inside else None
        if engine == "dispatch":
            found = decompile_dispatch(raw, self.nested_definition, enclosing, spelling)
        else:
            found = decompile_events(raw, self.nested_definition, enclosing, spelling, self.settings.result_names)
        if found.spelled and raw is not self.root and not inside:
            raise DecompilationError(
                "constants and names without a spelling in Python, in a nested function",
                stage=engine, where=raw.qualname,
            )  # fmt: skip
        self.events[raw], self.rungs[raw] = found, found.rung
        body = found.tree.body
        mention_the_unused(body, raw, known_instructions(raw), alone=raw is self.root)
        return body or [nodes.Pass()]

    def nested_definition(self, raw: RawCode) -> nodes.FunctionDef | nodes.AsyncFunctionDef:
        """A function made by code that is not structured, as a definition."""
        tree = self.printable(raw)
        if isinstance(tree, (nodes.FunctionDef, nodes.AsyncFunctionDef)):
            return tree
        if isinstance(tree, nodes.Expr) and isinstance(tree.value, nodes.Lambda):
            return nodes.FunctionDef("lambda_", tree.value.args, [nodes.Return(tree.value.body)])
        if isinstance(tree, nodes.Expr) and kind_of(raw) == "comprehension":
            return nodes.FunctionDef("comprehension", arguments_of(raw, [], {}, {}), [nodes.Return(tree.value)])
        raise DecompilationError(f"it makes the {kind_of(raw)} {raw.name}", stage="events", where=raw.qualname)

    def printable(self, raw: RawCode) -> nodes.Node:
        """The tree of nested code, in the first way that has a text: it may have a constant that is no literal."""
        while True:
            tree = self.tree_of(raw)
            try:
                print_tree(tree, nested_quotes=self.nested_quotes)
                return tree
            except PrintError as error:
                if raw in self.refused:
                    raise DecompilationError(str(error), stage="print", where=raw.qualname) from error
                self.failed(raw, DecompilationError(str(error), stage="print", where=raw.qualname))

    def tree(self) -> nodes.Node:
        tree = self.tree_of(self.root)
        self.stepper.stage("polish", lambda: repr(tree))
        return tree

    def tree_of(self, raw: RawCode) -> nodes.Node:
        """``raw`` as a definition, a module, or an expression."""
        kind = kind_of(raw)
        try:
            if kind == "lambda" and self.body(raw) is not None and raw not in self.events:
                return nodes.Expr(Definitions(raw, self.body).expression(Function(raw, {})))
            if kind == "comprehension":
                value = Comprehension(Function(raw, {}), Iterated(nodes.Name("iterable")))
                return nodes.Expr(Definitions(raw, self.body).expression(value))
            if kind == "generic":
                return nodes.Module(self.body(raw))
            body = as_function(self.body(raw)) if kind == "annotations" else self.body(raw)
        except DecompilationError as error:
            self.refused.setdefault(raw, error)
            return nodes.Module(refused_body(raw, error))
        if kind == "module":
            return nodes.Module(body)
        if kind == "class":
            return nodes.ClassDef(raw.name, [], [], body)
        is_async = raw.flags & (CO_COROUTINE | CO_ASYNC_GENERATOR)
        make: Any = nodes.AsyncFunctionDef if is_async else nodes.FunctionDef
        if raw in self.events:
            return make(self.events[raw].tree.name, self.events[raw].tree.args, body)  # type: ignore[no-any-return]
        name = raw.name if is_name(raw.name) else identifier(raw.name, "function")
        return make(name, arguments_of(raw, [], {}, {}), body)  # type: ignore[no-any-return]

    # Text and proof

    def print(self, tree: nodes.Node) -> bool:
        """Print the tree; refuses what can't be printed and returns False then."""
        try:
            self.text, self.lines = print_with_lines(tree, nested_quotes=self.nested_quotes)
        except PrintError as error:
            self.refuse_culprit(str(error))
            return False
        self.stepper.stage("print", lambda: self.text)
        return True

    def prove(self) -> dict[RawCode, Verdict]:
        try:
            recompiled = self.compile(self.root, self.text)
        except NoInterpreter:
            raise
        except DecompilationError as error:
            self.refuse_culprit(error.reason)
            return {}
        live = [raw for raw in self.root.walk() if raw not in self.refused]
        symbolic = self.prove_symbolic if any(self.way(raw).symbolic for raw in live) else None
        found = prove_all(self.root, recompiled, symbolic=symbolic, names=False)
        unproven = {raw for raw, (verdict, _) in found.items() if not verdict.proven}
        proofs = {
            raw: verdict
            for raw, (verdict, other) in found.items()
            # What was met nowhere may be missed only because what is around it is another code.
            if other is not None or verdict.proven or unproven.isdisjoint(self.ancestors(raw))
        }
        self.stepper.stage(
            "prove", lambda: "\n".join(f"{raw.qualname}: {verdict.describe()}" for raw, verdict in proofs.items())
        )
        return proofs

    def spelled_exactly(self, proofs: dict[RawCode, Verdict]) -> dict[RawCode, Verdict]:
        """The proofs of a text with other spellings of what was not exact, where such are found."""
        chosen = []
        for raw, verdict in proofs.items():
            if verdict.level is Level.EQUIVALENT and raw not in self.refused and self.rungs.get(raw) == "structured":
                if kind_of(raw) in ("function", "class", "module") and not any(map(is_made_up, raw.varnames)):
                    try:
                        found = spell_exactly(self.body(raw), raw, functools.partial(self.text_of, raw), self.compile)
                    except RecursionError:
                        continue
                    except BUGS as error:
                        log.warning("%s: no exact spelling is looked for: internal error: %r", raw.qualname, error)
                        continue
                    for change in found:
                        change.make()
                    chosen += found
        if not chosen:
            return proofs
        tree, text, lines, changes = self.tree(), self.text, self.lines, self.changes
        better = self.prove() if self.print(tree) else {}
        kept = all(better[raw].proven if raw in better else not proofs[raw].proven for raw in proofs)
        if kept and self.changes == changes:
            return better
        for change in reversed(chosen):
            change.undo()
        self.text, self.lines = text, lines
        return proofs

    def text_of(self, raw: RawCode) -> str | None:
        """``raw`` printed alone; None if it has no text."""
        try:
            return print_tree(self.tree_of(raw), nested_quotes=self.nested_quotes)
        except (DecompilationError, PrintError, RecursionError):
            return None

    def prove_symbolic(self, original: RawCode, recompiled: RawCode) -> Verdict:
        """The symbolic proof, done once for a text: what is nested in it may be tried in many ways."""
        constants = tuple(map(constant_key, recompiled.consts))
        key = (original, constants, *(getattr(recompiled, field) for field in _COMPARED))
        nested = recompiled.nested
        if key not in self.proofs:
            verdict = prove_symbolic(original, recompiled)
            place = {id(raw): number for number, raw in enumerate(nested)}
            self.proofs[key] = verdict, [(raw, place[id(other)]) for raw, other in verdict.pairs]
        verdict, pairs = self.proofs[key]
        return verdict._replace(pairs=tuple((raw, nested[number]) for raw, number in pairs))

    def compile(self, raw: RawCode, text: str) -> RawCode:
        if kind_of(raw) == "annotations":
            raise DecompilationError("annotations are compiled only with what they annotate", stage="recompile")
        if kind_of(raw) == "module":
            return compile_module(text, raw, filename=raw.filename)
        spelled = self.spelled(raw) if raw in self.events else None
        return compile_unit(text, raw, filename=raw.filename, spelled=spelled)

    def spelled(self, raw: RawCode) -> Spelled:
        """What the text of ``raw`` writes in another way, in nested code at least: all of it has one spelling."""
        parts = (self.events[part].spelled for part in raw.walk() if part in self.events)
        return next(filter(None, parts), Spelled())

    def refuse(self, raw: RawCode, verdict: Verdict) -> None:
        """``raw`` is not proven: nothing of it may stand in the text unmarked."""
        if any(place in self.refused for place in (raw, *self.ancestors(raw))):
            return
        reason = "the source found is not proven: " + "; ".join(verdict.reasons)
        self.failed(raw, DecompilationError(reason, stage="prove", where=raw.qualname))

    def ancestors(self, raw: RawCode) -> list[RawCode]:
        found = []
        while raw in self.parents:
            raw = self.parents[raw]
            found.append(raw)
        return found

    def refuse_culprit(self, reason: str) -> None:
        """The text could not be printed or compiled: refuse the innermost code objects for which that holds alone."""
        before = self.changes
        tried: set[RawCode] = set()  # in another way next time, so nothing is known of what is around these
        for raw in reversed(list(self.root.walk())):
            if not tried.isdisjoint(raw.nested):
                tried.add(raw)
            if raw in tried or raw in self.refused or any(nested in self.refused for nested in raw.nested):
                continue
            if kind_of(raw) == "annotations" and raw is not self.root:
                continue  # compiled only with what they annotate
            try:
                self.compile(raw, print_tree(self.tree_of(raw), nested_quotes=self.nested_quotes))
            except (DecompilationError, PrintError) as error:
                text = error.reason if isinstance(error, DecompilationError) else str(error)
                self.failed(raw, DecompilationError(text, stage="print", where=raw.qualname))
                tried.add(raw)
        if self.changes == before:
            self.failed(self.root, DecompilationError(reason, stage="print", where=self.root.qualname))

    # Results

    def result(self, raw: RawCode, proofs: dict[RawCode, Verdict]) -> Result:
        error = self.refused.get(raw)
        if error is not None:
            nested = tuple(Decompilation(child, self.settings).run() for child in raw.nested)
            lines = instruction_lines(raw)
            error.instructions = "\n".join(lines)
            text = self.refused_text(raw, error)
            others = [
                f"by {way.engine}: {failure.reason}"
                for way, failure in zip(self.ways[raw], self.failures.get(raw, ()))
                if way.engine != "structured"
            ]
            verdict = Verdict(Level.REFUSED, error.stage, (error.reason, *others))
            return Result(
                raw.name, raw.qualname, Text(lambda: (text, {})), verdict, raw, raw.code, nested, rung="refused"
            )
        nested = tuple([self.result(child, proofs) for child in raw.nested])  # a generator would fill the C stack
        tree = self.tree_of(raw)
        verdict = proofs.get(raw) or Verdict(Level.UNPROVEN, "", ("it was not reached by the proof",))
        if raw is self.root:
            printed = Text(lambda: (self.text, self.lines), verdict)
        else:
            printed = Text(lambda: print_with_lines(tree, nested_quotes=self.nested_quotes), verdict)
        rung = self.rungs.get(raw, "structured")
        events = self.events.get(raw)
        return Result(
            raw.name, raw.qualname, printed, verdict, raw, raw.code, nested, events.folded if events else 0, rung, tree,
            self.spelled(raw) if events else Spelled(),
        )  # fmt: skip

    def refused_text(self, raw: RawCode, error: DecompilationError) -> str:
        body = refused_body(raw, error)
        kind = kind_of(raw)
        if kind in ("module", "lambda", "comprehension", "generic", "annotations"):
            return print_tree(nodes.Module(body[:1]))
        if kind == "class":
            return print_tree(nodes.ClassDef(raw.name, [], [], body))
        is_async = raw.flags & (CO_COROUTINE | CO_ASYNC_GENERATOR)
        make: Any = nodes.AsyncFunctionDef if is_async else nodes.FunctionDef
        return print_tree(make(raw.name if raw.name.isidentifier() else "code", arguments_of(raw, [], {}, {}), body))


def _listed(owner: RawCode, part: RawCode) -> dict[str, bool]:
    """For each attribute that the class ``owner`` lists, whether ``part`` stores one of that name."""
    names = {name for i in known_instructions(owner) if i.op == "STORE_STATIC_ATTRIBUTES" for name in i.arg}
    inner = part.walk() if names else ()
    stored = {i.arg for one in inner for i in known_instructions(one) if i.op == "STORE_ATTR"}
    private = f"_{owner.name.lstrip('_')}"  # the class names what the source does
    return {name: name in stored or private + name in stored for name in names}
