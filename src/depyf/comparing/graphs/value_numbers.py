"""Value numbers of the operations of two graphs: equal numbers, equal values.

An operation after a pass has the number of one before it where both do the same with the same inputs. Where the two
have one name and a pass rewrote what leads to them, the part that it rewrote is computed in both graphs, in fp64, from
random values; if they agree, the number is that of before. A part that many layers have is computed once.
"""

from __future__ import annotations

import math
from typing import Any, Iterator, Mapping, Sequence

from ..rounding import apart
from .evaluable import RANDOM, STALE, layout_of, number_of, why_not
from .evaluate import Cannot, Exact, closure, evaluate
from .graph_copies import GraphCopy, ordinals, random_like

__all__ = ["TOLERANCE", "ValueNumbers", "numbered"]

TOLERANCE = 3e-6  # relative, rms: constants are folded in fp32
_PERMUTE = "aten.permute.default"
_LARGEST = 64  # operations in a part


class ValueNumbers:
    """Those of the graph before a pass and of the graph after it.

    Args:
        inputs: their values, by names: integers are not random.
        known: parts that were computed, and whether they agree; is added to.
    """

    def __init__(
        self, before: GraphCopy, after: GraphCopy, inputs: Mapping[str, Any], known: dict[str, bool]
    ) -> None:  # fmt: skip
        self._before, self._after, self._inputs, self._known = before, after, inputs, known
        keys: dict[Any, int] = {}
        self._left = numbered(before.nodes, keys)
        self._makers = {number: node for node, number in reversed(self._left.items())}
        self._right: dict[Any, int] = {}
        self._tried: set[tuple[Any, Any]] = set()
        names = {node.name: node for node in before.nodes}
        for node, number in _numbers(after.nodes, keys, self._right):
            self._right[node] = number
            if number not in self._makers and node.name in names:
                self.are_equal(names[node.name], node)

    def twin(self, node: Any) -> Any:
        """The operation of before that has the number of one of after; None if there is none."""
        return self._makers.get(self._right[node])

    def are_equal(self, one: Any, other: Any) -> bool:
        """Whether an operation of before and one of after have the same value."""
        if self._left[one] == self._right[other]:
            return True
        if (one, other) in self._tried or _like(one) != _like(other) or "placeholder" in (one.op, other.op):
            return False
        self._tried.add((one, other))
        equal = self._have_equal_inputs(one, other) or _like(one) is not None and self._agree(one, other)
        if equal:
            self._right[other] = self._left[one]
        return equal

    def _have_equal_inputs(self, one: Any, other: Any) -> bool:
        if why_not(one) or why_not(other):
            return False
        (form, inputs), (other_form, other_inputs) = _call(one), _call(other)
        return form == other_form and all(map(self.are_equal, inputs, other_inputs))

    # ---- parts

    def _agree(self, one: Any, other: Any) -> bool:
        """Computes what leads to both from values that both graphs have."""
        in_both, apart = set(self._makers) & set(self._right.values()), {-1}
        while apart:  # a value must not be random in one graph, and come of random ones in the other
            left, sources = closure([one], lambda node: _is_given(node, self._left[node] in in_both))
            right, others = closure([other], lambda node: _is_given(node, self._right[node] in in_both))
            if len(left) + len(right) > _LARGEST or any(map(why_not, [*left, *right])):
                return False
            given = {self._left[node]: node for node in sources}
            new = {self._right[node]: self._makers[self._right[node]] for node in others}
            apart = {number for number in given.keys() ^ new.keys() if number in in_both}
            in_both.discard(max(apart, default=-1))  # the last of them may come of the others
        given.update(new)
        key = "" if any(node.op == "get_attr" for node in (*left, *right)) else self._key(given, left, right)
        if key in self._known:
            return self._known[key]
        agree = self._agree_on_values(given, (left, sources), (right, others))
        if key:
            self._known[key] = agree
        return agree

    def _key(self, given: Mapping[int, Any], left: Sequence[Any], right: Sequence[Any]) -> str:
        parts: list[Any] = []
        places: dict[int, int] = {}  # of what is given, in the order of its first use
        for nodes, numbers in ((left, self._left), (right, self._right)):
            made = {node: f"made {at}" for at, node in enumerate(nodes)}
            for node in nodes:
                form, inputs = _call(node)
                known = [made.get(one) or places.setdefault(numbers[one], len(places)) for one in inputs]
                parts.append((form, known, _like(node)))
        for number in places:
            node = given[number]
            parts.append((_like(node), "" if _is_float(node) else node.name))
        return repr(parts)

    def _agree_on_values(self, given: Mapping[int, Any], *sides: tuple[Sequence[Any], Sequence[Any]]) -> bool:
        numbers, graphs = (self._left, self._right), (self._before, self._after)
        is_enough = not any(map(_is_float, given.values()))  # to be equal once
        try:
            for kind in ("any", "not finite", "positive"):
                values = {number: self._drawn(node, at, kind) for at, (number, node) in enumerate(given.items())}
                results = []
                for (order, sources), number, graph in zip(sides, numbers, graphs):
                    own = {node: values[number[node]] for node in sources}
                    own.update((node, graph.attributes[node]) for node in order if node in graph.attributes)
                    results.append(evaluate(order, own, order[-1:], Exact())[order[-1]])
                if apart(results[0], results[1], TOLERANCE) is not None:
                    return False
                if is_enough:
                    return True
                if kind == "any":  # what is not finite hides what depends on it
                    is_enough = 2 * int(results[0].isfinite().sum()) >= results[0].numel()
            return bool(2 * int(results[0].isfinite().sum()) >= results[0].numel())
        except (Cannot, RuntimeError, NotImplementedError):
            pass
        return False

    def _drawn(self, node: Any, seed: int, kind: str) -> Any:
        """A value for what both graphs have: random if it has floating-point numbers."""
        import torch

        if not _is_float(node):
            if node.name not in self._inputs:
                raise Cannot("an input is not known")
            return self._inputs[node.name]
        like, numbers = node.meta["val"], torch.Generator().manual_seed(seed)
        made = random_like(like, numbers, torch.rand if kind == "positive" else torch.randn)
        if kind == "not finite" and made.numel():
            place = (made.numel() // 2 + seed) % made.numel()
            made.view(-1)[place] = (math.nan, math.inf, -math.inf, 0.0)[seed % 4]
        return made


def numbered(nodes: Sequence[Any], keys: dict[Any, int]) -> dict[Any, int]:
    """A number for each node, equal for nodes that compute the same of the same inputs."""
    found: dict[Any, int] = {}
    for node, number in _numbers(nodes, keys, found):
        found[node] = number
    return found


def _numbers(nodes: Sequence[Any], keys: dict[Any, int], found: Mapping[Any, int]) -> Iterator[tuple[Any, int]]:
    """Nodes with their numbers, by those of their inputs, which are in `found` by then."""
    import torch

    aten, places = torch.ops.aten, ordinals(nodes)
    for node in nodes:
        if node.op == "output":
            continue
        form, inputs = _call(node)
        key: Any = (form, *(found[one] for one in inputs))
        kind, ordinal = places.get(node, ("", 0))
        source = _source(node)
        if source is not node and not kind:
            if _like(source) == _like(node):
                yield node, found[source]
                continue
            key = ("reshaped", found[source], _like(node))
        elif str(node.target) == _PERMUTE and not kind:
            source, order = _permuted(node)
            if order == sorted(order):
                yield node, found[source]
                continue
            key = ("permuted", found[source], *order)
        elif node.target in (aten.mm.default, aten.add.Tensor, aten.addmm.default) and not node.kwargs:
            key = _sum_or_product(node, [found[one] for one in inputs], keys) or key
        if kind == RANDOM and _is_float(node):
            key = (RANDOM, ordinal, _like(node))
        elif kind in (RANDOM, STALE):
            key += (kind, ordinal)
        yield node, keys.setdefault(key, len(keys))


def _call(node: Any) -> tuple[str, list[Any]]:
    """What a node does, but for its inputs, and those."""
    from torch.fx.node import map_arg

    if node.op == "placeholder":
        return node.name, []
    inputs: list[Any] = []

    def taken(one: Any) -> Any:
        inputs.append(one)
        return ...

    arguments = map_arg((node.args, node.kwargs), taken)
    layout = layout_of(node) if "as_strided" in str(node.target) else ""  # copies and views may change it
    return f"{node.op} {node.target} {arguments} {layout}", inputs


def _source(node: Any) -> Any:
    """The operation whose elements a node has, in their order, with another shape at most."""
    import torch

    aten = torch.ops.aten
    while node.op == "call_function" and getattr(node.target, "overloadpacket", None) in (
        aten.view, aten.reshape, aten._unsafe_view, aten.alias, aten.detach, aten.clone
    ) and node.target is not aten.view.dtype and not why_not(node):  # fmt: skip
        node = node.args[0]
    return node


def _sum_or_product(node: Any, numbers: list[int], keys: dict[Any, int]) -> Any:
    """A key that ``addmm`` shares with the product and the sum that it is."""
    if str(node.target) == "aten.mm.default":
        return ("product", *numbers)
    if len(numbers) == 3:
        numbers = [numbers[0], keys.setdefault(("product", *numbers[1:]), len(keys))]
    return ("sum", *sorted(numbers), _like(node)) if len(numbers) == 2 else None


def _permuted(node: Any) -> tuple[Any, list[int]]:
    """The operation whose dimensions are permuted, by one or more in a row, and their order."""
    order = list(range(len(node.args[1])))
    while node.op == "call_function" and str(node.target) == _PERMUTE:
        order = [node.args[1][at] % len(order) for at in order]
        node = node.args[0]
    return node, order


def _like(node: Any) -> Any:
    """Shape and dtype of a tensor."""
    import torch

    value = node.meta.get("val")
    return (tuple(map(number_of, value.shape)), value.dtype) if isinstance(value, torch.Tensor) else None


def _is_float(node: Any) -> bool:
    import torch

    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and (value.dtype.is_floating_point or value.dtype.is_complex)


def _is_given(node: Any, is_in_both: bool) -> bool:
    """Whether a node's value may be random: the whole of a constant, or of a mask, belongs to what is computed."""
    return node.op == "placeholder" or is_in_both and _is_float(node) and bool(node.all_input_nodes)
