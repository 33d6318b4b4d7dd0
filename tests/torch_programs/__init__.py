"""The programs that tests and benchmarks run under torch.compile.

Modules hold programs as functions, one for each thing that torch.compile does for its users; suite.py says how they
are written. ``scripts`` holds whole programs, for what only a process of its own shows: ``depyf run``, ranks, workers,
exits.

    python tests/torch_programs --list      all of them, with a sentence each
    python tests/torch_programs NAME ...    run some

tests/README.md says who runs which, and what is kept apart.
"""

from __future__ import annotations

import importlib
from pathlib import Path

__all__ = ["SCRIPTS", "load"]

PARTS = ("breaks", "calls", "classes", "compiling", "effects", "findings", "gpu", "operators", "reasons", "reported",
         "reported_again", "training", "tools", "unexpected")  # fmt: skip
SCRIPTS = {path.stem: path for path in sorted(Path(__file__).with_name("scripts").glob("*.py"))}
"""The whole programs by name."""


def load():
    """Imports all parts; returns PROGRAMS of suite.py. Imports torch."""
    for part in PARTS:
        importlib.import_module("{}.{}".format(__name__, part))
    return importlib.import_module(__name__ + ".suite").PROGRAMS
