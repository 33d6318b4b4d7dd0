"""Raw instructions of the running interpreter, with labels, -> a code object.

Numbers, inline caches and kinds of jumps are those of the interpreter's own ``opcode`` module. Here are the formats:
operands of more than a byte, distances of jumps, the exception table, the three forms of line table, stack size.
"""

from __future__ import annotations

import dis
import opcode
import types
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from depyf.decompiler.bytecode.reading.load import HOST_VERSION

JUMP_UNIT = 1 if HOST_VERSION < (3, 10) else 2
"""What jumps count: bytes, since 3.10 instructions of two."""


PUSH_FRAMES = frozenset(
    {"CALL", "CALL_KW", "CALL_FUNCTION_EX", "LOAD_ATTR", "BINARY_SUBSCR", "BINARY_OP", "FOR_ITER", "SEND"}
)
"""What may run Python code in a frame of its own."""


class Guard(NamedTuple):
    """A row of the exception table: the handler's label, the stack that it keeps, whether the place is pushed."""

    handler: str
    depth: int
    lasti: bool = False


class Raw(NamedTuple):
    """A raw instruction: operand or the label that it jumps to, line (None for none), what covers it."""

    name: str
    arg: Union[int, str] = 0
    line: Optional[int] = None
    guard: Optional[Guard] = None


Item = Union[Raw, str]
"""An instruction or a label."""


def caches(name: str) -> int:
    """How many inline cache entries stand behind the instruction."""
    table: Any = getattr(opcode, "_inline_cache_entries", None)
    if table is None:
        return 0
    return int(table[opcode.opmap[name]] if isinstance(table, list) else table.get(name, 0))


class Code:
    """The bytes of ``items``, and where everything stands in them."""

    def __init__(self, items: Sequence[Item]) -> None:
        self.raws: List[Raw] = []
        self.labels: Dict[str, int] = {}
        for item in items:
            if isinstance(item, str):
                self.labels[item] = len(self.raws)
            else:
                before = self.raws[-1].guard if self.raws else None
                if item.name in PUSH_FRAMES and item.guard != before:
                    self.raws.append(Raw("NOP", 0, item.line, item.guard))  # 3.13 on look there for the handler
                self.raws.append(item)
        self.widths = [1] * len(self.raws)  # in instructions of two bytes, EXTENDED_ARG included
        self.offsets: List[int] = []
        self.place()
        while self.widen():
            self.place()

    def place(self) -> None:
        self.offsets = [0]
        for raw, width in zip(self.raws, self.widths):
            self.offsets.append(self.offsets[-1] + 2 * (width + caches(raw.name)))

    def widen(self) -> bool:
        """Give instructions the room that their operands need; whether one needed more."""
        wanted = [max(width, _width(self.argument(n))) for n, width in enumerate(self.widths)]
        changed, self.widths = wanted != self.widths, wanted
        return changed

    def offset(self, label: str) -> int:
        return self.offsets[self.labels[label]]

    def argument(self, index: int) -> int:
        raw = self.raws[index]
        if isinstance(raw.arg, int):
            return raw.arg
        goal, number = self.offset(raw.arg), opcode.opmap[raw.name]
        if number in opcode.hasjabs:
            return goal // JUMP_UNIT
        distance = goal - self.offsets[index + 1]
        distance = -distance if "BACKWARD" in raw.name else distance
        if distance < 0:
            raise ValueError(f"{raw.name} can't jump in the other direction")
        return distance // JUMP_UNIT

    @property
    def bytecode(self) -> bytes:
        out = bytearray()
        for index, raw in enumerate(self.raws):
            argument = self.argument(index)
            for position in range(self.widths[index] - 1, 0, -1):
                out += bytes((opcode.EXTENDED_ARG, argument >> 8 * position & 0xFF))
            out += bytes((opcode.opmap[raw.name], argument & 0xFF))
            out += bytes(2 * caches(raw.name))
        return bytes(out)

    @property
    def exception_table(self) -> bytes:
        """Of 3.11 and later: (start, length, handler, depth and lasti), ranges of one handler joined."""
        ranges: List[Tuple[int, int, Guard]] = []
        for index, raw in enumerate(self.raws):
            if raw.guard is None:
                continue
            start, end = self.offsets[index], self.offsets[index + 1]
            if ranges and ranges[-1][1:] == (start, raw.guard):
                start = ranges.pop()[0]
            ranges.append((start, end, raw.guard))
        out = bytearray()
        for start, end, guard in ranges:
            entry = bytearray()
            for number in (start // 2, (end - start) // 2, self.offset(guard.handler) // 2):
                entry += _varint(number)
            entry += _varint(guard.depth << 1 | guard.lasti)
            entry[0] |= 0x80
            out += entry
        return bytes(out)

    # Lines

    def lines(self) -> List[Tuple[int, int, Optional[int]]]:
        """(start, end, line) in bytes; neighbours of one line joined."""
        found: List[Tuple[int, int, Optional[int]]] = []
        for index, raw in enumerate(self.raws):
            start, end = self.offsets[index], self.offsets[index + 1]
            if found and found[-1][2] == raw.line:
                start = found.pop()[0]
            found.append((start, end, raw.line))
        return found

    def line_table(self, first: int) -> bytes:
        if HOST_VERSION >= (3, 11):
            return self.location_table(first)
        return self.line_ranges(first) if HOST_VERSION >= (3, 10) else self.line_numbers(first)

    def line_numbers(self, first: int) -> bytes:
        """Of 3.8 and 3.9: steps of offset and line."""
        out, offset, line = bytearray(), 0, first
        for start, _, number in self.lines():
            if number is None:
                continue
            step, difference = start - offset, number - line
            while step > 255:
                out += bytes((255, 0))
                step -= 255
            while not -128 <= difference <= 127:
                part = 127 if difference > 0 else -128
                out += bytes((step, part & 0xFF))
                step, difference = 0, difference - part
            out += bytes((step, difference & 0xFF))
            offset, line = start, number
        return bytes(out)

    def line_ranges(self, first: int) -> bytes:
        """Of 3.10: lengths of ranges and steps of line."""
        out, line = bytearray(), first
        for start, end, number in self.lines():
            length = end - start
            difference = 0 if number is None else number - line
            while number is not None and not -127 <= difference <= 127:
                part = 127 if difference > 0 else -127
                out += bytes((0, part & 0xFF))
                difference -= part
            while length > 254:
                out += bytes((254, 0x80 if number is None else difference & 0xFF))
                length, difference = length - 254, 0
            out += bytes((length, 0x80 if number is None else difference & 0xFF))
            line = line if number is None else number
        return bytes(out)

    def location_table(self, first: int) -> bytes:
        """Of 3.11 and later: entries of at most eight instructions, without columns."""
        out, line = bytearray(), first
        for start, end, number in self.lines():
            units = (end - start) // 2
            while units:
                length = min(units, 8)
                units -= length
                out.append(0x80 | (15 if number is None else 13) << 3 | length - 1)
                if number is not None:
                    difference = number - line
                    line = number
                    value = -difference << 1 | 1 if difference < 0 else difference << 1
                    while value >= 64:
                        out.append(0x40 | value & 63)
                        value >>= 6
                    out.append(value)
        return bytes(out)

    # Stack

    def stack_size(self) -> int:
        """The deepest stack, from 3.11 on, where the effects of all instructions are exact."""
        raws = self.raws
        depths: List[int] = [-1] * len(raws)
        todo, most = [(0, 0)], 0
        while todo:
            index, depth = todo.pop()
            if index >= len(raws) or depths[index] >= depth:
                continue
            depths[index] = depth
            raw = raws[index]
            number = opcode.opmap[raw.name]
            operand = self.argument(index) if number >= opcode.HAVE_ARGUMENT else None
            if raw.guard is not None:
                todo.append((self.labels[raw.guard.handler], raw.guard.depth + raw.guard.lasti + 1))
            if isinstance(raw.arg, str):
                after = depth + dis.stack_effect(number, operand, jump=True)
                todo.append((self.labels[raw.arg], after))
                most = max(most, after)
            # What RETURN_GENERATOR leaves, the compiler counts before it in some versions.
            depth += 1 if raw.name == "RETURN_GENERATOR" else dis.stack_effect(number, operand, jump=False)
            most = max(most, depth, depths[index])
            if not _leaves(raw.name):
                todo.append((index + 1, depth))
        return most


def _leaves(name: str) -> bool:
    return name in {
        "RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "JUMP_FORWARD", "JUMP_ABSOLUTE", "JUMP_BACKWARD",
        "JUMP_BACKWARD_NO_INTERRUPT",
    }  # fmt: skip


def _width(argument: int) -> int:
    return 1 if argument < 1 << 8 else 2 if argument < 1 << 16 else 3 if argument < 1 << 24 else 4


def _varint(number: int) -> bytes:
    parts = [number & 63]
    while number >= 64:
        number >>= 6
        parts.append(number & 63 | 64)
    return bytes(reversed(parts))


def code_object(
    items: Sequence[Item],
    *,
    name: str,
    parameters: Sequence[str] = (),
    consts: Sequence[Any] = (None,),
    names: Sequence[str] = (),
    varnames: Sequence[str] = (),
    cells: Sequence[str] = (),
    free: Sequence[str] = (),
    flags: int = 3,
    first_line: int = 1,
    stack_size: Optional[int] = None,
) -> types.CodeType:
    """The code object of a function. ``stack_size`` is found by itself from 3.11 on."""
    code = Code(items)
    namespace: Dict[str, Any] = {}
    exec(f"def {name}({', '.join(parameters)}): pass", namespace)
    template: types.CodeType = namespace[name].__code__
    changes: Dict[str, Any] = {
        "co_code": code.bytecode, "co_consts": tuple(consts), "co_names": tuple(names), "co_flags": flags,
        "co_varnames": tuple(varnames), "co_nlocals": len(varnames), "co_cellvars": tuple(cells),
        "co_freevars": tuple(free), "co_stacksize": code.stack_size() if stack_size is None else stack_size,
        "co_firstlineno": first_line, "co_filename": "<assembled>",
    }  # fmt: skip
    changes["co_lnotab" if HOST_VERSION < (3, 10) else "co_linetable"] = code.line_table(first_line)
    if HOST_VERSION >= (3, 11):
        changes["co_exceptiontable"] = code.exception_table
    return template.replace(**changes)
