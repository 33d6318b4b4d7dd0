"""A function or class as its enclosing code defines it: with decorators, defaults, annotations, bases."""

from __future__ import annotations

from functools import partial
from types import CodeType
from typing import Any, Iterator, NamedTuple

from .bytecode import RawCode
from .bytecode.kinds import kind_of
from .cut_out import cut_out
from .driver.result import Result, ResultText
from .driver.settings import DEFAULT, Settings
from .pipeline import analyze
from .printing.printer import print_with_lines
from .syntax import nodes
from .syntax.grammar import grammar_of

_DEFINITIONS = (nodes.FunctionDef, nodes.AsyncFunctionDef, nodes.ClassDef)


class Definition(NamedTuple):
    """The code object ``raw``, somewhere in ``root``."""

    root: RawCode
    raw: RawCode

    @property
    def code(self) -> CodeType | RawCode:
        """The code object, live if ``root`` was."""
        return self.raw.code or self.raw

    @property
    def owner(self) -> RawCode | None:
        """The code that makes the function or class; None if ``raw`` is that of neither."""
        if kind_of(self.raw) not in ("function", "class"):
            return None
        parents = {child: one for one in self.root.walk() for child in one.nested}
        owner = parents.get(self.raw)
        while owner is not None and kind_of(owner) == "generic":
            owner = parents.get(owner)
        return owner


def analyze_definition(x: Any, *, settings: Settings = DEFAULT, budget: int | None = None) -> Result:
    """As `analyze`; for a `Definition`, the text includes the decorators, defaults, annotations and bases.

    These are proven with the enclosing code. If that is not proven, a comment says what is missing.
    """
    if not isinstance(x, Definition):
        return analyze(x, settings=settings, budget=budget)
    owner = x.owner
    if owner is None:
        return analyze(x.code, settings=settings, budget=budget)
    # Lines and columns are most exact where nothing is moved: in the whole.
    for code in (x.root, owner) if settings.layout == "author" else (owner,):
        around = analyze(code, settings=settings, budget=budget)
        if code is owner or around.text.is_laid_out:
            found = _found(around, owner, x.raw)
            if found is not None:
                return found
    alone = analyze(x.code, settings=settings, budget=budget)
    missing = "bases, keywords" if kind_of(x.raw) == "class" else "defaults, annotations"
    note = f"# Its decorators, {missing} are not known: {owner.qualname}, which defines it, is not proven.\n"
    return alone._replace(text=_with_note(alone.text, note))


def _found(around: Result, owner: RawCode, raw: RawCode) -> Result | None:
    """The definition of ``raw`` in the text of ``around``; None if it or its ``owner`` is not proven."""
    proven = {one.raw: one for one in around.walk() if one.verdict.proven}
    inner = proven.get(raw)
    if inner is None or owner not in proven or not isinstance(inner.tree, _DEFINITIONS):
        return None
    body = inner.tree.body
    node = next((one for one in _defined_in(around.tree) if one.body[0] is body[0]), None)
    if node is None:
        return None
    text = _laid_out(around, node, inner)
    if text is None:
        grammar = grammar_of(raw.version)
        lines = partial(print_with_lines, node, grammar=grammar)
        text = ResultText(lines, inner.verdict, inner.text.meant, inner.text.own)
    return inner._replace(text=text, tree=node)


def _laid_out(around: Result, node: nodes.Node, inner: Result) -> ResultText | None:
    """The definition ``node`` as it is in the text of the enclosing code; None if that has no author's layout."""
    if not around.text.is_laid_out:
        return None
    number = [id(one) for one in _defined_in(around.tree)].index(id(node))
    cut = cut_out(around.source, number)
    if cut is None:
        return None
    last = cut.row + cut.text.count("\n")
    lines = {row - cut.row + 1: line for row, line in around.line_map.items() if cut.row <= row < last}
    return ResultText(lambda: (cut.text, lines), inner.verdict, inner.text.meant, inner.text.own, is_laid_out=True)


def _defined_in(tree: nodes.Node) -> Iterator[nodes.FunctionDef | nodes.AsyncFunctionDef | nodes.ClassDef]:
    for node in nodes.walk(tree):
        if isinstance(node, _DEFINITIONS):
            yield node


def _with_note(text: ResultText, note: str) -> ResultText:
    def make() -> tuple[str, dict[int, int]]:
        printed, lines = text.printed
        return note + printed, {line + 1: original for line, original in lines.items()}

    return ResultText(make)
