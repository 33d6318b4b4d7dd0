"""``depyf decompile`` of many files: what is written where, progress, the summary, JSON."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections import Counter
from typing import Any, ContextManager, Iterator, Sequence

from .. import __version__
from ..files.opening import open_tree
from ..files.trees import Unreadable
from ..terminal import say, warn, write_text
from .manifest import NAME, Manifest
from .outcome import Outcome
from .processes import run
from .progress import Progress
from .tasks import InputFile, items, task_of
from .work import DEFAULT_OPTIONS, Options, Task

__all__ = ["decompile_all", "json_text", "list_files", "run_batch"]


def decompile_all(
    targets: Sequence[str], directory: str | None, options: Options = DEFAULT_OPTIONS, *, again: bool = False,
    jobs: int = 1,
) -> Iterator[Outcome]:
    """Decompile all compiled files in ``targets`` into ``directory``, which keeps the folders that they are in.

    What an earlier run has written is kept if it would be written so again (manifest.py), unless it is to be done
    ``again``. If ``directory`` is None, nothing is written: each outcome has its text. ``jobs`` is the number of
    processes.
    Raises DepyfError for an archive that can't be read.
    """
    found = list(items(targets, directory))
    with _manifest(found, directory, options, again) as manifest:
        yield from _outcomes(found, manifest, options, jobs)


def _manifest(
    found: Sequence[InputFile], directory: str | None, options: Options, again: bool
) -> ContextManager[Manifest | None]:
    if directory is None:
        return contextlib.nullcontext()
    return Manifest(directory, [item.output for item in found], options, again=again)


def _outcomes(found: Sequence[InputFile], manifest: Manifest | None, options: Options, jobs: int) -> Iterator[Outcome]:
    early: list[Outcome] = []

    def tasks() -> Iterator[Task]:
        for item in found:
            task = task_of(item)
            known = task if isinstance(task, Outcome) else manifest.kept(task) if manifest is not None else None
            if known is not None:
                early.append(known)
            elif isinstance(task, Task):
                yield task

    for task, outcome in run(tasks(), options, jobs):
        yield from early
        early.clear()
        yield outcome if manifest is None else _written(task, outcome, manifest)
    yield from early


def _written(task: Task, outcome: Outcome, manifest: Manifest) -> Outcome:
    if outcome.text is None:
        return outcome
    try:
        was_foreign = manifest.write(task, outcome)
    except (OSError, ValueError) as error:
        return Outcome(task.path, error=f"can't write {task.output}: {getattr(error, 'strerror', None) or error}")
    return outcome._replace(written=task.output, text=None, was_foreign=was_foreign)


def run_batch(
    targets: Sequence[str], directory: str | None, options: Options = DEFAULT_OPTIONS, *, as_json: bool = False,
    again: bool = False, jobs: int = 1,
) -> int:  # fmt: skip
    """``depyf decompile`` of many files: a line for each that is not proven, then a summary; its exit status."""
    counts: Counter[str] = Counter()
    records = []
    start = time.monotonic()
    found = list(items(targets, directory))
    with Progress(len(found)) as progress, _manifest(found, directory, options, again) as manifest:
        for outcome in _outcomes(found, manifest, options, jobs):
            counts["total"] += 1
            counts["written"] += bool(outcome.written) and not outcome.was_there
            counts["there"] += outcome.was_there
            counts["foreign"] += outcome.was_foreign
            counts["proven"] += outcome.proven
            counts["failed"] += bool(outcome.error)
            progress.advance()
            if as_json:
                records.append(outcome.to_dict(options.line_map))
            if not outcome.proven:
                counts["not proven"] += 1
                progress.line(str(outcome))
    if as_json:
        write_text(json_text(records, seconds=round(time.monotonic() - start, 3), **_memory()) + "\n")
    if manifest is not None and manifest.problem:
        warn(f"can't write {os.path.join(manifest.directory, NAME)}: {manifest.problem}; the next run does all again")
    warn(_summary(counts, directory))
    return 1 if counts["not proven"] or not counts["total"] else 0


def list_files(targets: Sequence[str]) -> int:
    """``depyf decompile --list``: list the targets' files; its exit status. Raises DepyfError for a missing target."""
    status = 0
    for target in targets:
        tree = open_tree(target)
        lines = [f"{target}: {tree.description}"]
        for one in tree.compiled():
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
