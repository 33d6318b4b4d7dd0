"""The first call of each compilation, against the same call in eager, from the same state of the program.

What Dynamo itself does wrong is in its graphs already, and in what it does around them: another branch, a constant of
another call, an attribute that is not set. So the function as it is written is run as well, in a process of its own,
and what it returns and leaves behind is compared. So are later calls, where every Nth is asked for: they show a missing
guard.
"""

from __future__ import annotations

import contextlib
import copy
import dis
import random
import sys
import threading
import types
from typing import Any, Callable, Iterable, Iterator, Mapping

from ...explain.code_objects import RETURNS_AT_ONCE
from ...explain.containment import edge, logger
from ...explain.model import SourceLine
from ...explain.running import ACTIVE
from ...explain.torch_facts.torch_behavior import backend_name, with_dynamo_off
from ...owners import TORCH, package_of
from ..facts import compiled_function
from ..findings import Finding, GraphVerdict, NumericReport, line_at
from ..graphs.evaluate import Cannot
from ..graphs.zoom import lines_of
from ..rounding import Judgement
from ..stages import FirstStages, copies, dense, is_of_higher_order, widening
from .call_values import DYNAMO, CallValues
from .called_function import CalledFunction
from .eager_process import EagerProcess, why_not_in_eager
from .left_behind import RESULT, UNCHANGED, differing, left_behind, tensors, versions, widen
from .operations import Changes, first_of_another_value, operations_of, recorded

__all__ = ["FirstCalls"]


class FirstCall:
    """A function that Dynamo begins to compile, and its call.

    Args:
        function: the call.
        verdict: of its compilation's calls.
        comparison: gets the verdict.
        ended: is called at the end, with this, whether the function has run, whether it raised, and what it returns.

    Raises:
        Cannot: it is not compared.
    """

    def __init__(self, function: CalledFunction, verdict: GraphVerdict, comparison: NumericReport,
                 ended: Callable[[FirstCall, bool, bool, Any], None]) -> None:  # fmt: skip
        self._function, self._comparison, self._tell = function, comparison, ended
        self._verdict = verdict
        self._awaited: tuple[list[str], dict[int, str]] | None = None  # results and inputs, when gradients are compared
        self.graphs: list[FirstStages] = []  # Dynamo's graphs that the call runs
        self.run_again: set[str] = set()  # those that ran before
        self._known = set(map(id, comparison.findings))  # what was wrong before
        self._code: types.CodeType | None = None  # what Dynamo made of it
        self._caller: Any = None
        self._frame: Any = None
        reason = why_not_in_eager() or "the program has a profile function" * (sys.getprofile() is not None)
        if reason:
            raise Cannot(reason)
        roots = function.roots()
        self._tensors = tensors(roots)
        self._versions = versions(self._tensors)
        self._before = left_behind(roots, self._versions)
        self._random = random.getstate()
        self._eager = EagerProcess(self._run)
        self._first = self._eager.ask()

    # ---- in the other process

    def _run(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The call in eager."""
        import torch

        for recorder in ACTIVE:
            recorder.end_in_fork()
        torch._dynamo.config.disable = True
        random.setstate(self._random)
        if "compiling" in request:  # `torch.compiler.is_compiling()` says so
            torch.compiler._is_compiling_flag = True
        if request.get("seed"):
            _reseed(request["seed"])
        found: dict[str, Any] = {"operations": []}
        results, wanted, file = request.get("gradients") or ([], [], "")
        given = torch.load(file, weights_only=False) if file else []
        modes = contextlib.ExitStack()
        known = {} if "whole" in request else self._versions
        if "wide" in request:
            widen(self._function.roots())
            torch.set_default_dtype(torch.float64)
            modes.enter_context(widening(*request["wide"]))
            known = {}
        changes = None
        if "lines" in request:
            modes.enter_context(recorded(found["operations"]))
            changes = Changes(self._function.code, request["lines"], self._function.roots)
            changes.begin()
            sys.settrace(changes.trace)
        result = {}
        try:
            if results:
                _without_history(self._tensors.values())
            with modes:
                result = {RESULT: self._function()}
                if results:
                    made = tensors(result)
                    sources = [self._tensors[path] for path in wanted]
                    gradients = _gradients([made[path] for path in results], given, sources)
                    found["gradients"] = dict(zip(map(_gradient_of, wanted), gradients))
        except Exception as error:
            found["raised"] = type(error).__name__
            if isinstance(error, NotImplementedError):
                found["why"] = f"eager cannot run it: {error}"
            elif "fork-based multiprocessing" in str(error):
                found["why"] = "autograd cannot run in a fork, once it has run in the program"
            elif isinstance(error, OSError):
                found["why"] = "it needs what only the program itself has"
            elif isinstance(error, Cannot):
                found["why"] = str(error)
        finally:
            sys.settrace(None)
        if changes is not None:
            changes.look()
            found.update(last=changes.last, returned=changes.returned)
        return {**found, "values": left_behind({**result, **self._function.roots()}, known)}

    # ---- in the program

    def watch(self, code: types.CodeType, caller: Any, frame: Any = None) -> None:
        """The function is about to run.

        Args:
            code: what Dynamo made of it.
            caller: the frame that calls it.
            frame: its own, if it runs already.
        """
        self._code, self._caller, self._frame = code, caller, frame
        self.resume()

    def pause(self) -> None:
        """Dynamo compiles, or something is checked."""
        if self._code is not None:
            sys.setprofile(None)

    def resume(self) -> None:
        """The program runs again."""
        if self._code is not None:
            sys.setprofile(self._profile)

    @edge
    def _profile(self, frame: Any, event: str, argument: Any) -> None:
        if event == "call" and self._frame is None and frame.f_code is self._code:
            self._frame = frame
        elif event == "return" and (frame is self._frame or frame is self._caller):
            sys.setprofile(None)
            with_dynamo_off(self._ended, frame, argument)

    def _ended(self, frame: Any, value: Any) -> None:
        called, raised = frame is self._frame, _raised(frame)
        self._code = self._frame = self._caller = None
        self._tell(self, called, raised, value)

    def close(self) -> None:
        """Nothing more is compared."""
        self.pause()
        self._code = self._frame = self._caller = None
        self._eager.close()
        self.graphs.clear()

    def compare(self, raised: bool, value: Any) -> bool:
        """The call has ended, with a value or an exception.

        Returns:
            Whether its graph's gradients can be compared, when its backward runs.
        """
        self._comparison.add(self._verdict)
        try:
            theirs = self._eager.answer(self._first)
            if raised or theirs.get("raised"):
                self._compare_exceptions(raised, theirs)
                return False
            self._compare({RESULT: value, **self._function.roots()}, theirs["values"])
        except Cannot as reason:
            self._verdict.count("outputs", False, str(reason))
            return False
        return not (self._verdict.wrong or self._verdict.told) and self._awaits(value)

    def _awaits(self, value: Any) -> bool:
        if len(self.graphs) != 1:
            return False
        (graph,) = self.graphs
        results = {id(one): path for path, one in tensors({RESULT: value}).items()}
        inputs = {id(one): path for path, one in self._tensors.items()}
        by = {at: inputs[one] for at, one in enumerate(graph.identities) if graph.need_gradients[at] and one in inputs}
        if not by or not graph.made or any(one not in results for one in graph.made):
            return False
        self._awaited = ([results[one] for one in graph.made], by)
        return True

    def compare_gradients(self, given: list[Any], gradients: Mapping[int, Any]) -> None:
        """The backward has run.

        Args:
            given: the gradients of the graph's results.
            gradients: of its inputs, by their places.
        """
        if self._awaited is None:
            return
        self._verdict = GraphVerdict(f"{self._verdict.graph}'s gradients")
        self._comparison.verdicts.append(self._verdict)
        results, by = self._awaited
        known = {by[at]: one.detach() for at, one in gradients.items() if one is not None and at in by}
        mine = {_gradient_of(path): ("tensor", one) for path, one in known.items()}
        request = {"gradients": [results, list(known), self._eager.give(given)]}
        try:
            found = self._eager.run(**request)
            if "gradients" not in found:
                raise Cannot(found.get("why") or f"it raises {found.get('raised')} in eager")
        except Cannot as reason:
            self._verdict.count("outputs", False, str(reason))
            return
        evaluated = CallValues(self._eager, mine, found["gradients"], "gradients", request)
        for path in mine:
            self._judge("outputs", path, evaluated)

    def _compare_exceptions(self, raised: bool, theirs: Mapping[str, Any]) -> None:
        if raised and theirs.get("raised"):
            self._verdict.count("outputs", False, "it raises, as it does in eager")
            return
        if theirs.get("why"):
            raise Cannot(theirs["why"])
        again = self._eager.run(seed=1)
        if again.get("raised") != theirs.get("raised"):
            raise Cannot("it varies from call to call")
        name = self._function.code.co_name
        said = (f"{name}() raises, and in eager it does not" if raised
                else f"{name}() raises {theirs['raised']} in eager")  # fmt: skip
        stage = next((one.raised for one in self.graphs if raised and one.raised), DYNAMO)
        self._found(RESULT, Judgement(wrong="value"), f"{said} ({stage})", stage)

    def _compare(self, roots: Mapping[str, Any], theirs: Mapping[str, Any]) -> None:
        mine = left_behind(roots, self._versions)
        others = differing(mine, theirs)
        if any((UNCHANGED, None) in (mine.get(path), theirs.get(path)) for path in others):  # only one side wrote
            mine, theirs = left_behind(roots, {}), self._eager.run(whole=True)["values"]
            others = differing(mine, theirs)
        evaluated, changed = CallValues(self._eager, mine, theirs), {*others, *differing(self._before, theirs)}
        for path in {**mine, **theirs}:
            if path in others or not path.endswith(".requires_grad"):
                kind = "outputs" if path.startswith(RESULT) else "mutations"
                if kind == "outputs" or path in changed:
                    self._judge(kind, path, evaluated)

    def _judge(self, kind: str, path: str, evaluated: CallValues) -> None:
        try:
            judgement = evaluated.judge(path)
        except (Cannot, RuntimeError, NotImplementedError) as reason:
            self._verdict.count(kind, False, str(reason).partition("\n")[0])
            return
        self._verdict.count(kind, True)
        if not judgement.wrong:
            self._verdict.met(judgement)
        elif not self._verdict.wrong:
            self._found(path, judgement, "" if evaluated.is_tensor(path) else evaluated.words(path))

    def _found(self, path: str, judgement: Judgement, said: str, stage: str = DYNAMO) -> None:
        again = any(one.compile_id in self.run_again for one in self._comparison.findings)
        if again or self._comparison.since(self._known):  # an error is told where it arises
            self._verdict.told += 1
            return
        line = self._line_of(path, not said)
        function = SourceLine(self._function.code.co_filename, self._function.code.co_firstlineno)
        if line is None and package_of(function.filename) != TORCH:  # else it is at its call
            line = line_at(function.filename, function.line)
        lines = [line] if line is not None else []
        self._verdict.wrong.append(Finding.at(lines, stage, judgement, path, self._verdict.graph, said=said))

    def _line_of(self, path: str, is_tensor: bool) -> SourceLine | None:
        import torch

        if self._awaited is not None:  # the values are right: what has a backward of its own may be the cause
            nodes = [node for node in self.graphs[0].module.graph.nodes if is_of_higher_order(node.target)]
            return next(iter(lines_of(nodes)), None)

        state, had_gradients = torch.random.get_rng_state(), torch.is_grad_enabled()
        try:
            theirs = self._eager.run(lines=[] if path.startswith(RESULT) else [path])
            place = theirs["returned"] if path.startswith(RESULT) else theirs["last"].get(path)
            changed = None if place is None else line_at(*place)
            if not is_tensor and changed is not None and not path.startswith(RESULT):
                return changed
            graphs = [operations_of(copy.deepcopy(one.module), copies(one.inputs)) for one in self.graphs if one.inputs]
            node, line = first_of_another_value(graphs, theirs["operations"])
            return next(iter(lines_of([node])), changed) if node is not None else line if is_tensor else changed or line
        except Exception as error:  # graphs that can't be run again, a call that ends otherwise when it is traced
            logger.debug("%s: no line is known: %r", self._verdict.graph, error)
            return None
        finally:
            torch.random.set_rng_state(state)
            torch.set_grad_enabled(had_gradients)


class FirstCalls:
    """The calls of functions that Dynamo compiles for the first time, one for each thread at a time.

    Args:
        comparison: gets a verdict for each.
        contained: runs a function so that what fails costs verdicts.
    """

    def __init__(self, comparison: NumericReport, contained: Callable[..., None]) -> None:
        self._comparison, self._contained = comparison, contained
        self._open: dict[int, FirstCall] = {}
        self._waiting: dict[int, FirstCall] = {}  # by the identities of the graphs whose backward they wait for
        self._made: dict[int, tuple[Any, ...]] = {}  # functions that were compiled, by the code that Dynamo made

    def begin(self, args: tuple[Any, ...], name: str) -> FirstCall | None:
        """Dynamo is about to compile a function, if it is one that the program calls.

        Args:
            args: those of Dynamo's `_compile`.
            name: of the compilation, ``0/0``.
        """
        if name.startswith("!") or not _is_compared(args):  # those are of compiled autograd
            return None
        (code, *others), _, _ = compiled_function(args)
        return self._begin(CalledFunction(code, *others), GraphVerdict(f"{name} call"))

    def _begin(self, function: CalledFunction, verdict: GraphVerdict) -> FirstCall | None:
        if threading.get_ident() in self._open:
            return None
        try:
            call = FirstCall(function, verdict, self._comparison, self._ended)
        except Cannot as reason:
            verdict.count("outputs", False, str(reason))
            self._comparison.add(verdict)
            return None
        self._open[threading.get_ident()] = call
        return call

    def made(self, code: types.CodeType, args: tuple[Any, ...], name: str, every: int) -> None:
        """Dynamo has compiled a function, whose later calls are compared as well.

        Args:
            code: what Dynamo made of it.
            args, name: as in `begin`.
            every: the number of calls, which the verdict tells.
        """
        if _is_compared(args):
            (original, values, _, cells), _, _ = compiled_function(args)
            verdict = GraphVerdict.of_later_calls(f"{name} call", every)
            self._made[id(code)] = (code, original, values, cells, verdict)

    def begin_later(self, name: str) -> FirstCall | None:
        """A function that was compiled is about to run its graph; what it has done so far has no effects."""
        frame: types.FrameType | None = sys._getframe()
        while frame is not None and id(frame.f_code) not in self._made:
            frame = frame.f_back
        if frame is None:
            return None
        code, original, values, cells, verdict = self._made[id(frame.f_code)]
        if verdict.wrong or verdict.graph.partition(" ")[0] != name:
            return None
        call = self._begin(CalledFunction(original, values, dict(frame.f_locals), cells), verdict)
        if call is not None:
            call.watch(code, frame.f_back, frame)
        return call

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """While something runs that is not the program."""
        call = self._open.get(threading.get_ident())
        if call is None:
            yield
            return
        call.pause()
        try:
            yield
        finally:
            call.resume()

    def heard(self, stages: FirstStages) -> None:
        """The call that is open has one more graph."""
        call = self._open.get(threading.get_ident())
        if call is not None:
            call.graphs.append(stages)

    def ran_again(self, name: str) -> None:
        """A graph has run, not for the first time."""
        call = self._open.get(threading.get_ident()) if self._open else None
        if call is not None:
            call.run_again.add(name)

    def drop(self, call: FirstCall) -> None:
        """Nothing of it is compared."""
        self._open.pop(threading.get_ident(), None)
        call.close()

    def close(self) -> None:
        """The block has ended."""
        for call in [*self._open.values(), *self._waiting.values()]:
            call.close()
        self._open.clear()
        self._waiting.clear()
        self._made.clear()

    def _ended(self, call: FirstCall, has_run: bool, raised: bool, value: Any) -> None:
        self._open.pop(threading.get_ident(), None)
        if has_run:
            self._contained(self._compare, call, raised, value)
        if call not in self._waiting.values():
            call.close()

    def _compare(self, call: FirstCall, raised: bool, value: Any) -> None:
        if call.compare(raised, value):
            self._waiting[id(call.graphs[0])] = call

    def ran_backward(self, graph: FirstStages, given: list[Any], gradients: Mapping[int, Any]) -> None:
        """The backward of a graph has run: see `FirstCall.compare_gradients`."""
        call = self._waiting.pop(id(graph), None)
        if call is not None:
            call.compare_gradients(given, gradients)
            call.close()


def _is_compared(args: tuple[Any, ...]) -> bool:
    """Whether what Dynamo compiles is a function of the program's, and for Inductor."""
    (code, *_), backend, is_export = compiled_function(args)
    return not (is_export or code.co_flags & RETURNS_AT_ONCE or code.co_name.startswith("torch_dynamo_resume_in_")
                or backend_name(backend) != "inductor")  # fmt: skip


def _gradient_of(path: str) -> str:
    return f"the gradient of {path}"


def _gradients(results: list[Any], given: list[Any], sources: list[Any]) -> Iterator[tuple[str, Any]]:
    """The gradients of some tensors, from those of results."""
    import torch

    weights = [one.to(result.dtype) for one, result in zip(given, results)]
    found = torch.autograd.grad(results, sources, weights, allow_unused=True)
    for source, one in zip(sources, found):
        yield "tensor", torch.zeros_like(source) if one is None else dense(one)


def _without_history(inputs: Iterable[Any]) -> None:
    """A graph's gradients are those with respect to its inputs: not through what made these, and before their hooks."""
    for one in inputs:
        if one.requires_grad:
            one._backward_hooks = None
            if not one.is_leaf and one._is_view():
                raise Cannot("an input is a view that has gradients")
            if not one.is_leaf:
                one.detach_().requires_grad_()


def _reseed(seed: int) -> None:
    import torch

    torch.manual_seed(seed)
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed)


def _raised(frame: Any) -> bool:
    """Whether a frame that ends does so with an exception: its last instruction is no return."""
    code = frame.f_code.co_code
    return not dis.opname[code[frame.f_lasti]].startswith("RETURN")
