"""What a page says once for all layers of a model: texts that are the same but for one number, runs that repeat."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field
from typing import Callable, Mapping, Sequence, Tuple

__all__ = [
    "FEW", "Alike", "Run", "alike", "as_an_earlier", "is_index", "numbers_apart", "numbers_in_words", "only_indices",
    "runs",
]  # fmt: skip

FEW = 3  # so many are folded; fewer are shown one by one
_DYNAMOS = re.compile(r"\b__\w*\d\w*")  # names that Dynamo makes up, with a number
_NUMBER = re.compile(r"(\d+)")
_INDEX = re.compile(r"[\w\])]\[$")
_LONGEST_PERIOD = 400


@dataclass
class Alike:
    """Texts that differ in one number, which may be at several places: ``h[0].ln == 0``, ``h[1].ln == 1``.

    Args:
        parts: the text around its numbers, one more than there are numbers.
        values: the numbers of the first text, as they are written.
        places: which of them differ; the same number is at all of these.
        members: index of each text in the list that was folded, by its number.
    """

    parts: tuple[str, ...]
    values: tuple[str, ...]
    places: tuple[int, ...] = ()
    members: dict[int, int] = field(default_factory=dict)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The number of each text, in order."""
        return tuple(self.members)

    @property
    def first(self) -> int:
        """The least index of its texts."""
        return min(self.members.values())

    def written(self, spelled: Callable[[int], str]) -> str:
        """The text with `spelled(place)` in the place of each number that differs; `place` is an index of `values`."""
        words = [self.parts[0]]
        for place, value in enumerate(self.values):
            words += [spelled(place) if place in self.places else value, self.parts[place + 1]]
        return "".join(words)


_MayDiffer = Callable[[Tuple[str, ...], Tuple[int, ...]], bool]


def alike(
    texts: Sequence[str], may_differ: _MayDiffer = lambda parts, places: True, few: int = FEW
) -> list[Alike]:
    """Folds texts which differ in one number; the others stay alone, with no `places`. In order of first texts.

    Args:
        texts: what is folded. Equal texts count once.
        may_differ: whether one number may differ at these places between these parts.
        few: so many are folded.
    """
    by_parts: dict[tuple[str, ...], dict[tuple[str, ...], int]] = {}
    for index, text in enumerate(texts):
        parts, values = numbers_apart(text)
        by_parts.setdefault(parts, {}).setdefault(values, index)
    found: list[tuple[int, Alike]] = []
    for parts, by_values in by_parts.items():
        left = dict(by_values)
        if len(left) >= few:
            found += _folded(parts, left, may_differ, few)
        found += [(index, Alike(parts, values, (), {0: index})) for values, index in left.items()]
    return [one for _, one in sorted(found, key=lambda pair: pair[0])]


def numbers_apart(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What is around the numbers of a text, and the numbers: `Alike.parts` and `Alike.values`."""
    split = _NUMBER.split(text)
    return tuple(split[::2]), tuple(split[1::2])


def is_index(parts: tuple[str, ...], place: int) -> bool:
    """Whether the number at that place is an index: ``h[3]``."""
    return _INDEX.search(parts[place]) is not None and parts[place + 1].startswith("]")


def only_indices(
    parts: tuple[str, ...], places: tuple[int, ...], is_index: Callable[[tuple[str, ...], int], bool] = is_index
) -> bool:
    """Whether the first place is an index, and each other one too, or what is compared with: ``h[3].number == 3``."""
    compared = [parts[place].endswith(" == ") and not parts[place + 1] for place in places]
    indices = [is_index(parts, place) for place in places]
    return indices[0] and all(index or equal for index, equal in zip(indices, compared))


def _folded(
    parts: tuple[str, ...], left: dict[tuple[str, ...], int], may_differ: _MayDiffer, few: int
) -> list[tuple[int, Alike]]:
    """Takes out of `left` what can be folded."""
    every = list(left)
    varying = [place for place in range(len(parts) - 1) if len({values[place] for values in every}) > 1]
    best: list[tuple[tuple[int, ...], list[tuple[str, ...]]]] = []
    together: dict[tuple[str, ...], list[int]] = {}  # places at which the number is the same in each text
    for place in varying:
        together.setdefault(tuple(values[place] for values in every), []).append(place)
    for same in map(tuple, together.values()):
        if not may_differ(parts, same):
            continue
        groups: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
        for values in every:
            groups.setdefault(tuple(v for at, v in enumerate(values) if at not in same), []).append(values)
        large = [(same, members) for members in groups.values() if len(members) >= few]
        if sum(len(members) for _, members in large) > sum(len(members) for _, members in best):
            best = large
    found = []
    for same, members in best:
        first = left[members[0]]
        by_number = {int(values[same[0]]): left.pop(values) for values in members}
        folded = Alike(parts, members[0], same, dict(sorted(by_number.items())))
        found.append((first, folded))
    return found


def numbers_in_words(numbers: Sequence[int]) -> str:
    """``0 to 23``, or ``0, 2, 5``."""
    if len(numbers) > 2 and list(numbers) == list(range(numbers[0], numbers[0] + len(numbers))):
        return f"{numbers[0]} to {numbers[-1]}"
    return ", ".join(map(str, numbers))


@dataclass(frozen=True)
class Run:
    """`count` times the same `period` items, the first of them at `start`."""

    start: int
    period: int
    count: int

    @property
    def end(self) -> int:
        """Behind the last item."""
        return self.start + self.period * self.count


def runs(items: Sequence[str], least: int = FEW) -> list[Run]:
    """Where a sequence repeats: runs that don't overlap, from the left, each with the period that covers most.

    Args:
        items: compared as they are: what may differ has to be out of them already.
        least: how often something has to come.
    """
    found: list[Run] = []
    places: dict[str, list[int]] = {}
    for at, item in enumerate(items):
        places.setdefault(item, []).append(at)
    at = 0
    while at < len(items):
        best = Run(at, 1, 1)
        for after in places[items[at]]:
            period = after - at
            if not 0 < period <= _LONGEST_PERIOD:
                continue
            count = 1
            while items[at : at + period] == items[at + count * period : at + (count + 1) * period]:
                count += 1
            run = Run(at, period, count)
            if count >= least and run.end > best.end:
                best = run
        if best.count >= least:
            found.append(best)
        at = best.end
    return found


def as_an_earlier(lines: Sequence[str], earlier: Mapping[str, Sequence[str]]) -> tuple[str, list[str]] | None:
    """A text by its differences from an earlier one: ``as f, with __compiled_fn_3 for __compiled_fn_1, but:``, and
    lines with ``-`` and ``+``; None if they are not much shorter than the text.

    Args:
        lines: of the text. How many blanks are between words doesn't count.
        earlier: the lines of others, by their names.
    """
    best: tuple[str, list[str]] = ("", list(lines))
    for name, before in earlier.items():
        changed: list[str] = []
        others: dict[str, str] = {}
        for what, a, b, c, d in difflib.SequenceMatcher(
            None, [_pattern(line) for line in before], [_pattern(line) for line in lines], autojunk=False
        ).get_opcodes():
            for pair in zip(before[a:b], lines[c:d]) if what == "equal" else ():
                old, new = map(_DYNAMOS.findall, pair)
                others.update(zip(new, old))
            if what != "equal":
                changed += ["- " + line for line in before[a:b]] + ["+ " + line for line in lines[c:d]]
        if len(changed) < len(best[1]):
            instead = ", ".join(f"{new} for {old}" for new, old in others.items() if new != old)
            best = ("as " + name + f", with {instead}" * bool(instead) + ", but:" * bool(changed), changed)
    return best if len(best[1]) * 3 < len(lines) * 2 else None


def _pattern(line: str) -> str:
    return _DYNAMOS.sub(lambda match: _NUMBER.sub("", match.group()), " ".join(line.split()))
