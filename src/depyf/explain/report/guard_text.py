"""A cache entry's guards on a page: in words, grouped by the line which asked for them, and as code that runs."""

from __future__ import annotations

import re
from typing import Dict, List, Tuple

from depyf.explain.guard_words import is_torch_file
from depyf.explain.model import CacheEntry, Frame, Guard, SourceLine
from depyf.explain.names import file_name, identifier
from depyf.explain.report.tree import count

__all__ = [
    "alike_once",
    "grouped",
    "guard_file_name",
    "guard_function",
    "guard_function_name",
    "guard_listing",
    "kinds_of_own",
    "number_of",
    "same_globals",
]

_LOOKS_INSIDE = re.compile(r"\bL\['\w+'\][.\[]|\bG\['\w+'\]\[|\blen\(")
_MOST_WORDS = 60
_COLUMN = 66
_FEW = 3
_STATE = (
    "GLOBAL_STATE", "TORCH_FUNCTION_MODE_STACK", "DEFAULT_DEVICE", "BACKEND_MATCH", "CONFIG_HASH_MATCH",
    "BREAKS_ALLOWED", "OBJECTS_ALIVE",
)  # fmt: skip
_DROPPED = "Dynamo has dropped this compilation since: an object that is checked here is gone."
_SAME_OBJECT = " is still the same object"


def number_of(entry: CacheEntry) -> int:
    """The number in the name of the transformed code; guards share it, for two resume functions may have one name."""
    match = re.match(r"__transformed_code_(\d+)_for_", entry.transformed_name)
    return int(match.group(1)) if match else entry.index


def guard_function_name(entry: CacheEntry, frame: Frame) -> str:
    """``__guard_0_for_toy_example``."""
    return "__guard_{}_for_{}".format(number_of(entry), identifier(frame.name))


def guard_file_name(entry: CacheEntry, frame: Frame) -> str:
    """``guards_0_for_toy_example.txt``."""
    return "guards_{}_for_{}.txt".format(number_of(entry), identifier(frame.name))


def guard_function(entry: CacheEntry, frame: Frame, listed_in: str) -> str:
    """The guard as a Python function: words first, then what can run.

    Args:
        entry: the cache entry.
        frame: its frame.
        listed_in: where every guard is written in full.
    """
    own = [guard for guard in entry.guards if guard.is_bookkeeping]
    asked = [guard for guard in entry.guards if not guard.is_bookkeeping]
    lines = ["def {}(L, G, **_):".format(guard_function_name(entry, frame))]
    if entry.dropped:
        lines.append("    # " + _DROPPED)
    lines += ["    # " + line for line in _words(asked)]
    if not asked:
        lines.append("    # nothing of the user's is checked")
    if own:
        checks = count(len(own), "check")
        lines.append("    # and {} of Dynamo's own ({}): see {}".format(checks, kinds_of_own(own), listed_in))
    skipped = [guard for guard in asked if not guard.runnable]
    if skipped:
        checks = count(len(skipped), "check")
        lines.append("    # these need objects of that process, and are not run: {}".format(checks))
    conditions = [guard.run for guard in asked if guard.runnable]
    lines += _returned(conditions)
    return "\n".join(lines) + "\n"


def _returned(conditions: List[str]) -> List[str]:
    if not conditions:
        return ["    return True"]
    lines = ["    return " + conditions[0]]
    if len(conditions) > 1:
        lines = ["    return ("]
        lines += ["        {}{}".format("and " if at else "", _operand(text)) for at, text in enumerate(conditions)]
        lines.append("    )")
    if any(_LOOKS_INSIDE.search(text) for text in conditions):  # what is not there does not fit
        lines = ["    try:", *("    " + line for line in lines)]
        lines += ["    except (LookupError, AttributeError, TypeError):", "        return False"]
    return lines


def guard_listing(entry: CacheEntry, frame: Frame) -> str:
    """Every guard: the user's in words with their lines, then Dynamo's own, then the tree as Dynamo prints it."""
    own = [guard for guard in entry.guards if guard.is_bookkeeping]
    asked = [guard for guard in entry.guards if not guard.is_bookkeeping]
    lines = [
        "Guards of compilation {} of {} ({}:{}).".format(
            entry.compile_id, frame.name, file_name(frame.filename), frame.first_line
        ),
        "The compiled code is used when all of them hold.",
        *([_DROPPED] if entry.dropped else []),
        "",
        "Asked for by the program: {}".format(len(asked)),
    ]
    lines += ["  " + line for line in _words(asked, most=len(asked))]
    lines += ["", "Dynamo's own: {} ({})".format(len(own), kinds_of_own(own)) if own else "Dynamo's own: 0"]
    lines += ["  " + guard.words for guard in own]
    lines += ["", "As Dynamo writes them (ids of objects left out: they differ in every run):", entry.guard_tree]
    return "\n".join(lines).rstrip() + "\n"


def _words(guards: List[Guard], most: int = _MOST_WORDS) -> List[str]:
    """Words: tensors that the function gets, then by the user's line, in order of lines; at the end guards without one
    and those on globals' identity. What goes past ``most`` lines is counted."""
    inputs = [guard for guard in guards if guard.kind == "TENSOR_MATCH" and "." not in guard.subject]
    groups, rest, same = grouped([guard for guard in guards if guard not in inputs])
    parts: List[Tuple[str, List[Guard]]] = [("tensors that come in", inputs)] if inputs else []
    for line, members in groups:
        parts.append((_with_place(line.text, line) if line.text else _place(line), members))
    parts += [("", rest)] if rest else []
    lines: List[str] = []
    left_out = 0
    for head, members in parts:
        room = most - len(lines) - (head != "")
        found = alike_once(members)
        if room > 0:
            lines += [head] if head else []
            for words, alike in found[:room]:
                asked_at = alike[0].user_line if members is inputs and len(alike) == 1 else None
                shown = words if asked_at is None else _with_place(words, asked_at)
                lines.append(("  " if head else "") + shown)
        left_out += sum(len(alike) for _, alike in found[max(room, 0) :])
    if left_out:
        lines.append("and {} more, each with its line in the file of guards".format(left_out))
    if same:
        lines.append(same_globals(same))
    return lines


def _place(line: SourceLine) -> str:
    return "{}:{}".format(line.filename if is_torch_file(line.filename) else file_name(line.filename), line.line)


def _with_place(text: str, line: SourceLine) -> str:
    return "{:<{}}  {}".format(text, _COLUMN, _place(line))


def grouped(guards: List[Guard]) -> Tuple[List[Tuple[SourceLine, List[Guard]]], List[Guard], List[Guard]]:
    """Guards by the line that asked for them, torch's own files last; those without a line; identity of globals."""
    same: List[Guard] = []
    rest: List[Guard] = []
    groups: Dict[Tuple[str, int], Tuple[SourceLine, List[Guard]]] = {}
    for guard in guards:
        line = guard.user_line
        if guard.kind == "ID_MATCH" and guard.words.endswith(_SAME_OBJECT) and guard.code.find("G[") >= 0:
            same.append(guard)
        elif line is None:
            rest.append(guard)
        else:
            groups.setdefault((line.filename, line.line), (line, []))[1].append(guard)
    return [groups[key] for key in sorted(groups, key=lambda key: (is_torch_file(key[0]), key))], rest, same


def same_globals(guards: List[Guard]) -> str:
    """``globals: torch and torch.abs are still the same objects``."""
    unique = list(dict.fromkeys(guard.subject for guard in guards))
    verb = "is still the same object" if len(unique) == 1 else "are still the same objects"
    return "globals: {} {}".format(_and(unique), verb)


def alike_once(guards: List[Guard]) -> List[Tuple[str, List[Guard]]]:
    """Guards with their words; those which differ in an index of their subject alone, as a model's layers do, once."""
    alike: Dict[str, List[Guard]] = {}
    for guard in guards:
        pattern = re.sub(r"\[\d+\]", "[*]", guard.subject)
        words = guard.words.replace(guard.subject, pattern, 1) if guard.subject else guard.words
        alike.setdefault(words, []).append(guard)
    shown: List[Tuple[str, List[Guard]]] = []
    for words, members in alike.items():
        if len(members) < _FEW:
            shown += [(guard.words, [guard]) for guard in members]
        else:
            shown.append(("{}  ({} of them)".format(words, len(members)), members))
    return shown


def kinds_of_own(guards: List[Guard]) -> str:
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


def _operand(text: str) -> str:
    return "({})".format(text) if " or " in text or " if " in text or "lambda" in text else text


def _and(words: List[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]
