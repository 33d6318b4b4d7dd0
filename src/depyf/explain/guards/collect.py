"""Guards of a cache entry, read from the text that every torch prints for its guard manager.

`str(guard_manager)` is a tree of lines from torch 2.4 on, such as
``| +- TENSOR_MATCH: check_tensor(L['a'], ...)  # x = a + 1  # toy.py:3 in toy``; before, it is a function with its
conditions as a list, all tensors in one of them. The comments say whose line asked for the guard: 2.2 and 2.9 and later
write them, 2.4 to 2.8 while a recording continues (`patches.py`); without one a guard has no user line.
"""

from __future__ import annotations

import ast
import keyword
import os
import re
from functools import lru_cache
from typing import Any

from ..model import Guard, SourceLine
from ..names import file_name, stable, without_addresses
from .tensor_checks import tensor_check_parts
from .words import NO_CODE, describe

__all__ = ["collect_guards", "kind_of", "recompile_reason", "split_verbose_part", "stable_guard_text"]

_LEAF = re.compile(r"^[| ]*\+- ([A-Z][A-Z0-9_]+)(?:: (.*))?$")
_LOCATION = re.compile(
    r"^(?P<before>.*?)#\s(?P<file>[^#]*?\.py|[^#]*?>):(?P<line>\d{1,7}) in (?P<function>[\w<>.]+)(?P<rest>.*)$"
)
_IDENTITY = re.compile(r"(__check_(?:obj|type)_id\(.*?), \d{4,}\)")
_NAMES_BY_ID = ("__dtensor_spec_", "___check_metadata_", "___check_opaque_guard_fn_")
_NAMED_BY_ID = re.compile(r"\b({})\d+(?:_c\d+/\d+)?".format("|".join(_NAMES_BY_ID)))
_OF_RUNS = ("___dict_version(", ".data_ptr() == ")
_OF_THIS_RUN = re.compile(r"(___dict_version\((?:[^()]|\([^()]*\))*\) == |\.data_ptr\(\) == )\d+")
_MODULE = re.compile(r"(<module '[\w.]+') from '[^']*'>")
_MODULE_KEY = re.compile(r"\._modules\['(\w+)'\]")
_NUMBER_MARK = "90071992{:02}"  # for the number of a layer: a number that no program has
_NAME_MARK = "module_without_a_name_{:02}"
_MOST_DIGITS = 4
_BRANCH = re.compile(r"^[| ]*\+-")
_CLASS_BEHIND_ID = re.compile(r"(___check_type_id\([^()]+(?:\([^()]*\))?[^()]*\)), type=<class '[^']*'>")  # said twice
_ARGUMENT = r"(?:[^(),]|\((?:[^(),]|\([^(),]*\))*\))*"  # a call in a call in it
_CHECKED_ID = re.compile(rf"_?__check_(obj|type)_id\(({_ARGUMENT}), \d{{4,}}\)")
_CODE_OF = re.compile(r"\bgetattr\(([^(),]+), '__code__', None\)")
_BACKEND = re.compile(r"(___lookup_backend\()\d+\)")
_KEYS = re.compile(r"(?<= == )\{[^{}]*\}")
_FROZEN = re.compile(r"frozenset\(\{([^{}]*)\}\)")
_ABOUT_INPUTS = re.compile(r"\b[LG]\[")
_CELL = re.compile(r"ipykernel_\d+/\d+\.py")
_NOTES = (
    ("0/1 specialization", "  (0 and 1 are always compiled by themselves)"),
    ("duck sizing", "  (equal when it was compiled, so taken for one symbol: duck sizing)"),
)
_KIND_OF_CODE = (
    ("check_tensor(", "TENSOR_MATCH"),
    ("check_no_aliasing(", "NO_TENSOR_ALIASING"),
    ("___check_obj_id(", "ID_MATCH"),
    ("___check_type_id(", "TYPE_MATCH"),
    ("___check_global_state(", "GLOBAL_STATE"),
    ("___check_torch_function_mode_stack(", "TORCH_FUNCTION_MODE_STACK"),
    ("utils_device.CURRENT_DEVICE", "DEFAULT_DEVICE"),
    ("___guarded_code.valid", "OBJECTS_ALIVE"),
    ("not ___needs_nopython()", "BREAKS_ALLOWED"),
    ("(___skip_backend_check()", "BACKEND_MATCH"),
    ("___compile_config_hash()", "CONFIG_HASH_MATCH"),
)
_OF_AN_OBJECT = re.compile(r"\bG\['(\w+)'\]\(\)")
_SETTER = "init_ambient_guards"  # of Dynamo, though shape guards are the program's


def collect_guards(
    guard_manager: Any, module_globals: dict[str, Any] | None = None, filename: str = ""
) -> tuple[list[Guard], str]:
    """Guards and the printed tree of one cache entry.

    Args:
        guard_manager: a cache entry's `guard_manager` (its `check_fn` on old torch).
        module_globals: the frame's globals, to name the objects whose identity is checked.
        filename: the frame's file; guards asked for by other files are shown with theirs.

    Never raises: a guard of an unknown kind is kept as Dynamo writes it.
    """
    tree = str(guard_manager) if type(guard_manager).__name__ != "function" else ""
    tree = "\n".join(_whole_lines(tree))
    leaves = [match.groups() for match in map(_LEAF.match, tree.splitlines()) if match]
    if not leaves:
        leaves = [("", part) for part in _parts_of_function(guard_manager)]
        tree = "\n".join(part for _, part in leaves)
    guards: list[Guard] = []
    seen = set()
    modules = _Modules(module_globals or {})
    for kind, text in leaves:
        if not text or text in seen:
            continue
        seen.add(text)
        code, line = split_verbose_part(text, filename)
        code = _keys_in_order(code)
        if line is not None and line.function == _SETTER and _ABOUT_INPUTS.search(code):
            line = None
        guard = modules.describe(kind or kind_of(code), code, line)
        if code.count(" <= ") < 2:  # else a bound of the program's is in it
            guard.words += next((words for mark, words in _NOTES if mark in text), "")
        guards.append(guard)
    return guards, stable_guard_text(tree.strip())


class _Modules:
    """Describes guards; those that differ in the keys of modules alone, as those of layers do, once."""

    def __init__(self, module_globals: dict[str, Any]) -> None:
        self._globals = module_globals
        self._known: dict[tuple[str, str], Guard] = {}

    def describe(self, kind: str, code: str, line: SourceLine | None) -> Guard:
        parts = _MODULE_KEY.split(code)
        keys = parts[1::2]
        if not keys or not all(self._may_stand_for_others(key, code) for key in keys):
            return self._stable(describe(kind, code, line, self._globals))
        marks: dict[str, str] = {}
        for key in keys:
            marks.setdefault(key, (_NUMBER_MARK if key.isdigit() else _NAME_MARK).format(len(marks)))
        parts[1::2] = [f"._modules['{marks[key]}']" for key in keys]
        pattern = "".join(parts)
        known = self._known.get((kind, pattern))
        if known is None:
            known = self._known[kind, pattern] = self._stable(describe(kind, pattern, None, self._globals))
        texts = "\0".join([known.code, known.words, known.run, known.subject])
        for key, mark in marks.items():
            texts = texts.replace(mark, key)
        stable_code, words, run, subject = texts.split("\0")
        return Guard(stable_code, kind, subject, words, line, known.is_bookkeeping, known.runnable, run)

    @staticmethod
    def _may_stand_for_others(key: str, code: str) -> bool:
        """Whether what is said of it can be said of any such key; what is in a global is looked up."""
        if key.isdigit():
            return len(key) <= _MOST_DIGITS
        return key.isidentifier() and not keyword.iskeyword(key) and stable(key) == key and "G[" not in code

    @staticmethod
    def _stable(guard: Guard) -> Guard:
        if any(stable(name) != name for name in _OF_AN_OBJECT.findall(guard.run)):
            guard.runnable = False  # Dynamo's reference to an object of this process
        guard.code, guard.words = stable_guard_text(guard.code), stable_guard_text(guard.words)
        guard.run, guard.subject = stable(guard.run), stable(guard.subject)
        return guard


def _parts_of_function(guard: Any) -> list[str]:
    """Conditions of a guard that is a Python function; each tensor's check has the line that first asked for it."""
    written = getattr(guard, "verbose_code_parts", None) or getattr(guard, "code_parts", None) or []
    parts = [str(part) for part in written]
    checks = tensor_check_parts(guard)
    if checks is None:
        return parts
    found: list[str] = []
    for part in parts:
        if not part.startswith("___check_tensors("):
            found.append(part)
            continue
        for check in checks:
            name = check.partition("(")[2].partition(", ")[0].rstrip(")")
            asked = next((p for p in parts if f"hasattr({name}, " in p), "")
            comment = asked.partition("  # ")[2] if check.startswith("check_tensor(") else ""
            found.append(f"{check}  # {comment}" if comment else check)
    return found


def recompile_reason(text: str) -> str:
    """A line of Dynamo's reasons to compile again, checks by the ids of objects told by what they are."""
    text = _CODE_OF.sub(r"\1.__code__", _CLASS_BEHIND_ID.sub(r"\1", text))
    return stable_guard_text(_CHECKED_ID.sub(_checked, text))


def _checked(match: re.Match[str]) -> str:
    kind = {"obj": "ID_MATCH", "type": "TYPE_MATCH"}[match.group(1)]
    guard = describe(kind, match.group(), None, {})
    return guard.run or "{} is {} it was".format(match.group(2), "the object" if kind == "ID_MATCH" else "of the type")


def stable_guard_text(text: str) -> str:
    """`text` without the ids of objects, the uuids in names and what changes in the names of a notebook's cells; sets
    of keys are in order."""
    text = without_addresses(_MODULE.sub(r"\1>", text))
    text = _CELL.sub(lambda match: file_name(match.group()), text)
    for marks, pattern in ((_NAMES_BY_ID, _NAMED_BY_ID), (_OF_RUNS, _OF_THIS_RUN)):
        if any(mark in text for mark in marks):  # a tree has megabytes, in which this is much quicker than a pattern
            text = pattern.sub(r"\1<id>", text)
    text = _BACKEND.sub(r"\1<id>)", _IDENTITY.sub(r"\1, <id>)", text))
    text = _FROZEN.sub(lambda match: "frozenset({{{}}})".format(", ".join(sorted(match.group(1).split(", ")))), text)
    return stable(_keys_in_order(text))


def _whole_lines(tree: str) -> list[str]:
    """The lines of a tree; torch 2.11 and 2.12 put the `repr` of a guarded object into one, line breaks and all."""
    lines: list[str] = []
    for line in tree.splitlines():
        if lines and ", type=" in lines[-1] and line.strip() and not _BRANCH.match(line):
            lines[-1] += " " + line.strip()
        else:
            lines.append(line)
    return lines


def _keys_in_order(text: str) -> str:
    return _KEYS.sub(_in_order, text) if " == {" in text else text


def _in_order(match: re.Match[str]) -> str:
    try:
        keys = ast.literal_eval(match.group())
    except (*NO_CODE, TypeError):
        return match.group()
    return "{{{}}}".format(", ".join(sorted(map(repr, keys)))) if isinstance(keys, set) else match.group()


def split_verbose_part(text: str, filename: str = "") -> tuple[str, SourceLine | None]:
    """Splits ``code  # user's line  # dir/file.py:3 in function`` into the code and the line that asked for it."""
    at = text.find("  # ")
    if at < 0 or "#" in text[:at]:
        return _split(text, filename)
    return text[:at].strip(), _split(text[at:], filename)[1]


@lru_cache(maxsize=1024)  # many guards are asked for by one line
def _split(text: str, filename: str) -> tuple[str, SourceLine | None]:
    match = None
    at = 0
    while True:  # the last location wins: the code and the user's line may hold `#` themselves
        found = _LOCATION.match(text, at)
        if found is None:
            break
        match, at = found, found.end("before") + 1
    if match is None:
        return text.partition("  # ")[0].strip(), None
    before = text[: match.end("before")]
    code, _, user_text = before.partition("  # ")
    if not user_text and " # " in before:
        code, _, user_text = before.partition(" # ")
    path = match.group("file").strip()
    if filename and filename.replace(os.sep, "/").endswith(path):
        path = filename
    line = SourceLine(path, int(match.group("line")), user_text.strip(), match.group("function"))
    return code.strip(), line


def kind_of(code: str) -> str:
    return next((kind for start, kind in _KIND_OF_CODE if code.startswith(start)), "")
