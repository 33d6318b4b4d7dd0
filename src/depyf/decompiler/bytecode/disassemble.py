"""RawCode -> canonical instructions.

Every raw instruction is decoded by the rule that its opcode table names (decode.py); then passes, each of which
knows one shape and does nothing where the shape is absent, undo what versions do differently. On exit no instruction
depends on the version of the bytecode.
"""

from __future__ import annotations

from .block_stack import unwind_blocks
from .class_facts import fold_class_facts
from .cleared_locals import drop_unbound_stores
from .conditions import fold_conditions
from .decode import MAKES_GENERATOR, Decoder
from .fold_awaits import fold_awaits
from .fold_names import fold_class_names
from .hidden_locals import plain_in_comprehensions
from .instruction import Instruction
from .loop_ends import fold_loop_ends
from .raw_code import RawCode
from .stop_iteration import drop_stop_iteration_handler
from .two_slots import hide_second_slots


def disassemble(raw: RawCode) -> list[Instruction]:
    """The canonical instructions of ``raw``; jump targets and handlers are indices into the list.

    The instructions are the caller's own. Raises as ``known_instructions`` does.
    """
    return [instruction.copy() for instruction in known_instructions(raw)]


def known_instructions(raw: RawCode) -> list[Instruction]:
    """The same, to read only: they are worked out once for each RawCode, and everybody gets the same.

    Raises DecompilationError for opcodes, operands or jump targets that no compiler or Dynamo emits.
    """
    fields = [getattr(raw, name) for name in _READ]
    if raw.disassembled is None or any(old is not new for old, new in zip(raw.disassembled[0], fields)):
        raw.disassembled = fields, _disassemble(raw)
    return raw.disassembled[1]


_READ = (
    "version", "name", "qualname", "firstlineno", "flags", "bytecode", "consts", "names", "varnames", "cellvars",
    "freevars", "localsplus", "exception_table", "linetable",
)  # fmt: skip
"""What the instructions are made of: where one of these is replaced they are worked out anew."""


def _disassemble(raw: RawCode) -> list[Instruction]:
    decoder = Decoder(raw)
    table = decoder.table
    instructions = unwind_blocks(decoder.run(), decoder.error, loops_are_blocks=table.loops_are_blocks)
    instructions = drop_unbound_stores(instructions, raw.parameters)
    instructions = plain_in_comprehensions(instructions, decoder.closures, decoder.error)
    instructions = hide_second_slots(
        instructions, decoder.error, iterators=table.iterator_pairs, parameters=raw.parameters
    )
    instructions = fold_loop_ends(instructions, decoder.error)
    instructions = fold_conditions(
        instructions, jumps_go_back=table.conditional_jumps_go_back, jumps_test_bools=table.jumps_test_bools
    )
    expected = table.generators_have_a_handler and bool(raw.flags & MAKES_GENERATOR)
    instructions = drop_stop_iteration_handler(instructions, decoder.error, expected=expected)
    instructions = fold_awaits(instructions, decoder.error)
    return fold_class_facts(fold_class_names(instructions), raw)
