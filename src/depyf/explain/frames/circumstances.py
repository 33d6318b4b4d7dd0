"""What a compilation depends on besides the function's inputs: torch's global state, and whether modules train.

Torch names the first check that fails, and of its global state some versions say no more than that it has changed. So
what it was at each compilation is noted, to be compared with what it is at the next.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple, Tuple

from ...decompiler.proof.callables import attributes

__all__ = ["RecompilingCall", "ChangedValue", "changes", "circumstances"]

ChangedValue = Tuple[str, str, str]  # of what, what it was, what it is


class RecompilingCall(NamedTuple):
    """The call which made Dynamo compile again: its variables, those of its module, and the circumstances."""

    local_names: Any
    global_names: Any
    now: dict[str, str]


def circumstances(local_names: Any) -> dict[str, str]:
    """Now: each by its name for readers. Only a torch which is imported is asked, and no code of the program runs."""
    torch = sys.modules.get("torch")
    if torch is None:
        return {}
    found = {
        "grad mode": _switch(torch.is_grad_enabled()),
        "autocast on the CPU": _switch(_autocast(torch)),
        "the default dtype": str(torch.get_default_dtype()),
        "determinism": _switch(torch.are_deterministic_algorithms_enabled()),
        "the number of threads": str(torch.get_num_threads()),
    }
    for name, value in list(local_names.items()) if type(local_names) is dict else []:
        if issubclass(type(value), torch.nn.Module):
            training = attributes(value).get("training")
            if type(training) is bool:
                found[f"{name}.training"] = str(training)
    return found


def changes(before: dict[str, str], now: dict[str, str]) -> list[ChangedValue]:
    """What is otherwise now; what is known of one time only is left out."""
    return [(name, was, now[name]) for name, was in before.items() if now.get(name, was) != was]


def _switch(is_on: Any) -> str:
    return "on" if is_on else "off"


def _autocast(torch: Any) -> bool:
    """`is_autocast_enabled` takes the kind of device from 2.4 on; before, the CPU has a function of its own."""
    try:
        return bool(torch.is_autocast_enabled("cpu"))
    except TypeError:
        return bool(torch.is_autocast_cpu_enabled())
