"""The graph before Inductor's passes against the graph after them, both in fp64.

Operations that the passes left alone are known by their structure. What they rewrote is compared part by part, on
random values (value_numbers.py). Where that does not show two results equal, both are computed: the inputs of the
forward are real, gradients that come in are random. The forward and the backward that the partitioner makes of a joint
graph are compared with it in the same way.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Container, Mapping, NamedTuple, Sequence

from ..facts import frozen_parameters
from ..findings import Finding, GraphVerdict
from ..rounding import apart
from .evaluable import RANDOM, STALE, attributes_of, is_overwritten, why_not
from .evaluate import Cannot, alone, closure
from .graph_copies import GraphCopy, is_in_memory, is_tangent, ordinals, values_of
from .value_numbers import TOLERANCE, ValueNumbers, numbered
from .zoom import lines_of, operation

__all__ = ["Passes"]


class GraphPair(NamedTuple):
    """Two graphs that are to be equal, and the stage between them."""

    before: GraphCopy
    after: GraphCopy
    stage: str = "graph pass"


class Passes:
    """Hears of Inductor's passes; checks them when a graph is called first."""

    def __init__(self) -> None:
        self._before: dict[int, tuple[Any, GraphCopy]] = {}  # by identities of modules, which are kept alive
        self._attributes: dict[int, dict[str, Any]] = {}  # of those modules, before lowering packs some away
        self._joint: dict[str, GraphPair] = {}  # by compile ids
        self._regions: dict[str, bool] = {}  # parts that passes rewrote, and whether they compute the same
        self._depth = 0

    def joint_passes(self, original: Any, module: Any, args: Any, kwargs: Any, compile_id: str) -> Any:
        """Runs the passes on a joint graph, or on one for inference."""
        outer = self._depth == 0
        before = _copy_of(module) if outer else None
        self._depth += 1
        try:
            result = original(module, *args, **kwargs)
        finally:
            self._depth -= 1
        if before is not None:
            before.attributes.update(zip(before.placeholders, frozen_parameters()))
            changed = module if result is None else result  # torch 2.6 gives nothing
            self._before[id(changed)] = changed, before
            if any(map(is_tangent, before.placeholders)):
                self._joint[compile_id] = GraphPair(before, _copy_of(changed))
        return result

    def post_passes(self, original: Any, module: Any, args: Any, kwargs: Any) -> Any:
        """Runs the passes on a graph before it is lowered."""
        if self._depth == 0:
            self._before.setdefault(id(module), (module, _copy_of(module)))
        self._depth += 1
        try:
            result = original(module, *args, **kwargs)
        finally:
            self._depth -= 1
        if self._depth == 0:
            values = attributes_of(module, module.graph.nodes)
            self._attributes[id(module)] = {node.target: value for node, value in values.items()}
        return result

    def attributes(self, module: Any) -> dict[Any, Any]:
        """The values of the nodes of a graph after the passes that are attributes of its module."""
        kept = self._attributes.get(id(module), {})
        nodes = [node for node in module.graph.nodes if node.op == "get_attr"]
        lacking = attributes_of(module, [node for node in nodes if node.target not in kept])
        return {**lacking, **{node: kept[node.target] for node in nodes if node.target in kept}}

    def take(self, module: Any, compile_id: str, is_backward: bool) -> list[GraphPair]:
        """Of a graph that is about to be lowered: what is to be equal, in the order of stages."""
        _, before = self._before.pop(id(module), (None, None))
        if before is None:
            return []
        joint = self._joint.get(compile_id)
        pairs = [joint] if joint is not None and not is_backward else []
        if joint is not None:
            pairs += _partitioned(joint.after, before, is_backward)
        if is_backward:
            self._joint.pop(compile_id, None)
        pairs.append(GraphPair(before, GraphCopy(module.graph, self.attributes(module))))
        self._attributes.pop(id(module), None)
        return pairs

    def check(self, pair: GraphPair, inputs: Mapping[str, Any], verdict: GraphVerdict) -> None:
        """Compares two graphs on inputs by their names; those that are missing are random."""
        before, after, stage = pair
        try:
            with alone():
                found = self._first_difference(before, after, inputs)
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

    def _first_difference(self, before: GraphCopy, after: GraphCopy, inputs: Mapping[str, Any]) -> Any:
        numbers = ValueNumbers(before, after, inputs, self._regions)
        pairs = [pair for pair in _ends(before, after)
                 if any(map(is_overwritten, pair)) or not numbers.are_equal(*pair)]  # fmt: skip
        if not pairs:
            return None
        _require_the_same_opaque(before, after)
        lefts, rights = zip(*pairs)
        _, shared = closure(rights, lambda node: node.op == "placeholder" or numbers.twin(node) is not None)
        twins = {node: numbers.twin(node) for node in shared if node.op == "call_function"}  # are computed once
        if is_in_memory(before, [*lefts, *twins.values()]) or is_in_memory(after, rights):
            twins = {}
        values, left = values_of(before, [*lefts, *twins.values()], inputs)
        _, right = values_of(after, rights, inputs, {node: values[twin] for node, twin in twins.items()})
        if all(apart(left[one], right[other], TOLERANCE) is None for one, other in pairs):
            return None
        return _locate(numbers, before, after, lefts, rights, inputs)


def _copy_of(module: Any) -> GraphCopy:
    return GraphCopy(module.graph, attributes_of(module, module.graph.nodes))


def _require_the_same_opaque(before: GraphCopy, after: GraphCopy) -> None:
    """What can't be evaluated has values of its kind's order, so both graphs must have as many of each kind."""
    one, other = ordinals(before.nodes), ordinals(after.nodes)
    for these, those in ((one, other), (other, one)):
        kinds = Counter(kind for kind, _ in those.values())
        for node, (kind, number) in these.items():
            if why_not(node) not in (RANDOM, STALE) and number > kinds[kind]:
                raise Cannot(why_not(node))


def _ends(before: GraphCopy, after: GraphCopy) -> list[tuple[Any, Any]]:
    """The results that both graphs have; an input that one of them does not write into ends as it was given."""
    sides = [{**{node.name: node for node in graph.placeholders}, **graph.results} for graph in (before, after)]
    pairs = [(sides[0][name], sides[1][name]) for name in sides[0] if name in sides[1]]
    return [pair for pair in pairs if any(node.op != "placeholder" for node in pair)]


def _partitioned(joint: GraphCopy, part: GraphCopy, is_backward: bool) -> list[GraphPair]:
    """A joint graph and its forward or backward, each with the inputs of that part; none if it has other results."""
    inputs = [node for node in joint.placeholders if not is_tangent(node)]
    forward = len(joint.result) - len(inputs)  # a joint graph gives the forward's results, then one gradient an input
    names = {node.name: node for node in joint.nodes}
    expected = list(joint.result[forward:] if is_backward else joint.result[:forward])
    if not is_backward:
        expected += [names.get(getattr(node, "name", "")) for node in part.result[forward:]]  # saved for the backward
    if len(expected) != len(part.result) or any(node.name not in names for node in part.placeholders):
        return []
    numbers = numbered(joint.nodes, {})  # of what is computed twice, the partitioner keeps one
    given = {numbers[names[node.name]]: node.name for node in part.placeholders}
    inner = {node: given[at] for node, at in numbers.items() if at in given}
    whole = GraphCopy(joint.graph, joint.attributes, inner)
    whole.result = [whole.copies[node] if hasattr(node, "op") else None for node in expected]
    return [GraphPair(whole, part, "partitioner")]


def _locate(
    numbers: ValueNumbers, before: GraphCopy, after: GraphCopy, left: Sequence[Any], right: Sequence[Any],
    inputs: Mapping[str, Any],
) -> Any:  # fmt: skip
    """The first operation that both graphs have and that differs, and the lines that may be the cause."""
    known = set(after.placeholders)
    order, _ = closure(right, lambda node: node in known)
    names = {node.name: node for node in before.nodes if node.op == "call_function"}
    shared = [(names[node.name], node) for node in order if node.name in names]
    wanted = [one for one, _ in shared]
    ones, left_in_the_end = values_of(before, [*wanted, *left], inputs)
    others, right_in_the_end = values_of(after, [*(other for _, other in shared), *right], inputs)
    equal, alike = set(before.placeholders), set(after.placeholders)
    if not any(why_not(node) == STALE for node in (*before.nodes, *after.nodes)):
        alike.update(node for node in after.nodes if node.op != "output" and numbers.twin(node) is not None)
        equal.update(map(numbers.twin, alike - set(after.placeholders)))
    pairs = [(one, other, ones[one], others[other]) for one, other in shared]
    ends = [(one, other, left_in_the_end[one], right_in_the_end[other]) for one, other in zip(left, right)]
    for one, other, a, b in [*pairs, *ends]:
        if isinstance(a, (list, tuple)) or getattr(a, "shape", None) != getattr(b, "shape", None):
            continue
        wrong = apart(a, b, TOLERANCE)
        if wrong is None:
            equal.add(one)
            alike.add(other)
            continue
        kept = {node.name for _, node in shared}
        gone, new = _only_in_one(one, equal, kept), _only_in_one(other, alike, kept)
        causes = [*gone[::-1], *(node for node in new[::-1] if lines_of([node])), one]
        return causes[0], lines_of(causes), wrong
    first = left[0]
    return first, lines_of([first]), apart(left_in_the_end[first], right_in_the_end[right[0]], 0.0)


def _only_in_one(node: Any, known: set[Any], names: Container[str]) -> list[Any]:
    """The operations that lead to a node and that the other graph has not."""
    behind, _ = closure([node], lambda one: one in known)
    return [one for one in behind if one.name not in names and one.op == "call_function"]
