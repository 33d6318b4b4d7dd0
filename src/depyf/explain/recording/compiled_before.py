"""What was compiled before a recording began: it runs in the block, and no hook hears of it.

Where nothing was compiled in the block, which is when readers look for their function in vain, the functions whose
compilations exist are described as `depyf.inspect` does, after the fact. Else the index names them.
"""

from __future__ import annotations

import gc
import types
from types import CodeType
from typing import Any

from ..after_the_fact.inspect_model import frame_of
from ..containment import contained, logger
from ..frames.refusals import has_nothing_in_it
from ..frames.resume_points import is_resume_name
from ..model import Session, SourceLine
from ..torch_facts import torch_behavior, torch_keeps

__all__ = ["add_compiled_before"]

_MOST_PAGES = 20


def add_compiled_before(session: Session) -> None:
    """Fills in `compiled_before`, and frames where the recording has none."""
    known = {id(frame.code) for frame in session.frames}
    codes = [
        code
        for code in torch_keeps.compiled_codes()
        if id(code) not in known and not is_resume_name(code.co_name) and torch_behavior.cache_entries(code)
    ]
    session.compiled_before = [
        SourceLine(code.co_filename, code.co_firstlineno, function=getattr(code, "co_qualname", code.co_name))
        for code in codes
    ]
    if session.frames:
        return
    if not codes:
        if not any(one.kind in ("graph", "kernel") for one in session.artifacts):  # of torch.export, AOTInductor, ...
            logger.warning("nothing was compiled in this block of prepare_debug: %s", _why_nothing(session))
        return
    logger.warning("nothing was compiled in this block of prepare_debug: described is what was compiled before it")
    namespaces = _globals_of(codes)
    for code in codes[:_MOST_PAGES]:
        with contained(session, f"describing {code.co_name}, which was compiled before", "its page"):
            for frame in frame_of(code, namespaces.get(id(code), {})).walk():
                if not any(frame is one for one in session.frames):
                    for entry in frame.entries:
                        entry.transformed_path = ""  # a file of another dump, if any
                    session.frames.append(frame)


def _why_nothing(session: Session) -> str:
    if session.refusals or session.breaks or any(not has_nothing_in_it(one.reason) for one in session.skips):
        return "the index says what Dynamo tried, and why"
    if session.skips:
        return "no operation on a tensor was found in what was called"
    return "was what torch.compile returned called?"


def _globals_of(codes: list[CodeType]) -> dict[int, dict[str, Any]]:
    """The globals of the functions that have these code objects, where such functions live."""
    wanted = {id(code) for code in codes}
    found: dict[int, dict[str, Any]] = {}
    for one in gc.get_referrers(*codes):
        if isinstance(one, types.FunctionType) and id(one.__code__) in wanted:
            found[id(one.__code__)] = one.__globals__
    return found
