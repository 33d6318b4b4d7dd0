"""The block stack of CPython 3.7 to 3.10 -> handler records in the shape of 3.11.

These versions keep, beside the evaluation stack, a stack of blocks at run time: SETUP_FINALLY pushes one, POP_BLOCK
pops it, an exception unwinds it. In compiled code both stacks are known at every instruction, so an abstract
interpretation finds them; the innermost block is then the instruction's handler. An exception raised while a handler
runs is cleaned up by the interpreter; 3.11 has a separate handler for that (``COPY 3; POP_EXCEPT; RERAISE 1``), and
the list made here has it too, at its end.

An instruction reached in several states is emitted once for each: this turns the ``finally`` subroutines of 3.7 and
3.8 into copies, as later compilers write them. Unreachable code is left out.
"""

from __future__ import annotations

from typing import Any, NoReturn, Optional, Tuple

from ..edit import MOST_SLOTS, ErrorMaker
from ..instruction import JUMP_EDGE, NO_FALL_THROUGH, OPERATIONS, Handler, Instruction, stack_use
from . import finally_subroutines, loop_blocks  # noqa: F401  # they add to STEPS
from .state import PLAIN, PURPOSES, VALUE, BlockEntry, StackEntry, StackState, StackStates, depth, enter_handler
from .steps import MOVES_VALUES, STEPS, unbinds

SETUPS = frozenset({"SETUP_FINALLY", "SETUP_EXCEPT", "SETUP_WITH", "SETUP_ASYNC_WITH", "SETUP_LOOP"})
USES_BLOCKS = SETUPS | {
    "POP_BLOCK", "WITH_CLEANUP_START", "WITH_CLEANUP_FINISH", "END_FINALLY", "POP_FINALLY", "CALL_FINALLY",
}  # fmt: skip
"""Operations that only this pass handles: the end of a block whose beginning was dead stays in the code."""
COPIES = 24
"""The longest result, as a multiple of the length of the code."""

INSTRUCTION, ENTRY, CLEANUP = 1, 0, 2
_Key = Tuple[int, int, StackState]
"""A node's key: one of the three kinds above, an index, the state before it."""


_Handler = Tuple[_Key, int, bool]
"""Where an exception goes: the handler's node, the depth of the stack that it keeps, whether lasti."""
_Made = Tuple[Instruction, Optional[_Key], Optional[_Handler]]
"""A canonical instruction, the node that it jumps to, and the one that handles what it raises."""


class Step:
    """One instruction in one state: what it becomes (``made``), and where control goes (``falls``, -1 for nowhere).

    ``stack`` and ``blocks`` are changed by the functions in steps.py.
    """

    def __init__(self, converter: _Converter, index: int, state: StackState) -> None:
        self.converter = converter
        self.code = converter.code
        self.instruction = converter.code[index]
        self.index = index
        self.state = state
        self.stack = list(state.stack)
        self.blocks = list(state.blocks)
        self.falls = index + 1
        self.made: list[_Made] = []

    def error(self, reason: str) -> Exception:
        return self.converter.error(reason, self.instruction.offset)

    def emit(self, op: str, arg: Any = None, target: int = -1, at: Instruction | None = None) -> None:
        """Append an instruction covered by the current blocks; a jump takes the current stack, its test popped."""
        destination = (INSTRUCTION, target, self.present()) if target >= 0 else None
        self.made.append(self.converter.made(op, arg, at or self.instruction, self.present(), destination))

    def emit_all(self, operations: list[str]) -> None:
        """Append operations without operand; SWAP exchanges the top two entries."""
        for op in operations:
            self.emit(op, 2 if op == "SWAP" else None)

    def present(self) -> StackState:
        return self.converter.states[tuple(self.stack), tuple(self.blocks)]

    def push(self, *slots: StackEntry) -> None:
        self.stack.extend(slots)

    def pop(self) -> StackEntry:
        if not self.stack:
            raise self.error("the stack is empty")
        return self.stack.pop()

    def values(self, count: int) -> list[StackEntry]:
        """Pop ``count`` entries, which must be plain values."""
        popped = [self.pop() for _ in range(count)]
        for slot in popped:
            if slot.kind not in PLAIN:
                raise self.error(f"{self.instruction.op} uses what a statement keeps on the stack ({slot.kind})")
        return popped

    def push_block(self, kind: str, start: int, level: int, purpose: str) -> None:
        self.blocks.append(BlockEntry(kind, start, level, purpose))

    def pop_block(self) -> BlockEntry:
        if not self.blocks:
            raise self.error("the block stack is empty")
        return self.blocks.pop()

    def run(self) -> None:
        instruction = self.instruction
        special = STEPS.get(instruction.op)
        if special is not None:
            special(self)
        else:
            self.move_values()

    def move_values(self) -> None:
        """Simulate an operation that changes neither the blocks nor the entries kept by statements."""
        instruction = self.instruction
        if instruction.target >= 0:
            before = list(self.stack)
            pops, pushes = stack_use(instruction, jump=True)
            self.values(pops)
            self.stack.extend([VALUE] * pushes)
            destination = (INSTRUCTION, instruction.target, self.present())
            self.stack = before
        else:
            destination = None
        made = self.converter.made(instruction.op, instruction.arg, instruction, self.present(), destination)
        self.made.append(made)
        if instruction.op in NO_FALL_THROUGH:
            self.falls = -1
        pops, pushes = stack_use(instruction)
        self.values(pops)
        self.stack.extend([VALUE] * pushes)


def unwind_blocks(
    instructions: list[Instruction], error: ErrorMaker, *, loops_are_blocks: bool = False, room: int = MOST_SLOTS
) -> list[Instruction]:
    """Return ``instructions`` with handler records in place of the block stack.

    Raises ``error(reason, offset)`` for code that uses the block stack as no compiler does, or needs a deeper stack
    than ``room``. ``loops_are_blocks``: loops are on the block stack too, and return, break and continue unwind it
    (3.7).
    """
    if USES_BLOCKS.isdisjoint([i.op for i in instructions]):
        return instructions
    return _Converter(instructions, error, loops_are_blocks, room).run()


class _Converter:
    """``entries`` are the indices that control jumps to: a node ends before one, and before what needs a `Step`.

    ``is_taken`` marks the instructions that are in a node; any other node gets copies of them. ``left`` says how many
    more instructions there may be, ``slots`` is the sum of the sizes of their stacks.
    """

    def __init__(self, code: list[Instruction], error: ErrorMaker, loops_are_blocks: bool, room: int) -> None:
        self.code = code
        self.room = room
        self.error = error
        self.copies = loops_are_blocks or bool({"END_FINALLY", "POP_FINALLY"} & {i.op for i in code})
        self.loops_are_blocks = loops_are_blocks
        self.entries = {i.target for i in code}
        self.steps = STEPS.keys() if loops_are_blocks else STEPS.keys() - {"RETURN_VALUE"}
        self.handlers = {i.target for i in code if i.op in SETUPS}
        self.unbinding = {i.target for n, i in enumerate(code) if i.op == "SETUP_FINALLY" and unbinds(code, n)}
        self.nodes: dict[_Key, list[_Made]] = {}
        self.falls: dict[_Key, _Key | None] = {}
        self.todo: list[_Key] = []
        self.states = StackStates()
        self.handlers_in: dict[StackState, _Handler | None] = {}
        self.handlers_of: dict[tuple[tuple[StackEntry, ...], tuple[BlockEntry, ...]], _Handler] = {}
        self.is_taken = bytearray(len(code))
        self.left = 1000 + COPIES * len(code)
        self.slots = 0

    def run(self) -> list[Instruction]:
        entry = (INSTRUCTION, 0, self.states[(), ()])
        self.todo.append(entry)
        size, nodes = len(self.code), self.nodes
        states: dict[tuple[int, int], StackState] = {}
        while self.todo:
            following: _Key | None = self.todo.pop()
            while following is not None and following not in nodes:
                what, index, state = key = following
                if index >= size:
                    raise self.error("control runs off the end of the code", -1)
                if not self.copies:
                    place = what, index
                    if place in states and states[place] is not state:
                        raise self.error("two layouts of the stack meet", self.code[index].offset)
                    states[place] = state
                if self.left < 0:
                    raise self.error("the copies of finally bodies are too many", -1)
                if state.size > self.room and len(state.stack) > self.room:
                    raise self.error(f"{len(state.stack)} entries, with room for {self.room}", self.code[index].offset)
                self.left -= 1
                self.slots += state.size
                if self.slots > MOST_SLOTS:
                    raise self.error("the stack is too deep for too long", self.code[index].offset)
                self.falls[key] = following = self.visit(key)
        return self.lay_out(entry)

    def visit(self, key: _Key) -> _Key | None:
        """Make the instructions of a node; return the node that control falls into."""
        what, index, state = key
        if what == CLEANUP:
            self.nodes[key] = self.clean_up(state)
            return None
        if what == ENTRY:
            purpose = PURPOSES[state.blocks[-1].purpose]
            entry = Instruction("PUSH_EXC_INFO", offset=self.code[index].offset)
            self.nodes[key] = [self.made(entry.op, None, entry, state)] if purpose.pushes_exc_info else []
            return INSTRUCTION, index, state
        made = self.nodes[key] = []
        index, state = self.move_values(index, state, made)
        if made:
            return (INSTRUCTION, index, state) if index >= 0 else None
        step = Step(self, index, state)
        step.run()
        self.nodes[key] = step.made
        return (INSTRUCTION, step.falls, step.present()) if step.falls >= 0 else None

    def move_values(self, start: int, state: StackState, made: list[_Made]) -> tuple[int, StackState]:
        """Make the instructions from ``start`` on that only move values, by far the most: no `Step` is needed.

        Return where control goes from them, -1 for nowhere, and in which state.
        """
        code, handlers = self.code, self.handlers_in
        for index in range(start, len(code)):
            instruction = code[index]
            op, target = instruction.op, instruction.target
            if op in self.steps and (op not in MOVES_VALUES or op == "CONST" and instruction.arg is None):
                return index, state
            if made and index in self.entries or state.size > self.room and len(state.stack) > self.room:
                return index, state
            use = OPERATIONS[op]
            use = use if use.__class__ is tuple else use(instruction.arg)
            following = state.moves[use] if use in state.moves else self.moved(state, use)
            use = JUMP_EDGE[op] if op in JUMP_EDGE else use
            there = following if target < 0 else state.moves[use] if use in state.moves else self.moved(state, use)
            if following is None or there is None:
                return index, state
            if made:
                self.left -= 1
                self.slots += state.size
            destination = (INSTRUCTION, target, there) if target >= 0 else None
            if self.is_taken[index]:
                made.append(self.made(op, instruction.arg, instruction, state, destination))
            else:
                self.is_taken[index] = True
                if destination is not None:
                    self.todo.append(destination)
                if state not in handlers:
                    handlers[state] = self.handler(state)
                made.append((instruction, destination, handlers[state]))
            if op in NO_FALL_THROUGH:
                return -1, state
            state = following
        return len(code), state

    def moved(self, state: StackState, use: tuple[int, int]) -> StackState | None:
        """The state after an instruction that only moves values; None if what it pops is something else."""
        stack, (pops, pushes) = state.stack, use
        left = len(stack) - pops
        if left < 0:
            return None
        for slot in stack[left:]:
            if slot.kind not in PLAIN:
                return None
        state.moves[use] = following = self.states[stack[:left] + (VALUE,) * pushes, state.blocks]
        return following

    def clean_up(self, state: StackState) -> list[_Made]:
        """The instructions that clean up after the innermost handler."""
        outside = self.states[state.stack, state.blocks[:-1]]
        raised_at = Instruction("POP_EXCEPT", offset=self.code[state.blocks[-1].start].offset)
        steps = (("COPY", 3), ("POP_EXCEPT", None), ("RERAISE", 1))
        return [self.made(op, arg, raised_at, outside) for op, arg in steps]

    def made(self, op: str, arg: Any, at: Instruction, state: StackState, destination: _Key | None = None) -> _Made:
        """A new instruction with the position of ``at``, covered by the blocks of ``state``."""
        if destination is not None:
            self.todo.append(destination)
        instruction = Instruction(op, arg, -1, None, at.offset, at.line, at.position)
        if op == "SWAP" and _is_moving(state):
            return instruction, destination, None
        if state not in self.handlers_in:
            self.handlers_in[state] = self.handler(state)
        return instruction, destination, self.handlers_in[state]

    def handler(self, state: StackState) -> _Handler | None:
        for position in range(len(state.blocks) - 1, -1, -1):
            block = state.blocks[position]
            purpose = PURPOSES.get(block.purpose)
            if block.kind == "loop" or purpose is None or block.kind == "handling" and not purpose.pushes_exc_info:
                continue
            inside = state.stack[: block.level], state.blocks[: position + 1]
            if inside not in self.handlers_of:
                self.handlers_of[inside] = self.handler_of(*inside)
            return self.handlers_of[inside]
        return None

    def handler_of(self, stack: tuple[StackEntry, ...], blocks: tuple[BlockEntry, ...]) -> _Handler:
        """The handler of the innermost block, for what is raised where that much is on both stacks."""
        block, kept, lasti = blocks[-1], depth(stack), PURPOSES[blocks[-1].purpose].lasti
        key: _Key
        if block.kind == "handling":
            key, kept, lasti = (CLEANUP, block.start, self.states[stack, blocks]), kept + 1 + lasti, True
        else:
            key = (ENTRY, block.start, self.states[enter_handler(stack, blocks)])
        self.todo.append(key)
        return key, kept, lasti

    # Layout

    def lay_out(self, entry: _Key) -> list[Instruction]:
        """All nodes as one list, in the order of the code, clean-up handlers last."""
        # Copies follow the instruction that made them, clean-up handlers come last.
        places = [
            ((key[0] == CLEANUP, *[(owner, CLEANUP) for owner in key[2].copies], (key[1], key[0])), number, key)
            if key[2].copies else ((key[0] == CLEANUP, (key[1], key[0])), number, key)
            for number, (key, made) in enumerate(self.nodes.items()) if made
        ]  # fmt: skip
        order = [key for _, _, key in sorted(places)]
        starts: dict[_Key, int] = {}
        listed: list[_Made] = []
        if not order or order[0] != self.settled(entry):
            raise self.error("code that does not begin at its beginning", -1)
        for key, following in zip(order, [*order[1:], None]):
            starts[key] = len(listed)
            listed += self.nodes[key]
            fall = self.falls[key]
            fall = fall if fall is None or self.nodes[fall] else self.settled(fall)
            left, _, handler = listed[-1]
            if fall is not None and fall != following and left.op not in NO_FALL_THROUGH:
                jump = Instruction("JUMP", None, -1, None, left.offset, left.line, left.position)
                listed.append((jump, fall, handler))
        handlers: dict[_Handler | None, Handler | None] = {None: None}
        for instruction, target, handler in listed:
            if target is not None:
                instruction.target = starts[target if target in starts else self.settled(target) or target]
            if handler not in handlers:
                assert handler is not None
                key, kept, lasti = handler
                handlers[handler] = Handler(starts[self.settled(key) or key], kept, lasti)
            instruction.handler = handlers[handler]
        return [instruction for instruction, _, _ in listed]

    def settled(self, key: _Key | None) -> _Key | None:
        """The first node, ``key`` or one that it falls into, that became an instruction."""
        for _ in range(len(self.nodes)):
            if key is None or self.nodes[key]:
                return key
            key = self.falls[key]
        self.refuse("an empty endless loop")

    def refuse(self, reason: str) -> NoReturn:
        raise self.error(reason, -1)


def _is_moving(state: StackState) -> bool:
    """Whether an exit function is away from its slot, in the middle of a rotation (several exchanges here)."""
    return any(
        (block.kind, block.purpose) == ("try", "with")
        and state.stack[block.level - 1 : block.level] != (StackEntry("exit"),)
        for block in state.blocks
    )
