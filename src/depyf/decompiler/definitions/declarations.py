"""``global`` and ``nonlocal`` statements: which names need them, and where they are."""

from __future__ import annotations

from typing import Iterator, Sequence

from ..bytecode import Instruction, RawCode, inside_any_comprehension, inside_comprehensions, readable_instructions
from ..bytecode.kinds import CONDITIONAL_ANNOTATIONS, is_comprehension, kind_of
from ..syntax import nodes
from ..syntax.transforms.tail_positions import DEFINITIONS

_CHANGES_GLOBAL = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL"})
_CHANGES_CELL = frozenset({"STORE_DEREF", "DELETE_DEREF"})
_MAY_NEED_DECLARATION = _CHANGES_GLOBAL | _CHANGES_CELL | {"STORE_FIRST_LINE", "LOAD_GLOBAL"}


def declare(
    body: list[nodes.Statement],
    raw: RawCode,
    kind: str,
    instructions: list[Instruction],
    enclosing: frozenset[str],
    unread: Sequence[str] = (),
) -> None:
    """Add the ``global`` and ``nonlocal`` statements; ``unread``: free variables that nothing mentions."""
    stored_globals, stored_cells = _declared(raw, kind, instructions, enclosing)
    stored_cells.update(dict.fromkeys(unread))
    lines: list[nodes.Statement] = []
    if stored_globals:
        elsewhere = _globals_of_nested(instructions) if kind == "module" else set()
        lines.append(nodes.Global([name for name in stored_globals if name not in elsewhere]))
    if stored_cells and kind != "module":
        lines.append(nodes.Nonlocal(list(stored_cells)))
    lines = [line for line in lines if line.names]  # type: ignore[attr-defined]
    if lines:
        inner, at = _place(body, raw, kind, {*stored_globals, *stored_cells})
        inner[at:at] = lines


def _place(
    body: list[nodes.Statement], raw: RawCode, kind: str, names: set[str]
) -> tuple[list[nodes.Statement], int]:
    """Return the list of statements and the index in it where ``names`` are declared: at the top, or, if no line is
    free there, above the first statement that mentions one of them.
    """
    at = after_docstring(body)
    while at < len(body) and getattr(body[at], "module", None) == "__future__":
        at += 1
    if kind != "function" or at or not body or (body[0].line or 0) > raw.firstlineno + 1:
        return body, at
    place: tuple[list[nodes.Statement], int] = (body, at)
    inner, index = body, 0
    above: int | None = raw.firstlineno  # the last line before the statement; None below a definition, whose is unknown
    while index < len(inner):
        statement = inner[index]
        if statement.line is None:
            break
        has_room = above is not None and statement.line > above + 1
        if has_room:
            place = inner, index
        parts = nodes.statement_bodies(statement)
        if not _mentions([statement], names):
            lines = [one.line or 0 for one in nodes.statements_in_order([statement])]
            defines = any(isinstance(one, DEFINITIONS) for one in nodes.statements_in_order([statement]))
            index, above = index + 1, None if defines else max(lines)
        elif has_room or isinstance(statement, nodes.Try) or not parts or not _mentions(parts[0], names):
            break
        elif _mentions(_header(statement), names):
            break
        else:
            inner, index, above = parts[0], 0, statement.line
    return place


def _header(statement: nodes.Statement) -> list[nodes.Node]:
    """The parts of a compound statement that are no statements."""
    return [child for child in nodes.children(statement) if not isinstance(child, nodes.Statement)]


def _mentions(tree: Sequence[nodes.Node], names: set[str]) -> bool:
    """Whether an identifier in ``tree`` is one of ``names``."""
    return any(
        isinstance(value, str) and value in names
        for node in nodes.walk(tree)
        if not isinstance(node, nodes.Constant)
        for value in (getattr(node, field) for field in node.fields)
    )


def _declared(
    raw: RawCode, kind: str, instructions: list[Instruction], enclosing: frozenset[str]
) -> tuple[dict[str, None], dict[str, None]]:
    """The names that must be declared ``global``, and those that must be declared ``nonlocal``."""
    stored_globals: dict[str, None] = {}
    stored_cells: dict[str, None] = {}
    local = {*raw.varnames, *raw.cellvars}
    # A comprehension may have a variable with the name of an outer one, and does not see the names of a class.
    own = local & {CONDITIONAL_ANNOTATIONS}  # a class in a class has a cell of this name besides the outer one
    asks = kind != "function" or not local.isdisjoint(raw.freevars)
    inside = _inside_comprehensions(instructions, kind) if asks else [False] * len(instructions)
    seen = _read_undeclared(kind, instructions, inside)
    for index, (instruction, in_comprehension) in enumerate(zip(instructions, inside)):
        op = instruction.op
        if op not in _MAY_NEED_DECLARATION:
            continue
        if op in _CHANGES_GLOBAL:
            if kind == "module" and in_comprehension:
                continue  # by `:=`, which stores to the global
            stored_globals[instruction.arg] = None
        elif op in _CHANGES_CELL:
            if instruction.arg in raw.freevars and instruction.arg not in (local if in_comprehension else own):
                stored_cells[instruction.arg] = None
        elif op == "STORE_FIRST_LINE" and instruction.arg is not None:
            (stored_cells if instruction.arg == "nonlocal" else stored_globals)["__firstlineno__"] = None
        elif op == "LOAD_GLOBAL" and not _is_of_assert(raw, instructions, index) and (
            instruction.arg in enclosing if kind == "function" else index not in seen
        ):
            stored_globals[instruction.arg] = None
    if kind == "class":
        stored_globals.update(dict.fromkeys(_globals_of_scopes(raw)))
    if kind == "function":
        for nested in comprehensions_of(raw):
            _of_comprehension(nested, raw, local, stored_globals, stored_cells)
    return stored_globals, stored_cells


def _read_undeclared(kind: str, instructions: list[Instruction], inside: list[bool]) -> set[int]:
    """The indices of instructions in comprehensions that read globals though no ``global`` statement says so.

    In a class all of them do, in a module those of names that ``:=`` changes.
    """
    within = {index for index, is_inside in enumerate(inside) if is_inside}
    if kind != "module":
        return within
    assigned = {instructions[index].arg for index in within if instructions[index].op == "STORE_GLOBAL"}
    read = (index for index in within if instructions[index].op == "LOAD_GLOBAL")
    return {index for index in read if instructions[index].arg in assigned}


def _globals_of_nested(instructions: list[Instruction]) -> set[str]:
    """The names that functions and classes below declare ``global``, since they change them.

    That is a declaration for the module too: its own instructions for these names are those of globals (symtable.c,
    symtable_add_def_helper).
    """
    below = [raw for one in instructions if isinstance(one.arg, RawCode) for raw in one.arg.walk()]
    return {name for raw in below for name in changed_globals(raw)}


def changed_globals(raw: RawCode) -> set[str]:
    """The globals that ``raw`` stores or deletes itself; none if its instructions are not known."""
    if is_comprehension(raw):
        return set()  # by `:=`, without a declaration
    return {one.arg for one in readable_instructions(raw) if one.op in _CHANGES_GLOBAL}


def _is_of_assert(raw: RawCode, instructions: list[Instruction], index: int) -> bool:
    """Whether this load is that of an assert statement: a jump skips it, or the error is raised at once."""
    if instructions[index].arg != "AssertionError" or not raw.table.asserts_read_a_global:
        return False
    return instructions[index - 1].target >= 0 or instructions[index + 1].op == "RAISE_VARARGS"


def after_docstring(body: list[nodes.Statement]) -> int:
    """The index of the first statement after a docstring: 0 or 1."""
    first = body[0] if body else None
    return int(isinstance(first, nodes.Expr) and isinstance(first.value, nodes.Constant))


def comprehensions_of(raw: RawCode) -> list[RawCode]:
    found = [nested for nested in raw.nested if is_comprehension(nested)]
    for nested in found:
        found.extend(comprehensions_of(nested))
    return found


def _inside_comprehensions(instructions: list[Instruction], kind: str) -> list[bool]:
    return (inside_comprehensions if kind == "function" else inside_any_comprehension)(instructions)


def _globals_of_scopes(raw: RawCode) -> Iterator[str]:
    """The globals that nested code of a class reads where it would look names up in the class first, had the class not
    declared them: type parameters, annotations and values of type aliases (3.12 on).
    """
    for nested in raw.nested:
        if "__classdict__" in nested.freevars and kind_of(nested) != "class":
            yield from (one.arg for one in readable_instructions(nested) if one.op == "LOAD_GLOBAL")
            yield from _globals_of_scopes(nested)


def _of_comprehension(
    nested: RawCode,
    raw: RawCode,
    local: set[str],
    stored_globals: dict[str, None],
    stored_cells: dict[str, None],
) -> None:
    """Names bound by ``:=`` in a comprehension, which belong to the enclosing function."""
    for instruction in readable_instructions(nested):
        if instruction.op == "STORE_GLOBAL" and instruction.arg not in local:
            stored_globals[instruction.arg] = None
        elif instruction.op == "STORE_DEREF" and instruction.arg in raw.freevars and instruction.arg in nested.freevars:
            stored_cells[instruction.arg] = None
