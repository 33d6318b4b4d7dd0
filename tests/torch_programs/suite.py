"""The suite of small programs: how one is written down, and what it may use.

A program is a function with a name, a sentence and what it needs from torch::

    @program(needs="torch.cond")
    def conditional_operator():
        "Control flow in the graph."
        f = compiled(lambda x: torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,)))
        return call(f, torch.ones(3)), call(f, -torch.ones(3))

`compiled` is torch.compile with the program's backend. `call` calls, and keeps a copy of the inputs: afterwards the
same call is made once more outside of the recording, and the page ``full_code_for_*.py`` is run on them.
"""

from __future__ import annotations

import copy
import functools
import importlib
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Tuple, Union

import torch

__all__ = [
    "CALLS",
    "PROGRAMS",
    "Call",
    "Program",
    "call",
    "compiled",
    "copied",
    "lacking",
    "original",
    "program",
    "running",
]

WATCHES = ("prepare_debug", "install", "inspect", "debug", "dispatcher")


class Program(NamedTuple):
    """One user-visible case of torch.

    Attributes:
        name: unique; with the backend in brackets where the same case runs on several.
        run: gives what is compared, or raises what is compared.
        says: the case, for readers of the table.
        backend: what `compiled` uses.
        needs: dotted names in torch; one that is missing means that this torch has no such feature.
        watch: which part of depyf looks on: one of WATCHES.
        options: of `prepare_debug`.
        new_process: whether it needs an interpreter of its own, a fork of one that has torch loaded will not do.
        repeatable: False where a further call of the same function gives another result, by the program's intent.
        raises: name of the exception that the program ends with, by intent; several with ``|`` between them.
        exits: exit status that the process ends with, by intent.
        index: regular expressions, each of which the dump's index must have.
        finding: what depyf must find: the kind, the text of the line ("" for any), and regular expressions that the
            answer, the report, the index, the page, the data and the message of a test must have.
        device: "cuda" where it needs a GPU; "" for whatever device new tensors are on.
    """

    name: str
    run: Callable[[], Any]
    says: str
    backend: str
    needs: Tuple[str, ...]
    watch: str
    options: Dict[str, Any]
    new_process: bool
    repeatable: bool
    raises: str
    exits: int
    index: Tuple[str, ...] = ()
    device: str = ""
    finding: Tuple[str, ...] = ()


class Call(NamedTuple):
    """A call that a program made: what was called, a copy of what it was given, and of what came of it."""

    function: Any
    receiver: Any  # what the method is bound to, the module whose forward it is; None for a function
    names: Dict[str, Any]  # globals and closed over variables as they were
    inputs: Any  # (args, kwargs), or the exception that says why they can't be copied
    random_state: Any
    outcome: Any  # a list with the result's copy, or with the exception


PROGRAMS: Dict[str, Program] = {}
CALLS: List[Call] = []


class _Running:
    """The program that this process runs: its backend, and whether depyf looks on."""

    backend = "eager"
    watched = False
    directory = ""


running = _Running()


def program(
    backend: Union[str, Iterable[str]] = "eager",
    needs: Union[str, Iterable[str]] = (),
    watch: str = "prepare_debug",
    new_process: bool = False,
    repeatable: bool = True,
    raises: str = "",
    exits: int = 0,
    index: Union[str, Iterable[str]] = (),
    device: str = "",
    finding: Tuple[str, ...] = (),
    **options: Any,
) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """Adds a function to the suite, once for each backend."""
    assert watch in WATCHES
    backends = [backend] if isinstance(backend, str) else list(backend)
    wanted = (needs,) if isinstance(needs, str) else tuple(needs)
    patterns = (index,) if isinstance(index, str) else tuple(index)

    def add(run: Callable[[], Any]) -> Callable[[], Any]:
        says = " ".join((run.__doc__ or "").split())
        for one in backends:
            name = run.__name__ if len(backends) == 1 else "{}[{}]".format(run.__name__, one)
            assert name not in PROGRAMS and says, name
            PROGRAMS[name] = Program(
                name, run, says, one, wanted, watch, options, new_process, repeatable, raises, exits, patterns, device,
                finding,
            )
        return run

    return add


def compiled(function: Any = None, **options: Any) -> Any:
    """torch.compile with the program's backend; as a decorator too."""
    if function is None:
        return functools.partial(compiled, **options)
    return torch.compile(function, **{"backend": running.backend, **options})


def call(function: Any, *args: Any, **kwargs: Any) -> Any:
    """``function(*args, **kwargs)``, kept in CALLS with copies of what went in and what came out."""
    outcome: List[Any] = []
    written = original(function)
    receiver = copied(getattr(written, "__self__", None))
    state = torch.get_rng_state(), torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else []
    CALLS.append(Call(function, receiver, _names(written), copied((args, kwargs)), state, outcome))
    try:
        result = function(*args, **kwargs)
    except Exception as error:
        outcome.append(error)
        raise
    outcome.append(copied(result))
    return result


def original(function: Any) -> Any:
    """What torch.compile was given; `forward` of a module."""
    for _ in range(10):
        inner = getattr(function, "_torchdynamo_orig_callable", None)
        if inner is None:
            break
        function = inner
    if isinstance(function, torch.nn.Module):
        return getattr(function, "_orig_mod", function).forward
    return function


def _names(function: Any) -> Dict[str, Any]:
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    if code is None:
        return {}
    names = dict(function.__globals__)
    for name, cell in zip(code.co_freevars, function.__closure__ or ()):
        try:
            names[name] = cell.cell_contents
        except ValueError:  # not assigned so far
            continue
    return names


def copied(value: Any) -> Any:
    """A deep copy, tensors with a history included; an exception where that can't be."""
    tensors: Dict[int, Any] = {}
    for tensor in _tensors(value, []):
        if tensor.grad_fn is not None:
            tensors[id(tensor)] = tensor.detach().clone()
    try:
        return copy.deepcopy(value, tensors)
    except Exception as error:
        return error


def _tensors(value: Any, found: List[Any]) -> List[Any]:
    if isinstance(value, torch.Tensor):
        found.append(value)
    elif isinstance(value, dict):
        for item in value.values():
            _tensors(item, found)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _tensors(item, found)
    elif hasattr(value, "__dict__") and not isinstance(value, type):
        for item in vars(value).values():
            if isinstance(item, torch.Tensor):
                found.append(item)
    return found


def lacking(needed: Program) -> str:
    """What this torch lacks for a program: the name that is not there, or '' when all are.

    GPUs are counted without a context, in which a process that forks could not use them later.
    """
    if needed.device and not torch.cuda.device_count():
        return "a GPU"
    for name in needed.needs:
        module, *rest = name.split(".")
        try:
            found: Any = importlib.import_module(module)
        except ImportError:
            return name
        for part in rest:
            module += "." + part
            try:
                found = getattr(found, part)
            except AttributeError:
                try:
                    found = importlib.import_module(module)
                except ImportError:
                    return name
    return ""
