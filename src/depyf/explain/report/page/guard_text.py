"""A cache entry's guards on a page: in words, grouped by the line which asked for them, and as code that runs."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

from ...guards.state import deciding, state_words, undecided
from ...guards.words import is_torch_file
from ...model import CacheEntry, Frame, Guard, SourceLine
from ...names import file_name, identifier
from ..tree import count
from .graph_summary import shorter
from .guard_code import returned
from .guard_tree import folded_tree
from .guards_by_argument import absent_together, guards_by_argument, in_brackets, row_lines
from .repeats import alike, numbers_in_words

__all__ = [
    "GuardDifference",
    "alike_once",
    "difference",
    "grouped",
    "guard_checks",
    "guard_file_name",
    "guard_function",
    "guard_function_name",
    "guard_listing",
    "kinds_of_own",
    "number_of",
    "same_globals",
]

_FEW_WORDS = 8
_MOST_COMPARED = 3
_MOST_WORDS, _MOST_ROWS = 40, 16  # lines on a page
_MOST_CODE = 24
_WORTH = 8  # lines more than a list that leaves most checks out: so long may be differences, which leave none out
_COLUMN = 66
_STATE = (
    "GLOBAL_STATE", "TORCH_FUNCTION_MODE_STACK", "DEFAULT_DEVICE", "BACKEND_MATCH", "CONFIG_HASH_MATCH",
    "BREAKS_ALLOWED", "OBJECTS_ALIVE",
)  # fmt: skip
_DROPPED = "Dynamo has dropped this compilation since: an object that is checked here is gone."
_DIFFERENT = "NO_TENSOR_ALIASING"
_SAME_OBJECT = " is still the same object"


def number_of(entry: CacheEntry) -> int:
    """The number in the name of the transformed code; guards share it, for two resume functions may have one name."""
    match = re.match(r"__transformed_code_(\d+)_for_", entry.transformed_name)
    return int(match.group(1)) if match else entry.index


def guard_function_name(entry: CacheEntry, frame: Frame) -> str:
    """``__guard_0_for_toy_example``."""
    return f"__guard_{number_of(entry)}_for_{identifier(frame.name)}"


def guard_file_name(entry: CacheEntry, frame: Frame) -> str:
    """``guards_0_for_toy_example.txt``."""
    return f"guards_{number_of(entry)}_for_{identifier(frame.name)}.txt"


def guard_function(entry: CacheEntry, frame: Frame, listed_in: str) -> str:
    """The guard as a Python function: words first, then what can run, or a call of `guard_checks` if that is long.

    Args:
        entry: the cache entry.
        frame: its frame.
        listed_in: where every guard is written in full.
    """
    own = [guard for guard in entry.guards if guard.is_bookkeeping]
    asked = _asked(entry)
    lines = [f"def {guard_function_name(entry, frame)}(L, G, **_):"]
    if entry.dropped:
        lines.append("    # " + _DROPPED)
    told = _told(entry, frame, listed_in)
    lines += ["    # " + line for line in told]
    if not entry.guards and not entry.guard_tree:
        lines.append("    # its guards are not at hand: taken to hold here")
    elif not asked:
        lines.append("    # nothing of the user's is checked")
    for words in undecided(entry, frame.entries):
        lines.append(f"    # not checked here: {words}")
    skipped = [guard for guard in asked if not guard.runnable]
    notes = _not_run(skipped, own, listed_in)
    if len(notes) > 1 and told[0].startswith("as "):
        notes = [f"{notes[0]}; {len(own)} more are of Dynamo's own: see {listed_in}"]
    lines += ["    # " + words for words in notes]
    body = returned(_conditions(entry, frame))
    if len(body) > _MOST_CODE:
        body = [f"    return {_checks_name(entry, frame)}(L, G)  # at the end of this page"]
    return "\n".join(lines + body) + "\n"


def _not_run(skipped: list[Guard], own: list[Guard], listed_in: str) -> list[str]:
    """How many checks need the process, and how many are of Dynamo's own."""
    need = "need objects of that process: they are" if len(skipped) > 1 else "needs an object of that process: it is"
    notes = [f"{len(skipped)} of these checks {need} not run here"] if skipped else []
    if own:
        checks = count(len(own), "check")
        notes.append(f"and {checks} of Dynamo's own ({kinds_of_own(own)}): see {listed_in}")
    return notes


def guard_checks(entry: CacheEntry, frame: Frame) -> str:
    """The checks that `guard_function` calls, "" where it has them in itself."""
    body = returned(_conditions(entry, frame))
    if len(body) <= _MOST_CODE:
        return ""
    return "\n".join([f"def {_checks_name(entry, frame)}(L, G):", *body]) + "\n"


def _checks_name(entry: CacheEntry, frame: Frame) -> str:
    return guard_function_name(entry, frame).replace("__guard_", "__checks_", 1)


def _conditions(entry: CacheEntry, frame: Frame) -> list[str]:
    return deciding(entry, frame.entries) + [guard.run for guard in _asked(entry) if guard.runnable]


def _told(entry: CacheEntry, frame: Frame, listed_in: str) -> list[str]:
    """What the program asks for, for a page: if that is long, only how it differs from an earlier compilation."""
    asked = _asked(entry)
    lines = _on_page(asked, listed_in)
    told = {guard.words for guard in asked}
    at = next((index for index, one in enumerate(frame.entries) if one is entry), 0)
    for earlier in frame.entries[max(0, at - _MOST_COMPARED) : at][::-1] if len(lines) > _FEW_WORDS else ():
        known = {guard.words for guard in _asked(earlier)}
        new = [guard for guard in asked if guard.words not in known]
        instead = {guard.subject for guard in new} | {guard.kind for guard in new if guard.kind == _DIFFERENT}
        gone = [one for one in _asked(earlier) if one.words not in told and not {one.subject, one.kind} & instead]
        differences = _in_a_line_each(new) if len(new) <= _MOST_WORDS else _on_page(new, listed_in)
        without = "; ".join(absent_together([words for words, _ in alike_once(gone)]))
        differences += textwrap.wrap("without: " + without, 112, subsequent_indent="    ") if gone else []
        if len(differences) + 2 < len(lines) + (_WORTH if len(asked) > _MOST_WORDS else 0):
            lines = [f"as {guard_function_name(earlier, frame)}" + (", but:" if differences else ""), *differences]
    return lines


@dataclass
class GuardDifference:
    """What two compilations of a function check differently: by subject, the words of each; `same` are in both."""

    earlier: CacheEntry
    rows: list[tuple[list[str], list[str]]]
    same: int


def difference(entry: CacheEntry, frame: Frame) -> GuardDifference | None:
    """From the compilation that differs least, of those that did not fit; None for the first one."""
    at = next((index for index, one in enumerate(frame.entries) if one is entry), 0)
    unfit = {one.compile_id for one in entry.recompiled}
    others = [one for one in frame.entries[:at] if one.guards and (one.compile_id in unfit or not unfit)]
    return min((_different(one, entry) for one in others[::-1]), key=lambda found: len(found.rows), default=None)


def _different(earlier: CacheEntry, entry: CacheEntry) -> GuardDifference:
    both = {guard.words for guard in _asked(earlier)} & {guard.words for guard in _asked(entry)}
    rows: dict[str, tuple[list[str], list[str]]] = {}
    for side, one in enumerate((earlier, entry)):
        for words, members in alike_once([guard for guard in _asked(one) if guard.words not in both]):
            rows.setdefault(members[0].subject or words, ([], []))[side].append(words)
    states = [{name: value for name, value in one.state.items() if other.state.get(name) != value}
              for one, other in ((earlier, entry), (entry, earlier))]  # fmt: skip
    found = list(rows.values())
    if earlier.state and entry.state and any(states):
        found.insert(0, ([state_words(states[0])], [state_words(states[1])]))
    return GuardDifference(earlier, found, len(both))


def _asked(entry: CacheEntry) -> list[Guard]:
    return [guard for guard in entry.guards if not guard.is_bookkeeping]


def _on_page(guards: list[Guard], listed_in: str) -> list[str]:
    """Words for a page: by the line that asked, or, if these are many, a row for each argument, module and global."""
    lines = _words(guards)
    if len(lines) <= _MOST_WORDS:
        return lines
    same = [guard for guard in guards if _is_same_global(guard)]
    rows = guards_by_argument([guard for guard in guards if not _is_same_global(guard)])
    lines, left_out = [], 0
    for row, text in row_lines(rows):
        if len(lines) + len(text) <= _MOST_ROWS:
            lines += text
        else:
            left_out += row.count
    lines.append(f"and {left_out} more, " * bool(left_out) + f"each with the line that asked for it: {listed_in}")
    return lines + textwrap.wrap(same_globals(same), 116, subsequent_indent="    ") if same else lines


def guard_listing(entry: CacheEntry, frame: Frame) -> str:
    """Every guard: the user's in words with their lines, then Dynamo's own, then the tree as Dynamo prints it."""
    own = [guard for guard in entry.guards if guard.is_bookkeeping]
    asked = _asked(entry)
    lines = [
        f"Guards of compilation {entry.compile_id} of {frame.name} ({file_name(frame.filename)}:{frame.first_line}).",
        "The compiled code is used when all of them hold.",
        *([_DROPPED] if entry.dropped else []),
        "",
        f"Asked for by the program: {len(asked)}",
    ]
    lines += ["  " + line for line in _words(asked)]
    lines += ["", f"Dynamo's own: {len(own)} ({kinds_of_own(own)})" if own else "Dynamo's own: 0"]
    lines += ["  " + words for words, _ in alike_once(own)]
    lines += ["", "As Dynamo writes them (ids of objects left out: they differ in every run):"]
    lines.append(folded_tree(entry.guard_tree))
    return "\n".join(lines).rstrip() + "\n"


def _words(guards: list[Guard]) -> list[str]:
    """Words: tensors that the function gets, then by the user's line, in order of lines; at the end guards without one
    and those on globals' identity."""
    inputs = [guard for guard in guards if guard.kind == "TENSOR_MATCH" and "." not in guard.subject]
    groups, rest, same = grouped([guard for guard in guards if guard not in inputs])
    parts: list[tuple[str, list[Guard]]] = [("tensors that come in", inputs)] if inputs else []
    for line, members in groups:
        parts.append((_with_place(line.text, line) if line.text else _place(line), members))
    parts += [("", rest)] if rest else []
    lines: list[str] = []
    for head, members in parts:
        lines += [head] if head else []
        for words, found in alike_once(members):
            asked_at = found[0].user_line if members is inputs and len(found) == 1 else None
            shown = words if asked_at is None else _with_place(words, asked_at)
            lines.append(("  " if head else "") + shown)
    if same:
        lines.append(same_globals(same))
    return lines


def _in_a_line_each(guards: list[Guard]) -> list[str]:
    """Words, each followed by the user's line."""
    lines = []
    for words, found in alike_once(sorted(guards, key=lambda one: (one.user_line is None, one.kind != "TENSOR_MATCH"))):
        line = found[0].user_line
        lines.append(words if line is None else f"{_with_place(words, line)}  {shorter(line.text)}".rstrip())
    return lines


def _place(line: SourceLine) -> str:
    return f"{line.filename if is_torch_file(line.filename) else file_name(line.filename)}:{line.line}"


def _with_place(text: str, line: SourceLine) -> str:
    return "{:<{}}  {}".format(text, _COLUMN, _place(line))


def grouped(guards: list[Guard]) -> tuple[list[tuple[SourceLine, list[Guard]]], list[Guard], list[Guard]]:
    """Guards by the line that asked for them, torch's own files last; those without a line; identity of globals."""
    same: list[Guard] = []
    rest: list[Guard] = []
    groups: dict[tuple[str, int], tuple[SourceLine, list[Guard]]] = {}
    for guard in guards:
        line = guard.user_line
        if _is_same_global(guard):
            same.append(guard)
        elif line is None:
            rest.append(guard)
        else:
            groups.setdefault((line.filename, line.line), (line, []))[1].append(guard)
    return [groups[key] for key in sorted(groups, key=lambda key: (is_torch_file(key[0]), key))], rest, same


def _is_same_global(guard: Guard) -> bool:
    return guard.kind == "ID_MATCH" and guard.words.endswith(_SAME_OBJECT) and guard.code.find("G[") >= 0


def same_globals(guards: list[Guard]) -> str:
    """``globals: torch and torch.abs are still the same objects``."""
    unique = list(dict.fromkeys(guard.subject for guard in guards))
    verb = "is still the same object" if len(unique) == 1 else "are still the same objects"
    return f"globals: {_and(unique)} {verb}"


def alike_once(guards: list[Guard]) -> list[tuple[str, list[Guard]]]:
    """Guards with their words; those which differ in one index alone, as a model's layers do, once."""
    shown: list[tuple[str, list[Guard]]] = []
    tensors = {guard.subject for guard in guards if guard.kind == "TENSOR_MATCH"}
    guards = [guard for guard in guards if guard.kind != "TYPE_MATCH" or guard.subject not in tensors]
    words = [guard.words for guard in guards]
    for one in alike(words, in_brackets, 2):
        members = [guards[index] for index in one.members.values()]
        numbers = f"  (n = {numbers_in_words(one.numbers)})" if one.places else ""
        shown.append((one.written(lambda place: "n") + numbers, members))
    return shown


def kinds_of_own(guards: list[Guard]) -> str:
    """Which kinds of Dynamo's own checks these are: ``global state, torch's own objects``."""
    marks = sum(guard.kind == "DIMENSION_DYNAMIC_MARKING_GUARD" or "'_dynamo_" in guard.code for guard in guards)
    state = sum(guard.kind in _STATE for guard in guards)
    state += sum(
        guard.kind not in _STATE
        and guard.user_line is not None
        and guard.user_line.function == "init_ambient_guards"
        for guard in guards
    )
    parts = ["global state"] if state else []
    parts += ["marks for dynamic shapes"] if marks else []
    parts += ["torch's own objects"] if len(guards) - marks - state > 0 else []
    return ", ".join(parts)


def _and(words: list[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]
