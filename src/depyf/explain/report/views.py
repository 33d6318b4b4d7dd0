"""The forms in which the model shows itself: a tree in a terminal, HTML in a notebook and as a file.

`model.Session` imports this module when it is first shown; what makes HTML is imported when that is asked for.
"""

from __future__ import annotations

from ..model import Session
from .tree import tree_lines

__all__ = ["file", "fragment", "tree"]


def tree(session: Session) -> str:
    """The frames as a tree of lines."""
    return "\n".join(line for frame in session.top_level() for line in tree_lines(frame))


def fragment(session: Session) -> str:
    """What a notebook shows."""
    from .html.html_page import html_fragment

    return html_fragment(session)


def file(session: Session) -> str:
    """An HTML file of its own."""
    from .html.html_page import html_file

    return html_file(session)
