"""The recorder: hears from the hooks in `patches.py`, writes files as they come, fills the model.

What must happen while torch compiles happens in the `on_...` methods: text of graphs that later passes change, and the
decompilation of code that ours may replace. The rest waits for `finish`. Every method contains its own failures.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import os
import platform
import re
import textwrap
import threading
import types
import weakref
from types import CodeType
from typing import Any

from ..containment import contained, note_failure
from ..dump.compile_times import PhaseClock
from ..dump.dump_directory import DumpDirectory
from ..dump.processes import before_this_process_ends
from ..frames.attempts import Attempts
from ..frames.called_names import note_called_name
from ..frames.graph_breaks import graph_break_of, place
from ..frames.nothing_compiled import why_uncompiled
from ..frames.recompiles import add_reasons, ids_of_entries, with_ids
from ..frames.resume_points import is_resume_name, resume_function, resume_points
from ..graphs.capture import capture
from ..graphs.effects import effects_of
from ..graphs.files import REPEATS, GraphFile, is_same_graph, signature_of, stage_of, why_open
from ..graphs.text import GraphText, source_of
from ..guards.live import read_all_guards, read_guards
from ..kernels.record import KernelRecorder
from ..model import Artifact, CacheEntry, Frame, Graph, GraphBreak, Session
from ..names import stable
from ..stepping import debuggers
from ..stepping.as_written import Followed, code_as_written
from ..stepping.graph_breakpoints import note_what_runs, point_at_files
from ..torch_facts import torch_behavior, torch_keeps, torch_state
from ..transformed.decompiled import LISTINGS, decompiled, listing_of
from ..transformed.transformed_code import WHAT_RUNS, decompile_transformed
from .patches import apply_late_patches

__all__ = ["NO_GRAPH", "Recorder"]

NO_GRAPH = "__no_compiled_fn"  # is in file names where torch compiles something that is no graph of Dynamo's

_GRAPH_GLOBAL = re.compile(r"^__compiled_fn_\d+$")
_FIRST_STAGES = ("BEFORE PRE GRAD", "Compiled autograd", "pre_insert_deferred_runtime_asserts")
_NOT_IN_FILE_NAMES = re.compile(r"[.<> /\\{}]")  # as earlier releases did: others look for these files by name


class Recorder:
    """One recording: from entry to exit of one `prepare_debug`.

    Attributes:
        session: the model.
        dump: the directory.
        clean_wild_fx_code: whether generated code that belongs to no graph is left out.
        log_bytecode: whether listings of the bytecode before and after Dynamo are written.
        html: whether the report is written as HTML too.
        kernels: what hears from Inductor.
    """

    def __init__(
        self, dump: DumpDirectory, clean_wild_fx_code: bool = True, log_bytecode: bool = False, html: bool = False
    ) -> None:
        self.dump, self.html = dump, html
        self.clean_wild_fx_code, self.log_bytecode = clean_wild_fx_code, log_bytecode
        self.session = Session(directory=dump.path, python_version=platform.python_version())
        with contained(self.session, "asking torch for its version"):
            self.session.torch_version = torch_behavior.torch_version()
        self._clock: PhaseClock | None = None
        with contained(self.session, "asking torch for the time so far", "how long compiling took"):
            self._clock = PhaseClock()
        self.late_patches: list[Any] = []  # rows of patches.py which wait for their modules
        self.restores = contextlib.ExitStack()  # takes the others back
        self.ended = False
        self._process = os.getpid()
        self._forked: Recorder | None = None
        self._lock = threading.RLock()
        self._frames: dict[CodeType, list[Frame]] = {}
        self._graphs: dict[str, Graph] = {}
        self._unwritten: dict[str, GraphText] = {}  # what the sources of graphs are to be made of, by their names
        self._breaks: dict[str, GraphBreak] = {}
        self._graph_of_compilation: dict[str, str] = {}
        self._followed: dict[str, Followed] = {}  # by compilation
        self._files: list[GraphFile] = []
        self.kernels = KernelRecorder(self._write, self._graphs, self.session)
        self._attempts = Attempts(self.session)
        self._installed: list[tuple[CacheEntry, CodeType]] = []  # what Dynamo was given to run

    @property
    def current_graph(self) -> str:
        """Name of the graph that is being compiled."""
        return self._graph_of_compilation.get(torch_behavior.current_compile_id(), NO_GRAPH)

    def of_this_process(self) -> Recorder:
        """This recorder; in a process which was forked from the recording one, a recorder of its own."""
        if self._process == os.getpid():
            return self
        if self._forked is None or self._forked._process != os.getpid():
            self.replace_in_fork(DumpDirectory("", forked_from=self.dump.path))
        assert self._forked is not None
        return self._forked

    def end_in_fork(self) -> None:
        """In a process which was forked from the recording one: it records nothing."""
        self._process, self.ended = os.getpid(), True

    @property
    def is_inherited(self) -> bool:
        """Whether this process was forked from the recording one, and has not recorded anything yet."""
        return self._process != os.getpid() and (self._forked is None or self._forked._process != os.getpid())

    def replace_in_fork(self, dump: DumpDirectory) -> Recorder:
        """In a process which was forked from the recording one: from now on this process records into `dump`."""
        forked = Recorder(dump, self.clean_wild_fx_code, self.log_bytecode, self.html)
        forked.late_patches, forked.restores = self.late_patches, self.restores
        self._forked = forked
        with contained(forked.session, "writing an index to begin with"):
            dump.begin()
        before_this_process_ends(forked.finish)
        return forked

    @property
    def compiled(self) -> list[Followed]:
        """The functions that were compiled, each with what Dynamo followed from it; resume functions left out."""
        followed = self._followed.values()
        return [one for one in followed if one.code is not None and not is_resume_name(one.code.co_name)]

    # ---- while torch compiles

    def on_bytecode(self, code: CodeType, new_code: CodeType) -> CodeType | None:
        """Dynamo's bytecode hook. Returns our code when it is proven to do what `new_code` does, else None."""
        with self._lock, contained(self.session, f"recording {code.co_name}", "its transformed code"):
            with contained(self.session, "asking torch for its times", "how long compilations took"):
                if self._clock is not None:
                    self._clock.note()
            return self._record_bytecode(code, new_code)
        return None

    def on_graph(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """A stage of the compiler formats a graph: `lazy_format_graph_code(name, gm, maybe_id=None, **options)`."""
        with self._lock, contained(self.session, "recording a graph", "the file of one graph"):
            given = list(args) + [kwargs.get(name) for name in ("name", "gm")[len(args) :]]
            self._record_graph(str(given[0]), given[1], kwargs)

    def on_graph_that_runs(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """A backend keeps a graph to run: `boxed_nop(fx_g, example_inputs)`."""
        with self._lock, contained(self.session, "looking for a graph's file", "breakpoints in one graph file"):
            note_what_runs(self._files, self.current_graph, args[0] if args else kwargs["fx_g"])

    def on_kernel(self, module: types.ModuleType) -> None:
        """Inductor has loaded a module which it generated."""
        with self._lock, contained(self.session, "recording a kernel", "the file of one kernel"):
            self.kernels.record(module, self.current_graph)

    def on_kernels(self, event: str, *args: Any) -> None:
        """What Inductor says of kernels and CUDA graphs: a method of `KernelRecorder`, told by its hooks."""
        with self._lock, contained(self.session, "recording what Inductor says", "lines of kernels, or a CUDA graph"):
            getattr(self.kernels, event)(self.current_graph, *args)

    def on_event(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """A phase of compiling begins or ends, or a cache has answered: a method of `ChromiumEventLogger`."""
        with contained(self.session, "recording a phase of compiling", "it is missing in the trace"):
            if self._clock is not None:
                self._clock.events.take(*args, **kwargs)

    def on_ahead_of_time(self, made: Any) -> None:
        """`aot_compile` has returned: it keeps code, guards and graph in what it returns."""
        with self._lock, contained(self.session, "recording a function compiled ahead of time", "its page"):
            from ..after_the_fact.inspect_model import inspect as model_of

            for frame in model_of(made).frames:
                for entry in frame.entries:
                    entry.graphs = [self._graphs.get(graph.name, graph) for graph in entry.graphs]
                self.session.frames.append(frame)

    def on_guard(self, guard: Any, others: Any) -> None:
        """Dynamo adds a guard to `others`, where it would not note the user's line: `GuardsSet.add`."""
        with contained(self.session, "asking for the line of a guard", "the user's line with one guard"):
            if guard.user_stack is None and guard not in others.inner:
                guard.user_stack = torch_behavior.user_stack()

    def on_invalidated(self, check_manager: Any) -> None:
        """Dynamo drops a compilation, as an object which its guards name is gone. Takes no lock: this comes from the
        garbage collector, in any thread."""
        live = torch_behavior.entry_about_to_go(check_manager)
        for entry, code in self._installed if live is not None else []:
            if live.code is code and not entry.guards:
                with contained(self.session, f"guards of compile id {entry.compile_id}", "its guards"):
                    frame = next(one for one in self.session.frames if any(entry is known for known in one.entries))
                    read_guards(frame, entry, live)
                    entry.dropped = True

    def on_drop(self, is_reset: bool) -> None:
        """Dynamo may be about to drop what is compiled."""
        with self._lock, contained(self.session, "reading guards before they go", "guards on the pages"):
            self._attempts.dropped(is_reset)
            read_all_guards(self.session, self._installed, at_end=False)

    def on_outcome(self, event: str, *args: Any) -> None:
        """What came of one of Dynamo's attempts at a frame: a method of `Attempts`, told by `outcome_hooks.py`."""
        with self._lock, contained(self.session, "recording what came of a compilation", "a reason in the index"):
            getattr(self._attempts, event)(*args)

    def on_generated_code(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """torch.fx has compiled generated code: `_exec_with_source(src, globals, co_fields=None)`."""
        with self._lock, contained(self.session, "recording generated code", "one fx_graph_code file"):
            source = stable(str(args[0] if args else kwargs["src"]))
            template = f"fx_graph_code_{hashlib.md5(source.encode()).hexdigest()}_{{}}.py"
            self._write(template, source, "generated code", "code which torch.fx generated")

    def _record_bytecode(self, code: CodeType, new_code: CodeType) -> CodeType | None:
        known = torch_behavior.compiling_frame(code)
        compile_id = torch_behavior.current_compile_id()
        frame = self._frame_of(code, known.get("globals"))
        note_called_name(self.session, frame, known.get("locals"))
        frame.caller, frame.is_for_compiler = frame.caller or self._attempts.caller, self._attempts.is_for_compiler
        template = "__transformed_code_{{}}_for_{}.py".format(_NOT_IN_FILE_NAMES.sub("_", code.co_name))
        path = self.dump.reserve(template)
        graphs = {graph.name: graph for graph in map(self._graphs.get, map(stable, new_code.co_names)) if graph}
        names = {name: graph.results for name, graph in graphs.items()}
        found = decompile_transformed(new_code, path, compile_id, names, code)
        stops = self._breakpoints_in(code, compile_id)
        text, why = found.text, "what runs in place of the function"
        if found.code is None:
            why = ": ".join(filter(None, ("not what runs, Dynamo's code does", found.reason)))
        if stops:
            why = "not what runs, the function does as written: breakpoint at " + stops
            text = text.replace(WHAT_RUNS, why[0].upper() + why[1:] + ".", 1)
        written = self._write_reserved(path, text, "transformed", why)
        runs = found.code if written else None
        if found.reason:
            note_failure(self.session, f"replacing {code.co_name} (compile id {compile_id})", found.reason,
                         f"breakpoints in {os.path.basename(path)}, as Dynamo's own code runs")
        entry = CacheEntry(
            compile_id=compile_id,
            index=int(re.sub(r"\D*(\d+)_for_.*", r"\1", os.path.basename(path))),
            transformed=found.decompiled,
            transformed_name=os.path.basename(path)[: -len(".py")],
            transformed_path=os.path.basename(path) if written else "",
            runs_decompiled=runs is not None and not stops,
            runs_as_written=stops,
            code=new_code,
            original_code=code,
        )
        runs = code_as_written(code) if stops else runs
        frame.entries.append(entry)
        self._installed.append((entry, runs or new_code))
        with contained(self.session, f"describing {code.co_name} (compile id {compile_id})"):
            self._describe(entry, known, new_code)
        if self.log_bytecode:
            self._write_listings(path, code, new_code, None if stops else runs)
        if debuggers.is_attached(self.session):
            self._point_graphs_at_files()  # now, that the first call may stop in them; else at the end
        return runs

    def _breakpoints_in(self, code: CodeType, compile_id: str) -> str:
        """Breakpoints in the function or in what Dynamo inlined into it, "" when there are none."""
        with contained(self.session, f"looking for breakpoints in {code.co_name}", "stops at its lines"):
            followed = self._followed.setdefault(compile_id, Followed())
            followed.code = code
            return ", ".join(followed.stops(debuggers.Breakpoints.now(self.session)))
        return ""

    def _describe(self, entry: CacheEntry, known: dict[str, Any], new_code: CodeType) -> None:
        entry.backend = torch_behavior.backend_name(known.get("compiler_fn"))
        entry.side_effects = [stable(effect) for effect in torch_behavior.side_effects(new_code)]
        code = entry.original_code
        reasons, call = self._attempts.reasons_of(code)
        with contained(self.session, "telling why something was compiled again"):
            reasons = reasons or torch_behavior.recompile_reasons(known)
            if reasons and code is not None:
                known_ids = ids_of_entries(code, self._installed)
                add_reasons(entry, with_ids(reasons, known_ids), call, self._attempts.circumstances)
        self._attempts.refusals.look()
        taken = entry.breaks = self._attempts.compiled(entry.compile_id, known.get("locals"))
        entry.cuts = self._attempts.cuts()
        entry.state = torch_state.state_while_compiling()
        entry.called_from = self._attempts.called_from
        for name in new_code.co_names:
            graph_name = stable(name)
            if _GRAPH_GLOBAL.match(graph_name):
                graph = self._graphs.setdefault(graph_name, Graph(graph_name, unavailable="torch did not show it"))
                graph.global_name = name
                graph.backend = entry.backend
                entry.graphs.append(graph)
                graph.effects = effects_of(self._attempts.tracing, graph)
                if graph_name in self._breaks and not taken and not entry.cuts:
                    entry.breaks.append(place(self._breaks[graph_name], self._attempts.caller))

    def _record_graph(self, title: str, module: Any, options: dict[str, Any]) -> None:
        if self.late_patches:
            apply_late_patches(self)
        compile_id = torch_behavior.current_compile_id()
        if not compile_id:
            self._find_graph_again(module, title)
        current = self._graph_of_compilation.get(compile_id, NO_GRAPH)
        graph_name, stage = stage_of(title, current)
        if stage == "Captured_Graph":
            self._graph_of_compilation[compile_id] = graph_name
            self._followed[compile_id] = Followed.by(module)
            self._begin_graph(graph_name, module)
        file = GraphFile(
            graph=graph_name,
            stage=stage,
            readable="",
            options=dict(options),
            signature=signature_of(module),
            graph_module=weakref.ref(module),
        )
        if not self._repeats(file):
            file.readable = torch_behavior.print_graph(module, options)
        self._files.append(file)
        if not file.is_in_between:
            self._write_graph(file)

    def _repeats(self, file: GraphFile) -> bool:
        """Whether it is no stage that a reader knows, and the same as one of those before it."""
        if file.graph == NO_GRAPH or not file.is_in_between:
            return False
        same = (other.graph == file.graph and other.signature == file.signature for other in self._files)
        return file.stage.startswith(REPEATS) or any(same)

    def _find_graph_again(self, module: Any, title: str) -> None:
        """Outside of Dynamo's compilations: a later stage of a graph seen before, if it is the same object, as the
        backward graph of torch 2.2, compiled when it is needed, and what `aot_compile` gives to the backend."""
        for file in reversed(self._files):
            if file.graph_module() is module:
                self._graph_of_compilation[""] = file.graph
                return
        if title.startswith(_FIRST_STAGES):
            self._graph_of_compilation.pop("", None)

    def _begin_graph(self, name: str, module: Any) -> None:
        with contained(self.session, f"describing {name}", "its place in the page"):
            self._graphs[name], self._unwritten[name] = capture(module, name)
            self._attempts.tracing = torch_keeps.tracing_context()
            self._graphs[name].graph_module = None  # it would keep the model's parameters alive
            if (found := graph_break_of(module)) is not None:
                self._breaks[name] = found
        self._graphs.setdefault(name, Graph(name, unavailable="its description failed"))

    def write_sources(self) -> None:
        """Writes the sources of the graphs that have none yet: not while the user waits for a compilation."""
        with self._lock:
            while self._unwritten:
                name, text = self._unwritten.popitem()
                self._graphs[name].unavailable = "its description failed"
                with contained(self.session, f"describing {name}", "its place in the page"):
                    self._graphs[name].source, self._graphs[name].unavailable = source_of(text), ""

    def _write_graph(self, file: GraphFile) -> None:
        path = self._write(f"{file.graph}.{file.stage}.{{}}.py", file.draft, "graph", why_open(file.stage))
        if path:
            file.path, file.codes = path, []
            if file.graph in self._graphs:
                self._graphs[file.graph].stage_files.setdefault(file.stage, os.path.basename(path))

    # ---- at the end

    def finish(self) -> None:
        """Fills in what is known only now, and writes the pages. Never raises."""
        with self._lock:
            if self.ended:
                return
            self.ended = True
            for step, costs in [
                (self.write_sources, "graphs on the pages"),
                (self._write_changed_graphs, "graphs between the stages"),
                (self._correct_graph_files, "graph files that are Python"),
                (self._point_graphs_at_files, "breakpoints in graph files"),
                (self._link_resume_functions, "resume functions on the pages"),
                (self._collect_guards, "guards on the pages"),
                (self._collect_refusals, "what was not compiled, in the index"),
                (self._list_other_processes, "folders of other processes in the index"),
                (self._add_compiled_before, "what was compiled before, in the index"),
                (self._write_times, "how long compiling took"),
                (self._write_report, "the pages to read and the index"),
            ]:
                with contained(self.session, step.__name__.strip("_").replace("_", " "), costs):
                    step()

    def _write_changed_graphs(self) -> None:
        shown: dict[str, list[GraphFile]] = {}
        for file in self._files:
            if not file.is_in_between:
                shown.setdefault(file.graph, []).append(file)
        for file in self._files:
            others = shown.setdefault(file.graph, [])
            if others and not file.readable:
                continue
            with contained(self.session, f"writing {file.stage} of {file.graph}", "one graph file"):
                if file.is_in_between and not any(is_same_graph(file, other) for other in others):
                    others.append(file)
                    self._write_graph(file)

    def _correct_graph_files(self) -> None:
        for file in self._files:
            if file.path and file.text != file.draft:
                with contained(self.session, f"writing {os.path.basename(file.path)}", "one graph file"):
                    self.dump.write(file.path, file.text)

    def _point_graphs_at_files(self) -> None:
        point_at_files(self._files, self._graphs, self.session, self.dump.write, at_end=self.ended)

    def _link_resume_functions(self) -> None:
        frames = list(self.session.frames)
        for frame in frames:
            for entry in frame.entries:
                if entry.code is None or entry.original_code is None:
                    continue
                for point in resume_points(entry.code, entry.original_code, frame.globals or {}):
                    found = self._frames.get(point.code, []) if point.code is not None else []
                    resumed = next((one for one in found if one.code is point.code), None)
                    resume = resume_function(point, resumed)
                    if resumed is None or not resumed.entries:
                        resume.uncompiled = self._attempts.refusals.why_not(point.code) or why_uncompiled(point.code)
                    entry.resume_functions.append(resume)
                    if resumed is not None and not resumed.parent:
                        resumed.parent = frame.name

    def _collect_guards(self) -> None:
        read_all_guards(self.session, self._installed, at_end=True)

    def _collect_refusals(self) -> None:
        self._attempts.hand_out()

    def _list_other_processes(self) -> None:
        for name in self.dump.other_processes():
            self.session.artifacts.append(Artifact(name, "process", "what another process of this program compiled"))

    def _add_compiled_before(self) -> None:
        from .compiled_before import add_compiled_before

        add_compiled_before(self.session)

    def _write_times(self) -> None:
        if self._clock is not None:
            self.session.clocked = self._clock.seconds()
            self.session.times = self._clock.compilations()
            for name, text, why in self._clock.files():
                self._write_reserved(os.path.join(self.dump.path, name), text, "times", why)

    def _write_report(self) -> None:
        from ..report.write import write_report

        write_report(self.session, self.dump.path, self.dump.of_earlier_recordings, self.html)

    # ---- helpers

    def _frame_of(self, code: CodeType, module_globals: Any) -> Frame:
        alike = self._frames.setdefault(code, [])  # equal code objects may be different functions
        for frame in alike:
            if frame.code is code:
                return frame
        frame = Frame(
            name=code.co_name,
            qualname=getattr(code, "co_qualname", code.co_name),
            filename=code.co_filename,
            first_line=code.co_firstlineno,
            is_resume=is_resume_name(code.co_name),
            code=code,
            globals=module_globals if isinstance(module_globals, dict) else None,
        )
        if not frame.is_resume:
            try:
                frame.source = textwrap.dedent(inspect.getsource(code))
            except (OSError, TypeError):  # typed at a prompt, or made by exec: there is no file to show
                frame.original = decompiled(code, frame.is_resume)
        alike.append(frame)
        self.session.frames.append(frame)
        return frame

    def _write(self, template: str, text: str, kind: str, why: str) -> str:
        """Writes a numbered file; returns its path, "" when that failed."""
        path = self.dump.reserve(template)
        return path if self._write_reserved(path, text, kind, why) else ""

    def _write_reserved(self, path: str, text: str, kind: str, why: str) -> bool:
        artifact = Artifact(os.path.basename(path), kind, why)
        self.session.artifacts.append(artifact)
        try:
            self.dump.write(path, text)
        except OSError as error:
            artifact.status, artifact.reason = "missing", error.strerror or type(error).__name__
            note_failure(self.session, f"writing {artifact.path}", artifact.reason, "this file")
            return False
        return True

    def _write_listings(self, path: str, code: CodeType, new_code: CodeType, ours: CodeType | None) -> None:
        for (suffix, why), one in zip(LISTINGS, (code, new_code, ours)):
            if one is not None:
                self._write_reserved(f"{path}.{suffix}", listing_of(one), "bytecode", why)
