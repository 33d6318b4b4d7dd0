"""The model as HTML: a tree to open and to click through, in a notebook or as a file of its own.

Takes the model and nothing else. The result needs no script and nothing from a network: `<details>` elements and a
style sheet. Every text that comes from a program is escaped.
"""

from __future__ import annotations

import html
import itertools
import re

from ...for_reading.bookkeeping import fold
from ...frames.resume_points import resume_line
from ...kernels.provenance import kernel_lines_text
from ...model import CacheEntry, Decompiled, Frame, Graph, GraphBreak, ResumeFunction, Session
from ...names import file_name
from ..page.guard_text import difference
from ..page.sections import folded_code
from ..page.shortened import LONG, shortened
from ..remarks.stored import report_of
from ..tree import NOT_SEEN, branches, count, operations_of, place_words, why_not_compiled
from ..why import recompile_words, side_effect_words
from .guards import difference_html, guards_html
from .highlight import IN_FULL, code_html, has_colours
from .style import STYLE

__all__ = ["html_file", "html_fragment"]

MOST_LINES = 120  # of one listing in a notebook, which keeps its outputs
_MOST_OF_SOURCE = 400
_MOST_CHARACTERS = 150_000  # from which on compilations are named, and no more

_INPUTS = re.compile(r"(?:^    # \w+: .*\n){8,}", re.MULTILINE)  # of a graph, with their shapes
_INPUTS_SHOWN = 4

_displays = itertools.count()


def html_file(session: Session) -> str:
    """A whole HTML file."""
    name = _title(session)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{}</title>\n</head>\n'
        '<body class="depyf-page">\n{}\n</body>\n</html>\n'.format(html.escape(name), _PageWriter(session, "").page())
    )


def html_fragment(session: Session) -> str:
    """What a notebook shows. Two of them on one page have different anchors; what repeats for each layer appears once,
    long listings are cut, and many compilations are named only: `html_file` has all of it."""
    return _PageWriter(session, f"depyf{next(_displays)}-", MOST_LINES).page()


def _title(session: Session) -> str:
    frames = session.top_level()
    names = ", ".join(frame.name for frame in frames[:3]) + (" ..." if len(frames) > 3 else "")
    return "{} under torch.compile".format(names or "Nothing")


def _chip(text: str, kind: str = "") -> str:
    return f'<span class="chip {kind}">{html.escape(text)}</span>' if text else ""


def _details(summary: str, body: str, css: str, is_open: bool, anchor: str = "") -> str:
    return '<details class="{}"{}{}><summary>{}</summary><div class="in">{}</div></details>\n'.format(
        css, f' id="{html.escape(anchor)}"' if anchor else "", " open" if is_open else "", summary, body
    )


class _PageWriter:
    """One page: where things are anchored, and what was shown already.

    Attributes:
        prefix: begins every id of this page.
        links: names, and places such as ``toy.py:4``, with the id of what they refer to.
    """

    def __init__(self, session: Session, prefix: str, most_lines: int = 0) -> None:
        self.session, self.prefix, self.most_lines = session, prefix, most_lines
        self.links: dict[str, str] = {}
        self.calls: dict[str, tuple[Frame, ResumeFunction, str, CacheEntry]] = {}
        self._anchors: dict[int, str] = {}
        self._shown: set[str] = set()
        self._written = 0  # characters so far, about
        self._frames = [one for frame in session.top_level() for one in frame.walk()]
        self._frames += [frame for frame in session.frames if not any(frame is one for one in self._frames)]
        for number, frame in enumerate(self._frames):
            self._name_parts(frame, f"{prefix}f{number}")

    def _name_parts(self, frame: Frame, anchor: str) -> None:
        self._anchors[id(frame)] = anchor
        lines = len(frame.source.splitlines()) if frame.source else 0
        for number in range(min(lines, _MOST_OF_SOURCE) if self.most_lines else lines):
            line = frame.first_line + number
            self.links.setdefault(f"{file_name(frame.filename)}:{line}", f"{anchor}L{line}")
        for number, entry in enumerate(frame.entries):
            self._anchors[id(entry)] = f"{anchor}c{number}"
            for graph in entry.graphs:
                self.links.setdefault(graph.name, "{}{}".format(self.prefix, graph.name.strip("_")))
            arms = branches(fold(entry.transformed.source).source) if entry.resume_functions else {}
            for resume in entry.resume_functions:
                self.links.setdefault(resume.name, "{}{}".format(self.prefix, resume.name.strip("_")))
                self.calls.setdefault(resume.name, (frame, resume, arms.get(resume.name, resume.branch), entry))

    # ---- the page

    def page(self) -> str:
        session = self.session
        shown = session.top_level() or session.frames
        parts = [f"<style>{STYLE}</style>", self._header(shown)]
        parts.append("<nav><ul>{}</ul></nav>".format("".join(self._outline(frame, set()) for frame in shown)))
        for frame in self._frames:
            parts.append(self._frame(frame))
        parts += [self._uncalled(*call) for call in self.calls.values() if call[1].frame is None]
        for failure in session.failures:
            costs = "; without it: " + failure.costs if failure.costs else ""
            words = f"{failure.what}: {failure.reason}{costs}"
            parts.append(f'<div class="call bad">{html.escape(words)}</div>')
        made = "Made by depyf from what Dynamo of torch {} holds on Python {}.".format(
            session.torch_version or "?", session.python_version or "?"
        )
        made += "" if has_colours() else " Code has one colour here: install pygments for more."
        parts.append(f'<p class="made">{html.escape(made)}</p>')
        return '<div class="depyf">\n{}\n</div>'.format("\n".join(parts))

    def _header(self, shown: list[Frame]) -> str:
        entries = [entry for frame in self._frames for entry in frame.entries]
        graphs = {graph.name for entry in entries for graph in entry.graphs}
        breaks = report_of(self.session).counts["breaks"]
        title, place = "What torch.compile made of {}".format(count(len(shown), "function")), ""
        if len(shown) == 1:
            title, place = shown[0].name, f"{file_name(shown[0].filename)}:{shown[0].first_line}"
        proven = sum(entry.transformed.proven for entry in entries)
        chips = [_chip(count(len(entries), "compilation")), _chip(count(len(graphs), "graph"))]
        chips += [_chip(count(breaks, "graph break"), "warn" if breaks else "")]
        chips += [_chip(f"{proven} of {len(entries)} proven", "good" if proven == len(entries) else "warn")]
        return '<header><span class="title">{}</span><span class="place mono">{}</span>{}</header>'.format(
            html.escape(title), html.escape(place), " ".join(chips)
        )

    # ---- the tree at the head

    def _link(self, target: str, text: str) -> str:
        return f'<a href="#{html.escape(target)}">{html.escape(text)}</a>' if target else html.escape(text)

    def _outline(self, frame: Frame, seen: set[int], title: str = "") -> str:
        """One function, or resume function, with everything below it."""
        label = f"<b>{self._link(self._anchors[id(frame)], title or frame.name)}</b>"
        if id(frame) in seen:
            return f"<li>{label} <span class=\"ops\">(see above)</span></li>"
        seen.add(id(frame))
        if not frame.entries:
            why = frame.skipped or (NOT_SEEN if frame.is_resume else "not compiled")
            return f'<li>{label} <span class="ops">{html.escape(why)}</span></li>'
        if len(frame.entries) == 1:
            return f"<li>{label} {self._outline_entry(frame, frame.entries[0], seen)}</li>"
        lines = [f"<li>{self._outline_entry(frame, entry, seen)}</li>" for entry in frame.entries]
        words = "{}, the latest whose guards hold is used".format(count(len(frame.entries), "compilation"))
        return '<li>{} <span class="ops">{}</span><ul>{}</ul></li>'.format(label, words, "".join(lines))

    def _outline_entry(self, frame: Frame, entry: CacheEntry, seen: set[int]) -> str:
        number = entry.compile_id or str(entry.index)
        graphs = [
            f"{self._link(self.links[graph.name], _graph_title(graph))} "
            f'<span class="ops">{html.escape(operations_of(graph))}</span>'
            for graph in entry.graphs
        ]
        head = '<a class="chip id mono" href="#{}">{}</a>{}'.format(
            html.escape(self._anchors[id(entry)]), html.escape(number), " ".join(graphs) or "no graph"
        )
        below = [f'<li><span class="why">{html.escape(_break_title(one))}</span></li>' for one in entry.breaks]
        for resume in entry.resume_functions:
            title = self._resume_title(frame, resume)
            if resume.frame is None:
                label = self._link(self.links[resume.name], title)
                why = html.escape(why_not_compiled(resume, entry))
                below.append(f'<li>{label} <span class="ops">{why}</span></li>')
            else:
                below.append(self._outline(resume.frame, seen, title))
        return head + ("<ul>{}</ul>".format("".join(below)) if below else "")

    def _resume_title(self, frame: Frame, resume: ResumeFunction) -> str:
        line = resume_line(frame, resume)
        arm = self.calls[resume.name][2] if resume.name in self.calls else resume.branch
        where = f"resume at line {line}" if line else resume.name
        where = f"{where} in {resume.function}" if resume.function else where
        return f"{arm}: {where}" if arm else where

    # ---- one function

    def _frame(self, frame: Frame) -> str:
        anchor = self._anchors[id(frame)]
        called = next((call for call in self.calls.values() if call[1].frame is frame), None)
        title, note = html.escape(frame.called or frame.qualname or frame.name), ""
        place = f"{file_name(frame.filename)}:{frame.first_line}"
        if called is not None:
            parent, resume, _, entry = called
            title = html.escape(self._resume_title(parent, resume))
            caller = self._link(self._anchors[id(entry)], "compilation " + entry.compile_id)
            where = f"{_code(resume.name)} continues {_code(parent.name)} after the graph break, called by {caller}."
            note = f'<p class="note">{where}</p>'
            title = f'<span id="{html.escape(self.links[resume.name])}">{title}</span>'
        chips = _chip(count(len(frame.entries), "compilation"))
        summary = f'{title} <span class="place mono">{html.escape(place)}</span> {chips}'
        body = [note] if note else []
        if frame.skipped:
            body.append(f'<div class="call warn">{html.escape(frame.skipped)}</div>')
        body += [_break(one) for one in frame.breaks]
        body.append(self._source(frame, anchor))
        newest = frame.entries[-1] if len(frame.entries) > 1 else None
        for entry in frame.entries:
            body.append(self._entry(frame, entry, entry is newest))
        return _details(summary, "".join(body), "frame", True, anchor)

    def _uncalled(self, parent: Frame, resume: ResumeFunction, arm: str, entry: CacheEntry) -> str:
        why = why_not_compiled(resume, entry)
        words = f'<p class="note">Nothing is compiled for {_code(resume.name)}: {html.escape(why)}.</p>'
        title = html.escape(self._resume_title(parent, resume)) + " " + _chip(why)
        return _details(title, words, "frame", False, self.links[resume.name])

    def _source(self, frame: Frame, anchor: str) -> str:
        if frame.source:
            marked = [
                line.line
                for entry in frame.entries
                for line in [one.inside or one.location for one in entry.breaks]
                if line is not None and line.filename == frame.filename
            ]
            most = _MOST_OF_SOURCE if self.most_lines else 0
            code = code_html(frame.source, "python", None, frame.first_line, anchor + "L", marked, most)
            note = "the graph breaks at the marked line" if marked else ""
            return _details("Source " + _faint(note), code, "part", not frame.is_resume)
        if frame.original.source:
            words = "decompiled, Dynamo made it" if frame.is_resume else "decompiled, its source is not at hand"
            code = self._code(frame.original.source)
            return _details(f"Source {_faint(words)} {_verdict(frame.original)}", code, "part", False)
        return '<p class="note">Its source is not at hand.</p>'

    # ---- one compilation

    def _entry(self, frame: Frame, entry: CacheEntry, is_first_tried: bool) -> str:
        anchor = self._anchors[id(entry)]
        if self.most_lines and self._written > _MOST_CHARACTERS:
            return self._named_only(entry, anchor)
        chips = [_chip(entry.backend, "info"), _verdict(entry.transformed)]
        chips.append(_chip("tried first") if is_first_tried else "")
        summary = "Compilation <span class=\"mono\">{}</span> {}".format(
            html.escape(entry.compile_id or str(entry.index)), " ".join(chips)
        )
        body: list[str] = []
        for words in recompile_words(entry):
            body.append(f'<div class="call">{html.escape(_capital(words))}</div>')
        found = difference(entry, frame)
        if found is not None and found.rows:
            body.append(difference_html(found, entry.number))
        guards = guards_html(entry, self.links, is_short=bool(self.most_lines))
        body.append(_details(*guards, css="part", is_open=True, anchor=anchor + "g"))
        body.append(self._transformed(entry, anchor))
        body += [self._graph(graph) for graph in entry.graphs]
        body += [_break(one) for one in entry.breaks]
        if entry.side_effects:
            body.append(f'<div class="call">{html.escape(side_effect_words(entry))}</div>')
        written = _details(summary, "".join(body), "entry", True, anchor)
        self._written += len(written)
        return written

    def _named_only(self, entry: CacheEntry, anchor: str) -> str:
        new = [graph.name for graph in entry.graphs if graph.name not in self._shown]
        self._shown.update(new)
        targets = "".join(f'<span id="{html.escape(self.links[name])}"></span>' for name in new)
        words = f"Compilation {entry.compile_id or entry.index} is left out here: {IN_FULL}."
        return f'<p class="note" id="{html.escape(anchor)}">{targets}{html.escape(words)}</p>'

    def _transformed(self, entry: CacheEntry, anchor: str) -> str:
        one = entry.transformed
        if not one.source:
            reason = "; ".join(one.reasons) or one.verdict or "no reason given"
            body = f'<div class="call bad">No source is proven for it: {html.escape(reason)}</div>'
            if one.listing:
                listing = code_html(one.listing, "text", most_lines=self.most_lines)
                body += _details("Its instructions", listing, "part", True)
            return _details("Transformed code", body, "part", True, anchor + "t")
        folded = folded_code(entry)
        body = self._code(folded.source)
        if folded.count and self.most_lines and one.source.count("\n") > LONG:
            words = f"Folded above: {folded.describe()}: {IN_FULL}."
            body += f'<p class="note">{html.escape(words)}</p>'
        elif folded.count:
            whole = f'<p class="note">Folded above: {html.escape(folded.describe())}.</p>'
            body += _details("With nothing folded", whole + self._code(one.source), "part", False)
        if one.assumptions:
            body += '<p class="note">Assumed: {}</p>'.format(html.escape("; ".join(one.assumptions)))
        if not one.proven:
            words = f"Not proven to do what Dynamo's bytecode does, which runs: {one.verdict or one.level}"
            body = f'<div class="call warn">{html.escape(words)}</div>' + body
        note = _faint("what runs when the guards hold")
        return _details("Transformed code " + note, body, "part", True, anchor + "t")

    def _graph(self, graph: Graph) -> str:
        target = self.links[graph.name]
        title = (
            f"{html.escape(_capital(_graph_title(graph)))} "
            f'<span class="name mono">{html.escape(graph.name)}</span> {_faint(operations_of(graph))}'
        )
        if graph.name in self._shown:
            return f'<p class="note">It calls {self._link(target, graph.name)} too, which is shown above.</p>'
        self._shown.add(graph.name)
        if graph.source:
            body = self._code(graph.source)
        else:
            why = "The graph is not at hand: {}".format(graph.unavailable or "not recorded")
            body = f'<div class="call warn">{html.escape(why)}</div>'
        if graph.stage_files:
            files = ", ".join([_code(one) for one in graph.stage_files.values()])
            body += f'<p class="files">In the dump, stage by stage: {files}</p>'
        for kernel in graph.kernels:
            summary = 'Generated code <span class="name mono">{}</span> {} {}'.format(
                html.escape(file_name(kernel.path) or kernel.name),
                _chip(kernel.direction, "info"),
                _faint(count(kernel.source.count("\n"), "line")),
            )
            listing = code_html(kernel.source, kernel.language, self.links, most_lines=self.most_lines)
            rows = kernel_lines_text(kernel.lines)
            if rows:
                note = '<p class="note">Which line became which kernel:</p>'
                listing = note + code_html("\n".join(rows), "text", self.links) + listing
            body += _details(summary, listing, "part", False)
        return _details(title, body, "part", True, target)

    def _code(self, source: str) -> str:
        shown, gone = shortened(source) if self.most_lines else (source, 0)
        if gone > 0:
            shown = _INPUTS.sub(_first_inputs, shown)
        listing = code_html(shown, links=self.links, most_lines=self.most_lines)
        if gone > 0:
            words = "{} shorter than what runs: {}.".format(count(gone, "line"), IN_FULL)
            listing += f'<p class="note">{html.escape(words)}</p>'
        return listing


# ---- words


def _first_inputs(match: re.Match[str]) -> str:
    lines = match.group().splitlines(keepends=True)
    return "".join(lines[:_INPUTS_SHOWN]) + f"    # ... and {len(lines) - _INPUTS_SHOWN} more inputs\n"


def _code(text: str) -> str:
    return f"<code>{html.escape(text)}</code>"


def _faint(text: str) -> str:
    return f'<span class="place">{html.escape(text)}</span>' if text else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _graph_title(graph: Graph) -> str:
    return "graph {}".format(graph.name.rsplit("_", 1)[-1])


def _verdict(one: Decompiled) -> str:
    if one.equal:
        return _chip("proven equal", "good")
    if one.level == "equivalent":
        return _chip("proven equivalent", "good")
    return _chip("refused", "bad") if not one.source else _chip("not proven", "warn")


def _break_title(one: GraphBreak) -> str:
    return f"graph break{place_words(one, with_text=False)}: {one.reason}"


def _break(one: GraphBreak) -> str:
    """Why a graph ended: place, reason, what Dynamo's registry says about it."""
    text: str | None = one.location.text if one.location is not None else ""
    lines = [f"<p><b>{html.escape(_capital(_break_title(one)))}</b> {_chip(one.gb_id)}</p>"]
    lines += [f"<p>{_code(text)}</p>"] if text else []
    lines += [f"<p>{html.escape(one.explanation)}</p>"] if one.explanation else []
    hints = [*one.hints, one.remedy] if one.remedy else one.hints
    if hints:
        lines.append("<ul>{}</ul>".format("".join(f"<li>{html.escape(hint)}</li>" for hint in hints)))
    lines += ['<p><a href="{0}">{0}</a></p>'.format(html.escape(one.link))] if one.link else []
    return '<div class="call warn">{}</div>'.format("".join(lines))
