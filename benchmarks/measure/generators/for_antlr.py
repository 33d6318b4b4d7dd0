"""ANTLR: the lexers, parsers and visitors that omegaconf and SymPy ship."""

from __future__ import annotations

import importlib.util
from pathlib import Path


def generate(folder):
    codes = []
    for package in ("omegaconf", "sympy"):
        found = importlib.util.find_spec(package)
        folder = Path(found.origin).parent
        for path in sorted(folder.rglob("*.py")):
            if {"gen", "_antlr"} & set(path.relative_to(folder).parts):
                codes.append(compile(path.read_bytes(), str(path), "exec", dont_inherit=True))
    return codes
