"""Control flow graph -> lifted blocks: the evaluation stack becomes expressions, block by block."""

from __future__ import annotations

from operator import attrgetter
from types import FunctionType
from typing import Any

from ...errors import DecompilationError
from ..bytecode import CONDITIONAL_JUMPS, RawCode, operations_of, unbound_name
from ..bytecode.canonical.uncovered_tests import THREADED
from ..bytecode.kinds import comprehension_of, is_expression
from ..flowgraph import BasicBlock, ControlFlowGraph
from ..flowgraph.dominators import reverse_postorder
from ..flowgraph.regions import chain
from ..flowgraph.stack_entries import ITERATES
from ..syntax import nodes
from .columns import (
    column_of_left_jump,
    column_of_return,
    column_of_with,
    end_of_test,
    return_from_with,
    width_after_operand,
)
from .evidence import Evidence
from .exit_evidence import ExitEvidence
from .handlers import HANDLERS
from .left_lines import left_line
from .lifted_block import LiftedBlock, Terminator
from .symbolic_stack import AfterTest, SymbolicStack
from .values import Given, Iterated, Marker, Null, Saved, Slot, is_value, resolved

_WITH = frozenset({"BEFORE_WITH", "BEFORE_ASYNC_WITH"})
_SPECIAL = _WITH | {"POP_EXCEPT"}
_LOADS = ("LOAD_FAST", "LOAD_GLOBAL")
_OF_ANNOTATIONS = frozenset({"BUILD_MAP", "STORE_SUBSCR"})
"""Special in a function that fills a dictionary with annotations."""
_ACCUMULATORS = {"<listcomp>": nodes.List, "<setcomp>": nodes.Set, "<dictcomp>": nodes.Dict}


class WithItem:
    """The context expression of a with statement, until the statement is built.

    ``line`` is the line of the statement, if the code has no columns: with them it is that of the expression.
    """

    def __init__(self, expression: nodes.Expression, is_async: bool) -> None:
        self.expression = expression
        self.is_async = is_async
        self.column: int | None = None
        self.line: int | None = None


def lift(graph: ControlFlowGraph, raw: RawCode, *, gathers_annotations: bool = False) -> list[LiftedBlock]:
    """The lifted blocks of ``graph`` in layout order, the entry first.

    ``gathers_annotations``: the code fills a dictionary that stays on the stack, and returns it.
    """
    return _Lifter(graph, raw, gathers_annotations).run()


def _first_line(block: BasicBlock) -> int | None:
    return next((i.line for i in block.instructions if i.line is not None), None)


class _Lifter:
    def __init__(self, graph: ControlFlowGraph, raw: RawCode, gathers_annotations: bool) -> None:
        self.graph = graph
        self.raw = raw
        self.table = raw.table
        self.comprehension = comprehension_of(raw)
        self.lifted: dict[BasicBlock, LiftedBlock] = {}
        self.exits = ExitEvidence(graph, raw)
        self.incoming: dict[BasicBlock, list[list[nodes.Expression]]] = {}
        self.after_tests = {one.fall for one in graph.blocks if one.target is not None and one.target is one.fall}
        self.is_expression = bool(self.after_tests) and not self.comprehension and is_expression(raw)
        self.gathers_annotations = gathers_annotations
        self.special = _SPECIAL | _OF_ANNOTATIONS if gathers_annotations else _SPECIAL
        if slice in map(type, raw.consts):
            self.special |= {"CONST"}  # from 3.14 on slices of constants are constants
        self.loads: set[tuple[str, str]] = set()  # of variables of inlined comprehensions, in a module or class
        if not raw.is_function and "LOAD_FAST_AND_CLEAR" in operations_of(raw):
            self.special |= {"LOAD_FAST_AND_CLEAR"}
            self.loads = {(i.op, i.arg) for one in graph.blocks for i in one.instructions if i.op in _LOADS}
        self.keyword: str | None = None  # of the current block, see Evidence

    def run(self) -> list[LiftedBlock]:
        def successors(block: BasicBlock) -> list[BasicBlock]:
            # Handlers come after the code they protect, outer ones last.
            handlers = [one.handler for one in reversed(chain(block.region))] if block.region is not None else ()
            return [*handlers, *filter(None, (block.target, block.fall))]

        order = reverse_postorder(self.graph.entry, successors)
        for block in order:
            self.lifted[block], self.incoming[block] = LiftedBlock(block.start, block.region, []), []
        self.incoming[order[0]] = [[]]
        for block in order:
            self.lift_block(block)
        result = sorted(self.lifted.values(), key=attrgetter("index"))
        for lifted in result:
            for successor in lifted.successors:
                successor.predecessors.add(lifted)
        return result

    # Stacks at the borders of blocks

    def flow(self, block: BasicBlock | None, stack: list[nodes.Expression]) -> LiftedBlock:
        """Add an edge to ``block`` with ``stack``."""
        if block is None:
            raise DecompilationError("control runs out of the code", stage="lift")
        self.incoming[block].append(stack)
        return self.lifted[block]

    def entry_stack(self, block: BasicBlock) -> list[nodes.Expression]:
        stacks = self.incoming[block]
        if not stacks:
            raise DecompilationError("a block that control reaches only backwards", stage="lift")
        if not stacks[1:]:
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
        """Set the entry stacks of the enclosing handlers: cut to their depth, with the exception on top."""
        for region in chain(block.region) if block.region is not None else ():
            if self.incoming[region.handler]:
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
        lifted.entry = self.entry_stack(block)
        self.reach_handlers(block, lifted.entry)
        instructions = block.instructions
        if instructions and instructions[-1].op in ITERATES:
            self.lift_loop(block, lifted)
            return
        self.keyword = self.exits.keyword_before(block)
        chosen = block in self.after_tests and self.is_chosen(block, lifted.entry)
        state = (AfterTest if chosen else SymbolicStack)(lifted.entry, self.table)
        state.instructions = instructions
        special, push = self.special, state.push
        position, size = 0, len(instructions)
        try:
            while position < size:
                state.instruction = instruction = instructions[position]
                state.position = position
                op = instruction.op
                if op in special:
                    position += self.lift_special(block, state, position)
                elif op in HANDLERS:
                    handle = HANDLERS[op]
                    if handle.__class__ is FunctionType:
                        handle(state, instruction)
                    else:
                        push(handle(instruction.arg))
                    position += 1
                elif position == size - 1:
                    self.terminate(block, lifted, state)
                    return
                else:
                    state.refuse(f"{op} is not supported yet")
        except IndexError:
            if not state.stack:
                state.refuse("the stack is empty")
            raise
        self.fall_off(block, lifted, state)

    def is_chosen(self, block: BasicBlock, entry: list[nodes.Expression]) -> bool:
        """Whether a value comes next in the expression around ``entry``, rather than a statement: on the line of a test
        the loop that begins there is a clause, or the test is in its iterable.
        """
        last = block.instructions[-1] if block.instructions else None
        if last is not None and last.op in ("GET_ITER", "GET_AITER"):
            tests = [one.last for one in self.graph.blocks if one.fall is block and one.target is block]
            return all(one is not None and last.line == one.line for one in tests)
        if any(one.op == "CHECK_EXC_MATCH" for one in block.instructions):
            return True  # the type of an except clause
        above = next((one for one in reversed(entry) if not isinstance(one, Null)), None)
        return self.is_expression if above is None else is_value(above) or self.gathers_annotations

    def lift_special(self, block: BasicBlock, state: SymbolicStack, position: int) -> int:
        """Lift an instruction that starts a sequence, or has another meaning here; return the number consumed."""
        instruction = state.instruction
        op = instruction.op
        if op in _WITH:
            item = WithItem(state.pop(), op == "BEFORE_ASYNC_WITH")
            before = block.instructions[position - 1] if position else None
            item.column = column_of_with(before, instruction, item.is_async)
            item.line = instruction.line if (instruction.position or (None,) * 4)[2] is None else None
            state.push(Marker("exit", item))
            state.push(Given("enter", item))
            return 1 + (self.skip_await(block, position + 1) if item.is_async else 0)
        if op == "CONST":
            value = instruction.arg
            if type(value) is slice:
                bounds = value.start, value.stop, value.step
                state.push(nodes.Slice(*[None if bound is None else nodes.Constant(bound) for bound in bounds]))
            else:
                state.push(nodes.Constant(value))
            return 1
        if op == "LOAD_FAST_AND_CLEAR":
            loads = [op for op in _LOADS if (op, instruction.arg) in self.loads]
            state.push(Saved(instruction.arg, loads[0] if len(loads) == 1 else ""))
            return 1
        if op == "BUILD_MAP" and not instruction.arg and not state.stack:
            state.push(Marker("accumulator", self.comprehension))
            return 1
        handled = state.stack[-1] if state.stack else None
        HANDLERS[op](state, instruction)
        if op == "STORE_SUBSCR":
            # The store has the line of the class, the stored value that of the annotation.
            state.statements[-1].line = block.instructions[position - 1].line
        elif op == "POP_EXCEPT" and isinstance(handled, Marker):
            self.keyword = self.keyword or self.exits.keyword_of(block, position)
            return 1 + self.unbinding(block, position + 1, handled.owner.names)
        return 1

    def evidence_of(self, block: BasicBlock, **of_end: Any) -> dict[str, Any]:
        """The fields of the evidence of ``block``, except for its return; ``of_end`` are those for its end."""
        instructions = block.instructions
        first = instructions[0] if instructions else None
        jumps = first is not None and instructions[-1].op == "JUMP"
        return dict(
            **of_end,
            line=first.line if first is not None and first.line is not None else _first_line(block),
            left_from=column_of_left_jump(instructions),
            left_line=left_line(self.exits, block) if self.exits.has_left_lines else None,
            keyword=self.keyword,
            is_clause=self.comprehension == "<genexpr>",
            is_continue=jumps and self.exits.is_continue(block),
            is_pass=jumps and self.exits.is_pass(block),
            is_behind_finally=block.copy_end is not None if block.follows_copy else None,
            ends_loops=tuple([one.start for one in block.ends_loops]) if block.ends_loops else (),
        )

    def fall_off(self, block: BasicBlock, lifted: LiftedBlock, state: SymbolicStack) -> None:
        """End a block that falls through to the next one."""
        lifted.evidence = Evidence(**self.evidence_of(block))
        state.finish(lifted)
        if not block.instructions and block.fall is None:
            lifted.terminator = Terminator("nowhere")
            return
        if block is self.graph.entry and self.comprehension in _ACCUMULATORS:
            self.mark_accumulator(lifted)
        following = self.flow(block.fall, lifted.exit)
        lifted.terminator = Terminator("goto", next=following, fall=following)

    def mark_accumulator(self, lifted: LiftedBlock) -> None:
        """Mark the container that a comprehension's function creates first, and returns."""
        if not lifted.exit or type(lifted.exit[0]) is not _ACCUMULATORS[self.comprehension]:
            raise DecompilationError("a comprehension that does not begin with an empty container", stage="lift")
        lifted.exit[0] = Marker("accumulator", self.comprehension)

    @staticmethod
    def unbinding(block: BasicBlock, position: int, names: set[str]) -> int:
        """The number of instructions here that unbind the name of ``except ... as name``: 3 or 0."""
        return 3 if unbound_name(block.instructions[position : position + 3]) in names else 0

    @staticmethod
    def skip_await(block: BasicBlock, position: int) -> int:
        operations = [i.op for i in block.instructions[position : position + 3]]
        if operations != ["GET_AWAITABLE", "CONST", "YIELD_FROM"]:
            raise DecompilationError("an __aenter__ that is not awaited at once", stage="lift")
        return 3

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
        elif isinstance(value, nodes.Name):  # ".0", or an iterator that Dynamo gives to a comprehension of its own
            iterable = value
        else:
            raise DecompilationError("a loop over an iterator that was made elsewhere", stage="lift")
        self.keyword = None
        lifted.evidence = Evidence(**{**self.evidence_of(block, exit_line=last.line), "line": last.line})
        lifted.exit = list(lifted.entry)
        inside, after = lifted.exit, lifted.exit
        container = resolved(lifted.exit[-1]) if lifted.exit else None
        gathers: nodes.Expression | None = None
        if isinstance(container, (nodes.List, nodes.Set, nodes.Dict)):
            # Loop statements have only markers below: this loop fills the container of an inlined comprehension.
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
        of_end: dict[str, Any] = {"exit_line": instruction.line, "is_threaded": instruction.arg == THREADED}
        if op == "JUMP":
            of_end["column"] = self.exits.column_of_jump(instruction)
        else:
            column = state.column()
            last = state.statements[-1] if column is None and state.statements else None
            if last is not None and any(copy is last for copy in state.copies.values()):
                column = last.column  # a store in the test is part of it
            of_end["column"], of_end["test_end"] = column, end_of_test(block.instructions)
        of_block = self.evidence_of(block, **of_end)
        value = state.pop() if op == "RETURN_VALUE" else None
        if value is not None:
            of_block.update(self.evidence_of_return(block, of_block, value))
        lifted.evidence = Evidence(**of_block)
        if op == "JUMP":
            state.finish(lifted)
            lifted.terminator = Terminator("goto", next=self.flow(block.target, lifted.exit))
        elif op == "RETURN_VALUE":
            lifted.terminator = Terminator("return", test=value)
            state.finish(lifted)
        elif op == "RAISE_VARARGS":
            lifted.terminator = Terminator("raise")
            state.emit(nodes.Raise(*state.pop_many(instruction.arg)))
            state.finish(lifted)
        elif op == "RERAISE":
            lifted.terminator = Terminator("reraise")
            state.finish(lifted)
        elif op in ("JUMP_IF_FALSE_OR_POP", "JUMP_IF_TRUE_OR_POP"):
            test = state.pop_tested()
            state.finish(lifted)
            kept = self.flow(block.target, [*lifted.exit, test])
            fall = self.flow(block.fall, lifted.exit)
            sense = op == "JUMP_IF_TRUE_OR_POP"
            lifted.terminator = Terminator("or_pop", test=test, true=kept, false=fall, fall=fall, sense=sense)
        elif op in CONDITIONAL_JUMPS:
            self.branch(block, lifted, state, op[len("POP_JUMP_IF_") :])
        else:
            state.refuse(f"{op} is not supported yet")

    def evidence_of_return(self, block: BasicBlock, known: dict[str, Any], value: nodes.Expression) -> dict[str, Any]:
        """The fields for the return of ``value`` at the end of ``block``, of which others are ``known``."""
        found = self.exits.of_return(block, known, value)
        if found["is_implicit_return"] is not False:
            found["column"] = self.exits.column_of_jump(block.instructions[-1])
        elif found["written"] not in ("pass", "..."):
            found["column"] = column_of_return(block.instructions, known["column"])
        if self.exits.has_with or block.copy_end is not None:
            left = return_from_with(self.exits.with_value(block), block.follows_copy, block.copy_end)
            if left is not None and not found["is_behind_finally"]:
                found["return_line"], found["column"] = left
        return found

    def branch(self, block: BasicBlock, lifted: LiftedBlock, state: SymbolicStack, condition: str) -> None:
        test = state.pop_tested()
        behavior = self.table.behavior
        is_comparison = isinstance(test, nodes.Compare) or condition in ("NONE", "NOT_NONE")
        has_own_line = is_comparison and behavior.asserts_have_lines_of_comparisons
        is_line_of_statement = behavior.tests_jump_on_line_of_statement and not has_own_line
        if is_line_of_statement:
            lifted.evidence = lifted.evidence._replace(is_line_of_statement=True)
        if condition in ("NONE", "NOT_NONE"):
            # The condition for falling through: `if x is None:` begins so.
            none: list[nodes.Expression] = [nodes.Constant(None)]
            is_none, is_not_none = nodes.Compare(test, ["is"], none), nodes.Compare(test, ["is not"], none)
            # The instruction is the same for both; only its width may tell.
            width = width_after_operand(block.instructions)
            if width != len(" is None"):
                is_none.opposite = is_not_none
            if width != len(" is not None"):
                is_not_none.opposite = is_none
            test = is_not_none if condition == "NONE" else is_none
        state.finish(lifted)
        target = self.flow(block.target, lifted.exit)
        fall = self.flow(block.fall, lifted.exit)
        true, false = (target, fall) if condition == "TRUE" else (fall, target)
        sense = condition == "TRUE"
        lifted.terminator = Terminator("branch", test=test, true=true, false=false, fall=fall, sense=sense)
