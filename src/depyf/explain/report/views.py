"""The forms in which the model shows itself: a tree in a terminal, HTML in a notebook and as a file.

Whoever makes a model for a user calls `attach`. What makes HTML is imported when it is first asked for.
"""

from __future__ import annotations

from ..model import VIEWS, Session
from .tree import tree_lines

__all__ = ["attach"]


def _tree(session: Session) -> str:
    """The frames as a tree of lines."""
    return "\n".join(line for frame in session.top_level() for line in tree_lines(frame))


def _fragment(session: Session) -> str:
    """What a notebook shows."""
    from .html.html_page import html_fragment

    return html_fragment(session)


def _file(session: Session) -> str:
    """An HTML file of its own."""
    from .html.html_page import html_file

    return html_file(session)


def attach() -> None:
    """Lets models show themselves."""
    VIEWS.update(tree=_tree, fragment=_fragment, file=_file)
