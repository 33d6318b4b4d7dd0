"""Finds the CPython of a version on this machine; the only module that knows where interpreters are installed.

The search order: the folders and executables in the environment variable DEPYF_PYTHONS (separated as in PATH), PATH,
pyenv's and uv's installations, and on Windows the launcher ``py``. Each candidate is run to verify its version before
it is trusted.

None is found in the working directory, which may be hostile: only DEPYF_PYTHONS may name relative paths. All run in
their own folder, since a shim, as pyenv's, obeys a file of the directory that it runs in.
"""

from __future__ import annotations

import glob
import os
import subprocess
import sys
import threading
from typing import Iterator, Tuple

HOST_VERSION = sys.version_info[:2]

Version = Tuple[int, int]

CAN_START = sys.platform not in ("emscripten", "wasi")
"""Whether the system starts processes: WebAssembly has none."""

_VARIABLE = "DEPYF_PYTHONS"
_QUESTION = "import sys; v = sys.version_info; print(sys.implementation.name, v[0], v[1], v[3], sys.executable)"
_SECONDS = 20
_STABLE = ("final", "candidate")
"""Releases whose bytecode no longer changes: an alpha's may differ from that of the version it becomes."""

_found: dict[Version, str | None] = {}
_lock = threading.Lock()


def find_interpreter(version: Version) -> str | None:
    """The path of a CPython of ``version``, None if there is none on this machine. The answer is cached."""
    if not CAN_START:
        return None
    with _lock:
        if version not in _found:
            found = (_verified(path, version) for path in dict.fromkeys(filter(_is_fixed, _candidates(version))))
            _found[version] = next(filter(None, found), None)
        return _found[version]


def forget_interpreters() -> None:
    """Clear the cache, after the environment has changed."""
    with _lock:
        _found.clear()


def missing(version: Version) -> str:
    """The reason given by a proof whose compiler is missing."""
    return f"no CPython {version[0]}.{version[1]} found"


def _candidates(version: Version) -> Iterator[str]:
    if version == HOST_VERSION:
        yield sys.executable
    name = f"python{version[0]}.{version[1]}"
    for entry in map(os.path.abspath, filter(None, os.environ.get(_VARIABLE, "").split(os.pathsep))):
        yield from _in_installation(entry, name) if os.path.isdir(entry) else (entry,)
    yield from on_path(name)
    pyenv = os.environ.get("PYENV_ROOT") or os.path.expanduser(os.path.join("~", ".pyenv"))
    for folder in (os.path.join(pyenv, "versions"), os.path.join(pyenv, "pyenv-win", "versions")):
        for installation in _newest_first(os.path.join(folder, f"{version[0]}.{version[1]}[.-]*")):
            yield from _in_installation(installation, name)
    for folder in _uv_folders():
        for installation in _newest_first(os.path.join(folder, f"cpython-{version[0]}.{version[1]}[.-]*")):
            yield from _in_installation(installation, name)
    for launcher in on_path("py") if os.name == "nt" else ():
        answer = _ask([launcher, f"-{version[0]}.{version[1]}"])
        if answer is not None:
            yield answer.split(maxsplit=4)[4]


def on_path(name: str) -> Iterator[str]:
    """The programs called ``name`` in folders of PATH, in order; never one of the working directory.

    `shutil.which` looks there: first of all on Windows, and for an empty or relative entry of PATH.
    """
    ends = os.environ.get("PATHEXT", ".EXE").split(";") if os.name == "nt" else [""]
    for folder in filter(_is_fixed, os.get_exec_path()):
        for path in (os.path.join(folder, name + end) for end in ends):
            if os.path.isfile(path) and os.access(path, os.X_OK) and not os.path.samefile(folder, os.curdir):
                yield path


def _is_fixed(path: str) -> bool:
    r"""Whether it is the same in every working directory, unlike ``bin``, and ``\bin`` and ``C:bin`` of Windows."""
    return os.path.isabs(path) and os.path.abspath(path) == os.path.normpath(path)


def _in_installation(folder: str, name: str) -> Iterator[str]:
    """Executables in a folder that is an installation or holds executables."""
    for directory in (folder, os.path.join(folder, "bin")):
        for executable in (name, f"{name}.exe", "python.exe"):
            path = os.path.join(directory, executable)
            if os.path.isfile(path):
                yield path


def _uv_folders() -> Iterator[str]:
    chosen = os.environ.get("UV_PYTHON_INSTALL_DIR")
    if chosen:
        yield chosen
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser(os.path.join("~", ".local", "share"))
    yield os.path.join(data, "uv", "python")
    if os.environ.get("APPDATA"):
        yield os.path.join(os.environ["APPDATA"], "uv", "python")


def _newest_first(pattern: str) -> list[str]:
    def numbers(path: str) -> list[int]:
        return [int(part) if part.isdigit() else -1 for part in os.path.basename(path).replace("-", ".").split(".")]

    return sorted(glob.glob(pattern), key=numbers, reverse=True)


def _verified(path: str, version: Version) -> str | None:
    """The interpreter that running ``path`` starts (it may be a shim), None if that is not ``version``."""
    answer = _ask([path])
    if answer is None:
        return None
    name, major, minor, level, executable = answer.split(maxsplit=4)
    if (name, major, minor) != ("cpython", str(version[0]), str(version[1])) or level not in _STABLE:
        return None
    return executable if _is_fixed(executable) and os.path.isfile(executable) else path


def _ask(command: list[str]) -> str | None:
    """What the interpreter reports; None if it does not run, or the output has another form."""
    try:
        done = subprocess.run(
            [*command, "-I", "-S", "-c", _QUESTION],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=_SECONDS,
            cwd=os.path.dirname(command[0]),
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    answer = done.stdout.decode("utf-8", "replace").strip()
    return answer if done.returncode == 0 and len(answer.split(maxsplit=4)) == 5 else None
