"""What a benchmark runs on: files of the library that a seed chooses, or every CPython of the machine."""

from __future__ import annotations

import random
import subprocess
import sysconfig
from pathlib import Path
from typing import List, Sequence

from depyf.decompiler.bytecode.interpreters import find_interpreter
from depyf.decompiler.bytecode.versions import HOSTS


def library_files(sample: int, seed: int, largest: int) -> List[Path]:
    """Files of fewer than ``largest`` bytes of the running Python's library, without its tests."""
    library = Path(sysconfig.get_paths()["stdlib"])
    parts = {"site-packages", "test", "tests", "lib2to3"}
    paths = sorted(path for path in library.rglob("*.py") if path.is_file() and not parts & set(path.parts))
    paths = [path for path in paths if path.stat().st_size < largest]
    return random.Random(seed).sample(paths, min(sample, len(paths)))


def on_every_python(script: str, arguments: Sequence[str]) -> int:
    """Run a script on every CPython that can be a host, one after the other; the worst exit status."""
    status = 0
    for version in HOSTS:
        python = find_interpreter(version)
        if python is None:
            print("{}.{}: not found".format(*version))
            continue
        status = max(status, subprocess.run([python, script, *arguments], check=False).returncode)
    return status
