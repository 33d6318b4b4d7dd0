"""``depyf decompile`` of many files: what is written where, progress, the summary, JSON."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections import Counter
from typing import Any, Iterator, Sequence

from .. import __version__
from ..decompiler.printing.string_text import printable
from ..errors import DepyfError
from ..files.opening import open_tree
from ..files.trees import Unreadable
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

    Existing files are kept, so that an interrupted run can be resumed; ``again`` overwrites them. If ``directory`` is
    None, nothing is written: each outcome has its text. ``jobs`` is the number of processes.
    Raises DepyfError for an archive that can't be read.
    """
    yield from _outcomes(list(items(targets, directory)), directory, options, again, jobs)


def _outcomes(
    found: Sequence[InputFile], directory: str | None, options: Options, again: bool, jobs: int
) -> Iterator[Outcome]:
    early: list[Outcome] = []

    def tasks() -> Iterator[Task]:
        for item in found:
            if item.output and not again and os.path.isfile(item.output):
                early.append(Outcome(item.path, item.output, was_there=True))
                continue
            task = task_of(item)
            if isinstance(task, Outcome):
                early.append(task)
            else:
                yield task

    for task, outcome in run(tasks(), options, jobs):
        yield from early
        early.clear()
        yield outcome if directory is None else _written(task, outcome, directory)
    yield from early


def _written(task: Task, outcome: Outcome, directory: str) -> Outcome:
    if outcome.text is None:
        return outcome
    try:
        write(task.output, outcome.text, directory)
    except DepyfError as error:
        return Outcome(task.path, error=str(error))
    except (OSError, ValueError) as error:
        return Outcome(task.path, error=f"can't write {task.output}: {getattr(error, 'strerror', None) or error}")
    return outcome._replace(written=task.output, text=None)


def write(path: str, text: str, directory: str) -> None:
    """Write the file atomically, and only inside ``directory``, whatever links it has.

    Raises DepyfError, OSError.
    """
    folder = os.path.dirname(path)
    root = os.path.realpath(directory)
    for target_path in (folder, path):
        # Also before a folder is made, which would follow the link.
        if os.path.commonpath([root, os.path.realpath(target_path)]) != root:
            raise DepyfError(f"{path} leads out of {directory}")
    os.makedirs(folder, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=".depyf-")
    try:
        with open(handle, "w", encoding="utf-8", errors="surrogatepass", newline="\n") as file:
            file.write(text if text.endswith("\n") else text + "\n")
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def run_batch(
    targets: Sequence[str], directory: str | None, options: Options = DEFAULT_OPTIONS, *, as_json: bool = False,
    again: bool = False, jobs: int = 1,
) -> int:  # fmt: skip
    """``depyf decompile`` of many files: a line for each that is not proven, then a summary; its exit status."""
    counts: Counter[str] = Counter()
    records = []
    start = time.monotonic()
    found = list(items(targets, directory))
    with Progress(len(found)) as progress:
        for outcome in _outcomes(found, directory, options, again, jobs):
            counts["total"] += 1
            counts["written"] += bool(outcome.written) and not outcome.was_there
            counts["there"] += outcome.was_there
            counts["proven"] += outcome.proven and not outcome.was_there
            counts["failed"] += bool(outcome.error)
            progress.advance()
            if as_json:
                records.append(outcome.to_dict(options.line_map))
            if not outcome.proven:
                counts["not proven"] += 1
                progress.line(str(outcome))
    if as_json:
        print(json_text(records, seconds=round(time.monotonic() - start, 3), **_memory()))
    print(printable(_summary(counts, directory)), file=sys.stderr)
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
        print("\n".join(map(printable, lines)))
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
    parts = [f"{files}: {done}, {counts['proven']} of them proven as a whole"]
    parts += [f"{counts['there']} were there"] if counts["there"] else []
    parts += [f"{counts['failed']} not decompiled"] if counts["failed"] else []
    return ", ".join(parts)
