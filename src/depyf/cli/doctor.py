"""What a bug report needs to say: versions, interpreters, the platform. Packages are not imported."""

from __future__ import annotations

import contextlib
import os
import platform
import re
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path
from typing import Iterator

from .. import __version__
from ..decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter
from ..decompiler.bytecode.versions import HOSTS, TABLES

__all__ = ["gpus", "lines"]

NVIDIA = "/proc/driver/nvidia"

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
    release = os.uname().release if hasattr(os, "uname") else platform.release()  # the latter runs a program elsewhere
    yield f"platform  {sysconfig.get_platform()} {release} {' '.join(platform.libc_ver())}".rstrip()
    for name in _PACKAGES:
        yield f"{name:9} {_version_of(name)}{_built_for() if name == 'torch' else ''}"
    for gpu in gpus(NVIDIA):
        yield f"GPU       {gpu}"
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


def _built_for() -> str:
    """Which GPUs the installed torch is built for: what torch/version.py says, which is not executed."""
    spec = find_spec("torch")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        with contextlib.suppress(OSError):
            text = Path(folder, "version.py").read_text(encoding="utf-8")
            found = re.findall(r"^(cuda|hip|xpu)\b.*= ['\"](.+)['\"]$", text, re.MULTILINE)
            return ", built for " + " and ".join(" ".join(one) for one in found) if found else ", built for CPU"
    return ""


def gpus(folder: str) -> list[str]:
    """The GPUs with their driver, as the driver's folder in /proc says; none elsewhere. Nothing is loaded for it."""
    try:
        driver = re.search(r"\d+\.\d+(\.\d+)?", Path(folder, "version").read_text(encoding="utf-8"))
        texts = [path.read_text(encoding="utf-8") for path in sorted(Path(folder, "gpus").glob("*/information"))]
    except OSError:
        return []
    models = [re.search(r"^Model:\s*(.+?)\s*$", text, re.MULTILINE) for text in texts]
    return ["{}, driver {}".format(model[1] if model else "?", driver[0] if driver else "?") for model in models]


def _full(path: str) -> str:
    """The whole version of an interpreter, as it says itself."""
    try:
        done = subprocess.run(
            [path, "-I", "-S", "-V"], cwd=os.path.dirname(path), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=20,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError) as error:
        return f"does not run ({error})"
    return done.stdout.decode("utf-8", "replace").strip().replace("Python ", "")
