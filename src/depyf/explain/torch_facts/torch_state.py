"""Torch's global state, by which Dynamo tells compilations apart: as it is, and as it was for a compilation.

Fields have the names that `GlobalStateGuard` gives them, and texts of Python expressions as values. All of it is asked
of torch: nothing here changes what other threads see. Importing this imports no torch.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import sys
from typing import Any

from ..code_objects import cell_contents
from .torch_behavior import MissingHook, find, is_there

__all__ = [
    "EXPRESSIONS",
    "UNKNOWN",
    "USUAL",
    "autocast_of",
    "is_checked",
    "state_now",
    "state_of",
    "state_while_compiling",
    "written_state",
]

USUAL = {
    "grad_mode": "True",
    "autocast": "{}",
    "torch_function": "True",
    "torch_function_all_disabled": "False",
    "deterministic_algorithms": "False",
    "deterministic_algorithms_warn_only": "False",
    "default_dtype": "torch.float32",
    "default_device": "None",
    "modes": "[]",
}
"""What torch begins with. Of a field that is not here, this depends on the machine or the version."""

EXPRESSIONS = {
    "grad_mode": "torch.is_grad_enabled()",
    "autocast": """{
                one: torch.get_autocast_dtype(one)
                for one in torch._C._autocast_supported_devices() if torch.is_autocast_enabled(one)
            }""",
    "autocast_cache": "torch.is_autocast_cache_enabled()",
    "torch_function": "torch._C._is_torch_function_enabled()",
    "torch_function_all_disabled": "torch._C._is_torch_function_all_disabled()",
    "deterministic_algorithms": "torch.are_deterministic_algorithms_enabled()",
    "deterministic_algorithms_warn_only": "torch.is_deterministic_algorithms_warn_only_enabled()",
    "default_dtype": "torch.get_default_dtype()",
    "num_threads": "torch.get_num_threads()",
    "allow_tf32": "torch._C._get_cublas_allow_tf32()",
    "cuda_matmul_precision": "torch.backends.cuda.matmul.fp32_precision",
    "default_device": "torch.utils._device.CURRENT_DEVICE",
    "modes": "[type(one).__name__ for one in torch.overrides._get_current_function_mode_stack()]",
}  # fmt: skip
"""What each field is now. Names that a torch does not have are of fields that it does not check: it has
`_autocast_supported_devices` and checks autocast from 2.8 or so on, `_is_torch_function_all_disabled` from 2.6 on.
The rules for sums in half precision have no expression that is the same in all versions."""

_DTYPES = {5: "torch.float16", 6: "torch.float32", 7: "torch.float64", 15: "torch.bfloat16"}  # c10::ScalarType
_DEVICES = ("cpu", "cuda", "mtia", "maia", "xpu", "ipu", "hpu", "xla", "privateuseone", "mps")
_PRECISIONS = ("none", "ieee", "tf32", "bf16")  # of products in float32: checked by 2.15
_FLAGS = ("grad_mode", "torch_function", "torch_function_all_disabled", "deterministic_algorithms",
          "deterministic_algorithms_warn_only", "allow_tf32")  # fmt: skip
UNKNOWN = "..."
"""What stands for the value of a field that is checked, and not known."""


def autocast_of(device: str) -> tuple[bool, Any]:
    """Whether autocast is on for ``cpu`` or ``cuda``, and its dtype; torch is imported.

    `is_autocast_enabled` takes the kind of device from 2.4 on; before, the CPU has functions of its own.
    """
    torch = sys.modules["torch"]
    if hasattr(torch, "get_autocast_dtype"):
        return bool(torch.is_autocast_enabled(device)), torch.get_autocast_dtype(device)
    if device == "cpu":
        return bool(torch.is_autocast_cpu_enabled()), torch.get_autocast_cpu_dtype()
    return bool(torch.is_autocast_enabled()), torch.get_autocast_gpu_dtype()


def state_now() -> dict[str, str]:
    """Each field that this torch checks; only a torch which is imported is asked."""
    torch = sys.modules.get("torch")
    found: dict[str, str] = {}
    if torch is None:
        return found
    for name, expression in EXPRESSIONS.items():
        # No field of this version; or torch can't tell: of TF32 where both of its settings were used, 2.9 and later.
        with contextlib.suppress(AttributeError, RuntimeError):
            found[name] = repr(eval(expression, {"torch": torch}))  # one of the constants above
    return found


def is_checked(name: str) -> bool:
    """Whether this torch checks a field of `USUAL`; a torch which is not imported is taken to check all."""
    if "torch" not in sys.modules:
        return True
    makes_checks = is_there(find, "torch._dynamo.guards", "make_torch_function_mode_stack_guard")
    return makes_checks if name == "modes" else name in state_now()


def state_of(guard_manager: Any) -> dict[str, str]:
    """The state for which a compilation was made, as far as its guards tell; nothing where they do not.

    `closure_vars` of the guards have `GlobalStateGuard.check` bound to its object (2.2 to 2.15), which gives all of
    it by `__getstate__` (2.8 or so and later), the names of what is otherwise now by `reason` (2.4 and later), and
    whether anything is by `check`. The check of torch function modes is a closure over their types (2.5 and later).
    """
    names = getattr(guard_manager, "closure_vars", None)
    names = names if isinstance(names, dict) else {}
    guard = getattr(names.get("___check_global_state"), "__self__", None)
    if guard is None:
        return {}
    found = _written(guard) or _asked(guard)
    modes = names.get("___check_torch_function_mode_stack")
    types = cell_contents(modes).get("types") if callable(modes) and hasattr(modes, "__closure__") else None
    if isinstance(types, list):
        found["modes"] = repr([getattr(one, "__name__", "") for one in types])
    return found


def _written(guard: Any) -> dict[str, str]:
    try:
        return written_state(guard.__getstate__())
    except (AttributeError, TypeError):  # object's own, which gives None
        return {}


def written_state(text: str) -> dict[str, str]:
    """The state as `__getstate__` writes it, and Dynamo into its tree of guards from 2.13 on; nothing for another text.

    The kinds of devices are in the order of `torch._C._autocast_supported_devices()`, 2.8 to 2.15.
    """
    try:
        fields = json.loads(text)
        autocast = fields.pop("autocast_state")
        fields["default_dtype"] = _DTYPES[fields["default_dtype"]]
        if "cuda_matmul_precision" in fields:
            fields["cuda_matmul_precision"] = repr(_PRECISIONS[fields["cuda_matmul_precision"]])
        rows = zip(_DEVICES, autocast["enabled"], autocast["dtype"])
        on = [f"{kind!r}: {_DTYPES[dtype]}" for kind, is_on, dtype in rows if is_on]
    except (AttributeError, LookupError, TypeError, ValueError):
        return {}
    fields["autocast"], fields["autocast_cache"] = "{" + ", ".join(on) + "}", autocast["cached_enabled"]
    return {str(name): str(value) for name, value in fields.items()}


def _asked(guard: Any) -> dict[str, str]:
    """The state as it is, with what this thread alone sees changed until the guard holds, or differs in least."""
    torch: Any = sys.modules["torch"]
    least: tuple[list[str], dict[str, str]] | None = None
    overrides = (contextlib.nullcontext, torch._C.DisableTorchFunctionSubclass, torch._C.DisableTorchFunction)
    for grad, functions in itertools.product((True, False), overrides):
        with torch.set_grad_enabled(grad), functions():
            if guard.check():
                return _fields_of_guard()
            named = str(guard.reason()).split() if hasattr(guard, "reason") else []
            if named and (least is None or len(named) < len(least[0])):
                least = named, _fields_of_guard()
    if least is None:
        return {}
    named, known = least
    return {**known, **{name: str(known[name] != "True") if name in _FLAGS else UNKNOWN for name in named}}


def _fields_of_guard() -> dict[str, str]:
    return {name: value for name, value in state_now().items() if name not in ("default_device", "modes")}


def state_while_compiling() -> dict[str, str]:
    """The state for which Dynamo is compiling, nothing where tracing has changed it: `initial_global_state` of
    convert_frame.py, which is set when a compilation begins, in 2.2 to 2.15."""
    with contextlib.suppress(MissingHook, AttributeError):
        if find("torch._dynamo.convert_frame", "initial_global_state").check():
            return _fields_of_guard()
    return {}
