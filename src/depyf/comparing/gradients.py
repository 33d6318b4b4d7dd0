"""The gradients of Dynamo's graph as a whole, when its backward has run for the first time, and those of eager."""

from __future__ import annotations

import contextlib
import copy
from typing import Any, Callable, Sequence

from .evaluate import Cannot
from .findings import GraphVerdict
from .stages import FirstStages, Whole, leaves_of

__all__ = ["watch_gradients"]


def watch_gradients(stages: FirstStages, args: Sequence[Any], results: Any, contained: Callable[..., None]) -> None:
    """Compares them once they are there.

    Args:
        stages: the graph, whose first call has ended.
        args, results: of that call.
        contained: runs a function so that what fails costs verdicts.
    """
    import torch

    leaves = leaves_of(results)
    made = [at for at, one in enumerate(leaves) if isinstance(one, torch.Tensor) and one.requires_grad]
    nodes = {leaves[at].grad_fn for at in made}
    if stages.reason or len(nodes) != 1:
        return
    (node,) = nodes
    if node is None or "CompiledFunction" not in node.name():  # a view of what AOTAutograd returns
        return
    edges = [_edge(*one) for one in node.next_functions]
    wanted = [at for at, edge in enumerate(stages.edges) if edge is not None and edge in edges]
    if not wanted:
        return
    places = [edges.index(stages.edges[at]) for at in wanted]
    numbers = [leaves[at].output_nr for at in made]
    stages.keep(args)
    waiting = [stages]

    def ran(inputs: Any, outputs: Any) -> None:
        if waiting:
            given = dict(zip(made, (outputs[at] for at in numbers)))
            contained(_compare, waiting.pop(), wanted, [inputs[at] for at in places], given)

    node.register_hook(ran)


def _compare(stages: FirstStages, wanted: list[int], gradients: list[Any], given: dict[int, Any]) -> None:
    import torch

    verdict = GraphVerdict(f"{stages.name} gradients")
    stages.comparison.verdicts.append(verdict)
    with torch.enable_grad():
        try:
            whole = _Gradients(stages.module, stages.inputs, wanted, given)
            judged = dict(whole.judged(gradients))
        except (Cannot, RuntimeError, NotImplementedError) as reason:
            verdict.count("outputs", False, str(reason).partition("\n")[0])
            return
        for at, one in enumerate(whole.eager):
            if one is not None and gradients[at] is not None:
                verdict.count("outputs", True)
        wrong = next((at for at, one in judged.items() if one.wrong), None)
        for one in judged.values():
            if not one.wrong:
                verdict.met(one)
        if wrong is not None and not stages.comparison.findings:
            what = f"the gradient of input {wanted[wrong] + 1} of Dynamo's graph"
            stages.find(whole, what, [], judged[wrong], verdict)


def _edge(function: Any, number: int) -> Any:
    """What tells a gradient's destination: a leaf, or a result of an operation."""
    variable = getattr(function, "variable", None)
    return (id(function), number) if variable is None else id(variable)


class _Gradients(Whole):
    """A graph as a whole, with the gradients of its results.

    Args:
        wanted: the inputs whose gradients are asked for.
        given: the gradients of results, by their places; those that are not there are made up.
    """

    def __init__(self, module: Any, inputs: list[Any], wanted: list[int], given: dict[int, Any] | None) -> None:
        self._wanted, self._given = wanted, given
        super().__init__(module, inputs)

    def of(self, module: Any) -> Whole:
        """The same of a part of the graph."""
        return _Gradients(module, self.inputs, self._wanted, None)

    def run(self, function: Any, mode: Any = None) -> list[Any]:
        """The gradients of the inputs."""
        import torch

        inputs = self.copied(mode is not None)
        sources = [inputs[at].requires_grad_() for at in self._wanted]
        for at in self._wanted:
            inputs[at] = inputs[at].clone()  # may be written into
        numbers = torch.Generator().manual_seed(0)
        with mode or contextlib.nullcontext():
            leaves = leaves_of(function(*inputs))
            made = {at: one for at, one in enumerate(leaves) if isinstance(one, torch.Tensor) and one.requires_grad}
            given = self._given
            if given is None:
                given = {at: torch.randn(one.shape, generator=numbers, dtype=torch.float64) for at, one in made.items()}
            pairs = [(made[at], one.to(made[at].dtype)) for at, one in given.items() if one is not None and at in made]
            if not pairs:
                raise Cannot("no gradient is asked for")
            results, gradients = zip(*pairs)
            return list(torch.autograd.grad(results, sources, gradients, allow_unused=True))

    def compiled(self, backend: str) -> list[Any]:
        """The same of what a backend of torch makes of the graph."""
        import torch

        examples = self.copied(False)
        for at in self._wanted:
            examples[at].requires_grad_()
        return self.run(torch._dynamo.lookup_backend(backend)(copy.deepcopy(self.module), examples))
