"""Runs programs in forks of a process that has imported what they need: torch, or depyf's command line.

Importing takes longer than most programs of the tests. ``TORCH.run(program, *arguments)`` takes the place of
``subprocess.run([sys.executable, program, *arguments])`` where the program imports torch first anyway: in the fork
nothing has been compiled, and nothing of depyf is imported. Programs that test what is imported when, that need
options of Python or settings of torch in the environment, have a fresh interpreter.
"""

from __future__ import annotations

import faulthandler
import functools
import json
import os
import runpy
import subprocess
import sys
import tempfile
import types
from pathlib import Path
from typing import Any, Dict, Optional

LIMIT = 300.0  # seconds for one program
SETTINGS = {
    "PYTHONSAFEPATH": "",  # what is beside a program can be imported
    "TORCHINDUCTOR_FX_GRAPH_CACHE": "0",  # no program finds graphs of another
    "TORCHINDUCTOR_AUTOGRAD_CACHE": "0",
}


class Prepared:
    """A process that has imported ``modules``, started when a program is. It ends when this process does."""

    def __init__(self, *modules: str) -> None:
        self._modules = modules

    def start(self, *words: object, cwd: Optional[Path] = None, given: bytes = b"") -> Running:
        """Start a program, for several at once. ``words`` are those after ``python``: a script or a folder with
        ``__main__.py``, or ``-m`` and a module; and arguments. ``given`` is its standard input.
        """
        return Running(self, list(map(str, words)), str(cwd or os.getcwd()), given)

    def run(self, *words: object, cwd: Optional[Path] = None, given: bytes = b"") -> subprocess.CompletedProcess[str]:
        """Run a program to its end."""
        return self.start(*words, cwd=cwd, given=given).finish()

    @functools.lru_cache(None)  # noqa: B019  they live as long as the module
    def _process(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, __file__, *self._modules], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, **SETTINGS},
        )  # fmt: skip

    def answer(self, order: Dict[str, Any]) -> int:
        """What the process says to an order: to start a program, its number; to wait for it, its exit status."""
        process = self._process()
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(order) + "\n")
        process.stdin.flush()
        return int(process.stdout.readline())


class Running:
    """A running program, whose standard streams are files."""

    def __init__(self, prepared: Prepared, words: list[str], folder: str, given: bytes) -> None:
        self._prepared, self._words = prepared, words
        self._folder = tempfile.TemporaryDirectory()
        self._files = [os.path.join(self._folder.name, name) for name in ("input", "output", "errors")]
        Path(self._files[0]).write_bytes(given)
        environment = {**os.environ, **SETTINGS}
        order = {"words": words, "folder": folder, "files": self._files, "environment": environment}
        self._number = prepared.answer(order)

    def finish(self) -> subprocess.CompletedProcess[str]:
        """Wait for the end of the program."""
        status = self._prepared.answer({"wait": self._number})
        _, output, errors = (Path(file).read_bytes().decode("utf-8", "surrogateescape") for file in self._files)
        self._folder.cleanup()
        return subprocess.CompletedProcess(self._words, status, output, errors)


TORCH = Prepared("torch._dynamo.convert_frame")
DEPYF = Prepared("depyf.cli", "depyf.decompiler.pipeline", "depyf.verification.report")


def leave_guards_untimed() -> None:
    """Spare torch what takes it a third of a small compilation: it empties the processor's caches to time the guards.

    That time alone is made up then.
    """
    import torch._dynamo.guards

    if hasattr(torch._dynamo.guards, "profile_guard_manager"):
        torch._dynamo.guards.profile_guard_manager = lambda *_: 1.0


# ---- in the process that forks


def _next_program() -> Optional[Dict[str, Any]]:
    """Serve until standard input ends; then return None, and in each fork return the order for its program."""
    for line in sys.stdin:
        order: Dict[str, Any] = json.loads(line)
        if "wait" in order:
            _, status = os.waitpid(order["wait"], 0)
            print(-os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status), flush=True)
            continue
        process = os.fork()
        if process == 0:
            return order
        print(process, flush=True)
    return None


def _settle(order: Dict[str, Any]) -> None:
    """Make all but the modules of this process as if Python had just been started."""
    for number, (name, flags) in enumerate(zip(order["files"], (os.O_RDONLY, os.O_WRONLY, os.O_WRONLY))):
        opened = os.open(name, flags | os.O_CREAT, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    os.environ.clear()
    os.environ.update(order["environment"])
    os.chdir(order["folder"])
    faulthandler.dump_traceback_later(LIMIT, exit=True)


def _run(words: list[str]) -> None:
    if words[0] == "-m":
        sys.argv, sys.path[0] = words[1:], os.getcwd()
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        return
    path = Path(words[0]).absolute()
    sys.argv, sys.path[0] = words, str(path if path.is_dir() else path.parent)
    sys.modules["__main__"] = module = types.ModuleType("__main__")
    module.__file__ = str(path / "__main__.py" if path.is_dir() else path)
    exec(compile(Path(module.__file__).read_bytes(), module.__file__, "exec"), module.__dict__)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        __import__(name)
    if "torch" in sys.modules:
        leave_guards_untimed()
        assert not any(name.split(".")[0] == "depyf" for name in sys.modules)
    ordered = _next_program()
    if ordered is not None:
        _settle(ordered)
        _run(ordered["words"])
