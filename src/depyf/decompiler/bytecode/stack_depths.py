"""Checks the stack depth twice: in the raw code, and in the canonical instructions made from it.

The raw code is walked over all edges, including those to handlers, with the stack effect of each opcode
(versions/stack_effects.py). Raw stack entries without a canonical counterpart are *hidden*. Only dropped instructions
and those in HIDES push a hidden entry; only dropped ones and those in TAKES pop one. At every instruction that is
kept, the number of entries that are not hidden must equal the canonical depth.

So anything that a rule or a pass drops, adds or moves without its counterpart is found independently of its code.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple, NoReturn, Tuple

from .code.flags import MAKES_GENERATOR
from .code.raw_code import RawCode
from .dataflow import states_before
from .disassemble import known_instructions
from .instruction import LOADS, NEVER_RAISES, NO_FALL_THROUGH, Instruction, stack_use
from .versions.stack_effects import EFFECTS, ENDS_OF_LOOPS, JUMPS, READS
from .versions.table import OpcodeRow

_JUMPS_IF = frozenset(
    f"POP_JUMP_{direction}IF_{outcome}" for direction in ("", "FORWARD_", "BACKWARD_") for outcome in ("FALSE", "TRUE")
)
_AWAITS = frozenset({"SEND", "YIELD_VALUE", "CLEANUP_THROW", "END_SEND"})
_ITERATORS = frozenset({"GET_ITER", "LOAD_SPECIAL"})

HIDES = _JUMPS_IF | _AWAITS | _ITERATORS | {
    "LOAD_CONST",  # keyword names, qualified names, the compiler's own attributes of a class
    "LOAD_COMMON_CONSTANT",
    "LOAD_SMALL_INT",
    "PUSH_NULL",  # no mapping; the second slot of an iterator; an unbound variable
    "LOAD_GLOBAL",  # the NULL for no mapping, where the last operand is a global
    "COPY",  # the tested value of `and` and `or`
    "TO_BOOL",
    "LOAD_LOCALS",
    "MAKE_FUNCTION",  # until its attributes are set
    "SET_FUNCTION_ATTRIBUTE",
    "RETURN_GENERATOR",  # the None that is sent first
    "CALL_INTRINSIC_1",  # the None of PRINT and IMPORT_STAR; in the handler of StopIteration
}  # fmt: skip
"""Raw instructions that may push a hidden entry."""

TAKES = _JUMPS_IF | _AWAITS | _ITERATORS | {
    "POP_TOP", "POP_ITER", "TO_BOOL", "CALL_KW", "CALL_FUNCTION_KW", "CALL_FUNCTION_EX", "MAKE_FUNCTION",
    "SET_FUNCTION_ATTRIBUTE", "LOAD_FROM_DICT_OR_DEREF", "LOAD_FROM_DICT_OR_GLOBALS", "FOR_ITER", "RERAISE",
    "CALL_INTRINSIC_1", "END_ASYNC_FOR", "GEN_START",
    "CALL",  # of __exit__ and, at the start of a with statement, of __enter__
    "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF",  # of the compiler's own attributes of a class
    "STORE_FAST",  # of the NULL of an unbound variable
}  # fmt: skip
"""Raw instructions that may pop a hidden entry."""

HIDES_BELOW = _JUMPS_IF | {"MAKE_FUNCTION"}
"""Raw instructions after which an existing entry is hidden: the canonical instruction has popped it."""

ENDS = frozenset({"CLEANUP_THROW", "END_ASYNC_FOR"})
"""Instructions that end a sequence folded into one canonical instruction elsewhere; their handler is dropped."""

DROPPED_RAISE = frozenset({*_AWAITS, "LOAD_SPECIAL", "CALL", "TO_BOOL"})
"""Raw instructions that may raise but have no canonical counterpart."""

_State = Tuple[int, Tuple[int, ...]]
"""The depth of the raw stack, and the positions of its hidden entries, ascending."""


class _Unit(NamedTuple):
    """A raw instruction; ``target`` is -1 if it does not jump."""

    offset: int
    row: OpcodeRow
    argument: int
    next: int
    target: int


def depth_difference(raw: RawCode) -> str:
    """The difference between the raw and the canonical stack depth of ``raw``, with the offset; '' if there is none.

    A part of a code object (part.py) has no raw code: that of the whole has been checked.
    Raises DecompilationError if ``raw`` can't be read.
    """
    if not raw.bytecode:
        return ""
    instructions = known_instructions(raw)
    opcodes = raw.table.opcodes
    if any(opcodes.get(name, -1) in raw.bytecode[::2] for name in _BLOCKS if name in opcodes):
        return ""
    try:
        _DepthWalk(raw, instructions).run()
    except _Disagreement as error:
        return str(error)
    return ""


_UNWINDS = ["COPY", "POP_EXCEPT", "RERAISE"]
_LEAVES_WITH = ["PUSH_EXC_INFO", "WITH_EXCEPT_START"]
_BLOCKS = ("SETUP_LOOP", "SETUP_EXCEPT", "SETUP_FINALLY", "SETUP_WITH", "SETUP_ASYNC_WITH")


class _Disagreement(Exception):
    pass


_Known = Tuple[int, Tuple[int, ...]]
"""The canonical stack depth, and the positions of the ``lasti`` entries on that stack."""


def _canonical_depths(instructions: list[Instruction]) -> list[int]:
    """The depth before each instruction, -1 where it is unreachable.

    Raises _Disagreement where two depths meet, and where RERAISE finds no ``lasti`` of a handler: the interpreter
    raises an error there.
    """

    last = len(instructions) - 1

    def after(index: int, known: _Known, jump: bool) -> _Known:
        instruction, (depth, offsets) = instructions[index], known
        if jump:
            pops, pushes = stack_use(instruction, jump=True)
            return depth - pops + pushes, _below(offsets, depth - pops)
        op = instruction.op
        if op in LOADS and index < last:
            return depth + 1, offsets
        if op == "RERAISE" and instruction.arg and depth - 1 - instruction.arg not in offsets:
            raise _Disagreement(f"RERAISE finds no offset on the stack at offset {instruction.offset}")
        if op in NO_FALL_THROUGH:
            return known
        pops, pushes = stack_use(instruction)
        if pops > depth:
            raise _Disagreement(f"{op} takes more than the stack holds at offset {instruction.offset}")
        if index == last:
            raise _Disagreement("control runs off the end of the code")
        return depth - pops + pushes, _moved(instruction, offsets, depth, depth - pops) if offsets else offsets

    def raised(instruction: Instruction, known: _Known) -> _Known | None:
        handler = instruction.handler
        if handler is None or instruction.op in NEVER_RAISES:
            return None
        bottom, lasti = handler.depth, handler.lasti
        return bottom + 1 + lasti, _below(known[1], bottom) + (bottom,) * lasti

    def meet(index: int, known: _Known, other: _Known) -> _Known:
        if known[0] != other[0]:
            raise _Disagreement(
                f"two depths of the stack, {known[0]} and {other[0]}, meet at offset {instructions[index].offset}"
            )
        if known != other:
            raise _Disagreement(f"two layouts of the stack meet at offset {instructions[index].offset}")
        return known

    start: _Known = 0, ()
    states = states_before(instructions, start, after=after, raised=raised, meet=meet)
    return [-1 if state is None else state[0] for state in states]


def _below(offsets: tuple[int, ...], bottom: int) -> tuple[int, ...]:
    return tuple([position for position in offsets if position < bottom]) if offsets else offsets


def _moved(instruction: Instruction, offsets: tuple[int, ...], depth: int, bottom: int) -> tuple[int, ...]:
    """The positions of ``lasti`` entries after ``instruction``, which does not touch entries below ``bottom``."""
    if instruction.op == "COPY":
        return offsets + (depth,) * (depth - instruction.arg in offsets)
    if instruction.op == "SWAP":
        moved = {depth - 1: depth - instruction.arg, depth - instruction.arg: depth - 1}
        return tuple(sorted([moved.get(position, position) for position in offsets]))
    return _below(offsets, bottom)


class _DepthWalk:
    def __init__(self, raw: RawCode, instructions: list[Instruction]) -> None:
        self.raw = raw
        self.instructions = instructions
        self.version, self.rows = raw.version, raw.table.rows
        first = instructions[0]
        self.assumed = first.op == "NOP" and first.arg is not None and first.offset < 0  # the text of two_slots.py
        self.effects = EFFECTS[raw.version]
        self.jumps = JUMPS[raw.version]
        self.first: dict[int, int] = {}  # by offset: the first canonical instruction
        self.falls: dict[int, int] = {}  # by offset: the net effect of the canonical instructions
        self.leads: dict[int, int] = {}  # the same, if the last of them jumps
        self.raises: set[int] = set()
        self.depths = _canonical_depths(instructions)
        self.folded_sends: set[int] = set()
        self.ends: dict[int, int] = {}  # by offset of a dropped end of an operation: its net effect
        changed = {i.arg for i in instructions if i.op in ("DELETE_FAST", "STORE_FAST", "LOAD_FAST_AND_CLEAR")}
        bound = set(raw.parameters) - changed
        for index, instruction in enumerate(instructions):
            offset = instruction.offset
            if offset not in self.falls:
                self.first[offset], self.falls[offset] = index, 0
            if instruction.target >= 0:
                pops, pushes = stack_use(instruction, jump=True)
                self.leads[offset] = self.falls[offset] + pushes - pops
            pops, pushes = (0, 1) if instruction.op in LOADS else stack_use(instruction)
            self.falls[offset] += pushes - pops
            if instruction.op not in NEVER_RAISES and not (instruction.op == "LOAD_FAST" and instruction.arg in bound):
                self.raises.add(offset)
        self.room = raw.stacksize
        # Dynamo does not count the None that a coroutine is sent first, where it leaves that on the stack.
        start = raw.table.opcodes.get("RETURN_GENERATOR")
        if start is not None and start in raw.bytecode[::2]:
            self.room += any(i.op == "CONST" and raw.bytecode[i.offset] == start for i in instructions if i.offset >= 0)
        self.table = sorted(raw.exception_table)
        self.starts = [entry.start for entry in self.table]
        self.units: dict[int, _Unit] = {}
        self.states: dict[int, _State] = {}
        self.todo: list[tuple[int, _State]] = []

    def run(self) -> None:
        self.todo.append((0, self.start()))
        states, size = self.states, len(self.raw.bytecode)
        while self.todo:
            offset, state = self.todo.pop()
            while offset >= 0:
                if offset in states:
                    if states[offset] != state:
                        self.refuse(offset, f"two layouts of the stack, {states[offset]} and {state}, meet")
                    break
                if not 0 <= offset < size:
                    self.refuse(offset, "control leaves the code")
                states[offset] = state
                if state[0] > self.room:
                    self.refuse(offset, f"{state[0]} entries, with room for {self.room}")
                unit = self.unit(offset)
                offset, state = self.follow(unit, *state)

    def start(self) -> _State:
        """On 3.10 a new generator's stack holds the None sent to it; GEN_START, if present, pops it."""
        start = self.raw.table.opcodes.get("GEN_START")
        if start is None or not self.raw.flags & MAKES_GENERATOR:
            return 0, ()
        return 1, ((0,) if self.raw.bytecode[:1] == bytes([start]) else ())

    def refuse(self, offset: int, reason: str) -> NoReturn:
        raise _Disagreement(f"the depth of the stack is in doubt: {reason} at offset {offset}")

    def unit(self, start: int) -> _Unit:
        code, rows, offset, extended = self.raw.bytecode, self.rows, start, 0
        try:
            row, argument = rows[code[offset]], code[offset + 1]
            while row.rule == "extended":
                extended = argument << 8
                offset += 2
                row, argument = rows[code[offset]], code[offset + 1] | extended
        except IndexError:
            self.refuse(start, "control leaves the code")
        following = offset + 2 + 2 * row.caches
        target = -1
        if row.rule == "jump by":
            target = following + argument * self.raw.table.jump_unit
        elif row.rule == "jump back":
            target = following - argument * self.raw.table.jump_unit
        elif row.rule == "jump to":
            target = argument * self.raw.table.jump_unit
        return _Unit(offset, row, argument, following, target)

    def follow(self, unit: _Unit, depth: int, hidden: tuple[int, ...]) -> tuple[int, _State]:
        """The offset that ``unit`` falls through to, -1 if it does not, and the stack there."""
        offset, row, _, following, target = unit
        name = row.name
        is_kept = offset in self.first
        pops, pushes = self.effect(unit, depth, hidden)
        if self.table and (offset in self.raises or not is_kept and name in DROPPED_RAISE):
            self.raise_from(unit, depth, hidden, pops)
        if target >= 0:
            after = self.after_jump(unit, depth, hidden, (pops, pushes))
            if row.op == "JUMP":
                return target, after
            self.todo.append((self.after_loop_ends(unit) if name == "FOR_ITER" else target, after))
            if name == "SEND":
                return following, (depth, hidden)
        if name == "SWAP" and hidden:
            return following, self.swapped(unit, depth, hidden)
        if row.op in NO_FALL_THROUGH or name == "RETURN_CONST":
            return -1, (0, ())
        wanted = self.falls[offset] if is_kept else self.ends.get(offset, 0) if name in ENDS else 0
        if not hidden and pushes - pops == wanted:
            return following, (depth + wanted, hidden)  # by far the most frequent
        return following, self.after(unit, depth, hidden, (pops, pushes), wanted)

    def effect(self, unit: _Unit, depth: int, hidden: tuple[int, ...]) -> tuple[int, int]:
        """The fall-through stack effect of ``unit``; checks the stack before it."""
        offset, row, argument, _, target = unit
        name = row.name
        if name not in self.effects:
            self.refuse(offset, f"{name} has no known effect")
        effect = self.effects[name]
        pops, pushes = effect if effect.__class__ is tuple else effect(argument)  # type: ignore[operator]
        if pops > depth or name in READS and READS[name](argument) > depth:
            self.refuse(offset, f"{name} takes more than the stack holds")
        if offset in self.first:
            known = self.depths[self.first[offset]]
            kept = depth - len(hidden) if hidden else depth
            if known != kept and not (name.startswith("JUMP_BACK") and target in self.folded_sends):
                self.refuse(offset, f"{depth} entries, {len(hidden)} of them hidden, where {known} were read")
        return pops, pushes

    def after_jump(self, unit: _Unit, depth: int, hidden: tuple[int, ...], falling: tuple[int, int]) -> _State:
        """The stack on the jumping edge of ``unit``; ``falling`` is the fall-through effect, the same for most."""
        offset, name = unit.offset, unit.row.name
        index = self.first.get(offset)
        wanted = self.leads.get(offset, 0)
        if name == "SEND":
            self.folded_sends.add(offset)
            self.ends[unit.next] = 0 if index is None else -1
            if index is not None:
                wanted = self.falls[offset]
        jump = self.jumps.get(name)
        taken = falling if jump is None else jump(unit.argument) if callable(jump) else jump
        return self.after(unit, depth, hidden, taken, wanted)

    def after(
        self, unit: _Unit, depth: int, hidden: tuple[int, ...], effect: tuple[int, int], wanted: int
    ) -> _State:
        """The stack after ``effect``; ``wanted`` is the net effect on the entries that are not hidden."""
        pops, pushes = effect
        bottom = depth - pops
        if not hidden and pushes - pops == wanted:
            return bottom + pushes, hidden
        name = unit.row.name
        taken = 0
        while hidden and hidden[-1] >= bottom:
            hidden = hidden[:-1]
            taken += 1
        if taken and name not in TAKES:
            self.refuse(unit.offset, f"{name} takes an entry that no canonical instruction knows of")
        made = pushes - (wanted + pops - taken)
        top = bottom + pushes
        if made < 0 or made > pushes and name not in HIDES_BELOW or made > top:
            self.refuse(unit.offset, f"{name} leaves {wanted - pushes + pops} entries more than it does")
        if made and name not in HIDES:
            self.refuse(unit.offset, f"{name} leaves an entry that no canonical instruction knows of")
        if hidden and hidden[-1] >= top - made:
            self.refuse(unit.offset, f"{name} leaves its entries among others")
        return top, (*hidden, *range(top - made, top))

    def swapped(self, unit: _Unit, depth: int, hidden: tuple[int, ...]) -> _State:
        top, other = depth - 1, depth - unit.argument
        moved = {top: other, other: top}
        return depth, tuple(sorted(moved.get(position, position) for position in hidden))

    def raise_from(self, unit: _Unit, depth: int, hidden: tuple[int, ...], pops: int) -> None:
        """Follow an exception that ``unit`` may raise."""
        row = bisect_right(self.starts, unit.offset) - 1
        if row < 0 or self.table[row].end <= unit.offset:
            return
        _, _, target, kept, lasti = self.table[row]
        height = depth - (0 if unit.row.name == "YIELD_VALUE" else pops)
        if kept > height or self.assumed:
            kept = self.kept_by_mistake(unit, kept, height, hidden)
        left = tuple([position for position in hidden if position < kept])
        top = kept + 1 + lasti
        goal = self.unit(target)
        if goal.offset not in self.first and (goal.row.name in ENDS or goal.row.rule == "intrinsic 1"):
            left = (*left, *range(kept, top))
            self.ends[goal.offset] = self.ends.get(unit.offset, 0) if goal.row.name == "CLEANUP_THROW" else -1
        self.todo.append((target, (top, left)))

    def kept_by_mistake(self, unit: _Unit, kept: int, height: int, hidden: tuple[int, ...]) -> int:
        """The number of entries to keep where Dynamo's table has too many (two_slots.py says when)."""
        entry = self.table[bisect_right(self.starts, unit.offset) - 1]
        steps = [self.unit(entry.target)]
        while len(steps) < 3:
            steps.append(self.unit(steps[-1].next))
        names, read = [step.row.name for step in steps], self.first.get(steps[0].offset)
        if kept > height and names != _UNWINDS and names[:2] != _LEAVES_WITH:
            self.refuse(unit.offset, f"a handler keeps {kept} entries of {height}")
        if self.assumed and names == _UNWINDS and read is not None:
            return self.depths[read] - 1 - entry.lasti + sum(position < height for position in hidden)
        return min(kept, height)

    def after_loop_ends(self, unit: _Unit) -> int:
        """The offset at which FOR_ITER continues when its iterator is exhausted."""
        offset = unit.target
        for name in ENDS_OF_LOOPS.get(self.version, ()):
            end = self.unit(offset)
            if end.row.name != name:
                self.refuse(unit.offset, f"FOR_ITER does not lead to {name}")
            offset = end.next
        return offset
