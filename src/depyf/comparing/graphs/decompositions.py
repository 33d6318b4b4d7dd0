"""Each operator that is decomposed, against its decomposition, both in fp64, on random inputs of its shapes.

Each signature is checked once, and what is wrong is told at each line: that of the operator when it was traced.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ...explain.containment import logger
from ...explain.graphs.capture import lines_of_trace
from ..findings import Finding, NumericReport
from ..rounding import Judgement, apart
from .evaluable import number_of, why_not
from .evaluate import alone
from .graph_copies import random_like

__all__ = ["Decompositions"]

_MOST_ELEMENTS = 1 << 22
_TOLERANCE = 1e-5  # relative, rms: constants of decompositions are those of fp32 at worst
_LIMITS = ("empty", "new_empty", "resize", "_unsafe", "bernoulli", "dropout", "rand", "normal", "uniform")


@dataclass
class _Tensor:
    """A tensor among the arguments: only what it is like."""

    shape: tuple[int, ...]
    dtype: Any


class _Operation:
    """Enough of a node for `why_not`."""

    op = "call_function"

    def __init__(self, target: Any, args: Any, kwargs: Any) -> None:
        self.target, self.args, self.kwargs = target, args, kwargs


class Decompositions:
    """Hears of what is decomposed while a graph is traced; checks it when the graph is called first."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[Any, str], tuple[Any, Any, Any, Any]] = {}  # by signatures and stacks
        self._known: dict[Any, Judgement | None] = {}  # what is wrong, by signatures
        self._large: set[str] = set()

    def hear(self, op: Any, function: Any, args: Any, kwargs: Any, result: Any) -> None:
        """An operator was decomposed by `function`."""
        import torch
        from torch.utils._pytree import tree_leaves, tree_map

        trace = torch.fx.traceback.get_current_meta().get("stack_trace") or ""
        if not trace or why_not(_Operation(op, args, kwargs)) or any(word in str(op) for word in _LIMITS):
            return
        args, kwargs, result = tree_map(_plain, (args, dict(kwargs), result))
        shapes = [one.shape for one in tree_leaves((args, kwargs, result)) if isinstance(one, _Tensor)]
        if any(None in shape or 0 in shape for shape in shapes):  # a size that depends on data; means of nothing
            return
        if any(math.prod(shape) > _MOST_ELEMENTS for shape in shapes):
            self._large.add(str(op))
            return
        key = (op, repr(args), repr(kwargs))
        if key not in self._known or self._known[key] is not None:
            self._waiting[key, trace] = op, function, args, kwargs

    def check(self, comparison: NumericReport, graph: str) -> None:
        """Checks what was heard of."""
        waiting, self._waiting = self._waiting, {}
        if self._large:
            names, self._large = ", ".join(sorted(self._large)), set()
            comparison.notes.append(f"{graph}: decompositions of tensors of more than {_MOST_ELEMENTS:,} elements are "
                                    f"not checked: {names}")  # fmt: skip
        told: dict[Any, Finding] = {}
        for (key, trace), operation in waiting.items():
            if key not in self._known:
                self._known[key] = self._checked(graph, *operation)
            wrong = self._known[key]
            if wrong is not None:
                found = Finding.at(lines_of_trace(trace)[-1:], "decomposition", wrong, str(operation[0]), graph)
                told.setdefault((found.file, found.line, found.operation), found)
        comparison.wrong += told.values()

    def _checked(self, graph: str, op: Any, function: Any, args: Any, kwargs: Any) -> Judgement | None:
        with alone():
            try:
                return self._differ(op, function, args, kwargs)
            except Exception as error:  # random numbers are no valid arguments for it
                logger.debug("%s: the decomposition of %s is not checked: %r", graph, op, error)
                return None

    @staticmethod
    def _differ(op: Any, function: Any, args: Any, kwargs: Any) -> Judgement | None:
        import torch
        from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten

        leaves, spec = tree_flatten((args, kwargs))
        tensors = [one for one in leaves if isinstance(one, _Tensor)]
        floats = [one for one in tensors if one.dtype.is_floating_point]
        least = min([2, *(size for one in floats for size in one.shape)])
        made = [_random(one, at, least) if isinstance(one, _Tensor) else one for at, one in enumerate(leaves)]

        def called(one: Any) -> Any:
            copies = [value.clone() if isinstance(value, torch.Tensor) else value for value in made]
            own_args, own_kwargs = tree_unflatten(copies, spec)
            return tree_leaves(one(*own_args, **own_kwargs))

        for a, b in zip(called(function), called(op)):
            if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor) and a.shape == b.shape:
                wrong = apart(a, b, _TOLERANCE)
                if wrong is not None:
                    return wrong
        return None


def _plain(value: Any) -> Any:
    import torch

    if isinstance(value, torch.Tensor):
        dtype = value.dtype
        return _Tensor(tuple(map(number_of, value.shape)),
                       torch.float64 if dtype.is_floating_point else dtype)  # fmt: skip
    if isinstance(value, torch.dtype):
        return torch.float64 if value.is_floating_point else value
    return number_of(value)


def _random(like: _Tensor, seed: int, least: int) -> Any:
    import torch

    numbers = torch.Generator().manual_seed(seed)
    if like.dtype.is_floating_point or like.dtype.is_complex:
        return random_like(like, numbers, torch.randn)
    if like.dtype == torch.bool:
        return torch.rand(like.shape, generator=numbers) < 0.5
    return torch.randint(0, max(1, least), like.shape, generator=numbers, dtype=like.dtype)
