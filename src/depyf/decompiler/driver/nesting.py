"""Which code object encloses which, and the names that each of them binds."""

from __future__ import annotations

from ..bytecode import RawCode
from ..bytecode.kinds import kind_of
from ..definitions.traces import dead_attributes

_SCOPES = ("function", "lambda", "comprehension", "generic")


class Nesting:
    """``root`` and the code nested in it.

    ``outer`` is that of the code around ``root``; ``enclosing`` are the names that functions around ``root`` bind.
    """

    def __init__(self, root: RawCode, outer: Nesting | None = None, enclosing: frozenset[str] = frozenset()) -> None:
        self.root, self.codes = root, list(root.walk())
        self.size = sum([len(raw.bytecode) // 2 for raw in self.codes])  # in instructions
        self.parents: dict[RawCode, RawCode] = {}
        self.bound: dict[RawCode, frozenset[str]] = {}
        self.parameters: frozenset[str] = outer.parameters if outer is not None else frozenset()  # of types
        self.depth: int = outer.depth if outer is not None else 0  # of constants that are code
        self._enclosing = enclosing
        self._attributes: dict[RawCode, dict[RawCode, list[str]]] = {}  # stored in dead code, by class and method
        for raw in self.codes:
            if kind_of(raw) == "generic":
                self.parameters |= {*raw.cellvars}
            if kind_of(raw) in _SCOPES:
                self.bound[raw] = frozenset((*raw.varnames, *raw.cellvars, *raw.freevars))
            for nested in raw.nested:
                self.parents[nested] = raw

    def ancestors(self, raw: RawCode) -> list[RawCode]:
        """The code around ``raw``, from the inside out."""
        found = []
        while raw in self.parents:
            raw = self.parents[raw]
            found.append(raw)
        return found

    def class_of(self, raw: RawCode) -> RawCode | None:
        """The class that encloses ``raw``."""
        return next((code for code in self.ancestors(raw) if kind_of(code) == "class"), None)

    def around(self, raw: RawCode) -> frozenset[str]:
        """The names that functions enclosing ``raw`` bind."""
        return self._enclosing.union(*(self.bound.get(code, ()) for code in self.ancestors(raw)))

    def dead_attributes(self, raw: RawCode) -> list[str]:
        """The attributes of `self` that the method ``raw`` must store in dead code."""
        owner = self.parents.get(raw)
        if owner is None or kind_of(owner) != "class":
            return []
        if owner not in self._attributes:
            self._attributes[owner] = dead_attributes(owner)
        return self._attributes[owner].get(raw, [])
