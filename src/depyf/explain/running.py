"""The recording that continues in this process: `recording/session.py` begins and ends it, others ask for it."""

from __future__ import annotations

from types import CodeType
from typing import TYPE_CHECKING, Callable

if TYPE_CHECKING:
    from .recording.recorder import Recorder

__all__ = ["ACTIVE", "WATCHERS"]

ACTIVE: list[Recorder] = []
"""The recorder, as a list of one; empty outside of `prepare_debug`."""

WATCHERS: list[Callable[[CodeType | None], None]] = []
"""Told by a recording when Dynamo begins to compile a code object, and with None when that has ended."""
