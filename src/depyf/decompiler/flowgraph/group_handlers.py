"""Rewrites the handlers of ``except*`` clauses to the shape of ``except`` clauses.

The compiler's code collects the exceptions that clauses raise, and those that no clause matched, in a list, and raises
the list as a group at the end. All of that is implied by the clauses. The result is a chain of tests,
``CHECK_EXC_MATCH`` with the operand ``*``, each of which branches to its clause or the next test; at the end the
exception propagates. If no clause reaches the code after the statement, an additional clause of the type ``NO_TYPE``
does.
"""

from __future__ import annotations

from typing import NamedTuple

from ...errors import DecompilationError
from ..bytecode import Instruction, unbound_name
from ..limits.budget import STEP, spend
from .control_flow_graph import BasicBlock, ControlFlowGraph

_TESTS = tuple(["CHECK_EG_MATCH", "COPY", jump] for jump in ("POP_JUMP_IF_NONE", "POP_JUMP_IF_NOT_NONE"))
_PREPARATIONS = (["COPY", "BUILD_LIST", "SWAP"], ["BUILD_LIST", "COPY"])
NO_TYPE = "<no type>"
_EXTRA_ENTRIES = 3  # on the stack: the whole group, the list of raised exceptions, the unmatched rest
_MAX_STEPS = 10_000


class _Clause(NamedTuple):
    """``test`` ends with the test, ``missed`` is its target if nothing matches, ``following`` is after the clause."""

    test: BasicBlock
    body: BasicBlock
    missed: BasicBlock
    following: BasicBlock


def rewrite_group_handlers(graph: ControlFlowGraph) -> None:
    """Rewrite every handler that matches exception groups."""
    found = False
    handlers = {block.handler_block for block in graph.blocks}
    for handler in list(graph.blocks):
        if handler in handlers and handler.operations()[:1] == ["PUSH_EXC_INFO"] and _preparation(handler):
            _rewrite(graph, handler)
            found = True
    if found:
        graph.remove_unreachable()


def _preparation(handler: BasicBlock) -> int:
    """Return how many instructions after the first one build the list; 0 if this handler has none."""
    operations = handler.operations()
    return next((len(steps) for steps in _PREPARATIONS if operations[1 : 1 + len(steps)] == steps), 0)


def _rewrite(graph: ControlFlowGraph, handler: BasicBlock) -> None:
    clauses = []
    block: BasicBlock | None = handler
    while block is not None and not _is_end(block):
        spend(STEP, "reading the flow graph")
        clauses.append(_clause(graph, block))
        block = clauses[-1].following
    if block is None or not clauses:
        raise DecompilationError("except* clauses without an end", stage="undo_optimiser")
    end = block
    after = _after_statement(graph, end)
    continues = [_rewrite_ends(graph, clause, end, after, handler) for clause in clauses]
    for clause in clauses:
        last = clause.test.instructions[-1]
        check = clause.test.instructions[-3]
        check.op, check.arg = "CHECK_EXC_MATCH", "*"
        last.op = "POP_JUMP_IF_FALSE"
        del clause.test.instructions[-2]
        clause.missed.instructions = [clause.missed.instructions[0].as_nop()]
        clause.missed.fall, clause.missed.target = clause.following, None
    start = next(index for index, one in enumerate(handler.instructions) if one.op == "PUSH_EXC_INFO")
    del handler.instructions[start + 1 : start + 1 + _preparation(handler)]
    _end_clauses(graph, end, handler, None if any(continues) else after)


def _end_clauses(graph: ControlFlowGraph, end: BasicBlock, handler: BasicBlock, after: BasicBlock | None) -> None:
    """Let the exception propagate, after an additional clause that leads to ``after``, if that is given."""
    first = end.instructions[0]

    def make(op: str, arg: object = None) -> Instruction:
        return Instruction(op, arg, -1, handler.instructions[0].handler, first.offset, first.line)

    parts = [end, BasicBlock(end.start + 1, [], end.handler), BasicBlock(end.start + 2, [], end.handler)]
    if after is not None:
        end.instructions = [make("LOAD_GLOBAL", NO_TYPE), make("CHECK_EXC_MATCH", "*"), make("POP_JUMP_IF_FALSE")]
        parts[1].instructions = [make("POP"), make("POP_EXCEPT")]
        end.fall, end.target, parts[1].fall = parts[1], parts[2], after
        index = graph.blocks.index(end) + 1
        graph.blocks[index:index] = parts[1:]
    last = parts[2] if after is not None else end
    last.instructions = [make("RERAISE", 0)]
    last.fall = last.target = None
    for block in parts:
        block.handler, block.handler_block = handler.handler, handler.handler_block


def _clause(graph: ControlFlowGraph, start: BasicBlock) -> _Clause:
    block = _test(start)
    _negate_early_test(graph, block)
    missed, body = block.target, block.fall
    if missed is None or body is None or missed.operations()[:1] != ["POP"]:
        raise DecompilationError("an except* clause that is left in another way", stage="undo_optimiser")
    position = next(index for index, one in enumerate(missed.instructions) if one.op == "POP") + 1
    following = graph.split(missed, position) if position < len(missed.instructions) else missed.fall
    following = _past_jumps(following)
    if following is None:
        raise DecompilationError("except* clauses without an end", stage="undo_optimiser")
    return _Clause(block, body, missed, following)


def _test(start: BasicBlock) -> BasicBlock:
    """Return the block that ends with the test of the clause at ``start``: its type may be any expression."""
    todo, seen = [start], {start}
    while todo and len(seen) < _MAX_STEPS:
        block = todo.pop()
        if [i.op for i in block.instructions[-3:]] in _TESTS:
            return block
        following = [one for one in (block.target, block.fall) if one is not None and one not in seen]
        todo += following
        seen.update(following)
    raise DecompilationError("an except* clause without a test", stage="undo_optimiser")


def _negate_early_test(graph: ControlFlowGraph, test: BasicBlock) -> None:
    """Let the test of a clause jump if nothing matches.

    Early releases of 3.11 (3.11.2 is one, 3.11.7 is not) jump to the clause if something matches, over a block that
    goes to the next test: https://github.com/python/cpython/issues/90444.
    """
    jump, body, missed = test.instructions[-1], test.target, test.fall
    if jump.op != "POP_JUMP_IF_NOT_NONE" or body is None or missed is None:
        return
    jump.op, test.fall, test.target = "POP_JUMP_IF_NONE", body, missed
    following = _past_jumps(missed.target if missed.target is not None else missed.fall)
    if following is not None:
        graph.blocks.remove(missed)
        graph.blocks.insert(graph.blocks.index(following), missed)


def _past_jumps(block: BasicBlock | None) -> BasicBlock | None:
    passed = set()  # an empty endless loop comes back
    while block is not None and block not in passed and set(block.operations()) <= {"JUMP"}:
        spend(STEP, "reading the flow graph")
        passed.add(block)
        block = block.target if block.target is not None else block.fall
    return block


def _is_end(block: BasicBlock) -> bool:
    return block.operations()[:1] in (["PREP_RERAISE_STAR"], ["LIST_APPEND"])


def _reraise_block(end: BasicBlock) -> BasicBlock:
    """Return the block with PREP_RERAISE_STAR."""
    block: BasicBlock | None = end
    while block is not None and "PREP_RERAISE_STAR" not in block.operations():
        spend(STEP, "reading the flow graph")
        block = block.target if block.last is not None and block.last.op == "JUMP" else block.fall
    if block is None:
        raise DecompilationError("except* clauses without an end", stage="undo_optimiser")
    return block


def _after_statement(graph: ControlFlowGraph, end: BasicBlock) -> BasicBlock:
    """Return the block where control continues if nothing is left to raise: past POP and POP_EXCEPT."""
    block, wanted = _reraise_block(end).fall, ["POP", "POP_EXCEPT"]
    while block is not None:
        spend(STEP, "reading the flow graph")
        for position, instruction in enumerate(block.instructions):
            if not wanted and instruction.op != "JUMP":
                return _original(graph, graph.split(block, position))
            if wanted and instruction.op == wanted[0]:
                wanted.pop(0)
            elif instruction.op not in ("NOP", "JUMP"):
                raise DecompilationError("except* clauses that end in another way", stage="undo_optimiser")
        block = block.target if block.target is not None else block.fall
    raise DecompilationError("nothing after except* clauses", stage="undo_optimiser")


def _original(graph: ControlFlowGraph, block: BasicBlock) -> BasicBlock:
    """Return the first copy of a short exit block: no clause has an exit of its own."""
    if block.successors or block.instructions[0].line is None:
        return block
    return next(one for one in graph.blocks if one.handler == block.handler and _written(one) == _written(block))


def _written(block: BasicBlock) -> list[tuple[str, object, object]]:
    return [(i.op, i.arg, i.position) for i in block.instructions if i.op != "NOP"]


def _rewrite_ends(
    graph: ControlFlowGraph, clause: _Clause, end: BasicBlock, after: BasicBlock, handler: BasicBlock
) -> bool:
    """End the clause with POP_EXCEPT and a jump to ``after``; drop its own handler. Return whether it has an end."""
    goals = {clause.following, end, _reraise_block(end)}
    body: list[BasicBlock] = [clause.body]
    raisers = set()
    for block in body:  # grows along
        inner = block.handler_block
        if inner is not None and inner is not handler.handler_block:
            # Clauses nested in this one have such handlers too.
            if inner.handler_block is handler.handler_block and "LIST_APPEND" in _first_operations(inner):
                raisers.add(inner)
            elif inner not in body:
                body.append(inner)
        for successor in block.successors:
            if _past_jumps(successor) not in goals and successor not in body:
                body.append(successor)
    for block in graph.blocks:
        if block.handler_block in raisers:
            block.handler, block.handler_block = handler.handler, handler.handler_block
            for instruction in block.instructions:
                instruction.handler = handler.handler
    for block in body:
        if block.handler is not None and block.handler_block is not handler.handler_block:
            block.handler = block.handler._replace(depth=block.handler.depth - _EXTRA_ENTRIES)
    ends = [(block, edge) for block in body for edge in ("fall", "target") if _reaches(block, edge, goals)]
    if len(ends) == 1 and _is_unconditional(*ends[0]):
        _end_clause(*ends[0], after, handler)
    elif ends:
        _join_ends(graph, max(body, key=graph.blocks.index), ends, after, handler)
    return bool(ends)


def _reaches(block: BasicBlock, edge: str, goals: set[BasicBlock]) -> bool:
    following: BasicBlock | None = getattr(block, edge)
    return following is not None and _past_jumps(following) in goals


def _first_operations(block: BasicBlock) -> list[str]:
    operations: list[str] = []
    following: BasicBlock | None = block
    while following is not None and len(operations) < 6:
        operations += following.operations()
        following = following.fall
    return operations[:6]


def _is_unconditional(block: BasicBlock, edge: str) -> bool:
    return block.last is None or block.last.op == "JUMP" or edge == "fall" and block.target is None


def _end_clause(block: BasicBlock, edge: str, after: BasicBlock, handler: BasicBlock) -> None:
    """Let the clause end with ``block``; the unbinding of its name stays last."""
    jump = [block.instructions.pop()] if block.last is not None and block.last.op == "JUMP" else []
    if block.instructions and block.instructions[-1].op == "LIST_APPEND":
        block.instructions.pop()
    position = len(block.instructions)
    if unbound_name(block.instructions[-3:]) is not None:
        position -= 3
    leave = _pop_except((block.instructions or jump)[-1:], handler)
    block.instructions[position:] = [leave, *block.instructions[position:], *jump]
    setattr(block, edge, after)


def _join_ends(
    graph: ControlFlowGraph,
    last: BasicBlock,
    ends: list[tuple[BasicBlock, str]],
    after: BasicBlock,
    handler: BasicBlock,
) -> None:
    """Join the several ends of a clause, whose last block is ``last``, in a new block."""
    kept: list[Instruction] = []  # the unbinding of the clause's name, if each end has a copy
    for block, _ in ends:
        steps = [i for i in block.instructions if i.op not in ("JUMP", "LIST_APPEND")]
        kept = steps[-3:] if unbound_name(steps[-3:]) is not None else []
        if not kept:
            break
    leave = _pop_except(last.instructions[-1:], handler)
    new = BasicBlock(last.start + len(last.instructions) - 1, [leave, *kept], handler.handler)
    new.handler_block, new.fall = handler.handler_block, after
    graph.blocks.insert(graph.blocks.index(last) + 1, new)
    for block, edge in ends:
        jump = [block.instructions.pop()] if block.last is not None and block.last.op == "JUMP" else []
        if block.last is not None and block.last.op == "LIST_APPEND":
            block.instructions.pop()
        block.instructions[len(block.instructions) - len(kept) :] = jump
        setattr(block, edge, new)


def _pop_except(model: list[Instruction], handler: BasicBlock) -> Instruction:
    location = model[0] if model else handler.instructions[0]
    return Instruction("POP_EXCEPT", None, -1, handler.handler, location.offset, location.line, location.position)
