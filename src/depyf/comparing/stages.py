"""Dynamo's graph as a whole, compiled and in eager, on copies of the inputs of its first call.

What AOTAutograd does wrong is in the graph before Inductor sees it. Where results or mutated inputs are farther off
than rounding explains, and no line is known to be wrong, torch's backends that stop half-way say where that begins.
"""

from __future__ import annotations

import contextlib
import copy
from typing import AbstractSet, Any, Callable, Iterable, Iterator, Sequence

from ..explain.containment import logger
from .facts import autocast_now, dispatch_mode
from .findings import Finding, GraphVerdict, NumericReport
from .graphs.evaluable import written_arguments
from .graphs.evaluate import Cannot, of_rounding, units_of, wide_dtype
from .graphs.zoom import copied, lines_of, memory_of
from .rounding import CONSTANTS, Judgement, judge, random_numbers, same, settled

__all__ = ["FirstStages", "Whole", "call", "copies", "dense", "is_of_higher_order", "leaves_of", "version_of",
           "widening", "without_random_numbers"]  # fmt: skip

_STAGES = (("aot_eager", "AOTAutograd"), ("aot_eager_decomp_partition", "decompositions or the partitioner"),
           ("inductor", "Inductor"))  # fmt: skip
"""torch's backends, from the one that does least, and what is to blame where its results are the first to be wrong."""

_WRITES = ("setitem", "iadd", "isub", "imul", "itruediv", "ipow")


class FirstStages:
    """One graph of Dynamo's, called for the first time.

    Args:
        is_all: nothing else is compared with this torch, so the graph gets its verdict here.
    """

    def __init__(self, module: Any, name: str, comparison: NumericReport, is_all: bool) -> None:
        import torch

        self.module = _silent(torch.fx.GraphModule(module, copy.deepcopy(module.graph)))  # passes change it in place
        self.name, self.comparison, self._is_all = name, comparison, is_all
        self.inputs: list[Any] = []
        self.reason = ""  # why it is not checked
        self.raised = ""  # the stage whose code raised an exception
        self.need_gradients: list[bool] = []  # the inputs
        self.identities: list[int] = []  # of the inputs
        self.made: list[int] = []  # identities of the results that have gradients
        self._versions: list[int] = []
        self.autocast: Callable[[], Any] = contextlib.nullcontext  # as it is in the call
        self._known: set[int] = set()  # findings that were there before
        self.parameters: set[int] = set()  # inputs that nothing may write into

    def before(self, args: Sequence[Any]) -> None:
        """Keeps the inputs as they are."""
        import torch

        self._keep_what_is_written()
        self._known = set(map(id, self.comparison.findings))
        self.autocast = autocast_now()
        self.identities = list(map(id, args))
        self.need_gradients = [getattr(one, "requires_grad", False) for one in args]
        self._versions = [version_of(one) for one in args]
        if any(node.op == "call_function" and is_of_higher_order(node.target) for node in self.module.graph.nodes):
            self.reason = "it has a higher-order operator"
            return
        if torch.is_grad_enabled():
            leaves = {at for at, one in enumerate(args) if self.need_gradients[at] and one.is_leaf}
            others = [one for at, one in enumerate(args) if at not in leaves and isinstance(one, torch.Tensor)]
            memory = set(map(memory_of, others))
            self.parameters = {at for at in leaves if memory_of(args[at]) not in memory}
        try:
            self.inputs = copies(args, shared=self.parameters)
        except Cannot as reason:
            self.reason = str(reason)

    def _keep_what_is_written(self) -> None:
        """The graph of an optimizer's step has the parameters as attributes, and writes into them."""
        for node in self.module.graph.nodes:
            if node.op == "get_attr" and any(map(_may_write, node.users)):
                for held in (self.module._parameters, self.module._buffers):
                    if held.get(node.target) is not None:
                        held[node.target] = copied(held[node.target])

    def keep(self, args: Sequence[Any]) -> None:
        """The inputs are needed until the backward has run: those that the call did not write into without a copy."""
        for at, one in enumerate(args):
            if self._versions[at] >= 0 and self._versions[at] == version_of(one):
                self.inputs[at] = one.detach()

    def after(self, args: Sequence[Any], results: Any) -> None:
        """Compares what the first call gave."""
        import torch

        if not self._is_all and self.is_told():
            return
        had_gradients = torch.is_grad_enabled()  # kept: transforms of functions in the graph ask for it
        try:
            if any(version_of(args[at]) != self._versions[at] for at in self.parameters):
                self.reason = self.reason or "it writes into a parameter"
            if self.reason:
                raise Cannot(self.reason)
            self._compare(_tensors([results, args]), len(_tensors(results)))
        except Cannot as reason:
            self.comparison.notes.append(f"{self.name}: Dynamo's graph as a whole is not checked, because {reason}")
        finally:
            torch.set_grad_enabled(had_gradients)

    def is_told(self) -> bool:
        """Whether something was found since the call began that may be why the graph is wrong as a whole."""
        return any(one.compile_id == self.name or one in self.comparison.wrong
                   for one in self.comparison.since(self._known))  # fmt: skip

    def _compare(self, compiled: list[Any], outputs: int) -> None:
        try:
            whole = Whole(self.module, self.inputs, self.parameters)
        except NotImplementedError as error:  # an operator that eager has not in this precision
            raise Cannot(f"eager cannot run it: {error}") from None
        if self._is_all:
            judged = list(whole.judged(compiled))
            self.comparison.verdicts.append(whole.verdict(self.name, judged, outputs))
            found = _first_wrong(judged)
        else:
            found = whole.first_wrong(compiled)
        if found is None or self.is_told():
            return
        at, judgement = found
        nodes = [one for one in self._output().all_input_nodes if "example_value" in one.meta]
        what = f"output {at + 1} of Dynamo's graph" if at < len(nodes) else "an input that it writes into"
        self.find(whole, what, nodes[at : at + 1], judgement, None)

    def _output(self) -> Any:
        return next(node for node in self.module.graph.nodes if node.op == "output")

    def find(
        self, whole: Whole, what: str, nodes: list[Any], judgement: Judgement, verdict: GraphVerdict | None
    ) -> None:
        """A finding for what is wrong as a whole: the stage, and the line where it is known.

        Args:
            what: in words.
            nodes: operations that may be the ones.
            verdict: gets the finding; the graph's or, where it has none, the comparison if it is None.
        """
        calls = [node for node in self.module.graph.nodes if node.op not in ("placeholder", "output")]
        cause, stage = None, "Dynamo"  # which runs a graph that is right for another call
        for backend, name in _STAGES:
            if whole.first_wrong(whole.compiled(backend)):
                cause, stage = self._cause(whole, calls, backend), name
                break
        if cause is not None:
            name = str(getattr(cause.target, "__name__", cause.target))
            nodes, what = [cause], f"the gradient of {name}" if verdict is not None else name
        verdicts = self.comparison.verdicts if stage == "Inductor" else []
        own = [one for one in verdicts if one.graph.partition(" ")[0] == self.name]
        place = verdict or (own[-1] if own else self.comparison)  # names begin anew when Dynamo is reset
        graph = self.name if verdict is None else verdict.graph
        place.wrong.append(Finding.at(lines_of(nodes), stage, judgement, what, graph))

    def _cause(self, whole: Whole, calls: list[Any], backend: str) -> Any:
        """The operation with which a backend's graph is wrong, and before which it is right; None if unknown."""
        right, wrong = 0, len(calls)
        while wrong - right > 1:
            middle = (right + wrong) // 2
            try:
                part = whole.of(self._until(calls[middle - 1]))
                found = part.first_wrong(part.compiled(backend))
            except Exception as error:  # a part may return what a whole may not: symbols, views of its inputs
                logger.debug("%s: a part of the graph is not compared: %r", self.name, error)
                return None
            right, wrong = (right, middle) if found is not None else (middle, wrong)
        return calls[right] if len(calls) > 1 else None

    def _until(self, last: Any) -> Any:
        """A module of the operations until one, which returns what is used later."""
        import torch

        graph = torch.fx.Graph()
        known: dict[Any, Any] = {}
        for node in self.module.graph.nodes:
            known[node] = graph.node_copy(node, known.__getitem__)
            if node is last:
                break
        live = [one for one in known if one.op != "placeholder" and (one is last or set(one.users) - set(known))]
        graph.output(tuple(known[one] for one in live))
        return _silent(torch.fx.GraphModule(self.module, graph))


class Whole:
    """A graph as a whole, and the inputs of a call.

    Args:
        shared: places of inputs that are the program's own: they are copied only if the graph writes into them.
    """

    near = (CONSTANTS["floor"], CONSTANTS["floor"])
    """Units in the last place by which a result may be off, as in `settled`."""

    def __init__(self, module: Any, inputs: list[Any], shared: AbstractSet[int]) -> None:
        self.module, self.inputs, self.shared = module, inputs, shared
        self._evaluated: dict[Any, list[Any]] = {}
        self.eager = self.run(module)

    def of(self, module: Any) -> Whole:
        """The same of a part of the graph."""
        return Whole(module, self.inputs, self.shared)

    def copied(self, wide: bool) -> list[Any]:
        """The inputs, for one more run. `widening` takes what is shared in fp64 an operation at a time."""
        return copies(self.inputs, wide, self.shared if wide else frozenset())

    def first_wrong(self, values: list[Any]) -> tuple[int, Judgement] | None:
        """The first of the results and inputs that is farther from fp64 than rounding explains."""
        return _first_wrong(self.judged(values))

    def verdict(self, name: str, judged: list[tuple[int, Judgement]], outputs: int) -> GraphVerdict:
        """What is said of the graph, some of whose results are `outputs`; the rest are its inputs afterwards."""
        verdict = GraphVerdict(name)
        for at, one in enumerate(self.eager):
            if at < outputs:
                verdict.count("outputs", one is not None, "it is no tensor")
            elif one is not None and not same(one, self.inputs[at - outputs]):
                verdict.count("mutations", True)
        for _, judgement in judged:
            if not judgement.wrong:
                verdict.met(judgement)
        return verdict

    def judged(self, values: list[Any]) -> Iterator[tuple[int, Judgement]]:
        """What isn't eager's value bit for bit, by its place."""
        for at, (value, one) in enumerate(zip(values, self.eager)):
            if value is not None and one is not None and value.shape == one.shape:
                found = settled(value, one, *self.near)
                if found is None:
                    samples = lambda scale, at=at: [self._exact(seed, scale)[at] for seed in (1, 2)]  # noqa: E731
                    found = judge(value, one, self._exact(0, 0.0)[at], samples, True)
                if found.differs:
                    yield at, found

    def _exact(self, seed: int, scale: float) -> list[Any]:
        import torch

        if (seed, scale) not in self._evaluated:
            dtypes = [one.dtype for one in [*self.inputs, *self.eager] if getattr(one, "is_floating_point", bool)()]
            eps = max([0.0, *(torch.finfo(dtype).eps for dtype in dtypes)])
            try:
                self._evaluated[seed, scale] = self.run(self.module, widening(seed, scale * eps))
            except (RuntimeError, NotImplementedError) as error:
                if self.shared:  # `conv2d` compares its arguments' precisions before the mode sees it
                    self.shared = set()
                    return self._exact(seed, scale)
                raise Cannot(f"an operator has no fp64: {str(error).partition(chr(10))[0]}") from None
        return self._evaluated[seed, scale]

    def run(self, function: Any, mode: Any = None) -> list[Any]:
        """The graph's results, and its inputs afterwards."""
        if function is self.module and mode is None and self.shared:
            try:
                with _unwritten([self.inputs[at] for at in self.shared]), without_random_numbers():
                    return _tensors(self.results(function, copies(self.inputs, shared=self.shared), False))
            except _Written:
                self.shared = set()
        inputs = self.copied(mode is not None)  # before the mode, which would make fp64 of what is shared
        with mode or contextlib.nullcontext(), without_random_numbers():
            results = self.results(function, inputs, mode is not None)
        return _tensors(results)

    def results(self, function: Any, inputs: list[Any], is_wide: bool) -> list[Any]:
        """What `run` returns the tensors of, of inputs that may be written into unless they are shared."""
        return [call(function, inputs, is_wide), inputs]

    def compiled(self, backend: str) -> list[Any]:
        """The same of what a backend of torch makes of the graph."""
        import torch

        return self.run(torch._dynamo.lookup_backend(backend)(copy.deepcopy(self.module), list(self.inputs)))


def _first_wrong(judged: Iterable[tuple[int, Judgement]]) -> tuple[int, Judgement] | None:
    return next(((at, found) for at, found in judged if found.wrong), None)


def is_of_higher_order(target: Any) -> bool:
    """Whether it runs graphs that it is given, which no mode of the dispatcher sees; checkpoints only call them."""
    import torch

    return isinstance(target, torch._ops.HigherOrderOperator) and "checkpoint" not in target.name()


def _silent(module: Any) -> Any:
    """The graph, which prints nothing when a call of it fails: we try what may fail."""
    import torch

    type(module).__call__ = torch.nn.Module.__call__
    return module


def _may_write(node: Any) -> bool:
    """Whether an operation of Dynamo's graph has the name of one that writes into its arguments."""
    name = str(getattr(node.target, "__name__", node.target))
    return name.endswith("_") or name in _WRITES


@contextlib.contextmanager
def without_random_numbers() -> Iterator[None]:
    """What draws any can't be compared, and the program is to draw its own.

    Raises:
        Cannot: some were drawn.
    """
    import torch

    state = torch.random.get_rng_state()
    try:
        yield
    finally:
        drawn = not torch.equal(state, torch.random.get_rng_state())
        torch.random.set_rng_state(state)
    if drawn:
        raise Cannot("it has random numbers")


class _Written(Exception):
    """A graph writes into what it shares with the program."""


def _unwritten(values: Iterable[Any]) -> Any:
    """A mode of the dispatcher in which an operation that would write into some tensors raises `_Written`."""
    memory = set(map(memory_of, values))

    class Unwritten(dispatch_mode()):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            kwargs = kwargs or {}
            if any(memory_of(one) in memory for one in _written(func, args, kwargs)):
                raise _Written
            return func(*args, **kwargs)

    return Unwritten()


def call(function: Any, inputs: Sequence[Any], wide: bool = False) -> Any:
    """Calls a graph with copies of what it has as attributes: parameters of an optimizer's step are the program's."""
    import torch

    if not isinstance(function, torch.nn.Module):
        return function(*inputs)
    held = {**dict(function.named_parameters()), **dict(function.named_buffers())}
    return torch.func.functional_call(function, dict(zip(held, copies([*held.values()], wide))), tuple(inputs))


def copies(values: Sequence[Any], wide: bool = False, shared: AbstractSet[int] = frozenset()) -> list[Any]:
    """Copies of inputs, but for some that are `shared`; those that share memory share it again."""
    from torch.utils._python_dispatch import is_traceable_wrapper_subclass

    if any(map(is_traceable_wrapper_subclass, values)):
        raise Cannot("it has a tensor subclass")
    by_memory: dict[int, list[int]] = {}
    for at, value in enumerate(values):
        if at not in shared and memory_of(value):
            by_memory.setdefault(memory_of(value), []).append(at)
    together = {at for places in by_memory.values() for at in places if len(places) > 1 or _overlaps(values[at])}
    result = [value.detach() if at in shared else None if at in together else copied(value, wide)
              for at, value in enumerate(values)]  # fmt: skip
    for places in by_memory.values():
        ones = [values[at].detach() for at in places]
        if len({(one.dtype, one.is_conj(), one.is_neg()) for one in ones}) > 1:
            raise Cannot("inputs of several dtypes share memory")
        if places[0] in together:
            elements = ones[0].untyped_storage().nbytes() // ones[0].element_size()
            whole = copied(ones[0].as_strided((elements,), (1,), 0), wide)
            for at, one in zip(places, ones):
                result[at] = whole.as_strided(one.shape, one.stride(), one.storage_offset())
    return result


def _overlaps(value: Any) -> bool:
    """Whether elements of a tensor may share memory, as those of an expanded one do."""
    size = 1 + sum(stride * (length - 1) for stride, length in zip(value.stride(), value.shape))
    return bool(size < value.numel())


def version_of(value: Any) -> int:
    """How often a tensor was written into; -1 where that isn't known."""
    import torch

    return value._version if isinstance(value, torch.Tensor) and not value.is_inference() else -1


def dense(value: Any) -> Any:
    """A gradient, which may be sparse."""
    return value.to_dense() if value is not None and value.is_sparse else value


def leaves_of(values: Any) -> list[Any]:
    """What is in tuples, lists and dictionaries."""
    from torch.utils._pytree import tree_leaves

    return list(tree_leaves(values))


def _tensors(values: Any) -> list[Any]:
    import torch

    return [one.detach() if isinstance(one, torch.Tensor) else None for one in leaves_of(values)]


def _written(operator: Any, args: Any, kwargs: Any) -> list[Any]:
    """The tensors that a call of an operator writes into."""
    return [one for where, key in written_arguments(operator, args, kwargs) for one in _tensors(where[key])
            if one is not None]  # fmt: skip


def widening(seed: int, eps: float) -> Any:
    """A mode of the dispatcher in which operations are in fp64, their results rounded at random by `eps`."""
    import torch
    from torch._decomp import decomposition_table
    from torch.utils._pytree import tree_map

    numbers = torch.Generator().manual_seed(seed)

    def widened(value: Any) -> Any:
        if isinstance(value, torch.Tensor) and value.dtype.is_floating_point:
            return value.to(torch.float64)
        return wide_dtype(value) or value if isinstance(value, torch.dtype) else value

    class Widened(dispatch_mode()):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            written = _written(func, args, kwargs := kwargs or {})
            if any(widened(one) is not one for one in written):
                raise NotImplementedError("memory that is not in fp64 is written")
            args, kwargs = tree_map(widened, args), tree_map(widened, kwargs)
            if eps and "norm" in func._schema.name and func in decomposition_table:
                with self:  # each of its steps is rounded: what is left of a difference has the error of its terms
                    return decomposition_table[func](*args, **kwargs)
            result = func(*args, **kwargs)
            if not eps:
                return result
            for one in written:
                one.copy_(rounded(one, func, args))
            is_view = any(one.alias_info is not None for one in func._schema.returns)
            return result if is_view else tree_map(lambda one: rounded(one, func, args), result)

    def rounded(value: Any, func: Any, args: Any) -> Any:
        if not isinstance(value, torch.Tensor) or value.dtype != torch.float64:
            return value
        dice = random_numbers(torch.rand, value.shape, numbers) - 0.5
        return value + of_rounding(func, args, value) * (eps * units_of(func, args, value, eps)) * dice

    return Widened()
