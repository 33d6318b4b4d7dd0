"""What a version's opcode table holds."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """One opcode: its raw name, the rule that decodes its argument, the canonical operation it becomes."""

    name: str
    rule: str
    op: str = ""


class OpcodeTable(NamedTuple):
    """The opcodes of one CPython version and the operand tables that go with them."""

    version: tuple[int, int]
    rows: dict[int, Row]
    binary_operators: tuple[str, ...]
    comparisons: tuple[str, ...]
