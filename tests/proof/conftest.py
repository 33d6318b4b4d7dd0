"""Material for proofs: the file with every construct, some modules of the library, and a compiler of pairs."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path
from typing import Callable

import pytest

from depyf.coverage.measure import chunks
from depyf.decompiler.bytecode import RawCode, load
from depyf.decompiler.proof import Level, prove_all

MODULES = ("argparse.py", "asyncio/base_events.py", "contextlib.py", "dataclasses.py", "tarfile.py", "typing.py")


@pytest.fixture(scope="session")
def constructs() -> str:
    """Every construct of this Python's syntax, as one module."""
    return "\n\n\n".join(chunks())


@pytest.fixture(scope="session")
def sources(constructs: str) -> dict[str, str]:
    """Name -> source of modules to prove."""
    library = Path(os.__file__).parent
    return {"constructs": constructs, **{path: (library / path).read_text(encoding="utf-8") for path in MODULES}}


@pytest.fixture(scope="session")
def compile_text() -> Callable[[str], RawCode]:
    """Source of a module -> its RawCode."""

    def compile_text(text: str) -> RawCode:
        return load(compile(textwrap.dedent(text), "text", "exec", dont_inherit=True, optimize=0))

    return compile_text


@pytest.fixture(scope="session")
def judge(compile_text: Callable[[str], RawCode]) -> Callable[[str, str], tuple[Level, str]]:
    """The worst level of the proofs of two modules, with all reasons."""

    def judge(left: str, right: str) -> tuple[Level, str]:
        verdicts = [verdict for verdict, _ in prove_all(compile_text(left), compile_text(right)).values()]
        worst = max((verdict.level for verdict in verdicts), key=list(Level).index)
        return worst, "; ".join(reason for verdict in verdicts for reason in verdict.reasons)

    return judge
