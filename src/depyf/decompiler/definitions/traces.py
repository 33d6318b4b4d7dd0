"""Statements whose only effect is a trace in the code: constants as statements, annotations that are not stored.

Takes a body with placeholders resolved and annotations merged; changes the list in place.
"""

from __future__ import annotations

from ..bytecode import Instruction, RawCode, reached, readable_instructions
from ..bytecode.kinds import CONDITIONAL_ANNOTATIONS, gives_annotations, kind_of, mode_of
from ..syntax import nodes
from ..syntax.transforms.kept_constants import apart
from ..syntax.transforms.tail_positions import DEFINITIONS


def keep_constant_statements(body: list[nodes.Statement], raw: RawCode) -> None:
    """Write ``True and 5`` for a statement ``5`` that the code loads and pops: compilers drop the latter form.

    The source form became a constant only after constant statements had been dropped: ``1 and 0``, ``5 if 1 else 2``.
    """
    # A generic function or class is already in its type parameters' body, with its docstring.
    statements = [one for inner in nodes.bodies(body, DEFINITIONS) for one in inner if type(one) is nodes.Expr]
    found = [one for one in statements if isinstance(one.value, nodes.Constant)]
    if found and (raw.is_function or mode_of(raw) != "single"):  # this mode prints the value
        for one in found:
            folded = nodes.BoolOp("and", [nodes.Constant(True), one.value])
            one.value = folded if raw.table.behavior.folds_constant_tests else apart(one.value)


def annotate_a_target(body: list[nodes.Statement], raw: RawCode, kind: str, instructions: list[Instruction]) -> None:
    """Annotate an assignment target for the trace of an annotation that no code evaluates.

    Since 3.14 no code evaluates the annotation of a parenthesized name, an attribute or a subscript; but a class keeps
    the cell through which it would find the names of the class, a module the set of reached annotations. A function in
    a class makes that cell too.
    """
    unread = kind == "class" and _is_namespace_unread(raw, instructions)
    gathers = CONDITIONAL_ANNOTATIONS in (*raw.names, *raw.cellvars) and any(
        i.op in ("STORE_NAME", "STORE_DEREF") and i.arg == CONDITIONAL_ANNOTATIONS for i in instructions
    )
    gathers = gathers and not any(map(_asks_what_is_reached, raw.nested))
    if not unread and not gathers:
        return
    candidates = [inner for inner in nodes.bodies(body, DEFINITIONS) if inner and inner is not body]
    if kind != "class":  # which records only those inside other statements
        candidates = [body, *candidates]
    if not gathers or any(isinstance(statement, nodes.AnnAssign) for inner in candidates for statement in inner):
        candidates = [body] * (unread and not gathers)
    for kinds in ((nodes.Attribute, nodes.Subscript), (nodes.Name,)):
        if any(_annotate_first(statements, kinds) for statements in candidates):
            return
    if candidates:
        # The annotated target is gone, as in `x[0]: int`, or the function is in dead code.
        end = candidates[0]
        at = len(end) - (bool(end) and isinstance(end[-1], nodes.Return))
        end.insert(at, nodes.AnnAssign(nodes.Name("_"), nodes.Constant(None), None, simple=0))


def _is_namespace_unread(raw: RawCode, instructions: list[Instruction]) -> bool:
    """Whether a class keeps the cell for what is annotated in it, though nothing in it has that."""
    if not raw.table.behavior.annotations_are_lazy or "__classdict__" not in raw.cellvars:
        return False
    live = [i.arg for i in reached(instructions) if isinstance(i.arg, RawCode)]
    return not any("__classdict__" in nested.freevars or kind_of(nested) == "function" for nested in live)


def annotate_locals(
    body: list[nodes.Statement],
    raw: RawCode,
    instructions: list[Instruction],
    names: list[str],
    enclosing: frozenset[str],
) -> list[str]:
    """Mention ``names``, free variables that nothing reads, in annotations of assignments; return the remaining ones.

    A function does not evaluate the annotations in it, but has what they mention as free variables (before 3.14).
    Where the code has columns, the distance from target to value tells which assignments are annotated, and how wide
    the annotation is. Otherwise that of an empty container, or else the first assignment, is the most likely.
    """
    if raw.table.behavior.annotations_are_lazy or raw.has_future_annotations:
        return names
    places = [
        (statements, index, statement)
        for statements in nodes.bodies(body, DEFINITIONS)
        for index, statement in enumerate(statements)
        if isinstance(statement, nodes.Assign) and _may_be_annotated(statement, raw)
    ]
    widths = _widths_of_annotations(instructions)
    places.sort(key=lambda place: (place[2].line not in widths, _container(place[2].value) is None))
    left = list(names)
    for is_exact in (True, False):
        for statements, index, statement in places:
            container = _container(statement.value)
            if container is not None and container in enclosing.union(raw.varnames, raw.cellvars, raw.freevars):
                container = None
            for mentioned in [[name] for name in left] if is_exact else [left] * bool(left):
                written, width = _annotation_of(mentioned, container)
                if statements[index] is not statement or is_exact and width != widths.get(statement.line):
                    continue
                (target,) = statement.targets
                simple = int(isinstance(target, nodes.Name))
                statements[index] = nodes.AnnAssign(target, written, statement.value, simple, line=statement.line)
                left = [name for name in left if name not in mentioned]
    return left


def _may_be_annotated(statement: nodes.Assign, raw: RawCode) -> bool:
    """Whether annotating the assignment leaves no other trace, in any version."""
    target, value = statement.targets[0], statement.value
    if len(statement.targets) > 1 or isinstance(value, (nodes.Tuple, nodes.Yield, nodes.YieldFrom)):
        return False
    if isinstance(target, nodes.Name):
        return target.id in raw.varnames or target.id in raw.cellvars
    return isinstance(target, (nodes.Attribute, nodes.Subscript))


def _widths_of_annotations(instructions: list[Instruction]) -> dict[int | None, int]:
    """The widths of annotations by line: the distance from target to value, less ``: `` and `` = ``."""
    found: dict[int | None, int] = {}
    for index, store in enumerate(instructions):
        if store.op not in _STORES or not store.position or None in store.position:
            continue
        line, _, _, end = store.position
        starts = []
        for one in reversed(instructions[:index]):
            if one.op in _STORES or not one.position or one.position[0] != line:
                break
            if one.position[2] is not None and one.position[2] > end:
                starts.append(one.position[2])
        if starts and min(starts) - end > len(":  = "):
            found.setdefault(line, min(starts) - end - len(":  = "))
    return found


_STORES = frozenset({"STORE_FAST", "STORE_DEREF", "STORE_ATTR", "STORE_SUBSCR"})


def _container(value: nodes.Expression) -> str | None:
    """The type of an empty container, of which an annotation says what it will hold."""
    if isinstance(value, nodes.List) and not value.elts:
        return "list"
    if isinstance(value, nodes.Dict) and not value.values:
        return "dict"
    if isinstance(value, nodes.Call) and isinstance(value.func, nodes.Name) and not value.args and not value.keywords:
        return value.func.id if value.func.id in ("list", "dict", "set") else None
    return None


def _annotation_of(names: list[str], container: str | None) -> tuple[nodes.Expression, int]:
    """An annotation that mentions ``names``, and its width."""
    written: nodes.Expression = nodes.Name(names[0]) if len(names) == 1 else nodes.Tuple([*map(nodes.Name, names)])
    width = len(", ".join(names))
    if container is not None and len(names) == 1 + (container == "dict"):
        return nodes.Subscript(nodes.Name(container), written), width + len(f"{container}[]")
    return written, width


def _asks_what_is_reached(raw: RawCode) -> bool:
    """Whether ``raw`` shares the set of reached annotations: the function of a module's or class's annotations, or a
    class with such annotations, which gets the set of the class around it as well.
    """
    return CONDITIONAL_ANNOTATIONS in raw.freevars or gives_annotations(raw) and CONDITIONAL_ANNOTATIONS in raw.names


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
    return sorted(name for name, stored in _listed(owner, raw).items() if stored) if owner is not None else []


def dead_attributes(owner: RawCode) -> dict[RawCode, list[str]]:
    """For methods of the class ``owner``, the attributes of ``self`` that only dead code of the class stores.

    Each is stored by the method whose dead code mentions the name, or else by the first one.
    """
    methods = [part for part in owner.nested if kind_of(part) == "function" and part.varnames[:1] == ("self",)]
    dead = sorted(name for name, stored in _listed(owner, owner).items() if not stored) if methods else []
    found: dict[RawCode, list[str]] = {}
    names = [(one, _dead_names(one)) for one in methods] if dead else []
    for name in dead:  # dead code leaves the names that it mentions
        found.setdefault(next((one for one, mentioned in names if name in mentioned), methods[0]), []).append(name)
    return found


def _dead_names(raw: RawCode) -> set[str]:
    """The names that no instruction has."""
    return {*raw.names}.difference(i.arg for i in readable_instructions(raw) if isinstance(i.arg, str))


def _listed(owner: RawCode, part: RawCode) -> dict[str, bool]:
    """For each attribute listed by the class ``owner``, whether ``part`` stores one of that name."""
    names = {name for i in readable_instructions(owner) if i.op == "STORE_STATIC_ATTRIBUTES" for name in i.arg}
    inner = part.walk() if names else ()
    stored: set[str] = set()
    for one in inner:
        instructions = readable_instructions(one)
        # Before the store of an augmented assignment, which counts for nothing, there is no load.
        stored |= {
            i.arg
            for before, i in zip(instructions, instructions[1:])
            if i.op == "STORE_ATTR" and before.op.startswith("LOAD_") and before.arg == "self"
        }
    private = f"_{owner.name.lstrip('_')}"  # the class lists the names of the source
    return {name: name in stored or private + name in stored for name in names}
