"""What `torch.compile` did to a program, as plain data in Dynamo's words.

Two makers fill this model: the recorder, while the program compiles (`session.py`), and the after-the-fact
walk over the cache entries that exist now (`inspect_model.py`). The writers in `report/` read nothing else.

Every noun is a dataclass. Live objects (code objects, guard managers, graph modules) sit in fields whose
metadata says ``live``; `to_json` leaves those out, so what it gives is what two runs can be compared by:
no field outside them may hold an id, an address, a uuid or a temporary path.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import os
from dataclasses import dataclass, field
from types import CodeType
from typing import Any, Iterator

from ..writing import write_file
from .compile_times import CompileTimes
from .kernel_costs import KernelCall, Memory
from .names import file_name
from .source_lines import Decompiled, SourceLine

__all__ = [
    "Artifact", "CacheEntry", "CompileTimes", "CudaGraph", "Decompiled", "Failure", "Frame", "Graph", "GraphBreak",
    "Guard", "Kernel", "KernelLine", "Node", "RecompileReason", "Refusal", "ResumeFunction", "Session", "Skip",
    "SourceLine", "to_json",
]  # fmt: skip


def _live() -> Any:
    """A field for an object of the running process: optional, not compared, not serialised."""
    return field(default=None, repr=False, compare=False, metadata={"live": True})


@dataclass
class Guard:
    """One condition under which a cache entry may be used.

    `kind` is Dynamo's name for the guard (TENSOR_MATCH, ID_MATCH, DICT_LENGTH, ...), `code` the expression as Dynamo
    writes it, `words` what it checks. `user_line` is the line which asked for it. `subject` is what is checked
    in the user's spelling ("a", "self.weight", "the global torch").
    """

    code: str
    kind: str = ""
    subject: str = ""
    words: str = ""
    user_line: SourceLine | None = None
    is_bookkeeping: bool = False
    runnable: bool = False
    run: str = ""  # the expression over L and G to run, when runnable; `code` may hold ids of this process


@dataclass
class Node:
    """One operation of a graph. `op` is fx's (placeholder, call_function, ..., output)."""

    op: str
    name: str
    target: str
    user_line: SourceLine | None = None
    module: str = ""  # path of the nn.Module it was traced in, "" for the frame itself
    callers: list[SourceLine] = field(default_factory=list, compare=False, metadata={"live": True})  # outermost first
    inputs: list[str] = field(default_factory=list, compare=False, metadata={"live": True})  # names of nodes
    shape: str = field(default="", compare=False, metadata={"live": True})  # ``f32[10, 3]``, "" for no tensor


@dataclass
class KernelLine:
    """Operations of one line of the program which one kernel carries out; `line` is None where torch lost it."""

    kernel: str
    line: SourceLine | None = None
    operations: list[str] = field(default_factory=list)


@dataclass
class Kernel:
    """What a backend compiler generated from a graph: a module, with the kernels' own sources in `parts`.

    `from_cache` tells code which an earlier run generated, `lines` which line of the program became which kernel.
    `memory` is None where torch does not tell it, as of code out of a cache; `calls` are those of kernels.
    """

    name: str
    language: str = "python"
    path: str = ""
    source: str = ""
    direction: str = "forward"
    from_cache: bool = False
    lines: list[KernelLine] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)  # file names of C++ and Triton sources
    memory: Memory | None = None
    calls: list[KernelCall] = field(default_factory=list)


@dataclass
class CudaGraph:
    """Whether the kernels of one direction of a graph are recorded as a CUDA graph and replayed.

    `parts` is how many CUDA graphs they are: several where Inductor has cut them, 0 for none. `reason` is why they are
    launched one by one, in torch's words, with the `line` of the program that torch names.
    """

    graph: str
    direction: str = "forward"
    parts: int = 0
    reason: str = ""
    line: SourceLine | None = None


@dataclass
class Graph:
    """A captured graph: `name` is stable (`__compiled_fn_1`), `global_name` what this process calls it.

    `effects` are what it does to its inputs and shares with them. `source` is a Python function of that name, comments
    and all; `results` are the names of what it returns, empty
    when that is no plain tuple. `examples` are expressions that make something like its inputs and attributes, by their
    names, "" where there is none. `stage_files` maps the stage
    ("Captured_Graph", "Forward_graph", ...) to the file name in the dump.
    """

    name: str
    global_name: str = field(default="", metadata={"live": True}, compare=False)
    source: str = ""
    nodes: list[Node] = field(default_factory=list)
    placeholders: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    inputs: dict[str, str] = field(default_factory=dict)  # by placeholder, as the program spells them
    examples: dict[str, str] = field(default_factory=dict)
    effects: list[str] = field(default_factory=list)
    stage_files: dict[str, str] = field(default_factory=dict)
    kernels: list[Kernel] = field(default_factory=list)
    backend: str = ""
    unavailable: str = ""  # why there is no source, when there is none
    global_lines: dict[str, str] = field(default_factory=dict)  # names `source` reads, and what defines each
    graph_module: Any = _live()

    @property
    def calls(self) -> list[Node]:
        """The operations: inputs, attributes and the output left out."""
        return [node for node in self.nodes if node.op.startswith("call_")]

    @property
    def operations(self) -> list[str]:
        """Names of the operations."""
        return [node.name for node in self.calls]


@dataclass
class GraphBreak:
    """Why Dynamo stopped before its function ended, whether or not there was a graph by then.

    `stack` begins with the line of the function that was compiled and continues with those that were traced from it.
    `location` is the last of them that is in a file of the program's own, or the line that called into a library's
    function; `inside` is where Dynamo stopped, if that is another one. `link` is torch's page about `gb_id`, `context`
    what it adds for developers. An explanation `is_general` where it is the same for all such breaks. `remedy` is ours.
    """

    reason: str
    location: SourceLine | None = None
    gb_id: str = ""
    gb_type: str = ""
    explanation: str = ""
    hints: list[str] = field(default_factory=list)
    link: str = ""
    stack: list[SourceLine] = field(default_factory=list)
    compile_id: str = ""
    inside: SourceLine | None = None
    context: str = ""
    is_general: bool = False
    remedy: str = ""


@dataclass
class Refusal:
    """Something that Dynamo declined to compile: a call under ``fullgraph``, a whole frame, one compilation too many.

    `location` is the function's first line, `why` the reason with the line that caused it. The exception `error` is
    `raised` where it left the call; `compiled_later` is the compilation of a later one. `consequence` is what runs,
    `recompiled` why the compilations did not fit that were there already. `called_from` is the program's line of the
    call.
    """

    compile_id: str = ""
    function: str = ""
    location: SourceLine | None = None
    why: GraphBreak = field(default_factory=lambda: GraphBreak(""))
    error: str = ""
    raised: bool = False
    compiled_later: str = ""
    consequence: str = ""
    recompiled: list[RecompileReason] = field(default_factory=list, compare=False)
    called_from: list[SourceLine] = field(default_factory=list, compare=False)


@dataclass
class Skip:
    """A function which Dynamo looked at and left to Python, without an error: `reason` is torch's, in words.

    `location` is its first line. Functions of torch's own files and of Python's library are left out.
    """

    function: str
    location: SourceLine | None = None
    reason: str = ""
    compile_id: str = ""
    recompiled: list[RecompileReason] = field(default_factory=list, compare=False)  # as a Refusal's
    is_given: bool = False  # to torch.compile itself


@dataclass
class ResumeFunction:
    """A function which Dynamo made to continue after a graph break.

    `name` is the global's stable name (`__resume_at_102_2`); the frame holds its own cache entries. There is none when
    it was not called, or when Dynamo had nothing to compile in it: `original`, made from `code`, is what runs.
    """

    name: str
    global_name: str = field(default="", metadata={"live": True}, compare=False)
    resume_line: int = 0
    uncompiled: str = ""  # why nothing is compiled for it, as far as that is known
    branch: str = ""  # "true" or "false", when the break was at a branch
    frame: Frame | None = None
    function: str = ""  # the function it continues, where that is an inner one (`nested_graph_breaks`)
    original: Decompiled = field(default_factory=Decompiled)
    code: CodeType | None = _live()


@dataclass
class RecompileReason:
    """Why one compilation did not fit the call which made Dynamo compile again.

    `compile_id` is that of the compilation which did not fit, `guard` its first check that failed, as torch writes it,
    `user_line` the line which asked for it. `expected` and `actual` are "" where torch does not tell them.
    """

    compile_id: str = ""
    guard: str = ""
    words: str = ""
    subject: str = ""  # what it looks at, in the program's spelling
    expected: str = ""
    actual: str = ""
    user_line: SourceLine | None = None
    remedy: str = ""  # what to do, where something helps
    note: str = ""  # a rule that explains it
    is_change: bool = False  # whether the words say what has changed, not what was checked
    besides: list[str] = field(default_factory=list)  # what else had changed, which torch did not come to check


@dataclass
class CacheEntry:
    """One compilation of a frame: guards, the code which runs when they hold, and what that code calls.

    `code` is what runs, `original_code` what Dynamo made: another object where ours is in its place. `called_from` are
    the program's lines of the call that compiled it, the innermost first.
    """

    compile_id: str = ""
    index: int = 0
    guards: list[Guard] = field(default_factory=list)
    guard_tree: str = ""
    dropped: bool = False  # Dynamo has dropped it since: an object that its guards name is gone
    gone: str = ""  # why it is no more: "dropped by torch._dynamo.reset()"
    transformed: Decompiled = field(default_factory=Decompiled)
    transformed_name: str = ""
    transformed_path: str = ""
    runs_decompiled: bool = False  # our recompiled code is in place (only when proven)
    runs_as_written: str = ""  # the breakpoints for which the user's own code is in place
    graphs: list[Graph] = field(default_factory=list)
    resume_functions: list[ResumeFunction] = field(default_factory=list)
    breaks: list[GraphBreak] = field(default_factory=list)
    cuts: list[str] = field(default_factory=list)  # why the backend cut a graph, once for each part (DDP's buckets)
    side_effects: list[str] = field(default_factory=list)
    recompile_reasons: list[str] = field(default_factory=list)
    actual_values: list[str] = field(default_factory=list)  # one for each reason: what the failed guard found, or ""
    recompiled: list[RecompileReason] = field(default_factory=list)  # the same, taken apart
    called_from: list[SourceLine] = field(default_factory=list)
    backend: str = ""
    state: dict[str, str] = field(default_factory=dict)  # torch's global state that it is for: see torch_state.py
    tried: int = field(default=-1, compare=False, metadata={"live": True})  # its place in Dynamo's list, 0 is first
    code: CodeType | None = _live()
    original_code: CodeType | None = _live()
    guard_manager: Any = _live()

    @property
    def number(self) -> str:
        """Its compile id, which another may have got after a reset."""
        return f"{self.compile_id} ({self.gone})" if self.gone else self.compile_id


@dataclass
class Frame:
    """One function which Dynamo looked at, with its cache entries in order of compilation."""

    name: str
    qualname: str = ""
    filename: str = ""
    first_line: int = 0
    source: str = ""
    entries: list[CacheEntry] = field(default_factory=list)
    is_resume: bool = False
    parent: str = ""  # name of the frame a resume function continues
    skipped: str = ""  # why Dynamo left the frame alone, when it did
    original: Decompiled = field(default_factory=Decompiled)
    breaks: list[GraphBreak] = field(default_factory=list)  # of frames which have no entry
    refusals: list[Refusal] = field(default_factory=list)
    page: str = ""  # file name of the page about this frame
    caller: SourceLine | None = None  # the program's line from which a function of a package was compiled first
    is_for_compiler: bool = False  # called while torch compiles another, by its compiler
    called: str = ""  # its class and name, as the call that was compiled first has them: see called_names.py
    passed_on: dict[str, str] = field(default_factory=dict)  # of Dynamo's frame around it: its names for these
    code: CodeType | None = _live()
    globals: dict[str, Any] | None = _live()

    @property
    def title(self) -> str:
        """What the program calls it: ``Model.forward``, as far as a call has shown its class, or the code knows it."""
        if self.called:
            return self.called
        name = self.qualname.replace("<locals>.", "")
        return name if name.rpartition(".")[2] == self.name else self.name

    @property
    def place(self) -> str:
        """Where it is written, and the name there if it is called by another."""
        where = f"{file_name(self.filename)}:{self.first_line}"
        return where if self.title.rpartition(".")[2] == self.name else f"through {self.name}, {where}"

    def walk(self) -> Iterator[Frame]:
        """This frame and, in order of call, every resume function's frame once."""
        seen: list[Frame] = []
        waiting = [self]
        while waiting:
            frame = waiting.pop(0)
            if any(frame is one for one in seen):
                continue
            seen.append(frame)
            yield frame
            for entry in frame.entries:
                waiting.extend(r.frame for r in entry.resume_functions if r.frame is not None)


@dataclass
class Wrong:
    """A line that computes something else once it is compiled: see `depyf.compare`."""

    line: SourceLine
    words: str
    details: list[str] = field(default_factory=list)
    remedy: str = ""
    compile_id: str = ""


@dataclass
class Artifact:
    """One file of the dump: what it is, why one would open it, and whether it could be made."""

    path: str
    kind: str
    why_open: str = ""
    status: str = "written"  # "written" | "missing"
    reason: str = ""


@dataclass
class Failure:
    """Something which could not be made, and what that costs."""

    what: str
    reason: str
    costs: str = ""


def _shown(session: Session, form: str) -> str:
    """`session` in one of the forms of `report/views.py`, imported only now: the model is data, and knows no text."""
    return str(getattr(importlib.import_module("depyf.explain.report.views"), form)(session))


@dataclass(repr=False)
class Session:
    """Everything known about one recording, or about the functions inspected after the fact."""

    frames: list[Frame] = field(default_factory=list)
    artifacts: list[Artifact] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)
    breaks: list[GraphBreak] = field(default_factory=list)  # of compilations which came to nothing after them
    wrong: list[Wrong] = field(default_factory=list)
    compared: list[str] = field(default_factory=list)  # verdicts of graphs: see `depyf.compare`
    cuda_graphs: list[CudaGraph] = field(default_factory=list)
    compiled_before: list[SourceLine] = field(default_factory=list)  # functions; what runs was not recorded
    notes: list[str] = field(default_factory=list)  # what is missing, where it comes from less than a recording
    torch_version: str = ""
    python_version: str = ""
    directory: str = field(default="", metadata={"live": True}, compare=False)
    earlier_files: list[str] = field(default_factory=list, metadata={"live": True}, compare=False)  # of other dumps
    times: list[CompileTimes] = field(default_factory=list, metadata={"live": True}, compare=False)
    clocked: float = field(default=0.0, metadata={"live": True}, compare=False)  # seconds in Dynamo, by its own clock
    own_seconds: float = field(default=0.0, metadata={"live": True}, compare=False)  # that recording took

    def __str__(self) -> str:
        """The frames as a tree. `to_dict` has the data, `to_html` all of it to look at, `dump_src` the page."""
        return _shown(self, "tree")

    __repr__ = __str__  # what a prompt shows; the fields are in `to_dict`

    def _repr_html_(self) -> str:
        """What a notebook shows for the last line of a cell."""
        return _shown(self, "fragment")

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """The tree as one HTML file that needs no script, no network and nothing beside it.

        Args:
            path: where to write it too.

        Returns:
            The text of the file.

        Raises:
            OSError: it can't be written.
        """
        text = _shown(self, "file")
        if path is not None:
            write_file(path, text)
        return text

    def to_dict(self) -> dict[str, Any]:
        """The model as dicts, lists, strings and numbers, the fields of this module's classes by their names.

        ``format`` is 1, and changes when a field is renamed, removed, or gets another meaning; new fields may come.
        Equal programs give equal data: ids, addresses and temporary paths are left out.
        """
        return {"format": 1, **to_json(self)}

    def to_json(self, indent: int | None = 2) -> str:
        """`to_dict` as JSON text."""
        return json.dumps(self.to_dict(), indent=indent)

    def all_breaks(self) -> list[GraphBreak]:
        """Every graph break of what was compiled; those of compilations which came to nothing are in `breaks`."""
        found = [one for frame in self.frames for entry in frame.entries for one in entry.breaks]
        return found + [one for frame in self.frames for one in frame.breaks]

    def top_level(self) -> list[Frame]:
        """Frames which are the user's functions; resume functions only where no frame here calls them."""
        top = [frame for frame in self.frames if not frame.is_resume]
        below = {id(one) for frame in top for one in frame.walk()}
        for frame in self.frames:
            if id(frame) not in below:
                top.append(frame)
                below.update(id(one) for one in frame.walk())
        return top


def to_json(noun: Any) -> Any:
    """The model, or a part of it, as dicts, lists, strings and numbers. Live objects are left out.

    Args:
        noun: a `Session`, or anything in one.

    Raises:
        TypeError: it has something that JSON has no form for.

    Example:
        >>> to_json(SourceLine("toy.py", 3, "return x"))
        {'filename': 'toy.py', 'line': 3, 'text': 'return x', 'function': ''}
    """
    if dataclasses.is_dataclass(noun):
        return {
            f.name: to_json(getattr(noun, f.name)) for f in dataclasses.fields(noun) if not f.metadata.get("live")
        }
    if isinstance(noun, dict):
        return {str(key): to_json(value) for key, value in noun.items()}
    if isinstance(noun, (list, tuple)):
        return [to_json(item) for item in noun]
    if noun is None or isinstance(noun, (str, int, float, bool)):
        return noun
    raise TypeError(f"no JSON form for a {type(noun).__name__}: live objects belong in fields marked live")
