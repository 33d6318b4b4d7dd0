"""The README's program: what torch.compile makes of a small function with a branch on a tensor's value."""

import sys
from pathlib import Path

import torch

import depyf


@torch.compile
def toy_example(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


def main(folder: Path) -> None:
    torch.manual_seed(0)
    with depyf.prepare_debug(str(folder)):
        for _ in range(10):
            toy_example(torch.randn(10), torch.randn(10))

    transformed = folder / "__transformed_code_0_for_toy_example.py"
    print(f"Read first: {folder / 'full_code_for_toy_example_0.py'}")
    print(f"All files:  {folder / 'README.md'} says what each of them is")
    print(f"\ntoy_example as Dynamo transformed it, {transformed}:\n")
    print(transformed.read_text())


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "toy_dump"))
