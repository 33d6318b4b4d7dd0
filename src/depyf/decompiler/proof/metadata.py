"""What the instructions do not say and a program can still see: signature, kind, names, closure, docstring."""

from __future__ import annotations

from ..bytecode import RawCode


def metadata_differences(original: RawCode, recompiled: RawCode, *, names: bool = True) -> tuple[str, ...]:
    """In words, every difference between the two outside their instructions.

    ``names=False`` leaves out the name and qualified name: the caller knows that the scaffold can't reproduce them.
    """
    found: list[str] = []

    def compare(what: str, left: object, right: object) -> None:
        if left != right:
            found.append(f"{what}: the original has {left!r}, the recompiled source {right!r}")

    compare("version of the bytecode", original.version, recompiled.version)
    compare("number of positional parameters", original.argcount, recompiled.argcount)
    compare("number of positional-only parameters", original.posonlyargcount, recompiled.posonlyargcount)
    compare("number of keyword-only parameters", original.kwonlyargcount, recompiled.kwonlyargcount)
    compare("flags", flag_words(original.flags), flag_words(recompiled.flags))
    if original.flags == recompiled.flags:
        compare("parameters", original.parameters, recompiled.parameters)
    compare("free variables", original.freevars, recompiled.freevars)
    if original.is_function and original.parameters != (".0",):
        compare("docstring", original.docstring, recompiled.docstring)
    if names:
        compare("name", original.name, recompiled.name)
        compare("qualified name", original.qualname, recompiled.qualname)
    return tuple(found)


_FLAG_WORDS = {
    0x1: "optimized",
    0x2: "new locals",
    0x4: "*args",
    0x8: "**kwargs",
    0x10: "nested",
    0x20: "generator",
    0x80: "coroutine",
    0x100: "iterable coroutine",
    0x200: "asynchronous generator",
}


def flag_words(flags: int) -> tuple[str, ...]:
    """The flags of a code object in words, unknown ones (future statements) in hexadecimal."""
    words = [word for bit, word in _FLAG_WORDS.items() if flags & bit]
    rest = flags & ~sum(_FLAG_WORDS)
    return (*words, hex(rest)) if rest else tuple(words)
