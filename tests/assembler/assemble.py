"""A program in the notation -> a code object of the running interpreter."""

from __future__ import annotations

import types
from typing import Any, Dict, List, Optional, Tuple

from assembler.encoding import Guard, Item, Raw, code_object
from assembler.flow import Block, State, bound_locals, call_operand, states
from assembler.notation import NO_FALL_THROUGH, SETUPS, Label, Op, Program
from assembler.spellings import SPELLING, width
from depyf.decompiler.bytecode.code.flags import CO_GENERATOR, CO_NESTED
from depyf.decompiler.bytecode.reading.load import HOST_VERSION

BLOCK_STACK = HOST_VERSION < (3, 11)
CONDITIONS_GO_BACK = HOST_VERSION < (3, 12)
TESTS_BOOLS = HOST_VERSION >= (3, 13)
NOT_TAKEN = HOST_VERSION >= (3, 14)
WRAPS_GENERATORS = HOST_VERSION >= (3, 12)
STOPS = "<stop iteration>"
GIVES_BOOL = ("IS_OP", "CONTAINS_OP", "UNARY_NOT", "CHECK_EXC_MATCH", "MATCH_MAPPING")


class Unspellable(Exception):
    """The running version has no instructions for this operation."""


def assemble(program: Program) -> types.CodeType:
    """The code object of ``program``. Raises Invalid, or Unspellable."""
    return _Assembler(program).run()


class _Assembler:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.ops = program.ops
        self.states = states(program)
        self.bound = bound_locals(program)
        self.consts: List[Any] = [None]
        self.names: List[str] = []
        cells = [name for name in program.cells if name not in program.parameters]
        self.varnames = [*program.parameters, *program.locals]
        self.localsplus = [*self.varnames, *cells, *program.free]
        self.closure = [*program.cells, *program.free]
        self.items: List[Item] = []
        self.labels = program.labels
        self.only_exits = self.exits_alone()
        self.tails: List[List[Item]] = []  # what stands behind everything: ways that conditional jumps can't go
        self.cleanups: Dict[Tuple[Block, ...], str] = {}
        self.state = State()
        self.line: Optional[int] = None
        self.fresh = 0

    def run(self) -> types.CodeType:
        self.prologue()
        index, first = 0, True
        for item in self.program.items:
            if isinstance(item, Label):
                if index == len(self.ops) or self.states[index] is None:
                    continue  # never reached
                self.items.append(item.name)
                first = True
                continue
            state = self.states[index]
            if state is not None:
                self.state, self.line = state, item.line or index + 2
                if first and item is self.ops[index]:
                    self.begin(index)
                first = False
                self.spell(item, index)
            index += 1
        self.end()
        flags = 3 | (CO_GENERATOR if self.program.generator else 0) | (CO_NESTED if self.program.free else 0)
        if BLOCK_STACK and not self.closure:
            flags |= 0x40
        return code_object(
            self.items, name=self.program.name, parameters=self.program.parameters, consts=self.consts,
            names=self.names, varnames=self.varnames, cells=self.program.cells, free=self.program.free, flags=flags,
            stack_size=self.deepest() if BLOCK_STACK else None,
        )  # fmt: skip

    def deepest(self) -> int:
        """The deepest stack where blocks are on a stack of their own: what a caught exception or a call needs more."""
        return max(width(state.stack) for state in self.states if state is not None) + 6 + 4

    def prologue(self) -> None:
        if BLOCK_STACK:
            if self.program.generator and HOST_VERSION == (3, 10):
                self.raw("GEN_START", 0)
            return
        if self.program.free:
            self.raw("COPY_FREE_VARS", len(self.program.free))
        for name in self.program.cells:
            self.raw("MAKE_CELL", self.localsplus.index(name))
        self.line = 1
        if self.program.generator:
            self.raw("RETURN_GENERATOR")
            self.raw("POP_TOP")
        self.raw("RESUME", 0, self.guard())

    def end(self) -> None:
        for tail in self.tails:
            self.items += tail
        done = 0
        while done < len(self.cleanups):
            blocks, label = list(self.cleanups.items())[done]
            done += 1
            self.items.append(label)
            self.line, self.state = None, State((), blocks[:-1])
            for name, argument in (("COPY", 3), ("POP_EXCEPT", 0), ("RERAISE", 1)):
                self.raw(name, argument, self.guard())
        if self.program.generator and WRAPS_GENERATORS:
            self.items.append(STOPS)
            self.line = None
            self.raw("CALL_INTRINSIC_1", 3)
            self.raw("RERAISE", 1)
        if self.items and isinstance(self.items[-1], Raw) and self.items[-1].name == "END_FINALLY":
            self.raw("LOAD_CONST", self.const(None))
            self.raw("RETURN_VALUE")

    # Places

    def exits_alone(self) -> Dict[str, bool]:
        """Labels that only FOR_ITERs before them lead to: END_FOR stands there."""
        found: Dict[str, bool] = {}
        for index, op in enumerate(self.ops):
            if op.target:
                good = op.op == "FOR_ITER" and self.labels[op.target] > index
                found[op.target] = found.get(op.target, True) and good
        for name, place in self.labels.items():
            falls = place > 0 and self.states[place - 1] is not None and self.ops[place - 1].op not in NO_FALL_THROUGH
            shared = any(other != name and self.labels[other] == place for other in self.labels)
            if falls or shared or place == 0:
                found[name] = False
        return found

    def begin(self, index: int) -> None:
        """What stands at the label before operation ``index`` in some versions."""
        names = [name for name, place in self.labels.items() if place == index]
        if any(self.only_exits.get(name) for name in names):
            self.words(SPELLING.get("FOR_ITER end", ""), Op("FOR_ITER"))
        handler = any(block.kind == "handling" and block.handler in names for block in self.state.blocks[-1:])
        if handler and not BLOCK_STACK and self.is_handler(names):
            self.raw("PUSH_EXC_INFO", 0, self.guard())

    def is_handler(self, names: List[str]) -> bool:
        return any(op.op in ("SETUP_FINALLY", "SETUP_WITH") and op.target in names for op in self.ops)

    def new_label(self) -> str:
        self.fresh += 1
        return f"<{self.fresh}>"

    def guard(self) -> Optional[Guard]:
        """The row of the exception table for an instruction in the present state."""
        if BLOCK_STACK:
            return None
        if not self.state.blocks:
            return Guard(STOPS, 0, True) if self.program.generator and WRAPS_GENERATORS else None
        blocks = self.state.blocks
        block = blocks[-1]
        if block.kind == "handling":
            label = self.cleanups.setdefault(blocks, f"<clean up {len(self.cleanups)}>")
            return Guard(label, self.slots(blocks, block.level) + self.places(block) + 1, True)
        return Guard(block.handler, self.slots(blocks, block.level), block.kind == "with")

    def places(self, block: Block) -> int:
        """Whether the place of the exception is on the stack while ``block`` is handled."""
        return any(op.op == "SETUP_WITH" and op.target == block.handler for op in self.ops)

    def slots(self, blocks: Tuple[Block, ...], level: int) -> int:
        """How many slots the first ``level`` entries of the stack take where ``blocks`` are in force."""
        state = self.states[self.labels[blocks[-1].handler]]
        if state is None:  # nothing in its range raises
            state = self.state
        return width(state.stack[:level])

    # Raw instructions

    def raw(self, name: str, argument: Any = 0, guard: Optional[Guard] = None) -> None:
        self.items.append(Raw(name, argument, self.line, guard))

    def const(self, value: Any) -> int:
        for index, other in enumerate(self.consts):
            if other is value or type(other) is type(value) and repr(other) == repr(value) and value is not other:
                if other is value or isinstance(value, (int, float, str, bytes, tuple, complex, bool)):
                    return index
        self.consts.append(value)
        return len(self.consts) - 1

    def name(self, name: str) -> int:
        if name not in self.names:
            self.names.append(name)
        return self.names.index(name)

    def spell(self, op: Op, index: int) -> None:
        if op.op == "MAKE_FUNCTION":
            self.function(op)
        elif op.op == "FOR_ITER":
            self.for_iter(op, index)
        else:
            self.words(SPELLING[self.key(op, index)], op)

    def key(self, op: Op, index: int) -> str:
        """Which of the spellings of an operation it is."""
        stack, name = self.state.stack, op.op
        if name == "POP" and stack[-1] != "v":
            return f"POP {stack[-1]}"
        if name == "STORE_FAST" and stack[-1] == "e":
            return "STORE_FAST e"
        if name == "LOAD_FAST" and op.arg not in self.bound[index]:
            return "LOAD_FAST unbound"
        if name == "CALLABLE" and stack[-2:] == ("n", "v") and "CALLABLE n" in SPELLING:
            return "CALLABLE n"
        if name == "SETUP_FINALLY" and op.arg not in (None, len(stack)) and "SETUP_FINALLY less" not in SPELLING:
            raise Unspellable("a handler that keeps less than the stack")
        if name in SETUPS and not any(self.states[self.labels[op.target] :][:1]):
            raise Unspellable("a handler of nothing")
        if name == "SWAP" and stack[-op.arg] == "p":
            return "SWAP p"
        if name in ("COPY", "SWAP"):
            slots = width(stack[-op.arg :])
            key = name if name in SPELLING else f"{name} {slots}"
        elif name == "CALL":
            count, names = call_operand(op)
            kind = stack[-count - 1]
            if names and kind == "m" and BLOCK_STACK:
                raise Unspellable("a method call with names")
            key = "CALL names" if names else f"CALL {kind}"
        else:
            key = name if name in SPELLING else f"{name} {op.arg}"
        if key not in SPELLING:
            raise Unspellable(key)
        return key

    def words(self, spelling: str, op: Op) -> None:
        prefix = self.new_label()
        for word in filter(None, (part.strip() for part in spelling.split(";"))):
            raw, _, operand = word.partition(" ")
            if word.endswith(":"):
                self.items.append(prefix + word[:-1])
            elif raw[0] == "?":
                getattr(self, "spell_" + raw[1:])(op, operand)
            else:
                if raw == "POP_EXCEPT":  # from here on the exception is the business of the handlers around
                    self.state = State(self.state.stack, self.state.blocks[:-1])
                self.raw(raw, self.operand(op, operand, prefix), self.guard())

    def operand(self, op: Op, word: str, prefix: str) -> Any:
        if not word or word.isdigit():
            return int(word or 0)
        if word[0] == ".":
            return prefix + word
        if word == "target":
            return op.target
        if word in ("name", "name2", "name2+1"):
            index = self.name(op.arg)
            return index if word == "name" else index << 1 | word.endswith("1")
        if word == "arg":
            if op.op in ("CALL", "MATCH_CLASS", "MATCHES_CLASS"):
                return call_operand(op)[0]
            return width(self.state.stack[-op.arg :]) if op.op in ("COPY", "SWAP") else op.arg
        if word == "const":
            return self.const(op.arg)
        if word == "length":
            return self.const(len(op.arg))
        if word == "names":
            return self.const(call_operand(op)[1])
        if word == "None":
            return self.const(None)
        if word == "local":
            return self.localsplus.index(op.arg)
        if word == "cell":
            return self.closure.index(op.arg)
        tries = 1 + len(self.state.blocks)
        if word == "depth":
            return tries
        if word == "resume":
            return 1 | (4 if tries == 1 else 0)
        raise Unspellable(f"operand {word}")

    # Operations that depend on more than the version

    def spell_jump(self, op: Op, _: str) -> None:
        back = op.target in self.items
        if BLOCK_STACK:
            name = "JUMP_ABSOLUTE" if back else "JUMP_FORWARD"
        else:
            name = "JUMP_BACKWARD" if back else "JUMP_FORWARD"
        self.raw(name, op.target, self.guard())

    def spell_test(self, op: Op, test: str) -> None:
        """A conditional jump from 3.11 on."""
        before = self.items[-1]
        bools = isinstance(before, Raw) and before.name in GIVES_BOOL
        if TESTS_BOOLS and "NONE" not in test and not bools:
            self.raw("TO_BOOL", 0, self.guard())
        back = op.target in self.items
        if CONDITIONS_GO_BACK:
            self.raw(f"POP_JUMP_{'BACKWARD' if back else 'FORWARD'}_IF_{test}", op.target, self.guard())
        elif not back:
            self.condition(test, op.target)
        else:
            over = self.new_label()
            opposite = {"FALSE": "TRUE", "TRUE": "FALSE", "NONE": "NOT_NONE", "NOT_NONE": "NONE"}[test]
            self.condition(opposite, over)
            self.raw("JUMP_BACKWARD", op.target, self.guard())
            self.items.append(over)

    def condition(self, test: str, target: str) -> None:
        self.raw(f"POP_JUMP_IF_{test}", target, self.guard())
        if NOT_TAKEN:
            self.raw("NOT_TAKEN", 0, self.guard())

    def spell_keep(self, op: Op, test: str) -> None:
        """A jump that keeps what it tests, from 3.11 on."""
        back = op.target in self.items
        if CONDITIONS_GO_BACK and not back:
            self.raw(f"JUMP_IF_{test}_OR_POP", op.target, self.guard())
            return
        target = op.target
        self.raw("COPY", 1, self.guard())
        self.spell_test(Op(op.op, None, target), test)
        self.raw("POP_TOP", 0, self.guard())

    def for_iter(self, op: Op, index: int) -> None:
        if self.only_exits[op.target]:
            self.raw("FOR_ITER", op.target, self.guard())
            return
        forward = self.labels[op.target] > index
        if forward and "FOR_ITER end" not in SPELLING:
            self.raw("FOR_ITER", op.target, self.guard())
            return
        # The way out is a place of its own, behind everything.
        way = self.new_label()
        self.raw("FOR_ITER", way, self.guard())
        items, self.items = self.items, []
        after = State(self.state.stack[:-1], self.state.blocks)
        before, self.state = self.state, after
        self.items.append(way)
        self.words(SPELLING.get("FOR_ITER end", ""), op)
        self.raw("JUMP_ABSOLUTE" if BLOCK_STACK else "JUMP_BACKWARD", op.target, self.guard())
        self.tails.append(self.items)
        self.items, self.state = items, before

    def function(self, op: Op) -> None:
        code, cells = op.arg
        for cell in cells:
            self.words(SPELLING["LOAD_CLOSURE"], Op("LOAD_CLOSURE", cell))
        if cells:
            self.raw("BUILD_TUPLE", len(cells), self.guard())
        key = "MAKE_FUNCTION closure" if cells else "MAKE_FUNCTION"
        for word in SPELLING[key].split("; "):
            raw, _, operand = word.partition(" ")
            if operand == "code":
                self.raw(raw, self.const(code), self.guard())
            elif operand == "qualname":
                self.raw(raw, self.const(f"{self.program.name}.<locals>.{code.co_name}"), self.guard())
            else:
                self.raw(raw, int(operand or 0), self.guard())
