"""The graph before Inductor's passes against the graph after them, both in fp64, on the real inputs.

What the passes left as it was is told by its structure, and not computed. Of a joint graph, the forward's inputs are
real and the gradients that come in are random. The forward and the backward that the partitioner makes of it are
compared with it in the same way.
"""

from __future__ import annotations

from typing import Any, Container, Mapping, NamedTuple, Sequence

from .decompositions import apart
from .evaluate import STALE, Cannot, Exact, alone, closure, evaluate, evaluate_in_memory, number_of, why_not
from .findings import Finding, GraphVerdict
from .zoom import lines_of, operation

__all__ = ["GraphBefore", "Passes"]

_TOLERANCE = 3e-6  # relative, rms: constants are folded in fp32


class GraphBefore:
    """A copy of a graph, as it is now.

    Args:
        given: nodes that are inputs of the copy, and their names there.
    """

    def __init__(self, module: Any, graph: Any = None, given: Mapping[Any, str] | None = None) -> None:
        import torch
        from torch.fx.node import map_arg

        copied = torch.fx.Graph()
        known: dict[Any, Any] = {}
        inputs: dict[str, Any] = {}
        for node in (graph or module.graph).nodes:
            if node.op == "output":
                self.result = map_arg(node.args[0], known.__getitem__)
            elif given and node in given:
                name = given[node]
                if name not in inputs:
                    inputs[name] = copied.placeholder(name)
                    inputs[name].meta = dict(node.meta)
                known[node] = inputs[name]
            else:
                known[node] = copied.node_copy(node, known.__getitem__)
        copied.output(self.result)
        self.owner, self.graph, self.nodes, self.copies = module, copied, list(copied.nodes), known
        self.placeholders = [node for node in self.nodes if node.op == "placeholder"]

    @property
    def results(self) -> dict[str, Any]:
        """What the graph gives: its outputs by number, and what it writes into its inputs by their names."""
        result = self.result if isinstance(self.result, (list, tuple)) else [self.result]
        found = {str(at): node for at, node in enumerate(result) if hasattr(node, "op")}
        for node in self.nodes:
            if "copy_.default" in str(node.target) and getattr(node.args[0], "op", "") == "placeholder":
                found[node.args[0].name] = node
        return found


class GraphPair(NamedTuple):
    """Two graphs that are to be equal, and the stage between them."""

    before: GraphBefore
    after: GraphBefore
    stage: str = "graph pass"


class Passes:
    """Hears of Inductor's passes; checks them when a graph is called first."""

    def __init__(self) -> None:
        self._before: dict[int, GraphBefore] = {}
        self._joint: dict[str, GraphPair] = {}  # by compile ids
        self._depth = 0

    def joint_passes(self, original: Any, module: Any, args: Any, kwargs: Any, compile_id: str) -> Any:
        """Runs the passes on a joint graph, or on one for inference."""
        outer = self._depth == 0
        before = GraphBefore(module) if outer else None
        self._depth += 1
        try:
            result = original(module, *args, **kwargs)
        finally:
            self._depth -= 1
        if before is not None:
            changed = module if result is None else result  # torch 2.6 gives nothing
            self._before[id(changed)] = before
            if any(map(_is_tangent, before.placeholders)):
                self._joint[compile_id] = GraphPair(before, GraphBefore(changed))
        return result

    def post_passes(self, original: Any, module: Any, args: Any, kwargs: Any) -> Any:
        """Runs the passes on a graph before it is lowered."""
        if self._depth == 0:
            self._before.setdefault(id(module), GraphBefore(module))
        self._depth += 1
        try:
            return original(module, *args, **kwargs)
        finally:
            self._depth -= 1

    def take(self, module: Any, compile_id: str, is_backward: bool) -> list[GraphPair]:
        """Of a graph that is about to be lowered: what is to be equal, in the order of stages."""
        before = self._before.pop(id(module), None)
        if before is None:
            return []
        joint = self._joint.get(compile_id)
        pairs = [joint] if joint is not None and not is_backward else []
        if joint is not None:
            pairs += _partitioned(joint.after, before, is_backward)
        if is_backward:
            self._joint.pop(compile_id, None)
        return [*pairs, GraphPair(before, GraphBefore(module))]


def _partitioned(joint: GraphBefore, part: GraphBefore, is_backward: bool) -> list[GraphPair]:
    """A joint graph and its forward or backward, each with the inputs of that part; none if it has other results."""
    inputs = [node for node in joint.placeholders if not _is_tangent(node)]
    forward = len(joint.result) - len(inputs)  # a joint graph gives the forward's results, then one gradient an input
    names = {node.name: node for node in joint.nodes}
    expected = list(joint.result[forward:] if is_backward else joint.result[:forward])
    if not is_backward:
        expected += [names.get(getattr(node, "name", "")) for node in part.result[forward:]]  # saved for the backward
    if len(expected) != len(part.result) or any(node.name not in names for node in part.placeholders):
        return []
    numbers = _structure(joint.nodes, {})  # of what is computed twice, the partitioner keeps one
    given = {numbers[names[node.name]]: node.name for node in part.placeholders}
    whole = GraphBefore(joint.owner, joint.graph, {node: given[at] for node, at in numbers.items() if at in given})
    whole.result = [whole.copies[node] if hasattr(node, "op") else None for node in expected]
    return [GraphPair(whole, part, "partitioner")]


def _is_tangent(node: Any) -> bool:
    return "tangents" in node.name


def check(pair: GraphPair, inputs: Mapping[str, Any], verdict: GraphVerdict) -> None:
    """Compares two graphs on inputs by their names; those that are missing are random."""
    before, after, stage = pair
    try:
        with alone():
            found = _first_difference(before, after, inputs)
    except Exception as error:
        what = "the partition" if stage == "partitioner" else "the passes"
        reason = f"{what} can't be evaluated: {error}" if isinstance(error, Cannot) else (
            f"{type(error).__name__} in the evaluation of {what}")  # fmt: skip
        verdict.unchecked[reason] = verdict.unchecked.get(reason, 0) + 1
        return
    if found is None:
        return
    node, lines, wrong = found
    verdict.wrong.append(Finding.at(lines, stage, wrong, operation(node), verdict.graph))


def _first_difference(before: GraphBefore, after: GraphBefore, inputs: Mapping[str, Any]) -> Any:
    keys: dict[Any, int] = {}
    ones, others = _structure(before.nodes, keys), _structure(after.nodes, keys)
    pairs = [(node, after.results[name]) for name, node in before.results.items()
             if name in after.results and ones[node] != others[after.results[name]]]  # fmt: skip
    if not pairs:
        return None
    lefts, rights = zip(*pairs)
    made = {number: node for node, number in ones.items() if node.op == "call_function"}
    _, shared = closure(rights, lambda node: node.op == "placeholder" or others[node] in made)
    twins = {node: made[others[node]] for node in shared if node.op == "call_function"}  # are computed once
    if _is_in_memory(before, [*lefts, *twins.values()]) or _is_in_memory(after, rights):
        twins = {}
    values, left = _values(before, [*lefts, *twins.values()], inputs)
    _, right = _values(after, rights, inputs, {node: values[twin] for node, twin in twins.items()})
    if all(apart(_tensor(left[one]), _tensor(right[other]), _TOLERANCE) is None for one, other in pairs):
        return None
    return _locate(before, after, [one for one, _ in pairs], [other for _, other in pairs], inputs)


def _structure(nodes: Sequence[Any], keys: dict[Any, int]) -> dict[Any, int]:
    """A number for each node, equal for nodes that compute the same of the same inputs."""
    from torch.fx.node import map_arg

    found: dict[Any, int] = {}
    drawn = 0  # what draws random numbers twice has two values
    for node in nodes:
        if node.op == "placeholder":
            key: Any = ("placeholder", node.name)
        elif node.op == "output":
            continue
        else:
            key = (node.op, str(node.target), repr(map_arg((node.args, node.kwargs), lambda one: _Number(found[one]))))
            if node.op == "call_function" and why_not(node) == "random":
                drawn += 1
                key += (drawn,)
        found[node] = keys.setdefault(key, len(keys))
    return found


class _Number:
    def __init__(self, number: int) -> None:
        self._number = number

    def __repr__(self) -> str:
        return f"#{self._number}"


def _is_in_memory(graph: GraphBefore, wanted: Sequence[Any]) -> bool:
    """Whether what leads to some nodes writes into memory that others read."""
    order, _ = closure(wanted, lambda node: node.op == "placeholder")
    return any(node.op == "placeholder" for node in wanted) or any(why_not(node) == STALE for node in order)


def _values(
    graph: GraphBefore, wanted: Sequence[Any], inputs: Mapping[str, Any], made: Mapping[Any, Any] | None = None
) -> tuple[Any, Any]:
    """The values of nodes as they were made, and as they are in the end; those of some are `made` already."""
    made = made or {}
    order, sources = closure(wanted, lambda node: node.op == "placeholder" or node in made)
    in_memory = _is_in_memory(graph, wanted)
    used = {node for node in graph.placeholders if node.users or node in wanted} if in_memory else {*sources}
    known = {node: inputs[node.name] if node.name in inputs else _made(node, at)
             for at, node in enumerate(graph.placeholders) if node in used}  # fmt: skip
    known.update(made)
    numbers: dict[str, int] = {}
    ordinals = {}
    for node in graph.nodes:
        reason = why_not(node) if node.op == "call_function" else ""
        if reason:
            group = reason if reason == "random" and "seed" not in str(node.target) else str(node.target)
            ordinals[node] = numbers[group] = numbers.get(group, 0) + 1

    def random(node: Any) -> Any:
        return _made(node, ordinals[node])

    if in_memory:
        return evaluate_in_memory(graph.nodes, known, wanted, Exact(), graph.owner, random)
    found = evaluate(order, known, wanted, Exact(), graph.owner, random)
    return found, found


def _made(node: Any, seed: int) -> Any:
    """A value like the node's: for gradients that come in, and for operations that are not evaluated."""
    import torch

    numbers = torch.Generator().manual_seed(seed)

    if why_not(node) == STALE:
        raise Cannot(STALE)
    if node.op == "placeholder" and not _is_tangent(node):
        raise Cannot("an input is not known")

    def made(like: Any) -> Any:
        if isinstance(like, (list, tuple)):
            return type(like)(map(made, like))
        if not isinstance(like, torch.Tensor):
            raise Cannot(why_not(node) or "an input that is no tensor")
        if not (like.dtype.is_floating_point or like.dtype.is_complex):
            return torch.zeros([number_of(size) for size in like.shape], dtype=like.dtype)
        dtype = torch.complex128 if like.dtype.is_complex else torch.float64
        return torch.rand([number_of(size) for size in like.shape], generator=numbers, dtype=dtype)

    return made(node.meta.get("val"))


def _tensor(value: Any) -> Any:
    import torch

    return value if isinstance(value, torch.Tensor) else torch.tensor(value)


def _locate(
    before: GraphBefore, after: GraphBefore, left: Sequence[Any], right: Sequence[Any], inputs: Mapping[str, Any]
) -> Any:
    """The first operation that both graphs have and that differs, and the lines that may be the cause."""
    known = set(after.placeholders)
    order, _ = closure(right, lambda node: node in known)
    names = {node.name: node for node in before.nodes if node.op == "call_function"}
    shared = [(names[node.name], node) for node in order if node.name in names]
    wanted = [one for one, _ in shared]
    ones, left_in_the_end = _values(before, [*wanted, *left], inputs)
    others, right_in_the_end = _values(after, [*(other for _, other in shared), *right], inputs)
    equal, alike = set(before.placeholders), set(after.placeholders)
    pairs = [(one, other, ones[one], others[other]) for one, other in shared]
    ends = [(one, other, left_in_the_end[one], right_in_the_end[other]) for one, other in zip(left, right)]
    for one, other, a, b in [*pairs, *ends]:
        if isinstance(a, (list, tuple)) or getattr(a, "shape", None) != getattr(b, "shape", None):
            continue
        wrong = apart(_tensor(a), _tensor(b), _TOLERANCE)
        if wrong is None:
            equal.add(one)
            alike.add(other)
            continue
        kept = {node.name for _, node in shared}
        gone, new = _only_in_one(one, equal, kept), _only_in_one(other, alike, kept)
        causes = [*gone[::-1], *(node for node in new[::-1] if lines_of([node])), one]
        return causes[0], lines_of(causes), wrong
    first = left[0]
    return first, lines_of([first]), apart(_tensor(left_in_the_end[first]), _tensor(right_in_the_end[right[0]]), 0.0)


def _only_in_one(node: Any, known: set[Any], names: Container[str]) -> list[Any]:
    """The operations that lead to a node and that the other graph has not."""
    behind, _ = closure([node], lambda one: one in known)
    return [one for one in behind if one.name not in names and one.op == "call_function"]
