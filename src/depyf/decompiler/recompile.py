"""Source text -> a code object that can replace another one.

The text is compiled unchanged (with the same line numbers, so a debugger finds them in the file), inside a scaffold
that binds the free variables. Then everything without a spelling in Python is restored: constants without literals,
names that are not identifiers (see names/spelling.py).
"""

from __future__ import annotations

import types
from typing import Any

from ..errors import DecompilationError
from .bytecode import RawCode, load
from .bytecode.code.flags import (
    CO_ASYNC_GENERATOR,
    CO_COROUTINE,
    CO_GENERATOR,
    CO_VARARGS,
    CO_VARKEYWORDS,
    context_flags,
)
from .bytecode.interpreters import HOST_VERSION
from .bytecode.kinds import kind_of, mode_of
from .bytecode.reading.qualnames import give_qualnames
from .bytecode.stack_depths import depth_difference
from .names.respelling import Respelling, respell
from .names.spelling import Spelling, identifier, is_name
from .proof import compile_module, compile_unit
from .proof.scaffold import Spelled


def recompile(
    source: str,
    like: types.CodeType,
    filename: str = "<decompiled>",
    name: str | None = None,
    places: tuple[str, ...] = (),
    known: RawCode | None = None,
) -> types.CodeType:
    """Compile a function in ``source``, or all of it if ``like`` is a module's code, to code that can replace ``like``.

    It has the parameters, the free variables (in their order), the name and the qualified name of ``like``, and the
    constants and names of ``like`` that the text can't spell. Use `verify` to check that it does the same.

    Args:
        source: text of the module, or with the function in it, decompiled or edited.
        like: the code object to replace.
        filename: the file that has, or will have, the text: debuggers look there.
        name: the function's name in the text, if it differs from that of ``like``.
        places: local variables that the code keeps even if the text does not use them.
        known: ``like`` as read before, to reuse its cached instructions.

    Raises:
        DecompilationError: the text does not compile, lacks the function, or takes other arguments.

    Example:
        >>> def greet(name): return "hello " + name
        >>> text = depyf.decompile(greet).replace("hello", "good morning")
        >>> greet.__code__ = depyf.recompile(text, like=greet.__code__)
        >>> greet("Ada")
        'good morning Ada'
    """
    real = load(like) if known is None else known
    raw = real
    wanted = name or like.co_name
    for own_name in (True, False):  # the text of Dynamo's code has another name than that of the code object
        respelling = respell(real, own_name=own_name)
        raw = respelling.raw
        spelled = Spelling(raw).spelled
        wanted = name or (raw.name if is_name(raw.name) else identifier(raw.name, "function"))
        if name is not None or f"def {wanted}(" in source:
            break
    if kind_of(real) in ("module", "expression"):
        code = compile_module(source, raw, filename=filename, mode=mode_of(raw), spelled=spelled).code
    else:
        code = compile_unit(source, raw, name=wanted, filename=filename, spelled=spelled, variables=places).code
    assert code is not None  # it was compiled here
    slots = load(code).localsplus
    code = _put_back(code, spelled.then(respelling.meant))
    if len(load(code).localsplus) != len(slots):
        raise _error(like, "two of its variables can't have the one name that they have in the original")
    code = _with_variables(code, places)
    if name is not None and code.co_name != name:
        raise _error(like, f"the text has no function {name}")
    made = _as_like(code, like, respelling)
    for one in (raw, load(made)) if made.co_code != like.co_code else ():
        was_checked = one.doubt is not None and not one.doubt[1]  # by the proof
        doubt = "" if was_checked else depth_difference(one)
        if doubt:
            raise _error(like, doubt)
    return made


def _error(like: types.CodeType, reason: str) -> DecompilationError:
    return DecompilationError(reason, stage="recompile", where=like.co_name)


def _put_back(code: types.CodeType, spelled: Spelled) -> types.CodeType:
    """``code`` with the constants and names that the text could not spell."""
    changes: dict[str, Any] = {
        "co_consts": tuple(
            _put_back(value, spelled) if isinstance(value, types.CodeType) else spelled.named(spelled.constant(value))
            for value in code.co_consts
        ),
        "co_names": tuple(map(spelled.name, code.co_names)),
        "co_name": spelled.qualname(code.co_name),
    }
    for field in ("co_varnames", "co_cellvars", "co_freevars"):
        changes[field] = tuple(map(spelled.variable, getattr(code, field)))
    if hasattr(code, "co_qualname"):
        changes["co_qualname"] = spelled.qualname(code.co_qualname)
    return code.replace(**changes)


def _with_variables(code: types.CodeType, variables: tuple[str, ...]) -> types.CodeType:
    """Add those of ``variables`` that the compiler left out to ``code``, on 3.8 and 3.9: cells are numbered separately
    there, so no index changes."""
    known = (*code.co_varnames, *code.co_cellvars, *code.co_freevars)
    missing = tuple(variable for variable in variables if variable not in known and variable.isidentifier())
    if not missing:
        return code
    return code.replace(co_varnames=code.co_varnames + missing, co_nlocals=code.co_nlocals + len(missing))


def _as_named(code: types.CodeType, like: types.CodeType, copy: RawCode, respelling: Respelling) -> types.CodeType:
    """Give code nested in ``code`` the names and context flags of that in ``like``, which no text may give.

    ``copy`` is ``like`` with the names that the text has.
    """
    context = context_flags(HOST_VERSION)
    groups: dict[str, list[RawCode]] = {}
    own = {id(value) for value in code.co_consts} & {id(value) for value in like.co_consts}  # identical objects
    for nested in copy.nested:
        if id(nested.code) not in own:
            groups.setdefault(respelling.meant.get(nested.name, nested.name), []).append(nested)
    wanted: dict[int, str] = {}
    consts = []
    of_names, attributes = respelling.own_constants(copy), respelling.own_attributes(copy)
    for index, value in enumerate(code.co_consts):
        if type(value) in (str, tuple):
            is_listed = attributes is not None and type(value) is tuple and set(value) == attributes[0]
            value = attributes[1] if attributes and is_listed else of_names.get(value, value) if of_names else value
        elif isinstance(value, types.CodeType) and id(value) not in own and groups.get(value.co_name):
            group = groups[value.co_name]
            inner = group.pop(0) if len(group) > 1 else group[0]  # one that the original uses several times
            other = respelling.original.get(inner, inner)
            assert other.code is not None  # ``like`` is live
            value = _with_own_names(_as_named(value, other.code, inner, respelling), inner, respelling)
            flags = value.co_flags & ~context | other.flags & context
            value = value.replace(co_flags=flags, co_name=other.name)
            if hasattr(code, "co_qualname"):
                value = value.replace(co_qualname=other.qualname)
            else:
                wanted[index] = other.qualname
        consts.append(value)
    code = code.replace(co_consts=tuple(consts))
    return give_qualnames(code, wanted) if wanted else code


def _with_own_names(code: types.CodeType, copy: RawCode, respelling: Respelling) -> types.CodeType:
    """``code`` with the names of variables and globals that ``copy`` alone has in the original."""
    variables, names = respelling.own_variables(copy), respelling.own_globals(copy)
    cells = copy.other_cells
    if not variables and not names and cells is None:
        return code
    changes: dict[str, Any] = {"co_names": tuple(names.get(name, name) for name in code.co_names)}
    for field in ("co_varnames", "co_cellvars", "co_freevars"):
        changes[field] = tuple(variables.get(name, name) for name in getattr(code, field))
    made = code.replace(**changes)
    if len(load(made).localsplus) != len(load(code).localsplus):
        raise _error(code, "two of its variables can't have the one name that they have in the original")
    return made.replace(co_cellvars=cells) if cells is not None else made


def _as_like(code: types.CodeType, like: types.CodeType, respelling: Respelling) -> types.CodeType:
    """``code`` with the name, qualified name and flags of ``like``; raises if callers could tell them apart."""
    code = _with_own_names(code, respelling.raw, respelling)
    changes: dict[str, Any] = {"co_name": like.co_name}
    qualname = getattr(like, "co_qualname", None)
    if qualname is not None:
        if code.co_qualname != qualname:
            code = _move(code, code.co_qualname, qualname, like.co_consts)
        changes["co_qualname"] = qualname
    context = context_flags(HOST_VERSION)
    changes["co_flags"] = code.co_flags & ~context | like.co_flags & context
    code = code.replace(**changes)
    if code.co_freevars != like.co_freevars:
        raise _error(like, f"free variables {code.co_freevars} in the place of {like.co_freevars}")
    kind = CO_VARARGS | CO_VARKEYWORDS | CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR
    for what in ("co_argcount", "co_posonlyargcount", "co_kwonlyargcount"):
        if getattr(code, what) != getattr(like, what):
            raise _error(like, f"{what} is {getattr(code, what)} in the place of {getattr(like, what)}")
    if code.co_flags & kind != like.co_flags & kind:
        raise _error(like, "the text is a function of another kind (generator, *args, **kwargs)")
    return _as_named(code, like, respelling.raw, respelling)


def _move(code: types.CodeType, before: str, after: str, kept: tuple[Any, ...]) -> types.CodeType:
    """``code`` with the prefix ``before`` of all qualified names in it replaced by ``after``.

    Code objects among ``kept`` are not replaced.
    """

    def renamed(value: Any) -> Any:
        if not isinstance(value, types.CodeType) or any(value is one for one in kept):
            return value
        name: str = value.co_qualname
        if not name.startswith(before + "."):
            return value
        return _move(value.replace(co_qualname=after + name[len(before) :]), before, after, kept)

    return code.replace(co_consts=tuple(renamed(value) for value in code.co_consts))
