"""Hides the second of two stack slots that hold one value, so that later passes see one slot, as in 3.11.

3.14 keeps the exit function of a with statement as (function, self), 3.15 an iterator as (iterator, state). The
stack is simulated over the control flow with a kind for every slot; of a pair, the first slot stays and the second
is hidden. Operands and handlers that count slots are recounted, and a run of SWAPs is rewritten for the remaining
slots. Code that splits a pair in any other way is refused.

Dynamo (PyTorch 2.15 on 3.14) counts one slot too many in the exception table of the context managers that a resume
function enters again. Where nothing can raise, or the stack is no deeper, that is harmless. Where an exit function
raises, the exception it was called for is restored as the previously handled one; no source does that, so the
depth is corrected, and a NOP at the start says in its operand what is assumed. Where entering further context
managers raises, another object would be called instead of the exit function: refused.
"""

from __future__ import annotations

from typing import Collection, NoReturn, Optional, Tuple

from ..edit import MOST_SLOTS, ErrorMaker, prepended, referred, without
from ..instruction import LOADS, NEVER_RAISES, NO_FALL_THROUGH, OPERATIONS, Handler, Instruction, stack_use

Slot = Optional[Tuple[str, int, int]]
"""None for a plain value; (kind of the pair: 'exit' or 'iterator', number of the pair, 1 or 2) for half of a pair, the
numbers in order, below zero, so that equal stacks compare equal whichever instructions made the pairs;
('empty', index of the NULL, 0) for a possible second half of an iterator's pair, otherwise plain."""
Stack = Tuple[Slot, ...]

ENTER = ("COPY 1", "LOAD_SPECIAL '{exit}'", "SWAP 2", "SWAP 3", "LOAD_SPECIAL '{enter}'", "CALL (0, ())")
WITH_STATEMENTS = {
    "BEFORE_WITH": tuple(step.format(enter="__enter__", exit="__exit__") for step in ENTER),
    "BEFORE_ASYNC_WITH": tuple(step.format(enter="__aenter__", exit="__aexit__") for step in ENTER),
}
USES = {
    # Stack use of raw operations that later passes fold: (pops, pushes).
    "END_FOR": (1, 0), "END_FOR_THEN_POP": (1, 0), "POP_ITER": (1, 0), "SEND": (1, 1), "END_SEND": (2, 1),
    "CLEANUP_THROW": (3, 2), "END_ASYNC_FOR": (2, 0), "LOAD_SPECIAL": (1, 2),
}  # fmt: skip
COUNT_FROM_TOP = {
    # Operations whose operand counts slots from the top after this many pops.
    "LIST_APPEND": 1, "SET_ADD": 1, "LIST_EXTEND": 1, "SET_UPDATE": 1, "DICT_UPDATE": 1, "DICT_MERGE": 1, "MAP_ADD": 2,
}  # fmt: skip
ON_ITERATORS = {"FOR_ITER": 0, "SEND": 1, "END_SEND": 1, "CLEANUP_THROW": 2, "POP_ITER": 0}
"""Operations on an iterator's pair -> the number of plain values above it."""
MAKES_ITERATOR = ("GET_ITER", "GET_YIELD_FROM_ITER")
_WITH_EXITS = frozenset({"LOAD_SPECIAL"})
_WITH_ITERATORS = frozenset({*_WITH_EXITS, *MAKES_ITERATOR, *ON_ITERATORS})
_OF_ITERATORS = _WITH_ITERATORS | {"NULL"}
_OTHERS = frozenset({"BEFORE_WITH", "BEFORE_ASYNC_WITH", "CALL", "WITH_EXCEPT_START", "POP", "COPY", "SWAP", "JUMP"})
_PLAIN = {op: use for op, use in OPERATIONS.items() if op not in {*_OF_ITERATORS, *_OTHERS, *COUNT_FROM_TOP, *USES}}
"""Operations that know nothing of pairs, with their stack use."""


def hide_second_slots(
    instructions: list[Instruction], error: ErrorMaker, *, iterators: bool, parameters: Collection[str] = ()
) -> list[Instruction]:
    """Return ``instructions`` with one slot for each pair; ``iterators``: whether iterators are pairs."""
    if (_WITH_ITERATORS if iterators else _WITH_EXITS).isdisjoint([i.op for i in instructions]):
        return instructions
    return _SlotSimulation(_fold_with_statements(instructions, error), error, iterators, parameters).run()


def _fold_with_statements(instructions: list[Instruction], error: ErrorMaker) -> list[Instruction]:
    dropped: set[int] = set()
    for index, instruction in enumerate(instructions):
        if instruction.op != "LOAD_SPECIAL" or index - 1 in dropped or index in dropped:
            continue
        steps = instructions[index - 1 : index + 5] if index else []
        shown = tuple(f"{step.op} {step.arg!r}" for step in steps)
        op = next((op for op, wanted in WITH_STATEMENTS.items() if shown == wanted), None)
        if op is None or len({step.handler for step in steps}) != 1:
            raise error("LOAD_SPECIAL outside the start of a with statement", instruction.offset)
        steps[0].op, steps[0].arg = op, None
        dropped.update(range(index, index + 5))
    return without(instructions, dropped, error) if dropped else instructions


NO_FAILING_EXIT = "no exit function of a context manager fails (Dynamo's exception table is wrong there)"


class _SlotSimulation:
    def __init__(
        self, instructions: list[Instruction], error: ErrorMaker, iterators: bool, parameters: Collection[str]
    ) -> None:
        self.instructions = instructions
        self.error = error
        self.iterators = iterators
        self.targets = referred(instructions)
        self.states: list[Stack | None] = [None] * len(instructions)
        self.dropped: set[int] = set()
        self.arguments: dict[int, object] = {}
        self.todo: list[tuple[int, Stack]] = []
        self.slots = 0
        changed = {i.arg for i in instructions if i.op in ("DELETE_FAST", "STORE_FAST", "LOAD_FAST_AND_CLEAR")}
        self.bound = frozenset(parameters) - changed
        self.assumed: str | None = None  # what is assumed
        self.second_halves: set[int] = set()  # NULLs that are the second half of the iterator below
        self.ordinary: set[int] = set()  # handlers of no with statement, which keep what their depth says
        self.raised: set[tuple[int, Stack]] = set()  # handlers, with the stacks that they were followed with

    def run(self) -> list[Instruction]:
        instructions = self.instructions
        while True:
            try:
                self.simulate()
                break
            except _SecondHalf as found:
                self.second_halves.add(found.index)
        self.count_handlers()
        for index, argument in self.arguments.items():
            instructions[index].arg = argument
        result = without(instructions, self.dropped) if self.dropped else instructions
        return prepended(Instruction("NOP", self.assumed), result) if self.assumed else result

    def simulate(self) -> None:
        """Find the stack before every instruction. Raises _SecondHalf for a NULL that turns out to be one."""
        instructions = self.instructions
        states = self.states = [None] * len(instructions)
        self.dropped, self.arguments, self.todo, self.raised = set(), {}, [(0, ())], set()
        todo, size = self.todo, len(instructions)
        while todo:
            while todo:
                index, stack = todo.pop()
                while 0 <= index < size and states[index] is None:
                    instruction = instructions[index]
                    if instruction.op in LOADS and instruction.handler is None and self.slots <= MOST_SLOTS:
                        states[index] = stack
                        self.slots += len(stack)
                        index, stack = index + 1, (*stack, None)
                    else:
                        index, stack = self.follow(index, stack)
                if index < 0:
                    continue
                if index >= size:
                    raise self.error("control runs off the end of the code", instructions[-1].offset)
                self.compare(index, stack)
            self.todo += self.unused_handlers()

    def unused_handlers(self) -> list[tuple[int, Stack]]:
        """Handlers whose range can't raise, each with the stack that it would find."""
        for index, (instruction, state) in enumerate(zip(self.instructions, self.states)):
            handler = instruction.handler
            if handler is not None and state is not None and self.states[handler.target] is None:
                kept = self.kept(index, state)
                if _whole(kept):
                    return [(handler.target, kept + (None,) * (1 + handler.lasti))]
        return []

    def compare(self, index: int, stack: Stack) -> None:
        """Check that two paths that meet before ``index`` agree."""
        before = self.states[index] or ()
        if before == stack:
            return
        if len(before) == len(stack):
            for one, other in zip(before, stack):
                for empty, half in ((one, other), (other, one)):
                    if empty is not None and empty[0] == "empty" and half is not None and half[0] == "iterator":
                        raise _SecondHalf(empty[1])
        if _without_null_indices(before) != _without_null_indices(stack):
            self.refuse(index, "two stack layouts meet")

    def refuse(self, index: int, reason: str) -> NoReturn:
        raise self.error(reason, self.instructions[index].offset)

    def follow(self, index: int, stack: Stack) -> tuple[int, Stack]:
        """Simulate one instruction, or a run of SWAPs; return the index that it falls through to, or -1."""
        self.states[index] = stack
        size = len(stack)
        self.slots += size
        if self.slots > MOST_SLOTS:
            self.refuse(index, "the stack is too deep for too long")
        instruction = self.instructions[index]
        op, handler = instruction.op, instruction.handler
        if handler is not None and op not in NEVER_RAISES and not (op == "LOAD_FAST" and instruction.arg in self.bound):
            kept = stack[: handler.depth] if handler.target in self.ordinary else self.kept(index, stack)
            if (handler.target, kept) not in self.raised:
                self.raised.add((handler.target, kept))
                if not _whole(kept):
                    self.refuse(index, "a handler that cuts the stack where it can't be cut")
                self.todo.append((handler.target, kept + (None,) * (1 + handler.lasti)))
        if op in _PLAIN and instruction.target < 0:  # by far the most frequent, so without a call
            use = _PLAIN[op]
            pops, pushes = use if use.__class__ is tuple else stack_use(instruction)
            rest = stack[: size - pops] if pops else stack
            if size < pops or pops and _has_pairs(stack[size - pops :]):
                self.refuse(index, f"{op} of what is no plain value")
            return (-1, ()) if op in NO_FALL_THROUGH else (index + 1, rest + (None,) * pushes)
        if op == "JUMP":
            self.todo.append((instruction.target, stack))
            return -1, ()
        if op == "SWAP":
            return self.swaps(index, stack)
        if instruction.target >= 0:
            self.todo.append((instruction.target, self.after(index, stack, jump=True)))
        after = self.after(index, stack)
        return (-1, ()) if op in NO_FALL_THROUGH else (index + 1, after)

    def never_raises(self, instruction: Instruction) -> bool:
        return instruction.op in NEVER_RAISES or instruction.op == "LOAD_FAST" and instruction.arg in self.bound

    def kept(self, index: int, stack: Stack) -> Stack:
        """The stack that the handler of an instruction keeps."""
        instruction = self.instructions[index]
        handler = instruction.handler
        assert handler is not None
        kept = stack[: handler.depth]
        shape = [i.op for i in self.instructions[handler.target : handler.target + 3]]
        if shape[:2] != ["PUSH_EXC_INFO", "WITH_EXCEPT_START"] and shape[:1] != ["COPY"]:
            self.ordinary.add(handler.target)
            return kept
        height = len(stack) - (USES.get(instruction.op) or stack_use(instruction))[0]
        if shape[:2] == ["PUSH_EXC_INFO", "WITH_EXCEPT_START"]:
            end = next((end for end in range(len(kept), 0, -1) if self.is_pair(kept[:end], 0, "exit")), len(kept))
            if end < min(len(kept), height) and not self.never_raises(instruction):
                self.refuse(index, "an exception would leave another value in the place of the exit function")
            return kept[:end]
        if shape == ["COPY", "POP_EXCEPT", "RERAISE"] and len(kept) >= height:
            before = [n for n in range(max(index - 2, 0), index + 1) if self.instructions[n].op != "TO_BOOL"][-2:]
            leaving = next((n for n in before if self.instructions[n].op == "WITH_EXCEPT_START"), None)
            if leaving is not None:
                if not self.miscounted(leaving, handler):
                    self.refuse(index, "a failing exit function would leave another exception being handled")
                self.assumed = NO_FAILING_EXIT
                return kept[: height - 1]
            return kept[:height]
        return kept

    def miscounted(self, index: int, handler: Handler) -> bool:
        """Whether both exception table rows of a with statement have Dynamo's depth, one slot too many.

        ``index`` is that of its WITH_EXCEPT_START, ``handler`` is the handler that the inner row gives it.
        """
        entry = index - 1
        state = self.states[entry]
        if state is None or self.instructions[entry].op != "PUSH_EXC_INFO":
            return False
        rows = {i.handler.depth for i in self.instructions if i.handler is not None and i.handler.target == entry}
        return handler.depth == len(state) + 1 and len(state) - 1 in rows

    def after(self, index: int, stack: Stack, *, jump: bool = False) -> Stack:
        instruction = self.instructions[index]
        op = instruction.op
        if op in ("BEFORE_WITH", "BEFORE_ASYNC_WITH"):
            return (*_with_pair(self.popped(index, stack, 1), "exit"), None)
        if op == "CALL" and len(stack) > 4 and instruction.arg == (3, ()) and self.is_pair(stack, 3, "exit"):
            self.leave_with(index)
            return (*stack[:-5], None)
        if op == "WITH_EXCEPT_START":
            if not self.is_pair(stack, 3, "exit"):
                self.refuse(index, "WITH_EXCEPT_START without the exit function")
            return (*stack, None)
        if op == "POP" and stack and stack[-1] is not None:
            if stack[-1] is not None and stack[-1][2] == 2:
                self.dropped.add(index)
            return stack[:-1]
        if op == "COPY":
            if not 0 < instruction.arg <= len(stack) or not _is_plain(stack[-instruction.arg]):
                self.refuse(index, "a copy of half a pair")
            self.arguments[index] = instruction.arg - _hidden(stack[-instruction.arg :])
            return (*stack, None)
        if op in COUNT_FROM_TOP:
            rest = self.popped(index, stack, COUNT_FROM_TOP[op])
            if not 0 < instruction.arg <= len(rest) or not _is_plain(rest[-instruction.arg]):
                self.refuse(index, f"{op} into half a pair")
            self.arguments[index] = instruction.arg - _hidden(rest[-instruction.arg :])
            return rest
        if self.iterators and op in _OF_ITERATORS:
            found = self.on_iterator(index, stack, jump)
            if found is not None:
                return found
        return self.plain(index, stack, jump)

    def on_iterator(self, index: int, stack: Stack, jump: bool) -> Stack | None:
        instruction = self.instructions[index]
        op = instruction.op
        if op in MAKES_ITERATOR:
            return _with_pair(self.popped(index, stack, 1), "iterator")
        if op == "NULL":
            if index not in self.second_halves:
                return (*stack, ("empty", index, 0))
            self.dropped.add(index)
            return _with_pair(self.popped(index, stack, 1), "iterator")
        if op not in ON_ITERATORS:
            return None
        above = ON_ITERATORS[op]
        if not self.is_pair(stack, above, "iterator"):
            second = stack[len(stack) - above - 1] if len(stack) > above + 1 else None
            if second is not None and second[0] == "empty":
                raise _SecondHalf(second[1])
            self.refuse(index, f"{op} without its iterator")
        if op == "FOR_ITER":
            return (*stack, None)  # an item, or what END_FOR pops when exhausted
        if op == "SEND":
            return stack
        rest = stack[: len(stack) - above - 2]
        if op == "CLEANUP_THROW":
            return (*stack[: len(stack) - above], None)
        return (*rest, None) if op == "END_SEND" else rest

    def plain(self, index: int, stack: Stack, jump: bool) -> Stack:
        instruction = self.instructions[index]
        if instruction.op == "FOR_ITER" and jump:
            pops, pushes = 0, 1  # what END_FOR pops
        else:
            pops, pushes = USES[instruction.op] if instruction.op in USES else stack_use(instruction, jump=jump)
        return self.popped(index, stack, pops) + (None,) * pushes

    def popped(self, index: int, stack: Stack, count: int) -> Stack:
        bottom = len(stack) - count
        if bottom < 0 or _has_pairs(stack[bottom:]):
            self.refuse(index, f"{self.instructions[index].op} of what is no plain value")
        return stack[:bottom]

    def is_pair(self, stack: Stack, above: int, kind: str) -> bool:
        """Whether there is a pair of that kind below ``above`` plain values."""
        top = len(stack) - above
        if top < 2 or _has_pairs(stack[top:]):
            return False
        first, second = stack[top - 2], stack[top - 1]
        if first is None or second is None or first[0] != kind or first[2] != 1:
            return False
        return second == (kind, first[1], 2)

    def leave_with(self, index: int) -> None:
        """Record the call of the exit function: it keeps one slot, so the first None takes the other."""
        if [i.op == "CONST" and i.arg is None for i in self.instructions[index - 3 : index]] != [True] * 3:
            self.refuse(index, "a call of an exit function with other arguments than None")
        self.arguments[index] = (2, ())

    def swaps(self, index: int, stack: Stack) -> tuple[int, Stack]:
        """Rewrite consecutive SWAPs without the hidden slots."""
        moved = list(stack)
        end, handler = index, self.instructions[index].handler
        while end < len(self.instructions) and self.instructions[end].op == "SWAP":
            if end > index and (end in self.targets or self.instructions[end].handler != handler):
                break
            depth = self.instructions[end].arg
            if not 0 < depth <= len(moved):
                self.refuse(end, "SWAP below the stack")
            moved[-1], moved[-depth] = moved[-depth], moved[-1]
            end += 1
        before = [position for position, slot in enumerate(stack) if slot is None or slot[2] != 2]
        numbers = list(range(len(stack)))
        for step in range(index, end):
            depth = self.instructions[step].arg
            numbers[-1], numbers[-depth] = numbers[-depth], numbers[-1]
        after = [number for number in numbers if number in set(before)]
        if not _together(moved):
            self.refuse(index, "a pair is taken apart")
        depths = _as_swaps([before.index(number) for number in after])
        if len(depths) > end - index:
            self.refuse(index, "an exchange of values around a pair")
        for step, depth in zip(range(index, end), depths):
            self.arguments[step] = depth
        self.dropped.update(range(index + len(depths), end))
        return end, _numbered(moved)

    def count_handlers(self) -> None:
        before = counted = None
        for instruction in self.instructions:
            handler = instruction.handler
            if handler is not None:
                if handler is not before:
                    before = counted = handler
                    state = self.states[handler.target]
                    if state is not None:
                        # For instructions that can't raise, Dynamo's tables give the same handler other depths.
                        depth = len(state) - 1 - handler.lasti
                        counted = handler._replace(depth=depth - _hidden(state[:depth]))
                instruction.handler = counted


class _SecondHalf(Exception):
    """The NULL at ``index`` forms a pair with the iterator below it."""

    def __init__(self, index: int) -> None:
        self.index = index


def _is_plain(slot: Slot) -> bool:
    return slot is None or slot[2] == 0


def _has_pairs(slots: Stack) -> bool:
    for slot in slots:  # on every path, so without a call for each
        if slot is not None and slot[2]:
            return True
    return False


def _plain_as_none(slot: Slot) -> Slot:
    return None if _is_plain(slot) else slot


def _without_null_indices(stack: Stack) -> Stack:
    """``stack`` without the indices of its NULLs: an entry may come from several."""
    return tuple(slot and (("empty", -1, 0) if slot[2] == 0 else slot) for slot in stack)


def _with_pair(stack: Stack, kind: str) -> Stack:
    """``stack`` and a new pair."""
    number = -1 - len({slot[1] for slot in stack if slot is not None and slot[2]})
    return (*stack, (kind, number, 1), (kind, number, 2))


def _numbered(stack: list[Slot]) -> Stack:
    """``stack`` with its pairs numbered in order."""
    numbers: dict[tuple[str, int], int] = {}
    found: list[Slot] = []
    for slot in stack:
        if slot is not None and slot[2]:
            slot = (slot[0], numbers.setdefault(slot[:2], -1 - len(numbers)), slot[2])
        found.append(slot)
    return tuple(found)


def _hidden(slots: Stack) -> int:
    return len([slot for slot in slots if slot is not None and slot[2] == 2])


def _whole(slots: Stack) -> bool:
    """Whether every pair is complete and in order."""
    expected: Slot = None
    for slot in map(_plain_as_none, slots):
        if expected is not None:
            if slot != expected:
                return False
            expected = None
        elif slot is not None:
            if slot[2] == 2:
                return False
            expected = (slot[0], slot[1], 2)
    return expected is None


def _together(slots: list[Slot]) -> bool:
    """Whether both halves of every pair are adjacent, in either order."""
    position = 0
    while position < len(slots):
        slot = slots[position]
        position += 1
        if slot is not None and slot[2]:
            other = (slot[0], slot[1], 3 - slot[2])
            if position == len(slots) or slots[position] != other:
                return False
            position += 1
    return True


def _as_swaps(order: list[int]) -> list[int]:
    """The operands of SWAPs that permute ``0, 1, ...`` into ``order``."""
    now = list(range(len(order)))
    depths: list[int] = []

    def swap(depth: int) -> None:
        depths.append(depth)
        now[-1], now[-depth] = now[-depth], now[-1]

    size = len(order)
    while now != order:
        if now[-1] != order[-1]:
            swap(size - order.index(now[-1]))
        else:
            swap(size - next(position for position in range(size) if now[position] != order[position]))
    return depths
