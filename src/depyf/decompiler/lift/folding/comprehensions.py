"""Inlined comprehensions: the loop becomes an expression."""

from __future__ import annotations

from typing import Iterable, Iterator, Sequence

from ...syntax import nodes
from ...syntax.scopes import bound_by
from ..lifted_block import LiftedBlock, Terminator
from ..values import Append, Given, Saved, Slot
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


def dead_clauses(
    generators: list[nodes.comprehension],
    variables: Iterable[str],
    cells: Iterable[str] = (),
    free: Iterable[str] = (),
) -> nodes.Expression | None:
    """Bind what only dead clauses bound, behind a condition that is a false constant; return an element for there.

    The compiler has made room for all ``variables``. The element shares those that are ``cells`` with a function, and
    reads the ``free`` variables; None if it has no need to.
    """
    if generators[-1].ifs[-1:] != [nodes.Constant(False)]:
        return None
    bound = bound_by(one.target for one in generators)
    missing = [nodes.Name(name) for name in variables if name not in bound]
    if missing:
        generators.append(nodes.comprehension(_one_or_tuple(missing), nodes.Tuple([]), [], 0))
    parts: list[nodes.Expression] = [nodes.Name(name) for name in free]
    shared = [nodes.Name(name) for name in cells]
    if shared:
        parts.append(nodes.Lambda(nodes.arguments([], []), _one_or_tuple(shared)))
    return _one_or_tuple(parts) if parts else None


def _bound_in_order(generators: list[nodes.comprehension]) -> list[str]:
    """The names that comprehensions in the clauses bind, and the clauses do not."""
    own = bound_by(one.target for one in generators)
    found = [one.target for one in _walk(generators) if isinstance(one, nodes.comprehension)]
    names = [name for target in found for name in sorted(bound_by([target])) if name not in own]
    return list(dict.fromkeys(names))


def _walk(tree: list[nodes.comprehension]) -> Iterator[nodes.Node]:
    """Every node of the clauses, and of the values that are on the stack where branches meet."""
    todo: list[nodes.Node] = [*reversed(tree)]
    while todo:
        for node in nodes.walk(todo.pop()):
            yield node
            if isinstance(node, Slot) and node.value is not None:
                todo.append(node.value)


def _one_or_tuple(values: Sequence[nodes.Expression]) -> nodes.Expression:
    return values[0] if len(values) == 1 else nodes.Tuple([*values])


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
                if block.kind == "goto" and skip_jumps(block.next) is self.loops[-1]:
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
        if skip_jumps(following.false) is not self.loops[-1] or following in self.loops:
            return None
        self.blocks.append(following)
        self.loops.append(following)
        return self.enter(following)

    def condition(self, block: LiftedBlock) -> LiftedBlock | None:
        if not isinstance(block.test, nodes.Expression):
            return None
        for following, other, test in ((block.true, block.false, block.test), (block.false, block.true, None)):
            if following is not None and skip_jumps(other) is self.loops[-1] and following.predecessors == {block}:
                self.generators[-1].ifs.append(test if test is not None else negate(block.test))
                return following
        if block.true is not None and block.true is block.false and block.true.predecessors == {block}:
            self.generators[-1].ifs.append(always(block.test))
            return block.true
        return None

    def dead_clauses(self, saved: list[Saved]) -> nodes.Expression | None:
        """`dead_clauses` of an inlined comprehension that hides the variables ``saved``."""
        names = [one.name for one in saved]
        if ".0" in names:  # in a class, whatever the comprehension mentions
            mentioned = {one.id for one in _walk(self.generators) if isinstance(one, nodes.Name)}
            names = [name for name in names if name not in mentioned and name != ".0"]
        inner = _bound_in_order(self.generators)
        # A comprehension in it would share its variables with it, if it did not mention others of these names.
        others = [name for name in inner if name not in names]
        # Those that it shares follow its own ones, in their order.
        while inner and names and names[-1] in inner:
            del inner[inner.index(names.pop()) :]
        return dead_clauses(self.generators, names, [one.name for one in saved if one.is_cell], others)

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
        dead = self.dead_clauses([*saved[-2::-1], *saved[-1:]])
        if dead is not None:
            key = value = dead
        if isinstance(container, nodes.Dict):
            return nodes.DictComp(value if key is None else key, None if key is None else value, self.generators)
        kind = nodes.ListComp if isinstance(container, nodes.List) else nodes.SetComp
        return kind(value, self.generators)
