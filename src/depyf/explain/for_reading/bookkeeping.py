"""Recognisers for what Dynamo's code does for Dynamo, taken out of text that is only read.

What runs keeps every operation. For the page a reader wants three lines of fifteen, so each recogniser here removes
one exact shape and says how many statements went; whatever does not match stays in full. They work on decompiled
source, under one axiom: a global which Dynamo made (`__compiled_fn_*`, `__resume_at_*`, `__comprehension_*`,
`__import_*`) and a builtin are not rebound while the function runs.
"""

from __future__ import annotations

import ast
import builtins
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Callable, Mapping, Sequence, Tuple

from ..names import stable
from .declarations import declarations
from .edits import FunctionText, plain_target
from .graph_results import settle_names, unpack_results
from .lines import in_one_line, one_by_one
from .resume_text import FRAME_PARAMETERS, closures, frame_lists, hides_lists, made_function, prologue_marks
from .temporaries import deletions, inlined_once, later_names, other_names, temporary, unread

__all__ = ["FRAME_PARAMETERS", "Folded", "fold", "hides_frame_parameters", "passes_frame_lists"]

_UTILS = "__import_torch_dot__dynamo_dot_utils"
_PROBE = "record_pregraph_bytecode_enter"
_PROBE_MODULES = {_UTILS, "__import_torch_dot_autograd_dot_profiler"}
_PROBE_STATEMENTS = (ast.If, ast.Assign, ast.Expr, ast.Pass)
_BUILTIN = re.compile(r"__builtins_dict___\d+\[['\"](\w+)['\"]\]|__import_builtins\.(\w+)")
_SIZE = re.compile(_UTILS + r"\.call_(size|stride)\((\w+), (.*)\)")
_MOST_ROUNDS = 30

_Outputs = Tuple[Tuple[str, Tuple[str, ...]], ...]


@dataclass
class Folded:
    """Text for reading, and how many statements (or list operands) each recogniser took out of it."""

    source: str
    removed: dict[str, int] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """All that was taken out."""
        return sum(self.removed.values())

    def describe(self) -> str:
        """``4 statements of the profiler probe, 2 empty frame lists``, or an empty string."""
        return ", ".join(f"{n} {_plural(n, what)}" for what, n in self.removed.items())


def fold(
    source: str,
    graph_outputs: Mapping[str, Sequence[str]] | None = None,
    known_names: frozenset[str] | None = None,
    idle: frozenset[str] = frozenset(),
) -> Folded:
    """`source` without Dynamo's bookkeeping.

    Args:
        source: one decompiled function. Text which does not parse comes back as it is.
        graph_outputs: names of what each graph returns, by the graph's stable name; they name the unpacked results.
        known_names: local names of the bytecode, which tell the program's names from the decompiler's.
        idle: names of constants that are functions which do nothing.
    """
    outputs = tuple((name, tuple(found)) for name, found in (graph_outputs or {}).items())
    return _fold(source, outputs, known_names, idle)


@lru_cache(maxsize=64)  # the page shows a function at several places
def _fold(source: str, graph_outputs: _Outputs, known: frozenset[str] | None, idle: frozenset[str]) -> Folded:
    folded = Folded(one_by_one(stable(source)))
    try:
        text = FunctionText(folded.source)
    except (SyntaxError, ValueError):
        return folded
    outputs = dict(graph_outputs)
    made: dict[str, str] = {}
    of_bytecode = temporary(None if known is None else known | text.declared)
    is_temporary = lambda name: of_bytecode(name) or name in made and name not in (known or ())  # noqa: E731
    passes: tuple[tuple[str, Callable[[FunctionText], int]], ...] = (
        ("deletion|s of temporaries", lambda text: deletions(text, is_temporary)),
        ("look-up|s of a builtin", _builtins_by_name),
        ("cop|ies of a name", lambda text: other_names(text, is_temporary)),
        ("statement|s of the profiler probe", _profiler_probe),
        ("read|s of a size through a helper", _sizes),
        ("closure|s handed to Dynamo's functions", closures),
        ("frame list|s", frame_lists),
        ("mark|s of Dynamo's own", prologue_marks),
        ("statement|s that only declare a name", declarations),
        ("call|s of a function that does nothing", lambda text: _idle_calls(text, idle)),
        ("unpacking|s of a graph's results", lambda text: unpack_results(text, outputs, made)),
        ("name|s that nobody reads", lambda text: unread(text, is_temporary)),
        ("name|s for a value used once", lambda text: inlined_once(text, is_temporary)),
        ("cop|ies of a name", lambda text: later_names(text, is_temporary)),
    )
    for _ in range(_MOST_ROUNDS):
        before = folded.count
        for what, recognise in passes:
            found = recognise(text)
            if found:
                text = FunctionText(text.apply())
                folded.removed[what] = folded.removed.get(what, 0) + found
        if folded.count == before:
            break
    settle_names(text, made)
    folded.source = in_one_line(text.apply())
    return folded


def hides_frame_parameters(source: str) -> bool:
    """Whether a resume function's own text never reads its two frame list parameters."""
    try:
        return hides_lists(FunctionText(source).function)
    except (SyntaxError, ValueError):
        return False


def passes_frame_lists(source: str, name: str) -> bool:
    """Whether `source`, folded, calls the function `name` of Dynamo's with the two lists."""
    try:
        text = FunctionText(source)
    except (SyntaxError, ValueError):
        return name in source
    calls = [node for node in ast.walk(text.function) if isinstance(node, ast.Call) and node.args]
    return any(isinstance(one.args[0], ast.List) and made_function(one.func) == name for one in calls)


def _plural(count: int, what: str) -> str:
    singular = "y" if "|ies" in what else ""
    return re.sub(r"\|(i?e?s)", lambda match: match.group(1) if count != 1 else singular, what)


def _profiler_probe(text: FunctionText) -> int:
    """What runs between the callable and its arguments since torch 2.8: statements of names for the probe that has
    begun and of Dynamo's modules, if nothing else mentions these names."""
    names: set[str] = set()
    for statement in text.statements if _PROBE in text.source else ():
        target, value = plain_target(statement), getattr(statement, "value", None)
        if target is not None and (_PROBE in text.text(statement) or getattr(value, "id", "") in names):
            names.add(target.id)
    found = [one for one in text.statements if isinstance(one, _PROBE_STATEMENTS) and _is_probe(one, names)]
    inside = {id(node) for statement in found for node in ast.walk(statement)}
    if not all(id(one) in inside or isinstance(one.ctx, ast.Del) for name in names for one in text.mentions[name]):
        return 0
    text.undelete(names)
    return text.remove(found)


def _is_probe(statement: ast.stmt, names: set[str]) -> bool:
    nodes = list(ast.walk(statement))
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    return bool(used & names) and used <= names | _PROBE_MODULES and all(
        isinstance(node, _PROBE_STATEMENTS) for node in nodes if isinstance(node, ast.stmt))


def _builtins_by_name(text: FunctionText) -> int:
    """`__builtins_dict___7['print']` and `__import_builtins.print` become `print`, where the function has no such name
    of its own: Dynamo reads builtins from a dict or a module of its own."""
    taken = 0
    for node in text.nodes:
        is_read = isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Load)
        match = _BUILTIN.fullmatch(text.text(node)) if is_read else None
        name = match.group(1) or match.group(2) if match else ""
        if name and name not in text.mentions and name not in text.parameters and hasattr(builtins, name):
            text.replace(node, name)
            taken += 1
    return taken


def _sizes(text: FunctionText) -> int:
    """`__import_torch_dot__dynamo_dot_utils.call_size(x, 0)` becomes `x.size(0)`: symbolic sizes are arguments of a
    graph which Dynamo reads from its tensors."""
    found = [(node, _SIZE.fullmatch(text.text(node))) for node in text.nodes if isinstance(node, ast.Call)]
    for node, match in found:
        if match is not None:
            text.replace(node, match.expand(r"\2.\1(\3)"))
    return sum(match is not None for _, match in found)


def _idle_calls(text: FunctionText, idle: frozenset[str]) -> int:
    """`lambda_()`, by which Dynamo takes something from the stack: the name is that of a constant, `lambda: None`."""
    return text.remove(
        one for one in text.statements if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call)
        and isinstance(one.value.func, ast.Name) and one.value.func.id in idle
        and not one.value.args and not one.value.keywords and not text.stores(one.value.func.id)
    )  # fmt: skip
