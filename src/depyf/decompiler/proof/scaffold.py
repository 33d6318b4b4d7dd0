"""Source -> RawCode, compiled by the version and in the context of the original.

compile_worker.py compiles: in this process for the running version, in another CPython for the others.
"""

from __future__ import annotations

import functools
import keyword
import re
import types
from typing import Any, Callable, Mapping

from ...errors import DecompilationError
from ..bytecode import RawCode, load, readable_instructions
from ..bytecode.code.flags import CO_GENERATOR, CO_ITERABLE_COROUTINE, CO_NESTED, context_flags
from ..bytecode.interpreters import HOST_VERSION, Version
from ..bytecode.kinds import GENERIC, kind_of
from ..bytecode.reading.pyc import read_code
from ..limits.deep_stack import is_deep
from .compile_worker import ORDERED, CompileFailure, compile_request
from .compiler_pool import POOL
from .pytest_asserts import HELPERS, OVERWRITE, REWRITER, SNAPSHOT
from .set_orders import read_like

_MARK = "\0depyf constant "
_ORDERED = re.compile(ORDERED.format(0).replace("0000", r"\d{4}"))


class Spelled:
    """The substitutes in a text for what Python has no syntax for.

    ``constants``: the dotted name for a constant without a literal -> the constant; ``names`` and ``variables``:
    identifier -> the real name of a global or attribute, of a local variable or cell; ``functions``: identifier -> the
    real name of a nested function. ``meant``: identifiers that mean one name everywhere, including in strings: no other
    string of the code has them.
    """

    def __init__(
        self,
        constants: Mapping[str, Any] = {},
        names: Mapping[str, str] = {},
        variables: Mapping[str, str] = {},
        functions: Mapping[str, str] = {},
        meant: Mapping[str, str] = {},
    ) -> None:
        self.constants, self.names, self.variables, self.functions = constants, names, variables, functions
        self.meant = meant

    def __bool__(self) -> bool:
        return bool(self.constants or self.names or self.variables or self.functions)

    def then(self, meant: Mapping[str, str]) -> Spelled:
        """The same for a text with further substitutes ``meant``."""
        if not meant:
            return self
        names, variables, functions = (
            {**meant, **{text: meant.get(name, name) for text, name in known.items()}}
            for known in (self.names, self.variables, self.functions)
        )
        return Spelled(self.constants, names, variables, functions, meant)

    @property
    def marks(self) -> dict[str, str]:
        """What is compiled instead of the constants."""
        return {text: _MARK + text for text in self.constants}

    def constant(self, value: Any) -> Any:
        """The constant meant by one in compiled code."""
        if type(value) is tuple:
            return tuple(self.constant(item) for item in value)
        if type(value) is str and value.startswith(_MARK):
            return self.constants[value[len(_MARK) :]]
        return value

    def named(self, value: Any) -> Any:
        """A constant that may be names: of keyword arguments, of a class, or qualified."""
        if not self.meant:
            return value
        if type(value) is tuple and all(type(item) is str for item in value):
            return tuple(self.meant.get(item, item) for item in value)
        names_something = type(value) is str and not self.meant.keys().isdisjoint(value.split("."))
        return self.qualname(value) if names_something else value

    def name(self, name: str) -> str:
        """The real name of a global, an attribute, or a module with the path to it."""
        if name in self.names or "." not in name or not self.meant:
            return self.names.get(name, name)
        return ".".join(self.meant.get(part, part) for part in name.split("."))

    def variable(self, name: str) -> str:
        """The real name of a local variable or cell in compiled code."""
        found = _ORDERED.match(name)
        name = name[found.end() :] if found else name
        return self.variables.get(name, name)

    def qualname(self, name: str) -> str:
        """The real qualified name, without the prefixes for the order of free variables."""
        parts = [_ORDERED.sub("", part) for part in name.split(".")]
        return ".".join(self.functions.get(part, part) for part in parts)


def compile_module(
    source: str,
    like: RawCode | None = None,
    *,
    filename: str = "<depyf>",
    optimize: int = 0,
    mode: str = "exec",
    spelled: Spelled | None = None,
) -> RawCode:
    """Compile ``source`` as a module, by the version and with the future statements of ``like``.

    ``mode`` as for compile(); 'single' accepts any number of statements. The substitutes of ``spelled`` are replaced by
    what they mean.

    Raises DecompilationError if it does not compile (wrong syntax, too deep, or too big), NoInterpreter if there is
    no interpreter to compile it.
    """
    where = like.qualname if like is not None else filename
    version = like.version if like is not None else HOST_VERSION
    flags = like.flags if like is not None else 0
    compiling = functools.partial(
        compile_source, source, version, filename=filename, flags=flags, optimize=optimize, where=where, mode=mode,
        marks=_marks(spelled, source),
    )  # fmt: skip
    code = _with_asserts(compiling, source, like, imports=f"import {REWRITER} as" not in source)
    if like is not None:
        if spelled:
            _put_back(code, spelled, like)
        read_like(code, like)
    return code


def _marks(spelled: Spelled | None, source: str) -> dict[str, str]:
    """What is compiled instead of the constants that ``source`` names."""
    return {text: mark for text, mark in spelled.marks.items() if text in source} if spelled is not None else {}


def compile_unit(
    source: str,
    raw: RawCode,
    *,
    enclosing_class: str | None = None,
    name: str | None = None,
    freevars: tuple[str, ...] | None = None,
    filename: str = "<depyf>",
    optimize: int = 0,
    spelled: Spelled | None = None,
    variables: tuple[str, ...] = (),
) -> RawCode:
    """The code of the one definition (or lambda, or comprehension) in ``source``, compiled as ``raw`` was.

    ``name`` chooses among several definitions (default: that of ``raw``, else the last one). ``enclosing_class``
    mangles private names; the default is the class in ``raw.qualname``. ``freevars`` default to those of ``raw``; each
    gets a binding in an outer function. The part before the last dot of the qualified name, and whether the definition
    is nested, are not in the text: they are taken from ``raw``. The substitutes of ``spelled`` are replaced by what
    they mean. ``variables`` are local variables that the code has even if unused (where the compiler can be made to
    keep them).
    Raises DecompilationError if the text does not compile or has no such definition, NoInterpreter if there is no
    interpreter to compile it.
    """
    written = {real: text for text, real in spelled.variables.items()} if spelled is not None else {}
    unit = {
        "name": name or raw.name,
        "qualname": raw.qualname if enclosing_class is not None or _may_be_in_class(raw) else raw.name,
        "nested": _is_nested(raw),
        "freevars": tuple(written.get(n, n) for n in (raw.freevars if freevars is None else freevars)),
        "cellvars": tuple(written.get(n, n) for n in raw.cellvars),
        "inner_freevars": {
            inner.name: tuple(written.get(n, n) for n in inner.freevars)
            for inner in raw.nested
            if list(inner.freevars) != sorted(inner.freevars)
        },
        "locals": tuple(name for name in (written.get(n, n) for n in variables) if name.isidentifier()),
        "enclosing_class": enclosing_class,
        "marks": _marks(spelled, source),
        "called": f"{GENERIC}{{}}>" if kind_of(raw) == "generic" else "{}",
    }
    imports = _imported(raw)
    if imports:
        unit["imports"] = imports
    compiling = functools.partial(
        compile_source,
        source, raw.version, filename=filename, flags=raw.flags, optimize=optimize, unit=unit, where=raw.qualname,
    )  # fmt: skip
    code = _with_asserts(compiling, source, raw, imports=False)
    if spelled is not None or any(map(_ORDERED.match, code.freevars)):
        _put_back(code, spelled or Spelled(), raw)
    _put_below(code, raw.qualname)
    read_like(code, raw)
    context = context_flags(raw.version)
    code.flags = code.flags & ~context | raw.flags & context
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
    asserts: dict[str, Any] | None = None,
    slices: bool = False,
    marks: dict[str, str] | None = None,
    where: str = "",
    mode: str = "exec",
) -> RawCode:
    """Compile ``source`` by CPython ``version``; for ``unit`` to ``marks`` see `compile_request`.

    ``flags`` are those of the code object that it is compared with, which determine the future statements.
    Raises DecompilationError, NoInterpreter.
    """
    filename = filename if filename.isprintable() else "<depyf>"  # code may have any text as its file name
    request = {
        "source": source, "filename": filename, "flags": flags, "optimize": optimize, "unit": unit, "mode": mode,
        "asserts": asserts, "slices": slices, "marks": marks,
    }  # fmt: skip
    try:
        if version == HOST_VERSION:
            return load(compile_request(request), is_compiled_here=True)
        kind, value = POOL.compile(request, version)
        if kind == "error":
            raise CompileFailure(value)
        return read_code(value, version)
    except CompileFailure as error:
        if isinstance(error.__cause__, RecursionError) and not is_deep():
            raise error.__cause__ from None
        raise DecompilationError(str(error), stage="recompile", where=where) from error


def means_slices(like: RawCode) -> bool:
    """Whether calls of ``slice`` in a text for ``like`` mean slices that are built: it has no such name."""
    return not any("slice" in {*part.names, *part.varnames, *part.cellvars, *part.freevars} for part in like.walk())


def _with_asserts(compiling: Callable[..., RawCode], source: str, like: RawCode | None, imports: bool) -> RawCode:
    """Return the result of ``compiling``, with the asserts of ``source`` rewritten if those of ``like`` were.

    For ``:=`` pytest's versions differ: the form that shares more code with ``like`` is chosen.
    """
    if like is None:
        return compiling()
    compiling = functools.partial(compiling, slices="slice(" in source and means_slices(like))
    if not any(HELPERS in part.names for part in like.walk()):
        return compiling()
    imports = imports and HELPERS in like.names
    kinds = (SNAPSHOT, OVERWRITE) if ":=" in source else (SNAPSHOT,)
    codes = [compiling(asserts={"walrus": kind, "imports": imports}) for kind in kinds]
    wanted = {part.qualname: part.bytecode for part in like.walk()}
    return max(codes, key=lambda code: sum(wanted.get(part.qualname) == part.bytecode for part in code.walk()))


def _imported(raw: RawCode) -> tuple[str, ...]:
    """Globals that the module of ``raw`` imports, as far as calls show it: ``name.f()`` is not a method call.

    Among them ``super`` if the module has a variable of that name: ``super().f`` is then no operation of its own.
    """
    if not raw.table.behavior.functions_of_imports_are_no_methods:
        return ()
    found: set[str] = set()
    others: set[str] = set()
    for part in raw.walk():
        instructions = readable_instructions(part)
        for number, attribute in enumerate(instructions):
            if attribute.op == "LOAD_SUPER_ATTR":
                others.add("super")
            if attribute.op != "LOAD_ATTR" or not number or number + 1 == len(instructions):
                continue
            owner, following = instructions[number - 1], instructions[number + 1]
            if owner.op == "CALL" and any(i.op == "LOAD_GLOBAL" and i.arg == "super" for i in instructions[:number]):
                found.add("super")
            if following.op == "NULL" and following.offset == attribute.offset:
                others.add(owner.arg if owner.op in _LOADS else "")
            elif owner.op in ("LOAD_GLOBAL", "LOAD_NAME"):
                # Without a method, the call's NULL is either below or above.
                if following.op == "NULL" or number > 1 and instructions[number - 2].op == "NULL":
                    found.add(owner.arg)
    return tuple(sorted(name for name in found - others if name.isidentifier() and not keyword.iskeyword(name)))


_LOADS = frozenset(("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FAST", "LOAD_DEREF"))


def _is_nested(raw: RawCode) -> bool:
    """Whether ``raw`` is inside a function. Classes have no flag for that, but their functions do; so do lambdas in an
    inlined comprehension of any class.
    """
    if raw.is_function:
        return bool(raw.flags & CO_NESTED)
    inside = [one for one in raw.nested if one.name != "<lambda>"] or raw.nested
    return bool(inside) and all(map(_is_nested, inside))


def _may_be_in_class(raw: RawCode) -> bool:
    """Whether there are no names that the compiler would mangle in a class, or they are mangled."""
    return not any(
        name.startswith("__") and not name.endswith("__") and "." not in name
        for code in raw.walk()
        for name in (*code.names, *code.localsplus)
    )


def _put_back(code: RawCode, spelled: Spelled, original: RawCode) -> None:
    """Restore the constants and names of ``code`` that its text could not spell."""
    codes = {id(raw.code): raw for raw in original.walk() if raw.code is not None}

    def constant(value: Any) -> Any:
        value = spelled.constant(value)
        return codes.get(id(value), value) if isinstance(value, types.CodeType) else value

    for part in list(code.walk()):
        part.consts = tuple(constant(value) for value in part.consts)
        part.names = tuple(spelled.names.get(name, name) for name in part.names)
        for field in ("varnames", "cellvars", "freevars", "localsplus"):
            setattr(part, field, tuple(map(spelled.variable, getattr(part, field))))
        part.name, part.qualname = spelled.qualname(part.name), spelled.qualname(part.qualname)


def _put_below(code: RawCode, qualname: str) -> None:
    """Give ``code`` and all nested code the prefix of ``qualname``: the part before its last dot."""
    wanted, actual = qualname.rpartition(".")[0], code.qualname.rpartition(".")[0]
    if wanted == actual:
        return
    own = code.qualname
    for nested in code.walk():
        if nested is code or nested.qualname.startswith(own + "."):
            rest = nested.qualname[len(actual) + 1 :] if actual else nested.qualname
            nested.qualname = f"{wanted}.{rest}" if wanted else rest
