"""Small programs, one for each thing that torch.compile does for its users. suite.py says how they are written."""

from __future__ import annotations

import importlib

__all__ = ["load"]

PARTS = ("breaks", "calls", "classes", "compiling", "effects", "operators", "reasons", "training", "tools")


def load():
    """Imports all parts; returns PROGRAMS of suite.py. Imports torch."""
    for part in PARTS:
        importlib.import_module("{}.{}".format(__name__, part))
    return importlib.import_module(__name__ + ".suite").PROGRAMS
