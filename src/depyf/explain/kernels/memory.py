"""The bytes that are live after each kernel of a graph, the peak, and the lines that own it.

From what Inductor has settled when it writes the wrapper: what is allocated, reused and freed, in order. With dynamic
shapes sizes are formulas, and are evaluated for the first call.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..graphs.capture import user_line_of
from ..kernel_costs import Memory, MemoryOwner, MemoryStep
from ..model import SourceLine
from ..torch_facts import torch_memory
from .provenance import operation_of

__all__ = ["memory_of"]

_GRADIENTS = "gradients that come in"
_DEPENDS = "{} of unknown size, as it depends on data"


@dataclass(eq=False)
class _Storage:
    """Memory, with the names that hold it, and the operation whose result is in it."""

    size: Any  # an expression
    number: int  # the size on the first call
    line: SourceLine | None = None
    operation: str = ""
    names: set[str] = field(default_factory=set)


def memory_of(wrapper: Any) -> Memory:
    """That of the graph whose wrapper Inductor has planned, and is about to write."""
    walk = _Walk(torch_memory.current_graph())
    for event, name, other in torch_memory.events_of(wrapper.lines):
        getattr(walk, event)(name, other)
    return walk.finish()


class _Walk:
    """The memory of a graph while it runs."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self._storages: dict[str, _Storage] = {}  # by name
        self._tuples: dict[str, list[str]] = {}  # what the name of a tuple holds
        self._parts: dict[str, str] = {}  # by the name that a part of a tuple gets: which it is
        self._live = 0
        self._at_peak: list[_Storage] = []
        self._owners: list[tuple[SourceLine | None, str]] = []
        self._is_after = False  # whether nothing was allocated since the last kernel
        self._memory = Memory()
        shared: dict[Any, _Storage] = {}
        for name, node, size, key in torch_memory.given_of(graph):
            if key not in shared:
                shared[key] = self._allocated(name, size, [node] if node is not None else [])
                shared[key].operation = shared[key].operation if node is not None else _GRADIENTS
            self._hold(name, shared[key])
        self._memory.given = self._live

    # ---- what the lines of a wrapper do

    def made(self, name: str, _: str) -> None:
        """A buffer is allocated, or a part of a tuple, or a view, gets its name."""
        buffer = torch_memory.buffer_named(self._graph, name)
        if buffer is None or name in self._storages:
            return
        parts = torch_memory.parts_of(buffer)
        if parts is not None:
            self._tuples[name] = [f"{name}[{at}]" for at in range(len(parts))]
            for held, part in zip(self._tuples[name], parts):
                self._make(held, part, buffer)
                self._parts[part.get_name()] = held
            return
        whole = self._parts.get(name) or torch_memory.view_of(buffer)
        if whole in self._storages:
            self._hold(name, self._storages[whole])
        elif not whole:
            self._make(name, buffer, buffer)

    def _make(self, name: str, buffer: Any, origin: Any) -> None:
        size = torch_memory.size_of(buffer)
        if size is not None:
            self._hold(name, self._allocated(name, size, torch_memory.origins_of(origin)))

    def reused(self, name: str, old: str) -> None:
        """The memory of `old` goes to `name`."""
        storage, buffer = self._storages.get(old), torch_memory.buffer_named(self._graph, name)
        if storage is not None:
            self._hold(name, storage)
            if buffer is not None:
                storage.line, storage.operation = _origin(torch_memory.origins_of(buffer))

    def gone(self, name: str, _: str) -> None:
        """A name is dropped."""
        for held in self._tuples.pop(name, [name]):
            storage = self._storages.pop(held, None)
            if storage is not None:
                storage.names.discard(held)
                self._live -= 0 if storage.names else storage.number
        if self._is_after:
            self._memory.steps[-1].after = self._live

    def ran(self, kernel: str, _: str) -> None:
        """A kernel is called."""
        self._memory.steps.append(MemoryStep(kernel, self._live, self._live))
        self._is_after = True
        if self._live > self._memory.peak:
            self._memory.peak = self._live
            self._at_peak = list({id(one): one for one in self._storages.values()}.values())
            self._owners = [(one.line, one.operation) for one in self._at_peak]  # later owners are others

    # ---- at the end

    def finish(self) -> Memory:
        """All that is known."""
        memory = self._memory
        owners: dict[tuple[str, int] | None, MemoryOwner] = {}
        for storage, (line, operation) in zip(self._at_peak, self._owners):
            key = None if line is None else (line.filename, line.line)
            one = owners.setdefault(key, MemoryOwner(line, 0))
            one.bytes += storage.number
            if operation and operation not in one.operations:
                one.operations.append(operation)
        memory.owners = sorted((one for one in owners.values() if one.bytes), key=lambda one: -one.bytes)
        results = (self._storages.get(name) for name in torch_memory.results_of(self._graph))
        memory.kept = sum(one.number for one in {id(one): one for one in results if one is not None}.values())
        if memory.steps:
            memory.steps[-1].after = memory.kept  # the rest ends with the function
        peak = sum(storage.size for storage in self._at_peak)
        symbols = torch_memory.symbols_of(peak)
        if symbols:
            memory.formula = str(peak.expand())
            memory.sizes = {str(one): torch_memory.hint(self._graph, one) or 0 for one in symbols}
        return memory

    def _allocated(self, name: str, size: Any, origins: list[Any]) -> _Storage:
        number = torch_memory.hint(self._graph, size)
        if number is None:
            self._memory.notes.append(_DEPENDS.format(name))
            size = number = 0
        self._live += number
        self._is_after = False
        return _Storage(size, number, *_origin(origins))

    def _hold(self, name: str, storage: _Storage) -> None:
        self._storages[name] = storage
        storage.names.add(name)


def _origin(nodes: list[Any]) -> tuple[SourceLine | None, str]:
    """The line and the operation of the first of the nodes that has a line; else of the first."""
    for node in nodes:
        line = user_line_of(node)
        if line is not None:
            return line, operation_of(node)
    return None, operation_of(nodes[0]) if nodes else ""
