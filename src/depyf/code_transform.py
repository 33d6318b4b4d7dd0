"""Text helpers which earlier releases had here: imports only. Their transformations of decompiled text are gone:
the decompiler works on a syntax tree (`depyf.decompiler.syntax`)."""

from .explain.compat.text_tools import add_indentation, remove_indentation

__all__ = ["add_indentation", "remove_indentation"]
