"""Everything which `prepare_debug` hooks into or changes in torch, one row each, undone when the context ends.

A row says what it reaches for, what it gives the dump, and since (and until) which version of torch the target exists;
the versions are documentation, the code asks `torch_behavior.py`. A row whose target is missing costs what `serves`
says, and nothing else. Every replacement passes all arguments through, those it does not know as well.
"""

from __future__ import annotations

import contextlib
import sys
import types
from dataclasses import dataclass
from typing import Any, Callable, List, Tuple

from depyf.explain import torch_behavior
from depyf.explain.containment import contained
from depyf.explain.torch_behavior import MissingHook, find

__all__ = ["PATCHES", "Patch", "apply_patches", "graph_was_formatted", "original_kernel_loader"]


@dataclass(frozen=True)
class Patch:
    """One row.

    Attributes:
        target: what is hooked or changed.
        apply: given the recorder, does it and returns the function which undoes it. Raises MissingHook when this torch
            does not have the target.
        serves: what the dump lacks without it.
        reason: why it is done this way.
        since: first version of torch which has the target.
        until: last one, "" when there is none.
        wanted: whether this recorder needs the row.
    """

    target: str
    apply: Callable[[Any], Callable[[], None]]
    serves: str
    reason: str
    since: str
    until: str = ""
    wanted: Callable[[Any], bool] = lambda recorder: True


def apply_patches(recorder: Any, undo: contextlib.ExitStack) -> None:
    """Applies every row for `recorder`, whatever happens to the others; `undo` gets what takes each back."""
    for patch in PATCHES:
        if not patch.wanted(recorder):
            continue
        with contained(recorder.session, "hooking {}".format(patch.target), costs=patch.serves):
            restore = patch.apply(recorder)
            undo.callback(_restored, recorder, patch, restore)


def _restored(recorder: Any, patch: Patch, restore: Callable[[], None]) -> None:
    with contained(recorder.session, "restoring {}".format(patch.target)):
        restore()


# ---- the ways to hook in


def _hook_bytecode(recorder: Any) -> Callable[[], None]:
    handle = torch_behavior.register_bytecode_hook(recorder.on_bytecode)
    return lambda: handle.remove()


# Who is to be told about graphs: recorder, and the original as a function of its own. Read by the code put into
# `lazy_format_graph_code`, which can reach nothing but what it imports.
_graph_listeners: List[Tuple[Any, types.FunctionType]] = []


def graph_was_formatted(args: Tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `lazy_format_graph_code` does while a recorder listens: tell it, then do what it always did."""
    recorder, original = _graph_listeners[-1]
    recorder.on_graph(args, kwargs)
    return original(*args, **kwargs)


def _formatter_in_place(*args: Any, **kwargs: Any) -> Any:
    from depyf.explain.patches import graph_was_formatted

    return graph_was_formatted(args, kwargs)


def _hook_graph_formatter(recorder: Any) -> Callable[[], None]:
    formatter = torch_behavior.graph_formatter()
    code, defaults = formatter.__code__, formatter.__defaults__
    if code.co_freevars:
        raise MissingHook("lazy_format_graph_code has become a closure")
    original = types.FunctionType(code, formatter.__globals__, formatter.__name__, defaults)
    original.__kwdefaults__ = formatter.__kwdefaults__
    listener = (recorder, original)
    _graph_listeners.append(listener)
    formatter.__code__ = _formatter_in_place.__code__

    def restore() -> None:
        formatter.__code__ = code
        _graph_listeners.remove(listener)

    return restore


_kernel_loaders: List[Callable[..., Any]] = []  # torch's own, while a recorder stands in front of it


def original_kernel_loader() -> Callable[..., Any]:
    """torch's `PyCodeCache.load_by_key_path`, bound, whether or not a recorder listens."""
    if _kernel_loaders:
        return _kernel_loaders[0]
    loader: Callable[..., Any] = find("torch._inductor.codecache", "PyCodeCache.load_by_key_path")
    return loader


def _hook_kernel_loader(recorder: Any) -> Callable[[], None]:
    cache = find("torch._inductor.codecache", "PyCodeCache")
    if "load_by_key_path" not in vars(cache):
        raise MissingHook("PyCodeCache has no load_by_key_path")
    before = vars(cache)["load_by_key_path"]
    load = cache.load_by_key_path

    def load_by_key_path(cls: Any, *args: Any, **kwargs: Any) -> Any:
        module = load(*args, **kwargs)
        recorder.on_kernel(module)
        return module

    cache.load_by_key_path = classmethod(load_by_key_path)
    _kernel_loaders.append(load)

    def restore() -> None:
        cache.load_by_key_path = before
        _kernel_loaders.remove(load)

    return restore


def _hook_generated_code(recorder: Any) -> Callable[[], None]:
    home = find("torch.fx.graph_module", "__dict__")
    before = find("torch.fx.graph_module", "_exec_with_source")

    def exec_with_source(*args: Any, **kwargs: Any) -> Any:
        done = before(*args, **kwargs)
        recorder.on_generated_code(args, kwargs)
        return done

    home["_exec_with_source"] = exec_with_source

    def restore() -> None:
        home["_exec_with_source"] = before

    return restore


def _switch_off(module: str, setting: str) -> Callable[[Any], Callable[[], None]]:
    def apply(recorder: Any) -> Callable[[], None]:
        before = find(module, setting)
        config = sys.modules[module]
        setattr(config, setting, False)
        return lambda: setattr(config, setting, before)

    return apply


PATCHES: List[Patch] = [
    Patch(
        target="torch._dynamo.convert_frame.register_bytecode_hook",
        apply=_hook_bytecode,
        serves="transformed code, pages per function",
        reason="public hook; what it returns is what runs",
        since="2.2",
    ),
    Patch(
        target="torch.fx._utils.lazy_format_graph_code",
        apply=_hook_graph_formatter,
        serves="graph files",
        reason="every stage calls it with its graph, whether or not logs are on. Its code object is exchanged, as some "
        "20 modules have imported the function by name",
        since="2.2 (in torch._dynamo.utils; in torch.fx._utils since 2.4)",
    ),
    Patch(
        target="torch._inductor.codecache.PyCodeCache.load_by_key_path",
        apply=_hook_kernel_loader,
        serves="kernel files",
        reason="every module which Inductor generates is loaded by it; `set_sys_modules` since 2.13",
        since="2.2",
    ),
    Patch(
        target="torch.fx.graph_module._exec_with_source",
        apply=_hook_generated_code,
        serves="fx_graph_code files",
        reason="the only way to see generated code that belongs to no graph of a compiled function",
        since="2.2",
        wanted=lambda recorder: not recorder.clean_wild_fx_code,
    ),
    Patch(
        target="torch._inductor.config.fx_graph_cache",
        apply=_switch_off("torch._inductor.config", "fx_graph_cache"),
        serves="graph files of graphs which an earlier run has compiled",
        reason="a hit skips the stages, and its kernels name the lines of the program which filled the cache; "
        "compiled C++ stays cached",
        since="2.2",
    ),
    Patch(
        target="torch._functorch.config.enable_autograd_cache",
        apply=_switch_off("torch._functorch.config", "enable_autograd_cache"),
        serves="graph files of graphs which an earlier run has compiled",
        reason="as above, one level up",
        since="2.4",
    ),
]
