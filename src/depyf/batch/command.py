"""``depyf decompile`` of many files: what is written where, progress, the summary, JSON."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections import Counter
from concurrent.futures import Executor
from functools import partial
from typing import Any, Callable, ContextManager, Iterable, Iterator, Sequence

from .. import __version__
from ..errors import DepyfError
from ..escapes import printable
from ..files.opening import open_tree
from ..files.trees import Unreadable, compiled_in
from ..terminal import say, warn, write_text
from .cluster import scheduler
from .manifest import NAME, Manifest
from .outcome import Outcome
from .processes import run
from .progress import Progress
from .results import Results
from .tasks import InputFile, items, task_of
from .urls import Copies, is_url, write_url
from .work import DEFAULT_OPTIONS, Options, Task

__all__ = ["decompile_all", "json_text", "list_files", "run_batch"]


def decompile_all(
    targets: Iterable[Any], directory: str | None, options: Options = DEFAULT_OPTIONS, *, again: bool = False,
    jobs: int = 1, executor: Executor | None = None, in_processes: bool = False,
) -> Iterator[Outcome]:  # fmt: skip
    """Decompile all compiled files in ``targets`` into ``directory``, which keeps the folders that they are in.

    What an earlier run has written is kept if it would be written so again (manifest.py), unless it is to be done
    ``again``. If ``directory`` is None, nothing is written: each outcome has its text. ``jobs`` is the number of
    processes, the other arguments are those of `depyf.batch.decompile`.
    Raises DepyfError for an archive that can't be read.
    """
    with Copies() as copies:
        if directory is not None:
            targets = list(targets)
        is_alone = isinstance(targets, list) and len(targets) == 1
        found: Iterable[InputFile] = items(copies.local(targets), directory, is_alone=is_alone)
        if directory is not None:
            found = list(found)
        with _manifest(found, directory, options, again) as manifest:
            pool = partial(run, options=options, processes=jobs, executor=executor, in_processes=in_processes)
            for outcome in _outcomes(found, manifest, directory, pool, executor is not None):
                yield outcome._replace(path=copies.shown(outcome.path))


def _manifest(
    found: Iterable[InputFile], directory: str | None, options: Options, again: bool
) -> ContextManager[Manifest | None]:
    if directory is None or is_url(directory):
        return contextlib.nullcontext()
    return Manifest(directory, [item.output for item in found], options, again=again)


def _outcomes(
    found: Iterable[InputFile], manifest: Manifest | None, directory: str | None, pool: Callable[..., Any],
    elsewhere: bool,
) -> Iterator[Outcome]:  # fmt: skip
    early: list[Outcome] = []

    def tasks() -> Iterator[Task]:
        for item in found:
            task = task_of(item, elsewhere=elsewhere)
            known = task if isinstance(task, Outcome) else manifest.kept(task) if manifest is not None else None
            if known is not None:
                early.append(known)
            elif isinstance(task, Task):
                yield task

    for task, outcome in pool(tasks()):
        yield from early
        early.clear()
        yield outcome if directory is None else _written(task, outcome, manifest, directory)
    yield from early


def _written(task: Task, outcome: Outcome, manifest: Manifest | None, directory: str) -> Outcome:
    if outcome.text is None:
        return outcome
    was_foreign, written = False, task.output
    try:
        if manifest is not None:
            was_foreign = manifest.write(task, outcome)
        else:
            name = os.path.relpath(task.output, directory).replace(os.sep, "/")
            written = write_url(directory, name, outcome.text.encode("utf-8", "surrogatepass"))
    except (OSError, ValueError, DepyfError) as error:
        return Outcome(task.path, error=f"can't write {task.output}: {getattr(error, 'strerror', None) or error}")
    return outcome._replace(written=written, text=None, was_foreign=was_foreign)


def run_batch(
    targets: Sequence[str], directory: str | None, options: Options = DEFAULT_OPTIONS, *, as_json: bool = False,
    again: bool = False, jobs: int = 1, only: Sequence[str] = (), results: str | None = None,
    address: str | None = None,
) -> int:  # fmt: skip
    """``depyf decompile`` of many files: a line for each that is not proven, then a summary; its exit status.

    Without a ``directory`` and ``as_json``, the texts go to standard output. ``address`` is that of a Dask scheduler.
    """
    counts: Counter[str] = Counter()
    records = []
    start = time.monotonic()
    with Copies() as copies, scheduler(address) as executor:
        found = list(items(copies.local(targets), directory, only, len(targets) == 1))
        pool = partial(run, options=options, processes=jobs, executor=executor)
        stored = Results(results) if results is not None else None
        with Progress(len(found)) as progress, _manifest(found, directory, options, again) as manifest, \
                stored or contextlib.nullcontext():  # fmt: skip
            for outcome in _outcomes(found, manifest, directory, pool, executor is not None):
                outcome = outcome._replace(path=copies.shown(outcome.path), error=copies.shown(outcome.error))
                _count(counts, outcome)
                progress.advance()
                if stored is not None:
                    stored.add(outcome)
                if as_json:
                    records.append(outcome.to_dict(options.line_map))
                elif directory is None and outcome.text is not None:
                    write_text(f"# {printable(outcome.path)}\n{outcome.text}")
                if not outcome.proven:
                    progress.line(str(outcome))
    if as_json:
        write_text(json_text(records, seconds=round(time.monotonic() - start, 3), **_memory()) + "\n")
    if manifest is not None and manifest.problem:
        warn(f"can't write {os.path.join(manifest.directory, NAME)}: {manifest.problem}; the next run does all again")
    warn(_summary(counts, directory))
    return 1 if counts["not proven"] or not counts["total"] else 0


def _count(counts: Counter[str], outcome: Outcome) -> None:
    counts["total"] += 1
    counts["written"] += bool(outcome.written) and not outcome.was_there
    counts["there"] += outcome.was_there
    counts["foreign"] += outcome.was_foreign
    counts["proven"] += outcome.proven
    counts["not proven"] += not outcome.proven
    counts["failed"] += bool(outcome.error)


def list_files(targets: Sequence[str], only: Sequence[str] = ()) -> int:
    """``depyf decompile --list``: list the targets' files; its exit status. Raises DepyfError for a missing target."""
    status = 0
    for target in targets:
        tree = open_tree(target)
        lines = [f"{target}: {tree.description}"]
        for one in compiled_in(tree, only):
            is_bad = isinstance(one, Unreadable)
            status |= is_bad
            lines.append(f"  {one.name}: {one.reason}" if isinstance(one, Unreadable) else f"  {one}")
        say(*lines)
    return status


def json_text(records: Sequence[dict[str, Any]], **facts: Any) -> str:
    """Records of outcomes as JSON; lone surrogates of names that are not UTF-8 are escaped."""
    return json.dumps({"depyf": __version__, **facts, "files": list(records)}, indent=1)


def _memory() -> dict[str, int]:
    """The peak memory, in bytes, of this process and of its largest child; empty where that is unknown."""
    try:
        import resource
    except ImportError:  # on Windows
        return {}
    unit = 1 if sys.platform == "darwin" else 1024
    own, children = (resource.getrusage(who).ru_maxrss * unit
                     for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))  # fmt: skip
    return {"peak_memory": own, "peak_memory_of_a_child": children}


def _summary(counts: Counter[str], directory: str | None) -> str:
    total = counts["total"]
    files = "1 compiled file" if total == 1 else f"{total} compiled files"
    done = f"{total - counts['failed']} done"
    if directory is not None:
        done = f"{counts['written']} written to {directory}"
    parts = [f"{files}: {done}"]
    parts += [f"{counts['there']} there already"] if counts["there"] else []
    parts += [f"{counts['proven']} of them proven as a whole"]
    parts += [f"{counts['failed']} not decompiled"] if counts["failed"] else []
    other = "1 other file" if counts["foreign"] == 1 else f"{counts['foreign']} other files"
    parts += [f"{other} kept as NAME.orig"] if counts["foreign"] else []
    return ", ".join(parts)
