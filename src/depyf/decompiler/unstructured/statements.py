"""Graphs -> nested statements.

Each item is written inline at its only jump, after its dominator, or after the loop whose ``break`` reaches it. A
forward jump falls through the end of the statement that contains it; ``continue`` and ``break`` are the jumps of
loops. Where one point has several possible successors, a state variable selects between them.
"""

from __future__ import annotations

from typing import Callable, Dict, Iterable, List, Tuple

from ..names.spelling import Spelling
from ..syntax import nodes as n
from .analysis import Analysis, DispatchNode
from .blocks import DispatchBlock, Successor
from .graph import BlockItem, Dispatch, DispatchGraph, GraphItem, Loop, TryItem
from .levels import Error
from .variables import SlotVariables

Body = List[n.Statement]
FallThroughs = Dict[DispatchNode, Body]
"""The nodes reached by falling through the end of the statements, with the assignments that select each of them."""
Written = Tuple[Body, FallThroughs]


class Structure:
    """Writes all blocks of a code object."""

    def __init__(
        self,
        analysis: Analysis,
        blocks: list[DispatchBlock],
        variables: SlotVariables,
        fresh: Callable[[str], str],
        error: Error,
    ) -> None:
        self.fresh = fresh
        self.analysis = analysis
        self.blocks = blocks
        self.variables = variables
        self.spelling: Spelling = variables.spelling
        self.error = error
        self.graphs: list[DispatchGraph] = []
        self.loops: list[tuple[Loop, DispatchGraph]] = []
        self.state = ""
        self.numbers: dict[DispatchNode, n.Constant] = {}
        self.assignments: dict[int, n.Statement] = {}  # to the state variable, by id
        self.read_assignments: set[int] = set()  # ids of the assignments whose value is tested
        self.has_dispatch = False
        self.is_tested = False
        """Whether a test reads the state variable."""

    @property
    def form(self) -> str:
        """How the blocks were put together: 'nested blocks', 'state variable' or 'dispatch loop'."""
        return "dispatch loop" if self.has_dispatch else "state variable" if self.is_tested else "nested blocks"

    def run(self) -> Body:
        body, falls = self.graph((), [self.analysis.entry])
        if falls:
            raise self.error("internal error: control falls through the end")
        self._assign_numbers(body)
        return body

    def graph(self, levels: tuple, entries: Iterable[DispatchNode]) -> Written:  # type: ignore[type-arg]
        graph = DispatchGraph(self.analysis, self.blocks, levels, entries)
        self.graphs.append(graph)
        body: Body = []
        if graph.start.begins_with_choice and len(graph.entries) == 1:
            body += self.mark_read(self.assign_state(graph.entries[0]))
        rest, falls = self.item(graph.start)
        self.graphs.pop()
        return body + rest, falls

    # The state variable

    def number(self, node: DispatchNode) -> n.Constant:
        return self.numbers.setdefault(node, n.Constant(-1))

    def assign_state(self, node: DispatchNode) -> Body:
        if not self.state:
            self.state = self.spelling.fresh("state")
        statement = n.Assign([n.Name(self.state)], self.number(node))
        self.assignments[id(statement)] = statement
        return [statement]

    def mark_read(self, *assignments: Body) -> Body:
        """Keep these assignments to the state variable: a test depends on them."""
        self.read_assignments.update(id(statement) for body in assignments for statement in body)
        return assignments[0] if assignments else []

    def test(self, nodes: Iterable[DispatchNode]) -> n.Expression:
        self.is_tested = True
        tests: list[n.Expression] = [n.Compare(n.Name(self.state), ["=="], [self.number(node)]) for node in nodes]
        return tests[0] if len(tests) == 1 else n.BoolOp("or", tests)

    def _assign_numbers(self, body: Body) -> None:
        unread = self.assignments.keys() - self.read_assignments
        if self.read_assignments:
            self._number_the_read(body, unread)

        def drop(statements: Body) -> None:
            statements[:] = [one for one in statements if id(one) not in unread]

        if unread:
            n.rewrite_bodies(body, drop)

    def _number_the_read(self, body: Body, unread: set[int]) -> None:
        used = {id(node) for node in n.walk(body)} - unread
        kept = {id(part) for node in n.walk(body) if id(node) in used for part in n.children(node)}
        number = 0
        for constant in self.numbers.values():
            if id(constant) in kept:
                constant.value = number
                number += 1

    # Jumps

    def jump_statement(self, node: DispatchNode) -> n.Statement | None:
        """Return the statement that jumps to ``node``, written elsewhere; None if control falls through to it."""
        if not self.loops:
            return None
        loop, owner = self.loops[-1]
        for graph in reversed(self.graphs):
            if graph is owner:
                break
            if graph.base(node) is not None:
                return None
        item = owner.resolve(node)
        if item is loop.header:
            return n.Continue()
        return None if item in loop.members else n.Break()

    def jump(self, node: DispatchNode) -> Written:
        """Return a jump to ``node``, which is written elsewhere."""
        assignment = self.assign_state(node)
        statement = self.jump_statement(node)
        if statement is None:
            return assignment, {node: assignment}
        self.leave(statement, node, assignment)
        return [*assignment, statement], {}

    def leave(self, jump: n.Statement, node: DispatchNode, assignments: Body) -> None:
        """Record that ``jump`` goes to ``node``, selected by ``assignments``."""
        loop, _ = self.loops[-1]
        if isinstance(jump, n.Break):
            loop.breaks.setdefault(node, []).extend(assignments)
        elif loop.header.begins_with_choice:
            self.mark_read(assignments)

    def edge(self, source: GraphItem, node: DispatchNode) -> Written:
        """Return ``node`` itself if the edge from ``source`` is the only one to it, else a jump."""
        graph = self.graphs[-1]
        item = graph.resolve(node, source)
        if item is None or item not in graph.inline or (source, item) in graph.back:
            return self.jump(node)
        before = self.mark_read(self.assign_state(node)) if item.begins_with_choice else []
        body, falls = self.item(item)
        return before + body, falls

    def successor(self, source: GraphItem, successor: Successor) -> Written:
        body, falls = self.edge(source, successor.target)
        return successor.statements + body, falls

    # Items

    def item(self, item: GraphItem) -> Written:
        """Return ``item`` with its followers."""
        graph = self.graphs[-1]
        loop = graph.headed.get(item)
        if loop is None:
            return self.with_followers(item)
        self.loops.append((loop, graph))
        iteration = self.iteration(item, loop)
        if iteration is not None:
            statement, falls = iteration
        else:
            body, falls = self.with_followers(item)
            self.loops.pop()
            _drop_last_continue(body)
            statement = n.While(n.Constant(True), body or [n.Pass()], [])
            if falls:
                raise self.error("internal error: control falls through the end of a loop")
        return self.after_loop(statement, _both(loop.breaks, falls), graph.loop_followers[loop])

    def iteration(self, item: GraphItem, loop: Loop) -> tuple[n.Statement, FallThroughs] | None:
        """Return a ``for`` statement if the loop's header does nothing but FOR_ITER."""
        block = item.block if isinstance(item, BlockItem) else None
        if block is None or block.iterator is None or block.statements or not isinstance(block.iterator, n.Name):
            return None
        if any(assigns(part, block.iterator.id) for part in self.statements_of(loop)):
            return None
        first, exhausted = block.successors
        if self.graphs[-1].followers[item] or exhausted.target is first.target:
            return None
        body, falls = self.successor(item, first)
        self.loops.pop()
        if falls:
            raise self.error("internal error: control falls through the end of an iteration")
        _drop_last_continue(body)
        orelse, falls = self.successor(item, exhausted)
        make = n.AsyncFor if block.is_async else n.For
        return make(block.target, block.iterator, body or [n.Pass()], orelse, line=block.line), falls

    def statements_of(self, loop: Loop) -> Iterable[n.Statement]:
        graph = self.graphs[-1]
        for block in self.blocks:
            if graph.base(block.node) in loop.members:
                yield from block.statements
                if block.iterator is not None:
                    yield n.Assign([block.target], n.Constant(None))
                for successor in block.successors:
                    yield from successor.statements

    def after_loop(self, statement: n.Statement, arriving: FallThroughs, followers: list[GraphItem]) -> Written:
        """Append what follows a loop, which may also break out of or continue the enclosing loop."""
        body = [statement]
        jumps: dict[str, tuple[n.Statement, list[DispatchNode]]] = {}
        falls: FallThroughs = {}
        for node, assignments in arriving.items():
            jump = self.jump_statement(node)
            if jump is None:
                falls[node] = assignments
            else:
                self.leave(jump, node, assignments)
                jumps.setdefault(type(jump).__name__, (jump, []))[1].append(node)
        for number, (jump, nodes) in enumerate(jumps.values()):
            if falls or number + 1 < len(jumps):
                self.mark_read(*arriving.values())
                body.append(n.If(self.test(nodes), [jump], []))
            else:
                body.append(jump)
        return self.sequence(body, falls, followers)

    def with_followers(self, item: GraphItem) -> Written:
        body, falls = self.own(item)
        return self.sequence(body, falls, self.graphs[-1].followers[item])

    def sequence(self, body: Body, arriving: FallThroughs, followers: list[GraphItem]) -> Written:
        """Return ``body`` and those of the followers that it jumps to, in order."""
        graph = self.graphs[-1]
        for item in followers:
            mine = {node: assignments for node, assignments in arriving.items() if graph.resolve(node) is item}
            if not mine:
                continue
            rest = {node: assignments for node, assignments in arriving.items() if node not in mine}
            if item.begins_with_choice:
                self.mark_read(*mine.values())
            code, falls = self.item(item)
            if rest:
                self.mark_read(*arriving.values())
                body.append(n.If(self.test(mine), code or [n.Pass()], []))
            else:
                body += code
            arriving = _both(rest, falls)
        return body, arriving

    def own(self, item: GraphItem) -> Written:
        """Return ``item`` itself, with the items that are inlined at its jumps."""
        if isinstance(item, TryItem):
            return self.try_statement(item)
        if isinstance(item, Dispatch):
            self.has_dispatch |= item in self.graphs[-1].headed
            return self.choose(item)
        assert isinstance(item, BlockItem)
        block = item.block
        body = list(block.statements)
        if not block.successors:
            return body, {}
        if len(block.successors) == 1:
            rest, falls = self.successor(item, block.successors[0])
            return body + rest, falls
        test = block.test
        if block.iterator is not None:
            found = self.spelling.fresh("found")
            yes, no = (n.Assign([n.Name(found)], n.Constant(truth)) for truth in (True, False))
            make = n.AsyncFor if block.is_async else n.For
            body.append(make(block.target, block.iterator, [yes, n.Break()], [no], line=block.line))
            test = n.Name(found)
        assert test is not None
        (yes_body, yes_falls), (no_body, no_falls) = (self.successor(item, successor) for successor in block.successors)
        body.append(n.If(test, yes_body, no_body, line=block.line))
        return body, _both(yes_falls, no_falls)

    def choose(self, dispatch: Dispatch) -> Written:
        """Return an ``if``/``elif`` chain over the state variable."""
        graph = self.graphs[-1]
        groups: dict[GraphItem, list[DispatchNode]] = {}
        for node in dispatch.edges:
            item = graph.resolve(node, dispatch)
            assert item is not None
            groups.setdefault(item, []).append(node)
        arms = [(nodes, *self.item(item)) for item, nodes in groups.items()]
        _, body, falls = arms.pop()
        for nodes, arm, more in reversed(arms):
            body = [n.If(self.test(nodes), arm, body)]
            falls = _both(falls, more)
        return body, falls

    def try_statement(self, item: TryItem) -> Written:
        body, falls = self.graph(item.levels, item.entries)
        entry = self.analysis.handler_of.get(item.levels)
        if item.levels[-1].kind == "with":
            return self.with_statement(item, body, falls, entry)
        if entry is None:
            return body, falls
        handler, others = self.graph(entry.levels, [entry])
        name = self.variables.exception(entry.levels)
        used = any(isinstance(part, n.Name) and part.id == name for part in n.walk(handler))
        kind = n.Name("BaseException") if used else None
        clause = n.ExceptHandler(kind, name if used else None, handler or [n.Pass()])
        line = next((statement.line for statement in body if statement.line), None)
        return [n.Try(body or [n.Pass()], [clause], [], [], line=line)], _both(falls, others)

    def with_statement(self, item: TryItem, body: Body, falls: FallThroughs, end: DispatchNode | None) -> Written:
        """``end`` is where control continues if the exit function suppresses an exception."""
        if item.begins_with_choice:
            raise self.error("a with statement with several beginnings")
        [first] = item.entries
        index = item.levels[-1].handler.depth - 1
        detail = first.slots[index].detail
        entered = self.variables.entered.get(detail)
        make = n.AsyncWith if detail[1] else n.With
        manager = n.withitem(n.Name(self.variables.manager(detail)), n.Name(entered) if entered else None)
        statement = make([manager], body or [n.Pass()], line=self.variables.entered_at.get(detail))
        if end is None:
            return [statement], falls
        targets = [node for node in falls if node is not end]
        if item.chooses and len(targets) == 1:
            return self.choose_end(item, statement, falls, targets[0], end)
        jump, fallen = self.edge(item, end)
        if not targets:
            return [statement, *jump], _both(falls, fallen)
        left = self.fresh("completed")
        before, after = (n.Assign([n.Name(left)], n.Constant(truth)) for truth in (False, True))
        statement.body.append(after)
        found = n.If(n.UnaryOp("not", n.Name(left)), jump, [])
        return [before, statement, found], _both(falls, fallen)

    def choose_end(
        self, item: TryItem, statement: n.Statement, falls: FallThroughs, target: DispatchNode, end: DispatchNode
    ) -> Written:
        """Return a with statement after which control continues at ``target``, or at ``end``."""
        flag = self.fresh("completed")
        line = statement.line
        before: Body = [n.Assign([n.Name(flag)], n.Constant(False), line=line)]
        test: n.Expression = n.Name(flag)
        if len(falls) == 1:
            n.statement_bodies(statement)[0].append(n.Assign([n.Name(flag)], n.Constant(True), line=line))
        elif self.read_assignments.isdisjoint(map(id, falls[target])):
            for assignment in self.mark_read(falls[target]):
                assignment.targets, assignment.value = [n.Name(flag)], n.Constant(True)  # type: ignore[attr-defined]
                assignment.line = line
        else:
            before = self.assign_state(end)
            self.mark_read(before, *falls.values())
            test = self.test([target])
        (yes, yes_falls), (no, no_falls) = self.edge(item, target), self.edge(item, end)
        return [*before, statement, n.If(test, yes, no, line=line)], _both(yes_falls, no_falls)


def _both(a: FallThroughs, b: FallThroughs) -> FallThroughs:
    return {node: [*a.get(node, ()), *b.get(node, ())] for node in {**a, **b}}


def assigns(tree: n.Node, name: str) -> bool:
    """Whether a statement in ``tree`` stores to the variable."""
    for node in n.walk(tree):
        targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
        for target in targets:
            if isinstance(target, n.Node) and any(isinstance(p, n.Name) and p.id == name for p in n.walk(target)):
                return True
    return False


def _drop_last_continue(body: Body) -> None:
    """Remove a redundant ``continue`` at the end of a loop's body."""
    while body:
        last = body[-1]
        if isinstance(last, n.Continue):
            body.pop()
            continue
        if isinstance(last, n.If):
            _drop_last_continue(last.body)
            _drop_last_continue(last.orelse)
        return
