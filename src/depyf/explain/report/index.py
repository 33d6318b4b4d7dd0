"""The README.md of a dump: what each file is, why to open it, what was proven, what is missing and why."""

from __future__ import annotations

from ...owners import is_of_libraries
from ..dump.compile_times import TIMES
from ..model import Artifact, Decompiled, Session
from ..names import file_name
from .remarks.for_index import index_sections, summary_lines
from .remarks.stored import Report, report_of
from .tree import count, tree_lines

__all__ = ["index_text"]

_KINDS = (
    ("page", "Pages, one per function"),
    ("transformed", "Transformed code: what Dynamo made of a function, everything it does"),
    ("graph", "Graphs, stage by stage"),
    ("kernel", "Generated code: the wrapper which Inductor calls, with its kernels"),
    ("kernel source", "The kernels by themselves"),
    ("repro", "Graphs by themselves"),
    ("guards", "Guards in full"),
    ("bytecode", "Bytecode"),
    ("remarks", "Remarks, line by line"),
    ("sources", "Source lines"),
    ("times", "Times"),
    ("generated code", "Code which torch.fx generated for its own purposes"),
)


def index_text(session: Session, report: Report | None = None) -> str:
    """The index. Order and text depend on the model alone; `report` is that on it, if there is one already."""
    report = report or report_of(session)
    lines = ["# What torch.compile made of this program", ""]
    lines.append(
        "Written by depyf; torch {}, Python {}.".format(session.torch_version or "?", session.python_version or "?")
    )
    for note in session.notes:
        lines += ["", f"Note: {note}."]
    if session.frames or session.refusals or session.skips:
        lines += ["", *summary_lines(session, report)]
    pages = [frame for frame in session.top_level() if frame.page]
    if pages:
        of_program = [frame for frame in pages if not is_of_libraries(frame.filename)]
        lines += ["", f"Start with `{(of_program or pages)[0].page}`.{_times(session)}"]
    if session.earlier_files:
        lines += ["", "{} in this folder {} not of this recording, but of an earlier one: see the end.".format(
            count(len(session.earlier_files), "file"), "is" if len(session.earlier_files) == 1 else "are")]
    if session.compiled_before and not _was_recorded(session):
        lines += ["", "Nothing was compiled while this was recorded. What follows was compiled before that, and is"]
        lines += ["described as it is now; graphs of the stages between can't be had any more."]
    elif not session.frames:
        lines += ["", *_no_page(session)]
    lines += index_sections(session, report)
    hints: set[str] = set()
    for frame in session.top_level():
        lines += ["", f"## {frame.title}  ({frame.place})", ""]
        if frame.page:
            lines += [f"[{frame.page}]({frame.page})", ""]
        lines += ["```", *tree_lines(frame, hints), "```"]
    lines += _compiled_before(session)
    lines += _proofs(session)
    if session.compared:
        lines += ["", "## What was compared with eager", "", *(f"- {one}" for one in session.compared)]
    lines += _files(session)
    lines += _missing(session)
    if session.earlier_files:
        lines += ["", "## Files of an earlier recording", ""]
        lines += ["They lie in this folder from before, and may be deleted.", ""]
        lines += [f"- {name}" for name in session.earlier_files]
    return "\n".join(lines).rstrip() + "\n"


def _times(session: Session) -> str:
    """Where the times are, if they are: they differ in every run, and the index doesn't."""
    written = any(one.path == TIMES and one.status == "written" for one in session.artifacts)
    return f" How long compiling took, by phase: `{TIMES}`." if written else ""


def _no_page(session: Session) -> list[str]:
    if session.refusals or session.skips or session.breaks:
        return ["Nothing was compiled while this was recorded, so there is no page. What Dynamo tried follows."]
    if any(one.kind in ("graph", "kernel") for one in session.artifacts):
        return ["torch.compile compiled no function while this was recorded, so there is no page. The graphs below are",
                "of something else: torch.export, AOTInductor, make_fx or compiled autograd."]  # fmt: skip
    return ["Nothing was compiled while this was recorded, so there is no page.",
            "Was the function compiled before? `depyf.explain.dump_src(function)` shows what exists now."]  # fmt: skip


def _was_recorded(session: Session) -> bool:
    before = {(one.filename, one.line) for one in session.compiled_before}
    return any((frame.filename, frame.first_line) not in before for frame in session.top_level())


def _compiled_before(session: Session) -> list[str]:
    shown = {(frame.filename, frame.first_line) for frame in session.frames}
    others = [one for one in session.compiled_before if (one.filename, one.line) not in shown]
    if not others:
        return []
    lines = ["", "## What was compiled before this recording began", ""]
    lines += ["What runs of it is not described here. `depyf.explain.dump_src(function)` shows it.", ""]
    return lines + [f"- `{one.function}` ({file_name(one.filename)}:{one.line})" for one in others]


def _proofs(session: Session) -> list[str]:
    rows = []
    for frame in session.frames:
        for entry in frame.entries:
            one = entry.transformed
            runs = "ours, recompiled from the text" if entry.runs_decompiled else "Dynamo's"
            if entry.runs_as_written:
                runs = f"the function's own: breakpoint at {_cell(entry.runs_as_written)}"
            name = file_name(entry.transformed_path) or entry.transformed_name
            rows.append(f"| {entry.number} | {name} | {_cell(_verdict(one))} | {runs} |")
    if not rows:
        return []
    head = ["", "## What was proven", ""]
    head += ["Transformed code is decompiled, compiled again and compared with Dynamo's bytecode.", ""]
    return [*head, "| compilation | code | verdict | bytecode that runs |", "|---|---|---|---|", *rows]


def _verdict(one: Decompiled) -> str:
    if one.verdict and one.verdict != one.level:
        return one.verdict
    return f"{one.level}: {one.reasons[0]}" if one.reasons else one.level


def _files(session: Session) -> list[str]:
    written = [one for one in session.artifacts if one.status == "written"]
    if not written:
        return []
    lines = ["", f"## Files ({len(written)})"]
    by_kind: dict[str, list[Artifact]] = {}
    for one in written:
        by_kind.setdefault(one.kind, []).append(one)
    titles = dict(_KINDS)
    order = [kind for kind, _ in _KINDS] + sorted(kind for kind in by_kind if kind not in titles)
    for kind in order:
        if kind not in by_kind:
            continue
        lines += ["", f"### {titles.get(kind, kind.capitalize())}", ""]
        for one in by_kind[kind]:
            name = file_name(one.path)
            lines.append(f"- [{name}]({name})" + (": " + one.why_open if one.why_open else ""))
    return lines


def _missing(session: Session) -> list[str]:
    lost = [one for one in session.artifacts if one.status != "written"]
    missing = [f"- `{file_name(one.path)}`: {one.reason}" for one in lost]
    known = {file_name(one.path) for one in lost}
    for failure in session.failures:
        if failure.what not in known:
            costs = f" (costs {failure.costs})" if failure.costs else ""
            missing.append(f"- {failure.what}: {failure.reason}{costs}")
    for frame in session.frames:
        for entry in frame.entries:
            for graph in entry.graphs:
                if graph.unavailable:
                    missing.append(f"- graph of `{graph.name}`: {graph.unavailable}")
    if not missing:
        looked_at = "{} looked at, ".format(count(len(session.frames), "frame")) if session.frames else ""
        return ["", "## What is missing", "", f"Nothing: {looked_at}every artifact written."]
    return ["", "## What is missing", "", *missing]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
