"""Layouts of code whose line table has neither widths nor lines."""

from depyf.decompiler.bytecode import Instruction, load
from depyf.decompiler.layout.matching.pairs import _number_of


def test_a_nop_that_no_constant_became_has_no_constant():
    raw = load(compile("x = 1", "<module>", "exec"))
    assert _number_of(raw, Instruction("NOP", offset=len(raw.bytecode))) is None
