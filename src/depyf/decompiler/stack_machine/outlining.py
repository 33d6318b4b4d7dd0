"""Inlined comprehensions (3.12 on) as calls of functions, which they were before: unstructured/ then needs to know
neither their loops nor the variables that they hide.

    GET_ITER; LOAD_FAST_AND_CLEAR x; SWAP; BUILD_LIST; SWAP; FOR_ITER; ...; SWAP; STORE_FAST x
    ->   GET_ITER; CONST <listcomp>; MAKE_FUNCTION; SWAP; CALL_FUNCTION

The variables of the enclosing code that a comprehension uses become cells: their values are those when it runs.
"""

from __future__ import annotations

import copy
from itertools import accumulate
from typing import Any, Collection, NamedTuple

from ..bytecode import NO_FALL_THROUGH, Handler, Instruction, RawCode, known_instructions
from ..bytecode.code.flags import CO_VARARGS, CO_VARKEYWORDS, MAKES_GENERATOR
from ..bytecode.disassemble import give_instructions
from ..bytecode.instruction import copies
from ..limits.budget import spend

_NAMES = {"BUILD_LIST": "<listcomp>", "BUILD_SET": "<setcomp>", "BUILD_MAP": "<dictcomp>"}
_OF_CELLS = {"LOAD_FAST": "LOAD_DEREF", "STORE_FAST": "STORE_DEREF", "DELETE_FAST": "DELETE_DEREF"}
_READS = frozenset({*_OF_CELLS, *_OF_CELLS.values(), "LOAD_CLOSURE"})
_NO_PART = frozenset(
    {"MAKE_CELL", "GET_AWAITABLE", "YIELD_VALUE", "YIELD_FROM", "ASYNC_FOR_ITER", "RETURN_VALUE", "RAISE_VARARGS"}
)
"""Operations that a comprehension can't have here: asynchronous ones await, those with cells have no proof."""


class Outlined(NamedTuple):
    """``raw`` without its inlined comprehensions, and the ``functions`` that it calls instead."""

    raw: RawCode
    functions: list[RawCode]


class _Comprehension(NamedTuple):
    """``start``: the index of its first instruction. ``build``: of the one that makes the container. ``loop``: of its
    outermost loop. ``handler`` restores the variables that it hides, ``hidden``. ``body``: the indices of the loop's
    instructions. ``end``: what is left of the instructions after the loop that restore variables, by index."""

    start: int
    build: int
    loop: int
    handler: Handler
    hidden: list[str]
    body: list[int]
    end: dict[int, list[Instruction]]


def outline_comprehensions(raw: RawCode) -> Outlined:
    """Return ``raw`` as a copy that calls its inlined comprehensions, as far as these have the shape of a compiler's.

    Asynchronous ones are left as they are, and those whose variables are read by functions in them.
    """
    if "LOAD_FAST_AND_CLEAR" not in raw.table.opcodes:
        return Outlined(raw, [])
    instructions = copies(known_instructions(raw))
    found: list[_Comprehension] = []
    index = 0
    while index < len(instructions):
        one = _comprehension(instructions, index) if instructions[index].op == "LOAD_FAST_AND_CLEAR" else None
        index = index + 1 if one is None else instructions[one.loop].target
        found += [one] if one is not None else []
    functions = [_function(raw, instructions, one) for one in found]
    replaced: dict[int, list[Instruction]] = {}
    for one, function in zip(found, functions):
        replaced.update({index: [] for index in (*range(one.start, one.loop), *one.body, *_restoring(one))})
        replaced.update(one.end)
        replaced[one.start] = _call(instructions, one, function)
    starts = {one.start for one in found}
    if not found or any(
        target in replaced and target not in starts
        for index, instruction in enumerate(instructions)
        if index not in replaced
        for target in (instruction.target, -1 if instruction.handler is None else instruction.handler.target)
    ):
        return Outlined(raw, [])  # something jumps into one
    shared = {name for function in functions for name in function.freevars}.difference(raw.freevars)
    outlined = copy.copy(raw)
    outlined.consts = (*raw.consts, *functions)
    outlined.cellvars = tuple(dict.fromkeys((*raw.cellvars, *sorted(shared))))
    rest = _joined([replaced.get(index, [i]) for index, i in enumerate(instructions)])
    give_instructions(outlined, _with_cells(rest, shared))
    return Outlined(outlined, functions)


def _comprehension(instructions: list[Instruction], start: int) -> _Comprehension | None:
    """Return the comprehension that begins at ``start``; None if it has another shape."""
    swap = start
    while swap < len(instructions) and instructions[swap].op == "LOAD_FAST_AND_CLEAR":
        swap += 1
    hidden = [i.arg for i in instructions[start:swap]]
    ops = [i.op for i in instructions[swap : swap + 5]]
    loop = swap + 3 + (ops[3:4] == ["GET_ITER"])  # 3.15 makes the iterator here
    if len(ops) < 5 or ops[0] != "SWAP" or ops[1] not in _NAMES or ops[2] != "SWAP" or ops[loop - swap] != "FOR_ITER":
        return None
    handler = instructions[swap + 1].handler
    if handler is None or instructions[swap].arg != len(hidden) + 1 or instructions[swap + 1].arg:
        return None
    body = _body(instructions, loop, handler) if instructions[loop].target > loop else None
    stack = [hidden[-1], *hidden[:-1], ""]  # the container is on top
    end = _without_restoring(instructions, instructions[loop].target, stack)
    if body is None or end is None:
        return None
    found = _Comprehension(start, swap + 1, loop, handler, hidden, body, end)
    ops = [instructions[index].op for index in _restoring(found) if index < len(instructions)]
    return found if ops == ["SWAP", "POP", "SWAP", *["STORE_FAST"] * len(hidden), "RERAISE"] else None


def _restoring(one: _Comprehension) -> range:
    """The indices of the instructions that restore the hidden variables after an exception."""
    return range(one.handler.target, one.handler.target + len(one.hidden) + 4)


def _body(instructions: list[Instruction], loop: int, own: Handler) -> list[int] | None:
    """Return the indices of what is reached from the loop before it is exhausted; None if that is no comprehension."""
    found: set[int] = set()
    todo = [loop]
    while todo:
        index = todo.pop()
        if index in found:
            continue
        if index < loop or index >= len(instructions) or instructions[index].op in _NO_PART:
            return None
        spend(1, "the comprehensions")
        found.add(index)
        instruction = instructions[index]
        if instruction.op not in NO_FALL_THROUGH:
            todo.append(index + 1)
        if instruction.target >= 0 and index != loop:
            todo.append(instruction.target)
        if instruction.handler is not None and instruction.handler != own:
            todo.append(instruction.handler.target)
    return sorted(found)


def _without_restoring(
    instructions: list[Instruction], start: int, stack: list[str]
) -> dict[int, list[Instruction]] | None:
    """Return what is left of the instructions from ``start`` until all hidden variables are restored.

    ``stack`` has their names where their values are, otherwise "". The compiler may have moved other stores of local
    variables before theirs. None if that is not all that happens.
    """
    left: dict[int, list[Instruction]] = {}
    index = start
    while any(stack) and index < len(instructions) and index not in left:
        instruction = instructions[index]
        if instruction.op == "JUMP":  # past the handler, where all of this is in one
            left[index] = [instruction]
            index = instruction.target
            continue
        depth = instruction.arg if instruction.op in ("SWAP", "COPY") else 1
        stack = [""] * (depth - len(stack)) + stack
        others = stack[-depth:].count("")
        if instruction.op == "SWAP":
            stack[-1], stack[-depth] = stack[-depth], stack[-1]
            is_moved = "" in (stack[-1], stack[-depth]) and others > 1
            if is_moved and others > 2 and stack[-1] != stack[-depth]:
                return None  # one of the others is moved past several
            left[index] = [_like(instruction, "SWAP", others)] if is_moved else []
        elif instruction.op == "COPY" and not stack[-depth]:
            stack.append("")
            left[index] = [_like(instruction, "COPY", others)]
        elif instruction.op == "STORE_FAST" and stack[-1] in ("", instruction.arg):
            left[index] = [] if stack.pop() else [instruction]
        elif instruction.op == "POP" and not stack[-1]:
            stack.pop()
            left[index] = [instruction]
        else:
            return None
        index += 1
    return left if not any(stack) else None


def _function(raw: RawCode, instructions: list[Instruction], one: _Comprehension) -> RawCode:
    """Return the code of the comprehension as a function."""
    build = instructions[one.build]
    code = copy.copy(raw)
    code.name = code.kind = _NAMES[build.op]
    code.qualname = f"{raw.qualname}.<locals>.{code.name}"
    code.code = None
    code.flags = raw.flags & ~(CO_VARARGS | CO_VARKEYWORDS | MAKES_GENERATOR)
    code.argcount, code.posonlyargcount, code.kwonlyargcount = 1, 0, 0
    used = {instructions[index].arg for index in one.body if instructions[index].op in _READS}
    code.varnames, code.cellvars, code.freevars = (".0", *one.hidden), (), tuple(sorted(used.difference(one.hidden)))
    code.localsplus = (*code.varnames, *code.freevars)
    code.exception_table = ()
    exhausted = instructions[one.loop].target
    new_index = {exhausted: len(one.body) + 2, **{old: new for new, old in enumerate(one.body, 2)}}
    body = copies(instructions[index] for index in one.body)
    made = [_like(build, build.op, 0), _like(body[0], "LOAD_FAST", ".0"), *body, _like(build, "RETURN_VALUE")]
    for instruction in made:
        instruction.target = new_index.get(instruction.target, -1)
        handler = instruction.handler
        if handler is not None:
            depth = handler.depth - one.handler.depth + 1  # below are only the container and the iterator
            moved = handler._replace(target=new_index.get(handler.target, -1), depth=depth)
            instruction.handler = None if handler == one.handler else moved
    give_instructions(code, _with_cells(made, code.freevars))
    return code


def _call(instructions: list[Instruction], one: _Comprehension, function: RawCode) -> list[Instruction]:
    """Return the call of ``function`` with the iterator on the stack."""
    first = instructions[one.start]
    made = [_like(first, "GET_ITER")] if instructions[one.loop - 1].op == "GET_ITER" else []
    if function.freevars:
        made += [_like(first, "LOAD_CLOSURE", name) for name in function.freevars]
        made.append(_like(first, "BUILD_TUPLE", len(function.freevars)))
    made += [
        _like(first, "CONST", function),
        _like(first, "MAKE_FUNCTION", ("closure",) if function.freevars else ()),
        _like(first, "SWAP", 2),
        _like(first, "CALL_FUNCTION", (1, ())),
        _like(first, "JUMP"),
    ]
    made[-1].target = instructions[one.loop].target
    return made


def _like(other: Instruction, op: str, arg: Any = None) -> Instruction:
    """An instruction at the place of ``other``."""
    return Instruction(op, arg, -1, other.handler, other.offset, other.line, other.position)


def _joined(parts: list[list[Instruction]]) -> list[Instruction]:
    """Return the instructions of ``parts``, each of which replaces one, with their jumps to where it is now."""
    starts = [0, *accumulate(map(len, parts))]
    moved: dict[Handler, Handler] = {}
    for part in parts:
        for instruction in part:
            if instruction.target >= 0:
                instruction.target = starts[instruction.target]
            handler = instruction.handler
            if handler is not None:
                instruction.handler = moved.setdefault(handler, handler._replace(target=starts[handler.target]))
    return [instruction for part in parts for instruction in part]


def _with_cells(instructions: list[Instruction], names: Collection[str]) -> list[Instruction]:
    """Return ``instructions`` with the variables ``names`` as cells."""
    for instruction in instructions:
        if instruction.op in _OF_CELLS and instruction.arg in names:
            instruction.op = _OF_CELLS[instruction.op]
    return instructions
