"""Reads one ``case`` of a match statement by simulating its code, with patterns as the values on the stack.

The compiler turns a pattern into tests that take the subject apart, each with an exit that pops the remaining values.
While all tests succeed, every value on the stack is a part of the subject, and the tests of it are its pattern. Their
order is irrelevant here: the proof checks that the source compiles to this very code.
"""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

from ...bytecode import Instruction
from ...limits.budget import spend
from ...syntax import nodes
from ..control_flow_graph import BasicBlock
from .exits import FailureExit, Position, is_copied, is_same_exit, landing, past_nops
from .parts import NoCase, PatternPart

_NAMES = ("LOAD_FAST", "LOAD_NAME", "LOAD_GLOBAL", "LOAD_DEREF", "LOAD_CLASSDEREF")
_STORES = ("STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF")
_MAX_STEPS = 10_000


class _Joined:
    """The same stack entry in all alternatives: parts with a common name."""

    def __init__(self, parts: list[Any]) -> None:
        self.parts = parts


class _Inside(NamedTuple):
    """The attributes or values of a part, in a tuple that is unpacked or indexed."""

    part: PatternPart


class _Test(NamedTuple):
    apply: Callable[[], None]


class _Length(NamedTuple):
    part: PatternPart


class _FromEnd(NamedTuple):
    back: int


class _Rest(NamedTuple):
    part: PatternPart


class _Key(NamedTuple):
    number: int


class _Empty(NamedTuple):
    pass


class _ChoicePoint(NamedTuple):
    """The state before a COPY, where alternatives may begin."""

    stack: list[Any]
    exits: int


class PatternReader:
    """Executes the code of one case symbolically.

    Attributes:
        subject: the whole value, below the copy that is taken apart, if there is one.
        stack: the subject and the values above it.
        exits: the exits of all tests.
        line: the line of the pattern.
    """

    def __init__(self, start: Position) -> None:
        self.subject = PatternPart()
        self.stack: list[Any] = [self.subject]
        self.exits: list[FailureExit] = []
        self.handler = start.block.handler
        self.start = start
        self.line: int | None = None
        self.last_line: int | None = None
        self.choices: list[_ChoicePoint] = []
        self.steps = 0

    def read(self) -> Position:
        """Return the end of the pattern, where only the subject is on the stack, or nothing. Raises NoCase."""
        return self.run(self.start, None)

    def note_lines(self, part: Instruction) -> None:
        """Note the lines that the first part of the pattern spans; without columns, the last part tells the end."""
        if part.position is None or self.line is None:
            self.last_line = part.position[1] if part.position is not None else part.line
        self.line = part.line if self.line is None else self.line

    def run(self, position: Position, stop: BasicBlock | Position | None) -> Position:
        """Execute from ``position`` to the end of the pattern, or of an alternative: to ``stop`` or a copy of it."""
        block, index = position
        while True:
            self.steps += 1
            spend(1, "reading match statements")
            if self.steps > _MAX_STEPS:
                raise NoCase("a pattern that does not end")
            if index == len(block.instructions):
                if block.fall is None:
                    raise NoCase("control runs out of the pattern")
                block, index = block.fall, 0
                if block is stop:
                    return Position(block, 0)
                continue
            instruction = block.instructions[index]
            if stop is None and self.is_over(instruction):
                return Position(block, index)
            if block.handler != self.handler:
                raise NoCase("a pattern with two handlers")
            self.note_lines(instruction)
            if instruction.op == "JUMP":
                assert block.target is not None
                if block.target is stop:
                    return Position(stop, 0)
                if stop is None and self.is_over_at(block.target):
                    return Position(block.target, 0)
                if not self.choose(block.target):
                    raise NoCase("a jump in a pattern")
                block, index = block.target, 0
                continue
            if instruction.op == "POP":
                end = Position(block, index)
                if isinstance(stop, Position) and is_same_exit(end, stop):
                    return end
                self.choose(end)
            if block.target is not None and index == len(block.instructions) - 1:
                self.test(instruction, Position(block.target, 0))
                if block.target is block.fall is not stop and not (stop is None and self.is_over_at(block.target)):
                    self.choose(block.target)  # `_`, of which nothing is left, is the other alternative
            else:
                self.step(instruction)
            index += 1

    def is_over(self, instruction: Instruction) -> bool:
        if not self.stack:
            return True
        if self.stack != [self.subject] or instruction.op in (*_STORES, "JUMP"):
            return False
        return bool(self.subject.copies) and not self.subject.is_tested

    def is_over_at(self, start: BasicBlock) -> bool:
        """Whether the pattern is over where ``start`` begins with the next case: its guard is a false constant."""
        block, index = past_nops(Position(start, 0))
        op = block.instructions[index].op if index < len(block.instructions) else "POP"
        if op in _STORES:  # `_` can't be an alternative of a pattern with names
            return self.stack == [self.subject] and bool(self.subject.copies) and self.subject.copies[-1].binds
        return op != "POP" and self.is_over(block.instructions[index])

    # Tests

    def test(self, instruction: Instruction, target: Position) -> None:
        tested = self.pop()
        if instruction.op == "POP_JUMP_IF_FALSE" and isinstance(tested, _Test):
            tested.apply()
        elif instruction.op == "POP_JUMP_IF_NONE" and isinstance(tested, _Inside):
            pass
        elif instruction.op == "POP_JUMP_IF_NOT_NONE" and isinstance(tested, PatternPart):
            tested.singleton = (None,)
        else:
            raise NoCase(f"{instruction.op} in a pattern")
        self.exits.append(FailureExit(target, len(self.stack)))

    def choose(self, end: BasicBlock | Position) -> bool:
        """Execute the other alternatives after the first one has matched. Return whether there are any.

        They too end with a jump to ``end``, or with a copy of the code there.
        """
        for number in reversed(range(len(self.choices))):
            choice = self.choices[number]
            base = len(choice.stack)
            inside = self.exits[choice.exits :]
            if self.stack[:base] != choice.stack or not inside or not isinstance(choice.stack[-1], PatternPart):
                continue
            if isinstance(end, Position) and (len(self.stack) > base or choice.stack == [self.subject]):
                continue
            following = landing(inside[0], base)
            if following is not None and (_is_copy(following) or _is_end(following, end)):
                break
        else:
            return False
        value: PatternPart = choice.stack[-1]
        value.alternatives = [value.copies.pop()]
        captured = [[one] for one in self.stack[base:]]
        exits, around = self.exits[: choice.exits], self.choices[:number]
        while True:
            if any(landing(one, base) != following for one in inside):
                raise NoCase("an alternative with two exits")
            if _is_end(following, end):  # only the last alternative, `_`, does nothing
                value.alternatives.append(PatternPart())
                inside = []
                break
            if not _is_copy(following):
                break
            self.stack, self.exits, self.choices = list(choice.stack), [], []
            self.run(following, end)
            if self.stack[:base] != choice.stack or len(self.stack) != base + len(captured):
                raise NoCase("alternatives that leave different stacks")
            value.alternatives.append(value.copies.pop())
            for parts, one in zip(captured, self.stack[base:]):
                parts.append(one)
            inside = self.exits
            if not inside:
                break  # it is irrefutable, so it is the last one
            following = landing(inside[0], base) or following
        self.stack = [*choice.stack, *(_Joined(parts) for parts in captured)]
        self.exits = [*exits, FailureExit(following, base)] if inside else exits
        self.choices = around  # these may be alternatives within alternatives
        return True

    # Instructions

    def pop(self) -> Any:
        if not self.stack:
            raise NoCase("the stack is empty")
        return self.stack.pop()

    def part(self) -> PatternPart:
        value = self.pop()
        if not isinstance(value, PatternPart):
            raise NoCase("a test of something else than a part of the subject")
        return value

    def expression(self) -> nodes.Expression:
        value = self.pop()
        if not isinstance(value, nodes.Expression):
            raise NoCase("a part of the subject in a value")
        return value

    def step(self, instruction: Instruction) -> None:
        op, arg = instruction.op, instruction.arg
        if op in _NAMES:
            self.stack.append(nodes.Name(arg))
        elif op in _STORES:
            self.store(self.pop(), arg)
        else:
            handle = getattr(self, "op_" + op, None)
            if handle is None:
                raise NoCase(f"{op} in a pattern")
            handle(arg)

    def store(self, value: Any, name: str) -> None:
        for part in value.parts if isinstance(value, _Joined) else [value]:
            if isinstance(part, (PatternPart, _Joined)):
                self.store(part, name) if isinstance(part, _Joined) else part.names.append(name)
            elif isinstance(part, _Rest):
                part.part.rest = name
            else:
                raise NoCase("a store of something else than a part of the subject")

    def op_NOP(self, arg: Any) -> None:
        pass

    def op_POP(self, arg: Any) -> None:
        self.pop()

    def op_CONST(self, arg: Any) -> None:
        self.stack.append(nodes.Constant(arg))

    def op_LOAD_ATTR(self, arg: Any) -> None:
        self.stack.append(nodes.Attribute(self.expression(), arg))

    def op_COPY(self, arg: Any) -> None:
        if arg > len(self.stack):
            raise NoCase("the stack is too short")
        value = self.stack[-arg]
        if isinstance(value, PatternPart):
            if arg != 1:
                raise NoCase("a copy from below")
            self.choices.append(_ChoicePoint(list(self.stack), len(self.exits)))
            value.copies.append(PatternPart())
            value = value.copies[-1]
        self.stack.append(value)

    def op_SWAP(self, arg: Any) -> None:
        if arg > len(self.stack):
            raise NoCase("the stack is too short")
        self.stack[-1], self.stack[-arg] = self.stack[-arg], self.stack[-1]

    def op_COMPARE_OP(self, arg: Any) -> None:
        right, left = self.expression(), self.pop()
        if isinstance(left, PatternPart) and arg == "==":
            self.stack.append(_Test(lambda: setattr(left, "value", right)))
        elif isinstance(left, _Length) and isinstance(right, nodes.Constant) and arg in ("==", ">="):
            size = (str(arg), right.value)
            self.stack.append(_Test(lambda: setattr(left.part, "size", size)))
        else:
            raise NoCase("another comparison")

    def op_IS_OP(self, arg: Any) -> None:
        right, left = self.expression(), self.part()
        if arg != "is" or not isinstance(right, nodes.Constant):
            raise NoCase("another comparison")
        singleton = (right.value,)
        self.stack.append(_Test(lambda: setattr(left, "singleton", singleton)))

    def op_GET_LEN(self, arg: Any) -> None:
        if not self.stack or not isinstance(self.stack[-1], PatternPart):
            raise NoCase("the length of something else than a part of the subject")
        self.stack.append(_Length(self.stack[-1]))

    def op_BINARY_OP(self, arg: Any) -> None:
        right, left = self.expression(), self.pop()
        count = right.value if isinstance(right, nodes.Constant) else None
        if not isinstance(left, _Length) or not isinstance(count, int) or arg != "-":
            raise NoCase("another operator")
        self.stack.append(_FromEnd(count))

    def op_BINARY_SUBSCR(self, arg: Any) -> None:
        index, value = self.pop(), self.pop()
        number: Any = -index.back if isinstance(index, _FromEnd) else getattr(index, "value", None)
        if type(number) is not int:
            raise NoCase("an index that is no number")
        if isinstance(value, _Inside):
            while len(value.part.items) <= number:
                value.part.items.append(PatternPart())
            self.stack.append(value.part.items[number])
            return
        owner = self.stack[-1] if self.stack else None
        if not isinstance(value, PatternPart) or not isinstance(owner, PatternPart) or value not in owner.copies:
            raise NoCase("an item of something else than a part of the subject")
        owner.copies.remove(value)
        self.stack.append(owner.taken.setdefault(number, PatternPart()))

    def op_MATCH_SEQUENCE(self, arg: Any) -> None:
        part = self.top()
        self.stack.append(_Test(lambda: setattr(part, "is_sequence", True)))

    def op_MATCH_MAPPING(self, arg: Any) -> None:
        part = self.top()
        self.stack.append(_Test(lambda: setattr(part, "is_mapping", True)))

    def top(self) -> PatternPart:
        part = self.part()
        self.stack.append(part)
        return part

    def op_MATCH_CLASS(self, arg: Any) -> None:
        names, cls, part = self.expression(), self.expression(), self.part()
        if not isinstance(names, nodes.Constant) or not isinstance(names.value, tuple):
            raise NoCase("names of attributes that are no constant")
        part.cls, part.attributes = cls, list(names.value)
        part.items = [PatternPart() for _ in range(arg + len(part.attributes))]
        self.stack.append(_Inside(part))

    def op_MATCH_CLASS_AND_TEST(self, arg: Any) -> None:
        self.op_MATCH_CLASS(arg)
        self.stack.append(_Test(lambda: None))

    def op_MATCH_KEYS(self, arg: Any) -> None:
        keys = self.expression()
        part = self.top()
        self.stack.append(keys)
        if isinstance(keys, nodes.Constant) and isinstance(keys.value, tuple):
            part.keys = [nodes.Constant(key) for key in keys.value]
        elif isinstance(keys, nodes.Tuple):
            part.keys = list(keys.elts)
        else:
            raise NoCase("keys that are no tuple")
        part.items = [PatternPart() for _ in part.keys]
        self.stack.append(_Inside(part))

    def op_MATCH_KEYS_AND_TEST(self, arg: Any) -> None:
        self.op_MATCH_KEYS(arg)
        self.stack.append(_Test(lambda: None))

    def op_BUILD_TUPLE(self, arg: Any) -> None:
        self.stack.append(nodes.Tuple([self.expression() for _ in range(arg)][::-1]))

    def op_UNPACK_SEQUENCE(self, arg: Any) -> None:
        value = self.pop()
        if isinstance(value, PatternPart):
            if not value.is_sequence:
                raise NoCase("something else than a sequence is unpacked")
            value.items = [PatternPart() for _ in range(arg)]
            self.stack += value.items[::-1]
        elif isinstance(value, _Inside) and len(value.part.items) == arg:
            self.stack += value.part.items[::-1]
        elif isinstance(value, (nodes.Constant, nodes.Tuple)):
            self.stack += [_Key(index) for index in range(arg)][::-1]
        else:
            raise NoCase("something else than a sequence is unpacked")

    def op_UNPACK_EX(self, arg: Any) -> None:
        part, (before, after) = self.part(), arg
        part.items, part.star = [PatternPart() for _ in range(before + 1 + after)], before
        self.stack += part.items[::-1]

    # The rest of a mapping: a copy of it, from which the keys are deleted

    def op_BUILD_MAP(self, arg: Any) -> None:
        if arg:
            raise NoCase("a dictionary in a pattern")
        self.stack.append(_Empty())

    def op_DICT_UPDATE(self, arg: Any) -> None:
        part = self.part()
        if arg > len(self.stack) or not isinstance(self.stack[-arg], _Empty):
            raise NoCase("a dictionary in a pattern")
        self.stack[-arg] = _Rest(part)

    def op_DELETE_SUBSCR(self, arg: Any) -> None:
        key, rest = self.pop(), self.pop()
        if not isinstance(rest, _Rest) or not isinstance(key, _Key):
            raise NoCase("an item is deleted in a pattern")

    def op_COPY_DICT_WITHOUT_KEYS(self, arg: Any) -> None:
        self.expression()
        self.stack.append(_Rest(self.top()))


def _is_end(position: Position, end: BasicBlock | Position) -> bool:
    """Whether ``position`` is ``end``, or a copy of it."""
    return is_copied(position, end) if isinstance(end, Position) else position == Position(end, 0)


def _is_copy(position: Position) -> bool:
    instruction = position.block.instructions[position.offset]
    return instruction.op == "COPY" and instruction.arg == 1
