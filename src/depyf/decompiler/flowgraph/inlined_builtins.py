"""Drops the loops that 3.14 and later inline for ``all``, ``any``, ``tuple``, ``list`` and ``set``.

``all(x for x in a)`` becomes a test whether the name is still the builtin, a loop over the generator if so, and the
ordinary call if not. Only the call is kept: the compiler guarantees that the loop is equivalent, and the proof checks
that the source compiles to this very loop.
"""

from __future__ import annotations

from .control_flow_graph import ControlFlowGraph

GUARD = ["COPY", "LOAD_COMMON_CONSTANT", "IS_OP", "POP_JUMP_IF_FALSE"]


def drop_inlined_builtins(graph: ControlFlowGraph) -> None:
    """Replace every such test by a jump to its call."""
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
