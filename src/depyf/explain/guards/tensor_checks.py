"""What the tensor checks of a guard function want, found out by asking them.

Up to torch 2.3 the guard of a cache entry is a Python function, and all its tensors are checked by one object of C++
which prints nothing about itself (``___check_tensors(L['a'], L['b'], ...)``). But its `check_verbose` says for any
tensors why they do not fit: "tensor 'L['a']' rank mismatch. expected 2, actual 1". So small tensors are made, one per
argument, and changed until they fit. The answer is written as later versions of torch print the same checks.
"""

from __future__ import annotations

import contextlib
import re
from typing import Any, Iterator

__all__ = ["DTYPES", "tensor_check_parts"]

DTYPES = {
    "Float": "float32", "Double": "float64", "Half": "float16", "BFloat16": "bfloat16", "Long": "int64", "Int": "int32",
    "Short": "int16", "Char": "int8", "Byte": "uint8", "Bool": "bool", "ComplexHalf": "complex32",
    "ComplexFloat": "complex64", "ComplexDouble": "complex128",
}  # fmt: skip
_MOST_QUESTIONS = 60
_MODES = [(False, False, False), (True, False, False), (False, True, False), (False, True, True), (True, True, False),
          (True, True, True)]  # autocast, inference mode, whether the tensors were made in it: they change the keys
_LARGEST = 2**31  # bytes; memory that is never written to costs nothing, but has to be granted
_KEYS = re.compile(r"dispatch key set mismatch\. expected DispatchKeySet\((\w+)")
_INDEX = re.compile(r"device index mismatch\. Expected device index to be (-?\d+)")
_DTYPE = re.compile(r"dtype mismatch\. expected (\w+)")
_GRAD = re.compile(r"requires_grad mismatch\. expected requires_grad=(\d)")
_RANK = re.compile(r"rank mismatch\. expected (\d+)")
_DIMENSION = re.compile(r"(size|stride) mismatch at index (\d+)\. expected (\d+)")


class _Candidate:
    """A description of a tensor, changed by the reasons why it did not fit."""

    def __init__(self, made_in_inference: bool = False) -> None:
        self.made_in_inference = made_in_inference
        self.device, self.dtype, self.grad = "cpu", "float32", False
        self.classes = ["Tensor", "Parameter"]
        self.size: list[int] = []
        self.stride: list[int] = []

    def tensor(self) -> Any:
        import torch

        extent = 1 + sum((size - 1) * stride for size, stride in zip(self.size, self.stride))
        if extent * 16 > _LARGEST:
            raise ValueError("a tensor too large to make one like it")
        with torch.inference_mode(self.made_in_inference):
            made = torch.empty_strided(self.size, self.stride, dtype=getattr(torch, self.dtype), device=self.device)
            if self.classes[0] == "Parameter":
                return torch.nn.Parameter(made, requires_grad=self.grad)
            return made.requires_grad_(self.grad)

    def change(self, reason: str) -> bool:
        """Makes the candidate fit `reason`; False when it is not understood."""
        if "expected type of" in reason:
            self.classes.pop(0)
            return bool(self.classes)
        for pattern, field in ((_KEYS, "device"), (_INDEX, "index"), (_DTYPE, "dtype"), (_GRAD, "grad")):
            found = pattern.search(reason)
            if found is None:
                continue
            value = found.group(1)
            before = (self.device, self.dtype, self.grad)
            if field == "index":
                self.device = "{}:{}".format(self.device.split(":")[0], value)
            elif field == "device":
                self.device = value.lower()
            elif field == "dtype":
                self.dtype = DTYPES[value]
            else:
                self.grad = value == "1"
            return before != (self.device, self.dtype, self.grad)
        rank = _RANK.search(reason)
        if rank:
            self.size, self.stride = [2] * int(rank.group(1)), [1] * int(rank.group(1))
            return True
        dimension = _DIMENSION.search(reason)
        if dimension:
            numbers = self.size if dimension.group(1) == "size" else self.stride
            numbers[int(dimension.group(2))] = int(dimension.group(3))
            return True
        return False


def tensor_check_parts(guard: Any) -> list[str] | None:
    """``check_tensor(L['a'], Tensor, ..., size=[10], stride=[1])`` for each tensor that a guard function checks, and
    that they are different ones; None when the guard is not of this kind.

    A tensor which can't be made here (of a device that is not there) is named with what is known of it.
    """
    variables = getattr(guard, "closure_vars", None)
    if not isinstance(variables, dict):
        return None
    ask, names = variables.get("___check_tensors_verbose"), variables.get("tensor_check_names")
    if not callable(ask) or not isinstance(names, (list, tuple)):
        return None
    found: list[list[str]] = []
    for autocast, inference, made_in_inference in _MODES:
        with _block(autocast, inference):
            found.append(_all(ask, list(names), made_in_inference))
        if all(found[-1]):
            break
    best = max(found, key=lambda parts: sum(map(bool, parts)))
    parts = [text or f"check_tensor({name})" for text, name in zip(best, names)]
    if len(names) > 1:
        parts.append("check_no_aliasing({})".format(", ".join(names)))
    return parts


@contextlib.contextmanager
def _block(autocast: bool, inference: bool) -> Iterator[None]:
    import torch

    with torch.inference_mode(inference), torch.autocast("cpu", enabled=autocast):
        with torch.set_grad_enabled(not inference):  # made in there: making it changes the mode already
            yield


def _all(ask: Any, names: list[str], made_in_inference: bool) -> list[str]:
    """The texts for all tensors, "" from the first on of which none was found."""
    parts: list[str] = []
    settled: list[Any] = []
    for place in range(len(names)):
        text, tensor = _find_out(ask, names, settled, made_in_inference) if len(settled) == place else ("", None)
        parts.append(text)
        if tensor is not None:
            settled.append(tensor)
    return parts


def _find_out(ask: Any, names: list[str], settled: list[Any], made_in_inference: bool) -> tuple[str, Any]:
    """The text for the tensor after those that are `settled`, and one that fits; None when none was found."""
    name = names[len(settled)]
    later = [None] * (len(names) - len(settled) - 1)

    def refusal(candidate: _Candidate) -> str:
        answer = ask(*settled, candidate.tensor(), *later, tensor_check_names=names)
        return str(answer) if f"'{name}'" in str(answer) else ""

    candidate = _Candidate(made_in_inference)
    try:
        for _ in range(_MOST_QUESTIONS):
            reason = refusal(candidate)
            if not reason:
                text = _text(name, candidate, *_any_number(candidate, refusal))
                return text, candidate.tensor()
            if not candidate.change(reason):
                break
    except Exception:  # no such device, no such dtype on it, an answer of another form
        return "", None
    return "", None


def _any_number(candidate: _Candidate, refusal: Any) -> tuple[list[int | None], list[int | None]]:
    """Size and stride of a candidate that fits, None where another number fits as well."""
    found: list[list[int | None]] = []
    for numbers in (candidate.size, candidate.stride):
        wanted: list[int | None] = []
        for at, number in enumerate(numbers):
            numbers[at] = number + 1
            wanted.append(number if refusal(candidate) else None)
            numbers[at] = number
        found.append(wanted)
    return found[0], found[1]


def _text(name: str, candidate: _Candidate, size: list[int | None], stride: list[int | None]) -> str:
    import torch

    keys = torch._C._dispatch_keys(candidate.tensor()) | torch._C._dispatch_tls_local_include_set()
    keys -= torch._C._dispatch_tls_local_exclude_set()
    index = candidate.device.partition(":")[2] or "None"
    what = f"{name}, {candidate.classes[0]}, {keys}, torch.{candidate.dtype}, device={index}"
    return f"check_tensor({what}, requires_grad={candidate.grad}, size={size}, stride={stride})"
