"""Facts about the syntax of a version that leave the printer a choice."""

from __future__ import annotations

from typing import NamedTuple


class Grammar(NamedTuple):
    """What the text of a version may hold."""

    nested_quotes: bool = False
    """Expressions in an f-string may contain its quotes and backslashes (PEP 701)."""

    starred_index: bool = False
    """An index may have stars without parentheses (PEP 646)."""

    starred_result: bool = False
    """So may what ``return`` and ``yield`` give (bpo-32117)."""


ANY = Grammar()
"""What every version reads."""


def grammar_of(version: tuple[int, int]) -> Grammar:
    """The grammar of a version of Python."""
    return Grammar(
        nested_quotes=version >= (3, 12), starred_index=version >= (3, 11), starred_result=version >= (3, 8)
    )


def cleans_docstrings(version: tuple[int, int]) -> bool:
    """Whether the compiler removes the indentation of docstrings (gh-81283)."""
    return version >= (3, 13)


def cleaned(docstring: str) -> str:
    """The docstring as such a compiler leaves it (compile.c, _PyCompile_CleanDoc); idempotent."""
    first, *rest = docstring.expandtabs().split("\n")
    margin = min([len(line) - len(text) for line in rest if (text := line.lstrip(" "))], default=0)
    return "\n".join([first.lstrip(" "), *[line[margin:] for line in rest]])
