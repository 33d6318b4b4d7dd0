"""batch/: many compiled files -> a folder of sources, or records; a bad file does not affect others.

    outcome.py      the outcome of one file, and the header and line map of its text
    work.py         one file -> its outcome, in any process
    tasks.py        targets of the command line -> the files to process
    manifest.py     what earlier runs have written
    processes.py    runs tasks in one or several processes, or in any `concurrent.futures.Executor`
    worker.py       the script of such a process
    cluster.py      the executor of a running Dask cluster
    urls.py         inputs and outputs that fsspec reads and writes
    results.py      records as JSON lines or Parquet
    command.py      ``depyf decompile`` of many files: progress, summary, JSON

Imports ``files/``, ``targets.py`` and ``decompiler/``, which do not know of it. For programs: `decompile`, with
`Options` and `Outcome`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Tuple, Union

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from .outcome import Doubt, Outcome
    from .work import Options

__all__ = ["Doubt", "Options", "Outcome", "decompile"]

Input = Union[str, "os.PathLike[str]", Tuple[str, bytes]]


def decompile(
    inputs: Iterable[Input], directory: str | os.PathLike[str] | None = None, *, executor: Executor | None = None,
    processes: int | None = None, options: Options | None = None,
) -> Iterator[Outcome]:  # fmt: skip
    """Decompile many files, and yield the outcome of each as soon as it is there.

    Args:
        inputs: what `depyf decompile` takes: files, folders, archives (of which each compiled file has an outcome),
            ``ARCHIVE:MEMBER``, modules, also as `fsspec` URLs; or pairs of a name and the content of a file. They are
            consumed as they are processed, so there may be millions.
        directory: write the texts there, below the folders that they are in; what an earlier run has written is kept.
            The inputs are listed first then. May be an `fsspec` URL, where everything is written.
        executor: any `concurrent.futures.Executor`: what it is given can be pickled, and has the content of the file.
            By default processes of this machine are used; one that crashes does not affect other files.
        processes: the number of these (default: one for each core).
        options: how to decompile.

    Yields:
        An `Outcome` for each file, in any order. Whatever is wrong with a file is its ``error``.

    Raises:
        DepyfError: an input is an archive that can't be read, or the directory can't be written.

    Example:
        >>> with open("area.py", "w") as file:
        ...     _ = file.write("def area(w, h): return w * h")
        >>> [(one.path, one.proven) for one in depyf.batch.decompile(["area.py"], processes=1)]
        [('area.py', True)]
    """
    from .command import decompile_all
    from .work import DEFAULT_OPTIONS

    return decompile_all(
        inputs, os.fspath(directory) if directory is not None else None, options or DEFAULT_OPTIONS,
        jobs=processes or os.cpu_count() or 1, executor=executor, in_processes=True,
    )  # fmt: skip


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """The types are imported when they are used: the command line has modules here that it needs alone."""
        if name in ("Doubt", "Outcome"):
            from . import outcome

            return getattr(outcome, name)
        if name == "Options":
            from .work import Options

            return Options
        raise AttributeError(name)
