"""Inputs for the fuzzers: real files with damage, and marshal data written to do harm."""

from __future__ import annotations

import random
import struct
from typing import Callable

from depyf.decompiler.bytecode import RawCode, read_pyc_bytes
from depyf.decompiler.bytecode.code.formats import FORMATS
from depyf.decompiler.bytecode.versions import TABLES
from depyf.errors import PycError

TYPES = b"0NFTS.iIlfgxysatAzZu()[{<>:cr?"
SIZES = (0, 1, 2, -1, 127, 255, 256, 65535, 2**31 - 1, -(2**31), 2**24, 2**20)
HEADER = 16


def damage(dice: random.Random, data: bytes, others: list[bytes]) -> bytes:
    """``data``, a .pyc file, changed in one place or some."""
    if dice.random() < 0.5:
        return damage_code(dice, data)
    found = bytearray(data)
    for _ in range(dice.choice((1, 1, 1, 2, 3, 8, 30))):
        dice.choice(_DAMAGES)(dice, found, dice.choice(others))
    return bytes(found)


def damage_code(dice: random.Random, data: bytes) -> bytes:
    """Changes inside a bytecode string, a line table or an exception table: the rest of the file stays readable."""
    try:
        codes = list(read_pyc_bytes(data).walk())
    except PycError:
        return data
    found = bytearray(data)
    for _ in range(dice.choice((1, 1, 2, 5))):
        raw = dice.choice(codes)
        part = raw.bytecode if dice.random() < 0.8 else raw.linetable
        place = data.find(part, HEADER) if part else -1
        if place < 0:
            continue
        table = found[place + len(part) : place + len(part) + 80]
        if dice.random() < 0.1 and raw.exception_table and table:  # stands last in the code object, near its names
            place += len(part) + dice.randrange(len(table))
            found[place] = dice.randrange(256)
        elif part is raw.bytecode:
            _damage_instructions(dice, found, place, raw)
        else:
            found[place + dice.randrange(len(part))] = dice.randrange(256)
    return bytes(found)


def _damage_instructions(dice: random.Random, found: bytearray, place: int, raw: RawCode) -> None:
    opcodes = list(TABLES[raw.version].rows)
    size = len(raw.bytecode) // 2
    at = place + 2 * dice.randrange(size)
    other = place + 2 * dice.randrange(size)
    way = dice.randrange(5)
    if way == 0:
        found[at] = dice.choice(opcodes)
    elif way == 1:
        found[at + 1] = dice.choice((0, 1, 2, 3, 127, 255, dice.randrange(256)))
    elif way == 2:
        found[at : at + 2], found[other : other + 2] = found[other : other + 2], found[at : at + 2]
    elif way == 3:
        found[at : at + 2] = found[other : other + 2]
    else:
        end = min(at + 2 * dice.randrange(1, 6), place + 2 * size)
        for unit in range(at, end, 2):
            found[unit] = dice.choice(opcodes)
            found[unit + 1] = dice.choice((0, 1, 2, dice.randrange(256)))


def damage_stored(dice: random.Random, data: bytes) -> bytes:
    """What no compiler stores, in one code object of ``data``: its bytecode or a table gets another content, of any
    length. The rest of the file stays readable."""
    try:
        raw = dice.choice(list(read_pyc_bytes(data).walk()))
    except PycError:
        return data
    if dice.random() < 0.8 and raw.bytecode:
        old, new = raw.bytecode, raw.bytecode
        for _ in range(dice.choice((1, 1, 1, 2, 4))):
            new = dice.choice(_STORED)(dice, new, raw)
    else:
        old, new = raw.linetable, bytes(dice.randrange(256) for _ in range(dice.choice((0, 1, 5, 60))))
        table = raw.stored.get("exception_table", b"")
        if table and dice.random() < 0.6:
            old, new = table, dice.choice((new, table[: dice.randrange(len(table))], table * dice.choice((2, 50))))
    place = data.find(_number(len(old)) + old, HEADER) if old else -1
    return data[:place] + _number(len(new)) + new + data[place + 4 + len(old) :] if place > 0 else data


def _unit(dice: random.Random, code: bytes) -> int:
    """The offset of a two-byte unit."""
    return 2 * dice.randrange(len(code) // 2) if len(code) > 1 else 0


def _cut_caches(dice: random.Random, code: bytes, raw: RawCode) -> bytes:
    """The end is an instruction without all of its inline caches, or with none."""
    rows = TABLES[raw.version].rows
    number = dice.choice([number for number, row in rows.items() if row.caches] or [0])
    caches = bytes(2 * dice.randrange(rows[number].caches)) if number else b""
    cut = code[: _unit(dice, code)] if dice.random() < 0.3 else code
    return cut + bytes((number, dice.randrange(256))) + caches


def _unknown_opcode(dice: random.Random, code: bytes, raw: RawCode) -> bytes:
    """Internal, instrumented and specialised opcodes, and those of no instruction."""
    rows = TABLES[raw.version].rows
    odd = [number for number in range(256) if number not in rows or rows[number].rule == "internal"]
    at = dice.choice((0, len(code), _unit(dice, code), _unit(dice, code)))
    units = b"".join(bytes((dice.choice(odd), dice.choice((0, 1, 255)))) for _ in range(dice.choice((1, 1, 3))))
    return code[:at] + units + code[at + dice.choice((0, len(units))) :]


def _full_caches(dice: random.Random, code: bytes, raw: RawCode) -> bytes:
    """Units of zeros, which most caches are, get a content."""
    zeros = [at for at in range(0, len(code), 2) if code[at : at + 2] == b"\0\0"]
    for at in dice.sample(zeros, min(len(zeros), dice.choice((1, 4, 1000)))):
        code = code[:at] + bytes((dice.randrange(256), dice.randrange(256))) + code[at + 2 :]
    return code


def _extended(dice: random.Random, code: bytes, raw: RawCode) -> bytes:
    """EXTENDED_ARG in numbers, also at the end."""
    number = TABLES[raw.version].number("EXTENDED_ARG")
    count = dice.choice((1, 2, 3, 4, 5, 300, 5000))
    storm = b"".join(bytes((number, dice.choice((0, 1, 255)))) for _ in range(count))
    at = dice.choice((0, len(code), _unit(dice, code)))
    return code[:at] + storm + (b"" if dice.random() < 0.2 else code[at:])


def _wild_jump(dice: random.Random, code: bytes, raw: RawCode) -> bytes:
    """Jumps to anywhere, and operands of four bytes."""
    rows = TABLES[raw.version].rows
    jumps = [number for number, row in rows.items() if row.rule.startswith("jump")]
    extended = TABLES[raw.version].number("EXTENDED_ARG")
    head = b"".join(bytes((extended, dice.randrange(256))) for _ in range(dice.choice((0, 0, 1, 3))))
    at = _unit(dice, code)
    number = dice.choice(jumps)
    return code[:at] + head + bytes((number, dice.randrange(256))) + bytes(2 * rows[number].caches) + code[at:]


def _shorter(dice: random.Random, code: bytes, raw: RawCode) -> bytes:
    return code[: dice.randrange(len(code) + 1)] if dice.random() < 0.2 else code[: _unit(dice, code)]


def _any_units(dice: random.Random, code: bytes, raw: RawCode) -> bytes:
    count = dice.choice((1, 4, 40, 400))
    return code[: _unit(dice, code)] + bytes(dice.randrange(256) for _ in range(2 * count))


_STORED: tuple[Callable[[random.Random, bytes, RawCode], bytes], ...] = (
    _cut_caches, _cut_caches, _unknown_opcode, _unknown_opcode, _full_caches, _extended, _wild_jump, _wild_jump,
    _shorter, _any_units,
)  # fmt: skip


def _flip(dice: random.Random, found: bytearray, other: bytes) -> None:
    at = dice.randrange(len(found))
    found[at] ^= 1 << dice.randrange(8)


def _replace(dice: random.Random, found: bytearray, other: bytes) -> None:
    found[dice.randrange(len(found))] = dice.choice((0, 1, 0x7F, 0x80, 0xFF, dice.randrange(256)))


def _retype(dice: random.Random, found: bytearray, other: bytes) -> None:
    found[dice.randrange(len(found))] = dice.choice(TYPES) | dice.choice((0, 0x80))


def _resize(dice: random.Random, found: bytearray, other: bytes) -> None:
    at = dice.randrange(len(found))
    found[at : at + 4] = struct.pack("<i", dice.choice(SIZES))


def _insert(dice: random.Random, found: bytearray, other: bytes) -> None:
    at = dice.randrange(len(found))
    found[at:at] = bytes(dice.randrange(256) for _ in range(dice.choice((1, 2, 4, 16))))


def _delete(dice: random.Random, found: bytearray, other: bytes) -> None:
    at = dice.randrange(len(found))
    del found[at : at + dice.choice((1, 2, 4, 16, 500))]
    found.extend(b"N" * (HEADER + 1 - len(found)))


def _repeat(dice: random.Random, found: bytearray, other: bytes) -> None:
    at = dice.randrange(len(found))
    part = found[at : at + dice.choice((1, 5, 50, 500))]
    found[at:at] = part * dice.choice((1, 2, 100))


def _splice(dice: random.Random, found: bytearray, other: bytes) -> None:
    at, start = dice.randrange(len(found)), dice.randrange(len(other))
    found[at : at + dice.choice((0, 50))] = other[start : start + dice.choice((4, 50, 1000))]


def _truncate(dice: random.Random, found: bytearray, other: bytes) -> None:
    del found[dice.randrange(1, len(found) + 1) :]


_DAMAGES: tuple[Callable[[random.Random, bytearray, bytes], None], ...] = (
    _flip, _flip, _replace, _replace, _retype, _retype, _resize, _insert, _delete, _repeat, _splice, _truncate,
)  # fmt: skip


def hostile(dice: random.Random, version: tuple[int, int]) -> bytes:
    """Marshal data that no interpreter wrote."""
    return dice.choice((_grammar, _code, _code, _code, _tower, _nest, _huge, _patterns))(dice, version)


def _number(number: int) -> bytes:
    return struct.pack("<i", number)


def _sized(kind: bytes, content: bytes) -> bytes:
    return kind + _number(len(content)) + content


def _grammar(dice: random.Random, version: tuple[int, int], depth: int = 0) -> bytes:
    """An object that is mostly well formed."""
    if depth > 6 or dice.random() < 0.3:
        leaf = dice.choice((b"N", b"T", b".", b"i" + _number(dice.randrange(-5, 5)), b"z\x01a", b"r" + _number(0)))
        return leaf if dice.random() < 0.7 else bytes([leaf[0] | 0x80]) + leaf[1:]
    if dice.random() < 0.2:
        return _code(dice, version, depth + 1)
    count = dice.randrange(4)
    parts = b"".join(_grammar(dice, version, depth + 1) for _ in range(count))
    kind = dice.choice((b"(", b"[", b"<", b">", b"\xa8", b"\xdb", b"\xbe"))
    return kind + _number(count) + parts


def _code(dice: random.Random, version: tuple[int, int], depth: int = 0, bytecode: bytes | None = None) -> bytes:
    """A code object with fields that are of the right type, and of any content."""
    opcodes = list(TABLES[version].rows) if dice.random() < 0.8 else list(range(256))
    handlers = bytes(dice.randrange(64) for _ in range(4 * dice.choice((0, 1, 3, 40))))
    if bytecode is None:
        bytecode = bytes(
            dice.choice(opcodes) if place % 2 == 0 else dice.choice((0, 1, 2, 3, dice.randrange(256)))
            for place in range(2 * dice.choice((0, 1, 3, 20, 300)))
        )
    elif dice.random() < 0.7:
        handlers = _handlers(dice, len(bytecode) // 2)
    names = b")\x03z\x01az\x01bz\x01c"
    fields = {
        "argcount": dice.choice((0, 1, 3)), "posonlyargcount": 0, "kwonlyargcount": 0, "nlocals": 3, "stacksize": 5,
        "flags": dice.choice((0, 3, 3, 3, 0x43, 0x23, 0xA3, 0x83, 0x223)), "firstlineno": dice.choice(SIZES),
        "bytecode": _sized(b"s", bytecode), "names": names, "varnames": names, "freevars": b")\x01z\x01f",
        "cellvars": b")\x01z\x01a", "filename": b"z\x01f", "name": b"z\x01n", "qualname": b"z\x01q",
        "localsplus": names, "localsplus_kinds": _sized(b"s", bytes(dice.choice((32, 96, 64, 128)) for _ in range(3))),
        "linetable": _sized(b"s", dice.randbytes(dice.choice((0, 2, 9, 40))) if hasattr(dice, "randbytes") else b""),
        "exception_table": _sized(b"s", handlers),
        "consts": b")\x03NTN" if depth > 5 else b")\x02N" + _grammar(dice, version, depth + 1),
    }  # fmt: skip
    parts = (fields[field] for field in FORMATS[version].code_fields)
    return b"c" + b"".join(_number(part) if isinstance(part, int) else part for part in parts)


def _tower(dice: random.Random, version: tuple[int, int]) -> bytes:
    """Small as a graph, without end when written out."""
    levels, width = dice.choice((5, 20, 60, 1000)), dice.choice((1, 2, 5))
    parts = [b"\xa9\x01N"]
    for number in range(1, levels):
        parts.append(b"\xa9" + bytes([width]) + width * (b"r" + _number(number)))
    last = dice.choice((b"r", b">" + _number(1) + b"r", b"{r")) + _number(dice.randrange(levels + 1))
    return b"\xdb" + _number(levels + 1) + b"".join(parts) + last + b"N0"


def _nest(dice: random.Random, version: tuple[int, int]) -> bytes:
    opening = dice.choice((b")\x01", b"[" + _number(1), b"{N", b">" + _number(1), b"c" + _number(0) * 5))
    return opening * dice.choice((10, 999, 1999, 2001, 100_000)) + b"N"


def _huge(dice: random.Random, version: tuple[int, int]) -> bytes:
    """Large numbers of small things: what is not linear shows."""
    count = dice.choice((1000, 20_000))
    way = dice.randrange(5)
    if way == 0:
        return b"l" + _number(dice.choice((1, -1)) * count) + b"\xff\x7f" * count
    if way == 1:
        return b"<" + _number(count) + b"".join(b"i" + _number(dice.getrandbits(31)) for _ in range(count))
    if way == 2:
        modulus = 2**61 - 1
        digits = (struct.pack("<6H", *[(k * modulus) >> 15 * d & 0x7FFF for d in range(6)]) for k in range(1, count))
        return b"<" + _number(count - 1) + b"".join(b"l" + _number(6) + part for part in digits)
    if way == 3:
        return b"[" + _number(count) + b"{0" * count
    return b"(" + _number(count) + b"\xda\x00" + b"r\0\0\0\0" * (count - 1)


def _patterns(dice: random.Random, version: tuple[int, int]) -> bytes:
    """One code object in which some instructions repeat thousands of times, perhaps all of them with handlers."""
    rows = TABLES[version].rows
    likely = [number for number, row in rows.items() if row.rule == "extended" or row.name in _OFTEN]
    pattern = b"".join(
        bytes((dice.choice(likely if dice.random() < 0.5 else list(rows)), dice.choice((0, 1, 2, 3, 255))))
        for _ in range(dice.choice((1, 1, 2, 3, 4)))
    )
    units = dice.choice((100, 3000, 20_000))
    ends = next(number for number, row in rows.items() if row.name == "RETURN_VALUE")
    bytecode = pattern * (units // (len(pattern) // 2)) + bytes((ends, 0))
    return _code(dice, version, depth=6, bytecode=bytecode)


_OFTEN = frozenset({
    "LOAD_CONST", "LOAD_FAST", "COPY", "SWAP", "DUP_TOP", "GET_ITER", "FOR_ITER", "LOAD_FAST_AND_CLEAR", "LOAD_NAME",
    "SETUP_FINALLY", "SETUP_LOOP", "SETUP_WITH", "CALL_FINALLY", "END_FINALLY", "BEGIN_FINALLY", "SEND", "END_FOR",
    "LOAD_SPECIAL", "BEFORE_WITH", "JUMP_FORWARD", "POP_JUMP_IF_FALSE", "GET_ANEXT", "YIELD_VALUE", "PUSH_NULL",
})  # fmt: skip


def _handlers(dice: random.Random, units: int) -> bytes:
    """An exception table with entries side by side, all with targets inside the code."""

    def number(value: int, first: int = 0) -> bytes:
        digits = [value & 63]
        while value > 63:
            value >>= 6
            digits.append(value & 63 | 64)
        return bytes((digits[-1] | first, *reversed(digits[:-1])))

    step = max(1, units // dice.choice((1, 3, 300, 20_000)))
    rows = []
    for start in range(0, units - step, step):
        target = dice.choice((start, units - 1, dice.randrange(units)))
        rows.append(number(start, 128) + number(step) + number(target) + number(dice.choice((0, 1, 2, 5))))
    return b"".join(rows)
