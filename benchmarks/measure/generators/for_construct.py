"""construct: parsers and builders that it compiles."""

from __future__ import annotations

import construct as c


def generate(folder):
    kinds = [
        c.Int8ub, c.Int16ul, c.Float64b, c.VarInt, c.Bytes(3), c.GreedyBytes, c.CString("utf8"), c.PascalString(c.Int8ub, "utf8"), c.Flag,
        c.Enum(c.Byte, a=1, b=2), c.FlagsEnum(c.Byte, a=1, b=2), c.Mapping(c.Byte, {"x": 1}), c.Array(3, c.Byte), c.GreedyRange(c.Short),
        c.Struct("n" / c.Byte, "d" / c.Bytes(c.this.n), "e" / c.If(c.this.n > 1, c.Byte), "f" / c.Computed(c.this.n * 2 + 1)), c.Sequence(c.Byte, c.Short),
        c.Const(b"ab"), c.Padded(4, c.Byte), c.Aligned(4, c.Byte), c.Padding(2), c.Prefixed(c.Byte, c.GreedyBytes), c.PrefixedArray(c.Byte, c.Byte),
        c.BitStruct("a" / c.BitsInteger(3), "b" / c.Nibble, c.Padding(1)), c.Bitwise(c.Array(8, c.Bit)), c.ByteSwapped(c.Int24ub), c.Pointer(2, c.Byte),
        c.IfThenElse(c.this._index == 0, c.Byte, c.Short), c.Switch(c.this.n, {1: c.Byte, 2: c.Short}, default=c.Pass), c.Union(0, "a" / c.Byte, "b" / c.Short),
        c.FocusedSeq("b", "a" / c.Byte, "b" / c.Bytes(c.this.a)), c.Rebuild(c.Byte, c.len_(c.this.items)), c.Default(c.Byte, 3), c.Check(c.this.n == 1),
        c.Terminated, c.Tell, c.Optional(c.Byte), c.Peek(c.Byte), c.NullTerminated(c.Byte), c.FixedSized(4, c.GreedyBytes), c.Hex(c.Byte), c.Renamed(c.Byte, "q"),
        c.Select(c.Byte, c.Short), c.RepeatUntil(lambda x, lst, ctx: x == 0, c.Byte), c.LazyBound(lambda: c.Byte), c.StopIf(c.this.n == 0), c.Error,
    ]  # fmt: skip
    for one in [*kinds, c.Struct(*[f"f{n}" / kind for n, kind in enumerate(kinds[:20])])]:
        try:
            one.compile()
        except Exception as error:
            print(type(error).__name__, error)
