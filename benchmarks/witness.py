"""A second opinion on a proof, written without a line of depyf.decompiler.proof.

It reads both code objects with the standard library's ``dis`` and knows two sound claims only:

* *exact*: the instruction streams are equal, one by one, with operands, jump targets and exception handlers;
* *equivalent* by lock-step: both sides execute the same set of operations on the same operands.

It stays silent about symbolic proofs. Where it disagrees with the verdict, the benchmark says *wrong*.
"""

from __future__ import annotations

import dis
import re
import types
from typing import Any, Iterator, NamedTuple

SILENT = {
    "NOP", "CACHE", "EXTENDED_ARG", "RESUME", "PRECALL", "PUSH_NULL", "MAKE_CELL", "COPY_FREE_VARS", "NOT_TAKEN",
}  # fmt: skip
"""No event of the program; MAKE_CELL and COPY_FREE_VARS follow from the cell and free variables, compared as such."""

JUMPS = {"JUMP_FORWARD", "JUMP_ABSOLUTE", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"}

SAME_AS = {"LOAD_METHOD": "LOAD_ATTR"}
"""The compiler chooses between them by context; both look the name up in the same way."""


EXITS = {"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE"}


class Step(NamedTuple):
    """One instruction that matters, in the order of the code object.

    ``next`` and ``target`` are where control goes, ``handler`` where an exception goes, as indices among such
    instructions. Unconditional jumps are no steps: what comes before them knows where they lead.
    """

    op: str
    operand: Any
    next: int | None
    target: int | None
    handler: tuple[int, int, bool] | None

    def __str__(self) -> str:
        text = self.op if self.operand is None else f"{self.op} {self.operand!r}"
        if self.target is not None:
            text += f" -> {self.target}"
        text += f" (then {self.next})" if self.next is not None else ""
        return text if self.handler is None else f"{text} (raises to {self.handler[0]})"


def disagreement(original: types.CodeType, recompiled: types.CodeType, level: str, method: str, alone: bool) -> str:
    """What contradicts the verdict ``level`` by ``method``, in one line; '' if nothing does.

    ``alone`` says that the text was compiled outside its class or module: qualified names and the mangling of private
    names are then not compared.
    """
    different = _metadata_difference(original, recompiled, alone)
    if different:
        return different
    before, after = steps(original, alone), steps(recompiled, alone)
    if level == "exact":
        for index, (one, other) in enumerate(zip(before, after)):
            if one != other:
                return f"instruction {index} is {one}, recompiled {other}"
        if len(before) != len(after):
            return f"{len(before)} instructions, recompiled {len(after)}"
    elif level == "equivalent" and method == "lock-step":
        missing = _operations(before) - _operations(after)
        added = _operations(after) - _operations(before)
        if missing or added:
            return f"operations lost: {_some(missing)}; added: {_some(added)}"
    return ""


def pairs(
    original: types.CodeType, recompiled: types.CodeType
) -> Iterator[tuple[types.CodeType, types.CodeType]]:
    """Code objects of both trees that stand at the same place; one that has no certain counterpart is left out."""
    todo = [(original, recompiled)]
    while todo:
        before, after = todo.pop()
        yield before, after
        ours, theirs = children(before), children(after)
        names, other_names = [c.co_name for c in ours], [c.co_name for c in theirs]
        for name in dict.fromkeys(names):
            if names.count(name) == other_names.count(name):
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


class Plain(NamedTuple):
    """An instruction of ``dis``, or one of the two that it stands for."""

    opname: str
    argval: Any
    offset: int
    opcode: int
    arg: int | None


LOCAL = re.compile("(?:LOAD|STORE)_FAST(?:_AND_CLEAR|_BORROW|_CHECK)?")
OPPOSITE = {"FALSE": "TRUE", "NONE": "NOT_NONE"}
"""How conditional jumps end that are written as their opposites here: the compiler inverts jumps as it likes."""


def plain(code: types.CodeType) -> list[Plain]:
    """The instructions that matter, those that stand for two (3.12 on) as two."""
    result = []
    for instruction in dis.get_instructions(code):
        op, value, place = instruction.opname, instruction.argval, (instruction.offset, instruction.opcode)
        locals_ = LOCAL.findall(op)
        if op in SILENT:
            continue
        if op == "RETURN_CONST":
            result += [Plain("LOAD_CONST", value, *place, None), Plain("RETURN_VALUE", None, *place, None)]
        elif len(locals_) == 2:
            result += [Plain(name.replace("_BORROW", ""), one, *place, None) for name, one in zip(locals_, value)]
        else:
            result.append(Plain(op.replace("_BORROW", ""), value, *place, instruction.arg))
    for constant, store in zip(result, result[1:]):
        if store.opname == "STORE_NAME" and constant.opname in ("LOAD_CONST", "LOAD_SMALL_INT"):
            # What the compiler says about a class (3.13 on): where it stands, and names in no order.
            if store.argval == "__firstlineno__":
                result[result.index(constant)] = constant._replace(opname="LOAD_CONST", argval=None)
            elif store.argval == "__static_attributes__":
                result[result.index(constant)] = constant._replace(argval=tuple(sorted(constant.argval)))
    return result


def steps(code: types.CodeType, alone: bool = False) -> list[Step]:
    """The instructions of ``code`` that matter, with places in the code as indices among them."""
    kept = plain(code)
    arrival, number_of = _arrivals(code, kept)
    handlers = _handlers(code)
    unmatched = _unmatched(kept)
    result = []
    for number, instruction in enumerate(kept):
        op, operand = instruction.opname, instruction.argval
        target = following = None
        if op in JUMPS:
            continue
        if op not in EXITS and instruction.offset not in unmatched:
            following = number_of[number + 1]
        if instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs:
            target, operand = arrival[instruction.argval], None
            op = op.replace("_BACKWARD", "").replace("_FORWARD", "")
            stem, _, condition = op.partition("_IF_")
            if stem == "POP_JUMP" and condition in OPPOSITE:
                op, target, following = f"{stem}_IF_{OPPOSITE[condition]}", following, target
        elif op == "KW_NAMES":  # `dis` of 3.11 does not resolve it
            operand = code.co_consts[instruction.arg or 0]
        elif alone and op == "LOAD_CONST" and kept[number + 1].opname == "MAKE_FUNCTION":
            operand = operand if isinstance(operand, types.CodeType) else ""  # a qualified name (3.10 and before)
        elif isinstance(operand, str) and instruction.opcode not in dis.hasconst:
            operand = _unmangled(operand) if alone else operand
        entry = handlers.get(instruction.offset)
        handler = None if entry is None else (arrival[entry.target], entry.depth, entry.lasti)
        result.append(Step(SAME_AS.get(op, op), _typed(operand), following, target, handler))
    return _reached(result)


def _reached(everything: list[Step]) -> list[Step]:
    """The steps that control can come to; compilers before 3.10 leave code behind what never goes on."""
    todo = [0] if everything else []
    found = set(todo)
    while todo:
        step = everything[todo.pop()]
        for place in (step.next, step.target, None if step.handler is None else step.handler[0]):
            if place is not None and place not in found and 0 <= place < len(everything):
                found.add(place)
                todo.append(place)
    if len(found) == len(everything):
        return everything
    number = {place: index for index, place in enumerate(sorted(found))}
    return [
        step._replace(
            next=number.get(step.next, step.next) if step.next is not None else None,
            target=number.get(step.target, step.target) if step.target is not None else None,
            handler=None if step.handler is None else (number[step.handler[0]], *step.handler[1:]),
        )
        for step in (everything[place] for place in sorted(found))
    ]


def _arrivals(code: types.CodeType, kept: list[Plain]) -> tuple[dict[int, int], list[int]]:
    """The index of the step at which control arrives, by the offset and by the number in ``kept`` that it comes to.

    -1 if it jumps in circles.
    """
    first = {}  # offset -> number in `kept` of the first instruction at or after it
    number = len(kept)
    for offset in range(len(code.co_code), -1, -2):
        while number and kept[number - 1].offset == offset:
            number -= 1
        first[offset] = number
    index, count = {}, 0
    for number, instruction in enumerate(kept):
        index[number] = count
        count += instruction.opname not in JUMPS

    def arrive(number: int) -> int:
        seen = set()
        while number < len(kept) and kept[number].opname in JUMPS and number not in seen:
            seen.add(number)
            number = first[kept[number].argval]
        return -1 if number in seen else index.get(number, count)

    return {offset: arrive(number) for offset, number in first.items()}, [arrive(n) for n in range(len(kept) + 1)]


def _handlers(code: types.CodeType) -> dict[int, Any]:
    """The row of the exception table for each offset that has one."""
    parse = getattr(dis, "_parse_exception_table", None)  # 3.11+; before, handlers are instructions
    found = {}
    for entry in parse(code) if parse is not None else ():
        for offset in range(entry.start, entry.end, 2):
            found[offset] = entry
    return found


def _unmatched(kept: list[Plain]) -> set[int]:
    """Offsets of the END_FINALLY (3.8) behind except clauses none of which matched: it never goes on."""
    found = set()
    for test, jump in zip(kept, kept[1:]):
        if test.opname == "COMPARE_OP" and test.argval == "exception match" and jump.opname == "POP_JUMP_IF_FALSE":
            found.add(jump.argval)
    return {i.offset for i in kept if i.offset in found and i.opname == "END_FINALLY"}


def _typed(value: Any) -> Any:
    """``value`` so that equal means same: 1, 1.0 and True differ, 0.0 and -0.0 too; code compares by name."""
    if isinstance(value, types.CodeType):
        return ("code", value.co_name)
    if isinstance(value, tuple):
        return ("tuple", tuple(_typed(item) for item in value))
    if isinstance(value, frozenset):
        return ("frozenset", frozenset(_typed(item) for item in value))
    if isinstance(value, (float, complex)):
        return (type(value).__name__, repr(value))
    if value is None or isinstance(value, str):
        return value
    return (type(value).__name__, value)


def _metadata_difference(original: types.CodeType, recompiled: types.CodeType, alone: bool) -> str:
    for field in ("co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_flags", "co_name", "co_qualname"):
        before, after = getattr(original, field, None), getattr(recompiled, field, None)
        if alone and field == "co_qualname":
            continue
        if alone and field == "co_flags":
            before, after = original.co_flags & 0x2EF, recompiled.co_flags & 0x2EF  # not: nested, future
        if before != after:
            return f"{field} is {before!r}, recompiled {after!r}"
    parameters = original.co_argcount + original.co_kwonlyargcount + bin(original.co_flags & 0xC).count("1")
    for what, before, after in (
        ("parameters", original.co_varnames[:parameters], recompiled.co_varnames[:parameters]),
        ("cell variables", tuple(sorted(original.co_cellvars)), tuple(sorted(recompiled.co_cellvars))),
        ("free variables", tuple(sorted(original.co_freevars)), tuple(sorted(recompiled.co_freevars))),
    ):
        if alone:
            before, after = tuple(map(_unmangled, before)), tuple(map(_unmangled, after))
        if before != after:
            return f"{what} are {before!r}, recompiled {after!r}"
    if _docstring(original) != _docstring(recompiled):
        return f"docstring is {_docstring(original)!r}, recompiled {_docstring(recompiled)!r}"
    return ""


def _docstring(code: types.CodeType) -> str | None:
    is_def = code.co_flags & 1 and not code.co_name.startswith("<")
    if "HAS_DOCSTRING" in dis.COMPILER_FLAG_NAMES.values():
        is_def = is_def and code.co_flags & 0x4000000
    first = code.co_consts[0] if is_def and code.co_consts else None
    return first if isinstance(first, str) else None


def _operations(stream: list[Step]) -> set[tuple[str, Any]]:
    """The set of operations with operands; jumps and what the sense of a jump may turn around are left out."""
    turned = {"not in": "in", "is not": "is"}  # the operands of COMPARE_OP in 3.8
    turns = {"IS_OP", "CONTAINS_OP"}
    moves = {"COPY", "SWAP", "POP_TOP", "DUP_TOP", "DUP_TOP_TWO", "ROT_TWO", "ROT_THREE", "ROT_FOUR", "ROT_N"}
    moves |= {"BEGIN_FINALLY", "CALL_FINALLY", "END_FINALLY", "POP_FINALLY"}  # a way out of finally more or less (3.8)
    return {
        (s.op, None if s.op in turns else turned.get(s.operand, s.operand) if s.op == "COMPARE_OP" else s.operand)
        for s in stream
        if s.target is None and s.op not in moves
    }


def _some(operations: set[tuple[str, Any]]) -> str:
    texts = sorted(op if operand is None else f"{op} {operand!r}" for op, operand in operations)
    return ", ".join(texts[:3]) + (", ..." if len(texts) > 3 else "") if texts else "none"


def _unmangled(name: Any) -> Any:
    return re.sub(r"^_\w*?(__\w*[^_\W]_?)$", r"\1", name) if isinstance(name, str) else name
