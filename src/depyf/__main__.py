"""The program ``depyf``, and ``python -m depyf``: the command line, which finds no module in the working directory.

That directory may be what a command examines, and hostile. Python puts it in front of its library for ``-m``, and so
does an empty entry of PYTHONPATH. `main` takes it out before anything is imported but what every Python has loaded
when a program begins: `depyf/__init__.py` imports nothing, and neither does this module. Later imports, also those of
packages that are imported when they are needed, find the library and what is installed.

No program can close what comes before it: a ``depyf`` in the directory; for ``-m``, the modules by which Python finds
modules (``runpy``, ``types``, in old versions ``contextlib`` and more); for PYTHONPATH, those of every start
(``encodings``, ``sitecustomize``). The program ``depyf`` has the folder of the program in front, so only PYTHONPATH
leads to the directory. ``python -I -m depyf`` closes all: no path has it, and variables are ignored.
"""

import os
import sys


def main() -> int:
    """Run the command line; returns the exit status. ``depyf run`` gives its program the path that Python made."""
    given = sys.path[:]
    sys.path[:] = _without_working_directory(given)
    try:
        from .cli import main
    except KeyboardInterrupt:
        print("depyf: interrupted", file=sys.stderr)
        return 130
    return main(path=given)


def _without_working_directory(path: "list[str]") -> "list[str]":
    """The path without the directory, where Python or PYTHONPATH name it: in front of the library.

    Behind that it may be there as well, as the folder of installed packages: those are trusted.
    """
    front = 1 + len(os.environ.get("PYTHONPATH", "").split(os.pathsep))
    return [entry for entry in path[:front] if not _is_here(entry)] + path[front:]


def _is_here(folder: str) -> bool:
    try:
        here = os.stat(os.curdir)
        in_library = os.path.samestat(here, os.stat(os.path.dirname(os.__file__)))
        return not in_library and os.path.samestat(here, os.stat(folder or os.curdir))
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main())
