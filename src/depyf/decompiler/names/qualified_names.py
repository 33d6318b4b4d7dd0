"""The qualified names that text gives to code objects: their own where a compiler could have given them."""

from __future__ import annotations

from typing import Mapping, Sequence

from ..bytecode import RawCode
from ..bytecode.kinds import FORMAT, Made, compiled_parameter, kind_of


def qualified_names(
    codes: Sequence[RawCode],
    parents: Mapping[RawCode, RawCode],
    made: Mapping[RawCode, Made],
    texts: Mapping[RawCode, str],
) -> dict[RawCode, str]:
    """The qualified names of ``codes``, parents first; ``texts`` are their names as they are written."""
    root = codes[0]
    found = {root: _with_own_prefix(root, texts[root]) if made[root].name == root.name else texts[root]}
    for code in codes[1:]:
        name, use = texts[code], made[code].use
        if code.is_value:
            found[code] = code.qualname
            continue
        owners = _owners(code, parents)
        owner = owners[-1]
        inside = ".<locals>." if owner.kind in ("function", "lambda") else "."
        is_outermost = kind_of(owner) in ("module", "expression", "generic")
        plain = code.name if is_outermost else owner.qualname + inside + code.name
        is_bare = is_outermost and parents[code].kind == "generic"
        if use is not None and use.annotated and _is_named_after_function(code, use.annotated, plain, is_bare):
            name, use = f"{texts[use.annotated]}.{name}", made[use.annotated].use
        if len(owners) > 1 and kind_of(code) != "annotations" and use is not None and use.stored:
            use = made[owners[-2]].use  # of the code that makes its type parameters
        is_global = use is not None and use.is_global and _is_named_as_global(code)
        found[code] = name if is_outermost or is_global else found[owner] + inside + name
        if owner.kind not in ("function", "lambda", "class", "module"):  # versions differ in these
            while owners[-1] in parents:
                owners.append(parents[owners[-1]])
        found[code] = _by_its_own(code, owner, owners, found, name)
        is_moved = codes[0].is_function and not code.qualname.startswith(f"{codes[0].qualname}.")
        if is_moved and made[code].name == code.name and name == texts[code]:
            found[code] = _with_own_prefix(code, name)  # recompile() restores it in functions
    return found


def _owners(code: RawCode, parents: Mapping[RawCode, RawCode]) -> list[RawCode]:
    """The code around ``code``, up to what is part of its qualified name: code of type parameters is not."""
    owners = [parents[code]]
    while owners[-1] in parents and kind_of(owners[-1]) == "generic":
        owners.append(parents[owners[-1]])
    return owners


def _is_named_as_global(code: RawCode) -> bool:
    """Whether the qualified name of ``code`` is its name if that is global: those of type aliases that take a format,
    as annotations do, are not.
    """
    return kind_of(code) in ("function", "class", "annotations") and compiled_parameter(code) != FORMAT


def _with_own_prefix(code: RawCode, text: str) -> str:
    """The qualified name of ``code`` with ``text`` in the place of its name."""
    is_after = code.name and code.qualname.endswith(code.name)
    return code.qualname[: -len(code.name)] + text if is_after else code.qualname


def _by_its_own(
    code: RawCode, owner: RawCode, owners: list[RawCode], found: Mapping[RawCode, str], name: str
) -> str:
    """The qualified name that extends the one of ``owners`` that its own extends."""
    result = found[code]
    before = code.qualname[: -len(code.name)] if code.qualname.endswith(code.name) else ""
    for around in owners if len(owners) > 1 else []:
        if before in (f"{around.qualname}.", f"{around.qualname}.<locals>."):
            result = found[around] + before[len(around.qualname) :] + name
    return name if code.qualname == code.name and owner.kind in ("annotations", "late") else result


def _is_named_after_function(code: RawCode, function: RawCode, plain: str, is_outermost: bool) -> bool:
    """Whether the qualified name of the annotations of ``function`` has its name, too; ``plain`` is the one without."""
    if code.name == "__annotate__" and code.qualname == f"{function.qualname}.{code.name}":
        return code.qualname != plain
    return code.table.behavior.annotations_are_named_after_functions and not is_outermost
