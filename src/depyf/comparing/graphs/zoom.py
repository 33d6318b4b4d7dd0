"""From a wrong buffer to the line: the operations behind it, compiled alone.

The subgraph from known buffers to the wrong one is compiled with every operation's result returned; the first of them
that is wrong names the line. Where none is, the operations are wrong only as they are fused. The subgraph and its
inputs are the repro file.
"""

from __future__ import annotations

import os
from operator import getitem
from typing import Any, Iterable

from ...explain.graphs.capture import user_line_of
from ...explain.model import SourceLine
from ...writing import write_file
from .evaluate import Eager, References, evaluate, wide_dtype

__all__ = ["copied", "is_packed", "lines_of", "memory_of", "operation", "zoom"]

_MOST_BYTES = 64 << 20  # of inputs that are kept for a repro
_MOST_SINGLE = 12  # operations that are compiled one by one, when all together are right


def lines_of(nodes: Iterable[Any]) -> list[SourceLine]:
    """The program's lines behind some operations, each once."""
    lines = [line for line in map(user_line_of, nodes) if line is not None]
    return list({(line.filename, line.line): line for line in lines}.values())


def operation(node: Any) -> str:
    """The operation of a node, as aten calls it; of an item of a tuple, what makes the tuple."""
    made = node.args[0] if node.target is getitem and hasattr(node.args[0], "target") else node
    return str(made.target)


def zoom(references: References, target: Any, folder: str, graph: str) -> tuple[str, Any, str]:
    """Where in the subgraph of a wrong buffer the error arises.

    Returns:
        A stage, "" for the kernel itself; the operation, None where it is not known; the path of the repro file.
    """
    calls = [node for node in references.order if node.op == "call_function" and _is_tensor(node)]
    repro = _write_repro(references, target, folder, graph)
    if len(calls) < 2:
        return "", target, repro
    found = None
    for node in _wrong_among(references, calls)[:_MOST_SINGLE]:
        if _wrong_among(references, [node]):  # else it is wrong only as the others are returned with it
            found = node
            break
    if found is None:  # one by one, from the end: the first that is wrong alone
        for node in calls[:: -max(1, len(calls) // _MOST_SINGLE)]:
            if not _wrong_among(references, [node]):
                break
            found = node
    if found is None or not _is_wrong_alone(references, found):
        return "only as fused", found or target, repro
    return "", found, repro


def _is_wrong_alone(references: References, node: Any) -> bool:
    """Whether an operation is wrong when it is given its arguments as eager computes them."""
    sources = list(node.all_input_nodes)
    if all(one in references.values for one in sources):
        return True
    inner = [one for one in sources if one not in references.values]
    values = {**references.values, **evaluate(references.order, references.values, inner, Eager())}
    return bool(_wrong_among(References([node], values), [node]))


def _wrong_among(references: References, wanted: list[Any]) -> list[Any]:
    """The operations that are wrong in a compilation which returns them all."""
    from torch._inductor import compile as compile_graph

    inputs = [value for value in references.values.values() if not is_packed(value)]
    module = subgraph(references, wanted)
    results = compile_graph(module, [copied(one) for one in inputs])(*[copied(one) for one in inputs])
    return [node for node, value in zip(wanted, results)
            if References([node], references.values).judge(node, value).wrong]  # fmt: skip


def subgraph(references: References, wanted: list[Any]) -> Any:
    """A module that computes some operations from the known values; it has the packed ones as attributes."""
    import torch

    graph = torch.fx.Graph()
    env, packed = {}, {}
    for node, value in references.values.items():
        if is_packed(value):
            packed[node.name] = value
        env[node] = graph.get_attr(node.name) if node.name in packed else graph.placeholder(node.name)
        env[node].meta.update(node.meta)
    needed = set(wanted)
    for node in reversed(references.order):
        if node in needed:
            needed |= set(node.all_input_nodes)
    env.update((node, graph.node_copy(node, env.__getitem__)) for node in references.order if node in needed)
    graph.output(tuple(env[node] for node in wanted))
    return torch.fx.GraphModule(packed, graph)


def _write_repro(references: References, target: Any, folder: str, graph: str) -> str:
    import torch

    tensors = [value for value in references.values.values() if isinstance(value, torch.Tensor)]
    is_large = sum(one.numel() * one.element_size() for one in tensors) > _MOST_BYTES
    if not folder or is_large or any(map(is_packed, tensors)):
        return ""
    name = f"repro_{graph.replace('/', '_').replace(' ', '_')}_{target.name}"
    os.makedirs(folder, exist_ok=True)
    torch.save([copied(one) for one in references.values.values()], os.path.join(folder, name + ".pt"))
    code = subgraph(references, [target]).code.strip().replace("def forward(self, ", "def operations(")
    place = next((f"{one.filename}:{one.line}  {one.text}" for one in lines_of([target])), operation(target))
    path = os.path.join(folder, name + ".py")
    write_file(path, _TEMPLATE.format(place=place, inputs=name + ".pt", code=code))
    return path


_TEMPLATE = '''"""What torch.compile computes otherwise, alone. It comes of {place}"""

import os

import torch
from torch import device, inf, nan  # noqa: F401

try:
    import torch._inductor.inductor_prims  # noqa: F401
except ImportError:
    pass


{code}

def main():
    inputs = torch.load(os.path.join(os.path.dirname(os.path.abspath(__file__)), {inputs!r}), weights_only=True)
    with torch.no_grad():
        (eager,) = operations(*inputs)
        (compiled,) = torch.compile(operations, fullgraph=True)(*inputs)
    wide = torch.complex128 if eager.is_complex() else torch.float64
    apart = (eager.to(wide) - compiled.to(wide)).abs().nan_to_num(inf).flatten()
    apart[((eager == compiled) | (eager != eager) & (compiled != compiled)).flatten()] = 0
    furthest = apart.argsort(descending=True)[:8].sort().values
    print("eager:   ", eager.flatten()[furthest])
    print("compiled:", compiled.flatten()[furthest])
    print(f"elements {{furthest.tolist()}} of {{apart.numel()}}: the furthest apart, by {{float(apart.max()):.6g}}")
    return eager, compiled


if __name__ == "__main__":
    main()
'''


def is_packed(value: Any) -> bool:
    """Whether it is a weight in a layout of oneDNN's, for its own operators."""
    import torch

    return isinstance(value, torch.Tensor) and value.is_mkldnn


def _is_tensor(node: Any) -> bool:
    import torch

    return isinstance(node.meta.get("val"), torch.Tensor)


def copied(value: Any, wide: bool = False) -> Any:
    """A tensor with memory of its own, laid out alike; in fp64 if it is to be `wide`."""
    import torch

    if not isinstance(value, torch.Tensor):
        return value
    value = value.detach()
    dtype = wide and wide_dtype(value.dtype) or value.dtype
    return torch.empty_strided(value.shape, value.stride(), dtype=dtype, device=value.device).copy_(value)


def memory_of(value: Any) -> int:
    """Where a tensor's memory begins; 0 for what has none of its own."""
    import torch
    from torch.utils._python_dispatch import is_traceable_wrapper_subclass

    if not isinstance(value, torch.Tensor) or value.layout != torch.strided or is_traceable_wrapper_subclass(value):
        return 0
    return value.untyped_storage().data_ptr() if value.numel() else 0
