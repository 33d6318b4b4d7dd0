"""RawCode -> canonical instructions.

Every raw instruction is decoded by the rule its opcode table names; then the rigid sequences that stand for one
operation (``await``, ``async for``) are folded. On exit no instruction depends on the version of the bytecode.
"""

from __future__ import annotations

from typing import Any, Callable

from ...errors import DecompilationError
from .fold_awaits import fold_awaits
from .instruction import Handler, Instruction
from .raw_code import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR, RawCode
from .versions import TABLES, supported_versions
from .versions.table import OpcodeTable, Row

MAKES_GENERATOR = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR


def disassemble(raw: RawCode) -> list[Instruction]:
    """The canonical instructions of ``raw``; jump targets and handlers are indices into the list.

    Raises DecompilationError for opcodes, operands or jump targets that no compiler or Dynamo emits.
    """
    return _Disassembler(raw).run()


class _Disassembler:
    def __init__(self, raw: RawCode) -> None:
        table = TABLES.get(raw.version)
        if table is None:
            raise self.error_for(raw, f"no opcode table for this version; there are {supported_versions()}", -1)
        self.raw = raw
        self.table: OpcodeTable = table
        self.out: list[Instruction] = []
        self.index_at: dict[int, int] = {}
        self.keyword_names: tuple[str, ...] = ()
        self.closures = frozenset(raw.cellvars) | frozenset(raw.freevars)
        self.skip_pop = False
        self.starts_generator = False

    @staticmethod
    def error_for(raw: RawCode, reason: str, offset: int) -> DecompilationError:
        where = raw.qualname if offset < 0 else f"{raw.qualname}, offset {offset}"
        return DecompilationError(reason, stage="disassemble", where=where)

    def run(self) -> list[Instruction]:
        self.decode()
        if self.starts_generator != bool(self.raw.flags & MAKES_GENERATOR):
            raise self.error_for(self.raw, "RETURN_GENERATOR and the flags do not say the same", -1)
        self.resolve_jumps()
        self.attach_handlers()
        return fold_awaits(self.out, lambda reason, offset: self.error_for(self.raw, reason, offset))

    def decode(self) -> None:
        code, rows, positions = self.raw.bytecode, self.table.rows, self.raw.positions()
        extended = 0
        for offset in range(0, len(code) - 1, 2):
            row = rows.get(code[offset])
            if row is None:
                raise self.error_for(self.raw, f"unknown opcode {code[offset]}", offset)
            argument = code[offset + 1] | extended
            self.index_at[offset] = len(self.out)
            if row.rule == "extended":
                extended = argument << 8
                continue
            extended = 0
            if row.rule == "skip":
                continue
            position = positions[offset >> 1] if offset >> 1 < len(positions) else None
            try:
                _RULES[row.rule](self, row, argument, offset)
            except IndexError:
                message = f"operand {argument} of {row.name} is out of range"
                raise self.error_for(self.raw, message, offset) from None
            for instruction in reversed(self.out):
                if instruction.offset != offset or instruction.position is not None:
                    break
                instruction.position = position
                instruction.line = position[0] if position else None

    def emit(self, op: str, arg: Any, offset: int, target: int = -1) -> None:
        self.out.append(Instruction(op, arg, target, None, offset))

    def index_of(self, offset: int, source: int) -> int:
        index = self.index_at.get(offset)
        if index is None or index >= len(self.out):
            raise self.error_for(self.raw, f"jump to offset {offset}, where no instruction begins", source)
        return index

    def resolve_jumps(self) -> None:
        """Raw jumps carry target offsets so far; make them instruction indices."""
        for instruction in self.out:
            if instruction.target >= 0:
                instruction.target = self.index_of(instruction.target, instruction.offset)

    def attach_handlers(self) -> None:
        # The first entry that covers an instruction is the one CPython takes.
        handlers = [
            (entry.start, entry.end, Handler(self.index_of(entry.target, entry.start), entry.depth, entry.lasti))
            for entry in self.raw.exception_table
        ]
        handlers.sort(key=lambda row: row[0])
        position = 0
        for instruction in self.out:
            while position < len(handlers) and handlers[position][1] <= instruction.offset:
                position += 1
            if position < len(handlers) and handlers[position][0] <= instruction.offset:
                instruction.handler = handlers[position][2]


def _plain(dis: _Disassembler, row: Row, argument: int, offset: int) -> None:
    if row.op == "POP" and dis.skip_pop:
        dis.skip_pop = False
        return
    dis.emit(row.op, None, offset)


def _unary(dis: _Disassembler, row: Row, argument: int, offset: int) -> None:
    dis.emit(row.op, row.rule[len("unary ") :], offset)


def _generator_start(dis: _Disassembler, row: Row, argument: int, offset: int) -> None:
    # RETURN_GENERATOR; POP_TOP: the code's flags say the same.
    if dis.out:
        raise dis.error_for(dis.raw, "RETURN_GENERATOR is not the first instruction", offset)
    dis.skip_pop = dis.starts_generator = True


def _prologue(dis: _Disassembler, row: Row, argument: int, offset: int) -> None:
    # MAKE_CELL, COPY_FREE_VARS: the code's cell and free variables say the same.
    if dis.out:
        raise dis.error_for(dis.raw, f"{row.name} is not at the start", offset)


def _name(dis: _Disassembler, row: Row, argument: int, offset: int) -> None:
    dis.emit(row.op, dis.raw.names[argument], offset)


def _const(dis: _Disassembler, row: Row, argument: int, offset: int) -> None:
    dis.emit(row.op, dis.raw.consts[argument], offset)


def _count(dis: _Disassembler, row: Row, argument: int, offset: int) -> None:
    dis.emit(row.op, argument, offset)


def _flag(dis: _Disassembler, row: Row, argument: int, offset: int) -> None:
    dis.emit(row.op, bool(argument & 1), offset)


def _local(dis: _Disassembler, row: Row, argument: int, offset: int) -> None:
    name = dis.raw.localsplus[argument]
    # Reading the slot of a cell as a plain local gives the cell itself (Dynamo does so).
    op = "LOAD_CLOSURE" if row.op == "LOAD_FAST" and name in dis.closures else row.op
    dis.emit(op, name, offset)


def _jump_forward(dis: _Disassembler, row: Row, argument: int, offset: int) -> None:
    dis.emit(row.op, None, offset, offset + 2 + argument * 2)


def _jump_backward(dis: _Disassembler, row: Row, argument: int, offset: int) -> None:
    target = offset + 2 - argument * 2
    if target < 0:
        raise dis.error_for(dis.raw, "jump to before the first instruction", offset)
    dis.emit(row.op, None, offset, target)


def _global_or_null(dis: _Disassembler, row: Row, argument: int, offset: int) -> None:
    if argument & 1:
        dis.emit("NULL", None, offset)
    dis.emit(row.op, dis.raw.names[argument >> 1], offset)


def _method(dis: _Disassembler, row: Row, argument: int, offset: int) -> None:
    # The pair (function, self) or (NULL, attribute) behaves as the attribute and an empty slot.
    dis.emit(row.op, dis.raw.names[argument], offset)
    dis.emit("NULL", None, offset)


def _comparison(dis: _Disassembler, row: Row, argument: int, offset: int) -> None:
    dis.emit(row.op, dis.table.comparisons[argument], offset)


def _is(dis: _Disassembler, row: Row, argument: int, offset: int) -> None:
    dis.emit(row.op, "is not" if argument else "is", offset)


def _in(dis: _Disassembler, row: Row, argument: int, offset: int) -> None:
    dis.emit(row.op, "not in" if argument else "in", offset)


def _binary(dis: _Disassembler, row: Row, argument: int, offset: int) -> None:
    dis.emit(row.op, dis.table.binary_operators[argument], offset)


def _unpack(dis: _Disassembler, row: Row, argument: int, offset: int) -> None:
    dis.emit(row.op, (argument & 0xFF, argument >> 8), offset)


def _format(dis: _Disassembler, row: Row, argument: int, offset: int) -> None:
    dis.emit(row.op, (("", "s", "r", "a")[argument & 3], bool(argument & 4)), offset)


def _function(dis: _Disassembler, row: Row, argument: int, offset: int) -> None:
    kinds = ("defaults", "kwdefaults", "annotations", "closure")
    dis.emit(row.op, tuple(kind for bit, kind in enumerate(kinds) if argument & 1 << bit), offset)


def _keyword_names(dis: _Disassembler, row: Row, argument: int, offset: int) -> None:
    dis.keyword_names = dis.raw.consts[argument]


def _call(dis: _Disassembler, row: Row, argument: int, offset: int) -> None:
    dis.emit(row.op, (argument, dis.keyword_names), offset)
    dis.keyword_names = ()


_RULES: dict[str, Callable[[_Disassembler, Row, int, int], None]] = {
    "plain": _plain,
    "unary +": _unary,
    "unary -": _unary,
    "unary not": _unary,
    "unary ~": _unary,
    "generator start": _generator_start,
    "prologue": _prologue,
    "name": _name,
    "const": _const,
    "count": _count,
    "flag": _flag,
    "local": _local,
    "jump forward": _jump_forward,
    "jump backward": _jump_backward,
    "global or null": _global_or_null,
    "method": _method,
    "comparison": _comparison,
    "is": _is,
    "in": _in,
    "binary": _binary,
    "unpack": _unpack,
    "format": _format,
    "function": _function,
    "keyword names": _keyword_names,
    "call": _call,
}
