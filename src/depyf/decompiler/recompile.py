"""Source text -> a code object that may stand in the place of another one.

The text is compiled as it is (its lines keep their numbers, so a debugger finds them in the file), inside a scaffold
that binds the free variables. Then what has no spelling in Python is put back: constants that are no literals, names
that are no identifiers (see names/spelling.py).
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
from .names.respelling import respell
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
    """The code of a function in ``source``, or of all of it if ``like`` is a module's code, fit to replace ``like``.

    It has the parameters, the free variables (in their order), the name and the qualified name of ``like``, and the
    constants and names of ``like`` that the text can't spell. That it does the same is for `verify` to show.

    Args:
        source: text with the function in it, or of the module, decompiled or edited.
        like: the code object to replace.
        filename: where the text is, or will be: debuggers look there.
        name: the function's name in the text, if it is not that of ``like``.
        places: local variables that the code has even if the text uses them nowhere.
        known: ``like`` as it was read before; what is known of its instructions is not worked out again.

    Raises:
        DecompilationError: the text does not compile, lacks the function, or takes other arguments.
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
        code = compile_module(source, raw, filename=filename, mode=mode_of(raw)).code
    else:
        code = compile_unit(source, raw, name=wanted, filename=filename, spelled=spelled, places=places).code
    assert code is not None  # it was compiled here
    slots = load(code).localsplus
    code = _put_back(code, spelled.then(respelling.meant))
    if len(load(code).localsplus) != len(slots):
        raise _error(like, "two of its variables can't have the one name that they have in the original")
    code = _with_places(code, places)
    if name is not None and code.co_name != name:
        raise _error(like, f"the text has no function {name}")
    made = _as_like(code, like)
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


def _with_places(code: types.CodeType, places: tuple[str, ...]) -> types.CodeType:
    """``code`` with those of ``places`` that the compiler left out, as 3.8 and 3.9 do: cells have numbers of their own
    there, so that no index changes."""
    known = (*code.co_varnames, *code.co_cellvars, *code.co_freevars)
    missing = tuple(place for place in places if place not in known and place.isidentifier())
    if not missing:
        return code
    return code.replace(co_varnames=code.co_varnames + missing, co_nlocals=code.co_nlocals + len(missing))


def _as_named(code: types.CodeType, like: types.CodeType) -> types.CodeType:
    """``code`` with the qualified names and places of ``like`` for what is nested in it: no text gives Dynamo's."""
    place = context_flags(HOST_VERSION)
    names: dict[str, list[types.CodeType]] = {}
    own = {id(value) for value in code.co_consts} & {id(value) for value in like.co_consts}  # the very same objects
    for nested in like.co_consts:
        if isinstance(nested, types.CodeType) and id(nested) not in own:
            names.setdefault(nested.co_name, []).append(nested)
    dated = not hasattr(code, "co_qualname")
    qualnames = {id(raw.code): raw.qualname for raw in load(like).nested} if dated else {}
    wanted: dict[int, str] = {}
    consts = []
    for index, value in enumerate(code.co_consts):
        if isinstance(value, types.CodeType) and id(value) not in own and names.get(value.co_name):
            group = names[value.co_name]
            other = group.pop(0) if len(group) > 1 else group[0]  # one that the original makes at several places
            value = _as_named(value, other)
            value = value.replace(co_flags=value.co_flags & ~place | other.co_flags & place)
            if not dated:
                value = value.replace(co_qualname=other.co_qualname)
            elif id(other) in qualnames:
                wanted[index] = qualnames[id(other)]
        consts.append(value)
    code = code.replace(co_consts=tuple(consts))
    return give_qualnames(code, wanted) if wanted else code


def _as_like(code: types.CodeType, like: types.CodeType) -> types.CodeType:
    """``code`` with the name, qualified name and place of the original; raises if callers could tell the two apart."""
    changes: dict[str, Any] = {"co_name": like.co_name}
    qualname = getattr(like, "co_qualname", None)
    if qualname is not None:
        if code.co_qualname != qualname:
            code = _move(code, code.co_qualname, qualname, like.co_consts)
        changes["co_qualname"] = qualname
    place = context_flags(HOST_VERSION)
    changes["co_flags"] = code.co_flags & ~place | like.co_flags & place
    code = code.replace(**changes)
    if code.co_freevars != like.co_freevars:
        raise _error(like, f"free variables {code.co_freevars} in the place of {like.co_freevars}")
    kind = CO_VARARGS | CO_VARKEYWORDS | CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR
    for what in ("co_argcount", "co_posonlyargcount", "co_kwonlyargcount"):
        if getattr(code, what) != getattr(like, what):
            raise _error(like, f"{what} is {getattr(code, what)} in the place of {getattr(like, what)}")
    if code.co_flags & kind != like.co_flags & kind:
        raise _error(like, "the text is a function of another kind (generator, *args, **kwargs)")
    return _as_named(code, like)


def _move(code: types.CodeType, before: str, after: str, kept: tuple[Any, ...]) -> types.CodeType:
    """``code`` with the qualified names of all in it below ``after`` where they were below ``before``.

    Those among ``kept`` stay the objects that they are.
    """

    def renamed(value: Any) -> Any:
        if not isinstance(value, types.CodeType) or any(value is one for one in kept):
            return value
        name: str = value.co_qualname
        if not name.startswith(before + "."):
            return value
        return _move(value.replace(co_qualname=after + name[len(before) :]), before, after, kept)

    return code.replace(co_consts=tuple(renamed(value) for value in code.co_consts))
