"""Whether compiled files are what their sources say: ``verify_file`` and ``verify_tree``.

The decompiler and the proof are imported when a file differs.
"""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Callable, Iterator, NamedTuple, Tuple, Union

from ..decompiler.bytecode import RawCode
from ..decompiler.bytecode.reading.pyc import HEADER, pyc_version, read_code_and_end
from ..decompiler.proof.pytest_asserts import OVERWRITE, SNAPSHOT
from ..errors import DecompilationError, PycError
from ..files.names import PYTEST, PycName, parse
from ..files.opening import open_tree
from ..files.trees import Folder, Problem, SingleFile, Tree, Unreadable, VerificationError
from .comparison import NO_LINES, CodeDifference, differences
from .compiling import NotCompiled, compiled, likely_filename
from .loading import Header, Location, judge, read_header
from .report import Change, FileReport, Status, TreeReport
from .written_out import written_out

__all__ = ["VerificationError", "iter_reports", "verify_file", "verify_tree"]

Path = Union[str, "os.PathLike[str]"]
Version = Tuple[int, int]
_Answer = Union[FileReport, Callable[[], FileReport]]
"""A report, or the function that finishes it: everything after the fast check, which threads do in advance."""

_AHEAD = 2
"""Files in progress: one is compiled, in a separate process, while another one is compared."""


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

    Returns:
        The report. A file that can't be read, or not compiled because no CPython of that version is found, is *not
        checked*.

    Raises:
        VerificationError: there is no file ``path`` or ``source``.
    """
    path = os.fspath(path)
    for one in (path, source):
        if one is not None and not os.path.lexists(one):
            raise VerificationError(f"there is no file {os.fspath(one)}")
    tree = SingleFile(path)
    wanted = _Wanted(optimize, statements, decompiled)
    return _finished(_report(tree, tree.name, os.fspath(source) if source is not None else None, wanted))


def verify_tree(
    path: Path, source: Path | None = None, *, optimize: int | None = None, statements: bool = True,
    decompiled: bool = False,
) -> TreeReport:  # fmt: skip
    """The same for all compiled files in a folder or an archive (wheel, zip, egg, sdist), or of one source file.

    Args:
        path: a folder, an archive, the executable of a program by PyInstaller, a ``.pyc`` or a ``.py`` file.
        source: the folder of the sources, if they are not beside the compiled files.
        optimize: as for `verify_file`.
        statements: as for `verify_file`.
        decompiled: as for `verify_file`.

    Returns:
        The reports, in the order of the names. A folder that can't be listed, or an unsafe name in an archive, has a
        report of its own, *not checked*.

    Raises:
        VerificationError: there is nothing at ``path``, or an archive that can't be read or is too large.
    """
    path = os.fspath(path)
    found = iter_reports(path, source, optimize=optimize, statements=statements, decompiled=decompiled)
    return TreeReport(path, tuple(found))


def iter_reports(
    path: str, source: Path | None = None, *, optimize: int | None = None, statements: bool = True,
    decompiled: bool = False,
) -> Iterator[FileReport]:  # fmt: skip
    """Yield the reports of ``verify_tree`` as soon as they are done. Raises VerificationError."""
    given = os.fspath(source) if source is not None else None
    if given is not None and not os.path.isdir(given):
        raise VerificationError(f"there is no folder {given}")
    tree = open_tree(path)
    wanted = _Wanted(optimize, statements, decompiled)
    names = tree.compiled()
    with ThreadPoolExecutor(_AHEAD, "depyf") as pool:

        def begin(name: str | Unreadable) -> Future[_Answer]:
            return pool.submit(_begin, tree, name, given, wanted)

        running = deque(begin(name) for name in islice(names, _AHEAD))
        while running:
            answer = running.popleft().result()
            running.extend(begin(name) for name in islice(names, 1))
            yield _finished(answer)


def _begin(tree: Tree, name: str | Unreadable, given: str | None, wanted: _Wanted) -> _Answer:
    if isinstance(name, Unreadable):
        return _unchecked(tree.shown(name.name), None, name.reason)
    return _report(tree, name, given, wanted)


def _finished(answer: _Answer) -> FileReport:
    return answer if isinstance(answer, FileReport) else answer()


def _unchecked(path: str, source: str | None, reason: str) -> FileReport:
    return FileReport(path, source, None, 0, Status.NOT_CHECKED, reasons=(reason,))


def _report(tree: Tree, name: str, given: str | None, wanted: _Wanted) -> _Answer:
    """The report of one file, whatever its content, or the function that finishes it."""
    parsed = parse(name)
    path = tree.shown(name)
    try:
        data = tree.read(name)
        source_tree, source_name = _source(tree, name, parsed, given)
        entry = source_tree.entry(source_name)
        source = source_tree.read(source_name) if entry is not None else None
    except Problem as error:
        return _unchecked(path, None, str(error))
    location = Location(tree.kind, parsed, entry is not None, *(reversed(entry) if entry is not None else ()))
    header = read_header(data)
    version, reason = _version(data)
    loading, why = judge(location, header, version, lambda: source or b"")
    shown = source_tree.shown(source_name) if entry is not None else None
    level = parsed.optimize if wanted.optimize is None else wanted.optimize
    report = FileReport(
        path, shown, version, level or 0, Status.NOT_CHECKED, loading, why, notes=tuple(_notes(parsed, version, header))
    )
    if version is None or header is None:
        return replace(report, reasons=(reason or "it is too short for a header",))
    if level is None:
        return replace(report, reasons=(f"no CPython writes 'opt-{parsed.optimization}' into a name: name a level",))
    if source is None:
        return partial(_without_source, report, data, version, wanted.decompiled)
    if PYTEST in parsed.tag:
        return partial(_rewritten, report, data, source, version, level)
    return _compared(report, data, source, version, level, wanted.statements)


def _source(tree: Tree, name: str, parsed: PycName, given: str | None) -> tuple[Tree, str]:
    if given is None:
        return tree, parsed.source
    if os.path.isdir(given):
        return Folder(given), parse(tree.import_name(name)).source
    folder, base = os.path.split(given)
    return Folder(folder), base


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
