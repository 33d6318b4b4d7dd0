"""Faults planted in Inductor, and whether `depyf.compare` names their lines; and untouched programs, where it must not.

    python benchmarks/torch_compile/planted_numerics.py                     every fault, then every program untouched
    python benchmarks/torch_compile/planted_numerics.py --only gelu tanh    faults whose names have one of these words
    python benchmarks/torch_compile/planted_numerics.py --untouched         the programs alone, in fp32, bf16 and fp16
    python benchmarks/torch_compile/planted_numerics.py --constants         false alarms and detections for a range of
                                                                            each constant of the rounding rule

A fault is one operator in one place: its decomposition, its lowering, the C++ that is generated for it, a pass over
the graph, the partitioner, functionalisation, or Dynamo. The lines that use it carry its name in a comment,
``# gelu``; what is found has to be at such a line, and nowhere else. The last line has the three figures: faults at
their lines, in the right stage, and found at all. Exit status 1 if a fault is missed or put elsewhere, or an untouched
program has an alarm.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import re
import sys
import tempfile
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Tuple

import torch
import torch.nn.functional as F

# ---- programs: a line with an operator that gets a fault has its name in a comment


def mlp(x: Any, w1: Any, w2: Any) -> Any:
    h = F.gelu(x @ w1)  # gelu gelu_backward mm
    h = h - h.mean(-1, keepdim=True)  # mean sub
    y = torch.tanh(h) @ w2  # tanh mm tanh_backward tanh_and_rest
    return torch.sigmoid(y) * y  # sigmoid sigmoid_backward mul


def attention(q: Any, k: Any, v: Any) -> Any:
    scores = q @ k.transpose(-1, -2) / 8.0  # bmm div
    mask = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    scores = scores.masked_fill(~mask, float("-inf"))  # where masked_fill
    weights = torch.softmax(scores, -1)  # softmax exp amax softmax_backward
    return weights @ v  # bmm


def block(x: Any, g: Any, b: Any, w: Any) -> Any:
    h = F.layer_norm(x, (x.shape[-1],), g, b)  # layer_norm rsqrt layer_norm_backward mul
    h = F.silu(h @ w)  # silu silu_backward mm mul
    return x + h * torch.rsqrt(h.square().sum(-1, keepdim=True) + 1.0)  # rsqrt sum mul


def convolution(x: Any, w: Any, b: Any) -> Any:
    y = F.conv2d(x, w, b, padding=1)  # convolution
    y = F.relu(y)  # relu threshold_backward
    # with max_pool2d torch 2.13 on one thread loses the gradients, and that is found
    y = F.avg_pool2d(y, 2)  # avg_pool2d_backward
    return F.hardswish(y) + F.interpolate(x, scale_factor=0.5)[:, :1]  # hardswish hardswish_backward upsample_backward


def losses(x: Any, y: Any) -> Any:
    a = F.huber_loss(x, y, reduction="none")  # huber huber_backward abs
    b = F.smooth_l1_loss(x, y)  # smooth_l1 smooth_l1_backward abs
    c = F.log_softmax(x, -1).exp().cumsum(-1)  # log_softmax log_softmax_backward cumsum exp
    return a.sum() + b + c.mean() + (x - y).abs().max()  # sum mean sub abs


def cell(x: Any, h: Any, w: Any, u: Any) -> Any:
    z = torch.sigmoid(x @ w)  # sigmoid sigmoid_backward mm
    for _ in range(3):
        h = (1 - z) * h + z * torch.tanh(h @ u)  # tanh tanh_backward mm mul
    return torch.erf(h) + torch.atan2(h, z)  # erf atan2 mul


def gathered(x: Any, table: Any, i: Any) -> Any:
    e = F.embedding(i, table)  # embedding embedding_backward
    s = torch.zeros_like(x).index_add(0, i, e)  # index_add index_put
    return torch.cat([s, x.flip(0)], -1).log1p().nan_to_num()  # cat flip log1p


def updated(x: Any, state: Any) -> Any:
    state.mul_(0.9).add_(x.detach().exp(), alpha=0.1)  # mul_ add_ exp
    return x.sin() + state.cos()  # sin cos


class Program(NamedTuple):
    function: Callable[..., Any]
    inputs: Callable[[Any], List[Any]]


def _of(*shapes: Tuple[int, ...]) -> Callable[[Any], List[Any]]:
    return lambda dtype: [torch.randn(shape, dtype=dtype) for shape in shapes]


PROGRAMS: Dict[str, Program] = {
    "mlp": Program(mlp, _of((16, 32), (32, 48), (48, 24))),
    "attention": Program(attention, _of((2, 3, 16, 64), (2, 3, 16, 64), (2, 3, 16, 64))),
    "block": Program(block, _of((24, 40), (40,), (40,), (40, 40))),
    "convolution": Program(convolution, _of((2, 3, 12, 12), (8, 3, 3, 3), (8,))),
    "losses": Program(losses, _of((20, 30), (20, 30))),
    "cell": Program(cell, _of((12, 16), (12, 16), (16, 16), (16, 16))),
    "gathered": Program(
        gathered, lambda dtype: [*_of((10, 12), (10, 12))(dtype), torch.randint(0, 10, (10,))],
    ),
    "updated": Program(updated, lambda dtype: [torch.randn(30, 17, dtype=dtype), torch.randn(30, 17, dtype=dtype)]),
}  # fmt: skip

# ---- faults


class Fault(NamedTuple):
    name: str  # of the operator, as in the comments
    program: str
    plant: Callable[[], Any]
    backward: bool = False

    @property
    def stages(self) -> Tuple[str, ...]:
        """What the stage may be called; the last where torch's graphs are compared as a whole."""
        made_by: str = self.plant.__qualname__.partition(".")[0]
        return _STAGES[made_by]


_STAGES = {
    "decomposition": ("decomposition", "decompositions or the partitioner"),
    "lowering": ("kernel", "only as fused", "in place", "Inductor"),
    "one_element": ("kernel", "only as fused", "in place", "Inductor"),
    "generated": ("kernel", "only as fused", "in place", "Inductor"),
    "fused": ("only as fused", "Inductor"),
    "graph_pass": ("graph pass", "Inductor"),
    "partition": ("partitioner", "decompositions or the partitioner"),
    "functionalisation": ("AOTAutograd",),
    "dynamo": ("Dynamo",),
}


@contextlib.contextmanager
def _replaced(table: Any, key: Any, value: Any) -> Iterator[None]:
    original = table[key]
    table[key] = value
    try:
        yield
    finally:
        table[key] = original


def lowering(name: str, size: float = 1.001) -> Callable[[], Any]:
    """What Inductor makes of an operator is off by a factor."""

    def plant() -> Any:
        from torch._inductor import lowering as of_inductor

        op = _operator(name)
        original, times = of_inductor.lowerings[op], of_inductor.lowerings[torch.ops.aten.mul.Tensor]
        return _replaced(of_inductor.lowerings, op, lambda *a, **k: times(original(*a, **k), size))

    return plant


def one_element(name: str) -> Callable[[], Any]:
    """Of what Inductor makes of an operator, the first element is off."""

    def plant() -> Any:
        from torch._inductor import ir
        from torch._inductor import lowering as of_inductor
        from torch._inductor.virtualized import ops

        op = _operator(name)
        original = of_inductor.lowerings[op]

        def wrong(*args: Any, **kwargs: Any) -> Any:
            right = original(*args, **kwargs)
            load = right.make_loader()

            def element(index: Any) -> Any:
                value, zero = load(index), ops.constant(0, torch.int64)
                firsts = [ops.eq(ops.index_expr(one, torch.int64), zero) for one in index]
                more = ops.mul(value, ops.constant(1.5, dtype))
                return ops.where(functools.reduce(ops.logical_and, firsts), more, value)

            dtype = right.get_dtype()
            return ir.Pointwise.create(
                device=right.get_device(), dtype=dtype, inner_fn=element, ranges=right.get_size()
            )

        return _replaced(of_inductor.lowerings, op, wrong)

    return plant


def decomposition(name: str, size: float = 1.001) -> Callable[[], Any]:
    """The decomposition of an operator is off by a factor."""

    @contextlib.contextmanager
    def plant() -> Iterator[None]:
        from torch._inductor import decomposition as of_inductor

        op = _operator(name)
        original = of_inductor.decompositions[op]

        def wrong(*args: Any, **kwargs: Any) -> Any:
            result = original(*args, **kwargs)
            return (result[0] * size, *result[1:]) if isinstance(result, tuple) else result * size

        with _replaced(of_inductor.decompositions, op, wrong):
            of_inductor.fast_random_decomps.cache_clear()  # a copy of the table
            yield
        of_inductor.fast_random_decomps.cache_clear()

    return plant


@contextlib.contextmanager
def _overridden(name: str, changed: Callable[[Any, str], Any]) -> Iterator[None]:
    """The functions that write an operation's C++, with vectors and without, given one and how a value is scaled."""
    from torch._inductor.codegen import cpp

    kept = []
    for owner, form in ((cpp.CppOverrides, "({0} * {1}f)"), (cpp.CppVecOverrides, "({0} * decltype({0})({1}f))")):
        original = getattr(owner, name)
        kept.append((owner, vars(owner).get(name)))
        setattr(owner, name, staticmethod(functools.wraps(original)(changed(original, form))))
    try:
        yield
    finally:
        for owner, one in kept:
            setattr(owner, name, one) if one is not None else delattr(owner, name)


def generated(name: str, size: float = 1.001, vectors: bool = False) -> Callable[[], Any]:
    """The C++ that is written for an operation is off by a factor, with vectors and without, or with vectors only."""

    def changed(original: Any, form: str) -> Any:
        if vectors and "decltype" not in form:
            return original
        return lambda *args: form.format(original(*args), size)

    def plant() -> Any:
        return _overridden(name, changed)

    return plant


def fused(name: str, other: str, size: float = 1.001) -> Callable[[], Any]:
    """The C++ of an operation is off by a factor in a kernel which has computed another operation before."""
    seen: Dict[int, Any] = {}  # kernels, kept alive: another must not get the identity of one

    def noted(original: Any, form: str) -> Any:
        from torch._inductor.virtualized import V

        def note(*args: Any) -> Any:
            seen[id(V.kernel)] = V.kernel
            return original(*args)

        return note

    def changed(original: Any, form: str) -> Any:
        from torch._inductor.virtualized import V

        return lambda *args: form.format(original(*args), size) if id(V.kernel) in seen else original(*args)

    @contextlib.contextmanager
    def plant() -> Iterator[None]:
        seen.clear()
        with _overridden(name, changed), _overridden(other, noted):
            yield

    return plant


def graph_pass(change: Callable[[Any], bool], backward: bool = False) -> Callable[[], Any]:
    """A pass over the graph, after all others, changes the first node that it can."""

    def plant() -> Any:
        def custom(graph: Any) -> None:
            if not backward or any("tangents" in node.name for node in graph.nodes):
                _change_first(graph, change)

        return torch._inductor.config.patch(post_grad_custom_post_pass=custom)

    return plant


def partition(change: Callable[[Any], bool], part: int) -> Callable[[], Any]:
    """The partitioner changes the first node that it can in the forward (0) or the backward (1) that it makes."""

    @contextlib.contextmanager
    def plant() -> Iterator[None]:
        from torch._inductor import compile_fx

        original = compile_fx.min_cut_rematerialization_partition

        def wrong(*args: Any, **kwargs: Any) -> Any:
            graphs = original(*args, **kwargs)
            _change_first(graphs[part].graph, change)
            graphs[part].recompile()
            return graphs

        with _replaced(vars(compile_fx), "min_cut_rematerialization_partition", wrong), _replaced(
            vars(torch._functorch.partitioners), "min_cut_rematerialization_partition", wrong
        ):
            yield

    return plant


def functionalisation(name: str, change: Callable[[Any, Any], Any]) -> Callable[[], Any]:
    """AOTAutograd records an operator with other arguments."""

    @contextlib.contextmanager
    def plant() -> Iterator[None]:
        from torch._subclasses.functional_tensor import FunctionalTensorMode

        original, op = FunctionalTensorMode.__torch_dispatch__, _operator(name)

        def wrong(self: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            args, kwargs = change(args, kwargs) if func is op else (args, kwargs)
            return original(self, func, types, args, kwargs)

        FunctionalTensorMode.__torch_dispatch__ = wrong
        try:
            yield
        finally:
            FunctionalTensorMode.__torch_dispatch__ = original

    return plant


def dynamo(change: Callable[[Any, Any], Any]) -> Callable[[], Any]:
    """Dynamo puts another operation, or other arguments, into its graph."""

    @contextlib.contextmanager
    def plant() -> Iterator[None]:
        from torch._dynamo.output_graph import SubgraphTracer

        original = SubgraphTracer.create_proxy

        def wrong(self: Any, kind: str, target: Any, args: Any, *rest: Any, **more: Any) -> Any:
            return original(self, kind, *change(target, args), *rest, **more)

        SubgraphTracer.create_proxy = wrong
        try:
            yield
        finally:
            SubgraphTracer.create_proxy = original

    return plant


def _other(target: Any, instead: Any) -> Callable[[Any, Any], Any]:
    return lambda it, args: (instead if it == target else it, args)


def _number(number: float, instead: float) -> Callable[[Any, Any], Any]:
    def change(target: Any, args: Any) -> Any:
        return target, tuple(instead if type(one) is float and one == number else one for one in args)

    return change


def _change_first(graph: Any, change: Callable[[Any], bool]) -> None:
    any(change(node) for node in list(graph.nodes) if node.op == "call_function")


def _swapped(word: str, other: Any) -> Callable[[Any], bool]:
    def change(node: Any) -> bool:
        if word not in str(node.target):
            return False
        node.target = other
        return True

    return change


def _row(word: str) -> Callable[[Any], bool]:
    """The first row of the result is off."""

    def change(node: Any) -> bool:
        if word not in str(node.target):
            return False
        with node.graph.inserting_after(node):
            row = node.graph.call_function(torch.ops.aten.select.int, (node, 0, 0))
        with node.graph.inserting_after(row):
            times = node.graph.call_function(torch.ops.aten.mul.Tensor, (row, 1.01))
        with node.graph.inserting_after(times):
            new = node.graph.call_function(torch.ops.aten.select_scatter.default, (node, times, 0, 0))
        value = node.meta["val"]
        for one, like in ((row, value[0]), (times, value[0]), (new, value)):
            one.meta = {**node.meta, "val": like}
        node.replace_all_uses_with(new, delete_user_cb=lambda user: user not in (row, new))
        return True

    return change


def _replaced_by_new(word: str) -> Callable[[Any], bool]:
    """A new node, with another name, in place of the old one."""

    def change(node: Any) -> bool:
        if word not in str(node.target):
            return False
        with node.graph.inserting_after(node):
            new = node.graph.call_function(torch.ops.aten.mul.Tensor, (node, 1.01))
        new.meta = dict(node.meta)
        node.replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)
        return True

    return change


def _operator(name: str) -> Any:
    packet, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet), overload or "default")


aten = torch.ops.aten
FAULTS = [
    Fault("sigmoid", "mlp", lowering("sigmoid")),
    Fault("tanh", "mlp", lowering("tanh")),
    Fault("tanh", "cell", generated("tanh")),
    Fault("sigmoid", "cell", generated("sigmoid")),
    Fault("exp", "attention", generated("exp")),
    Fault("rsqrt", "block", lowering("rsqrt")),
    Fault("rsqrt", "block", generated("rsqrt")),
    Fault("sum", "block", lowering("sum.dim_IntList", 1.0001)),
    Fault("amax", "attention", lowering("amax", 0.5)),
    Fault("mean", "mlp", lowering("mean.dim")),
    Fault("where", "attention", lowering("where.self", 1.01)),
    Fault("erf", "cell", lowering("erf")),
    Fault("atan2", "cell", generated("atan2")),
    Fault("cumsum", "losses", lowering("cumsum")),
    Fault("log1p", "gathered", generated("log1p")),
    Fault("embedding", "gathered", lowering("embedding")),
    Fault("sin", "updated", lowering("sin")),
    Fault("exp", "updated", lowering("exp")),
    Fault("cos", "updated", generated("cos")),
    Fault("gelu", "mlp", decomposition("gelu")),
    Fault("silu", "block", decomposition("silu")),
    Fault("softmax", "attention", decomposition("_softmax")),
    Fault("log_softmax", "losses", decomposition("_log_softmax")),
    Fault("huber", "losses", decomposition("huber_loss")),
    Fault("smooth_l1", "losses", decomposition("smooth_l1_loss")),
    Fault("hardswish", "convolution", decomposition("hardswish")),
    Fault("layer_norm", "block", decomposition("native_layer_norm")),
    Fault("tanh_backward", "mlp", decomposition("tanh_backward"), True),
    Fault("sigmoid_backward", "cell", decomposition("sigmoid_backward"), True),
    Fault("softmax_backward", "attention", decomposition("_softmax_backward_data"), True),
    Fault("silu_backward", "block", decomposition("silu_backward"), True),
    Fault("threshold_backward", "convolution", decomposition("threshold_backward"), True),
    Fault("layer_norm_backward", "block", decomposition("native_layer_norm_backward"), True),
    Fault("embedding_backward", "gathered", decomposition("embedding_dense_backward"), True),
    Fault("hardswish_backward", "convolution", decomposition("hardswish_backward"), True),
    Fault("huber_backward", "losses", decomposition("huber_loss_backward"), True),
    Fault("smooth_l1_backward", "losses", decomposition("smooth_l1_loss_backward"), True),
    Fault("log_softmax_backward", "losses", decomposition("_log_softmax_backward_data"), True),
    Fault("gelu_backward", "mlp", decomposition("gelu_backward"), True),
    Fault("avg_pool2d_backward", "convolution", lowering("avg_pool2d_backward"), True),
    Fault("upsample_backward", "convolution", graph_pass(_replaced_by_new("index_put"), True), True),
    Fault("cos", "updated", lowering("cos"), True),
    Fault("sub", "mlp", graph_pass(_swapped("aten.sub", aten.add.Tensor))),
    Fault("exp", "losses", graph_pass(_swapped("aten.exp", aten.expm1.default))),
    Fault("mm", "mlp", graph_pass(_replaced_by_new("aten.mm"))),
    Fault("sin", "updated", graph_pass(_swapped("aten.sin", aten.cos.default))),
    Fault("abs", "losses", graph_pass(_replaced_by_new("aten.abs"))),
    Fault("mm", "mlp", graph_pass(_replaced_by_new("aten.mm"), True), True),
    Fault("bmm", "attention", graph_pass(_replaced_by_new("aten.bmm"), True), True),
    Fault("mm", "cell", graph_pass(_row("aten.mm"), True), True),
    Fault("mm", "block", graph_pass(_row("aten.mm"))),
    Fault("exp", "updated", one_element("exp")),
    Fault("erf", "cell", one_element("erf")),
    Fault("rsqrt", "block", one_element("rsqrt")),
    Fault("sigmoid", "mlp", one_element("sigmoid"), True),
    Fault("log1p", "gathered", generated("log1p", vectors=True)),
    Fault("atan2", "cell", fused("atan2", "erf")),
    Fault("mul", "mlp", fused("mul", "sigmoid")),
    Fault("cos", "updated", fused("cos", "exp")),
    Fault("mul", "block", fused("mul", "sigmoid"), True),
    Fault("bmm", "attention", partition(_replaced_by_new("aten.bmm"), 0), True),
    Fault("tanh", "cell", partition(_swapped("aten.tanh", aten.sin.default), 0), True),
    Fault("mm", "mlp", partition(_replaced_by_new("aten.mm"), 1), True),
    Fault("tanh_backward", "cell", partition(_swapped("aten.sub", aten.add.Tensor), 1), True),
    Fault("mul_", "updated", functionalisation("mul_.Tensor", lambda args, _: ((args[0], 0.91), {}))),
    Fault("add_", "updated", functionalisation("add_.Tensor", lambda args, _: (args, {}))),
    Fault("softmax", "attention", functionalisation("_softmax", lambda args, _: ((args[0], 2, args[2]), {}))),
    Fault("cumsum", "losses", functionalisation("cumsum", lambda args, _: ((args[0], 0), {})), True),
    Fault("tanh_backward", "cell", functionalisation("tanh_backward", lambda args, _: ((args[1], args[1]), {})), True),
    Fault("sigmoid_backward", "cell", functionalisation("sigmoid_backward", lambda args, _: (args[:1] * 2, {})), True),
    Fault("gelu_backward", "mlp", functionalisation("gelu_backward", lambda args, _: (args[::-1], {})), True),
    Fault("silu_backward", "block", functionalisation("silu_backward", lambda args, _: (args[::-1], {})), True),
    Fault("hardswish_backward", "convolution",
          functionalisation("hardswish_backward", lambda args, _: (args[:1] * 2, {})), True),
    Fault("threshold_backward", "convolution",
          functionalisation("threshold_backward", lambda args, _: ((*args[:2], 0.1), {})), True),
    Fault("softmax_backward", "attention",
          functionalisation("_softmax_backward_data", lambda args, _: ((args[0], args[1], 2, args[3]), {})), True),
    Fault("sigmoid_backward", "mlp", functionalisation("sigmoid_backward", lambda args, _: (args[:1] * 2, {})), True),
    Fault("exp", "attention", fused("exp", "sub")),
    Fault("sin", "updated", fused("sin", "exp"), True),
    Fault("mul", "cell", fused("mul", "tanh")),
    Fault("mul", "cell", fused("mul", "tanh"), True),
    Fault("abs", "losses", fused("abs", "sub")),
    Fault("bmm", "attention", graph_pass(_row("aten.bmm"), True), True),
    Fault("mm", "block", graph_pass(_replaced_by_new("aten.mm"), True), True),
    Fault("mm", "mlp", graph_pass(_row("aten.mm"), True), True),
    Fault("bmm", "attention", partition(_replaced_by_new("aten.bmm"), 1), True),
    Fault("mm", "block", partition(_replaced_by_new("aten.mm"), 1), True),
    Fault("mm", "cell", partition(_row("aten.mm"), 1), True),
    Fault("cos", "updated", one_element("cos"), True),
    Fault("tanh", "cell", one_element("tanh"), True),
    Fault("sigmoid", "cell", dynamo(_other(torch.sigmoid, torch.tanh))),
    Fault("rsqrt", "block", dynamo(_other(torch.rsqrt, torch.sqrt))),
    Fault("exp", "updated", dynamo(_other("exp", "expm1"))),
    Fault("mul_", "updated", dynamo(_other("mul_", "mul"))),
    Fault("mul_", "updated", dynamo(_number(0.9, 0.9001))),
    Fault("div", "attention", dynamo(_number(8.0, 8.01))),
    Fault("flip", "gathered", dynamo(lambda it, args: (it, (args[0], 1) if it == "flip" else args))),
    Fault("abs", "losses", dynamo(_other("abs", "neg")), True),
    Fault("add_", "updated", dynamo(_other("detach", "clone")), True),
]  # fmt: skip

# ---- running


def _run(program: str, dtype: Any, training: bool, how: Callable[[Any], Any] = torch.compile) -> List[Any]:
    """The result of one program, its inputs afterwards, and the gradients."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    function, make = PROGRAMS[program]
    inputs = make(dtype)
    if training:
        floats = [one for one in inputs if one.is_floating_point()]
        for one in floats[: 1 if program == "updated" else None]:
            one.requires_grad_()
    result = how(function)(*inputs)
    if training:
        result.float().square().sum().backward()
    return [result, *inputs, *(one.grad for one in inputs if one.is_leaf and one.grad is not None)]


def run(program: str, dtype: Any, training: bool) -> Any:
    """What `depyf.compare` says of one program."""
    import depyf

    with tempfile.TemporaryDirectory() as folder, depyf.compare(folder) as report:
        _run(program, dtype, training)
    return report


def has_effect(fault: Fault) -> bool:
    """Whether a program computes something else with the fault: not where a version has no use for what it changes."""
    with fault.plant():
        compiled = _run(fault.program, torch.float32, fault.backward)
    eager = _run(fault.program, torch.float32, fault.backward, lambda function: function)
    return not all(torch.allclose(one, other, 2e-5, 1e-6, equal_nan=True) for one, other in zip(compiled, eager))


def lines_with(name: str, program: str) -> List[int]:
    import inspect

    lines, first = inspect.getsourcelines(PROGRAMS[program].function)
    return [first + at for at, line in enumerate(lines) if name in re.findall(r"\w+", line.partition("#")[2])]


def planted(faults: List[Fault], verbose: bool) -> int:
    missed = in_stage = detected = number = 0
    for fault in faults:
        with fault.plant():
            report = run(fault.program, torch.float32, fault.backward)
        where = "backward" if fault.backward else "forward"
        if not report.findings and not has_effect(fault):
            print(f"no effect {fault.name} in {fault.program}, {where}: the results are eager's", flush=True)
            continue
        number += 1
        found = [one.line for one in report.findings]
        stages = list(dict.fromkeys(one.stage for one in report.findings))
        expected = lines_with(fault.name, fault.program)
        verdict = "found" if found and set(found) <= set(expected) else "MISSED" if not found else "ELSEWHERE"
        missed += verdict != "found"
        detected += bool(found)
        right = bool(found) and set(stages) <= set(fault.stages)
        in_stage += right
        said = ", ".join(stages) + ("" if right or not found else f" (NOT {fault.stages[0]})")
        print(f"{verdict:9} {fault.name} in {fault.program}, {where}: {said} {found} of {expected}", flush=True)
        if verbose or verdict != "found":
            print("    " + str(report).replace("\n", "\n    "))
    figures = ((number - missed, "at their lines"), (in_stage, "in the right stage"), (detected, "found"))
    shares = (f"{one} {words} ({one / max(1, number):.0%})" for one, words in figures)
    print(f"{number} faults: " + ", ".join(shares))
    return missed


def untouched(dtypes: List[Any], verbose: bool) -> int:
    alarms = checked = buffers = runs = 0
    for program in PROGRAMS:
        for dtype in dtypes:
            for training in (False, True):
                report = run(program, dtype, training)
                runs += 1
                alarms += len(report.findings)
                checked += sum(one.buffers[0] for one in report.verdicts)
                buffers += sum(one.buffers[1] for one in report.verdicts)
                if report.findings or verbose:
                    print(f"{program} {dtype} training={training}")
                    print("    " + str(report).replace("\n", "\n    "), flush=True)
    print(f"untouched: {alarms} alarms in {runs} runs; {checked} of {buffers} buffers checked")
    return alarms


def constants() -> int:
    """Each constant at a range of values, the others as they are: false alarms, and faults of 1e-5 that are found."""
    from depyf.comparing.rounding import CONSTANTS

    small = [Fault(one.name, one.program, lowering(name, 1 + 1e-5)) for one, name in
             ((FAULTS[0], "sigmoid"), (FAULTS[1], "tanh"), (FAULTS[11], "erf"), (FAULTS[16], "sin"))]  # fmt: skip
    for name, chosen in list(CONSTANTS.items()):
        for times in (0.1, 0.3, 1.0, 3.0, 10.0):
            CONSTANTS[name] = chosen * times
            alarms = sum(len(run(program, dtype, True).findings)
                         for program in PROGRAMS for dtype in (torch.float32, torch.bfloat16))  # fmt: skip
            found = 0
            for fault in small:
                with fault.plant():
                    found += bool(run(fault.program, torch.float32, False).findings)
            print(f"{name} = {CONSTANTS[name]:g}: {alarms} alarms, {found} of {len(small)} faults", flush=True)
        CONSTANTS[name] = chosen
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", nargs="*", default=[], metavar="WORD")
    parser.add_argument("--untouched", action="store_true")
    parser.add_argument("--planted", action="store_true")
    parser.add_argument("--constants", action="store_true")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    if options.constants:
        return constants()
    wrong = 0
    if not options.untouched:
        faults = [one for one in FAULTS if not options.only or any(word in one.name for word in options.only)]
        wrong += planted(faults, options.verbose)
    if not options.only and not options.planted:
        wrong += untouched([torch.float32, torch.bfloat16, torch.float16], options.verbose)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
