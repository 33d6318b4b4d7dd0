"""`depyf.install()`: with ``TORCH_LOGS=+bytecode``, the source of Dynamo's bytecode in torch's own log."""

from __future__ import annotations

import logging
from types import CodeType
from typing import Any

from ...errors import require_torch
from ..containment import contained
from ..model import Session
from ..torch_facts import torch_behavior
from .decompiled import decompiled

__all__ = ["install", "pytorch_bytecode_src_hook", "uninstall"]

_handles: list[Any] = []


def install() -> None:
    """Adds the decompiled source to torch's bytecode log, after Dynamo's ``MODIFIED BYTECODE``.

    Run the program with ``TORCH_LOGS=+bytecode`` to see it. What runs is Dynamo's code. Installing twice is once.

    Raises:
        ImportError: torch cannot be imported.

    Example:
        >>> depyf.install()
        >>> depyf.uninstall()
    """
    require_torch("install")

    if not _handles:
        _handles.append(torch_behavior.register_bytecode_hook(pytorch_bytecode_src_hook))


def uninstall() -> None:
    """Undoes `install`. Does nothing if it is not installed.

    Example:
        >>> depyf.uninstall()
    """
    while _handles:
        _handles.pop().remove()


def pytorch_bytecode_src_hook(code: CodeType, new_code: CodeType) -> None:
    """Dynamo's bytecode hook. Costs nothing while the bytecode log is off; never raises, never replaces code."""
    with contained(Session(), f"logging the source of {code.co_name}"):
        log = torch_behavior.find("torch._logging", "getArtifactLogger")("torch._dynamo.convert_frame", "bytecode")
        if not log.isEnabledFor(logging.DEBUG):
            return
        found = decompiled(new_code)
        log.debug("DECOMPILED SOURCE %s (%s)\n%s\n", code.co_name, found.verdict or found.level,
                  found.source or found.listing)
