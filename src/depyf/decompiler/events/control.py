"""Branches as statements; loops, exception ranges and with statements have their own modules.

``run`` executes one path and writes its statements. At a branch both arms are executed, each into its own list, up to
the point where they join, or to their ends if they never do. A stack entry that differs between the arms at the join
gets a variable that both assign.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Callable, FrozenSet

from ..bytecode import CONDITIONAL_JUMPS, Handler, Instruction, RawCode
from ..limits.budget import spend
from ..names.naming_hints import NamingHints
from ..names.spelling import Spelling
from ..stack_machine.conditions import negation, outcome
from ..stack_machine.machine import Machine, Nested
from ..stack_machine.state import Const, MachineState, Null, Pure, Raised, Unbound, Value
from ..syntax import nodes as n
from .exception_ranges import ExceptionRanges
from .iteration import for_statement
from .merging import Arm, merge_states
from .operations import HANDLERS
from .parked import keeping_alive, live_before, parked_locals
from .paths import Paths
from .try_statements import OpenTry, finish_tries, try_statement
from .with_statements import RangeExit, with_statement

_MAX_STEPS_PER_INSTRUCTION = 12
"""Limit of executed instructions per instruction of the code, as tails are duplicated in the text."""

_MAX_DEPTH = 150
"""Limit of nested branches."""

_LONG_RUNNING = frozenset(
    {"CALL", "CALL_EX", "CALL_FUNCTION", "CALL_FUNCTION_EX", "BINARY_OP", "COMPARE_OP", "YIELD_VALUE"}
)  # fmt: skip

Stops = FrozenSet[int]

EMPTY: Stops = frozenset()
LEFT = -2
"""End of an arm that left the exception range around it for several targets, see ``Control.range_exits``."""


class Control:
    """Drives the stack ``machine`` along complete paths."""

    def __init__(
        self,
        raw: RawCode,
        spelling: Spelling,
        instructions: list[Instruction],
        nested: Nested | None,
        naming: NamingHints,
    ) -> None:
        self.instructions = instructions
        self.paths = Paths(instructions, raw.qualname)
        self.ranges = ExceptionRanges(instructions)
        self.machine = Machine(raw, spelling, "events", HANDLERS, self.upcoming, nested, naming)
        self.machine.all_uses_known = True
        self.machine.author_named = {spelling.variable(name) for name in raw.localsplus if not naming.is_made_up(name)}
        self.machine.parked = parked_locals(raw, instructions, self.paths, naming)
        self.machine.keeping_alive = keeping_alive(instructions)
        self.live_before = live_before(self.machine.parked, instructions, self.paths)
        self.steps_left = _MAX_STEPS_PER_INSTRUCTION * len(instructions) + 1000
        self.depth = 0
        self.handler: Handler | None = None
        self.range_exits: list[RangeExit] | None = None
        """The exits from the exception range around, if the code after it can distinguish them."""

    def upcoming(self, count: int) -> list[Instruction]:
        """Return the next instructions in the current exception range."""
        start = self.machine.next_index
        found = self.instructions[start : start + count]
        return list(takewhile(lambda ins: self.ranges.handler_of(ins) == self.handler, found))

    def run(self, pc: int, stops: Stops) -> int:
        """Execute from ``pc`` until one of ``stops`` or the end of the exception range; -1 if the path ends."""
        tries: list[OpenTry] = []
        while pc >= 0 and pc not in stops:
            self.steps_left -= 1
            if self.steps_left < 0:
                raise self.machine.error("too many paths")
            state = self.machine.state
            spend(2 + len(state.stack) / 20 + len(state.pending) / 5, "following the order of events")
            ins = self.instructions[pc]
            handler = self.ranges.handler_of(ins)
            if handler != self.handler and ins.op not in ("NOP", "JUMP"):
                if self.ranges.is_left(self.handler, handler):
                    break
                pc = try_statement(self, pc, handler, stops, tries)
            else:
                pc = self.step(pc, ins, stops)
        finish_tries(self.machine.out, tries)
        return pc

    def step(self, pc: int, ins: Instruction, stops: Stops) -> int:
        """Execute one instruction. Return the index of the next one, -1 if the path ends."""
        machine = self.machine
        machine.live = frozenset().union(*[self.live_before[after] for after in self.paths.successors[pc]])
        if ins.op == "JUMP":
            return ins.target
        if ins.op in CONDITIONAL_JUMPS:
            return self.branch(pc, ins, stops)
        if ins.op == "RETURN_VALUE":
            machine.line = ins.line or machine.line
            machine.statement([machine.pop()], lambda value: n.Return(value))
            return -1
        if ins.op == "RAISE_VARARGS":
            machine.line = ins.line or machine.line
            machine.statement(machine.pop_many(ins.arg), lambda *values: n.Raise(*values))
            return -1
        if ins.op == "RERAISE":
            if not isinstance(machine.pop(), Raised):
                raise machine.error("RERAISE stands on no exception")
            machine.flush()
            machine.emit(n.Raise())
            return -1
        if ins.op == "DELETE_FAST":
            return self.delete_variables(pc)
        if ins.op == "BEFORE_WITH":
            return with_statement(self, pc, stops)
        machine.next_index = pc + 1
        machine.execute(ins)
        return machine.next_index

    def delete_variables(self, pc: int) -> int:
        """``del x``. A following store of a pending value is written first, as nothing happens between the two."""
        machine, instructions = self.machine, self.instructions
        if instructions[pc].arg in machine.parked:
            machine.execute(instructions[pc])
            return pc + 1
        end = pc
        while instructions[end].op == "DELETE_FAST" and self.ranges.handler_of(instructions[end]) == self.handler:
            end += 1
        after, stack = instructions[end], machine.state.stack
        deleted = [instructions[index].arg for index in range(pc, end)]
        if after.op == "STORE_FAST" and after.arg not in deleted and stack and stack[-1] in machine.state.pending:
            machine.execute(after)
            end += 1
        for name in deleted:
            if name not in machine.state.locals or isinstance(machine.state.locals[name], Unbound):
                machine.flush()
            machine.execute(Instruction("DELETE_FAST", name))
        return end

    def name_stack(self) -> None:
        """Store the stack entries to variables, except private containers and terms."""
        machine = self.machine
        for value in machine.state.stack:
            if not isinstance(value, (Null, Raised, Const, Pure)) and machine.state.private(value) is None:
                machine.name(value)

    # Branches

    def branch(self, pc: int, ins: Instruction, stops: Stops) -> int:
        """Write the ``if`` statement of a conditional jump."""
        machine = self.machine
        if ins.op == "FOR_ITER":
            return for_statement(self, pc)
        if ins.op == "ASYNC_FOR_ITER":
            raise machine.error("an asynchronous iteration in code that no compiler made")
        machine.line = ins.line or machine.line
        keep = ins.op.endswith("OR_POP")
        if keep and not isinstance(machine.state.stack[-1], (Const, Pure)):
            machine.name(machine.state.stack[-1])
        value = machine.pop()
        known_outcome = self.known_outcome(ins, value)
        if known_outcome is not None:
            if known_outcome and keep:
                machine.push(value)
            return ins.target if known_outcome else pc + 1
        [test] = machine.texts([value])
        with machine.using([value]):
            machine.flush()
        falls, jumps = machine.state.copy(), machine.state.copy()
        if keep:
            jumps.stack.append(value)
        return self.fork(ins.op, test, (pc + 1, falls), (ins.target, jumps), stops)

    def fork(
        self,
        op: str,
        test: n.Expression,
        falls: tuple[int, MachineState],
        jumps: tuple[int, MachineState],
        stops: Stops,
    ) -> int:
        """Write the ``if`` statement for a jump ``op``; ``falls`` and ``jumps`` are the start and state of its arms."""
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise self.machine.error("branches are nested too deeply")
        join = self.paths.join(falls[0], jumps[0], stops)
        inner = stops | {join} if join >= 0 else stops
        line = self.machine.line
        falling = self.arm(lambda: self.run(falls[0], inner), falls[1])
        jumping = self.arm(lambda: self.run(jumps[0], inner), jumps[1])
        self.depth -= 1
        self.machine.line = line
        return self.join(op, test, falling, jumping, stops, inner)

    def join(self, op: str, test: n.Expression, falling: Arm, jumping: Arm, stops: Stops, inner: Stops = EMPTY) -> int:
        """Write the ``if`` statement for two executed arms that end at ``inner``. Return where to continue."""
        if LEFT in (falling.end, jumping.end) or falling.end != jumping.end and min(falling.end, jumping.end) >= 0:
            return self.leave_range(op, test, falling, jumping, inner, stops)
        return self.write_if(op, test, falling, jumping)

    def leave_range(self, op: str, test: n.Expression, falling: Arm, jumping: Arm, inner: Stops, stops: Stops) -> int:
        """Write the ``if`` statement whose arms leave the exception range around for different targets."""
        for state, out, end in (falling, jumping):
            with self.machine.within(state, out):
                if end in inner:
                    end = self.run(end, stops)
                if self.range_exits is None or end in stops:
                    raise self.machine.error("the arms of a branch go on at different places")
                if end >= 0:
                    self.range_exits.append(RangeExit(end, self.machine.state, out))
        self.machine.emit(n.If(_tests(op, test)[0], falling.out, jumping.out))
        return LEFT

    def known_outcome(self, ins: Instruction, value: Value) -> bool | None:
        """Whether the jump is taken, if that is known statically."""
        if isinstance(value, Const):
            return outcome(ins, value.value)
        items = self.machine.state.private(value)
        if items is not None and not self.parts_pending(value):
            return (ins.op == "POP_JUMP_IF_NOT_NONE") if "NONE" in ins.op else None
        return None

    def parts_pending(self, value: Value) -> bool:
        """Whether the text of ``value`` contains a pending event."""
        state = self.machine.state
        return any(part in state.pending for part in state.tree([value]))

    def arm(self, run: Callable[[], int], state: MachineState) -> Arm:
        """Execute one arm of a branch."""
        machine = self.machine
        out, machine.out, machine.state = machine.out, [], state
        end = run()
        statements, machine.out = machine.out, out
        return Arm(machine.state, statements, end)

    def write_if(self, op: str, test: n.Expression, falling: Arm, jumping: Arm) -> int:
        """Write the ``if`` statement for two executed arms that end at one target, or not at all. Return the target."""
        machine = self.machine
        line = machine.line
        if falling.end >= 0 and jumping.end >= 0:
            machine.live = self.live_before[falling.end]
            machine.state = merge_states(machine, falling, jumping, self.reaches_long_running(falling.end))
        else:
            machine.state = falling.state if falling.end >= 0 else jumping.state
        positive, negative = _tests(op, test)
        body, orelse = falling.out, jumping.out
        turned = isinstance(positive, n.UnaryOp) and positive.op == "not" and jumping.end < 0 and bool(orelse)
        if falling.end < 0 and not turned:
            machine.emit(n.If(positive, body, [], line=line))
            machine.out.extend(orelse)
        elif jumping.end < 0:
            machine.emit(n.If(negative, orelse, [], line=line))
            machine.out.extend(body)
        elif body:
            machine.emit(n.If(positive, body, orelse, line=line))
        else:
            machine.emit(n.If(negative, orelse or [n.Pass()], [], line=line))
        return max(falling.end, jumping.end)

    def reaches_long_running(self, index: int) -> bool:
        """Whether a long-running operation is reachable from the instruction at ``index``."""
        return any(self.instructions[after].op in _LONG_RUNNING for after in self.paths.reach(index))


def _tests(op: str, test: n.Expression) -> tuple[n.Expression, n.Expression]:
    """Return the conditions under which a jump ``op`` is not taken, and taken."""
    if "NONE" in op:
        ops = ("is not", "is") if op.endswith("IF_NONE") else ("is", "is not")
        return n.Compare(test, [ops[0]], [n.Constant(None)]), n.Compare(test, [ops[1]], [n.Constant(None)])
    return (negation(test), test) if "IF_TRUE" in op else (test, negation(test))
