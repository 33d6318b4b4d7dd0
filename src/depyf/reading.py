"""How depyf opens files that it is given: none makes it wait."""

from __future__ import annotations

import errno
import os
import re
import stat
from typing import IO, BinaryIO

__all__ = ["names_what_is_open", "open_regular", "read_at_most"]

_PART = 1 << 20

_FLAGS = os.O_RDONLY
for _name in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"):
    _FLAGS |= getattr(os, _name, 0)

_OF_OPEN_FILES = re.compile(r"/dev|/dev/fd|/proc/\d+(/task/\d+)?/fd")


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file to read its bytes; of pipes and devices, which may never end, only ``/dev/stdin`` and ``<(cmd)``.

    Raises OSError, whose ``strerror`` says what is wrong.
    """
    file = os.open(path, _FLAGS)
    try:
        mode = os.fstat(file).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        if not stat.S_ISREG(mode):
            if not names_what_is_open(path):
                raise OSError(errno.EINVAL, "it is a pipe or a device: only standard input (-) may be one", path)
            os.set_blocking(file, True)
        return open(file, "rb")
    except BaseException:
        os.close(file)
        raise


def read_at_most(file: IO[bytes], most: int) -> bytes:
    """The first ``most`` bytes. In parts: Python allocates all that it is asked to read, and few files are so large."""
    parts, left = [], most
    while part := file.read(min(left, _PART)):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def names_what_is_open(path: str | os.PathLike[str]) -> bool:
    """Whether this is a name that the system gives what is open already: ``/dev/stdout``, ``/dev/fd/3``."""
    folder = os.path.realpath(os.path.dirname(os.fspath(path)) or ".")
    return os.path.islink(path) and _OF_OPEN_FILES.fullmatch(folder) is not None and os.path.exists(path)
