"""Each buffer as a kernel left it, against its operation recomputed from the buffers before it.

Inductor's scheduler says which buffers a node makes and which it overwrites. After each kernel the generated wrapper
gets a line that shows us its variables; the text that torch keeps and runs from the second call on has none of them.

    Plan            what is known while the wrapper is generated
    first_graph_calls.py   the first call of the graph, checked kernel by kernel
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from .evaluable import is_overwritten, why_not
from .evaluate import closure

__all__ = ["Group", "MadeBuffer", "PROBE", "Plan", "KernelNode", "without_probes"]

_IN_STEPS = "it is written in place in several steps"
PROBE = "_depyf_probe"


@dataclass
class MadeBuffer:
    """A buffer: the variable that has it, the graph's node whose value it is, and what is known against checking it."""

    name: str
    node: Any = None
    reason: str = ""
    kind: str = "buffers"
    hidden: bool = False  # never to be seen: fused away, or overwritten in the same kernel
    users: frozenset[str] = frozenset()  # of a step towards another buffer: the operations of Inductor that read it


@dataclass
class KernelNode:
    """A node of the scheduler: what it makes; how that is computed from what is known before."""

    made: list[MadeBuffer] = field(default_factory=list)
    order: list[Any] = field(default_factory=list)
    sources: list[Any] = field(default_factory=list)
    operations: frozenset[str] = frozenset()  # of Inductor

    @property
    def targets(self) -> list[MadeBuffer]:
        """What is checked."""
        return [one for one in self.made if not one.reason and not one.hidden]


@dataclass
class Group:
    """What ran between two probes."""

    units: list[KernelNode] = field(default_factory=list)
    kernel: str = ""
    overwritten: set[str] = field(default_factory=set)  # by its kernels
    freed: set[str] = field(default_factory=set)  # after them


class Plan:
    """What Inductor knows of a graph while it generates the wrapper.

    Args:
        attributes: the values of nodes that are attributes of the graph's module.
    """

    def __init__(self, graph: Any, name: str, attributes: dict[Any, Any]) -> None:
        self.name, self.attributes = name, attributes
        self.nodes = list(graph.module.graph.nodes)
        self._all = set(self.nodes)
        self.placeholders = [node for node in self.nodes if node.op == "placeholder"]
        self.groups: list[Group] = []
        self.text = ""
        self.ends = KernelNode()  # the outputs that are no buffer of their own
        self.outputs: list[Any] = []
        self.needed: dict[Any, int] = {}  # a node's value: the last group that needs it
        self.variables: dict[Any, str] = {}  # a node's value: the variable that has it
        self._done: set[str] = set()
        self._freed: set[str] = set()
        self._reused: set[str] = set()
        self._left: Counter[str] = Counter()  # what is written in place, and how often still
        self._lines = 0
        self._writes: dict[str, list[Any]] = {}  # a placeholder's name: the operations that write into it
        for node in self.nodes:
            if _is_write(node) and node.args:
                self._writes.setdefault(getattr(node.args[0], "target", ""), []).append(node)

    # ---- while the wrapper is generated

    def note(self, scheduler: Any, wrapper: Any, removed: set[str]) -> int | None:
        """The kernels of some scheduler nodes were called. Gives the number of their probe, None if there is none."""
        new = [node for node in scheduler.nodes if node.get_name() not in self._done and self._ran(scheduler, node)]
        if not new:
            return None
        if not self._done:
            outputs = [output for node in scheduler.nodes for output in node.get_outputs()]
            self._left = Counter(name for output in outputs for name in _written(output, scheduler))
        self._done |= {node.get_name() for node in new}
        group = Group(kernel=self._kernel(wrapper))
        reused = {new: old for new, old in wrapper.reuses.items() if new not in self._reused}
        self._reused |= set(reused)
        group.overwritten |= set(reused.values())
        for node in new:
            unit = KernelNode(operations=frozenset(node.get_operation_names()))
            for output in node.get_outputs():
                made, overwritten = self._made(output, scheduler)
                users = frozenset(user.get_name() for user in output.users)
                for one in made:
                    one.users = users if one.node is None else one.users
                group.overwritten |= overwritten
                unit.made += made
            group.units.append(unit)
        for unit in group.units:
            for one in unit.made:
                one.hidden |= one.name in removed or one.name in group.overwritten and one.kind == "buffers"
        self.groups.append(group)
        return len(self.groups) - 1

    def note_freed(self, wrapper: Any) -> None:
        """The variables that a probe has seen were given up."""
        self.groups[-1].freed |= set(wrapper.freed) - self._freed
        self._freed |= set(wrapper.freed)

    def _ran(self, scheduler: Any, node: Any) -> bool:
        is_current = node is getattr(scheduler, "current_node", None)
        return is_current or node.get_operation_names() <= scheduler.completed_operations

    def _kernel(self, wrapper: Any) -> str:
        names = [getattr(line, "kernel_name", "") for line in wrapper.lines[self._lines :]]
        self._lines = len(wrapper.lines)
        return next((name for name in reversed(names) if isinstance(name, str) and name), "")

    def _made(self, output: Any, scheduler: Any) -> tuple[list[MadeBuffer], set[str]]:
        """What one output of a scheduler node is, and what it overwrites."""
        buffer, name = output.node, output.get_name()
        written = _written(output, scheduler)
        if written:
            self._left.subtract(written)
            return [self._made_by_writing(one, output, scheduler) for one in written], set(written)
        layout = type(getattr(buffer, "layout", None)).__name__
        if layout == "MultiOutputLayout":
            return [MadeBuffer(name, hidden=True)], set()
        if layout in ("NoneLayout", "MutationLayoutSHOULDREMOVE"):
            return [], set()
        node = buffer.get_origin_node()
        if name in self._left:
            return [MadeBuffer(name, None, "it is written in place later")], set()
        if node is None or node not in self._all or node.op != "call_function" or _is_mutable(node.target):
            return [MadeBuffer(name, None, "it is only a part of an operation")], set()
        return [MadeBuffer(name, node, _against(node))], set()

    def _made_by_writing(self, name: str, output: Any, scheduler: Any) -> MadeBuffer:
        """A variable that a kernel has written into: an input, or a buffer whose origin is the last that does."""
        writers = self._writes.get(name, [])
        is_last = not self._left[name]
        if name in scheduler.name_to_buf and is_last:
            node, origins = scheduler.name_to_buf[name].node.get_origin_node(), output.defining_op.node.get_origins()
            writers = [node] if [one for one in self.nodes if one in origins][-1:] == [node] else []  # no later write
        if len(writers) == 1 and is_last:
            return MadeBuffer(name, writers[0], _against(writers[0]), "mutations")
        return MadeBuffer(name, None, _IN_STEPS, "mutations")

    # ---- when all is known

    def finish(self, text: str) -> None:
        """Works out how each buffer is recomputed, and until when values are needed."""
        self.text = text
        self._plan_units()
        self._leave_out_steps()

    def _leave_out_steps(self) -> None:
        """A part of an operation is not counted where what it is a part of is checked: that is computed through it.

        It is so with a cell of a sum that is split, a copy in another layout, a buffer before it is written in place.
        """
        units = [unit for group in self.groups for unit in group.units]
        known = {name for unit in units if unit.targets for name in unit.operations}
        known.add("OUTPUT")  # outputs are counted themselves
        for unit in reversed(units):
            for one in unit.made:
                if one.node is None and one.kind == "buffers" and one.users & known:
                    one.hidden = True
                    known |= unit.operations

    def _plan_units(self) -> None:
        known: set[Any] = {*self.placeholders, *self.attributes}
        self.variables = {node: node.target for node in self.placeholders}
        for at, group in enumerate(self.groups):
            for unit in group.units:
                self._plan_unit(unit, known, at)
                for one in unit.made:
                    if one.node is not None and not one.hidden:
                        known.add(one.node)
                        self.variables[one.node] = one.name
        (output,) = [node for node in self.nodes if node.op == "output"]
        results = output.args[0] if isinstance(output.args[0], (list, tuple)) else [output.args[0]]
        self.outputs = list(results)
        nodes = {node for node in results if hasattr(node, "op") and node.op == "call_function"}
        again = {node: _IN_STEPS for node in nodes if is_overwritten(node)}
        ends = nodes - known | again.keys()
        self.ends = KernelNode([MadeBuffer("", node, again.get(node) or _against(node), "outputs") for node in ends])
        self._plan_unit(self.ends, known, len(self.groups))
        for node in nodes - ends:
            self.needed[node] = len(self.groups)

    def _plan_unit(self, unit: KernelNode, known: set[Any], at: int) -> None:
        same = {one.node for one in unit.made if one.reason and one.node is not None and not one.hidden}  # are seen

        def is_known(node: Any) -> bool:
            return node in known or node in same

        for one in sorted(unit.targets, key=lambda one: self.nodes.index(one.node)):
            order, _ = closure([one.node], is_known)
            reason = next(filter(None, map(why_not, order)), "")
            if reason:
                one.reason = f"it comes of what is {reason}"
                same.add(one.node)
        if unit.targets:
            unit.order, unit.sources = closure([one.node for one in unit.targets], is_known)
            for node in unit.sources:
                self.needed[node] = max(at, self.needed.get(node, 0))


def _against(node: Any) -> str:
    reason = why_not(node)
    return f"it is {reason}" if reason else ""


def _written(output: Any, scheduler: Any) -> list[str]:
    """The variables that an output of a scheduler node is written into."""
    return [scheduler.mutation_real_name.get(one, one) for one in output.get_mutations()]


def _is_mutable(target: Any) -> bool:
    schema = getattr(target, "_schema", None)
    return bool(schema is not None and schema.is_mutable)


def _is_write(node: Any) -> bool:
    return node.op == "call_function" and _is_mutable(node.target)


def without_probes(text: str, line_map: list[tuple[int, Any]]) -> tuple[str, list[tuple[int, Any]]]:
    """The wrapper's text as it is without us."""
    lines = text.split("\n")
    ours = [at for at, line in enumerate(lines, 1) if line.lstrip().startswith(PROBE + "(")]
    kept = [line for line in lines if not line.lstrip().startswith(PROBE + "(")]
    return "\n".join(kept), [(number - sum(at < number for at in ours), context) for number, context in line_map]
