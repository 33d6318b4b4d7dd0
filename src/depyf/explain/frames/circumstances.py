"""What a compilation depends on besides the function's inputs: torch's global state, and whether modules train.

Torch names the first check that fails, and of its global state some versions say no more than that it has changed. So
what it was at each compilation is noted, to be compared with what it is at the next.
"""

from __future__ import annotations

import re
import sys
from typing import Any, Iterable, NamedTuple, Tuple

from ...decompiler.proof.callables import attributes
from ..model import CacheEntry
from ..torch_facts.torch_state import autocast_of

__all__ = ["RecompilingCall", "ChangedValue", "changes", "circumstances", "compare_states"]

_CHECKS = ("utils_device.CURRENT_DEVICE", "___check_torch_function_mode_stack")
_OF_GUARDS = {"default_device": "the default device", "modes": "the stack of torch function modes"}
ChangedValue = Tuple[str, str, str]  # of what, what it was, what it is


class RecompilingCall(NamedTuple):
    """The call which made Dynamo compile again: its variables, those of its module, the circumstances, and whether it
    is one of what was given to torch.compile."""

    local_names: Any
    global_names: Any
    now: dict[str, str]
    is_given: bool = True


def circumstances(local_names: Any) -> dict[str, str]:
    """Now: each by its name for readers. Only a torch which is imported is asked, and no code of the program runs."""
    torch = sys.modules.get("torch")
    if torch is None:
        return {}
    found = {
        "grad mode": _switch(torch.is_grad_enabled()),
        "autocast on the CPU": _switch(autocast_of("cpu")[0]),
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


def compare_states(entries: Iterable[CacheEntry]) -> None:
    """Says what the default device and the modes were and are, from the guards of both compilations."""
    known: dict[str, dict[str, str]] = {}
    for entry in entries:
        for one in entry.recompiled:
            was = known.get(one.compile_id, {})
            changed = [field for field in _OF_GUARDS if was.get(field, "") != entry.state.get(field, "")]
            if any(mark in one.guard for mark in _CHECKS) and changed:
                one.subject, one.is_change = _OF_GUARDS[changed[0]], True
                one.expected, one.actual = (_state_words(state.get(changed[0], "")) for state in (was, entry.state))
                one.words = f"{one.subject} was {one.expected}, and is {one.actual} now"
        known[entry.compile_id] = entry.state


def _state_words(value: str) -> str:
    """``torch.device(type='meta')`` as ``meta``, ``['DeviceContext']`` as ``DeviceContext``."""
    return re.sub(r"^torch\.device\(|type=|[\[\]'()]", "", value).replace("None", "unset") or "empty"


def _switch(is_on: Any) -> str:
    return "on" if is_on else "off"
