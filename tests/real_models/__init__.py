"""Real models with random weights, for benchmarks/torch_compile/torch_models.py. suite.py says how one is written."""

from __future__ import annotations

import importlib

__all__ = ["load"]

PARTS = ("torch_alone", "training_steps", "language", "images_and_speech")


def load():
    """Imports all parts, none of which imports more than torch; returns MODELS of suite.py."""
    for part in PARTS:
        importlib.import_module("{}.{}".format(__name__, part))
    return importlib.import_module(__name__ + ".suite").MODELS
