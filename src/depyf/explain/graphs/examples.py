"""What a graph was captured with, as expressions that make something alike: shapes, strides, types, no values."""

from __future__ import annotations

from typing import Any

__all__ = ["NotKnown", "example_of"]


class NotKnown(Exception):
    """A size that is known only as the program runs."""


def example_of(value: Any) -> str:
    """``tensor((2, 3), (3, 1), torch.float32, 'cpu')`` and the like; "" for what can't be made from its type.

    Args:
        value: of an input, as Dynamo traced with it; a tensor or module that the graph has as an attribute.

    Raises:
        NotKnown: its shape, or its value.
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
    """What a symbol stood for when it was traced: `SymNode.hint`, in 2.2 to 2.15."""
    if not hasattr(number, "node"):
        return number
    try:
        found = number.node.hint
    except RuntimeError as error:
        raise NotKnown from error
    if found is None:
        raise NotKnown
    return found
