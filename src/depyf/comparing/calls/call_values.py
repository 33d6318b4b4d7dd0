"""What a call gave, in the program and in eager, and whether the two are farther apart than rounding explains."""

from __future__ import annotations

from typing import Any, Mapping

from ..graphs.evaluate import Cannot
from ..rounding import CONSTANTS, Judgement, judge, of_a_whole, settled
from .eager_process import EagerProcess
from .left_behind import agree

__all__ = ["DYNAMO", "CallValues"]

DYNAMO = "Dynamo"  # the stage

_MORE_SEEDS = range(2, 10)
_VARIES = "it varies from call to call, as with random numbers"


class CallValues:
    """What a call gave, here and in eager, and how far apart that may be: the call runs as often as this needs.

    Args:
        mine, theirs: the values by their expressions.
        what: of the answers, has such values.
        request: for them.
    """

    def __init__(
        self, eager: EagerProcess, mine: Mapping[str, Any], theirs: Mapping[str, Any], what: str = "values",
        request: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        import torch

        self._eager, self._what, self._request = eager, what, request or {"whole": True}
        self._mine, self._theirs = mine, theirs
        self._known: dict[str, Mapping[str, Any]] = {}
        dtypes = [one[1].dtype for one in [*mine.values(), *theirs.values()] if one[0] == "tensor"]
        self._eps = max(torch.finfo(one).eps for one in [torch.float32, *dtypes] if one.is_floating_point)

    def judge(self, path: str) -> Judgement:
        """Whether a value is farther from fp64 than rounding explains.

        Raises:
            Cannot: that can't be said.
        """
        value, eager = self._mine.get(path), self._theirs.get(path)
        if agree(value, eager):
            return Judgement()
        mine, theirs = _number(value), _number(eager)
        is_number = mine is not None and theirs is not None and (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype)
        settles = settled(mine, theirs, CONSTANTS["whole"]) if is_number else None
        if settles is not None:
            return settles
        if not agree(self._again(seed=1).get(path), eager):
            raise Cannot(_VARIES)
        found = Judgement(wrong="value")
        if is_number:
            samples = lambda scale: [self._exact(path, seed, scale) for seed in (1, 2)]  # noqa: E731
            found = of_a_whole(judge(mine, theirs, self._exact(path, 0, 0.0), samples, True))
        if found.wrong and not all(agree(self._again(seed=one).get(path), eager) for one in _MORE_SEEDS):
            raise Cannot(_VARIES)  # of a few numbers, or of one that is seldom another, the first seed may give eager's
        if found.wrong and not agree(self._again(compiling=True).get(path), eager):
            raise Cannot("it depends on torch.compiler.is_compiling()")
        return found

    def is_tensor(self, path: str) -> bool:
        """Whether both sides have a tensor."""
        return all(one.get(path, "?")[0] == "tensor" for one in (self._mine, self._theirs))

    def words(self, path: str) -> str:
        """What both sides have."""
        value, eager = _shown(self._mine.get(path)), _shown(self._theirs.get(path))
        return f"{path} is {value}; in eager it is {eager} ({DYNAMO})"

    def _again(self, **request: Any) -> Mapping[str, Any]:
        """The values of another run."""
        key = repr(request)
        if key not in self._known:
            self._known[key] = self._eager.run(**request, **self._request).get(self._what, {})
        return self._known[key]

    def _exact(self, path: str, seed: int, scale: float) -> Any:
        import torch

        found = _number(self._again(wide=[seed, scale * self._eps]).get(path), torch.float64)
        if found is None:
            raise Cannot("in fp64 it does not come to it")
        return found


def _number(leaf: Any, floats: Any = None) -> Any:
    """A tensor for a value that may be rounded; Python's floats are taken for those of an fp32 tensor."""
    import torch

    if leaf is None or leaf[0] == "tensor":
        return None if leaf is None else leaf[1]
    if leaf[0] != "value" or type(leaf[1]) not in (int, float, complex):
        return None
    try:
        return torch.tensor([leaf[1]], dtype={int: torch.int64, float: floats or torch.float32}.get(type(leaf[1])))
    except (RuntimeError, OverflowError):  # an int of more than 64 bits
        return None


def _shown(leaf: Any) -> str:
    if leaf is None:
        return "not there"
    kind, value = leaf
    if kind == "tensor":
        return f"a tensor {list(value.shape)} of {str(value.dtype).replace('torch.', '')}"
    text = repr(value) if kind == "value" else str(value)
    return text if len(text) < 80 else text[:77] + "..."
