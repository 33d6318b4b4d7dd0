"""The bytes of one file -> the kind of file, and the code in it, whatever its name."""

from __future__ import annotations

import enum
from typing import Tuple

from ..decompiler.bytecode import RawCode, read_pyc_bytes
from ..decompiler.bytecode.code.formats import FORMATS
from ..decompiler.bytecode.reading.pyc import HEADER, read_code, read_code_and_end
from ..errors import PycError

Version = Tuple[int, int]

_CODE = b"c\xe3"
"""The first byte of marshalled code, without and with FLAG_REF."""
_NO_MAGIC = bytes(4)
_ARCHIVES = (b"PK\3\4", b"PK\5\6", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0")


class Kind(enum.Enum):
    """The kind of a file."""

    COMPILED = "a .pyc file"
    MARSHALLED = "marshalled code without a header"
    ARCHIVE = "an archive"
    TEXT = "text"
    OTHER = "neither compiled code nor text"


def kind_of(data: bytes) -> Kind:
    """The kind of a file with the content ``data``."""
    if data[2:4] == b"\r\n" and not data[:2].isascii() or data[2:4] == b"\r\n" and b"\0" in data[:16]:
        return Kind.COMPILED
    if _code_offset(data) is not None:
        return Kind.MARSHALLED
    if data.startswith(_ARCHIVES):
        return Kind.ARCHIVE
    return Kind.OTHER if b"\0" in data else Kind.TEXT


def _code_offset(data: bytes) -> int | None:
    """The offset of marshalled code in ``data``: at its start, or after a header whose magic number is wiped."""
    for offset in (0, HEADER):
        # The type code is followed by a small four-byte number, the argument count: text has no zero bytes.
        if data[offset : offset + 1] in (_CODE[:1], _CODE[1:]) and b"\0\0" in data[offset + 1 : offset + 9]:
            return offset if offset == 0 or data[:4] == _NO_MAGIC else None
    return None


def read_compiled(data: bytes, name: str, version: Version | None = None) -> RawCode:
    """The code in ``data``, called ``name`` in messages.

    ``version`` is the CPython of code that has no header, or a header with an unknown magic number.
    Raises PycError.
    """
    kind = kind_of(data)
    if kind is Kind.MARSHALLED:
        return _without_header(data, name, version, _code_offset(data) or 0)
    try:
        return read_pyc_bytes(data, name)
    except PycError:
        if version is None or kind is not Kind.COMPILED or data[HEADER : HEADER + 1] not in (_CODE[:1], _CODE[1:]):
            raise
        if int.from_bytes(data[:2], "little") in _KNOWN:
            raise
    return _without_header(data, name, version, HEADER)


_KNOWN = frozenset(magic for form in FORMATS.values() for magic in form.magic_numbers)


def _without_header(data: bytes, name: str, version: Version | None, offset: int) -> RawCode:
    if version is None:
        versions = ", ".join("{}.{}".format(*one) for one in FORMATS if _is_of(data[offset:], one))
        hint = f"it can be read as code of {versions}" if versions else "it can be read as code of none"
        raise PycError(f"{name} has no magic number: name the CPython that made it with --python ({hint})")
    try:
        return read_code_and_end(data, version, offset)[0]
    except PycError as error:
        raise PycError(f"as code of CPython {version[0]}.{version[1]}, {error.reason}", error.offset, name) from error


def _is_of(data: bytes, version: Version) -> bool:
    try:
        read_code(data, version)
    except PycError:
        return False
    return True
