"""Writes the statements of a graph along the dominator tree; the layout decides between equivalent forms."""

from __future__ import annotations

from ...errors import DecompilationError
from ..flowgraph import Region
from ..lift import LiftedBlock
from ..lift.block_order import OrderKey
from ..lift.folding.shapes import computes_nothing, same_effect, same_exit, skip_jumps
from ..lift.values import fingerprint
from ..limits.budget import STEP, spend
from ..syntax import nodes
from . import if_statements, loops, one_trip_loops, try_statements, with_statements
from .context import Context, NoPlace, labelled_exit
from .flow import Flow
from .jumps import RULES as JUMPS
from .jumps import Jump


def structure(flow: Flow, skipped: frozenset[str] = frozenset()) -> list[nodes.Statement]:
    """Return the statements of the code object whose graph is ``flow``; rules named in ``skipped`` are not tried.

    Raises DecompilationError if no known form of Python expresses the control flow; NoPlace if one may exist for
    another form of the graph.
    """
    return Structurer(flow, skipped).run()


class Structurer:
    """Each method writes one kind of node into ``out`` and returns the node that continues in the same list, if any."""

    def __init__(self, flow: Flow, skipped: frozenset[str]) -> None:
        self.flow = flow
        self.skipped = skipped
        self.written: set[LiftedBlock] = set()
        self.open_loops: set[LiftedBlock] = set()
        self.continued: set[LiftedBlock] = set()  # tests of loops whose bottom is never reached

    def run(self) -> list[nodes.Statement]:
        body = self.sequence(self.flow.entry, None, Context(set(self.flow.nodes)))
        lost = [
            node
            for node in self.flow.nodes
            if node not in self.written and skip_jumps(node) is node and node.kind not in ("reraise", "nowhere")
        ]
        lost = [node for node in lost if node.statements or node.kind not in ("return", "goto")]
        if lost:
            raise NoPlace(f"block {lost[0].index} was lost", lost[:1])
        return body

    def sequence(self, node: LiftedBlock | None, follow: LiftedBlock | None, context: Context) -> list[nodes.Statement]:
        """Return the statements from ``node`` on, until control falls through to ``follow``."""
        out: list[nodes.Statement] = []
        while node is not None:
            spend(STEP, "structuring")
            node = self.write(node, follow, context, out)
        return out

    def write(
        self, node: LiftedBlock, follow: LiftedBlock | None, context: Context, out: list[nodes.Statement]
    ) -> LiftedBlock | None:
        if node in self.flow.back and node.kind != "for" and node not in self.open_loops:
            self.open_loops.add(node)
            return loops.write_while(self, node, follow, context, out)
        if node in self.written and not self.is_exit(node):
            raise NoPlace(f"block {node.index} is needed at two places", [node])
        self.written.add(node)
        if node.kind == "for":
            return loops.write_for(self, node, follow, context, out)
        if node.kind == "try":
            if node.test.kind == "with":
                return with_statements.write_with(self, node, follow, context, out)
            return try_statements.write_try(self, node, follow, context, out)
        if node.kind == "once":
            return one_trip_loops.write_once(self, node, follow, context, out)
        if node.kind == "endless" and node.true is not None:
            return self.go(node, node.true, follow, context, out)
        out += node.statements
        if node.kind == "branch":
            return if_statements.write_if(self, node, follow, context, out)
        if node.kind == "goto" and node.next is not None:
            return self.go(node, node.next, follow, context, out)
        if node.kind == "return":
            out.append(_return(node))
        elif node.kind == "or_pop":
            raise DecompilationError("a boolean value that could not be put together", stage="structure")
        return None

    def arm(
        self,
        node: LiftedBlock,
        target: LiftedBlock,
        end: LiftedBlock | None,
        context: Context,
        after_statement: bool = False,
    ) -> list[nodes.Statement]:
        out: list[nodes.Statement] = []
        following = self.go(node, target, end, context, out, after_statement)
        return out + self.sequence(following, end, context)

    def go(
        self,
        source: LiftedBlock,
        target: LiftedBlock,
        follow: LiftedBlock | None,
        context: Context,
        out: list[nodes.Statement],
        after_statement: bool = False,
    ) -> LiftedBlock | None:
        """Write the statement, if any, that takes control to ``target``; return the node to write next, if any.

        ``after_statement``: ``source`` is a whole statement, so its successor may be reached from inside it as well.
        """
        jump = Jump(self, source, target, follow, context, out, after_statement)
        answer = JUMPS.decide(jump, self.skipped)
        if answer is None:
            raise labelled_exit(source, jump.block)
        return answer.node

    @staticmethod
    def jumps_to_the_top(source: LiftedBlock, target: LiftedBlock) -> bool:
        """Whether ``continue`` leads from ``source`` to the header of a while loop that has its test twice."""
        jump = source
        for _ in range(1000):
            if target.evidence.is_repeated or target.kind != "goto" or target.next is None:
                break
            jump, target = target, target.next
        return target.evidence.is_repeated and jump.kind in ("goto", "branch") and not jump.evidence.is_bottom

    def write_return(self, block: LiftedBlock, out: list[nodes.Statement]) -> None:
        """Write a return statement for ``block``, which only returns."""
        end = self.final(block)
        self.written.update((block, end))
        out.append(_return(end))

    def is_private(self, block: LiftedBlock) -> bool:
        """Whether only one edge leads to ``block``, not counting jumps in between."""
        sources = self.flow.sources[block]
        while len(sources) == 1 and skip_jumps(sources[0]) is block and sources[0] is not block:
            sources = self.flow.sources[sources[0]]
        return len(sources) <= 1

    def final(self, block: LiftedBlock, shared: bool = False) -> LiftedBlock:
        """Return the block that control reaches from ``block`` past code that only leaves statements.

        ``shared``: also past blocks where several paths join.
        """
        for _ in range(1000):
            only_leaves = block.kind == "goto" and not block.statements and computes_nothing(block)
            following = skip_jumps(block.next) if only_leaves else None
            if following is None or following is block or not shared and len(self.flow.sources.get(block, ())) > 1:
                return block
            block = following
        return block

    def is_exit(self, block: LiftedBlock) -> bool:
        """Whether ``block`` only returns, so that it may be written more than once."""
        block = self.final(block)
        return block.kind == "return" and not block.statements

    def is_constant_exit(self, block: LiftedBlock) -> bool:
        """Whether ``block`` only returns a value that needs no evaluation, so that it may be in any statement."""
        return self.is_exit(block) and self.cannot_raise(block) and not self.final(block).evidence.is_end

    def is_copy(self, block: LiftedBlock, other: LiftedBlock) -> bool:
        """Whether both blocks do the same, exceptions included."""
        if not same_effect(block, other):
            return False
        if self.returns_what_was_evaluated(block):
            return False
        end, other_end = self.final(block), self.final(other)
        if end.kind == "return" and not self.is_from_one_statement(end, other_end):
            return False
        late = end.evidence.loads_last and other_end.evidence.loads_last
        return late or self.same_surroundings(block, other)

    def returns_what_was_evaluated(self, block: LiftedBlock) -> bool:
        """Whether ``block`` returns a value that was evaluated before it is entered."""
        value = self.final(block).test
        return any(value is entry for entry in block.entry)

    def is_return_before(self, block: LiftedBlock, before: OrderKey, region: Region | None) -> bool:
        """Whether ``block`` is certainly a return statement in the code laid out before ``before``.

        It is if the return has no copies, or leaves a statement around the loop, which is in ``region``: with a
        ``break``, control would leave that statement after the loop.
        """
        end = self.final(block)
        is_written = end.evidence.is_uncopied or end.region is not region
        is_return = end.kind == "return" and is_written and not end.evidence.is_implicit_return
        return self.returns_what_was_evaluated(block) or is_return and end.layout < before

    def is_written(self, block: LiftedBlock, other: LiftedBlock) -> bool:
        """Whether ``block`` is a return statement of its own, although the equivalent ``other`` follows."""
        end = self.final(block)
        is_written = end.evidence.is_uncopied and not end.evidence.is_implicit_return
        return end.kind == "return" and is_written and end is not self.final(other)

    @staticmethod
    def is_from_one_statement(end: LiftedBlock, other: LiftedBlock) -> bool:
        """Whether both returns may be copies of one: of the implicit return, or of a statement on the same line."""
        ours, theirs = end.evidence, other.evidence
        implicit = {ours.is_implicit_return, theirs.is_implicit_return}
        return None in implicit or (True not in implicit and ours.exit_line == theirs.exit_line) or implicit == {True}

    @staticmethod
    def same_surroundings(source: LiftedBlock, block: LiftedBlock) -> bool:
        """Whether both are in the same try, with and for statements, so that an evaluation may move between them."""
        return block.region is source.region and block.markers == source.markers

    def cannot_raise(self, block: LiftedBlock) -> bool:
        """Whether the exit ``block`` has nothing to evaluate, so that it may move into a try statement."""
        test = self.final(block).test
        return isinstance(test, nodes.Constant) or any(test is value for value in block.entry)

    # What leaves a statement

    def leaving(self, inside: set[LiftedBlock]) -> list[LiftedBlock]:
        """Return the blocks outside that control reaches from ``inside``, in layout order."""
        found: dict[LiftedBlock, None] = {}
        for node in inside:
            for successor in node.successors:
                block = skip_jumps(successor)
                if block is None or block in inside:
                    continue
                if block.kind != "nowhere" or len(block.predecessors) > 1:
                    found[self.final(block)] = None
        blocks: list[LiftedBlock] = []
        alike: dict[object, list[LiftedBlock]] = {}
        for node in sorted(found, key=lambda node: node.layout):
            near = [alike.setdefault(key, []) for key in _keys_of_end(node)]
            if not any(self.is_same_end(node, other) for others in near for other in others):
                blocks.append(node)
                for others in near:
                    others.append(node)
        return blocks

    def is_same_end(self, block: LiftedBlock, other: LiftedBlock) -> bool:
        """Whether both are copies of one end, of the code or of a ``finally`` body, that appears once in the source."""
        if block.kind == other.kind == "reraise":
            return same_effect(block, other)
        return same_exit(block, other) and not self.is_constant_exit(block) and self.is_copy(block, other)


def _keys_of_end(block: LiftedBlock) -> list[object]:
    """Two copies of one end have one of these in common."""
    end = skip_jumps(block) or block
    if end.kind not in ("return", "raise"):
        return [end.kind]
    is_implicit = end.evidence.is_implicit_return is True
    return [(end.kind, end.evidence.exit_line, fingerprint(end.test)), *([end.kind] if is_implicit else [])]


def _return(node: LiftedBlock) -> nodes.Return:
    if node.evidence.is_behind_finally is False and node.evidence.return_line is None:
        # the exit has the position of the `finally` body
        statement = nodes.Return(node.test, line=node.evidence.line if node.evidence.unwinds_for_return else None)
    else:
        statement = nodes.Return(node.test, line=node.evidence.return_line or node.evidence.exit_line)
        statement.column = node.evidence.column
    statement.written = node.evidence.written
    return statement
