"""Reads the guards of compilations from Dynamo's cache, while they are there."""

from __future__ import annotations

from types import CodeType
from typing import Any, Sequence

from ..containment import note_failure
from ..model import CacheEntry, Frame, Session
from ..torch_facts import torch_behavior
from .collect import collect_guards
from .state import read_state

__all__ = ["read_all_guards", "read_guards"]


def read_all_guards(session: Session, installed: Sequence[tuple[CacheEntry, CodeType]], at_end: bool) -> None:
    """Fills in the guards of all entries that have none yet.

    Args:
        session: whose frames are looked at.
        installed: entries with the code that runs for them, which tells Dynamo's own entries apart.
        at_end: whether an entry that is gone is a failure; before the end it may yet come.
    """
    for frame in session.frames:
        waiting = [entry for entry in frame.entries if entry.guard_manager is None and not entry.dropped]
        is_asked = waiting or at_end and len(frame.entries) > 1
        live = torch_behavior.cache_entries(frame.code) if is_asked and frame.code is not None else []
        for entry in frame.entries:  # in the order in which Dynamo tries them now
            codes = [code for one, code in installed if one is entry]
            entry.tried = next((at for at, one in enumerate(live[::-1]) if one.code in codes), len(live) or -1)
        for entry in waiting:
            codes = [code for one, code in installed if one is entry]
            found = next((one for one in live if one.code in codes), None)
            if found is not None:
                read_guards(frame, entry, found)
            elif at_end:
                note_failure(session, f"guards of {frame.name} (compile id {entry.compile_id})",
                             "Dynamo has dropped this compilation", "its guards on the page")


def read_guards(frame: Frame, entry: CacheEntry, live: Any) -> None:
    """Fills in the guards of one entry from Dynamo's, `live`."""
    entry.guard_manager = torch_behavior.guard_manager_of(live)
    entry.guards, entry.guard_tree = collect_guards(entry.guard_manager, frame.globals, frame.filename)
    read_state(entry)
