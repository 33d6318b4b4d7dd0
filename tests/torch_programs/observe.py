"""What one run of one program gives, as plain data: results bit by bit, exceptions, compilations; and the dump."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import os
import re
import sys
from typing import Any, Dict, Iterator, List, Set

import torch

from . import dumps
from .suite import CALLS, Program, copied, running

__all__ = ["observe"]

_CHANGES = [  # what differs between two runs of the same program, depyf or not
    (re.compile(r"0x[0-9a-f]{6,}"), "0x"),
    (re.compile(r"_[0-9a-f]{8}_[0-9a-f]{4}_[0-9a-f]{4}_[0-9a-f]{4}_[0-9a-f]{12}"), ""),
    (re.compile(r"\b\d{12,}\b"), "<id>"),
    (re.compile(r"/[\w./-]*/(?=[\w.-]+)"), ""),
]


def observe(program: Program, directory: str, found: Dict[str, Any]) -> None:
    """Runs the program, under depyf when there is a directory to write to. Nothing of depyf is imported otherwise.

    Notes in `found` what is to be equal in both runs under ``same``, and with depyf what its files are like under
    ``dump``. What no program catches, and exceptions of programs which are to end by one, pass on.
    """
    running.backend, running.watched, running.directory = program.backend, bool(directory), directory
    torch.manual_seed(0)
    torch._dynamo.reset()
    names: List[str] = []
    handle = torch._dynamo.convert_frame.register_bytecode_hook(lambda code, new_code: names.append(code.co_name))
    same: Dict[str, Any] = found.setdefault("same", {})
    with _looking_on(program, directory) as model:
        try:
            same["result"] = plain(program.run())
        except Exception as error:
            same["exception"] = exception(error)
            if program.exits:
                raise
    same["compilations"] = list(names)
    ran: Set[str] = set()
    same["again"] = _again(program, directory, ran)
    same["compilations afterwards"] = names[len(same["compilations"]) :]
    same["counters"] = _counters()
    handle.remove()
    if directory:
        found["dump"] = dumps.examine(program, directory, model, ran)


@contextlib.contextmanager
def _looking_on(program: Program, directory: str) -> Iterator[Any]:
    if not directory or program.watch == "dispatcher":
        yield None
        return
    import depyf

    if program.watch == "install":
        depyf.install()
        yield None
        depyf.uninstall()
    elif program.watch == "inspect":
        yield None
    else:
        with depyf.prepare_debug(directory, **program.options) as model:
            yield model


def _again(program: Program, directory: str, ran: Set[str]) -> List[Any]:
    """Each call once more, behind the recording. `ran` gets the files of functions which are called under debug()."""
    with contextlib.ExitStack() as stack:
        if directory and program.watch == "debug":
            import depyf

            os.environ["PYTHONBREAKPOINT"] = "0"
            stack.enter_context(depyf.debug())
            stack.callback(sys.settrace, None)
            stack.enter_context(torch.autograd.set_multithreading_enabled(False))  # a GPU's backward has its own thread
            sys.settrace(lambda frame, event, argument: ran.add(frame.f_code.co_filename))
        return [_once_more(one) for one in list(CALLS)]


def _once_more(one: Any) -> Any:
    inputs = one.inputs if isinstance(one.inputs, Exception) else copied(one.inputs)
    if isinstance(inputs, Exception):  # after a failed assertion on a GPU nothing can be copied
        return "not called again: {}".format(exception(inputs))
    args, kwargs = inputs
    torch.manual_seed(1)
    try:
        return plain(one.function(*args, **kwargs))
    except Exception as error:
        return exception(error)


def _counters() -> Dict[str, Any]:
    """Dynamo's own counts that say how the program was cut up."""
    counters = torch._dynamo.utils.counters
    wanted = {"stats": ["unique_graphs", "calls_captured"], "frames": ["total", "ok"]}
    found: Dict[str, Any] = {key: {one: counters[key].get(one, 0) for one in ones} for key, ones in wanted.items()}
    found["graph breaks"] = sum(counters["graph_break"].values())
    return found


def exception(error: BaseException) -> List[str]:
    """The type and what it says, without what differs from run to run."""
    text = str(error)
    for pattern, replacement in _CHANGES:
        text = pattern.sub(replacement, text)
    return [type(error).__name__, text]


def plain(value: Any, depth: int = 0) -> Any:
    """A value as JSON, tensors bit by bit, gradients and what requires them included."""
    if isinstance(value, torch.Tensor):
        return _tensor(value, depth)
    if isinstance(value, float):
        return value.hex()
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (torch.dtype, torch.device, torch.Size, complex, bytes, range)):
        return repr(value)
    if depth > 8:
        return "..."
    if isinstance(value, torch.nn.Module):
        return [type(value).__name__, plain(value.state_dict(), depth + 1)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [type(value).__name__, plain(vars(value), depth + 1)]
    if isinstance(value, dict):
        return [type(value).__name__, [[plain(key), plain(item, depth + 1)] for key, item in value.items()]]
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, [plain(item, depth + 1) for item in value]]
    if isinstance(value, (set, frozenset)):
        return [type(value).__name__, sorted(map(repr, value))]
    if isinstance(value, BaseException):
        return exception(value)
    return type(value).__qualname__


def _tensor(value: Any, depth: int) -> Dict[str, Any]:
    found: Dict[str, Any] = {"tensor": type(value).__name__, "dtype": str(value.dtype), "shape": list(value.shape)}
    found["requires_grad"] = value.requires_grad
    if type(value) in (torch.Tensor, torch.nn.Parameter):
        flat = value.detach().reshape(-1)
        found["stride"] = list(value.stride())
        data = torch.view_as_real(flat).reshape(-1) if flat.is_complex() else flat
        numbers = data.contiguous().view(torch.uint8).tolist() if data.numel() else []
        found["bits"] = hashlib.md5(bytes(numbers)).hexdigest()
        found["begins"] = [str(number) for number in flat[:4].tolist()]
    if value.is_leaf and value.grad is not None and depth < 8:
        found["grad"] = _tensor(value.grad, 8)
    return found
