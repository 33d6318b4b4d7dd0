"""Comparing what a program under torch.compile computes: `with depyf.compare("dump") as report:`. Start reading here.

    stages.py, gradients.py   Dynamo's graph as a whole, and its gradients
    graphs/         Inductor's graphs: decompositions.py, passes.py, then first_graph_calls.py, kernel by kernel
        kernels.py      what Inductor knows of a graph's buffers
        graph_copies.py, value_numbers.py   a graph before and after passes, and which of its values are equal
        evaluable.py, evaluate.py   operations in eager's precision, in fp64, and rounded at random
        zoom.py         from a wrong buffer to the line, and the repro file
    calls/          first_calls.py: a call of a function, beside eager's in a process of its own (eager_process.py)
        call_values.py, left_behind.py   what a call returns and changes, and how far off that may be
        operations.py   which line did so first
    rounding.py     the rule: is it farther off than rounding explains?
    findings.py     what was found, as data
    facts.py        what is needed of torch, probed
"""

from __future__ import annotations

import atexit
import contextlib
import copy
import functools
import importlib
import itertools
import operator
import os
import traceback
import warnings
from typing import Any, Iterator

from ..errors import require_torch
from ..explain.containment import done, logger, note_exception
from ..explain.model import Session
from ..explain.recording.session import prepare_debug
from ..explain.running import ACTIVE
from ..explain.torch_facts.torch_attempts import calling_frame, code_to_run
from ..explain.torch_facts.torch_behavior import backend_name
from ..explain.torch_facts.torch_keeps import records_put_back
from .calls.first_calls import FirstCalls
from .facts import BUFFERS, CACHES, DECOMPOSITIONS, FRAMES, GRAPHS, decompositions_of, missing
from .findings import GraphVerdict, NumericReport
from .gradients import Gradients, return_freed_memory
from .graphs.decompositions import Decompositions
from .graphs.first_graph_calls import FirstGraphCall
from .graphs.kernels import PROBE, Plan, without_probes
from .graphs.passes import Passes
from .stages import FirstStages

__all__ = ["Comparing", "begin_comparing", "compare"]


@contextlib.contextmanager
def compare(directory: str | os.PathLike[str], every: int = 0, repros: bool = True) -> Iterator[NumericReport]:
    """Records what `torch.compile` does in the block, as `depyf.prepare_debug` does, and compares what it computes.

    On the first call of each graph that Inductor compiles in the block, and on later ones if that is asked for, every
    buffer, output and mutated input is compared with its operation in eager's precision and in fp64::

        with depyf.compare("./dump") as report:
            step()
        print(report)

    What is farther from fp64 than rounding explains is wrong, and is told with its line; what can't be checked is
    told too. The program computes what it would without. Inductor's caches of graphs are not used in the block.

    Args:
        directory: the directory of the recording; the findings are in ``comparison.json``, and each has a repro file.
        every: after the first call of a graph, every call of this number is compared as well; 0 for none.
        repros: whether a finding gets a repro file, with the inputs of its operations.

    Yields:
        The comparison: verdicts of graphs and findings, complete when the block is left.

    Raises:
        TypeError: the directory is no path, or `every` no integer.
        ValueError: `every` is negative.
        ImportError: torch cannot be imported.

    Example:
        >>> with depyf.compare("dump") as report:
        ...     _ = torch.compile(lambda x: torch.relu(x) + 1)(torch.ones(3))
        >>> report.findings
        []
    """
    require_torch("compare")
    if operator.index(every) < 0:
        raise ValueError(f"every must be 0 or more, not {every}")
    with prepare_debug(directory) as session, contextlib.ExitStack() as undo:
        yield begin_comparing(session, undo, repros, every)


def begin_comparing(
    session: Session, until: contextlib.ExitStack, repros: bool = True, every: int = 0
) -> NumericReport:  # fmt: skip
    """Compares from now on, in a recording that has begun, until `until` is closed, or the process ends."""
    comparison, undo, process = NumericReport(), contextlib.ExitStack(), os.getpid()

    def end_at_exit() -> None:
        if os.getpid() == process:  # not in a fork of it
            undo.close()

    until.callback(undo.close)
    atexit.register(end_at_exit)  # a recording that nobody ends does so too, and is to have what was found
    undo.callback(atexit.unregister, end_at_exit)
    undo.callback(done, session, "writing the comparison", comparison.write, session.directory)
    undo.callback(done, session, "telling what is wrong", comparison.tell, session)
    reason = missing(GRAPHS)
    if reason:
        comparison.notes.append(f"nothing was compared: {reason}")
        logger.warning("nothing is compared: %s", reason)
    else:
        folder = session.directory if repros else ""
        done(session, "hooking Dynamo", Comparing(comparison, folder, session, every).begin, undo)
    return comparison


class Comparing:
    """The hooks on Inductor, and the graphs that are being compiled."""

    def __init__(self, comparison: NumericReport, folder: str, session: Session, every: int) -> None:
        self._comparison, self._folder, self._session, self.every = comparison, folder, session, every
        self._plans: dict[int, Plan] = {}
        self._pairs: dict[int, list[Any]] = {}  # graphs before and after passes, by the plan they are of
        self._decompositions, self._passes = Decompositions(), Passes()
        self._busy = False
        self._calls = FirstCalls(comparison, self._contained)
        self._gradients = Gradients(self._calls, self._contained)
        self._undo = contextlib.ExitStack()
        self._lacks: str | None = None  # what torch lacks; None before anything is compiled

    def begin(self, undo: contextlib.ExitStack) -> None:
        """Hooks Dynamo; `undo` gets what takes it back."""
        from torch._dynamo.output_graph import OutputGraph
        from torch.fx.experimental import proxy_tensor

        for module, option in CACHES:
            config = importlib.import_module(module)
            if hasattr(config, option):
                undo.enter_context(config.patch({option: False}))
        self._wrap(undo, OutputGraph, "call_user_compiler", self._call_backend)
        if not missing(FRAMES):
            self._wrap(undo, importlib.import_module(FRAMES[0][0]), FRAMES[0][1], self._compile)
            undo.callback(self._calls.close)
        if not missing(DECOMPOSITIONS):
            self._wrap(undo, proxy_tensor, "maybe_handle_decomp", self._decompose)
        undo.callback(setattr, self, "every", 0)
        self._undo = undo

    def _hook_inductor(self) -> None:
        """Once something is compiled: a recording begins where Dynamo is imported, maybe by an import of Inductor."""
        if self._lacks is not None:
            return
        self._lacks, undo = missing(BUFFERS), self._undo
        if self._lacks:
            self._comparison.notes.append(f"only graphs as a whole are compared: {self._lacks}")
            return
        from torch._inductor import compile_fx
        from torch._inductor.graph import GraphLowering
        from torch._inductor.scheduler import Scheduler

        self._wrap(undo, GraphLowering, "codegen", self._codegen)
        self._wrap(undo, GraphLowering, "compile_to_module", self._compile_to_module)
        self._wrap(undo, Scheduler, "free_buffers", self._free_buffers)
        self._wrap(undo, Scheduler, "codegen_extern_call", self._call_extern)
        self._wrap(undo, compile_fx, "_recursive_joint_graph_passes", self._joint_passes)
        self._wrap(undo, compile_fx, "_recursive_post_grad_passes", self._post_passes)

    @staticmethod
    def _wrap(undo: contextlib.ExitStack, owner: Any, name: str, replacement: Any) -> None:
        original = getattr(owner, name)

        def wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
            return replacement(original, self, *args, **kwargs)

        undo.callback(setattr, owner, name, original)
        setattr(owner, name, wrapped)

    # ---- while Inductor compiles

    def _decompose(self, original: Any, mode: Any, op: Any, args: Any, kwargs: Any) -> Any:
        table = {} if self._busy else decompositions_of(mode)
        result = original(mode, op, args, kwargs)
        if op in table:
            done(self._session, "planning the comparison", self._decompositions.hear, op, table[op], args, kwargs,
                 result)  # fmt: skip
        return result

    def _compile(self, original: Any, *args: Any, **kwargs: Any) -> Any:
        begun = None
        if not self._busy:
            name = str(kwargs.get("compile_id"))
            begun = done(self._session, "running a call in eager", self._calls.begin, args, name)
        code = None
        try:
            with self._calls.paused():
                result = original(*args, **kwargs)
            code = code_to_run(result)
        finally:
            if begun is not None and code is None:
                self._calls.drop(begun)
        if begun is not None:
            done(self._session, "running a call in eager", begun.watch, code, calling_frame())
        if self.every and code is not None and not self._busy:
            done(self._session, "running a call in eager", self._calls.made, code, args, str(kwargs.get("compile_id")),
                 self.every)  # fmt: skip
        return result

    def _call_backend(self, original: Any, output: Any, module: Any, *args: Any, **kwargs: Any) -> Any:
        stages = None
        if not self._busy:
            done(self._session, "hooking Inductor", self._hook_inductor)
        if not self._busy and backend_name(output.compiler_fn) == "inductor":
            stages = done(self._session, "planning the comparison", FirstStages, module, _compile_id(),
                          self._comparison, bool(self._lacks))  # fmt: skip
        compiled = original(output, module, *args, **kwargs)
        if stages is None:
            return compiled
        self._calls.heard(stages)
        first, count, name = [stages], itertools.count(), stages.name
        kept = copy.copy(stages.module) if self.every else None  # the first call may put copies of parameters into it

        def call(*inputs: Any) -> Any:
            if self._busy:
                return compiled(*inputs)
            if not first:
                self._calls.ran_again(name)
                if not self.every or (next(count) + 1) % self.every:
                    return compiled(*inputs)
                later = FirstStages(kept, name, self._comparison, bool(self._lacks))
                return self._compare_later(compiled, later, inputs)
            stages = first.pop()
            if self._lacks:
                self._contained(self._decompositions.check, self._comparison, stages.name)
            self._contained(stages.before, inputs)
            try:
                results = compiled(*inputs)
            except Exception as error:
                stages.raised = "Inductor" if _is_through(error, Comparing.call_compared) else "AOTAutograd"
                raise
            self._contained(stages.after, inputs, results)
            return_freed_memory()
            self._contained(self._gradients.called, stages, inputs, results)
            return results

        return call

    def _compare_later(self, compiled: Any, stages: FirstStages, inputs: Any) -> Any:
        """One of the calls after the first."""
        begun = done(self._session, "running a call in eager", self._calls.begin_later, stages.name)
        self._contained(stages.before, inputs)  # for the line, if the call is wrong
        if begun is not None:
            begun.graphs.append(stages)
            begun.run_again.add(stages.name)
        results = compiled(*inputs)
        self._contained(self._gradients.called, stages, inputs, results, self.every)
        return results

    def _joint_passes(self, original: Any, module: Any, *args: Any, **kwargs: Any) -> Any:
        if self._busy:
            return original(module, *args, **kwargs)
        return self._passes.joint_passes(original, module, args, kwargs, _compile_id())

    def _post_passes(self, original: Any, module: Any, *args: Any, **kwargs: Any) -> Any:
        if self._busy:
            return original(module, *args, **kwargs)
        return self._passes.post_passes(original, module, args, kwargs)

    def _codegen(self, original: Any, graph: Any, *args: Any, **kwargs: Any) -> Any:
        if not self._busy and not graph.cpp_wrapper and not graph.aot_mode and not getattr(graph, "fx_wrapper", False):
            attributes = done(self._session, "planning the comparison", self._passes.attributes, graph.module)
            plan = done(self._session, "planning the comparison", Plan, graph, _name_of(graph), attributes or {})
            if plan is not None:
                self._plans[id(graph)] = plan
                pairs = done(self._session, "planning the comparison", self._passes.take, graph.module, _compile_id(),
                             graph.is_backward)  # fmt: skip
                self._pairs[id(plan)] = pairs or []
        result = original(graph, *args, **kwargs)
        plan = self._plans.get(id(graph))
        if plan is not None:
            value = result[0]
            if isinstance(value, str):  # torch 2.6
                text, result = value, without_probes(*result)
            else:
                text, (value.value, value.line_map) = value.value, without_probes(value.value, value.line_map)
            done(self._session, f"planning the comparison of {plan.name}", plan.finish, text)
        return result

    def _free_buffers(self, original: Any, scheduler: Any, *args: Any, **kwargs: Any) -> Any:
        from torch._inductor.virtualized import V

        plan = self._plans.get(id(V.graph))
        at = None
        if plan is not None:
            wrapper = V.graph.wrapper_code
            at = done(self._session, "planning the comparison", plan.note, scheduler, wrapper,
                      V.graph.removed_buffers | V.graph.inplaced_to_remove)  # fmt: skip
            if at is not None:
                wrapper.writeline(f"{PROBE}({at}, locals())")
        result = original(scheduler, *args, **kwargs)
        if at is not None and plan is not None:
            done(self._session, "planning the comparison", plan.note_freed, wrapper)
        return result

    @staticmethod
    def _call_extern(original: Any, scheduler: Any, node: Any, *args: Any, **kwargs: Any) -> Any:
        """torch 2.6 has no `current_node`: buffers are freed before the kernel counts as complete."""
        if hasattr(scheduler, "current_node"):
            return original(scheduler, node, *args, **kwargs)
        scheduler.current_node = node
        try:
            return original(scheduler, node, *args, **kwargs)
        finally:
            del scheduler.current_node

    def _compile_to_module(self, original: Any, graph: Any, *args: Any, **kwargs: Any) -> Any:
        module = original(graph, *args, **kwargs)
        plan = self._plans.pop(id(graph), None)
        if self._busy:
            return module
        verdict = GraphVerdict(_name_of(graph))
        if plan is None or not plan.text:
            self._comparison.notes.append(f"{verdict.graph}: not checked, because its wrapper is not in Python")
            return module
        return _Checked(module, plan, verdict, self)

    # ---- when the graph is called

    def call_compared(self, module: Any, plan: Plan, verdict: GraphVerdict, args: Any) -> Any:
        """The first call of a graph, with probes, or a later one that is compared."""
        if self._busy or verdict.wrong:
            return module.call(args)
        is_first = plan.name == verdict.graph
        self._comparison.add(verdict)
        first = FirstGraphCall(plan, self._folder, verdict)
        call = self._contained(_probed, module, plan, functools.partial(self._contained, first.probe))
        if call is None:
            verdict.unchecked["its wrapper could not be loaded with probes"] = 1
            return module.call(args)
        if is_first:
            self._contained(self._check_before, plan, verdict, args)
        return_freed_memory()
        self._contained(first.begin, args)
        result = call(args)  # takes them out of the list
        self._contained(first.end, list(result))
        return_freed_memory()
        return result

    def _check_before(self, plan: Plan, verdict: GraphVerdict, args: list[Any]) -> None:
        """Decompositions and passes, before the kernels."""
        self._decompositions.check(self._comparison, verdict.graph)
        inputs = {node.name: value for node, value in zip(plan.placeholders, args)}
        for pair in self._pairs.pop(id(plan), []):
            self._passes.check(pair, inputs, verdict)

    def _contained(self, function: Any, *args: Any) -> Any:
        """What a function returns; None where it fails, which costs verdicts.

        What is compiled meanwhile is not the program's, and is not recorded.
        """
        recorders = [one for one in ACTIVE if not one.ended]
        self._busy = True
        try:
            for one in recorders:
                one.ended = True
            with self._calls.paused(), records_put_back(), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the program has had those of its own call
                return function(*args)
        except Exception as error:
            note_exception(self._session, "comparing a graph", error, "verdicts")
            return None
        finally:
            self._busy = False
            for one in recorders:
                one.ended = False


class _Checked:
    """The module of a graph, whose first call is checked, and later ones if the program asks for it."""

    def __init__(self, module: Any, plan: Plan, verdict: GraphVerdict, comparing: Comparing) -> None:
        self._module, self._first = module, [(plan, verdict, comparing)]
        self._later: tuple[Plan, GraphVerdict, Comparing] | None = None
        self._left = 0  # calls, until one is compared again

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)

    def call(self, args: Any) -> Any:
        """The graph."""
        if self._first:
            plan, verdict, comparing = self._first.pop()
            results = comparing.call_compared(self._module, plan, verdict, args)
            if comparing.every and not verdict.wrong:
                later = GraphVerdict.of_later_calls(verdict.graph, comparing.every)
                self._later, self._left = (plan, later, comparing), comparing.every
            return results
        if self._later is not None:
            plan, later, comparing = self._later
            self._left -= 1
            if not comparing.every:  # the block has ended
                self._later = None
            elif not self._left:
                self._left = comparing.every
                return comparing.call_compared(self._module, plan, later, args)
        return self._module.call(args)


def _is_through(error: BaseException, function: Any) -> bool:
    """Whether an exception has come through a function."""
    return any(frame.f_code is function.__code__ for frame, _ in traceback.walk_tb(error.__traceback__))


def _probed(module: Any, plan: Plan, probe: Any) -> Any:
    """The function of the wrapper with probes in it, with the kernels and constants of the one that torch keeps."""
    names: dict[str, Any] = {"__name__": module.__name__, "__file__": module.__file__, PROBE: probe}
    exec(compile(plan.text, module.__file__, "exec"), names)
    for name, value in vars(module).items():
        if names.get(name) is None:
            names[name] = value
    return names["call"]


def _name_of(graph: Any) -> str:
    """``0/0 forward``."""
    kind = "backward" if graph.is_backward else "inference" if graph.is_inference else "forward"
    return f"{_compile_id() or graph.graph_id} {kind}"


def _compile_id() -> str:
    """``0/0``; "" outside of Dynamo."""
    import torch

    compile_id = torch._guards.CompileContext.current_compile_id()
    return "" if compile_id is None else str(compile_id)
