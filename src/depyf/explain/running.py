"""The recording that goes on in this process: `recording/session.py` begins and ends it, others ask for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .recording.recorder import Recorder

__all__ = ["ACTIVE"]

ACTIVE: list[Recorder] = []
"""The recorder, as a list of one; empty outside of `prepare_debug`."""
