"""One-instruction mutants of canonical code, and an oracle that does not know how proofs work.

The oracle walks each code on its own through a made-up run: truths of tests, exhaustion of iterators and places of
exceptions come from a dice with a seed. What a run shows is its trace: the operations in order with their
operands and where on the stack each operand was made. Two codes with different traces are different.
"""

from __future__ import annotations

import random
from typing import Any, Iterator, NamedTuple

from depyf.decompiler.bytecode import Handler, Instruction, RawCode, stack_use
from depyf.decompiler.bytecode.instruction import CONDITIONAL_JUMPS, EXITS, NEVER_RAISES

OTHER_OPERATION = {
    "LOAD_FAST": "LOAD_DEREF", "LOAD_GLOBAL": "LOAD_NAME", "STORE_FAST": "STORE_GLOBAL", "POP": "STORE_FAST",
    "POP_JUMP_IF_FALSE": "POP_JUMP_IF_TRUE", "POP_JUMP_IF_TRUE": "POP_JUMP_IF_FALSE",
    "POP_JUMP_IF_NONE": "POP_JUMP_IF_NOT_NONE", "POP_JUMP_IF_NOT_NONE": "POP_JUMP_IF_NONE",
    "JUMP_IF_FALSE_OR_POP": "JUMP_IF_TRUE_OR_POP", "JUMP_IF_TRUE_OR_POP": "JUMP_IF_FALSE_OR_POP",
    "BUILD_LIST": "BUILD_TUPLE", "BUILD_TUPLE": "BUILD_LIST", "BUILD_SET": "BUILD_LIST", "RERAISE": "RAISE_VARARGS",
    "RETURN_VALUE": "RERAISE", "LOAD_ATTR": "UNARY_OP", "BINARY_OP": "BINARY_SUBSCR", "BINARY_SUBSCR": "BINARY_OP",
    "STORE_NAME": "STORE_GLOBAL", "IS_OP": "CONTAINS_OP", "CONTAINS_OP": "IS_OP", "COMPARE_OP": "IS_OP",
    "GET_ITER": "GET_AITER", "FOR_ITER": "ASYNC_FOR_ITER", "CHECK_EXC_MATCH": "IS_OP", "DELETE_FAST": "NOP",
    "LIST_APPEND": "SET_ADD", "YIELD_VALUE": "GET_ITER", "DELETE_NAME": "DELETE_GLOBAL", "LOAD_DEREF": "LOAD_CLOSURE",
}  # fmt: skip
OTHER_WORD = {
    "+": "-", "-": "+", "+=": "+", "is": "is not", "is not": "is", "in": "not in", "not in": "in", "<": "<=",
    "==": "!=", "!=": "==", ">": "<", "not": "-",
}  # fmt: skip

PEEKING = {
    "FOR_ITER", "LIST_APPEND", "SET_ADD", "MAP_ADD", "LIST_EXTEND", "SET_UPDATE", "DICT_UPDATE", "DICT_MERGE",
    "IMPORT_FROM", "WITH_EXCEPT_START", "GET_LEN", "ASYNC_FOR_ITER",
}  # fmt: skip
MAKES_BOOL = {"IS_OP", "CONTAINS_OP", "CHECK_EXC_MATCH", "MATCH_MAPPING", "MATCH_SEQUENCE"}


class Mutant(NamedTuple):
    """``instructions`` are those of some code with the change that ``change`` tells, made at index ``at``."""

    change: str
    at: int
    instructions: list[Instruction]


def copies(instructions: list[Instruction]) -> list[Instruction]:
    """The same instructions as new objects."""
    return [Instruction(i.op, i.arg, i.target, i.handler, i.offset, i.line, i.position) for i in instructions]


def mutate(instructions: list[Instruction], dice: random.Random) -> Mutant | None:
    """One random change of one random instruction; None if the dice chose one that can't be made there."""
    mutant = copies(instructions)
    at = dice.randrange(len(mutant))
    i = mutant[at]
    kind = dice.choice(("operation", "operand", "target", "handler", "no handler", "depth", "lasti", "drop", "swap"))
    if kind == "operation" and i.op in OTHER_OPERATION:
        i.op = OTHER_OPERATION[i.op]
    elif kind == "operand" and i.op != "NOP":
        changed = _other_operand(i, instructions, dice)
        if changed is None:
            return None
        i.arg = changed[0]
    elif kind == "target" and i.target >= 0:
        i.target = dice.choice([t for t in range(len(mutant)) if t != i.target] or [i.target])
    elif kind == "handler" and i.handler is not None:
        others = {x.handler for x in instructions if x.handler not in (None, i.handler)}
        if not others:
            return None
        i.handler = dice.choice(sorted(others))
    elif kind == "no handler" and i.handler is not None:
        i.handler = None
    elif kind == "depth" and i.handler is not None:
        i.handler = i.handler._replace(depth=i.handler.depth + 1)
    elif kind == "lasti" and i.handler is not None:
        i.handler = i.handler._replace(lasti=not i.handler.lasti)
    elif kind == "drop" and i.op != "NOP":
        mutant[at] = Instruction("NOP", None, -1, i.handler, i.offset, i.line)
    elif kind == "swap" and at + 1 < len(mutant):
        mutant[at], mutant[at + 1] = mutant[at + 1], mutant[at]
    else:
        return None
    return Mutant(kind, at, mutant)


def _other_operand(i: Instruction, all_of_them: list[Instruction], dice: random.Random) -> tuple[Any] | None:
    """Another operand for ``i``, in a tuple; None if there is nothing to change."""
    arg = i.arg
    if i.op == "CONST":
        if type(arg) is RawCode:
            return None  # nested code is opaque: proven as a pair
        twins: dict[type, Any] = {int: float, bool: int, str: str.encode, float: complex, type(None): bool}
        try:
            return (twins[type(arg)](arg),) if type(arg) in twins else ((arg,),)
        except (UnicodeEncodeError, OverflowError):
            return ("other",)
    if isinstance(arg, str):
        if i.op in ("UNARY_OP", "BINARY_OP", "COMPARE_OP", "IS_OP", "CONTAINS_OP"):
            return (OTHER_WORD.get(arg, "+"),)
        names = sorted({x.arg for x in all_of_them if x.op == i.op and x.arg != arg}) or [arg + "_"]
        return (dice.choice(names),)
    if isinstance(arg, bool):
        return (not arg,)
    if isinstance(arg, int):
        return (arg + dice.choice((1, -1)) if arg > 0 else arg + 1,)
    if i.op == "CALL":
        return (
            ((arg[0] + 1, arg[1]),)
            if dice.random() < 0.5
            else ((arg[0], (*arg[1][:-1], "other") if arg[1] else ("k",)),)
        )
    if i.op == "FORMAT_VALUE":
        return (("r" if arg[0] != "r" else "", arg[1]),)
    if i.op == "UNPACK_EX":
        return ((arg[0] + 1, arg[1]),)
    if i.op == "MAKE_FUNCTION":
        return (arg[1:],) if arg else (("defaults",),)
    return None


class Broken(Exception):
    """The run can't go on: the code pops an empty stack, or runs off its end."""


def trace(instructions: list[Instruction], raw: RawCode, seed: int, steps: int = 400) -> tuple[Any, ...]:
    """What a run of ``steps`` steps shows, with the dice of ``seed``."""
    run = _Run(instructions, raw, random.Random(seed))
    try:
        for _ in range(4 * steps):
            if not run.step() or len(run.shown) >= steps:
                break
    except (Broken, IndexError):
        run.shown.append("broken")
    return tuple(run.shown)


class _Run:
    """Values are numbered by the event that made them, so that a trace tells which operand is which."""

    def __init__(self, instructions: list[Instruction], raw: RawCode, dice: random.Random) -> None:
        self.instructions = instructions
        self.dice = dice
        self.danger = dice.choice((0.0, 0.02, 0.2))  # how often what can raise does, in this run
        self.at = 0
        self.stack: list[Any] = []
        self.locals: dict[str, Any] = {name: ("parameter", name) for name in raw.parameters}
        self.shown: list[Any] = []
        self.made = 0

    def step(self) -> bool:
        """One instruction; False when the run leaves the code."""
        if self.at >= len(self.instructions):
            raise Broken
        i = self.instructions[self.at]
        op = i.op
        if op == "NOP":
            return self.go(self.at + 1)
        if op == "JUMP":
            return self.go(i.target)
        if op == "NULL":
            self.stack.append(None)
            return self.go(self.at + 1)
        if op in ("LOAD_FAST", "DELETE_FAST") and i.arg not in self.locals:
            self.shown.append((op, i.arg, "unbound"))
            return self.fail(i)
        if op == "LOAD_FAST":
            self.stack.append(self.locals[i.arg])
        elif op == "STORE_FAST":
            self.shown.append((op, i.arg, self.top(1)))
            self.locals[i.arg] = self.stack.pop()
        elif op == "DELETE_FAST":
            self.shown.append((op, i.arg))
            del self.locals[i.arg]
        elif op == "CONST":
            self.stack.append(("constant", _typed(i.arg)))
        elif op == "COPY":
            self.stack.append(self.top(i.arg))
        elif op == "SWAP":
            self.top(i.arg)
            self.stack[-1], self.stack[-i.arg] = self.stack[-i.arg], self.stack[-1]
        elif op == "POP":
            self.top(1)
            self.stack.pop()
        else:
            return self.event(i)
        return self.go(self.at + 1)

    def go(self, index: int) -> bool:
        self.at = index
        return True

    def top(self, count: int) -> Any:
        if not 1 <= count <= len(self.stack):
            raise Broken
        return self.stack[-count]

    def event(self, i: Instruction) -> bool:
        """Anything else: shown with its operands, may raise, may jump."""
        op, arg = i.op, i.arg
        if op in CONDITIONAL_JUMPS and op not in ("FOR_ITER", "ASYNC_FOR_ITER"):
            return self.branch(i)
        pops, pushes = stack_use(i)
        operands = [self.top(n) for n in range(pops, 0, -1)]
        if op == "UNARY_OP" and arg == "not":
            truth = self.truth(i, operands[0])
            if truth is None:
                return self.fail(i)
            self.stack[-1] = ("bool", self.made, not truth)
            return self.go(self.at + 1)
        if op == "CALL":
            # The empty slot may lie below or above the callable; without one the second slot is the first argument.
            arg, operands = arg[1], [value for value in operands if value is not None]
        elif op in ("IS_OP", "CONTAINS_OP"):
            arg = None
        elif op in PEEKING:
            operands += [self.top(n) for n in range(pops + 1, min(len(self.stack), pops + 3) + 1)]
        self.show(op, arg, operands)
        if op not in NEVER_RAISES and self.dice.random() < self.danger:
            self.shown.append("raises")
            return self.fail(i)
        if op in EXITS:
            return self.fail(i) if op != "RETURN_VALUE" else False
        if op in CONDITIONAL_JUMPS:
            ends = self.dice.random() < 0.5
            self.shown.append(ends)
            return self.leave(i, ends)
        del self.stack[len(self.stack) - pops :]
        self.stack.extend((self.made, n) for n in range(pushes))
        if op in MAKES_BOOL:
            self.stack[-1] = ("bool", self.made, (self.dice.random() < 0.5) != (i.arg in ("is not", "not in")))
        return self.go(self.at + 1)

    def truth(self, i: Instruction, value: Any) -> bool | None:
        """Whether ``value`` is true; None if finding out raises. For an exact bool nothing is run, so nothing shown."""
        if value is not None and value[0] == "bool":
            known: bool = value[2]
            return known
        self.show("truth", None, [value])
        if self.dice.random() < self.danger:
            self.shown.append("raises")
            return None
        return self.dice.random() < 0.5

    def branch(self, i: Instruction) -> bool:
        """The dice says whether the test is true, not whether to jump."""
        value = self.top(1)
        holds: bool | None
        if "NONE" in i.op:
            self.show("IS_OP", None, [value, ("constant", _typed(None))])
            holds = self.dice.random() < 0.5
            return self.leave(i, holds == (i.op == "POP_JUMP_IF_NONE"))
        holds = self.truth(i, value)
        if holds is None:
            return self.fail(i)
        return self.leave(i, holds == ("TRUE" in i.op))

    def leave(self, i: Instruction, jumps: bool) -> bool:
        pops, pushes = stack_use(i, jump=jumps)
        del self.stack[len(self.stack) - pops :]
        self.stack.extend((self.made, n) for n in range(pushes))
        return self.go(i.target if jumps else self.at + 1)

    def fail(self, i: Instruction) -> bool:
        handler: Handler | None = i.handler
        if handler is None:
            return False
        if len(self.stack) < handler.depth:
            raise Broken
        del self.stack[handler.depth :]
        self.stack.extend([("place",)] * handler.lasti + [("exception", len(self.shown))])
        self.shown.append(("handled", handler.lasti, len([v for v in self.stack if v is not None])))
        return self.go(handler.target)

    def show(self, op: str, arg: Any, operands: list[Any]) -> None:
        self.shown.append((op, _typed(arg), tuple(operands)))
        self.made += 1


def _typed(value: Any) -> str:
    if type(value) is frozenset:
        return repr(sorted(map(_typed, value)))
    return f"{type(value).__name__} {value!r}"


def same_traces(left: list[Instruction], right: list[Instruction], raw: RawCode, runs: int) -> bool:
    """Whether ``runs`` runs show the same."""
    return all(trace(left, raw, seed) == trace(right, raw, seed) for seed in range(runs))


def ever_reached(instructions: list[Instruction], raw: RawCode, runs: int) -> set[int]:
    """Indices of the instructions that some of ``runs`` runs come to."""
    reached: set[int] = set()
    for seed in range(runs):
        run = _Run(instructions, raw, random.Random(seed))
        for _ in range(1000):
            reached.add(run.at)
            if not run.step():
                break
    return reached


def mutants(instructions: list[Instruction], dice: random.Random, count: int) -> Iterator[Mutant]:
    """Up to ``count`` mutants."""
    for _ in range(count):
        mutant = mutate(instructions, dice)
        if mutant is not None:
            yield mutant
