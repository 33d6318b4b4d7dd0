"""Code objects as steps, read with the standard library's ``dis`` alone: what witness.py compares.

What versions of CPython write differently for the same program is undone here: fused instructions are taken apart,
variants that only save the interpreter work get the name of the plain one, a test says where truth leads and not
which way it jumps.
"""

from __future__ import annotations

import bisect
import dis
import re
import types
from typing import Any, NamedTuple

SILENT = {"NOP", "CACHE", "EXTENDED_ARG", "RESUME", "PRECALL", "PUSH_NULL", "MAKE_CELL", "COPY_FREE_VARS", "NOT_TAKEN"}
"""No event of the program; MAKE_CELL and COPY_FREE_VARS follow from the cell and free variables, compared as such."""

JUMPS = {"JUMP_FORWARD", "JUMP_ABSOLUTE", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"}

NEVER_RAISE = ("LOAD_CONST", "LOAD_COMMON_CONSTANT", "POP_JUMP" if "TO_BOOL" in dis.opmap else "POP_JUMP_IF_NO")
"""Beginnings of instructions that raise nothing, so that it does not matter what handles it."""

SAME_AS = {
    # Chosen by context; both look the name up in the same way, and call in the same way.
    "LOAD_METHOD": "LOAD_ATTR",
    "CALL_METHOD": "CALL_FUNCTION",
    # Whether a variable can be unbound, and who owns the reference, is known to the compiler.
    "LOAD_FAST_CHECK": "LOAD_FAST",
    "LOAD_FAST_BORROW": "LOAD_FAST",
    "STORE_FAST_MAYBE_NULL": "STORE_FAST",
    "LOAD_SMALL_INT": "LOAD_CONST",
}

FUSED = {
    "LOAD_FAST_LOAD_FAST": ("LOAD_FAST", "LOAD_FAST"),
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": ("LOAD_FAST", "LOAD_FAST"),
    "STORE_FAST_LOAD_FAST": ("STORE_FAST", "LOAD_FAST"),
    "STORE_FAST_STORE_FAST": ("STORE_FAST", "STORE_FAST"),
}
"""Two instructions on two local variables in one."""

_GOES_ON, _RAISED = -1, -2
"""For whom the body of a ``finally`` is run in 3.8, if not for the CALL_FINALLY of that number."""

EXITS = {"RETURN_VALUE", "RAISE_VARARGS", "RERAISE"}

QUIET = {"LOAD_CONST", "STORE_FAST", "POP_TOP", "COPY", "SWAP", "PUSH_EXC_INFO", "POP_EXCEPT", "RETURN_VALUE",
         "LOAD_CLOSURE", "POP_JUMP_IF_NONE", "BUILD_TUPLE", "MAKE_FUNCTION", "END_FOR", "POP_ITER"}  # fmt: skip
"""Steps that raise nothing but what comes from outside; which handler stands around them says nothing."""


class Step(NamedTuple):
    """One instruction that matters.

    ``ways`` are the places where control may go, as indices among such instructions: of a test that for true and that
    for false; of another jump its target and the next one; of the rest the next one, if there is one. ``handler`` is
    where an exception goes, the depth of the stack there, and whether the place of the exception is kept.
    Unconditional jumps are no steps: what comes before them knows where they lead.
    """

    op: str
    operand: Any
    ways: tuple[int, ...] = ()
    handler: tuple[int, int, bool] | None = None

    def __str__(self) -> str:
        return self.op if self.operand is None else f"{self.op} {self.operand!r}"


def steps(code: types.CodeType, alone: bool = False) -> list[Step]:
    """The instructions of ``code`` that matter, in their order; the first step says where control comes in.

    ``alone``: names as they are outside a class, without qualified names.
    """
    kept = [i for i in dis.get_instructions(code) if i.opname not in SILENT]
    kept = [i for i, after in zip(kept, [*kept[1:], None]) if not _tests_again(i, after)]
    kept = _without_idle_blocks(kept)
    arrival = _arrivals(code, kept)
    handlers = _handlers(code)
    never_behind = _never_behind(kept) if "END_FINALLY" in dis.opmap else set()
    result = [Step("ENTER", None, (arrival[0],))]
    for number, instruction in enumerate(kept):
        op, operand = instruction.opname, instruction.argval
        if op in JUMPS:
            continue
        entry = None if op.startswith(NEVER_RAISE) else handlers.get(instruction.offset)
        handler = None if entry is None else (arrival[entry.target], entry.depth, entry.lasti)
        following = arrival[kept[number + 1].offset] if number + 1 < len(kept) else -1
        test = re.fullmatch(r"POP_JUMP_(?:FORWARD_|BACKWARD_)?IF_(NOT_)?(TRUE|FALSE|NONE)", op)
        if test is not None:
            ways: tuple[int, ...] = (arrival[operand], following)
            turned = bool(test.group(1)) or test.group(2) == "FALSE"
            name = "POP_JUMP_IF_NONE" if test.group(2) == "NONE" else "POP_JUMP_IF_TRUE"
            result.append(Step(name, None, ways[::-1] if turned else ways, _heard(name, handler)))
        elif instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs:
            ways = (arrival[operand], following)
            if instruction.offset in never_behind:
                ways = ways[:1]
            elif op.startswith("SETUP_") and _is_quiet(kept, number + 1):
                ways = ways[1:]
            result.append(Step(op, None, ways, handler))
        elif op in FUSED:
            for part, name, way in zip(FUSED[op], operand, (len(result) + 1, following)):
                result.append(Step(part, unmangled(name) if alone else name, (way,), _heard(part, handler)))
        elif op == "RETURN_CONST":
            result.append(Step("LOAD_CONST", _typed(operand), (len(result) + 1,)))
            result.append(Step("RETURN_VALUE", None))
        else:
            op = SAME_AS.get(op, op)
            operand = _operand(code, instruction, kept[number + 1 : number + 2], alone)
            ends = op in EXITS or instruction.offset in never_behind
            result.append(Step(op, _typed(operand), () if ends else (following,), _heard(op, handler)))
    return result


def reached(code: list[Step]) -> set[int]:
    """The indices of the steps that control can come to; some compilers leave code behind what never goes on."""
    found = {0}
    todo = list(found)
    while todo:
        step = code[todo.pop()]
        for place in (*step.ways, *(step.handler or ())[:1]):
            if place not in found and 0 <= place < len(code):
                found.add(place)
                todo.append(place)
    return found


def _heard(op: str, handler: tuple[int, int, bool] | None) -> tuple[int, int, bool] | None:
    return None if op in QUIET else handler


def _without_idle_blocks(kept: list[dis.Instruction]) -> list[dis.Instruction]:
    """``kept`` without the blocks (3.10 and before) in which nothing stands: no exception comes to their handlers."""
    found: list[dis.Instruction] = []
    for instruction in kept:
        if instruction.opname == "POP_BLOCK" and found and found[-1].opname == "SETUP_FINALLY":
            found.pop()
        else:
            found.append(instruction)
    return found


def _is_quiet(kept: list[dis.Instruction], number: int) -> bool:
    """Whether nothing is raised from there to the end of the block."""
    while number < len(kept) - 1 and kept[number].opname in QUIET - {"RETURN_VALUE", "POP_JUMP_IF_NONE"}:
        number += 1
    return kept[number].opname == "POP_BLOCK"


def _tests_again(instruction: dis.Instruction, after: dis.Instruction | None) -> bool:
    """Whether it makes a truth value of what the next instruction asks for its truth (from 3.13 on that is known)."""
    if instruction.opname != "TO_BOOL" or after is None:
        return False
    return after.opname == "UNARY_NOT" or after.opname.startswith("POP_JUMP_IF_")


def _operand(code: types.CodeType, instruction: dis.Instruction, after: list[dis.Instruction], alone: bool) -> Any:
    op, operand = instruction.opname, instruction.argval
    if op == "KW_NAMES":  # `dis` of 3.11 does not resolve it
        return code.co_consts[instruction.arg or 0]
    if op == "COMPARE_OP" and operand.startswith("bool("):  # from 3.13 on: the result is asked for its truth
        return operand[len("bool(") : -1]
    if after and after[0].opname.startswith("STORE_"):  # what the compiler says about a class, from 3.13 on
        if after[0].argval == "__firstlineno__" and operand == code.co_firstlineno:
            return "the first line"
    if after and after[0].opname == "STORE_NAME":
        if after[0].argval == "__static_attributes__" and isinstance(operand, tuple):  # in no order
            return tuple(sorted(operand))
    if alone and op == "LOAD_CONST" and after and after[0].opname == "MAKE_FUNCTION":
        return operand if isinstance(operand, types.CodeType) else ""  # a qualified name (3.10 and before)
    if alone and isinstance(operand, str) and instruction.opcode not in dis.hasconst:
        return unmangled(operand)
    return operand


def _arrivals(code: types.CodeType, kept: list[dis.Instruction]) -> dict[int, int]:
    """For each offset the index of the step at which control that comes there arrives; -1 if it jumps in circles."""
    first = {}  # offset -> number in `kept` of the instruction at or after it
    number = len(kept)
    following = iter(reversed(kept))
    at: dis.Instruction | None = next(following, None)
    for offset in range(len(code.co_code), -1, -2):
        if at is not None and at.offset == offset:
            number, at = number - 1, next(following, None)
        first[offset] = number
    index, count = {}, 1
    for number, instruction in enumerate(kept):
        index[number] = count
        count += 0 if instruction.opname in JUMPS else 2 if instruction.opname in {"RETURN_CONST", *FUSED} else 1
    arrival = {}
    for offset, number in first.items():
        seen = set()
        while number < len(kept) and kept[number].opname in JUMPS and number not in seen:
            seen.add(number)
            number = first[kept[number].argval]
        arrival[offset] = -1 if number in seen else index.get(number, count)
    return arrival


def _handlers(code: types.CodeType) -> dict[int, Any]:
    """The row of the exception table for each offset that has one."""
    parse = getattr(dis, "_parse_exception_table", None)  # 3.11+; before, handlers are instructions
    found = {}
    for entry in parse(code) if parse is not None else ():
        for offset in range(entry.start, entry.end, 2):
            found[offset] = entry
    return found


def _never_behind(kept: list[dis.Instruction]) -> set[int]:
    """Offsets of END_FINALLY and CALL_FINALLY (3.8) that control never comes to behind.

    END_FINALLY does what the top of the stack says, and who pushed that shows in how control came there: it goes on for
    BEGIN_FINALLY, returns to behind CALL_FINALLY, and raises again what was raised.
    """
    offsets = [i.offset for i in kept]
    passed: set[int] = set()
    seen = set()
    todo: list[tuple[int, tuple[int, ...]]] = [(0, ())]  # the instruction, and for whom bodies around it are run
    while todo:
        number, pushed = state = todo.pop()
        if state in seen or number >= len(kept):
            continue
        seen.add(state)
        op, following = kept[number].opname, number + 1
        if op == "BEGIN_FINALLY":
            todo.append((following, (*pushed, _GOES_ON)))
        elif op == "WITH_CLEANUP_FINISH":  # which may have swallowed what was raised
            todo += [(following, pushed), (following, (*pushed[:-1], _GOES_ON))]
        elif op == "END_FINALLY":
            passed.add(number if pushed[-1] == _GOES_ON else pushed[-1])
            if pushed[-1] != _RAISED:
                todo.append((following if pushed[-1] == _GOES_ON else pushed[-1] + 1, pushed[:-1]))
        elif op in ("POP_EXCEPT", "POP_FINALLY", "END_ASYNC_FOR"):
            todo.append((following, pushed[:-1]))
        else:
            if kept[number].opcode in dis.hasjrel or kept[number].opcode in dis.hasjabs:
                why = number if op == "CALL_FINALLY" else _RAISED
                calls = op == "CALL_FINALLY" or op.startswith("SETUP_")
                todo.append((bisect.bisect_left(offsets, kept[number].argval), (*pushed, why) if calls else pushed))
            if op not in EXITS and op not in JUMPS and op != "CALL_FINALLY":
                todo.append((following, pushed))
    return {i.offset for n, i in enumerate(kept) if i.opname in ("END_FINALLY", "CALL_FINALLY") and n not in passed}


def _typed(value: Any) -> Any:
    """``value`` so that equal means same: 1, 1.0 and True differ, 0.0 and -0.0 too; code compares by name."""
    if isinstance(value, types.CodeType):
        return ("code", value.co_name)
    if isinstance(value, tuple):
        return ("tuple", tuple(_typed(item) for item in value))
    if isinstance(value, frozenset):
        return ("frozenset", frozenset(_typed(item) for item in value))
    if isinstance(value, slice):
        return ("slice", _typed(value.start), _typed(value.stop), _typed(value.step))
    if isinstance(value, (float, complex)):
        return (type(value).__name__, repr(value))
    if value is None or isinstance(value, str):
        return value
    return (type(value).__name__, value)


def unmangled(name: Any) -> Any:
    """The name as it is outside a class."""
    return re.sub(r"^_\w*?(__\w*[^_\W]_?)$", r"\1", name) if isinstance(name, str) else name
