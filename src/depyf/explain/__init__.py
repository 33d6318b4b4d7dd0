"""What torch.compile did to a program. Start with `session.py` (recording) or `dump_src` (after the fact).

Takes a program that runs under `torch.compile`; gives a `model.Session` and, from it, files and pages. Imports the
decompiler, never the other way round. On exit of every context manager here torch is as it was before.
Importing this package imports no torch.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import model as model
    from .after_the_fact.pages import dump_src, inspect, interactive_explain

__all__ = ["dump_src", "inspect", "interactive_explain"]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Imports the functions and modules on first use, so that ``import depyf.explain`` costs nothing."""
        if name in __all__:
            from .after_the_fact import pages

            return getattr(pages, name)
        from ..lazy import submodule

        module = submodule(__name__, name)
        if module is not None:
            return module
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
