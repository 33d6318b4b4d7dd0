"""A second opinion on a proof, written without a line of depyf.decompiler.proof.

It reads both code objects with the standard library's ``dis`` and knows three sound claims only:

* *identical*: the attributes of both code objects are equal;
* *exact*, and so identical too: walked together from the start, both have the same instructions with the same operands,
  and go on, or to their exception handlers, in the same ways;
* *equivalent* by lock-step: both sides execute the same set of operations on the same operands.

It stays silent about symbolic proofs. Where it disagrees with the verdict, the benchmark says *wrong*.
"""

from __future__ import annotations

import dis
import types
from typing import Any, Collection, Iterator

from dis_steps import Step, reached, steps, unmangled

HAS_DOCSTRING = next((flag for flag, name in dis.COMPILER_FLAG_NAMES.items() if name == "HAS_DOCSTRING"), 0)
"""The flag of a function whose first constant is its docstring; where there is none, a string there is it."""

CO_NOFREE = 0x40
"""Up to 3.10: there are no cells and no free variables, which are compared by themselves."""

IDENTICAL = (
    "co_code", "co_consts", "co_names", "co_varnames", "co_cellvars", "co_freevars", "co_stacksize", "co_exceptiontable"
)  # fmt: skip
"""What is equal for the verdict *identical*, beside what is compared for all."""


def disagreement(
    original: types.CodeType, recompiled: types.CodeType, level: str, method: str, alone: bool, documented: bool = True
) -> str:
    """What contradicts the verdict ``level`` by ``method``, in one line; '' if nothing does.

    ``alone`` says that the text was compiled outside its class or module: qualified names and the mangling of private
    names are then not compared. Not ``documented`` is the value of a type parameter or alias: nobody sees its
    function, in which, up to 3.13, any first constant that is a string looks like a docstring.
    """
    different = _metadata_difference(original, recompiled, alone)
    if different:
        return different
    if documented and _docstring(original) != _docstring(recompiled):
        return f"docstring is {_docstring(original)!r}, recompiled {_docstring(recompiled)!r}"
    if level == "identical" and not alone:
        for field in IDENTICAL:
            if _comparable(getattr(original, field, None)) != _comparable(getattr(recompiled, field, None)):
                return f"{field} is another one"
    before, after = _without_plain_cells(original, alone), _without_plain_cells(recompiled, alone)
    if level in ("identical", "exact"):
        return _parting(before, after)
    if level == "equivalent" and method == "lock-step":
        missing = _operations(before) - _operations(after)
        added = _operations(after) - _operations(before)
        if missing or added:
            return f"operations lost: {_some(missing)}; added: {_some(added)}"
    return ""


def _parting(before: list[Step], after: list[Step]) -> str:
    """Where two walks part that set out together, in words; '' if they never do."""
    todo = [(0, 0)]
    met = set(todo)
    while todo:
        i, j = todo.pop()
        if not (0 <= i < len(before) and 0 <= j < len(after)):  # around in circles, or past the end
            if (0 <= i < len(before)) != (0 <= j < len(after)):
                return f"control goes to step {i}, recompiled {j}, of which only one is there"
            continue
        one, other = before[i], after[j]
        if (one.op, one.operand) != (other.op, other.operand):
            return f"step {i} is {one}, recompiled step {j} is {other}"
        if len(one.ways) != len(other.ways):
            return f"step {i} ({one}) leads to {len(one.ways)} places, recompiled to {len(other.ways)}"
        places = list(zip(one.ways, other.ways))
        if one.handler is not None or other.handler is not None:
            if one.handler is None or other.handler is None or one.handler[1:] != other.handler[1:]:
                return f"step {i} ({one}) raises to {one.handler}, recompiled to {other.handler}"
            places.append((one.handler[0], other.handler[0]))
        todo.extend(place for place in places if place not in met)
        met.update(places)
    return ""


def pairs(
    original: types.CodeType, recompiled: types.CodeType, shuffled: Collection[int] = ()
) -> Iterator[tuple[types.CodeType, types.CodeType]]:
    """Code objects of both trees that stand at the same place; one that has no certain counterpart is left out.

    ``shuffled`` are the ids of original code objects whose text may have their parts in another order.
    """
    todo = [(original, recompiled)]
    while todo:
        before, after = todo.pop()
        yield before, after
        ours, theirs = children(before), children(after)
        names, other_names = [c.co_name for c in ours], [c.co_name for c in theirs]
        for name in dict.fromkeys(names):
            count = names.count(name)
            if count == other_names.count(name) and (count == 1 or id(before) not in shuffled):
                todo.extend(
                    zip([c for c in ours if c.co_name == name], [c for c in theirs if c.co_name == name])
                )


def children(code: types.CodeType) -> list[types.CodeType]:
    """Code objects directly inside ``code``, once each, in the order of the instructions that load them."""
    found: dict[int, types.CodeType] = {}
    for instruction in dis.get_instructions(code):
        if isinstance(instruction.argval, types.CodeType):
            found.setdefault(id(instruction.argval), instruction.argval)
    return list(found.values())


def _metadata_difference(original: types.CodeType, recompiled: types.CodeType, alone: bool) -> str:
    for field in ("co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_flags", "co_name", "co_qualname"):
        before, after = getattr(original, field, None), getattr(recompiled, field, None)
        if alone and field == "co_qualname":
            continue
        if field == "co_flags":
            compared = 0x2AF if alone else ~CO_NOFREE  # not: nested, future
            before, after = original.co_flags & compared, recompiled.co_flags & compared
        if before != after:
            return f"{field} is {before!r}, recompiled {after!r}"
    parameters = original.co_argcount + original.co_kwonlyargcount + bin(original.co_flags & 0xC).count("1")
    for what, before, after in (
        ("parameters", original.co_varnames[:parameters], recompiled.co_varnames[:parameters]),
        ("shared variables", _shared(original), _shared(recompiled)),
        ("free variables", tuple(sorted(original.co_freevars)), tuple(sorted(recompiled.co_freevars))),
    ):
        if alone:
            # A class hands its namespace to what is annotated in it, whether that is read or not (3.14 on).
            before, after = (
                tuple(unmangled(name) for name in names if name != "__classdict__") for names in (before, after)
            )
        if before != after:
            return f"{what} are {before!r}, recompiled {after!r}"
    return ""


def _shared(code: types.CodeType) -> tuple[str, ...]:
    """Cell variables that code which is reached hands to a function: what only dead code shares is a local variable."""
    loads = {"LOAD_CLOSURE", "LOAD_FAST"}  # the latter from 3.13 on
    found = steps(code, False)
    handed = {found[place].operand for place in reached(found) if found[place].op in loads}
    return tuple(sorted(name for name in code.co_cellvars if name in handed))


def _without_plain_cells(code: types.CodeType, alone: bool) -> list[Step]:
    """The steps of ``code``, where a cell that is not shared is the local variable that it might be."""
    plain = set(code.co_cellvars) - set(_shared(code))
    found = steps(code, alone)
    return [
        step._replace(op=step.op.replace("_DEREF", "_FAST")) if step.operand in plain and "_DEREF" in step.op else step
        for step in found
    ] if plain else found


def _comparable(value: Any) -> Any:
    """A value of a code object's attribute: types and signs of zero tell, code objects and the order of sets do not."""
    if isinstance(value, tuple):
        return [_comparable(item) for item in value]
    if isinstance(value, frozenset):
        return "frozenset", sorted(map(repr, map(_comparable, value)))
    return "code" if isinstance(value, types.CodeType) else (type(value), repr(value))


def _docstring(code: types.CodeType) -> str | None:
    is_def = code.co_flags & 1 and not code.co_name.startswith("<") and code.co_flags & HAS_DOCSTRING == HAS_DOCSTRING
    first = code.co_consts[0] if is_def and code.co_consts else None
    return first if isinstance(first, str) else None


_TURNED = {"not in": "in", "is not": "is"}  # the operands of COMPARE_OP in 3.8
_TURNS = {"IS_OP", "CONTAINS_OP"}
_MOVES = {"COPY", "SWAP", "POP_TOP", "DUP_TOP", "DUP_TOP_TWO", "ROT_TWO", "ROT_THREE", "ROT_FOUR", "ROT_N",
          "BEGIN_FINALLY", "CALL_FINALLY", "END_FINALLY", "POP_FINALLY"}  # fmt: skip
"""Of the stack, and ways out of finally (3.8): one more or less does nothing."""


def _operations(code: list[Step]) -> set[tuple[str, Any]]:
    """The set of operations with operands; jumps and what the sense of a jump may turn around are left out."""
    found = set()
    for place in reached(code):
        op, operand, ways, _ = code[place]
        if op in _MOVES or len(ways) == 2 or (op == "UNARY_NOT" and code[ways[0]].op == "POP_JUMP_IF_TRUE"):
            continue
        if op == "LOAD_CONST" and code[ways[0]].op == "SETUP_FINALLY":
            continue  # room on the stack, in 3.8, for a `return` in the body of `finally`, be it dead
        if op in _TURNS:
            operand = None
        found.add((op, _TURNED.get(operand, operand) if op == "COMPARE_OP" else operand))
    return found


def _some(operations: set[tuple[str, Any]]) -> str:
    texts = sorted(op if operand is None else f"{op} {operand!r}" for op, operand in operations)
    return ", ".join(texts[:3]) + (", ..." if len(texts) > 3 else "") if texts else "none"
