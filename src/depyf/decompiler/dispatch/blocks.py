"""Executes the nodes one by one: the statements of each, what decides where to go on, and what each way needs first."""

from __future__ import annotations

from ..bytecode import Handler, Instruction, RawCode
from ..events.functions import Nested, make_function
from ..events.state import Const, Null, Opaque, Pure, Raised, State, Value
from ..names.spelling import Spelling
from ..syntax import nodes as n
from .analysis import Analysis, Edge, Node
from .levels import handled_part
from .operations import MoreOperations
from .variables import SlotVariables, bound_variables


class Way:
    """An edge with what has to be done on it."""

    def __init__(self, target: Node, statements: list[n.Statement]) -> None:
        self.target = target
        self.statements = statements


class Block:
    """A node as text. ``test`` decides between two ``ways``: true, false. ``iterator`` and ``item``: of a FOR_ITER."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.statements: list[n.Statement] = []
        self.test: n.Expression | None = None
        self.iterator: n.Expression | None = None
        self.is_async = False
        self.item = ""
        self.ways: list[Way] = []
        self.line: int | None = None


class Blocks(MoreOperations):
    """Makes the blocks of all nodes."""

    def __init__(self, raw: RawCode, spelling: Spelling, analysis: Analysis, nested: Nested) -> None:
        super().__init__(raw, spelling)
        self.nested = nested
        self.analysis = analysis
        self.instructions = analysis.instructions
        self.variables = SlotVariables(analysis, spelling)
        self.bound = bound_variables(analysis, raw)
        self.handler = None
        self.originals = {spelling.variable(name) for name in raw.localsplus}
        self.here: set[int] = set()
        self.folded = 0

    def run(self) -> list[Block]:
        """The blocks that are reached: some tests have a known outcome."""
        blocks = {node: self.block(node) for node in self.analysis.all}
        reached: dict[Node, None] = {}
        todo = [self.analysis.entry]
        while todo:
            node = todo.pop()
            if node not in reached:
                reached[node] = None
                todo += [way.target for way in blocks[node].ways] + [handler for handler, _ in node.handlers]
        return [block for node, block in blocks.items() if node in reached]

    def block(self, node: Node) -> Block:
        """The text of one node."""
        block = Block(node)
        self.out = block.statements
        self.node = node
        self.state = self.beginning(node)
        self.here = {id(self.instructions[pc]) for pc in node.pcs}
        self.line = None
        self.place = 0
        self.keep_for_handlers()
        while self.place < len(node.pcs):
            pc = node.pcs[self.place]
            ins = self.instructions[pc]
            self.line = ins.line or self.line
            if block.line is None:
                block.line = self.line
            self.place += 1
            if self.place == len(node.pcs) and node.end in ("branch", "for", "with", "exit"):
                getattr(self, "end_" + node.end)(block, ins)
                return block
            self.one(pc, ins)
            self.keep_for_handlers()
        if node.end == "raise":
            self.flush()
            self.emit(n.Raise())
        else:
            self.end_jump(block)
        return block

    def one(self, pc: int, ins: Instruction) -> None:
        """One instruction that neither jumps nor leaves."""
        if ins.op == "MAKE_FUNCTION":
            self.place += make_function(self, pc) - pc - 1  # type: ignore[arg-type]
        elif ins.op == "PUSH_EXC_INFO":
            self.state.stack.insert(-1, Raised("previous"))
        elif ins.op == "POP_EXCEPT":
            self.pop()
        elif ins.op == "CALL" and ins.arg == (2, ()) and self.calls_exit_function():
            self.pop_many(4)  # leaving the with statement has done it
            self.push(Raised("left"))
        elif ins.op == "GET_AWAITABLE" and isinstance(self.state.stack[-1], Raised):
            self.place += 2
        elif ins.op != "JUMP":
            self.execute(ins)

    def calls_exit_function(self) -> bool:
        """Whether a call of two arguments is that of the exit function where a with statement was left."""
        function, *arguments = self.state.stack[-4:]
        nothing = all(isinstance(one, Const) and one.value is None for one in arguments)
        return isinstance(function, Raised) and function.hint == "exit" and nothing

    def handler_of(self, ins: Instruction) -> Handler | None:
        """For ``make_function``: whether ``ins`` stands in this node."""
        return None if id(ins) in self.here else Handler(-1, 0, False)

    def upcoming(self, count: int) -> list[Instruction]:
        """The next instructions of the node."""
        return [self.instructions[pc] for pc in self.node.pcs[self.place : self.place + count]]

    def beginning(self, node: Node) -> State:
        state = State()
        for name in sorted(self.bound[node]):
            text = self.spelling.variable(name)
            state.locals[name] = held = Opaque(text)
            state.names[held] = [text]
        self.exceptions: dict[Value, object] = {}
        for place, slot in enumerate(node.slots):
            value: Value
            if slot.kind == "null":
                value = Null()
            elif slot.kind == "const":
                value = Const(slot.detail)
            elif slot.kind == "cell":
                value = Pure("cell", (), self.spelling.variable(slot.detail))
            elif slot.kind == "value":
                value = Opaque(slot.detail or "value")
                state.names[value] = [self.variables.name(node, place)]
                if slot.detail:
                    self.kinds[value] = slot.detail
            elif slot.kind == "exception":
                value = Opaque("exception")
                state.names[value] = [self.variables.exception(slot.detail)]
                self.exceptions[value] = slot.detail
            else:
                value = Raised(slot.kind)
            state.stack.append(value)
        return state

    # What others need of the stack

    def keep_for_handlers(self) -> None:
        """Variables of stack entries that a handler around may read hold what the stack holds."""
        stack = self.state.stack
        for entry, kept in self.entries_around():
            for place in range(min(kept, len(stack))):
                if entry.slots[place].kind == "value" and not isinstance(stack[place], (Null, Raised)):
                    self.keep(stack[place], self.variables.name(entry, place))

    def entries_around(self) -> list[tuple[Node, int]]:
        """Where exceptions may go from here, and how many stack entries they leave."""
        levels = self.node.levels
        bodies = [levels[: count + 1] for count, level in enumerate(levels) if level.is_body]
        known = self.analysis.handler_of
        return [(known[body], body[-1].kept) for body in bodies if body in known]

    def keep(self, value: Value, name: str) -> None:
        if name not in self.state.names.get(value, ()):
            self.state.stack.append(value)  # still needed if it is in a variable that gets another value
            self.store(name, value)
            self.state.stack.pop()

    def store(self, name: str, value: Value) -> None:
        super().store(name, value)
        names = self.state.names.get(value, [])
        if names and names[-1] == name and name in self.originals:
            names.insert(0, names.pop())  # what the original calls it reads best

    # Ends

    def end_jump(self, block: Block) -> None:
        [edge] = block.node.edges
        wanted = self.wanted(edge)
        self.into_variables(wanted)
        self.flush()
        block.ways = [Way(edge.target, [])]

    def end_exit(self, block: Block, ins: Instruction) -> None:
        if ins.op == "RERAISE":
            if self.exceptions.get(self.pop()) != handled_part(self.node.levels):
                raise self.error("an exception is raised again outside of its handler")
            self.flush()
            self.emit(n.Raise())
        elif ins.op == "RETURN_VALUE":
            if handled_part(self.node.levels):
                raise self.error("a return from a handler that would not restore the exception handled before")
            self.statement([self.pop()], lambda value: n.Return(value))
        else:
            self.raise_statement(self.pop_many(ins.arg))

    def raise_statement(self, values: list[Value]) -> None:
        if len(values) == 1 and isinstance(values[0], Pure) and values[0].kind == "AssertionError":
            message = list(values[0].operands)
            self.statement(message, lambda *texts: n.Assert(n.Constant(False), *texts))
        else:
            self.statement(values, lambda *texts: n.Raise(*texts))

    def end_branch(self, block: Block, ins: Instruction) -> None:
        falls, jumps = block.node.edges
        value = self.state.stack[-1]
        if ins.op.endswith("OR_POP"):
            place = len(self.state.stack) - 1
            for other, name in self.wanted(jumps):
                if other == place:
                    self.keep(value, name)
        self.into_common_variables(falls, jumps, value)
        self.pop()
        decided = self.truth(ins, value)
        if decided is None:
            [block.test] = self.texts([self.unfoldable(value)])
        self.flush()
        if ins.op.endswith("OR_POP"):
            self.push(value)
        ways = [self.way(falls), self.way(jumps)]
        if decided is not None:
            block.ways = [ways[decided]]
            return
        assert block.test is not None
        if "NONE" in ins.op:
            block.test = n.Compare(block.test, ["is"], [n.Constant(None)])
        block.ways = ways if "IF_FALSE" in ins.op or ins.op.endswith("NOT_NONE") else ways[::-1]

    def truth(self, ins: Instruction, value: Value) -> bool | None:
        """Whether the jump is taken, if that is known."""
        if not isinstance(value, Const):
            return None
        if "NONE" in ins.op:
            return (value.value is None) == ins.op.endswith("IF_NONE")
        if type(value.value) in (bool, int, str, bytes, type(None), float, tuple):
            return bool(value.value) == ("IF_TRUE" in ins.op)
        return None

    def end_for(self, block: Block, ins: Instruction) -> None:
        item, exhausted = block.node.edges
        iterator = self.state.stack[-1]
        place = len(self.state.stack) - 1
        for other, name in self.wanted(item):
            if other == place:
                self.keep(iterator, name)
        self.into_common_variables(item, exhausted, iterator)
        [block.iterator] = self.texts([iterator])
        self.flush()
        block.item = self.variables.name(item.target, place + 1)
        block.is_async = ins.op.startswith("ASYNC")
        held = Opaque("item")
        self.state.names[held] = [block.item]
        self.push(held)
        first = self.way(item)
        del self.state.stack[-2:]
        block.ways = [first, self.way(exhausted)]

    def end_with(self, block: Block, ins: Instruction) -> None:
        [edge] = block.node.edges
        place = len(self.state.stack) - 1
        manager = self.state.stack[-1]
        self.into_variables([want for want in self.wanted(edge) if want[0] < place], manager)
        name = self.variables.manager(edge.slots[place].detail)
        self.statement([self.pop()], lambda text: n.Assign([n.Name(name)], text))
        block.ways = [Way(edge.target, [])]

    # What the next nodes need of the stack

    def into_common_variables(self, a: Edge, b: Edge, last: Value) -> None:
        """See to what both ways need, before ``last`` is used."""
        others = self.wanted(b)
        self.into_variables([want for want in self.wanted(a) if want in others], last)

    def into_variables(self, wanted: list[tuple[int, str]], last: Value | None = None) -> None:
        """Put stack entries into variables; pending events are written into them where that is possible."""
        state = self.state
        names = dict(wanted)
        while state.pending and state.pending[0] is not last:
            event = state.pending[0]
            places = [place for place, name in names.items() if state.stack[place] is event]
            later = [other.expression for other in state.pending[1:]]
            name = names[places[0]] if places else ""
            if not places or any(isinstance(part, n.Name) and part.id == name for e in later for part in n.walk(e)):
                self.name_first_pending()
                continue
            state.pending.pop(0)
            self.free(name)
            self.emit(n.Assign([n.Name(name)], event.expression, line=event.line))
            state.names[event] = [name]
        for place, name in wanted:
            self.keep(state.stack[place], name)

    def way(self, edge: Edge) -> Way:
        """What this way alone needs, as statements on it."""
        kept = self.state, self.out
        self.state, self.out = self.state.copy(), []
        for place, name in self.wanted(edge):
            self.keep(self.state.stack[place], name)
        result = Way(edge.target, self.out)
        self.state, self.out = kept
        return result

    def wanted(self, edge: Edge) -> list[tuple[int, str]]:
        """Which stack entries must be in which variables where ``edge`` leads."""
        return [
            (place, self.variables.name(edge.target, place))
            for place, slot in enumerate(edge.target.slots)
            if slot.kind == "value"
        ]
