"""Records what Inductor generates: the wrapper, the sources of its kernels, and what a cache kept of an earlier run."""

from __future__ import annotations

import os
import types
from typing import Any, Callable

from ...decompiler.proof.compile_worker import syntax_tree
from ..containment import done
from ..graphs.files import STAGES, cached_graph_text, why_open
from ..kernel_costs import call_rows
from ..model import Graph, Kernel, Session
from ..torch_facts.torch_behavior import is_generating_backward
from ..torch_facts.torch_cudagraphs import which_output, why_no_parts
from ..torch_facts.torch_kernels import CacheHit, cache_hit, loads_graph_module
from .cuda_graphs import CudaGraphs
from .files import kernel_parts, kernel_text, point_functions_at_file
from .memory import kernel_calls, memory_of
from .provenance import Provenance, kernel_lines_text
from .timing import KernelTimers

__all__ = ["KernelRecorder"]

_FROM_CACHE = "from Inductor's cache; its comments name the lines of the run that filled it"
# Stages of which a cache keeps the text of both directions under one name, the one being loaded.
_OF_ONE_DIRECTION = ("AFTER_POST_GRAD",)


class KernelRecorder:
    """What a recorder does with each module that Inductor loads.

    Attributes:
        provenance: hears from the hooks which operations became which kernel.
        timers: what times kernels, if that is wanted.
    """

    def __init__(
        self, write: Callable[[str, str, str, str], str], graphs: dict[str, Graph], session: Session
    ) -> None:
        """`write(template, text, kind, why)` writes a numbered file and gives its path; `graphs` are the recorder's."""
        self.provenance = Provenance()
        self.timers: KernelTimers | None = None
        self._session = session
        self._cuda_graphs = CudaGraphs(session.cuda_graphs)
        self._write = write
        self._graphs = graphs
        self._seen: list[tuple[str, str]] = []
        self._copies: dict[str, set[str]] = {}  # by graph, the inputs that it saves as copies for its backward one

    def called(self, graph_name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Inductor writes a call of a kernel: `set_kernel_post_grad_provenance_tracing(node_schedule, kernel_name)`."""
        given = list(args) + [kwargs.get(name) for name in ("node_schedule", "kernel_name")[len(args) :]]
        self.provenance.made(str(given[1]), given[0])

    def named(self, graph_name: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Inductor has made up a kernel's name: `get_fused_kernel_name(node_schedule, descriptive_names)`."""
        self.provenance.named(name, args[0] if args else kwargs["node_schedule"])

    def has_cuda_graph(self, graph_name: str, kwargs: dict[str, Any]) -> None:
        """What Inductor returned, or a part of it, is to run as a CUDA graph: `cudagraphify(...)`."""
        self._cuda_graphs.made(graph_name, bool(kwargs.get("is_backward", False)), which_output())

    def is_cut_into_parts(self, graph_name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """It is to be cut into CUDA graphs: `cudagraph_partition_post_compile(example_inputs, compiled_graph, ...)`."""
        output = args[1] if len(args) > 1 else kwargs["compiled_graph"]
        reason = why_no_parts(output)
        if reason:
            self._cuda_graphs.skipped(graph_name, reason, output)

    def has_no_cuda_graph(self, graph_name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """It does not run as one: `log_cudagraph_skip_and_bump_counter(msg)`."""
        self._cuda_graphs.skipped(graph_name, str(args[0] if args else kwargs["msg"]), which_output())

    def record(self, module: types.ModuleType, graph_name: str) -> None:
        """Files for `module`, which belongs to the graph. A module is recorded once for each graph.

        Kernels that Inductor loads as modules of their own are no such thing: the graph's has their sources.
        """
        if not loads_graph_module():
            return
        loaded_from = str(module.__file__)
        if (graph_name, loaded_from) in self._seen:
            return
        self._seen.append((graph_name, loaded_from))
        hit = cache_hit()
        with open(loaded_from, encoding="utf-8") as file:
            source = file.read()
        graph = self._graphs.get(graph_name)
        lines = self.provenance.take(source, graph, hit.graphs.get("AFTER_POST_GRAD", "") if hit is not None else "")
        if hit is not None:
            self._write_cached_graphs(hit, graph_name)
        direction = self._direction(hit, graph)
        why = f"what Inductor generated for the {direction} graph: kernels, and `call`, which runs them"
        if hit is not None:
            why += f" ({_FROM_CACHE})"
        header = [f"{graph_name}: {why}."]
        header += ["Which line became which kernel:"] * bool(lines) + ["  " + row for row in kernel_lines_text(lines)]
        tree = done(self._session, "reading what Inductor generated", syntax_tree, source)
        calls = tree and done(self._session, "finding calls of kernels", kernel_calls, tree) or []
        memory = None
        if hit is None and calls:
            copies = self._copies.setdefault(graph_name, set())
            memory = done(self._session, f"the memory of {graph_name}", memory_of, tree, calls, copies)
        if memory is not None:
            header += [*memory.rows("Memory"), "Live while each kernel runs, and after it:", *call_rows(calls)]
        path = self._write(f"{graph_name}.kernel_{{}}.py", kernel_text(source, header), "kernel", why)
        if not path:
            return
        name = os.path.basename(path)[: -len(".py")]
        kernel = Kernel(name, path=os.path.basename(path), source=source, direction=direction,
                        from_cache=hit is not None, lines=lines, memory=memory, calls=calls)  # fmt: skip
        if graph is not None:
            graph.kernels.append(kernel)
        point_functions_at_file(module, loaded_from, path, len(header))
        if self.timers is not None:
            done(self._session, "timing kernels", self.timers.put_into, module, kernel, path, len(header))
        for part in kernel_parts(source):
            rows = kernel_lines_text([line for line in lines if line.kernel == part.name])
            text = part.text([f"{part.name}, called by {kernel.path}", *rows])
            why = f"the {part.language} source of this kernel, which the wrapper {kernel.path} calls"
            written = self._write(f"{name}.{part.name}.{{}}.{part.suffix}", text, "kernel source", why)
            kernel.parts += [os.path.basename(written)] if written else []

    def _direction(self, hit: Any, graph: Any) -> str:
        if hit is None:
            return "backward" if is_generating_backward() else "forward"
        if hit.is_backward is None:
            known = [kernel.direction for kernel in graph.kernels] if graph is not None else []
            return "backward" if "forward" in known else "forward"
        return "backward" if hit.is_backward else "forward"

    def _write_cached_graphs(self, hit: CacheHit, graph_name: str) -> None:
        graph = self._graphs.get(graph_name)
        if graph is None:
            return
        order = [*STAGES, *hit.graphs]  # the cache keeps them in its own
        for stage, text in sorted(hit.graphs.items(), key=lambda pair: order.index(pair[0])):
            if stage in graph.stage_files and stage not in _OF_ONE_DIRECTION:
                continue
            why = f"{why_open(stage)} ({_FROM_CACHE})"
            text = cached_graph_text(graph_name, stage, text, why)
            path = self._write(f"{graph_name}.{stage}.{{}}.py", text, "graph", why)
            if path:
                graph.stage_files.setdefault(stage, os.path.basename(path))
