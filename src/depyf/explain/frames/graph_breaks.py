"""Why a graph ended: Dynamo's reason, taken apart into type, explanation, hints and the registry's number."""

from __future__ import annotations

import json
import os
import re
import sys
from functools import lru_cache
from typing import Any, Sequence

from ...owners import is_of_program
from ..guards.words import user_spelling
from ..model import GraphBreak, SourceLine
from ..names import stable, without_addresses

__all__ = ["IS_JUMP", "WENT_BACK", "graph_break_from_reason", "graph_break_of", "place", "readable"]

_LINK = re.compile(r"https?://\S+/(?P<id>gb\d+)\.html", re.IGNORECASE)
_PART = re.compile(r"\s+(?P<name>Explanation|Hint|Developer debug context|Higher Order Operator): ?(?P<text>.*)")
_NO_PART = ("***", " For more details")
_PARTS = {"Explanation": "explanation", "Developer debug context": "context"}
_JUMP = "generic_jump"
IS_JUMP = (_JUMP, "Data-dependent")  # what Dynamo keeps of a branch on data, and what it says of it
_BRANCHING = "Data-dependent branching"
_NUMBERS = "SymNodeVariable", "UnspecializedPythonVariable"  # .item(), a size marked as unbacked; random.random()
_ON_NUMBER = "the branch depends on a number that is known only when it runs"
_OBJECT = re.compile(
    r"<(?:built-in |bound )?(?:function|method) (?P<name>(?:[\w.]|<\w+>)+)(?: of (?:<[^<>]*>|[^<>])*?)?(?: ?\.\.\.)?>"
)
_RAISED = re.compile(r"raised exception (?P<what>\w.*)")
_ARGUMENTS = re.compile(r"\(\*\(.*?\), \*\*\{.*?\}\)", re.DOTALL)  # of an operation in a graph
_FOLDERS = re.compile(r"/[^\s'\"]*/(?:(?:site|dist)-packages|lib/python3\.\d+)/")
_LOCALS = re.compile(r"\b\w+\.<locals>\.")
_QUOTED = re.compile(r"`([^`]+)`")
_SAME = re.compile(r"(\S+) = \1(?!\S)")  # ``x.shape[0] = x.shape[0]``: the user's name for both sides
_CONSTANTS = re.compile(r"ConstantVariable\(\w+: ('[^']*'|[^()]*)\)")
_LISTED = re.compile(rf"\[((?:{_CONSTANTS.pattern}(?:, )?)+)\]")  # what an exception is made of, up to torch 2.10 or so
_BY_USER = "User-inserted graph break"
_BY_DESIGN = "the graph ends there by design: call it outside of the compiled function, or leave it as it is"
_NOT_YOURS = "the line is not the program's: call it outside of the compiled function, or leave the break as it is"
_SKIPPED = "Dynamo developers have intentionally marked"  # no function of the program
_AVOID = ("Avoid calling the function", "Apply `@torch._dynamo.dont_skip_tracing` to the function")
_NO_MESSAGE = " Message: None"
_SETTING = re.compile(r"\btorch\._dynamo\.(\w+)(?= ?=)")
_ASKED = re.compile(r"\bPlease (?!double|file|open|report|see)[^'\"]+?\.(?=\W*$|\s)")
"""A sentence of an exception's text that says what to do: it is easily missed in there."""
_VIOLATED = "Constraints violated ("
_CONSTRAINT = re.compile(r"^ *- (?P<words>.*(?:\n(?! *- |\n).*)*)", re.MULTILINE)
_RELAXED = re.compile(  # up to torch 2.8 or so
    r"Not all values of RelaxedUnspecConstraint\((?P<of>.+)\) are valid because (?P=of) was inferred to be a constant"
)
_STACK_LINE = re.compile(r'^ +File "(?P<file>.+)", line (?P<line>\d+), in (?P<function>.+)\n +(?P<text>.*)', re.M)
WENT_BACK = {
    "step_unsupported": "Dynamo went back to the last line after which it can stop; the break itself comes later in "
    "the function",
    "comprehension_graph_break": "Dynamo went back to the last comprehension before which it can stop; the break "
    "itself is in that, or comes later in the function",
}
"""What Dynamo keeps as the reason where it stops at an earlier place than that of the break -> what it means."""
_ASSERTION, _CONSTANT = "Data-dependent assertion failed", "ConstantVariable"
_FAILS = "an assertion fails: what it tests was known while compiling, so Python is to raise"
_SOURCE = re.compile(r"\b[LG]\[(?:'[^']*'|\"[^\"]*\")\][\w.'\"\[\]]*(?:size\(\)\[\d+\])?")
_HINTS_FOR_JUMPS = ["Use `torch.cond` to express dynamic control flow."]  # before torch 2.8 there is no registry


def graph_break_of(graph_module: Any) -> GraphBreak | None:
    """The break that ended a graph, or None when it ended with its function.

    Args:
        graph_module: what Dynamo captured; its `compile_subgraph_reason` says why it stopped.
    """
    reason = getattr(graph_module, "compile_subgraph_reason", None)
    if reason is None or not getattr(reason, "graph_break", True):
        return None
    return graph_break_from_reason(str(getattr(reason, "reason", "")), getattr(reason, "user_stack", None) or [])


def place(found: GraphBreak, caller: SourceLine | None = None) -> GraphBreak:
    """Finds the program's own line in the stack; `caller` is the one that called a library's function."""
    stopped = found.stack[-1] if found.stack else found.inside or found.location
    own = [line for line in [caller, *found.stack] if line is not None and is_of_program(line.filename)]
    found.location = own[-1] if own else stopped
    found.inside = stopped if stopped != found.location else None
    if any(_is_about(hint, found) for hint in found.hints):
        by_design = found.explanation.startswith((_BY_USER, _SKIPPED))
        found.hints = [hint for hint in found.hints if not _is_about(hint, found)]
        found.remedy = _BY_DESIGN if by_design else "" if found.hints else _NOT_YOURS
        found.explanation = found.explanation.replace(_BY_USER, "A graph break in the library's own code")
    return found


def _is_about(hint: str, found: GraphBreak) -> bool:
    """Whether a hint is to change a line that is not the program's, or not to call what torch has to run itself."""
    if found.explanation.startswith(_SKIPPED) and hint.startswith(_AVOID):
        return True
    if found.inside is None:
        return False
    quoted = (text.strip("() ").rpartition(".")[2] for text in _QUOTED.findall(hint))
    return hint.startswith("Avoid ") or any(text in found.inside.text for text in quoted)


def _with_config(hint: str) -> str:
    """The hint with the settings that it names where they are: torch 2.13 says ``torch._dynamo.trace_autograd_ops``."""
    dynamo, config = (sys.modules.get(name) for name in ("torch._dynamo", "torch._dynamo.config"))

    def corrected(match: re.Match[str]) -> str:
        is_setting = not hasattr(dynamo, match[1]) and hasattr(config, match[1])
        return f"torch._dynamo.config.{match[1]}" if is_setting else match[0]

    return _SETTING.sub(corrected, hint)


def readable(text: str) -> str:
    """Torch's text with functions by their names, and without folders of packages and the arguments of operations."""
    text = text.replace("<unknown source>", "a value without a name")
    return _ARGUMENTS.sub("(...)", _LOCALS.sub("", _OBJECT.sub(r"\g<name>", _FOLDERS.sub("", text))))


def graph_break_from_reason(reason: str, stack: Sequence[Any] = ()) -> GraphBreak:
    """A `GraphBreak` from Dynamo's text and its stack of `traceback.FrameSummary`."""
    lines = [SourceLine(one.filename, one.lineno or 0, (one.line or "").strip(), one.name) for one in stack]
    text = whole = readable(without_addresses(stable(reason)).strip())
    if text.startswith(_VIOLATED):
        return _violation(text, lines)
    text = _SOURCE.sub(lambda match: user_spelling(match[0]), text)
    if text.startswith(_JUMP):
        text = _BRANCHING
    else:
        text = next((words for mark, words in WENT_BACK.items() if text.startswith(mark)), text)
    title, _, rest = text.partition("\n")
    title = title.strip()
    if title.endswith(":"):  # a backend that raised: what it said follows
        more, _, rest = rest.strip().partition("\n")
        title = f"{title} {more.strip()}".strip()
    found = GraphBreak(title, gb_type=title, stack=lines)
    _take_apart(rest.replace(_NO_MESSAGE, ""), found)
    known = _registry().get(found.gb_type, {})
    link = _LINK.search(text)
    if link is not None:
        found.gb_id, found.link = link.group("id").upper(), link.group()
    else:
        found.gb_id = known.get("id", "")
    found.is_general = title == _BRANCHING or bool(found.explanation) and found.explanation == known.get("explanation")
    if title == _BRANCHING:
        of_number = any(kind in whole for kind in _NUMBERS)
        found.reason = _ON_NUMBER if of_number else "the branch depends on a tensor's value"
        found.explanation = found.explanation or known.get("explanation", "")
        found.hints = found.hints or known.get("hints") or _HINTS_FOR_JUMPS
    found.hints = [*_ASKED.findall(found.explanation), *found.hints]
    if title.startswith((_BRANCHING, _ASSERTION)) and _CONSTANT in whole:
        found.reason, found.explanation, found.hints = _FAILS, "", []
    raised = _RAISED.match(found.context)
    if raised is not None and title == "Observed exception":
        found.reason = f"{title}: {_LISTED.sub(_of_constants, raised['what'])}"
    elif not found.explanation and title != _BRANCHING and found.reason != _FAILS:  # it alone says which operator
        found.explanation, found.context = found.context, ""
    return place(found)


def _of_constants(match: re.Match[str]) -> str:
    return ", ".join(_CONSTANTS.findall(match[1]))


def _violation(text: str, lines: list[SourceLine]) -> GraphBreak:
    """Sizes that the program has marked as dynamic and uses as constants."""
    title, _, rest = text.partition("\n")
    rest, _, stack = rest.partition("User stack:")
    lines = lines or [SourceLine(one["file"], int(one["line"]), one["text"].strip(), one["function"])
                      for one in _STACK_LINE.finditer(stack)]  # fmt: skip
    told = (" ".join(match["words"].split()) for match in _CONSTRAINT.finditer(rest))
    said = [_RELAXED.sub(r"You marked \g<of> as dynamic but your code specialized it to be a constant",
                         _SAME.sub(r"\1", user_spelling(words))) for words in told] or [title]  # fmt: skip
    words, _, hint = said[0].partition(". ")
    hints = [hint or "remove the mark, or use torch._dynamo.maybe_mark_dynamic", *said[1:]]
    return place(GraphBreak(words.rstrip("."), gb_type=title.partition(" (")[0], hints=hints, stack=lines))


def _take_apart(text: str, found: GraphBreak) -> None:
    """The explanation and the hints in a text whose parts begin with their names and continue in indented lines."""
    parts: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        match = _PART.match(line)
        if match is not None:
            parts.append((match.group("name"), [match.group("text").strip()]))
        elif not line.strip() or line.startswith(_NO_PART):
            parts.append(("", []))
        elif parts:
            parts[-1][1].append(line.strip())
    for name, written in parts:
        if name in _PARTS and not getattr(found, _PARTS[name]):
            setattr(found, _PARTS[name], "\n".join(written).strip())
        elif name == "Hint":
            found.hints.append(_with_config("\n".join(written).strip()))


@lru_cache(maxsize=1)
def _registry() -> dict[str, dict[str, Any]]:
    """Dynamo's registry of graph breaks by type (torch 2.8 and later; empty before)."""
    torch = sys.modules.get("torch")
    root = os.path.dirname(getattr(torch, "__file__", None) or "")
    try:
        with open(os.path.join(root, "_dynamo", "graph_break_registry.json"), encoding="utf-8") as file:
            entries = json.load(file)
    except (OSError, ValueError):
        return {}
    found: dict[str, dict[str, Any]] = {}
    for gb_id, versions in entries.items():
        best: dict[str, Any] = max(versions, key=lambda v: len(v.get("Hints") or []))
        explanation = str(best.get("Explanation") or "")
        hints: list[str] = [str(hint) for hint in best.get("Hints") or []]
        if explanation.startswith("_") or "{" in explanation:  # a variable of torch's source, not a sentence
            explanation = ""
        found.setdefault(str(best["Gb_type"]), {"id": gb_id, "explanation": explanation, "hints": hints})
    return found
