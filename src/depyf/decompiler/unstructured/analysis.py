"""Instructions -> nodes: runs of instructions at the same levels, and the edges between them.

An instruction belongs to several nodes if it is reached with different handled exceptions, or with different positions
of stack entries that no variable can hold (the NULL of a call).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..bytecode import CONDITIONAL_JUMPS, NEVER_RAISES, NO_FALL_THROUGH, Instruction
from ..limits.budget import spend
from .levels import Error, Levels, Ranges, handled_part, is_inside
from .slots import VALUE, StackSlot, StackSlots, merge, rigid, same_slot, simulate

_MAX_NODES_PER_INSTRUCTION = 6
"""Average number of nodes per instruction that is still accepted."""

_SILENT = frozenset(
    {"NOP", "CONST", "POP", "COPY", "SWAP", "STORE_FAST", "DELETE_FAST", "LOAD_FAST", "STORE_DEREF", "DELETE_DEREF",
     "JUMP", "NULL", "LOAD_CLOSURE"}
)  # fmt: skip
"""Operations without a visible effect, which a handler may execute before it raises again."""

_UNSEEN = frozenset({"NOP", "CONST", "POP", "COPY", "SWAP", "JUMP", "NULL", "LOAD_CLOSURE", "POP_EXCEPT"})
"""Operations allowed between the end of a with statement's body and the call of the exit function."""


def is_exit_call(ins: Instruction, slots: list[StackSlot]) -> bool:
    """Whether ``ins`` calls the exit function of a with statement that no exception leaves."""
    if ins.op != "CALL" or ins.arg != (2, ()) or len(slots) < 4 or slots[-4].kind != "exit":
        return False
    return all(slot.kind == "const" and slot.detail is None for slot in slots[-3:])


class Edge(NamedTuple):
    """An edge to another node, with the stack on arrival."""

    target: DispatchNode
    slots: StackSlots


class DispatchNode:
    """A run of instructions.

    ``end``: "jump", "branch" (edges: falls, jumps), "for" (edges: item, exhausted), "with" (a context manager is
    entered), "exit", "raise" (reraise the handled exception), "leave" (leave the handler with the exception).
    """

    def __init__(self, number: int, pc: int, levels: Levels, slots: StackSlots) -> None:
        self.number = number
        self.pc = pc
        self.levels = levels
        self.slots = slots
        self.pcs: list[int] = []
        self.end = "jump"
        self.edges: list[Edge] = []
        self.handlers: list[tuple[DispatchNode, int]] = []  # with the stack depth they keep

    def __repr__(self) -> str:
        return f"node {self.number} at {self.pc}"


class Analysis:
    """The nodes of a code object that are reachable from its first instruction."""

    def __init__(self, instructions: list[Instruction], error: Error) -> None:
        self.instructions = instructions
        self.stage = error("").stage
        self.error = error
        self.ranges = Ranges(instructions, error)
        self.nodes: dict[Any, DispatchNode] = {}
        self.handler_of: dict[Levels, DispatchNode] = {}  # keyed by the levels of the try body
        self.joins = self._joins()
        self.worklist: list[DispatchNode] = []
        self.entry = self.enter(0, (), [])
        while self.worklist:
            self.execute(self.worklist.pop())
            if len(self.nodes) > _MAX_NODES_PER_INSTRUCTION * len(instructions) + 50:
                raise error("too many contexts")
        self._remove_unreachable()

    def _joins(self) -> set[int]:
        """Return the instructions with several predecessors, not counting unreachable ones."""
        counts = [0] * (len(self.instructions) + 1)
        todo = [0]
        while todo:
            index = todo.pop()
            counts[index] += 1
            if counts[index] == 1 and index < len(self.instructions):
                ins = self.instructions[index]
                todo += [ins.target] if ins.target >= 0 else []
                todo += [index + 1] if ins.op not in NO_FALL_THROUGH else []
                if ins.handler is not None and not counts[ins.handler.target]:
                    todo.append(ins.handler.target)
        return {index for index, count in enumerate(counts) if count > 1}

    def _remove_unreachable(self) -> None:
        reachable: dict[DispatchNode, None] = {}
        worklist = [self.entry]
        while worklist:
            node = worklist.pop()
            if node not in reachable:
                reachable[node] = None
                worklist += [edge.target for edge in node.edges] + [handler for handler, _ in node.handlers]
                for edge in node.edges:
                    self._check_with(node, edge.target)
        self.all = sorted(reachable, key=lambda node: node.number)

    def _check_with(self, node: DispatchNode, target: DispatchNode) -> None:
        """Refuse an edge into the body of a with statement other than that which enters the manager."""
        common = 0
        while common < min(len(node.levels), len(target.levels)) and node.levels[common] == target.levels[common]:
            common += 1
        entered = [level for level in target.levels[common:] if level.kind == "with"]
        if entered and (node.end != "with" or len(target.levels) > common + 1):
            raise self.error("control enters a with statement in another way than by its beginning")

    # Entering a node

    def enter(self, pc: int, handled: Levels, slots: list[StackSlot]) -> DispatchNode:
        """Return the node at ``pc``, reached while these exceptions are handled and with this stack."""
        if pc >= len(self.instructions):
            raise self.error("control leaves the code")
        return self.node(pc, self.levels_at(pc, handled, slots), slots)

    def node(self, pc: int, levels: Levels, slots: list[StackSlot]) -> DispatchNode:
        """Return the node that begins like this, with its knowledge of the stack merged with this path's."""
        slots = [self.at_levels(slot, levels) for slot in slots]
        key = (pc, levels, tuple(rigid(slot) for slot in slots))
        node = self.nodes.get(key)
        if node is None:
            node = self.nodes[key] = DispatchNode(len(self.nodes), pc, levels, tuple(slots))
            self.worklist.append(node)
            return node
        merged = tuple(merge(a, b)._replace(origin=-1) for a, b in zip(node.slots, slots))
        if not all(same_slot(a, b) for a, b in zip(merged, node.slots)):
            node.slots = merged
            self.worklist.append(node)
        return node

    def at_levels(self, slot: StackSlot, levels: Levels) -> StackSlot:
        """Return ``slot`` as seen at ``levels``: an entry of a handler that was left is a plain value or unusable."""
        if slot.kind == "exception" and not is_inside(levels, slot.detail):
            return VALUE._replace(origin=slot.origin)
        if slot.kind == "previous" and not is_inside(levels, slot.detail):
            return StackSlot("lasti")
        return slot

    def levels_at(self, pc: int, handled: Levels, slots: list[StackSlot]) -> Levels:
        """Return the levels at ``pc``: those of the next instruction that can raise."""
        first, seen = pc, set()
        while pc < len(self.instructions) and pc not in seen and (pc == first or pc not in self.joins):
            seen.add(pc)
            ins = self.instructions[pc]
            if ins.op in ("PUSH_EXC_INFO", "POP_EXCEPT"):
                break
            if ins.op not in NEVER_RAISES:
                return self.ranges.levels_of(pc, handled, slots) or handled
            if ins.op in CONDITIONAL_JUMPS or ins.op in NO_FALL_THROUGH and ins.op != "JUMP":
                break
            pc = ins.target if ins.op == "JUMP" else pc + 1
        return self.ranges.levels_of(first, handled, slots) or handled

    # Executing a node to its end

    def execute(self, node: DispatchNode) -> None:
        node.pcs, node.edges, node.handlers = [], [], []
        slots = [slot._replace(origin=index) for index, slot in enumerate(node.slots)]
        handled = handled_part(node.levels)
        in_with = "exit" in [slot.kind for slot in slots]
        if node.end == "leave":
            level = node.levels[-1]
            node.edges = [self.edge(level.handler.target, handled_part(node.levels[:-1]), slots)]
            return
        pc = node.pc
        while True:
            ins = self.instructions[pc]
            if node.pcs and (pc in self.joins or pc == node.pc):
                node.end, node.edges = "jump", [self.edge(pc, handled, slots)]
                return
            if ins.op not in NEVER_RAISES:
                levels = self.ranges.levels_of(pc, handled, slots)
                if levels is None:
                    raise self.error("code in a handler that would not restore the exception handled before")
                if levels != node.levels:
                    if pc == node.pc:
                        raise self.error("exception ranges that no source can have")
                    node.end, node.edges = "jump", [self.edge(pc, handled, slots)]
                    return
                if levels:
                    self.add_handler_edge(node, slots)
            spend(0.5 + len(slots) / 20 + len(node.levels) / 5, "the dispatch loop")
            node.pcs.append(pc)
            if in_with:
                self.check_exits(node, ins, slots)
            try:
                if self.step(node, ins, pc, handled, slots):
                    return
            except IndexError:
                raise self.error(f"{ins.op} stands on too small a stack") from None
            pc = ins.target if ins.op == "JUMP" else pc + 1
            if pc >= len(self.instructions):
                raise self.error("control leaves the code")

    def step(self, node: DispatchNode, ins: Instruction, pc: int, handled: Levels, slots: list[StackSlot]) -> bool:
        """Execute one instruction. Return True if it ends the node."""
        if ins.op in CONDITIONAL_JUMPS:
            node.end = "for" if ins.op.endswith("FOR_ITER") else "branch"
            jumped = slots[:]
            simulate(ins, slots)
            simulate(ins, jumped, jump=True)
            node.edges = [self.edge(pc + 1, handled, slots), self.edge(ins.target, handled, jumped)]
            return True
        if ins.op in NO_FALL_THROUGH and ins.op != "JUMP":
            node.end = "exit"
            if not slots and ins.arg != 0:
                raise IndexError
            return True
        if ins.op in ("BEFORE_WITH", "BEFORE_ASYNC_WITH"):
            self.enter_with(node, ins, pc, handled, slots)
            return True
        if ins.op == "CALL" and is_exit_call(ins, slots):
            slots[-4:] = [StackSlot("lasti")]
            return False
        if ins.op in ("GET_AWAITABLE", "YIELD_FROM") and slots[-1 - (ins.op == "YIELD_FROM")].kind == "lasti":
            del slots[len(slots) - (ins.op == "YIELD_FROM") :]
            return False
        if ins.op == "PUSH_EXC_INFO":
            if pc != node.pc or not node.levels or slots[-1] != StackSlot("exception", node.levels, len(slots) - 1):
                raise self.error("PUSH_EXC_INFO is not at the beginning of a handler")
            slots[-1:] = [StackSlot("previous", node.levels), StackSlot("exception", node.levels)]
            return False
        if ins.op == "POP_EXCEPT":
            top = slots.pop()
            if not handled or handled[-1].kind != "except" or (top.kind, top.detail) != ("previous", handled):
                raise self.error("POP_EXCEPT restores another exception than that handled before")
            if self.only_reraises(pc + 1, slots, handled):
                node.end = "raise"
            else:
                node.end, node.edges = "jump", [self.edge(pc + 1, handled_part(handled[:-1]), slots)]
            return True
        simulate(ins, slots)
        return False

    # With statements

    def enter_with(
        self, node: DispatchNode, ins: Instruction, pc: int, handled: Levels, slots: list[StackSlot]
    ) -> None:
        """Enter a context manager; the body of a with statement follows."""
        slots[-1:] = [StackSlot("exit", (pc, ins.op == "BEFORE_ASYNC_WITH", node.levels)), VALUE]
        pc += 1
        if ins.op == "BEFORE_ASYNC_WITH":
            if [one.op for one in self.instructions[pc : pc + 3]] != ["GET_AWAITABLE", "CONST", "YIELD_FROM"]:
                raise self.error("an asynchronous context manager is not awaited where it is entered")
            pc += 3
        levels = self.ranges.levels_of(pc, handled, slots)
        if levels is None or levels[:-1] != node.levels or levels[-1].kind != "with":
            raise self.error("a context manager is entered without a with statement")
        node.end = "with"
        node.edges = [Edge(self.node(pc, levels, slots), tuple(slots))]

    def check_exits(self, node: DispatchNode, ins: Instruction, slots: list[StackSlot]) -> None:
        """Check that after the body of a with statement the exit function is called before any visible effect."""
        exits = [index for index, slot in enumerate(slots) if slot.kind == "exit"]
        if not exits:
            return
        top = slots[-1].kind
        if ins.op == "POP" and top == "exit" or ins.op == "RETURN_VALUE":
            raise self.error("a with statement is left without a call of the exit function")
        active = {level.handler.depth - 1 for level in node.levels if level.kind == "with"}
        left = [index for index in exits if index not in active]
        if left and ins.op not in _UNSEEN and not (is_exit_call(ins, slots) and left[-1] == len(slots) - 4):
            raise self.error("something happens between a with statement and the call of its exit function")
        if left and is_exit_call(ins, slots) and slots[-4].detail[2] != node.levels:
            raise self.error("the exit function of a with statement is called in another exception range")

    def edge(self, pc: int, handled: Levels, slots: list[StackSlot]) -> Edge:
        target = self.enter(pc, handled, slots)
        return Edge(target, tuple(self.at_levels(slot, target.levels) for slot in slots))

    def only_reraises(self, pc: int, slots: list[StackSlot], levels: Levels) -> bool:
        """Whether the code at ``pc`` only reraises the exception of ``levels``."""
        slots = slots[:]
        for _ in range(20):
            if pc >= len(self.instructions):
                return False
            ins = self.instructions[pc]
            if ins.op == "RERAISE":
                return bool(slots) and (slots[-1].kind, slots[-1].detail) == ("exception", levels)
            if ins.op not in _SILENT:
                return False
            try:
                simulate(ins, slots)
            except IndexError:
                return False
            pc = ins.target if ins.op == "JUMP" else pc + 1
        return False

    # Exceptions

    def add_handler_edge(self, node: DispatchNode, slots: list[StackSlot]) -> None:
        """Enter the innermost handler with this stack: an instruction of ``node`` can raise."""
        index = len(node.levels) - 1
        while index >= 0 and not node.levels[index].is_body:
            index -= 1
        if index < 0:
            return
        body = node.levels[: index + 1]
        level = body[-1]
        if level.kind == "with":
            entry = self.with_entry(body, slots[: level.kept])
        else:
            entry = self.handler_entry(body, slots[: level.kept])
        self.handler_of[body] = entry
        if (entry, level.kept) not in node.handlers:
            node.handlers.append((entry, level.kept))

    def with_entry(self, body: Levels, slots: list[StackSlot]) -> DispatchNode:
        """Return the node where control continues if the exit function suppresses the exception."""
        outer, level = body[:-1], body[-1]
        chain = self.ranges.chain(level.handler.target + 1)
        end = self.ranges.with_end(level.handler)
        if end is None or chain != self.ranges.expected((*outer, level._replace(kind="except"))):
            raise self.error("the handler of a with statement that would not restore the exception handled before")
        return self.enter(end, handled_part(outer), slots)

    def handler_entry(self, body: Levels, slots: list[StackSlot]) -> DispatchNode:
        outer, level = body[:-1], body[-1]
        if level.handler.lasti:
            slots = [*slots, StackSlot("lasti")]
        if self.instructions[level.handler.target].op == "PUSH_EXC_INFO":
            levels = (*outer, level._replace(kind="except"))
            return self.node(level.handler.target, levels, [*slots, StackSlot("exception", levels)])
        levels = (*outer, level._replace(kind="silent"))
        entry = [*slots, StackSlot("exception", levels)]
        if self.only_reraises(level.handler.target, entry, levels):
            return self.node(level.handler.target, levels, entry)
        known = len(self.nodes)
        levels = (*outer, level._replace(kind="except"))
        node = self.node(-1 - level.handler.target, levels, [*slots, StackSlot("exception", levels)])
        if node.number == known:
            node.end = "leave"
        return node
