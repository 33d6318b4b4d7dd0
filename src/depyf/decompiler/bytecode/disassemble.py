"""RawCode -> canonical instructions.

Every raw instruction is decoded by the rule that its opcode table names (decoding/); then passes, each of which
knows one shape and does nothing where the shape is absent, undo what versions do differently (canonical/). On exit no
instruction depends on the version of the bytecode.
"""

from __future__ import annotations

from ...errors import DecompilationError
from .block_stack.unwind import USES_BLOCKS, unwind_blocks
from .canonical.async_for_clauses import plain_async_for
from .canonical.class_facts import fold_class_facts
from .canonical.cleared_locals import drop_unbound_stores
from .canonical.conditions import fold_conditions
from .canonical.fold_awaits import fold_awaits
from .canonical.fold_names import fold_class_names
from .canonical.hidden_locals import plain_in_comprehensions
from .canonical.loop_ends import LOOP_ENDS, fold_loop_ends
from .canonical.size import check_size
from .canonical.stop_iteration import drop_stop_iteration_handler
from .canonical.tested_bools import check_tested_bools
from .canonical.two_slots import hide_second_slots
from .code.flags import MAKES_GENERATOR
from .code.raw_code import RawCode
from .decoding.decode import Decoder
from .instruction import CONDITIONAL_JUMPS, OPERATIONS, Instruction, copies


def disassemble(raw: RawCode) -> list[Instruction]:
    """The canonical instructions of ``raw``; jump targets and handlers are indices into the list.

    The instructions are the caller's own. Raises as ``known_instructions`` does.
    """
    return copies(known_instructions(raw))


def known_instructions(raw: RawCode) -> list[Instruction]:
    """The same, to read only: they are worked out once for each RawCode, and everybody gets the same.

    Raises DecompilationError for opcodes, operands or jump targets that no compiler or Dynamo emits.
    """
    fields = [getattr(raw, name) for name in _READ]
    if raw.disassembled is None or any(old is not new for old, new in zip(raw.disassembled[0], fields)):
        try:
            raw.disassembled = fields, _disassemble(raw)
        except DecompilationError as error:
            raw.disassembled = fields, error
        except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError) as failure:
            # A shape that a pass does not expect, of code that no compiler made.
            reason = f"internal error: {type(failure).__name__}: {failure}"
            raw.disassembled = fields, DecompilationError(reason, stage="disassemble", where=raw.qualname)
    found = raw.disassembled[1]
    if isinstance(found, DecompilationError):
        raise DecompilationError(found.reason, stage=found.stage, where=found.where, instructions=found.instructions)
    return found


def give_instructions(raw: RawCode, instructions: list[Instruction]) -> None:
    """Let these be the instructions of ``raw``, whatever its bytes are, until one of its fields is replaced."""
    raw.disassembled = [getattr(raw, name) for name in _READ], instructions


_READ = (
    "version", "name", "qualname", "firstlineno", "flags", "bytecode", "consts", "names", "varnames", "cellvars",
    "freevars", "localsplus", "exception_table", "linetable", "stacksize",
)  # fmt: skip
"""What the instructions are made of: where one of these is replaced they are worked out anew."""

_TESTS = CONDITIONAL_JUMPS | {"TO_BOOL"}


def _disassemble(raw: RawCode) -> list[Instruction]:
    decoder = Decoder(raw)
    table, error = decoder.table, decoder.error
    instructions = decoder.run()
    if table.loops_are_blocks:
        instructions = plain_async_for(instructions)
    present = {instruction.op for instruction in instructions}
    if not present.isdisjoint(USES_BLOCKS):
        instructions = unwind_blocks(
            instructions, error, loops_are_blocks=table.loops_are_blocks, room=raw.stacksize
        )
        present = {instruction.op for instruction in instructions}
    if "NULL" in present:
        instructions = drop_unbound_stores(instructions, raw.parameters)
    if "LOAD_FAST_AND_CLEAR" in present:
        instructions = plain_in_comprehensions(instructions, decoder.closures.difference(decoder.twins), error)
    if table.iterator_pairs or "LOAD_SPECIAL" in present:
        instructions = hide_second_slots(instructions, error, iterators=table.iterator_pairs, parameters=raw.parameters)
    if not present.isdisjoint(LOOP_ENDS):
        instructions = fold_loop_ends(instructions, error)
    if table.jumps_test_bools:
        check_tested_bools(instructions, error)
    if not present.isdisjoint(_TESTS):
        instructions = fold_conditions(
            instructions, jumps_go_back=table.conditional_jumps_go_back, jumps_test_bools=table.jumps_test_bools
        )
    expected = table.behavior.generators_have_a_handler and bool(raw.flags & MAKES_GENERATOR)
    if expected or "STOPITERATION_ERROR" in present:
        instructions = drop_stop_iteration_handler(instructions, error, expected=expected)
    if "SEND" in present or "GET_ANEXT" in present:
        instructions = fold_awaits(instructions, error)
    if "LOAD_LOCALS" in present:
        instructions = fold_class_names(instructions)
    for instruction in instructions:
        if instruction.op not in OPERATIONS:
            raise error(f"{instruction.op} outside what it is part of", instruction.offset)
    if not raw.is_function:
        instructions = fold_class_facts(instructions, raw)
    check_size(instructions, error)
    return instructions
