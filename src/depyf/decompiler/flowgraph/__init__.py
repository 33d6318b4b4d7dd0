"""flowgraph/: canonical instructions -> control flow graph with the optimiser's copies undone.

Takes the list from ``bytecode.disassemble``. Gives a ControlFlowGraph of reachable basic blocks in layout order
(source order is evidence), in which each block has a *region*: the innermost try or with statement whose body contains
it. On exit no block belongs to a copy of a ``finally`` body other than the handler's.
Imports ``limits/``, ``bytecode/`` and ``syntax/``.
"""

from __future__ import annotations

from .abandoned_values import drop_abandoned_values
from .async_for_ends import move_async_for_ends_back
from .cold_blocks import move_handlers_back
from .control_flow_graph import BasicBlock, ControlFlowGraph, build_flowgraph
from .dominators import dominator_tree
from .exit_copies import join_exit_copies
from .finally_copies import strip_finally_copies
from .group_handlers import rewrite_group_handlers
from .handler_ends import separate_breaks, separate_handler_ends
from .inlined_builtins import drop_inlined_builtins
from .match import find_match_statements
from .parameter_loads import load_parameters_later
from .regions import Region, mark_regions, restoring_handlers, separate_with_exits

__all__ = [
    "BasicBlock",
    "ControlFlowGraph",
    "Region",
    "build_flowgraph",
    "dominator_tree",
    "find_match_statements",
    "drop_abandoned_values",
    "drop_inlined_builtins",
    "join_exit_copies",
    "load_parameters_later",
    "mark_regions",
    "separate_breaks",
    "separate_handler_ends",
    "move_async_for_ends_back",
    "move_handlers_back",
    "rewrite_group_handlers",
    "restoring_handlers",
    "separate_with_exits",
    "strip_finally_copies",
]
