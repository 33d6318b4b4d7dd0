"""Which operations of a graph can be evaluated again, and why the others can not."""

from __future__ import annotations

import functools
import weakref
from typing import Any, Iterable, Iterator

from ..facts import LOWERED

__all__ = ["ONLY_WRITES", "RANDOM", "STALE", "UNINITIALISED", "attributes_of", "is_overwritten", "layout_of",
           "lowered", "number_of", "why_not", "why_not_its_operator", "written_arguments"]  # fmt: skip

RANDOM = "random"
STALE = "a read of memory that was written in place"
UNINITIALISED = "uninitialised memory"
ONLY_WRITES = "an operator that only writes into its arguments"
_WRITES: Any = weakref.WeakKeyDictionary()  # by graph


def attributes_of(module: Any, nodes: Iterable[Any]) -> dict[Any, Any]:
    """The values of the nodes that are attributes of a module: constants, frozen parameters, inner graphs."""
    names = {node: node.target.split(".") for node in nodes if node.op == "get_attr"}
    return {node: functools.reduce(getattr, parts, module) for node, parts in names.items()}


def why_not(node: Any) -> str:
    """Why the operation of a node can't be evaluated again; "" when it can."""
    return STALE if node in _writes(node)[0] else why_not_its_operator(node)


def is_overwritten(node: Any) -> bool:
    """Whether memory of a node's value is written into afterwards: in the end it is another."""
    return node in _writes(node)[1]


def why_not_its_operator(node: Any) -> str:
    """The same of its operator alone, whatever the memory that it reads."""
    import torch

    target = lowered(node.target)
    if node.op in ("placeholder", "get_attr", "output") or callable(target) and _is_plain(target):
        return ""
    if target in LOWERED.values():
        return ""
    if isinstance(target, functools.partial):
        return "a fusion that only Inductor can lower"
    if not isinstance(target, torch._ops.OpOverload):
        return "a higher-order operator"
    name = str(target)
    namespace = target.namespace
    if any(word in name for word in ("inductor_rand", "inductor_seed", "inductor_lookup_seed")) or _draws(node, target):
        return RANDOM
    if namespace.startswith(("_c10d", "c10d")):
        return "a collective"
    if namespace not in ("aten", "prims", "mkldnn", "mkl", "quantized", "onednn", "inductor"):
        return "a custom operator"
    if target._schema.name.rpartition("::")[2].startswith(("empty", "new_empty")):
        return UNINITIALISED
    if "as_strided" in name and layout_of(node) is None:
        return "as_strided, which depends on memory"
    if target._schema.is_mutable and not target._schema.returns:
        return ONLY_WRITES
    return ""


def written_arguments(operator: Any, args: Any, kwargs: Any) -> Iterator[tuple[Any, Any]]:
    """Where the arguments are that an operator writes into: `args` or `kwargs`, and the index or the name there."""
    for at, argument in enumerate(operator._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            if at < len(args):
                yield args, at
            elif argument.name in kwargs:
                yield kwargs, argument.name


def _writes(node: Any) -> tuple[set[Any], set[Any]]:
    """The operations of a node's graph that read memory into which another has written, as here are values and no
    memory; and those whose own memory others write into."""
    graph = getattr(node, "graph", None)
    if graph is None:
        return set(), set()
    if graph not in _WRITES:
        stale: set[Any] = set()
        roots: dict[Any, Any] = {}  # a node: whose memory it has
        written: dict[Any, Any] = {}  # that memory: the last operation that wrote into it
        seen: dict[Any, Any] = {}  # a node: the last write that is in its value
        for one in graph.nodes:
            read = list(one.all_input_nodes) if one.op == "call_function" else []
            if "copy_.default" in str(one.target):
                read = list(one.args[1:2])
            if any(written.get(roots.get(source)) is not seen.get(source) for source in read):
                stale.add(one)
            of, writes = _memory_of(one)
            roots[one], seen[one] = (roots.get(of, of), seen.get(of)) if of is not None else (one, None)
            if writes:
                written[roots[one]] = seen[one] = one
        _WRITES[graph] = stale, {one for one, root in roots.items() if written.get(root) is not seen[one]}
    known: tuple[set[Any], set[Any]] = _WRITES[graph]
    return known


def _memory_of(node: Any) -> tuple[Any, bool]:
    """The argument whose memory an operation's result has, or None; whether it writes there."""
    arguments = getattr(getattr(lowered(node.target), "_schema", None), "arguments", ())
    for argument, value in zip(arguments, node.args):
        if argument.alias_info is not None and hasattr(value, "op"):
            return value, argument.alias_info.is_write
    is_item = getattr(node.target, "__name__", "") == "getitem"
    return (node.args[0] if is_item and node.args else None), False


def _draws(node: Any, target: Any) -> bool:
    """Whether an operation draws random numbers: attention without dropout doesn't."""
    import torch

    if torch.Tag.nondeterministic_seeded not in target.tags:
        return False
    for at, argument in enumerate(target._schema.arguments):
        if argument.name == "dropout_p":
            share = node.args[at] if at < len(node.args) else node.kwargs.get(argument.name, argument.default_value)
            return bool(share != 0)
    return True


def layout_of(node: Any) -> tuple[int, ...] | None:
    """The strides of what ``as_strided`` is given, where that is all of its memory; else None."""
    import torch

    like: Any = getattr(node.args[0], "meta", {}).get("val")
    if type(like) not in (torch.Tensor, torch._subclasses.FakeTensor) or like.is_conj() or like.storage_offset() != 0:
        return None
    strides = [number_of(one) for one in like.stride()]
    by_stride = sorted((stride, number_of(size)) for stride, size in zip(strides, like.shape) if number_of(size) != 1)
    reach = 1
    for stride, size in by_stride:
        if stride != reach:
            return None
        reach *= size
    whole = number_of(like.untyped_storage().nbytes()) == reach * like.element_size()
    return tuple(strides) if whole else None


def number_of(value: Any) -> Any:
    """A symbolic number as it is in this call."""
    node = getattr(value, "node", None)
    return value if node is None or not hasattr(node, "hint") else node.hint


def lowered(target: Any) -> Any:
    """What computes a target: a function for what only Inductor can lower, an operator for all that have its name."""
    import torch

    if isinstance(target, torch._ops.OpOverloadPacket):  # some passes put it into the graph: ``aten.clone``
        return getattr(target, "default", target)
    return LOWERED.get(getattr(target, "__name__", ""), target)


def _is_plain(target: Any) -> bool:
    """A function of Python's, on numbers or tuples: ``operator.getitem``."""
    return (getattr(target, "__module__", "") or "") in ("_operator", "builtins", "math", "torch._sym_ops", "torch")
