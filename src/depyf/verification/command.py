"""``depyf verify``, and ``depyf diff`` of compiled files. Imports only the options until it runs."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from dataclasses import replace
from typing import Any

from ..terminal import say, warn, write_text

__all__ = ["add_command", "diff_files", "verify"]

_DESCRIPTION = """\
Compare compiled files with their sources: compile each source with the CPython that wrote the file, and compare the
codes. Where they differ, print the statements that only one of them has. Nothing of a file is executed.

path:
  FOLDER                 all .pyc files below it
  FILE.pyc               one file; its source is the one that an import would take, or that of --source
  FILE.py                the compiled files of one source
  FILE.whl, .zip, ...    those in a wheel, egg, zip or tar file (sdist), or in a program by PyInstaller, cx_Freeze,
                         py2exe or zipapp, which is not unpacked
  ARCHIVE:MEMBER         one file of it
"""

_EPILOG = """\
exit status: 0 all fine: identical, identical but for line numbers, or proven to do the same; 1 a file differs;
2 trouble: a file was not checked, has no source, or there is no such path; 3 there was nothing to check
"""


def add_command(commands: Any) -> None:
    """Add the subcommand to the command line."""
    command = commands.add_parser(
        "verify", help="compare compiled files with their sources", description=_DESCRIPTION, epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    command.add_argument("paths", nargs="+", metavar="PATH", help="what to check, see above")
    command.add_argument(
        "--source", metavar="FILE",
        help="the source of the one .pyc file, or the folder or archive of all sources; of a wheel or an sdist, all"
        " Python files and RECORD are compared with it: a checkout, an sdist, another wheel",
    )  # fmt: skip
    command.add_argument(
        "--only", action="append", default=[], metavar="GLOB", help="only files whose names match, such as 'shop/*'"
    )
    command.add_argument("--scheduler", metavar="ADDRESS", help="have a running Dask cluster do it: depyf-proven[dask]")
    command.add_argument(
        "--require", action="store_true", help="status 3 if there was nothing to check in one of the paths, not in all"
    )
    command.add_argument(
        "--optimize", type=int, choices=(0, 1, 2), metavar="{0,1,2}",
        help="the level of optimisation (default: as the name says, .opt-1 or .opt-2, else 0)",
    )  # fmt: skip
    for what, default, size in (
        ("file", "256M", "one file, after decompression"), ("archive", "2G", "all that is in an archive"),
    ):  # fmt: skip
        command.add_argument(
            f"--largest-{what}", type=_size, metavar="SIZE", default=default,
            help=f"do not read more bytes of {size} (default: {default})",
        )  # fmt: skip
    command.add_argument("--decompile", action="store_true", help="print the text of files without source")
    command.add_argument("-v", "--verbose", action="store_true", help="print a line for files that are fine, too")
    command.add_argument("-q", "--quiet", action="store_true", help="print nothing: the exit status tells")
    form = command.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the reports as JSON")
    form.add_argument("--sarif", action="store_true", help="print what is not fine as SARIF")


def _size(text: str) -> int:
    """A number of bytes, or of K, M, G."""
    units = {"K": 10, "M": 20, "G": 30}
    power = units.get(text[-1:].upper(), 0)
    digits = text[:-1] if power else text
    if not digits.isascii() or not digits.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no size, such as 1000, 64M or 2G")
    return int(digits) << power


def verify(options: argparse.Namespace) -> int:
    """``depyf verify``."""
    from ..batch.cluster import scheduler
    from ..batch.urls import Copies, is_url
    from ..errors import DepyfError
    from .printed import count, lines_of
    from .report import NOTHING, TROUBLE, NotLookedAt, worst

    is_one = options.source is not None and not (is_url(options.source) or _is_tree(options.source))
    if is_one and len(options.paths) != 1:
        raise DepyfError(f"{options.source} is the source of one file: --source of several is a folder or an archive")
    as_text = not (options.json or options.sarif or options.quiet)
    counts: Counter[tuple[str, str]] = Counter()
    reports: list[Any] = []
    statuses: list[int] = []
    lacking: list[str] = []
    beside: list[NotLookedAt] = []
    with scheduler(options.scheduler) as executor, Copies() as copies:
        [source] = copies.local([options.source])
        for path in options.paths:
            before = len(statuses)
            try:
                [local] = copies.local([path])
                for one in _reports(options, local, source, is_one, beside, executor):
                    report = replace(one, path=copies.shown(one.path), source=one.source and copies.shown(one.source))
                    count(counts, report)
                    statuses.append(report.exit_status)
                    if options.json or options.sarif:
                        reports.append(report)
                    elif as_text and (options.verbose or not report.fine):
                        say(*lines_of(report))
            except DepyfError as error:
                statuses.append(TROUBLE)
                warn(f"depyf verify: {copies.shown(str(error))}")
            lacking += [path] if len(statuses) == before else []
    status = worst(statuses)
    if lacking and options.require and status == 0:
        status = NOTHING
    _print(options, reports, beside, counts, lacking, status)
    return status


def _reports(
    options: argparse.Namespace, path: str, source: str | None, is_one: bool, beside: Any, executor: Any
) -> Any:
    from .check import iter_reports, verify_file

    how = {"optimize": options.optimize, "decompiled": options.decompile, "largest_file": options.largest_file}
    if is_one:
        return [verify_file(path, source, **how)]
    return iter_reports(
        path, source, **how, largest_archive=options.largest_archive, not_looked_at=beside, only=options.only,
        executor=executor,
    )  # fmt: skip


def _print(
    options: argparse.Namespace, reports: Any, beside: Any, counts: Counter[tuple[str, str]], lacking: list[str],
    status: int,
) -> None:  # fmt: skip
    """What comes after the reports of the files."""
    from .. import __version__
    from .printed import beside_lines, json_text, sarif, summary

    if options.json:
        write_text(json_text(reports, __version__, beside, status) + "\n")
    elif options.sarif:
        write_text(sarif(reports, os.getcwd(), __version__, beside))
    elif not options.quiet:
        say(*beside_lines(beside, options.verbose))
        if counts:
            say(summary(counts))
        if lacking and (options.require or not counts):
            say(f"nothing was checked: no compiled files in {', '.join(lacking)}{_hint(lacking)}")


def _hint(paths: list[str]) -> str:
    """What can be done about paths without compiled files."""
    has_wheel = any(path.endswith((".whl", ".tar.gz", ".zip")) for path in paths)
    return "; --source TREE compares the Python files with a checkout or an sdist" if has_wheel else ""


def _diff_archives(before: Any, after: Any) -> int:
    from .printed import count, lines_of, summary
    from .python_files import compare_archives
    from .report import FINE, worst

    found = compare_archives(before, after)
    counts: Counter[tuple[str, str]] = Counter()
    for report in found.reports:
        count(counts, report)
    say(*(f"only in {before.path}: {name}" for name in found.removed))
    say(*(f"only in {after.path}: {name}" for name in found.added))
    for report in (*found.reports, *found.records):
        if not report.fine:
            say(*lines_of(report))
    say(summary(counts) if counts else "they have no file in common")
    alone = [1] * bool(found.removed or found.added)
    return worst([FINE, *alone, *(one.exit_status for one in (*found.reports, *found.records))])


def _is_tree(source: str) -> bool:
    """Whether it is a folder or an archive, and no source."""
    if os.path.isdir(source) or source.endswith((".py", ".pyw")):
        return os.path.isdir(source)
    from ..files.opening import open_tree

    return open_tree(source).kind != "folder"


def diff_files(before: str, after: str) -> int:
    """``depyf diff`` of two files."""
    from ..errors import DepyfError
    from ..files.opening import open_tree
    from .between import between
    from .printed import change_lines

    trees = [open_tree(path) if os.path.isfile(path) else None for path in (before, after)]
    archives = [tree for tree in trees if tree is not None and tree.kind != "folder"]
    if len(archives) == 1:
        other = after if archives[0] is trees[0] else before
        raise DepyfError(f"{archives[0].path} is an archive, {other} is none: compare two, or ARCHIVE:MEMBER")
    if archives:
        return _diff_archives(*archives)

    found = between(before, after)
    lines = [f"removed  {name}" for name in found.removed] + [f"added    {name}" for name in found.added]
    say(*lines)
    for change in found.changes:
        say(*change_lines(change, (f"in {before}", f"in {after}")))
    if found.note:
        say(found.note)
    if not found:
        say("equal but for line numbers" if found.lines_alone else "equal")
    return 1 if found else 0
