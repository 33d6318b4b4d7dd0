"""Rules for raw instructions that have no canonical one: each is checked, then dropped.

docs/proof.md lists them with the checks and the tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..code.flags import CO_ASYNC_GENERATOR, MAKES_GENERATOR
from ..edit import without
from ..instruction import Instruction

if TYPE_CHECKING:
    from ..versions.table import OpcodeRow
    from .decode import Decoder


def _skip(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    """NOT_TAKEN tells monitoring tools where a branch goes, and is a no-op anywhere."""


def _internal(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    raise decoder.internal(row, offset)


# The start of the code


def _copy_free_vars(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    # Redundant with the code's free variables. A second one (Dynamo's resume functions repeat the start of the
    # function that they resume) stores the same cells again.
    if decoder.out and not decoder.copied_cells:
        raise decoder.error(f"{row.name} is not at the start", offset)
    if argument != len(decoder.raw.freevars):
        raise decoder.error(f"{row.name} {argument} for {len(decoder.raw.freevars)} free variables", offset)
    decoder.copied_cells = True


def _make_cell(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    # At the start redundant with the code's cell variables; later, an inlined comprehension makes its own cell.
    name = decoder.raw.localsplus[argument]
    if decoder.out:
        if argument != decoder.twins.get(name, (0, argument))[1]:
            decoder.doubt(f"{row.name} of the other one of two variables called {name}", offset)
        decoder.emit("MAKE_CELL", name, offset)
    elif name not in decoder.raw.cellvars or name in decoder.made_cells:
        raise decoder.error(f"{row.name} of {name}, which is no cell of this code or is one already", offset)
    decoder.made_cells.add(name)


def _generator_start(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    # Redundant with the code's flags, unless something runs before the generator is made (3.15's generator expressions
    # call iter() there). A new generator can only be sent None, which compilers pop first; Dynamo keeps it.
    if decoder.starts_generator:
        raise decoder.error(f"a second {row.name}", offset)
    if decoder.resumed:
        raise decoder.error(f"{row.name} of a frame that is not hidden from other code any more", offset)
    if decoder.out:
        decoder.emit(row.op, None, offset)
    elif any(entry.start <= offset < entry.end for entry in decoder.raw.exception_table):
        raise decoder.error("a handler for what is thrown into a generator that has not started", offset)
    decoder.starts_generator = True
    emit_none(decoder, offset)
    decoder.before_resume = len(decoder.out)


def _generator_start_3_10(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    # GEN_START pops the None sent to a new generator. Redundant with the code's flags.
    if offset or not decoder.raw.flags & MAKES_GENERATOR:
        raise decoder.error(f"{row.name} is not at the start of a generator", offset)


def emit_none(decoder: Decoder, offset: int) -> None:
    """The instruction at ``offset`` leaves None on the stack; compilers pop it at once."""
    if not decoder.drop_pop(offset + 2):
        decoder.emit("CONST", None, offset)


_START, _START_OF_GENERATOR_EXPRESSION = 0, 4
"""Operands of RESUME at the start of code. After the second one the frame is still hidden: 3.15's generator
expressions call iter() there."""


def _resume(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    # Frames are hidden from other code until the first one. For those after a yield see check_yields; elsewhere it only
    # polls for signals.
    hides = argument == _START_OF_GENERATOR_EXPRESSION and decoder.table.behavior.generator_expressions_iterate
    if decoder.resumed or hides and not decoder.out:
        return
    decoder.resumed = True
    if argument != _START or [i for i in decoder.out[decoder.before_resume :] if i.op != "NOP"]:
        raise decoder.error(f"{row.name} {argument} after what it should come before", offset)
    missing = [name for name in decoder.raw.cellvars if name not in decoder.made_cells]
    if missing or bool(decoder.raw.freevars) != decoder.copied_cells:
        names = missing or list(decoder.raw.freevars)
        raise decoder.error(f"nothing makes the cells {', '.join(names)}", offset)


# Calls


def _precall(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    # It unpacks a bound method for its CALL.
    if decoder.following(offset)[:2] != ("CALL", argument):
        raise decoder.error(f"{row.name} {argument} without its CALL", offset)


def are_names(constant: Any) -> bool:
    return type(constant) is tuple and all(type(name) is str for name in constant)


def _keyword_names(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    names = decoder.raw.consts[argument]
    if not are_names(names):
        raise decoder.error("names of keyword arguments that are no names", offset)
    name, operand, precall = decoder.following(offset)
    decoder.no_entry.update(range(offset + 2, precall + 2, 2))
    if name == "PRECALL":
        name, operand, call = decoder.following(precall)
        decoder.no_entry.update(range(precall + 2, call + 2, 2))
    if name != "CALL" or operand < len(names):
        raise decoder.error(f"{row.name} without a call of so many arguments", offset)
    decoder.keyword_names = names


# Generators


def _async_gen_wrap(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    # Wraps what an asynchronous generator yields; redundant with the code's flags.
    name, _, next_offset = decoder.following(offset)
    if name != "YIELD_VALUE":
        raise decoder.error(f"{row.name} not right before a yield", offset)
    decoder.no_entry.update(range(offset + 2, next_offset + 2, 2))
    decoder.wrapped.add(next_offset)


def _yield(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    decoder.emit(row.op, None, offset)
    name, operand, _ = decoder.following(offset)
    decoder.yields.append((decoder.out[-1], argument, operand if name == "RESUME" else 0))


def without_padding(decoder: Decoder) -> list[Instruction]:
    """Drop the NOPs in ``SEND; YIELD_VALUE; JUMP`` and before it, which only tools insert; return what is left."""
    out = decoder.out
    padding: set[int] = set()
    for index in [index for index, one in enumerate(out) if one.op == "YIELD_VALUE"]:
        end = next((place for place in range(index + 1, len(out)) if out[place].op != "NOP"), index)
        before = range(out[end].target, index - 1)
        if out[end].op == "JUMP" and before.start < index and all(out[place].op == "NOP" for place in before):
            padding.update(before, range(index + 1, end))
    if padding:
        decoder.out = out = without(out, padding)
    return out


def check_yields(decoder: Decoder) -> None:
    """Check the operands of YIELD_VALUE and of the RESUME after it, which are dropped.

    ``throw`` and ``close`` read there whether a ``yield from`` or ``await`` is in progress and, from 3.12 on, whether
    only the handler of StopIteration would see a GeneratorExit. NOPs in a delegation are dropped.
    """
    out, table = without_padding(decoder), decoder.table
    index_of = {id(instruction): index for index, instruction in enumerate(out)}
    wraps = bool(decoder.raw.flags & CO_ASYNC_GENERATOR)
    for instruction, operand, resume in decoder.yields:
        index = index_of[id(instruction)]
        before, following = out[index - 1], out[index + 1 : index + 2]
        delegates = before.op == "SEND" and [(i.op, i.target) for i in following] == [("JUMP", index - 1)]
        told = resume >= 2 if table.behavior.delegation_is_told_by == "resume" else operand
        if told != delegates:
            raise decoder.error("a yield that is told for another kind of yield", instruction.offset)
        if delegates == (instruction.offset in decoder.wrapped) and wraps or not wraps and decoder.wrapped:
            raise decoder.error("a yield of another kind of generator", instruction.offset)
        depth1 = resume & table.behavior.resume_depth1_mask
        closes = {"operand": operand == 1, "resume": depth1, "": 0}[table.behavior.close_is_told_by]
        handler = (before if delegates else instruction).handler
        if closes and handler is not None and out[handler.target].op != "STOPITERATION_ERROR":
            raise decoder.error("a yield whose handler is passed by when the generator is closed", instruction.offset)


DROPS = {
    name[1:].replace("_", " "): function
    for name, function in list(globals().items())
    if name.startswith("_") and callable(function)
}
"""The rules by name: the functions above, with spaces for underscores."""

