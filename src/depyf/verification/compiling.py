"""A source -> the marshalled code that CPython compiles it to; nothing is executed.

It is compiled in a process of that version, which is then reused (decompiler/proof/compiler_pool.py): an untrusted
source may take long, or crash the compiler.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple, Tuple

from ..decompiler.bytecode.code.formats import FORMATS
from ..decompiler.bytecode.interpreters import HOST_VERSION
from ..decompiler.proof.compiler_pool import POOL, NoInterpreter, OwnCompiler

Version = Tuple[int, int]

LARGEST_SOURCE = 1 << 24
"""The limit of bytes of a source: a compiler takes some hundred times of it in memory."""

_LONGEST_FOLDER = 4096
_MOST_CANDIDATES = 20


class NotCompiled(Exception):
    """There is no code to compare with; ``wrong_source`` says whether that is because the source is invalid."""

    def __init__(self, reason: str, wrong_source: bool = False) -> None:
        super().__init__(reason)
        self.wrong_source = wrong_source


class Compiled(NamedTuple):
    """Marshalled code as CPython writes it into a file; and without references, if the bytes vary between runs."""

    data: bytes
    written_out: bytes | None = None


def compiled(
    source: bytes, filename: str, version: Version, optimize: int, asserts: dict[str, Any] | None = None
) -> Compiled:
    """The code of ``source``, marshalled by CPython ``version`` as it does for its compiled files.

    ``asserts``: how pytest rewrites them, as `compile_request` takes it. Raises NotCompiled.
    """
    twice = FORMATS[version].marks_vary
    request = {
        "source": source, "filename": filename, "flags": 0, "optimize": optimize, "unit": None, "asserts": asserts,
        "called": "the source", "twice": twice,
    }  # fmt: skip
    try:
        kind, value = POOL.compile(request, version)
    except NoInterpreter as error:
        if version != HOST_VERSION:
            raise NotCompiled(error.reason) from error
        kind, value = OwnCompiler().compile(request, version)  # Python is embedded in a program
    if kind == "error":
        raise _not_compiled(value, version)
    return Compiled(*value) if twice else Compiled(value)


def _not_compiled(reason: str, version: Version) -> NotCompiled:
    wrong = "does not compile" in reason or "can't be compiled" in reason
    return NotCompiled(f"{reason} (CPython {version[0]}.{version[1]})", wrong)


def likely_filename(data: bytes, base: str) -> str | None:
    """Guess the name of the source file in the marshalled code ``data``; it ends with ``base``.

    The code is not read: the guess is right if code compiled with this name has the same bytes.
    """
    end = base.encode("utf-8", "surrogatepass")
    at = data.find(end)
    for _ in range(_MOST_CANDIDATES):
        if at < 0:
            break
        after = at + len(end)
        for kinds, width in ((b"zZ", 1), (b"aAut", 4)):
            # The length is right before the text, whose start is unknown: try all that fit.
            for start in range(at, max(at - _LONGEST_FOLDER, width) - 1, -1):
                size = int.from_bytes(data[start - width : start], "little")
                if size == after - start and data[start - width - 1] & 0x7F in kinds:
                    return _usable(data[start:after])
        at = data.find(end, at + 1)
    return None


def _usable(name: bytes) -> str | None:
    """The text of a file name, if compile() accepts it."""
    try:
        text = name.decode("utf-8", "surrogatepass")
        os.fsencode(text)
    except UnicodeError:
        return None
    return None if "\0" in text else text
