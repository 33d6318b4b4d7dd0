"""All that Dynamo has compiled in this process and still keeps."""

from __future__ import annotations

import gc
import types
from types import CodeType
from typing import Any, Container

from ..containment import contained
from ..frames.resume_points import is_resume_name
from ..model import Session
from ..torch_facts import torch_behavior, torch_keeps
from .inspect_model import frame_of

__all__ = ["add_frames", "compiled_codes"]


def compiled_codes(known: Container[int] = ()) -> list[CodeType]:
    """Code objects that have cache entries, oldest first; without resume functions, and those whose ids are known."""
    return [
        code
        for code in torch_keeps.compiled_codes()
        if id(code) not in known and not is_resume_name(code.co_name) and torch_behavior.cache_entries(code)
    ]


def add_frames(session: Session, codes: list[CodeType], when: str) -> None:
    """Adds the frames of code objects, and of their resume functions. What fails costs one function."""
    namespaces = _globals_of(codes)
    for code in codes:
        with contained(session, f"describing {code.co_name}, which was compiled {when}", "its page"):
            for frame in frame_of(code, namespaces.get(id(code), {})).walk():
                if not any(frame is one for one in session.frames):
                    for entry in frame.entries:
                        entry.transformed_path = ""  # a file of another dump, if any
                    session.frames.append(frame)


def _globals_of(codes: list[CodeType]) -> dict[int, dict[str, Any]]:
    """The globals of the functions that have these code objects, where such functions live."""
    wanted = {id(code) for code in codes}
    found: dict[int, dict[str, Any]] = {}
    for one in gc.get_referrers(*codes):
        if isinstance(one, types.FunctionType) and id(one.__code__) in wanted:
            found[id(one.__code__)] = one.__globals__
    return found
