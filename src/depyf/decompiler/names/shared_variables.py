"""One name for each variable in all code that shares its cell, in the order in which compilers sort free variables."""

from __future__ import annotations

from typing import Callable, Iterator, Mapping, Sequence, Tuple

from ..bytecode import RawCode
from .spelling import is_name

Variable = Tuple[RawCode, str]
"""A slot of a code object: where several share a cell, the one that makes it."""


class Variables:
    """The variables of ``codes``, parents first. ``joined`` maps free variables to those of the code around them.

    ``texts`` are names that compilers give; variables that are ``clashing`` have the name of something else, too.
    """

    def __init__(self, codes: Sequence[RawCode]) -> None:
        self.codes = codes
        self.joined: dict[Variable, Variable] = {}
        self.texts: dict[Variable, str] = {}
        self.clashing: dict[Variable, None] = {}

    def one(self, code: RawCode, slot: str) -> Variable:
        """The variable that a slot is."""
        found = code, slot
        while found in self.joined:
            found = self.joined[found]
        return found

    def is_called(self, code: RawCode, slot: str, text: str) -> None:
        """Record that compilers call the variable ``text``."""
        self.texts.setdefault((code, slot), text)

    def called(self, text: str) -> set[Variable]:
        """The variables that compilers call ``text``."""
        return {self.one(*key) for key, given in self.texts.items() if given == text}

    def named(self, fresh: Callable[[str], str]) -> Iterator[tuple[RawCode, str, str]]:
        """What must be written for slots; ``fresh`` makes an unused name of another."""
        texts: dict[Variable, str] = {}
        for key, text in self.texts.items():
            texts.setdefault(self.one(*key), text)
        for variable in (self.one(*key) for key in self.clashing):
            if variable not in texts:
                texts[variable] = fresh(variable[1])
        shared: dict[Variable, list[Variable]] = {}
        for key in self.joined:
            shared.setdefault(self.one(*key), []).append(key)
        differ = any(slot != variable[1] for variable, members in shared.items() for _, slot in members)
        # Of a function by itself, Dynamo's for instance, the proof has the order of free variables compiled.
        if differ or not self.codes[0].is_function and self.is_unsorted(texts):
            self.sort(texts, shared, fresh)
        for variable, text in texts.items():
            for code, slot in (variable, *shared.get(variable, ())):
                if slot != text:
                    yield code, slot, text

    def is_unsorted(self, texts: Mapping[Variable, str]) -> bool:
        """Whether the free variables of any code are in another order than compilers give them."""
        for code in self.codes[1:]:
            names = [texts.get(self.one(code, free), free) for free in code.freevars]
            if names != sorted(names):
                return True
        return False

    def sort(
        self, texts: dict[Variable, str], shared: Mapping[Variable, list[Variable]], fresh: Callable[[str], str]
    ) -> None:
        """Choose ``texts`` for the variables that have none yet."""
        fixed = {variable: text for variable, text in texts.items() if variable in shared}
        before = self.order(shared)
        order = _sorted(before)
        early: set[Variable] = set()  # what must come before a name that is given
        for variable in reversed(order):
            if variable in fixed and not fixed[variable].startswith(".") or variable in early:
                early.update(before[variable])
        last: dict[Variable, str] = {}
        for variable in order:
            lowest = max((last[one] for one in before[variable] if one in last), default="")
            if variable not in fixed:
                name = variable[1]
                is_free = is_name(name) and all(
                    slot == name or name not in (*one.localsplus, *one.names) for one, slot in shared[variable]
                )
                if variable in early and name > "__":
                    name, is_free = f"V{name.lstrip('_')}", False
                text = name if is_free and name > lowest else fresh(name)
                texts[variable] = text if text > lowest else fresh(f"{lowest}_")
            last[variable] = max(lowest, texts[variable])

    def order(self, shared: Mapping[Variable, list[Variable]]) -> dict[Variable, list[Variable]]:
        """For each shared variable those whose names come before its own."""
        before: dict[Variable, list[Variable]] = {variable: [] for variable in shared}
        for code in self.codes[1:]:
            variables = [self.one(code, free) for free in code.freevars]
            for one, other in zip(variables, variables[1:]):
                if other in before and one in before:
                    before[other].append(one)
        return before


def _sorted(before: Mapping[Variable, list[Variable]]) -> list[Variable]:
    """The keys, each after those that come before it, as far as that is possible."""
    found: dict[Variable, None] = {}
    for start in before:
        todo = [start]
        waiting = {start}
        while todo:
            missing = [one for one in before[todo[-1]] if one not in found and one not in waiting]
            if missing:
                waiting.add(missing[0])
                todo.append(missing[0])
            else:
                found[todo.pop()] = None
    return list(found)
