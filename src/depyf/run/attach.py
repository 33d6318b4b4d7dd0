"""``depyf attach PID``: the report on what a running program has compiled, written by the program itself.

CPython 3.14 and later run a file that another process names, at the next instruction where signals are handled too
(PEP 768, `sys.remote_exec`). The file and the answer are in a folder that only this user can enter.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from typing import Any

from .. import __file__ as package
from .. import __version__
from ..errors import AttachError
from ..escapes import printable
from ..reading import open_regular, read_at_most
from ..terminal import say, warn
from .command import FOLDER, where_to_read, without_commands

__all__ = ["add_command", "attach"]

_LARGEST = 1 << 20
_RIGHTS = (
    "it must be a process of yours, and the system must let you trace it (on Linux, what "
    "/proc/sys/kernel/yama/ptrace_scope says)"
)
_MEANINGS = {
    "PyRuntime address lookup failed": "it runs no CPython 3.14 or later",
    "Remote debugging is not enabled": "its Python refuses it (-X disable-remote-debug, PYTHON_DISABLE_REMOTE_DEBUG)",
    "Can't find the main thread": "it is just beginning or ending",
    "Can't send commands": "it runs another version of Python: use that one to run depyf",
}
"""What `sys.remote_exec` says (3.14, 3.15), in the user's words."""

_ATTACH = """\
Write the report on what torch.compile has made so far in a running program: guards, graphs, transformed code, breaks
and recompilations. The program is not started again and not changed: it writes the report itself, as soon as it runs
Python code in its main thread, and then continues. For several processes, give all their numbers.

Needs CPython 3.14 or later, the same as the program's, and the right to look into it: that of its user, or more.
"""


def add_command(commands: Any) -> None:
    """Adds it to the command line."""
    command = commands.add_parser(
        "attach", help="write the report on a program that is running", description=_ATTACH,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    command.add_argument("pid", type=int, nargs="+", metavar="PID", help="the number of a process")
    command.add_argument("-o", "--output", metavar="DIR", default=FOLDER,
                         help=f"the folder to write, for several with one for each (default: {FOLDER})")  # fmt: skip
    command.add_argument("--html", action="store_true", help="write the report as report.html too")
    command.add_argument("--wait", type=float, default=60, metavar="SECONDS",
                         help="how long a process may take to get to it (default: 60)")  # fmt: skip


def attach(options: argparse.Namespace) -> int:
    """``depyf attach``: 0 if each process has written its report, else 2."""
    from ..explain.report.remarks.answer import answer_lines
    from ..explain.report.remarks.stored import Report

    base, status = os.getcwd(), 0
    pids = list(dict.fromkeys(options.pid))
    for pid in pids:
        try:
            written = _written(pid, options, len(pids) > 1)
        except AttachError as error:
            warn(f"depyf attach: process {pid}: {printable(str(error))}")
            status = 2
            continue
        name = os.path.basename(written).replace("_", " ") if len(pids) > 1 else ""
        lines = answer_lines(Report.read(written).printable(), base, name)
        say(*map(without_commands, [*lines, where_to_read(written, base, options.html)]))
    return status


def _written(pid: int, options: argparse.Namespace, is_one_of_several: bool) -> str:
    """Have a process write its report. Returns the folder. Raises AttachError."""
    if not hasattr(sys, "remote_exec"):
        raise AttachError("CPython runs something for another process from 3.14 on; this is an older one")
    if pid <= 0 or not _is_there(pid):
        raise AttachError("there is no such process")
    if pid == os.getpid():
        raise AttachError("that is this command")
    folder = tempfile.mkdtemp(prefix="depyf-attach-")  # only this user can enter it
    is_awaited = False
    try:
        script = os.path.join(folder, "script.py")
        request = {
            "folder": folder, "directory": os.path.abspath(options.output), "html": options.html,
            "several": is_one_of_several, "depyf": package, "version": __version__,
        }  # fmt: skip
        with open(os.path.join(os.path.dirname(__file__), "attached_script.py"), encoding="utf-8") as file:
            text = file.read().replace("= {}", f"= {request!r}", 1)
        with open(os.open(script, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
        sys.remote_exec(pid, script)
        is_awaited = True
        written, why = _answer(pid, folder, options.wait)
        is_awaited = False
    except PermissionError as error:
        raise AttachError(f"{error.strerror or error}; {_RIGHTS}") from None
    except (OSError, RuntimeError) as error:
        meaning = next((words for start, words in _MEANINGS.items() if str(error).startswith(start)), "")
        raise AttachError(meaning or str(error)) from None
    finally:
        if is_awaited:  # the program may still get to it, and then removes the folder
            open(os.path.join(folder, "given up"), "x").close()
        else:
            shutil.rmtree(folder, ignore_errors=True)
    if why:
        raise AttachError(why)
    return written


def _answer(pid: int, folder: str, seconds: float) -> tuple[str, str]:
    """What a process says when it is done: what it has written, and why not. Raises AttachError, OSError."""
    end = time.monotonic() + seconds
    path = os.path.join(folder, "answer.json")
    while not os.path.exists(path):
        if not _is_there(pid):
            raise AttachError("it has ended")
        if time.monotonic() > end:
            raise AttachError(
                f"its main thread has not come to it within {seconds:g} s: it waits, or runs something that is not "
                "Python. It writes no report later; --wait SECONDS waits longer"
            )
        time.sleep(0.02)
    with open_regular(path) as file:
        answer = json.loads(read_at_most(file, _LARGEST))
    return answer["written"], answer["why"]


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass  # it is somebody else's
    return True
