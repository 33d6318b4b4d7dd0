"""What a program can observe besides the instructions: signature, kind, names, closure, docstring."""

from __future__ import annotations

from ..bytecode import RawCode
from ..bytecode.code.flags import derived_flags, flag_names


def metadata_differences(original: RawCode, recompiled: RawCode, *, names: bool = True) -> tuple[str, ...]:
    """Descriptions of all differences between the two outside of their instructions.

    ``names=False`` ignores the name and qualified name: the caller knows that the scaffold can't reproduce them.
    """
    found: list[str] = []

    def compare(what: str, left: object, right: object) -> None:
        if left != right:
            found.append(f"{what}: {left!r} against {right!r}")

    compare("version of the bytecode", original.version, recompiled.version)
    compare("number of positional parameters", original.argcount, recompiled.argcount)
    compare("number of positional-only parameters", original.posonlyargcount, recompiled.posonlyargcount)
    compare("number of keyword-only parameters", original.kwonlyargcount, recompiled.kwonlyargcount)
    flags, other_flags = _own_flags(original), _own_flags(recompiled)
    if flags != other_flags:
        mine, other = flag_names(flags, original.version), flag_names(other_flags, recompiled.version)
        only = ", ".join(flag for flag in mine if flag not in other) or "none of it"
        found.append(f"flags: {only} against {', '.join(flag for flag in other if flag not in mine) or 'none of it'}")
    else:
        compare("parameters", original.parameters, recompiled.parameters)
    compare("free variables", original.freevars, recompiled.freevars)
    if original.kind != "late":  # a bound has none; a string may be its first constant
        compare("docstring", original.docstring, recompiled.docstring)
    if names:
        compare("name", original.name, recompiled.name)
        compare("qualified name", original.qualname, recompiled.qualname)
    return tuple(found)


def _own_flags(raw: RawCode) -> int:
    return raw.flags & ~derived_flags(raw.version)
