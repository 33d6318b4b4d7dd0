"""Whether a command that a page names exists: its program, its files, its options."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
import shlex
import shutil
from pathlib import Path
from typing import Callable, Dict, List

__all__ = ["wrong_with"]

ROOT = Path(__file__).parent.parent.parent
_PYTHON = re.compile(r"^(.*/)?python(3(\.\d+)?)?$")


def wrong_with(command: str, folder: Path) -> str:
    """What is wrong with a line of shell, "" if nothing is.

    Args:
        command: the line. A comment at its end, variables before it and `&&` between commands are understood.
        folder: where files that the page made are.
    """
    for part in re.split(r"\s&&\s", command):
        words = shlex.split(part, comments=True)
        while words and re.match(r"^\w+=", words[0]):
            words.pop(0)
        if not words:
            continue
        program, arguments = Path(words[0]).name, words[1:]
        if _PYTHON.match(words[0]):
            found = _python(arguments, folder)
        elif program in _PROGRAMS:
            found = _PROGRAMS[program](arguments, folder)
        else:
            found = "" if shutil.which(program) else "no program {}".format(program)
        if found:
            return "{}: {}".format(part, found)
    return ""


def _python(arguments: List[str], folder: Path) -> str:
    if arguments[:1] == ["-m"]:
        module, rest = arguments[1], arguments[2:]
        if module in _PROGRAMS:
            return _PROGRAMS[module](rest, folder)
        return "" if importlib.util.find_spec(module) else "no module {}".format(module)
    if arguments[:1] == ["-c"]:
        compile(arguments[1], "-c", "exec")
        return ""
    return _file(arguments, folder)


def _file(arguments: List[str], folder: Path) -> str:
    name = arguments[0]
    if (folder / name).exists():
        return ""
    if not (ROOT / name).exists():
        return "no file {}".format(name)
    text = _with_neighbours(ROOT / name)
    options = [word.partition("=")[0] for word in arguments[1:] if re.match(r"^--?[a-z]", word)]
    return ", ".join("no option {}".format(option) for option in options if '"{}"'.format(option) not in text)


def _with_neighbours(path: Path) -> str:
    """The text of a script or folder, and of the modules beside it that it imports: one may read the options."""
    path = path / "__main__.py" if path.is_dir() else path
    text = path.read_text(encoding="utf-8")
    names = re.findall(r"^(?:from|import) (\w+)", text, re.MULTILINE)
    beside = [path.with_name(name + ".py") for name in names]
    return "\n".join([text, *(other.read_text(encoding="utf-8") for other in beside if other.exists())])


def _depyf(arguments: List[str], folder: Path) -> str:
    from depyf.cli.options import parse

    printed = io.StringIO()
    try:
        with contextlib.redirect_stderr(printed), contextlib.redirect_stdout(io.StringIO()):
            parse(arguments)
    except SystemExit as stop:
        return printed.getvalue().strip() if stop.code else ""
    return ""


def _make(arguments: List[str], folder: Path) -> str:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = [word for word in arguments if "=" not in word]
    return ", ".join(
        "no target {}".format(target)
        for target in targets
        if not re.search(r"^{}:".format(re.escape(target)), makefile, re.MULTILINE)
    )


def _pip(arguments: List[str], folder: Path) -> str:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    section = project.partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    if arguments[0] != "install":
        return "no pip {} here".format(arguments[0])
    named = [re.search(r"(?:^\.|^depyf-proven)\[([\w,-]+)\]", word) for word in arguments[1:]]
    wanted = [extra for match in named if match for extra in match.group(1).split(",")]
    return ", ".join(
        "no extra {}".format(extra)
        for extra in wanted
        if not re.search(r"^{} = \[".format(extra), section, re.MULTILINE)
    )


def _torchrun(arguments: List[str], folder: Path) -> str:
    names = [word for word in arguments if word.endswith(".py")]
    return "" if names and not _file(names[:1], folder) else "no program to run"


_PROGRAMS: Dict[str, Callable[[List[str], Path], str]] = {
    "depyf": _depyf,
    "make": _make,
    "pip": _pip,
    "torchrun": _torchrun,
}
