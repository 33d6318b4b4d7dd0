"""What a bug report needs to say: versions, interpreters, the platform. Packages are not imported."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from typing import Iterator

from . import __version__
from .decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter
from .decompiler.bytecode.versions import HOSTS, TABLES

__all__ = ["lines"]

_PACKAGES = ("torch", "triton", "numpy", "pygments", "pytest")
_VARIABLES = ("DEPYF_PYTHONS", "PYENV_ROOT", "UV_PYTHON_INSTALL_DIR", "PYTHONPYCACHEPREFIX", "PYTHONOPTIMIZE",
              "TORCH_LOGS", "TORCH_TRACE", "TORCH_COMPILE_DISABLE", "TORCHDYNAMO_DISABLE")  # fmt: skip
"""Names of which the value is told: those that change what depyf does, and hold no secrets."""


def lines() -> Iterator[str]:
    """The report, a line for each fact."""
    here = os.path.dirname(os.path.abspath(__file__))
    yield f"depyf     {__version__}, {here}"
    supported = sys.implementation.name == "cpython" and HOST_VERSION in HOSTS
    words = "" if supported else " (depyf was not tested on this one)"
    yield f"Python    {platform.python_implementation()} {platform.python_version()}, {sys.executable}{words}"
    yield f"platform  {platform.platform()}"
    for name in _PACKAGES:
        yield f"{name:9} {_version_of(name)}"
    for version in TABLES:
        path = find_interpreter(version)
        words = f"{_full(path)}, {path}" if path else "not found: its code is read, not proven or verified"
        yield "{:9} {}".format("{}.{}".format(*version), words)
    for name in _VARIABLES:
        if name in os.environ:
            yield f"{name}={os.environ[name]}"


def _version_of(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _full(path: str) -> str:
    """The whole version of an interpreter, as it says itself."""
    try:
        done = subprocess.run([path, "-I", "-S", "-V"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=20)
    except (OSError, subprocess.SubprocessError) as error:
        return f"does not run ({error})"
    return done.stdout.decode("utf-8", "replace").strip().replace("Python ", "")
