"""The part of ``depyf attach`` that the other process runs: a report on what is compiled in it, into a folder."""

from __future__ import annotations

import os
import sys

from ..containment import logger
from ..dump.processes import rank_and_size
from ..report.write import write_report
from .everything import add_frames, compiled_codes
from .inspect_model import session_of

__all__ = ["write_what_is_compiled"]

_NOTE = (
    "read from the running process {}: what Dynamo has compiled and still keeps. What it has forgotten can't be told: "
    "functions that it left to Python, times, and graphs that their backends don't lead to"
)


def write_what_is_compiled(directory: str, html: bool, is_one_of_several: bool) -> tuple[str, str]:
    """Writes the report. Nothing is compiled, run or logged for it.

    Args:
        directory: where to; made if it is missing.
        html: whether to write ``report.html`` too.
        is_one_of_several: whether to write into a folder in it, which has the name of the rank or the process.

    Returns:
        The folder that was written, "" if there is no report; and why there is none.

    Raises:
        OSError: it can't be written.
    """
    if "torch._dynamo" not in sys.modules:
        return "", "it has not imported PyTorch" if "torch" not in sys.modules else "it has not used torch.compile"
    codes = compiled_codes()
    if not codes:
        return "", "nothing is compiled in it, or not yet"
    if is_one_of_several:
        rank, ranks = rank_and_size()
        directory = os.path.join(directory, f"rank_{rank}" if ranks > 1 else f"process_{os.getpid()}")
    os.makedirs(directory, exist_ok=True)
    session = session_of([])
    session.directory = directory
    session.notes.append(_NOTE.format(os.getpid()))
    was_disabled, logger.disabled = logger.disabled, True
    try:
        add_frames(session, codes, "here")
        write_report(session, directory, html=html)
    finally:
        logger.disabled = was_disabled
    return directory, ""
