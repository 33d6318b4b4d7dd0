"""Whether compiled files are what their sources say: ``verify_file`` and ``verify_tree``.

The decompiler and the proof are imported when a file differs.
"""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import Any, Callable, Iterator, NamedTuple, Sequence, Tuple, Union

from ..decompiler.bytecode import RawCode
from ..decompiler.bytecode.reading.pyc import HEADER, pyc_version, read_code_and_end
from ..decompiler.proof.pytest_asserts import OVERWRITE, SNAPSHOT
from ..errors import DecompilationError, PycError
from ..files.members import find_member
from ..files.names import PYTEST, PycName, parse
from ..files.opening import open_inner, open_tree
from ..files.trees import (
    LARGEST_ARCHIVE,
    LARGEST_FILE,
    Limits,
    Problem,
    SingleFile,
    Tree,
    Unreadable,
    VerificationError,
    compiled_in,
)
from .comparison import NO_LINES, CodeDifference, differences
from .compiling import LARGEST_SOURCE, NotCompiled, compiled, likely_filename
from .loading import Header, Location, judge, read_header
from .others import others
from .python_files import compared_with_sources
from .report import Change, FileReport, NotLookedAt, Status, TreeReport
from .sources import Sources
from .written_out import written_out

__all__ = ["VerificationError", "iter_reports", "verify_file", "verify_tree"]

Path = Union[str, "os.PathLike[str]"]
Version = Tuple[int, int]
_Answer = Union[FileReport, "Callable[[], FileReport]"]
"""A report, or the function that finishes it: everything after the fast check, which threads do in advance."""

_AHEAD, _FAR_AHEAD = 2, 100
"""Files in progress: one is compiled, in a separate process, while another one is compared; and where others run."""


_MOST_TIMES, _ANY_SIZE = 64, 1 << 20
"""A file larger than its compiled source by this factor differs, and is not read."""


class _Wanted(NamedTuple):
    """The options of `verify_file`."""

    optimize: int | None
    statements: bool
    decompiled: bool


def verify_file(
    path: Path,
    source: Path | None = None,
    *,
    optimize: int | None = None,
    statements: bool = True,
    decompiled: bool = False,
    largest_file: int = LARGEST_FILE,
) -> FileReport:
    """Whether the compiled file at ``path`` is what its source says. Nothing of either is executed.

    The source is compiled by the CPython of the file's version, and the two codes are compared in everything that the
    file stores except the name of the source file. Where they differ, the report has the differing statements.

    Args:
        path: a ``.pyc`` file of CPython 3.7 to 3.15.
        source: its source; by default the one that an import would take, from the name.
        optimize: the level of optimisation, 0 to 2; by default from the name (``.opt-1``), else 0.
        statements: False to leave `FileReport.changes` empty: decompiling takes most of the time for files that differ.
        decompiled: True to get the text of a file without source.
        largest_file: the limit of bytes of either file: a larger one is *not checked*.

    Returns:
        The report. A file that can't be read, or not compiled because no CPython of that version is found, is *not
        checked*.

    Raises:
        VerificationError: there is no file ``path`` or ``source``.

    Example:
        >>> with open("area.py", "w") as file:
        ...     _ = file.write("def area(w, h): return w * h")
        >>> import py_compile
        >>> report = depyf.verify_file(py_compile.compile("area.py"))
        >>> report.status.value, report.loading.value, report.fine
        ('identical', 'loaded', True)
    """
    path = os.fspath(path)
    member = find_member(path) if not os.path.lexists(path) else None
    for one in (None if member is not None else path, source):
        if one is not None and not os.path.lexists(one):
            raise VerificationError(f"there is no file {os.fspath(one)}")
    limits = Limits(largest_file)
    single = SingleFile(path, limits)
    tree, name = (single, single.name) if member is None else (member.tree, member.name)
    sources = Sources(os.fspath(source) if source is not None else None, limits, of_file=True)
    return _whole(_read(tree, name, sources), _Wanted(optimize, statements, decompiled))


def verify_tree(
    path: Path, source: Path | None = None, *, optimize: int | None = None, statements: bool = True,
    decompiled: bool = False, largest_file: int = LARGEST_FILE, largest_archive: int = LARGEST_ARCHIVE,
) -> TreeReport:  # fmt: skip
    """The same for all compiled files in a folder or an archive (wheel, zip, egg, sdist), or of one source file.

    Args:
        path: a folder, an archive, the executable of a program by PyInstaller, a ``.pyc`` or a ``.py`` file.
        source: the folder of the sources, or an archive of them, if they are not beside the compiled files. Of a
            wheel or an sdist the Python files are compared with it too.
        optimize: as for `verify_file`.
        statements: as for `verify_file`.
        decompiled: as for `verify_file`.
        largest_file: the limit of bytes of one file, after decompression: a larger one is *not checked*.
        largest_archive: that of all that is in an archive.

    Returns:
        The reports: those of the compiled files in the order of their names, then those of the archives among the
        other files; and what else an import may run. A folder that can't be listed, or an unsafe name in an archive,
        has a report of its own, *not checked*.

    Raises:
        VerificationError: there is nothing at ``path``, or an archive that can't be read or is too large.

    Example:
        >>> import compileall, pathlib
        >>> pathlib.Path("shapes").mkdir()
        >>> _ = pathlib.Path("shapes/square.py").write_text("def area(side): return side * side")
        >>> compileall.compile_dir("shapes", quiet=2)
        True
        >>> [(one.source, one.status.value) for one in depyf.verify_tree("shapes").files]
        [('shapes/square.py', 'identical')]
    """
    path = os.fspath(path)
    beside: list[NotLookedAt] = []
    found = tuple(iter_reports(
        path, source, optimize=optimize, statements=statements, decompiled=decompiled, largest_file=largest_file,
        largest_archive=largest_archive, not_looked_at=beside,
    ))  # fmt: skip
    return TreeReport(path, found, tuple(beside))


def iter_reports(
    path: str, source: Path | None = None, *, optimize: int | None = None, statements: bool = True,
    decompiled: bool = False, largest_file: int = LARGEST_FILE, largest_archive: int = LARGEST_ARCHIVE,
    not_looked_at: list[NotLookedAt] | None = None, only: Sequence[str] = (), executor: Executor | None = None,
) -> Iterator[FileReport]:  # fmt: skip
    """Yield the reports of ``verify_tree`` as soon as they are done; the list gets what else an import may run.

    ``executor`` may run elsewhere: what it is given can be pickled. Raises VerificationError.
    """
    limits = Limits(largest_file, largest_archive)
    sources = Sources(os.fspath(source) if source is not None else None, limits)
    beside = [] if not_looked_at is None else not_looked_at
    member = find_member(path) if not os.path.lexists(path) else None
    wanted = _Wanted(optimize, statements, decompiled)
    compared: Iterator[Callable[[], _Answer]] = iter(())
    if member is not None:
        if member.rest:
            raise VerificationError(f"whole files are verified: {path} names a part of {member.name}")
        found: Iterator[tuple[Tree, str | Unreadable]] = iter([(member.tree, member.name)])
    else:
        tree = open_tree(path, limits)
        found = _everything(tree, 0 if tree.kind == "folder" else 1, beside, only)
        if sources.tree is not None and tree.kind == "unpacked":
            compared = compared_with_sources(tree, sources, beside, only)
    if executor is not None:
        reads = (_read_or_not(tree, name, sources) for tree, name in found)
        calls: Iterator[Callable[[], _Answer]] = (partial(_whole, read, wanted) for read in reads)
        yield from map(_finished, in_order(executor.submit, chain(calls, compared), _FAR_AHEAD))
        return
    with ThreadPoolExecutor(_AHEAD, "depyf") as pool:
        calls = (partial(_begin, tree, name, sources, wanted) for tree, name in found)
        yield from map(_finished, in_order(pool.submit, chain(calls, compared), _AHEAD))


def in_order(submit: Callable[..., Future[Any]], calls: Iterator[Callable[[], Any]], ahead: int) -> Iterator[Any]:
    """What the calls return, in their order; so many are in progress at a time."""
    running = deque(submit(call) for call in islice(calls, ahead))
    try:
        while running:
            answer = running.popleft().result()
            running.extend(submit(call) for call in islice(calls, 1))
            yield answer
    finally:
        for one in running:
            one.cancel()


def _begin(tree: Tree, name: str | Unreadable, sources: Sources, wanted: _Wanted) -> _Answer:
    return _report(_read_or_not(tree, name, sources), wanted)


def _read_or_not(tree: Tree, name: str | Unreadable, sources: Sources) -> _Read | FileReport:
    if isinstance(name, Unreadable):
        return _unchecked(tree.shown(name.name), None, name.reason)
    return _read(tree, name, sources)


def _everything(
    tree: Tree, level: int, not_looked_at: list[NotLookedAt], only: Sequence[str] = ()
) -> Iterator[tuple[Tree, str | Unreadable]]:
    """The compiled files of a tree, then those of the archives in it."""
    names = []
    for name in compiled_in(tree, only):
        yield tree, name
        if isinstance(name, str):
            names.append(name)
    if not only:
        every = others(names + tree.others)
        not_looked_at += [NotLookedAt(tree.shown(name), kind, reason) for name, kind, reason in every]
    for name in tree.others:
        inner = open_inner(tree, name, level)
        if isinstance(inner, Unreadable):
            yield tree, inner
        elif inner is not None:
            yield from _everything(inner, level + 1, not_looked_at, only)
            tree.count_in(inner.total, inner.count)


def _finished(answer: _Answer) -> FileReport:
    return answer if isinstance(answer, FileReport) else answer()


def _unchecked(path: str, source: str | None, reason: str) -> FileReport:
    return FileReport(path, source, None, 0, Status.NOT_CHECKED, reasons=(reason,))


class _Read(NamedTuple):
    """A compiled file and its source as they were read; any process can judge it."""

    path: str
    location: Location
    data: bytes
    source: bytes | None
    shown: str | None
    note: str


def _read(tree: Tree, name: str, sources: Sources) -> _Read | FileReport:
    parsed = parse(name)
    path = tree.shown(name)
    try:
        data = tree.read(name)
        found = sources.of(tree, name, parsed, _version(data)[0])
        entry = found.entry
        if entry is not None and entry.size > LARGEST_SOURCE:
            raise Problem(f"its source has {entry.size} bytes, more than {LARGEST_SOURCE}: it would not be compiled")
        source = found.tree.read(found.name) if entry is not None else None
    except Problem as error:
        return _unchecked(path, None, str(error))
    location = Location(tree.kind, parsed, entry is not None, *(reversed(entry) if entry is not None else ()))
    return _Read(path, location, data, source, found.tree.shown(found.name) if entry is not None else None, found.note)


def _report(read: _Read | FileReport, wanted: _Wanted) -> _Answer:
    """The report of one file, whatever its content, or the function that finishes it."""
    if isinstance(read, FileReport):
        return read
    parsed, data, source = read.location.name, read.data, read.source
    header = read_header(data)
    version, reason = _version(data)
    loading, why = judge(read.location, header, version, lambda: source or b"")
    level = parsed.optimize if wanted.optimize is None else wanted.optimize
    notes = (*_notes(parsed, version, header), *([read.note] if read.note else []))
    report = FileReport(read.path, read.shown, version, level or 0, Status.NOT_CHECKED, loading, why, notes=notes)
    if version is None or header is None:
        return replace(report, reasons=(reason or "it is too short for a header",))
    if level is None:
        return replace(report, reasons=(f"no CPython writes 'opt-{parsed.optimization}' into a name: name a level",))
    if source is None:
        return partial(_without_source, report, data, version, wanted.decompiled)
    if PYTEST in parsed.tag:
        return partial(_rewritten, report, data, source, version, level)
    return _compared(report, data, source, version, level, wanted.statements)


def _whole(read: _Read | FileReport, wanted: _Wanted) -> FileReport:
    """The report of one file, in another process."""
    return _finished(_report(read, wanted))


def _version(data: bytes) -> tuple[Version | None, str]:
    try:
        return pyc_version(data, "it"), ""
    except PycError as error:
        return None, error.reason


def _notes(parsed: PycName, version: Version | None, header: Header | None) -> Iterator[str]:
    if version is not None and parsed.cached and parsed.version is not None and parsed.version != version:
        tag, magic = ("{}.{}".format(*one) for one in (parsed.version, version))
        yield f"its name says CPython {tag}, its magic number {magic}"
    if header is not None and header.kind == "unknown flags":
        yield f"its header has flags that no CPython writes: {header.flags:#x}"


def _without_source(report: FileReport, data: bytes, version: Version, decompiled: bool) -> FileReport:
    reasons = ("there is no source to compare with",)
    text = None
    if decompiled:
        from .statements import text_of

        try:
            text = text_of(read_code_and_end(data, version)[0])
        except PycError as error:
            return replace(report, reasons=(f"it can't be read: {error}",))
    return replace(report, status=Status.NO_SOURCE, reasons=reasons, decompiled=text)


def _compared(
    report: FileReport, data: bytes, source: bytes, version: Version, level: int, statements: bool
) -> _Answer:
    base = os.path.basename((report.source or "").replace(os.sep, "/"))
    filename = likely_filename(data, base) or base
    try:
        made = compiled(source, filename, version, level)
    except NotCompiled as error:
        if not error.wrong_source:
            return replace(report, reasons=(str(error),))
        report = replace(report, status=Status.DIFFERS, reasons=(f"{error}: it was made of another one",))
        return partial(_with_all, report, data, version) if statements else report
    size = len(made.data)
    if data[HEADER:] == made.data:
        return replace(report, status=Status.IDENTICAL)
    if len(data) > _MOST_TIMES * size + _ANY_SIZE:
        return _other(report, f"{len(data)} bytes, where the source makes {size}: no statements were looked for")
    # A part has one byte at least.
    plain = made.written_out
    if plain is not None and written_out(data, version, HEADER, len(plain)) == plain:
        return replace(report, status=Status.IDENTICAL)
    return partial(_examined, report, data, made.data, version, statements)


def _examined(report: FileReport, data: bytes, made: bytes, version: Version, statements: bool) -> FileReport:
    """The report of a file that is not the same by the fast check."""
    try:
        theirs = read_code_and_end(made, version, 0)[0]
    except PycError as error:
        return replace(report, reasons=(f"what the source compiles to is too much for depyf's reader: {error}",))
    try:
        ours, end = read_code_and_end(data, version)
    except PycError as error:
        return _other(report, f"it can't be read, and no compiler writes that: {error}")
    if end < len(data):
        description = f"{len(data) - end} bytes after the code"
        report = replace(report, reasons=(description,), changes=(Change("", description),))
    found = differences(ours, theirs)
    if not found and end == len(data):
        return replace(report, status=Status.IDENTICAL)
    return _judged(report, ours, theirs, found, statements)


def _rewritten(report: FileReport, data: bytes, source: bytes, version: Version, level: int) -> FileReport:
    """The report of a file written by pytest, whose releases rewrite asserts differently."""
    from .proven import doubts

    base = os.path.basename((report.source or "").replace(os.sep, "/"))
    filename = likely_filename(data, base) or base
    try:
        ours, end = read_code_and_end(data, version)
        for asserts in (None, *({"walrus": kind, "imports": True} for kind in (SNAPSHOT, OVERWRITE))):
            made = compiled(source, filename, version, level, asserts)
            theirs = read_code_and_end(made.data, version, 0)[0]
            found = differences(ours, theirs)
            if end < len(data) or any(NO_LINES in one.fields for one in found):
                continue
            if not found:
                return replace(report, status=Status.IDENTICAL)
            description = tuple(map(str, found))
            if all(one.lines_alone for one in found):
                return replace(report, status=Status.OTHER_LINES, reasons=description)
            if not doubts(ours, theirs, found):
                return replace(report, status=Status.PROVEN, reasons=description)
    except (NotCompiled, PycError) as error:
        return replace(report, reasons=(str(error),))
    return replace(report, reasons=("written by pytest, and not as depyf knows pytest to rewrite asserts",))


def _other(report: FileReport, description: str) -> FileReport:
    """The report of a file that differs, without statements."""
    return replace(report, status=Status.DIFFERS, reasons=(description,), changes=(Change("", description),))


def _judged(
    report: FileReport, ours: RawCode, theirs: RawCode, found: list[CodeDifference], statements: bool
) -> FileReport:
    """The report of code that is not identical, or has something after it."""
    from .proven import doubts
    from .statements import changes

    description = tuple(map(str, found))
    if not report.reasons and all(one.lines_alone for one in found):
        return replace(report, status=Status.OTHER_LINES, reasons=description)
    readable = all(NO_LINES not in one.fields for one in found)
    doubt = doubts(ours, theirs, found) if readable else []
    if readable and not report.reasons and not doubt:
        return replace(report, status=Status.PROVEN, reasons=description)
    shown: tuple[Change, ...] = ()
    try:
        if statements and found:
            shown = tuple(changes(ours, theirs, found))
    except (DecompilationError, RecursionError, MemoryError) as error:
        shown = (Change("", f"no statements can be shown: {error}"),)
    return replace(
        report, status=Status.DIFFERS, reasons=(*report.reasons, *description), changes=(*report.changes, *shown)
    )


def _with_all(report: FileReport, data: bytes, version: Version) -> FileReport:
    """The report with all statements of a file whose source has none."""
    from .statements import text_of

    try:
        change = Change("<module>", "", tuple(text_of(read_code_and_end(data, version)[0]).splitlines()))
    except PycError as error:
        change = Change("", f"it can't be read: {error}")
    return replace(report, changes=(change,))
