"""Long transformed code as a page shows it: what repeats for every layer appears once, with a comment for the rest.

The text stays Python, but does less than the code: the page runs the whole (see `helpers.py`, ``whole``).
"""

from __future__ import annotations

import ast
import re
import textwrap
from dataclasses import dataclass, field
from typing import Sequence

from ....decompiler.proof.compile_worker import syntax_tree
from ...for_reading.lines import in_one_line, one_by_one
from .repeats import runs

__all__ = ["FETCHED", "LONG", "filled_signature", "shortened", "without_fetches"]

FETCHED = "parameters and buffers are fetched from the module"
LONG = 80  # lines that a page shows of a function or a graph in full
_WIDTH = 116
_FEWEST_FETCHED = 8
_FEWEST_LEFT_OUT = 6  # lines: less is not worth a comment
_NAMES_SHOWN = 4
_GONE = "\0"  # a line that goes
_PART = re.compile(
    r"^(?P<owner>\w+)(?P<inside>(?:(?:\['\w+'\])?\.(?:_modules|_parameters|_buffers))*)(?P<key>\['\w+'\])?$"
)
_OF_TENSORS = ("_parameters", "_buffers")
_LIST = (ast.Call, ast.List, ast.Tuple)
_SUFFIX = re.compile(r"(?<=[a-zA-Z_\]])_\d+(?=\b|_)")  # x_1 is alike to x, h_1_weight to h_weight
_PADDING = re.compile(r" {2,}# ")  # before a comment; its width depends on the numbers
_INTEGER = re.compile(r"(?<![\w.])\d+(?![\w.])")


@dataclass
class _Edits:
    """Lines of a text, and what replaces some of them."""

    lines: list[str]
    found: list[tuple[int, int, list[str]]] = field(default_factory=list)

    def replace(self, first: int, last: int, by: Sequence[str]) -> None:
        """`by` in the place of lines `first` to `last`, counted from 1, both included."""
        self.found.append((first, last, list(by)))

    def apply(self) -> list[str]:
        """The lines with all edits made; one that lies in another is dropped."""
        out, at = [], 1
        for first, last, by in sorted(self.found, key=lambda edit: (edit[0], -edit[1])):
            if first >= at:
                out += self.lines[at - 1 : first - 1] + by
                at = last + 1
        return out + self.lines[at - 1 :]


def shortened(source: str) -> tuple[str, int]:
    """One function's text, shortened if it is long, and how many lines went.

    Args:
        source: the function, as the decompiler prints it: one statement a line, long lists an item a line.
    """
    lines = source.rstrip("\n").split("\n")
    if len(lines) <= LONG and FETCHED not in source:
        return source, 0
    try:
        function = syntax_tree(source).body[0]
    except SyntaxError:  # its name is none: the page has it as a comment
        return source, 0
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return source, 0
    edits = _Edits(lines)
    body = list(function.body)
    if ast.get_docstring(function, clean=False) is not None and len(body) > 1:
        _docstring(edits, body.pop(0))
    _repeated(edits, body, "statements")
    for node in ast.walk(function):
        if isinstance(node, _LIST):
            items = [*node.args, *(k.value for k in node.keywords)] if isinstance(node, ast.Call) else node.elts
            _items(edits, items)
    after = _filled_lists(edits.apply())
    text = filled_signature(in_one_line("\n".join(after) + "\n"))
    syntax_tree(text)
    return text, len(lines) - text.count("\n")


def filled_signature(source: str) -> str:
    """The parameters of a `def` that has one in each line, as many in a line as fit."""
    match = re.match(r"((?:async )?def \w+\()\n((?:    [^\n#]*,\n)+)(\)[^\n]*:\n)", source)
    if match is None:
        return source
    parameters = " ".join(line.strip() for line in match.group(2).splitlines())
    filled = textwrap.fill(parameters, _WIDTH, initial_indent="    ", subsequent_indent="    ",
                           break_long_words=False, break_on_hyphens=False)
    return match.group(1) + "\n" + filled + "\n" + match.group(3) + source[match.end() :]


def _docstring(edits: _Edits, statement: ast.stmt) -> None:
    first, last = statement.lineno, statement.end_lineno or statement.lineno
    if last - first > 2:
        edits.replace(first, last, ["    # (the docstring)"])


# ---- parameters


def without_fetches(source: str) -> str:
    """Long code without the statements that fetch parameters from modules, a comment in their place.

    Args:
        source: one function, as the decompiler prints it. Comes back as it is if it is short.
    """
    if source.count("\n") < LONG:
        return source
    lines = one_by_one(source).split("\n")
    runs_of_fetches: list[tuple[int, int, list[str], set[str]]] = []
    owners: dict[str, bool] = {}  # names of modules and of their dicts; True for dicts of parameters or buffers
    at = 0
    while at < len(lines):
        after = at
        names: list[str] = []
        known = set(owners)
        while after < len(lines) and _fetched(lines[after], owners, names):
            after += 1
        if after - at >= _FEWEST_FETCHED:
            runs_of_fetches.append((at, after, names, set(owners) - known))
        at = after + 1
    out: list[str] = []
    at = 0
    kept = _kept(lines, [(first, last) for first, last, _, _ in runs_of_fetches])
    parameters = [name for _, _, names, _ in runs_of_fetches for name in names]
    is_free = not re.search(r"\bparameters\b", source)
    passed = _passed_together(lines, parameters) if is_free else lines
    for first, last, names, modules in runs_of_fetches:
        shown = ", ".join(names[:_NAMES_SHOWN]) + (", ... " + names[-1] if len(names) > _NAMES_SHOWN else "")
        read = ", ".join(sorted(modules & kept))
        words = f"{len(names)} {FETCHED}" + ", *parameters below" * (passed != lines)
        out += passed[at:first] + _commented(f"{words}: {shown}" + (f"; and {read}" if read else ""), 4)
        at = last
    return "\n".join(line for line in out + passed[at:] if line != _GONE)


def _passed_together(lines: Sequence[str], parameters: Sequence[str]) -> list[str]:
    """``*parameters[3:90],`` for arguments, one in a line, that follow each other as they are fetched."""
    found = list(lines)
    place = {f"{name},": at for at, name in enumerate(parameters)}
    at = 0
    while at < len(found):
        first, after = place.get(found[at].strip(), len(parameters)), at
        while after < len(found) and place.get(found[after].strip()) == first + after - at:
            after += 1
        if after - at >= _FEWEST_FETCHED:
            end = first + after - at
            ends = [str(first or ""), str(end) if end < len(parameters) else ""]
            part = "[{}]".format(":".join(ends)) if any(ends) else ""
            indent = found[at][: -len(found[at].lstrip())]
            found[at:after] = [f"{indent}*parameters{part},"] + [_GONE] * (after - at - 1)
        at = max(after, at + 1)
    return found


def _kept(lines: Sequence[str], without: Sequence[tuple[int, int]]) -> set[str]:
    """The words in the other lines, but for those that delete names."""
    gone = {number for first, last in without for number in range(first, last)}
    rest = (line for number, line in enumerate(lines) if number not in gone and not line.lstrip().startswith("del "))
    return {word for line in rest for word in re.findall(r"\w+", line)}


def _fetched(line: str, owners: dict[str, bool], names: list[str]) -> bool:
    """Whether a line does nothing but name a part of a module; adds to the modules, or to the names of parameters."""
    name, _, value = line.strip().partition(" = ")
    part = _PART.match(value)
    if not line.startswith("    ") or line.startswith("     ") or not name.isidentifier() or part is None:
        return False
    if not part["inside"] and part["owner"] not in owners:
        return False
    of_tensors = part["inside"].endswith(_OF_TENSORS) if part["inside"] else owners[part["owner"]]
    if part["key"] and of_tensors:
        names.append(name)
    else:
        owners[name] = of_tensors
    return True


# ---- what repeats


def _repeated(edits: _Edits, statements: list[ast.stmt], what: str) -> None:
    spans = [(one.lineno, one.end_lineno or one.lineno) for one in statements]
    texts = [_PADDING.sub("  # ", "\n".join(edits.lines[first - 1 : last])) for first, last in spans]
    for run in runs([_INTEGER.sub("#", _SUFFIX.sub("", text)) for text in texts]):
        first, last = spans[run.start + run.period][0], spans[run.end - 1][1]
        between = last - first + 1 == sum(b - a + 1 for a, b in spans[run.start + run.period : run.end])
        if between and last - first >= _FEWEST_LEFT_OUT:
            indent = len(edits.lines[first - 1]) - len(edits.lines[first - 1].lstrip())
            left_out = run.period * (run.count - 1)
            words = f"... the same {_times(run.count - 1)} more, with other numbers: {left_out} {what}"
            edits.replace(first, last, _commented(words, indent))


def _items(edits: _Edits, items: Sequence[ast.expr]) -> None:
    """Items of a call, list or tuple that are in lines of their own."""
    if len(items) > _FEWEST_LEFT_OUT and all(a.lineno < b.lineno for a, b in zip(items, items[1:])):
        _repeated(edits, items, "items")  # type: ignore[arg-type]


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _commented(words: str, indent: int) -> list[str]:
    return textwrap.wrap(words, _WIDTH, initial_indent=" " * indent + "# ", subsequent_indent=" " * indent + "# ",
                         break_long_words=False, break_on_hyphens=False)


def _filled_lists(lines: list[str]) -> list[str]:
    """Short items that are in a line each, as many in a line as fit."""
    out: list[str] = []
    for line in lines:
        item = re.match(r"^( {8,})[\w.]+,$", line)
        before = re.match(r"^( {8,})(?:[\w.]+, )*[\w.]+,$", out[-1]) if out else None
        if item and before and item.group(1) == before.group(1) and len(out[-1]) + len(line.strip()) < _WIDTH:
            out[-1] += " " + line.strip()
        else:
            out.append(line)
    return out
