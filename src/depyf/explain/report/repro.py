"""A captured graph as a program of its own: nothing of the user's program is needed to compile and run it."""

from __future__ import annotations

import builtins
import symtable

from ..model import CacheEntry, Graph
from .page.helpers import helpers_used
from .why import one_line

__all__ = ["NotAlone", "repro_name", "repro_of"]

_IMPORTS = """
import contextlib
import math
import operator
import sys
import types
from math import inf, nan

import torch
import torch.fx._pytree as fx_pytree
import torch.utils._pytree as pytree
from torch import device
"""
_TENSOR = '''

def tensor(size, stride, dtype, where, grad=False, leaf=True):
    """A tensor of random numbers, of zeros where it has integers: they may be indices."""
    length = 1 + sum((n - 1) * by for n, by in zip(size, stride)) if 0 not in size else 0
    numbers = dtype.is_floating_point or dtype.is_complex
    flat = torch.randn(length).to(where, dtype) if numbers else torch.zeros(length, dtype=dtype, device=where)
    if not leaf:
        flat = flat.requires_grad_().clone()
    return flat.as_strided(size, stride).requires_grad_(grad)

'''
_MAIN = '''
def inputs():
    """Like those that it was compiled with, but for the values."""
    return [
{given}    ]


def run(function):
    """What the graph returns, and gradients of its inputs."""
    torch.manual_seed(0)
    given = inputs()
    with contextlib.ExitStack() as modes:
        modes.enter_context(torch.set_grad_enabled({grad}))
        for where, dtype in {autocast}.items():
            modes.enter_context(torch.autocast(where, dtype))
        results = function(*given)
    flat = [one for one in pytree.tree_flatten(results)[0] if isinstance(one, torch.Tensor)]
    wanted = [one for one in flat if one.requires_grad]
    torch.autograd.backward(wanted, [torch.ones_like(one) for one in wanted])
    leaves = [one for one in given if isinstance(one, torch.Tensor) and one.is_leaf]
    return [one.detach() for one in flat], [one.grad for one in leaves]


if __name__ == "__main__":
    backend = sys.argv[1] if len(sys.argv) > 1 else {backend!r}
    if backend == "inductor":
        torch._inductor.config.fallback_random = True  # eager's random numbers
    want = run({graph})
    have = run(torch.compile({graph}, backend=backend, dynamic={dynamic}))
    torch.testing.assert_close(have, want, equal_nan=True, rtol=1e-3, atol=1e-3)
    print(f"{{backend}} computes what eager does: {{len(want[0])}} results, {{len(want[1])}} gradients")
'''


_ITSELF = "self = types.SimpleNamespace("


class NotAlone(ValueError):
    """A graph needs something of the program's: the text says what."""


def repro_name(graph: Graph) -> str:
    """The file's name."""
    return f"{graph.name}.repro.py"


def repro_of(graph: Graph, entry: CacheEntry, function: str) -> str:
    """The program. `entry` is the compilation that calls the graph, `function` what was compiled.

    Raises:
        NotAlone: it can't be one.
    """
    source = graph.source
    for name, made in graph.examples.items():
        if not made:
            raise NotAlone(f"nothing like {name} can be made from its type")
    attributes = [name for name in graph.examples if name not in graph.placeholders]
    for number, name in enumerate(attributes):
        if f"of_program({name!r})" in source:
            source = source.replace(f"of_program({name!r})", f"ATTRIBUTE_{number}")
        elif name.isidentifier():
            inner, _, rest = source.rpartition(_ITSELF)
            source = f"{inner}{_ITSELF}{name}=ATTRIBUTE_{number}, {rest}"
        else:
            raise NotAlone(f"it needs {name} of the program")
    made_once = [f"ATTRIBUTE_{number} = {graph.examples[name]}" for number, name in enumerate(attributes)]
    lines = [line for one in graph.global_lines.values() for line in one.split("; ")]
    named = [(graph.examples[name], one_line(graph.inputs.get(name) or name)) for name in graph.placeholders]
    given = "".join(f"        {made},  # {name}\n" for made, name in named)
    main = _MAIN.format(
        given=given, graph=graph.name, backend=graph.backend,
        grad=entry.state.get("grad_mode", "True"), autocast=entry.state.get("autocast", "{}"),
        dynamic=any(graph.examples[name].isdigit() for name in graph.placeholders) or None,
    )  # fmt: skip
    title = one_line(f"The graph {graph.name} of {function} by itself: `python {repro_name(graph)} [BACKEND]` runs it.")
    helpers = list(filter(None, [helpers_used(source)]))
    text = "\n".join([f"# {title}", _IMPORTS, *lines, _TENSOR, *made_once, source, *helpers, main])
    missing = _unbound(text)
    if missing:
        raise NotAlone("it needs {} of the program".format(", ".join(missing)))
    return text


def _unbound(text: str) -> list[str]:
    """Names that functions of a module read, and nothing in it defines."""
    module = symtable.symtable(text, "repro", "exec")
    known = {one.get_name() for one in module.get_symbols() if one.is_assigned() or one.is_imported()}
    known |= set(vars(builtins)) | {"__name__"}
    tables, read = [module], set()
    while tables:
        table = tables.pop()
        tables += table.get_children()
        read |= {one.get_name() for one in table.get_symbols() if one.is_global() and one.is_referenced()}
    return sorted(read - known)
