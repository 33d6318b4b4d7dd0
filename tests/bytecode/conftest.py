"""Code objects to read: a file with every construct, and modules of the standard library."""

from __future__ import annotations

import os
import types
from pathlib import Path

import pytest

from depyf.coverage.measure import chunks

MODULES = ("argparse.py", "asyncio/base_events.py", "contextlib.py", "dataclasses.py", "tarfile.py", "typing.py")


@pytest.fixture(scope="session")
def constructs() -> str:
    """Every construct of this Python's syntax, as one module."""
    return "\n\n\n".join(chunks())


@pytest.fixture(scope="session")
def codes(constructs: str) -> list[types.CodeType]:
    """Every code object of the constructs and of some modules."""
    library = Path(os.__file__).parent
    texts = [constructs] + [(library / path).read_text(encoding="utf-8") for path in MODULES]
    todo = [compile(text, "sample", "exec", dont_inherit=True) for text in texts]
    todo.append(compile("a; print(a)", "sample", "single", dont_inherit=True))
    found = []
    while todo:
        code = todo.pop()
        found.append(code)
        todo.extend(constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    return found
