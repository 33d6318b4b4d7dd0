"""Slices outside of brackets: syntax trees can have them (RestrictedPython's do), and texts can't.

The text calls ``slice``, and the proof builds a slice instead of the call before it compares (proof/compile_worker.py).
"""

from __future__ import annotations

from ..bytecode import RawCode, known_instructions, operations_of
from ..proof.scaffold import means_slices
from ..syntax import nodes

ASSUMPTION = "each slice(...) is a slice that is built without a call"
_IN_BRACKETS = ("BINARY_SUBSCR", "STORE_SUBSCR", "DELETE_SUBSCR")


def calls_slice(raw: RawCode, tree: nodes.Node) -> bool:
    """Whether ``tree``, the one of ``raw``, has a slice that is written as a call."""
    has_constant = any(map(_has_slice, raw.consts))
    if not has_constant and "BUILD_SLICE" not in operations_of(raw):
        return False
    instructions = known_instructions(raw)
    if not [
        one
        for one, following in zip(instructions, instructions[1:])
        if (one.op == "BUILD_SLICE" or has_constant and one.op == "CONST" and _has_slice(one.arg))
        and following.op not in _IN_BRACKETS
    ]:
        return False
    if not means_slices(raw):
        return False
    in_brackets: set[int] = set()
    for node in nodes.walk(tree):
        if isinstance(node, nodes.Subscript):
            inside = node.slice.elts if isinstance(node.slice, nodes.Tuple) else [node.slice]
            in_brackets.update(map(id, inside))
        elif id(node) not in in_brackets and (
            isinstance(node, nodes.Slice)
            or isinstance(node, nodes.Name) and node.id == "slice"
            or isinstance(node, nodes.Constant) and _has_slice(node.value)
        ):
            return True
    return False


def _has_slice(value: object) -> bool:
    return type(value) is slice or type(value) is tuple and any(map(_has_slice, value))
