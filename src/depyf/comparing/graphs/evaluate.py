"""Evaluates operations of a graph: in eager's precision, in fp64, and in fp64 with results rounded at random.

Operations are functions here: one that writes into its argument gets a copy. The program's random numbers, its
gradients and its modes are left alone.
"""

from __future__ import annotations

import contextlib
import math
import operator
from typing import Any, Callable, Iterable, Iterator, Mapping, Sequence

from ..facts import WIDE
from ..rounding import Judgement, allowed_at_least, judge, random_numbers, settled
from .evaluable import ONLY_WRITES, UNINITIALISED, layout_of, lowered, why_not, why_not_its_operator, written_arguments

__all__ = ["Cannot", "Eager", "Exact", "References", "Rounded", "alone", "as_integers", "closure", "evaluate",
           "evaluate_in_memory", "has_sums", "of_rounding", "units_of", "wide_dtype"]  # fmt: skip

_PRODUCTS = ("mm", "addmm", "bmm", "baddbmm", "convolution", "convolution_backward", "linear", "mv", "addmv", "dot")
_SUMS = ("sum", "mean", "var", "norm", "cumsum", "softmax", "attention", "pool", "scatter", "index_put", "embedding",
         "prod", "pdist", "cdist", "upsample", "grid_sampler")  # fmt: skip
_NO_FP64 = ("view.dtype", "mkldnn", "mkl.", "onednn", "quantized", "nextafter", "frexp", "_int_mm")

_ATTENTION = "attention"
"""Kernels of these operators on the CPU read memory that isn't the tensor's where its last dimension has gaps."""

_MANY = 256  # elements, of which some lie where rounding shows


class Cannot(Exception):
    """An operation that can't be evaluated: the text says why."""


def has_sums(nodes: Iterable[Any]) -> bool:
    """Whether one of the operations sums, in an order that is not defined."""
    return any(_sums(node.target) for node in nodes)


def _sums(operation: Any) -> bool:
    return any(word in str(operation) for word in (*_PRODUCTS, *_SUMS))


def closure(targets: Iterable[Any], known: Callable[[Any], bool]) -> tuple[list[Any], list[Any]]:
    """The operations that lead from known nodes to `targets`, in order, and those known nodes.

    A target is computed even if it is known.
    """
    seen: dict[Any, bool] = {}
    waiting = [(node, True) for node in targets]
    while waiting:
        node, is_target = waiting.pop()
        if seen.get(node) is False or node in seen and not is_target:
            continue
        stops = known(node) and not is_target
        seen[node] = stops
        if not stops:
            waiting += [(one, False) for one in node.all_input_nodes]
    order = {node: at for at, node in enumerate(next(iter(seen)).graph.nodes)} if seen else {}
    found = sorted(seen, key=lambda node: order[node])
    return [node for node in found if not seen[node]], [node for node in found if seen[node]]


# ---- how


class Eager:
    """As eager does, each operation in its own precision.

    Args:
        contiguous: operations get their arguments without gaps, in the order of the dimensions.
    """

    def __init__(self, *, contiguous: bool = False) -> None:
        self.contiguous = contiguous

    def source(self, value: Any) -> Any:
        return value

    def argument(self, value: Any) -> Any:
        return value

    def result(self, node: Any, value: Any, args: Sequence[Any]) -> Any:
        return value


class Exact(Eager):
    """In fp64, without the conversions to less."""

    def source(self, value: Any) -> Any:
        import torch

        if not isinstance(value, torch.Tensor):
            return value
        wide = wide_dtype(value.dtype)
        return value if wide is None or wide == value.dtype or value.is_mkldnn else value.to(wide)

    def argument(self, value: Any) -> Any:
        import torch

        if isinstance(value, torch.dtype):
            return wide_dtype(value) or value
        return value

    def result(self, node: Any, value: Any, args: Sequence[Any]) -> Any:
        return self.source(value)  # of `full` and its like, which take the default precision


class Rounded(Exact):
    """In fp64, but each result is rounded at random to the precision it has in the program."""

    def __init__(self, seed: int, scale: float = 1.0, *, contiguous: bool = False) -> None:
        import torch

        super().__init__(contiguous=contiguous)
        self._numbers, self._scale = torch.Generator().manual_seed(seed), scale

    def result(self, node: Any, value: Any, args: Sequence[Any]) -> Any:
        import torch

        like, value = node.meta.get("val"), super().result(node, value, args)
        if not isinstance(value, torch.Tensor) or not isinstance(like, torch.Tensor):
            return value
        dtype = like.dtype
        if not (dtype.is_floating_point or dtype.is_complex) or not value.dtype.is_floating_point:
            return value
        info = torch.finfo(dtype)
        dice = random_numbers(torch.rand, value.shape, self._numbers) - 0.5
        step = self._scale * dice.to(value.device) * _units(node, info.eps)
        rounded = value + (of_rounding(node.target, args, value) * info.eps + info.smallest_normal * info.eps) * step
        return torch.where(rounded.abs() > info.max, rounded.sign() * float("inf"), rounded)


def of_rounding(operation: Any, arguments: Sequence[Any], result: Any) -> Any:
    """The numbers whose units in the last place are those of an operation's error.

    What is left of a division is a difference: it is off by units of the dividend.
    """
    return arguments[0] if any(word in str(operation) for word in ("remainder", "fmod")) else result


def units_of(operation: Any, arguments: Iterable[Any], result: Any, eps: float) -> float:
    """Units in the last place among which the rounding of an operation's result is, about: a sum has more of them.

    Args:
        arguments, result: tensors, among other things.
    """
    import torch

    if not _sums(operation):
        return 1.0
    most = max([1.0, *(float(one.numel()) for one in arguments if isinstance(one, torch.Tensor))])
    size = float(result.numel()) if isinstance(result, torch.Tensor) else math.inf
    length = max(most**0.5, most / max(1.0, size))  # of a product of matrices; of a sum
    return max(1.0, math.sqrt(length) / 4 * (1e-7 / max(eps, 1e-7)))


def _units(node: Any, eps: float) -> float:
    operation = node.all_input_nodes[0] if node.target is operator.getitem else node  # that has several results
    arguments = (one.meta.get("val") for one in operation.all_input_nodes)
    return units_of(operation.target, arguments, node.meta.get("val"), eps)


def _rounded(node: Any) -> float:
    """By how many units `Rounded` is off at least, rms; 0 for few elements, which may be exact by chance."""
    import torch

    like = node.meta.get("val")
    if not isinstance(like, torch.Tensor) or not like.dtype.is_floating_point or like.numel() < _MANY:
        return 0.0
    return 0.25 * _units(node, torch.finfo(like.dtype).eps)


def wide_dtype(dtype: Any) -> Any:
    """The precision in which numbers of this one are evaluated; None for integers."""
    import torch

    if dtype.is_complex:
        return torch.complex128
    return torch.float64 if dtype.is_floating_point else None


def evaluate(
    order: Sequence[Any], values: Mapping[Any, Any], wanted: Iterable[Any], how: Eager,
    random: Callable[[Any], Any] | None = None,
) -> dict[Any, Any]:
    """The values of the nodes that are `wanted`.

    Args:
        order: the operations, in order.
        values: of the nodes that are known, attributes of the graph's module among them.
        how: the precision.
        random: gives the values of operations that can't be evaluated; without it they raise `Cannot`.
    """
    kept = set(wanted)
    left: dict[Any, int] = {}
    for node in order:
        for one in node.all_input_nodes:
            left[one] = left.get(one, 0) + 1
    env = {node: how.source(value) for node, value in values.items()}
    found = {}
    for node in order:
        env[node] = value = _one(node, env, how, random)
        if node in kept:
            found[node] = value
        for one in node.all_input_nodes:
            left[one] -= 1
            if not left[one]:
                env.pop(one, None)
    return found


def evaluate_in_memory(
    nodes: Sequence[Any], values: Mapping[Any, Any], wanted: Iterable[Any], how: Eager, random: Any
) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """The same of a graph whose operations write into each other's memory: all of them are run, in order.

    Returns:
        The values as they were made, and as they are in the end.
    """
    kept = set(wanted)
    env = {node: _copied(how.source(value)) for node, value in values.items()}
    made = {node: env[node] for node in kept & set(env)}
    for node in nodes:
        if node.op == "call_function":
            env[node] = _one(node, env, how, random, in_memory=True)
            if node in kept:
                made[node] = _copied(env[node])
    return made, {node: env[node] for node in kept}


def _copied(value: Any) -> Any:
    import torch

    return value.clone() if isinstance(value, torch.Tensor) else value


def _one(node: Any, env: Mapping[Any, Any], how: Eager, random: Any, in_memory: bool = False) -> Any:
    import torch
    from torch.fx.node import map_aggregate, map_arg

    if node.op == "get_attr":
        if node not in env:
            raise Cannot(f"{node.target} is not known")
        return env[node]
    reason = why_not_its_operator(node) if in_memory else why_not(node)
    if in_memory:
        reason = reason.replace(ONLY_WRITES, "")
    if reason or node.op != "call_function":
        if random is not None and node.op == "call_function":
            return how.source(random(node))
        raise Cannot(reason or f"{node.op} {node.target}")
    target = _computing(node, isinstance(how, Exact))
    args = map_aggregate(map_arg(node.args, lambda one: env[one]), how.argument)
    kwargs = map_aggregate(map_arg(node.kwargs, lambda one: env[one]), how.argument)
    if how.contiguous or _ATTENTION in str(node.target):
        args, kwargs = map_aggregate(args, _contiguous), map_aggregate(kwargs, _contiguous)
    if isinstance(target, torch._ops.OpOverload) and target._schema.is_mutable and not in_memory:
        args, kwargs = _unshared(target, args, kwargs)
    if "as_strided" in str(node.target):
        args = (_in_layout(node, args[0], in_memory), *args[1:])
    try:
        return how.result(node, target(*args, **kwargs), args)
    except (RuntimeError, NotImplementedError) as error:
        if not isinstance(how, Exact):
            raise
        raise Cannot(f"{node.target} has no fp64") from error


def _computing(node: Any, is_exact: bool) -> Any:
    """What computes the operation of a node."""
    import torch

    target = lowered(node.target)
    wide = WIDE.get(str(target)) if is_exact else None
    if wide is None and is_exact and any(word in str(node.target) for word in _NO_FP64) and not _is_of_integers(node):
        raise Cannot(f"{node.target} has no fp64")
    return torch.ops.aten.reshape.default if node.target in _views() else wide or target


def _contiguous(value: Any) -> Any:
    import torch

    return value.contiguous() if isinstance(value, torch.Tensor) and value.layout == torch.strided else value


def _in_layout(node: Any, value: Any, in_memory: bool) -> Any:
    """The argument of ``as_strided``, laid out as it is in the program."""
    import torch

    if in_memory and (value.stride(), value.storage_offset()) != (layout_of(node), 0):
        raise Cannot("as_strided among writes")
    if in_memory:
        return value
    return torch.empty_strided(value.shape, layout_of(node), dtype=value.dtype, device=value.device).copy_(value)


def _is_of_integers(node: Any) -> bool:
    """Whether a view of another type leaves the numbers as they are in the program."""
    import torch

    values = [one.meta.get("val") for one in (node, *node.all_input_nodes)]
    return "view.dtype" in str(node.target) and all(
        isinstance(one, torch.Tensor) and wide_dtype(one.dtype) is None for one in values)  # fmt: skip


def _views() -> tuple[Any, ...]:
    """Views that Inductor makes of buffers whose strides it has chosen."""
    import torch

    return (torch.ops.aten.view.default, torch.ops.aten._unsafe_view.default)


def _unshared(target: Any, args: Any, kwargs: Any) -> tuple[list[Any], dict[str, Any]]:
    """Copies of the arguments that an operator writes into."""
    import torch

    def copied(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [copied(one) for one in value]
        return value.clone() if isinstance(value, torch.Tensor) else value

    args, kwargs = list(args), dict(kwargs)
    for where, key in written_arguments(target, args, kwargs):
        where[key] = copied(where[key])
    return args, kwargs


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Nothing that is computed here is seen by the program."""
    import torch

    state = torch.random.get_rng_state()
    try:
        with torch.no_grad(), torch._C._DisableAutocast(), torch.utils._python_dispatch._disable_current_modes():
            yield
    finally:
        torch.random.set_rng_state(state)


# ---- a value and its references


class References:
    """The values of some operations from others, in the three precisions, each worked out when it is asked for.

    Args:
        eager: those in eager's precision, where they are known.
        contiguous: as for `Eager`.
    """

    def __init__(self, targets: Sequence[Any], values: dict[Any, Any], eager: dict[Any, Any] | None = None, *,
                 contiguous: bool = False) -> None:  # fmt: skip
        self._contiguous = contiguous
        self.order, sources = closure(targets, lambda node: node in values)
        self.values = {node: values[node] for node in sources}
        self._targets, self._seed = targets, 0
        self._found: dict[Any, Any] = {} if eager is None else {"eager": eager}
        self.has_sums = has_sums(self.order)

    def of(self, how: Any, key: Any = None) -> dict[Any, Any]:
        """Those in one precision; kept by the key, if there is one."""
        if key is None or key not in self._found:
            found = evaluate(self.order, self.values, self._targets, how)
            if key is None:
                return found
            self._found[key] = found
        kept: dict[Any, Any] = self._found[key]
        return kept

    def samples(self, node: Any, scale: float) -> list[Any]:
        """Two of the node, rounded at random; others each time where the rounding is coarser than usual."""
        if scale == 1.0:
            return [self.of(Rounded(seed, contiguous=self._contiguous), seed)[node] for seed in (1, 2)]
        self._seed += 2
        seeds = (100 + self._seed, 101 + self._seed)
        return [self.of(Rounded(seed, scale, contiguous=self._contiguous))[node] for seed in seeds]

    def _undefined(self, node: Any) -> Any:
        """The elements of a node that depend on what was in memory that nobody has written; None if there is none."""
        import torch

        empty = [one for one in self.values if why_not(one) == UNINITIALISED]
        if not empty:
            return None
        filled = []
        for content in (0, 1):
            fill = {one: torch.full_like(self.values[one], content) for one in empty}
            values = {**self.values, **fill}
            filled.append(evaluate(self.order, values, [node], Eager())[node])
        one, other = filled
        return (one != other) & ((one == one) | (other == other))

    def judge(self, node: Any, value: Any) -> Judgement:
        """What is to be said of the node's value.

        Some operators take it for granted how their arguments are laid out, and Inductor lays them out for these.
        Others give the same of all layouts.
        """
        found = self._judge(node, value)
        if not found.wrong or self._contiguous:
            return found
        again = References(self._targets, self.values, contiguous=True)._judge(node, value)
        return found if again.wrong else again

    def _judge(self, node: Any, value: Any) -> Judgement:
        import torch

        eager = self.of(Eager(contiguous=self._contiguous), "eager")[node]
        undefined = self._undefined(node)
        if undefined is not None:
            value = torch.where(undefined, eager, value)
        found = settled(value, eager, *allowed_at_least(_rounded(node), self.has_sums))
        if found is not None:
            return found
        exact = self.of(Exact(contiguous=self._contiguous), "exact")[node]
        return judge(value, eager, exact, lambda scale: self.samples(node, scale), self.has_sums)


def as_integers(value: Any) -> Any:
    """The memory of a tensor as integers of the size of its elements."""
    import torch

    integers = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    value = torch.view_as_real(value.resolve_conj()) if value.is_complex() else value
    return value.view(integers[value.element_size()])
