"""The global state for which a compilation was made: with its guards, in words and as a check that runs."""

from __future__ import annotations

from typing import Sequence

from ..model import CacheEntry, Guard
from ..torch_facts.torch_state import EXPRESSIONS, UNKNOWN, USUAL, state_of, written_state
from .words import is_ambient, is_plain

__all__ = ["deciding", "read_state", "state_check", "state_words", "undecided"]

_SWITCHES = {
    "grad_mode": "grad mode",
    "deterministic_algorithms": "deterministic algorithms",
    "deterministic_algorithms_warn_only": "of which one is only warned",
    "torch_function": "torch function overrides",
    "allow_tf32": "TF32",
}
_TOLD_IF_UNUSUAL = ("deterministic_algorithms_warn_only", "torch_function", "allow_tf32")
_IN_STATE = ("GLOBAL_STATE", "TORCH_FUNCTION_MODE_STACK", "DEFAULT_DEVICE", "OBJECTS_ALIVE")
_UNKNOWN = "torch's global state (grad mode, autocast, default dtype, determinism, threads) is as it was"


def read_state(entry: CacheEntry) -> None:
    """Fills in the state of an entry from its guards, and their words."""
    known = state_of(entry.guard_manager)
    for guard in entry.guards:
        if guard.kind == "GLOBAL_STATE" and not known:
            known = written_state(guard.code.partition(" against ")[2])
    devices = [guard.code for guard in entry.guards if guard.kind == "DEFAULT_DEVICE"]
    if devices and known:
        known["default_device"] = devices[0].partition(" == ")[2].replace("device(", "torch.device(")
    noted = {name: value for name, value in entry.state.items() if not known or name in known}
    entry.state = {**known, **noted}  # what was noted while it was compiled is certain
    for guard in entry.guards:
        if guard.kind == "GLOBAL_STATE":
            guard.words = state_words(entry.state)
        elif guard.kind == "TORCH_FUNCTION_MODE_STACK" and "modes" in entry.state:
            names = entry.state["modes"].strip("[]").replace("'", "")
            guard.words = f"torch function modes that are active: {names or 'none'}"


def state_words(state: dict[str, str]) -> str:
    """``grad mode on, autocast off, default dtype float32, deterministic algorithms off, 2 threads``."""
    known = {name: value for name, value in state.items() if value != UNKNOWN}
    words = []
    for name in _SWITCHES:
        if name in known and (name not in _TOLD_IF_UNUSUAL or known[name] != USUAL.get(name, "False")):
            words.append("{} {}".format(_SWITCHES[name], "on" if known[name] == "True" else "off"))
    if "autocast" in known:
        on = known["autocast"].strip("{}").replace("'", "").replace("torch.", "").replace(":", " to")
        words.insert(1, f"autocast on {on}" if on else "autocast off")
    if "default_dtype" in known:
        words.append("default dtype " + known["default_dtype"].replace("torch.", ""))
    if "num_threads" in known:
        words.append("{} thread{}".format(known["num_threads"], "s" * (known["num_threads"] != "1")))
    return "global state: " + ", ".join(words) if words else _UNKNOWN


def state_check(entry: CacheEntry, others: Sequence[CacheEntry]) -> str:
    """``state_is(grad_mode=False)``: what is not as torch begins with, or by what `others` differ; "" if unknown."""
    asked = [name for name, value in entry.state.items() if name in EXPRESSIONS
             and (value != USUAL[name] if name in USUAL else _differs(name, others))]  # fmt: skip
    return "state_is({})".format(", ".join(f"{name}={entry.state[name]}" for name in asked)) if entry.state else ""


def undecided(entry: CacheEntry, others: Sequence[CacheEntry]) -> list[str]:
    """What Dynamo tells compilations apart by and a page can't check, in words."""
    is_unknown = not entry.state and any(guard.kind == "GLOBAL_STATE" for guard in entry.guards)
    found = [_UNKNOWN] * is_unknown
    found += [f"{name} is {value}".replace(UNKNOWN, "not known") for name, value in entry.state.items()
              if value == UNKNOWN or (name not in EXPRESSIONS and _differs(name, others))]  # fmt: skip
    return found + [guard.words for guard in _deciding(entry, others) if not is_plain(guard.code)]


def deciding(entry: CacheEntry, others: Sequence[CacheEntry]) -> list[str]:
    """Checks of Dynamo's own that another compilation does not have, as expressions: the marks of dimensions."""
    state = state_check(entry, others)
    return [state] * bool(state) + [one.code for one in _deciding(entry, others) if is_plain(one.code)]


def _deciding(entry: CacheEntry, others: Sequence[CacheEntry]) -> list[Guard]:
    codes = [{guard.code for guard in other.guards} for other in others if other.guards and other is not entry]
    return [guard for guard in entry.guards if guard.is_bookkeeping and guard.kind not in _IN_STATE
            and is_ambient(guard) and any(guard.code not in one for one in codes)]  # fmt: skip


def _differs(name: str, entries: Sequence[CacheEntry]) -> bool:
    return len({entry.state[name] for entry in entries if name in entry.state}) > 1
