"""Line tables: each format by hand, and what damage does. Against the interpreters: test_foreign_files, test_pyc."""

from __future__ import annotations

import pytest

from depyf.decompiler.bytecode import disassemble, load
from depyf.decompiler.bytecode.code.line_table import read_line_ranges, read_lnotab, read_locations


def lines(positions):
    return [position[0] for position in positions]


@pytest.mark.parametrize(
    "table, expected",
    [
        (b"", [10, 10, 10, 10]),
        (b"\x02\x01\x02\x01", [10, 11, 12, 12]),
        (b"\x00\x05\x04\x01", [15, 15, 16, 16]),
        (b"\x02\xff\x00\x7f\x02\x01", [10, 136, 137, 137]),  # -1, then on by 127 at the same place
        (b"\x06\x80", [10, 10, 10, -118]),  # -128
        (b"\xff\x00\xff\x00", [10, 10, 10, 10]),
    ],
)
def test_lnotab(table, expected):
    positions = read_lnotab(table, 10, 4)
    assert lines(positions) == expected
    assert all(position[1:] == (None, None, None) for position in positions)


@pytest.mark.parametrize(
    "table, expected",
    [
        (b"", []),
        (b"\x04\x00\x02\x01\x02\xff", [10, 10, 11, 10]),
        (b"\x02\x00\x02\x80\x04\x01", [10, None, 11, 11]),  # no line, and the next counts from the one before
        (b"\x00\x05\x08\x00", [15, 15, 15, 15]),
        (b"\x02\x00", [10]),
        (b"\xfe\x00\xfe\x00", [10, 10, 10, 10]),
    ],
)
def test_line_ranges(table, expected):
    assert lines(read_line_ranges(table, 10, 4)) == expected


@pytest.mark.parametrize(
    "table, expected",
    [
        (bytes([0x80 | 3 << 3 | 1, 2 << 4 | 5]), [(10, 10, 26, 31)] * 2),  # short
        (bytes([0x80 | 11 << 3, 100, 120]), [(11, 11, 100, 120)]),  # the next line
        (bytes([0x80 | 13 << 3, 0b101]), [(8, 8, None, None)]),  # no columns, two lines back
        (bytes([0x80 | 14 << 3, 0b110, 2, 64 | 1, 2, 0]), [(13, 15, 128, None)]),  # long
        (bytes([0x80 | 15 << 3, 0x80 | 10 << 3, 0, 1]), [(None,) * 4, (10, 10, 0, 1)]),  # nowhere
        (bytes([0x80 | 15 << 3 | 7] * 3), [(None,) * 4] * 4),  # never more than there are units
    ],
)
def test_locations(table, expected):
    assert read_locations(table, 10, 4) == expected


@pytest.mark.parametrize(
    "read, table, text",
    [
        (read_lnotab, b"\x02\x01\x02", "ends inside an entry, at byte 3"),
        (read_line_ranges, b"\x02", "ends inside an entry, at byte 1"),
        (read_locations, b"\x05", "no entry of the line table begins at byte 0"),
        (read_locations, bytes([0x80 | 11 << 3, 100]), "ends inside an entry, at byte 2"),
        (read_locations, bytes([0x80 | 11 << 3, 100, 0xF8]), "cut short at byte 2"),
        (read_locations, bytes([0x80 | 13 << 3]) + b"\x7f" * 1000, "a number in the line table is too long, at byte 7"),
    ],
)
def test_damage_is_named(read, table, text):
    with pytest.raises(ValueError, match=text):
        read(table, 1, 100)


def test_a_damaged_line_table_costs_the_lines_alone():
    raw = load(compile("a = 1\nb = a", "file", "exec"))
    raw.linetable = b"\x01"
    instructions = disassemble(raw)
    assert instructions and all(instruction.line is None for instruction in instructions)
    assert raw.positions() == () and "line table" in raw.notes[0]
