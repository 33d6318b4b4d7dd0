"""Whose a source file is: the program's own, torch's, Python's, ours, or a package's. The one place that decides it.

The program's own is every file outside of ``site-packages`` and of Python's library: scripts, modules, packages that
are installed as editable, cells of notebooks; and the packages that the user names (``depyf run --own PACKAGE``).
"""

from __future__ import annotations

import os
import re
import sys
from functools import lru_cache
from typing import Iterable

__all__ = ["OWN", "is_of_libraries", "is_of_program", "name_in_package", "own", "package_of"]

OWN: set[str] = set()
"""Installed packages that are the user's, as he has said; ``<string>`` where that is the program."""

PYTHON, TORCH = "Python", "torch"
_OURS = os.path.dirname(__file__)
_INSTALLED = re.compile(r".*/(?:site|dist)-packages/(?P<rest>(?P<package>[^/]+).*)", re.DOTALL)
_LIBRARY = re.compile(r".*/lib(?:64)?/python3\.\d+/(?P<rest>.*)", re.DOTALL)
_TYPED = ("<ipython", "<stdin")  # at a prompt


def own(packages: Iterable[str]) -> None:
    """From now on these packages are the program's."""
    OWN.update(packages)
    package_of.cache_clear()


@lru_cache(maxsize=4096)
def package_of(filename: str) -> str:
    """"" for a file of the program's; else "torch", "depyf", "Python" for its library and for what is in no file
    (``<string>``), or the name of an installed package."""
    name = filename.replace(os.sep, "/")
    if name.startswith("<"):
        return "" if name.startswith(_TYPED) or name in OWN else PYTHON
    installed = _INSTALLED.match(name)
    if installed is not None:
        package = installed["package"]
        package = package[: -len(".py")] if package.endswith(".py") else package
        return "" if package in OWN else package
    for package, root in ((TORCH, _root_of_torch()), (PYTHON, os.path.dirname(os.__file__)), ("depyf", _OURS)):
        if root and name.startswith(root.replace(os.sep, "/") + "/"):
            return "" if package in OWN else package
    return PYTHON if _LIBRARY.match(name) else ""  # also that of another machine, whose log is read


def is_of_program(filename: str) -> bool:
    """Whether a file is the program's own."""
    return not package_of(filename)


def is_of_libraries(filename: str) -> bool:
    """Whether a file is one of torch's or of Python's library, or none at all."""
    return package_of(filename) in (TORCH, PYTHON)


def name_in_package(filename: str) -> str:
    """The file's name from its package on, ``torch/optim/optimizer.py``; as it is where it lies in none."""
    name = filename.replace(os.sep, "/")
    inside = _INSTALLED.match(name) or _LIBRARY.match(name)
    if inside is not None:
        return inside["rest"]
    root = _root_of_torch().replace(os.sep, "/")
    return TORCH + name[len(root) :] if root and name.startswith(root + "/") else filename


def _root_of_torch() -> str:
    return os.path.dirname(getattr(sys.modules.get(TORCH), "__file__", None) or "")
