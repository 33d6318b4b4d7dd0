"""Raw bytes -> instructions of the canonical set, one raw instruction at a time, by the version's opcode table."""

from __future__ import annotations

import sys
from typing import Any

from ....errors import DecompilationError
from ..code.flags import MAKES_GENERATOR
from ..code.raw_code import RawCode
from ..code.slot_names import CONDITIONAL_ANNOTATIONS, twins
from ..instruction import NO_FALL_THROUGH, Handler, Instruction, Position, reached, stack_use
from ..versions import TABLES, supported_versions
from ..versions.table import OpcodeRow, OpcodeTable
from .dropped import check_yields
from .moved_operands import jumped_into
from .rules import OPERANDS, RULES, local_or_cell

UNPACKS = ("UNPACK_SEQUENCE", "UNPACK_EX")
_AND_NULL, _JUMPS = ("and null", "method"), ("jump by", "jump to")
_NO_MORE = (sys.maxsize, sys.maxsize, None)
_EMPTY_CACHES = [bytes(2 * count) for count in range(16)]


class Decoder:
    """Decodes one code object into ``out``; jump targets and handlers become indices in ``run``.

    ``has_lines``: with its line table; else no instruction has a position.
    """

    def __init__(self, raw: RawCode, *, has_lines: bool = True) -> None:
        self.raw = raw
        self.has_lines = has_lines
        table = TABLES.get(raw.version)
        if table is None:
            raise self.error(f"no opcode table for this version; there are {supported_versions()}")
        self.table: OpcodeTable = table
        self.out: list[Instruction] = []
        self.index_at: dict[int, int] = {}
        self.keyword_names: tuple[str, ...] = ()
        self.closures = frozenset(raw.cellvars) | frozenset(raw.freevars)
        self.shared = self.closures | {CONDITIONAL_ANNOTATIONS}  # variables that more than one slot may have
        self.locals = raw.localsplus if table.cells_are_locals else raw.varnames
        self.twins = twins(raw) if len(set(raw.localsplus)) < len(raw.localsplus) else {}
        self.dropped_pop = -1  # the offset of a POP_TOP that is part of the instruction before it
        self.starts_generator = False
        self.copied_cells = False
        self.made_cells: set[str] = set()
        self.resumed = not self.table.has_resume  # whether the first RESUME has been seen
        self.before_resume = 0  # the number of instructions allowed before it
        self.no_entry: set[int] = set()  # offsets inside sequences that are decoded as one
        self.wrapped: set[int] = set()  # offsets of the yields after an ASYNC_GEN_WRAP
        self.yields: list[tuple[Instruction, int, int]] = []  # with their operand and that of the RESUME after
        self.position: Position | None = None  # of the raw instruction that is being decoded
        self.moved_operands: list[tuple[Instruction, Instruction]] = []  # (pushed by, popped by)
        self.farthest = 0  # the last instruction that a jump or a handler leads to

    def error(self, reason: str, offset: int = -1) -> DecompilationError:
        """The exception to raise for ``reason``, with the location."""
        where = self.raw.qualname if offset < 0 else f"{self.raw.qualname}, offset {offset}"
        return DecompilationError(reason, stage="disassemble", where=where)

    def doubt(self, reason: str, offset: int) -> None:
        """Note that the instructions may not mean what the code does: only identical code is proven then."""
        self.raw.unclear = self.raw.unclear or f"{reason}, at offset {offset}"

    def emit(self, op: str, arg: Any, offset: int, target: int = -1) -> None:
        """Append an instruction; ``target`` is a byte offset."""
        position = self.position
        self.out.append(Instruction(op, arg, target, None, offset, position and position[0], position))

    def drop_pop(self, offset: int) -> bool:
        """Whether a POP_TOP is at ``offset``, the next instruction: it is then dropped, and nothing may jump there."""
        found = self.raw.bytecode[offset : offset + 1] == bytes([self.table.opcodes["POP_TOP"]])
        if found:
            self.dropped_pop = offset
        return found

    def following(self, offset: int) -> tuple[str, int, int]:
        """The name, operand and offset of the instruction after the one at ``offset``, past its caches."""
        code, rows = self.raw.bytecode, self.table.rows
        offset_after, extended = offset + 2 + 2 * rows[code[offset]].caches, 0
        while offset_after + 1 < len(code):
            row = rows.get(code[offset_after])
            argument = code[offset_after + 1] | extended
            if row is None or row.rule != "extended":
                return row.name if row is not None else "", argument, offset_after
            extended, offset_after = argument << 8 & 0xFFFFFFFF, offset_after + 2
        return "", 0, offset_after

    def run(self) -> list[Instruction]:
        """All instructions, with jump targets and the exception table's handlers as indices."""
        try:
            self.decode()
            self.resolve_jumps()
        except DecompilationError:
            if not self.drop_trailing_junk():
                raise
            self.resolve_jumps()
        if self.table.generators_start and self.starts_generator != bool(self.raw.flags & MAKES_GENERATOR):
            raise self.error("RETURN_GENERATOR and the flags do not say the same")
        self.attach_handlers()
        if self.yields:
            check_yields(self)
        elif self.wrapped:
            raise self.error("ASYNC_GEN_WRAP without a yield")
        self.end()
        if not self.resumed:
            raise self.error("no RESUME: frames of this code are hidden from other code")
        if self.moved_operands and jumped_into(self.out, self.moved_operands):
            raise self.error("a jump to where an operand of a call is on the stack that only the call knows of")
        return self.out

    def drop_trailing_junk(self) -> bool:
        """Drop undecodable bytes after the end of the code; return whether there is such an end.

        The end is an instruction that does not fall through and that no jump and no row of the exception table leads
        past, not even from unreachable code. Raises DecompilationError if CPython could not walk over these bytes.
        """
        farthest = max((max(row.end - 2, row.target) for row in self.raw.exception_table), default=-1)
        for number, instruction in enumerate(self.out):
            farthest = max(farthest, instruction.target)
            if instruction.op in NO_FALL_THROUGH and farthest <= instruction.offset:
                self.check_units(instruction.offset)
                del self.out[number + 1 :]
                self.index_at = {offset: i for offset, i in self.index_at.items() if offset <= instruction.offset}
                kept = set(map(id, self.out))
                self.moved_operands = [pair for pair in self.moved_operands if kept.issuperset(map(id, pair))]
                return True
        return False

    def check_units(self, offset: int) -> None:
        """Refuse, from ``offset`` on, what CPython can't walk over when it makes a code object, or looks at one.

        From 3.11 on it replaces opcodes and writes inline caches in all of the code, reachable or not.
        """
        code, rows = self.raw.bytecode, self.table.rows
        row = None
        while offset < len(code):
            row = rows.get(code[offset])
            if row is not None and row.rule == "internal":
                raise self.internal(row, offset)
            if row is None and self.table.has_caches:
                raise self.error(self._unknown(code[offset]), offset)
            after = offset + 2 + (2 * row.caches if row is not None else 0)
            if row is not None and code[offset + 2 : after].strip(b"\0"):
                raise self.caches_in_use(row, offset)
            offset = after
        self.check_last(row, offset)

    def check_last(self, row: OpcodeRow | None, end: int) -> None:
        """Refuse code whose last instruction is ``row`` if only part of it is there; it would end at ``end``."""
        if row is not None and end > len(self.raw.bytecode):
            raise self.error(f"the code ends inside the inline cache entries of {row.name}", len(self.raw.bytecode))
        if row is not None and row.rule == "extended":
            raise self.error(f"the code ends with {row.name}", end)

    def internal(self, row: OpcodeRow, offset: int) -> DecompilationError:
        return self.error(f"{row.name} is for the interpreter's own use", offset)

    def caches_in_use(self, row: OpcodeRow, offset: int) -> DecompilationError:
        return self.error(f"inline cache entries of {row.name} that are in use", offset)

    def end(self) -> None:
        """Drop everything after the end of the code: 3.8 puts the end of a `finally` body that has returned there, and
        later compilers nothing at all.
        """
        if self.table.has_resume and self.out:
            last, size = self.farthest, len(self.out)
            while last + 1 < size and self.out[last].op not in NO_FALL_THROUGH:
                last += 1
            del self.out[last + 1 :]
        if not self.out or self.out[-1].op in NO_FALL_THROUGH:
            live = self.out[-1:]
        else:
            live = reached(self.out)
        if not live or live[-1].op not in NO_FALL_THROUGH:
            raise self.error("control runs off the end of the code", len(self.raw.bytecode))
        while self.out[-1] is not live[-1]:
            self.out.pop()

    def _unknown(self, opcode: int) -> str:
        if opcode not in self.table.of_pypy:
            return f"unknown opcode {opcode}"
        made = "CPython {}.{}".format(*self.raw.version)
        return f"opcode {opcode} is one of PyPy's: this looks like PyPy's bytecode, which calls itself {made}'s"

    def decode(self) -> None:
        raw, code, rows = self.raw, self.raw.bytecode, self.table.rows
        positions = raw.positions() if self.has_lines else ()
        out, index_at = self.out, self.index_at
        offset, end, known = 0, len(code) - 1, 2 * len(positions)
        names, unit, row = raw.names, self.table.jump_unit, None
        operands = {**OPERANDS, "const": raw.consts, "name": names, "local": self.locals}
        rules = RULES if self.shared.isdisjoint(self.locals) else {**RULES, "local": local_or_cell}
        self.keep_what_is_sent()
        count, extended = len(out), 0
        while offset < end:
            if code[offset] not in rows:
                raise self.error(self._unknown(code[offset]), offset)
            name, rule, op, caches = row = rows[code[offset]]
            argument = code[offset + 1] | extended
            if offset == self.dropped_pop:  # and not a jump target
                offset += 2
                continue
            if not extended:
                index_at[offset] = count
            if rule == "extended":
                extended = self.extended(argument, offset)
                offset += 2
                continue
            extended = 0
            if rule != "skip":
                self.position = position = positions[offset >> 1] if offset < known else None
                line = position and position[0]
                count += 1  # the most frequent rules give one instruction, without a call
                decode = rules[rule]
                try:
                    if decode == "plain":
                        out.append(Instruction(op, None, -1, None, offset, line, position))
                    elif decode in operands:
                        out.append(Instruction(op, operands[decode][argument], -1, None, offset, line, position))
                    elif decode in _AND_NULL:  # for a method, (function, self) or (NULL, attribute)
                        index, is_two = (argument, 1) if decode == "method" else (argument >> 1, argument & 1)
                        out.append(Instruction(op, names[index], -1, None, offset, line, position))
                        if is_two:
                            out.append(Instruction("NULL", None, -1, None, offset, line, position))
                            count += 1
                    elif decode == "call":
                        operand = argument, self.keyword_names
                        out.append(Instruction(op, operand, -1, None, offset, line, position))
                        self.keyword_names = ()
                    elif decode in _JUMPS:
                        start = offset + 2 + 2 * caches if decode == "jump by" else 0
                        out.append(Instruction(op, None, start + argument * unit, None, offset, line, position))
                    else:
                        decode(self, row, argument, offset)
                        count = len(out)
                except IndexError:
                    raise self.error(f"operand {argument} of {name} is out of range", offset) from None
                if op in UNPACKS and stack_use(out[-1])[1] > len(code):  # storing a value takes at least a byte
                    raise self.error(f"{name} {argument} makes more values than the code can store", offset)
            after = offset + 2 + 2 * caches
            if caches and code[offset + 2 : after] != _EMPTY_CACHES[caches] and code[offset + 2 : after].strip(b"\0"):
                raise self.caches_in_use(row, offset)
            offset = after
        self.check_last(row, offset)

    def keep_what_is_sent(self) -> None:
        """The None sent to a new generator of 3.10 stays on the stack, unless the first instruction pops it."""
        start = self.table.opcodes.get("GEN_START")
        if start is not None and self.raw.flags & MAKES_GENERATOR and self.raw.bytecode[:1] != bytes([start]):
            self.emit("CONST", None, -1)

    def extended(self, argument: int, offset: int) -> int:
        """What the ``argument`` of an EXTENDED_ARG adds to the next one."""
        if argument > 0xFFFFFF:
            raise self.error("an operand of more than 32 bits", offset)
        return argument << 8

    def index_of(self, offset: int, source: int) -> int:
        index = None if offset in self.no_entry else self.index_at.get(offset)
        if index is None or index >= len(self.out):
            raise self.error(f"jump to offset {offset}, where no instruction begins", source)
        return index

    def resolve_jumps(self) -> None:
        """Turn the target offsets of raw jumps into instruction indices."""
        jumps = [instruction for instruction in self.out if instruction.target >= 0]
        targets = [self.index_of(instruction.target, instruction.offset) for instruction in jumps]
        self.farthest = max(targets, default=0)
        for instruction, target in zip(jumps, targets):
            instruction.target = target

    def attach_handlers(self) -> None:
        if not self.raw.exception_table:
            return
        handlers: list[tuple[int, int, Handler | None]] = [
            (entry.start, entry.end, Handler(self.index_of(entry.target, entry.start), entry.depth, entry.lasti))
            for entry in self.raw.exception_table
        ]
        handlers.sort(key=lambda row: row[0])
        self.farthest = max(self.farthest, *(handler.target for _, _, handler in handlers if handler is not None))
        for (_, end, _), (start, _, _) in zip(handlers, handlers[1:]):
            if start < end:
                raise self.error("two entries of the exception table overlap", start)
        rows = iter(handlers)
        start, end, handler = next(rows)
        for instruction in self.out:
            while end <= instruction.offset:
                start, end, handler = next(rows, _NO_MORE)
            if start <= instruction.offset:
                instruction.handler = handler
