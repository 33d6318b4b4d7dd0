"""Inlined comprehensions: the loop becomes an expression."""

from __future__ import annotations

from ...syntax import nodes
from ..lifted_block import LiftedBlock, Terminator
from ..values import Append, Given, Saved
from .hidden_names import hide_the_same
from .negation import negate
from .shapes import skip_jumps


def fold_comprehension(block: LiftedBlock) -> bool:
    """Fold a loop that fills a container on the stack, once everything in its body is folded."""
    if block.kind != "for" or block.terminator.gathers is None:
        return False
    clauses = _Clauses(block)
    if not clauses.read():
        return False
    value = clauses.expression(block.terminator.gathers, block.exit[:-1])
    for inner in clauses.blocks:
        inner.become(Terminator("goto"))  # now unreachable, without successors
    block.exit = [*block.exit[:-1], value]
    block.become(Terminator("goto", next=block.false, fall=block.false))
    return True


def always(test: nodes.Expression) -> nodes.Expression:
    """Return ``test or True``: compiled, it is a test whose two branches have the same target."""
    return nodes.BoolOp("or", [test, nodes.Constant(True)])


def never(clause: nodes.comprehension) -> Append:
    """Return the element of a comprehension whose condition is a false constant: only its loops are compiled."""
    clause.ifs.append(nodes.Constant(False))
    element = clause.target if isinstance(clause.target, nodes.Name) else nodes.Constant(None)
    return Append(element, element)


class _Clauses:
    """The clauses of a comprehension, read in order from the outermost loop.

    Every block has one predecessor. A test continues with the next clause or jumps to the enclosing loop; the last
    block adds the element.
    """

    def __init__(self, block: LiftedBlock) -> None:
        self.loops = [block]
        self.blocks: list[LiftedBlock] = []
        self.generators: list[nodes.comprehension] = []
        self.element: Append | None = None

    def read(self) -> bool:
        """Whether the whole loop is a comprehension."""
        block: LiftedBlock | None = self.enter(self.loops[0])
        while block is not None:
            block = self.after(block)
        return self.element is not None

    def enter(self, loop: LiftedBlock) -> LiftedBlock | None:
        """Return the block that begins the body of ``loop`` and stores its item; None if it does not."""
        body = loop.true
        if body is None or body.predecessors != {loop} or not body.statements:
            return None
        first = body.statements[0]
        if not isinstance(first, nodes.Assign) or not isinstance(first.value, Given) or len(first.targets) != 1:
            return None
        if first.value.kind != "item" or first.value.owner != loop.index or not isinstance(loop.test, nodes.Expression):
            return None
        self.generators.append(nodes.comprehension(first.targets[0], loop.test, [], int(loop.terminator.is_async)))
        return body

    def after(self, block: LiftedBlock) -> LiftedBlock | None:
        """Read ``block`` and return the one after it; None after the element, or if this is no comprehension."""
        self.blocks.append(block)
        first = bool(block.statements) and isinstance(getattr(block.statements[0], "value", None), Given)
        for statement in block.statements[first:]:
            if isinstance(statement, Append) and statement is block.statements[-1]:
                if block.kind == "goto" and self.goes_back(block.next):
                    self.element = statement
                return None
            if not isinstance(statement, nodes.Assign) or len(statement.targets) != 1:
                return None
            # The compiler turns `for target in [value]` into an assignment.
            one = nodes.List([statement.value])
            self.generators.append(nodes.comprehension(statement.targets[0], one, [], 0))
        if block.kind == "branch":
            return self.condition(block)
        following = skip_jumps(block.next) if block.kind == "goto" else None
        if following is self.loops[-1]:
            self.element = never(self.generators[-1])
            return None
        if following is None or following.kind != "for" or following.terminator.gathers is not None:
            return None
        if not self.goes_back(following.false) or following in self.loops:
            return None
        self.blocks.append(following)
        self.loops.append(following)
        return self.enter(following)

    def goes_back(self, block: LiftedBlock | None) -> bool:
        """Whether control goes from ``block`` to the innermost loop by jumps alone, which are ours then."""
        if skip_jumps(block) is not self.loops[-1]:
            return False
        while block is not None and block is not self.loops[-1]:
            self.blocks.append(block)
            block = block.next
        return True

    def condition(self, block: LiftedBlock) -> LiftedBlock | None:
        if not isinstance(block.test, nodes.Expression):
            return None
        for following, other, test in ((block.true, block.false, block.test), (block.false, block.true, None)):
            if following is not None and following.predecessors == {block} and self.goes_back(other):
                self.generators[-1].ifs.append(test if test is not None else negate(block.test))
                return following
        if block.true is not None and block.true is block.false and block.true.predecessors == {block}:
            self.generators[-1].ifs.append(always(block.test))
            return block.true
        return None

    def expression(self, container: nodes.Expression, below: list[nodes.Expression]) -> nodes.Expression:
        """Return the comprehension; ``container`` is the empty container that it fills, ``below`` the stack below."""
        assert self.element is not None
        key, value = self.element.key, self.element.value
        saved: list[Saved] = []
        for one in reversed(below):
            if not isinstance(one, Saved):
                break
            saved.append(one)
        # The compiler swaps the last one with the iterator, which was below them.
        value, key = hide_the_same(self.generators, value, key, [*saved[-2::-1], *saved[-1:]])
        if isinstance(container, nodes.Dict):
            return nodes.DictComp(value if key is None else key, None if key is None else value, self.generators)
        kind = nodes.ListComp if isinstance(container, nodes.List) else nodes.SetComp
        return kind(value, self.generators)
