"""The sentences of reports on torch.compile, for sentences.md: filled with examples, and as written."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

ROOT = Path(__file__).parent.parent.parent
EXPLAIN = ROOT / "src" / "depyf" / "explain"
ROOMS = ("frames", "guards", "recording", "report", "from_trace", "after_the_fact", "stepping", "kernels")
_LEAST_WORDS = 3
_WORD = re.compile(r"[A-Za-z][a-z']+")
_PATTERN = re.compile(r"\\[a-zA-Z(\[.]|\(\?|\]\+|\.\*|^<|</|[{};]\n|\bdef |\bimport |^[\w., ]+=|--\w")
"""Of regular expressions, HTML, style sheets and code."""


class K:
    """A class of a program."""


class K2:
    """Another one."""


def _method(x: Any, *args: Any, **kwargs: Any) -> None:
    """Whose parameters the examples have."""


CALL: Dict[str, Any] = {
    "n": 4, "xs": [1, 2, 3], "d": {"a": 1, "b": 2}, "args": (1, 2), "kwargs": {"b": 2}, "kind": K2, "f": len,
    "y": None, "x": 0, "mode": "b", "scale": 2.5,
}  # fmt: skip
FAILED = [
    "tensor 'x' size mismatch at index 0. expected 4, actual 5",
    "tensor 'x' size mismatch at index 0. expected 4, actual 1",
    "tensor '___stack0' size mismatch at index 0. expected 4, actual 5",
    "tensor 'self.weight' size mismatch at index 0. expected 4, actual 5",
    "tensor 'd['a']' stride mismatch at index 0. expected 4, actual 1",
    "tensor 'x' rank mismatch. expected 2, actual 3",
    "tensor 'x' dtype mismatch. expected Float, actual Double",
    "tensor 'x' requires_grad mismatch. expected requires_grad=0",
    "tensor 'x' Tensor device index mismatch. Expected device index to be 0, actual 1",
    "tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU), actual DispatchKeySet(CUDA)",
    "tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU, AutocastCPU), actual DispatchKeySet(CPU)",
    "tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU, AutogradCPU), actual DispatchKeySet(CPU)",
    "tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU, Conjugate), actual DispatchKeySet(CPU)",
    "expected type of 'y' to be a tensor type, ' but found <class 'NoneType'>",
    "L['y'] is L['x']",
    "L['x'] is L['y']",
    "Duplicate tensors found: [\"L['x']\", \"L['y']\"]",
    "Duplicate tensor found where not expected! L['y'] should not alias",
    "L['n'] == 3",
    "L['scale'] == 1.5",
    "L['mode'] == 'a'",
    "L['self'].training == True",
    "L['self'].n == 3  # HINT: set torch._dynamo.config.allow_unspec_int_on_nn_module = True",
    "type(L['n']).__name__ == 'float'",
    "type(L['kind']).__name__ == 'K'",
    "len(L['xs']) == 2",
    "len(L['args']) == 1",
    "len(L['kwargs']) == 2",
    "set(L['d'].keys()) == {'a'}",
    "KeyError on L['kwargs']['a']",
    "not ___dict_contains('b', L['d'])",
    "___check_obj_id(L['kind'], 94004433616688), type=<class 'K'>",
    "___check_obj_id(L['f'], 94004433616688), type=<class 'builtin_function_or_method'>",
    "___check_obj_id(L['f'].__code__, 94004433616688), type=<class 'code'>",
    "GLOBAL_STATE changed: grad_mode",
    "GLOBAL_STATE changed: default_dtype",
    "BACKEND_MATCH failed",
]
STATE = {"GLOBAL_STATE changed: grad_mode": ("grad mode", "on", "off"),
         "GLOBAL_STATE changed: default_dtype": ("the default dtype", "torch.float32", "torch.float64")}  # fmt: skip


def failed_checks() -> str:
    """For each text of torch's: what an index says, what `depyf run` says, and what to do."""
    from depyf.explain.frames.circumstances import RecompilingCall
    from depyf.explain.frames.recompiles import add_reasons
    from depyf.explain.model import CacheEntry
    from depyf.explain.report.remarks.findings import changes_words
    from depyf.explain.report.why import recompile_words

    lines = []
    for text in FAILED:
        name, before, now = STATE.get(text, ("", "", ""))
        entry = CacheEntry("0/1", original_code=_method.__code__)
        call = RecompilingCall(CALL, {}, {name: now} if name else {})
        add_reasons(entry, ["0/0: " + text], call, {"0/0": {name: before}} if name else {})
        (words,) = recompile_words(entry)
        said = {"index": words, "run": changes_words(entry.recompiled), "do": entry.recompiled[0].remedy}
        lines += [text, *(f"    {where:<7}{words}" for where, words in said.items() if words)]
    return "\n".join(lines) + "\n"


def guard_words() -> str:
    """For each type of guard of Dynamo's what it checks in general."""
    from depyf.explain.guards.forms import GUARD_TYPES

    return "\n".join(f"{kind:<33}{words}" for kind, words in sorted(GUARD_TYPES.items())) + "\n"


def templates() -> str:
    """The sentences in the source of the rooms that write reports, by module; braces stand for what is filled in."""
    lines: List[str] = []
    for room in ROOMS:
        for path in sorted((EXPLAIN / room).rglob("*.py")):
            found = list(dict.fromkeys(_sentences(ast.parse(path.read_text(encoding="utf-8")))))
            lines += [path.relative_to(EXPLAIN).as_posix(), *("    " + text for text in found)] if found else []
    return "\n".join(lines) + "\n"


def _sentences(tree: ast.Module) -> Iterator[str]:
    for text in _texts(tree):
        words = " ".join(text.split())
        if words.count(" ") < _LEAST_WORDS - 1:
            continue
        if len(_WORD.findall(re.sub(r"\{[^}]*\}", "", words))) >= _LEAST_WORDS and not _PATTERN.search(text):
            yield words


def _texts(node: ast.AST) -> Iterator[str]:
    """Strings in order, docstrings and pieces of longer ones left out."""
    for field, child in _children(node):
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue  # a docstring
        if isinstance(child, ast.Call) and ast.unparse(child.func) in ("re.compile", "struct.unpack"):
            continue
        if isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield child.value
        elif isinstance(child, ast.JoinedStr):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "{" + ast.unparse(part.value) + "}"
                for part in child.values
                if isinstance(part, (ast.Constant, ast.FormattedValue))
            )
        elif field != "annotation":
            yield from _texts(child)


def _children(node: ast.AST) -> Iterator[Tuple[str, ast.AST]]:
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield field, child
