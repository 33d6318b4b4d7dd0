"""Which file CPython loads: the compiled one, or the source, which it compiles.

The rules are those of CPython's Lib/importlib/_bootstrap_external.py (``SourceLoader.get_code``,
``SourcelessFileLoader``, ``_classify_pyc``, ``_validate_timestamp_pyc``, ``_validate_hash_pyc``; the order of the
loaders in ``_get_supported_file_loaders``) and of Lib/zipimport.py (``_unmarshal_code``), for the default settings:
``--check-hash-based-pycs default`` and no ``PYTHONPYCACHEPREFIX``.
"""

from __future__ import annotations

from typing import Callable, NamedTuple, Tuple

from ..decompiler.bytecode.code.formats import FORMATS
from ..decompiler.bytecode.reading.pyc import CHECK_SOURCE, HASH_BASED, HEADER
from ..files.names import PYTEST, PycName
from .report import Loading

Judgement = Tuple[Loading, str]

_KNOWN_FLAGS = HASH_BASED | CHECK_SOURCE
_32_BITS = 0xFFFFFFFF
_LENIENT = 1
"""The time difference in seconds that zipimport tolerates: times in an archive are even."""


class Header(NamedTuple):
    """The first 16 bytes (PEP 552)."""

    magic: bytes
    flags: int
    first: bytes
    second: bytes

    @property
    def time(self) -> int:
        """The modification time of the source that the file states, modulo 2**32."""
        return int.from_bytes(self.first, "little")

    @property
    def size(self) -> int:
        """The size of the source that the file states, modulo 2**32."""
        return int.from_bytes(self.second, "little")

    @property
    def kind(self) -> str:
        """How the file identifies its source."""
        if self.flags & ~_KNOWN_FLAGS:
            return "unknown flags"
        if not self.flags & HASH_BASED:
            return "time and size"
        return "checked hash" if self.flags & CHECK_SOURCE else "unchecked hash"


def read_header(data: bytes) -> Header | None:
    """The header of a compiled file; None if it is too short for one."""
    if len(data) < HEADER:
        return None
    return Header(data[:4], int.from_bytes(data[4:8], "little"), data[8:12], data[12:16])


class Location(NamedTuple):
    """Where a compiled file was found.

    ``kind`` is 'folder'; 'zip' for an archive that is imported directly; 'unpacked' for one that is unpacked first;
    'frozen' for the archive of a program. ``time`` and ``size`` are those of the source, None if unknown.
    """

    kind: str
    name: PycName
    has_source: bool
    time: int | None = None
    size: int | None = None


def judge(
    location: Location, header: Header | None, version: tuple[int, int] | None, read_source: Callable[[], bytes]
) -> Judgement:
    """What CPython does with the file, and why. ``version`` is that of its magic number."""
    name = location.name
    base = name.source.rpartition("/")[2]
    if location.kind == "frozen":
        return Loading.UNCHECKED, "the program loads it from its own archive, which has no sources"
    if location.kind == "zip" and name.cached:
        return Loading.IGNORED, "zipimport does not look into __pycache__"
    if name.cached and not location.has_source:
        return Loading.IGNORED, f"stray: without {base} nothing in __pycache__ is looked at"
    if location.kind != "zip" and not name.cached and location.has_source:
        return Loading.IGNORED, f"{base} beside it is found first"
    if PYTEST in name.tag:
        return Loading.DEPENDS, f"pytest alone looks at it, and loads it if {base} has the time and size that it says"
    if name.cached and name.version is None:
        return Loading.UNKNOWN, f"the tag {name.tag!r} is not CPython's"
    refused = Loading.STALE if location.has_source else Loading.FAILS
    end = f": {base} is compiled" if location.has_source else ""
    if header is None:
        return refused, f"it is too short for a header{end}"
    if version is None:
        return refused, f"its magic number is none that depyf knows{end}"
    if name.cached and name.version != version:
        return refused, f"CPython {_dotted(name.version)} looks at this name, and the magic number is another's{end}"
    if header.flags & ~_KNOWN_FLAGS:
        return refused, f"its header has the flags {header.flags:#x}{end}"
    if not location.has_source:
        return Loading.UNCHECKED, f"there is no {base}: nothing is checked"
    return _against_source(location, header, version, read_source, base)


def _against_source(
    location: Location, header: Header, version: tuple[int, int], read_source: Callable[[], bytes], base: str
) -> Judgement:
    if header.kind == "unchecked hash":
        return Loading.UNCHECKED, "its header says that the source is not to be checked (UNCHECKED_HASH)"
    if header.kind == "checked hash":
        found = source_hash(header.magic, read_source(), version)
        if found == header.first + header.second:
            return Loading.LOADED, "its hash is that of the source"
        return Loading.STALE, f"its hash is not that of the source: {base} is compiled"
    if location.size is not None and location.size & _32_BITS != header.size:
        reason = f"it was made of a source of {header.size} bytes, not {location.size}: {base} is compiled"
        return Loading.STALE, reason
    if location.kind == "unpacked":
        return Loading.DEPENDS, f"loaded if {base} gets the time {header.time} when it is unpacked"
    if location.time is None:
        return Loading.DEPENDS, f"the time of {base} is not known"
    allowed = _LENIENT if location.kind == "zip" else 0
    if abs((location.time & _32_BITS) - header.time) > allowed:
        return Loading.STALE, f"{base} was changed at another time than it says: {base} is compiled"
    return Loading.LOADED, "time and size of the source are those that it says"


def _dotted(version: tuple[int, int] | None) -> str:
    return "{}.{}".format(*version) if version else "?"


def source_hash(magic: bytes, source: bytes, version: tuple[int, int]) -> bytes:
    """The hash of a source in the header of a file of ``version`` (``_imp.source_hash``): SipHash, keyed by the magic.

    From 3.11 on with one round for each eight bytes, before with two (bpo-29410).
    """
    key = int.from_bytes(magic, "little")
    rounds = FORMATS[version].hash_rounds
    import _imp

    if _imp.source_hash(key, b"depyf") == siphash(key, b"depyf", rounds):
        found: bytes = _imp.source_hash(key, source)
        return found
    return siphash(key, source, rounds)


def siphash(key: int, data: bytes, rounds: int) -> bytes:
    """SipHash of ``data`` as in CPython, with ``rounds`` rounds per block and three at the end, or four if ``rounds``
    is two; the second half of the key is 0 (Python/pyhash.c, ``_Py_KeyedHash``)."""
    mask = 0xFFFFFFFFFFFFFFFF
    a, b = key ^ 0x736F6D6570736575, 0x646F72616E646F6D
    c, d = key ^ 0x6C7967656E657261, 0x7465646279746573
    padded = data + bytes(-(len(data) + 1) % 8) + bytes([len(data) & 0xFF])
    blocks = [(int.from_bytes(padded[at : at + 8], "little"), rounds) for at in range(0, len(padded), 8)]
    for block, count in [*blocks, (None, rounds + 2)]:
        if block is None:
            c ^= 0xFF
        else:
            d ^= block
        for _ in range(count):
            a = a + b & mask
            b = (b << 13 | b >> 51) & mask ^ a
            a = (a << 32 | a >> 32) & mask
            c = c + d & mask
            d = (d << 16 | d >> 48) & mask ^ c
            a = a + d & mask
            d = (d << 21 | d >> 43) & mask ^ a
            c = c + b & mask
            b = (b << 17 | b >> 47) & mask ^ c
            c = (c << 32 | c >> 32) & mask
        if block is not None:
            a ^= block
    return (a ^ b ^ c ^ d).to_bytes(8, "little")
