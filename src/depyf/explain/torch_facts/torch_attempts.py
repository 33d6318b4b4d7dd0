"""Dynamo's attempts to compile, and how each version tells what came of them: facts as those of `torch_behavior.py`.

Probed, each with its evidence; the logic elsewhere never looks at a version number. Importing this imports no torch.
"""

from __future__ import annotations

import sys
import types
from typing import Any

from .torch_behavior import MissingHook, find, is_there

__all__ = [
    "code_asked_about",
    "current_attempt",
    "has_code",
    "tells_skip_reasons",
]


def code_asked_about() -> types.CodeType | None:
    """The code of the frame for which Dynamo is called, before it begins to compile; None outside of that.

    A local, `code`, of `_convert_frame_assert` (2.2) or of `ConvertFrameAssert.__call__` in convert_frame.py.
    """
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename.replace("\\", "/").endswith("/_dynamo/convert_frame.py"):
            code = frame.f_locals.get("code")
            if isinstance(code, types.CodeType):
                return code
        frame = frame.f_back
    return None


def current_attempt() -> int:
    """How often Dynamo has begun to trace the function anew in this compilation: `CompileContext.attempt`, from 2.2."""
    try:
        context = find("torch._guards", "CompileContext").try_get()
    except (MissingHook, AttributeError):
        return 0
    return int(getattr(context, "attempt", 0) or 0)


def has_code(result: Any) -> bool:
    """Whether what `_compile` returned is code to run: a `GuardedCode`, from 2.6 in a `ConvertFrameReturn`, which has
    none where the frame is skipped; before, that is None."""
    return getattr(result, "guarded_code", result) is not None


def tells_skip_reasons() -> bool:
    """Whether Dynamo says why it leaves a frame to Python: `CatchErrorsWrapper._handle_skip`, 2.13 and later."""
    return is_there(find, "torch._dynamo.convert_frame", "CatchErrorsWrapper._handle_skip")
