"""What a graph was captured with, as expressions that make something alike: shapes, strides, types, no values."""

from __future__ import annotations

from typing import Any

__all__ = ["example_of"]


def example_of(value: Any) -> str:
    """``tensor((2, 3), (3, 1), torch.float32, 'cpu')`` and the like; "" for what can't be made from its type.

    Args:
        value: of an input, as Dynamo traced with it; a tensor or module that the graph has as an attribute.
    """
    kind, home = type(value).__name__, type(value).__module__
    if kind in ("SymInt", "SymFloat", "SymBool"):
        return repr(_hint(value))
    if type(value) in (int, float, bool, str, type(None)):
        return repr(value)
    if kind in ("Tensor", "FakeTensor", "Parameter") and home.startswith("torch."):
        return _tensor(value)
    if home.startswith("torch.nn.modules.") and "\n" not in repr(value):
        return f"torch.nn.{value!r}.train({value.training})"
    return ""


def _tensor(value: Any) -> str:
    if str(value.layout) != "torch.strided":
        return ""
    size, stride = (tuple(_hint(one) for one in numbers) for numbers in (value.shape, value.stride()))
    words = [str(size), str(stride), str(value.dtype), repr(str(value.device))]
    words += ["grad=True"] if value.requires_grad else []
    words += ["leaf=False"] if value.requires_grad and not value.is_leaf else []
    return "tensor({})".format(", ".join(words))


def _hint(number: Any) -> Any:
    """What a symbol stood for when it was traced: `SymNode.hint`, in 2.2 to 2.15. ValueError: a tensor knows."""
    node = getattr(number, "node", None)
    found = number if node is None else node.hint
    if found is None:
        raise ValueError("known only as the program runs")
    return found
