"""The exceptions that depyf raises, and the words for an import that failed."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re

from .escapes import printable


class DepyfError(Exception):
    """Base of every exception that depyf raises on purpose.

    Example:
        >>> try:
        ...     depyf.read_pyc("no-such-file.pyc")
        ... except depyf.DepyfError as error:
        ...     print(error)
        can't read no-such-file.pyc: No such file or directory
    """


class DecompilationError(DepyfError):
    """A code object has no source that depyf could find and prove.

    Attributes:
        reason: why.
        stage: the room that gave up.
        where: the code and place (qualified name, offset or line).
        instructions: the annotated instructions, '' if there are none to show.

    Example:
        >>> try:
        ...     depyf.decompile(print)
        ... except depyf.DecompilationError as error:
        ...     print(error.reason)
        print (a builtin_function_or_method, implemented in C) has no Python bytecode; ...
    """

    def __init__(self, reason: str = "", *, stage: str = "", where: str = "", instructions: str = "") -> None:
        self.reason = reason
        self.stage = stage
        self.where = where
        self.instructions = instructions
        super().__init__(reason)

    def __str__(self) -> str:
        place = f" in {self.where}" if self.where else ""
        stage = f" [{self.stage}]" if self.stage else ""
        return f"cannot decompile{place}{stage}: {self.reason}"


class NothingCompiled(DepyfError):
    """There is no cache entry to show: `torch.compile` has not compiled this function (yet).

    Example:
        >>> try:
        ...     depyf.inspect(torch.compile(lambda x: x, backend="eager"))
        ... except depyf.errors.NothingCompiled as error:
        ...     print(str(error)[:19])
        nothing is compiled
    """

    def _render_traceback_(self) -> list[str]:
        """What IPython prints instead of a traceback: the message is all there is to say."""
        return [f"{type(self).__name__}: {self}"]


class ReportError(DepyfError):
    """A report of ``depyf run`` can't be read: the message says which, why, and what to do.

    What it quotes comes from files of anybody: none of it is a command to a CI runner that prints it.
    """

    def __init__(self, message: str) -> None:
        super().__init__(re.sub(r"##(?=\[|vso\[)", "#\\\\x23", printable(message)))


class RunError(DepyfError):
    """``depyf run`` finds no such program, or can't read it."""


class AttachError(DepyfError):
    """``depyf attach`` gets no report from a process: the message says why."""


class PycError(DepyfError):
    """A .pyc file or marshal data can't be read.

    Attributes:
        reason: what was expected and what was found.
        offset: at which byte of the data; -1: the whole of it.
        name: what the data are called, '' if nobody said.

    Example:
        >>> with open("text.pyc", "w") as file:
        ...     _ = file.write("not compiled")
        >>> try:
        ...     depyf.read_pyc("text.pyc")
        ... except depyf.errors.PycError as error:
        ...     print(error.reason)
        text.pyc is not a .pyc file: it does not start with a magic number
    """

    def __init__(self, reason: str, offset: int = -1, name: str = "") -> None:
        self.reason = reason
        self.offset = offset
        self.name = name
        super().__init__(reason)

    def __str__(self) -> str:
        place = f"at byte {self.offset}: " if self.offset >= 0 else ""
        return f"{self.name} is damaged: {place}{self.reason}" if self.name else place + self.reason


class ImportFailed(ImportError, DepyfError):
    """A public name of depyf exists, but a module that it needs could not be imported.

    Example:
        >>> issubclass(depyf.errors.ImportFailed, ImportError)
        True
    """


def explain_failed_import(name: str, error: BaseException) -> ImportFailed:
    """The exception to raise when the import behind ``depyf.<name>`` failed with ``error``.

    Its text names what failed and, if that is PyTorch, which file Python took for it.
    """
    text = f"depyf.{name} exists, but what it needs failed to import: {type(error).__name__}: {error}"
    hint = _torch_hint() if _comes_from_torch(error) else ""
    return ImportFailed(f"{text}. {hint}" if hint else text, name=getattr(error, "name", None))


def require_torch(name: str) -> None:
    """Import PyTorch for ``depyf.<name>``. Raises ImportFailed, which says why, if that is not possible."""
    try:
        torch = importlib.import_module("torch")
    except Exception as error:
        raise explain_failed_import(name, error) from error
    version = getattr(torch, "__version__", "")
    if version and not hasattr(torch, "compile"):
        raise ImportFailed(
            f"depyf.{name} exists, but PyTorch {version} has no torch.compile: depyf needs PyTorch 2.2 or newer, "
            "pip install --upgrade torch",
            name="torch",
        )
    if not hasattr(torch, "compile"):
        raise explain_failed_import(name, ImportError("the module 'torch' has no torch.compile", name="torch"))


def _comes_from_torch(error: BaseException) -> bool:
    """Whether ``error`` names torch, or was raised while one of its files ran."""
    if "torch" in (getattr(error, "name", None) or str(error)):
        return True
    traceback = error.__traceback__
    while traceback is not None:
        path = traceback.tb_frame.f_code.co_filename
        if os.path.basename(path) == "torch.py" or f"{os.sep}torch{os.sep}" in path:
            return True
        traceback = traceback.tb_next
    return False


def _torch_hint() -> str:
    """Which torch Python finds, and what to do about it."""
    try:
        spec = importlib.util.find_spec("torch")
    except (ImportError, ValueError):  # a module 'torch' without a spec was put in place by hand
        return "The module 'torch' that is loaded is not PyTorch."
    if spec is None:
        return "PyTorch is not installed in this environment: pip install 'depyf-proven[torch]'."
    if spec.submodule_search_locations is None:
        return f"Python takes {spec.origin} for torch, which is not PyTorch: rename that file."
    return f"The failing PyTorch is {spec.origin}: check that `python -c 'import torch'` works."
