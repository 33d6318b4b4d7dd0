"""Hy: a program with every form, each form of it alone, and the files in Hy that Hy itself consists of."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"


def generate(folder):
    import hy
    from hy.compiler import hy_compile
    from hy.reader import read_many

    codes = []
    own = sorted(Path(hy.__file__).parent.rglob("*.hy"))
    for path in [*sorted(PROGRAMS.glob("*.hy")), *own]:
        text = path.read_text(encoding="utf-8")
        module = f"hy_{path.stem}"
        sys.modules[module] = type(sys)(module)
        for number, forms in enumerate([text, *(pieces(text) if path.parent == PROGRAMS else ())]):
            name = f"{path.stem}-{number}.hy"
            try:
                tree = hy_compile(read_many(forms, filename=name), module, source=forms, filename=name)
                codes.append(compile(tree, name, "exec", dont_inherit=True))
            except (hy.errors.HyLanguageError, SyntaxError, NameError) as error:
                print(f"{name}: {type(error).__name__}: {str(error).splitlines()[:1]}")
    for name in ("forms.hy", "match.hy"):
        shutil.copy(PROGRAMS / name, folder)
    for name in ("hy.core.hy_repr", "hy.core.util", "hy.core.macros", "hy.pyops"):
        __import__(name)
    return codes


def pieces(text):
    """Its forms, one by one."""
    depth, start = 0, 0
    for at, character in enumerate(text):
        if character == "(" and depth == 0 and text[at - 1 : at] in ("\n", ""):
            start = at
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == ")" and depth == 0:
            yield text[start : at + 1]


def rewritten(filename):
    return os.path.splitext(filename)[1] == ".hy"
