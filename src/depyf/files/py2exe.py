"""Programs made by py2exe: an executable, and a zip file of modules appended to it or next to it (library.zip).

The program starts with a Windows resource, PYTHONSCRIPT: a header, the path of the zip file, and a marshalled list of
code objects, the last of them the program's own script (py2exe's runtime.py, ``build_exe``). The list is not read
here, and the user is told so.
"""

from __future__ import annotations

import io
import mmap
import struct
from typing import IO, Union

UNREAD = "the scripts of a program by py2exe are in this Windows resource, which depyf does not read"

_EXECUTABLE = b"MZ"
_HEADER = struct.Struct("<IIII")
"""A tag, the level of optimisation, whether output is unbuffered, the size of the list."""
_TAG = b"\x12\x34\x56\x78"
_LONGEST_PATH = 1024
_LISTS = b"[\xdb"
"""The first byte of a marshalled list, without and with FLAG_REF."""


_Data = Union[mmap.mmap, bytes]


def has_scripts(file: IO[bytes]) -> bool:
    """Whether the file is an executable with py2exe scripts. Raises OSError."""
    file.seek(0)
    if file.read(2) != _EXECUTABLE:
        return False
    if isinstance(file, io.BytesIO):
        return _has_header(file.getvalue())
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return _has_header(data)


def _has_header(data: _Data) -> bool:
    at = data.find(_TAG)
    while at >= 0:
        if _is_header(data, at):
            return True
        at = data.find(_TAG, at + 1)
    return False


def _is_header(data: _Data, at: int) -> bool:
    head = data[at : at + _HEADER.size]
    if len(head) < _HEADER.size:
        return False
    _, level, unbuffered, size = _HEADER.unpack(head)
    start = at + _HEADER.size
    end_of_path = data.find(b"\0", start, start + _LONGEST_PATH)
    fits = level <= 2 and unbuffered <= 1 and 0 < size <= len(data) - end_of_path
    return end_of_path >= 0 and fits and data[end_of_path + 1 : end_of_path + 2] in (_LISTS[:1], _LISTS[1:])
