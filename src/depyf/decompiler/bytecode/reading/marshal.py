"""Reads marshal data of CPython 3.7 to 3.15 on any host, without trusting it; code objects come out as RawCode.

The result is a value that a compiler could have written: no reference cycles, nested no deeper than source that
CPython can compile, and not much larger than the file when every reference is expanded. So hashing, comparing and
printing it take time proportional to the file. Everything else raises PycError with the byte position. (The
format is documented only by the code of CPython's Python/marshal.c.)
"""

from __future__ import annotations

import struct
from collections import Counter
from typing import Any, Callable, Generator, NoReturn

from ....errors import PycError
from ..code.formats import FORMATS, FileFormat
from ..code.raw_code import RawCode
from .code_fields import build_code

FLAG_REF = 0x80
"""Or'ed to a type: the object gets the next reference number."""

MOST_NESTED = 2000
"""CPython's own limit (MAX_MARSHAL_STACK_DEPTH): it can't load deeper nesting."""

MOST_NESTED_CONSTANTS = 250
"""The limit for nested containers, references expanded, without code between them. CPython's tokenizer allows 200 open
brackets; much deeper values can't be compared or printed within Python's recursion limit."""

MOST_EQUAL_HASHES = 16
"""Members of one set that may share a hash. Compilers' sets have pairs like -1 and -2; thousands are an attack."""

EXPANSION, FREE_EXPANSION = 20, 100_000
"""Expanded references may have that many times the file's size, and in any case that size (characters and objects).
In the standard libraries of 3.7 to 3.15 the factor is below 1."""

Build = Generator[None, Any, Any]
"""Builds an object from others: each ``yield`` receives the next one; the return value is the object."""

_NULL = object()
_UNFINISHED = object()
_SINGLETONS: dict[int, Any] = {
    ord("0"): _NULL,
    ord("N"): None,
    ord("F"): False,
    ord("T"): True,
    ord("S"): StopIteration,
    ord("."): Ellipsis,
}


def read_marshal(data: bytes, version: tuple[int, int], offset: int = 0) -> Any:
    """The object that begins at ``offset`` of ``data``, as CPython ``version`` wrote it; what follows is ignored.

    Raises PycError for anything that is not well formed.
    """
    return MarshalReader(data, FORMATS[version], version, offset).read()


class _Unfinished:
    """An object whose parts are being read: its builder, its reference number (-1: none), its size so far."""

    __slots__ = ("build", "height", "offset", "reference", "takes_null", "weight")

    def __init__(self, build: Build, offset: int, reference: int, takes_null: bool) -> None:
        self.build = build
        self.offset = offset
        self.reference = reference
        self.takes_null = takes_null
        self.weight = self.height = 0


class MarshalReader:
    """A cursor over marshal data. ``at`` is the start of the object read last."""

    def __init__(self, data: bytes, format: FileFormat, version: tuple[int, int], offset: int = 0) -> None:
        self.data = data
        self.format = format
        self.version = version
        self.position = self.at = offset
        self.references: list[tuple[Any, int, int]] = []
        self.expanded = 0
        self.most_expanded = FREE_EXPANSION + EXPANSION * len(data)

    def read(self) -> Any:
        """The next object with all its parts. Unfinished containers are kept in a list, not on Python's stack."""
        waiting: list[_Unfinished] = []
        while True:
            value, weight, height = self.item()
            at = self.at
            if type(value) is _Unfinished:
                if len(waiting) >= MOST_NESTED:
                    self.fail(f"objects are nested more than {MOST_NESTED} deep", value.offset)
                waiting.append(value)
                value = None  # what starts a generator
            elif value is _NULL and not (waiting and waiting[-1].takes_null):
                self.fail("expected an object, found the end mark of a dict", at)
            while waiting:
                top = waiting[-1]
                top.weight += weight
                top.height = max(top.height, height)
                self.at = at
                try:
                    top.build.send(value)
                    break
                except StopIteration as done:
                    value, weight, at = done.value, top.weight, top.offset
                    height = 0 if isinstance(value, RawCode) else top.height + 1
                if height > MOST_NESTED_CONSTANTS:
                    self.fail(f"containers are nested more than {MOST_NESTED_CONSTANTS} deep", at)
                if top.reference >= 0:
                    self.references[top.reference] = (value, weight, height)
                waiting.pop()
            else:
                return value

    def item(self) -> tuple[Any, int, int]:
        """The next object, or an _Unfinished for a container; its size (objects and characters); its depth."""
        self.at = self.position
        code = self.take(1, "an object")[0]
        kind, flagged = code & ~FLAG_REF, bool(code & FLAG_REF)
        if kind in _SINGLETONS:
            return _SINGLETONS[kind], 1, 0  # these never take a reference number
        if kind == ord("r"):
            return self.reference()
        if kind in _LEAVES:
            value = _LEAVES[kind](self)
            weight = 1 + len(value) if isinstance(value, (str, bytes)) else 1
            if flagged:
                self.references.append((value, weight, 0))
            return value, weight, 0
        build = _BUILDERS.get(kind)
        if build is None or (kind == ord(":") and not self.format.has_slices):
            self.fail(f"expected an object, found the unknown type code {code:#04x}")
        if flagged:
            self.references.append((_UNFINISHED, 0, 0))
        reference = len(self.references) - 1 if flagged else -1
        return _Unfinished(build(self), self.at, reference, kind == ord("{")), 1, 0

    def reference(self) -> tuple[Any, int, int]:
        number = self.integer()
        if not 0 <= number < len(self.references):
            self.fail(f"expected a reference to one of {len(self.references)} objects, found number {number}")
        value, weight, height = self.references[number]
        if value is _UNFINISHED:
            self.fail(f"reference {number} is to an object that is not complete")
        self.expanded += weight
        if self.expanded > self.most_expanded:
            self.fail(f"written out, the references up to here have more than {self.most_expanded} parts")
        return value, weight, height

    def take(self, count: int, what: str) -> bytes:
        """The next ``count`` bytes."""
        start = self.position
        if count > len(self.data) - start:
            self.fail(f"expected {what}, found the end of the data", start)
        self.position = start + count
        return self.data[start : start + count]

    def integer(self) -> int:
        """A signed number of four bytes."""
        return int.from_bytes(self.take(4, "a number of four bytes"), "little", signed=True)

    def size(self, what: str, smallest: int = 1) -> int:
        """A count of parts of at least ``smallest`` bytes each, checked against the remaining data."""
        start = self.position
        count = self.integer()
        self.check_size(count, what, smallest, start)
        return count

    def check_size(self, count: int, what: str, smallest: int, start: int) -> None:
        left = len(self.data) - self.position
        if not 0 <= count * smallest <= left:
            self.fail(f"expected the size of {what}, found {count}, but {left} bytes are left", start)

    def fail(self, reason: str, offset: int | None = None) -> NoReturn:
        """Raise PycError; without ``offset`` for the object that was read last."""
        raise PycError(reason, self.at if offset is None else offset)


def _int64(reader: MarshalReader) -> int:
    return int.from_bytes(reader.take(8, "a number of eight bytes"), "little", signed=True)


def _long(reader: MarshalReader) -> int:
    """Digits of 15 bits, the lowest first; the sign is that of their number."""
    start = reader.position
    count = reader.integer()
    reader.check_size(abs(count), "an integer", 2, start)
    digits = struct.unpack(f"<{abs(count)}H", reader.take(2 * abs(count), "digits"))
    if any(digit > 0x7FFF for digit in digits):
        reader.fail("a digit of an integer is out of range")
    if digits and not digits[-1]:
        reader.fail("the highest digit of an integer is 0")
    # int() of binary digits takes linear time; shifting digit by digit would not.
    value = int("".join(format(digit, "015b") for digit in reversed(digits)), 2) if digits else 0
    return -value if count < 0 else value


def _text_float(reader: MarshalReader) -> float:
    text = reader.take(reader.take(1, "the length of a float")[0], "a float")
    if not text or not set(text) <= set(b"0123456789+-.einfaINFA"):
        reader.fail(f"expected a float, found {text!r}")
    try:
        return float(text)
    except ValueError:
        reader.fail(f"expected a float, found {text!r}")


def _float(reader: MarshalReader) -> float:
    value: float = struct.unpack("<d", reader.take(8, "a float of eight bytes"))[0]
    return value


def _bytes(reader: MarshalReader) -> bytes:
    return reader.take(reader.size("bytes"), "bytes")


def _latin(reader: MarshalReader) -> str:
    return reader.take(reader.size("a string"), "a string").decode("latin-1")


def _short_latin(reader: MarshalReader) -> str:
    return reader.take(reader.take(1, "the length of a string")[0], "a string").decode("latin-1")


def _text(reader: MarshalReader) -> str:
    data = reader.take(reader.size("a string"), "a string")
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        reader.fail(f"a string is not UTF-8: {error.reason}", reader.position - len(data) + error.start)


_LEAVES: dict[int, Callable[[MarshalReader], Any]] = {
    ord("i"): MarshalReader.integer,
    ord("I"): _int64,
    ord("l"): _long,
    ord("f"): _text_float,
    ord("g"): _float,
    ord("x"): lambda reader: complex(_text_float(reader), _text_float(reader)),
    ord("y"): lambda reader: complex(_float(reader), _float(reader)),
    ord("s"): _bytes,
    ord("a"): _latin,
    ord("A"): _latin,  # the capital: interned
    ord("z"): _short_latin,
    ord("Z"): _short_latin,
    ord("u"): _text,
    ord("t"): _text,  # interned
}


def _items(count: int) -> Generator[None, Any, list[Any]]:
    items = []
    for _ in range(count):
        items.append((yield))
    return items


def _list(reader: MarshalReader) -> Build:
    return (yield from _items(reader.size("a list")))


def _tuple(reader: MarshalReader) -> Build:
    return tuple((yield from _items(reader.size("a tuple"))))


def _short_tuple(reader: MarshalReader) -> Build:
    start = reader.position
    count = reader.take(1, "the size of a tuple")[0]
    reader.check_size(count, "a tuple", 1, start)
    return tuple((yield from _items(count)))


def _slice(reader: MarshalReader) -> Build:
    return slice(*(yield from _items(3)))


def _set(reader: MarshalReader) -> Build:
    return set((yield from _members(reader)))


def _frozenset(reader: MarshalReader) -> Build:
    return frozenset([*(yield from _members(reader))])  # from a list: added one by one as by CPython's reader


def _members(reader: MarshalReader) -> Generator[None, Any, dict[Any, None]]:
    """The members of a set, as keys: a dict checks them and keeps their order."""
    members: dict[Any, None] = {}
    hashes: Counter[int] = Counter()
    for _ in range(reader.size("a set")):
        _insert(reader, members, hashes, (yield), None)
    return members


def _dict(reader: MarshalReader) -> Build:
    found: dict[Any, Any] = {}
    hashes: Counter[int] = Counter()
    while True:
        key = yield
        if key is _NULL:
            return found
        value = yield
        if value is _NULL:
            reader.fail("expected the value of a dict's key, found the end mark of the dict")
        _insert(reader, found, hashes, key, value)


def _insert(reader: MarshalReader, members: dict[Any, Any], hashes: Counter[int], key: Any, value: Any) -> None:
    try:
        number = hash(key)
        hashes[number] += 1
        if hashes[number] > MOST_EQUAL_HASHES:
            reader.fail(f"more than {MOST_EQUAL_HASHES} members of a set or dict share a hash")
        members[key] = value
    except TypeError:
        reader.fail(f"a member of a set or key of a dict is not hashable: {type(key).__name__}")
    except RecursionError:
        reader.fail("a member of a set or key of a dict is nested too deep")


_BUILDERS: dict[int, Callable[[MarshalReader], Build]] = {
    ord("("): _tuple,
    ord(")"): _short_tuple,
    ord("["): _list,
    ord("{"): _dict,
    ord("<"): _set,
    ord(">"): _frozenset,
    ord(":"): _slice,
    ord("c"): build_code,
}
