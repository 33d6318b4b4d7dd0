"""Which Python wrote a compiled file that depyf does not read, by its magic number: for messages.

CPython's numbers are in Include/internal/pycore_magic_number.h, older ones in Python/import.c and
Lib/importlib/_bootstrap_external.py. PyPy's are multiples of 16 below 3000 (``pypy_incremental_magic`` in
pypy/interpreter/pycode.py), and 7 more than CPython's for its Python 2.7 and 3.2. GraalPy's are 21000 and 10 for each
version of its bytecode.
"""

from __future__ import annotations

from ..code.formats import END_OF_KNOWN_MAGIC

_CPYTHON = (
    (11913, 11913, "1.3"), (5892, 5892, "1.4"),
    (20121, 20121, "1.5"), (50428, 50428, "1.6"), (50823, 50824, "2.0"), (60202, 60203, "2.1"), (60717, 60718, "2.2"),
    (62011, 62021, "2.3"), (62041, 62061, "2.4"), (62071, 62132, "2.5"), (62151, 62162, "2.6"), (62171, 62212, "2.7"),
    (3000, 3131, "3.0"), (3141, 3151, "3.1"), (3160, 3180, "3.2"), (3190, 3230, "3.3"), (3250, 3310, "3.4"),
    (3320, 3351, "3.5"), (3360, 3379, "3.6"),
)  # fmt: skip
"""First and last number; the flag -U of Python 2 added 1."""

_OTHERS = {
    62218: "PyPy 2.7", 48: "PyPy 3.2", 3187: "PyPy 3.2", 64: "PyPy 3.3", 112: "PyPy 3.5", 160: "PyPy 3.6",
    192: "PyPy 3.6", 224: "PyPy 3.7", 240: "PyPy 3.7", 256: "PyPy 3.8", 336: "PyPy 3.9", 384: "PyPy 3.10",
    416: "PyPy 3.11", 1011: "Jython 2.7", 2657: "Pyston 2.7", 22138: "Pyston 2.7",
}  # fmt: skip

_PYPY_STEP, _FIRST_CPYTHON_3 = 16, 3000
_GRAALPY = range(21000, 22000)


def maker(magic: int) -> str:
    """The implementation and version of Python as text, as far as the number identifies them."""
    if magic in _OTHERS:
        return _OTHERS[magic]
    for first, last, version in _CPYTHON:
        if first <= magic <= last:
            return f"CPython {version}"
    if 0 < magic < _FIRST_CPYTHON_3 and magic % _PYPY_STEP == 0:
        return "a PyPy 3"
    if magic in _GRAALPY:
        return "GraalPy"
    if END_OF_KNOWN_MAGIC <= magic < END_OF_KNOWN_MAGIC + 1000:
        return "a newer CPython"
    return "an unknown Python"
