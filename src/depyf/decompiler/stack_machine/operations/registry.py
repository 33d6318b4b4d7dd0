"""The table of handlers, filled by the modules of this room."""

from __future__ import annotations

from typing import Callable

from ..machine import Handler

HANDLERS: dict[str, Handler] = {}


def handles(*operations: str) -> Callable[[Handler], Handler]:
    """Register a function for canonical operations."""

    def register(function: Handler) -> Handler:
        for operation in operations:
            HANDLERS[operation] = function
        return function

    return register
