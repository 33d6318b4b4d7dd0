"""Reads .pyc files of CPython 3.7 to 3.15 on any host (the header: PEP 552)."""

from __future__ import annotations

from typing import Any

from ....errors import PycError
from ....reading import open_regular, read_at_most
from ..code.formats import END_OF_KNOWN_MAGIC, FORMATS
from ..code.raw_code import RawCode
from .makers import maker
from .marshal import MarshalReader, read_marshal
from .qualnames import compute_qualnames

HEADER = 16
"""Magic number, flags, and two 32-bit fields: time stamp and size of the source, or its hash."""

HASH_BASED, CHECK_SOURCE = 1, 2
LARGEST_FILE = 1 << 28


def read_pyc(path: str) -> RawCode:
    """The code in the .pyc file at ``path``, for `analyze`, `decompile` and `verify`. Nothing of it is run.

    Args:
        path: the file, of CPython 3.7 to 3.15.

    Raises:
        PycError: the file can't be read, or is no .pyc file of CPython 3.7 to 3.15; the text begins with the path.

    Example:
        >>> with open("one.py", "w") as file:
        ...     _ = file.write("x = 1")
        >>> import py_compile
        >>> print(depyf.decompile(depyf.read_pyc(py_compile.compile("one.py"))), end="")
        x = 1
    """
    try:
        with open_regular(path) as file:
            data = read_at_most(file, LARGEST_FILE + 1)
    except OSError as error:
        raise PycError(f"can't read {path}: {error.strerror}") from error
    return read_pyc_bytes(data, path)


def read_pyc_bytes(data: bytes, name: str = "<bytes>") -> RawCode:
    """The code in ``data``, the content of a .pyc file that messages call ``name``. Raises PycError."""
    version = pyc_version(data, name)
    try:
        _check_header(data)
        return _code(read_marshal(data, version, HEADER), version)
    except PycError as error:
        raise PycError(error.reason, error.offset, name) from error


def _check_header(data: bytes) -> None:
    if len(data) > LARGEST_FILE:
        raise PycError(f"it has more than {LARGEST_FILE} bytes")
    if len(data) < HEADER:
        raise PycError(f"expected a header of {HEADER} bytes, found the end of the data", len(data))
    flags = int.from_bytes(data[4:8], "little")
    if flags & ~(HASH_BASED | CHECK_SOURCE):
        raise PycError(f"expected the flags of the header, found {flags:#x}", 4)


def read_code(data: bytes, version: tuple[int, int]) -> RawCode:
    """The marshalled code object in ``data``, without a header, as CPython ``version`` wrote it. Raises PycError."""
    return _code(read_marshal(data, version), version)


def read_code_and_end(data: bytes, version: tuple[int, int], offset: int = HEADER) -> tuple[RawCode, int]:
    """The marshalled code object at ``offset`` of ``data``, and where it ends. Raises PycError."""
    reader = MarshalReader(data, FORMATS[version], version, offset)
    return _code(reader.read(), version), reader.position


def _code(found: Any, version: tuple[int, int]) -> RawCode:
    if not isinstance(found, RawCode):
        raise PycError(f"it holds a {type(found).__name__}, not a code object")
    if "qualname" not in FORMATS[version].code_fields:
        compute_qualnames(found)
    return found


def pyc_version(data: bytes, name: str = "<bytes>") -> tuple[int, int]:
    """The version of CPython that wrote the .pyc file ``data``, by its magic number. Raises PycError if none can be
    read: not a .pyc file, not CPython's, another version, or a pre-release whose bytecode differs.
    """
    if len(data) < 4 or data[2:4] != b"\r\n":
        raise PycError(f"{name} is not a .pyc file: it does not start with a magic number")
    magic = int.from_bytes(data[:2], "little")
    known = sorted(FORMATS.items())
    span = f"depyf reads those of CPython {_dotted(known[0][0])} to {_dotted(known[-1][0])}"
    oldest = known[0][1].first_magic
    if not oldest <= magic < END_OF_KNOWN_MAGIC:
        raise PycError(f"{name} was made by {maker(magic)} (magic number {magic}); {span}")
    version, form = [row for row in known if row[1].first_magic <= magic][-1]
    if magic not in form.magic_numbers:
        raise PycError(
            f"{name} was made by a pre-release of CPython {_dotted(version)} (magic number {magic}) whose bytecode is "
            f"not that of the release; {span}"
        )
    return version


def _dotted(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"
