"""Random canonical instructions that no compiler makes, in a function that can be run by the canonical machine.

Jumps go anywhere where the stack fits: into loops, into ``try`` bodies at any place, out of handlers and back into
what they handle. Values and iterators stand on the stack across all of that.
"""

from __future__ import annotations

import random
from typing import Any, Dict, List, Optional, Tuple

from depyf.decompiler.bytecode import Handler, Instruction, RawCode, load

FUNCTION = "def f(a, b):\n    x = y = z = a\n    return x, y, z"
GENERATOR = FUNCTION + "\n    yield"
NAMES = ("a", "b", "x", "y", "z")
CALLED = ("f0", "f1", "f2", "f3")


class Level:
    """Where blocks stand: in the function, a ``try`` body or a handler. ``base``: kinds of the stack below."""

    def __init__(self, kind: str, outer: Optional[Level], base: Tuple[str, ...]) -> None:
        self.kind, self.outer, self.base = kind, outer, base
        self.lasti = False
        self.body: Optional[Level] = None  # of a handler, what it handles
        self.handler: Any = None  # label of the handler's entry, for a body
        self.blocks: List[Block] = []

    def bodies(self) -> List[Level]:
        """The levels from here up to the nearest handler or the function, that handler or function included."""
        found = [self]
        while found[-1].kind == "try":
            assert found[-1].outer is not None
            found.append(found[-1].outer)
        return found


class Block:
    """A place to jump to. ``stack``: kinds of what stands there: "value", "iterator", "below"."""

    def __init__(self, level: Level, stack: Tuple[str, ...]) -> None:
        self.level, self.stack = level, stack


class Generator:
    """Makes one list of instructions."""

    def __init__(self, dice: random.Random, yields: bool) -> None:
        self.dice, self.yields = dice, yields
        self.code: List[Instruction] = []
        self.places: Dict[Any, int] = {}
        self.levels = [Level("function", None, ())]
        for _ in range(dice.choice((0, 0, 1, 1, 2))):
            outer = dice.choice(self.levels)
            base = outer.base + ("value",) * dice.choice((0, 0, 1))
            body = Level("try", outer, base)
            body.lasti = dice.random() < 0.5
            handler = Level("handler", outer, base + ("below",) * (1 + body.lasti))
            handler.body, handler.lasti = body, body.lasti
            body.handler = handler
            self.levels += [body, handler]
        for level in self.levels:
            for _ in range(dice.randrange(1, 5)):
                more = tuple(dice.choice(("value", "value", "iterator")) for _ in range(dice.choice((0, 0, 1, 1, 2))))
                level.blocks.append(Block(level, level.base + more))

    def add(self, op: str, arg: Any = None, target: Any = None) -> None:
        self.code.append(Instruction(op, arg, -1 if target is None else target, None))
        if self.level is not None:
            self.ranges.append(self.level)

    def run(self) -> List[Instruction]:
        self.ranges: List[Level] = []
        self.level = self.levels[0]
        self.go(self.levels[0].blocks[0], ())
        for level in self.levels:
            self.level = level
            if level.kind == "handler":
                self.places[level] = len(self.code)
                self.handler_entry(level)
            for block in level.blocks:
                self.places[block] = len(self.code)
                self.block(block)
            if level.kind == "handler":
                self.places["end", level] = len(self.code)
                assert level.outer is not None
                self.level = level.outer
                for op, arg in (("COPY", 3 if level.lasti else 2), ("POP_EXCEPT", None), ("RERAISE", 0)):
                    self.add(op, arg)
        result = []
        for ins, level in zip(self.code, self.ranges):
            target = ins.target if isinstance(ins.target, int) else self.places[ins.target]
            result.append(Instruction(ins.op, ins.arg, target, self.handler(level), len(result) * 2, 1 + len(result)))
        return result

    def handler(self, level: Level) -> Optional[Handler]:
        if level.kind == "function":
            return None
        if level.kind == "try":
            return Handler(self.places[level.handler], len(level.base), level.lasti)
        return Handler(self.places["end", level], len(level.base), level.lasti)

    # Instructions

    def value(self, stack: List[str]) -> None:
        """Push a value that was there."""
        places = [place for place, kind in enumerate(stack) if kind == "value"]
        if places and self.dice.random() < 0.5:
            self.add("COPY", len(stack) - self.dice.choice(places))
        else:
            self.add("LOAD_FAST", self.dice.choice(NAMES))
        stack.append("value")

    def call(self, stack: List[str]) -> None:
        """An event: pushes its result."""
        self.add("LOAD_GLOBAL", self.dice.choice(CALLED))
        self.add("NULL")
        stack += ["below", "below"]
        self.value(stack)
        self.add("CALL", (1, ()))
        del stack[-2:]
        stack[-1] = "value"

    def handler_entry(self, level: Level) -> None:
        self.add("PUSH_EXC_INFO")
        stack = [*level.base, "value"]
        if self.dice.random() < 0.3:
            self.add("LOAD_GLOBAL", self.dice.choice(("E0", "E1")))
            self.add("CHECK_EXC_MATCH")
            self.add("POP_JUMP_IF_FALSE", None, ("again", level))
            stack = [*level.base, "value"]
            self.leave_or_go(level, stack)
            self.places["again", level] = len(self.code)
            self.add("RERAISE", 0)
        elif self.dice.random() < 0.3:
            self.add("RERAISE", 0)
        else:
            self.leave_or_go(level, stack)

    def leave_or_go(self, level: Level, stack: List[str]) -> None:
        if self.dice.random() < 0.3:
            self.add("STORE_FAST", self.dice.choice(NAMES))
            stack.pop()
        if self.dice.random() < 0.5:
            self.leave(level, stack)
        else:
            self.go(self.dice.choice(level.blocks), tuple(stack))

    def leave(self, level: Level, stack: List[str]) -> None:
        """Leave the handler for a block around it, or one that it handles."""
        assert level.outer is not None
        kept = stack[-1] if len(stack) == len(level.base) + 1 and self.dice.random() < 0.3 else ""
        while len(stack) > len(level.base) + bool(kept):
            self.add("POP")
            stack.pop()
        for op, arg in ((("SWAP", 2),) if kept else ()) + (("POP_EXCEPT", None),):
            self.add(op, arg)
        self.level = level.outer
        if level.lasti and kept:
            self.add("SWAP", 2)
        if level.lasti:
            self.add("POP")
        del stack[len(level.base) - 1 - level.lasti :]
        self.go(self.dice.choice(self.targets(level.outer)), (*stack, kept) if kept else tuple(stack))
        self.level = level

    def targets(self, level: Level) -> List[Block]:
        """Blocks that a jump from ``level`` may go to."""
        around = level.bodies()
        found = [block for one in around for block in one.blocks]
        for other in self.levels:
            if other.kind == "try" and other not in around and set(other.bodies()) & set(around[-1:]):
                found += other.blocks
        return found

    def go(self, block: Block, stack: Tuple[str, ...]) -> None:
        """Jump there, once the stack fits."""
        kinds = list(stack)
        level = self.level
        common = 0
        while common < min(len(kinds), len(block.stack)) and kinds[common] == block.stack[common]:
            common += 1
        if block.level is not level:
            self.level = level.bodies()[-1]  # nothing here can raise but reading variables, which are bound
        while len(kinds) > common:
            self.add("POP")
            kinds.pop()
        for kind in block.stack[common:]:
            assert kind != "below"
            self.add("LOAD_FAST", self.dice.choice(NAMES))
            if kind == "iterator":
                self.add("GET_ITER")
            kinds.append(kind)
        self.add("JUMP", None, block)
        self.level = level

    def block(self, block: Block) -> None:
        dice = self.dice
        stack = list(block.stack)
        self.call(stack)
        for _ in range(dice.choice((0, 1, 1, 2, 3))):
            kind = dice.randrange(6)
            own = len(stack) - len(block.level.base)
            if kind == 0 and own and stack[-1] == "value":
                self.add("STORE_FAST", dice.choice(NAMES))
                stack.pop()
            elif kind == 1:
                self.call(stack)
            elif kind == 2 and own > 1:
                place = dice.randrange(2, own + 1)
                self.add("SWAP", place)
                stack[-1], stack[-place] = stack[-place], stack[-1]
            elif kind == 3 and own > 1 and stack[-2:] == ["value", "value"]:
                self.add("BINARY_OP", dice.choice(("+", "-", "+=")))
                stack.pop()
            elif kind == 4:
                self.value(stack)
            elif kind == 5 and self.yields:
                self.value(stack)
                self.add("YIELD_VALUE")
        self.end(block, stack)

    def end(self, block: Block, stack: List[str]) -> None:
        dice = self.dice
        level = block.level
        if level.kind == "handler" and dice.random() < 0.4:
            self.leave(level, stack)
            return
        targets = self.targets(level)
        way = dice.random()
        if way < 0.12 and not any(one.kind == "handler" for one in self.around(level)):
            self.value(stack)
            self.add("RETURN_VALUE")
        elif way < 0.16:
            self.value(stack)
            self.add("RAISE_VARARGS", 1)
        elif way < 0.3 and stack and stack[-1] == "iterator" and len(stack) > len(level.base):
            label = ("exhausted", block)
            self.add("FOR_ITER", None, label)
            self.go(dice.choice(targets), (*stack, "value"))
            self.places[label] = len(self.code)
            self.go(dice.choice(targets), tuple(stack[:-1]))
        elif way < 0.85:
            label = ("jumped", block)
            if dice.random() < 0.8:
                self.value(stack)
                stack.pop()
                jumps = ("POP_JUMP_IF_FALSE", "POP_JUMP_IF_TRUE", "POP_JUMP_IF_NONE", "POP_JUMP_IF_NOT_NONE")
                self.add(dice.choice(jumps), None, label)
                self.go(dice.choice(targets), tuple(stack))
                self.places[label] = len(self.code)
                self.go(dice.choice(targets), tuple(stack))
            else:
                self.value(stack)
                self.add(dice.choice(("JUMP_IF_TRUE_OR_POP", "JUMP_IF_FALSE_OR_POP")), None, label)
                self.go(dice.choice(targets), tuple(stack[:-1]))
                self.places[label] = len(self.code)
                self.go(dice.choice(targets), tuple(stack))
        else:
            self.go(dice.choice(targets), tuple(stack))

    @staticmethod
    def around(level: Optional[Level]) -> List[Level]:
        found = []
        while level is not None:
            found.append(level)
            level = level.outer
        return found


def random_graph(seed: int) -> Tuple[RawCode, List[Instruction]]:
    """A function and the instructions to take the place of its own."""
    dice = random.Random(seed)
    yields = dice.random() < 0.2
    code = compile(GENERATOR if yields else FUNCTION, "<graph>", "exec").co_consts[0]
    instructions = Generator(dice, yields).run()
    start = []
    for name in "xyz":
        start += [Instruction("LOAD_FAST", "a", line=1), Instruction("STORE_FAST", name, line=1)]
    return load(code), start + [moved(ins, len(start)) for ins in instructions]


def moved(ins: Instruction, by: int) -> Instruction:
    """The instruction, ``by`` places further on."""
    target = ins.target + by if ins.target >= 0 else -1
    handler = ins.handler._replace(target=ins.handler.target + by) if ins.handler else None
    return Instruction(ins.op, ins.arg, target, handler, ins.offset, ins.line)
