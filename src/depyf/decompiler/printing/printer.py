"""The tree as source text: the printer's entry points.

The printer is ours because the tree is, and because the host's `ast.unparse` supports only the host's syntax,
and no long lines, comments or original lines.
"""

from __future__ import annotations

from typing import Sequence, Union

from ..limits.deep_stack import with_room
from ..syntax import nodes as n
from ..syntax.grammar import ANY, Grammar
from .constant_text import PrintError
from .line_wrapping import flatten, wrap
from .statement_printer import Known, StatementPrinter

__all__ = ["PrintError", "print_tree", "print_with_lines"]

WIDTH = 100
NO_WRAPPING = 1 << 30
"""A width at which no line is broken."""

Tree = Union[n.Node, Sequence[n.Statement]]


def print_tree(tree: Tree, *, width: int = WIDTH, grammar: Grammar = ANY, known: Known | None = None) -> str:
    """The source of a module, a statement, a list of statements, or an expression.

    Statements end with a newline, an expression does not. Lines are broken at `width` columns where
    brackets allow it. `grammar` is that of the Python which is to read it. ``known``, kept between the texts of one
    tree, has its statements without bodies, which must not change. Raises PrintError if there is no such source.
    """
    return _text(tree, width, grammar, "'", known)[0]


def print_with_lines(
    tree: Tree, *, width: int = WIDTH, grammar: Grammar = ANY, quote: str = "'"
) -> tuple[str, dict[int, int]]:
    """As `print_tree`, and for each line of the text (from 1) the original line of the statement it belongs to.

    Lines of statements without an original line are left out. ``quote`` is the kind for strings that may have either.
    """
    return _text(tree, width, grammar, quote, None)


def _text(tree: Tree, width: int, grammar: Grammar, quote: str, known: Known | None) -> tuple[str, dict[int, int]]:
    try:
        return with_room(lambda: _printed(tree, StatementPrinter(width, grammar, quote, known)))
    except RecursionError:
        raise PrintError("an expression is nested too deeply for this Python's stack") from None


def _printed(tree: Tree, printer: StatementPrinter) -> tuple[str, dict[int, int]]:
    if isinstance(tree, n.Raw) or not isinstance(tree, n.Node):
        printer.module([tree] if isinstance(tree, n.Raw) else tree)
    elif isinstance(tree, n.Module):
        printer.module(tree.body)
    elif isinstance(tree, n.Statement):
        printer.module([tree])
    elif isinstance(tree, n.pattern):
        return flatten(printer.patterns.pattern(tree)), {}
    else:
        return "\n".join(wrap(printer.expressions.expression(tree), "", printer.width)), {}
    return "".join([line + "\n" for line in printer.lines]), printer.line_map
