"""Writes the statements of a graph, following the dominator tree; the layout decides between equal forms."""

from __future__ import annotations

from typing import NamedTuple

from ...errors import DecompilationError
from ..flowgraph import Region
from ..flowgraph.regions import chain
from ..lift import LiftedBlock
from ..lift.folding.negation import changes, negate, spelled
from ..lift.folding.shapes import computes_nothing, same_exit, same_place, through
from ..lift.layout import Layout
from ..lift.values import Marker, case_of
from ..limits.budget import STEP, spend
from ..syntax import nodes
from . import loops, one_trip_loops, try_statements, with_statements
from .context import Context, NoPlace, ends, labelled_exit
from .flow import Flow


class _OpenIf(NamedTuple):
    """An ``if`` statement that is being written into ``out``: both arms lead to ``end``, ``first`` begins the first."""

    node: LiftedBlock
    test: nodes.Expression
    first: LiftedBlock
    body: list[nodes.Statement]
    orelse: list[nodes.Statement]
    end: LiftedBlock | None
    merges: list[LiftedBlock]
    out: list[nodes.Statement]


def structure(flow: Flow, keeps_not: bool) -> list[nodes.Statement]:
    """The statements of the code object that ``flow`` is the graph of; ``keeps_not`` as for `spelled`.

    Raises DecompilationError where control has no form in Python that is known here; NoPlace where another form of the
    graph may have one.
    """
    return Structurer(flow, keeps_not).run()


class Structurer:
    """Each method writes one kind of node into ``out`` and returns the node that goes on in the same list, if any."""

    def __init__(self, flow: Flow, keeps_not: bool) -> None:
        self.flow = flow
        self.keeps_not = keeps_not
        self.written: set[LiftedBlock] = set()
        self.open_loops: set[LiftedBlock] = set()
        self.continued: set[LiftedBlock] = set()  # tests of loops whose bottom is never reached

    def run(self) -> list[nodes.Statement]:
        body = self.sequence(self.flow.entry, None, Context(set(self.flow.nodes)))
        lost = [
            node
            for node in self.flow.nodes
            if node not in self.written and through(node) is node and node.kind not in ("reraise", "nowhere")
        ]
        lost = [node for node in lost if node.statements or node.kind not in ("return", "goto")]
        if lost:
            raise NoPlace(f"block {lost[0].index} was lost", lost[:1])
        return body

    def sequence(self, node: LiftedBlock | None, follow: LiftedBlock | None, context: Context) -> list[nodes.Statement]:
        """The statements from ``node`` on, up to where control falls into ``follow``."""
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
            return self.write_if(node, follow, context, out)
        if node.kind == "goto" and node.next is not None:
            return self.go(node, node.next, follow, context, out)
        if node.kind == "return":
            out.append(nodes.Return(node.test, line=node.evidence.exit_line))
        elif node.kind == "or_pop":
            raise DecompilationError("a boolean value that could not be put together", stage="structure")
        return None

    def go(
        self,
        source: LiftedBlock,
        target: LiftedBlock,
        follow: LiftedBlock | None,
        context: Context,
        out: list[nodes.Statement],
        after_statement: bool = False,
    ) -> LiftedBlock | None:
        """Control goes to ``target``: what must be written for that, or the node to write next.

        ``after_statement``: ``source`` is a whole statement, and what follows it may be reached from inside as well.
        """
        place = through(target)
        assert place is not None
        line = source.evidence.exit_line if source.kind == "goto" else None  # that of a jump
        if line is None and (target is not place or place.kind == "goto" and not place.statements):
            line = target.evidence.line
        if place.kind == "nowhere":
            if place.entry and not isinstance(place.entry[-1], Marker):
                out.append(nodes.Return(place.entry[-1]))  # that a `finally` body keeps from happening
            return None
        if follow is not None and place is through(follow):
            if place is not context.continue_to or place.evidence.is_repeated and after_statement:
                return None
            left = [region for region in chain(source.region) if region not in chain(target.region)]
            kept = target is not place and source.kind == "branch" and all(r.kind != "finally" for r in left)
            kept = kept or place in self.continued
            to_the_top = self.jumps_to_the_top(source, target) if place.evidence.is_repeated else kept
            if to_the_top or source.evidence.keyword == "continue":
                out.append(nodes.Continue(line=line))  # the compiler kept a jump of its own
                self.written.add(target)
            return None
        if place.kind == "reraise" and not place.statements and follow is None:
            self.written.add(place)  # the end of a finally body, or of the clauses of a try statement
            return None
        if place is context.continue_to:
            out.append(nodes.Continue(line=line))
            return None
        if context.break_to is not None and place is through(context.break_to):
            out.append(nodes.Break(line=line))
            return None
        if follow is not None and self.is_copy(place, follow) and not self.is_written(place, follow):
            self.written.add(place)
            return None
        breaks = context.break_to is not None and self.is_copy(place, context.break_to)
        if breaks and context.break_to is not None and not self.is_written(place, context.break_to):
            self.written.add(place)
            out.append(nodes.Break(line=line))
            return None
        if place in context.inside and place not in self.written and (after_statement or self.is_private(place)):
            return place
        end, after = self.final(place), context.break_to
        if after is not None and end.evidence.is_implicit_return and end is self.final(after, shared=True):
            out.append(nodes.Break(line=line))  # nobody wrote a return there
            return None
        goal = self.final(place, shared=True)
        returns = self.is_exit(place) and (self.same_surroundings(source, place) or self.cannot_raise(place))
        is_written = place.evidence.is_behind_finally is False and not goal.evidence.is_uncopied
        if returns and (is_written or not goal.evidence.is_implicit_return):
            self.write_return(place, out)
            return None
        if follow is not None and goal is self.final(follow, shared=True):
            if place.evidence.keyword == "continue" and goal is context.continue_to:
                self.written.add(place)
                out.append(nodes.Continue(line=place.evidence.line))
            return None
        if context.break_to is not None and goal is self.final(context.break_to, shared=True):
            out.append(nodes.Break(line=line))
            return None
        if returns:
            self.write_return(place, out)
            return None
        if goal is not place:
            return self.go(source, goal, follow, context, out, after_statement)
        raise labelled_exit(source, place)

    @staticmethod
    def jumps_to_the_top(source: LiftedBlock, target: LiftedBlock) -> bool:
        """Whether ``continue`` leads from ``source`` to the header of a while loop that has its test twice."""
        jump = source
        for _ in range(1000):
            if target.evidence.is_repeated or target.kind != "goto" or target.next is None:
                break
            jump, target = target, target.next
        return target.evidence.is_repeated and jump.kind in ("goto", "branch") and not jump.evidence.is_bottom

    def write_return(self, place: LiftedBlock, out: list[nodes.Statement]) -> None:
        """What ``place`` does, which only returns."""
        end = self.final(place)
        self.written.update((place, end))
        out.append(nodes.Return(end.test, line=end.evidence.exit_line))

    def is_private(self, place: LiftedBlock) -> bool:
        """Whether one edge only leads to ``place``, jumps in between not counted."""
        sources = self.flow.sources[place]
        while len(sources) == 1 and through(sources[0]) is place and sources[0] is not place:
            sources = self.flow.sources[sources[0]]
        return len(sources) <= 1

    def final(self, place: LiftedBlock, shared: bool = False) -> LiftedBlock:
        """Where control ends up from ``place`` if all it does before is to leave statements.

        ``shared``: past places where several paths meet, too.
        """
        for _ in range(1000):
            only_leaves = place.kind == "goto" and not place.statements and computes_nothing(place)
            following = through(place.next) if only_leaves else None
            if following is None or not shared and len(self.flow.sources.get(place, ())) > 1:
                return place
            place = following
        return place

    def is_exit(self, place: LiftedBlock) -> bool:
        """Whether all that ``place`` does is to return: it may be written more than once."""
        place = self.final(place)
        return place.kind == "return" and not place.statements

    def is_constant_exit(self, place: LiftedBlock) -> bool:
        """Whether ``place`` only returns what is known already: it may stand in any statement."""
        return self.is_exit(place) and self.cannot_raise(place) and not self.final(place).evidence.is_end

    def is_copy(self, place: LiftedBlock, other: LiftedBlock) -> bool:
        """Whether control does the same at both places, exceptions included."""
        if not same_place(place, other):
            return False
        if self.returns_what_was_evaluated(place):
            return False
        end, other_end = self.final(place), self.final(other)
        if end.kind == "return" and not self.is_from_one_statement(end, other_end):
            return False
        late = end.evidence.loads_last and other_end.evidence.loads_last
        return late or self.same_surroundings(place, other)

    def returns_what_was_evaluated(self, place: LiftedBlock) -> bool:
        """Whether ``place`` returns a value that was evaluated before control came there."""
        value = self.final(place).test
        return any(value is entry for entry in place.entry)

    def is_return_before(self, place: LiftedBlock, before: Layout, region: Region | None) -> bool:
        """Whether ``place`` is sure to be a return statement in what is laid out up to ``before``.

        So it is where no return is copied, or where it leaves a statement around the loop, which stands in ``region``:
        a ``break`` does that behind the loop.
        """
        end = self.final(place)
        is_written = end.evidence.is_uncopied or end.region is not region
        is_return = end.kind == "return" and is_written and not end.evidence.is_implicit_return
        return self.returns_what_was_evaluated(place) or is_return and end.layout < before

    def is_written(self, place: LiftedBlock, other: LiftedBlock) -> bool:
        """Whether ``place`` returns by a statement of its own, though ``other``, which does the same, follows."""
        end = self.final(place)
        is_written = end.evidence.is_uncopied and not end.evidence.is_implicit_return
        return end.kind == "return" and is_written and end is not self.final(other)

    @staticmethod
    def is_from_one_statement(end: LiftedBlock, other: LiftedBlock) -> bool:
        """Whether the compiler may have made both returns of one: of that at the end of the code, or by their line."""
        ours, theirs = end.evidence, other.evidence
        ways = {ours.is_implicit_return, theirs.is_implicit_return}
        return None in ways or (True not in ways and ours.exit_line == theirs.exit_line) or ways == {True}

    @staticmethod
    def same_surroundings(source: LiftedBlock, place: LiftedBlock) -> bool:
        """Whether both stand in the same try, with and for statements, so that what is evaluated may move."""
        return place.region is source.region and place.markers == source.markers

    def cannot_raise(self, place: LiftedBlock) -> bool:
        """Whether a place that only returns has nothing to evaluate: it may be moved into a try statement."""
        test = self.final(place).test
        return isinstance(test, nodes.Constant) or any(test is value for value in place.entry)

    # Conditions

    def write_if(
        self, node: LiftedBlock, follow: LiftedBlock | None, context: Context, out: list[nodes.Statement]
    ) -> LiftedBlock | None:
        # The second arm may begin with another `if`, and so on thousands of times, deeper than the stack: a loop.
        opened: list[_OpenIf] = []
        following: LiftedBlock | None = node
        while following is not None and (following is node or self.is_only_a_branch(following)):
            spend(STEP, "structuring")
            if following is not node:
                self.written.add(following)
                out += following.statements
            first, second = following.fall, following.false if following.fall is following.true else following.true
            if first is None or second is None or not isinstance(following.test, nodes.Expression):
                raise DecompilationError("a branch without a test", stage="structure")
            test = following.test if first is following.true else negate(following.test)
            if through(first) is through(second):
                out.append(nodes.If(spelled(test, self.keeps_not), [nodes.Pass()], line=following.evidence.exit_line))
                meets = through(first) in self.flow.children[following]
                following = self.go(following, first, follow, context, out, after_statement=meets)
                break
            opened.append(self.open_if(following, first, second, test, follow, context, out))
            source, follow, out = following, opened[-1].end, opened[-1].orelse
            following = self.go(source, second, follow, context, out)
        while opened:
            inner = opened.pop()
            inner.orelse.extend(self.sequence(following, inner.end, context))
            following = self.close_if(inner, context)
        return following

    def is_only_a_branch(self, node: LiftedBlock) -> bool:
        """Whether ``node`` is written as an ``if`` and nothing around it."""
        return node.kind == "branch" and node not in self.flow.back and node not in self.written

    def open_if(
        self,
        node: LiftedBlock,
        first: LiftedBlock,
        second: LiftedBlock,
        test: nodes.Expression,
        follow: LiftedBlock | None,
        context: Context,
        out: list[nodes.Statement],
    ) -> _OpenIf:
        """An ``if`` statement with its first arm."""
        merges = self.merges(node, follow, context)
        if not merges:
            after = self.laid_out_after(node, first, second, context) if case_of(test) is None else None
            merges = [after] if after is not None and after is not follow else []
        end = merges[0] if merges else follow
        return _OpenIf(node, test, first, self.arm(node, first, end, context), [], end, merges, out)

    def close_if(self, opened: _OpenIf, context: Context) -> LiftedBlock | None:
        """Puts an ``if`` statement with both arms where it belongs; returns the node that goes on behind it."""
        node, test, first, body, orelse, end, merges, out = opened
        falls, line = not orelse and _goes_on(end, context), node.evidence.exit_line
        leaves = len(orelse) == 1 and isinstance(orelse[0], nodes.Continue)
        if body and not leaves and self.breaks_upward(node, orelse, context):
            test, body, orelse = negate(test), orelse, body
        elif body and (falls or leaves):
            other = negate(test)
            is_nearer = changes(spelled(other, self.keeps_not)) < changes(spelled(test, self.keeps_not))
            if is_nearer or leaves and self.continues(node, first, context):
                # 3.12 and later jump back in the same way for `if a: continue` and for an `if not a` at the end.
                test, body, orelse = other, orelse or [nodes.Continue(line=line)], body
        if orelse and not body and _goes_on(end, context) and self.falls_out_of_chain(node, first):
            body = [nodes.Continue(line=line)]
        if body and not orelse and self.is_pass(node, first, end):
            orelse = [nodes.Pass()]
        if body and ends(body):
            out.append(nodes.If(spelled(test, self.keeps_not), body, line=line))
            out += orelse
        elif body or not orelse or case_of(test) is not None or self.is_jump(first, end):
            out.append(nodes.If(spelled(test, self.keeps_not), body or [nodes.Pass()], orelse, line=line))
        else:
            out.append(nodes.If(spelled(negate(test), self.keeps_not), orelse, line=line))
        for merge, next_merge in zip(merges, merges[1:]):
            out += self.sequence(merge, next_merge, context)
        if merges and merges[-1] in self.written and self.is_exit(merges[-1]) and out and ends(out):
            return None  # it was copied to where control comes from
        return merges[-1] if merges else None

    @staticmethod
    def breaks_upward(node: LiftedBlock, orelse: list[nodes.Statement], context: Context) -> bool:
        """Whether the second arm is a ``break`` to the top of the loop around: a jump back over it, not an ``else``."""
        top = context.break_to
        is_break = len(orelse) == 1 and isinstance(orelse[0], nodes.Break)
        return is_break and top is not None and top.layout < node.layout

    @staticmethod
    def continues(node: LiftedBlock, first: LiftedBlock, context: Context) -> bool:
        """Whether the test alone jumps to the top of a loop that has its test at the bottom too."""
        top = context.continue_to
        if top is None or not top.evidence.is_repeated or isinstance(node.test, nodes.BoolOp):
            return False
        return (node.false if first is node.true else node.true) is top

    @staticmethod
    def is_jump(place: LiftedBlock, end: LiftedBlock | None) -> bool:
        """Whether ``place`` is there for its jump alone: as the first arm of an ``if`` somebody wrote it as `pass`."""
        return place.kind == "goto" and not place.statements and place is not end

    @staticmethod
    def falls_out_of_chain(node: LiftedBlock, first: LiftedBlock) -> bool:
        """Whether control falls through where `a < b < c` fails: so it does for `if not a < b < c`."""
        return first is node.false and isinstance(node.test, nodes.Compare) and len(node.test.ops) > 1

    @staticmethod
    def is_pass(node: LiftedBlock, first: LiftedBlock, end: LiftedBlock | None) -> bool:
        """Whether the second arm of ``node`` is there for its line alone: somebody wrote it as `pass`, and the compiler
        led the end of the first arm past it.
        """
        second = node.false if first is node.true else node.true
        if second is None or second is end or second.statements or second.next is None:
            return False
        falls = second.fall is second.next and second.next is through(end) and second.predecessors == {node}
        line, lines = second.evidence.line, (None, node.evidence.exit_line, second.next.evidence.line)
        return falls and second.evidence.keyword == "pass" and line not in lines

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

    def merges(self, node: LiftedBlock, follow: LiftedBlock | None, context: Context) -> list[LiftedBlock]:
        """Where paths from ``node`` meet again, in layout order."""
        taken = [through(other) for other in (follow, context.break_to, context.continue_to) if other is not None]
        found = {self.meeting(child): None for child in self.flow.children[node] if len(self.flow.sources[child]) > 1}
        return sorted(
            (
                place
                for place in found
                if place not in taken
                and (
                    place in context.inside
                    and through(place) is place
                    or self.is_return_behind(node, place)
                    or self.is_one_jump(place, follow, context)
                )
            ),
            key=lambda place: place.layout,
        )

    def is_one_jump(self, place: LiftedBlock, follow: LiftedBlock | None, context: Context) -> bool:
        """Whether ``place`` is the one ``break``, ``continue`` or ``return`` that paths meet at."""
        goal = through(place)
        if goal is None or goal is place or follow is not None and goal is through(follow):
            return False
        loop = (context.break_to, context.continue_to)
        return self.is_exit(goal) or any(goal is through(other) for other in loop if other is not None)

    def is_return_behind(self, node: LiftedBlock, place: LiftedBlock) -> bool:
        """Whether ``place`` is the one return of a constant that ends a try statement's body, of which ``node`` is."""
        is_written = place.kind == "return" and not place.evidence.is_implicit_return
        return is_written and place.region is not node.region and self.cannot_raise(place)

    def meeting(self, child: LiftedBlock) -> LiftedBlock:
        """Where paths that meet at ``child`` really meet, if it only jumps and nothing else leads there."""
        place = through(child)
        if place is None or place is child or self.is_exit(place) or place not in self.flow.dominator:
            return child
        return place if self.flow.dominates(child, place) and place.region is child.region else child

    def laid_out_after(
        self, node: LiftedBlock, first: LiftedBlock, second: LiftedBlock, context: Context
    ) -> LiftedBlock | None:
        """Code that only the first arm reaches, but that stands behind the second: it follows the ``if``."""
        second, flow = through(second) or second, self.flow
        if flow.dominator.get(first) is not node or second not in flow.children[node]:
            return None
        reached = {first: None}  # from what stands before the second arm
        for position in range(flow.first_of(first), len(flow.nodes)):
            source = flow.nodes[position]
            if source.layout >= second.layout:
                break
            if flow.dominates(first, source):
                reached.update(dict.fromkeys(source.successors))
        candidates = [
            inner
            for inner in reached
            if inner in context.inside
            and flow.dominates(first, inner)
            and (through(inner) is inner or through(inner) not in (context.break_to, context.continue_to))
            and inner.layout > second.layout
            and any(source.layout < second.layout for source in flow.sources[inner])
            and len(inner.markers) <= len(node.markers)  # not in a handler, which may be laid out behind all else
        ]
        return min(candidates, key=lambda inner: inner.layout, default=None)

    # What leaves a statement

    def leaving(self, inside: set[LiftedBlock]) -> list[LiftedBlock]:
        """Where control goes from ``inside`` to outside, in layout order."""
        found: dict[LiftedBlock, None] = {}
        for node in inside:
            for successor in node.successors:
                place = through(successor)
                if place is not None and place not in inside and place.kind != "nowhere":
                    found[self.final(place)] = None
        places: list[LiftedBlock] = []
        for node in sorted(found, key=lambda node: node.layout):
            if not any(self.is_same_end(node, other) for other in places):
                places.append(node)
        return places

    def is_same_end(self, place: LiftedBlock, other: LiftedBlock) -> bool:
        """Whether both are copies of the same end of the code, or of a ``finally`` body, that was written once."""
        if place.kind == other.kind == "reraise":
            return same_place(place, other)
        return same_exit(place, other) and not self.is_constant_exit(place) and self.is_copy(place, other)


def _goes_on(end: LiftedBlock | None, context: Context) -> bool:
    """Whether the loop goes on at ``end``."""
    return end is not None and through(end) is context.continue_to
