"""The parameters that the keys of annotations and of keyword-only defaults name, where both have been renamed."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Iterable, Mapping, NamedTuple

from ..bytecode import Instruction, RawCode
from ..bytecode.code.flags import CO_VARARGS, CO_VARKEYWORDS

if TYPE_CHECKING:
    from .by_use import Renames


class _Annotated(NamedTuple):
    """A function and the keys of its annotations or defaults.

    ``loads`` are the instructions of ``code`` that load the keys. ``step``: the distance between two keys in the one
    constant that is loaded, 0 if each key is loaded alone.
    """

    code: RawCode
    keys: tuple[str, ...]
    loads: list[Instruction]
    step: int
    function: RawCode
    only_keywords: bool

    @property
    def is_clear(self) -> bool:
        """Whether the keys are names of its parameters."""
        return {*self.function.parameters, "return"}.issuperset(self.keys)


class Keys:
    """Collects the keys of all code first: which one is that of the return annotation shows only there.

    ``later``: loads of constants that are the names of variables: the code, the load, the slot of the variable.
    """

    def __init__(self) -> None:
        self.functions: list[_Annotated] = []
        self.later: list[tuple[RawCode, Instruction, str]] = []

    def add(
        self, code: RawCode, loads: list[Instruction], step: int, function: RawCode, *, only_keywords: bool = False
    ) -> None:
        """Add the annotations of ``function``, or its defaults."""
        keys: list[Any] = [one.arg for one in loads]
        if step:
            keys = list(keys[0][::step]) if type(keys[0]) is tuple else []
        if keys and all(type(key) is str for key in keys):
            self.functions.append(_Annotated(code, tuple(keys), loads, step, function, only_keywords))

    def write(self, found: Mapping[RawCode, Renames]) -> None:
        """Record what the keys must be written as."""
        for code, load, slot in self.later:
            text = found[code].slots.get(slot, slot)
            if text != load.arg:
                found[code].constants[load.offset] = found[code].parameters[load.arg] = text
        of_return = self.key_of_return()
        known: collections.Counter[tuple[str, str]] = collections.Counter()
        for one in sorted(self.functions, key=lambda one: len(one.function.parameters) - len(one.keys)):
            slots, constants = found[one.function].slots, found[one.code].constants
            if one.is_clear and not slots:
                continue
            named = zip(one.keys, one.keys) if one.is_clear else self.parameters(one, of_return, known)
            texts = {key: slots.get(name, name) for key, name in named}
            if one.step:
                joined = list(one.loads[0].arg)
                joined[:: one.step] = [texts.get(key, key) for key in one.keys]
                constants[one.loads[0].offset] = tuple(joined)
            else:
                constants.update((load.offset, texts[key]) for load, key in zip(one.loads, one.keys) if key in texts)

    def key_of_return(self) -> str | None:
        """The key that functions with more keys than parameters end with, or most functions, and none has before."""
        last: collections.Counter[str] = collections.Counter()
        annotated = [one for one in self.functions if not one.only_keywords and not one.is_clear]
        for one in annotated:
            last[one.keys[-1]] += 1 if len(one.keys) <= len(one.function.parameters) else len(annotated)
        inner = {key for one in annotated for key in one.keys[:-1]}
        names = [key for key, count in last.most_common() if key not in inner and count > 1]
        return names[0] if names else None

    def parameters(
        self, one: _Annotated, of_return: str | None, known: collections.Counter[tuple[str, str]]
    ) -> Iterable[tuple[str, str]]:
        keys, names = list(one.keys), list(_in_order(one.function))
        if one.only_keywords:
            first = one.function.argcount
            names = list(one.function.varnames[first : first + one.function.kwonlyargcount])
        elif keys[-1] in (of_return, "return") or len(keys) > len(names):
            yield keys.pop(), "return"
        while keys and len(keys) <= len(names):  # from the last on: methods leave out the first
            key = keys.pop()
            places = range(len(keys), len(names))
            at = max(places, key=lambda place: (known[key, names[place]], place))
            known[key, names[at]] += 1
            yield key, names[at]
            del names[at:]


def _in_order(function: RawCode) -> Iterable[str]:
    """The parameters in the order of their annotations."""
    positional, last = function.argcount, function.argcount + function.kwonlyargcount
    names = function.varnames
    yield from names[:positional]
    if function.flags & CO_VARARGS:
        yield names[last]
    yield from names[positional:last]
    if function.flags & CO_VARKEYWORDS:
        yield names[last + bool(function.flags & CO_VARARGS)]
