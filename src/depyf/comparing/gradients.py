"""The gradients of the first call of Dynamo's graph, and of later calls that are compared, as a whole and in eager.

A hook on the call's own autograd node has them: another call's backward may run first.
"""

from __future__ import annotations

import contextlib
import copy
import ctypes
import functools
import math
from typing import AbstractSet, Any, Callable, Mapping, Sequence

from .calls.first_calls import FirstCalls
from .facts import is_autograd_compiled
from .findings import GraphVerdict
from .graphs.evaluate import Cannot
from .rounding import CONSTANTS, Judgement, of_a_whole, settled
from .stages import FirstStages, Whole, call, copies, dense, leaves_of

__all__ = ["Gradients", "return_freed_memory"]

_TRIMMED = 1 << 26  # bytes


class Gradients:
    """The calls of Dynamo's graphs whose gradients are compared when the autograd node that they made has run.

    Args:
        calls: those of whole functions, whose gradients are compared as well.
        contained: runs a function so that what fails costs verdicts.
    """

    def __init__(self, calls: FirstCalls, contained: Callable[..., Any]) -> None:
        self._calls, self._contained = calls, contained
        self._later: dict[str, GraphVerdict] = {}

    def called(self, stages: FirstStages, args: Sequence[Any], results: Any, every: int = 0) -> None:
        """A graph has been called.

        Args:
            every: the number of calls, if it is not the first.
        """
        import torch

        leaves = leaves_of(results)
        made = [at for at, one in enumerate(leaves) if getattr(one, "requires_grad", False)]
        ids = list(map(id, args))
        wanted = [at for at, needs in enumerate(stages.need_gradients) if needs and ids.count(ids[at]) == 1]
        if not made or not wanted or is_autograd_compiled():
            return
        is_told = every and any(one.compile_id == stages.name for one in stages.comparison.findings)
        if is_told:
            return
        verdict = self._verdict(f"{stages.name} gradients", every)
        nodes = {leaves[at].grad_fn for at in made if id(leaves[at]) not in ids}
        if len(nodes) != 1 or None in nodes:
            verdict.count("outputs", False, "its results are views")
            stages.comparison.add(verdict)
            return
        (node,) = nodes
        outputs = {at: leaves[at].output_nr for at in made if leaves[at].grad_fn is node}
        zeros = [functools.partial(torch.zeros, leaves[at].shape, dtype=leaves[at].dtype, device=leaves[at].device)
                 for at in outputs]  # fmt: skip
        places = dict(zip(wanted, _places(node, [args[at] for at in wanted])))
        if not stages.reason:
            stages.keep(args)
        if not every:
            stages.made = [id(leaves[at]) for at in outputs]
        handles: list[Any] = []
        hook = functools.partial(self._contained, self._ran, handles, stages, verdict, outputs, zeros, places)
        handles.append(node.register_hook(hook))

    def _ran(
        self, handles: list[Any], stages: FirstStages, verdict: GraphVerdict, outputs: dict[int, int],
        zeros: Sequence[Callable[[], Any]], places: dict[int, int], mine: Sequence[Any], incoming: Sequence[Any],
    ) -> None:  # fmt: skip
        """The node has run: its gradients, and those that came in.

        Args:
            handles: of this hook.
            outputs: by the places of the graph's results, those of the node's.
            zeros: make a gradient for those to which none has come.
            places: by those of the graph's inputs, those of the node's gradients.
        """
        handles.pop().remove()
        if any(one is not None for at, one in enumerate(incoming) if at not in outputs.values()):
            verdict.count("outputs", False, "gradients come in for what it writes into or for views of its results")
            stages.comparison.add(verdict)
            return
        came = {at: incoming[one] for at, one in outputs.items()}
        given = {at: made() if one is None else dense(one.detach()) for (at, one), made in zip(came.items(), zeros)}
        gradients = {at: dense(mine[place]) for at, place in places.items() if place >= 0}
        for _ in range(len(places) - len(gradients)):
            verdict.count("outputs", False, "it is no input of the autograd node")
        try:
            if not stages.reason:
                stages.comparison.add(verdict)
                _compare(stages, gradients, given, verdict)
        finally:
            self._calls.ran_backward(stages, list(given.values()), gradients)

    def _verdict(self, name: str, every: int) -> GraphVerdict:
        if not every:
            return GraphVerdict(name)
        return self._later.setdefault(name, GraphVerdict.of_later_calls(name, every))


def _places(node: Any, inputs: Sequence[Any]) -> list[int]:
    """Which of an autograd node's gradients are those of some inputs; -1 where that is not known."""
    targets = [(getattr(one, "variable", one), at) for one, at in node.next_functions]
    places = []
    for one in inputs:
        key = (one, 0) if one.is_leaf else (one.grad_fn, one.output_nr)
        found = [at for at, (target, number) in enumerate(targets) if target is key[0] and number == key[1]]
        places.append(found[0] if len(found) == 1 else -1)
    return places


def _compare(
    stages: FirstStages, found: Mapping[int, Any], given: dict[int, Any], verdict: GraphVerdict
) -> None:  # fmt: skip
    import torch

    wanted, gradients = list(found), list(found.values())
    with torch.enable_grad(), stages.autocast():
        try:
            whole = _Backward(stages.module, stages.inputs, stages.parameters, wanted, given, gradients)
            gradients = [torch.zeros_like(eager) if one is None and eager is not None else one
                         for one, eager in zip(gradients, whole.eager)]  # fmt: skip
            judged = {at: of_a_whole(one) for at, one in whole.judged(gradients)}
        except (Cannot, RuntimeError, NotImplementedError) as reason:
            verdict.count("outputs", False, str(reason).partition("\n")[0])
            return
        for one in whole.eager:
            if one is not None:
                verdict.count("outputs", True)
        wrong = next((at for at, one in judged.items() if one.wrong), None)
        for one in judged.values():
            if not one.wrong:
                verdict.met(one)
        if whole.has_near:
            verdict.met(Judgement(differs=True, near=True))
        if wrong is not None and stages.is_told():
            verdict.told += 1
        elif wrong is not None:
            what = f"the gradient of input {wanted[wrong] + 1} of Dynamo's graph"
            inputs = [node for node in stages.module.graph.nodes if node.op == "placeholder"]
            stages.find(whole, what, list(inputs[wanted[wrong]].users), judged[wrong], verdict)


def return_freed_memory() -> None:
    """To the system, where the C library can: it keeps that of small tensors, and large ones can't use it."""
    with contextlib.suppress(AttributeError, OSError, TypeError):  # the last on Windows
        ctypes.CDLL(None).malloc_trim(0)


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
        self._untrimmed = 0  # bytes of gradients that were given up
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
        self._untrimmed += gradient.nbytes
        if self._untrimmed > _TRIMMED:
            self._untrimmed = 0
            return_freed_memory()
        return mine

    def compiled(self, backend: str) -> list[Any]:
        """The same of what a backend of torch makes of the graph."""
        import torch

        examples = self.copied(False)
        for at in self._wanted:
            examples[at].requires_grad_()
        return self.run(torch._dynamo.lookup_backend(backend)(copy.deepcopy(self.module), examples))
