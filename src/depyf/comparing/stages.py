"""Dynamo's graph as a whole, compiled and in eager, on copies of the inputs of its first call.

What AOTAutograd does wrong is in the graph before Inductor sees it. Where results or mutated inputs are farther off
than rounding explains, and no line is known to be wrong, torch's backends that stop half-way say where that begins.
"""

from __future__ import annotations

import copy
from typing import Any, Iterator, Sequence

from .evaluate import Cannot, same, wide_dtype
from .findings import Finding, NumericReport
from .rounding import Judgement, judge
from .zoom import copied, lines_of

__all__ = ["FirstStages"]

_STAGES = (("aot_eager", "AOTAutograd"), ("aot_eager_decomp_partition", "decompositions or the partitioner"))
"""torch's backends, from the one that does least, and what is to blame where its results are the first to be wrong."""


class FirstStages:
    """One graph of Dynamo's, called for the first time."""

    def __init__(self, module: Any, name: str, comparison: NumericReport) -> None:
        import torch

        self._module = torch.fx.GraphModule(module, copy.deepcopy(module.graph))  # passes change it in place
        self._name, self._comparison = name, comparison
        self._inputs: list[Any] = []

    def before(self, args: Sequence[Any]) -> None:
        """Keeps the inputs as they are."""
        self._inputs = [copied(one) for one in args]

    def after(self, args: Sequence[Any], results: Any) -> None:
        """Compares what the first call gave."""
        import torch

        if self._comparison.wrong or any(one.wrong for one in self._comparison.verdicts):
            return
        had_gradients = torch.is_grad_enabled()
        try:
            with torch.no_grad():
                self._compare(_tensors([results, args]))
        except Cannot as reason:
            self._comparison.notes.append(f"{self._name}: Dynamo's graph as a whole is not checked, because {reason}")
        finally:
            torch.set_grad_enabled(had_gradients)

    def _compare(self, compiled: list[Any]) -> None:
        import torch

        eager = self._run(self._module)
        floats = [one.dtype for one in [*self._inputs, *eager] if getattr(one, "is_floating_point", bool)()]
        eps = max([0.0, *(torch.finfo(dtype).eps for dtype in floats)])
        exact: dict[Any, list[Any]] = {}

        def evaluated(seed: int, scale: float) -> list[Any]:
            if (seed, scale) not in exact:
                exact[seed, scale] = self._run(self._module, _mode(seed, scale * eps))
            return exact[seed, scale]

        def wrong_among(values: list[Any]) -> Iterator[tuple[int, Judgement]]:
            for at, (value, one) in enumerate(zip(values, eager)):
                if value is not None and one is not None and value.shape == one.shape and not same(value, one):
                    samples = lambda scale, at=at: [evaluated(seed, scale)[at] for seed in (1, 2)]  # noqa: E731
                    found = judge(value, one, evaluated(0, 0.0)[at], samples, True)
                    if found.wrong:
                        yield at, found

        for at, judgement in wrong_among(compiled):
            blamed = (words for backend, words in _STAGES if any(wrong_among(self._of_backend(backend))))
            stage = next(blamed, "Inductor")
            output = next(node for node in self._module.graph.nodes if node.op == "output")
            nodes = [one for one in output.all_input_nodes if "example_value" in one.meta]
            lines = lines_of(nodes[at : at + 1])
            what = f"output {at + 1} of Dynamo's graph" if at < len(nodes) else "an input that it writes into"
            self._comparison.wrong.append(Finding.at(lines, stage, judgement, what, self._name))
            return

    def _run(self, function: Any, mode: Any = None) -> list[Any]:
        """The graph's results, and its inputs afterwards."""
        import torch

        inputs = [copied(one, mode is not None) for one in self._inputs]
        state = torch.random.get_rng_state()
        with mode or torch.no_grad():
            results = function(*inputs)
        if not torch.equal(state, torch.random.get_rng_state()):
            torch.random.set_rng_state(state)
            raise Cannot("it has random numbers")
        return _tensors([results, inputs])

    def _of_backend(self, backend: str) -> list[Any]:
        import torch

        return self._run(torch._dynamo.lookup_backend(backend)(copy.deepcopy(self._module), list(self._inputs)))


def _tensors(values: Any) -> list[Any]:
    import torch
    from torch.utils._pytree import tree_leaves

    return [one.detach() if isinstance(one, torch.Tensor) else None for one in tree_leaves(values)]


def _mode(seed: int, eps: float) -> Any:
    """A mode of the dispatcher in which operations are in fp64, their results rounded at random by `eps`."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_map

    numbers = torch.Generator().manual_seed(seed)

    def widened(value: Any) -> Any:
        if isinstance(value, torch.Tensor) and value.dtype.is_floating_point:
            return value.to(torch.float64)
        return wide_dtype(value) or value if isinstance(value, torch.dtype) else value

    class Mode(TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            result = func(*tree_map(widened, args), **tree_map(widened, kwargs or {}))
            is_view = any(argument.alias_info is not None for argument in func._schema.arguments)
            if not eps or is_view or not isinstance(result, torch.Tensor) or result.dtype != torch.float64:
                return result
            dice = torch.rand(result.shape, generator=numbers, dtype=torch.float64) - 0.5
            return result + result * eps * dice

    return Mode()
