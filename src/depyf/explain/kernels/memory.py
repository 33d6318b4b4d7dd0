"""The bytes that are live while each kernel of a graph runs and after it, the peak, and the lines that own it.

The wrapper that Inductor generated says in which order buffers are allocated, shared and freed; Inductor's graph, how
large they are and what they are the results of. With dynamic shapes sizes are those of the first call.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any, Iterable, Iterator

from ..graphs.capture import user_line_of
from ..kernel_costs import KernelCall, Memory, MemoryOwner
from ..model import SourceLine
from ..torch_facts.torch_memory import (
    calls_kernel,
    copies_in,
    current_graph,
    given_of,
    hint,
    origins_of,
    parts_of,
    shared_with,
    size_of,
    tells_donated,
)  # fmt: skip
from .provenance import operation_of

__all__ = ["functions_in", "kernel_calls", "memory_of"]

_GRADIENTS = "gradients of its results"
_NOT_TOLD = "inputs that only the graph holds are not counted, as torch before 2.6 does not tell them"


def functions_in(tree: ast.AST) -> list[ast.FunctionDef]:
    """The functions of a wrapper, methods too."""
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def kernel_calls(tree: ast.AST) -> list[KernelCall]:
    """The calls of kernels in a wrapper, each a statement of its own, in order; none in a wrapper in C++."""
    statements = [node for function in functions_in(tree) for node in ast.walk(function)]
    found = {node.lineno: _kernel(node) for node in statements if isinstance(node, (ast.Expr, ast.Assign))}
    return [KernelCall(kernel, place) for place, kernel in sorted(found.items()) if kernel]


def _kernel(statement: ast.stmt) -> str:
    """The kernel that a statement calls, "" if none."""
    name = _dotted(getattr(getattr(statement, "value", None), "func", None))
    return (name[:-4] if name.endswith(".run") else name) if calls_kernel(name) else ""


def _dotted(function: Any) -> str:
    """``a.b.c``, "" for another expression."""
    if isinstance(function, ast.Name):
        return function.id
    of = _dotted(function.value) if isinstance(function, ast.Attribute) else ""
    return of and f"{of}.{function.attr}"


def memory_of(tree: ast.AST, calls: list[KernelCall], copies: set[str]) -> Memory | None:
    """That of the graph whose wrapper Inductor has generated, and is about to load; its calls get theirs too.

    `copies` gets what the forward graph saves as copies of inputs, for the backward graph.
    """
    body = next((function.body for function in functions_in(tree) if function.name == "call"), None)
    if body is None:
        return None
    return _Walk(current_graph(), {call.place: call for call in calls}, copies).through(body)


def _is_partition(statement: ast.stmt) -> bool:
    """Whether it runs a part of the graph that is a CUDA graph: ``self.partitions[0](...)``."""
    return any(isinstance(node, ast.Attribute) and node.attr == "partitions" for node in ast.walk(statement))


@dataclass(eq=False)
class _Storage:
    """Memory: its bytes, an expression; those of the first call; the operation whose result is in it; its holders."""

    size: Any
    bytes: int
    line: SourceLine | None = None
    operation: str = ""
    holders: int = 0


class _Walk:
    """The memory of a graph while it runs."""

    def __init__(self, graph: Any, calls: dict[int, KernelCall], copies: set[str]) -> None:
        self._graph, self._calls, self._copies = graph, calls, copies
        self._held: dict[str, list[_Storage]] = {}  # by variable
        self._parts: dict[str, _Storage] = {}  # of tuples, by the name that they get
        self._live = 0
        self._last: KernelCall | None = None  # until something is allocated
        self._at_peak: list[tuple[_Storage, SourceLine | None, str]] = []  # later owners of a storage are others
        self._memory = Memory(notes=[] if tells_donated() else [_NOT_TOLD])
        shared: dict[Any, _Storage] = {}
        for name, node, size, key in given_of(graph, copies):
            if key not in shared:
                shared[key] = self._allocated(name, size, [] if node is None else [node])
                shared[key].operation = shared[key].operation or _GRADIENTS
            self._hold(name, [shared[key]])
        self._memory.given = self._live

    def through(self, body: list[ast.stmt]) -> Memory:
        """The statements of `call`, to the end."""
        self._run(body)
        memory = self._memory
        owners: dict[Any, MemoryOwner] = {}
        for storage, line, operation in self._at_peak:
            one = owners.setdefault(line and (line.filename, line.line), MemoryOwner(line, 0))
            one.bytes += storage.bytes
            one.operations += [operation] if operation and operation not in one.operations else []
        memory.owners = sorted((one for one in owners.values() if one.bytes), key=lambda one: -one.bytes)
        peak = sum(storage.size for storage, _, _ in self._at_peak)
        symbols = sorted(getattr(peak, "free_symbols", ()), key=str)
        if symbols:
            sizes = ", ".join(f"{one} = {hint(self._graph, one)}" for one in symbols)
            memory.formula = f"{peak.expand()} bytes with {sizes}"
        return memory

    def _run(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            call = self._calls.get(statement.lineno)
            if isinstance(statement, ast.Delete):
                self._free(target.id for target in statement.targets if isinstance(target, ast.Name))
            elif isinstance(statement, ast.Return) and statement.value is not None:
                self._end(statement.value)
            elif isinstance(statement, ast.With):
                self._run(statement.body)
            elif isinstance(statement, (ast.If, ast.For, ast.While)) or _is_partition(statement):
                self._memory.notes.append("branches, loops and parts that run as CUDA graphs are not counted")
            elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                self._assign(statement.targets[0].id, statement.value)
            if call is not None and _kernel(statement):
                self._call(call)
        self._memory.notes = list(dict.fromkeys(self._memory.notes))

    def _assign(self, name: str, value: ast.expr) -> None:
        """A buffer is allocated, or gets the memory of another, or is a part of a tuple."""
        buffer = self._graph.name_to_buffer.get(name)
        if buffer is None or name in self._held:
            return
        if isinstance(value, ast.Call) and getattr(value.func, "id", "") == "reinterpret_tensor":
            value = value.args[0]
        if name in self._parts:
            self._hold(name, [self._parts[name]])
        elif isinstance(value, ast.Name):
            self._hold(name, self._held.get(value.id, []))
            if not shared_with(buffer):
                for one in self._held[name]:
                    one.line, one.operation = _origin(origins_of(buffer))
        elif isinstance(value, ast.Call):
            parts = parts_of(buffer)
            made = [self._allocated(one.get_name(), size_of(one), origins_of(buffer)) for one in parts or [buffer]]
            self._parts.update((one.get_name(), storage) for one, storage in zip(parts, made))
            others = [held for other in shared_with(buffer) for held in self._held.get(other, [])]
            self._hold(name, made + others)

    def _allocated(self, name: str, size: Any, origins: list[Any]) -> _Storage:
        number = hint(self._graph, size)
        if number is None:
            self._memory.notes.append(f"{name} is not counted, as its size depends on data")
            size = number = 0
        self._live += number
        self._last = self._last if number == 0 else None
        return _Storage(size, number, *_origin(origins))

    def _hold(self, name: str, storages: list[_Storage]) -> None:
        self._held[name] = storages
        for one in storages:
            one.holders += 1

    def _free(self, names: Iterable[str]) -> None:
        for one in [one for name in names for one in self._held.pop(name, [])]:
            one.holders -= 1
            self._live -= 0 if one.holders else one.bytes
        if self._last is not None:
            self._last.after = self._live

    def _call(self, call: KernelCall) -> None:
        self._last, call.during, call.after = call, self._live, self._live
        if self._live > self._memory.peak:
            self._memory.peak, self._memory.at = self._live, call.kernel
            self._at_peak = [(one, one.line, one.operation) for one in self._storages(self._held)]

    def _end(self, value: ast.expr) -> None:
        results = [list(self._storages(node.id for node in ast.walk(one) if isinstance(node, ast.Name)))
                   for one in getattr(value, "elts", ())]  # fmt: skip
        self._memory.kept = self._live = sum(one.bytes for one in {one: None for held in results for one in held})
        self._copies |= copies_in(self._graph, [bool(held) for held in results])
        self._free(())  # the rest ends with the function

    def _storages(self, names: Iterable[str]) -> Iterator[_Storage]:
        return iter(dict.fromkeys(one for name in names for one in self._held.get(name, [])))


def _origin(nodes: list[Any]) -> tuple[SourceLine | None, str]:
    """The line and the operation of the first of the nodes that has a line; else of the first."""
    lines = [(user_line_of(node), node) for node in nodes]
    line, node = next((one for one in lines if one[0] is not None), lines[0] if lines else (None, None))
    return line, operation_of(node) if node is not None else ""
