"""Guards of a model in words: for each argument, module or global a row, what is checked of it and its attributes."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, field
from typing import Sequence

from ...model import Guard
from .repeats import Alike, alike, numbers_apart, numbers_in_words, only_indices

__all__ = ["ArgumentRow", "absent_together", "guards_by_argument", "in_brackets", "row_lines"]

_TYPE = re.compile(r"^is exactly of type (?:[\w<>]+\.)*(\w+)$")
_OF_PYTHON = ("bool", "int", "float", "str", "tuple", "list", "dict", "NoneType")
_OF_TENSORS = ("Tensor", "Parameter")
_NAME = re.compile(r"[A-Z]\w*$")
_INDEX = re.compile(r"\[\d+\]")
_WIDTH = 116
_SAME_CODE = "is still a function with the same code"  # hardly ever what decides
_TOGETHER = {
    "is None": "are None",
    "is empty": "are empty",
    _SAME_CODE: "are still functions with the same code",
}
_MOST_ABSENT = 8
_CLASSES = "are of these classes"
_SAME_AS = "the same object as "
_ABSENT = re.compile(r"(?P<of>(?:\S+ )?)has no (?P<what>attribute|key) (?P<name>'[^']*'|\S+)$")
_ITEMS = re.compile(r"^(?:has \d+ items?|is empty)$")
_SAME = re.compile(r"^ and (.*) are one and the same object$")
_TENSOR = re.compile(r"^\w+ \w+ (?:tensor|\w+ of shape)")
_OF_MODULE = re.compile(r"^\.\w+: (\w+ \w+ \w+) of shape \[[\d, ]*\], stride \[[\d, ]*\], (.*grad)$")
_MOST_TENSORS = 8  # of modules, that are told one by one


@dataclass
class ArgumentRow:
    """What is checked of one thing, and `also` of others: `checks` in words, `count` guards in all, for each of
    `numbers` in the name."""

    name: str
    numbers: tuple[int, ...] = ()
    checks: list[str] = field(default_factory=list)
    count: int = 0
    also: list[str] = field(default_factory=list)

    def lines(self, around: str = "") -> list[str]:
        """The row as text, wrapped; its name without that of the layer `around` it, in which it is indented."""
        *names, last = [name[len(around) :] for name in (self.name, *self.also)]
        label = "  " * bool(around) + ", ".join(names) + " and " * bool(names) + last
        if self.numbers and not around:
            label += f"  (n = {numbers_in_words(self.numbers)})"
        text = "{}  {}".format(label, "; ".join(_same_together(absent_together(self.checks))))
        return textwrap.wrap(text, _WIDTH, subsequent_indent="    " + "  " * bool(around),
                             break_long_words=False, break_on_hyphens=False)


def in_brackets(parts: tuple[str, ...], places: tuple[int, ...]) -> bool:
    """Whether a number is the index of a layer, and what is compared with it: ``h[3].layer_idx == 3``."""
    return only_indices(parts, places)


def guards_by_argument(guards: Sequence[Guard]) -> list[ArgumentRow]:
    """Rows: tensors and other arguments first, then in the order in which Dynamo checks, functions last; several Nones
    as one row, and so with other short checks."""
    found: list[tuple[str, str, Alike]] = []
    for one in alike([guard.words for guard in guards], in_brackets, 2):
        guard = guards[one.first]
        subject, words = _subject(one, guard), one.written(lambda place: "n")
        rest = words[len(subject) :] if words.startswith(subject) else words
        found.append((subject, _SAME.sub(_SAME_AS + r"\1", rest).lstrip(": ").strip(), one))
    owners = {subject for subject, rest, _ in found if _class_of(rest) not in ("", *_OF_PYTHON)}
    said = _said_by_another([(subject, rest) for subject, rest, _ in found], owners)
    rows: dict[tuple[str, tuple[int, ...]], ArgumentRow] = {}
    for (subject, rest, one), is_said in zip(found, said):
        head, _, attribute = subject.rpartition(".")
        inside = head in owners and subject not in owners and "[" not in attribute
        numbers = one.numbers if one.places and subject != guard.subject else ()
        if one.places and not numbers:  # one thing, compared with something of each layer
            rest += f" (n = {numbers_in_words(one.numbers)})"
        row = rows.setdefault((head if inside else subject, numbers), ArgumentRow(head if inside else subject, numbers))
        row.count += len(one.members)
        words = _class_of(rest) or rest
        shown = ".{}{}{}".format(attribute, ": " if _TENSOR.match(rest) else " ", words) if inside else words
        row.checks += [] if is_said else [shown]
    ordered = sorted(rows.values(), key=lambda row: (row.checks == [_SAME_CODE], "." in row.name,
                                                     not any(map(_TENSOR.match, row.checks))))  # fmt: skip
    return _alike_together(_modules_together([row for row in ordered if row.checks], owners))


def _said_by_another(found: list[tuple[str, str]], owners: set[str]) -> list[bool]:
    """Of subjects and what is checked of them, what a comparison, or the check of a class, says too."""
    compared = {subject for subject, rest in found if not _TYPE.match(rest)}
    equal = {subject for subject, rest in found if rest.startswith("== ")}
    said = []
    for subject, rest in found:
        head, _, attribute = subject.rpartition(".")
        is_type = _class_of(rest) in (*_OF_PYTHON, *_OF_TENSORS) and subject in compared
        is_class = attribute == "__class__" and (head in owners or _INDEX.sub("[n]", head) in owners)
        said.append(is_type or is_class or bool(_ITEMS.match(rest) and subject in equal))
    return said


def row_lines(rows: Sequence[ArgumentRow]) -> list[tuple[ArgumentRow, list[str]]]:
    """Each row with its lines; what is in a layer is written below it without its name."""
    around = ArgumentRow("")
    found = []
    for row in rows:
        inside = bool(row.numbers) and row.numbers == around.numbers and row.name.startswith(around.name + ".")
        found.append((row, row.lines(around.name if inside else "")))
        around = around if inside else row
    return found


def absent_together(checks: list[str]) -> list[str]:
    """``has no attribute 'a'; has no attribute 'b'`` as one; so with keys, each dictionary's by themselves."""
    names: dict[tuple[str, str], list[str]] = {}
    for match in filter(None, map(_ABSENT.match, checks)):
        names.setdefault((match["of"], match["what"]), []).append(match["name"])
    several = {key: absent for key, absent in names.items() if len(absent) > 1}
    rest = []
    for check in checks:
        found = _ABSENT.match(check)
        if found is None or (found["of"], found["what"]) not in several:
            rest.append(check)
    for (of, what), absent in several.items():
        listed = ", ".join(name.strip("'") if what == "attribute" else name for name in absent[:_MOST_ABSENT])
        if len(absent) > _MOST_ABSENT:
            rest.append(f"{of}has none of {len(absent)} {what}s: {listed} and {len(absent) - _MOST_ABSENT} more")
        else:
            rest.append(f"{of}has none of the {what}s {listed}")
    return rest


def _same_together(checks: list[str]) -> list[str]:
    """``the same object as a; the same object as b`` as one, in the place of the first."""
    same = [check for check in checks if check.startswith(_SAME_AS)]
    if len(same) < 2:
        return checks
    names = [check[len(_SAME_AS) :] for check in same]
    joined = "{}{} and {}".format(_SAME_AS, ", ".join(names[:-1]), names[-1])
    return [joined if check is same[0] else check for check in checks if check is same[0] or check not in same]


def _subject(one: Alike, guard: Guard) -> str:
    parts, values = numbers_apart(guard.subject)
    return Alike(parts, values, tuple(place for place in one.places if place < len(values))).written(lambda place: "n")


def _class_of(words: str) -> str:
    match = _TYPE.match(words)
    return match.group(1) if match else ""


def _modules_together(rows: list[ArgumentRow], owners: set[str]) -> list[ArgumentRow]:
    """Modules, and other objects of classes, of which the same is checked, as one row in the place of the first; their
    tensors as a row of its own if these are many."""
    inside = [row for row in rows if "." in row.name and row.name in owners]
    found = [(row, check, _OF_MODULE.match(check)) for row in inside for check in row.checks]
    tensors: dict[str, int] = {}
    for row, _, match in found:
        if match is not None:
            words = "{}, {}".format(*match.groups())
            tensors[words] = tensors.get(words, 0) + max(1, len(row.numbers))
    own = []
    if sum(tensors.values()) > _MOST_TENSORS:
        for row, check, match in found:
            if match is not None:
                row.checks.remove(check)
                row.count -= max(1, len(row.numbers))
        checks = [f"{number} times {words}" for words, number in tensors.items()] + ["each with its shape and stride"]
        own = [ArgumentRow("their parameters and buffers", (), checks, sum(tensors.values()))]
    first: dict[tuple[object, ...], ArgumentRow] = {}
    for row in inside:
        is_class = len(row.checks) == 1 and _NAME.match(row.checks[0])
        one = first.setdefault((row.numbers, *([_CLASSES] if is_class else sorted(row.checks))), row)
        if one is row:
            continue
        if is_class and one.checks != [_CLASSES]:
            one.name, one.checks = f"{one.name} ({one.checks[0]})", [_CLASSES]
        one.also.append(f"{row.name} ({row.checks[0]})" if is_class else row.name)
        one.count += row.count
    gone = {id(row) for row in inside} - {id(row) for row in first.values()}
    rows = [row for row in rows if id(row) not in gone] + own
    return sorted(rows, key=lambda row: row.checks == [_CLASSES] and not row.numbers)


def _alike_together(rows: list[ArgumentRow]) -> list[ArgumentRow]:
    """Things of which one and the same short thing is checked, as one row in the place of the first."""
    for check, of_several in _TOGETHER.items():
        same = [row for row in rows if row.checks == [check] and not row.numbers]
        if len(same) > 1:
            names = [row.name for row in same]
            name = "{} and {}".format(", ".join(names[:-1]), names[-1])
            joined = ArgumentRow(name, (), [of_several], sum(row.count for row in same))
            rows = [joined if row is same[0] else row for row in rows if row is same[0] or row not in same]
    return rows
