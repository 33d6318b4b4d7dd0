"""The model of what is compiled now: built from the cache entries that Dynamo keeps, no recording needed."""

from __future__ import annotations

import dis
import inspect as python_inspect
import os
import re
import sys
import textwrap
import types
from types import CodeType
from typing import Any, Mapping

from ...errors import NothingCompiled
from ..code_objects import cell_contents
from ..frames.break_log import breaks_behind
from ..frames.compiled_functions import called_from, functions_of
from ..frames.graph_breaks import graph_break_of
from ..frames.nothing_compiled import why_nothing, why_uncompiled
from ..frames.reasons_settled import settle_reasons
from ..frames.recompiles import add_reasons, kept_reasons
from ..frames.remedies import drop_vain_advice
from ..frames.resume_points import is_resume_name, names_read, resume_function, resume_line, resume_points
from ..graphs.capture import find_graph_module, graph_from_module
from ..guards.collect import collect_guards
from ..guards.state import read_state
from ..kernels.in_process import kernels_of
from ..model import CacheEntry, Frame, Graph, GraphBreak, Session
from ..names import identifier, stable
from ..running import ACTIVE
from ..torch_facts import torch_behavior
from ..transformed.decompiled import decompiled

__all__ = ["frame_of", "inspect", "session_of"]

_COMPILED_FUNCTION = re.compile(r"^__compiled_fn_\d+")


def inspect(function: Any) -> Session:
    """The model of what `torch.compile` has made of `function` so far.

    Args:
        function: a function, method, module, or what `torch.compile` or its `aot_compile` returned for one.

    Raises:
        TypeError: `function` is nothing that Dynamo compiles.
        NothingCompiled: there is no cache entry for it, nor for anything that it calls.

    Example:
        >>> @torch.compile(backend="eager")
        ... def norm(x):
        ...     return x / x.norm()
        >>> _ = norm(torch.ones(4))
        >>> print(depyf.inspect(norm))
        norm ── graph 1: norm, truediv
        >>> depyf.inspect(norm).frames[0].entries[0].graphs[0].operations
        ['norm', 'truediv']
    """
    ahead = torch_behavior.ahead_of_time(function)
    if ahead is not None:
        return session_of([_compiled_ahead(ahead)])
    candidates = functions_of(function)
    if not candidates:
        raise TypeError(
            "depyf.inspect takes a function, a method, a module, or what torch.compile returned, "
            f"not {type(function).__name__}"
        )
    recorded = _recorded_graphs()
    compiled = next((one for one in candidates if _is_compiled(one)), None)
    if compiled is not None:
        frame = frame_of(compiled.__code__, compiled.__globals__, recorded)
        frame.entries = [entry for entry in frame.entries if _is_about(entry, compiled)] or frame.entries
        frames = [frame]
        if any(entry.resume_functions or not entry.graphs for entry in frame.entries):  # calls that it did not inline
            others = called_from(function, candidates, lambda one: _is_compiled(one) and one.__code__ is not frame.code)
            frames += [frame_of(one.__code__, one.__globals__, recorded) for one in others]
        return session_of(frames)
    callees = called_from(function, candidates, _is_compiled)
    if not callees:
        raise NothingCompiled(why_nothing(function, candidates))
    first = candidates[-1]
    skipped = _new_frame(first.__code__, first.__globals__)
    skipped.skipped = "no cache entry: Dynamo left this frame to Python. What it calls is compiled, and follows"
    return session_of([skipped] + [frame_of(one.__code__, one.__globals__, recorded) for one in callees])


def _compiled_ahead(made: Any) -> Frame:
    frame = _new_frame(made.original_code, made.globals)
    frame.entries.append(_entry(made, 0, frame, made.globals, _recorded_graphs()))
    _number([frame])
    return frame


def session_of(frames: list[Frame]) -> Session:
    """A session around `frames`, the frames of their resume functions added after each."""
    torch = sys.modules.get("torch")
    session = Session(torch_version=str(getattr(torch, "__version__", "")), python_version=sys.version.split()[0])
    for frame in frames:
        session.frames.extend(one for one in frame.walk() if not any(one is known for known in session.frames))
    settle_reasons(session)
    return session


def frame_of(
    code: CodeType, module_globals: dict[str, Any], recorded: Mapping[str, Graph] | None = None
) -> Frame:
    """One function's frame with its cache entries, and those of its resume functions.

    Args:
        code: the original code object, which the cache entries belong to.
        module_globals: the globals it runs with; Dynamo puts graphs and resume functions there.
        recorded: graphs which a recording has kept, by their stable names: not every backend's function leads to its.
    """
    top = _new_frame(code, module_globals)
    known: dict[int, Frame] = {id(code): top}
    waiting = [top]
    while waiting:
        frame = waiting.pop()
        assert frame.code is not None
        for index, live in enumerate(_cache_entries(frame.code)):
            entry = _entry(live, index, frame, module_globals, recorded or {})
            frame.entries.append(entry)
            for resume in entry.resume_functions:
                resumed = resume.code
                if resumed is None or not _cache_entries(resumed):
                    resume.uncompiled = why_uncompiled(resumed)
                    continue
                if id(resumed) not in known:
                    child = _new_frame(resumed, module_globals)
                    child.is_resume, child.parent = True, frame.name
                    known[id(resumed)] = child
                    waiting.append(child)
                resume.frame = known[id(resumed)]
        ids = [entry.compile_id for entry in frame.entries]
        reasons = kept_reasons(frame.code, ids)
        for entry in frame.entries:
            add_reasons(entry, reasons.get(entry.compile_id, ()), None)
            drop_vain_advice([entry], is_certain=False)
            if not entry.breaks and (entry.resume_functions or not entry.graphs):
                entry.breaks = _breaks_kept(entry, frame)
    _number(list(known.values()))
    return top


def _number(frames: list[Frame]) -> None:
    """Numbers the transformed codes of equally named frames in order of compilation, as the dump's files are.

    The two resume functions after a branch have one name. Where a recording has written a file, its number counts.
    """
    taken: dict[str, set[int]] = {}
    entries = [(frame, entry) for frame in frames for entry in frame.entries]
    entries.sort(key=lambda pair: _id_order(pair[1].compile_id))
    for frame, entry in entries:
        match = re.search(r"__transformed_code_(\d+)_for_", entry.transformed_path)
        if match:
            entry.index = int(match.group(1))
            taken.setdefault(frame.name, set()).add(entry.index)
    for frame, entry in entries:
        if not entry.transformed_path:
            used = taken.setdefault(frame.name, set())
            entry.index = next(number for number in range(len(used) + 1) if number not in used)
            used.add(entry.index)
        entry.transformed_name = f"__transformed_code_{entry.index}_for_{identifier(frame.name)}"


# ---- cache entries


def _is_compiled(function: types.FunctionType) -> bool:
    return bool(_cache_entries(function.__code__))


def _is_about(entry: CacheEntry, function: types.FunctionType) -> bool:
    """Whether a cache entry may be used for `function`: others with its code have other objects in their closures.

    Torch wraps objects that can be called, and partials, in functions of one code object.
    """
    parts = getattr(entry.guard_manager, "code_parts", None) or []
    text = "\n".join([str(entry.guard_manager), *map(str, parts)])
    for name, content in cell_contents(function).items():
        for check, number in re.findall(rf"___check_(obj|type)_id\(L\['{re.escape(name)}'\], (\d+)\)", text):
            if id(content if check == "obj" else type(content)) != int(number):
                return False
    return True


def _cache_entries(code: CodeType) -> list[Any]:
    """Cache entries in the order in which they were made."""
    try:
        entries = torch_behavior.cache_entries(code)
    except torch_behavior.MissingHook as error:
        raise NothingCompiled(f"this torch has no list of cache entries: {error}") from error
    return sorted(entries, key=lambda entry: _id_order(str(getattr(entry, "compile_id", ""))))


def _id_order(compile_id: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", compile_id)]


def _recorded_graphs() -> dict[str, Graph]:
    """Graphs of the recording that is going on, if any."""
    for recorder in ACTIVE:
        recorder.write_sources()
    entries = [e for recorder in ACTIVE for frame in recorder.session.frames for e in frame.entries]
    return {graph.name: graph for entry in entries for graph in entry.graphs if graph.source}


# ---- filling in


def _new_frame(code: CodeType, module_globals: dict[str, Any]) -> Frame:
    frame = Frame(
        name=code.co_name,
        qualname=getattr(code, "co_qualname", code.co_name),
        filename=code.co_filename,
        first_line=code.co_firstlineno,
        code=code,
        globals=module_globals,
    )
    frame.is_resume = is_resume_name(code.co_name)
    if not frame.is_resume:
        try:
            frame.source = textwrap.dedent(python_inspect.getsource(code))
        except (OSError, TypeError, IndentationError):
            frame.source = ""
    if not frame.source:
        frame.original = decompiled(code, frame.is_resume)
    return frame


def _entry(
    live: Any, index: int, frame: Frame, module_globals: dict[str, Any], recorded: Mapping[str, Graph]
) -> CacheEntry:
    code: CodeType = live.code
    file = os.path.basename(code.co_filename)  # of a code object which a recording has put in place: its dumped text
    ours = file.startswith("__transformed_code_")
    entry = CacheEntry(
        compile_id=str(getattr(live, "compile_id", "") or f"?/{index}"),  # 2.2 and 2.4 do not keep it
        index=index,
        code=code,
        original_code=code,
        guard_manager=torch_behavior.guard_manager_of(live),
        transformed_path=file if ours else "",
        runs_decompiled=ours,
        backend=_backend_words(getattr(live, "backend", None)),
    )
    entry.guards, entry.guard_tree = collect_guards(entry.guard_manager, module_globals, frame.filename)
    read_state(entry)
    entry.transformed = decompiled(code)
    entry.side_effects = [stable(effect) for effect in torch_behavior.side_effects(code)]
    for name in names_read(code):
        if _COMPILED_FUNCTION.match(name):
            graph = _graph(name, module_globals, recorded)
            entry.graphs.append(graph)
            broken = graph_break_of(graph.graph_module) if graph.graph_module is not None else None
            if broken is not None:
                entry.breaks.append(broken)
    if frame.code is not None:
        points = resume_points(code, frame.code, module_globals)
        entry.resume_functions += [resume_function(point) for point in points]
    return entry


def _breaks_kept(entry: CacheEntry, frame: Frame) -> list[GraphBreak]:
    """The breaks of an entry whose graphs tell of none: at the lines where it continues, else one in the function."""
    assert frame.code is not None
    lines = [resume_line(frame, one) for one in entry.resume_functions if not one.function]
    found = breaks_behind(frame, lines)
    if not found and len(frame.entries) == 1:
        found = breaks_behind(frame, [line for _, line in dis.findlinestarts(frame.code) if line])
    return found


def _graph(name: str, module_globals: dict[str, Any], recorded: Mapping[str, Graph]) -> Graph:
    module = find_graph_module(module_globals.get(name))
    known = recorded.get(stable(name))
    if module is None:
        if known is not None:
            return known
        return Graph(
            stable(name),
            name,
            unavailable="the backend's compiled function no longer leads to the graph that Dynamo captured; "
            "compile under depyf.prepare_debug to keep it",
        )
    graph = graph_from_module(module, stable(name), name)
    if known is not None:
        graph.stage_files, graph.kernels, graph.backend = known.stage_files, known.kernels, known.backend
    graph.kernels = graph.kernels or kernels_of(module_globals.get(name), graph.name)
    return graph


def _backend_words(backend: Any) -> str:
    """A backend's name: torch wraps the function that was asked for, or its name, once or more."""
    for _ in range(5):
        name = getattr(backend, "compiler_name", None)
        if isinstance(name, str):
            return name
        inner = getattr(backend, "compiler_fn", None) or getattr(backend, "_torchdynamo_orig_backend", None)
        if inner is None:
            break
        backend = inner
    name = getattr(backend, "__name__", "") or ""
    return str(name)
