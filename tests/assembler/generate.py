"""Random programs: valid control flow of any shape, made from a seed.

Blocks are made one after the other, each from the state that it begins in. Where control goes on is chosen among new
blocks and all that are there, so loops have many entries and branches end anywhere; on the way to a block that expects
another stack or other handlers, what is too much is taken away and what is missing is made. Every block does something
that stand-ins log, so no loop runs without end in silence.
"""

from __future__ import annotations

import random
import types
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple, Union

from assembler.flow import Block, Invalid, State, after, caught
from assembler.notation import Label, Op, Program, Thing
from assembler.spellings import SPELLING, width

PARAMETERS = ("a", "b", "items")
ITERATORS = ("items",)
"""Parameters that are iterators."""
EXCEPTIONS = ("E0", "E1")
"""Globals that are classes of exceptions."""
GLOBALS = ("f", "g", "h", "x", "y")
ATTRIBUTES = ("p", "q", "r")
LOCALS = ("u", "v", "w")
CELLS = ("c",)
FREE = ("d",)
CONSTANTS: Tuple[Any, ...] = (None, True, False, 0, 1, 7, "text", (1, "two"), Thing, int, 2.5, b"bytes")
CLASSES: Tuple[Any, ...] = (Thing, int, object)
"""Constants that are classes."""
OF_PATTERNS = ("MATCH_SEQUENCE", "MATCH_MAPPING", "GET_LEN", "MATCH_CLASS", "MATCHES_CLASS", "MATCH_KEYS")
BINARY = ("+", "-", "*", "&", "|", "^", "@", "/", "+=", "-=", "&=", "//=")
DEEPEST_STACK, DEEPEST_BLOCKS = 8, 3
MOST_LABELS, MOST_LABELS_OF_LARGE = 28, 90


def _inner(name: str) -> types.CodeType:
    namespace: Dict[str, Any] = {}
    inner = f"def inner(z):\n  nonlocal {name}\n  {name} = {name}(z)\n  return {name}"
    exec(compile(f"def outer({name}):\n {inner}\n return inner", "<inner>", "exec", dont_inherit=True), namespace)
    code: Any = next(c for c in namespace["outer"].__code__.co_consts if isinstance(c, types.CodeType))
    named = {"co_qualname": "function.<locals>.inner"} if hasattr(code, "co_qualname") else {}
    made: types.CodeType = code.replace(**named)
    return made


INNER = {name: _inner(name) for name in (*CELLS, *FREE)}
"""Code of functions that read and write one variable of the function around."""


class Draft:
    """A block that is being made."""

    def __init__(self, label: str, state: State, handler: bool) -> None:
        self.label, self.entry, self.state, self.handler = label, state, state, handler
        self.ops: List[Op] = []

    def add(self, op: str, arg: Any = None, target: str = "") -> None:
        made = Op(op, arg, target)
        self.state = after(self.state, made)
        self.ops.append(made)

    @property
    def stack(self) -> Tuple[str, ...]:
        return self.state.stack

    def free(self) -> int:
        """How many entries may be taken."""
        return len(self.stack) - self.state.floor


class Habits(NamedTuple):
    """What a program likes: probabilities, different for each program."""

    new: float
    tries: float
    withs: float
    leave_values: float
    generator: bool
    shuffled: bool
    fors: float


def generate(seed: int, blocks: Optional[int] = None, patterns: float = 0) -> Program:
    """The program of that seed; ``blocks`` is about how many blocks it has, without those that only adapt.

    ``patterns``: how often a value that is there for the taking goes to an operation of patterns (3.10 on).
    """
    return _Generator(random.Random(seed), blocks, patterns).run()


class _Generator:
    def __init__(self, dice: random.Random, blocks: Optional[int], patterns: float) -> None:
        self.dice = dice
        self.patterns = patterns
        large = dice.random() < 0.02
        self.left = blocks or dice.randint(3, 20) + (dice.randint(10, 25) if large else 0)
        self.most_labels = MOST_LABELS_OF_LARGE if large else MOST_LABELS
        self.habits = Habits(
            dice.choice((0.3, 0.5, 0.7)), dice.choice((0, 0.1, 0.25, 0.5)), dice.choice((0, 0.1, 0.3)),
            dice.choice((0.2, 0.4, 0.7)), dice.random() < 0.3, dice.random() < 0.4, dice.choice((0, 0.1, 0.25)),
        )  # fmt: skip
        self.drafts: Dict[str, Draft] = {}
        self.todo: List[Draft] = []
        self.variables = [n for n in (*PARAMETERS[:2], *LOCALS) if dice.random() < 0.8] or ["a"]
        self.cells = [n for n in CELLS if dice.random() < 0.4]
        self.free = [n for n in FREE if dice.random() < 0.3]

    def chance(self, probability: float) -> bool:
        return self.dice.random() < probability

    def run(self) -> Program:
        self.new_block(State())
        done = 0
        while self.todo:
            draft = self.todo.pop(self.dice.randrange(len(self.todo)))
            done += 1
            self.make(draft)
        first, *rest = self.drafts.values()
        if self.habits.shuffled:
            self.dice.shuffle(rest)
        rest.sort(key=lambda draft: draft.handler)  # 3.8 to 3.10 lead only forward to a handler
        items: List[Union[Op, Label]] = []
        for draft in (first, *rest):
            items += [Label(draft.label), *draft.ops]
        locals_ = tuple(LOCALS)
        return Program(tuple(items), PARAMETERS, locals_, tuple(self.cells), tuple(self.free), self.habits.generator)

    def new_block(self, state: State, handler: bool = False) -> str:
        label = f"L{len(self.drafts)}"
        draft = Draft(label, state, handler)
        self.drafts[label] = draft
        self.todo.append(draft)
        return label

    # One block

    def bind_variables(self, draft: Draft) -> None:
        """Most variables have a value from the beginning, so that not every program ends where one is read."""
        for op, name in [("STORE_FAST", name) for name in LOCALS] + [("STORE_DEREF", name) for name in self.cells]:
            if self.chance(0.75):
                draft.add("LOAD_GLOBAL", self.dice.choice(GLOBALS))
                draft.add(op, name)

    def make(self, draft: Draft) -> None:
        if draft.label == "L0":
            self.bind_variables(draft)
        if draft.handler:
            self.begin_handler(draft)
            if draft.ops and draft.ops[-1].op in ("RERAISE", "JUMP"):
                return
        elif self.may_nest(draft) and self.chance(self.habits.tries):
            self.begin_try(draft)
        self.body(draft)
        self.finish(draft)

    def may_nest(self, draft: Draft) -> bool:
        return len(draft.state.blocks) < DEEPEST_BLOCKS and len(self.drafts) < self.most_labels

    def body(self, draft: Draft) -> None:
        draft.add("LOAD_GLOBAL", self.dice.choice(GLOBALS))  # the event that every block has
        if not self.chance(self.habits.leave_values):
            self.use_value(draft)
        for _ in range(self.dice.randrange(4)):
            self.something(draft)

    def something(self, draft: Draft) -> None:
        """A few operations that keep the stack as it is, push something, or use something."""
        stack, free = draft.stack, draft.free()
        ready = self.ready_call(draft)
        if ready is not None and self.chance(0.4):
            self.call(draft, ready)
        elif ready == 1 and stack[-2] == "c" and self.chance(0.2):
            draft.add("CALL_EX", 0)
        elif len(stack) >= DEEPEST_STACK:
            if free and stack[-1] != "p":
                self.drop(draft.state, draft.add)
        elif free and stack[-1] == "v" and self.chance(0.5):
            self.use_value(draft)
        else:
            self.push(draft)

    def ready_call(self, draft: Draft) -> Optional[int]:
        """How many values stand above something callable on top of the stack."""
        for count in range(draft.free()):
            kind = draft.stack[-count - 1]
            if kind in ("c", "m"):
                return count
            if kind != "v":
                return None
        return None

    def call(self, draft: Draft, count: int) -> None:
        method = draft.stack[-count - 1] == "m"
        if count and not method and self.chance(0.15):
            draft.add("CALL", (count, tuple(("k", "l", "m", "n", "o", "s", "t", "z")[: self.dice.randint(1, count)])))
        else:
            draft.add("CALL", count)

    def push(self, draft: Draft) -> None:
        dice = self.dice
        way = dice.randrange(12)
        if way < 3:
            draft.add("LOAD_FAST", self.variable())
        elif way < 5:
            draft.add("LOAD_GLOBAL", dice.choice(GLOBALS))
        elif way == 5:
            draft.add("CONST", dice.choice(CONSTANTS))
        elif way == 6 and (self.cells or self.free):
            name = dice.choice([*self.cells, *self.free])
            draft.add(*(("LOAD_DEREF", name) if self.chance(0.7) else ("MAKE_FUNCTION", (INNER[name], (name,)))))
        elif way == 7:
            draft.add("LOAD_GLOBAL_CALLABLE", dice.choice(GLOBALS))
        elif way == 8:
            if self.chance(0.5):
                draft.add("NULL")
            draft.add("LOAD_FAST", self.variable())
            draft.add("CALLABLE")
        elif way == 9:
            draft.add("LOAD_GLOBAL", dice.choice(GLOBALS))
            draft.add("LOAD_METHOD", dice.choice(ATTRIBUTES))
        elif way == 10:
            self.iterator(draft)
        elif self.chance(0.5):
            cells = [("DELETE_DEREF", name) for name in (*self.cells, *self.free)]
            draft.add(*dice.choice([("DELETE_FAST", name) for name in LOCALS] + cells))
        else:
            self.copy(draft)

    def variable(self) -> str:
        """A local to read: most often a parameter, which nearly always has a value."""
        return self.dice.choice(PARAMETERS[:2] if self.chance(0.6) else self.variables)

    def iterator(self, draft: Draft) -> None:
        if self.chance(0.4):
            draft.add("LOAD_FAST", self.dice.choice(ITERATORS))
            draft.add("GET_ITER")
        else:
            draft.add("LOAD_GLOBAL", self.dice.choice(GLOBALS))
            draft.add("GET_ITER")

    def copy(self, draft: Draft) -> None:
        stack = draft.stack
        places = [n for n in range(1, min(len(stack), 4) + 1) if stack[-n] == "v"]
        if not places:
            return
        place = self.dice.choice(places)
        name = "COPY" if place == 1 or self.chance(0.5) or stack[-1] != "v" else "SWAP"
        if name in SPELLING or f"{name} {width(stack[-place:])}" in SPELLING:
            draft.add(name, place)

    def use_value(self, draft: Draft) -> None:
        """Take the value on top, which is there for the taking, and perhaps push another."""
        if not draft.free() or draft.stack[-1] != "v":
            return
        dice = self.dice
        if self.habits.generator and self.chance(0.2):
            draft.add("YIELD_VALUE")
            return
        if self.patterns and self.chance(self.patterns):
            self.match(draft)
            return
        way = dice.randrange(21)
        two = draft.free() >= 2 and draft.stack[-2] == "v"
        if way == 0:
            draft.add("STORE_FAST", dice.choice(self.variables))
        elif way == 1 and (self.cells or self.free):
            draft.add("STORE_DEREF", dice.choice([*self.cells, *self.free]))
        elif way == 2:
            draft.add("POP")
        elif way == 3:
            draft.add("LOAD_ATTR", dice.choice(ATTRIBUTES))
        elif way == 4:
            draft.add("UNARY_OP", dice.choice(("-", "+", "~", "not")))
        elif way == 5:
            draft.add("LOAD_GLOBAL", dice.choice(GLOBALS))
            draft.add("BINARY_OP", dice.choice(BINARY))
        elif way == 6:
            draft.add("LOAD_GLOBAL", dice.choice(GLOBALS))
            draft.add("COMPARE_OP", dice.choice(("<", "<=", "==", "!=", ">", ">=")))
        elif way == 7:
            draft.add("LOAD_GLOBAL", dice.choice(GLOBALS))
            draft.add("CONTAINS_OP", dice.choice(("in", "not in")))
        elif way == 8 and two:
            draft.add("IS_OP", dice.choice(("is", "is not")))
        elif way == 9 and two:
            draft.add("STORE_ATTR", dice.choice(ATTRIBUTES))
        elif way == 10 and two:
            draft.add("BUILD_TUPLE" if self.chance(0.5) else "BUILD_LIST", 2)
        elif way == 11:
            draft.add("LOAD_GLOBAL", dice.choice(GLOBALS))
            draft.add("BINARY_SUBSCR")
        elif way == 12:
            draft.add("UNPACK_SEQUENCE", 2)
        elif way == 14:
            draft.add("LOAD_GLOBAL", dice.choice(GLOBALS))
            draft.add("LOAD_FAST", self.variable())
            draft.add("STORE_SUBSCR")
        elif way == 15:
            draft.add("STORE_GLOBAL", dice.choice(("gx", "gy")))
        elif way == 16 and draft.free() >= 2 and self.chance(0.5):
            self.copy(draft)
        elif way == 17:
            draft.add("LOAD_GLOBAL", dice.choice(GLOBALS))
            draft.add("DELETE_SUBSCR")
        elif way == 18:
            draft.add("DELETE_ATTR", dice.choice(ATTRIBUTES))
        elif way == 19 and two:
            draft.add("BUILD_MAP", 1)
        elif way == 20:
            draft.add("BUILD_SET", 1)
        else:
            draft.add("STORE_FAST", dice.choice(self.variables))

    def match(self, draft: Draft) -> None:
        """An operation of patterns, on the value on top or another one."""
        dice = self.dice
        if len(draft.stack) + 2 < DEEPEST_STACK and self.chance(0.5):
            self.push_subject(draft)
        way = dice.randrange(6)
        if way == 5:
            keys = tuple(dice.sample(("k", 1, None), dice.randrange(1, 3)))
            op = Op("MATCH_KEYS", keys)
            draft.add("MATCH_KEYS", keys, self.successor(after(draft.state, op, jump=True)))
            if self.chance(0.5):
                draft.add("UNPACK_SEQUENCE", len(keys))
            return
        if way < 3:
            draft.add(OF_PATTERNS[way])
            return
        if self.chance(0.5):
            draft.add("LOAD_GLOBAL", dice.choice((*EXCEPTIONS, "f")))
        else:
            draft.add("CONST", dice.choice(CLASSES))
        names = tuple(dice.sample(("real", *ATTRIBUTES), dice.randrange(3)))
        count = dice.choice((0, 0, 0, 1, 2))
        draft.add(OF_PATTERNS[way], (count, names))
        if way == 3 and self.chance(0.4):
            draft.add("UNPACK_SEQUENCE", count + len(names))

    def push_subject(self, draft: Draft) -> None:
        """Push something that patterns match, now and then."""
        way = self.dice.randrange(4)
        if way == 0:
            draft.add("CONST", self.dice.choice(CONSTANTS))
        elif way == 1:
            draft.add("LOAD_FAST", self.variable())
        elif way == 2:
            draft.add("LOAD_GLOBAL", self.dice.choice(GLOBALS))
            draft.add("BUILD_LIST", 1)
        else:
            draft.add("BUILD_MAP", 0)

    # Handlers

    def begin_try(self, draft: Draft) -> None:
        if self.chance(self.habits.withs):
            draft.add("LOAD_GLOBAL", self.dice.choice(GLOBALS))
            draft.ops.append(Op("SETUP_WITH", None, ""))
            inside = State((*draft.stack[:-1], "x"), draft.state.blocks)
            block = self.handler_for(inside, "with")
            draft.ops[-1] = Op("SETUP_WITH", None, block.handler)
            draft.state = State((*inside.stack, "v"), (*draft.state.blocks, block))
        else:
            level = len(draft.stack)
            if "SETUP_FINALLY less" in SPELLING and self.chance(0.15):
                level = self.dice.randint(draft.state.floor, level)
            block = self.handler_for(State(draft.stack[:level], draft.state.blocks), "try")
            draft.add("SETUP_FINALLY", None if level == len(draft.stack) else level, block.handler)

    def handler_for(self, state: State, kind: str) -> Block:
        """What catches in ``state``: a handler that is there and fits, or a new one."""
        level = len(state.stack)
        fitting = []
        for draft in self.drafts.values():
            if draft.handler:
                block = Block(kind, draft.label, level)
                if caught(State(state.stack, (*state.blocks, block)), block) == draft.entry:
                    fitting.append(block)
        if fitting and self.chance(0.6):
            return self.dice.choice(fitting)
        label = f"L{len(self.drafts)}"
        block = Block(kind, label, level)
        self.new_block(caught(State(state.stack, (*state.blocks, block)), block), handler=True)
        return block

    def begin_handler(self, draft: Draft) -> None:
        dice = self.dice
        if "l" in draft.stack[-3:]:
            draft.add("WITH_EXCEPT")
            return
        way = dice.randrange(6)
        if way == 0:
            draft.add("LOAD_GLOBAL", dice.choice(GLOBALS))
            draft.add("STORE_FAST", dice.choice(self.variables))
            draft.add("RERAISE")
        elif way <= 2:
            draft.add("COPY_EXC")
            draft.add("LOAD_GLOBAL", dice.choice(EXCEPTIONS))
            behind = State(draft.stack[:-2], draft.state.blocks)
            draft.add("JUMP_IF_NOT_MATCH", None, self.successor(behind))
            self.forget_exception(draft)
        elif way == 3:
            pass  # it stays on the stack
        else:
            self.forget_exception(draft)

    def forget_exception(self, draft: Draft) -> None:
        if self.chance(0.4):
            draft.add("STORE_FAST", self.dice.choice(LOCALS))
        else:
            draft.add("POP")

    # Ends

    def finish(self, draft: Draft) -> None:
        dice = self.dice
        state = draft.state
        way = dice.random()
        if draft.free() and draft.stack[-1] == "e" and self.chance(0.4):
            draft.add("RERAISE")
        elif draft.free() and draft.stack[-1] == "i" and self.chance(0.7):
            self.end_for(draft)
        elif self.chance(self.habits.fors) and len(draft.stack) < DEEPEST_STACK:
            self.iterator(draft)
            self.end_for(draft)
        elif way < 0.5:
            self.branch(draft)
        elif way < 0.56:
            self.end_raise(draft)
        elif way < 0.65:
            self.end_return(draft)
        else:
            draft.add("JUMP", None, self.successor(state))

    def branch(self, draft: Draft) -> None:
        dice = self.dice
        if not (draft.free() and draft.stack[-1] == "v" and self.chance(0.5)):
            draft.add("LOAD_FAST" if self.chance(0.4) else "LOAD_GLOBAL", "a" if self.chance(0.5) else "b")
            if draft.ops[-1].op == "LOAD_FAST" and self.chance(0.5):
                draft.add("LOAD_ATTR", dice.choice(ATTRIBUTES))
        ops = ["POP_JUMP_IF_FALSE", "POP_JUMP_IF_TRUE"] * 3 + ["POP_JUMP_IF_NONE", "POP_JUMP_IF_NOT_NONE"]
        op = Op(dice.choice([*ops, "JUMP_IF_FALSE_OR_POP", "JUMP_IF_TRUE_OR_POP"]))
        target = self.successor(after(draft.state, op, jump=True))
        draft.add(op.op, None, target)
        draft.add("JUMP", None, self.successor(draft.state))

    def end_for(self, draft: Draft) -> None:
        op = Op("FOR_ITER")
        target = self.successor(after(draft.state, op, jump=True))
        draft.add("FOR_ITER", None, target)
        draft.add("JUMP", None, self.successor(draft.state))

    def end_raise(self, draft: Draft) -> None:
        way = self.dice.randrange(3)
        if way:
            draft.add("LOAD_GLOBAL", self.dice.choice(EXCEPTIONS))
            if self.chance(0.3):
                draft.add("CALLABLE")
                draft.add("CALL", 0)
        if way == 2:
            draft.add("LOAD_GLOBAL", self.dice.choice(EXCEPTIONS))
        draft.add("RAISE_VARARGS", way)

    def end_return(self, draft: Draft) -> None:
        keep = draft.free() and draft.stack[-1] == "v" and "p" not in draft.stack
        target = draft.stack if keep and self.chance(0.7) else ()
        ops = self.way(draft.state, State(target)) if target else None
        if ops is None:
            target, ops = (), self.way(draft.state, State())
        assert ops is not None  # everything can be taken away
        self.follow(draft, ops)
        if not target:
            draft.add("LOAD_FAST", self.variable())
        draft.add("RETURN_VALUE")

    # Edges

    def successor(self, state: State) -> str:
        """A block to go to from ``state``, by way of another one if that block expects another state."""
        for _ in range(6):
            if self.left > 0 and self.chance(self.habits.new):
                break
            label = self.dice.choice(list(self.drafts))
            goal = self.drafts[label]
            if goal.handler:
                continue
            if goal.entry == state:
                return label
            ops = self.way(state, goal.entry)
            if ops is not None and len(ops) <= 12 and len(self.drafts) < self.most_labels:
                return self.between(state, ops, label)
        if self.left > 0:
            self.left -= 1
            return self.new_block(state)
        ops = self.way(state, State())
        assert ops is not None  # the start's state: everything can be taken away
        return self.between(state, [*ops, *self.last(state)], "")

    def last(self, state: State) -> List[Op]:
        return [Op("LOAD_FAST", self.variable()), Op("RETURN_VALUE")]

    def between(self, state: State, ops: Sequence[Op], label: str) -> str:
        """A block that does only ``ops`` on the way to ``label``."""
        made = f"L{len(self.drafts)}"
        draft = self.drafts[made] = Draft(made, state, False)
        self.follow(draft, ops)
        if label:
            draft.add("LOAD_GLOBAL", self.dice.choice(GLOBALS))
            draft.add("POP")
            draft.add("JUMP", None, label)
        return made

    def follow(self, draft: Draft, ops: Sequence[Op]) -> None:
        for op in ops:
            draft.add(*op[:3])

    def way(self, start: State, goal: State) -> Optional[List[Op]]:
        """Operations that lead from one state to the other; None if there are none."""
        try:
            return self.operations_between(start, goal)
        except Invalid:  # the exception handled before is in the way
            return None

    def operations_between(self, start: State, goal: State) -> Optional[List[Op]]:
        same = 0
        for one, other in zip(start.blocks, goal.blocks):
            if one != other:
                break
            same += 1
        if any(block.kind != "try" for block in goal.blocks[same:]):
            return None
        ops: List[Op] = []
        state = start

        def do(op: str, arg: Any = None, target: str = "") -> None:
            nonlocal state
            state = after(state, Op(op, arg, target))
            ops.append(Op(op, arg, target))

        while len(state.blocks) > same:
            block = state.blocks[-1]
            if block.kind == "with" and not self.chance(0.01):  # nearly always as compilers leave it
                while len(state.stack) > block.level:
                    self.drop(state, do)
                do("POP_BLOCK")
                do("EXIT_WITH")
                continue
            if block.kind != "handling":
                do("POP_BLOCK")
                continue
            carried = state.stack[-2:] == ("p", "v") and len(goal.stack) > len(state.stack) - 2
            if carried and "SWAP p" in SPELLING:
                do("SWAP", 2)
                do("POP_EXCEPT")
                continue
            while state.stack[-1] != "p":
                self.drop(state, do)
            do("POP_EXCEPT")
        kept = 0
        for one, other in zip(state.stack, goal.stack):
            if one != other:
                break
            kept += 1
        for block in goal.blocks[same:]:
            if block.level < kept and len(state.stack) > block.level:
                kept = min(kept, block.level)
        if kept < state.floor:
            return None
        while len(state.stack) > kept:
            self.drop(state, do)
        for block in (*goal.blocks[same:], None):
            level = len(goal.stack) if block is None else block.level
            while len(state.stack) < level:
                if not self.supply(goal.stack[len(state.stack)], do):
                    return None
            if block is not None:
                do("SETUP_FINALLY", None, block.handler)
        return ops

    def drop(self, state: State, do: Any) -> None:
        kind = state.stack[-1]
        if kind in ("c", "m"):
            do("CALL", 0)
            do("POP")
        elif kind == "x" and self.chance(0.98):
            do("EXIT_WITH")
        else:
            do("POP")

    def supply(self, kind: str, do: Any) -> bool:
        """Push something of that kind."""
        if kind == "v":
            do("LOAD_FAST", "a") if self.chance(0.3) else do("LOAD_GLOBAL", self.dice.choice(GLOBALS))
        elif kind == "i":
            do("LOAD_GLOBAL", self.dice.choice(GLOBALS))
            do("GET_ITER")
        elif kind == "c":
            do("LOAD_GLOBAL_CALLABLE", self.dice.choice(GLOBALS))
        elif kind == "m":
            do("LOAD_GLOBAL", self.dice.choice(GLOBALS))
            do("LOAD_METHOD", self.dice.choice(ATTRIBUTES))
        else:
            return False
        return True


def used_labels(program: Program) -> Set[str]:
    """Labels that something leads to."""
    return {op.target for op in program.ops if op.target}
