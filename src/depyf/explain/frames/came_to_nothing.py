"""Compilations that failed after Dynamo had made their code, as where a constraint of `mark_dynamic` does not hold."""

from __future__ import annotations

import os
from types import CodeType

from ...writing import open_below
from ..dump.dump_directory import write_whole
from ..model import Session
from ..transformed.transformed_code import WHAT_RUNS

__all__ = ["take_back"]

_NEVER_RAN = "Not what runs: the compilation failed after this was made."


def take_back(session: Session, code: CodeType, compile_id: str) -> None:
    """Takes a compilation out of the model; its breaks stay. The file with its code says that it never ran."""
    for frame in session.frames:
        for entry in [one for one in frame.entries if frame.code is code and one.compile_id == compile_id]:
            if entry.gone:  # of the same number, before a reset
                continue
            frame.entries.remove(entry)
            session.breaks += entry.breaks
            for artifact in session.artifacts:
                if artifact.path == entry.transformed_path and artifact.status == "written":
                    artifact.why_open = _NEVER_RAN[0].lower() + _NEVER_RAN[1:-1]
                    path = os.path.join(session.directory, artifact.path)
                    with open(open_below(path, session.directory, os.O_RDONLY), encoding="utf-8") as file:
                        text = file.read()
                    write_whole(path, text.replace(WHAT_RUNS, _NEVER_RAN, 1))
