"""Statements whose only effect is a trace in the code: constants as statements, annotations that are not stored.

Takes a body with placeholders resolved and annotations merged; changes the list in place.
"""

from __future__ import annotations

from ...errors import DecompilationError
from ..bytecode import Instruction, RawCode, known_instructions, reached
from ..bytecode.kinds import CONDITIONAL_ANNOTATIONS, gives_annotations, kind_of, mode_of
from ..syntax import nodes
from ..syntax.transforms.kept_constants import apart
from ..syntax.transforms.tail_positions import DEFINITIONS


def keep_constant_statements(body: list[nodes.Statement], raw: RawCode) -> None:
    """Write ``True and 5`` for a statement ``5`` that the code loads and pops: compilers drop the latter form.

    The source form became a constant only after constant statements had been dropped: ``1 and 0``, ``5 if 1 else 2``.
    """
    if mode_of(raw) == "single":
        return  # this mode prints the value
    folds = raw.table.behavior.folds_constant_tests

    def keep(inner: list[nodes.Statement]) -> None:
        for statement in inner:
            if isinstance(statement, nodes.Expr) and isinstance(statement.value, nodes.Constant):
                value = statement.value
                statement.value = nodes.BoolOp("and", [nodes.Constant(True), value]) if folds else apart(value)

    # A generic function or class is already in its type parameters' body, with its docstring.
    nodes.rewrite_bodies(body, keep, skip=(nodes.FunctionDef, nodes.AsyncFunctionDef, nodes.ClassDef))


def annotate_a_target(body: list[nodes.Statement], raw: RawCode, kind: str, instructions: list[Instruction]) -> None:
    """Annotate an assignment target for the trace of an annotation that no code evaluates.

    Since 3.14 no code evaluates the annotation of a parenthesized name, an attribute or a subscript; but a class keeps
    the cell through which it would find the names of the class, a module the set of reached annotations. A function in
    a class makes that cell too.
    """
    live = [i.arg for i in reached(instructions) if isinstance(i.arg, RawCode)]
    explained = any("__classdict__" in nested.freevars or kind_of(nested) == "function" for nested in live)
    is_lazy = raw.table.behavior.annotations_are_lazy
    unread = is_lazy and kind == "class" and "__classdict__" in raw.cellvars and not explained
    gathers = any(i.op in ("STORE_NAME", "STORE_DEREF") and i.arg == CONDITIONAL_ANNOTATIONS for i in instructions)
    if any(i.op == "SETUP_ANNOTATIONS" for i in instructions) or any(map(_asks_what_is_reached, raw.nested)):
        gathers = False  # for these
    if not unread and not gathers:
        return
    conditional = [inner for inner in nodes.bodies(body, DEFINITIONS) if inner and inner is not body]
    if kind == "class":  # which records only those inside other statements
        candidates = conditional if gathers else [body]
    else:
        candidates = [body, *conditional]
    for kinds in ((nodes.Attribute, nodes.Subscript), (nodes.Name,)):
        if any(_annotate_first(statements, kinds) for statements in candidates):
            return
    if candidates:
        # The annotated target is gone, as in `x[0]: int`, or the function is in dead code.
        end = candidates[0]
        at = len(end) - (bool(end) and isinstance(end[-1], nodes.Return))
        end.insert(at, nodes.AnnAssign(nodes.Name("_"), nodes.Constant(None), None, simple=0))


def _asks_what_is_reached(raw: RawCode) -> bool:
    """Whether ``raw`` is the function of a module's or class's annotations, not that of a function."""
    return gives_annotations(raw) and CONDITIONAL_ANNOTATIONS in (*raw.names, *raw.freevars)


def _annotate_first(statements: list[nodes.Statement], kinds: tuple[type[nodes.Expression], ...]) -> bool:
    """Annotate the first assignment to a target of these ``kinds``; False if there is none."""
    for index, statement in enumerate(statements):
        if isinstance(statement, nodes.Assign) and len(statement.targets) == 1:
            (target,) = statement.targets
            if isinstance(target, kinds):
                statements[index] = nodes.AnnAssign(
                    target, nodes.Constant(None), statement.value, simple=0, line=statement.line
                )
                return True
    return False


def static_attributes(raw: RawCode, owner: RawCode | None) -> list[str]:
    """The static attributes of the class ``owner`` (stored to ``self`` by methods, 3.13 on) that come from ``raw``."""
    try:
        return sorted(name for name, stored in _listed(owner, raw).items() if stored) if owner is not None else []
    except DecompilationError:
        return []


def dead_attributes(raw: RawCode, owner: RawCode | None) -> list[str]:
    """Attributes of ``self`` that only dead code of the class stores, if ``raw`` is the method of that code, or else
    the first method.

    ``owner`` is the code that contains ``raw``.
    """
    if owner is None or kind_of(owner) != "class":
        return []
    methods = [part for part in owner.nested if kind_of(part) == "function" and part.varnames[:1] == ("self",)]
    if not methods or raw is not methods[0] and not _dead_names(raw):
        return []
    dead = sorted(name for name, stored in _listed(owner, owner).items() if not stored)
    # Dead code leaves the names that it mentions.
    return [name for name in dead if next((one for one in methods if name in _dead_names(one)), methods[0]) is raw]


def _dead_names(raw: RawCode) -> set[str]:
    """The names that no instruction has."""
    return {*raw.names}.difference(i.arg for i in known_instructions(raw) if isinstance(i.arg, str))


def _listed(owner: RawCode, part: RawCode) -> dict[str, bool]:
    """For each attribute listed by the class ``owner``, whether ``part`` stores one of that name."""
    names = {name for i in known_instructions(owner) if i.op == "STORE_STATIC_ATTRIBUTES" for name in i.arg}
    inner = part.walk() if names else ()
    stored: set[str] = set()
    for one in inner:
        instructions = known_instructions(one)
        # Before the store of an augmented assignment, which counts for nothing, there is no load.
        stored |= {
            i.arg
            for before, i in zip(instructions, instructions[1:])
            if i.op == "STORE_ATTR" and before.op.startswith("LOAD_") and before.arg == "self"
        }
    private = f"_{owner.name.lstrip('_')}"  # the class lists the names of the source
    return {name: name in stored or private + name in stored for name in names}
