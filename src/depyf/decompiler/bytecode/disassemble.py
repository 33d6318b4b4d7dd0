"""RawCode -> canonical instructions, by the passes in PASSES.

Each raw instruction is decoded by the rule that its opcode table names (decoding/); then passes remove the
differences between versions (canonical/): each knows one shape, and does nothing where the shape is absent. On exit
no instruction depends on the version of the bytecode.
"""

from __future__ import annotations

import operator

from ...errors import DecompilationError
from ..passes import Invariant, Observer, Pass, run_passes
from .block_stack.unwind import USES_BLOCKS, unwind_blocks
from .canonical.async_for_clauses import plain_async_for
from .canonical.class_facts import fold_class_facts
from .canonical.cleared_locals import drop_unbound_stores, name_saved_nulls
from .canonical.conditions import fold_conditions
from .canonical.fold_awaits import fold_awaits
from .canonical.fold_names import fold_class_names
from .canonical.hidden_locals import plain_in_comprehensions
from .canonical.loop_ends import LOOP_ENDS, fold_loop_ends
from .canonical.size import check_size
from .canonical.stop_iteration import drop_stop_iteration_handler
from .canonical.tested_bools import check_tested_bools
from .canonical.threaded_breaks import unthread_breaks
from .canonical.two_slots import hide_second_slots
from .code.flags import MAKES_GENERATOR
from .code.raw_code import RawCode
from .decoding.decode import Decoder
from .instruction import CONDITIONAL_JUMPS, OPERATIONS, Instruction, copies


def disassemble(raw: RawCode) -> list[Instruction]:
    """The canonical instructions of ``raw``; jump targets and handlers are indices into the list.

    The caller may change the instructions. Raises as ``known_instructions`` does.
    """
    return copies(known_instructions(raw))


def known_instructions(raw: RawCode) -> list[Instruction]:
    """The same, read-only: computed once for each RawCode and shared.

    Raises DecompilationError for opcodes, operands or jump targets that no compiler or Dynamo emits.
    """
    if raw.disassembled is None or True in map(operator.is_not, raw.disassembled[0], _fields(raw)):  # one was replaced
        fields = _fields(raw)
        try:
            raw.disassembled = fields, disassembled(raw), False
        except DecompilationError as error:
            raw.disassembled = fields, error, False
        except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError) as failure:
            # A shape that no compiler emits and a pass does not expect.
            reason = f"internal error: {type(failure).__name__}: {failure}"
            raw.disassembled = fields, DecompilationError(reason, stage="disassemble", where=raw.qualname), False
    found = raw.disassembled[1]
    if found.__class__ is not list:
        assert isinstance(found, DecompilationError)
        raise DecompilationError(found.reason, stage=found.stage, where=found.where, instructions=found.instructions)
    return found


def readable_instructions(raw: RawCode) -> list[Instruction]:
    """The same, but none if they can't be read: for code that looks at other code than its own."""
    try:
        return known_instructions(raw)
    except DecompilationError:
        return []


def operations_of(raw: RawCode) -> frozenset[str]:
    """The operations of the instructions that can be read: what is not among them needs no search."""
    try:
        instructions = known_instructions(raw)
    except DecompilationError:
        instructions = []
    if raw.operations is None or raw.operations[0] is not instructions:
        raw.operations = instructions, frozenset([instruction.op for instruction in instructions])
    return raw.operations[1]


def give_instructions(raw: RawCode, instructions: list[Instruction]) -> None:
    """Make these the instructions of ``raw``, whatever its bytes are, until one of its fields is replaced."""
    raw.disassembled = _fields(raw), instructions, True


def has_given_instructions(raw: RawCode) -> bool:
    """Whether the instructions of ``raw`` are those that it was given, so that no pass makes them."""
    if raw.disassembled is None:
        return False
    fields, _, is_given = raw.disassembled
    return is_given and True not in map(operator.is_not, fields, _fields(raw))


_fields = operator.attrgetter(
    "version", "name", "qualname", "firstlineno", "flags", "bytecode", "consts", "names", "varnames", "cellvars",
    "freevars", "localsplus", "exception_table", "linetable", "stacksize",
)  # fmt: skip
"""The fields that determine the instructions: replacing one invalidates them."""

_TESTS = CONDITIONAL_JUMPS | {"TO_BOOL"}
_JUMPS = CONDITIONAL_JUMPS | {"JUMP"}
_MAY_TEST = ("POP_JUMP_IF_FALSE", "POP_JUMP_IF_TRUE", "UNARY_OP")
_SENDS = ("SEND", "GET_ANEXT")


class Disassembly:
    """The state of the passes over one code object. ``present`` are the operations among the instructions, as far as
    the passes need them."""

    def __init__(self, raw: RawCode) -> None:
        self.raw = raw
        self.decoder = Decoder(raw)
        self.table = self.decoder.table
        self.error = self.decoder.error
        self.instructions: list[Instruction] = []
        self.present: set[str] = set()

    def update_present(self) -> None:
        """Update ``present``."""
        self.present = {instruction.op for instruction in self.instructions}

    @property
    def expects_stop_iteration(self) -> bool:
        """Whether the compiler puts a handler around all of the code that turns StopIteration into RuntimeError."""
        return self.table.behavior.generators_have_a_handler and bool(self.raw.flags & MAKES_GENERATOR)


def _decode(work: Disassembly) -> None:
    work.instructions = work.decoder.run()
    for instruction in work.instructions if work.raw.written else ():
        if instruction.op == "CONST" and instruction.offset in work.raw.written:
            instruction.arg = work.raw.written[instruction.offset]
    work.update_present()


def _async_for(work: Disassembly) -> None:
    work.instructions = plain_async_for(work.instructions)
    work.update_present()


def _unwind(work: Disassembly) -> None:
    blocks = work.table.loops_are_blocks
    work.instructions = unwind_blocks(
        work.instructions, work.error, loops_are_blocks=blocks, room=work.raw.stacksize
    )
    work.update_present()


def _saved_nulls(work: Disassembly) -> None:
    work.instructions = name_saved_nulls(work.instructions, work.raw.parameters)
    work.update_present()


def _hidden_locals(work: Disassembly) -> None:
    closures = work.decoder.closures.difference(work.decoder.twins)
    work.instructions = plain_in_comprehensions(work.instructions, closures, work.error)


def _second_slots(work: Disassembly) -> None:
    pairs = work.table.iterator_pairs
    work.instructions = hide_second_slots(
        work.instructions, work.error, iterators=pairs, parameters=work.raw.parameters
    )


def _conditions(work: Disassembly) -> None:
    table = work.table
    work.instructions = fold_conditions(
        work.instructions, jumps_go_back=table.conditional_jumps_go_back, jumps_test_bools=table.jumps_test_bools
    )


def _operations(work: Disassembly) -> None:
    for instruction in work.instructions:
        if instruction.op not in OPERATIONS:
            raise work.error(f"{instruction.op} outside what it is part of", instruction.offset)


def _stray_index(work: Disassembly) -> str:
    for index, instruction in enumerate(work.instructions):
        handler = instruction.handler.target if instruction.handler is not None else -1
        for target in (instruction.target, handler):
            if not -1 <= target < len(work.instructions):
                return f"instruction {index}, {instruction}, leads to {target} of {len(work.instructions)}"
    return ""


def _none_left(*operations: str) -> Invariant[Disassembly]:
    def check(work: Disassembly) -> str:
        left = [i for i in work.instructions if i.op in operations]
        return f"{left[0]} at offset {left[0].offset}" if left else ""

    names = sorted(operations)
    return Invariant("no {} is left".format(", ".join(names[:3]) + " ..." * (len(names) > 3)), check)


_INDICES = Invariant("jumps and handlers lead to instructions", _stray_index)

PASSES: tuple[Pass[Disassembly], ...] = (
    Pass("decode", _decode, "Decode by the rules of the version's table; later passes see names, not numbers.",
         holds=(_INDICES,)),
    Pass("async_for", _async_for, "Give 3.7's async for the form of 3.8, before its blocks are gone.",
         lambda work: work.table.loops_are_blocks, (_INDICES,)),
    Pass("threaded_breaks", lambda work: unthread_breaks(work.instructions),
         "Make tests jump to the break that the compiler made them jump past, while dead code shows where it is.",
         lambda work: not work.table.behavior.lines_leave_nops, (_INDICES,)),
    Pass("block_stack", _unwind, "Turn blocks into handlers; later passes know nothing of blocks.",
         lambda work: not work.present.isdisjoint(USES_BLOCKS), (_INDICES, _none_left(*USES_BLOCKS))),
    Pass("unbound_stores", lambda work: drop_unbound_stores(work.instructions, work.raw.parameters),
         "Drop stores of NULL to variables without a value, before anything reads them.",
         lambda work: "NULL" in work.present, (_INDICES,), "instructions"),
    Pass("hidden_locals", _hidden_locals,
         "Read variables of inlined comprehensions as locals where they share the slot of a cell.",
         lambda work: "LOAD_FAST_AND_CLEAR" in work.present, (_INDICES,)),
    Pass("second_slots", _second_slots,
         "Merge the two slots of iterators and exit functions; later passes expect one entry.",
         lambda work: work.table.iterator_pairs or "LOAD_SPECIAL" in work.present,
         (_INDICES, _none_left("LOAD_SPECIAL"))),
    Pass("loop_ends", lambda work: fold_loop_ends(work.instructions, work.error),
         "Fold the end of a loop into its FOR_ITER, whose iterator is one entry by now.",
         lambda work: not work.present.isdisjoint(LOOP_ENDS), (_INDICES, _none_left(*LOOP_ENDS)), "instructions"),
    Pass("tested_bools", lambda work: check_tested_bools(work.instructions, work.error),
         "Refuse jumps on values that may not be bool, while TO_BOOL tells which are.",
         lambda work: work.table.jumps_test_bools and not work.present.isdisjoint(_MAY_TEST)),
    Pass("conditions", _conditions, "Give every test one form; TO_BOOL before a jump is part of it.",
         lambda work: not work.present.isdisjoint(_TESTS), (_INDICES,)),
    Pass("stop_iteration",
         lambda work: drop_stop_iteration_handler(work.instructions, work.error, expected=work.expects_stop_iteration),
         "Drop the handler around a generator; the tests outside of it have their final form.",
         lambda work: work.expects_stop_iteration or "STOPITERATION_ERROR" in work.present, (_INDICES,),
         "instructions"),
    Pass("awaits", lambda work: fold_awaits(work.instructions, work.error),
         "Fold the loop that sends to an awaitable into one operation.",
         lambda work: not work.present.isdisjoint(_SENDS), (_INDICES, _none_left("SEND", "GET_ANEXT")), "instructions"),
    Pass("class_names", lambda work: fold_class_names(work.instructions),
         "Fold a lookup that tries the namespace of a class first into one operation.",
         lambda work: "LOAD_LOCALS" in work.present, (_INDICES,), "instructions"),
    Pass("operations", _operations, "Refuse operations of a shape that no pass has folded."),
    Pass("saved_nulls", _saved_nulls,
         "Find the variable that a leading NULL stands for, once every operation has its final stack effect.",
         lambda work: {"NULL", "STORE_FAST"} <= work.present and not work.present.isdisjoint(_JUMPS)
         and "LOAD_FAST_AND_CLEAR" in work.table.opcodes, (_INDICES,)),
    Pass("class_facts", lambda work: fold_class_facts(work.instructions, work.raw),
         "Fold what only the compiler stores in a class; its operands have their final form.",
         lambda work: not work.raw.is_function, (_INDICES,), "instructions"),
    Pass("size", lambda work: check_size(work.instructions, work.error),
         "Refuse operands and constants that no compiler makes so large: later work is proportional.",
         holds=(_INDICES,)),
)  # fmt: skip
"""In execution order."""


def disassembled(raw: RawCode, after: Observer | None = None) -> list[Instruction]:
    """The canonical instructions of ``raw``, not cached; ``after`` is called after each pass."""
    work = Disassembly(raw)
    run_passes(PASSES, work, after)
    return work.instructions
