"""What a dispatcher written by hand saves: a call with Dynamo's guards, and with `depyf.optimization`'s dispatch.

    python benchmarks/torch_compile/dispatcher.py                 prints a table
    python benchmarks/torch_compile/dispatcher.py --write         puts it into docs/optimization.md

The model is the one of that page: a stack of small layers, whose parameters Dynamo guards one by one. Both ways run the
same code object; the time that its operations take is the same in both.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from pathlib import Path
from typing import Any, Callable, List

import torch

from depyf.optimization import TorchCompileWrapperWithCustomDispatcher

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks" / "lib"))

from marked_page import put  # noqa: E402

PAGE = ROOT / "docs" / "optimization.md"


def model_of(layers: int) -> Any:
    """A model of so many linear layers which chooses for itself once it is compiled."""

    class Stack(torch.nn.Module, TorchCompileWrapperWithCustomDispatcher):  # type: ignore[misc]
        def __init__(self) -> None:
            torch.nn.Module.__init__(self)
            self.layers = torch.nn.ModuleList(torch.nn.Linear(8, 8) for _ in range(layers))
            compiled = torch.compile(self.forward, backend="eager")
            TorchCompileWrapperWithCustomDispatcher.__init__(self, compiled)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            for layer in self.layers:
                x = layer(x)
            return x

        def __call__(self, x: torch.Tensor) -> Any:
            if not self.compiled_codes or not self.use_custom_dispatcher:
                return self.compiled_callable(x)
            with self.dispatch_to_code(0):
                return self.forward(x)

    return Stack()


def microseconds(call: Callable[[], Any], rounds: int, calls: int) -> List[float]:
    """Time of one call, measured `rounds` times over `calls` calls."""
    found = []
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        found.append((time.perf_counter() - begin) / calls * 1e6)
    return found


def measured(layers: int, rounds: int, calls: int) -> str:
    """One row of the table."""
    torch._dynamo.reset()
    model, x = model_of(layers), torch.ones(1, 8)
    times: List[List[float]] = [[], []]
    with torch.no_grad():
        model(x)
        gc.collect()
        for _ in range(rounds):  # in turns, so that a busy machine is busy for both
            for way, custom in enumerate((False, True)):
                model.use_custom_dispatcher = custom
                times[way] += microseconds(lambda: model(x), 1, calls)
    guarded, free = (min(each) for each in times)  # the best: others use this machine
    return "| {} | {:.0f} | {:.0f} | {:.0f} | {:.2f} |".format(layers, guarded, free, guarded - free, guarded / free)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, nargs="+", default=[1, 8, 32])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--calls", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="put the table into docs/optimization.md")
    options = parser.parse_args()
    torch.set_num_threads(1)
    head = ["| layers | Dynamo's dispatch, µs | `dispatch_to_code`, µs | saved, µs | ratio |", "|---|---|---|---|---|"]
    table = "\n".join([*head, *(measured(layers, options.rounds, options.calls) for layers in options.layers)]) + "\n"
    print("PyTorch {}\n\n{}".format(torch.__version__, table), end="")
    if options.write:
        put(PAGE, "dispatcher", "\n{}\n".format(table))


if __name__ == "__main__":
    main()
