"""What depyf gave for a program, examined: every file compiles, the pages run, verdicts are proven, nothing failed."""

from __future__ import annotations

import dataclasses
import html
import importlib.util
import inspect
import json
import os
import re
import types
from pathlib import Path
from typing import AbstractSet, Any, Dict, List, Optional

import torch

from .suite import CALLS, Call, Program, copied, original

__all__ = ["examine"]

AHEAD = "ahead of time"  # in the place of a compilation's number: torch keeps that code in an object of its own


def examine(program: Program, directory: str, model: Any, ran: AbstractSet[str] = frozenset()) -> Dict[str, Any]:
    """Counts, and under ``wrong`` a sentence for each thing that is not as it should be.

    `ran`: the files of what was called under `depyf.debug()`.
    """
    found: Dict[str, Any] = {"files": 0, "pages": 0, "runs": 0, "codes": 0, "proven": 0, "wrong": []}
    wrong: List[str] = found["wrong"]
    if program.watch == "inspect":
        _inspected(found)
    if model is None:
        return found
    for path in sorted(Path(directory).rglob("*.py")):
        found["files"] += 1
        _contained(wrong, path.name, compile, path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True)
    index = Path(directory, "README.md")
    if not index.exists():
        wrong.append("there is no index")
    text = index.read_text(encoding="utf-8") if index.exists() else ""
    wrong += ["the index does not say {!r}".format(one) for one in program.index if not re.search(one, text)]
    said = forms(directory, model)
    wrong += _unequal(model, said) + (_not_found(program.finding, model, said) if program.finding else [])
    _verdicts(found, model)
    wrong += ["{} failed: {}".format(one.what, one.reason) for one in model.failures]
    wrong += ["{} is missing: {}".format(one.path, one.reason) for one in model.artifacts
              if one.status != "written" and one.kind != "repro"]  # fmt: skip
    if program.watch == "debug":
        names = {os.path.basename(path) for path in ran if os.path.dirname(path) == directory}
        wrong += ["no breakpoint in {} is hit".format(one) for one in _meant_to_run(program, model) if one not in names]
    _run_pages(program, directory, model, found)
    return found


# ---- findings


def forms(directory: str, model: Any) -> Dict[str, str]:
    """The six forms in which findings are printed, each as words with single blanks."""
    from depyf.explain.report.html.report_page import report_page
    from depyf.explain.report.remarks.answer import answer_lines
    from depyf.explain.report.remarks.stored import report_of
    from depyf.run.reports import text_of
    from depyf.testing import story_of

    report = report_of(model)
    page = re.sub(r"<(style|script)\b.*?</\1>|<[^>]+>", " ", report_page(report), flags=re.DOTALL)
    found = {
        "answer": "\n".join(answer_lines(report)),
        "report": "\n".join(text_of(report, "", "", "", False, False)[1 + len(answer_lines(report)) :]),
        "index": Path(directory, "README.md").read_text(encoding="utf-8"),
        "page": html.unescape(page),
        "data": Path(directory, "remarks.json").read_text(encoding="utf-8").replace('\\"', '"'),
        "test": "\n".join(story_of(model, dict.fromkeys(("breaks", "recompiles", "uncompiled", "raised"), -1))),
    }
    return {name: " ".join(text.split()) for name, text in found.items()}


_IN_FULL = 10  # places in the answer and in a test's message; the others are in the other forms
_BEGINNING = 40  # characters of what is cut
_NAMED = {"uncompiled": "uncompiled|[Nn]ot compiled", "raised": "raised|raising", "recompile": "recompil|ompiled again"}


def _not_found(finding: Any, model: Any, said: Dict[str, str]) -> List[str]:
    """What is missing in which form; and findings of another kind at this line, or of other people's packages."""
    from depyf.explain.report.remarks.stored import report_of

    kinds, text, *facts = finding
    findings = [one for one in report_of(model).remarks if one.is_finding]
    if kinds.endswith("?") and not findings and not torch._dynamo.utils.counters["graph_break"]:
        return []  # this torch traces it
    here = [one for one in findings if one.kind in kinds.rstrip("?").split("|") and re.search(_any_of(text), one.text)]
    found = ["{} at {!r}".format(one.kind, one.text) for one in findings]
    wrong = [] if here else ["no {} at {!r}, but {}".format(kinds, text, found)]
    wrong += ["a finding in {}".format(one.file) for one in findings if one.package]
    for name, words in said.items():
        wrong += ["{} lacks {!r}: {}".format(name, one, words[:1500]) for one in facts if not re.search(one, words)]
    return wrong


def _any_of(text: str) -> str:
    return "|".join(map(re.escape, text.split("|")))


def _unequal(model: Any, said: Dict[str, str]) -> List[str]:
    """Findings that a form lacks: the kind, the line, and the name in torch's registry, the subject or the function."""
    from depyf.explain.report.remarks.answer import worst_first
    from depyf.explain.report.remarks.findings import THE_REST_OF
    from depyf.explain.report.remarks.stored import report_of

    wrong: List[str] = []
    findings = worst_first(report_of(model).remarks)
    for number, one in enumerate(findings):
        name = one.words.partition(": ")[0] if one.kind in ("raised", "uncompiled") else one.words[:_BEGINNING]
        name = name[len(THE_REST_OF) :] if name.startswith(THE_REST_OF) else name
        subject = one.words.partition(" was ")[0].rpartition(": ")[2]
        fact = one.gb_id or (subject if one.kind == "recompile" else name)
        facts = [_NAMED.get(one.kind, one.kind), r"\b{}\b".format(one.line), re.escape(" ".join(fact.split()))]
        for form, words in said.items():
            if form == "answer" and number >= _IN_FULL or form == "test" and len(findings) > _IN_FULL:
                continue
            wrong += ["{} lacks {!r} of {}: {}".format(form, fact, one, words[:1500])
                      for fact in facts if not re.search(fact, words)]  # fmt: skip
    return wrong


_STAGES_THAT_RUN = {"eager": ("Captured_Graph",), "aot_eager": ("Forward_graph", "Backward_graph")}


def _meant_to_run(program: Program, model: Any) -> List[str]:
    """Transformed code, and the graph files of those stages which run with the program's backend."""
    stages = tuple(".{}.".format(one) for one in _STAGES_THAT_RUN.get(program.backend, ()))
    return [
        one.path
        for one in model.artifacts
        if one.kind == "transformed" or (one.kind == "graph" and any(stage in one.path for stage in stages))
    ]


def _contained(wrong: List[str], what: str, function: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        return function(*args, **kwargs)
    except Exception as error:
        wrong.append("{}: {}: {}".format(what, type(error).__name__, str(error)[:200]))
        return None


def _verdicts(found: Dict[str, Any], model: Any, running: bool = True) -> None:
    for frame in model.frames:
        for entry in frame.entries:
            found["codes"] += 1
            found["proven"] += entry.transformed.proven
            if not entry.transformed.proven:
                reasons = "; ".join(entry.transformed.reasons) or entry.transformed.verdict
                found["wrong"].append("{} {} is not proven: {}".format(frame.name, entry.compile_id, reasons[:300]))
            elif running and not entry.runs_decompiled and entry.compile_id != AHEAD:
                found["wrong"].append("{} {} is proven but does not run".format(frame.name, entry.compile_id))


# ---- after the fact


def _inspected(found: Dict[str, Any]) -> None:
    """`depyf.inspect` and `dump_src` on everything that was called."""
    import depyf
    from depyf.explain import dump_src
    from depyf.explain.model import to_json

    wrong = found["wrong"]
    for function in [one.function for one in CALLS]:
        model = _contained(wrong, "inspect", depyf.inspect, function)
        if model is None:
            continue
        _verdicts(found, model, running=False)
        _contained(wrong, "inspect's JSON", lambda model=model: json.dumps(to_json(model)))
        if not str(model):
            wrong.append("inspect's text is empty")
        page = _contained(wrong, "dump_src", dump_src, function)
        found["pages"] += 1
        if page is not None:
            found["files"] += 1
            _contained(wrong, "dump_src's page", compile, page, "<page>", "exec", dont_inherit=True)


# ---- pages


def _run_pages(program: Program, directory: str, model: Any, found: Dict[str, Any]) -> None:
    done: List[str] = []
    for frame in model.top_level():
        path = os.path.join(directory, frame.page)
        if not frame.page or not os.path.exists(path) or not any(one.entries for one in frame.walk()):
            continue
        found["pages"] += 1
        done.append(frame.page)
        page = _contained(found["wrong"], frame.page, _load, path)
        calls = [
            one
            for one in CALLS
            if frame.code is not None and _code_of(one.function) is frame.code and not _failed_in_torch(one)
        ]
        if page is None or not calls:
            continue
        why = [_run_page(program, page, frame, one) for one in calls]
        found["runs"] += why.count("")
        found["wrong"] += sorted({"{} on the inputs: {}".format(frame.page, one) for one in why if one})


def _failed_in_torch(one: Call) -> bool:
    """Whether the call ended in an error of the compiler, where a page runs the user's code and ends otherwise, or of
    the GPU, which runs nothing more in this process."""
    return type(one.outcome[0]).__name__ in ("InternalTorchDynamoError", "AcceleratorError")


def _load(path: str) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location("page_" + Path(path).stem, path)
    assert spec is not None and spec.loader is not None
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    return page


def _run_page(program: Program, page: types.ModuleType, frame: Any, one: Call) -> str:
    """Runs a page's function on the inputs of a call; says what is not as it was, '' when all is."""
    from depyf.explain.names import identifier

    function = getattr(page, identifier(frame.name), None)
    if function is None:
        return "the page has no {}".format(identifier(frame.name))
    if isinstance(one.inputs, Exception) or isinstance(one.receiver, Exception):
        return "the inputs can't be copied"
    if hasattr(page, "use"):
        page.use(one.names)
    args, kwargs = _with_defaults(original(one.function), *copied(one.inputs))
    on_cpu, on_gpus = one.random_state
    torch.set_rng_state(on_cpu)
    if on_gpus:
        torch.cuda.set_rng_state_all(on_gpus)
    try:
        result = function(*_bound(one), *args, **kwargs)
    except Exception as error:
        expected = one.outcome[0]
        if type(error) is type(expected) and str(expected).startswith(str(error)):
            return ""  # torch.fx.Interpreter (aot_eager up to 2.9) puts the operation behind it
        return "{}: {}".format(type(error).__name__, str(error)[:200])
    if program.repeatable and not alike(result, one.outcome[0], exact=program.backend == "eager"):
        return "another result"
    return ""


def _with_defaults(function: Any, args: Any, kwargs: Any) -> Any:
    """The inputs with default values, which only the function object knows."""
    bound = inspect.signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.args, bound.kwargs


def _code_of(function: Any) -> Optional[types.CodeType]:
    function = original(function)
    function = getattr(function, "__func__", function)
    return getattr(function, "__code__", None)


def _bound(one: Call) -> List[Any]:
    """What the method was bound to, as it was before the call."""
    return [] if one.receiver is None else [copied(one.receiver)]


def alike(one: Any, other: Any, exact: bool) -> bool:
    """Whether two results are equal; up to rounding where not `exact`."""
    if isinstance(one, torch.Tensor):
        if not isinstance(other, torch.Tensor) or one.dtype != other.dtype or one.shape != other.shape:
            return False
        one, other = one.detach(), other.detach()
        return bool(torch.equal(one, other)) if exact else bool(torch.allclose(one, other, 1e-4, 1e-5))
    if type(one) is not type(other) and not (callable(one) and callable(other)):
        return False
    if dataclasses.is_dataclass(one) and not isinstance(one, type):
        one, other = vars(one), vars(other)
    if isinstance(one, dict):
        return list(one) == list(other) and all(alike(one[key], other[key], exact) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(alike(a, b, exact) for a, b in zip(one, other))
    if isinstance(one, float) and not exact:
        return abs(one - other) <= 1e-4 * max(1.0, abs(other))
    return bool(one == other) if isinstance(one, (int, float, str, bool, type(None), torch.dtype)) else True
