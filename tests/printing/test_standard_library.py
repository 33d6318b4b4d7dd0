"""The host's standard library, printed and parsed again, is the same tree."""

from __future__ import annotations

import ast
import sysconfig
import warnings
from pathlib import Path

import pytest
from syntax_from_ast import comparable, from_ast

from depyf.decompiler.printing.printer import print_tree
from depyf.decompiler.syntax.grammar import Grammar

LIBRARY = Path(sysconfig.get_path("stdlib"))
PACKAGES = ("", "asyncio", "collections", "concurrent/futures", "email", "importlib", "json", "logging", "unittest")
EVERY = 4


def sample() -> list[Path]:
    """A fair sample: every fourth file of some packages, in the order of their names."""
    files = [file for package in PACKAGES for file in sorted((LIBRARY / package).glob("*.py"))]
    return [file for file in files[::EVERY] if file.is_file() and file.stat().st_size < 60_000]


def test_the_sample_is_not_empty() -> None:
    assert len(sample()) > 40


@pytest.mark.parametrize("file", sample(), ids=lambda file: str(file.relative_to(LIBRARY)))
def test_round_trip(file: Path) -> None:
    source = file.read_text(encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # old files have escapes that new versions warn about
        # The library of 3.12 and newer may nest equal quotes in f-strings.
        printed = print_tree(from_ast(ast.parse(source)), grammar=Grammar(nested_quotes=True))
        assert comparable(printed) == comparable(source)
