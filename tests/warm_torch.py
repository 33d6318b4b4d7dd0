"""Runs programs that need a torch of their own: one process imports torch, and each program runs in a fork of it.

Importing torch takes longer than most programs of the tests. Use `run` instead of ``subprocess.run([sys.executable,
...])`` where a program imports torch first anyway, and `Running` for several programs at once. In the fork nothing has
been compiled, and nothing of depyf is imported. Programs that test how depyf starts, that need options of Python or
settings of torch in the environment, have a fresh interpreter.
"""

from __future__ import annotations

import faulthandler
import functools
import json
import os
import subprocess
import sys
import tempfile
import types
from pathlib import Path
from typing import Any, Dict, Optional

LIMIT = 300.0  # seconds for one program


class Running:
    """A running program, a script or a folder with ``__main__.py``. Its standard input is empty."""

    def __init__(self, program: Path, *arguments: object, cwd: Optional[Path] = None) -> None:
        self.args = [str(program), *map(str, arguments)]
        self._folder = tempfile.TemporaryDirectory()
        self._files = [os.path.join(self._folder.name, name) for name in ("output", "errors")]
        order = {"args": self.args, "files": self._files, "folder": str(cwd or os.getcwd())}
        self._process = _answer(order)

    def finish(self) -> subprocess.CompletedProcess[bytes]:
        """Wait for the end of the program."""
        code = _answer({"process": self._process})
        output, errors = (Path(file).read_bytes() for file in self._files)
        self._folder.cleanup()
        return subprocess.CompletedProcess(self.args, code, output, errors)


def run(program: Path, *arguments: object, cwd: Optional[Path] = None) -> subprocess.CompletedProcess[bytes]:
    """Run a program to its end."""
    return Running(program, *arguments, cwd=cwd).finish()


@functools.lru_cache(None)
def _server() -> subprocess.Popen[str]:
    """The process that has imported torch. It ends when its standard input does, with this process."""
    # No program finds graphs of another in Inductor's caches.
    environment = dict(os.environ, TORCHINDUCTOR_FX_GRAPH_CACHE="0", TORCHINDUCTOR_AUTOGRAD_CACHE="0")
    command = [sys.executable, __file__]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def _answer(order: Dict[str, Any]) -> int:
    server = _server()
    assert server.stdin is not None and server.stdout is not None
    server.stdin.write(json.dumps(order) + "\n")
    server.stdin.flush()
    return int(server.stdout.readline())


def _next_program() -> Optional[Dict[str, Any]]:
    """Serve until standard input ends; then return None, and in each fork return what it has to run."""
    for line in sys.stdin:
        order: Dict[str, Any] = json.loads(line)
        if "process" in order:
            _, status = os.waitpid(order["process"], 0)
            print(-os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status), flush=True)
            continue
        process = os.fork()
        if process == 0:
            return order
        print(process, flush=True)
    return None


def _main_module(order: Dict[str, Any]) -> types.ModuleType:
    """Make this process look as if Python had just been started with a program; return the module to run that in."""
    output, errors = order["files"]
    for number, (name, flags) in enumerate([(os.devnull, os.O_RDONLY), (output, os.O_WRONLY), (errors, os.O_WRONLY)]):
        opened = os.open(name, flags | os.O_CREAT, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    os.chdir(order["folder"])
    sys.argv = order["args"]
    path = Path(sys.argv[0])
    sys.path[0] = str(path if path.is_dir() else path.parent)
    sys.modules["__main__"] = module = types.ModuleType("__main__")
    module.__file__ = str(path / "__main__.py" if path.is_dir() else path)
    faulthandler.dump_traceback_later(LIMIT, exit=True)
    return module


if __name__ == "__main__":
    import torch._dynamo.convert_frame  # noqa: F401

    assert not any(name.split(".")[0] == "depyf" for name in sys.modules)
    ordered = _next_program()
    if ordered is not None:
        main = _main_module(ordered)
        exec(compile(Path(str(main.__file__)).read_bytes(), str(main.__file__), "exec"), main.__dict__)
