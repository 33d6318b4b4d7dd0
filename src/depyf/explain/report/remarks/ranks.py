"""The ranks of a job beside each other: the first compilation in which one of them is not like the others."""

from __future__ import annotations

import re
from typing import Mapping, NamedTuple, Tuple

from .answer import short
from .remark import end_of_name
from .stored import Report

__all__ = ["first_divergence"]

_CHANGED = re.compile(r"(?P<what>\S+) was (?P<before>.+?), then (?P<after>[^,]+)")
_SHAPE = re.compile(r"(?P<name>[^\s;:]+): [^;]*? of shape \[(?P<sizes>[^\]]*)\]")
_Said = Tuple[str, str, int, str]  # kind, file, line, words


class _CompiledStep(NamedTuple):
    """One compilation: what is said of it, and its collectives."""

    said: tuple[_Said, ...]
    collectives: tuple[str, ...]

    @property
    def keys(self) -> tuple[_Said, ...]:
        """What is said, wherever the program lies."""
        return tuple([_key(one) for one in self.said])


def _key(said: _Said) -> _Said:
    return said[0], end_of_name(said[1]), said[2], said[3]


def first_divergence(reports: Mapping[str, Report], base: str = "") -> str:
    """``rank_1 goes its own way at train.py:33: ...``; "" where all ranks have compiled the same, in the same order.

    Args:
        reports: by the names of the ranks, in order.
        base: file names are relative to this folder.
    """
    steps = {name: [_CompiledStep(tuple(map(tuple, one["said"])), tuple(one["collectives"])) for one in report.steps]
             for name, report in reports.items()}  # fmt: skip
    without = {name: [_without_values(step) for step in found] for name, found in steps.items()}
    return _first(without, base) or _first(steps, base)


def _without_values(step: _CompiledStep) -> _CompiledStep:
    """Without guards on values: many programs look at their rank, and still compile the same."""
    return step._replace(said=tuple(said for said in step.said if said[0] != "guard" or " of shape [" in said[3]))


def _first(steps: Mapping[str, list[_CompiledStep]], base: str) -> str:
    done = 0  # collectives in what was compiled before
    for at in range(max(map(len, steps.values()), default=0)):
        here = {name: found[at] if at < len(found) else None for name, found in steps.items()}
        own = _minority(here)
        if own:
            others = next(step for name, step in here.items() if name not in own)
            to_come = next((found for name, found in steps.items() if name not in own))[at:]
            following = next((name for step in to_come for name in step.collectives), "")
            before = f", before collective {done + 1} of the compiled graphs ({following})"
            return _sentence(own, here[own[0]], others, before if following else "", base)
        step = next(iter(here.values()))
        done += len(step.collectives) if step is not None else 0
    return ""


def _minority(here: Mapping[str, _CompiledStep | None]) -> list[str]:
    """The ranks that are not like the others at this point: of two groups of one size, the one without the first."""
    groups: dict[tuple[_Said, ...] | None, list[str]] = {}
    for name, step in here.items():
        groups.setdefault(step and step.keys, []).append(name)
    if len(groups) == 1:
        return []
    first = next(iter(here))
    return min(groups.values(), key=lambda names: (len(names), first in names))


def _sentence(own: list[str], mine: _CompiledStep | None, others: _CompiledStep | None, before: str, base: str) -> str:
    names = own[0] if len(own) == 1 else "{} and {}".format(", ".join(own[:-1]), own[-1])
    goes = "goes its own way" if len(own) == 1 else "go their own way"
    left, right = _difference(mine, others), _difference(others, mine)
    if left is None and right is None:  # the same remarks in another order
        return f"{names} {goes}{before}: the same in another order"
    place = left or right
    assert place is not None
    where = f"{short(place[1], base)}:{place[2]}"
    words = _words(left, right)
    if len(own) > 1:
        words = re.sub(r"^its ", "their ", re.sub(r"^it has ", "they have ", words))
    return f"{names} {goes} at {where}{before}: {words}"


def _difference(one: _CompiledStep | None, other: _CompiledStep | None) -> _Said | None:
    """The first that is said of one compilation, and not of the other."""
    known: set[_Said] = set(other.keys) if other is not None else set()
    return next((said for said in one.said if _key(said) not in known), None) if one is not None else None


def _words(mine: _Said | None, others: _Said | None) -> str:
    shapes = _shapes(mine, others)
    changed = _CHANGED.match(mine[3]) if mine is not None and mine[0] == "recompile" else None
    if shapes:
        return shapes
    if changed is not None:
        return "its {what} is {after}, the others' {before}".format(**changed.groupdict())
    changed = _CHANGED.match(others[3]) if others is not None and others[0] == "recompile" else None
    if changed is not None:
        return "its {what} is {before}, the others' {after}".format(**changed.groupdict())
    if mine is not None and others is not None and _key(mine)[:3] == _key(others)[:3]:
        return f"its {mine[0]} is {mine[3]}, the others' {others[3]}"
    if mine is not None:
        return f"it has a {mine[0]} that the others have not: {mine[3]}"
    assert others is not None
    return f"it has not the others' {others[0]}: {others[3]}"


def _shapes(mine: _Said | None, others: _Said | None) -> str:
    """The first size that differs, where both are guards on the same tensors."""
    if mine is None or others is None or mine[0] != "guard" or others[0] != "guard":
        return ""
    known = {match["name"]: match["sizes"].split(", ") for match in _SHAPE.finditer(others[3])}
    for match in _SHAPE.finditer(mine[3]):
        sizes, theirs = match["sizes"].split(", "), known.get(match["name"], [])
        for at, (size, other) in enumerate(zip(sizes, theirs)):
            if size != other and len(sizes) == len(theirs):
                return "its {}.shape[{}] is {}, the others' {}".format(match["name"], at, size, other)
    return ""
