"""How much was compiled, broken, compiled again, raised and left to Python: the one count that everybody prints.

Places and times are told apart: a graph break is a place in the program, and one place may end many graphs.
"""

from __future__ import annotations

from typing import Mapping, Sequence

from ...model import Session
from ..tree import count
from .findings import times_compiled_again
from .remark import Remark

__all__ = ["COUNTS", "count_words", "counted", "counts_of", "seconds_of", "times_words"]

COUNTS = ("functions", "graphs", "breaks", "times broken", "recompilations", "raised", "uncompiled")


def counts_of(session: Session, remarks: Sequence[Remark]) -> dict[str, int]:
    """By the names in `COUNTS`.

    ``functions`` and ``graphs`` are those that were compiled, ``breaks`` the places of breaks, ``times broken`` how
    often compilations have met one, ``recompilations`` those of functions (those of the rest of one, for the same
    reason, are not counted), ``raised`` the calls that raised, ``uncompiled`` functions of the program left to Python.
    """
    found = {kind: [one for one in remarks if one.kind == kind and one.is_finding]
             for kind in ("raised", "break", "uncompiled")}  # fmt: skip
    graphs = {graph.name for frame in session.frames for entry in frame.entries for graph in entry.graphs}
    return {
        "functions": sum(any(below.entries for below in frame.walk()) for frame in session.top_level()),
        "graphs": len(graphs),
        "breaks": len(found["break"]),
        "times broken": sum(one.times for one in found["break"]),
        "recompilations": times_compiled_again(session),
        "raised": sum(one.times for one in found["raised"]),
        "uncompiled": len({(one.file, one.line, one.function) for one in found["uncompiled"]}),
    }


def seconds_of(session: Session) -> float:
    """What compiling took, forward and backward; of a torch that keeps no times of compilations, Dynamo's part."""
    return sum(one.total for one in session.times) or session.clocked


def count_words(counts: Mapping[str, int]) -> list[str]:
    """``3 functions compiled``, ``2 graph breaks (6 times)``, ``4 recompilations``; what raised comes first."""
    often = counts.get("times broken", 0)
    raised = counts.get("raised", 0)
    words = [f"{count(raised, 'call')} raised"] if raised else []
    words += [
        "{} compiled".format(counted(counts["functions"], "function")),
        counted(counts["breaks"], "graph break") + (f" ({often} times)" if often > counts["breaks"] else ""),
        counted(counts["recompilations"], "recompilation"),
    ]
    left = counts["uncompiled"]
    return words + ([f"{count(left, 'function')} {'runs' if left == 1 else 'run'} uncompiled"] if left else [])


def times_words(number: int) -> str:
    """``once``, ``3 times``."""
    return "once" if number == 1 else f"{number} times"


def counted(number: int, noun: str) -> str:
    """``no graphs``, ``1 graph``, ``2 graphs``."""
    return count(number, noun) if number else f"no {noun}s"
