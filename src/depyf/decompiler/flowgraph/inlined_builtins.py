"""Drops the loops that the compiler writes in the place of ``all``, ``any``, ``tuple``, ``list`` and ``set`` (3.14 on).

``all(x for x in a)`` becomes a test whether the name still means the builtin, a loop over the generator if so, and
the ordinary call if not. Only the call is kept: that the loop does the same as the call is the compiler's to know, and
that the source compiles to this very loop is for the proof to see.
"""

from __future__ import annotations

from .control_flow_graph import ControlFlowGraph

GUARD = ["COPY", "LOAD_COMMON_CONSTANT", "IS_OP", "POP_JUMP_IF_FALSE"]


def drop_inlined_builtins(graph: ControlFlowGraph) -> None:
    """Lead every such test to its call."""
    found = False
    for block in graph.blocks:
        guard = block.instructions[-len(GUARD) :]
        if not guard or guard[-1].op != GUARD[-1]:
            continue
        if [i.op for i in guard] == GUARD and guard[0].arg == 1 and guard[2].arg == "is":
            del block.instructions[-len(GUARD) :]
            block.fall, block.target = block.target, None
            found = True
    if found:
        graph.remove_unreachable()
