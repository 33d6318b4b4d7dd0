"""Source -> RawCode, compiled by the version that made the original and in the context that it had.

compile_worker.py does it: in this process for the version that runs, in another CPython for the others.
"""

from __future__ import annotations

from typing import Any

from ...errors import DecompilationError
from ..bytecode import RawCode, load
from ..bytecode.code_flags import CO_GENERATOR, CO_ITERABLE_COROUTINE, CO_NESTED, place_flags
from ..bytecode.interpreters import HOST_VERSION, Version
from ..bytecode.pyc import read_code
from .compile_worker import CompileFailure, compile_request
from .compiler_pool import POOL


def compile_module(
    source: str, like: RawCode | None = None, *, filename: str = "<depyf>", optimize: int = 0
) -> RawCode:
    """``source`` compiled as a module, by the version and with the future statements that ``like`` was compiled with.

    Raises DecompilationError if it does not compile (wrong syntax, too deep, or too big), NoInterpreter if there is
    nobody to compile it.
    """
    where = like.qualname if like is not None else filename
    version = like.version if like is not None else HOST_VERSION
    flags = like.flags if like is not None else 0
    return compile_source(source, version, filename=filename, flags=flags, optimize=optimize, where=where)


def compile_unit(
    source: str,
    raw: RawCode,
    *,
    enclosing_class: str | None = None,
    name: str | None = None,
    freevars: tuple[str, ...] | None = None,
    filename: str = "<depyf>",
    optimize: int = 0,
) -> RawCode:
    """The code of the one definition (or lambda, or comprehension) in ``source``, compiled as ``raw`` was.

    ``name`` chooses among several definitions (default: that of ``raw``, else the last one). ``enclosing_class``
    mangles private names; the default is the class that ``raw.qualname`` names. ``freevars`` default to those of
    ``raw``; each gets a binding in an outer function. What stands before the last dot of the qualified name, and
    whether the definition is nested, is not in the text: they are taken from ``raw``.
    Raises DecompilationError if the text does not compile or has no such definition, NoInterpreter if there is nobody
    to compile it.
    """
    unit = {
        "name": name or raw.name,
        "qualname": raw.qualname,
        "nested": bool(raw.flags & CO_NESTED),
        "freevars": raw.freevars if freevars is None else freevars,
        "enclosing_class": enclosing_class,
    }
    code = compile_source(
        source, raw.version, filename=filename, flags=raw.flags, optimize=optimize, unit=unit, where=raw.qualname
    )
    _put_below(code, raw.qualname)
    place = place_flags(raw.version)
    code.flags = code.flags & ~place | raw.flags & place
    if raw.flags & CO_ITERABLE_COROUTINE and code.flags & CO_GENERATOR:
        code.flags |= CO_ITERABLE_COROUTINE  # set by types.coroutine when the program runs, never by a compiler
    return code


def compile_source(
    source: str,
    version: Version,
    *,
    filename: str = "<depyf>",
    flags: int = 0,
    optimize: int = 0,
    unit: dict[str, Any] | None = None,
    where: str = "",
) -> RawCode:
    """``source`` compiled by CPython ``version``; ``unit`` is what ``compile_request`` calls so.

    ``flags`` are those of the code object that it is compared with: they say which future statements hold.
    Raises DecompilationError, NoInterpreter.
    """
    request = {"source": source, "filename": filename, "flags": flags, "optimize": optimize, "unit": unit}
    try:
        if version == HOST_VERSION:
            return load(compile_request(request))
        kind, value = POOL.compile(request, version)
        if kind == "error":
            raise CompileFailure(value)
        return read_code(value, version)
    except CompileFailure as error:
        raise DecompilationError(str(error), stage="recompile", where=where) from error


def _put_below(code: RawCode, qualname: str) -> None:
    """Give ``code`` and all nested in it the place that ``qualname`` has: all that stands before its last dot."""
    wanted, actual = qualname.rpartition(".")[0], code.qualname.rpartition(".")[0]
    if wanted == actual:
        return
    own = code.qualname
    for nested in code.walk():
        if nested is code or nested.qualname.startswith(own + "."):
            rest = nested.qualname[len(actual) + 1 :] if actual else nested.qualname
            nested.qualname = f"{wanted}.{rest}" if wanted else rest
