"""birdseye and snoop: functions, and modules, whose every expression they trace."""

from __future__ import annotations

import sys
from pathlib import Path

PROGRAM = Path(__file__).parent / "programs" / "ordinary.py"


def generate(folder):
    import os

    os.environ["BIRDSEYE_DB"] = f"sqlite:///{folder}/birdseye.db"
    from birdseye import eye

    path = Path(folder, "ordinary.py")
    path.write_text(PROGRAM.read_text())
    sys.path.insert(0, folder)
    codes = []
    traced = eye.trace_string_deep({"__name__": "traced"}, path.read_text(), str(path)) if hasattr(eye, "trace_string_deep") else None
    codes += [traced] if traced is not None else []
    import ordinary

    for name in dir(ordinary):
        one = getattr(ordinary, name)
        if getattr(one, "__module__", "") == "ordinary":
            try:
                made = eye(one)
            except Exception as error:
                print(name, type(error).__name__, error)
                continue
            members = vars(made).values() if isinstance(made, type) else [made]
            members = [getattr(member, "__func__", member) for member in members]
            members = [getattr(member, "__wrapped__", member) for member in members]
            codes += [member.__code__ for member in members if hasattr(member, "__code__")]
    return codes


def rewritten(filename):
    return filename.endswith("ordinary.py")
