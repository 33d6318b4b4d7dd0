"""The first call of a graph, checked kernel by kernel while the buffers live."""

from __future__ import annotations

from typing import Any, Sequence

from ...explain.containment import logger
from ..findings import Finding, GraphVerdict
from ..rounding import Judgement, same
from .evaluate import Cannot, Eager, References, alone, as_integers, closure
from .kernels import KernelNode, MadeBuffer, Plan
from .zoom import is_packed, lines_of, memory_of, operation, zoom

__all__ = ["FirstGraphCall"]

_MOST_RANGES = 6


class FirstGraphCall:
    """Runs the wrapper with probes in it, in place of the first call.

    Args:
        plan: what is known of the graph.
        folder: for repro files; "" for none.
        verdict: is filled.
    """

    def __init__(self, plan: Plan, folder: str, verdict: GraphVerdict) -> None:
        self._plan, self._folder, self._verdict = plan, folder, verdict
        self._values: dict[Any, Any] = {}
        self._checked: dict[Any, bool] = {}  # buffers, and whether they were found right
        self._sums: dict[Any, int] = {}

    def begin(self, inputs: Sequence[Any]) -> None:
        """Before anything runs."""
        known = dict(zip(self._plan.placeholders, inputs))
        names = {node.target: value for node, value in known.items()}
        self._values = {**known, **self._plan.attributes}
        self._keep(-1, names)

    def probe(self, at: int, names: dict[str, Any]) -> None:
        """The kernels of a group were called; `names` are the wrapper's variables."""
        with alone():
            for unit in self._plan.groups[at].units:
                self._check_unit(unit, at, names)
            self._keep(at, names)

    def end(self, results: Sequence[Any]) -> None:
        """The graph has returned."""
        import torch

        ends = {one.node: one for one in self._plan.ends.made}
        with alone():
            shown = [(node, value) for node, value in zip(self._plan.outputs, results)
                     if isinstance(value, torch.Tensor) and getattr(node, "op", "") == "call_function"]  # fmt: skip
            values = dict(shown)
            self._check(KernelNode([one for one in ends.values() if one.node in values], self._plan.ends.order,
                             self._plan.ends.sources), values, "", len(self._plan.groups))  # fmt: skip
            for node, value in shown:
                if node not in ends:
                    self._check_returned(node, value)
        self._values.clear()

    def _check_returned(self, node: Any, value: Any) -> None:
        """An output that is a buffer: it must be what it was when it was made."""
        was_checked = node in self._checked
        kept = self._sums.get(node)
        if kept is not None and kept != checksum(value) and self._checked.get(node):
            self._verdict.count("outputs", False, "its buffer was written over after it was checked")
            return
        self._verdict.count("outputs", was_checked, "its buffer was not")

    # ---- memory

    def _keep(self, at: int, names: dict[str, Any]) -> None:
        """Drops what no later check needs; copies what is overwritten before it is needed."""
        groups, needed = self._plan.groups, self._plan.needed
        gone = set(groups[at].freed) if at >= 0 else set()
        gone |= groups[at + 1].overwritten if at + 1 < len(groups) else set()
        lost = {memory_of(names.get(name)) for name in gone} - {0}
        for node, value in list(self._values.items()):
            if needed.get(node, -1) <= at:
                del self._values[node]
            elif memory_of(value) in lost:
                self._values[node] = value.clone()

    # ---- one scheduler node

    def _check_unit(self, unit: KernelNode, at: int, names: dict[str, Any]) -> None:
        import torch

        values = {}
        for one in unit.made:
            value = names.get(one.name)
            if one.hidden:
                continue
            if not isinstance(value, torch.Tensor):
                one.reason = one.reason or "it has no memory"
            elif value.layout != torch.strided:
                one.reason = one.reason or f"its layout is {value.layout}"
            if one.node is not None and isinstance(value, torch.Tensor):
                values[one.node] = value
        for one in unit.made:
            if one.reason and one.node in values:
                self._values[one.node] = values[one.node]  # a source
        self._check(unit, values, self._plan.groups[at].kernel, at)
        for node, value in values.items():
            if self._plan.needed.get(node, -1) > at:
                self._values[node] = value
            if self._plan.needed.get(node, -1) == len(self._plan.groups) and value.layout == torch.strided:
                self._sums[node] = checksum(value)

    def _check(self, unit: KernelNode, values: dict[Any, Any], kernel: str, at: int) -> None:
        count = self._verdict.count
        targets = []
        for one in unit.made:
            if one.hidden:
                continue
            if one.reason:
                count(one.kind, False, one.reason)
            else:
                targets.append(one)
        wrong: list[Any] = []
        for references, group in self._evaluable(targets):
            for one in group:
                try:
                    judgement = self._judge(references, one, values[one.node])
                except Exception as error:
                    count(one.kind, False, _reason(error))
                    continue
                if judgement is None:
                    count(one.kind, False, "eager's has another shape")
                    continue
                count(one.kind, True)
                self._checked[one.node] = not judgement.wrong
                if not judgement.wrong:
                    self._verdict.met(judgement)
                elif not set(closure([one.node], lambda node: node in self._values)[0]) & set(wrong):
                    wrong.append(one.node)
                    self._verdict.wrong.append(self._finding(one, values[one.node], judgement, kernel))

    def _judge(self, references: References, one: MadeBuffer, value: Any) -> Judgement | None:
        eager = references.of(Eager(), "eager")[one.node]
        if eager.shape != value.shape or eager.dtype != value.dtype:
            return None
        if same(value, eager):
            return Judgement(size=value.numel())
        return self._references([one], {one.node: eager}).judge(one.node, value)

    def _evaluable(self, targets: list[MadeBuffer]) -> list[tuple[References, list[MadeBuffer]]]:
        """All together, or one by one where one of them can't be evaluated: that one is told with its reason."""
        if not targets:
            return []
        together = self._references(targets)
        try:
            together.of(Eager(), "eager")
        except Exception:
            return [(self._references([one]), [one]) for one in targets]
        return [(together, targets)]

    def _references(self, targets: list[MadeBuffer], eager: dict[Any, Any] | None = None) -> References:
        return References([one.node for one in targets], self._values, eager)

    def _finding(self, one: MadeBuffer, value: Any, judgement: Judgement, kernel: str) -> Finding:
        references = self._references([one])
        try:
            stage, node, repro = zoom(references, one.node, self._folder, self._plan.name)
        except Exception as error:  # the operations can't be compiled alone: the fault is in the program all the same
            logger.debug("%s: no smaller part is known to be wrong: %r", self._plan.name, error)
            stage, node, repro = "", one.node, ""
        stage = stage or ("in place" if one.kind == "mutations" else "kernel")
        ranges = list(filter(None, (_range(source, known) for source, known in references.values.items())))
        behind = references.order[: references.order.index(node) + 1][::-1]  # what AOTAutograd adds has no line
        lines = next(filter(None, (lines_of([made]) for made in behind)), [])
        return Finding.at(lines, stage, judgement, operation(node), self._plan.name, kernel=kernel,
                          inputs=ranges[:_MOST_RANGES], repro=repro)  # fmt: skip


def _range(node: Any, value: Any) -> str:
    import torch

    if not isinstance(value, torch.Tensor) or not value.numel() or is_packed(value):
        return ""
    shown = value.real if value.is_complex() else value
    low, high = (float(one) for one in (shown.double().min(), shown.double().max()))
    dtype = str(value.dtype).replace("torch.", "")
    return f"{node.name}: {dtype}{list(value.shape)} in [{low:.4g}, {high:.4g}]"


def checksum(value: Any) -> int:
    """A number that changes when the memory of a tensor does."""
    import torch

    value = value.resolve_conj().resolve_neg()
    whole = value.numel() * value.element_size() // 8 * 8
    if value.is_contiguous() and whole:
        memory = value.view(-1).view(torch.uint8)
        return int(memory[:whole].view(torch.int64).sum()) + int(memory[whole:].sum())
    return int(as_integers(value).sum(dtype=torch.int64))


def _reason(error: Exception) -> str:
    if isinstance(error, NotImplementedError):
        return "eager has no such operator in this precision"
    return f"it comes of {error}" if isinstance(error, Cannot) else f"{type(error).__name__} when it was recomputed"


