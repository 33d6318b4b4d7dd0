"""The gradients of Dynamo's graph as a whole, when its backward has run for the first time, and those of eager."""

from __future__ import annotations

import copy
import functools
import math
from typing import AbstractSet, Any, Sequence

from .evaluate import Cannot
from .findings import GraphVerdict
from .first_calls import FirstCalls
from .rounding import CONSTANTS, Judgement, of_a_whole, settled
from .stages import FirstStages, Whole, call, copies, dense, leaves_of

__all__ = ["Gradients"]


class Gradients:
    """Graphs of Dynamo's whose first call has ended, until their backward runs."""

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[FirstStages, list[int], list[int]]] = {}

    def called(self, stages: FirstStages, args: Sequence[Any], results: Any) -> None:
        """The first call of a graph has ended."""
        import torch

        leaves = leaves_of(results)
        made = [at for at, one in enumerate(leaves) if isinstance(one, torch.Tensor) and one.requires_grad]
        wanted = [at for at, needs in enumerate(stages.need_gradients) if needs]
        stages.made = [id(leaves[at]) for at in made]
        if made and wanted:
            if not stages.reason:
                stages.keep(args)
            self._waiting[stages.name] = (stages, made, wanted)

    def ran(self, name: str, given: list[Any], results: Sequence[Any], calls: FirstCalls) -> None:
        """The backward of a graph has run for the first time.

        Args:
            name: of the compilation, ``0/0``.
            given: the gradients of the results.
            results: the gradients of all inputs.
            calls: those that wait for it as well.
        """
        if name not in self._waiting:
            return
        stages, made, wanted = self._waiting.pop(name)
        if len(given) != len(made) or len(results) != len(stages.need_gradients):  # there are writes, or doubles
            return
        gradients = [dense(results[at]) for at in wanted]
        if not stages.reason:
            _compare(stages, wanted, gradients, dict(zip(made, given)))
        calls.ran_backward(name, given, dict(zip(wanted, gradients)))


def _compare(stages: FirstStages, wanted: list[int], gradients: list[Any], given: dict[int, Any]) -> None:
    import torch

    verdict = GraphVerdict(f"{stages.name} gradients")
    stages.comparison.verdicts.append(verdict)
    with torch.enable_grad():
        try:
            whole = _Backward(stages.module, stages.inputs, stages.parameters, wanted, given, gradients)
            judged = {at: of_a_whole(one) for at, one in whole.judged(gradients)}
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
        if whole.has_near:
            verdict.met(Judgement(differs=True, near=True))
        if wrong is not None and not stages.comparison.findings:
            what = f"the gradient of input {wanted[wrong] + 1} of Dynamo's graph"
            stages.find(whole, what, [], judged[wrong], verdict)


class _Backward(Whole):
    """A graph as a whole, with the gradients of its results.

    Args:
        wanted: the inputs whose gradients are asked for.
        given: the gradients of results, by their places; those that are not there are made up.
        mine: the program's own gradients: eager's that are near to them are given up at once, to save memory.
    """

    near = (CONSTANTS["whole"], math.inf)

    def __init__(
        self, module: Any, inputs: list[Any], shared: AbstractSet[int], wanted: list[int], given: dict[int, Any] | None,
        mine: list[Any] | None = None,
    ) -> None:  # fmt: skip
        self._wanted, self._given, self._mine = wanted, given, mine
        self.has_near = False
        super().__init__(module, inputs, shared)
        self._mine = None

    def of(self, module: Any) -> Whole:
        """The same of a part of the graph."""
        return _Backward(module, self.inputs, self.shared, self._wanted, None)

    def copied(self, wide: bool) -> list[Any]:
        """All of them: a gradient has its input's dtype."""
        return copies(self.inputs, wide)

    def results(self, function: Any, inputs: list[Any], is_wide: bool) -> list[Any]:
        """The gradients of the inputs."""
        import torch

        sources = [inputs[at].requires_grad_() for at in self._wanted]
        if self._mine is not None:
            for source, mine in zip(sources, self._mine):
                source.register_hook(functools.partial(self._program_s_if_near, mine))
        for at in set(self._wanted) - self.shared:
            inputs[at] = inputs[at].clone()  # may be written into
        numbers = torch.Generator().manual_seed(0)
        leaves = leaves_of(call(function, inputs, is_wide))
        made = {at: one for at, one in enumerate(leaves) if isinstance(one, torch.Tensor) and one.requires_grad}
        given = self._given
        if given is None:
            given = {at: torch.randn(one.shape, generator=numbers, dtype=torch.float64) for at, one in made.items()}
        pairs = [(made[at], one.to(made[at].dtype)) for at, one in given.items() if one is not None and at in made]
        if not pairs:
            raise Cannot("no gradient is asked for")
        results, gradients = zip(*pairs)
        return list(map(dense, torch.autograd.grad(results, sources, gradients, allow_unused=True)))

    def _program_s_if_near(self, mine: Any, gradient: Any) -> Any:
        if mine is None or gradient.is_sparse or mine.shape != gradient.shape or mine.dtype != gradient.dtype:
            return None
        found = settled(mine, gradient, *self.near)
        if found is None:
            return None
        self.has_near |= found.near
        return mine

    def compiled(self, backend: str) -> list[Any]:
        """The same of what a backend of torch makes of the graph."""
        import torch

        examples = self.copied(False)
        for at in self._wanted:
            examples[at].requires_grad_()
        return self.run(torch._dynamo.lookup_backend(backend)(copy.deepcopy(self.module), examples))
