"""Nodes -> blocks: the statements of each node, the test that ends it, and the statements on its edges."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from ..bytecode import Instruction, RawCode
from ..names.naming_hints import NamingHints
from ..names.spelling import Spelling
from ..stack_machine.conditions import outcome
from ..stack_machine.machine import Machine, Nested
from ..stack_machine.state import Const, MachineState, Null, Opaque, Pure, Raised, Value
from ..syntax import nodes as n
from .analysis import Analysis, DispatchNode, Edge
from .levels import handled_part
from .operations import HANDLERS
from .variables import SlotVariables, bound_variables


class Successor:
    """An edge with the statements to execute on it."""

    def __init__(self, target: DispatchNode, statements: list[n.Statement]) -> None:
        self.target = target
        self.statements = statements
        self.state = MachineState()  # at their end, where states are carried
        self.line: int | None = None


class DispatchBlock:
    """A node as statements. ``test`` selects one of two ``successors``: true, false.

    ``iterator`` is the operand of a FOR_ITER, ``target`` what its result is assigned to.
    """

    def __init__(self, node: DispatchNode) -> None:
        self.node = node
        self.statements: list[n.Statement] = []
        self.test: n.Expression | None = None
        self.iterator: n.Expression | None = None
        self.is_async = False
        self.target: n.Expression = n.Name("")
        self.successors: list[Successor] = []
        self.line: int | None = None


class Blocks:
    """Executes the nodes on a stack ``machine`` and collects their blocks."""

    node: DispatchNode

    def __init__(
        self, raw: RawCode, spelling: Spelling, analysis: Analysis, nested: Nested | None, naming: NamingHints
    ) -> None:
        self.raw = raw
        self.analysis = analysis
        self.instructions = analysis.instructions
        self.variables = SlotVariables(analysis, spelling)
        handlers = {**HANDLERS, "CHECK_EXC_MATCH": self.match_exception}
        self.machine = Machine(raw, spelling, analysis.stage, handlers, self.upcoming, nested, naming)
        self.always_bound: frozenset[str] = frozenset()  # variables with made-up names, bound wherever they are read
        self.exceptions: dict[Value, object] = {}  # with the levels of their handlers
        self.skipped: dict[DispatchNode, int] = {}  # how many operations of a node one before it executes
        self.machine.preferred = {spelling.variable(name) for name in raw.localsplus}

    @cached_property
    def bound(self) -> dict[DispatchNode, frozenset[str]]:
        """The local variables that are definitely bound at the beginning of each node."""
        return bound_variables(self.analysis, self.raw)

    def run(self) -> list[DispatchBlock]:
        """Return the blocks that are reachable; tests with a constant outcome may make others dead."""
        blocks = {node: self.block(node) for node in self.analysis.all}
        reached: dict[DispatchNode, None] = {}
        todo = [self.analysis.entry]
        while todo:
            node = todo.pop()
            if node not in reached:
                reached[node] = None
                todo += [one.target for one in blocks[node].successors] + [handler for handler, _ in node.handlers]
        return [block for node, block in blocks.items() if node in reached]

    def block(self, node: DispatchNode) -> DispatchBlock:
        """Return the block of one node."""
        machine = self.machine
        block = DispatchBlock(node)
        machine.out = block.statements
        self.node = node
        machine.line = None
        machine.state = self.beginning(node)
        machine.next_index = self.skipped.get(node, 0)
        while machine.next_index < len(node.pcs):
            pc = node.pcs[machine.next_index]
            ins = self.instructions[pc]
            machine.line = ins.line or machine.line
            if block.line is None:
                block.line = machine.line
            machine.next_index += 1
            self.prepare(pc)
            if machine.next_index == len(node.pcs) and node.end in ("branch", "for", "with", "exit"):
                getattr(self, "end_" + node.end)(block, ins)
                return block
            machine.execute(ins)
        if node.end == "raise":
            self.prepare(-1)
            machine.flush()
            machine.emit(n.Raise())
        else:
            self.end_jump(block)
        return block

    def prepare(self, pc: int) -> None:
        """Do what has to be done before the instruction at ``pc``, or after the last one."""
        self.store_for_handlers()

    def upcoming(self, count: int) -> list[Instruction]:
        """Return the next instructions of the node."""
        start = self.machine.next_index
        return [self.instructions[pc] for pc in self.node.pcs[start : start + count]]

    def match_exception(self, machine: Machine, arg: Any) -> None:
        """CHECK_EXC_MATCH: only an ``except`` clause can match, so raise the exception again inside a ``try``."""
        kind = machine.pop()
        if self.exceptions.get(machine.state.stack[-1]) != handled_part(self.node.levels):
            raise machine.error("an exception is matched outside of its handler")
        [text] = machine.texts([kind])
        machine.flush()
        name = machine.temporary("matches")
        yes, no = (n.Assign([n.Name(name)], n.Constant(truth)) for truth in (True, False))
        handlers = [n.ExceptHandler(text, None, [yes]), n.ExceptHandler(None, None, [no])]
        machine.emit(n.Try([n.Raise()], handlers, [], []))
        machine.push(machine.held_by(name))

    def beginning(self, node: DispatchNode) -> MachineState:
        machine = self.machine
        state = MachineState()
        for name in sorted(self.bound[node]):
            text = machine.spelling.variable(name)
            state.locals[name] = held = Opaque(text)
            state.names[held] = [text]
        for index, slot in enumerate(node.slots):
            value: Value
            if slot.kind == "null":
                value = Null()
            elif slot.kind == "const":
                value = Const(slot.detail)
            elif slot.kind == "cell":
                value = Pure("cell", (), machine.spelling.variable(slot.detail))
            elif slot.kind == "value":
                value = Opaque(slot.detail or "value")
                state.names[value] = [self.variables.name(node, index)]
                if slot.detail:
                    machine.kinds[value] = slot.detail
            elif slot.kind == "exception":
                value = Opaque("exception")
                state.names[value] = [self.variables.exception(slot.detail)]
                self.exceptions[value] = slot.detail
            else:
                value = Raised(slot.kind)
            state.stack.append(value)
        return state

    # Stack entries that handlers read

    def store_for_handlers(self) -> None:
        """Store the stack entries that an enclosing handler may read to their variables."""
        stack = self.machine.state.stack
        for entry, kept in self.enclosing_handlers():
            for index in range(min(kept, len(stack))):
                if entry.slots[index].kind == "value" and not isinstance(stack[index], (Null, Raised)):
                    self.ensure_stored(stack[index], self.variables.name(entry, index))

    def enclosing_handlers(self) -> list[tuple[DispatchNode, int]]:
        """Return the handlers that exceptions may reach from here, with the stack depth that they keep."""
        levels = self.node.levels
        bodies = [levels[: count + 1] for count, level in enumerate(levels) if level.is_body]
        known = self.analysis.handler_of
        return [(known[body], body[-1].kept) for body in bodies if body in known]

    def ensure_stored(self, value: Value, name: str) -> None:
        machine = self.machine
        if name not in machine.state.names.get(value, ()):
            machine.state.stack.append(value)  # keeps it alive if ``name`` was the variable of another value
            machine.store(name, value)
            machine.state.stack.pop()

    # Ends

    def end_jump(self, block: DispatchBlock) -> None:
        self.store_for_handlers()
        [edge] = block.node.edges
        required = self.required(edge)
        self.store_entries(required)
        self.machine.flush()
        block.successors = [Successor(edge.target, [])]

    def end_exit(self, block: DispatchBlock, ins: Instruction) -> None:
        machine = self.machine
        if ins.op == "RERAISE":
            if self.exceptions.get(machine.pop()) != handled_part(self.node.levels):
                raise machine.error("an exception is raised again outside of its handler")
            machine.flush()
            machine.emit(n.Raise())
        elif ins.op == "RETURN_VALUE":
            if handled_part(self.node.levels):
                raise machine.error("a return from a handler that would not restore the exception handled before")
            machine.statement([machine.pop()], lambda value: n.Return(value))
        else:
            self.raise_statement(machine.pop_many(ins.arg))

    def raise_statement(self, values: list[Value]) -> None:
        machine = self.machine
        if len(values) == 1 and isinstance(values[0], Pure) and values[0].kind == "AssertionError":
            message = list(values[0].operands)
            machine.statement(message, lambda *texts: n.Assert(n.Constant(False), *texts))
        else:
            machine.statement(values, lambda *texts: n.Raise(*texts))

    def end_branch(self, block: DispatchBlock, ins: Instruction) -> None:
        machine = self.machine
        falls, jumps = block.node.edges
        value = machine.state.stack[-1]
        keeps = ins.op.endswith("OR_POP")
        self.store_for_branch(falls, jumps, value, keeps)
        machine.pop()
        decided = self.outcome(ins, value)
        if decided is None:
            [block.test] = machine.texts([machine.unfoldable(value)])
        with machine.using([value]):
            machine.flush()
        ways = [(falls, ()), (jumps, (value,) if keeps else ())]
        if decided is not None:
            block.successors = [self.successor(*ways[decided])]
            return
        both = [self.successor(*way) for way in ways]
        assert block.test is not None
        if "NONE" in ins.op:
            block.test = n.Compare(block.test, ["is"], [n.Constant(None)])
        block.successors = both if "IF_FALSE" in ins.op or ins.op.endswith("NOT_NONE") else both[::-1]

    def outcome(self, ins: Instruction, value: Value) -> bool | None:
        """Whether the conditional jump ``ins`` is taken for ``value``; None if unknown."""
        return outcome(ins, value.value) if isinstance(value, Const) else None

    def end_for(self, block: DispatchBlock, ins: Instruction) -> None:
        machine = self.machine
        item, exhausted = block.node.edges
        iterator = machine.state.stack[-1]
        top = len(machine.state.stack) - 1
        for other, name in self.required(item):
            if other == top:
                self.ensure_stored(iterator, name)
        self.store_common_entries(item, exhausted, iterator)
        [block.iterator] = machine.texts([iterator])
        machine.flush()
        name = self.variables.name(item.target, top + 1)
        block.target = n.Name(name)
        block.is_async = ins.op.startswith("ASYNC")
        held = Opaque("item")
        machine.state.names[held] = [name]
        machine.push(held)
        first = self.successor(item)
        del machine.state.stack[-2:]
        block.successors = [first, self.successor(exhausted)]

    def end_with(self, block: DispatchBlock, ins: Instruction) -> None:
        machine = self.machine
        [edge] = block.node.edges
        index = len(machine.state.stack) - 1
        manager = machine.state.stack[-1]
        self.store_entries([entry for entry in self.required(edge) if entry[0] < index], manager)
        detail = edge.slots[index].detail
        name = self.variables.manager(detail)
        entered = edge.target.slots[index + 1 :]
        if entered and entered[0].kind == "value":
            self.variables.entered[detail] = self.variables.name(edge.target, index + 1)
        machine.statement([machine.pop()], lambda text: n.Assign([n.Name(name)], text))
        block.successors = [Successor(edge.target, [])]

    # Stack entries that successors read

    def store_common_entries(self, a: Edge, b: Edge, last: Value) -> None:
        """Store the entries that both edges need, before ``last`` is used."""
        others = self.required(b)
        self.store_entries([entry for entry in self.required(a) if entry in others], last)

    def store_entries(self, required: list[tuple[int, str]], last: Value | None = None) -> None:
        """Store stack entries to variables, and assign pending events to them directly where possible."""
        machine = self.machine
        state = machine.state
        names = dict(required)
        while state.pending and state.pending[0] is not last:
            event = state.pending[0]
            indices = [index for index, name in names.items() if state.stack[index] is event]
            later = [other.expression for other in state.pending[1:]]
            name = names[indices[0]] if indices else ""
            if not indices or any(isinstance(part, n.Name) and part.id == name for e in later for part in n.walk(e)):
                machine.name_first_pending()
                continue
            state.pending.pop(0)
            machine.free(name)
            machine.emit(n.Assign([n.Name(name)], event.expression, line=event.line))
            state.names[event] = [name]
        for index, name in required:
            self.ensure_stored(state.stack[index], name)

    def store_for_branch(self, falls: Edge, jumps: Edge, value: Value, keeps: bool) -> None:
        """Store what both sides of a branch need, before ``value`` is tested. ``keeps``: one of them needs it, too."""
        if keeps:
            top = len(self.machine.state.stack) - 1
            for other, name in self.required(jumps):
                if other == top:
                    self.ensure_stored(value, name)
        self.store_common_entries(falls, jumps, value)

    def successor(self, edge: Edge, pushed: tuple[Value, ...] = ()) -> Successor:
        """Return the edge, with the stores that only it needs; ``pushed`` are on the stack there."""
        machine = self.machine
        kept = machine.state, machine.out
        machine.state, machine.out = machine.state.copy(), []
        machine.state.stack += pushed
        for index, name in self.required(edge):
            self.ensure_stored(machine.state.stack[index], name)
        result = Successor(edge.target, machine.out)
        machine.state, machine.out = kept
        return result

    def required(self, edge: Edge) -> list[tuple[int, str]]:
        """Return the stack entries that the target of ``edge`` reads, by index, with their variables."""
        return [
            (index, self.variables.name(edge.target, index))
            for index, slot in enumerate(edge.target.slots)
            if slot.kind == "value"
        ]
