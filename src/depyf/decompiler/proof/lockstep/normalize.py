"""Canonical instructions -> the normal form that proofs compare.

Holds on exit: unreachable code, NOPs and JUMPs are gone (each instruction has its successors instead); the empty slots
of calls (NULL) are gone from the stack, so that COPY, SWAP and the depths of handlers count only values, and ``x.f()``
is the same with or without the method form; constants are keys; a cell that no closure gets is a local.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Tuple

from ...bytecode import NO_FALL_THROUGH, Handler, Instruction, RawCode, fold_continues, known_instructions, stack_use
from ..constants import constant_key, members_key
from ..ignored import CANNOT_RAISE, DROPPED

DEREF_AS_FAST = {"LOAD_DEREF": "LOAD_FAST", "STORE_DEREF": "STORE_FAST", "DELETE_DEREF": "DELETE_FAST"}
COUNTS_FROM_TOP = frozenset(
    {"LIST_APPEND", "SET_ADD", "MAP_ADD", "LIST_EXTEND", "SET_UPDATE", "DICT_UPDATE", "DICT_MERGE"}
)
READS_BELOW = {
    # Operations that read entries without popping them -> the number of entries from the top that must be values.
    "FOR_ITER": 1, "ASYNC_FOR_ITER": 1, "IMPORT_FROM": 1, "WITH_EXCEPT_START": 4, "GET_LEN": 1, "MATCH_MAPPING": 1,
    "MATCH_SEQUENCE": 1, "MATCH_KEYS": 2, "RERAISE": 1,
}  # fmt: skip
SPIN = "SPIN"
"""The operation of a synthetic instruction: a loop with nothing in it."""

Stack = Tuple[int, Tuple[int, ...]]
"""The relevant part of the evaluation stack: its depth, and the positions of its empty slots, ascending."""


class NotComparable(Exception):
    """The code uses the stack so that it has no normal form; the message says how."""


class NormalForm:
    """One code object in normal form: parallel lists over its instructions, in layout order.

    ``next`` and ``target`` are the successors on the fall-through and the jumping edge (-1 for none), ``handlers`` the
    (target, depth, lasti) of instructions that can raise inside a handler's range, else None. ``entry`` is the
    first instruction, ``sources`` the canonical instruction of each, ``code_at`` the nested code by index.
    """

    __slots__ = ("raw", "entry", "ops", "args", "next", "target", "handlers", "sources", "code_at", "guarded", "cache")

    def __init__(self, raw: RawCode) -> None:
        self.raw = raw
        self.entry = 0
        self.ops: list[str] = []
        self.args: list[Any] = []
        self.next: list[int] = []
        self.target: list[int] = []
        self.handlers: list[Handler | None] = []
        self.sources: list[Instruction] = []
        self.code_at: dict[int, RawCode] = {}
        self.guarded = False  # whether any instruction has a handler
        self.cache: dict[str, Any] = {}  # results of later analyses of this form


@lru_cache(maxsize=1024)
def normalize(raw: RawCode) -> NormalForm:
    """The normal form of ``raw``.

    Raises NotComparable if its empty slots can't be told from values, DecompilationError if it can't be read.
    """
    return normalize_instructions(raw, known_instructions(raw))


def normalize_instructions(raw: RawCode, instructions: list[Instruction]) -> NormalForm:
    """The same with canonical ``instructions`` in place of those of ``raw``."""
    if not raw.table.conditional_jumps_go_back:
        instructions = fold_continues(instructions)
    return _Normalizer(raw, instructions).run()


class _Normalizer:
    def __init__(self, raw: RawCode, instructions: list[Instruction]) -> None:
        self.raw = raw
        self.instructions = instructions
        self.states: list[Stack | None] = [None] * len(self.instructions)
        self.new_args: dict[int, Any] = {}
        self.silent: set[int] = set()
        self.plain_cells = self.find_plain_cells()

    def run(self) -> NormalForm:
        for instruction in self.instructions[:1]:
            if instruction.op == "NOP" and instruction.arg is not None:
                raise NotComparable(f"only if {instruction.arg}")
        self.follow()
        return self.emit()

    def find_plain_cells(self) -> frozenset[str]:
        """Cells of a function that no closure gets: as locals they would behave the same."""
        raw = self.raw
        if not raw.is_function or not raw.cellvars:
            return frozenset()
        # In an inlined comprehension the slot of a cell may hold another variable of that name.
        handed_out = {i.arg for i in self.instructions if i.op in ("LOAD_CLOSURE", "LOAD_FAST_AND_CLEAR")}
        return frozenset(raw.cellvars) - handed_out

    # Empty slots of the stack

    def follow(self) -> None:
        """Find the stack's depth and empty slots before every reachable instruction."""
        instructions, states = self.instructions, self.states
        size = len(instructions)
        todo: list[tuple[int, int, tuple[int, ...]]] = [(0, 0, ())]
        while todo:
            index, depth, nulls = todo.pop()
            while True:
                if index >= size:
                    raise NotComparable("control runs off the end of the code")
                known = states[index]
                if known is not None:
                    if known != (depth, nulls):
                        raise NotComparable(f"two stack layouts meet at offset {instructions[index].offset}")
                    break
                states[index] = (depth, nulls)
                instruction = instructions[index]
                op = instruction.op
                handler = instruction.handler
                if handler is not None and op not in CANNOT_RAISE:
                    kept = handler.depth
                    below = tuple([n for n in nulls if n < kept]) if nulls else nulls
                    todo.append((handler.target, kept + 1 + handler.lasti, below))
                if op == "JUMP":
                    index = instruction.target
                    continue
                if instruction.target >= 0:
                    pops, pushes = stack_use(instruction, jump=True)
                    if nulls and nulls[-1] >= depth - pops:
                        raise self.touches(instruction)
                    todo.append((instruction.target, depth - pops + pushes, nulls))
                depth, nulls = self.step(index, instruction, depth, nulls)
                if op in NO_FALL_THROUGH:
                    break
                index += 1

    def step(self, index: int, instruction: Instruction, depth: int, nulls: tuple[int, ...]) -> Stack:
        op = instruction.op
        if op == "NULL":
            return depth + 1, (*nulls, depth)
        if op == "CALL":
            return self.call(index, instruction, depth, nulls)
        if op == "CALL_EX":
            base = depth - (4 if instruction.arg else 3)
            if not nulls or nulls[-1] != base + (not self.raw.table.empty_slot_is_first) or base < 0:
                raise NotComparable(f"CALL_EX without its empty slot at offset {instruction.offset}")
            return base + 1, nulls[:-1]
        if op == "SWAP" or op == "COPY":
            return self.move(index, instruction, depth, nulls)
        pops, pushes = stack_use(instruction)
        bottom = depth - pops
        if bottom < 0:
            raise NotComparable(f"{op} pops an empty stack at offset {instruction.offset}")
        if nulls:
            if nulls[-1] >= bottom or nulls[-1] >= depth - READS_BELOW.get(op, 0):
                raise self.touches(instruction)
            if op in COUNTS_FROM_TOP:
                position = bottom - instruction.arg
                if position in nulls:
                    raise self.touches(instruction)
                self.new_args[index] = instruction.arg - _count_from(nulls, position)
        return bottom + pushes, nulls

    def call(self, index: int, instruction: Instruction, depth: int, nulls: tuple[int, ...]) -> Stack:
        count, names = instruction.arg
        base = depth - count - 2
        mine = [n for n in nulls if n >= base] if nulls else []
        if base < 0 or len(mine) > 1 or (mine and mine[0] > base + 1):
            raise NotComparable(f"a call whose empty slot is not in its place at offset {instruction.offset}")
        if mine:
            return base + 1, nulls[:-1]
        # A function and the first argument in the slot of its `self`.
        self.new_args[index] = (count + 1, names)
        return base + 1, nulls

    def move(self, index: int, instruction: Instruction, depth: int, nulls: tuple[int, ...]) -> Stack:
        op, count = instruction.op, instruction.arg
        position = depth - count
        if count < 1 or position < 0:
            raise NotComparable(f"{op} {count} below the stack at offset {instruction.offset}")
        if op == "COPY":
            if position in nulls:
                raise self.touches(instruction)
            if nulls:
                self.new_args[index] = count - _count_from(nulls, position)
            return depth + 1, nulls
        return self.swap(index, position, depth, nulls)

    def swap(self, index: int, position: int, depth: int, nulls: tuple[int, ...]) -> Stack:
        top = depth - 1
        if position == top:
            self.silent.add(index)
            return depth, nulls
        if not nulls:
            return depth, nulls
        lower, upper = position in nulls, top in nulls
        if lower and upper:
            self.silent.add(index)
            return depth, nulls
        if not lower and not upper:
            self.new_args[index] = depth - position - _count_from(nulls, position)
            return depth, nulls
        # A value is swapped with an empty slot: the order of the values is unchanged if there is none between.
        between = [p for p in range(position + 1, top) if p not in nulls]
        if between:
            raise self.touches(self.instructions[index])
        self.silent.add(index)
        moved = [n for n in nulls if n != (position if lower else top)]
        moved.append(top if lower else position)
        return depth, tuple(sorted(moved))

    @staticmethod
    def touches(instruction: Instruction) -> NotComparable:
        return NotComparable(f"{instruction.op} takes an empty slot of the stack at offset {instruction.offset}")

    # The normal form

    def emit(self) -> NormalForm:
        form = NormalForm(self.raw)
        instructions, states, silent = self.instructions, self.states, self.silent
        kept = [
            index for index, instruction in enumerate(instructions)
            if states[index] is not None and instruction.op not in DROPPED and index not in silent
        ]  # fmt: skip
        new_index = {index: number for number, index in enumerate(kept)}
        form.sources = [instructions[index] for index in kept]
        form.ops = [one.op for one in form.sources]
        form.args = [one.arg for one in form.sources]
        for index, arg in self.new_args.items():
            if index in new_index:
                form.args[new_index[index]] = arg
        for number, (op, arg) in enumerate(zip(form.ops, form.args)):
            if op == "CONST":
                if type(arg) is RawCode:
                    form.code_at[number] = arg
                looked_in = type(arg) is frozenset and self.following(kept[number]) == "CONTAINS_OP"
                form.args[number] = members_key(arg) if looked_in else constant_key(arg)
            elif op in DEREF_AS_FAST and arg in self.plain_cells:
                form.ops[number] = DEREF_AS_FAST[op]
        resolve = self.resolver(form, new_index)
        form.entry = resolve(0)
        form.next, form.target, form.handlers = [-1] * len(kept), [-1] * len(kept), [None] * len(kept)
        for number, (index, instruction) in enumerate(zip(kept, [*form.sources])):  # `resolve` may add one
            op, handler = instruction.op, instruction.handler
            if op not in NO_FALL_THROUGH:
                form.next[number] = number + 1 if kept[number + 1 : number + 2] == [index + 1] else resolve(index + 1)
            if instruction.target >= 0:
                form.target[number] = resolve(instruction.target)
            if handler is not None and op not in CANNOT_RAISE:
                form.guarded = True
                form.handlers[number] = self.handler(handler, resolve)
        while len(form.next) < len(form.ops):  # the synthetic instruction, if there is one
            form.next.append(len(form.next))
            form.target.append(-1)
            form.handlers.append(None)
        return form

    def following(self, index: int) -> str:
        """The operation after ``index``, ignoring NOPs."""
        operations = (instruction.op for instruction in self.instructions[index + 1 :])
        return next((op for op in operations if op != "NOP"), "")

    def handler(self, handler: Handler, resolve: Any) -> Handler:
        state = self.states[handler.target]
        assert state is not None, "the handler of a reached instruction is reached"
        nulls = sum(1 for n in state[1] if n < handler.depth)
        return Handler(resolve(handler.target), handler.depth - nulls, handler.lasti)

    def resolver(self, form: NormalForm, new_index: dict[int, int]) -> Any:
        """A function from an index of the instructions to that of the first kept one reached from there."""
        instructions = self.instructions
        known = dict(new_index)

        def resolve(index: int) -> int:
            path = []
            while index not in known:
                path.append(index)
                known[index] = -2  # on the path
                index = instructions[index].target if instructions[index].op == "JUMP" else index + 1
            result = known[index]
            if result == -2:
                result = spin()
            for step in path:
                known[step] = result
            return result

        def spin() -> int:
            if not form.ops or form.ops[-1] != SPIN:
                form.ops.append(SPIN)
                form.args.append(None)
                form.sources.append(Instruction(SPIN))
            return len(form.ops) - 1

        return resolve


def _count_from(nulls: tuple[int, ...], position: int) -> int:
    """The number of ``nulls`` at ``position`` or above."""
    return sum(1 for n in nulls if n >= position)
