"""Public reports of results that are wrong on later calls only: what `depyf.compare(every=1)` says of each.

    python benchmarks/torch_compile/reported_later.py                    every report
    python benchmarks/torch_compile/reported_later.py --only counter -v  one, with all that is said

Names are numbers of pytorch's tracker where one is known. A guard is missing, or a side effect is lost once the
program's numbers are symbolic. The fault has to be found at a line with the comment ``# here``. A report whose results
this torch computes as eager does is told as that. Exit status 1 if one is not right.
"""

# mypy: disable-error-code="misc, untyped-decorator, no-untyped-call"
from __future__ import annotations

import argparse
import inspect
import sys
import tempfile
import warnings
from typing import Any, Callable, Dict, List

import torch

from reported_numerics import same

Compile = Callable[[Any], Any]
REPORTS: Dict[str, Callable[[Compile], List[Any]]] = {}


def report(name: str) -> Any:
    def register(program: Callable[[Compile], List[Any]]) -> Any:
        REPORTS[name] = program
        return program

    return register


@report("#197859")
def shadowed_submodule(compiled: Compile) -> List[Any]:
    class Wrapper(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.sub = torch.nn.Linear(4, 4, bias=False)

        def forward(self, x: Any) -> Any:
            return self.sub(x)  # here

    model, x = Wrapper(), torch.arange(4.0)
    call = compiled(model)
    results = [call(x).detach()]
    object.__setattr__(model, "sub", torch.nn.Linear(4, 4, bias=False))
    return [*results, call(x).detach()]


@report("#197860")
def code_of_a_method(compiled: Compile) -> List[Any]:
    def first(self: Any, x: Any) -> Any:
        return x * 2.0  # here

    def second(self: Any, x: Any) -> Any:
        return x * 9.0

    model, x = type("Model", (), {"m": first})(), torch.arange(1.0, 4.0)
    call = compiled(lambda x: model.m(x))  # here
    results = [call(x)]
    type(model).m.__code__ = second.__code__
    return [*results, call(x)]


@report("#178365")
def defaults_of_a_function(compiled: Compile) -> List[Any]:
    def shifted(x: Any, by: float = 1.0) -> Any:
        return x + by  # here

    call, x, results = compiled(lambda x: shifted(x) * 2), torch.ones(3), []
    for by in (1.0, 2.0, 3.0):
        shifted.__defaults__ = (by,)
        results.append(call(x))
    return results


@report("counter")
def count_in_a_module(compiled: Compile) -> List[Any]:
    class Counted(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear, self.seen = torch.nn.Linear(4, 4), 0

        def forward(self, x: Any) -> Any:
            self.seen += 1  # here
            return self.linear(x) * self.seen  # here

    model = Counted()
    call = compiled(model)
    results = [call(torch.ones(2 + at % 3, 4)).detach() for at in range(6)]
    return [*results, torch.tensor(model.seen)]


@report("#111785")
def view_of_a_buffer(compiled: Compile) -> List[Any]:
    class Caching(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("cache", torch.zeros(4, 6))
            self.current = self.cache

        def forward(self, x: Any) -> Any:
            return self.current.copy_(x)  # here

    model = Caching()
    call, results = compiled(model), []
    for at in range(4):
        model.current = model.cache[at : at + 1]
        results.append(call(torch.full((1, 6), float(at + 1))).clone())
    return [*results, model.cache.clone()]


@report("#176851")
def attribute_of_a_class(compiled: Compile) -> List[Any]:
    class Shared:
        factor = 1.0

    call = compiled(lambda x: x * Shared.factor)  # here
    results = [call(torch.tensor([4.0]))]
    Shared.factor = 10.0
    return [*results, call(torch.tensor([4.0]))]


@report("#115774")
def exchanged_tensor(compiled: Compile) -> List[Any]:
    class Cached(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cache = torch.zeros(2)

        def forward(self, x: Any, at: Any) -> Any:
            self.cache[at] = x  # here
            return self.cache * 1.5  # here

    model = Cached()
    call, results = compiled(model), []
    for at in range(2):
        results.append(call(torch.tensor([2.0 - at]), torch.tensor([at])).clone())
        model.cache = torch.zeros(2)
    return results


@report("#139476")
def frozen_layer(compiled: Compile) -> List[Any]:
    class Two(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)

        def forward(self, x: Any) -> Any:
            return self.second(x + self.first.bias)  # here

    model, results = Two(), []
    call = compiled(model)
    for at in range(3):
        for one in model.second.parameters():
            one.requires_grad_(at % 2 == 1)
        model.zero_grad()
        call(torch.ones(3, 4)).sum().backward()
        results += [torch.zeros(1) if one.grad is None else one.grad.clone() for one in model.parameters()]
    return results


def checked(name: str, verbose: bool) -> Any:
    """Whether what is said of a report is right; None where this torch computes as eager does."""
    import depyf

    program = REPORTS[name]
    torch._dynamo.reset()
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder, depyf.compare(folder, every=1) as found:
        results = program(torch.compile)
    torch.manual_seed(0)
    differs = not same(program(lambda function: function), results)
    lines, first = inspect.getsourcelines(program)
    here = {first + at for at, line in enumerate(lines) if "# here" in line}
    places = {one.line for one in found.findings}
    right = bool(places) and places <= here
    shown = "as eager" if not differs and not places else "right" if right else "WRONG"
    said = ", ".join(f"{one.wrong} ({one.stage})" for one in found.findings) or "silent"
    texts = "; ".join(dict.fromkeys(f"`{one.text.partition('  #')[0]}`" for one in found.findings))
    print(f"| {name} | {torch.__version__.partition('+')[0]} | {said} | {texts} | {shown} |", flush=True)
    if verbose or shown == "WRONG":
        print("    " + str(found).replace("\n", "\n    "))
    return None if shown == "as eager" else right


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--only", nargs="*", choices=list(REPORTS), default=[])
    parser.add_argument("-v", "--verbose", action="store_true", help="all that is said")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    verdicts = [checked(name, options.verbose) for name in options.only or REPORTS]
    counted = [one for one in verdicts if one is not None]
    print(f"{sum(counted)} of {len(counted)} at their lines")
    return 0 if all(counted) else 1


if __name__ == "__main__":
    sys.exit(main())
