"""Guards that are Python functions, as torch's are up to 2.3: what they check is found out by asking them."""

from __future__ import annotations

import re
from typing import Any, List, Optional, Tuple

import pytest
import torch

from depyf.explain.guards.collect import collect_guards, recompile_reason
from depyf.explain.guards.tensor_checks import tensor_check_parts

NAMES = {torch.float32: "Float", torch.float64: "Double", torch.int64: "Long", torch.bool: "Bool"}


class Checks:
    """Answers as torch's `TensorGuards.check_verbose` does (recorded on 2.2.2). None in a shape is any number."""

    def __init__(self, *tensors: Tuple[Any, Optional[List[Optional[int]]]]) -> None:
        self.tensors = tensors

    def __call__(self, *given: Any, tensor_check_names: List[str]) -> Any:
        for (wanted, sizes), tensor, name in zip(self.tensors, given, tensor_check_names):
            if type(tensor) is not type(wanted):
                return "expected type of '{}' to be a tensor type, ' but found {}".format(name, type(tensor))
            found = self.difference(wanted, sizes or list(wanted.shape), tensor)
            if found:
                return "tensor '{}' {}".format(name, found)
        return True

    def difference(self, wanted: Any, sizes: List[Optional[int]], tensor: Any) -> str:
        if wanted.device != tensor.device:
            return "dispatch key set mismatch. expected DispatchKeySet({}, BackendSelect), actual {}".format(
                {"cpu": "CPU", "meta": "Meta"}.get(wanted.device.type, "Nowhere"), tensor.device
            )
        if wanted.dtype != tensor.dtype:
            return "dtype mismatch. expected {}, actual {}".format(NAMES[wanted.dtype], tensor.dtype)
        if wanted.requires_grad != tensor.requires_grad:
            return "requires_grad mismatch. expected requires_grad={}".format(int(wanted.requires_grad))
        if wanted.dim() != tensor.dim():
            return "rank mismatch. expected {}, actual {}".format(wanted.dim(), tensor.dim())
        for at, (size, stride) in enumerate(zip(sizes, wanted.stride())):
            if size is not None and tensor.size(at) != size:
                return "size mismatch at index {}. expected {}, actual {}".format(at, size, tensor.size(at))
            if tensor.stride(at) != stride:
                return "stride mismatch at index {}. expected {}, actual {}".format(at, stride, tensor.stride(at))
        return ""


def guard_of(*tensors: Tuple[Any, Optional[List[Optional[int]]]]) -> Any:
    def guard(L: Any) -> bool:
        return True

    names = ["L['{}']".format(letter) for letter in "abcdef"[: len(tensors)]]
    guard.closure_vars = {"___check_tensors_verbose": Checks(*tensors), "tensor_check_names": names}  # type: ignore
    guard.verbose_code_parts = [  # type: ignore
        "___guarded_code.valid",
        "hasattr(L['a'], '_dynamo_dynamic_indices') == False           # x = a + 1  # old/toy.py:4 in toy",
        "set(L['m'].keys()) == {'w', 'k', 'b'}                         # m['k']  # old/toy.py:5 in toy",
        "___check_type_id(L['m'], {})                     # m['k']  # old/toy.py:5 in toy".format(id(dict)),
        "(___skip_backend_check() or ___current_backend() == ___lookup_backend(139674531496464))"
        "  # _dynamo/output_graph.py:385 in init_ambient_guards",
        "2 <= L['a'].size()[0]                     # _dynamo/output_graph.py:371 in init_ambient_guards",
        "___check_tensors({}, tensor_check_names=tensor_check_names)".format(", ".join(names)),
    ]
    return guard


@pytest.mark.parametrize(
    ("tensor", "sizes", "text"),
    [
        (torch.ones(10), None, "Tensor, {CPU}, torch.float32, device=None, requires_grad=False, size=[10], stride=[1]"),
        (torch.tensor(True), None, "Tensor, {CPU}, torch.bool, device=None, requires_grad=False, size=[], stride=[]"),
        (torch.ones(3, 4).t(), [None, 3],
         "Tensor, {CPU}, torch.float32, device=None, requires_grad=False, size=[None, 3], stride=[1, 4]"),
        (torch.nn.Parameter(torch.ones(2, dtype=torch.float64)), None,
         "Parameter, {CPU}, torch.float64, device=None, requires_grad=True, size=[2], stride=[1]"),
        (torch.ones(5, 6, dtype=torch.int64)[::2, ::3], None,
         "Tensor, {CPU}, torch.int64, device=None, requires_grad=False, size=[3, 2], stride=[12, 3]"),
        (torch.ones(4, device="meta"), None,
         "Tensor, {Meta}, torch.float32, device=None, requires_grad=False, size=[4], stride=[1]"),
    ],
)  # fmt: skip
def test_what_a_tensor_must_be_is_found_out(tensor, sizes, text):
    text = re.sub(r"{(\w+)}", r"DispatchKeySet(\1, BackendSelect, ADInplaceOrView, Autograd\1)", text)
    other = torch.ones(7, dtype=torch.int64)
    parts = tensor_check_parts(guard_of((tensor, sizes), (other, None)))
    assert parts[0] == "check_tensor(L['a'], {})".format(text)
    assert parts[1].startswith("check_tensor(L['b'], Tensor, DispatchKeySet(CPU, BackendSelect, ")
    assert parts[2] == "check_no_aliasing(L['a'], L['b'])"


class Strange(torch.Tensor):
    pass


def test_a_tensor_that_cannot_be_made_is_named_and_so_are_those_behind_it():
    parts = tensor_check_parts(guard_of((Strange(), None), (torch.ones(2), None)))
    assert parts == ["check_tensor(L['a'])", "check_tensor(L['b'])", "check_no_aliasing(L['a'], L['b'])"]


def test_other_guards_are_not_asked():
    assert tensor_check_parts(object()) is None
    assert tensor_check_parts(lambda L: True) is None


def test_the_guards_are_those_of_later_versions():
    guards, tree = collect_guards(guard_of((torch.ones(10), None), (torch.ones(10), None)), {}, "/old/toy.py")
    asked = {guard.words: guard.user_line and guard.user_line.line for guard in guards if not guard.is_bookkeeping}
    assert asked == {
        "a: CPU float32 tensor of shape [10], stride [1], no grad": 4,
        "b: CPU float32 tensor of shape [10], stride [1], no grad": None,
        "a and b are different tensors": None,
        "m is exactly of type dict": 5,
        "the keys of m are {'b', 'k', 'w'}": 5,
        "2 <= a.shape[0]": None,
    }
    assert sorted(guard.words for guard in guards if guard.is_bookkeeping) == [
        "every object whose identity is checked still exists",
        "hasattr(a, '_dynamo_dynamic_indices') == False",
        "the backend is the same",
    ]
    assert "139674531496464" not in tree and str(id(dict)) not in tree


def test_reasons_to_compile_again_have_no_ids():
    flag = "0/0: ___check_obj_id(L['self'].training, {})   # self.l(x)  # toy.py:6 in f".format(id(True))
    assert recompile_reason(flag) == "0/0: L['self'].training is True   # self.l(x)  # toy.py:6 in f"
    kind = "___check_type_id(L['n'], {})".format(id(int))
    assert recompile_reason(kind) == "type(L['n']).__name__ == 'int'"
    assert recompile_reason("___check_obj_id(L['f'], 12345678)") == "L['f'] is the object it was"


@pytest.mark.parametrize("is_on", [True, False])
def test_asking_changes_nothing(is_on):
    def state():
        return torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.get_default_dtype()

    with torch.set_grad_enabled(is_on):
        before = state()
        tensor_check_parts(guard_of((Strange(), None), (torch.ones(2), None)))  # in all modes, as none fits
        assert state() == before
    with torch.inference_mode():
        before = state()
        tensor_check_parts(guard_of((torch.ones(2), None)))
        assert state() == before
