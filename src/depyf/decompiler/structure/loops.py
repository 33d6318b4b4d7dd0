"""``for`` and ``while``, with ``break``, ``continue`` and ``else``."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from ...errors import DecompilationError
from ..lift import LiftedBlock
from ..lift.columns import column_of_test
from ..lift.folding.negation import negate, spelled
from ..lift.folding.shapes import skip_jumps
from ..lift.values import Append, Given, Iterated
from ..limits.budget import STEP, spend
from ..syntax import nodes
from .columns import (
    column_of_first,
    column_of_keyword,
    columns_in,
    is_left_of_all,
    is_left_of_test,
    is_within,
)
from .context import Context, NoPlace, fails_an_assertion
from .flow import key_of
from .loop_exits import break_target, is_returned_to

if TYPE_CHECKING:
    from .structurer import Structurer


def write_for(
    writer: Structurer, node: LiftedBlock, follow: LiftedBlock | None, context: Context, out: list[nodes.Statement]
) -> LiftedBlock | None:
    """Write a for loop: the nodes of its body have the iterator on the stack."""
    inside = set(writer.flow.keeping("iterator", node.index))
    if node.true is None or node.false is None:
        raise DecompilationError("a loop without a body", stage="structure")
    after, orelse_from = _end(writer, node, inside, node.false, follow)
    body = _body(writer, node, node.true, inside, after, context)
    iterable = node.test.value if isinstance(node.test, Iterated) else node.test
    if _yields_items(body, node) and orelse_from is None:
        out.append(Append(None, nodes.Starred(iterable)))
        return writer.go(node, after, follow, context, out, after_statement=True) if after is not None else None
    column = body[0].column if body else None
    target, body = _loop_target(body, node)
    orelse = writer.arm(node, orelse_from, after, context) if orelse_from is not None else []
    kind = nodes.AsyncFor if node.terminator.is_async else nodes.For
    loop = kind(target, iterable, body or [nodes.Pass()], orelse, line=node.evidence.exit_line)
    if column is not None:
        loop.column = column - len("async for " if node.terminator.is_async else "for ")
    out.append(loop)
    return writer.go(node, after, follow, context, out, after_statement=True) if after is not None else None


def _body(
    writer: Structurer,
    header: LiftedBlock,
    start: LiftedBlock,
    inside: set[LiftedBlock],
    after: LiftedBlock | None,
    context: Context,
) -> list[nodes.Statement]:
    inner = context.in_loop(inside, after, header)
    return writer.arm(header, start, header, inner)


def _yields_items(body: list[nodes.Statement], node: LiftedBlock) -> bool:
    """Whether the loop yields its items as they come: ``*a`` as the element of a generator expression (3.15 on)."""
    only = body[0] if len(body) == 1 else None
    value = only.value.value if isinstance(only, nodes.Expr) and isinstance(only.value, nodes.Yield) else None
    return isinstance(value, Given) and value.owner == node.index


def _loop_target(body: list[nodes.Statement], node: LiftedBlock) -> tuple[nodes.Expression, list[nodes.Statement]]:
    first = body[0] if body else None
    if isinstance(first, nodes.Assign) and isinstance(first.value, Given) and first.value.owner == node.index:
        if len(first.targets) == 1:
            return first.targets[0], body[1:]
    raise DecompilationError("a loop whose item is not stored first", stage="structure")


def _end(
    writer: Structurer,
    header: LiftedBlock,
    inside: set[LiftedBlock],
    exhausted: LiftedBlock,
    follow: LiftedBlock | None,
) -> tuple[LiftedBlock | None, LiftedBlock | None]:
    """Where ``break`` goes, and where the ``else`` clause begins if there is one."""
    blocks = [block for block in writer.leaving(inside) if block is not header]
    goal = writer.final(exhausted, shared=True)
    if any(writer.is_copy(p, exhausted) or writer.final(p, shared=True) is goal for p in blocks):
        return exhausted, None
    blocks = [block for block in blocks if not is_returned_to(writer, block, inside, header.region)]
    breaks = [
        block
        for block in blocks
        if block is skip_jumps(follow)
        or len(writer.flow.sources[block]) > 1
        or block.evidence.is_implicit_return
        or not writer.is_constant_exit(block)
    ]
    if len(breaks) > 1:
        breaks = [block for block in breaks if not writer.is_constant_exit(block)] or breaks[:1]
    if not breaks:
        return exhausted, None
    if len(breaks) > 1:
        raise NoPlace("a loop that is left to several places", breaks)
    return _jump_below(inside, breaks[0]) or breaks[0], exhausted


def _jump_below(inside: set[LiftedBlock], after: LiftedBlock) -> LiftedBlock | None:
    """Return the jump by which all of the loop's ``break`` statements lead to ``after``: it follows the loop, on a line
    of its own.
    """
    jumps = {one for block in inside for one in block.successors if one not in inside and skip_jumps(one) is after}
    jump = jumps.pop() if len(jumps) == 1 else None
    if jump is None or jump is after or jump.evidence.column is None or jump.evidence.exit_line is None:
        return None
    return jump if jump.evidence.exit_line > max(map(_last_line, inside)) else None


def write_while(
    writer: Structurer, node: LiftedBlock, follow: LiftedBlock | None, context: Context, out: list[nodes.Statement]
) -> LiftedBlock | None:
    """Write the while loop whose header is ``node``: with a condition if only a test is at the top, else endless."""
    loop = writer.flow.natural_loop(node)
    tested = _body_and_exit(node, loop)
    if tested is not None:
        return _write_tested(writer, node, *tested, loop, follow, context, out)
    inside = _extent(writer, node, loop, context, None)
    beside = {block for block in inside - loop if block.kind != "raise" or block.region is node.region}
    beside = {block for block in beside if block.kind != "reraise" or block.markers == node.markers}
    inside -= {
        block for block in beside if _follows_by_its_line(block, inside) or _is_behind_a_break(block, inside)
    }
    inside |= {block for block in writer.leaving(inside) if _is_in_loop_by_its_line(writer, node, block, inside)}
    for block in writer.leaving(inside):
        begins = block not in writer.flow.back and is_within(block, min(columns_in(inside), default=None))
        is_beside = begins or _is_beside_its_test(block, inside)
        if is_beside and block in context.inside and writer.flow.dominates(node, block):
            inside |= _part_in_loop(writer, block, context, inside)
        inside |= _before_a_break(writer, block, context, inside)
    after = break_target(writer, node, inside, follow, context)
    inner = context.in_loop(inside, after, node)
    body: list[nodes.Statement] = []
    following = writer.write(node, node, inner, body)
    body += writer.sequence(following, node, inner)
    out.append(nodes.While(nodes.Constant(True), body or [nodes.Pass()], line=node.evidence.line))
    return writer.go(node, after, follow, context, out, after_statement=True) if after is not None else None


def _part_in_loop(
    writer: Structurer, block: LiftedBlock, context: Context, inside: set[LiftedBlock]
) -> set[LiftedBlock]:
    """Return the code from ``block`` on, which is in the loop, up to what columns or lines show to be after it, or the
    end of the code.
    """
    rest = set(writer.flow.dominated(block)) & context.inside
    after = [one for one in rest - {block} if _is_end(one) or is_left_of_all(one, inside | {block})]
    if after:
        first = min(after, key=lambda one: one.layout)
        behind = set(writer.flow.dominated(first))
        if behind.issuperset(after):
            return rest - behind
    return rest if _ends_with_written_exits(rest) or _ends_with_breaks(rest) else set()


def _is_end(block: LiftedBlock) -> bool:
    """Whether ``block`` is the implicit return at the end of the code."""
    return block.evidence.is_implicit_return is True and not block.statements


def _before_a_break(
    writer: Structurer, block: LiftedBlock, context: Context, inside: set[LiftedBlock]
) -> set[LiftedBlock]:
    """Return the code from ``block`` on that is indented deeper than what follows the loop, and leads to a ``break`` of
    which there is a jump or a NOP; nothing if none does, or if it is further left than all statements ``inside``.
    """
    flow, first = writer.flow, column_of_first(block)
    if first is None or first < min(columns_in(inside), default=0):
        return set()
    after = {}
    for one in islice(flow.nodes, flow.first_of(block), None):
        spend(STEP, "looking for a break")
        if one in flow.back:
            break  # another loop, whose `break` it would be
        if one is block or one not in context.inside or not flow.dominates(block, one):
            continue
        end = skip_jumps(one) if one.kind == "goto" and not one.statements else one
        column = one.evidence.column if end is not one else one.evidence.left_from
        if end in context.inside and column is not None and flow.dominates(block, end):
            after[end] = column
    if not after:
        return set()
    end, jump = min(after.items(), key=lambda item: item[0].layout)
    last = column_of_first(end)
    if last is None or first <= last or first > jump + len("("):
        return set()
    between = [block]
    for one in between:
        if one in flow.back:
            return set()
        between += [other for other in flow.children[one] if other is not end and other in context.inside]
    return set(between) if set(writer.leaving(set(between))) <= {end} else set()


def _follows_by_its_line(block: LiftedBlock, inside: set[LiftedBlock]) -> bool:
    """Whether ``block`` is a copy of a return or raise on a line after the loop, laid out where a test or several jumps
    break out of it: the rest of the loop has earlier lines.
    """
    line = block.evidence.exit_line
    if not _may_be_copied(block) or line is None:
        return False
    if len(block.predecessors) > 1:
        is_broken_to = block.evidence.column is None and any(one.jumps_on_its_line for one in block.predecessors)
        return (is_broken_to or is_left_of_all(block, inside)) and all(_last_line(one) <= line for one in inside)
    (source,), target = block.predecessors, block
    if source.kind == "goto" and not source.statements and len(source.predecessors) == 1:  # the `break`
        (source,), target = source.predecessors, source
    rest = next((one for one in source.successors if one is not target), None)
    if source.kind != "branch" or rest is None or rest not in inside:
        return False
    if rest.layout < block.layout:
        return is_left_of_all(block, inside)
    if not rest.statements and (target is block or block.evidence.column) and not is_left_of_test(block, source):
        return False
    return all(_last_line(one) < line for one in inside if one is not block)


def _is_behind_a_break(block: LiftedBlock, inside: set[LiftedBlock]) -> bool:
    """Whether ``block`` is below the loop: a return that the NOP of a ``break`` precedes on an earlier line, or
    statements at the end of a ``finally`` body or except clause around it, not indented as deep as the loop's.
    """
    left, line = block.evidence.left_line, block.evidence.exit_line
    is_below = block.kind == "return" and not block.statements and left is not None and line is not None and left < line
    if block.kind == "reraise" and block.statements:
        columns = columns_in(inside - {block})
        is_below = not columns or block.statements[0].column is None or is_left_of_all(block, inside)
    return is_below and all(_last_line(one) < (line or 0) for one in inside if one is not block)


def _may_be_copied(block: LiftedBlock) -> bool:
    """Whether ``block`` is a return, or a raise and nothing else, and the compiler copies such exits."""
    raises = block.kind == "raise" and len(block.statements) == 1 and not fails_an_assertion(block.statements)
    return block.kind == "return" and not block.evidence.is_uncopied or raises


def _is_beside_its_test(block: LiftedBlock, inside: set[LiftedBlock]) -> bool:
    """Whether ``block`` is indented at least as deep as the ``if`` in the loop whose test leads to it: so it is in the
    loop too. Without columns, whether a ``continue`` is the other way.
    """
    source = next(iter(block.predecessors)) if len(block.predecessors) == 1 else None
    if source is None or source not in inside or source.kind != "branch" or block.evidence.line is None:
        return False
    other = next((one for one in source.successors if one is not block), None)
    keyword = column_of_keyword("if", source)
    if keyword is None:
        return other is not None and other.evidence.is_continue and not other.statements
    end = block.next if block.kind == "goto" and block.exit and len(block.successors) == 1 else block
    column = end.evidence.column if end is not None and end.kind == "return" else None
    if block.kind == "branch":
        column = column_of_keyword("elif", block)
    if block.statements:
        column = block.statements[0].column
    if column is None or block.evidence.line <= (source.evidence.exit_line or 0):
        return False
    return column >= keyword


def _ends_with_written_exits(blocks: set[LiftedBlock]) -> bool:
    """Whether there are exits, and all returns are in the source: no other leaves a loop, and none is in a class or
    module.
    """
    returns = [block.evidence for block in blocks if block.kind == "return"]
    is_left = bool(returns) or any(block.kind == "raise" for block in blocks)
    return is_left and all(one.is_implicit_return is False and not one.is_end for one in returns)


def _ends_with_breaks(blocks: set[LiftedBlock]) -> bool:
    """Whether all that leaves ``blocks`` is a jump as wide as ``break``."""
    exits = [one for one in blocks if any(successor not in blocks for successor in one.successors)]
    return bool(exits) and all(one.kind == "goto" and one.evidence.column is not None for one in exits)


def _is_in_loop_by_its_line(
    writer: Structurer, header: LiftedBlock, block: LiftedBlock, inside: set[LiftedBlock]
) -> bool:
    """Whether ``block`` is a return on an earlier line than the end of the loop."""
    line = block.evidence.exit_line
    is_written = block.kind == "return" and block.evidence.is_implicit_return is False and not block.evidence.is_end
    if not is_written or line is None or not writer.flow.dominates(header, block):
        return False
    return line < max(map(_last_line, inside))


def _last_line(block: LiftedBlock) -> int:
    """Return the last line of the block's statements and of its end; 0 if there is none."""
    evidence = block.evidence
    lines = evidence.line, evidence.exit_line, *(statement.line for statement in block.statements)
    return max(line or 0 for line in lines)


def _body_and_exit(node: LiftedBlock, loop: set[LiftedBlock]) -> tuple[LiftedBlock, LiftedBlock] | None:
    """Return the targets of the test at the top of ``loop``, into its body and out of it; None for an endless loop."""
    if node.kind == "branch" and not node.statements and node.true and node.false:
        for start, exhausted in ((node.true, node.false), (node.false, node.true)):
            # If the compiler does not copy the test, control falls through from it to the body.
            tested = node.evidence.is_repeated or start is node.fall
            if tested and skip_jumps(start) in loop and skip_jumps(exhausted) not in loop:
                return None if _is_test_of_if(node, start) else (start, exhausted)
    return None


def _is_test_of_if(node: LiftedBlock, start: LiftedBlock) -> bool:
    """Whether the test at the top of a loop is that of an ``if`` in an endless loop, by the column of the body that
    begins with ``start``: it would be indented by an odd number of columns from a ``while``, by 2, 4 or 8 from ``if``.
    """
    loop, test = column_of_keyword("while", node), column_of_keyword("if", node)
    first = skip_jumps(start) or start  # a chained comparison jumps there past the end of one that failed
    body = first.statements[0].column if first.statements else None
    if node.evidence.is_repeated or loop is None or test is None or body is None:
        return False
    return body - test in (2, 4, 8) and (body - loop) % 2 == 1


def _write_tested(
    writer: Structurer,
    node: LiftedBlock,
    start: LiftedBlock,
    exhausted: LiftedBlock,
    loop: set[LiftedBlock],
    follow: LiftedBlock | None,
    context: Context,
    out: list[nodes.Statement],
) -> LiftedBlock | None:
    writer.written.add(node)
    if writer.flow.loop_tests_are_copied and not node.evidence.is_repeated:
        writer.continued.add(node)  # no copy of the test at the bottom: only `continue` jumps here
    inside = _extent(writer, node, loop, context, skip_jumps(exhausted))
    jump: LiftedBlock | None = exhausted
    while jump is not None and jump is not skip_jumps(exhausted):  # not part of the loop: `else: break`
        spend(STEP, "structuring")
        inside.discard(jump)
        jump = jump.next
    inside.discard(node)
    after, orelse_from = _end(writer, node, inside, exhausted, follow)
    body = _body(writer, node, start, inside, after, context)
    orelse = writer.arm(node, orelse_from, after, context) if orelse_from is not None else []
    test = node.test if start is node.true else negate(node.test)
    is_continued = node in writer.continued and body and isinstance(body[-1], nodes.Continue)
    shows = [one.evidence for one in inside if writer.flow.loop_tests_are_copied or one.evidence.column is not None]
    if body and body[-1] == nodes.Continue() and any(i.is_continue and i.exit_line == body[-1].line for i in shows):
        pass  # it has a line of its own, and is as wide as that
    elif is_continued and not orelse and not writer.is_exit(exhausted):
        # Control reaches the bottom of the loop, where there is no copy of the test: so the test is a statement at the
        # top. (If the loop exits to the end of the code, a copy of that end follows the loop.)
        test, top = nodes.Constant(True), nodes.If(spelled(negate(test)), [nodes.Break()])
        top.line = node.evidence.exit_line
        body = [top, *body[:-1]]
    elif body == [nodes.Continue()] and not writer.flow.loop_tests_are_copied:
        body = [nodes.Pass(line=body[0].line)]  # equivalent, and more usual
    test = spelled(test)
    statement = nodes.While(test, body or [nodes.Pass()], orelse, line=node.evidence.exit_line)
    statement.column = column_of_test("while", node.evidence.column, test)
    out.append(statement)
    return writer.go(node, after, follow, context, out, after_statement=True) if after is not None else None


def _failures(node: LiftedBlock) -> list[LiftedBlock]:
    """Return the block that raises the error of an assertion on the line of the test at the end of ``node``."""
    line = node.evidence.exit_line
    found = [one for one in node.successors if fails_an_assertion(one.statements)]
    return [one for one in found if line is not None and one.statements[0].line == line]


def _extent(
    writer: Structurer,
    header: LiftedBlock,
    loop: set[LiftedBlock],
    context: Context,
    exhausted: LiftedBlock | None,
) -> set[LiftedBlock]:
    """Return the loop with the code laid out between its blocks, which ends with a ``break`` or ``return``.

    A try, with, for or match statement that begins inside belongs to the loop as a whole.
    """
    flow = writer.flow
    later_exit = exhausted if exhausted is not None and exhausted.layout > header.layout else None
    outside = later_exit if later_exit is not None and flow.dominator.get(later_exit) is header else None

    def is_reached(node: LiftedBlock) -> bool:
        if node not in context.inside or not flow.dominates(header, node) or _is_outer_end(node, header):
            return False
        return outside is None or not flow.dominates(outside, node)

    inside: set[LiftedBlock] = set()
    todo = [*loop, *filter(is_reached, flow.ends_of_loops.get(header.index, ()))]
    begun = {key_of(marker.kind, marker.owner) for marker in header.markers}
    position, limit = flow.first_of(header), header.layout if later_exit is None else later_exit.layout
    while True:
        while todo:
            node = todo.pop()
            if node in inside:
                continue
            inside.add(node)
            if later_exit is None:
                limit = max(limit, node.layout)
            if node.kind == "try" and node.false is not None and node.test.kind != "with":
                todo.append(node.false)
            todo += filter(is_reached, _failures(node))
            for statement in flow.statements_of(node):
                if statement not in begun:
                    begun.add(statement)
                    todo.extend(filter(is_reached, flow.parts_of(statement)))
        while position < len(flow.nodes) and flow.nodes[position].layout < limit:
            if is_reached(flow.nodes[position]):
                todo.append(flow.nodes[position])
            position += 1
        if not todo:
            return inside


def _is_outer_end(node: LiftedBlock, header: LiftedBlock) -> bool:
    """Whether ``node`` ends a ``finally`` body or an except clause around the loop: from 3.12 on, the compiler copies
    that end to where a ``break`` jumps."""
    return node.kind == "reraise" and not node.statements and node.entry == header.entry
