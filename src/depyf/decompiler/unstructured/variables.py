"""Variables for stack entries that are live across nodes, and the local variables bound at each node."""

from __future__ import annotations

from functools import cached_property

from ..bytecode import RawCode
from ..names.spelling import Spelling
from .analysis import Analysis, DispatchNode
from .levels import Levels


class SlotVariables:
    """One variable for each stack entry, shared by the nodes it is passed to at the same stack index."""

    def __init__(self, analysis: Analysis, spelling: Spelling) -> None:
        self.spelling = spelling
        self._analysis = analysis
        self._parent: dict[tuple[int, int], tuple[int, int]] = {}
        self._names: dict[tuple[int, int], str] = {}
        self._exceptions: dict[Levels, str] = {}
        self._managers: dict[object, str] = {}
        self.entered: dict[object, str | None] = {}  # what holds the result of entering each context manager
        self.entered_at: dict[object, int | None] = {}  # the line of each with statement
        self.ours: set[str] = set()

    @cached_property
    def _hints(self) -> dict[tuple[int, int], str | None]:
        """A suggested name for each variable, once the entries that share one are joined."""
        hints: dict[tuple[int, int], str | None] = {}
        for node in self._analysis.all:
            for edge in node.edges:
                for index, slot in enumerate(edge.target.slots):
                    if slot.kind == "value" and edge.slots[index].origin == index:
                        self._join(node, edge.target, index)
            for handler, depth in node.handlers:
                for index, slot in enumerate(handler.slots[:depth]):
                    if slot.kind == "value" and index < len(node.slots):
                        self._join(node, handler, index)
        for node in self._analysis.all:
            for index, slot in enumerate(node.slots):
                if slot.kind == "value":
                    root = self._find((node.number, index))
                    known = hints.setdefault(root, slot.detail)
                    if known != slot.detail:
                        hints[root] = None
        return hints

    def name(self, node: DispatchNode, index: int) -> str:
        """Return the variable that holds stack entry ``index`` at the beginning of ``node``."""
        hints = self._hints
        root = self._find((node.number, index))
        if root not in self._names:
            self._names[root] = self.spelling.fresh(hints.get(root) or f"stack_{index}")
            self.ours.add(self._names[root])
        return self._names[root]

    def manager(self, detail: object) -> str:
        """Return the variable of a context manager, given the ``detail`` of its exit function's slot."""
        if detail not in self._managers:
            self._managers[detail] = self.spelling.fresh("manager")
            self.ours.add(self._managers[detail])
        return self._managers[detail]

    def exception(self, levels: Levels) -> str:
        """Return the exception variable of the handler at ``levels``."""
        if levels not in self._exceptions:
            self._exceptions[levels] = self.spelling.fresh("exception")
        return self._exceptions[levels]

    def _find(self, entry: tuple[int, int]) -> tuple[int, int]:
        while self._parent.get(entry, entry) != entry:
            entry = self._parent[entry]
        return entry

    def _join(self, a: DispatchNode, b: DispatchNode, index: int) -> None:
        if a.slots[index].kind == "value" and b.slots[index].kind == "value":
            self._parent[self._find((a.number, index))] = self._find((b.number, index))


def bound_variables(analysis: Analysis, raw: RawCode) -> dict[DispatchNode, frozenset[str]]:
    """Return the local variables that are definitely bound at the beginning of each node."""
    every = frozenset(raw.varnames) - frozenset(raw.cellvars) - frozenset(raw.freevars)
    entry: dict[DispatchNode, frozenset[str]] = {analysis.entry: frozenset(raw.parameters) & every}
    todo = [analysis.entry]
    while todo:
        node = todo.pop()
        bound, deleted = set(entry[node]), set()
        for pc in node.pcs:
            ins = analysis.instructions[pc]
            if ins.op == "STORE_FAST":
                bound.add(ins.arg)
            elif ins.op in ("DELETE_FAST", "LOAD_FAST_AND_CLEAR"):
                bound.discard(ins.arg)
                deleted.add(ins.arg)
        arriving = [(edge.target, frozenset(bound) & every) for edge in node.edges]
        arriving += [(handler, entry[node] - deleted) for handler, _ in node.handlers]
        for target, names in arriving:
            if target not in entry or not entry[target] <= names:
                entry[target] = entry.get(target, names) & names
                todo.append(target)
    return entry
