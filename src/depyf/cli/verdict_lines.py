"""The verdicts of a result as lines of text: of each code object, and of the whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..decompiler.driver.result import Result
    from ..decompiler.proof import Verdict

__all__ = ["summary", "verdicts"]


def verdicts(result: Result) -> list[str]:
    """One line for each code object of the result: verdict, place, and the reasons if it is not proven."""
    lines = []
    for unit in result.walk():
        lines.append(f"{unit.verdict.level.value:10} {_place(unit)}")
        lines += [f"{'':10}   {reason}" for reason in unit.verdict.reasons]
    return lines


def summary(result: Result) -> list[str]:
    """The verdict of the whole in one sentence, and what is not proven, as comments."""
    units = list(result.walk())
    open_ones = [unit for unit in units if not unit.verdict.proven]
    if not open_ones:
        levels = [unit.verdict.level.value for unit in units]
        counts = ", ".join(f"{levels.count(level)} {level}" for level in dict.fromkeys(levels))
        several = f"all {len(units)} code objects are proven: {counts}"
        lines = [f"{result.qualname}: {several if len(units) > 1 else result.verdict.describe()}"]
    else:
        lines = [f"{result.qualname}: {len(open_ones)} of {len(units)} code objects not proven:"]
        for unit in open_ones[:10]:
            reason = unit.verdict.reasons[0] if unit.verdict.reasons else "no reason given"
            lines.append(f"  {unit.verdict.level.value} {_place(unit)}: {reason}")
        if len(open_ones) > 10:
            lines.append(f"  and {len(open_ones) - 10} more: see --verdicts")
    if any(unit.verdict.lines is not None for unit in units):
        lines.append(_identical_places([unit.verdict for unit in units]))
    return ["# " + line for line in lines]


def _identical_places(verdicts: list[Verdict]) -> str:
    """For how many code objects the text compiles to the lines and columns of the original too."""
    words = "lines" if all(verdict.columns is None for verdict in verdicts) else "lines and columns"
    same = sum(bool(verdict.lines if words == "lines" else verdict.columns) for verdict in verdicts)
    return f"the {words} of {same} of {len(verdicts)} are those of the original"


def _place(unit: Any) -> str:
    return f"{unit.qualname} (line {unit.raw.firstlineno})"
