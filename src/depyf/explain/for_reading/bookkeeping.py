"""Recognisers for what Dynamo's code does for Dynamo, taken out of text that is only read.

What runs keeps every operation. For the page a reader wants three lines of fifteen, so each recogniser here removes
one exact shape and says how many statements went; whatever does not match stays in full. They work on decompiled
source, under one axiom: a global which Dynamo made (`__compiled_fn_*`, `__resume_at_*`, `__comprehension_*`,
`__import_*`) and a builtin are not rebound while the function runs.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Callable, Mapping, Sequence, Tuple

from ...decompiler.proof.compile_worker import syntax_tree
from ..names import stable
from .builtin_names import builtin_methods, builtins_by_name
from .declarations import declarations
from .edits import FunctionText, plain_target
from .graph_results import settle_names, unpack_results
from .resume_text import closures, made_function, prologue_marks
from .temporaries import copies, deletions, inlined_once, later_names, temporary

__all__ = ["Folded", "fold", "hides_frame_parameters", "one_by_one", "passes_frame_lists"]

FRAME_PARAMETERS = ("__nested_resume_fns", "__nested_frame_values")
_PROBE_ENTER = "record_pregraph_bytecode_enter"
_PROBE_EXIT = "record_pregraph_bytecode_exit"
_PROFILER_FLAG = "_is_profiler_enabled"
_UTILS = "__import_torch_dot__dynamo_dot_utils"
_SIZE_HELPERS = {"call_size": "size", "call_stride": "stride"}
_PROBE_MODULES = (_UTILS, "__import_torch_dot_autograd_dot_profiler")
_DYNAMO_FUNCTION = re.compile(
    r"(__compiled_fn|__resume_at|__comprehension)_\w+|__import_torch_dot__dynamo_dot_utils\.call_\w+"
)
_BROKEN_LINE = re.compile(r"^([^\n]*)\(\n\s+([^\n]*?),?\n\s*\)([^\n]*)$", re.MULTILINE)
_LONGEST_LINE = 100
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
    is_temporary = temporary(known)
    outputs = dict(graph_outputs)
    passes: list[tuple[str, Callable[[FunctionText], int], bool]] = [
        ("statement|s of the profiler probe", _profiler_probe, False),
        ("name|s for Dynamo's own functions", _function_aliases, False),
        ("read|s of a size through a helper", _sizes, False),
        ("look-up|s of a builtin", builtins_by_name, False),
        ("frame list|s", _frame_lists, False),
        ("closure|s handed to Dynamo's functions", closures, False),
        ("mark|s of Dynamo's own", prologue_marks, False),
        ("statement|s that only declare a name", declarations, False),
        ("call|s of a function that does nothing", lambda text: _idle_calls(text, idle), False),
        ("unpacking|s of a graph's results", lambda text: unpack_results(text, outputs, is_temporary), False),
        ("cop|ies of a name", lambda text: copies(text, is_temporary), True),
        ("name|s for a builtin's method", lambda text: builtin_methods(text, is_temporary), False),
        ("name|s for a value used once", lambda text: inlined_once(text, is_temporary), True),
        ("cop|ies of a name", lambda text: later_names(text, is_temporary), True),
        ("frame list|s", _frame_lists, False),  # what was made had a name
        ("closure|s handed to Dynamo's functions", closures, False),
        ("deletion|s of temporaries", lambda text: deletions(text, is_temporary), False),
    ]
    folded = Folded(one_by_one(stable(source)))
    text: FunctionText | None = None
    for what, recognise, again in passes:
        for _ in range(_MOST_ROUNDS if again else 1):
            try:
                if text is None or text.is_edited:
                    text = FunctionText(folded.source)
            except (SyntaxError, ValueError):
                return folded
            found = recognise(text)
            if not found:
                break
            folded.source = text.apply()
            folded.removed[what] = folded.removed.get(what, 0) + found
    text = FunctionText(folded.source)
    settle_names(text, outputs, is_temporary)
    folded.source = _on_one_line(text.apply())
    return folded


def hides_frame_parameters(source: str) -> bool:
    """Whether a resume function's own text never reads its two frame list parameters."""
    try:
        text = FunctionText(source)
    except (SyntaxError, ValueError):
        return False
    return tuple(text.parameters[:2]) == FRAME_PARAMETERS and not any(p in text.mentions for p in FRAME_PARAMETERS)


def _plural(count: int, what: str) -> str:
    singular = "y" if "|ies" in what else ""
    return re.sub(r"\|(i?e?s)", lambda match: match.group(1) if count != 1 else singular, what)


# ---- profiler probes: what runs between the callable and its arguments since torch 2.8


def _profiler_probe(text: FunctionText) -> int:
    """Statements which only serve the profiler's probe.

    Before: any function. After: if every name that the probe binds is used by the probe alone, its statements are
    gone. Greatest fixed point: start from every name bound in a shape that could belong, drop those used elsewhere.
    """
    names = {t.id for s in text.statements() for t in [plain_target(s)] if t is not None and _could_be_probe(s)}
    deletes = [s for s in text.statements() if isinstance(s, ast.Delete)]
    while True:
        chosen: list[ast.stmt] = []
        counted = _probe_statements(text.function.body, names, chosen)
        inside = {id(n) for s in [*chosen, *deletes] for n in ast.walk(s)}
        kept = {
            name
            for name in names
            if name not in text.parameters and all(id(mention) in inside for mention in text.mentions[name])
        }
        if kept == names:
            break
        names = kept
    if not any(_PROBE_ENTER in text.text(statement) for statement in chosen):
        return 0
    text.remove(chosen)
    return counted + text.undelete(names)


def _could_be_probe(statement: ast.stmt) -> bool:
    assert isinstance(statement, ast.Assign)
    value = statement.value
    if isinstance(value, ast.IfExp):
        value = value.body
    if isinstance(value, ast.Call):
        return not value.args and not value.keywords
    if isinstance(value, ast.Constant):
        return value.value is None
    return isinstance(value, (ast.Attribute, ast.Name))


def _probe_statements(body: Sequence[ast.stmt], names: set[str], chosen: list[ast.stmt]) -> int:
    counted = 0
    for statement in body:
        if _is_probe(statement, names):
            chosen.append(statement)
            counted += sum(isinstance(node, ast.stmt) for node in ast.walk(statement))
        else:
            for _, block in ast.iter_fields(statement):
                if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                    counted += _probe_statements(block, names, chosen)
    return counted


def _is_probe(statement: ast.stmt, names: set[str]) -> bool:
    if isinstance(statement, ast.If):
        used = {n.id for n in ast.walk(statement.test) if isinstance(n, ast.Name)}
        body = list(statement.body) + list(statement.orelse)
        return used <= names and bool(used) and all(_is_probe(s, names) or isinstance(s, ast.Pass) for s in body)
    if isinstance(statement, ast.Expr):
        return _is_probe_part(statement.value, names, (_PROBE_EXIT,), called=True)
    target = plain_target(statement)
    if target is None or target.id not in names:
        return False
    assert isinstance(statement, ast.Assign)
    value = statement.value
    if isinstance(value, ast.IfExp) and isinstance(value.test, ast.Name) and value.test.id in names:
        if not isinstance(value.orelse, ast.Constant) or value.orelse.value is not None:
            return False
        value = value.body
    if isinstance(value, ast.Constant):
        return value.value is None
    if isinstance(value, ast.Name):
        return value.id in _PROBE_MODULES or value.id in names  # the second on 3.15
    if isinstance(value, ast.Call):
        return _is_probe_part(value, names, (_PROBE_ENTER,), called=True)
    return _is_probe_part(value, names, (_PROBE_ENTER, _PROBE_EXIT, _PROFILER_FLAG), called=False)


def _is_probe_part(value: ast.expr, names: set[str], functions: Sequence[str], called: bool) -> bool:
    """`U.function`, or with `called` a call of that or of a name bound to it, its arguments only the probe's names."""
    if called:
        if not isinstance(value, ast.Call) or value.keywords:
            return False
        if not all(isinstance(a, ast.Name) and a.id in names for a in value.args):
            return False
        value = value.func
        if isinstance(value, ast.Name):
            return value.id in names
    if not isinstance(value, ast.Attribute) or value.attr not in functions or not isinstance(value.value, ast.Name):
        return False
    return value.value.id in _PROBE_MODULES or value.value.id in names


# ---- names given to Dynamo's functions because the original read them early


def _function_aliases(text: FunctionText) -> int:
    """`_0 = __compiled_fn_1 ... _0(a)` becomes `__compiled_fn_1(a)`."""
    taken: set[str] = set()
    for statement in text.statements():
        target = plain_target(statement)
        if target is None or not isinstance(statement, ast.Assign):
            continue
        name, value = target.id, text.text(statement.value)
        if not _DYNAMO_FUNCTION.fullmatch(value) or text.stores(name) != 1 or name in text.parameters:
            continue
        for mention in text.mentions[name]:
            if isinstance(mention.ctx, ast.Load):
                text.replace(mention, value)
        text.remove([statement])
        taken.add(name)
    return len(taken) + text.undelete(taken)


# ---- calls by which Dynamo takes something from the stack


def _idle_calls(text: FunctionText, idle: frozenset[str]) -> int:
    """`lambda_()`, where the name stands for a constant that is `lambda: None`."""
    calls = [one for one in text.statements() if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call)
             and isinstance(one.value.func, ast.Name) and one.value.func.id in idle
             and not one.value.args and not one.value.keywords and not text.stores(one.value.func.id)]  # fmt: skip
    text.remove(calls)
    return len(calls)


# ---- symbolic sizes: arguments of a graph which Dynamo reads from its tensors


def _sizes(text: FunctionText) -> int:
    """`__import_torch_dot__dynamo_dot_utils.call_size(x, 0)` becomes `x.size(0)`."""
    taken = 0
    for node in ast.walk(text.function):
        if not isinstance(node, ast.Call) or len(node.args) != 2 or not isinstance(node.args[0], ast.Name):
            continue
        callee = node.func
        if isinstance(callee, ast.Attribute) and callee.attr in _SIZE_HELPERS and text.text(callee.value) == _UTILS:
            method = _SIZE_HELPERS[callee.attr]
            text.replace(node, f"{node.args[0].id}.{method}({text.text(node.args[1])})")
            taken += 1
    return taken


# ---- frame lists: the two leading lists of a resume function, empty unless graph breaks are nested


def _frame_lists(text: FunctionText) -> int:
    """`__resume_at_1_2([], [], x)` becomes `__resume_at_1_2(x)`; unread frame parameters go from the header.

    Where the text defines the function itself, both change or none.
    """
    taken = 0
    calls = [node for node in ast.walk(text.function) if isinstance(node, ast.Call) and _passes_empty_lists(node)]
    inner = {one.name: one for one in text.statements() if isinstance(one, ast.FunctionDef)}
    without = {name for name, one in inner.items() if _needs_no_lists(one, text, calls)}
    for node in calls:
        called = made_function(text, node.func) or (node.func.id if isinstance(node.func, ast.Name) else "")
        if called in without or (called not in inner and made_function(text, node.func)):
            text.cut_first(node.args, 2)
            taken += 2
    for function in [inner[name] for name in sorted(without)]:
        text.cut_first(function.args.args, 2)  # type: ignore[arg-type]
        taken += 2
    if tuple(text.parameters[:2]) == FRAME_PARAMETERS and not any(p in text.mentions for p in FRAME_PARAMETERS):
        arguments = text.function.args
        if not arguments.defaults and len(arguments.args) >= 2 and not getattr(arguments, "posonlyargs", []):
            text.cut_first(arguments.args, 2)  # type: ignore[arg-type]
            taken += 2
    return taken


def _needs_no_lists(function: ast.FunctionDef, text: FunctionText, calls: Sequence[ast.Call]) -> bool:
    """Whether a function in the text never reads its two frame lists, and is only called with empty ones."""
    arguments = function.args
    first = tuple(one.arg for one in arguments.args[:2])
    if first != FRAME_PARAMETERS or arguments.defaults or getattr(arguments, "posonlyargs", []):
        return False
    if any(isinstance(node, ast.Name) and node.id in FRAME_PARAMETERS for node in ast.walk(function)):
        return False
    callees = {id(call.func) for call in calls}
    read = [one for one in text.mentions.get(function.name, []) if not isinstance(one.ctx, ast.Del)]
    return all(id(mention) in callees for mention in read)


def _passes_empty_lists(call: ast.Call) -> bool:
    return len(call.args) >= 2 and all(isinstance(a, ast.List) and not a.elts for a in call.args[:2])


def passes_frame_lists(source: str, name: str) -> bool:
    """Whether `source`, folded, calls the function `name` of Dynamo's with the two lists."""
    try:
        text = FunctionText(source)
    except (SyntaxError, ValueError):
        return name in source
    calls = [node for node in ast.walk(text.function) if isinstance(node, ast.Call) and node.args]
    return any(isinstance(one.args[0], ast.List) and made_function(text, one.func) == name for one in calls)


# ---- lines


def one_by_one(source: str) -> str:
    """`a, b = x, y` as two assignments, where neither value has the names: the recognisers look at single ones."""
    try:
        text = FunctionText(source)
    except (SyntaxError, ValueError):
        return source
    for statement in text.statements():
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            continue
        target, value = statement.targets[0], statement.value
        if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple) or len(target.elts) != len(value.elts):
            continue
        names = {node.id for node in target.elts if isinstance(node, ast.Name)}
        read = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
        if len(names) == len(target.elts) and not names & read:
            pairs = zip(target.elts, value.elts)
            lines = [f"{text.text(name)} = {text.text(part)}" for name, part in pairs]
            text.replace(statement, ("\n" + " " * statement.col_offset).join(lines))
    return text.apply()


def _on_one_line(source: str) -> str:
    """Brackets which were broken over lines and now fit into one are joined."""
    at = 0
    while True:
        match = _BROKEN_LINE.search(source, at)
        if match is None:
            return source
        line = "{}({}){}".format(*match.groups())
        joined = source[: match.start()] + line + source[match.end() :]
        if len(line) <= _LONGEST_LINE and _same_tree(joined, source):
            source = joined
        at = match.start() + len(match.group(1)) + 1


def _same_tree(one: str, other: str) -> bool:
    try:
        return ast.dump(syntax_tree(one)) == ast.dump(syntax_tree(other))
    except SyntaxError:
        return False
