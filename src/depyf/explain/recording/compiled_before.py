"""What was compiled before a recording began: it runs in the block, and no hook hears of it.

Where nothing was compiled in the block, which is when readers look for their function in vain, the functions whose
compilations exist are described as `depyf.inspect` does, after the fact. Else the index names them.
"""

from __future__ import annotations

from ..after_the_fact.everything import add_frames, compiled_codes
from ..containment import logger
from ..frames.refusals import has_nothing_in_it
from ..model import Session, SourceLine

__all__ = ["add_compiled_before"]

_MOST_PAGES = 20


def add_compiled_before(session: Session) -> None:
    """Fills in `compiled_before`, and frames where the recording has none."""
    codes = compiled_codes({id(frame.code) for frame in session.frames})
    session.compiled_before = [
        SourceLine(code.co_filename, code.co_firstlineno, function=getattr(code, "co_qualname", code.co_name))
        for code in codes
    ]
    if session.frames:
        return
    if not codes:
        if not any(one.kind in ("graph", "kernel") for one in session.artifacts):  # of torch.export, AOTInductor, ...
            logger.warning("nothing was compiled while this was recorded: %s", _why_nothing(session))
        return
    logger.warning("nothing was compiled while this was recorded: described is what was compiled before")
    add_frames(session, codes[:_MOST_PAGES], "before")


def _why_nothing(session: Session) -> str:
    failed = next((one for one in session.refusals if one.function), None)
    if failed is not None:
        return f"Dynamo tried {failed.function} and gave up: {failed.why.reason}"
    if session.breaks or any(not has_nothing_in_it(one.reason) for one in session.skips):
        return "the index says what Dynamo tried, and why"
    if session.skips:
        return "no operation on a tensor was found in what was called"
    return "was what torch.compile returned called?"
