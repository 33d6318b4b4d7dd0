"""Control flow graph -> lifted blocks: the evaluation stack becomes expressions, block by block."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from ...errors import DecompilationError
from ..bytecode import Instruction, RawCode, unbound_name
from ..bytecode.canonical.uncovered_tests import THREADED
from ..bytecode.instruction import Position
from ..flowgraph import BasicBlock, ControlFlowGraph
from ..flowgraph.dominators import reverse_postorder
from ..flowgraph.exit_copies import written_return
from ..flowgraph.regions import chain
from ..syntax import nodes
from .evidence import Evidence
from .handlers import HANDLERS
from .lifted_block import LiftedBlock, Terminator
from .symbolic_stack import SymbolicStack
from .values import Cell, Given, Iterated, Marker, Slot, resolved

_ACCUMULATORS = {"<listcomp>": nodes.List, "<setcomp>": nodes.Set, "<dictcomp>": nodes.Dict}


_KEYWORDS = {len(word): word for word in ("break", "return", "continue")}
_UNWINDS = frozenset({"NOP", "POP", "SWAP", "POP_EXCEPT", "JUMP"})


class WithItem:
    """The context expression of a with statement, until the statement is built."""

    def __init__(self, expression: nodes.Expression, is_async: bool) -> None:
        self.expression = expression
        self.is_async = is_async


def lift(graph: ControlFlowGraph, raw: RawCode, *, gathers_annotations: bool = False) -> list[LiftedBlock]:
    """The lifted blocks of ``graph`` in layout order, the entry first.

    ``gathers_annotations``: the code fills a dictionary that stays on the stack, and returns it.
    """
    return _Lifter(graph, raw, gathers_annotations).run()


def _calls_exit_for_a_keyword(instructions: list[Instruction]) -> bool:
    """Whether a with statement is left behind a NOP, the first of ``instructions``: where a statement stood that does
    nothing else."""
    nones = [i.op == "CONST" and i.arg is None for i in instructions[1:4]]
    return len(instructions) > 4 and all(nones) and instructions[4].op == "CALL"


def _is_pass_in(clause: Position | None, position: Position) -> bool:
    """Whether ``position`` is that of a ``pass`` that is all of an ``except`` clause, whose handling comes before it.

    The None of ``return None`` is as wide, but stands further to the right.
    """
    if clause is None or None in clause or position[0] != position[1] or position[3] - position[2] != len("pass"):
        return False
    covers = bool(clause[0] < position[0] <= clause[1])
    return covers and 0 < position[2] - clause[2] <= len("return ")


class _Lifter:
    def __init__(self, graph: ControlFlowGraph, raw: RawCode, gathers_annotations: bool) -> None:
        self.graph = graph
        self.raw = raw
        self.lifted: dict[BasicBlock, LiftedBlock] = {}
        self.has_lines = any(i.line is not None for block in graph.blocks for i in block.instructions)
        self.incoming: dict[BasicBlock, list[list[nodes.Expression]]] = {graph.entry: [[]]}
        self.gathers_annotations = gathers_annotations

    def run(self) -> list[LiftedBlock]:
        def successors(block: BasicBlock) -> list[BasicBlock]:
            # Handlers are ordered after what they guard, outer ones last.
            handlers = [region.handler for region in reversed(chain(block.region))]
            return [*handlers, *(b for b in (block.target, block.fall) if b is not None)]

        order = reverse_postorder(self.graph.entry, successors)
        for block in order:
            self.lifted[block] = LiftedBlock(block.start, block.region, [])
        for block in order:
            self.lift_block(block)
        result = sorted(self.lifted.values(), key=lambda block: block.index)
        for lifted in result:
            for successor in lifted.successors:
                successor.predecessors.add(lifted)
        return result

    # Stacks at the borders of blocks

    def flow(self, block: BasicBlock | None, stack: list[nodes.Expression]) -> LiftedBlock:
        """Control reaches ``block`` with ``stack``."""
        if block is None:
            raise DecompilationError("control runs out of the code", stage="lift")
        self.incoming.setdefault(block, []).append(stack)
        return self.lifted[block]

    def entry_stack(self, block: BasicBlock) -> list[nodes.Expression]:
        stacks = self.incoming.get(block)
        if not stacks:
            raise DecompilationError("a block that control reaches only backwards", stage="lift")
        if len(stacks) == 1:
            return list(stacks[0])
        if len({len(stack) for stack in stacks}) != 1:
            raise DecompilationError("stacks of different height meet", stage="lift")
        return [self.joined(depth, [stack[depth] for stack in stacks]) for depth in range(len(stacks[0]))]

    @staticmethod
    def joined(depth: int, values: list[nodes.Expression]) -> nodes.Expression:
        first = values[0]
        if all(value is first for value in values[1:]):
            return first
        if isinstance(first, Marker):
            if all(isinstance(v, Marker) and (v.kind, v.owner) == (first.kind, first.owner) for v in values):
                return first
            raise DecompilationError("different statements meet on the stack", stage="lift")
        return Slot(depth)

    def reach_handlers(self, block: BasicBlock, stack: list[nodes.Expression]) -> None:
        """The handlers around begin with the stack cut to their depth, and the exception."""
        for region in chain(block.region):
            if region.handler in self.incoming:
                continue
            if region.depth > len(stack):
                raise DecompilationError("a handler keeps more of the stack than there is", stage="lift")
            kept = list(stack[: region.depth])
            if not all(isinstance(value, Marker) for value in kept):
                raise DecompilationError("a handler keeps values of an unfinished expression", stage="lift")
            if region.lasti:
                kept.append(Marker("lasti", region))
            self.incoming[region.handler] = [[*kept, Marker("exception", region)]]

    # One block

    def lift_block(self, block: BasicBlock) -> None:
        lifted = self.lifted[block]
        entry = self.entry_stack(block)
        lifted.entry = entry
        self.reach_handlers(block, entry)
        lifted.evidence = Evidence(
            line=next((i.line for i in block.instructions if i.line is not None), None),
            is_clause=self.raw.name == "<genexpr>",
            is_behind_finally=block.behind is not None if block.is_behind_copy else None,
        )
        last = block.last
        if last is not None and last.op in ("FOR_ITER", "ASYNC_FOR_ITER"):
            self.lift_loop(block, lifted)
            return
        state = SymbolicStack(entry, self.raw.table)
        instructions = block.instructions
        if instructions and instructions[0].op == "NOP":
            if _calls_exit_for_a_keyword(instructions):
                lifted.evidence = replace(lifted.evidence, keyword=self.keyword_of(block, 0))
            elif all(i.op == "NOP" for i in instructions):
                lifted.evidence = replace(lifted.evidence, keyword="pass")
        position, size = 0, len(instructions)
        while position < size:
            instruction = instructions[position]
            state.instruction = instruction
            op = instruction.op
            handle = HANDLERS.get(op)
            if handle is None:
                if op in ("BEFORE_WITH", "BEFORE_ASYNC_WITH"):
                    item = WithItem(state.pop(), op == "BEFORE_ASYNC_WITH")
                    state.push(Marker("exit", item))
                    state.push(Given("enter", item))
                    if item.is_async:
                        position += self.skip_await(block, position + 1)
                elif position == size - 1:
                    self.terminate(block, lifted, state)
                    return
                else:
                    state.refuse(f"{op} is not supported yet")
            elif op == "POP_EXCEPT":
                handled = state.stack[-1] if state.stack else None
                handle(state, instruction)
                if isinstance(handled, Marker):
                    lifted.evidence = replace(lifted.evidence, keyword=self.keyword_of(block, position))
                    position += self.unbinding(block, position + 1, handled.owner.names)
            elif self.gathers_annotations and op == "BUILD_MAP" and not instruction.arg and not state.stack:
                state.push(Marker("accumulator", self.raw.name))
            else:
                handle(state, instruction)
                if self.gathers_annotations and op == "STORE_SUBSCR":
                    # The store has the line of the class, what it stores that of the annotation.
                    state.statements[-1].line = instructions[position - 1].line
            position += 1
        self.finish(lifted, state)
        if not block.instructions and block.fall is None:
            lifted.terminator = Terminator("nowhere")
            return
        if block is self.graph.entry and self.raw.name in _ACCUMULATORS:
            self.mark_accumulator(lifted)
        following = self.flow(block.fall, lifted.exit)
        lifted.terminator = Terminator("goto", next=following, fall=following)

    def keyword_of(self, block: BasicBlock, position: int) -> str | None:
        """What leaves a handler by the instruction at ``position``, by the columns that it has: '' if no statement."""
        columns = block.instructions[position].position
        if columns is None or not self.has_lines or not self.raw.table.behavior.exits_are_copied:
            return None
        lasts = [source.last for source in self.sources.get(block, ())]
        before = [block.instructions[position - 1]] if position else [last for last in lasts if last is not None]
        if columns[0] is None or any(other.position == columns and other.op not in _UNWINDS for other in before):
            return ""
        if None in columns:
            return None
        return _KEYWORDS.get(columns[3] - columns[2]) if columns[0] == columns[1] else None

    def mark_accumulator(self, lifted: LiftedBlock) -> None:
        """The first thing a comprehension's function makes is what it returns."""
        if not lifted.exit or type(lifted.exit[0]) is not _ACCUMULATORS[self.raw.name]:
            raise DecompilationError("a comprehension that does not begin with an empty container", stage="lift")
        lifted.exit[0] = Marker("accumulator", self.raw.name)

    @staticmethod
    def unbinding(block: BasicBlock, position: int, names: set[str]) -> int:
        """How many instructions unbind the name of ``except ... as name`` here: 3 or 0."""
        return 3 if unbound_name(block.instructions[position : position + 3]) in names else 0

    @staticmethod
    def skip_await(block: BasicBlock, position: int) -> int:
        operations = [i.op for i in block.instructions[position : position + 3]]
        if operations != ["GET_AWAITABLE", "CONST", "YIELD_FROM"]:
            raise DecompilationError("an __aenter__ that is not awaited at once", stage="lift")
        return 3

    @staticmethod
    def finish(lifted: LiftedBlock, state: SymbolicStack) -> None:
        state.finish()
        lifted.statements = state.statements
        lifted.exit = state.stack

    def lift_loop(self, block: BasicBlock, lifted: LiftedBlock) -> None:
        """A loop's header: the iterator on top becomes a marker that its body keeps."""
        last = block.last
        assert last is not None
        if len(block.operations()) != 1:
            raise DecompilationError("a loop's header that does more", stage="lift")
        if not lifted.entry:
            raise DecompilationError("the stack is empty", stage="lift")
        value = resolved(lifted.entry.pop())
        if isinstance(value, Iterated):
            iterable = value.value
        elif isinstance(value, nodes.Name) and value.id == ".0":
            iterable = value
        else:
            raise DecompilationError("a loop over an iterator that was made elsewhere", stage="lift")
        lifted.evidence = replace(lifted.evidence, line=last.line, exit_line=last.line)
        lifted.exit = list(lifted.entry)
        inside, after = lifted.exit, lifted.exit
        container = resolved(lifted.exit[-1]) if lifted.exit else None
        gathers: nodes.Expression | None = None
        if isinstance(container, (nodes.List, nodes.Set, nodes.Dict)):
            # Statements loop above markers only: this loop fills the container of an inlined comprehension.
            if container not in (nodes.List([]), nodes.Set([]), nodes.Dict([], [])):
                raise DecompilationError("a loop above an unfinished display", stage="lift")
            gathers = container
            inside = [*lifted.exit[:-1], Marker("accumulator", lifted.index)]
            after = [*lifted.exit[:-1], Slot(len(lifted.exit) - 1)]
        iterator = Marker("iterator", lifted.index)
        body = self.flow(block.fall, [*inside, iterator, Given("item", lifted.index)])
        lifted.terminator = Terminator(
            "for",
            test=iterable,
            true=body,
            false=self.flow(block.target, after),
            fall=body,
            is_async=last.op == "ASYNC_FOR_ITER",
            gathers=gathers,
        )

    def terminate(self, block: BasicBlock, lifted: LiftedBlock, state: SymbolicStack) -> None:
        instruction = state.instruction
        op = instruction.op
        lifted.evidence = replace(
            lifted.evidence, exit_line=instruction.line, is_threaded=instruction.arg == THREADED
        )
        if op == "JUMP":
            self.finish(lifted, state)
            lifted.terminator = Terminator("goto", next=self.flow(block.target, lifted.exit))
        elif op == "RETURN_VALUE":
            value = state.pop()
            lifted.terminator = Terminator("return", test=value)
            lifted.evidence = self.evidence_of_return(block, lifted.evidence, value)
            self.finish(lifted, state)
        elif op == "RAISE_VARARGS":
            lifted.terminator = Terminator("raise")
            state.emit(nodes.Raise(*state.pop_many(instruction.arg)))
            self.finish(lifted, state)
        elif op == "RERAISE":
            lifted.terminator = Terminator("reraise")
            self.finish(lifted, state)
        elif op in ("JUMP_IF_FALSE_OR_POP", "JUMP_IF_TRUE_OR_POP"):
            test = state.pop()
            self.finish(lifted, state)
            kept = self.flow(block.target, [*lifted.exit, test])
            fall = self.flow(block.fall, lifted.exit)
            sense = op == "JUMP_IF_TRUE_OR_POP"
            lifted.terminator = Terminator("or_pop", test=test, true=kept, false=fall, fall=fall, sense=sense)
        elif op.startswith("POP_JUMP_IF_"):
            self.branch(block, lifted, state, op[len("POP_JUMP_IF_") :])
        else:
            state.refuse(f"{op} is not supported yet")

    def evidence_of_return(self, block: BasicBlock, evidence: Evidence, value: nodes.Expression) -> Evidence:
        """``evidence`` with what is known of the return of ``value`` at the end of ``block``."""
        loads_last = [i.op for i in block.instructions[-2:]] == ["CONST", "RETURN_VALUE"]
        is_uncopied = not self.raw.table.behavior.exits_are_copied
        is_behind_finally = evidence.is_behind_finally
        if block.is_behind_copy and not is_uncopied:
            behind = block.behind
            is_behind_finally = behind is not None and block.instructions[-1].position != behind.position
        returns_cell = isinstance(value, Cell)  # __class__, to who makes the class
        return replace(
            evidence,
            loads_last=loads_last,
            is_uncopied=is_uncopied,
            is_behind_finally=is_behind_finally,
            is_implicit_return=self.is_implicit_return(block) if loads_last else returns_cell,
        )

    def is_implicit_return(self, block: BasicBlock) -> bool | None:
        """Whether the return has no position of its own: that of what comes before it, or none at all.

        None where lines alone can't tell a ``return`` from a ``break`` to the end of the code.
        """
        instructions = [i for i in block.instructions if i.op != "NOP"]
        position = instructions[-1].position
        if position is None or not self.has_lines or instructions[-2].arg is not None:
            return False  # what nobody wrote returns None; `False` is as wide as `break`
        if position[0] is not None and position[2] is None:
            if self.has_columns:
                return True  # it has the line of what stands before it
            if not self.raw.table.behavior.exits_are_copied:
                return self.ends_the_code(block)
            return self.has_line_of_jump(block) or self.ends_a_line(block)
        if position[0] is None or position[0] == position[1] and position[3] - position[2] == len("break"):
            return True
        if written_return(block) is not None:
            return False
        for instruction in reversed(self.without_unbinding(instructions[:-2])):
            if instruction.position != position or instruction.op not in _UNWINDS:
                return instruction.position == position
        sources = self.sources.get(block, [])
        if block.behind is not None:
            return block.behind.position == position
        is_as_wide = position[0] == position[1] and position[3] - position[2] == len("return")
        lasts = [self.last_before(source, position) if is_as_wide else source.last for source in sources]
        return bool(lasts) and all(
            last is not None and (last.position == position or _is_pass_in(last.position, position)) for last in lasts
        )

    @cached_property
    def sources(self) -> dict[BasicBlock, list[BasicBlock]]:
        return self.graph.sources()

    @cached_property
    def has_columns(self) -> bool:
        """Whether positions have columns: then only what the compiler wrote has none."""
        positions = (i.position for block in self.graph.blocks for i in block.instructions)
        return any(position is not None and position[2] is not None for position in positions)

    def has_line_of_jump(self, block: BasicBlock) -> bool:
        """Whether control comes to the return by jumps from tests of its line: `if a: return` falls into its own."""
        sources = self.sources.get(block, [])
        line = block.instructions[-1].line
        jumps = [source.last for source in sources if source.fall is not block]
        return 0 < len(sources) == len(jumps) and all(jump is not None and jump.line == line for jump in jumps)

    def ends_the_code(self, block: BasicBlock) -> bool:
        """Whether the return is the last instruction of the code, and stands on no line behind all others."""
        last = block.instructions[-1]
        if last.offset + 2 != len(self.raw.bytecode):
            return False
        before = (i for other in self.graph.blocks for i in other.instructions if i.offset < last.offset - 2)
        return any(i.line is not None and i.line >= (last.line or 0) for i in before)

    def ends_a_line(self, block: BasicBlock) -> bool | None:
        """Whether the return at the end of ``block`` has the line of the statement that stands before it.

        What unwinds statements in front of a return belongs to it, or to a ``break``: None then.
        """
        at = self.graph.blocks.index(block)
        line = block.instructions[-1].line
        unwinds = False
        for source in reversed(self.graph.blocks[: at + 1]):
            instructions = self.without_unbinding(source.instructions[:-2]) if source is block else source.instructions
            for instruction in reversed(instructions):
                if instruction.line is None and instruction.op == "POP":
                    continue  # of an expression statement: its own line is never there
                if instruction.line != line or instruction.op not in _UNWINDS:
                    return instruction.line == line or (None if unwinds else False)
                unwinds = unwinds or instruction.op != "NOP"
            if source.behind is not None:
                return source.behind.line == line
        return False

    def last_before(self, block: BasicBlock, position: Position) -> Instruction | None:
        """The last instruction of ``block`` or before it that does not leave a statement at ``position``.

        What ends loops and clauses has the position of a ``return`` that leaves them.
        """
        for _ in range(4):
            for instruction in reversed(self.without_unbinding(block.instructions)):
                if instruction.op not in _UNWINDS or instruction.position != position:
                    return instruction
            sources = self.sources.get(block, [])
            if len(sources) != 1:
                break
            (block,) = sources
        return block.last

    def without_unbinding(self, instructions: list[Instruction]) -> list[Instruction]:
        """Without the instructions at the end that unbind the name of ``except ... as name``."""
        if len(instructions) > 3 and instructions[-4].op == "POP_EXCEPT" and instructions[-1].op.startswith("DELETE_"):
            return instructions[:-3]
        return instructions

    def branch(self, block: BasicBlock, lifted: LiftedBlock, state: SymbolicStack, condition: str) -> None:
        test = state.pop()
        if condition in ("NONE", "NOT_NONE"):
            # The condition under which control falls through: that is how `if x is None:` begins.
            none: list[nodes.Expression] = [nodes.Constant(None)]
            is_none, is_not_none = nodes.Compare(test, ["is"], none), nodes.Compare(test, ["is not"], none)
            is_none.opposite, is_not_none.opposite = is_not_none, is_none  # the instruction is the same for both
            test = is_not_none if condition == "NONE" else is_none
        self.finish(lifted, state)
        target = self.flow(block.target, lifted.exit)
        fall = self.flow(block.fall, lifted.exit)
        true, false = (target, fall) if condition == "TRUE" else (fall, target)
        lifted.terminator = Terminator("branch", test=test, true=true, false=false, fall=fall)
