"""Blocks whose states are carried from each to the next, for code whose loops and ``try`` statements have one entry.

At the beginning of a block is known what holds at the end of all paths to it. Lists that the code built, values in
variables with made-up names and results that are not yet written thus remain what they are from block to block. A loop
begins with what holds at the start of every iteration; a handler with what holds wherever the body may raise.
"""

from __future__ import annotations

from functools import cached_property
from typing import Iterator

from ..bytecode import Instruction, RawCode
from ..flowgraph.dominators import reverse_postorder
from ..limits.budget import STEP, spend
from ..names.naming_hints import NamingHints
from ..names.spelling import Spelling
from ..stack_machine.conditions import negation
from ..stack_machine.machine import Machine, Nested
from ..stack_machine.state import Const, Container, MachineState, Null, Opaque, Pure, Raised, Unbound, Value
from ..syntax import nodes as n
from .analysis import Analysis, DispatchNode, Edge
from .blocks import Blocks, DispatchBlock, Successor
from .levels import Levels, handled_part, is_inside
from .merging import Path, merge_states
from .operations import CARRIED
from .parked import always_bound, keeping_alive, live_around, parked_locals, successors_of

_LONG_RUNNING = frozenset(
    {"CALL", "CALL_EX", "CALL_FUNCTION", "CALL_FUNCTION_EX", "BINARY_OP", "COMPARE_OP", "YIELD_VALUE"}
)  # fmt: skip

_LEAVING = frozenset({"NOP", "JUMP", "CONST", "SWAP", "COPY", "POP", "RETURN_VALUE"})
"""Operations between the end of a with statement's body and a return, besides calls of exit functions."""

_MAX_LEAVING = 200
"""Instructions that may leave with statements before a return."""


class CarriedBlocks(Blocks):
    """Executes the nodes in an order in which those before each one are known, except for the ends of loops."""

    def __init__(
        self, raw: RawCode, spelling: Spelling, analysis: Analysis, nested: Nested | None, naming: NamingHints
    ) -> None:
        super().__init__(raw, spelling, analysis, nested, naming)
        machine = self.machine
        machine.handlers = {**CARRIED, "DELETE_FAST": _delete_variables}
        machine.all_uses_known = True
        machine.preferred = {spelling.variable(name) for name in raw.localsplus if not naming.is_made_up(name)}
        following = successors_of(analysis.instructions)
        machine.parked = parked_locals(raw, analysis.instructions, following, naming)
        self.always_bound = always_bound(analysis.instructions, following, naming)
        machine.keeping_alive = keeping_alive(analysis.instructions)
        self.live_before, self.live_after = live_around(machine.parked, analysis.instructions, following)
        self.order = reverse_postorder(analysis.entry, _following)
        self.position = {node: index for index, node in enumerate(self.order)}
        self.loops = self._loops()
        self.blocks: dict[DispatchNode, DispatchBlock] = {}
        self.arrivals: dict[DispatchNode, list[tuple[Levels, Successor]]] = {}
        self.left_by: dict[DispatchNode, list[Levels]] = {}
        """The ``try`` bodies whose exceptions lead to each node."""
        self.starts: dict[Levels, MachineState] = {}
        """What holds where each ``try`` body begins."""
        self.headers: dict[DispatchNode, tuple[MachineState, set[str]]] = {}
        """What holds at the start of every iteration of a loop, and the variables of ours that there were before it."""

    def run(self) -> list[DispatchBlock]:
        for node in self.order:
            if node is self.analysis.entry or node in self.arrivals or node in self.left_by:
                self.blocks[node] = self.block(node)
                for handler, _ in node.handlers:
                    for body in self._bodies(node.levels):
                        if self.analysis.handler_of.get(body) is handler:
                            bodies = self.left_by.setdefault(handler, [])
                            bodies += [body] if body not in bodies else []
        return [self.blocks[node] for node in self.analysis.all if node in self.blocks]

    def _bodies(self, levels: Levels) -> list[Levels]:
        return [levels[: count + 1] for count, level in enumerate(levels) if level.is_body]

    def _loops(self) -> dict[DispatchNode, set[DispatchNode]]:
        """Return the nodes of each loop by its first one, outer loops first."""
        before: dict[DispatchNode, list[DispatchNode]] = {}
        back: dict[DispatchNode, list[DispatchNode]] = {}
        for node in self.order:
            for after in _following(node):
                before.setdefault(after, []).append(node)
                if self.position[after] <= self.position[node]:
                    back.setdefault(after, []).append(node)
        loops: dict[DispatchNode, set[DispatchNode]] = {}
        for header in sorted(back, key=lambda node: self.position[node]):
            if header.end != "for" or any(self.instructions[pc].op != "NOP" for pc in header.pcs[:-1]):
                raise self.machine.error("a loop in code that no compiler made")
            inside, todo = {header}, back[header]
            while todo:
                spend(STEP, "the dispatch loop")
                node = todo.pop()
                if node not in inside:
                    inside.add(node)
                    todo += before.get(node, ())
            if any(self.position[node] < self.position[header] for node in inside):
                raise self.machine.error("a loop with several entries")
            loops[header] = inside
        return loops

    # What holds at the beginning of a node

    def beginning(self, node: DispatchNode) -> MachineState:
        machine = self.machine
        machine.handling = bool(handled_part(node.levels))
        spend(len(node.pcs) * (2 + len(node.slots) / 20) + len(self.loops), "following the order of events")
        loops = [header for header, inside in self.loops.items() if node in inside]
        arrivals = self.arrivals.get(node, [])
        for levels, arrival in arrivals:
            machine.line = arrival.line
            with machine.within(arrival.state, arrival.statements):
                if node in self.left_by:
                    machine.flush()
                if self._entered(levels, node) and node.levels[-1].kind == "try":
                    machine.release([])
                    self.name_stack()
        if node in self.left_by:
            state = self._after_exception(node, arrivals)
        elif node is self.analysis.entry:
            state = self._parameters()
        elif len(arrivals) == 1:
            state = arrivals[0][1].state
        else:
            machine.live = self.live_before[node.pcs[0]] if node.pcs else frozenset()
            paths = [Path(arrival.state, arrival.statements) for _, arrival in arrivals]
            state = merge_states(machine, paths, node in self.before_long_running)
        if node in self.loops:
            changed = self._changed(node, "STORE_FAST", "DELETE_FAST")
            self._forget(state, changed, self._changed(node, "DELETE_FAST"))
            self.headers[node] = state.copy(), set(machine.temporaries)
        machine.set_before_loop = self.headers[loops[-1]][1] if loops else set()
        for body in self._bodies(node.levels):
            if body not in self.starts:
                self.starts[body] = start = state.copy()
                for value in start.stack[body[-1].kept :]:
                    start.names.pop(value, None)
            elif all(self._entered(levels, node, len(body)) for levels, _ in arrivals) and arrivals:
                raise machine.error("a try statement with several beginnings")
        return state.copy()

    def _entered(self, levels: Levels, node: DispatchNode, size: int = 0) -> bool:
        """Whether an edge from ``levels`` enters a body of ``node``: that at ``size``, or any."""
        return any(not is_inside(levels, body) for body in self._bodies(node.levels) if size in (0, len(body)))

    def _parameters(self) -> MachineState:
        state = MachineState()
        for name in self.raw.parameters:
            text = self.machine.spelling.variable(name)
            value = Opaque(text)
            state.locals[name] = value
            if name not in self.raw.cellvars:
                state.names[value] = [text]
        return state

    def _after_exception(self, node: DispatchNode, arrivals: list[tuple[Levels, Successor]]) -> MachineState:
        """Return what holds where exceptions lead, and these ``arrivals``."""
        machine = self.machine
        paths = [Path(self._where_raised(body, node), []) for body in self.left_by[node]]
        paths += [Path(arrival.state, arrival.statements) for _, arrival in arrivals]
        if len(paths) == 1:
            return paths[0].state
        state = merge_states(machine, paths, False)
        if any(path.out for path in paths[: len(self.left_by[node])]):
            raise machine.error("a with statement leaves something on the stack")
        return state

    def _where_raised(self, body: Levels, node: DispatchNode) -> MachineState:
        """Return what holds at ``node`` if an exception leads there, which may be raised anywhere in ``body``."""
        machine = self.machine
        level = body[-1]
        state = self.starts[body].copy()
        inside = [block for block in self.blocks.values() if is_inside(block.node.levels, body)]
        spend(len(self.blocks) / 5 + len(inside), "following the order of events")
        statements = [block.statements for block in inside]
        statements += [successor.statements for block in inside for successor in block.successors]
        assigned = {name for part in statements for name in _assigned(part)}
        assigned.update(name for block in inside for name in _names(block.target))
        known = set(state.names)
        self._forget(state, {name for name in state.locals if machine.spelling.variable(name) in assigned}, set())
        for value, names in list(state.names.items()):
            kept = [name for name in names if name not in assigned or value not in known]
            state.names[value] = kept
            if not kept:
                del state.names[value]
        state.stack = state.stack[: level.kept]
        for slot in node.slots[level.kept :]:
            value = Opaque("exception") if slot.kind == "exception" else Raised(slot.kind)
            if slot.kind == "exception":
                state.names[value] = [self.variables.exception(slot.detail)]
                self.exceptions[value] = slot.detail
            state.stack.append(value)
        return state

    def _forget(self, state: MachineState, changed: set[str], deleted: set[str]) -> None:
        """Forget what is known of the variables ``changed``, of which those ``deleted`` may be unbound."""
        texts = {self.machine.spelling.variable(name) for name in changed}
        for value, names in list(state.names.items()):
            names[:] = [name for name in names if name not in texts]
            if not names:
                del state.names[value]
        for name in changed:
            held = state.locals.get(name)
            if held is None:
                continue
            if isinstance(held, Unbound) or name in deleted:
                state.locals[name] = Unbound()
            else:
                text = self.machine.spelling.variable(name)
                state.locals[name] = new = Opaque(text)
                state.names[new] = [text]

    @cached_property
    def before_long_running(self) -> set[DispatchNode]:
        """The nodes from which a long-running operation is reachable."""
        found = {node for node in self.order if any(self.instructions[pc].op in _LONG_RUNNING for pc in node.pcs)}
        count = -1
        while count != len(found):
            count = len(found)
            found.update(node for node in self.order[::-1] if any(e.target in found for e in node.edges))
        return found

    # Loops

    def _changed(self, header: DispatchNode, *operations: str) -> set[str]:
        inside = [self.instructions[pc] for node in self.loops[header] for pc in node.pcs]
        return {ins.arg for ins in inside if ins.op in operations}

    def _keep(self, header: DispatchNode) -> None:
        """Store the values that are needed during or after the loop to variables that it does not change."""
        machine = self.machine
        state = machine.state
        changed = {machine.spelling.variable(name) for name in self._changed(header, "STORE_FAST", "DELETE_FAST")}
        iterator = machine.pop()
        [iterable] = machine.texts([iterator])
        parked = [state.locals[name] for name in sorted(self.live_before[header.pcs[0]]) if name in state.locals]
        with machine.using([iterator]):
            machine.flush()
            for value in state.held([*state.stack, *parked]):
                if isinstance(value, (Null, Raised, Const, Pure, Unbound)):
                    continue
                names = state.names.get(value, [])
                if isinstance(value, Container) and not names and value not in state.held(parked):
                    continue
                if not names:
                    machine.name(value)
                elif changed.issuperset(names):
                    name = machine.temporary(value.hint)
                    machine.emit(n.Assign([n.Name(name)], n.Name(names[0]), line=machine.line))
                    state.names[value].append(name)
            machine.escape(parked)
        machine.release([iterable])
        name = machine.spelling.fresh("iterator")
        self.variables.ours.add(name)
        machine.out.append(n.Assign([n.Name(name)], iterable, line=machine.line))
        machine.push(machine.held_by(name))

    def _come_back(self, header: DispatchNode) -> None:
        """Check that the state at the end of an iteration is that at its start."""
        start, state = self.headers[header][0], self.machine.state
        if len(start.stack) != len(state.stack) or any(a is not b for a, b in zip(start.stack, state.stack)):
            raise self.machine.error("an iteration does not come back to its head")
        for value in start.held(start.stack):
            if start.heap.get(value) != state.heap.get(value) or start.has_name(value) != state.has_name(value):
                raise self.machine.error("an iteration changes what was built before it")

    # During a node

    def prepare(self, pc: int) -> None:
        if pc >= 0:
            self.machine.live = self.live_after[pc]

    def name_stack(self) -> None:
        """Store the stack entries to variables, except private containers and terms."""
        machine = self.machine
        for value in machine.state.stack:
            if not isinstance(value, (Null, Raised, Const, Pure)) and machine.state.private(value) is None:
                machine.name(value)

    # Ends

    def required(self, edge: Edge) -> list[tuple[int, str]]:
        return []

    def store_for_branch(self, falls: Edge, jumps: Edge, value: Value, keeps: bool) -> None:
        if keeps and not isinstance(value, (Const, Pure)):
            self.machine.name(value)

    def outcome(self, ins: Instruction, value: Value) -> bool | None:
        state = self.machine.state
        if "NONE" in ins.op and state.private(value) is not None:
            if not any(part in state.pending for part in state.tree([value])):
                return ins.op == "POP_JUMP_IF_NOT_NONE"
        return super().outcome(ins, value)

    def end_branch(self, block: DispatchBlock, ins: Instruction) -> None:
        block.line = self.machine.line
        super().end_branch(block, ins)
        if block.successors[0].target is not block.node.edges[0].target and block.test is not None:
            block.test, block.successors = negation(block.test), block.successors[::-1]

    def successor(self, edge: Edge, pushed: tuple[Value, ...] = ()) -> Successor:
        machine, target = self.machine, edge.target
        result = Successor(target, [])
        result.state, result.line = machine.state.copy(), machine.line
        spend((len(machine.state.names) + len(machine.state.locals)) / 20, "following the order of events")
        levels = self.node.levels
        with machine.within(result.state, result.statements):
            machine.state.stack += pushed
            if target in self.loops and target not in self.headers:
                self._keep(target)
            if levels != target.levels or target in self.headers or target in self.left_by:
                machine.flush()
            common = 0
            while common < min(len(levels), len(target.levels)) and levels[common] == target.levels[common]:
                common += 1
            for level in levels[common:]:
                if level.kind == "with":
                    self.name_stack()
                if level.is_body:
                    machine.release([], all_stale=True)
                else:
                    machine.free(self.variables.exception(levels[: levels.index(level) + 1]))
            if target in self.headers:
                self._come_back(target)
        if target not in self.headers:
            self.arrivals.setdefault(target, []).append((levels, result))
        return result

    def end_jump(self, block: DispatchBlock) -> None:
        [edge] = block.node.edges
        tail = self._return_after(edge.target) if any(level.kind == "with" for level in self.node.levels) else []
        for pc in tail:
            if self.instructions[pc].op == "RETURN_VALUE":
                self.machine.statement([self.machine.pop()], lambda value: n.Return(value))
                return
            self.prepare(pc)
            self.machine.execute(self.instructions[pc])
        block.successors = [self.successor(edge)]

    def _return_after(self, node: DispatchNode) -> list[int]:
        """Return the instructions from ``node`` to a return, if they only leave with statements."""
        found: list[int] = []
        calls = 0
        while node.end in ("jump", "exit") and not handled_part(node.levels) and len(found) < _MAX_LEAVING:
            found += node.pcs
            for pc in node.pcs:
                ins = self.instructions[pc]
                calls += ins.op == "CALL" and ins.arg == (2, ())
                if ins.op not in _LEAVING and not (ins.op == "CALL" and ins.arg == (2, ())):
                    return []
            if node.end == "exit":
                return found if calls == len(self._bodies(self.node.levels)) else []
            node = node.edges[0].target
        return []

    def end_for(self, block: DispatchBlock, ins: Instruction) -> None:
        machine = self.machine
        if ins.op.startswith("ASYNC"):
            raise machine.error("an asynchronous iteration in code that no compiler made")
        item, exhausted = block.node.edges
        iterator = machine.state.stack[-1]
        block.line = machine.line
        [block.iterator] = machine.texts([iterator])
        with machine.using([iterator]):
            machine.flush()
        first = self.successor(item)
        with machine.within(first.state, first.statements):
            block.target = self._target(item.target)
        machine.pop()
        block.successors = [first, self.successor(exhausted)]

    def _target(self, node: DispatchNode) -> n.Expression:
        """Return the target of the loop whose body begins with ``node``, and take the stores to it from there."""
        machine = self.machine
        instructions = [self.instructions[pc] for pc in node.pcs]
        count = instructions[0].arg if instructions and instructions[0].op == "UNPACK_SEQUENCE" else 0
        first = 1 if count else 0
        stores = instructions[first : first + (count or 1)]
        plain = all(ins.op == "STORE_FAST" and ins.arg not in machine.parked for ins in stores)
        alone = plain and len({ins.arg for ins in stores}) == (count or 1) and node.pcs[0] not in self.analysis.joins
        if not alone:
            name = machine.temporary("item")
            machine.push(machine.held_by(name))
            return n.Name(name)
        self.skipped[node] = first + len(stores)
        targets: list[n.Expression] = [n.Name(machine.spelling.variable(ins.arg)) for ins in stores]
        for ins in stores:
            text = machine.spelling.variable(ins.arg)
            machine.free(text)
            machine.state.locals[ins.arg] = machine.held_by(text)
        return n.Tuple(targets) if count else targets[0]

    def end_with(self, block: DispatchBlock, ins: Instruction) -> None:
        machine = self.machine
        [edge] = block.node.edges
        manager = machine.pop()
        machine.name_stale_events([manager])
        [context] = machine.texts([manager])
        with machine.using([manager]):
            machine.flush()
            self.name_stack()
        machine.release([context])
        detail = edge.slots[len(machine.state.stack)].detail
        self.variables.entered_at[detail] = machine.line
        machine.emit(n.Assign([n.Name(self.variables.manager(detail))], context))
        machine.push(Raised("exit"))
        if edge.target.pcs and self.instructions[edge.target.pcs[0]].op == "POP":
            self.variables.entered[detail] = None
            machine.push(Opaque("entered"))
        else:
            self.variables.entered[detail] = name = machine.temporary("entered")
            machine.push(machine.held_by(name))
        block.successors = [self.successor(edge)]


def _delete_variables(machine: Machine, name: str) -> None:
    """``del x``. A following store of a pending value is written first, as nothing happens between the two."""
    delete = CARRIED["DELETE_FAST"]
    if name in machine.parked:
        delete(machine, name)
        return
    deleted = [name]
    coming = machine.upcoming(1)
    while coming and coming[0].op == "DELETE_FAST":
        deleted.append(coming[0].arg)
        machine.next_index += 1
        coming = machine.upcoming(1)
    stack = machine.state.stack
    if coming and coming[0].op == "STORE_FAST" and coming[0].arg not in deleted:
        if stack and stack[-1] in machine.state.pending:
            machine.next_index += 1
            machine.execute(coming[0])
    for one in deleted:
        if isinstance(machine.state.locals.get(one), (Unbound, type(None))):
            machine.flush()
        delete(machine, one)


def _following(node: DispatchNode) -> list[DispatchNode]:
    return [edge.target for edge in node.edges] + [handler for handler, _ in node.handlers]


def _assigned(body: list[n.Statement]) -> Iterator[str]:
    """Yield the variables that the statements assign or delete."""
    for node in n.walk(body):
        targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
        for target in targets:
            if isinstance(target, n.Name):
                yield target.id


def _names(target: n.Expression) -> Iterator[str]:
    return (node.id for node in n.walk(target) if isinstance(node, n.Name))
