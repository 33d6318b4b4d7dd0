"""What Inductor generated for a graph, found from the compiled function that runs: no recording is needed."""

from __future__ import annotations

from typing import Any

from ..graphs.capture import reachable
from ..model import Kernel
from ..torch_facts import torch_keeps
from .files import kernel_text

__all__ = ["kernels_of"]


def kernels_of(function: Any, graph: str) -> list[Kernel]:
    """The modules which Inductor generated, forward before backward; empty for other backends.

    Args:
        function: what the backend made of the graph, as Dynamo's code calls it.
        graph: the graph's stable name.

    A backward graph that is compiled when it is first needed is not there before.
    """
    found: list[Any] = []
    backward: set[int] = set()
    for thing in reachable(function):
        if torch_keeps.is_inductor_output(thing):
            found.append(thing)
        for later in torch_keeps.backward_of(thing):
            backward.update(id(one) for one in reachable(later) if torch_keeps.is_inductor_output(one))
    kernels: list[Kernel] = []
    for thing in sorted(found, key=lambda one: id(one) in backward):
        source = torch_keeps.inductor_source(thing)
        if source:
            direction = "backward" if id(thing) in backward else "forward"
            name = f"{graph}.kernel_{len(kernels)}"
            why = "{}: what Inductor generated for the {} graph: kernels, and `call`, which runs them."
            text = kernel_text(source, [why.format(graph, direction)])
            kernels.append(Kernel(name, source=text, direction=direction))
    return kernels
