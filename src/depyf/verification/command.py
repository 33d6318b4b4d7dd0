"""``depyf verify``, and ``depyf diff`` of compiled files. Imports only the options until it runs."""

from __future__ import annotations

import argparse
import os
from collections import Counter
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
"""

_EPILOG = """\
exit status: 0 all fine: identical, identical but for line numbers, or proven to do the same; 1 a file differs;
2 trouble: a file was not checked, has no source, or there is no such path
"""


def add_command(commands: Any) -> None:
    """Add the subcommand to the command line."""
    command = commands.add_parser(
        "verify", help="compare compiled files with their sources", description=_DESCRIPTION, epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    command.add_argument("paths", nargs="+", metavar="PATH", help="what to check, see above")
    command.add_argument(
        "--source", metavar="FILE", help="the source of the one .pyc file, or the folder of all sources"
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
    from .. import __version__
    from ..errors import DepyfError
    from .check import iter_reports, verify_file
    from .printed import beside_lines, json_text, lines_of, sarif, summary
    from .report import TROUBLE, NotLookedAt, worst

    is_folder = options.source is not None and os.path.isdir(options.source)
    if options.source is not None and not is_folder and len(options.paths) != 1:
        raise DepyfError("--source names the source of one file, or a folder")
    as_text = not (options.json or options.sarif or options.quiet)
    counts: Counter[Any] = Counter()
    reports, statuses, trouble = [], [], False
    beside: list[NotLookedAt] = []
    for path in options.paths:
        try:
            if options.source is not None and not is_folder:
                found: Any = [verify_file(
                    path, options.source, optimize=options.optimize, decompiled=options.decompile,
                    largest_file=options.largest_file,
                )]  # fmt: skip
            else:
                found = iter_reports(
                    path, options.source, optimize=options.optimize, decompiled=options.decompile,
                    largest_file=options.largest_file, largest_archive=options.largest_archive, not_looked_at=beside,
                )  # fmt: skip
            for report in found:
                counts[report.status] += 1
                statuses.append(report.exit_status)
                if options.json or options.sarif:
                    reports.append(report)
                elif as_text and (options.verbose or not report.fine):
                    say(*lines_of(report))
        except DepyfError as error:
            trouble = True
            warn(f"depyf verify: {error}")
    if options.json:
        write_text(json_text(reports, __version__, beside) + "\n")
    elif options.sarif:
        write_text(sarif(reports, os.getcwd(), __version__, beside))
    elif as_text:
        say(*beside_lines(beside, options.verbose), summary(counts))
    return worst([*statuses, *([TROUBLE] if trouble else [])])


def diff_files(before: str, after: str) -> int:
    """``depyf diff`` of two compiled files."""
    from .between import between
    from .printed import change_lines

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
