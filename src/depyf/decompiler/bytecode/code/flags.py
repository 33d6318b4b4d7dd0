"""The flags of code objects (``co_flags``), and what they mean in which version.

Sources: Include/code.h and Include/cpython/code.h of each version; measured by tests/bytecode/test_code_flags.py.
"""

from __future__ import annotations

CO_OPTIMIZED, CO_NEWLOCALS, CO_VARARGS, CO_VARKEYWORDS, CO_NESTED = 1, 2, 4, 8, 0x10
CO_GENERATOR, CO_COROUTINE, CO_ITERABLE_COROUTINE, CO_ASYNC_GENERATOR = 0x20, 0x80, 0x100, 0x200

MAKES_GENERATOR = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR

_CO_NOFREE = 0x40
_CO_HAS_DOCSTRING = 0x4000000
_CO_METHOD = 0x8000000


def docstring_flag(version: tuple[int, int]) -> int:
    """The flag of a function whose first constant is its docstring; 0 where a string as first constant always is.

    3.14 added the flag. Before, a function (or lambda) without docstring has None as its first constant.
    """
    return _CO_HAS_DOCSTRING if version >= (3, 14) else 0


def context_flags(version: tuple[int, int]) -> int:
    """Flags that say what encloses the code, not what it does: a function; from 3.14 on, a class."""
    return CO_NESTED | (_CO_METHOD if version >= (3, 14) else 0)


def derived_flags(version: tuple[int, int]) -> int:
    """Flags derived from other fields of the code object: no cells or free variables (to 3.10), docstring."""
    return _CO_NOFREE if version < (3, 11) else docstring_flag(version)


def future_annotations_flag(version: tuple[int, int]) -> int:
    """The flag of ``from __future__ import annotations``; it moved in 3.8."""
    return 0x1000000 if version >= (3, 8) else 0x100000


def future_features(flags: int, version: tuple[int, int]) -> tuple[str, ...]:
    """The names of the future features that code was compiled with; their flags are adjacent (Lib/__future__.py)."""
    last = future_annotations_flag(version)
    return tuple(name for place, name in enumerate(reversed(_FEATURES)) if flags & last >> place)


_FEATURES = ("division", "absolute_import", "with_statement", "print_function", "unicode_literals", "barry_as_FLUFL",
             "generator_stop", "annotations")  # fmt: skip


def flag_names(flags: int, version: tuple[int, int]) -> tuple[str, ...]:
    """Readable names of a code object's flags, unknown ones (future statements) in hexadecimal."""
    names = [name for bit, name in _NAMES.items() if flags & bit]
    known = sum(_NAMES)
    if version >= (3, 14):
        names += [name for bit, name in _NAMES_314.items() if flags & bit]
        known += sum(_NAMES_314)
    rest = flags & ~known
    return (*names, hex(rest)) if rest else tuple(names)


_NAMES = {
    CO_OPTIMIZED: "optimized",
    CO_NEWLOCALS: "new locals",
    CO_VARARGS: "*args",
    CO_VARKEYWORDS: "**kwargs",
    CO_NESTED: "nested",
    CO_GENERATOR: "generator",
    CO_COROUTINE: "coroutine",
    CO_ITERABLE_COROUTINE: "iterable coroutine",
    CO_ASYNC_GENERATOR: "asynchronous generator",
}
_NAMES_314 = {_CO_HAS_DOCSTRING: "docstring", _CO_METHOD: "method"}
