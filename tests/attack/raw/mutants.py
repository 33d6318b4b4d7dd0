"""Mutants by number: the same seed and number give the same mutant on the same interpreter."""

from __future__ import annotations

import functools
import random
import types
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import recorded_dynamo
from standins import Plan

from attack import generated, subjects
from attack.observed import compiled
from attack.raw import bytecode_mutations, field_mutations
from attack.raw.instructions import destroys_memory
from attack.subjects import Subject

MUTATIONS = {**bytecode_mutations.MUTATIONS, **field_mutations.MUTATIONS}
KINDS = (*list(bytecode_mutations.MUTATIONS) * 3, *field_mutations.MUTATIONS)
"""Bytecode is changed more often than the rest."""
FILE_FOR = 40
"""So many mutants in a row take their functions from one file of the library: to parse it takes a while."""
MOST_BYTES = 1500
ROOM = 8
"""Added to the stack in most mutants of bytecode: an overflow destroys memory, which shows nothing."""
TRIES = 30


class Source(NamedTuple):
    """What is changed: ``code`` is analysed, and it or code in it is changed.

    It is a module, or a function alone (``alone``). ``plain``: the text of the function needs no more than `compile`.
    """

    subject: str
    code: types.CodeType
    alone: bool
    plain: bool
    plan: Plan


class Mutant(NamedTuple):
    """``code`` is ``source.code`` with one change, in the code object named ``place``; ``fields`` are the new ones."""

    seed: int
    number: int
    kind: str
    change: str
    place: str
    source: Source
    code: types.CodeType
    fields: Dict[str, Any]

    @property
    def title(self) -> str:
        where = "alone" if self.source.alone else "in its module"
        return f"{self.seed}:{self.number} {self.source.subject} ({where}), {self.place}: {self.kind}: {self.change}"


def mutant(seed: int, number: int) -> Optional[Mutant]:
    """The mutant of that number; None if the dice finds nothing to change."""
    dice = random.Random(f"raw {seed} {number}")
    for _ in range(TRIES):
        source = chosen_source(seed, number, dice)
        made = mutant_of(source, dice) if source is not None else None
        if made is not None:
            return made._replace(seed=seed, number=number)
    return None


def mutant_of(source: Source, dice: random.Random, kinds: Sequence[str] = KINDS) -> Optional[Mutant]:
    """A mutant of ``source``, changed in itself or in code nested in it."""
    path = dice.choice(list(paths(source.code)))
    original = part_at(source.code, path)
    made = changed(original, dice, kinds)
    if made is None:
        return None
    kind, change, fields = made
    if destroys_memory(fields.get("co_code", b"")):
        return None
    try:
        code = replaced(source.code, path, original.replace(**fields))
    except (ValueError, TypeError, SystemError, OverflowError, UnicodeError):
        return None  # CPython itself does not make such code
    return Mutant(0, 0, kind, change, original.co_name, source, code, fields)


def changed(
    code: types.CodeType, dice: random.Random, kinds: Sequence[str] = KINDS
) -> Optional[Tuple[str, str, Dict[str, Any]]]:
    """The kind of a change of ``code``, the change in words, and the new values of fields. Sometimes two at a time."""
    kind = dice.choice(kinds)
    made = MUTATIONS[kind](code, dice)
    if made is None:
        return None
    fields, change = made
    if kind in bytecode_mutations.MUTATIONS:
        if dice.random() < 0.12 and not destroys_memory(fields.get("co_code", b"")):
            try:
                again = MUTATIONS[dice.choice(kinds)](code.replace(**fields), dice)
            except ValueError:  # CPython itself does not make such code
                return None
            if again is not None:
                kind, fields, change = "two changes", {**fields, **again[0]}, f"{change}; {again[1]}"
        if dice.random() < 0.75:
            fields.setdefault("co_stacksize", code.co_stacksize + ROOM)
    same = all(_same(getattr(code, field), value) for field, value in fields.items() if field != "co_stacksize")
    if same and kind != "stack size":
        return None
    return kind, change, fields


def _same(one: Any, other: Any) -> bool:
    return one == other and repr(one) == repr(other)


# Code in code


def paths(code: types.CodeType) -> Iterator[Tuple[int, ...]]:
    """The places of ``code`` and of all code in it; functions and class bodies twice as often as the module."""
    nested = [n for n, value in enumerate(code.co_consts) if isinstance(value, types.CodeType)]
    yield ()
    for place in nested:
        for path in paths(code.co_consts[place]):
            yield (place, *path)
            if not path:
                yield (place,)


def part_at(code: types.CodeType, path: Tuple[int, ...]) -> types.CodeType:
    for place in path:
        code = code.co_consts[place]
    return code


def replaced(code: types.CodeType, path: Tuple[int, ...], part: types.CodeType) -> types.CodeType:
    """``code`` with ``part`` at that place."""
    if not path:
        return part
    inner = replaced(code.co_consts[path[0]], path[1:], part)
    return code.replace(co_consts=(*code.co_consts[: path[0]], inner, *code.co_consts[path[0] + 1 :]))


# Sources


def chosen_source(seed: int, number: int, dice: random.Random) -> Optional[Source]:
    way = dice.random()
    recorded = dynamo()
    if recorded and way < 0.15:
        case = dice.choice(recorded)
        return Source(f"dynamo {case.label}", case.code, True, False, Plan()) if fits(case.code) else None
    if way < 0.55:
        subject = dice.choice(constructs())
    elif way < 0.65:
        subject = Subject("generated.f", generated.function(dice), Plan(frozenset({"E"})))
    else:
        files = library()
        subject = dice.choice(
            in_file(random.Random(f"file {seed} {number // FILE_FOR}").randrange(len(files))) or constructs()
        )
    return source_of(subject, dice, dice.random() < 0.4)


def source_of(subject: Subject, dice: random.Random, alone: bool) -> Optional[Source]:
    """The module of a subject, or ``alone`` one of the functions in it."""
    module = compiled(subject.tree)
    if module is None or not fits(module):
        return None
    if not alone:
        return Source(subject.name, module, False, True, subject.plan)
    places = [path for path in paths(module) if path and is_function(part_at(module, path))]
    if not places:
        return None
    path = dice.choice(places)
    code = part_at(module, path)
    plain = len(path) == 1 and not code.co_freevars
    return Source(subject.name, code, True, plain, subject.plan)


def is_function(code: types.CodeType) -> bool:
    return bool(code.co_flags & 3 == 3) and (code.co_name.isidentifier() or code.co_name == "<lambda>")


def fits(code: types.CodeType) -> bool:
    return sum(len(part_at(code, path).co_code) for path in set(paths(code))) <= MOST_BYTES


@functools.lru_cache(maxsize=None)
def constructs() -> List[Subject]:
    return list(subjects.construct_subjects())


@functools.lru_cache(maxsize=None)
def library() -> List[Any]:
    return subjects.library_files()


@functools.lru_cache(maxsize=8)
def in_file(place: int) -> List[Subject]:
    return list(subjects._in_file(library()[place]))


@functools.lru_cache(maxsize=None)
def dynamo() -> List[Any]:
    return recorded_dynamo.cases()
