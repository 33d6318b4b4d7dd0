"""Raw bytes -> instructions of the canonical set, one raw instruction at a time, by the version's opcode table."""

from __future__ import annotations

from typing import Any

from ...errors import DecompilationError
from .code_flags import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from .instruction import NO_FALL_THROUGH, Handler, Instruction, Position, reached, stack_use
from .moved_operands import jumped_into
from .raw_code import RawCode
from .rules import RULES
from .versions import TABLES, supported_versions
from .versions.table import OpcodeTable

MAKES_GENERATOR = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR
UNPACKS = ("UNPACK_SEQUENCE", "UNPACK_EX")


class Decoder:
    """Decodes one code object into ``out``; jump targets and handlers become indices in ``run``."""

    def __init__(self, raw: RawCode) -> None:
        self.raw = raw
        table = TABLES.get(raw.version)
        if table is None:
            raise self.error(f"no opcode table for this version; there are {supported_versions()}")
        self.table: OpcodeTable = table
        self.out: list[Instruction] = []
        self.index_at: dict[int, int] = {}
        self.keyword_names: tuple[str, ...] = ()
        self.closures = frozenset(raw.cellvars) | frozenset(raw.freevars)
        self.skip_pop = False
        self.starts_generator = False
        self.copied_cells = False
        self.position: Position | None = None  # of the raw instruction that is being decoded
        self.moved_operands: list[tuple[Instruction, Instruction]] = []  # what pushed one, what pops it

    def error(self, reason: str, offset: int = -1) -> DecompilationError:
        """The exception to raise for ``reason``, with the place."""
        where = self.raw.qualname if offset < 0 else f"{self.raw.qualname}, offset {offset}"
        return DecompilationError(reason, stage="disassemble", where=where)

    def emit(self, op: str, arg: Any, offset: int, target: int = -1) -> None:
        """Append an instruction; ``target`` is a byte offset."""
        position = self.position
        self.out.append(Instruction(op, arg, target, None, offset, position and position[0], position))

    def run(self) -> list[Instruction]:
        """All instructions, with jump targets and the exception table's handlers as indices."""
        self.decode()
        if self.table.generators_start and self.starts_generator != bool(self.raw.flags & MAKES_GENERATOR):
            raise self.error("RETURN_GENERATOR and the flags do not say the same")
        self.resolve_jumps()
        self.attach_handlers()
        self.end()
        if self.moved_operands and jumped_into(self.out, self.moved_operands):
            raise self.error("a jump to where an operand of a call is on the stack that only the call knows of")
        return self.out

    def end(self) -> None:
        """Drop what stands behind the end of the code: 3.8 ends a `finally` body there that has returned before."""
        if not self.out or self.out[-1].op in NO_FALL_THROUGH:
            live = self.out[-1:]
        else:
            live = reached(self.out)
        if not live or live[-1].op not in NO_FALL_THROUGH:
            raise self.error("control runs off the end of the code", len(self.raw.bytecode))
        while self.out[-1] is not live[-1]:
            self.out.pop()

    def decode(self) -> None:
        code, rows, positions = self.raw.bytecode, self.table.rows, self.raw.positions()
        out, index_at = self.out, self.index_at
        offset, end, known = 0, len(code) - 1, 2 * len(positions)
        extended = 0
        while offset < end:
            row = rows.get(code[offset])
            if row is None:
                raise self.error(f"unknown opcode {code[offset]}", offset)
            argument = code[offset + 1] | extended
            index_at[offset] = len(out)
            name, rule, op, caches = row
            if rule == "extended":
                if argument > 0xFFFFFF:
                    raise self.error("an operand of more than 32 bits", offset)
                extended = argument << 8
                offset += 2
                continue
            extended = 0
            if rule != "skip":
                self.position = positions[offset >> 1] if offset < known else None
                try:
                    RULES[rule](self, row, argument, offset)
                except IndexError:
                    raise self.error(f"operand {argument} of {name} is out of range", offset) from None
                if op in UNPACKS and stack_use(out[-1])[1] > len(code):  # a value takes half an instruction
                    raise self.error(f"{name} {argument} makes more values than the code can store", offset)
            offset += 2 + 2 * caches

    def index_of(self, offset: int, source: int) -> int:
        index = self.index_at.get(offset)
        if index is None or index >= len(self.out):
            raise self.error(f"jump to offset {offset}, where no instruction begins", source)
        return index

    def resolve_jumps(self) -> None:
        """Raw jumps carry target offsets so far; make them instruction indices."""
        for instruction in self.out:
            if instruction.target >= 0:
                instruction.target = self.index_of(instruction.target, instruction.offset)

    def attach_handlers(self) -> None:
        if not self.raw.exception_table:
            return
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
