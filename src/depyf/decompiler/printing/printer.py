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
from .statement_printer import StatementPrinter

__all__ = ["PrintError", "print_tree", "print_with_lines"]

WIDTH = 100
NO_WRAPPING = 1 << 30
"""A width at which no line is broken."""

Tree = Union[n.Node, Sequence[n.Statement]]


def print_tree(tree: Tree, *, width: int = WIDTH, grammar: Grammar = ANY) -> str:
    """The source of a module, a statement, a list of statements, or an expression.

    Statements end with a newline, an expression does not. Lines are broken at `width` columns where
    brackets allow it. `grammar` is that of the Python which is to read it. Raises PrintError if there is no such
    source.
    """
    return print_with_lines(tree, width=width, grammar=grammar)[0]


def print_with_lines(
    tree: Tree, *, width: int = WIDTH, grammar: Grammar = ANY, quote: str = "'"
) -> tuple[str, dict[int, int]]:
    """As `print_tree`, and for each line of the text (from 1) the original line of the statement it belongs to.

    Lines of statements without an original line are left out. ``quote`` is the kind for strings that may have either.
    """
    try:
        return with_room(lambda: _printed(tree, width, grammar, quote))
    except RecursionError:
        raise PrintError("an expression is nested too deeply for this Python's stack") from None


def _printed(tree: Tree, width: int, grammar: Grammar, quote: str) -> tuple[str, dict[int, int]]:
    printer = StatementPrinter(width, grammar, quote)
    if isinstance(tree, n.Raw) or not isinstance(tree, n.Node):
        printer.module([tree] if isinstance(tree, n.Raw) else tree)
    elif isinstance(tree, n.Module):
        printer.module(tree.body)
    elif isinstance(tree, n.Statement):
        printer.module([tree])
    elif isinstance(tree, n.pattern):
        return flatten(printer.patterns.pattern(tree)), {}
    else:
        return "\n".join(wrap(printer.expressions.expression(tree), "", width)), {}
    return "".join([line + "\n" for line in printer.lines]), printer.line_map
