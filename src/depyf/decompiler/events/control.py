"""Branches and exception ranges as statements; loops and with statements are in modules of their own.

``run`` executes one path and writes its statements. At a branch both arms are executed, each into a list of its own,
to the place where they meet; where they never meet, each to its end. What the stack holds at the meeting place, and
is not the same on both ways, gets a variable that both arms assign.
"""

from __future__ import annotations

from typing import Callable, FrozenSet, Iterator, List, Tuple

from ..bytecode import CONDITIONAL_JUMPS, Handler, Instruction, RawCode
from ..limits.budget import STEP, spend
from ..names.dynamo import is_made_up
from ..names.spelling import Spelling
from ..syntax import nodes as n
from .functions import Definition, Nested, make_function
from .iteration import for_statement
from .merging import Merging
from .parked import live_before, parked_locals
from .paths import Paths
from .polish import negation
from .state import Const, Null, Opaque, Pure, Raised, State, Unbound, Value
from .with_statements import Leaving, with_statement

_MOST_STEPS = 12
"""Instructions executed for each instruction of the code, before the text is too big (tails are written twice)."""

_DEEPEST = 150
"""Branches within branches."""

Stops = FrozenSet[int]
Arm = Tuple[State, List[n.Statement], int]
"""What is known at the end of an arm, its statements, where it goes on (-1: nowhere)."""

EMPTY: Stops = frozenset()
LEFT = -2
"""An arm has gone to several places out of the exception range around it, see ``Control.leaving``."""

_CLEAN_UP = ("COPY", "POP_EXCEPT", "RERAISE")


class Control(Merging):
    """Executes whole paths."""

    def __init__(
        self, raw: RawCode, spelling: Spelling, instructions: list[Instruction], nested: Nested | None = None
    ) -> None:
        super().__init__(raw, spelling)
        self.nested = nested or self.no_nested
        self.instructions = instructions
        self.paths = Paths(instructions, raw.qualname)
        self.all_uses_known = True
        self.chosen = {spelling.variable(name) for name in raw.localsplus if not is_made_up(name)}
        self.parked = parked_locals(raw, instructions, self.paths)
        self.live_before = live_before(self.parked, instructions, self.paths)
        self.steps_left = _MOST_STEPS * len(instructions) + 1000
        self.depth = 0
        self.handler: Handler | None = None
        self.leaving: list[Leaving] | None = None
        """The ways out of the exception range around, if what is after it can tell them apart."""

    def no_nested(self, raw: RawCode) -> Definition:
        raise self.error(f"it makes a function of the code {raw.name}")

    def run(self, pc: int, stops: frozenset[int]) -> int:
        """Execute from ``pc`` until one of ``stops`` or the end of the exception range; -1 if the path ends."""
        tries: list[tuple[n.Try, int, list[n.Statement]]] = []
        while pc >= 0 and pc not in stops:
            self.steps_left -= 1
            if self.steps_left < 0:
                raise self.error("too many paths")
            spend(2 + len(self.state.stack) / 20 + len(self.state.pending) / 5, "following the order of events")
            ins = self.instructions[pc]
            handler = self.handler_of(ins)
            if handler != self.handler and ins.op not in ("NOP", "JUMP"):
                if self.leaves(handler):
                    break
                pc = self.try_statement(pc, handler, stops, tries)
            else:
                pc = self.step(pc, ins, stops)
        self.finish_tries(tries)
        return pc

    def step(self, pc: int, ins: Instruction, stops: frozenset[int]) -> int:
        """One instruction: where to go on, -1 if nowhere."""
        self.live = frozenset().union(*[self.live_before[after] for after in self.paths.successors[pc]])
        if ins.op == "JUMP":
            return ins.target
        if ins.op in CONDITIONAL_JUMPS:
            return self.branch(pc, ins, stops)
        if ins.op == "RETURN_VALUE":
            self.line = ins.line or self.line
            self.statement([self.pop()], lambda value: n.Return(value))
            return -1
        if ins.op == "RAISE_VARARGS":
            self.line = ins.line or self.line
            self.statement(self.pop_many(ins.arg), lambda *values: n.Raise(*values))
            return -1
        if ins.op == "RERAISE":
            if not isinstance(self.pop(), Raised):
                raise self.error("RERAISE stands on no exception")
            self.flush()
            self.emit(n.Raise())
            return -1
        if ins.op == "DELETE_FAST":
            return self.delete_variables(pc)
        if ins.op == "BEFORE_WITH":
            return with_statement(self, pc, stops)
        if ins.op == "MAKE_FUNCTION":
            self.line = ins.line or self.line
            return make_function(self, pc)
        self.execute(ins)
        return pc + 1

    def delete_variables(self, pc: int) -> int:
        """``del x``; a store that follows, of what still has to be computed, is written first: nothing is between."""
        if self.instructions[pc].arg in self.parked:
            self.execute(self.instructions[pc])
            return pc + 1
        end = pc
        while self.instructions[end].op == "DELETE_FAST" and self.handler_of(self.instructions[end]) == self.handler:
            end += 1
        after, stack = self.instructions[end], self.state.stack
        deleted = [self.instructions[index].arg for index in range(pc, end)]
        if after.op == "STORE_FAST" and after.arg not in deleted and stack and stack[-1] in self.state.pending:
            self.execute(after)
            end += 1
        for name in deleted:
            if name not in self.state.locals or isinstance(self.state.locals[name], Unbound):
                self.flush()
            self.execute(Instruction("DELETE_FAST", name))
        return end

    # Branches

    def branch(self, pc: int, ins: Instruction, stops: frozenset[int]) -> int:
        """A conditional jump: writes an ``if`` statement."""
        if ins.op == "FOR_ITER":
            return for_statement(self, pc)
        if ins.op == "ASYNC_FOR_ITER":
            raise self.error("an asynchronous iteration in code that no compiler made")
        self.line = ins.line or self.line
        keep = ins.op.endswith("OR_POP")
        if keep:
            self.name_unless_constant(self.state.stack[-1])
        value = self.pop()
        decided = self.decided(ins, value)
        if decided is not None:
            if decided and keep:
                self.push(value)
            return ins.target if decided else pc + 1
        [test] = self.texts([value])
        with self.using([value]):
            self.flush()
        falls, jumps = self.state.copy(), self.state.copy()
        if keep:
            jumps.stack.append(value)
        return self.fork(ins.op, test, (pc + 1, falls), (ins.target, jumps), stops)

    def fork(
        self, op: str, test: n.Expression, falls: tuple[int, State], jumps: tuple[int, State], stops: frozenset[int]
    ) -> int:
        """Write the ``if`` statement for a jump of the kind ``op``; an arm is where it begins and what holds there."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.error("branches are nested too deeply")
        join = self.paths.join(falls[0], jumps[0], stops)
        inner = stops | {join} if join >= 0 else stops
        line = self.line
        falling = self.arm(lambda: self.run(falls[0], inner), falls[1])
        jumping = self.arm(lambda: self.run(jumps[0], inner), jumps[1])
        self.depth -= 1
        self.line = line
        return self.join(op, test, falling, jumping, stops, inner)

    def join(self, op: str, test: n.Expression, falling: Arm, jumping: Arm, stops: Stops, inner: Stops = EMPTY) -> int:
        """Write the ``if`` statement for two arms that were executed to one of ``inner``; where to go on."""
        if LEFT in (falling[2], jumping[2]) or falling[2] != jumping[2] and min(falling[2], jumping[2]) >= 0:
            return self.part(op, test, falling, jumping, inner, stops)
        return self.write_if(op, test, falling, jumping, self.line)

    def part(self, op: str, test: n.Expression, falling: Arm, jumping: Arm, inner: Stops, stops: Stops) -> int:
        """Write the ``if`` statement whose arms leave the exception range around for different places."""
        for state, out, end in (falling, jumping):
            with self.within(state, out):
                if end in inner:
                    end = self.run(end, stops)
                if self.leaving is None or end in stops:
                    raise self.error("the arms of a branch go on at different places")
                if end >= 0:
                    self.leaving.append(Leaving(end, self.state, out))
        self.emit(n.If(*_tests(op, test)[:1], falling[1], jumping[1]))
        return LEFT

    def name_unless_constant(self, value: Value) -> None:
        if not isinstance(value, (Const, Pure)):
            self.name(value)

    def decided(self, ins: Instruction, value: Value) -> bool | None:
        """Whether the jump is taken, if that is known now."""
        if isinstance(value, Const):
            if "NONE" in ins.op:
                return (value.value is None) == ins.op.endswith("IF_NONE")
            if isinstance(value.value, (bool, int, str, bytes, type(None), float, tuple)):
                return bool(value.value) == ("IF_TRUE" in ins.op)
        items = self.state.private(value)
        if items is not None and not self.parts_pending(value):
            return (ins.op == "POP_JUMP_IF_NOT_NONE") if "NONE" in ins.op else None
        return None

    def parts_pending(self, value: Value) -> bool:
        return any(part in self.state.pending for part in self.state.tree([value]))

    def arm(self, run: Callable[[], int], state: State) -> Arm:
        """Execute one arm of a branch: its state at the end, its statements, where it ends."""
        out, self.out, self.state = self.out, [], state
        end = run()
        statements, self.out = self.out, out
        return self.state, statements, end

    def write_if(
        self,
        op: str,
        test: n.Expression,
        falling: Arm,
        jumping: Arm,
        line: int | None,
    ) -> int:
        """Write the statement for a branch whose arms were executed; where to go on."""
        ends = (falling[2], jumping[2])
        if ends[0] >= 0 and ends[1] >= 0:
            self.live = self.live_before[ends[0]]
            self.state = self.merge_states(falling[0], falling[1], jumping[0], jumping[1], ends[0])
        else:
            self.state = falling[0] if ends[0] >= 0 else jumping[0]
        positive, negative = _tests(op, test)
        body, orelse = falling[1], jumping[1]
        turned = isinstance(positive, n.UnaryOp) and positive.op == "not" and ends[1] < 0 and bool(orelse)
        if ends[0] < 0 and not turned:
            self.emit(n.If(positive, body, [], line=line))
            self.out.extend(orelse)
        elif ends[1] < 0:
            self.emit(n.If(negative, orelse, [], line=line))
            self.out.extend(body)
        elif body:
            self.emit(n.If(positive, body, orelse, line=line))
        else:
            self.emit(n.If(negative, orelse or [n.Pass()], [], line=line))
        return max(ends)

    # Exception ranges

    def handler_of(self, ins: Instruction) -> Handler | None:
        """The innermost handler of the original's statements: those that only restore the handled exception aside."""
        handler = ins.handler
        while handler is not None:
            spend(STEP, "following the order of events")
            first = self.instructions[handler.target]
            if tuple(i.op for i in self.instructions[handler.target : handler.target + 3]) != _CLEAN_UP:
                return handler
            handler = first.handler
        return None

    def outer(self, handler: Handler) -> Handler | None:
        return self.handler_of(self.instructions[handler.target])

    def encloses(self, handler: Handler | None, inner: Handler | None) -> bool:
        """Whether ``handler`` (or none) is around ``inner``."""
        while inner is not None:
            spend(STEP, "following the order of events")
            inner = self.outer(inner)
            if inner == handler:
                return True
        return False

    def leaves(self, handler: Handler | None) -> bool:
        """Whether an instruction with this handler is out of the exception range that is executed."""
        if self.encloses(handler, self.handler):
            return True
        beside = handler is not None and self.outer(handler) != self.handler
        return beside and self.encloses(self.outer(handler), self.handler)  # type: ignore[arg-type]

    def try_statement(
        self,
        pc: int,
        handler: Handler | None,
        stops: frozenset[int],
        tries: list[tuple[n.Try, int, list[n.Statement]]],
    ) -> int:
        """The range of ``handler`` begins: writes a ``try`` statement; where to go on after it."""
        if handler is None or self.outer(handler) != self.handler:
            raise self.error("an exception range begins inside another one")
        self.flush()
        self.release([])
        self.name_stack()
        entry = self.state.copy()
        outer, out, self.out = self.handler, self.out, []
        leaving, self.leaving = self.leaving, None
        self.handler = handler
        end = self.run(pc, stops)
        self.leaving = leaving
        if end >= 0:
            self.flush()
            for value in self.state.stack:
                if self.parts_pending(value):
                    self.name(value)
            self.release([], all_stale=True)
        self.handler = outer
        body, self.out = self.out, out
        after = self.state
        statements = self.handler_statements(handler, entry, body)
        self.state = after
        if not statements:
            self.out.extend(body)
            return end
        statement = n.Try(body, [], [], [])
        self.emit(statement)
        tries.append((statement, len(self.out), statements))
        return end

    def name_stack(self) -> None:
        """Variables hold what is on the stack, private containers and terms aside."""
        for value in self.state.stack:
            if not isinstance(value, (Null, Raised, Const, Pure)) and self.state.private(value) is None:
                self.name(value)

    def skip(self, pc: int) -> int:
        """The first instruction from ``pc`` on that does something."""
        while self.instructions[pc].op in ("NOP", "JUMP"):
            spend(STEP, "following the order of events")
            pc = self.instructions[pc].target if self.instructions[pc].op == "JUMP" else pc + 1
        return pc

    def handler_statements(self, handler: Handler, entry: State, body: list[n.Statement]) -> list[n.Statement]:
        """What the handler does before it raises the exception again."""
        state = self.state_of_handler(entry, body)
        state.stack = state.stack[: handler.depth]
        if handler.lasti:
            state.stack.append(Raised("lasti"))
        state.stack.append(Raised("exception"))
        before, self.handling = self.handling, True
        _, statements, end = self.arm(lambda: self.run(handler.target, EMPTY), state)
        self.handling = before
        if end >= 0 or not statements or not isinstance(statements[-1], n.Raise) or statements[-1].exc is not None:
            raise self.error("an exception handler goes on after it")
        return statements[:-1]

    def state_of_handler(self, entry: State, body: list[n.Statement]) -> State:
        """What is known after any statement of ``body``, before which ``entry`` was known."""
        state = entry.copy()
        assigned = set(_assigned(body))
        for name in entry.locals:
            text = self.spelling.variable(name)
            if text in assigned:
                held = Opaque(text)
                state.locals[name] = held
                state.names[held] = [text]
        for value, names in list(state.names.items()):
            is_new = isinstance(value, Opaque) and value not in entry.names
            kept = [name for name in names if name not in assigned or is_new]
            if kept:
                state.names[value] = kept
            else:
                del state.names[value]
        return state

    def finish_tries(self, tries: list[tuple[n.Try, int, list[n.Statement]]]) -> None:
        """Choose between ``finally``, if what follows the range is what its handler does, and ``except``."""
        for statement, place, statements in reversed(tries):
            following = self.out[place : place + len(statements)]
            if len(following) == len(statements) and all(x == y for x, y in zip(following, statements)):
                del self.out[place : place + len(statements)]
                statement.finalbody = statements
            else:
                statement.handlers = [n.ExceptHandler(None, None, [*statements, n.Raise()])]


def _assigned(body: list[n.Statement]) -> Iterator[str]:
    """Variables that the statements assign or delete."""
    for node in n.walk(body):
        targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
        for target in targets:
            if isinstance(target, n.Name):
                yield target.id


def _tests(op: str, test: n.Expression) -> tuple[n.Expression, n.Expression]:
    """The conditions under which a jump of the kind ``op`` is not taken, and taken."""
    if "NONE" in op:
        ops = ("is not", "is") if op.endswith("IF_NONE") else ("is", "is not")
        return n.Compare(test, [ops[0]], [n.Constant(None)]), n.Compare(test, [ops[1]], [n.Constant(None)])
    return (negation(test), test) if "IF_TRUE" in op else (test, negation(test))
