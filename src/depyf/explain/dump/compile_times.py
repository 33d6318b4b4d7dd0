"""How long compiling took, phase by phase, by torch's own clocks. In files of its own, as it differs in every run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..compile_times import lost_words, seconds_words
from ..model import CompileTimes
from ..torch_facts.torch_behavior import compilation_metrics
from ..torch_facts.torch_keeps import compile_times, phase_times
from .compile_events import TRACE, EventLog

__all__ = ["COSTS", "TIMES", "PhaseClock"]

TIMES = "compile_times.txt"
COSTS = "compile_times.json"  # by compilation
_PHASES: tuple[tuple[int, str, str], ...] = (  # depth, the end of torch's name, what it is
    (0, "compile_inner", "Dynamo, with all that it calls"),
    (1, "bytecode_tracing", "tracing the functions"),
    (1, "build_guards", "building the guards"),
    (1, "OutputGraph.call_user_compiler", "the backend"),
    (2, "create_aot_dispatcher_function", "AOTAutograd, with the compilers that it calls"),
    (3, "aot_trace_joint_graph", "tracing forward and backward"),
    (3, "_recursive_joint_graph_passes", "passes over the joint graph"),
    (3, "min_cut_rematerialization_partition", "parting forward and backward"),
    (2, "compile_fx_inner", "Inductor, for forward and backward graphs"),
    (3, "_recursive_post_grad_passes", "passes over the graph"),
    (3, "GraphLowering.run", "lowering operations to loops"),
    (3, "GraphLowering.codegen", "scheduling, fusing, writing kernels"),
    (3, "PyCodeCache.load_by_key_path", "compiling and loading kernels"),
)


class PhaseClock:
    """What torch has measured since this object was made. `events` hears of it as it happens."""

    def __init__(self) -> None:
        self.events = EventLog()
        self._before = {name: len(seconds) for name, seconds in phase_times().items()}
        self._earlier = {id(one): one for one in compilation_metrics()}
        self._found: dict[int, Any] = {}

    def note(self) -> None:
        """Takes what torch has recorded of compilations, of which it keeps the last 64."""
        for one in compilation_metrics():
            if id(one) not in self._earlier:
                self._found.setdefault(id(one), one)

    def compilations(self) -> list[CompileTimes]:
        """Each compilation, in order; [] before torch 2.4, which keeps no such records."""
        self.note()
        found = sorted([compile_times(one) for one in self._found.values()], key=lambda one: one.start)
        return [replace(one, caches=self.events.caches(one.compile_id)) for one in found]

    def seconds(self) -> float:
        """What Dynamo took, with all that it calls."""
        return sum(
            sum(seconds[self._before.get(name, 0) :])
            for name, seconds in phase_times().items()
            if name.endswith(_PHASES[0][1])
        )

    def files(self) -> list[tuple[str, str, str]]:
        """What there is to write: names, texts, and why to open each."""
        found = [
            (TIMES, self.text(), "how long compiling took, by phase; differs in every run"),
            (TRACE, self.events.text(), "the same as a timeline, to open at https://ui.perfetto.dev"),
        ]
        return [one for one in found if one[1]]

    def text(self) -> str:
        """The table; "" if torch has measured none of these phases."""
        since: dict[str, list[float]] = {}
        for name, seconds in phase_times().items():
            since[name] = seconds[self._before.get(name, 0) :]
        rows = []
        for depth, end, words in _PHASES:
            found = [one for name, seconds in since.items() if name.endswith(end) for one in seconds]
            if found:
                rows.append("{:>10.3f}  {:>6}  {}{}".format(sum(found), len(found), "  " * depth, words))
        if not rows:
            return ""
        head = "Seconds by torch's own clocks. A phase contains those indented below it; ours are not in it."
        more = "torch._dynamo.utils.compile_times() has all that torch measures."
        each = [line for one in self.compilations() for line in _of_one(one)]
        rows += ["", "Compilations", *each] if each else []
        return "\n".join([head, more, "", "{:>10}  {:>6}".format("seconds", "times"), *rows]) + "\n"


def _of_one(one: CompileTimes) -> list[str]:
    """A compilation: how long, how large, what was lost, what the caches had."""
    what = "in the first calls" if one.in_calls else one.function or "backward graph"
    sizes = [f"{number} {noun}" for noun, number in one.sizes]
    sizes += ["operators of the program's: " + ", ".join(one.custom)] if one.custom else []
    lines = ["{:>10}  {:>8}  {}{}".format(seconds_words(one.total), one.compile_id, what,
                                          "  ({})".format(", ".join(sizes)) if sizes else "")]  # fmt: skip
    lost = lost_words(one.before_restart, one.restarts)
    return lines + ["{:22}{}".format("", words) for words in filter(None, [lost, *one.caches])]
