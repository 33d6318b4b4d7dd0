"""Where a resume function goes on."""

from __future__ import annotations

import dis
import re

from depyf.explain.model import Frame, ResumeFunction

__all__ = ["resume_line"]


def resume_line(frame: Frame, resume: ResumeFunction) -> int:
    """The line where a resume function goes on: Dynamo's name has the offset in the code that broke; 0 if unknown."""
    match = re.match(r"__resume_at_(\d+)_", resume.name)
    if match is None or frame.code is None:
        return resume.resume_line
    line = 0
    for start, number in dis.findlinestarts(frame.code):
        if start > int(match.group(1)):
            break
        line = number or line
    return line
