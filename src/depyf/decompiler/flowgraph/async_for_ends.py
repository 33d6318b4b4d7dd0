"""Moves the code that follows an ``async for`` loop back after the loop.

Since 3.12 the compiler moves cold blocks, reached only by exceptions, to the end of the code. The end of the iterator,
signalled by StopAsyncIteration, counts as cold, and so does the code reached only from there: an ``else`` clause, or
what follows a loop without ``break``.
"""

from __future__ import annotations

from .control_flow_graph import BasicBlock, ControlFlowGraph, reached_from


def move_async_for_ends_back(graph: ControlFlowGraph) -> None:
    """Move such blocks after their loops; every block gets a new ``start``."""
    loops = {block.target: block for block in graph.blocks if block.last is not None and _iterates(block)}
    if not loops:
        return
    reachable = graph.reached_without_exceptions()
    warm = _reached_in_loops(graph)
    order = [block for block in graph.blocks if block in warm]
    predecessors = graph.predecessors()
    run: list[BasicBlock] = []
    runs = []
    for block in graph.blocks:
        if block in reachable and block not in warm:
            if block in loops or not run:
                run = []
                runs.append(run)
            run.append(block)
    if not runs:
        return
    for run in runs:
        loop = loops.get(run[0])
        end = len(order) if loop is None else _end_of(loop, run, order, predecessors)
        order[end:end] = run
    for block in (block for run in runs for block in run):
        _cover_jump(block, predecessors)
    graph.blocks = order + [block for block in graph.blocks if block not in reachable]
    graph.number()


def _cover_jump(block: BasicBlock, predecessors: dict[BasicBlock, list[BasicBlock]]) -> None:
    """Give a jump from moved code the handler of its target, if what jumps there is in that statement.

    The compiler adds this jump when it moves the code (push_cold_blocks_to_end), and leaves its handler unset.
    """
    after = block.target
    if after is None or after.handler is None or block.handler is not None or block.operations() != ["JUMP"]:
        return
    for predecessor in predecessors.get(block, ()):
        around, seen = predecessor.handler_block, set()
        while around is not after.handler_block:
            if around is None or around in seen:
                return
            seen.add(around)
            around = around.handler_block
    block.handler, block.handler_block = after.handler, after.handler_block


def _iterates(block: BasicBlock) -> bool:
    return block.last is not None and block.last.op == "ASYNC_FOR_ITER"


def _reached_in_loops(graph: ControlFlowGraph) -> set[BasicBlock]:
    """Return the blocks that control reaches if no iterator ends and nothing is raised."""
    found = {graph.entry}
    todo = [graph.entry]
    while todo:
        block = todo.pop()
        for successor in (block.fall,) if _iterates(block) else block.successors:
            if successor is not None and successor not in found:
                found.add(successor)
                todo.append(successor)
    return found


def _end_of(
    loop: BasicBlock, run: list[BasicBlock], order: list[BasicBlock], predecessors: dict[BasicBlock, list[BasicBlock]]
) -> int:
    """Return the index in ``order`` after the body of ``loop``, where ``run`` belongs."""
    members = {loop}
    if loop.fall is not None:
        inside = reached_from(loop.fall, (loop,), with_handlers=False)
        todo = [loop]
        while todo:
            for predecessor in predecessors.get(todo.pop(), ()):
                if predecessor in inside and predecessor not in members:
                    members.add(predecessor)
                    todo.append(predecessor)
    end = max(index for index, block in enumerate(order) if block in members) + 1
    last = _line(run)
    while end < len(order) and last is not None:
        line = _line(order[end : end + 1])
        if line is None or line >= last or not members.issuperset(predecessors.get(order[end], ())):
            break
        members.add(order[end])  # it comes before a `break`
        end += 1
    return end


def _line(blocks: list[BasicBlock]) -> int | None:
    """Return the first line of an operation in ``blocks``, ignoring NOPs and jumps."""
    lines = (i.line for block in blocks for i in block.instructions if i.op not in ("NOP", "JUMP"))
    return next((line for line in lines if line is not None), None)
