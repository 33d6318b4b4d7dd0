"""What a comparison found, as data: verdicts of graphs, wrong lines. Needs no torch."""

from __future__ import annotations

import json
import linecache
import os
import sys
import types
from dataclasses import asdict, dataclass, field
from typing import Any, Container, Sequence

from ..explain.model import Session, SourceLine, Wrong
from ..owners import TORCH, is_of_program, package_of
from ..writing import write_file

__all__ = ["FILE", "NumericReport", "Finding", "GraphVerdict", "line_at"]

FILE = "comparison.json"


@dataclass
class Finding:
    """Something that is wrong, at a line of the program.

    Attributes:
        file, line, function, text: the line; `line` is 0 where none is known.
        stage: where it arises: "decomposition", "graph pass", "kernel", "only as fused", "in place", or a stage of
            torch.compile.
        wrong: "value", "NaN", "infinity", "integer" or "memory".
        operation: of the graph, as aten calls it.
        graph: its compile id and direction.
        kernel: the kernel's name, "" where there is none.
        error, eager, bound: against fp64, rms: the compiled value's, eager's own, what rounding explains.
        count, size: elements that are wrong, of how many.
        inputs: the ranges of what went in.
        others: more lines that may be the one, where several can't be told apart.
        repro: the file that shows it alone.
        said: the whole sentence, where it is no number that is wrong.
    """

    file: str
    line: int
    function: str
    text: str
    stage: str
    wrong: str
    operation: str
    graph: str
    kernel: str = ""
    error: float = 0.0
    eager: float = 0.0
    bound: float = 0.0
    count: int = 0
    size: int = 0
    inputs: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    repro: str = ""
    said: str = ""

    @classmethod
    def at(
        cls, lines: Sequence[SourceLine], stage: str, judgement: Any, operation: str, graph: str, **more: Any
    ) -> Finding:
        """One at the first of some lines, with what was found of the value; the other lines may be the one as well."""
        line = lines[0] if lines else SourceLine("", 0)
        if package_of(line.filename) == TORCH:  # a module of torch's is compiled by itself
            line = _calling_line() or line
        return cls(line.filename, line.line, line.function, line.text, stage, judgement.wrong,
                   operation.replace(".default", ""), graph, error=judgement.error, eager=judgement.eager,
                   bound=judgement.bound, count=judgement.count, size=judgement.size,
                   others=[f"{one.place}  {one.text}" for one in lines[1:]], **more)  # fmt: skip

    @property
    def compile_id(self) -> str:
        """That of its graph, ``0/0``."""
        return self.graph.partition(" ")[0]

    @property
    def place(self) -> str:
        """``model.py:12``."""
        return f"{os.path.basename(self.file)}:{self.line}" if self.line else "a line that is not known"

    @property
    def words(self) -> str:
        """What is wrong, in a sentence without its end."""
        if self.said:
            return self.said
        what = {"value": "another value", "integer": "another integer", "memory": "memory that is written over"}
        share = f", {self.count} of {self.size} elements" if self.size else ""
        figures = f": error {self.error:.2g} against fp64, eager's {self.eager:.2g}" if self.wrong == "value" else ""
        graph, _, is_later = self.graph.partition(", every ")
        verb = "is" if graph.endswith((" call", " gradients")) else "computes"
        when = " on a later call" if is_later else ""
        return f"{self.operation} {verb} {what.get(self.wrong, self.wrong)} ({self.stage}){when}{share}{figures}"


def line_at(file: str, line: int, function: str = "") -> SourceLine:
    """A line with its text."""
    return SourceLine(file, line, linecache.getline(file, line).strip(), function)


def _calling_line() -> SourceLine | None:
    """The program's line that is running."""
    frame: types.FrameType | None = sys._getframe()
    while frame is not None:
        name = frame.f_code.co_filename
        is_generated = str(frame.f_globals.get("__name__")).startswith("torch.")  # the wrapper of a graph
        if is_of_program(name) and not is_generated:
            return line_at(name, frame.f_lineno, frame.f_code.co_name)
        frame = frame.f_back
    return None


@dataclass
class GraphVerdict:
    """What is known of one graph.

    Attributes:
        graph: its compile id and direction.
        buffers, outputs, mutations: how many were checked, of how many.
        unchecked: why the others were not: a reason, and how many.
        error, eager, bound: those of the value that came closest to its bound.
        closer: values that differ from eager's and are closer to fp64.
        differing, near: values that are not eager's, bit for bit; those that differ by some units in the last
            place.
        told: values that are wrong, maybe because of a finding of another graph.
        wrong: findings.
    """

    graph: str
    buffers: tuple[int, int] = (0, 0)
    outputs: tuple[int, int] = (0, 0)
    mutations: tuple[int, int] = (0, 0)
    unchecked: dict[str, int] = field(default_factory=dict)
    error: float = 0.0
    eager: float = 0.0
    bound: float = 0.0
    closer: int = 0
    differing: int = 0
    near: int = 0
    told: int = 0
    wrong: list[Finding] = field(default_factory=list)

    @classmethod
    def of_later_calls(cls, graph: str, every: int) -> GraphVerdict:
        """That of every Nth call after the first."""
        return cls(f"{graph}, every {f'{every} calls' if every > 1 else 'call'}")

    def count(self, what: str, checked: bool, reason: str = "") -> None:
        """One more value of a kind."""
        done, all_of_them = getattr(self, what)
        setattr(self, what, (done + checked, all_of_them + 1))
        if not checked:
            self.unchecked[reason] = self.unchecked.get(reason, 0) + 1

    def met(self, judgement: Any) -> None:
        """A value that agrees."""
        self.closer += judgement.closer
        self.differing += judgement.differs
        self.near += judgement.near
        if judgement.bound and judgement.error * self.bound >= self.error * judgement.bound:
            self.error, self.eager, self.bound = judgement.error, judgement.eager, judgement.bound

    @property
    def words(self) -> str:
        """The verdict, and how much it rests on."""
        if self.wrong:
            said = "wrong at " + ", ".join(dict.fromkeys(one.place for one in self.wrong))
        elif self.told:
            said = "differs from eager, maybe because of what is wrong above"
        elif not self.buffers[0] + self.outputs[0] + self.mutations[0]:
            return f"{self.graph}: not checked, because {self.reasons or 'it computes nothing'}"
        elif self.error < self.eager and self.closer:
            said = f"differs, closer to fp64 than eager (error {self.error:.2g}, eager's {self.eager:.2g})"
        elif self.bound:
            said = f"agrees within rounding (error {self.error:.2g}, eager's {self.eager:.2g}, bound {self.bound:.2g})"
        elif self.differing and self.differing == self.near:
            said = "agrees within rounding (what differs from eager does so by some units in the last place)"
        elif self.differing:
            said = f"agrees within rounding ({self.differing} with other NaN, infinities or integers than eager's)"
        else:
            said = "agrees within rounding (every value that was checked is eager's, bit for bit)"
        parts = [("buffers", self.buffers), ("outputs", self.outputs), ("mutations", self.mutations)]
        shares = [f"{done} of {number} {what}" for what, (done, number) in parts if number]
        rest = f"; not checked, because {self.reasons}" if self.unchecked else ""
        return f"{self.graph}: {said}; checked {', '.join(shares)}{rest}"

    @property
    def reasons(self) -> str:
        """Why values were not checked, with their numbers."""
        return ", ".join(f"{reason} ({number})" for reason, number in self.unchecked.items())


@dataclass
class NumericReport:
    """All verdicts of a program.

    Attributes:
        verdicts: one for each graph that was called, in order.
        wrong: findings that belong to no graph that was called: decompositions.
        notes: what was not compared at all, and why.
    """

    verdicts: list[GraphVerdict] = field(default_factory=list)
    wrong: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, verdict: GraphVerdict) -> None:
        """One more verdict, which may be there already: several calls have one."""
        if not any(one is verdict for one in self.verdicts):
            self.verdicts.append(verdict)

    def tell(self, session: Session) -> None:
        """The model of the recording gets the verdicts, and the findings as remarks at their lines."""
        calls = {entry.compile_id: entry.called_from for frame in session.frames for entry in frame.entries}
        for one in self.findings:
            if not one.line and calls.get(one.compile_id):  # a library's module was compiled: it is at its call
                [place, *_] = calls[one.compile_id]
                one.file, one.line, one.text, one.function = place.filename, place.line, place.text, place.function
        session.compared = self._verdicts()
        for one in self.findings:
            if one.line:
                place = SourceLine(one.file, one.line, one.text, one.function)
                details = [*([f"in kernel {one.kernel}"] if one.kernel else []), *one.others, *one.inputs]
                remedy = f"run {os.path.basename(one.repro)}: it shows both values" if one.repro else ""
                session.wrong.append(Wrong(place, one.words, details, remedy, one.compile_id))

    def since(self, known: Container[int]) -> list[Finding]:
        """The findings whose identities are not among those `known`."""
        return [one for one in self.findings if id(one) not in known]

    @property
    def findings(self) -> list[Finding]:
        """All, in the order of stages, then of graphs."""
        return [*self.wrong, *(one for verdict in self.verdicts for one in verdict.wrong)]

    def __str__(self) -> str:
        lines = []
        for one in self.findings:
            lines.append(f"wrong: {one.place}: {one.words}")
            lines += [f"    {one.text}"] * bool(one.text)
            lines += [f"    or {other}" for other in one.others]
            lines += [f"    in kernel {one.kernel} of graph {one.graph}"] * bool(one.kernel)
            lines += [f"    {words}" for words in one.inputs]
            lines += [f"    repro: {one.repro}"] * bool(one.repro)
        return "\n".join([*lines, *self._verdicts()])

    def _verdicts(self) -> list[str]:
        found = [one.words for one in self.verdicts] + self.notes
        return found or ([] if self.wrong else ["nothing was compared: no graph was compiled by Inductor"])

    def write(self, folder: str) -> None:
        """Writes `FILE` into the folder."""
        write_file(os.path.join(folder, FILE), json.dumps({"format": 1, **asdict(self)}, indent=1) + "\n")
