"""Which line of the program computed another value first: what a call in eager did, beside Dynamo's graphs."""

from __future__ import annotations

import sys
import types
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Sequence

from ...explain.model import SourceLine
from ...owners import PYTHON, TORCH, package_of
from ..facts import dispatch_mode
from ..findings import line_at
from ..graphs.evaluate import as_integers

__all__ = ["Changes", "first_of_another_value", "operations_of", "recorded"]

_UNSEEN = ("aten::detach", "aten::alias")  # autograd's own


class TensorResult(NamedTuple):
    """What tells one tensor from another."""

    kind: tuple[Any, ...]  # its shape and dtype
    bits: int
    total: float  # its elements' sum, weighted
    rounding: float

    def is_near(self, other: TensorResult) -> bool:
        """Whether it may be the same, but for rounding."""
        a, b = self.total, other.total
        return self.kind == other.kind and (abs(a - b) <= self.rounding * max(abs(a), abs(b)) or a != a and b != b)


class RunOperation(NamedTuple):
    """One that was run: the program's line, its name, its results."""

    file: str
    line: int
    name: str
    results: tuple[TensorResult, ...]

    def is_near(self, other: RunOperation) -> bool:
        """Whether its results may be another's, but for what rounding made of the arguments."""
        both = zip(self.results, other.results)
        return len(self.results) == len(other.results) and all(one.is_near(another) for one, another in both)


def recorded(into: list[RunOperation]) -> Any:
    """A mode of the dispatcher that notes each operation whose results are tensors."""
    import torch
    from torch.utils._pytree import tree_leaves

    class NotingOperations(dispatch_mode()):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, kinds: Any, args: Any = (), kwargs: Any = None) -> Any:
            result = func(*args, **(kwargs or {}))
            values = [one.detach() for one in tree_leaves(result) if isinstance(one, torch.Tensor)]
            is_dense = all(one.layout == torch.strided and not one.is_quantized for one in values)
            if values and is_dense and func._schema.name not in _UNSEEN:
                file, line = _place()
                into.append(RunOperation(file, line, str(func), tuple(map(_result, values))))
            return result

    return NotingOperations()


def _result(value: Any) -> TensorResult:
    import torch

    value = torch.view_as_real(value.resolve_conj()) if value.is_complex() else value
    flat = value.contiguous().view(-1)
    weights = torch.arange(1, flat.numel() + 1)
    bits = int((as_integers(flat).to(torch.int64) * (weights * 0x9E3779B1)).sum())
    numbers = flat.to(torch.float64)
    size = float((numbers.square().sum() * (1 + weights.cos()).square().sum()).sqrt())
    total = size + float((numbers * (1 + weights.cos())).sum())
    rounding = torch.finfo(value.dtype).eps ** 0.5 if value.is_floating_point() else 0.0
    return TensorResult((*value.shape, str(value.dtype)), bits, total, rounding)


def _place() -> tuple[str, int]:
    """The innermost line that `_is_seen`."""
    frame: types.FrameType | None = sys._getframe(2)
    while frame is not None and not _is_seen(frame.f_code):
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno) if frame is not None else ("", 0)


def _is_seen(code: types.CodeType) -> bool:
    """Whether it is the program's or another package's: not torch's, Python's or ours."""
    return package_of(code.co_filename) not in (TORCH, PYTHON, "depyf")


def operations_of(module: Any, inputs: Sequence[Any]) -> list[tuple[Any, RunOperation]]:
    """The operations of a graph that is run in eager, with their nodes."""
    import torch

    found: list[tuple[Any, RunOperation]] = []
    heard: list[RunOperation] = []

    class NotingNodes(torch.fx.Interpreter):  # type: ignore[misc]
        def run_node(self, n: Any) -> Any:
            heard.clear()
            result = super().run_node(n)
            found.extend((n, one) for one in heard)
            return result

    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # as in the other process: sums are then in the same order
    try:
        with recorded(heard):
            NotingNodes(module).run(*inputs)
    finally:
        torch.set_num_threads(threads)
    return found


def first_of_another_value(
    graphs: Sequence[list[tuple[Any, RunOperation]]], eager: Iterable[RunOperation]
) -> tuple[Any, SourceLine | None]:
    """The first operation of a graph that eager did not do, or did with another result; else a line that eager ran.

    The inputs of graphs after the first come of compiled code: there rounding is allowed for.

    Returns:
        The node, None where the graphs have only what eager did; the line of the first operation that they lack.
    """
    left = list(eager)
    for at, operations in enumerate(graphs):
        for node, mine in operations:
            match = next((one for one in left if one[2:] == mine[2:]), None)
            match = match or next((one for one in left if at and one.name == mine.name and mine.is_near(one)), None)
            if match is None:
                passed = None if at else next((one for one in left if one.file), None)
                if passed is not None and passed.name != mine.name:  # before it eager does what the graph lacks
                    return None, line_at(passed.file, passed.line)
                return node, None
            left.remove(match)
    lacks = next((one for one in left if one.file), None)
    return None, None if lacks is None else line_at(lacks.file, lacks.line)


class Changes:
    """Where values change while a function runs: `sys.settrace(changes.trace)`.

    Args:
        code: the function's.
        paths: the expressions of the values.
        roots: gives the values that they begin with, by name.

    Attributes:
        last: the line that changed each of them last.
        returned: the line at which it ended.
    """

    def __init__(self, code: types.CodeType, paths: Iterable[str], roots: Callable[[], Mapping[str, Any]]) -> None:
        self._code, self._paths, self._roots = code, list(paths), roots
        self.last: dict[str, tuple[str, int, str]] = {}
        self.returned: tuple[str, int, str] | None = None
        self._before: tuple[str, int, str] | None = None
        self._values: Mapping[str, Any] = {}

    def begin(self) -> None:
        """Before the function runs."""
        self._values = self._now()

    def trace(self, frame: Any, event: str, argument: Any) -> Any:
        """For `sys.settrace`."""
        code = frame.f_code
        if not _is_seen(code):
            return None
        self.look()
        place = (code.co_filename, frame.f_lineno, code.co_name)
        self._before = place if event in ("line", "call") else self._before
        self.returned = place if event == "return" and code is self._code else self.returned
        return self.trace

    def look(self) -> None:
        """What has changed since the last line was changed by it."""
        now = self._now()
        for path in self._paths:
            if self._before and now.get(path) != self._values.get(path):
                self.last[path] = self._before
        self._values = now

    def _now(self) -> dict[str, Any]:
        found: dict[str, tuple[Any, ...]] = {}
        roots = self._roots()
        for path in self._paths:
            try:
                value = eval(path, {"__builtins__": {}}, dict(roots))
                found[path] = (id(value), getattr(value, "_version", None), repr(type(value)), _length(value))
            except Exception:  # it is not there yet
                continue
        return found


def _length(value: Any) -> int:
    return len(value) if isinstance(value, (list, dict, tuple, set, frozenset)) else -1
